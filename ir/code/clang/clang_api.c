#include "ir/code/clang/clang_api.h"

#include <dlfcn.h>

static bool bind(void *library, struct clang_api *api)
{
    bool complete = true;
#define F(name)                                                                                                        \
    *(void **)&api->name = dlsym(library, "clang_" #name);                                                             \
    complete &= api->name != NULL;
    CLANG_FUNCTIONS(F)
#undef F
    return complete;
}

const struct clang_api *clang_api_open(struct arena *a, const char **tried)
{
    static const char *const names[] = {
        "libclang-22.so.22", "libclang-22.so.1",  "libclang-21.so.21", "libclang-21.so.1", "libclang-20.so.20",
        "libclang-20.so.1",  "libclang-19.so.19", "libclang-19.so.1",  "libclang.so.1",    "libclang.so",
    };
    struct clang_api *api = NEW(a, struct clang_api);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL); /* stays open: loading it again costs 20 ms */
        if (library && bind(library, api))
            return api;
        *tried = names[i];
        if (library)
            dlclose(library);
    }
    return NULL;
}
