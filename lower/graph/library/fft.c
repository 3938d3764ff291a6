/* fft.FFT, fft.IFFT (library-nodes.md 7): calls of the runtime over all dimensions of the operand that are not 1. */
#include "lower/graph/library/library.h"
#include "lower/tree/tree_product.h"

static void squeeze(struct lower *lw, struct area *a)
{
    area_squeeze(a);
    if (a->rank)
        return;
    *a = area_copy(lw, a);
    a->sizes[0] = a->strides[0] = sym_int(lw->ir, 1);
    a->rank = 1;
}

static bool transform(struct scope *sc, struct library *n, int sign)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &n->node.place;
    const struct type *i32 = type_basic(lw->ir, TYPE_I32);
    struct area in, out;
    if (!library_input(sc, n, "_inp", &in) || !library_output(sc, n, "_out", &out))
        return false;
    if (!type_is_complex(out.type))
        return diag_error(lw->diags, place, DIAG_UNKNOWN_TYPE, n->node.label);
    squeeze(lw, &in);
    squeeze(lw, &out);
    if (in.rank != out.rank)
        return library_wrong_shapes(sc, n, "the result has another rank");
    for (uint32_t i = 0; i < in.rank; i++)
        if (library_differ(lw, in.sizes[i], out.sizes[i]))
            return library_wrong_shapes(sc, n, "the result has other extents");
    struct tree_expr *factor = library_scalar(sc, n, "factor", 1, out.type);
    if (!factor || !library_as_type(sc, place, out.type, &in))
        return false;
    struct tree_expr *args[] = {
        expr_context(t),
        expr_int(t, i32, tree_product_type(out.type)),
        expr_int(t, i32, sign),
        expr_i64(t, in.rank),
        library_list(sc, place, in.sizes, in.rank),
        in.pointer,
        library_list(sc, place, in.strides, in.rank),
        out.pointer,
        library_list(sc, place, out.strides, out.rank),
        stmt_address_of(t, sc->block, factor),
    };
    enum { COUNT = sizeof args / sizeof args[0] };
    for (int i = 0; i < COUNT; i++)
        if (!args[i])
            return false;
    stmt_call(t, sc->block, NULL, "sdfg_rt_fft", args, COUNT)->place = place;
    return true;
}

bool lower_fft(struct scope *sc, struct library *n) { return transform(sc, n, -1); }

bool lower_ifft(struct scope *sc, struct library *n) { return transform(sc, n, 1); }
