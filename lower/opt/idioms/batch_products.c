/* Products of matrices in a loop, one for each iteration, become one for many iterations.
 *
 *     for r = 0 to R {                              for b { (as many iterations as memory is taken for)
 *         gemm(T = A[r] B), T of M x N                  gemm(T' = A[r' ... r' + W] B), T' of W * M x N
 *         copy A[r] from T                  ->          copy A[r' ... r' + W] from T'
 *     }                                             }
 *
 * On the host threads share the blocks if there are many of them; each block takes its own T' then.
 *
 * Rows of one matrix that continue those of the one before are one matrix with them, columns the same; else, on a
 * device, the products become a parallel loop, which a library does in one call.
 *
 * Legality: The matrices of an iteration are as far from those of the one before as a number says that is the same for
 * all, nothing that is stored overlaps what other iterations store or read, and memory between product and copy has
 * no other use. Profitability: From two iterations on. Memory of several products is taken up to a limit. On the host
 * products of the library, which packs the matrix that all have in common each time; results that are copied are still
 * in the cache then. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_address.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    MOST_BYTES = 1 << 28, /* of the results between products and copies, on a device */
    MANY_BLOCKS = 16      /* are shared by threads */
};

/* Of one iteration. */
struct batch_operand {
    struct tree_expr *address, *step; /* elements to the next iteration */
    struct tree_expr *extent;         /* elements from the first to the last one, and one */
    uint32_t alias;
};

struct product_batching {
    struct tree *tree;
    struct tree_whole whole;
    struct tree_func *func;
    bool device, threads;
    /* the loop at hand */
    struct tree_stmt *loop, *call, *copy; /* copy: NULL: the product stores where it shall */
    struct tree_scan scan;
    struct batch_operand a, b, c; /* c: what the iteration leaves */
};

/* ---- sizes ---- */

static bool same(const struct tree_expr *x, const struct tree_expr *y)
{
    struct linear a, b;
    linear_of(&a, x);
    linear_of(&b, y);
    return a.known && b.known && linear_equal(&a, &b);
}

static struct tree_expr *times(struct product_batching *w, struct tree_expr *x, struct tree_expr *y)
{
    return expr_binary(w->tree, EXPR_MUL, x, y);
}

static struct tree_expr *extent(struct product_batching *w, enum tree_product_arg rows, enum tree_product_arg columns,
                                enum tree_product_arg matrix)
{
    struct tree *t = w->tree;
    struct tree_expr *const *args = w->call->args, *one = expr_i64(t, 1);
    struct tree_expr *down = times(w, expr_binary(t, EXPR_SUB, args[rows], one), args[matrix + 1]);
    struct tree_expr *right = times(w, expr_binary(t, EXPR_SUB, args[columns], one), args[matrix + 2]);
    return expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_ADD, down, right), one);
}

static bool find_operand(struct product_batching *w, struct batch_operand *x, struct tree_expr *address,
                         struct tree_expr *elements, uint32_t alias)
{
    *x = (struct batch_operand){ .address = address, .extent = elements, .alias = alias };
    x->step = address_step(w->tree, address, w->call->product->type, w->loop->var);
    const struct tree_expr *base = address;
    while (base->op == EXPR_OFFSET && tree_scan_invariant(&w->scan, base->args[0]))
        base = base->args[0];
    return x->step && alias && base->op == EXPR_VAR && !map_has(&w->scan.assigned, base->var);
}

/* ---- may they ---- */

/* Does each iteration leave a piece of its own, right behind the one before, and read nothing of what others leave? */
static bool is_apart(struct product_batching *w, const struct batch_operand *x)
{
    if (x->alias != w->c.alias)
        return true;
    return w->copy && same(x->step, w->c.step) && expr_equal(x->address, w->c.address) && same(x->extent, w->c.extent);
}

/* Dense, by rows or by columns. */
static bool is_dense(struct tree_expr *const *args)
{
    bool rows = expr_is_int(args[PRODUCT_C_COL], 1) && same(args[PRODUCT_C_ROW], args[PRODUCT_N]);
    bool columns = expr_is_int(args[PRODUCT_C_ROW], 1) && same(args[PRODUCT_C_COL], args[PRODUCT_M]);
    return rows || columns;
}

struct memory_uses {
    const struct tree_var *var;
    uint32_t allocs, frees;
    bool heap;
};

static bool see_memory(void *user, struct tree_stmt *s)
{
    struct memory_uses *u = user;
    if (s->kind == STMT_ALLOC && s->var == u->var) {
        u->allocs++;
        u->heap = s->where == TREE_HEAP && !s->zero;
    }
    u->frees += s->kind == STMT_FREE && s->var == u->var;
    return true;
}

/* Is the memory between product and copy of no other use, and all of it what the product stores? */
static bool is_between(struct product_batching *w, const struct tree_var *v)
{
    struct memory_uses u = { .var = v };
    stmt_visit(w->func->body, see_memory, &u);
    uintptr_t uses = (uintptr_t)map_get(&tree_whole(&w->whole)->uses, v);
    return u.allocs == 1 && u.heap && v->elements && same(v->elements, w->copy->count) &&
           uses == (uintptr_t)map_get(&w->scan.uses, v) + u.allocs + u.frees &&
           (uintptr_t)map_get(&w->scan.uses, v) == 2;
}

static bool find_call(struct product_batching *w)
{
    const struct tree_stmt *body = w->loop->body;
    w->call = body->items.count ? body->items.items[0] : NULL;
    w->copy = body->items.count == 2 ? body->items.items[1] : NULL;
    if (!w->call || !stmt_is_product(w->call) || body->items.count > 2)
        return false;
    return !w->copy || (w->copy->kind == STMT_COPY && w->copy->type == w->call->product->type &&
                        expr_equal(w->copy->pointer2, w->call->args[PRODUCT_C]) && w->copy->pointer2->op == EXPR_VAR &&
                        is_between(w, w->copy->pointer2->var));
}

static bool is_candidate(struct product_batching *w)
{
    const struct tree_product *p = w->call->product;
    struct tree_expr *const *args = w->call->args;
    for (int i = PRODUCT_M; i < PRODUCT_ALPHA; i++)
        if (i != PRODUCT_A && i != PRODUCT_B && i != PRODUCT_C && !tree_scan_invariant(&w->scan, args[i]))
            return false;
    struct tree_expr *result = extent(w, PRODUCT_M, PRODUCT_N, PRODUCT_C);
    struct tree_expr *left = w->copy ? w->copy->pointer : args[PRODUCT_C];
    return p->alpha && expr_is_float(p->beta, 0) && is_dense(args) &&
           find_operand(w, &w->a, args[PRODUCT_A], extent(w, PRODUCT_M, PRODUCT_K, PRODUCT_A), p->a) &&
           find_operand(w, &w->b, args[PRODUCT_B], extent(w, PRODUCT_K, PRODUCT_N, PRODUCT_B), p->b) &&
           find_operand(w, &w->c, left, result, w->copy ? w->copy->alias : p->c) && same(w->c.step, result) &&
           (!w->copy || same(w->copy->count, result)) && is_apart(w, &w->a) && is_apart(w, &w->b);
}

/* Are the products of several iterations one product, with more rows or with more columns? */
static bool has_rows_behind(struct product_batching *w)
{
    struct tree_expr *const *args = w->call->args;
    bool by_rows = expr_is_int(args[PRODUCT_C_COL], 1) && same(args[PRODUCT_C_ROW], args[PRODUCT_N]);
    return by_rows && expr_is_int(w->b.step, 0) && same(w->a.step, times(w, args[PRODUCT_M], args[PRODUCT_A_ROW]));
}

static bool has_columns_behind(struct product_batching *w)
{
    struct tree_expr *const *args = w->call->args;
    bool by_columns = expr_is_int(args[PRODUCT_C_ROW], 1) && same(args[PRODUCT_C_COL], args[PRODUCT_M]);
    return by_columns && expr_is_int(w->a.step, 0) && same(w->b.step, times(w, args[PRODUCT_N], args[PRODUCT_B_COL]));
}

/* Bytes of the results that wait to be copied; on the host half of the cache, the rest is for what they are made of. */
static int64_t room(const struct product_batching *w)
{
    return w->device ? MOST_BYTES : w->tree->machine->second_cache / 2;
}

/* One product of the host is quicker than several of the library if it saves packing, and waiting results do not leave
 * the cache. */
static bool pays(struct product_batching *w)
{
    struct tree_expr *const *args = w->call->args;
    struct tree_expr *work = times(w, times(w, args[PRODUCT_M], args[PRODUCT_N]), args[PRODUCT_K]);
    bool own = tree_product_is_small(work);
    bool fits = !w->copy || w->c.step->op != EXPR_INT || w->c.step->i * (int64_t)w->copy->type->size <= room(w);
    return w->device || (!own && fits && (has_rows_behind(w) || has_columns_behind(w)));
}

/* ---- rewriting ---- */

static struct tree_stmt *clone_at(struct product_batching *w, const struct tree_stmt *s, struct tree_expr *first)
{
    struct tree_stmt *copy = stmt_clone(w->tree, s);
    stmt_substitute(w->tree, copy, w->loop->var, first);
    return copy;
}

/* The products of `many` iterations from `first` on, with results one behind the other from `result` on. */
static void put_products(struct product_batching *w, struct tree_stmt *out, struct tree_expr *first,
                         struct tree_expr *many, struct tree_expr *result, uint32_t alias)
{
    struct tree *t = w->tree;
    struct tree_expr *const *args = w->call->args;
    bool rows = has_rows_behind(w), columns = !rows && has_columns_behind(w);
    struct tree_product *p = arena_copy(t->arena, w->call->product, sizeof *p);
    p->c = alias;
    if (rows || columns) {
        struct tree_stmt *call = clone_at(w, w->call, first);
        enum tree_product_arg longer = rows ? PRODUCT_M : PRODUCT_N;
        call->args[longer] = times(w, args[longer], many);
        call->args[PRODUCT_C] = result;
        call->product = p;
        stmt_append(t, out, call);
        return;
    }
    struct tree_var *k = tree_var(t, "k", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, out, k, expr_i64(t, 0), many, expr_i64(t, 1));
    struct tree_stmt *call = clone_at(w, w->call, expr_binary(t, EXPR_ADD, first, expr_var(t, k)));
    call->args[PRODUCT_C] = expr_offset(t, result, times(w, expr_var(t, k), w->c.step));
    call->product = p;
    loop->loop.parallel = loop->loop.independent = true;
    loop->place = w->loop->place;
    stmt_append(t, loop->body, call);
}

/* Blocks of `width` iterations each. `parallel`: each has memory of its own for its results. */
static void put_loop(struct product_batching *w, struct tree_stmt *out, struct tree_expr *trips,
                     struct tree_expr *width, struct tree_expr *size, struct tree_expr *blocks, bool parallel)
{
    struct tree *t = w->tree;
    const struct type *type = w->call->product->type;
    struct tree_var *results = tree_var(t, "results", type_pointer(t->ir, type));
    struct tree_var *block = tree_var(t, "block", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *around = stmt_block(t);
    struct tree_stmt *loop = stmt_for(t, around, block, expr_i64(t, 0), blocks, expr_i64(t, 1));
    loop->loop.parallel = loop->loop.independent = loop->loop.heavy = parallel;
    loop->place = w->loop->place;
    struct tree_stmt *owner = parallel ? loop->body : out;
    uint32_t alias = t->num_aliases++;
    stmt_alloc(t, owner, results, type, times(w, width, size), TREE_HEAP)->alias = alias;
    struct tree_expr *at = stmt_variable(t, loop->body, "at", times(w, expr_var(t, block), width));
    struct tree_expr *first = stmt_variable(t, loop->body, "first", expr_binary(t, EXPR_ADD, w->loop->begin, at));
    struct tree_expr *left = expr_binary(t, EXPR_SUB, trips, at);
    struct tree_expr *many = stmt_variable(t, loop->body, "many", expr_binary(t, EXPR_MIN, width, left));
    put_products(w, loop->body, first, many, expr_var(t, results), alias);
    struct tree_stmt *copy = clone_at(w, w->copy, first);
    copy->count = times(w, size, many);
    copy->pointer2 = expr_var(t, results);
    copy->alias2 = alias;
    stmt_append(t, loop->body, copy);
    stmt_append(t, out, around);
    stmt_free(t, owner, results);
}

/* Results that are copied wait in memory for as many iterations as there is room for; two that pay, in the whole cache.
 * Many blocks keep threads busy better than one product does that all of them share. */
static void put_blocks(struct product_batching *w, struct tree_stmt *out, struct tree_expr *trips)
{
    struct tree *t = w->tree;
    struct tree_expr *size = stmt_variable(t, out, "size", w->c.step), *one = expr_i64(t, 1);
    struct tree_expr *most = expr_i64(t, room(w) / (int64_t)w->call->product->type->size);
    struct tree_expr *least = expr_i64(t, w->device || w->c.step->op != EXPR_INT ? 1 : 2);
    struct tree_expr *fit = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_DIV, most, size), least);
    struct tree_expr *width = stmt_variable(t, out, "width", expr_binary(t, EXPR_MIN, fit, trips));
    struct tree_expr *up = expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_ADD, trips, width), one);
    struct tree_expr *blocks = stmt_variable(t, out, "blocks", expr_binary(t, EXPR_DIV, up, width));
    if (!w->threads || blocks->op == EXPR_INT) {
        put_loop(w, out, trips, width, size, blocks, w->threads && blocks->i >= MANY_BLOCKS);
        return;
    }
    struct tree_stmt *many = stmt_if(t, out, expr_binary(t, EXPR_GE, blocks, expr_i64(t, MANY_BLOCKS)));
    many->otherwise = stmt_block(t);
    put_loop(w, many->body, trips, width, size, blocks, true);
    put_loop(w, many->otherwise, trips, width, size, blocks, false);
}

static void rewrite(struct product_batching *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *loop = w->loop;
    struct tree_expr *trips = stmt_variable(t, out, "trips", expr_binary(t, EXPR_SUB, loop->end, loop->begin));
    struct tree_stmt *some = stmt_if(t, out, expr_binary(t, EXPR_GT, trips, expr_i64(t, 0)));
    some->otherwise = NULL;
    remark(t->ir->remarks, w->call->place, NULL, REMARK_PRODUCTS_JOINED, remark_subject(t, loop));
    if (w->copy)
        put_blocks(w, some->body, trips);
    else
        put_products(w, some->body, loop->begin, trips, address_in_first(t, w->c.address, loop), w->c.alias);
    *loop = *out;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct product_batching *w = user;
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && s->loop.parallel))
        return false;
    if (!loop_counts_by_one(s) || loop_is_shorter(s, 2))
        return true;
    w->loop = s;
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    tree_scan_add(&w->scan, s->body);
    const struct tree_scan *whole = tree_whole(&w->whole);
    bool own = (uintptr_t)map_get(&whole->uses, s->var) == (uintptr_t)map_get(&w->scan.uses, s->var) + 1;
    if (!own || !tree_scan_invariant(&w->scan, s->begin) || !tree_scan_invariant(&w->scan, s->end) || !find_call(w) ||
        !is_candidate(w) || !pays(w))
        return true;
    rewrite(w);
    return false;
}

bool opt_batch_products(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct product_batching w = { .tree = t,
                                  .func = f,
                                  .device = o->device,
                                  .threads = !o->device && o->num_threads != 1,
                                  .whole = { .tree = t, .func = f } };
    if (o->plain || o->counting)
        return true;
    stmt_flatten(t, f->body);
    stmt_visit(f->body, look, &w);
    stmt_flatten(t, f->body);
    return true;
}
