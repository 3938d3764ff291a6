#include "lower/library/library.h"

#include "ir/library.h"
#include "runtime/abi.h"

#include <string.h>

static const struct {
    const char *library, *class;
    bool (*lower)(struct scope *, struct library *);
} ops[] = {
#define LIBRARY_OP(function, folder, class) { folder, class, lower_##function },
#include "lower/library/ops.def"
#undef LIBRARY_OP
};

/* "dace.libraries.blas.nodes.gemm.Gemm": library "blas", class "Gemm". */
static bool path_matches(const char *path, const char *library, const char *class)
{
    const char *last = strrchr(path, '.');
    if (strcmp(last ? last + 1 : path, class) != 0)
        return false;
    const char *at = strstr(path, "libraries.");
    size_t n = strlen(library);
    return at && !strncmp(at + strlen("libraries."), library, n) && at[strlen("libraries.") + n] == '.';
}

bool lower_library(struct scope *sc, struct node *node)
{
    struct library *n = as_library(node);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (path_matches(n->classpath, ops[i].library, ops[i].class))
            return ops[i].lower(sc, n);
    return diag_error(sc->act->lw->diags, &node->place, DIAG_UNKNOWN_LIBRARY, n->classpath);
}

static struct edge *find_edge(struct edge *const *edges, uint32_t count, const char *conn, bool input)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *name = input ? edges[i]->dst_conn : edges[i]->src_conn;
        if (!memlet_is_empty(&edges[i]->memlet) && (!conn || (name && !strcmp(name, conn))))
            return edges[i];
    }
    return NULL;
}

struct edge *library_input_edge(const struct library *n, const char *conn)
{
    return find_edge(n->node.in.items, n->node.in.count, conn, true);
}

struct edge *library_output_edge(const struct library *n, const char *conn)
{
    return find_edge(n->node.out.items, n->node.out.count, conn, false);
}

bool library_input(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    struct edge *e = library_input_edge(n, conn);
    if (!e)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, conn ? conn : "input");
    if (e->memlet.data->kind == CONTAINER_STREAM)
        return lower_unsupported(sc, &e->place, "streams at library nodes");
    return lower_memlet_area(sc, e, out);
}

bool library_output(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    struct edge *e = library_output_edge(n, conn);
    if (!e)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, conn ? conn : "output");
    if (e->memlet.data->kind == CONTAINER_STREAM)
        return lower_unsupported(sc, &e->place, "streams at library nodes");
    struct access *target = as_access(path_target(e));
    if (target && target->data && container_is_view(target->data) && !lower_point_view(sc, target))
        return false;
    return lower_memlet_area(sc, e, out);
}

struct tree_expr *library_scalar(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type)
{
    struct lower *lw = sc->act->lw;
    const struct type *f64 = type_basic(lw->ir, TYPE_F64);
    struct library_number v;
    if (!library_number(n, property, otherwise, &v))
        return NULL;
    struct tree_expr *e;
    if (v.symbol) {
        const struct sym *s = lower_symbolic(sc, &n->node.place, v.symbol);
        e = s ? lower_value(lw, &n->node.place, s) : NULL;
    } else if (v.im != 0) {
        e = expr_complex(lw->tree, expr_float(lw->tree, f64, v.re), expr_float(lw->tree, f64, v.im));
    } else {
        e = expr_float(lw->tree, f64, v.re);
    }
    if (!e)
        return NULL;
    struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
    return code_convert(&cs, type, e);
}

bool library_is_constant(const struct tree_expr *e, double value)
{
    switch (e->op) {
    case EXPR_INT:
        return (double)e->i == value;
    case EXPR_FLOAT:
        return e->f == value;
    case EXPR_CAST:
        return library_is_constant(e->args[0], value);
    case EXPR_COMPLEX:
        return library_is_constant(e->args[0], value) && library_is_constant(e->args[1], 0);
    default:
        return false;
    }
}

int library_blas_type(const struct type *t)
{
    switch (t->kind) {
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
