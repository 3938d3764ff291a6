#include "lower/tree/tree_product.h"

#include "runtime/abi.h"

int tree_product_type(const struct type *elem)
{
    switch (elem->kind) {
    case TYPE_F32:
        return SDFG_RT_F32;
    case TYPE_F64:
        return SDFG_RT_F64;
    case TYPE_C64:
        return SDFG_RT_C64;
    case TYPE_C128:
        return SDFG_RT_C128;
    default:
        return -1;
    }
}

struct tree_expr *stmt_address_of(struct tree *t, struct tree_stmt *b, struct tree_expr *value)
{
    struct tree_var *v = tree_var(t, "scalar", type_pointer(t->ir, value->type));
    stmt_alloc(t, b, v, value->type, expr_i64(t, 1), TREE_STACK);
    stmt_store(t, b, expr_var(t, v), expr_i64(t, 0), value, t->num_aliases++);
    return expr_var(t, v);
}

static bool is_number(const struct tree_expr *e, double value)
{
    if (e->op == EXPR_COMPLEX)
        return is_number(e->args[0], value) && is_number(e->args[1], 0);
    return e->op == EXPR_FLOAT && e->f == value;
}

/* The address of a factor, null if it is the usual one: the runtime need not look at it. */
static struct tree_expr *factor(struct tree *t, struct tree_stmt *b, struct tree_expr *value, double usual)
{
    if (is_number(value, usual))
        return expr_null(t, type_pointer(t->ir, value->type));
    return stmt_address_of(t, b, value);
}

static const struct tree_expr *if_constant(const struct tree_expr *e) { return expr_is_const(e) ? e : NULL; }

struct tree_stmt *stmt_product(struct tree *t, struct tree_stmt *b, const struct tree_product_of *p)
{
    struct tree_expr *args[PRODUCT_ARGS] = {
        [0] = expr_context(t),
        [1] = expr_int(t, type_basic(t->ir, TYPE_I32), tree_product_type(p->type)),
        [PRODUCT_M] = p->m,
        [PRODUCT_N] = p->n,
        [PRODUCT_K] = p->k,
        [PRODUCT_A] = p->a.address,
        [PRODUCT_A_ROW] = p->a.row,
        [PRODUCT_A_COL] = p->a.column,
        [PRODUCT_B] = p->b.address,
        [PRODUCT_B_ROW] = p->b.row,
        [PRODUCT_B_COL] = p->b.column,
        [PRODUCT_C] = p->c.address,
        [PRODUCT_C_ROW] = p->c.row,
        [PRODUCT_C_COL] = p->c.column,
    };
    args[PRODUCT_ALPHA] = factor(t, b, p->alpha, 1);
    args[PRODUCT_BETA] = factor(t, b, p->beta, 0);
    struct tree_product *product = NEW(t->arena, struct tree_product);
    *product = (struct tree_product){
        p->type, p->a.alias, p->b.alias, p->c.alias, if_constant(p->alpha), if_constant(p->beta)
    };
    struct tree_stmt *call = stmt_call(t, b, NULL, "sdfg_rt_gemm", args, PRODUCT_ARGS);
    call->product = product;
    return call;
}
