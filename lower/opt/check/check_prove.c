/* Marks that cannot fail: the least value of what has to be at least 0 is found by putting the bounds of the loops
 * around in place of their variables, from the inside out. */
#include "lower/opt/check/check.h"

static bool eliminate_loop(struct linear *l, const struct tree_frame *f, struct checking *k)
{
    struct linear bound;
    int64_t times;
    if (!linear_take(l, f->loop->var, &times))
        return false;
    if (times == 0)
        return true;
    const struct tree_expr *e = times > 0 ? f->loop->begin : f->loop->end;
    if (!tree_scan_invariant(check_scan(k, f->loop), e))
        return false;
    linear_of(&bound, e);
    bound.constant -= times < 0;
    linear_add(l, &bound, times);
    return l->known;
}

static bool is_least(const struct linear *in, int64_t least, const struct tree_frame *frame, struct checking *k,
                     int depth);

/* Where the sum has -min(a, b), it is at least what it is with -a, and with -b; the same for max(a, b). */
static bool by_choice(const struct linear *in, int64_t least, const struct tree_frame *frame, struct checking *k,
                      int depth)
{
    for (uint32_t i = 0; i < in->count; i++) {
        const struct linear_term *term = &in->terms[i];
        const struct tree_expr *e = term->count == 1 ? term->factors[0] : NULL;
        if (!e || !((e->op == EXPR_MIN && term->times < 0) || (e->op == EXPR_MAX && term->times > 0)))
            continue;
        for (int side = 0; side < 2; side++) {
            struct linear with, choice;
            linear_copy(&with, in);
            int64_t times = term->times;
            with.terms[i] = with.terms[--with.count];
            linear_of(&choice, e->args[side]);
            linear_add(&with, &choice, times);
            if (with.known && is_least(&with, least, frame, k, depth + 1))
                return true;
        }
    }
    return false;
}

static bool is_least(const struct linear *in, int64_t least, const struct tree_frame *frame, struct checking *k,
                     int depth)
{
    enum { DEEPEST = 4 };
    struct linear l;
    if (!in->known)
        return false;
    struct interval all = linear_limits(in, frame, NULL);
    if (all.known && all.low >= least)
        return true;
    if (depth < DEEPEST && by_choice(in, least, frame, k, depth))
        return true;
    linear_copy(&l, in);
    for (const struct tree_frame *f = frame; f; f = f->outer) {
        if (!eliminate_loop(&l, f, k))
            return false;
        if (linear_is_constant(&l))
            return l.constant >= least;
        if (depth < DEEPEST && by_choice(&l, least, f->outer, k, depth))
            return true;
    }
    return linear_is_constant(&l) && l.constant >= least;
}

bool check_is_at_least(const struct tree_expr *e, int64_t least, const struct tree_frame *frame, struct checking *k)
{
    struct linear l;
    linear_of(&l, e);
    return is_least(&l, least, frame, k, 0);
}

static bool is_below(const struct tree_expr *e, const struct tree_expr *extent, const struct tree_frame *frame,
                     struct checking *k)
{
    struct linear l, index;
    if (expr_is_int(extent, INT64_MAX))
        return true;
    linear_of(&l, extent);
    linear_of(&index, e);
    linear_add(&l, &index, -1);
    return is_least(&l, 1, frame, k, 0);
}

static bool is_proved(struct tree_stmt *s, const struct tree_frame *frame, struct checking *k)
{
    if (expr_is_int(s->args[CHECK_WHEN], 0) || s->check->assumed)
        return true;
    for (uint32_t d = 0; d < s->check->rank; d++)
        if (!check_is_at_least(*check_number(s, d, CHECK_LOW), 0, frame, k) ||
            !is_below(*check_number(s, d, CHECK_HIGH), *check_number(s, d, CHECK_EXTENT), frame, k))
            return false;
    return true;
}

static bool prove(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct checking *k = user;
    if (stmt_is_check(s) && is_proved(s, frame, k)) {
        k->proved++;
        check_drop(k, s);
    }
    return true;
}

void check_prove(struct checking *k) { tree_visit_frames(k->func->body, NULL, prove, k); }
