/* standard.CopyLibraryNode, standard.FillLibraryNode, linalg.Transpose, linalg.TensorTranspose. */
#include "lower/library/library.h"

#include "ir/json.h"

#include <string.h>

bool lower_copy_node(struct scope *sc, struct library *n)
{
    struct area from, to;
    const struct edge *e = library_input_edge(n, "_cpy_in");
    const char *in = e ? "_cpy_in" : NULL;
    if (!library_input(sc, n, in, &from) || !library_output(sc, n, e ? "_cpy_out" : NULL, &to))
        return false;
    struct edge *out = library_output_edge(n, e ? "_cpy_out" : NULL);
    const struct sym *volume = area_volume(sc->act->lw, &from);
    if (sym_is_int(volume, 1)) { /* one element is copied, whatever the size of the destination */
        from.rank = 0;
        to.rank = 0;
    }
    return lower_copy(sc, &n->node.place, &from, &to, &out->memlet, lower_is_conflicting(sc, out));
}

bool lower_fill_node(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct area out, in;
    if (!library_output(sc, n, NULL, &out))
        return false;
    if (library_input_edge(n, "_fill_val")) {
        if (!library_input(sc, n, "_fill_val", &in))
            return false;
        struct tree_var *v = tree_var(lw->tree, "value", out.type);
        struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
        struct tree_expr *e = code_convert(&cs, out.type, expr_load(lw->tree, in.type, in.pointer, expr_i64(lw->tree, 0), in.alias));
        if (!e)
            return false;
        stmt_assign(lw->tree, sc->block, v, e);
        return library_fill(sc, &n->node.place, &out, expr_var(lw->tree, v));
    }
    struct tree_expr *value = library_scalar(sc, n, "value", 0, out.type);
    return value && library_fill(sc, &n->node.place, &out, value);
}

/* out[i...] = alpha * in[permuted i...] + beta * out[i...]; perm[k]: dimension of `in` that is dimension k of `out`. */
static bool permute(struct scope *sc, const struct place *place, const struct area *in, const struct area *out,
                    const uint32_t *perm, struct tree_expr *alpha, struct tree_expr *beta)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct sym *index[2 * LOWER_MAX_RANK + 1], *in_index[2 * LOWER_MAX_RANK + 1];
    struct scope body = *sc;
    body.block = lower_loops(sc, place, out->rank, out->sizes, true, index);
    if (!body.block)
        return false;
    for (uint32_t k = 0; k < out->rank; k++)
        in_index[perm[k]] = index[k];
    struct tree_expr *from = area_offset(lw, place, in, in_index), *to = area_offset(lw, place, out, index);
    if (!from || !to)
        return false;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *value = code_convert(&cs, out->type, expr_load(t, in->type, in->pointer, from, in->alias));
    if (!value)
        return false;
    if (alpha)
        value = expr_binary(t, EXPR_MUL, alpha, value);
    if (beta)
        value = expr_binary(t, EXPR_ADD, value, expr_binary(t, EXPR_MUL, beta, expr_load(t, out->type, out->pointer, to, out->alias)));
    struct area at = *out;
    at.pointer = expr_offset(t, out->pointer, to);
    return lower_write(&body, place, &at, NULL, false, value);
}

bool lower_transpose(struct scope *sc, struct library *n)
{
    struct area in, out;
    static const uint32_t swap[] = { 1, 0 };
    if (!library_input(sc, n, NULL, &in) || !library_output(sc, n, NULL, &out))
        return false;
    if (in.rank != 2 || out.rank != 2) {
        area_squeeze(&in);
        area_squeeze(&out);
    }
    if (in.rank == 2 && out.rank == 2)
        return permute(sc, &n->node.place, &in, &out, swap, NULL, NULL);
    return lower_copy(sc, &n->node.place, &in, &out, NULL, false);
}

static bool is_value(const struct json *v, double expected)
{
    double d;
    return json_is(v, JSON_STRING) ? !strcmp(json_string(v), expected ? "1" : "0") : json_real(v, &d) && d == expected;
}

bool lower_tensor_transpose(struct scope *sc, struct library *n)
{
    struct area in, out;
    if (!library_input(sc, n, NULL, &in) || !library_output(sc, n, NULL, &out))
        return false;
    const struct json *axes = json_get(n->attributes, "axes"), *alpha = json_get(n->attributes, "alpha"),
                      *beta = json_get(n->attributes, "beta");
    uint32_t perm[2 * LOWER_MAX_RANK + 1], seen = 0;
    uint32_t count = axes ? axes->count : 0;
    if (count != in.rank || count != out.rank || count > LOWER_MAX_RANK)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
    for (uint32_t k = 0; k < count; k++) {
        int64_t axis;
        if (!json_int(json_at(axes, k), &axis) || axis < 0 || axis >= count || (seen & 1u << axis))
            return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
        seen |= 1u << axis;
        perm[k] = (uint32_t)axis;
    }
    struct tree_expr *scale = NULL, *keep = NULL;
    if (alpha && !is_value(alpha, 1) && !(scale = library_scalar(sc, n, "alpha", 1, out.type)))
        return false;
    if (beta && !is_value(beta, 0) && !(keep = library_scalar(sc, n, "beta", 0, out.type)))
        return false;
    return permute(sc, &n->node.place, &in, &out, perm, scale, keep);
}
