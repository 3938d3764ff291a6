/* Who lowers scopes, storage and copies of a kind. A target is a struct of functions; the dispatcher asks the targets,
 * the one registered last first, and takes the first that claims the schedule or storage. */
#ifndef LOWER_TARGET_H
#define LOWER_TARGET_H

#include "lower/graph/lower.h"

struct target {
    const char *name; /* "cpu", "openmp" */
    const char *text; /* what it serves, as lists show it */
    bool device;      /* has memory and processors of its own, which may be missing */
    bool (*claims_schedule)(const struct enum_value *schedule);
    bool (*claims_storage)(const struct enum_value *storage);
    /* Loops of a map, appended to sc->block: makes the parameters known in `inside` and sets inside->block to the
     * innermost body. `leave` is called when the inside has been lowered. */
    bool (*enter)(struct scope *sc, struct map_entry *m, struct scope *inside);
    bool (*leave)(struct scope *sc, struct map_entry *m, struct scope *inside);
    /* Memory for a container; sets b->pointer. Frees go to `frees`. */
    bool (*allocate)(struct scope *sc, struct binding *b, struct tree_stmt *block, struct tree_stmt *frees, bool zero);
    /* Copies between two storages this target claims, or between its own and the host's. */
    bool (*copy)(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                 const struct memlet *m, bool atomic);
};

extern const struct target cpu_target, openmp_target, mpi_target, cuda_target;

/* What the targets share that make loops and take memory of the host (cpu.c). `parallel`: the first loop asks for
 * threads. */
bool cpu_loops(struct scope *sc, struct map_entry *m, struct scope *inside, bool parallel, enum tree_level level);
/* One loop of them, with its parameter, in in->block, which becomes its body. */
struct tree_stmt *cpu_loop(struct scope *in, const struct map_entry *m, uint32_t dim, struct tree_expr *from,
                           struct tree_expr *to, struct tree_expr *by);
bool cpu_leave(struct scope *sc, struct map_entry *m, struct scope *inside);
bool cpu_allocate(struct scope *sc, struct binding *b, struct tree_stmt *block, struct tree_stmt *frees, bool zero);
bool cpu_allocate_count(struct scope *sc, struct binding *b, struct tree_expr *count, struct tree_stmt *block,
                        struct tree_stmt *frees, bool zero);
bool cpu_copy(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
              const struct memlet *m, bool atomic);

/* NULL if nobody claims the schedule or storage. */
const struct target *target_for_schedule(const struct enum_value *schedule);
const struct target *target_for_storage(const struct enum_value *storage);
/* All of them, in the order in which they are asked; NULL behind the last. */
const struct target *target_at(uint32_t index);

#endif
