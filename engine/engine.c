#include "engine/engine.h"

#include "base/fatal.h"
#include "base/sized.h"
#include "engine/kernels/device_code.h"
#include "engine/kernels/disk.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/tiers.h"
#include "runtime/device.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *sdfg_version(void) { return VERSION_TEXT(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH); }

int sdfg_version_number(void) { return SDFG_VERSION; }

sdfg_error *sdfg_version_check(int major, int minor, int patch)
{
    bool serves = major == SDFG_VERSION_MAJOR && minor == SDFG_VERSION_MINOR;
    if (major == SDFG_VERSION_MAJOR && major > 0)
        serves = SDFG_VERSION_NUMBER(0, minor, patch) <= SDFG_VERSION_NUMBER(0, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH);
    if (serves)
        return NULL;
    return error_of(SDFG_STAGE_OPTIONS, DIAG_VERSION, major, minor, patch, sdfg_version());
}

/* Also of one that is half made. */
static void engine_release(void *engine)
{
    struct sdfg_engine *e = engine;
    /* The library stays open: LLVM's static destructors and thread-local data do not survive being unloaded. */
    tiers_free(e->tiers);
    if (e->cuda_device >= 0)
        sdfg_rt_device_let_go();
    device_codes_free(e->device_codes);
    disk_free(e->disk);
    kernel_store_free(e->kernels);
    pthread_mutex_destroy(&e->lock);
    registry_end(e);
    arena_free(e->arena);
}

sdfg_error *sdfg_engine_new(sdfg_engine **out, const sdfg_options *o)
{
    NEEDS(out);
    *out = NULL;
    GUARDED(error_memory(SDFG_STAGE_OPTIONS));
    struct report r = report_begin();
    struct arena *a = arena_new();
    sdfg_engine *e = NEW(a, sdfg_engine);
    struct cleanup half_made;
    e->arena = a;
    if (!options_take(e, o, r.diags)) {
        arena_free(a);
        return report_end(&r, SDFG_STAGE_OPTIONS);
    }
    if (e->cuda_device >= 0)
        sdfg_rt_device_hold();
    atomic_init(&e->holders, 1);
    pthread_mutex_init(&e->lock, NULL);
    registry_begin(e);
    cleanup_push(&half_made, engine_release, e);
    e->device_codes = device_codes_new(e);
    e->disk = disk_new(e, &e->disk_off);
    e->kernels = kernel_store_new(e->options.memory_bytes);
    e->tiers = tiers_new();
    if (registry_library(e, r.diags))
        registry_load(e, e->options.plugins, r.diags);
    sdfg_error *error = report_end(&r, SDFG_STAGE_OPTIONS);
    cleanup_pop(&half_made);
    if (error)
        engine_release(e);
    else
        *out = e;
    return error;
}

void engine_hold(struct sdfg_engine *e) { atomic_fetch_add_explicit(&e->holders, 1, memory_order_relaxed); }

void engine_let_go(struct sdfg_engine *e)
{
    if (atomic_fetch_sub_explicit(&e->holders, 1, memory_order_acq_rel) == 1)
        engine_release(e);
}

void sdfg_engine_free(sdfg_engine *e)
{
    if (e && !atomic_exchange(&e->freed, true))
        engine_let_go(e);
}

sdfg_error *sdfg_engine_backend(const char **out, sdfg_engine *e)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    GUARDED(error_memory(SDFG_STAGE_COMPILE));
    struct report r = report_begin();
    const struct codegen_api *api = engine_codegen(e, r.diags);
    if (api)
        *out = api->version();
    return report_end(&r, SDFG_STAGE_COMPILE);
}

void sdfg_engine_wait(sdfg_engine *e)
{
    if (!e)
        return;
    tiers_wait(e->tiers);
    if (e->disk)
        disk_wait(e->disk);
}

const char *sdfg_engine_phase(sdfg_engine *e) { return e ? atomic_load(&e->phase) : NULL; }

void sdfg_engine_stats(sdfg_engine *e, sdfg_stats *out)
{
    if (!e || !out)
        return;
    sdfg_stats s = kernel_store_stats(e->kernels);
    pthread_mutex_lock(&e->lock);
    s.parsed = atomic_load(&e->parsed);
    s.abandoned = e->codegen ? e->codegen->abandoned() : 0;
    pthread_mutex_unlock(&e->lock);
    sized_give(out, &s, sizeof s);
}

void sdfg_engine_cache(sdfg_engine *e, sdfg_cache_info *out)
{
    if (!e || !out)
        return;
    sdfg_cache_info info = { .off = e->disk_off };
    if (e->disk) {
        disk_wait(e->disk);
        struct cache_store *s = disk_store_of(e->disk);
        struct cache_counts c = cache_counts(s);
        info.folder = cache_folder(s);
        info.hits = c.hits;
        info.misses = c.misses;
        info.stored = c.stored;
        info.removed = c.removed;
        info.troubles = c.troubles;
        cache_trouble(s, info.trouble, sizeof info.trouble);
    }
    sized_give(out, &info, sizeof info);
}
