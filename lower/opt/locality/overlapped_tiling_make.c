/* The loops of tiles and steps, and the nests in them.
 *
 * A step is an iteration of the last nest. Each nest does what the step needs: one iteration, or none where its space
 * or the tile ends. Rows of temporaries take turns in as few places as there are rows in use; a row's place is computed
 * once per step of rows. */
#include "lower/opt/locality/overlapped_tiling.h"
#include "lower/tree/tree_rewrite.h"

/* Which place a temporary's row has, `ahead` rows before that of the step. */
struct place_of_row {
    const struct overlap_memory *memory;
    int64_t ahead;
    struct tree_expr *number;
};

struct make {
    struct tree *tree;
    struct overlap_group *group;
    const struct overlap_stage *stage;
    const struct tree_frame *frame;
    struct tree_expr *tiles[OVERLAP_DEPTH]; /* first iterations */
    struct tree_expr *size; /* of tiles, where the call tells; NULL: it does not, or there is one tile */
    struct tree_var *steps[OVERLAP_DEPTH];
    struct tree_stmt *rows; /* block of a step of rows, in front of what it does */
    VEC(struct place_of_row) places;
};

static struct tree_expr *plus(struct tree *t, struct tree_expr *e, int64_t constant)
{
    return expr_binary(t, EXPR_ADD, e, expr_i64(t, constant));
}

/* ---- memory ---- */

/* Points that one step in the dimension goes past. */
static int64_t points_between(const struct overlap_group *g, const struct overlap_memory *m, uint32_t dimension)
{
    int64_t points = 1;
    for (uint32_t i = dimension + 1; i < OVERLAP_DEPTH && i < g->depth; i++)
        points *= g->size[i] + m->high[i] - m->low[i];
    return points;
}

/* Elements of so many points. */
static struct tree_expr *elements(struct tree *t, const struct overlap_memory *m, int64_t points)
{
    struct linear reach, all;
    tiling_sum(&reach, &m->reach);
    linear_constant(&all, 0);
    linear_add(&all, &reach, points);
    return linear_expr(t, &all);
}

static struct tree_expr *place_of(struct make *w, const struct overlap_memory *m, int64_t ahead)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->places.count; i++)
        if (w->places.items[i].memory == m && w->places.items[i].ahead == ahead)
            return w->places.items[i].number;
    struct tree_expr *row = expr_i64(t, 0);
    if (overlap_rows(m) > 1) {
        row = expr_binary(t, EXPR_SUB, expr_var(t, w->steps[0]), plus(t, w->tiles[0], m->low[0] - ahead));
        row = expr_binary(t, EXPR_REM, row, expr_i64(t, overlap_rows(m)));
        row = stmt_variable(t, w->rows, "row", row);
    }
    vec_push(t->scratch, &w->places, ((struct place_of_row){ m, ahead, row }));
    return row;
}

static struct tree_expr *new_index(struct make *w, struct overlap_memory *m, const struct tree_expr *index)
{
    struct tree *t = w->tree;
    struct overlap_group *g = w->group;
    struct overlap_place place;
    struct linear at, part;
    linear_of(&at, index);
    if (!overlap_place(m, g, w->stage, &at, w->frame, &place))
        return NULL;
    for (uint32_t i = 1; i < g->depth; i++) {
        int64_t stride = points_between(g, m, i) * m->reach.times;
        linear_of(&part, expr_var(t, w->stage->loops[i]->var));
        linear_add(&place.rest, &part, stride);
        linear_of(&part, w->tiles[i]);
        linear_add(&place.rest, &part, -stride);
        place.rest.constant += (place.shift[i] - m->low[i]) * stride;
    }
    struct tree_expr *row = place_of(w, m, w->stage->high[0] + place.shift[0]);
    linear_of(&part, expr_binary(t, EXPR_MUL, row, elements(t, m, points_between(g, m, 0))));
    linear_add(&place.rest, &part, 1);
    return linear_expr(t, &place.rest);
}

static struct tree_expr *rewrite_load(void *user, struct tree_expr *e)
{
    struct make *w = user;
    struct overlap_memory *m = e->op == EXPR_LOAD ? overlap_temporary(w->group, e->args[0]) : NULL;
    return m ? expr_load(w->tree, e->type, e->args[0], new_index(w, m, e->args[1]), e->alias) : e;
}

static void rewrite(struct make *w, struct tree_stmt *s)
{
    const struct tree_frame *outer = w->frame;
    struct tree_frame inner;
    stmt_rewrite(w->tree, s, rewrite_load, w);
    struct overlap_memory *m = s->kind == STMT_STORE ? overlap_temporary(w->group, s->pointer) : NULL;
    if (m)
        s->index = new_index(w, m, s->index);
    if (s->kind == STMT_FOR) {
        inner = tree_frame_of(outer, s);
        w->frame = &inner;
    }
    if (s->body)
        rewrite(w, s->body);
    if (s->otherwise)
        rewrite(w, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        rewrite(w, s->items.items[i]);
    w->frame = outer;
}

/* ---- loops ---- */

/* The first step of a tile, relative to it: where the nest that has most to do in front of the tile begins. */
static int64_t first_step(const struct overlap_group *g, uint32_t dimension)
{
    int64_t first = 0;
    for (uint32_t k = 0; k < g->count; k++) {
        int64_t begin = g->stages[k].low[dimension] - g->stages[k].high[dimension];
        first = begin < first ? begin : first;
    }
    return first;
}

/* Bounds of what tiles cover, so many iterations further. */
static struct tree_expr *begin_of(const struct make *w, uint32_t i, int64_t more)
{
    return plus(w->tree, w->group->from[i], more);
}

static struct tree_expr *end_of(const struct make *w, uint32_t i, int64_t more)
{
    return plus(w->tree, w->group->to[i], more);
}

/* Where tiles begin that reach the end. */
static int64_t last_tile(const struct overlap_group *g, uint32_t i)
{
    return g->begin[i] + (g->tiles[i] - 1) * g->size[i];
}

/* The iteration of the nest that belongs to the step, if it has one. */
static void cut_loops(const struct make *w)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    for (uint32_t i = 0; i < g->depth; i++) {
        const struct overlap_stage *s = w->stage;
        struct tree_stmt *loop = s->loops[i];
        int64_t begin = s->begin[i], end = s->end[i], low = s->low[i], high = s->high[i];
        int64_t first = first_step(g, i) + high;
        struct tree_expr *tile = plus(t, w->tiles[i], low), *step = expr_var(t, w->steps[i]);
        loop->loop.tiles = g->sized ? 1 : g->end[i] - g->begin[i];
        loop->loop.different = g->sized ? 1 : end - begin;
        loop->loop.parallel = false;
        loop->begin = plus(t, step, high);
        loop->end = plus(t, step, high + 1);
        if (first < low)
            loop->begin = expr_binary(t, EXPR_MAX, tile, loop->begin);
        if (g->begin[i] + low < begin)
            loop->begin = expr_binary(t, EXPR_MAX, begin_of(w, i, begin), loop->begin);
        if (g->end[i] + high > end)
            loop->end = expr_binary(t, EXPR_MIN, end_of(w, i, end), loop->end);
    }
}

static struct tree_stmt *loop_over(struct make *w, struct tree_stmt *block, const char *name, struct tree_expr *begin,
                                   struct tree_expr *end, int64_t step)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    struct tree_stmt *loop =
        stmt_for(t, block, tree_var(t, name, type_basic(t->ir, TYPE_I64)), begin, end, expr_i64(t, step));
    loop->place = g->stages[g->count - 1].loops[0]->place;
    return loop;
}

static void schedule_like(struct tree_stmt *loop, const struct overlap_group *g)
{
    loop->loop = g->stages[g->count - 1].loops[0]->loop;
    loop->loop.chunk = loop->loop.chunk > 0; /* counted in iterations */
    loop->loop.parallel = g->parallel;
    loop->loop.unroll = false;
}

/* Tiles of both dimensions are shared out by one loop, in which those of one iteration are numbered. */
static struct tree_stmt *parallel_tiles(struct make *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    struct tree_stmt *all = loop_over(w, block, "tiles", expr_i64(t, 0), expr_i64(t, g->tiles[0] * g->tiles[1]), 1);
    struct tree_stmt *inside = all->body;
    schedule_like(all, g);
    for (uint32_t i = 0; i < 2; i++) {
        struct tree_expr *n = expr_binary(t, i ? EXPR_REM : EXPR_DIV, expr_var(t, all->var), expr_i64(t, g->tiles[1]));
        n = expr_binary(t, EXPR_MUL, n, expr_i64(t, g->size[i]));
        n = expr_binary(t, EXPR_ADD, n, expr_i64(t, g->begin[i]));
        struct tree_stmt *one = loop_over(w, inside, "tile", n, expr_binary(t, EXPR_ADD, n, expr_i64(t, 1)), 1);
        w->tiles[i] = expr_var(t, one->var);
        inside = one->body;
    }
    return inside;
}

/* Tiles whose size the call tells: equal shares, but no smaller ones than recompute little. */
static struct tree_stmt *sized_tiles(struct make *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    struct tree_expr *begin = begin_of(w, 0, g->begin[0]), *least = expr_i64(t, g->size[0]);
    struct tree_expr *rows = stmt_variable(t, block, "rows", expr_binary(t, EXPR_SUB, end_of(w, 0, g->end[0]), begin));
    struct tree_expr *share = expr_binary(t, EXPR_DIV, plus(t, rows, OVERLAP_TILES - 1), expr_i64(t, OVERLAP_TILES));
    w->size = stmt_variable(t, block, "size", expr_binary(t, EXPR_MAX, share, least));
    struct tree_expr *more = expr_binary(t, EXPR_ADD, rows, plus(t, w->size, -1));
    struct tree_expr *count = stmt_variable(t, block, "count", expr_binary(t, EXPR_DIV, more, w->size));
    struct tree_stmt *loop = loop_over(w, block, "tiles", expr_i64(t, 0), count, 1);
    schedule_like(loop, g);
    struct tree_expr *first = expr_binary(t, EXPR_MUL, expr_var(t, loop->var), w->size);
    w->tiles[0] = stmt_variable(t, loop->body, "tile", expr_binary(t, EXPR_ADD, begin, first));
    return loop->body;
}

static struct tree_stmt *make_tiles(struct make *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    if (g->parallel && g->sized)
        return sized_tiles(w, block);
    if (g->parallel && g->depth > 1)
        return parallel_tiles(w, block);
    for (uint32_t i = 0; i < g->depth; i++) {
        w->tiles[i] = begin_of(w, i, g->begin[i]);
        if (g->sized || g->tiles[i] == 1)
            continue;
        struct tree_stmt *loop = loop_over(w, block, "tile", w->tiles[i], expr_i64(t, g->end[i]), g->size[i]);
        schedule_like(loop, g);
        w->tiles[i] = expr_var(t, loop->var);
        block = loop->body;
    }
    return block;
}

static struct tree_stmt *make_steps(struct make *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct overlap_group *g = w->group;
    for (uint32_t i = 0; i < g->depth; i++) {
        struct tree_expr *end = end_of(w, i, g->end[i]), *whole = plus(t, w->tiles[i], g->size[i]);
        if (w->size)
            end = expr_binary(t, EXPR_MIN, end, expr_binary(t, EXPR_ADD, w->tiles[i], w->size));
        else if (!g->sized)
            end = last_tile(g, i) + g->size[i] > g->end[i] ? expr_binary(t, EXPR_MIN, end, whole) : whole;
        struct tree_stmt *loop = loop_over(w, block, "step", plus(t, w->tiles[i], first_step(g, i)), end, 1);
        loop->loop.tiles = g->sized ? 0 : g->tiles[i];
        loop->loop.different = g->sized ? 0 : g->end[i] - g->begin[i];
        w->steps[i] = loop->var;
        block = loop->body;
        if (i == 0) {
            w->rows = stmt_block(t);
            stmt_append(t, block, w->rows);
        }
    }
    return block;
}

static void take_out(struct tree *t, struct tree_stmt *block, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < block->items.count; i++)
        if (block->items.items[i] == s)
            block->items.items[i] = stmt_block(t);
}

/* The tiles stand where the last nest stood: behind everything the chain uses. */
void overlap_make(struct tree *t, struct overlap_group *g, struct tree_stmt *block, const struct tree_frame *frame)
{
    struct make w = { .tree = t, .group = g, .frame = frame };
    struct tree_stmt *whole = stmt_block(t), *inside = make_tiles(&w, whole);
    for (uint32_t i = 0; i < g->num_temporaries; i++) {
        struct overlap_memory *m = g->temporaries[i];
        struct tree_expr *count = elements(t, m, overlap_rows(m) * overlap_points(g, m));
        stmt_alloc(t, inside, m->alloc->var, m->alloc->type, count, TREE_HEAP)->place = m->alloc->place;
    }
    struct tree_stmt *step = make_steps(&w, inside);
    bool joins = overlap_joins(t, g);
    for (uint32_t k = 0; k < g->count; k++) {
        w.stage = &g->stages[k];
        rewrite(&w, w.stage->loops[0]);
        block->items.items[w.stage->item] = k + 1 == g->count ? whole : stmt_block(t);
    }
    if (joins)
        step = overlap_join(t, g, w.tiles, w.steps, step);
    for (uint32_t k = 0; k < g->count && step; k++) {
        w.stage = &g->stages[k];
        cut_loops(&w);
        stmt_append(t, step, w.stage->loops[0]);
    }
    for (uint32_t i = 0; i < g->num_temporaries; i++) {
        struct overlap_memory *m = g->temporaries[i];
        stmt_free(t, inside, m->alloc->var)->place = m->release->place;
        take_out(t, block, m->alloc);
        take_out(t, block, m->release);
        m->fixed = true;
    }
}
