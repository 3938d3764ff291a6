/* Providers of instrumentation with one fault each, chosen by FAULT. */
#include "engine/include/sdfg_plugin.h"

#include <string.h>

#define LIBRARY   1 /* the library provides it */
#define TWICE     2
#define NO_MEMBER 3
#define NO_END    4
#define SCHEDULE  5
#define COUNTERS  6
#define NAME      7 /* of a counter */
#define PROBE     8
#define SILENT    9  /* its probe does not say why */
#define DATA      10 /* fails while the program runs */

static bool probe(void *user, sdfg_give *give, void *to)
{
    static const char why[] = "there is no such machine";
    (void)user;
    if (FAULT == PROBE)
        give(to, why, sizeof why - 1);
    return FAULT != PROBE && FAULT != SILENT;
}

static int64_t begin(void *user, const sdfg_probe *site)
{
    (void)user, (void)site;
    return 0;
}

static void end(void *user, const sdfg_probe *site, int64_t begun, double *values)
{
    (void)user, (void)site, (void)begun, (void)values;
}

static bool data(void *user, const sdfg_probe *site, const sdfg_operand *data)
{
    (void)user, (void)site, (void)data;
    return false;
}

SDFG_PLUGIN("fault", "1", "has a fault");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const sdfg_member kind = { .struct_size = sizeof kind,
                                      .enumeration = SDFG_ENUM_INSTRUMENT,
                                      .name = "Fault_Kind" };
    static const sdfg_member range = { .struct_size = sizeof range,
                                       .enumeration = SDFG_ENUM_DATA_INSTRUMENT,
                                       .name = "Example_Range" };
    static const char *const strange[] = { FAULT == NAME ? "a \"name\"" : "a", NULL };
    static const char *const many[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
                                        "j", "k", "l", "m", "n", "o", "p", "q", NULL };
    sdfg_provider p = { .struct_size = sizeof p,
                        .enumeration = FAULT == SCHEDULE ? SDFG_ENUM_SCHEDULE
                                       : FAULT == DATA   ? SDFG_ENUM_DATA_INSTRUMENT
                                                         : SDFG_ENUM_INSTRUMENT,
                        .name = FAULT == LIBRARY     ? "Timer"
                                : FAULT == NO_MEMBER ? "Nobody_Has_This"
                                : FAULT == DATA      ? "Example_Range"
                                                     : "Fault_Kind",
                        .text = "has a fault",
                        .counters = FAULT == COUNTERS ? many : strange,
                        .probe = probe,
                        .begin = begin,
                        .end = FAULT == NO_END ? NULL : end,
                        .data = data };
    return api->member(api->plugin, &kind) && api->member(api->plugin, &range) && api->provider(api->plugin, &p) &&
           (FAULT != TWICE || api->provider(api->plugin, &p));
}
