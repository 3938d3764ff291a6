/* standard.CopyLibraryNode, standard.FillLibraryNode. */
#include "lower/graph/library/library.h"
#include "lower/graph/target.h"

bool lower_copy_node(struct scope *sc, struct library *n)
{
    struct area from, to;
    const struct edge *e = library_input_edge(n, "_cpy_in");
    const char *in = e ? "_cpy_in" : NULL;
    if (!library_input(sc, n, in, &from) || !library_target(sc, n, e ? "_cpy_out" : NULL, &to))
        return false;
    struct edge *out = library_output_edge(n, e ? "_cpy_out" : NULL);
    const struct sym *volume = area_volume(sc->act->lw, &from);
    if (sym_is_int(volume, 1)) { /* one element is copied, whatever the size of the destination */
        from.rank = 0;
        to.rank = 0;
    }
    return lower_copy_between(sc, &n->node.place, &from, &to, &out->memlet, lower_is_conflicting(sc, out));
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
        struct tree_expr *e =
            code_convert(&cs, out.type, expr_load(lw->tree, in.type, in.pointer, expr_i64(lw->tree, 0), in.alias));
        if (!e)
            return false;
        stmt_assign(lw->tree, sc->block, v, e);
        return library_fill(sc, &n->node.place, &out, expr_var(lw->tree, v));
    }
    struct tree_expr *value = library_scalar(sc, n, "value", 0, out.type);
    return value && library_fill(sc, &n->node.place, &out, value);
}
