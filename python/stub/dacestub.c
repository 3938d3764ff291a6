/* libdacestub: DaCe opens every program that it has built through a small library beside it, which does what Python's
 * ctypes does not do: close a library again, and tell whether one is open. sdfg.dropin puts a copy of this one beside
 * the programs that it builds. */
#include <dlfcn.h>
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *load_library(const char *file);
EXPORTED int is_library_loaded(const char *file);
EXPORTED void *get_symbol(void *library, const char *name);
EXPORTED void unload_library(void *library);

void *load_library(const char *file) { return file ? dlopen(file, RTLD_LOCAL | RTLD_NOW) : NULL; }

/* 1 if it is open, 0 if not, -1 without a name. */
int is_library_loaded(const char *file)
{
    if (!file)
        return -1;
    void *library = dlopen(file, RTLD_LOCAL | RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return 0;
    dlclose(library); /* the question has opened it once more */
    return 1;
}

void *get_symbol(void *library, const char *name) { return library && name ? dlsym(library, name) : NULL; }

void unload_library(void *library)
{
    if (library)
        dlclose(library);
}
