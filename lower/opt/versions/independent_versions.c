/* Loops whose iterations store to places that are apart if strides are long enough: they get a version with independent
 * iterations, for runs in which they are.
 *
 *     for k = 0 to n {                         ->    if s >= n && t >= (m - 1) * s + n {
 *         for i, j parallel {                            for k parallel { for i, j parallel { ... } }
 *             D[k + i * s + j * t] = ...             } else {
 *         }                                              as it was
 *     }                                              }
 *
 * Legality: The loop changes nothing but elements that it neither reads nor changes a second time in one iteration, and
 * the condition says that different iterations have different elements: sorted by strides, each is longer than all
 * that the ones before it can reach together.
 * Profitability: The loop is sequential, in no parallel one, and small: for a device it would be a launch or a barrier
 * for each iteration. On the host it would go by elements that lie together, and becomes the innermost one:
 *
 *         for i, j parallel { for k independent { D[k + i * s + j * t] = ... } } */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

enum { MOST_DIMENSIONS = 3, MOST_STATEMENTS = 40 };

/* A loop around a store: how far its iterations are apart there, and how many there are. */
struct stride {
    struct tree_expr *length, *trips;
};

struct strides {
    struct tree *tree;
    const struct tree_scan *scan; /* of the loop that shall be independent */
    const struct tree_stmt *loop;
    struct stride items[MOST_DIMENSIONS];
    uint32_t count;
};

/* ---- strides of a store ---- */

static bool is_counter(const struct tree_access *a, const struct tree_stmt *loop, const struct tree_expr *e)
{
    for (const struct tree_frame *f = a->frame; f && e->op == EXPR_VAR; f = f->outer) {
        if (f->loop->var == e->var)
            return true;
        if (f->loop == loop)
            break;
    }
    return false;
}

/* What the counter is multiplied with; NULL: that is not the same in all iterations. */
static struct tree_expr *coefficient(struct strides *s, const struct tree_access *a, const struct tree_var *v)
{
    struct tree *t = s->tree;
    struct tree_expr *sum = expr_i64(t, 0);
    for (uint32_t i = 0; i < a->at->count; i++) {
        const struct linear_term *term = &a->at->terms[i];
        struct tree_expr *product = expr_i64(t, term->times);
        uint32_t found = 0;
        for (uint32_t k = 0; k < term->count; k++) {
            struct tree_expr *f = (struct tree_expr *)(uintptr_t)term->factors[k];
            bool is_v = f->op == EXPR_VAR && f->var == v;
            found += is_v;
            if (!is_v && linear_term_has(term, v) && !tree_scan_invariant(s->scan, f))
                return NULL;
            product = is_v ? product : expr_binary(t, EXPR_MUL, product, expr_cast(t, type_basic(t->ir, TYPE_I64), f));
        }
        if (found > 1)
            return NULL;
        sum = found ? expr_binary(t, EXPR_ADD, sum, product) : sum;
    }
    return sum;
}

/* Counters aside, nothing in the index changes in the loop. */
static bool rest_is_fixed(const struct strides *s, const struct tree_access *a)
{
    for (uint32_t i = 0; i < a->at->count; i++)
        for (uint32_t k = 0; k < a->at->terms[i].count; k++) {
            const struct tree_expr *f = a->at->terms[i].factors[k];
            if (!is_counter(a, s->loop, f) && !tree_scan_invariant(s->scan, f))
                return false;
        }
    return true;
}

static bool add_stride(struct strides *s, const struct tree_access *a, const struct tree_stmt *loop)
{
    struct tree *t = s->tree;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_expr *length = coefficient(s, a, loop->var);
    bool outermost = loop == s->loop;
    if (!length || !expr_is_int(loop->step, 1))
        return false;
    if (expr_is_int(length, 0)) /* the same element again, in one iteration */
        return !outermost;
    if (s->count == MOST_DIMENSIONS || !tree_scan_invariant(s->scan, loop->begin) ||
        !tree_scan_invariant(s->scan, loop->end))
        return false;
    struct tree_expr *trips = expr_binary(t, EXPR_SUB, expr_cast(t, i64, loop->end), expr_cast(t, i64, loop->begin));
    s->items[s->count++] = (struct stride){ length, trips };
    return true;
}

static bool find_strides(struct strides *s, const struct tree_access *a)
{
    s->count = 0;
    if (!a->at->known || !rest_is_fixed(s, a))
        return false;
    for (const struct tree_frame *f = a->frame; f; f = f->outer) {
        if (!add_stride(s, a, f->loop))
            return false;
        if (f->loop == s->loop)
            return true;
    }
    return false;
}

/* ---- the condition ---- */

/* In this order, is each stride longer than what the ones before it reach? */
static struct tree_expr *in_order(const struct strides *s, const uint32_t *order)
{
    struct tree *t = s->tree;
    struct tree_expr *reach = expr_i64(t, 1), *all = expr_bool(t, true);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct stride *x = &s->items[order[i]];
        struct tree_expr *longer = expr_binary(t, EXPR_GE, x->length, reach);
        struct tree_expr *more = expr_binary(t, EXPR_SUB, x->trips, expr_i64(t, 1));
        all = expr_binary(t, EXPR_LOGICAL_AND, all, longer);
        reach = expr_binary(t, EXPR_ADD, reach, expr_binary(t, EXPR_MUL, more, x->length));
    }
    return all;
}

static struct tree_expr *are_apart(const struct strides *s)
{
    static const uint32_t orders[][MOST_DIMENSIONS] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 },
                                                        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const uint32_t of[] = { 0, 1, 2, 6 };
    struct tree_expr *some = expr_bool(s->tree, false);
    for (uint32_t i = 0; i < of[s->count]; i++)
        some = expr_binary(s->tree, EXPR_LOGICAL_OR, some, in_order(s, orders[i]));
    return some;
}

/* ---- which loops ---- */

/* Is there no other access to memory that may be that of the store? */
static bool is_alone(const struct tree_piece *piece, const struct tree_access *store)
{
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *other = piece->accesses.items[i];
        if (other != store && (!other->alias || other->alias == store->alias))
            return false;
    }
    return store->alias && store->store && !store->read && store->pointer && store->extent == 1;
}

/* The condition on which iterations are independent; NULL: there is none. `near`: they have to be neighbours in memory,
 * in a nest. */
static struct tree_expr *condition(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame,
                                   bool near)
{
    struct tree *t = x->tree;
    struct tree_piece piece = { 0 };
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_expr *all = expr_bool(t, true);
    bool writes = false;
    piece_add(t->scratch, &piece, loop, frame);
    if (piece.control || piece.effects || piece.jumps || piece.frees || !iterations_keep_variables(x, loop))
        return NULL;
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < piece.accesses.count; i++) {
        const struct tree_access *a = piece.accesses.items[i];
        struct strides s = { .tree = t, .scan = &scan, .loop = loop };
        if (!a->write)
            continue;
        if (!is_alone(&piece, a) || !tree_scan_invariant(&scan, a->pointer) || !find_strides(&s, a) ||
            (near && (s.count < 2 || !expr_is_int(s.items[s.count - 1].length, 1))))
            return NULL;
        all = expr_binary(t, EXPR_LOGICAL_AND, all, are_apart(&s));
        writes = true;
    }
    return writes && !expr_is_const(all) ? all : NULL;
}

/* ---- on the host ---- */

/* The last loop of a perfect nest around straight code, whose bounds do not depend on the first one; NULL: it is none.
 */
static struct tree_stmt *last_of_nest(struct tree *t, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_stmt *last = loop;
    tree_scan_add(&scan, loop);
    while (last->body->items.count == 1 && last->body->items.items[0]->kind == STMT_FOR) {
        last = last->body->items.items[0];
        if (!tree_scan_keeps_bounds(&scan, last))
            return NULL;
    }
    for (uint32_t i = 0; i < last->body->items.count; i++) {
        enum stmt_kind kind = last->body->items.items[i]->kind;
        if (kind != STMT_ASSIGN && kind != STMT_STORE)
            return NULL;
    }
    return last != loop ? last : NULL;
}

/* Makes the first loop of the nest the last one. */
static struct tree_stmt *turned(struct tree *t, struct tree_stmt *loop)
{
    struct tree_stmt *first = loop->body->items.items[0], *last = last_of_nest(t, loop);
    loop->body = last->body;
    last->body = stmt_block(t);
    stmt_append(t, last->body, loop);
    loop->loop.independent = true;
    return first;
}

/* ---- the versions ---- */

struct versions {
    struct iterations x;
    bool device;
};

static bool count(void *user, struct tree_stmt *s)
{
    uint32_t *statements = user;
    (void)s;
    ++*statements;
    return true;
}

static bool split(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct versions *v = user;
    struct iterations *x = &v->x;
    struct tree *t = x->tree;
    uint32_t statements = 0;
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent)))
        return false;
    if (s->kind != STMT_FOR || !expr_is_int(s->step, 1))
        return true;
    stmt_visit(s, count, &statements);
    bool fits = statements <= MOST_STATEMENTS && (v->device || last_of_nest(t, s));
    struct tree_expr *apart = fits ? condition(x, s, frame, !v->device) : NULL;
    if (!apart)
        return true;
    struct tree_stmt *loop = arena_copy(t->arena, s, sizeof *s), *both = stmt_block(t);
    struct tree_stmt *choice = stmt_if(t, both, stmt_variable(t, both, "apart", apart));
    struct tree_stmt *quick = stmt_clone_apart(t, loop);
    if (v->device)
        quick->loop.parallel = quick->loop.independent = true;
    else
        quick = turned(t, quick);
    choice->place = s->place;
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_INDEPENDENT_VERSION);
    stmt_append(t, choice->body, quick);
    stmt_append(t, choice->otherwise, loop);
    *s = *both;
    return false;
}

bool opt_independent_versions(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct versions v = { iterations_of(t, f), o->device };
    if (o->plain || o->counting)
        return true;
    tree_visit_frames(f->body, NULL, split, &v);
    stmt_flatten(t, f->body);
    return true;
}
