#include "runtime/check.h"
#include "runtime/data.h"
#include "runtime/device.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/cblas.h"
#include "runtime/linalg/fft.h"
#include "runtime/mpi.h"
#include "runtime/mpi_code.h"
#include "runtime/node.h"
#include "runtime/program.h"
#include "runtime/runtime.h"
#include "runtime/stream.h"
#include "runtime/timing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    void (*function)(void);
} table[] = {
#define RT_FUNCTION(name, signature, roles, flags) { #name, (void (*)(void))name },
#include "runtime/abi.def"
    { "sdfg_rt_print", (void (*)(void))sdfg_rt_print }, /* variadic: a row of ir/code/functions.def */
};

/* Vector forms of mathematical functions, as the vector function ABI names them. glibc has them in a library of their
 * own, which stays open for the life of the process. */
static void *vector_library;
static pthread_once_t vector_once = PTHREAD_ONCE_INIT;

static void open_vector_library(void) { vector_library = dlopen("libmvec.so.1", RTLD_NOW); }

static void *vector_function(const char *name)
{
    pthread_once(&vector_once, open_vector_library);
    return vector_library ? dlsym(vector_library, name) : NULL;
}

void *sdfg_rt_symbol(const char *name)
{
    if (!strncmp(name, "_ZGV", 4))
        return vector_function(name);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return (void *)table[i].function;
    bool blas = strncmp(name, "cblas_", 6) == 0 || strncmp(name, "LAPACKE_", 8) == 0; /* of C++ tasklets */
    return blas ? sdfg_rt_blas_function(name) : NULL;
}
