/* The base of targets for GPUs: their schedules and storages. Kernels are the loops that the CPU target makes, marked
 * with the level of the device on which their iterations run, and device memory is the memory that it takes. Code for
 * the CPU has no other use for either, so that a program for a GPU gives the same results on the CPU: the outer loops
 * of a kernel ask for threads, those of a thread block are loops inside of one. */
#include "lower/graph/target.h"
#include "lower/graph/threads.h"

#include <string.h>

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
static bool gpu_enter(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t;
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

static bool gpu_leave(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    (void)t;
    enum tree_level level = level_of(m->schedule);
    if (level != TREE_BLOCK && level != TREE_WARP)
        return true;
    lower_leave_threads_of_block(in);
    return lower_split_threads(sc->act->lw, sc->block, in->block);
}

/* ---- memory ---- */

static bool is_per_thread(const struct target *t, const struct claim *c, const struct claim_site *site)
{
    (void)t, (void)c;
    return site->scope && lower_is_per_thread(site->scope, site->to);
}

static bool gpu_allocate(const struct target *t, struct scope *sc, struct allocation *a)
{
    if (a->binding && lower_is_per_thread(sc, a->desc) && !lower_parts_per_thread(sc, a))
        return false;
    return cpu_target.allocate(t, sc, a);
}

/* ---- tasklets beside the thread-block maps of a kernel that ask for their thread: all threads run them ---- */

static bool is_for_threads(const struct target *t, const struct claim *c, const struct claim_site *site)
{
    (void)t, (void)c;
    return site->scope && lower_is_for_threads(site->scope, as_tasklet(site->node));
}

static bool lower_by_threads(const struct target *t, struct scope *sc, struct node *n)
{
    (void)t;
    struct scope in;
    for (uint32_t i = 0; i < n->out.count; i++)
        if (path_target(n->out.items[i])->kind != NODE_ACCESS)
            return lower_unsupported(sc, &n->place, "a value from the threads of a block to another tasklet");
    if (!lower_enter_block(sc, &n->place, &in) || !lower_tasklet(&in, n))
        return false;
    lower_leave_threads_of_block(&in);
    return lower_split_threads(sc->act->lw, sc->block, in.block);
}

claim_predicate *target_rule(const char *name)
{
    return !strcmp(name, "per-thread") ? is_per_thread : !strcmp(name, "for-threads") ? is_for_threads : NULL;
}

const struct target gpu_target = {
    .size = sizeof gpu_target,
    .name = "gpu",
    .extends = &cpu_target,
    .device = true,
    .enter = gpu_enter,
    .leave = gpu_leave,
    .allocate = gpu_allocate,
    .node = lower_by_threads,
};
