/* Tiles in place of a loop over steps.
 *
 * With one thread, for blocks of `steps` steps and positions from the first to the last:
 *
 *     for block = begin to end step K
 *         for position = 0 to span + slope * (K - 1) step slope * K
 *             for t = block to min(block + K, end)
 *                 for i = the rows of the nest at position .. position + slope * K - 1 - slope * (t - block)
 *
 * A tile of block b needs those of b at lower positions, and those of block b - 1 up to slope * K positions further,
 * as its own lie so much behind. So tiles with the same 2 * b + number are independent: a wave. */
#include "lower/pass/pass_skew.h"
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

static struct tree_expr *variable(struct tree *t, struct tree_stmt *block, const char *name, struct tree_expr *value)
{
    if (value->op == EXPR_INT)
        return value;
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    stmt_assign(t, block, v, value);
    return expr_var(t, v);
}

/* The part of a nest that belongs to the tile; `row`: the iteration that stands at the tile's first position. */
static void put_stage(const struct tile *w, struct tree_stmt *block, const struct skew_stage *s, struct tree_expr *row)
{
    struct tree *t = w->tree;
    struct tree_expr *low = add(t, row, -s->shift);
    struct tree_expr *high = add(t, row, w->skew->slope * w->skew->steps - s->shift);
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

static void put_tile(const struct tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *steps = NEW(t->arena, struct tree_stmt);
    *steps = *s->loop;
    steps->begin = expr_cast(t, s->loop->var->type, w->block);
    steps->end = expr_cast(t, s->loop->var->type, w->stop);
    steps->body = stmt_block(t);
    stmt_append(t, block, steps);
    struct tree_expr *past = expr_binary(t, EXPR_SUB, as_i64(t, expr_var(t, s->loop->var)), w->block);
    struct tree_expr *row = expr_binary(t, EXPR_SUB, add(t, w->position, s->first), times(t, past, s->slope));
    row = variable(t, steps->body, "row", row);
    for (uint32_t i = 0; i < s->count; i++)
        put_stage(w, steps->body, &s->stages[i], row);
}

static void put_in_turn(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *blocks = loop_new(t, block, "block", begin, end, s->steps);
    w->block = expr_var(t, blocks->var);
    w->stop = variable(t, blocks->body, "stop", expr_binary(t, EXPR_MIN, add(t, w->block, s->steps), end));
    struct tree_stmt *tiles = loop_new(t, blocks->body, "tile", expr_i64(t, 0),
                                       expr_i64(t, s->span + s->slope * (s->steps - 1)), s->slope * s->steps);
    w->position = expr_var(t, tiles->var);
    put_tile(w, tiles->body);
}

static void put_in_waves(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    int64_t size = s->slope * s->steps, tiles = (s->span + s->slope * (s->steps - 1) + size - 1) / size;
    struct tree_expr *blocks = expr_binary(t, EXPR_SUB, end, begin);
    blocks = expr_binary(t, EXPR_DIV, add(t, blocks, s->steps - 1), expr_i64(t, s->steps));
    blocks = variable(t, block, "blocks", expr_binary(t, EXPR_MAX, blocks, expr_i64(t, 0)));
    struct tree_stmt *waves = loop_new(t, block, "wave", expr_i64(t, 0), add(t, times(t, blocks, 2), tiles - 2), 1);
    struct tree_expr *wave = expr_var(t, waves->var), *two = expr_i64(t, 2);
    struct tree_expr *from = expr_binary(t, EXPR_DIV, add(t, wave, 2 - tiles), two);
    struct tree_expr *to = add(t, expr_binary(t, EXPR_DIV, wave, two), 1);
    struct tree_stmt *turn = loop_new(t, waves->body, "block", expr_binary(t, EXPR_MAX, expr_i64(t, 0), from),
                                      expr_binary(t, EXPR_MIN, blocks, to), 1);
    turn->loop.parallel = turn->loop.heavy = true;
    turn->place = s->loop->place;
    struct tree_expr *number = expr_var(t, turn->var);
    w->position = variable(t, turn->body, "tile", times(t, expr_binary(t, EXPR_SUB, wave, times(t, number, 2)), size));
    w->block = variable(t, turn->body, "first", expr_binary(t, EXPR_ADD, begin, times(t, number, s->steps)));
    w->stop = variable(t, turn->body, "stop", expr_binary(t, EXPR_MIN, add(t, w->block, s->steps), end));
    put_tile(w, turn->body);
}

void skew_make_tiles(struct tree *t, const struct skew *s, bool threads)
{
    struct tile w = { .tree = t, .skew = s };
    struct tree_stmt *block = stmt_block(t);
    struct tree_expr *begin = as_i64(t, s->loop->begin), *end = as_i64(t, s->loop->end);
    begin = variable(t, block, "begin", begin);
    end = variable(t, block, "end", end);
    if (threads)
        put_in_waves(&w, block, begin, end);
    else
        put_in_turn(&w, block, begin, end);
    *s->loop = *block;
}
