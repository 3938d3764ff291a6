/* Parts of an elementwise expression that are broadcast are computed once, into memory of their own, instead of once
 * for each element of the result: alpha * B[i, :] in alpha * B[i, :] * A[:, np.newaxis]. */
#include "frontend/lower.h"

/* Scalars alone are not worth it: what is computed from them is loop-invariant. */
static bool reads_array(const struct value *v)
{
    bool found = v->kind == FE_VIEW && v->view.container->rank > 0;
    for (uint32_t i = 0; v->kind == FE_ELEM && i < v->elem->count; i++)
        found |= reads_array(v->elem->args[i]);
    return found;
}

/* Is it the same along some axis of the result? */
static bool is_broadcast(const struct value *part, const struct value *result)
{
    if (part->rank > result->rank)
        return false;
    uint32_t missing = result->rank - part->rank;
    for (uint32_t i = 0; i < missing; i++)
        if (!sym_is_int(result->shape[i], 1))
            return true;
    for (uint32_t i = 0; i < part->rank; i++)
        if (sym_is_int(part->shape[i], 1) && !sym_is_int(result->shape[missing + i], 1))
            return true;
    return false;
}

const struct value *fe_share_broadcast(struct fe *f, const struct py *n, const struct value *v,
                                       const struct value *result)
{
    if (v->kind != FE_ELEM || result->rank == 0)
        return v;
    if (is_broadcast(v, result) && reads_array(v))
        return fe_copy(f, n, v, "part");
    struct fe_elem elem = *v->elem;
    bool changed = false;
    for (uint32_t i = 0; i < elem.count; i++) {
        elem.args[i] = fe_share_broadcast(f, n, v->elem->args[i], result);
        if (!elem.args[i])
            return NULL;
        changed |= elem.args[i] != v->elem->args[i];
    }
    if (!changed)
        return v;
    struct value *shared = arena_copy(f->arena, v, sizeof *v);
    shared->elem = arena_copy(f->arena, &elem, sizeof elem);
    return shared;
}
