/* The providers of the library. What is saved and restored is in the code itself
 * (lower/graph/instrument.c), and a GPU is timed by the runtime, which sees each kernel and transfer. */
#include "engine/builtin/builtin.h"

static bool wants_nothing(void *user, const sdfg_probe *site)
{
    (void)user, (void)site;
    return false;
}

bool builtin_providers(const sdfg_plugin_api *api)
{
    void *perf = perf_new();
    const sdfg_provider rows[] = {
        { .name = "Timer", .text = "how long elements take, by the clock of the host" },
        { .name = "GPU_Events",
          .text = "how long kernels, transfers and waits take, of every program that runs on a GPU",
          .wants = wants_nothing },
        { .name = "PAPI_Counters",
          .text = "counters of the processor and the system (perf_event) in the thread that an element begins in",
          .counters = perf_counters,
          .user = perf,
          .probe = perf_probe,
          .begin = perf_begin,
          .end = perf_end },
        { .enumeration = SDFG_ENUM_DATA_INSTRUMENT,
          .name = "Save",
          .text = "containers and symbols are written into a folder (--save-data)",
          .wants = wants_nothing },
        { .enumeration = SDFG_ENUM_DATA_INSTRUMENT,
          .name = "Restore",
          .text = "containers and symbols are read from a folder (--restore-data)",
          .wants = wants_nothing },
    };
    bool good = perf != NULL;
    if (!good)
        api->fail(api->plugin, "memory is exhausted");
    api->at_free(api->plugin, perf_free, perf);
    for (size_t i = 0; good && i < sizeof rows / sizeof *rows; i++) {
        sdfg_provider p = rows[i];
        p.struct_size = sizeof p;
        if (!p.enumeration)
            p.enumeration = SDFG_ENUM_INSTRUMENT;
        good = api->provider(api->plugin, &p);
    }
    return good;
}
