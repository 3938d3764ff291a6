/* Tests in place of marks. */
#include "lower/opt/check/check.h"

struct emit {
    struct checking *k;
    struct map begun;  /* guards that have their first value */
    uint32_t parallel; /* regions and loops for threads around */
};

static struct tree_expr *is_outside(struct tree *t, const struct tree_stmt *s, uint32_t d)
{
    struct tree_expr *low = *check_number(s, d, CHECK_LOW), *high = *check_number(s, d, CHECK_HIGH);
    struct tree_expr *below = expr_binary(t, EXPR_LT, low, expr_i64(t, 0));
    return expr_binary(t, EXPR_LOGICAL_OR, below, expr_binary(t, EXPR_GE, high, *check_number(s, d, CHECK_EXTENT)));
}

/* Would an index leave 64 bits? What the other tests see of it then means nothing. */
static struct tree_expr *wraps(struct checking *k, const struct tree_stmt *s)
{
    struct tree *t = k->tree;
    struct tree_expr *bad = expr_bool(t, false);
    for (uint32_t d = 0; d < s->check->rank && s->check->kind == SDFG_RT_CHECK_BOUNDS; d++) {
        struct tree_expr *low = *check_number(s, d, CHECK_LOW), *high = *check_number(s, d, CHECK_HIGH);
        if (low != high && !expr_equal(low, high))
            bad = expr_binary(t, EXPR_LOGICAL_OR, bad, check_wraps(k, low));
        bad = expr_binary(t, EXPR_LOGICAL_OR, bad, check_wraps(k, high));
    }
    return bad;
}

static struct tree_expr *number_told(struct tree *t, const struct tree_stmt *s, uint32_t d, int which)
{
    struct tree_expr *e = *check_number(s, d, which);
    if (s->check->kind != SDFG_RT_CHECK_OVERFLOW)
        return e;
    if (which == CHECK_EXTENT)
        return expr_i64(t, s->check->bits);
    if (s->check->bits == 64)
        return e;
    return expr_binary(t, EXPR_SUB, e, expr_i64(t, (int64_t)1 << (s->check->bits - 1)));
}

/* fault(place, first and last index and extent of each dimension) */
void check_report(struct tree *t, struct tree_stmt *block, const struct tree_stmt *s, enum sdfg_rt_check_kind kind)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    uint32_t rank = s->check->rank;
    struct tree_var *values = tree_var(t, "indices", type_pointer(t->ir, i64));
    stmt_alloc(t, block, values, i64, expr_i64(t, 3 * (int64_t)rank + 1), TREE_STACK);
    for (uint32_t i = 0; i < 3 * rank; i++)
        stmt_store(t, block, expr_var(t, values), expr_i64(t, i), number_told(t, s, i / 3, (int)(i % 3)), 0);
    struct tree_expr *args[] = { expr_context(t), check_describe(t, s->check, kind, rank), expr_var(t, values) };
    stmt_call(t, block, NULL, "sdfg_rt_fault", args, 3)->place = s->check->place;
}

/* Of numbers that do not fit into 64 bits nothing can be told. */
static void report_wrap(struct tree *t, struct tree_stmt *block, const struct tree_stmt *s)
{
    struct tree_check *c = arena_copy(t->arena, s->check, sizeof *c);
    struct tree_stmt all = *s;
    struct tree_expr *args[CHECK_DIMS + CHECK_DIM];
    c->kind = SDFG_RT_CHECK_OVERFLOW;
    c->rank = 1;
    c->bits = 64;
    c->flat = c->in_bytes = false;
    for (int i = 0; i < CHECK_DIMS + CHECK_DIM; i++)
        args[i] = expr_i64(t, INT64_MIN);
    all.check = c;
    all.args = args;
    check_report(t, block, &all, SDFG_RT_CHECK_OVERFLOW);
}

static void emit_mark(struct emit *e, struct tree_stmt *block, const struct tree_stmt *s)
{
    struct tree *t = e->k->tree;
    if (!map_has(&e->begun, s->var)) {
        map_put(t->scratch, &e->begun, s->var, e);
        stmt_assign(t, block, s->var, expr_bool(t, true));
    }
    struct tree_expr *bad = expr_bool(t, false);
    for (uint32_t d = 0; d < s->check->rank; d++)
        bad = expr_binary(t, EXPR_LOGICAL_OR, bad, is_outside(t, s, d));
    struct tree_expr *wrapped = wraps(e->k, s);
    bad = expr_binary(t, EXPR_LOGICAL_AND, s->args[CHECK_WHEN], expr_binary(t, EXPR_LOGICAL_OR, wrapped, bad));
    struct tree_stmt *test = stmt_if(t, block, bad);
    struct tree_stmt *inside = test->body;
    if (!expr_is_int(wrapped, 0)) {
        struct tree_stmt *which = stmt_if(t, inside, wrapped);
        report_wrap(t, which->body, s);
        inside = which->otherwise;
    }
    check_report(t, inside, s, s->check->kind);
    stmt_assign(t, test->body, s->var, expr_bool(t, false));
    e->k->left++;
}

static void emit(struct emit *e, struct tree_stmt *s);

static void emit_block(struct emit *e, struct tree_stmt *s)
{
    struct tree_stmt *out = stmt_block(e->k->tree);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        if (stmt_is_check(item)) {
            emit_mark(e, out, item);
            continue;
        }
        emit(e, item);
        stmt_append(e->k->tree, out, item);
    }
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

/* if stopped() break: a loop whose end the program's data decides may not end with what a skipped access leaves. */
static void stop_loop(struct tree *t, struct tree_stmt *loop)
{
    struct tree_stmt *first = stmt_block(t);
    struct tree_expr *args[] = { expr_context(t) };
    struct tree_var *stopped = tree_var(t, "stopped", type_basic(t->ir, TYPE_I64));
    stmt_call(t, first, stopped, "sdfg_rt_stopped", args, 1);
    struct tree_stmt *test = stmt_if(t, first, expr_truth(t, expr_var(t, stopped)));
    stmt_new(t, test->body, STMT_BREAK);
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        stmt_append(t, first, loop->body->items.items[i]);
    loop->body = first;
}

static void emit(struct emit *e, struct tree_stmt *s)
{
    struct tree *t = e->k->tree;
    if (s->kind == STMT_BLOCK) {
        emit_block(e, s);
        return;
    }
    const struct tree_stmt *region = t->region;
    bool threads = s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent));
    if (s->kind == STMT_PARALLEL)
        t->region = s;
    e->parallel += threads;
    uint32_t before = e->k->left;
    if (s->body)
        emit(e, s->body);
    if (s->otherwise)
        emit(e, s->otherwise);
    e->parallel -= threads;
    bool ends = s->kind == STMT_WHILE || s->kind == STMT_DO || (s->kind == STMT_FOR && !threads && !e->parallel);
    if (ends && e->k->left > before)
        stop_loop(t, s);
    t->region = region;
}

void check_emit(struct checking *k)
{
    struct emit e = { .k = k };
    check_definitions(k);
    emit(&e, k->func->body);
    check_large(k);
}
