/* An OpenMP runtime opened at run time.
 *
 * Only entry points that libgomp and libomp (libiomp5) both export are used: GOMP_parallel with its two halves,
 * GOMP_barrier and the omp_ queries; GOMP_parallel inside libomp costs 0.5 microseconds, as much as its own entry. A
 * runtime that the process has loaded already is taken, so that there is one pool of threads; otherwise libgomp is
 * opened first: its threads wait without sched_yield, which on a busy machine makes libomp's regions up to a hundred
 * times slower, and its first region costs a tenth of libomp's. The price is that its waiting threads hold their
 * processors for a while, which is why threaded libraries are called from outside of regions only
 * (runtime/linalg/blas.c). */
#include "runtime/openmp.h"

#include "runtime/runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

/* Loaded once per process, as the libraries themselves are. */
static struct openmp openmp;
static pthread_once_t openmp_once = PTHREAD_ONCE_INIT;

static bool openmp_bind(const char *name, int flags)
{
    void *library = dlopen(name, RTLD_NOW | flags);
    if (!library)
        return false;
    const struct {
        const char *symbol;
        void *address;
    } table[] = {
        { "GOMP_parallel", &openmp.parallel },        { "GOMP_barrier", &openmp.barrier },
        { "omp_get_thread_num", &openmp.thread_num }, { "omp_get_num_threads", &openmp.num_threads },
        { "omp_in_parallel", &openmp.in_parallel },   { "omp_get_max_threads", &openmp.max_threads },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        void *found = dlsym(library, table[i].symbol);
        if (!found)
            return false;
        *(void **)table[i].address = found;
    }
    *(void **)&openmp.end = dlsym(library, "GOMP_parallel_end");
    if (openmp.end)
        *(void **)&openmp.start = dlsym(library, "GOMP_parallel_start");
    openmp.name = name; /* the library stays open for the life of the process: its threads do */
    return true;
}

static const char *const names[] = { "libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so" };
enum { NUM_NAMES = sizeof names / sizeof names[0] };

/* Which of them the process has; asking the dynamic linker for each would look for files. */
static int see_library(struct dl_phdr_info *info, size_t size, void *there)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    for (int i = 0; i < NUM_NAMES && slash; i++)
        ((bool *)there)[i] |= !strncmp(slash + 1, names[i], strcspn(names[i], "."));
    return 0;
}

static void openmp_open(void)
{
    bool there[NUM_NAMES] = { false };
    dl_iterate_phdr(see_library, there);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < NUM_NAMES; i++)
            if ((pass || there[i]) && openmp_bind(names[i], pass == 0 ? RTLD_NOLOAD : 0))
                return;
}

const struct openmp *sdfg_rt_openmp(void)
{
    pthread_once(&openmp_once, openmp_open);
    return openmp.name ? &openmp : NULL;
}

const char *sdfg_rt_openmp_name(void)
{
    const struct openmp *o = sdfg_rt_openmp();
    return o ? o->name : NULL;
}

int sdfg_rt_default_threads(void)
{
    const struct openmp *o = sdfg_rt_openmp();
    return o ? o->max_threads() : 1;
}
