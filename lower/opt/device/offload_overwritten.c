/* Arguments that the program overwrites as a whole before it reads them: nothing has to be copied to the device. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_scan.h"

enum { DEEPEST = 8 }; /* loops of a nest that are looked at */

struct mention {
    struct offload *offload;
    const struct memory *memory;
    bool read, write, moved; /* moved: a pointer to it gets a value */
};

static void see_touch(void *user, struct memory *m, bool write)
{
    struct mention *w = user;
    if (m != w->memory)
        return;
    w->read |= !write;
    w->write |= write;
}

static bool see(void *user, struct tree_stmt *s)
{
    struct mention *w = user;
    bool before = w->write;
    w->write = false;
    offload_each_touch(w->offload, s, see_touch, w);
    w->read |= w->write && (s->kind == STMT_REDUCE || s->kind == STMT_UPDATE);
    w->write |= before;
    if (s->var && s->var->type->kind == TYPE_POINTER)
        w->moved |= offload_same(&w->offload->by_var[s->var->id]) == w->memory;
    return true;
}

static bool equal(const struct tree_expr *a, const struct tree_expr *b)
{
    struct linear x, y;
    linear_of(&x, a);
    linear_of(&y, b);
    return x.known && y.known && linear_equal(&x, &y);
}

static bool is_zero(const struct tree_expr *e)
{
    return e->op == EXPR_COMPLEX ? is_zero(e->args[0]) && is_zero(e->args[1]) : e->op == EXPR_FLOAT && e->f == 0;
}

/* Elements that a product gives new values, one behind the other; NULL: it is none such. */
static struct tree_expr *elements_of_product(struct tree *t, const struct tree_stmt *s, const struct origin *x)
{
    if (!stmt_is_product(s) || s->product->type != x->type || !s->product->beta || !is_zero(s->product->beta))
        return NULL;
    struct tree_expr *m = s->args[PRODUCT_M], *n = s->args[PRODUCT_N], *row = s->args[PRODUCT_C_ROW],
                     *column = s->args[PRODUCT_C_COL];
    bool rows = expr_is_int(column, 1) && equal(row, n), columns = expr_is_int(row, 1) && equal(column, m);
    return rows || columns ? expr_binary(t, EXPR_MUL, m, n) : NULL;
}

/* Where a pointer leads behind that of the memory; NULL: elsewhere. */
static struct tree_expr *offset_from(struct tree *t, const struct tree_expr *pointer, const struct tree_expr *address)
{
    struct tree_expr *sum = expr_i64(t, 0);
    for (; pointer->op == EXPR_OFFSET; pointer = pointer->args[0])
        sum = expr_binary(t, EXPR_ADD, sum, pointer->args[1]);
    return expr_equal(pointer, address) ? sum : NULL;
}

/* Is it element, or matrix, number `at` of `count`? They are all of the memory. */
static bool covers_one(struct offload *o, const struct tree_stmt *s, const struct origin *x, struct tree_expr *at,
                       struct tree_expr *count)
{
    struct tree *t = o->tree;
    struct tree_expr *elements = elements_of_product(t, s, x);
    if (!elements)
        return s->kind == STMT_STORE && expr_equal(s->pointer, x->address) && s->value->type == x->type &&
               equal(s->index, at) && equal(count, x->count);
    struct tree_expr *offset = offset_from(t, s->args[PRODUCT_C], x->address);
    return offset && equal(offset, expr_binary(t, EXPR_MUL, at, elements)) &&
           equal(expr_binary(t, EXPR_MUL, count, elements), x->count);
}

/* Loops from 0 by 1, one in the other, with a store to element ((i * n1) + j) * n2 + k of n0 * n1 * n2. */
static bool covers(struct offload *o, const struct tree_stmt *s, const struct origin *x)
{
    struct tree *t = o->tree;
    struct tree_expr *at = NULL, *count = NULL;
    for (int depth = 0; s->kind == STMT_FOR && depth < DEEPEST; depth++) {
        if (!(s->loop.parallel || s->loop.independent) || !expr_is_int(s->begin, 0) || !expr_is_int(s->step, 1) ||
            s->var->type->kind != TYPE_I64)
            return false;
        struct tree_expr *i = expr_var(t, s->var);
        at = at ? expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, at, s->end), i) : i;
        count = count ? expr_binary(t, EXPR_MUL, count, s->end) : s->end;
        for (uint32_t k = 0; k < s->body->items.count; k++) {
            const struct tree_stmt *inner = s->body->items.items[k];
            if (covers_one(o, inner, x, at, count))
                return true;
            if (inner->kind == STMT_CONTINUE || inner->kind == STMT_BREAK || inner->kind == STMT_IF)
                return false;
        }
        if (s->body->items.count != 1)
            return false;
        s = s->body->items.items[0];
    }
    return false;
}

static bool fills(struct offload *o, const struct tree_stmt *s, const struct origin *x)
{
    if (s->kind == STMT_COPY || s->kind == STMT_ZERO)
        return expr_equal(s->pointer, x->address) && s->type == x->type && equal(s->count, x->count);
    if (stmt_is_product(s))
        return covers_one(o, s, x, expr_i64(o->tree, 0), expr_i64(o->tree, 1));
    return covers(o, s, x);
}

bool offload_is_overwritten(struct offload *o, const struct memory *m)
{
    const struct origin *x = m->origins;
    if (!x || x->next || !tree_scan_invariant(tree_whole(&o->whole), x->count))
        return false;
    for (uint32_t i = 0; i < o->main->body->items.count; i++) {
        struct tree_stmt *s = o->main->body->items.items[i];
        struct mention w = { .offload = o, .memory = m };
        stmt_visit(s, see, &w);
        if (w.moved || w.read || s->kind == STMT_LABEL || s->kind == STMT_GOTO)
            return false;
        if (w.write)
            return fills(o, s, x);
        if (s->kind == STMT_RETURN || (s->body && !stmt_is_loop(s) && s->kind != STMT_IF))
            return false;
    }
    return false;
}
