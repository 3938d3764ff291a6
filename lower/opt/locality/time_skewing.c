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
 * Profitability: If a tile of several steps fits the first- or second-level cache. Extents must be constants. */
#include "lower/opt/locality/time_skewing.h"
#include "lower/opt/iterations.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_STEPS = 512,    /* of a tile */
    FEWEST_BLOCKS = 8,   /* of steps, for threads to share */
    FEWEST_STEPS = 3,    /* less is not worth the loops */
    FEWEST_NEAREST = 64, /* steps for which rows are short enough for the first-level cache */
    NARROW = 4 << 10,    /* bytes of the rows in a narrow tile, at least: less is not worth the loops */
    FEWEST_PARTS = 4,    /* of the steps of a tile with narrow ones */
    LIMIT = 1 << 30      /* of bounds, strides and shifts */
};

struct skewer {
    struct iterations x;
    int threads;   /* as in struct tree_options */
    bool counting; /* the same */
};

/* ---- the body ---- */

static bool see_kind(void *user, struct tree_stmt *s)
{
    bool *plain = user;
    *plain = *plain && (s->kind == STMT_BLOCK || s->kind == STMT_ASSIGN || s->kind == STMT_STORE ||
                        s->kind == STMT_REDUCE || s->kind == STMT_FOR || s->kind == STMT_IF);
    return *plain;
}

static bool is_plain(struct tree_stmt *s)
{
    bool plain = true;
    stmt_visit(s, see_kind, &plain);
    return plain;
}

static bool has_constant_bounds(const struct tree_stmt *s)
{
    return s->var->type->kind == TYPE_I64 && expr_is_int(s->step, 1) && s->begin->op == EXPR_INT &&
           s->end->op == EXPR_INT && s->begin->i > -LIMIT && s->begin->i < s->end->i && s->end->i < LIMIT;
}

static bool add_stage(struct skewer *w, struct skew *s, struct tree_stmt *item, const struct tree_frame *frame)
{
    if (s->count == SKEW_STAGES || !is_plain(item))
        return false;
    struct skew_stage *stage = &s->stages[s->count++];
    *stage = (struct skew_stage){ .stmt = item };
    piece_add(w->x.tree->arena, &stage->piece, item, frame);
    if (stage->piece.effects || stage->piece.control)
        return false;
    if (item->kind == STMT_ASSIGN)
        return expr_is_pure(item->value);
    stage->loop = item;
    return item->kind == STMT_FOR && has_constant_bounds(item) && iterations_keep_variables(&w->x, item);
}

/* ---- memory that changes ---- */

static struct skew_class *class_of(struct skew *s, uint32_t alias)
{
    for (uint32_t i = 0; i < s->num_classes; i++)
        if (s->classes[i].alias == alias)
            return &s->classes[i];
    return NULL;
}

/* Elements from one iteration of the stage's loop to the next; -1 if that is not a constant. */
static int64_t stride_of(const struct skew_stage *stage, const struct tree_access *a, struct linear *rest)
{
    int64_t stride;
    *rest = (struct linear){ .known = true };
    linear_add(rest, a->at, 1);
    if (!rest->known || !linear_take(rest, stage->loop->var, &stride) || stride > LIMIT)
        return -1;
    return stride;
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
    int64_t stride = stride_of(stage, a, &rest);
    c->stride = stride > c->stride ? stride : c->stride;
    return stride >= 0;
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
        if (s->classes[i].stride == 0)
            return false;
    return s->num_classes > 0;
}

/* ---- rows ---- */

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool rows_of(const struct skew *s, const struct skew_stage *stage, const struct tree_access *a,
                    struct skew_rows *rows)
{
    const struct skew_class *c = class_of((struct skew *)s, a->alias);
    struct linear rest = { .known = true };
    if (!stage->fixed)
        stride_of(stage, a, &rest);
    else
        linear_add(&rest, a->at, 1);
    struct interval inside = linear_interval(&rest, a->frame, NULL);
    if (!inside.known || inside.low < -((int64_t)LIMIT << 20) || inside.high > (int64_t)LIMIT << 20)
        return false;
    *rows = (struct skew_rows){ floor_divide(inside.low, c->stride), floor_divide(inside.high, c->stride) };
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
            struct linear rest;
            accesses += c != NULL;
            moves += c && stride_of(stage, a, &rest) == c->stride;
        }
        stage->fixed = moves != accesses;
        stage->begin = stage->loop && !stage->fixed ? stage->loop->begin->i : 0;
        stage->end = stage->loop && !stage->fixed ? stage->loop->end->i : 1;
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

static bool see_pair(const struct skew *s, const struct skew_stage *a, const struct tree_access *x,
                     const struct skew_stage *b, const struct tree_access *y, struct distance *d)
{
    struct skew_rows p, q;
    if (x->alias != y->alias || (!x->write && !y->write) || !class_of((struct skew *)s, x->alias))
        return true;
    if (!rows_of(s, a, x, &p) || !rows_of(s, b, y, &q))
        return false;
    bool apart = a->end - 1 + p.high < b->begin + q.low || b->end - 1 + q.high < a->begin + p.low;
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
    return !d->any || (d->least > -LIMIT && d->least < LIMIT);
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
    return s->slope > 0 && s->slope < LIMIT;
}

/* ---- how large ---- */

/* Narrow tiles, of rows of so many bytes: they have as many steps as the first-level cache has room for their own rows
 * and those next to them. No steps if it has none, or if it has room for everything. */
static void find_narrow(const struct machine *m, struct skew *s, int64_t row)
{
    s->narrow = row < NARROW ? NARROW / row : 1;
    s->few = (m->first_cache / row - s->narrow - s->slope) / s->slope;
    if (s->few < 0 || s->span * row < 2 * m->first_cache)
        s->few = 0;
}

/* What stays in the second-level cache anyhow has no others around the narrow ones. Waves of those would be too short.
 */
static bool take_narrow(struct skew *s, int threads)
{
    s->steps = s->few;
    s->width = s->narrow;
    s->few = 0;
    return threads == 1 && s->steps > 0 && s->span >= 2 * s->slope * s->steps;
}

static bool find_size(const struct machine *m, struct skew *s, int threads)
{
    const struct tree_stmt *l = s->loop;
    int64_t last = -LIMIT;
    s->first = LIMIT;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct skew_stage *a = &s->stages[i];
        s->first = a->loop && a->begin + a->shift < s->first ? a->begin + a->shift : s->first;
        last = a->loop && a->end + a->shift > last ? a->end + a->shift : last;
    }
    s->span = last - s->first;
    int64_t row = 0;
    for (uint32_t i = 0; i < s->num_classes; i++)
        row += s->classes[i].stride * (int64_t)s->classes[i].type->size;
    /* a tile moves through slope * steps rows and is as wide */
    int64_t nearest = m->first_cache / (2 * s->slope * row), near = m->second_cache / (2 * s->slope * row);
    if (nearest < FEWEST_NEAREST) {
        find_narrow(m, s, row);
        if (s->span * row <= m->second_cache)
            return take_narrow(s, threads);
    }
    s->steps = nearest < FEWEST_NEAREST ? near : nearest;
    int64_t most = MOST_STEPS;
    if (threads != 1 && l->begin->op == EXPR_INT && l->end->op == EXPR_INT)
        most = (l->end->i - l->begin->i) / FEWEST_BLOCKS;
    most = most < MOST_STEPS ? most : MOST_STEPS;
    s->steps = s->steps < most ? s->steps : most;
    if (s->steps < FEWEST_PARTS * s->few || s->steps < FEWEST_PARTS * s->narrow)
        s->few = 0; /* not worth the loops */
    if (s->few)
        s->steps -= s->steps % s->narrow;
    s->width = s->slope * s->steps;
    return s->steps >= FEWEST_STEPS && s->span >= 2 * s->slope * s->steps;
}

static bool is_long(const struct tree_stmt *l)
{
    return l->begin->op != EXPR_INT || l->end->op != EXPR_INT || l->end->i - l->begin->i >= 2 * FEWEST_STEPS;
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
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (!add_stage(w, s, loop->body->items.items[i], &inside))
            return false;
    struct tree_scan scan = { .arena = w->x.tree->scratch };
    tree_scan_add(&scan, loop);
    if (!tree_scan_invariant(&scan, loop->begin) || !tree_scan_invariant(&scan, loop->end) || !find_classes(s) ||
        !find_bounds(s) || !find_shifts(s) || !find_size(w->x.tree->machine, s, w->threads) ||
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
