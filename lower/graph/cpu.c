/* The CPU target: memory on the stack or the heap, maps as loop nests. The OpenMP target extends it: the outermost loop
 * of a parallel map asks for threads, a persistent map is a parallel region. */
#include "lower/graph/alloc.h"
#include "lower/graph/target.h"

enum {
    LARGEST_REGISTER = 64 * 1024, /* bytes on the stack for storage Register (DaCe's max_stack_array_size) */
    LARGEST_LOCAL = 4 * 1024,     /* for any other host storage */
    LARGEST_FRAME = 1024 * 1024,  /* of all together: stacks have 8 MB, those of threads 2 or more */
};

static bool cpu_claims_storage(const struct enum_value *s)
{
    switch (s->row) {
    case STORAGE_DEFAULT:
    case STORAGE_REGISTER:
    case STORAGE_CPU_HEAP:
    case STORAGE_CPU_THREADLOCAL:
    case STORAGE_CPU_PINNED: /* ordinary memory where no device is involved */
    case STORAGE_SVE_REGISTER:
        return true;
    default:
        return false;
    }
}

static bool cpu_claims_schedule(const struct enum_value *s)
{
    return s->row == SCHEDULE_SEQUENTIAL || s->row == SCHEDULE_SVE_MAP;
}

bool cpu_allocate_count(struct scope *sc, struct binding *b, struct tree_expr *count, struct tree_stmt *block,
                        struct tree_stmt *frees, bool zero)
{
    struct lower *lw = sc->act->lw;
    int64_t limit = b->desc->storage->row == STORAGE_REGISTER ? LARGEST_REGISTER : LARGEST_LOCAL;
    bool stack = count->op == EXPR_INT && count->i >= 0 && count->i * (int64_t)b->type->size <= limit;
    if (stack && count->i > 1) { /* single elements mostly end in registers */
        lw->frame += count->i * (int64_t)b->type->size;
        stack = lw->frame <= LARGEST_FRAME;
    }
    struct tree_stmt *a = stmt_alloc(lw->tree, block, b->var, b->type, count, stack ? TREE_STACK : TREE_HEAP);
    a->zero = zero;
    a->place = &b->desc->place;
    if (!stack)
        stmt_free(lw->tree, frees, b->var);
    return true;
}

bool cpu_allocate(struct scope *sc, struct binding *b, struct tree_stmt *block, struct tree_stmt *frees, bool zero)
{
    const struct sym *size = lower_total_size(sc, &b->desc->place, b->desc);
    struct tree_expr *count = size ? lower_index(sc->act->lw, &b->desc->place, size) : NULL;
    return count && cpu_allocate_count(sc, b, count, block, frees, zero);
}

/* ---- loops ---- */

static bool has_conflicts(const struct sdfg *s);

static bool region_has_conflicts(const struct region *r);

static bool block_has_conflicts(struct block *b)
{
    if (as_region(b))
        return region_has_conflicts(as_region(b));
    if (as_conditional(b))
        for (uint32_t i = 0; i < as_conditional(b)->branches.count; i++)
            if (region_has_conflicts(as_conditional(b)->branches.items[i].region))
                return true;
    if (as_state(b)) {
        for (uint32_t i = 0; i < as_state(b)->edges.count; i++)
            if (as_state(b)->edges.items[i]->memlet.wcr_kind != WCR_NONE)
                return true;
        for (uint32_t i = 0; i < as_state(b)->nodes.count; i++) {
            const struct node *n = as_state(b)->nodes.items[i];
            if (n->kind == NODE_LIBRARY || (as_nested(n) && as_nested(n)->sdfg && has_conflicts(as_nested(n)->sdfg)))
                return true;
        }
    }
    return false;
}

static bool region_has_conflicts(const struct region *r)
{
    for (uint32_t i = 0; i < r->blocks.count; i++)
        if (block_has_conflicts(r->blocks.items[i]))
            return true;
    return false;
}

static bool has_conflicts(const struct sdfg *s) { return region_has_conflicts(&s->region); }

static bool scope_has_conflicts(const struct node *entry)
{
    for (const struct node *n = scope_first(entry->state, entry); n; n = n->beside) {
        for (uint32_t i = 0; i < n->out.count; i++)
            if (n->out.items[i]->memlet.wcr_kind != WCR_NONE)
                return true;
        if ((as_nested(n) && as_nested(n)->sdfg && has_conflicts(as_nested(n)->sdfg)) ||
            (n->inside && scope_has_conflicts(n)))
            return true;
    }
    return false;
}

/* Do all threads of a block write one place? They may, if it holds the same for all of them. */
static bool writes_one_place(const struct map_entry *m)
{
    const struct node *end = scope_exit(&m->node);
    for (uint32_t i = 0; i < end->in.count; i++) {
        const struct subset *s = end->in.items[i]->memlet.subset;
        for (uint32_t p = 0; s && p < m->params.count; p++) {
            bool found = m->range.dims[p].begin == m->range.dims[p].end;
            for (uint32_t d = 0; d < s->rank; d++)
                found = found || sym_mentions(s->dims[d].begin, m->params.items[p]);
            if (!found)
                return true;
        }
    }
    return false;
}

/* Iterations of a map are independent by contract, unless they meet in a conflict resolution. */
static bool is_independent(const struct map_entry *m, enum tree_level level)
{
    return !scope_has_conflicts(&m->node) && (level != TREE_BLOCK || !writes_one_place(m));
}

static void add_parameter(struct scope *in, const char *name, const struct sym *value)
{
    struct lower *lw = in->act->lw;
    struct symval *v = NEW(lw->arena, struct symval);
    v->value = value;
    v->type = type_basic(lw->ir, TYPE_I64);
    map_put(lw->arena, &in->symbols, name, v);
}

struct tree_stmt *cpu_loop(struct scope *in, const struct map_entry *m, uint32_t dim, struct tree_expr *from,
                           struct tree_expr *to, struct tree_expr *by)
{
    struct lower *lw = in->act->lw;
    struct tree_var *v = tree_var(lw->tree, m->params.items[dim], type_basic(lw->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(lw->tree, in->block, v, from, to, by);
    loop->place = &m->node.place;
    loop->loop.unroll = m->unroll;
    in->block = loop->body;
    add_parameter(in, m->params.items[dim], lower_var_symbol(lw, v));
    return loop;
}

static bool add_loop(struct scope *sc, struct map_entry *m, uint32_t dim, struct scope *in, struct tree_stmt **loop)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &m->node.place;
    const struct range *r = &m->range.dims[dim];
    const struct sym *begin = lower_symbolic(in, place, r->begin), *end = lower_symbolic(in, place, r->end),
                     *step = lower_symbolic(in, place, r->step);
    *loop = NULL;
    if (!begin || !end || !step)
        return false;
    if (begin == end) { /* one iteration: the parameter is a name for its value */
        add_parameter(in, m->params.items[dim], begin);
        return true;
    }
    struct tree_expr *from = lower_index(lw, place, begin);
    struct tree_expr *to = lower_index(lw, place, sym_add(lw->ir, end, sym_int(lw->ir, 1)));
    struct tree_expr *by = lower_index(lw, place, step);
    if (!from || !to || !by)
        return false;
    *loop = cpu_loop(in, m, dim, from, to, by);
    return true;
}

bool cpu_loops(struct scope *sc, struct map_entry *m, struct scope *in, bool parallel, enum tree_level level)
{
    bool independent = m->schedule->row != SCHEDULE_SEQUENTIAL && is_independent(m, level), placed = false;
    in->block = sc->block;
    for (uint32_t d = 0; d < m->range.rank; d++) {
        struct tree_stmt *loop;
        if (!add_loop(sc, m, d, in, &loop))
            return false;
        if (!loop)
            continue;
        loop->loop.independent = independent;
        loop->loop.level = level;
        if (parallel && !placed) {
            static const enum tree_omp omp[] = { TREE_OMP_STATIC, TREE_OMP_STATIC, TREE_OMP_DYNAMIC, TREE_OMP_GUIDED };
            loop->loop.parallel = placed = true;
            uint32_t row = m->omp_schedule ? m->omp_schedule->row : OMP_SCHEDULE_DEFAULT;
            if (row >= OMP_SCHEDULE_DEFAULT && row <= OMP_SCHEDULE_GUIDED)
                loop->loop.omp = omp[row - OMP_SCHEDULE_DEFAULT];
            loop->loop.chunk = row == OMP_SCHEDULE_DEFAULT ? 0 : m->omp_chunk_size;
            loop->loop.num_threads = m->omp_num_threads;
            in->concurrent = d + 1;
        }
    }
    in->parallel = sc->parallel || placed;
    return true;
}

static bool cpu_enter(struct scope *sc, struct map_entry *m, struct scope *in)
{
    return cpu_loops(sc, m, in, false, TREE_HOST);
}

bool cpu_leave(struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)sc, (void)m, (void)in;
    return true;
}

bool cpu_copy(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
              const struct memlet *m, bool atomic)
{
    return lower_copy(sc, place, from, to, m, atomic);
}

const struct target cpu_target = {
    .name = "cpu",
    .text = "sequential loops and memory of the host",
    .claims_schedule = cpu_claims_schedule,
    .claims_storage = cpu_claims_storage,
    .enter = cpu_enter,
    .leave = cpu_leave,
    .allocate = cpu_allocate,
    .copy = cpu_copy,
};

/* ---- OpenMP ---- */

static bool openmp_claims_schedule(const struct enum_value *s)
{
    return s->row == SCHEDULE_DEFAULT || s->row == SCHEDULE_CPU_MULTICORE || s->row == SCHEDULE_CPU_PERSISTENT;
}

static bool no_storage(const struct enum_value *s)
{
    (void)s;
    return false;
}

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
    add_parameter(in, m->params.items[0], thread);
    for (uint32_t d = 1; d < m->range.rank; d++) {
        const struct sym *only = lower_symbolic(in, &m->node.place, m->range.dims[d].begin);
        if (!only)
            return false;
        add_parameter(in, m->params.items[d], only);
    }
    add_parameter(in, intern(in->act->lw->ir->names, team_symbol), threads);
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

static bool openmp_enter(struct scope *sc, struct map_entry *m, struct scope *in)
{
    bool no_threads = sc->act->lw->options->no_threads;
    if (m->schedule->row == SCHEDULE_CPU_PERSISTENT)
        return enter_persistent(sc, m, in);
    bool parallel = m->schedule->row == SCHEDULE_CPU_MULTICORE || !inside_a_map(sc) || sc->team;
    if (!cpu_loops(sc, m, in, parallel && (!sc->parallel || sc->team) && !no_threads, TREE_HOST))
        return false;
    in->team = false;
    return true;
}

static bool openmp_leave(struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)m;
    if (in->region)
        tree_parallel_end(sc->act->lw->tree, in->region);
    return true;
}

const struct target openmp_target = {
    .name = "openmp",
    .text = "loops on the threads of the host",
    .claims_schedule = openmp_claims_schedule,
    .claims_storage = no_storage,
    .enter = openmp_enter,
    .leave = openmp_leave,
    .allocate = cpu_allocate,
    .copy = cpu_copy,
};
