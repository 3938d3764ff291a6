/* The border between the loader of plug-ins (plugin.c) and the tables that they fill (registry.c). */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#include "engine/include/sdfg_plugin.h"
#include "engine/registry.h"

/* Runs the function of a plug-in; what it registers stays, with the plug-in, if all of it is right. The lock of the
 * registry is held, or the engine is not known to anybody yet. */
bool registry_register(struct sdfg_engine *e, const struct plugin *plugin, sdfg_plugin_function *f, struct diags *d);
/* Closes all files, the last first. */
void plugins_close(struct registry *r);

#endif
