/* The MPI target: maps whose iterations run on different processes (semantics.md 10). Everything else in a program runs
 * on all of them.
 *
 * Process r of n runs iterations r, r + n, r + 2 n, ... With as many processes as iterations that is one for each, as
 * in DaCe; with fewer all iterations run nonetheless, with more the rest has nothing to do. What an iteration writes is
 * in the memory of its process only. Maps inside of each other all deal their iterations in this way. */
#include "lower/graph/library/library.h"
#include "lower/graph/target.h"

/* A number that the runtime knows about the processes. */
static struct tree_expr *ask(struct scope *sc, const struct map_entry *m, const char *name, const char *function)
{
    struct lower *lw = sc->act->lw;
    struct text path = text_new(lw->arena);
    place_print(&m->node.place, &path);
    struct tree_expr *args[] = { expr_context(lw->tree),
                                 expr_data(lw->tree, type_basic(lw->ir, TYPE_I8), path.data, path.length + 1),
                                 expr_null(lw->tree, type_pointer(lw->ir, type_basic(lw->ir, TYPE_I8))) };
    struct tree_var *v = tree_var(lw->tree, name, type_basic(lw->ir, TYPE_I64));
    stmt_call(lw->tree, sc->block, v, function, args, 3)->place = &m->node.place;
    return expr_var(lw->tree, v);
}

static bool mpi_enter(const struct target *target, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)target;
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &m->node.place;
    if (m->range.rank != 1)
        return diag_error(lw->diags, place, DIAG_MPI_MAP_RANK, m->range.rank);
    const struct range *r = &m->range.dims[0];
    const struct sym *begin = lower_symbolic(in, place, r->begin), *end = lower_symbolic(in, place, r->end),
                     *step = lower_symbolic(in, place, r->step);
    if (!begin || !end || !step)
        return false;
    struct tree_expr *from = lower_index(lw, place, begin), *by = lower_index(lw, place, step);
    struct tree_expr *to = lower_index(lw, place, sym_add(lw->ir, end, sym_int(lw->ir, 1)));
    if (!from || !to || !by)
        return false;
    in->block = sc->block;
    struct tree_expr *me = ask(sc, m, "rank", "sdfg_rt_mpi_me");
    struct tree_expr *processes = ask(sc, m, "processes", "sdfg_rt_mpi_processes");
    from = expr_binary(t, EXPR_ADD, from, expr_binary(t, EXPR_MUL, me, by));
    cpu_loop(in, m, 0, from, to, expr_binary(t, EXPR_MUL, processes, by));
    in->parallel = sc->parallel;
    return true;
}

const struct target mpi_target = {
    .size = sizeof mpi_target,
    .name = "mpi",
    .extends = &cpu_target,
    .enter = mpi_enter,
};
