/* Matrices in block-cyclic distribution: dace.comm.BCScatter, BCGather, dace.distr.MatMult become nodes of
 * dace.libraries.pblas. The grid of processes has the extents of the symbols Px and Py. */
#include "frontend/mpi.h"

#include <string.h>

/* The nodes name the symbols of the grid without an edge: the program must have them. */
static bool has_grid(struct fe *f, const struct py *n)
{
    static const char *const names[] = { "Px", "Py" };
    for (int i = 0; i < 2; i++) {
        const char *name = intern(f->ir->names, names[i]);
        const struct sym *s = sym_name(f->ir, name);
        const struct value *v = fe_in_context(f, n, fe_symbol(f, s));
        if (!v)
            return false;
        if (!map_has(&f->symbol_types, name))
            return fe_error(f, n, "the grid of processes has the extents of the symbols Px and Py; there is no '%s'",
                            name) != NULL;
        if (fe_sym(f, v) != s)
            return fe_unsupported(f, n, "a grid of processes whose '%s' is another one's", name) != NULL;
    }
    return true;
}

/* Height and width of a block in a container of int32: given as an array, or as a tuple, or else the extents of a part.
 * A vector's are a height and 1. */
static const struct value *block_sizes(struct fe *f, const struct py *n, const struct value *given,
                                       const struct value *part)
{
    if (given && fe_is_data(given)) {
        given = fe_cast(f, n, type_basic(f->ir, TYPE_I32), given);
        return given ? fe_plain(f, n, given, "blocks") : NULL;
    }
    bool tuple = given && given->kind == FE_TUPLE;
    if ((given && given->kind != FE_NONE && !tuple) || (tuple && (!given->count || given->count > 2)))
        return fe_error(f, n, "the sizes of blocks are a tuple of a height and a width, this is %s",
                        fe_describe(f, given));
    const struct sym *two = sym_int(f->ir, 2);
    const struct value *v = fe_whole(f, fe_container(f, "blocks", type_basic(f->ir, TYPE_I32), &two, 1));
    for (uint32_t i = 0; i < 2; i++) {
        const struct value *size = fe_int(f, 1), *at = fe_int(f, i);
        if (tuple && i < given->count)
            size = given->items[i];
        else if (!tuple && i < part->rank)
            size = fe_symbol(f, part->shape[i]);
        const struct value *element = fe_subscript(f, n, v, at);
        if (!element || !fe_store(f, n, element, size, NULL))
            return NULL;
    }
    return v;
}

const struct value *fn_distr_deal(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    bool scatters = b->kind == 0;
    const struct value *in = fe_arg(a, 0, "in_buffer"), *out = fe_arg(a, 1, "out_buffer");
    const struct value *blocks = fe_arg(a, 2, "block_sizes"), *descriptors[2];
    const struct sym *nine = sym_int(f->ir, 9);
    struct fe_received r;
    if (!fe_args_done(f, a, 3) || !has_grid(f, a->node))
        return NULL;
    if (!blocks || blocks->kind == FE_NONE)
        return fe_error(f, a->node, "the sizes of the blocks are missing");
    if (!(blocks = block_sizes(f, a->node, blocks, NULL)) || !(in = fe_sent(f, a->node, in)) ||
        !fe_receives(f, a->node, out, true, &r))
        return NULL;
    if (in->type != r.to->type)
        return fe_error(f, a->node, "%s is sent, but received in %s", fe_describe(f, in), fe_describe(f, r.to));
    struct fe_wire wires[5] = { { "_inbuffer", in, NULL, false },
                                { "_block_sizes", blocks, NULL, false },
                                { "_outbuffer", r.to, NULL, true } };
    for (int i = 0; scatters && i < 2; i++) {
        descriptors[i] = fe_whole(f, fe_container(f, "descriptor", type_basic(f->ir, TYPE_I32), &nine, 1));
        wires[3 + i] = (struct fe_wire){ i ? "_ldescriptor" : "_gdescriptor", descriptors[i], NULL, true };
    }
    f->emitted++;
    fe_wired_node(f, b->name, fe_format(f, "dace.libraries.pblas.nodes.pgeadd.%s", b->format), NULL, scatters ? 5 : 3,
                  wires);
    const struct value *none = fe_after(f, a->node, &r);
    return none && scatters ? fe_tuple(f, descriptors, 2) : none;
}

/* The extents of the whole matrices as properties of the node. */
static const char *attributes(struct fe *f, const struct py *n, const struct value *shape, uint32_t count,
                              const char *more)
{
    static const char *const names[] = { "m", "n", "k" };
    struct text text = text_new(f->arena);
    text_printf(&text, "{%s", more);
    for (uint32_t i = 0; i < count; i++) {
        const struct value *size = fe_as_symbol(f, n, shape->items[i]);
        if (!size)
            return NULL;
        text_printf(&text, "%s\"%s\": \"", i || *more ? ", " : "", names[i]);
        sym_print(fe_sym(f, size), SYM_SYNTAX_NEW, &text);
        text_add(&text, "\"");
    }
    text_add(&text, "}");
    return text_get(&text);
}

/* The part of the result that is on this process: extents of the operands', or what `c_block_sizes` says. */
static const struct value *result(struct fe *f, const struct py *n, const struct value *x, const struct value *y,
                                  const struct value *blocks, bool transposed)
{
    const struct sym *shape[2] = { x->shape[transposed], y->shape[y->rank - 1] };
    uint32_t rank = y->rank;
    if (rank == 1 && blocks && blocks->kind != FE_NONE) {
        if (blocks->kind != FE_TUPLE || !blocks->count)
            return fe_error(f, n, "the sizes of blocks are a tuple of a height and a width, this is %s",
                            fe_describe(f, blocks));
        const struct value *size = fe_as_symbol(f, n, blocks->items[0]);
        if (!size)
            return NULL;
        shape[0] = fe_sym(f, size);
    }
    return fe_whole(f, fe_container(f, "product", x->type, shape, rank));
}

const struct value *fn_distr_matmult(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *x = fe_arg(a, 0, "opa"), *y = fe_arg(a, 1, "opb"), *shape = fe_arg(a, 2, "shape");
    const struct value *bx = fe_arg(a, 3, "a_block_sizes"), *by = fe_arg(a, 4, "b_block_sizes");
    const struct value *bc = fe_arg(a, 5, "c_block_sizes");
    const struct py *n = a->node;
    (void)b;
    if (!fe_args_done(f, a, 6) || !has_grid(f, n))
        return NULL;
    bool ranks = x && y && fe_is_data(x) && fe_is_data(y) && x->rank && y->rank && x->rank + y->rank > 2 &&
                 x->rank < 3 && y->rank < 3;
    if (!ranks)
        return fe_error(f, n, "dace.distr.MatMult multiplies two matrices, or a matrix and a vector");
    if (x->type != y->type)
        return fe_error(f, n, "dace.distr.MatMult of %s and %s", fe_describe(f, x), fe_describe(f, y));
    bool product = x->rank == 2 && y->rank == 2, transposed = x->rank == 1;
    if (!shape || shape->kind != FE_TUPLE || shape->count != (product ? 3u : 2u))
        return fe_error(f, n, "the shape of the whole matrices is a tuple of %s",
                        product ? "rows and columns of the result, and the length of the sums" : "rows and columns");
    if (transposed) {
        const struct value *v = x, *blocks = bx;
        x = y, y = v;
        bx = by, by = blocks;
    }
    const char *properties = attributes(f, n, shape, shape->count, transposed ? "\"transa\": \"T\"" : "");
    if (!properties || !(x = fe_sent(f, n, x)) || !(y = fe_sent(f, n, y)) || !(bx = block_sizes(f, n, bx, x)) ||
        !(by = block_sizes(f, n, by, y)))
        return NULL;
    const struct value *c = result(f, n, x, y, bc, transposed);
    if (!c)
        return NULL;
    struct fe_wire wires[5] = { { "_a", x, NULL, false },
                                { "_b", y, NULL, false },
                                { "_a_block_sizes", bx, NULL, false },
                                { "_b_block_sizes", by, NULL, false },
                                { "_c", c, NULL, true } };
    f->emitted++;
    fe_wired_node(f, "MatMult",
                  product ? "dace.libraries.pblas.nodes.pgemm.Pgemm" : "dace.libraries.pblas.nodes.pgemv.Pgemv",
                  properties, 5, wires);
    return c;
}
