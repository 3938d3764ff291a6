/* Who lowers scopes, storage and copies of a kind. A target is a struct of functions; the dispatcher asks the targets, the one
 * registered last first, and takes the first that claims the schedule or storage. */
#ifndef LOWER_TARGET_H
#define LOWER_TARGET_H

#include "lower/lower.h"

struct target {
    const char *name; /* "cpu", "openmp" */
    bool (*claims_schedule)(const struct enum_value *schedule);
    bool (*claims_storage)(const struct enum_value *storage);
    bool (*claims_copy)(const struct enum_value *from, const struct enum_value *to);
    /* Lowers a map whose inside has been given a scope: loops around `inside->block`, appended to sc->block. */
    bool (*scope)(struct scope *sc, struct map_entry *m);
    /* Memory for a container; sets b->pointer. Frees go to `frees`. */
    bool (*allocate)(struct scope *sc, struct binding *b, struct tree_stmt *block, struct tree_stmt *frees, bool zero);
    bool (*copy)(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                 const struct memlet *m, bool atomic);
};

extern const struct target cpu_target, openmp_target;

/* NULL-terminated, first match wins (engine/targets.c orders the same list for the public API). */
extern const struct target *const target_list[];

const struct target *target_for_schedule(const struct enum_value *schedule);
const struct target *target_for_storage(const struct enum_value *storage);
const struct target *target_for_copy(const struct enum_value *from, const struct enum_value *to);

#endif
