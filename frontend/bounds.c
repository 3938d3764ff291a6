/* What is known about symbols where a statement is: ranges of the variables of loops and maps around it, extents of
 * arguments, conditions of branches. With it indices and slices are shown to lie in their array, or get what wraps
 * and clips them when the program runs. */
#include "frontend/lower.h"

void fe_know(struct fe *f, const char *name, const struct sym *least, const struct sym *most)
{
    struct fe_range r = { name, least, most, least && fe_is_not_negative(f, least) };
    vec_push(f->arena, &f->ranges, r);
}

struct fe_known fe_known(const struct fe *f) { return (struct fe_known){ f->ranges.count, f->facts.count }; }

void fe_forget(struct fe *f, struct fe_known known)
{
    f->ranges.count = known.ranges;
    f->facts.count = known.facts;
}

void fe_know_not_negative(struct fe *f, const struct sym *s) { vec_push(f->arena, &f->facts, s); }

void fe_know_always(struct fe *f, const struct sym *s)
{
    for (uint32_t i = 0; i < f->always.count; i++)
        if (f->always.items[i] == s)
            return;
    vec_push(f->arena, &f->always, s);
}

struct signs {
    const struct fe *f;
    bool known;
};

static void check_sign(void *user, const struct sym *name)
{
    struct signs *s = user;
    bool found = false;
    for (uint32_t i = 0; i < s->f->ranges.count && !found; i++)
        found = s->f->ranges.items[i].name == name->name && s->f->ranges.items[i].not_negative;
    s->known &= found;
}

bool fe_is_above(struct fe *f, const struct sym *s, int64_t least)
{
    struct signs found = { f, true };
    sym_visit_names(s, check_sign, &found);
    return found.known && sym_less_equal_from(f->ir, sym_int(f->ir, 0), s, least) == TRUTH_YES;
}

/* ---- proofs ---- */

/* An expression that is not above s: variables of loops, innermost first, become the end of their range that makes it
 * least. */
static const struct sym *lowered(struct fe *f, const struct sym *s)
{
    for (uint32_t k = f->ranges.count; k-- > 0;) {
        const struct fe_range *r = &f->ranges.items[k];
        const struct sym *factor, *rest;
        bool extent = !r->most; /* stays: what it is compared with may have it, too */
        if (extent || !sym_mentions(s, r->name) || !sym_linear_in(f->ir, s, r->name, &factor, &rest))
            continue;
        const struct sym *end = NULL;
        if (factor->op == SYM_INT)
            end = factor->i > 0 ? r->least : r->most;
        else if (fe_is_above(f, factor, 0))
            end = r->least;
        else if (fe_is_above(f, sym_neg(f->ir, factor), 0))
            end = r->most;
        if (end)
            s = sym_add(f->ir, rest, sym_mul(f->ir, factor, end));
    }
    return s;
}

/* A term of a sum, as number * node. */
static const struct sym *term(const struct sym *s, uint32_t i, int64_t *factor)
{
    const struct sym *t = s->op == SYM_ADD ? s->args[i] : s;
    bool scaled = t->op == SYM_MUL && t->num_args == 2 && t->args[0]->op == SYM_INT;
    *factor = scaled ? t->args[0]->i : 1;
    return scaled ? t->args[1] : t;
}

static bool proven(struct fe *f, const struct sym *s, int depth);

/* s with a term replaced. */
static bool proven_with(struct fe *f, const struct sym *s, const struct sym *node, int64_t factor,
                        const struct sym *instead, int64_t new_factor, int depth)
{
    const struct sym *rest = sym_sub(f->ir, s, sym_mul(f->ir, sym_int(f->ir, factor), node));
    return proven(f, sym_add(f->ir, rest, sym_mul(f->ir, sym_int(f->ir, new_factor), instead)), depth);
}

/* Where the least of several stands, all of them have to do; where what is above all of them stands, one. */
static bool proven_by_choice(struct fe *f, const struct sym *s, const struct sym *node, int64_t factor, int depth)
{
    bool all = (node->op == SYM_MIN) == (factor > 0);
    for (uint32_t k = 0; k < node->num_args; k++)
        if (proven_with(f, s, node, factor, node->args[k], factor, depth) != all)
            return !all;
    return all;
}

/* d * (a // d) is at most a, and at least a - d + 1. */
static bool proven_by_quotient(struct fe *f, const struct sym *s, const struct sym *node, int64_t factor, int depth)
{
    const struct sym *d = node->args[1];
    if (d->op != SYM_INT || d->i <= 0 || factor % d->i)
        return false;
    const struct sym *a = node->args[0];
    if (factor > 0)
        a = sym_sub(f->ir, a, sym_int(f->ir, d->i - 1));
    return proven_with(f, s, node, factor, a, factor / d->i, depth);
}

/* b**x - b**y of a positive b where x is at least y. */
static bool proven_by_powers(struct fe *f, const struct sym *s, int depth)
{
    const struct sym *up = NULL, *down = NULL;
    for (uint32_t i = 0; i < (s->op == SYM_ADD ? s->num_args : 1); i++) {
        int64_t factor;
        const struct sym *node = term(s, i, &factor);
        if (node->op == SYM_POW && factor == 1)
            up = node;
        if (node->op == SYM_POW && factor == -1)
            down = node;
    }
    if (!up || (down && up->args[0] != down->args[0]) ||
        !proven(f, sym_sub(f->ir, up->args[0], sym_int(f->ir, 1)), depth))
        return false;
    if (!down) /* it is not negative */
        return proven(f, sym_sub(f->ir, s, up), depth);
    return proven(f, sym_sub(f->ir, up->args[1], down->args[1]), depth) &&
           proven(f, sym_add(f->ir, sym_sub(f->ir, s, up), down), depth);
}

static void find_name(void *user, const struct sym *name)
{
    const struct sym **s = user;
    if (*s && sym_mentions(*s, name->name))
        *s = NULL;
}

static bool shares_name(const struct sym *a, const struct sym *b)
{
    const struct sym *left = a;
    sym_visit_names(b, find_name, &left);
    return !left;
}

static bool proven(struct fe *f, const struct sym *s, int depth)
{
    const struct sym *low = lowered(f, s);
    if (fe_is_above(f, s, 0) || (low != s && fe_is_above(f, low, 0)))
        return true;
    for (uint32_t i = 0; depth && i < (s->op == SYM_ADD ? s->num_args : 1); i++) {
        int64_t factor;
        const struct sym *node = term(s, i, &factor);
        if (node->op == SYM_MIN || node->op == SYM_MAX)
            return proven_by_choice(f, s, node, factor, depth - 1);
    }
    if (depth && proven_by_powers(f, s, depth - 1))
        return true;
    for (uint32_t i = 0; depth && i < (low->op == SYM_ADD ? low->num_args : 1); i++) {
        int64_t factor;
        const struct sym *node = term(low, i, &factor);
        if (node->op == SYM_FLOOR_DIV && proven_by_quotient(f, low, node, factor, depth - 1))
            return true;
    }
    for (uint32_t i = 0; depth && i < f->facts.count + f->always.count; i++) {
        const struct sym *fact = i < f->facts.count ? f->facts.items[i] : f->always.items[i - f->facts.count];
        if (shares_name(s, fact) && proven(f, sym_sub(f->ir, s, fact), depth == 1 ? 0 : 1))
            return true;
        if (low != s && shares_name(low, fact) && proven(f, sym_sub(f->ir, low, fact), 0))
            return true;
    }
    return false;
}

bool fe_is_not_negative(struct fe *f, const struct sym *s)
{
    enum { DEPTH = 3 };
    return fe_is_above(f, s, 0) || proven(f, s, DEPTH);
}

/* ---- what cannot be shown is computed ---- */

static const struct sym *choice(struct fe *f, enum sym_op op, const struct sym *a, const struct sym *b)
{
    const struct sym *both[2] = { a, b };
    return sym_make(f->ir, op, NULL, NULL, both, 2);
}

static const struct sym *clip(struct fe *f, enum sym_op op, const struct sym *s, const struct sym *end)
{
    const struct sym *clipped = choice(f, op, s, end);
    if (clipped != s)
        vec_push(f->arena, &f->clips, ((struct fe_clip){ clipped, s }));
    return clipped;
}

const struct sym *fe_at_most(struct fe *f, const struct sym *s, const struct sym *most)
{
    return fe_is_not_negative(f, sym_sub(f->ir, most, s)) ? s : clip(f, SYM_MIN, s, most);
}

const struct sym *fe_at_least_0(struct fe *f, const struct sym *s)
{
    return fe_is_not_negative(f, s) ? s : clip(f, SYM_MAX, s, sym_int(f->ir, 0));
}

const struct sym *fe_unclipped(struct fe *f, const struct sym *s)
{
    for (uint32_t i = f->clips.count; i-- > 0;)
        if (f->clips.items[i].clipped == s)
            return fe_unclipped(f, f->clips.items[i].plain);
    if (!s->num_args)
        return s;
    const struct sym **args = NEW_ARRAY(f->arena, const struct sym *, s->num_args);
    bool same = true;
    for (uint32_t i = 0; i < s->num_args; i++) {
        args[i] = fe_unclipped(f, s->args[i]);
        same &= args[i] == s->args[i];
    }
    return same ? s : sym_make(f->ir, s->op, s->type, s->name, args, s->num_args);
}

const struct sym *fe_common_extent(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b,
                                   const char *said)
{
    if (fe_same_extent(f, a, b))
        return a;
    const struct sym *x = fe_unclipped(f, a), *y = fe_unclipped(f, b);
    if ((x != a || y != b) && fe_same_extent(f, x, y)) {
        if (fe_is_not_negative(f, sym_sub(f->ir, b, a)))
            return a;
        return fe_is_not_negative(f, sym_sub(f->ir, a, b)) ? b : choice(f, SYM_MIN, a, b);
    }
    if (!said || !fe_require_same(f, n, a, b, said))
        return NULL;
    return b->op == SYM_INT ? b : a;
}

const struct sym *fe_from_end(struct fe *f, const struct sym *s, const struct sym *extent)
{
    if (fe_is_not_negative(f, s))
        return s;
    const struct sym *below = sym_neg(f->ir, s);
    if (fe_is_not_negative(f, sym_sub(f->ir, below, sym_int(f->ir, 1))))
        return sym_add(f->ir, s, extent);
    const struct sym *is_below = choice(f, SYM_MIN, sym_int(f->ir, 1), choice(f, SYM_MAX, sym_int(f->ir, 0), below));
    const struct sym *wrapped = sym_add(f->ir, s, sym_mul(f->ir, extent, is_below));
    vec_push(f->arena, &f->clips, ((struct fe_clip){ wrapped, s }));
    return wrapped;
}
