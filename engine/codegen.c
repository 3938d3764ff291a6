#include "engine/codegen.h"

#include "engine/engine.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libsdfg-codegen.so"

/* dlopen's message names the file and the reason. RTLD_LOCAL keeps our LLVM apart from one the process may have. */
static void *open_at(struct arena *a, const char *folder, size_t length, const char *rest, const char **why)
{
    void *library = dlopen(arena_printf(a, "%.*s%s" LIBRARY, (int)length, folder, rest), RTLD_NOW | RTLD_LOCAL);
    if (!library && !*why)
        *why = arena_strdup(a, dlerror());
    return library;
}

/* Beside the file this code was loaded from (the library, or a program it is linked into), or in ../lib of that. */
static void *open_library(struct sdfg_engine *e, struct arena *a, const char **why)
{
    if (e->options.codegen) {
        void *library = dlopen(e->options.codegen, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            *why = arena_strdup(a, dlerror());
        return library;
    }
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)&engine_codegen, &here) || !here.dli_fname) {
        *why = "the library does not know where it was loaded from; give the path as option codegen";
        return NULL;
    }
    const char *slash = strrchr(here.dli_fname, '/');
    size_t length = slash ? (size_t)(slash - here.dli_fname) + 1 : 0;
    static const char *const places[] = { "", "../lib/" };
    for (unsigned i = 0; i < 2; i++) {
        void *library = open_at(a, length ? here.dli_fname : "./", length ? length : 2, places[i], why);
        if (library)
            return library;
    }
    return NULL;
}

static const struct codegen_api *open_api(struct sdfg_engine *e, struct diags *d)
{
    struct arena *a = arena_new();
    const char *why = NULL;
    const struct codegen_api *api = NULL;
    e->library = open_library(e, a, &why);
    if (!e->library) {
        diag_error(d, NULL, DIAG_CODEGEN_OPEN, why);
        goto done;
    }
    api = dlsym(e->library, "sdfg_codegen_api");
    if (!api || api->abi != CODEGEN_ABI) {
        diag_error(d, NULL, DIAG_CODEGEN_ABI, api ? api->abi : 0, (unsigned)CODEGEN_ABI);
        api = NULL;
    }
done:
    arena_free(a);
    return api;
}

const struct codegen_api *engine_codegen(struct sdfg_engine *e, struct diags *d)
{
    pthread_mutex_lock(&e->lock);
    if (!e->codegen)
        e->codegen = open_api(e, d);
    const struct codegen_api *api = e->codegen;
    pthread_mutex_unlock(&e->lock);
    return api;
}
