/* The OpenMP target extends the CPU target: the outermost loop of a parallel map asks for threads, a persistent map is
 * a parallel region. */
#include "lower/graph/alloc.h"
#include "lower/graph/target.h"

static bool is_map_of_processes(const struct node *entry)
{
    const struct map_entry *m = as_map_entry(entry);
    return m && m->schedule->row == SCHEDULE_MPI;
}

/* Is there a map around this scope, in this or an enclosing SDFG? Processes are not threads: a map over them does not
 * count. */
static bool inside_a_map(const struct scope *sc)
{
    for (const struct activation *act = sc->act; act; act = act->parent) {
        for (const struct scope *s = sc; s; s = s->parent)
            if (s->entry && !is_map_of_processes(s->entry))
                return true;
        sc = act->caller;
    }
    return false;
}

/* ---- CPU_Persistent (semantics.md 5.3) ----
 *
 * One region whose body every thread of a team runs once. The first parameter is the thread number, so the team is
 * never larger than the declared range: the memlets of the map hold for parameters in that range only. A range of one
 * iteration does not limit a map that gives the number of threads itself (DaCe programs write `dace.map[0]` there). */

static const char team_symbol[] = "__omp_num_threads";

static bool is_of_team_size(struct lower *lw, const struct range *r)
{
    const char *name = intern(lw->ir->names, team_symbol);
    return sym_mentions(r->begin, name) || sym_mentions(r->end, name) || sym_mentions(r->step, name);
}

/* The number of iterations of the first range; *count is NULL where the range is given by the size of the team. */
static bool persistent_count(struct map_entry *m, struct scope *in, struct tree_expr **count)
{
    struct lower *lw = in->act->lw;
    const struct place *place = &m->node.place;
    *count = NULL;
    for (uint32_t d = 1; d < m->range.rank; d++)
        if (m->range.dims[d].begin != m->range.dims[d].end)
            return diag_error(lw->diags, place, DIAG_PERSISTENT_DIMENSIONS, m->params.items[d]);
    const struct range *r = &m->range.dims[0];
    if (is_of_team_size(lw, r))
        return true;
    const struct sym *begin = lower_symbolic(in, place, r->begin), *end = lower_symbolic(in, place, r->end),
                     *step = lower_symbolic(in, place, r->step);
    if (!begin || !end || !step)
        return false;
    if (!sym_is_int(begin, 0) || !sym_is_int(step, 1))
        return diag_error(lw->diags, place, DIAG_PERSISTENT_RANGE, m->params.items[0]);
    *count = lower_index(lw, place, sym_add(lw->ir, end, sym_int(lw->ir, 1)));
    return *count != NULL;
}

/* The most threads that the team may have; NULL: as many as the runtime likes. */
static struct tree_expr *persistent_threads(struct scope *sc, const struct map_entry *m, struct tree_expr *count)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *asked = m->omp_num_threads > 0 ? expr_i64(lw->tree, m->omp_num_threads) : NULL;
    bool of_one = m->range.dims[0].begin == m->range.dims[0].end; /* in the file, whatever the values of symbols are */
    if (!count || (asked && of_one))
        return asked;
    if (expr_is_int(count, 1))
        return count;
    return expr_binary(lw->tree, EXPR_MIN, asked ? asked : alloc_thread_limit(lw, sc->block), count);
}

static bool add_team_parameters(struct map_entry *m, struct scope *in, const struct sym *thread,
                                const struct sym *threads)
{
    cpu_parameter(in, m->params.items[0], thread);
    for (uint32_t d = 1; d < m->range.rank; d++) {
        const struct sym *only = lower_symbolic(in, &m->node.place, m->range.dims[d].begin);
        if (!only)
            return false;
        cpu_parameter(in, m->params.items[d], only);
    }
    cpu_parameter(in, intern(in->act->lw->ir->names, team_symbol), threads);
    return true;
}

static bool enter_persistent(struct scope *sc, struct map_entry *m, struct scope *in)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *count, *threads;
    in->block = sc->block; /* where the bounds are computed */
    if (!persistent_count(m, in, &count))
        return false;
    if (count && (count->op != EXPR_INT || count->i < 1))
        in->block = stmt_if(lw->tree, sc->block, expr_binary(lw->tree, EXPR_LT, expr_i64(lw->tree, 0), count))->body;
    in->parallel = sc->parallel;
    threads = persistent_threads(in, m, count);
    bool alone = sc->parallel || (threads && expr_is_int(threads, 1));
    if (alone) /* loops inside may have threads of their own, unless they are inside of a region already */
        return add_team_parameters(m, in, sym_int(lw->ir, 0), sym_int(lw->ir, 1));
    in->region = tree_parallel_begin(lw->tree, in->block, threads);
    in->region->place = &m->node.place;
    in->block = in->region->body;
    in->parallel = in->team = true;
    in->concurrent = 1;
    return add_team_parameters(m, in, lower_var_symbol(lw, in->region->var), lower_var_symbol(lw, in->region->var2));
}

static bool openmp_enter(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t;
    bool no_threads = sc->act->lw->options->no_threads;
    if (m->schedule->row == SCHEDULE_CPU_PERSISTENT)
        return enter_persistent(sc, m, in);
    bool parallel = m->schedule->row == SCHEDULE_CPU_MULTICORE || !inside_a_map(sc) || sc->team;
    if (!cpu_loops(sc, m, in, parallel && (!sc->parallel || sc->team) && !no_threads, TREE_HOST))
        return false;
    in->team = false;
    return true;
}

static bool openmp_leave(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t, (void)m;
    if (in->region)
        tree_parallel_end(sc->act->lw->tree, in->region);
    return true;
}

const struct target openmp_target = {
    .size = sizeof openmp_target,
    .name = "openmp",
    .extends = &cpu_target,
    .enter = openmp_enter,
    .leave = openmp_leave,
};
