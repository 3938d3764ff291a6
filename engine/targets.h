/* Targets of plug-ins and the environments of their C functions. The tables are complete before the first program is
 * loaded; what changes later is guarded by a lock of its own. */
#ifndef ENGINE_TARGETS_H
#define ENGINE_TARGETS_H

#include "base/vec.h"
#include "engine/include/sdfg_plugin.h"
#include "engine/reason.h"
#include "runtime/abi.h"

#include <pthread.h>
#include <stdatomic.h>

struct environment {
    sdfg_environment own; /* with copies of all lists and texts */
    const char *plugin;
    uint32_t *needs, num_needs; /* numbers in the table */
    void **symbols;
    void *library, *state;
    enum environment_phase { ENVIRONMENT_NEW, ENVIRONMENT_UP, ENVIRONMENT_FAILED } phase;
    struct reason why;
};

struct engine_target {
    sdfg_target own;
    const char *plugin;
    uint32_t *environments, num_environments;
    void **states;
    atomic_bool ready; /* its environments have begun */
    bool probed, usable;
    struct reason *why; /* NULL: it has no probe and no environments, so it is usable */
};

struct targets_table {
    pthread_mutex_t lock;
    VEC(struct environment *) environments;
    VEC(struct engine_target *) items;
    VEC(uint32_t) begun; /* environments, in the order in which they began */
};

struct sdfg_engine;

/* Can programs use it here? Asks the target once; `why` is the reason if not. */
bool target_is_usable(struct sdfg_engine *e, uint32_t index, const char **why);
/* The same, and its environments have begun. */
bool target_is_ready(void *engine, uint32_t index, const char **why);
/* The function of struct sdfg_rt_nodes. */
bool target_call(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *arguments, int64_t *result);
/* Ends environments, the last that began first, and forgets the tables beyond these counts. */
void targets_shorten(struct sdfg_engine *e, uint32_t targets, uint32_t environments);

#endif
