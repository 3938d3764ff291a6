/* Time loops around stencils are skewed and tiled in time and space, with threads in waves of tiles.
 *
 *     for t = 1 to T {                              for block = 1 to T step 16
 *         for i = 1 to N { B[i] = A[i - 1]              for tile = 0 to N + 30 step 32
 *                               + A[i + 1] }   ->           for t = block to min(block + 16, T) {
 *         for i = 1 to N { A[i] = B[i - 1]                      for i = (tile - 2 * (t - block), 32 rows) { B[i] = ...
 * }
 *                               + B[i + 1] }                    for i = (one row behind these) { A[i] = ... }
 *     }                                                     }
 *
 * Legality: Dependences between steps have constant distances in rows; each step lies a slope behind the one before.
 * Every iteration runs once, on the values that it had, so results are the same to the bit.
 * Profitability: If a tile of several steps fits the first- or second-level cache. Where extents are variables, the
 * number of steps is found when the code runs, and the loop stays for sizes that tiles are not worth it for. */
#include "lower/opt/locality/time_skewing.h"
#include "lower/opt/iterations.h"
#include "lower/opt/locality/tiling.h"
#include "lower/opt/registers/interleave.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    MOST_STEPS = 512, /* of a tile */
    FEWEST_BLOCKS = 8 /* of steps, for threads to share */
};

struct skewer {
    struct iterations x;
    int threads;   /* as in struct tree_options */
    bool counting; /* the same */
};

/* ---- the body ---- */

static bool find_chain(void *user, struct tree_stmt *s)
{
    struct skew *skew = user;
    skew->chains |= s->kind == STMT_FOR && interleave_is_chain(s);
    return true;
}

static bool add_stage(struct skewer *w, struct skew *s, struct tree_stmt *item, const struct tree_frame *frame)
{
    if (s->count == SKEW_STAGES || !tiling_is_plain(item, true))
        return false;
    struct skew_stage *stage = &s->stages[s->count++];
    *stage = (struct skew_stage){ .tree = w->x.tree, .stmt = item };
    piece_add(w->x.tree->arena, &stage->piece, item, frame);
    if (stage->piece.effects || stage->piece.control)
        return false;
    if (item->kind == STMT_ASSIGN)
        return expr_is_pure(item->value);
    stage->loop = item;
    stmt_visit(item, find_chain, s);
    return tiling_has_bounds(w->x.tree, item) && iterations_keep_variables(&w->x, item);
}

/* ---- memory that changes ---- */

static struct skew_class *class_of(struct skew *s, uint32_t alias)
{
    for (uint32_t i = 0; i < s->num_classes; i++)
        if (s->classes[i].alias == alias)
            return &s->classes[i];
    return NULL;
}

/* The larger one; false: there is no telling. Sizes are taken for larger than constants. */
static bool take_larger(struct linear_term *stride, const struct linear_term *other)
{
    bool more = other->count > stride->count || (other->count == stride->count && other->times > stride->times);
    if (other->times == 0 || tiling_same_stride(stride, other))
        return true;
    if (stride->times && other->count == stride->count && !linear_same_factors(stride, other))
        return false;
    if (stride->times == 0 || more)
        *stride = *other;
    return true;
}

static bool add_class(struct skew *s, const struct tree_access *a)
{
    if (class_of(s, a->alias))
        return true;
    if (a->alias == 0 || !a->pointer || a->pointer->op != EXPR_VAR || s->num_classes == SKEW_CLASSES)
        return false;
    s->classes[s->num_classes++] = (struct skew_class){ .alias = a->alias, .pointer = a->pointer, .type = a->type };
    return true;
}

/* Rows are those of the nest with the largest stride. */
static bool see_access(struct skew *s, const struct skew_stage *stage, const struct tree_access *a)
{
    struct skew_class *c = class_of(s, a->alias);
    struct linear rest;
    if (!c)
        return a->alias != 0;
    if (!stage->loop || a->extent != 1 || a->type != c->type || !a->pointer || !expr_equal(a->pointer, c->pointer))
        return false;
    struct linear_term stride;
    return tiling_stride(stage->tree, stage->loop, a->at, &stride, &rest) && take_larger(&c->stride, &stride);
}

static bool find_classes(struct skew *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t k = 0; k < s->stages[i].piece.accesses.count; k++) {
                const struct tree_access *a = s->stages[i].piece.accesses.items[k];
                if (pass == 0 ? a->write && !add_class(s, a) : !see_access(s, &s->stages[i], a))
                    return false;
            }
    for (uint32_t i = 0; i < s->num_classes; i++)
        if (s->classes[i].stride.times == 0)
            return false;
    return s->num_classes > 0;
}

/* ---- rows ---- */

static bool rows_of(const struct skew *s, const struct skew_stage *stage, const struct tree_access *a,
                    struct skew_rows *rows)
{
    const struct skew_class *c = class_of((struct skew *)s, a->alias);
    struct linear_term stride;
    struct linear rest;
    linear_copy(&rest, a->at);
    if (!stage->fixed && !tiling_stride(stage->tree, stage->loop, a->at, &stride, &rest))
        return false;
    if (c->stride.count) {
        rows->low = rows->high = tiling_take_points(&rest, &c->stride);
        return rows->low > -TILING_LIMIT && rows->low < TILING_LIMIT &&
               tiling_is_within(s->arena, &rest, &c->stride, a->frame);
    }
    struct interval inside = linear_interval(&rest, a->frame, NULL);
    if (!inside.known || inside.low < -((int64_t)TILING_LIMIT << 20) || inside.high > (int64_t)TILING_LIMIT << 20)
        return false;
    *rows =
        (struct skew_rows){ tiling_divide(inside.low, c->stride.times), tiling_divide(inside.high, c->stride.times) };
    return true;
}

/* Nests whose loop is the one over rows, and those that stay in one. */
static bool find_bounds(struct skew *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct skew_stage *stage = &s->stages[i];
        uint32_t moves = 0, accesses = 0;
        for (uint32_t k = 0; stage->loop && k < stage->piece.accesses.count; k++) {
            const struct tree_access *a = stage->piece.accesses.items[k];
            const struct skew_class *c = class_of(s, a->alias);
            struct linear_term stride;
            struct linear rest;
            accesses += c != NULL;
            moves += c && tiling_stride(stage->tree, stage->loop, a->at, &stride, &rest) &&
                     tiling_same_stride(&stride, &c->stride);
        }
        stage->fixed = moves != accesses;
        stage->begin = stage->loop && !stage->fixed ? stage->loop->begin : expr_i64(stage->tree, 0);
        stage->end = stage->loop && !stage->fixed ? stage->loop->end : expr_i64(stage->tree, 1);
    }
    return true;
}

/* ---- dependences ---- */

/* For each pair of accesses that must keep their order: an iteration of b that has to do with one of a stands at least
 * `least` behind it. */
struct distance {
    bool any;
    int64_t least;
};

/* Do all iterations of a stand so much in front of those of b that they have nothing in common? */
static bool is_before(const struct skew_stage *a, const struct skew_rows *p, const struct skew_stage *b,
                      const struct skew_rows *q)
{
    struct linear gap, end;
    linear_of(&gap, b->begin);
    linear_of(&end, a->end);
    linear_add(&gap, &end, -1);
    return linear_is_constant(&gap) && gap.constant + q->low - p->high >= 0;
}

static bool see_pair(const struct skew *s, const struct skew_stage *a, const struct tree_access *x,
                     const struct skew_stage *b, const struct tree_access *y, struct distance *d)
{
    struct skew_rows p, q;
    if (x->alias != y->alias || (!x->write && !y->write) || !class_of((struct skew *)s, x->alias))
        return true;
    if (!rows_of(s, a, x, &p) || !rows_of(s, b, y, &q))
        return false;
    bool apart = is_before(a, &p, b, &q) || is_before(b, &q, a, &p);
    if (!apart && (!d->any || p.low - q.high < d->least))
        *d = (struct distance){ true, p.low - q.high };
    return true;
}

static bool distance_of(const struct skew *s, const struct skew_stage *a, const struct skew_stage *b,
                        struct distance *d)
{
    *d = (struct distance){ 0 };
    for (uint32_t i = 0; i < a->piece.accesses.count; i++)
        for (uint32_t k = 0; k < b->piece.accesses.count; k++)
            if (!see_pair(s, a, a->piece.accesses.items[i], b, b->piece.accesses.items[k], d))
                return false;
    return !d->any || (d->least > -TILING_LIMIT && d->least < TILING_LIMIT);
}

/* Shifts put what a nest needs of the same step at no higher position, the slope what it needs of the step before. */
static bool find_shifts(struct skew *s)
{
    struct distance d;
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t i = 0; i < k; i++) {
            struct skew_stage *a = &s->stages[i], *b = &s->stages[k];
            if (!distance_of(s, a, b, &d))
                return false;
            if (d.any && a->shift - d.least > b->shift)
                b->shift = a->shift - d.least;
        }
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < s->count; k++) {
            const struct skew_stage *a = &s->stages[i], *b = &s->stages[k];
            if (!distance_of(s, a, b, &d))
                return false;
            if (d.any && a->shift - b->shift - d.least > s->slope)
                s->slope = a->shift - b->shift - d.least;
        }
    return s->slope > 0 && s->slope < TILING_LIMIT;
}

/* ---- how large ---- */

/* Narrow tiles, of rows of so many bytes. */
struct narrow {
    int64_t steps, width; /* positions; no steps: there are none */
};

/* They have as many steps as the first-level cache has room for their own rows and those next to them. None if it has
 * none, or if it has room for everything. */
static struct narrow find_narrow(const struct machine *m, const struct skew *s, int64_t row)
{
    struct narrow n = { .width = row < SKEW_NARROW ? SKEW_NARROW / row : 1 };
    n.steps = (m->first_cache / row - n.width - s->slope) / s->slope;
    if (n.steps < 0 || s->chains || s->span->i * row < 2 * m->first_cache)
        n.steps = 0;
    return n;
}

static void set_size(struct tree *t, struct skew *s, int64_t steps, int64_t width)
{
    s->steps = expr_i64(t, steps);
    s->width = expr_i64(t, width);
}

/* What stays in the second-level cache anyhow has no others around the narrow ones. Waves of those would be too short.
 */
static bool take_narrow(struct tree *t, struct skew *s, const struct narrow *n, int threads)
{
    set_size(t, s, n->steps, n->width);
    return threads == 1 && n->steps > 0 && s->span->i >= 2 * s->slope * n->steps;
}

static int64_t most_steps(const struct tree_stmt *l, int threads)
{
    int64_t most = MOST_STEPS;
    if (threads != 1 && loop_has_constant_bounds(l))
        most = loop_span(l) / FEWEST_BLOCKS;
    return most < MOST_STEPS ? most : MOST_STEPS;
}

/* Rows have that many bytes in all, and everything is known. */
static bool find_known_size(struct tree *t, struct skew *s, int threads, int64_t row)
{
    const struct machine *m = t->machine;
    /* a tile moves through slope * steps rows and is as wide */
    int64_t nearest = m->first_cache / (2 * s->slope * row), near = m->second_cache / (2 * s->slope * row);
    struct narrow n = { 0 };
    if (nearest < SKEW_FEWEST_NEAREST) {
        n = find_narrow(m, s, row);
        if (s->span->i * row <= m->second_cache)
            return take_narrow(t, s, &n, threads);
    }
    int64_t steps = nearest < SKEW_FEWEST_NEAREST ? near : nearest, most = most_steps(s->loop, threads);
    steps = steps < most ? steps : most;
    if (n.steps && steps >= SKEW_FEWEST_PARTS * n.steps && steps >= SKEW_FEWEST_PARTS * n.width) {
        steps -= steps % n.width; /* fewer are not worth the loops */
        s->few = expr_i64(t, n.steps);
        s->narrow = expr_i64(t, n.width);
    }
    set_size(t, s, steps, s->slope * steps);
    return steps >= SKEW_FEWEST_STEPS && s->span->i >= 2 * s->slope * steps;
}

/* The further one of two positions. */
static struct tree_expr *further(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    struct linear apart, other;
    if (!a || !b)
        return a ? a : b;
    linear_of(&apart, a);
    linear_of(&other, b);
    linear_add(&apart, &other, -1);
    if (linear_is_constant(&apart))
        return (apart.constant < 0) == (op == EXPR_MIN) ? a : b;
    return expr_binary(t, op, a, b);
}

static struct tree_expr *bytes_of_row(struct tree *t, const struct skew *s)
{
    struct linear row;
    linear_constant(&row, 0);
    for (uint32_t i = 0; i < s->num_classes; i++) {
        const struct skew_class *c = &s->classes[i];
        struct linear one;
        tiling_sum(&one, &c->stride);
        linear_add(&row, &one, (int64_t)c->type->size);
    }
    return row.known ? linear_expr(t, &row) : NULL;
}

static bool find_size(struct tree *t, struct skew *s, int threads)
{
    struct tree_expr *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct skew_stage *a = &s->stages[i];
        struct tree_expr *shift = expr_i64(t, a->shift);
        first = a->loop ? further(t, EXPR_MIN, first, expr_binary(t, EXPR_ADD, a->begin, shift)) : first;
        last = a->loop ? further(t, EXPR_MAX, last, expr_binary(t, EXPR_ADD, a->end, shift)) : last;
    }
    struct tree_expr *row = bytes_of_row(t, s);
    if (!first || !row)
        return false;
    s->first = first;
    s->span = expr_binary(t, EXPR_SUB, last, first);
    if (s->span->op == EXPR_INT && s->first->op == EXPR_INT && row->op == EXPR_INT)
        return find_known_size(t, s, threads, row->i);
    s->row = row;
    s->most = most_steps(s->loop, threads);
    return true;
}

static bool is_long(const struct tree_stmt *l)
{
    return !loop_has_constant_bounds(l) || loop_span(l) >= 2 * SKEW_FEWEST_STEPS;
}

static bool is_candidate(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && !s->loop.parallel && !s->loop.independent && expr_is_int(s->step, 1) &&
           (s->var->type->kind == TYPE_I64 || s->var->type->kind == TYPE_I32) && s->body->items.count > 0;
}

static bool try_skew(struct skewer *w, struct tree_stmt *loop, const struct tree_frame *frame)
{
    if (!is_candidate(loop) || !is_long(loop))
        return false;
    struct skew *s = NEW(w->x.tree->scratch, struct skew);
    struct tree_frame inside = tree_frame_of(frame, loop);
    s->loop = loop;
    s->arena = w->x.tree->scratch;
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (!add_stage(w, s, loop->body->items.items[i], &inside))
            return false;
    struct tree_scan scan = { .arena = w->x.tree->scratch };
    tree_scan_add(&scan, loop);
    if (!tree_scan_invariant(&scan, loop->begin) || !tree_scan_invariant(&scan, loop->end) || !find_classes(s) ||
        !find_bounds(s) || !find_shifts(s) || !find_size(w->x.tree, s, w->threads) ||
        !iterations_keep_variables(&w->x, loop))
        return false;
    loop->loop.near = w->counting;
    return w->counting || skew_make_tiles(w->x.tree, s, w->threads);
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    return s->kind != STMT_PARALLEL && !try_skew(user, s, frame) && !(s->kind == STMT_FOR && s->loop.parallel);
}

bool opt_time_skewing(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct skewer w = { .x = iterations_of(t, f), .threads = o->num_threads, .counting = o->counting };
        if (tree_whole(&w.x.whole)->labels.count) /* jumps back repeat what no loop shows */
            continue;
        tree_visit_frames(f->body, NULL, look, &w);
        stmt_flatten(t, f->body);
    }
    return true;
}
