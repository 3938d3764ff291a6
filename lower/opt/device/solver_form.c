#include "lower/opt/device/solver_form.h"

#include "lower/tree/tree_product.h"

static const struct solver_form forms[] = {
    { CALLEE_sdfg_rt_cholesky, CHOLESKY, 2, 3, 3, { 4, 7 }, { 0, 10 } },
    { CALLEE_sdfg_rt_potrf, POTRF, 2, 3, 3, { 4 }, { 0, 7 } },
    { CALLEE_sdfg_rt_getrf, GETRF, 0, 2, 3, { 4 }, { 7, 8 } },
    { CALLEE_sdfg_rt_getrs, GETRS, 0, 2, 3, { 4, 8 }, { 7, 11 } },
    { CALLEE_sdfg_rt_solve, SOLVE, 0, 2, 3, { 4, 7, 10 }, { 0, 13 } },
    { CALLEE_sdfg_rt_inverse, INVERSE, 0, 2, 2, { 3, 6 }, { 0, 9 } },
    { CALLEE_sdfg_rt_demand, DEMAND, 0, 0, 0, { 0 }, { 0, 2 } },
};

const struct solver_form *solver_form_of(const struct tree_stmt *s)
{
    if (s->kind != STMT_CALL || s->pointer || s->check)
        return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (stmt_callee(s) == &tree_callees[forms[i].row])
            return &forms[i];
    return NULL;
}

const struct type *solver_elements(const struct solver_form *f, const struct tree_stmt *call)
{
    return call->args[f->matrices[0]]->type->elem;
}

int solver_result(const struct solver_form *f)
{
    int last = SOLVER_MATRICES - 1;
    while (last && !f->matrices[last])
        last--;
    return f->matrices[last];
}

bool solver_is_known(const struct solver_form *f, const struct tree_stmt *call)
{
    const struct tree_expr *type = call->args[SOLVER_TYPE];
    return type->op == EXPR_INT && (!f->lower || call->args[f->lower]->op == EXPR_INT) &&
           type->i == tree_product_type(solver_elements(f, call));
}
