/* Plug-ins with one fault each, chosen by FAULT. */
#include "engine/include/sdfg_plugin.h"

#include <stdio.h>

#define NO_GET           1
#define NO_INIT          2
#define OLD              3
#define BAD_NAME         4
#define FAILS            5
#define FAILS_SILENTLY   6
#define MEMBER           7
#define NODE             8
#define UNDEFINED_SYMBOL 9

#if FAULT == NO_GET
#define sdfg_plugin_get sdfg_plugin_other_get
#elif FAULT == NO_INIT
#define sdfg_plugin_init sdfg_plugin_other_init
#endif

SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void);
SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void)
{
    static const sdfg_plugin_about about = { sizeof about, FAULT == OLD ? SDFG_PLUGIN_ABI + 1 : SDFG_PLUGIN_ABI,
                                             FAULT == BAD_NAME ? "no name" : "fault", "1", "has a fault" };
    return &about;
}
static void freed(void *text) { fprintf(stderr, "%s\n", (const char *)text); }

static bool run(void *user, const sdfg_node *node)
{
    (void)user;
    (void)node;
    return false;
}

extern int nobody_has_this;

SDFG_PLUGIN_EXPORT sdfg_plugin_function sdfg_plugin_init;
SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    api->at_free(api->plugin, freed, "fault: freed");
    if (!api->implement(api->plugin, "example.nodes.Clip", "text", run, NULL))
        return false;
    switch (FAULT) {
    case FAILS:
        api->fail(api->plugin, "the accelerator is switched off");
        return true; /* fails all the same */
    case FAILS_SILENTLY:
        return false;
    case MEMBER: {
        sdfg_member twice = { .struct_size = sizeof twice, .enumeration = SDFG_ENUM_STORAGE, .name = "Register" };
        return api->member(api->plugin, &twice);
    }
    case NODE:
        return api->implement(api->plugin, "example.nodes.Clip", "once more", run, NULL);
#if FAULT == UNDEFINED_SYMBOL
    case UNDEFINED_SYMBOL:
        return nobody_has_this;
#endif
    }
    return true;
}
