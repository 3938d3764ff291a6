/* What the library itself puts into the registry of an engine, by the calls that plug-ins use: the files of this folder
 * include the header for plug-ins and tables of rows, and nothing else of the library (tests/lint/builtin.py). */
#ifndef ENGINE_BUILTIN_H
#define ENGINE_BUILTIN_H

#include "engine/include/sdfg_plugin.h"

bool builtin_register(const sdfg_plugin_api *api); /* all of it */

bool builtin_members(const sdfg_plugin_api *api);
bool builtin_targets(const sdfg_plugin_api *api);
bool builtin_passes(const sdfg_plugin_api *api);
bool builtin_operations(const sdfg_plugin_api *api);
bool builtin_providers(const sdfg_plugin_api *api);

/* The counters of perf_event (perf.c); `user` of its provider, NULL if there is no memory. */
void *perf_new(void);
void perf_free(void *perf);
bool perf_probe(void *perf, sdfg_give *give, void *to);
int64_t perf_begin(void *perf, const sdfg_probe *site);
void perf_end(void *perf, const sdfg_probe *site, int64_t begun, double *values);
extern const char *const perf_counters[];

#endif
