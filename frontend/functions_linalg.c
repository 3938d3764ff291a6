/* Library nodes, and linear algebra by them. */
#include "frontend/functions.h"

#include <string.h>

/* ---- products ---- */

static struct node *wired(struct fe *f, struct state *st, const struct fe_wire *w)
{
    if (w->descriptor) {
        struct access *a = build_access(st, w->descriptor);
        fe_mark(f, &a->node.place);
        return &a->node;
    }
    return fe_access(f, st, w->value->view.container, w->out);
}

void fe_wired_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                   const struct fe_wire *wires)
{
    if (f->dry)
        return;
    struct state *st = fe_state(f, label);
    struct text in = text_new(f->arena), out = text_new(f->arena);
    for (uint32_t i = 0; i < count; i++) {
        struct text *t = wires[i].out ? &out : &in;
        text_printf(t, "%s%s", t->length ? ", " : "", wires[i].connector);
    }
    struct library *l = build_library(st, label, path, text_get(&in), text_get(&out), attributes);
    fe_mark(f, &l->node.place);
    for (uint32_t i = 0; i < count; i++) {
        const struct fe_wire *w = &wires[i];
        const char *region = w->descriptor ? w->descriptor : fe_region(f, w->value, w->out);
        if (w->out)
            build_edge(&l->node, w->connector, wired(f, st, w), NULL, region, NULL);
        else
            build_edge(wired(f, st, w), NULL, &l->node, w->connector, region, NULL);
    }
}

void fe_library_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                     const char *const *connectors, const struct value *const *values)
{
    struct fe_wire *wires = NEW_ARRAY(f->arena, struct fe_wire, count);
    for (uint32_t i = 0; i < count; i++)
        wires[i] = (struct fe_wire){ connectors[i], values[i], NULL, i + 1 == count };
    fe_wired_node(f, label, path, attributes, count, wires);
}

static bool product_shape(struct fe *f, const struct py *n, const struct value *a, const struct value *b,
                          const struct sym **shape, uint32_t *rank)
{
    const struct sym *ka = a->shape[a->rank - 1], *kb = b->shape[b->rank > 1 ? b->rank - 2 : 0];
    const char *said = fe_format(f, "product of %s and %s: %s and %s do not match", fe_describe(f, a),
                                 fe_describe(f, b), fe_text(f, ka), fe_text(f, kb));
    if (!fe_require_same(f, n, ka, kb, said))
        return false;
    uint32_t ra = a->rank > 2 ? a->rank - 2 : 0, rb = b->rank > 2 ? b->rank - 2 : 0, r = ra > rb ? ra : rb;
    *rank = 0;
    for (uint32_t i = 0; i < r; i++) {
        const struct sym *x = i + ra >= r ? a->shape[i + ra - r] : NULL, *y = i + rb >= r ? b->shape[i + rb - r] : NULL;
        if (x && y && !sym_is_int(x, 1) && !sym_is_int(y, 1) &&
            !fe_require_same(f, n, x, y, fe_format(f, "product of %s and %s", fe_describe(f, a), fe_describe(f, b))))
            return false;
        shape[(*rank)++] = !x || (y && sym_is_int(x, 1)) ? y : x;
    }
    if (a->rank > 1)
        shape[(*rank)++] = a->shape[a->rank - 2];
    if (b->rank > 1)
        shape[(*rank)++] = b->shape[b->rank - 1];
    return true;
}

const struct value *fe_matmul(struct fe *f, const struct py *n, const struct value *a, const struct value *b)
{
    const struct sym *shape[2 * FE_MAX_RANK] = { 0 };
    uint32_t rank;
    if (!fe_is_data(a) || !fe_is_data(b) || !a->rank || !b->rank)
        return fe_error(f, n, "operator @ between %s and %s", fe_describe(f, a), fe_describe(f, b));
    const char *wish = f->wish ? f->wish : "product";
    f->wish = NULL;
    const struct type *t = fe_promote(f, a->type, b->type);
    if (!product_shape(f, n, a, b, shape, &rank))
        return NULL;
    a = fe_plain(f, n, fe_cast(f, n, t, a), "left");
    b = a ? fe_plain(f, n, fe_cast(f, n, t, b), "right") : NULL;
    if (!b)
        return NULL;
    bool scalar = rank == 0;
    if (scalar)
        shape[rank++] = sym_int(f->ir, 1);
    const struct value *to = fe_whole(f, fe_container(f, wish, t, shape, rank));
    const char *connectors[3] = { "_a", "_b", "_c" };
    const struct value *values[3] = { a, b, to };
    fe_library_node(f, "matmul", "dace.libraries.blas.nodes.matmul.MatMul", NULL, 3, connectors, values);
    f->emitted++;
    return scalar ? fe_subscript(f, n, to, fe_int(f, 0)) : to;
}

const struct value *fn_matmul(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count < 2 || a->count > 3)
        return fe_error(f, a->node, "np.%s needs two arrays", b->name);
    const struct value *out = fe_arg(a, 2, "out"), *x = a->items[0], *y = a->items[1];
    bool dot = strcmp(b->name, "dot") == 0;
    if (!fe_args_done(f, a, 3))
        return NULL;
    if (dot && (!fe_is_data(x) || !x->rank || !fe_is_data(y) || !y->rank))
        return fe_binary(f, a->node, PY_MULT, x, y);
    if (dot && y->rank > 2)
        return fe_unsupported(f, a->node, "np.dot of more than two dimensions: use np.matmul");
    const struct value *v = fe_matmul(f, a->node, x, y);
    if (!v || !out)
        return v;
    return out->kind == FE_VIEW && fe_store(f, a->node, out, v, NULL) ? out
                                                                      : fe_error(f, a->node, "'out' must be an array");
}

static const struct value *matrix(struct fe *f, const struct py *n, const struct value *v, bool vector)
{
    if (!v || !fe_is_data(v) || (v->rank != 2 && !(vector && v->rank == 1)))
        return fe_error(f, n, "a matrix is needed here, this is %s", v ? fe_describe(f, v) : "nothing");
    if (fe_is_int_type(v->type))
        v = fe_cast(f, n, type_basic(f->ir, TYPE_F64), v);
    v = v ? fe_plain(f, n, v, "matrix") : NULL;
    bool part = v && v->view.container->rank != v->rank; /* a region of more dimensions, as of a row */
    return part ? fe_copy(f, n, v, "matrix") : v;
}

const struct value *fn_solve(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct value *x = matrix(f, a->node, fe_arg(a, 0, "a"), false),
                       *y = x ? matrix(f, a->node, fe_arg(a, 1, "b"), true) : NULL;
    if (!y || !fe_args_done(f, a, 2))
        return NULL;
    if (x->type != y->type)
        return fe_unsupported(f, a->node, "np.linalg.solve of %s and %s", fe_describe(f, x), fe_describe(f, y));
    const struct value *to = fe_whole(f, fe_container(f, f->wish ? f->wish : "solved", y->type, y->shape, y->rank));
    const char *connectors[3] = { "_ain", "_bin", "_bout" };
    const struct value *values[3] = { x, y, to };
    fe_library_node(f, "solve", "dace.libraries.linalg.nodes.solve.Solve", NULL, 3, connectors, values);
    return to;
}

static const struct value *of_matrix(struct fe *f, struct fe_args *a, const char *label, const char *path,
                                     const char *in, const char *out)
{
    const struct value *x = matrix(f, a->node, fe_arg(a, 0, "a"), false);
    if (!x || !fe_args_done(f, a, 1))
        return NULL;
    const struct value *to = fe_whole(f, fe_container(f, f->wish ? f->wish : label, x->type, x->shape, x->rank));
    const char *connectors[2] = { in, out };
    const struct value *values[2] = { x, to };
    fe_library_node(f, label, path, NULL, 2, connectors, values);
    return to;
}

const struct value *fn_cholesky(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return of_matrix(f, a, b->name, "dace.libraries.linalg.nodes.cholesky.Cholesky", "_a", "_b");
}

const struct value *fn_inv(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return of_matrix(f, a, b->name, "dace.libraries.linalg.nodes.inv.Inv", "_ain", "_aout");
}
