/* The CPU target: memory on the stack or the heap, maps as loop nests. */
#include "base/machine.h"
#include "lower/graph/target.h"

enum {
    LARGEST_REGISTER = 64 * 1024, /* bytes on the stack for storage Register (DaCe's max_stack_array_size) */
    LARGEST_LOCAL = 4 * 1024,     /* for any other host storage */
    LARGEST_FRAME = 1024 * 1024,  /* of all together: stacks have 8 MB, those of threads 2 or more */
};

/* ---- memory ---- */

static bool fits_stack(struct lower *lw, const struct allocation *a)
{
    int64_t limit = a->desc->storage->row == STORAGE_REGISTER ? LARGEST_REGISTER : LARGEST_LOCAL;
    if (a->life != LIFE_BLOCK || a->count->op != EXPR_INT || a->count->i < 0 ||
        a->count->i * (int64_t)a->type->size > limit)
        return false;
    if (a->count->i <= 1) /* single elements mostly end in registers */
        return true;
    lw->frame += a->count->i * (int64_t)a->type->size;
    return lw->frame <= LARGEST_FRAME;
}

static bool cpu_allocate(const struct target *t, struct scope *sc, struct allocation *a)
{
    (void)t;
    struct lower *lw = sc->act->lw;
    a->where = a->life == LIFE_PROGRAM ? TREE_STATE : fits_stack(lw, a) ? TREE_STACK : TREE_HEAP;
    struct tree_stmt *s = stmt_alloc(lw->tree, sc->block, a->var, a->type, a->count, a->where);
    s->zero = a->zero;
    s->slot = a->slot;
    s->place = &a->desc->place;
    return true;
}

static bool cpu_release(const struct target *t, struct lower *lw, const struct allocation *a, struct tree_stmt *block)
{
    (void)t;
    if (a->where != TREE_STACK)
        stmt_free(lw->tree, block, a->var);
    return true;
}

/* ---- loops ---- */

void cpu_parameter(struct scope *in, const char *name, const struct sym *value)
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
    cpu_parameter(in, m->params.items[dim], lower_var_symbol(lw, v));
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
        cpu_parameter(in, m->params.items[dim], begin);
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
    bool independent = m->schedule->row != SCHEDULE_SEQUENTIAL && lower_is_independent(m, level), placed = false;
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

static bool cpu_enter(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t;
    return cpu_loops(sc, m, in, false, TREE_HOST);
}

static bool cpu_leave(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t, (void)sc, (void)m, (void)in;
    return true;
}

/* ---- the rest ---- */

static bool cpu_copy(const struct target *t, struct scope *sc, const struct place *place, const struct area *from,
                     const struct area *to, const struct memlet *m, bool atomic)
{
    (void)t;
    return lower_copy(sc, place, from, to, m, atomic);
}

static void cpu_machine(const struct target *t, const struct target_machine *asked, struct machine *out)
{
    (void)t;
    *out = machine_of(asked->triple, asked->cpu, asked->features);
    out->largest_cache = asked->other ? 0 : machine_cache_bytes();
}

static bool cpu_node(const struct target *t, struct scope *sc, struct node *n)
{
    (void)t;
    return lower_node_as_usual(sc, n);
}

const struct target cpu_target = {
    .size = sizeof cpu_target,
    .name = "cpu",
    .machine = cpu_machine,
    .enter = cpu_enter,
    .leave = cpu_leave,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .copy = cpu_copy,
    .node = cpu_node,
};
