#include "engine/engine.h"

#include "base/fatal.h"
#include "engine/kernels/disk.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/tiers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *sdfg_version(void) { return VERSION_TEXT(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH); }

sdfg_error *sdfg_engine_new(sdfg_engine **out, const sdfg_options *o)
{
    *out = NULL;
    struct report r = report_begin();
    struct arena *a = arena_new();
    sdfg_engine *e = NEW(a, sdfg_engine);
    e->arena = a;
    if (!options_take(e, o, r.diags)) {
        arena_free(a);
        return report_end(&r, SDFG_STAGE_OPTIONS);
    }
    if (e->options.fatal)
        fatal_set_handler(e->options.fatal, e->options.user);
    pthread_mutex_init(&e->lock, NULL);
    e->disk = disk_new(e, &e->disk_off);
    e->kernels = kernel_store_new(e->options.memory_bytes);
    e->tiers = tiers_new();
    *out = e;
    return report_end(&r, SDFG_STAGE_OPTIONS);
}

void sdfg_engine_free(sdfg_engine *e)
{
    if (!e)
        return;
    /* The library stays open: LLVM's static destructors and thread-local data do not survive being unloaded. */
    tiers_free(e->tiers);
    disk_free(e->disk);
    kernel_store_free(e->kernels);
    pthread_mutex_destroy(&e->lock);
    arena_free(e->arena);
}

sdfg_error *sdfg_engine_backend(const char **out, sdfg_engine *e)
{
    *out = NULL;
    struct report r = report_begin();
    const struct codegen_api *api = engine_codegen(e, r.diags);
    if (api)
        *out = api->version();
    return report_end(&r, SDFG_STAGE_COMPILE);
}

void sdfg_engine_wait(sdfg_engine *e)
{
    tiers_wait(e->tiers);
    if (e->disk)
        disk_wait(e->disk);
}

void sdfg_engine_stats(sdfg_engine *e, sdfg_stats *out) { kernel_store_stats(e->kernels, out); }

void sdfg_engine_cache(sdfg_engine *e, sdfg_cache_info *out)
{
    sdfg_cache_info info = { .struct_size = out->struct_size, .off = e->disk_off };
    if (e->disk) {
        struct arena *a = arena_new();
        disk_wait(e->disk);
        struct cache_store *s = disk_store_of(e->disk);
        struct cache_counts c = cache_counts(s);
        const char *trouble = cache_trouble(s, a);
        info.folder = cache_folder(s);
        info.hits = c.hits;
        info.misses = c.misses;
        info.stored = c.stored;
        info.removed = c.removed;
        info.troubles = c.troubles;
        snprintf(info.trouble, sizeof info.trouble, "%s", trouble ? trouble : "");
        arena_free(a);
    }
    memcpy(out, &info, out->struct_size < sizeof info ? out->struct_size : sizeof info);
}
