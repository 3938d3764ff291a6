/* Tiles in place of a loop over steps.
 *
 * With one thread, for blocks of `steps` steps and positions from the first to the last:
 *
 *     for block = begin to end step K
 *         for position = 0 to span + slope * (K - 1) step W
 *             for t = block to min(block + K, end)
 *                 for i = the rows of the nest at position .. position + W - 1 - slope * (t - block)
 *
 * What an iteration needs of its block stands at lower positions, or at its own and comes before it in the body or in
 * an earlier step: any width W will do. In waves it is slope * K. A tile of block b needs those of b at lower
 * positions, and those of block b - 1 up to slope * K positions further, as its own lie so much behind. So tiles with
 * the same 2 * b + number are independent: a wave. Waves are worth it where they have tiles for all threads; nests of a
 * single step have rows for any number of them. */
#include "lower/opt/locality/time_skewing.h"
#include "lower/tree/tree_rewrite.h"

/* Where the tile being made stands. */
struct tile {
    struct tree *tree;
    const struct skew *skew;
    struct tree_expr *block, *stop, *position; /* steps block .. stop - 1; the first position at step `block` */
};

static struct tree_expr *add(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_ADD, a, expr_i64(t, b));
}

static struct tree_expr *times(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_MUL, a, expr_i64(t, b));
}

static struct tree_expr *as_i64(struct tree *t, struct tree_expr *e)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), e);
}

static struct tree_stmt *loop_new(struct tree *t, struct tree_stmt *block, const char *name, struct tree_expr *begin,
                                  struct tree_expr *end, int64_t step)
{
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    return stmt_for(t, block, v, begin, end, expr_i64(t, step));
}

/* The part of a nest that belongs to `width` positions; `row`: the iteration that stands at the first one. */
static void put_stage(const struct tile *w, struct tree_stmt *block, const struct skew_stage *s, struct tree_expr *row,
                      int64_t width)
{
    struct tree *t = w->tree;
    struct tree_expr *low = add(t, row, -s->shift);
    struct tree_expr *high = add(t, row, width - s->shift);
    struct tree_stmt *to = block;
    if (s->loop && !s->fixed) {
        s->loop->begin = expr_binary(t, EXPR_MAX, expr_i64(t, s->begin), low);
        s->loop->end = expr_binary(t, EXPR_MIN, expr_i64(t, s->end), high);
    } else if (s->loop) {
        struct tree_expr *from = expr_binary(t, EXPR_LE, low, expr_i64(t, 0));
        to = stmt_if(t, block, expr_binary(t, EXPR_LOGICAL_AND, from, expr_binary(t, EXPR_GT, high, expr_i64(t, 0))))
                 ->body;
    }
    if (s->loop)
        s->loop->loop.parallel = false;
    stmt_append(t, to, s->stmt);
}

/* Steps from .. to - 1 of the positions from `position` on. */
static void put_steps(const struct tile *w, struct tree_stmt *block, struct tree_expr *from, struct tree_expr *to,
                      struct tree_expr *position, int64_t width)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *steps = NEW(t->arena, struct tree_stmt);
    *steps = *s->loop;
    steps->begin = expr_cast(t, s->loop->var->type, from);
    steps->end = expr_cast(t, s->loop->var->type, to);
    steps->body = stmt_block(t);
    stmt_append(t, block, steps);
    struct tree_expr *past = expr_binary(t, EXPR_SUB, as_i64(t, expr_var(t, s->loop->var)), w->block);
    struct tree_expr *row = expr_binary(t, EXPR_SUB, add(t, position, s->first), times(t, past, s->slope));
    row = stmt_variable(t, steps->body, "row", row);
    for (uint32_t i = 0; i < s->count; i++)
        put_stage(w, steps->body, &s->stages[i], row, width);
}

static void put_tile(const struct tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    if (!s->few) {
        put_steps(w, block, w->block, w->stop, w->position, s->width);
        return;
    }
    struct tree_stmt *parts = loop_new(t, block, "part", w->block, w->stop, s->few);
    struct tree_expr *from = expr_var(t, parts->var);
    struct tree_expr *to =
        stmt_variable(t, parts->body, "until", expr_binary(t, EXPR_MIN, add(t, from, s->few), w->stop));
    struct tree_stmt *strips = loop_new(t, parts->body, "strip", w->position, add(t, w->position, s->width), s->narrow);
    put_steps(w, strips->body, from, to, expr_var(t, strips->var), s->narrow);
}

static void put_in_turn(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *blocks = loop_new(t, block, "block", begin, end, s->steps);
    w->block = expr_var(t, blocks->var);
    w->stop = stmt_variable(t, blocks->body, "stop", expr_binary(t, EXPR_MIN, add(t, w->block, s->steps), end));
    struct tree_stmt *tiles =
        loop_new(t, blocks->body, "tile", expr_i64(t, 0), expr_i64(t, s->span + s->slope * (s->steps - 1)), s->width);
    w->position = expr_var(t, tiles->var);
    put_tile(w, tiles->body);
}

/* What put_in_waves needs to know. */
struct waves {
    int64_t size, tiles; /* positions of a tile; tiles of a block */
    struct tree_expr *blocks, *last;
};

static struct waves count_waves(const struct tile *w, struct tree_stmt *block, struct tree_expr *begin,
                                struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct waves v = { .size = s->width };
    v.tiles = (s->span + s->slope * (s->steps - 1) + v.size - 1) / v.size;
    struct tree_expr *blocks = add(t, expr_binary(t, EXPR_SUB, end, begin), s->steps - 1);
    blocks = expr_binary(t, EXPR_DIV, blocks, expr_i64(t, s->steps));
    v.blocks = stmt_variable(t, block, "blocks", expr_binary(t, EXPR_MAX, blocks, expr_i64(t, 0)));
    v.last = add(t, times(t, v.blocks, 2), v.tiles - 2);
    return v;
}

/* Are there three tiles in a wave for two threads, on average? */
static struct tree_expr *are_enough(const struct tile *w, struct tree_stmt *block, const struct waves *v, int threads)
{
    struct tree *t = w->tree;
    struct tree_expr *limit = expr_i64(t, threads), *context = expr_context(t);
    if (threads == 0) {
        struct tree_var *var = tree_var(t, "limit", type_basic(t->ir, TYPE_I64));
        stmt_call(t, block, var, "sdfg_rt_thread_limit", &context, 1);
        limit = expr_var(t, var);
    }
    struct tree_expr *wanted = expr_binary(t, EXPR_MUL, times(t, limit, 3), v->last);
    return expr_binary(t, EXPR_GE, times(t, v->blocks, 2 * v->tiles), wanted);
}

static void put_in_waves(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end,
                         const struct waves *v)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *waves = loop_new(t, block, "wave", expr_i64(t, 0), v->last, 1);
    struct tree_expr *wave = expr_var(t, waves->var), *two = expr_i64(t, 2);
    struct tree_expr *from = expr_binary(t, EXPR_DIV, add(t, wave, 2 - v->tiles), two);
    struct tree_expr *to = add(t, expr_binary(t, EXPR_DIV, wave, two), 1);
    struct tree_stmt *turn = loop_new(t, waves->body, "block", expr_binary(t, EXPR_MAX, expr_i64(t, 0), from),
                                      expr_binary(t, EXPR_MIN, v->blocks, to), 1);
    turn->loop.parallel = turn->loop.heavy = true;
    turn->place = s->loop->place;
    struct tree_expr *number = expr_var(t, turn->var);
    struct tree_expr *tile = expr_binary(t, EXPR_SUB, wave, times(t, number, 2));
    w->position = stmt_variable(t, turn->body, "tile", times(t, tile, v->size));
    w->block = stmt_variable(t, turn->body, "first", expr_binary(t, EXPR_ADD, begin, times(t, number, s->steps)));
    w->stop = stmt_variable(t, turn->body, "stop", expr_binary(t, EXPR_MIN, add(t, w->block, s->steps), end));
    put_tile(w, turn->body);
}

bool skew_make_tiles(struct tree *t, const struct skew *s, int threads)
{
    struct tile w = { .tree = t, .skew = s };
    struct tree_stmt *block = stmt_block(t), *to = block;
    struct tree_expr *begin = stmt_variable(t, block, "begin", as_i64(t, s->loop->begin));
    struct tree_expr *end = stmt_variable(t, block, "end", as_i64(t, s->loop->end));
    if (threads == 1) {
        put_in_turn(&w, block, begin, end);
        *s->loop = *block;
        return true;
    }
    struct waves v = count_waves(&w, block, begin, end);
    struct tree_expr *enough = are_enough(&w, block, &v, threads);
    if (expr_is_int(enough, 0))
        return false;
    if (enough->op != EXPR_INT) {
        struct tree_stmt *choice = stmt_if(t, block, enough);
        stmt_append(t, choice->otherwise, stmt_clone_apart(t, s->loop));
        to = choice->body;
    }
    put_in_waves(&w, to, begin, end, &v);
    *s->loop = *block;
    return true;
}
