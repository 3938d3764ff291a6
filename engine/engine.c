#include "engine/engine.h"

#include "base/fatal.h"

#include <dlfcn.h>
#include <stdlib.h>

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
    *out = e;
    return report_end(&r, SDFG_STAGE_OPTIONS);
}

void sdfg_engine_free(sdfg_engine *e)
{
    if (!e)
        return;
    /* The library stays open: LLVM's static destructors and thread-local data do not survive being unloaded. */
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
