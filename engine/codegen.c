#include "engine/codegen.h"

#include "engine/engine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libsdfg-codegen.so"
#define PRIVATE "libsdfg/"

enum { NUM_PLACES = 5 };

/* Beside the file this code was loaded from (the library, or a program it is linked into), in the private folder beside
 * that or in ../lib of it, in the private folder that this build is installed with, or where the system looks for
 * libraries. False if that file is unknown. */
static bool places(const struct sdfg_engine *e, struct arena *a, const char *out[NUM_PLACES])
{
    Dl_info here;
    for (int i = 0; i < NUM_PLACES; i++)
        out[i] = e->options.codegen;
    if (e->options.codegen)
        return true;
    if (!dladdr((void *)(uintptr_t)&engine_codegen, &here) || !here.dli_fname)
        return false;
    const char *slash = strrchr(here.dli_fname, '/'), *folder = slash ? here.dli_fname : "./";
    int length = slash ? (int)(slash - here.dli_fname) + 1 : 2;
    out[0] = arena_printf(a, "%.*s" LIBRARY, length, folder);
    out[1] = arena_printf(a, "%.*s" PRIVATE LIBRARY, length, folder);
    out[2] = arena_printf(a, "%.*s../lib/" PRIVATE LIBRARY, length, folder);
    out[3] = INSTALLED "/" PRIVATE LIBRARY;
    out[4] = LIBRARY;
    return true;
}

const char *engine_codegen_file(const struct sdfg_engine *e, struct arena *a)
{
    const char *files[NUM_PLACES];
    if (!places(e, a, files))
        return NULL;
    for (int i = 0; i < NUM_PLACES; i++)
        if (strchr(files[i], '/') && !access(files[i], R_OK))
            return files[i];
    return NULL;
}

/* dlopen's message names the file and the reason. RTLD_LOCAL keeps our LLVM apart from one the process may have. */
static void *open_library(struct sdfg_engine *e, struct arena *a, const char **why)
{
    const char *files[NUM_PLACES];
    if (!places(e, a, files)) {
        *why = "the library does not know where it was loaded from; give the path as option codegen";
        return NULL;
    }
    for (int i = 0; i < NUM_PLACES; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        if (!*why)
            *why = arena_strdup(a, dlerror());
    }
    return NULL;
}

/* While it is opened LLVM makes its options, and ends the process if there is no memory for them. */
static void check_memory(void)
{
    enum { OPENING_BYTES = 8 << 20 };
    void *memory = malloc(OPENING_BYTES);
    if (!memory)
        fatal_memory();
    free(memory);
}

static const struct codegen_api *open_api(struct sdfg_engine *e, struct diags *d)
{
    check_memory();
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
    struct cleanup locked;
    guard_lock(&locked, &e->lock);
    if (!e->codegen)
        e->codegen = open_api(e, d);
    const struct codegen_api *api = e->codegen;
    guard_unlock(&locked);
    return api;
}
