/* Pushes of single elements to a stream become one push for many iterations.
 *
 *     for i = 0 to N {                       for first = 0 to N step 256 {
 *         if a[i] > 0 {                          n = 0
 *             e[0] = a[i]                        for i = first to min(first + 256, N) {
 *             push(s, e, 1)           ->             batch[n] = a[i]
 *         }                                          n = n + int64(a[i] > 0)
 *     }                                          }
 *                                                push(s, batch, n)
 *                                            }
 *
 * Legality: The loop does nothing else with streams, does not wait, and is left at its end. Elements keep their order;
 * what takes them from the stream sees them later.
 * Profitability: Innermost loops, whose pushes cost more than the rest of them. A branch around nothing but a push
 * becomes a store that counts or does not, if what it pushes may be computed in any case. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum { BATCH = 256, SHORTEST = 16 /* iterations, if they are known */, MOST_BYTES = 1 << 14 };

/* element[0] = value; push(context, handle, element, 1) */
struct push {
    struct tree_stmt *guard; /* the branch whose body is `block`; or NULL */
    struct tree_stmt *block, *store, *call;
};

/* Pushes to one stream, and where their elements wait. */
struct batch {
    struct tree_expr *handle;
    const struct type *type;
    uint32_t pushes;
    struct tree_var *memory, *count;
    uint32_t alias;
};

struct batches {
    struct tree *tree;
    struct tree_whole whole;
    /* the loop at hand */
    struct tree_stmt *loop;
    struct tree_scan scan;
    VEC(struct push) pushes;
    VEC(struct batch) batches;
    bool other; /* what must not wait for the end of a batch */
};

/* ---- what the loop pushes ---- */

static bool is_push(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && s->isolated && stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_stream_push] &&
           expr_is_int(s->args[3], 1) && s->args[2]->op == EXPR_VAR;
}

/* The pushed value stands in the statement before. */
static bool is_pushed(const struct tree_stmt *s, const struct tree_stmt *call)
{
    return s && s->kind == STMT_STORE && s->pointer->op == EXPR_VAR && s->pointer->var == call->args[2]->var &&
           expr_is_int(s->index, 0) && type_is_arithmetic(s->value->type) && s->pointer->type->elem == s->value->type;
}

static struct batch *batch_of(struct batches *b, const struct push *p)
{
    struct tree_expr *handle = p->call->args[1];
    const struct type *type = p->store->value->type;
    for (uint32_t i = 0; i < b->batches.count; i++)
        if (expr_equal(b->batches.items[i].handle, handle))
            return b->batches.items[i].type == type ? &b->batches.items[i] : NULL;
    vec_push(b->tree->scratch, &b->batches, ((struct batch){ .handle = handle, .type = type }));
    return &b->batches.items[b->batches.count - 1];
}

/* `guard` is an IF whose body is s, or NULL. */
static void find_pushes(struct batches *b, struct tree_stmt *s, struct tree_stmt *guard)
{
    const unsigned flags = stmt_rows[s->kind].flags;
    b->other |= flags & (STMT_LOOPS | STMT_CONTROL | STMT_REGION | STMT_LOCKS | STMT_LEAVES_LOOP);
    b->other |= s->kind == STMT_CALL && !is_push(s);
    for (uint32_t i = 0; i < s->items.count && !b->other; i++) {
        struct tree_stmt *item = s->items.items[i], *before = i ? s->items.items[i - 1] : NULL;
        if (item->kind == STMT_CALL) {
            struct push p = { guard, s, before, item };
            struct batch *of = is_push(item) && is_pushed(before, item) ? batch_of(b, &p) : NULL;
            b->other |= !of;
            if (of)
                of->pushes++;
            vec_push(b->tree->scratch, &b->pushes, p);
        }
        find_pushes(b, item, NULL);
    }
    if (s->body)
        find_pushes(b, s->body, s->otherwise && s->otherwise->items.count ? NULL : s);
    if (s->otherwise)
        find_pushes(b, s->otherwise, NULL);
}

/* ---- may they wait? ---- */

struct writes {
    uint32_t alias;
    bool found;
};

static bool see_write(void *user, struct tree_stmt *s)
{
    struct writes *w = user;
    if (stmt_rows[s->kind].flags & STMT_WRITES)
        w->found |= s->alias == 0 || s->alias == w->alias;
    return !w->found;
}

/* A stream is the same for all iterations: a variable, or in memory that the loop does not write. */
static bool is_same_stream(const struct batches *b, const struct tree_expr *handle)
{
    if (handle->op != EXPR_LOAD)
        return tree_scan_invariant(&b->scan, handle);
    struct writes w = { .alias = handle->alias, .found = handle->alias == 0 };
    stmt_visit(b->loop->body, see_write, &w);
    return !w.found && tree_scan_invariant(&b->scan, handle->args[0]) && tree_scan_invariant(&b->scan, handle->args[1]);
}

static bool may_wait(struct batches *b)
{
    const struct tree_stmt *l = b->loop;
    const struct tree_scan *whole = tree_whole(&b->whole);
    find_pushes(b, l->body, NULL);
    if (b->other || !b->pushes.count || !tree_scan_is_closed(&b->scan, whole) || b->scan.returns ||
        map_get(&b->scan.uses, l->var) != map_get(&whole->uses, l->var))
        return false;
    for (uint32_t i = 0; i < b->batches.count; i++) {
        const struct batch *x = &b->batches.items[i];
        if (!is_same_stream(b, x->handle) || x->pushes * BATCH * x->type->size > MOST_BYTES)
            return false;
    }
    return true;
}

/* ---- rewriting ---- */

static void see_costs(void *user, struct tree_expr *e)
{
    bool integers = e->op == EXPR_DIV && !type_is_float(e->type);
    *(bool *)user |= e->op == EXPR_LOAD || e->op == EXPR_CALL || e->op == EXPR_MATH || e->op == EXPR_REM || integers;
}

/* Is there nothing but the push behind the branch, and may its value be computed in any case? */
static bool is_alone(const struct batches *b, const struct push *p)
{
    const struct tree_stmt *alloc = p->block->items.items[0];
    bool costs = false;
    if (!p->guard || p->block->items.count != 3 || alloc->kind != STMT_ALLOC || alloc->var != p->store->pointer->var ||
        (uintptr_t)map_get(&b->scan.uses, alloc->var) != 3)
        return false;
    expr_visit(p->store->value, see_costs, &costs);
    return !costs;
}

/* The element waits, and counts. */
static void wait(struct batches *b, const struct push *p)
{
    struct tree *t = b->tree;
    const struct batch *x = batch_of(b, p);
    struct tree_expr *n = expr_var(t, x->count), *more = expr_i64(t, 1);
    struct tree_stmt *block = stmt_block(t);
    bool alone = is_alone(b, p);
    if (alone)
        more = expr_cast(t, n->type, expr_truth(t, p->guard->value));
    stmt_store(t, block, expr_var(t, x->memory), n, p->store->value, x->alias)->place = p->store->place;
    stmt_assign(t, block, x->count, expr_binary(t, EXPR_ADD, n, more))->place = p->call->place;
    if (alone) {
        *p->guard = *block;
        return;
    }
    *p->store = *stmt_block(t);
    *p->call = *block;
}

/* One place more than there are elements: what does not count is stored, too. */
static void begin_batch(struct tree *t, struct batch *x, struct tree_stmt *out)
{
    x->memory = tree_var(t, "batch", type_pointer(t->ir, x->type));
    x->count = tree_var(t, "waiting", type_basic(t->ir, TYPE_I64));
    x->alias = t->num_aliases++;
    stmt_alloc(t, out, x->memory, x->type, expr_i64(t, x->pushes * BATCH + 1), TREE_STACK)->alias = x->alias;
}

static struct tree_stmt *rewrite(struct batches *b)
{
    struct tree *t = b->tree;
    struct tree_stmt *out = stmt_block(t), *l = b->loop, *inner = NEW(t->arena, struct tree_stmt);
    struct tree_expr *end = stmt_variable(t, out, "end", l->end), *length = expr_i64(t, BATCH * l->step->i);
    for (uint32_t i = 0; i < b->batches.count; i++)
        begin_batch(t, &b->batches.items[i], out);
    for (uint32_t i = 0; i < b->pushes.count; i++)
        wait(b, &b->pushes.items[i]);
    struct tree_var *first = tree_var(t, "first", l->var->type);
    struct tree_stmt *outer = stmt_for(t, out, first, l->begin, end, length);
    outer->place = l->place;
    for (uint32_t i = 0; i < b->batches.count; i++)
        stmt_assign(t, outer->body, b->batches.items[i].count, expr_i64(t, 0));
    *inner = *l;
    inner->begin = expr_var(t, first);
    inner->end = expr_binary(t, EXPR_MIN, expr_binary(t, EXPR_ADD, inner->begin, length), end);
    inner->loop.independent = false; /* it counts */
    inner->loop.wide = 0;
    stmt_append(t, outer->body, inner);
    for (uint32_t i = 0; i < b->batches.count; i++) {
        const struct batch *x = &b->batches.items[i];
        struct tree_expr *args[] = { expr_context(t), x->handle, expr_var(t, x->memory), expr_var(t, x->count) };
        struct tree_stmt *push =
            stmt_call(t, outer->body, NULL, tree_callees[CALLEE_sdfg_rt_stream_push].name, args, 4);
        push->isolated = true;
        push->place = l->place;
    }
    return out;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct batches *b = user;
    struct tree *t = b->tree;
    if (s->kind != STMT_FOR || s->loop.parallel || s->loop.level != TREE_HOST || s->loop.unroll ||
        s->var->type->kind != TYPE_I64 || s->step->op != EXPR_INT || loop_is_shorter(s, SHORTEST))
        return true;
    b->loop = s;
    b->scan = (struct tree_scan){ .arena = t->scratch };
    b->pushes.count = b->batches.count = 0;
    b->other = false;
    tree_scan_add(&b->scan, s);
    if (!may_wait(b))
        return true;
    const struct tree_stmt *region = t->region;
    t->region = s->var->owner;
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_BATCHED_PUSHES, BATCH);
    *s = *rewrite(b);
    t->region = region;
    return false;
}

bool opt_batch_pushes(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->plain && i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct batches b = { .tree = t, .whole = { t, f, { 0 }, false } };
        stmt_visit(f->body, look, &b);
        stmt_flatten(t, f->body);
    }
    return true;
}
