/* Several iterations that reduce into the same places go through the inner loops together, four at a time, eight where
 * rows are longer than the first-level cache and the machine has the registers.
 *
 *     for i {                                      for i = ... step 4 {
 *         for k { y[i] += A[i, k] * x[k]               for k { y[i] += A[i, k] * x[k]  (the same for i + 1 to i + 3)
 *                 z[k] += A[i, k] * v[i] }   ->                z[k] += A[i, k] * v[i] + ... + A[i + 3, k] * v[i + 3] }
 *     }                                            }
 *                                                  for i, the rest { ... }  unless there is known to be none
 *
 * So do iterations that load and store the same elements in one independent loop: an element stays in a register for
 * four of them.
 *
 *     for i {                                      for i = ... step 4 {
 *         for k independent {                          for k independent {
 *             y[k] = max(y[k], A[i, k])    ->              y[k] = max(y[k], A[i, k])   (the same for i + 1 to i + 3,
 *         }                                            }                                in this order)
 *     }                                            }
 *
 * Legality: The iterations have only reductions in common (not under `--fp=strict`), and what they store is a row of
 * their own; or, of one loop inside, no two of its iterations touch an element that one of them stores.
 * Profitability: From eight iterations on, with at most 12 statements each. */
#include "lower/opt/registers/unroll_jam.h"
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    ROWS = 4,
    MORE_ROWS = 8,
    SHORTEST = 8,         /* iterations of the loop, and of those inside, that are worth it */
    MOST_STATEMENTS = 12, /* of an iteration: its values should stay in registers */
    MOST_OWN = 4          /* elements of memory on the stack of an iteration: the same */
};

/* ---- which loops ---- */

static bool is_copy(const struct tree_stmt *s)
{
    return s->kind == STMT_ASSIGN && (s->value->op == EXPR_VAR || expr_is_const(s->value));
}

/* Does an iteration consist of assignments, sums, stores, and loops with nothing else inside? */
static bool is_simple(const struct tree_stmt *s, bool inside, uint32_t *count)
{
    *count += !is_copy(s);
    if (*count > MOST_STATEMENTS)
        return false;
    switch (s->kind) {
    case STMT_ASSIGN:
        return type_is_basic(s->var->type) && expr_is_pure(s->value);
    case STMT_REDUCE:
        return s->wcr == WCR_SUM && !s->atomic && expr_is_pure(s->value) && s->alias != 0;
    case STMT_STORE:
        return expr_is_pure(s->value) && s->alias != 0;
    case STMT_ALLOC:
        return !inside && s->where == TREE_STACK && !s->zero && s->count->op == EXPR_INT && s->count->i <= MOST_OWN;
    case STMT_FOR:
        for (uint32_t i = 0; i < s->body->items.count; i++)
            if (!is_simple(s->body->items.items[i], true, count))
                return false;
        return !inside && !s->loop.parallel;
    default:
        return false;
    }
}

static bool is_candidate(const struct tree_stmt *loop)
{
    uint32_t count = 0, loops = 0;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        if (!is_simple(loop->body->items.items[i], false, &count))
            return false;
        loops += loop->body->items.items[i]->kind == STMT_FOR && !loop_is_shorter(loop->body->items.items[i], SHORTEST);
    }
    return loops > 0 && !loop_is_shorter(loop, SHORTEST);
}

static bool is_sum(const struct tree_access *a) { return a->write && a->read; }

/* Does no other iteration touch the element? */
static bool is_own(const struct tree_scan *scan, const struct tree_access *w, const struct tree_stmt *loop)
{
    struct depend_loop iterations = { loop, loop, false };
    struct depend_query q = { scan->arena, w, w, &iterations, 1, tree_scan_assigns, (void *)(uintptr_t)scan };
    return depend_is_in_step(&q);
}

static bool takes(const struct tree_stmt *loop, const struct tree_expr *pointer)
{
    for (uint32_t i = 0; pointer && pointer->op == EXPR_VAR && i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_ALLOC && loop->body->items.items[i]->var == pointer->var)
            return true;
    return false;
}

/* In memory that an iteration takes for itself, and that nothing else has the class of? */
static bool is_private(const struct tree_piece *p, const struct tree_access *w, const struct tree_stmt *loop)
{
    if (!w->alias || !takes(loop, w->pointer))
        return false;
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        if (a->alias == 0 || (a->alias == w->alias && !expr_equal(a->pointer, w->pointer)))
            return false;
    }
    return true;
}

/* Places in a class of memory that iterations write: all sums, or one element that is its own in each iteration. */
static bool is_apart(const struct tree_scan *scan, const struct tree_piece *p, const struct tree_access *w,
                     const struct tree_stmt *loop)
{
    if (!w->pointer || !w->at->known)
        return false;
    bool sums = true, own = is_own(scan, w, loop);
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        if (a->alias != w->alias && a->alias != 0)
            continue;
        sums &= is_sum(a) && a->type == w->type;
        own &= a->pointer && a->at->known && expr_equal(a->pointer, w->pointer) && linear_equal(a->at, w->at) &&
               a->type == w->type && a->extent == 1;
    }
    return sums || own;
}

/* Sums in loops inside to places that are the same in all iterations: what it is worth it for. */
static bool has_shared_sum(const struct tree_piece *p, const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        if (is_sum(a) && a->frame && a->frame->loop != loop && !linear_has(a->at, loop->var) &&
            linear_has(a->at, a->frame->loop->var))
            return true;
    }
    return false;
}

static bool may_jam(struct iterations *x, struct tree_stmt *loop)
{
    struct tree_piece piece = { 0 };
    struct tree_scan scan = { .arena = x->tree->scratch };
    tree_scan_add(&scan, loop);
    piece_add(x->tree->scratch, &piece, loop, NULL);
    if (!has_shared_sum(&piece, loop) || !jam_is_possible(x, loop, &scan))
        return false;
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        if (piece.accesses.items[i]->write && !is_private(&piece, piece.accesses.items[i], loop) &&
            !is_apart(&scan, &piece, piece.accesses.items[i], loop))
            return false;
    return true;
}

/* ---- iterations that load what the one before stored ---- */

/* The only statement of the loop, an independent loop of assignments and stores; NULL: it is another one. */
static struct tree_stmt *only_loop(const struct tree_stmt *loop)
{
    struct tree_stmt *inner = loop->body->items.count == 1 ? loop->body->items.items[0] : NULL;
    uint32_t count = 0;
    if (!inner || inner->kind != STMT_FOR || !inner->loop.independent || !is_simple(inner, false, &count))
        return NULL;
    for (uint32_t i = 0; i < inner->body->items.count; i++)
        if (inner->body->items.items[i]->kind == STMT_REDUCE)
            return NULL;
    return loop_is_shorter(loop, SHORTEST) || loop_is_shorter(inner, SHORTEST) ? NULL : inner;
}

/* Is the element the same one in all iterations of the outer loop, and another one in each of the inner one? */
static bool stays(const struct tree_access *a, const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    return a->pointer && a->at->known && linear_has(a->at, inner->var) && !linear_has(a->at, loop->var);
}

/* Does an element stay that is loaded and stored? Nothing else is gained. */
static bool has_kept_element(const struct tree_piece *p, const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *w = p->accesses.items[i];
        for (uint32_t k = 0; w->write && stays(w, loop, inner) && k < p->accesses.count; k++) {
            const struct tree_access *r = p->accesses.items[k];
            if (r->read && !r->write && r->alias == w->alias && stays(r, loop, inner) &&
                expr_equal(r->pointer, w->pointer) && linear_equal(r->at, w->at))
                return true;
        }
    }
    return false;
}

/* Do the two only meet in one and the same iteration of the inner loop, whatever those of the outer one are? */
static bool meet_in_step(const struct tree_scan *scan, const struct tree_access *a, const struct tree_access *b,
                         const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    struct depend_loop loops[] = { { loop, loop, false }, { inner, inner, false } };
    struct depend_query q = { scan->arena, a, b, loops, 2, tree_scan_assigns, (void *)(uintptr_t)scan };
    return depend_is_in_step(&q);
}

static bool may_jam_in_order(struct iterations *x, struct tree_stmt *loop)
{
    struct tree_stmt *inner = only_loop(loop);
    struct tree_piece piece = { 0 };
    struct tree_scan scan = { .arena = x->tree->scratch };
    if (!inner)
        return false;
    tree_scan_add(&scan, loop);
    piece_add(x->tree->scratch, &piece, loop, NULL);
    if (!has_kept_element(&piece, loop, inner) || !jam_is_possible(x, loop, &scan))
        return false;
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const struct tree_access *a = piece.accesses.items[i], *b = piece.accesses.items[k];
            bool apart = a->alias && b->alias && a->alias != b->alias;
            if ((a->write || b->write) && !apart && !meet_in_step(&scan, a, b, loop, inner))
                return false;
        }
    return true;
}

/* ---- how many ---- */

/* Bytes of what the loop adds to from its first iteration to its last. An unknown number of iterations is a large one.
 */
static int64_t bytes_of_sums(const struct tree *t, const struct tree_stmt *loop)
{
    bool known = loop->end->op == EXPR_INT, open = loop->begin->op != EXPR_INT || !tree_is_size(t, loop->end);
    int64_t bytes = 0;
    for (uint32_t i = 0; !open && i < loop->body->items.count; i++) {
        const struct tree_stmt *s = loop->body->items.items[i];
        int64_t size = s->kind == STMT_REDUCE ? (int64_t)s->value->type->size : 0, trips = INT32_MAX;
        if ((known && __builtin_sub_overflow(loop->end->i, loop->begin->i, &trips)) ||
            __builtin_mul_overflow(trips, size, &size))
            return 0;
        bytes = size > bytes ? size : bytes;
    }
    return bytes;
}

/* Rows that are read once. A second loop would find fewer of them in the second cache. */
static uint32_t rows_for(const struct tree *t, const struct tree_stmt *loop)
{
    const struct machine *m = t->machine;
    const struct tree_stmt *inner = NULL;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct tree_stmt *s = loop->body->items.items[i];
        if (s->kind == STMT_FOR && inner)
            return ROWS;
        if (s->kind == STMT_FOR)
            inner = s;
    }
    /* six rows, those of A and x and z, are more than the first cache */
    bool is_long = bytes_of_sums(t, inner) >= m->first_cache * 3 / 16;
    return m->vector && is_long ? MORE_ROWS : ROWS;
}

/* ---- the walk ---- */

struct walk {
    struct iterations iterations;
    bool strict;   /* sums keep their order */
    uint32_t rows; /* that were asked for; 0: none were */
};

static void jam(struct walk *w, struct tree_stmt *loop, enum remark_code why)
{
    struct tree *t = w->iterations.tree;
    uint32_t rows = w->rows ? w->rows : rows_for(t, loop);
    remark(t->ir->remarks, loop->place, remark_subject(t, loop), why, rows);
    jam_iterations(t, loop, rows);
}

static bool look(void *user, struct tree_stmt *s)
{
    struct walk *w = user;
    if (s->kind != STMT_FOR)
        return true;
    if (!w->strict && is_candidate(s) && may_jam(&w->iterations, s))
        jam(w, s, REMARK_JAMMED);
    else if (may_jam_in_order(&w->iterations, s))
        jam(w, s, REMARK_JAMMED_IN_ORDER);
    else
        return true;
    return false;
}

bool opt_unroll_jam(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct walk w = { iterations_of(t, t->functions.items[i]), o->strict_fp, (uint32_t)o->settings[SETTING_jam] };
        stmt_visit(t->functions.items[i]->body, look, &w);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
