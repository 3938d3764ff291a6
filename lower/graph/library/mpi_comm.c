/* MPI nodes about communicators (DaCe 2.0: dace.libraries.comm): CommRank, CommSize, CommF2c, CommSplit, CommFree,
 * Barrier, Abort; and the connector _comm of all nodes. */
#include "lower/graph/library/mpi.h"

#include "ir/library.h"

static struct tree_expr *integer(struct scope *sc, struct library *n, const char *conn)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct area a;
    if (!library_input(sc, n, conn, &a))
        return NULL;
    if (!type_is_integer(a.type)) {
        diag_error(lw->diags, &n->node.place, DIAG_UNKNOWN_TYPE, conn);
        return NULL;
    }
    return expr_cast(t, type_basic(lw->ir, TYPE_I64), expr_load(t, a.type, a.pointer, expr_i64(t, 0), a.alias));
}

/* A Fortran handle: the property is the name of a symbol as C++ has it. */
static bool fortran_handle(struct scope *sc, struct library *n, struct tree_expr **out)
{
    struct ir *ir = sc->act->lw->ir;
    const char *name;
    *out = NULL;
    if (!library_string(n, "fcomm", NULL, &name))
        return false;
    if (!name)
        return true;
    const struct sym *s = lower_symbolic(sc, &n->node.place, sym_name(ir, intern(ir->names, name)));
    struct tree_expr *number = s ? lower_index(sc->act->lw, &n->node.place, s) : NULL;
    if (!number)
        return false;
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add(&c, number);
    return mpi_finish_value(&c, "sdfg_rt_mpi_f2c", out);
}

void mpi_add_communicator(struct mpi_call *c)
{
    struct lower *lw = c->sc->act->lw;
    struct tree_expr *handle = NULL;
    if (library_input_edge(c->node, "_comm"))
        handle = integer(c->sc, c->node, "_comm");
    else if (library_input_edge(c->node, "_grid"))
        return mpi_add_grid(c, "_grid");
    else if (!fortran_handle(c->sc, c->node, &handle))
        c->failed = true;
    else if (!handle)
        return mpi_add(c, expr_null(lw->tree, type_pointer(lw->ir, type_basic(lw->ir, TYPE_I8))));
    if (!handle) {
        c->failed = true;
        return;
    }
    struct mpi_call from = mpi_begin(c->sc, c->node);
    mpi_add(&from, handle);
    struct tree_var *v = tree_var(lw->tree, "comm", type_pointer(lw->ir, type_basic(lw->ir, TYPE_I8)));
    if (from.failed) {
        c->failed = true;
        return;
    }
    stmt_call(lw->tree, c->sc->block, v, "sdfg_rt_mpi_handle", from.args, from.count)->place = &c->node->node.place;
    mpi_add(c, expr_var(lw->tree, v));
}

/* ---- results that are integers ---- */

bool mpi_finish_value(struct mpi_call *c, const char *function, struct tree_expr **out)
{
    struct lower *lw = c->sc->act->lw;
    if (c->failed)
        return false;
    struct tree_var *v = tree_var(lw->tree, "mpi", type_basic(lw->ir, TYPE_I64));
    stmt_call(lw->tree, c->sc->block, v, function, c->args, c->count)->place = c->place;
    *out = expr_var(lw->tree, v);
    return true;
}

static bool deliver(struct mpi_call *c, const char *function, const char *conn)
{
    struct tree *t = c->sc->act->lw->tree;
    const struct place *place = &c->node->node.place;
    struct tree_expr *value;
    struct area a;
    if (!mpi_finish_value(c, function, &value) || !library_output(c->sc, c->node, conn, &a))
        return false;
    if (!type_is_integer(a.type))
        return diag_error(c->sc->act->lw->diags, place, DIAG_UNKNOWN_TYPE, conn);
    stmt_store(t, c->sc->block, a.pointer, expr_i64(t, 0), expr_cast(t, a.type, value), a.alias)->place = place;
    return true;
}

bool lower_mpi_comm_rank(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add_communicator(&c);
    return deliver(&c, "sdfg_rt_mpi_me", "_rank");
}

bool lower_mpi_comm_size(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add_communicator(&c);
    return deliver(&c, "sdfg_rt_mpi_processes", "_size");
}

bool lower_mpi_comm_f2c(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add(&c, integer(sc, n, "_fcomm"));
    return deliver(&c, "sdfg_rt_mpi_f2c", "_handle");
}

bool lower_mpi_comm_split(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add_communicator(&c);
    mpi_add(&c, integer(sc, n, "_color"));
    mpi_add(&c, integer(sc, n, "_key"));
    return deliver(&c, "sdfg_rt_mpi_split", "_newcomm");
}

bool lower_mpi_comm_free(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add(&c, integer(sc, n, "_comm"));
    return mpi_finish(&c, "sdfg_rt_mpi_comm_free");
}

bool lower_mpi_barrier(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add_communicator(&c);
    return mpi_finish(&c, "sdfg_rt_mpi_barrier");
}

bool lower_mpi_abort(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    mpi_add_communicator(&c);
    mpi_add(&c, integer(sc, n, "_errorcode"));
    return mpi_finish(&c, "sdfg_rt_mpi_stop");
}
