#include "lower/tree/tree_product.h"

#include "base/text.h"
#include "lower/tree/tree_callee.h"
#include "runtime/abi.h"

#include <string.h>

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

bool stmt_is_product(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && !s->pointer && s->product && stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_gemm];
}

/* ---- products on a device ---- */

/* Factors go by value, real and imaginary. */
static void add_factor(struct tree *t, struct tree_expr **args, struct tree_expr *value)
{
    const struct type *real = type_basic(t->ir, TYPE_F64);
    bool complex = type_is_complex(value->type);
    args[0] = expr_cast(t, real, complex ? expr_unary(t, EXPR_REAL, value) : value);
    args[1] = complex ? expr_cast(t, real, expr_unary(t, EXPR_IMAG, value)) : expr_float(t, real, 0);
}

struct tree_expr *tree_path_of(struct tree *t, const struct place *place)
{
    struct text path = text_new(t->arena);
    if (place)
        place_print(place, &path);
    const char *text = path.length ? text_get(&path) : "the program";
    return expr_data(t, type_basic(t->ir, TYPE_I8), text, strlen(text) + 1);
}

struct tree_stmt *stmt_device_products(struct tree *t, struct tree_stmt *b, const struct tree_products *p,
                                       const struct place *place)
{
    enum { MODE = 3, SIZES = 4, MATRICES = 7, FACTORS = 16, COUNT = 20, ARGS = 24 };
    const struct tree_product_of *f = &p->first;
    const struct tree_matrix *const matrices[] = { &f->a, &f->b, &f->c };
    const struct type *i32 = type_basic(t->ir, TYPE_I32);
    enum sdfg_rt_product_mode mode = p->strict ? SDFG_RT_PRODUCT_STRICT
                                     : p->fast ? SDFG_RT_PRODUCT_FAST
                                               : SDFG_RT_PRODUCT_DEFAULT;
    struct tree_expr *args[ARGS] = { [0] = expr_context(t),
                                     [1] = tree_path_of(t, place),
                                     [2] = expr_int(t, i32, tree_product_type(f->type)),
                                     [MODE] = expr_int(t, i32, mode),
                                     [SIZES] = f->m,
                                     [SIZES + 1] = f->n,
                                     [SIZES + 2] = f->k,
                                     [COUNT] = p->count };
    for (int i = 0; i < 3; i++) {
        args[MATRICES + 3 * i] = matrices[i]->address;
        args[MATRICES + 3 * i + 1] = matrices[i]->row;
        args[MATRICES + 3 * i + 2] = matrices[i]->column;
        args[COUNT + 1 + i] = p->steps[i];
    }
    add_factor(t, args + FACTORS, f->alpha);
    add_factor(t, args + FACTORS + 2, f->beta);
    struct tree_stmt *call = stmt_call(t, b, NULL, "sdfg_rt_device_gemm", args, ARGS);
    call->place = place;
    return call;
}

bool tree_product_is_small(const struct tree_expr *work)
{
    return work->op == EXPR_INT && work->i <= SDFG_RT_SMALL_PRODUCT;
}
