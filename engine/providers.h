/* Providers of instrumentation: those of the library and of plug-ins, in one table that is complete before the first
 * program is loaded. */
#ifndef ENGINE_PROVIDERS_H
#define ENGINE_PROVIDERS_H

#include "base/vec.h"
#include "engine/include/sdfg_plugin.h"
#include "engine/reason.h"
#include "runtime/abi.h"

#include <pthread.h>

enum { PROVIDER_COUNTERS = 16 };

struct provider {
    sdfg_provider own;  /* with copies of its texts */
    const char *plugin; /* NULL: the library's own */
    size_t num_counters;
    bool probed, usable; /* guarded by the lock of the table, as `why` */
    struct reason why;
};

struct providers {
    pthread_mutex_t lock;
    VEC(struct provider *) items;
};

struct sdfg_engine;
struct sdfg_plugin;

/* Can programs use it here? Asks it once; `why` is the reason if not. Any thread. */
bool provider_is_usable(void *engine, uint32_t index, const char **why);
/* The functions of struct sdfg_rt_nodes. */
int64_t provider_begin(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element);
void provider_end(const struct sdfg_rt_nodes *nodes, struct sdfg_rt_context *context,
                  const struct sdfg_rt_element *element, int64_t begun);
bool provider_observe(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element, const int64_t *layout,
                      void *elements);

#endif
