#include "lower/opt/threads/region.h"
#include "lower/tree/tree_cost.h"

static struct tree_var *i64_new(struct tree *t, struct tree_stmt *b, const char *name, struct tree_expr *value)
{
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    stmt_assign(t, b, v, value);
    return v;
}

/* The value of a bound, computed once in front of the loop. (The loop assigns no variable that its bounds use.) */
static struct tree_expr *settle(struct tree *t, struct tree_stmt *b, const char *name, struct tree_expr *e)
{
    e = expr_cast(t, type_basic(t->ir, TYPE_I64), e);
    return e->op == EXPR_INT || e->op == EXPR_VAR ? e : expr_var(t, i64_new(t, b, name, e));
}

static struct tree_expr *value_at(struct tree *t, const struct region_space *sp, struct tree_expr *number)
{
    return expr_binary(t, EXPR_ADD, sp->begin, expr_binary(t, EXPR_MUL, number, sp->step));
}

struct region_space region_space_of(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop)
{
    struct region_space sp;
    struct tree_stmt settled = *loop;
    settled.begin = settle(t, b, "begin", loop->begin);
    settled.end = expr_cast(t, type_basic(t->ir, TYPE_I64), loop->end);
    settled.step = settle(t, b, "step", loop->step);
    sp.begin = settled.begin;
    sp.step = settled.step;
    sp.trips = expr_binary(t, EXPR_MAX, tree_trip_count(t, loop), expr_i64(t, 0));
    sp.count = settle(t, b, "count", expr_binary(t, EXPR_MAX, tree_trip_count(t, &settled), expr_i64(t, 0)));
    return sp;
}

/* The loop over iterations first .. last - 1, appended to `b`. */
static void sub_loop(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop, const struct region_space *sp,
                     struct tree_expr *first, struct tree_expr *last)
{
    struct tree_stmt *part =
        stmt_for(t, b, loop->var, expr_cast(t, loop->var->type, value_at(t, sp, first)),
                 expr_cast(t, loop->var->type, value_at(t, sp, last)), expr_cast(t, loop->var->type, sp->step));
    part->place = loop->place;
    part->loop = loop->loop;
    part->loop.parallel = false;
    part->loop.omp = TREE_OMP_STATIC;
    part->loop.chunk = part->loop.num_threads = 0;
    part->body = loop->body;
}

struct share {
    struct tree_expr *first, *last; /* last: behind it */
};

/* One contiguous piece per thread; the first count % threads of them have one iteration more. */
static struct share share_of(struct tree *t, struct tree_stmt *b, struct tree_expr *count,
                             const struct tree_stmt *region)
{
    struct tree_expr *thread = expr_var(t, region->var), *threads = expr_var(t, region->var2);
    struct tree_var *share = i64_new(t, b, "share", expr_binary(t, EXPR_DIV, count, threads));
    struct tree_var *rest = i64_new(t, b, "rest", expr_binary(t, EXPR_REM, count, threads));
    struct tree_expr *first = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, thread, expr_var(t, share)),
                                          expr_binary(t, EXPR_MIN, thread, expr_var(t, rest)));
    first = expr_var(t, i64_new(t, b, "first", first));
    struct tree_expr *more = expr_cast(t, share->type, expr_binary(t, EXPR_LT, thread, expr_var(t, rest)));
    struct tree_expr *last = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_ADD, first, expr_var(t, share)), more);
    return (struct share){ first, expr_var(t, i64_new(t, b, "last", last)) };
}

void region_split_static(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop,
                         const struct region_space *sp, const struct tree_stmt *region)
{
    struct share mine = share_of(t, b, sp->count, region);
    sub_loop(t, b, loop, sp, mine.first, mine.last);
}

/* for i = first / n to the one behind (last - 1) / n { for j = max(first - i * n, 0) to min(last - i * n, n) { body } }
 */
void region_split_pair(struct tree *t, struct tree_stmt *b, const struct tree_stmt *outer,
                       const struct region_space *rows, const struct region_space *row, struct tree_expr *both,
                       const struct tree_stmt *region)
{
    struct share mine = share_of(t, b, both, region);
    const struct tree_stmt *inner = outer->body->items.items[0];
    struct tree_stmt alone = *outer;
    struct tree_expr *zero = expr_i64(t, 0), *some = expr_binary(t, EXPR_MAX, row->count, expr_i64(t, 1));
    struct tree_expr *up = expr_binary(t, EXPR_ADD, mine.last, expr_binary(t, EXPR_SUB, some, expr_i64(t, 1)));
    alone.body = stmt_block(t);
    sub_loop(t, b, &alone, rows, expr_binary(t, EXPR_DIV, mine.first, some), expr_binary(t, EXPR_DIV, up, some));
    struct tree_expr *begun =
        expr_binary(t, EXPR_SUB, expr_cast(t, rows->begin->type, expr_var(t, outer->var)), rows->begin);
    struct tree_expr *past = expr_binary(t, EXPR_MUL, expr_binary(t, EXPR_DIV, begun, rows->step), row->count);
    past = expr_var(t, i64_new(t, alone.body, "past", past)); /* iterations of the rows before */
    struct tree_expr *from = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_SUB, mine.first, past), zero);
    struct tree_expr *to = expr_binary(t, EXPR_MIN, expr_binary(t, EXPR_SUB, mine.last, past), row->count);
    sub_loop(t, alone.body, inner, row, from, to);
}

/* Pieces of `chunk` iterations in turn. */
static void split_chunks(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop,
                         const struct region_space *sp, const struct tree_stmt *region)
{
    struct tree_expr *chunk = expr_i64(t, loop->loop.chunk);
    struct tree_var *first = tree_var(t, "first", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *turn = stmt_for(t, b, first, expr_binary(t, EXPR_MUL, expr_var(t, region->var), chunk), sp->count,
                                      expr_binary(t, EXPR_MUL, expr_var(t, region->var2), chunk));
    struct tree_expr *last = expr_binary(t, EXPR_MIN, expr_binary(t, EXPR_ADD, expr_var(t, first), chunk), sp->count);
    sub_loop(t, turn->body, loop, sp, expr_var(t, first), expr_var(t, i64_new(t, turn->body, "last", last)));
}

/* Chunks from the counter, as sdfg_rt_next hands them out (runtime/runtime.h). */
static void split_counter(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop,
                          const struct region_space *sp, const struct tree_stmt *region, struct tree_var *counter)
{
    bool guided = loop->loop.omp == TREE_OMP_GUIDED;
    struct tree_expr *chunk = expr_i64(t, loop->loop.chunk > 0 ? loop->loop.chunk : 1);
    struct tree_expr *threads = expr_var(t, region->var2);
    struct tree_expr *args[] = { expr_var(t, counter), chunk, sp->count, guided ? threads : expr_i64(t, 0) };
    struct tree_var *first = tree_var(t, "first", type_basic(t->ir, TYPE_I64));
    stmt_call(t, b, first, "sdfg_rt_next", args, 4);
    struct tree_stmt *more = stmt_while(t, b, expr_binary(t, EXPR_LT, expr_var(t, first), sp->count));
    struct tree_expr *left = expr_binary(t, EXPR_SUB, sp->count, expr_var(t, first)), *size = chunk;
    if (guided)
        size = expr_binary(t, EXPR_MAX, chunk, expr_binary(t, EXPR_DIV, left, threads));
    struct tree_expr *last = expr_binary(t, EXPR_ADD, expr_var(t, first), expr_binary(t, EXPR_MIN, size, left));
    sub_loop(t, more->body, loop, sp, expr_var(t, first), expr_var(t, i64_new(t, more->body, "last", last)));
    stmt_call(t, more->body, first, "sdfg_rt_next", args, 4);
}

void region_split(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop, const struct region_space *sp,
                  const struct tree_stmt *region, struct tree_var *counter)
{
    if (counter)
        split_counter(t, b, loop, sp, region, counter);
    else if (loop->loop.chunk > 0)
        split_chunks(t, b, loop, sp, region);
    else
        region_split_static(t, b, loop, sp, region);
}

static bool move_into_region(void *user, struct tree_stmt *s)
{
    struct tree_stmt *region = user;
    if (s->kind == STMT_PARALLEL) {
        s->region = region;
        return false;
    }
    if (s->var)
        s->var->owner = region;
    if (s->var2)
        s->var2->owner = region;
    return true;
}

void region_own(struct tree_stmt *region, struct tree_stmt *s) { stmt_visit(s, move_into_region, region); }

struct tree_var *region_counter(struct tree *t, struct tree_stmt *b)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_var *counter = tree_var(t, "counter", type_pointer(t->ir, i64));
    stmt_alloc(t, b, counter, i64, expr_i64(t, 1), TREE_STACK);
    stmt_store(t, b, expr_var(t, counter), expr_i64(t, 0), expr_i64(t, 0), 0);
    return counter;
}

/* A region in a sequential loop is entered often, and each time the slowest thread is waited for: on a machine that
 * others use, too, that is what such programs do most. Where threads sleep between regions it takes forty to sixty
 * microseconds to wake them up, with vectors the time of some million operations. Loops repeat that, and what they go
 * through is in the cache of one processor; their limit is higher than that of a region which is met once. */
enum { AGAIN_AND_AGAIN = 2, ASLEEP_AGAIN = 128 };
static const int asleep_once[] = { [REGION_CHAINS] = 4, [REGION_SCALARS] = 16, [REGION_VECTORS] = 32 };

int64_t region_limit(const struct machine *m, bool again) { return (again ? AGAIN_AND_AGAIN : 1) * (int64_t)m->region; }

int64_t region_limit_asleep(const struct machine *m, bool again, enum region_code code)
{
    return (again ? ASLEEP_AGAIN : asleep_once[code]) * (int64_t)m->region;
}

struct tree_expr *region_or_asleep(struct tree *t, struct tree_stmt *b, struct tree_expr *small,
                                   struct tree_expr *asleep)
{
    struct tree_expr *context = expr_context(t);
    struct tree_var *sleep = tree_var(t, "sleep", type_basic(t->ir, TYPE_I64)), *result = NULL;
    if (expr_is_int(small, 1) || expr_is_int(asleep, 0))
        return small;
    if (!expr_is_int(small, 0)) {
        result = tree_var(t, "small", small->type);
        stmt_assign(t, b, result, small);
        b = stmt_if(t, b, expr_unary(t, EXPR_NOT, expr_var(t, result)))->body;
    }
    stmt_call(t, b, sleep, "sdfg_rt_threads_sleep", &context, 1);
    struct tree_expr *sleeps = expr_binary(t, EXPR_NE, expr_var(t, sleep), expr_i64(t, 0));
    struct tree_expr *both = expr_binary(t, EXPR_LOGICAL_AND, sleeps, asleep);
    if (!result)
        return both;
    stmt_assign(t, b, result, both);
    return expr_var(t, result);
}

int region_is_less(struct tree_expr *work, const struct tree_frame *frame, int64_t limit)
{
    struct interval range = interval_of(work, frame, NULL);
    return !range.known ? -1 : range.high < limit ? 1 : range.low >= limit ? 0 : -1;
}
