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

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
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
                                  struct tree_expr *end, struct tree_expr *step)
{
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    return stmt_for(t, block, v, begin, end, step);
}

/* The part of a nest that belongs to `width` positions; `row`: the iteration that stands at the first one. */
static void put_stage(const struct tile *w, struct tree_stmt *block, const struct skew_stage *s, struct tree_expr *row,
                      struct tree_expr *width)
{
    struct tree *t = w->tree;
    struct tree_expr *low = add(t, row, -s->shift);
    struct tree_expr *high = plus(t, row, add(t, width, -s->shift));
    struct tree_stmt *to = block;
    if (s->loop && !s->fixed) {
        s->loop->begin = expr_binary(t, EXPR_MAX, s->begin, low);
        s->loop->end = expr_binary(t, EXPR_MIN, s->end, high);
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
                      struct tree_expr *position, struct tree_expr *width)
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
    struct tree_expr *row = expr_binary(t, EXPR_SUB, plus(t, position, s->first), times(t, past, s->slope));
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
        stmt_variable(t, parts->body, "until", expr_binary(t, EXPR_MIN, plus(t, from, s->few), w->stop));
    struct tree_stmt *strips =
        loop_new(t, parts->body, "strip", w->position, plus(t, w->position, s->width), s->narrow);
    put_steps(w, strips->body, from, to, expr_var(t, strips->var), s->narrow);
}

/* Of a block, from the first step's first to the last one's last. */
static struct tree_expr *positions(const struct tile *w)
{
    const struct skew *s = w->skew;
    return plus(w->tree, s->span, times(w->tree, add(w->tree, s->steps, -1), s->slope));
}

static void put_in_turn(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_stmt *blocks = loop_new(t, block, "block", begin, end, s->steps);
    w->block = expr_var(t, blocks->var);
    w->stop = stmt_variable(t, blocks->body, "stop", expr_binary(t, EXPR_MIN, plus(t, w->block, s->steps), end));
    struct tree_stmt *tiles = loop_new(t, blocks->body, "tile", expr_i64(t, 0), positions(w), s->width);
    w->position = expr_var(t, tiles->var);
    put_tile(w, tiles->body);
}

/* What put_in_waves needs to know. */
struct waves {
    struct tree_expr *tiles; /* of a block */
    struct tree_expr *blocks, *last;
};

static struct tree_expr *divide_up(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_DIV, plus(t, a, add(t, b, -1)), b);
}

static struct waves count_waves(const struct tile *w, struct tree_stmt *block, struct tree_expr *begin,
                                struct tree_expr *end)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_expr *blocks = divide_up(t, expr_binary(t, EXPR_SUB, end, begin), s->steps);
    struct waves v = { .tiles = stmt_variable(t, block, "tiles", divide_up(t, positions(w), s->width)) };
    v.blocks = stmt_variable(t, block, "blocks", expr_binary(t, EXPR_MAX, blocks, expr_i64(t, 0)));
    v.last = plus(t, times(t, v.blocks, 2), add(t, v.tiles, -2));
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
    struct tree_expr *tiles = expr_binary(t, EXPR_MUL, v->blocks, times(t, v->tiles, 2));
    return expr_binary(t, EXPR_GE, tiles, wanted);
}

static void put_in_waves(struct tile *w, struct tree_stmt *block, struct tree_expr *begin, struct tree_expr *end,
                         const struct waves *v)
{
    struct tree *t = w->tree;
    const struct skew *s = w->skew;
    struct tree_expr *one = expr_i64(t, 1), *two = expr_i64(t, 2);
    struct tree_stmt *waves = loop_new(t, block, "wave", expr_i64(t, 0), v->last, one);
    struct tree_expr *wave = expr_var(t, waves->var);
    struct tree_expr *from = expr_binary(t, EXPR_DIV, plus(t, wave, expr_binary(t, EXPR_SUB, two, v->tiles)), two);
    struct tree_expr *to = add(t, expr_binary(t, EXPR_DIV, wave, two), 1);
    struct tree_stmt *turn = loop_new(t, waves->body, "block", expr_binary(t, EXPR_MAX, expr_i64(t, 0), from),
                                      expr_binary(t, EXPR_MIN, v->blocks, to), one);
    turn->loop.parallel = turn->loop.heavy = true;
    turn->place = s->loop->place;
    struct tree_expr *number = expr_var(t, turn->var);
    struct tree_expr *tile = expr_binary(t, EXPR_SUB, wave, times(t, number, 2));
    w->position = stmt_variable(t, turn->body, "tile", expr_binary(t, EXPR_MUL, tile, s->width));
    w->block = stmt_variable(t, turn->body, "first", plus(t, begin, expr_binary(t, EXPR_MUL, number, s->steps)));
    w->stop = stmt_variable(t, turn->body, "stop", expr_binary(t, EXPR_MIN, plus(t, w->block, s->steps), end));
    put_tile(w, turn->body);
}

/* What stays is for calls where tiles do not pay. Gives the block where they do. */
static struct tree_stmt *put_choice(struct tree *t, struct tree_stmt *block, const struct skew *s,
                                    struct tree_expr *pays)
{
    if (pays->op == EXPR_INT)
        return block;
    struct tree_stmt *choice = stmt_if(t, block, pays);
    stmt_append(t, choice->otherwise, stmt_clone_apart(t, s->loop));
    return choice->body;
}

static struct tree_expr *divide(struct tree *t, int64_t a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_DIV, expr_i64(t, a), b);
}

static struct tree_expr *less(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_LT, a, b);
}

/* Steps and positions of narrow tiles, 0 of both if there are none, as for sizes that are known (time_skewing.c). */
static void find_narrow(struct tree *t, struct tree_stmt *block, struct skew *s, struct tree_expr *row,
                        struct tree_expr *all, struct tree_expr *is_long)
{
    const struct machine *m = t->machine;
    struct tree_expr *zero = expr_i64(t, 0), *slope = expr_i64(t, s->slope);
    struct tree_expr *narrow = expr_binary(t, EXPR_MAX, divide(t, SKEW_NARROW, row), expr_i64(t, 1));
    s->narrow = stmt_variable(t, block, "narrow", narrow);
    struct tree_expr *rows = expr_binary(t, EXPR_SUB, divide(t, m->first_cache, row), plus(t, s->narrow, slope));
    struct tree_expr *small = less(t, all, expr_i64(t, 2 * m->first_cache));
    struct tree_expr *pays = expr_binary(t, EXPR_LOGICAL_AND, is_long, expr_unary(t, EXPR_NOT, small));
    struct tree_expr *few = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_MAX, rows, zero), slope);
    s->few = s->chains ? zero : stmt_variable(t, block, "few", expr_select(t, pays, few, zero));
}

/* Steps and width of a tile, and of narrow ones inside of it; gives whether tiles are worth it. What stays in the
 * second-level cache anyhow has narrow ones at most. */
static struct tree_expr *find_size(struct tree *t, struct tree_stmt *block, struct skew *s, int threads)
{
    const struct machine *m = t->machine;
    struct tree_expr *zero = expr_i64(t, 0);
    struct tree_expr *row = stmt_variable(t, block, "bytes", expr_binary(t, EXPR_MAX, s->row, expr_i64(t, 1)));
    struct tree_expr *all = stmt_variable(t, block, "all", expr_binary(t, EXPR_MUL, s->span, row));
    struct tree_expr *twice = times(t, row, 2 * s->slope);
    struct tree_expr *nearest = stmt_variable(t, block, "nearest", divide(t, m->first_cache, twice));
    struct tree_expr *is_long = less(t, nearest, expr_i64(t, SKEW_FEWEST_NEAREST));
    find_narrow(t, block, s, row, all, is_long);
    struct tree_expr *stays = expr_binary(t, EXPR_LE, all, expr_i64(t, m->second_cache));
    stays = stmt_variable(t, block, "stays", expr_binary(t, EXPR_LOGICAL_AND, is_long, stays));
    struct tree_expr *steps = expr_select(t, is_long, divide(t, m->second_cache, twice), nearest);
    steps = expr_binary(t, EXPR_MIN, steps, expr_i64(t, s->most));
    steps = stmt_variable(t, block, "steps", expr_select(t, stays, threads == 1 ? s->few : zero, steps));
    struct tree_expr *more = expr_binary(t, EXPR_MAX, s->few, s->narrow); /* else it is not worth the loops */
    struct tree_expr *parts = expr_binary(t, EXPR_GE, steps, times(t, more, SKEW_FEWEST_PARTS));
    parts = expr_binary(t, EXPR_LOGICAL_AND, parts, expr_binary(t, EXPR_GT, s->few, zero));
    parts = stmt_variable(t, block, "parts", parts);
    struct tree_expr *whole = expr_binary(t, EXPR_SUB, steps, expr_binary(t, EXPR_REM, steps, s->narrow));
    s->steps = stmt_variable(t, block, "steps", expr_select(t, parts, whole, steps));
    struct tree_expr *width = expr_select(t, stays, s->narrow, times(t, s->steps, s->slope));
    s->width = stmt_variable(t, block, "width", width);
    s->few = stmt_variable(t, block, "few", expr_select(t, parts, s->few, s->steps));
    s->narrow = stmt_variable(t, block, "narrow", expr_select(t, parts, s->narrow, s->width));
    struct tree_expr *fewest = expr_select(t, stays, expr_i64(t, 1), expr_i64(t, SKEW_FEWEST_STEPS));
    struct tree_expr *none = less(t, s->span, times(t, s->steps, 2 * s->slope));
    return expr_unary(t, EXPR_NOT, expr_binary(t, EXPR_LOGICAL_OR, less(t, s->steps, fewest), none));
}

bool skew_make_tiles(struct tree *t, struct skew *s, int threads)
{
    struct tile w = { .tree = t, .skew = s };
    struct tree_stmt *block = stmt_block(t), *to = block;
    struct tree_expr *begin = stmt_variable(t, block, "begin", as_i64(t, s->loop->begin));
    struct tree_expr *end = stmt_variable(t, block, "end", as_i64(t, s->loop->end));
    if (s->row)
        to = put_choice(t, block, s, find_size(t, block, s, threads));
    if (threads == 1) {
        put_in_turn(&w, to, begin, end);
        *s->loop = *block;
        return true;
    }
    struct waves v = count_waves(&w, to, begin, end);
    struct tree_expr *enough = are_enough(&w, to, &v, threads);
    if (expr_is_int(enough, 0))
        return false;
    put_in_waves(&w, put_choice(t, to, s, enough), begin, end, &v);
    *s->loop = *block;
    return true;
}
