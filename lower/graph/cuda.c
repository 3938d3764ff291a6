/* The CUDA target: schedules and storages of GPUs. Kernels are the loops that the CPU target makes, marked with the
 * level of the device on which their iterations run, and device memory is the memory that it takes. Code for the CPU
 * has no other use for either, so that a program for a GPU gives the same results on the CPU: the outer loops of a
 * kernel ask for threads, those of a thread block are loops inside of one. */
#include "lower/graph/target.h"
#include "lower/graph/threads.h"

static bool cuda_claims_schedule(const struct enum_value *s)
{
    return s->row >= SCHEDULE_GPU_DEVICE && s->row <= SCHEDULE_GPU_PERSISTENT;
}

static bool cuda_claims_storage(const struct enum_value *s)
{
    return s->row == STORAGE_GPU_GLOBAL || s->row == STORAGE_GPU_SHARED;
}

static enum tree_level level_of(const struct enum_value *schedule)
{
    switch (schedule->row) {
    case SCHEDULE_GPU_DEVICE:
        return TREE_GRID;
    case SCHEDULE_GPU_PERSISTENT:
        return TREE_PERSISTENT;
    case SCHEDULE_GPU_WARP:
        return TREE_WARP;
    default:
        return TREE_BLOCK;
    }
}

/* A kernel that stays on the device runs its states one after the other; the device maps inside are what is parallel.
 */
static bool cuda_enter(struct scope *sc, struct map_entry *m, struct scope *in)
{
    enum tree_level level = level_of(m->schedule);
    struct lower *lw = sc->act->lw;
    bool parallel = level == TREE_GRID && (!sc->parallel || sc->team) && !lw->options->no_threads;
    in->team = false;
    if (!cpu_loops(sc, m, in, parallel, level))
        return false;
    if (in->block == sc->block && (level == TREE_BLOCK || level == TREE_WARP)) { /* a block of one thread */
        struct tree_var *v = tree_var(lw->tree, "thread", type_basic(lw->ir, TYPE_I64));
        struct tree_expr *one = expr_i64(lw->tree, 1);
        in->block = stmt_for(lw->tree, sc->block, v, expr_i64(lw->tree, 0), one, one)->body;
    }
    return (level != TREE_BLOCK && level != TREE_WARP) || lower_enter_threads_of_block(in);
}

static bool cuda_leave(struct scope *sc, struct map_entry *m, struct scope *in)
{
    enum tree_level level = level_of(m->schedule);
    if (level != TREE_BLOCK && level != TREE_WARP)
        return true;
    lower_leave_threads_of_block(in);
    return lower_split_threads(sc->act->lw, sc->block, in->block);
}

const struct target cuda_target = {
    .name = "cuda",
    .text = "maps and memory of GPUs; in code for the CPU, loops and memory of the host",
    .device = true,
    .claims_schedule = cuda_claims_schedule,
    .claims_storage = cuda_claims_storage,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .allocate = cpu_allocate,
    .copy = cpu_copy,
};
