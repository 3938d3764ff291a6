/* Which BLAS, and how many threads it uses.
 *
 * A BLAS with threads of its own beside the threads of our regions is the worst combination: the waiting threads of one
 * pool hold the processors the other needs. So an OpenBLAS that we opened is told to use one thread while we call it,
 * and large products are split among the threads of a region of ours (blas.c): one pool. Other users of the library in
 * the process find it as they left it. An OpenBLAS built on OpenMP shares the pool anyway and is left alone (its
 * setting is the thread number of the whole OpenMP runtime), and so is one that the process had opened before us. */
#include "runtime/linalg/blas_small.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sdfg_rt_blas blas; /* once per process, as the library itself */
static const char *wanted;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;

static const struct {
    const char *name;
    size_t offset;
    bool required;
} functions[] = {
#define ALL(member, s, d, c, z, required)                                                                              \
    { s, offsetof(struct sdfg_rt_blas, member[SDFG_RT_F32]), required },                                               \
        { d, offsetof(struct sdfg_rt_blas, member[SDFG_RT_F64]), required },                                           \
        { c, offsetof(struct sdfg_rt_blas, member[SDFG_RT_C64]), required },                                           \
        { z, offsetof(struct sdfg_rt_blas, member[SDFG_RT_C128]), required },
    ALL(gemm, "cblas_sgemm", "cblas_dgemm", "cblas_cgemm", "cblas_zgemm", true)
        ALL(gemv, "cblas_sgemv", "cblas_dgemv", "cblas_cgemv", "cblas_zgemv", true)
            ALL(dot, "cblas_sdot", "cblas_ddot", "cblas_cdotu_sub", "cblas_zdotu_sub", true)
                ALL(getrf, "sgetrf_", "dgetrf_", "cgetrf_", "zgetrf_", false)
                    ALL(getri, "sgetri_", "dgetri_", "cgetri_", "zgetri_", false)
                        ALL(getrs, "sgetrs_", "dgetrs_", "cgetrs_", "zgetrs_", false)
                            ALL(potrf, "spotrf_", "dpotrf_", "cpotrf_", "zpotrf_", false)
#undef ALL
};

/* Fills what is still missing from the library. */
static bool bind(void *library, struct sdfg_rt_blas *b)
{
    bool complete = true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void **slot = (void **)((char *)b + functions[i].offset);
        if (!*slot)
            *slot = dlsym(library, functions[i].name);
        complete &= *slot || !functions[i].required;
    }
    return complete;
}

static void choose_threads(void *library, struct sdfg_rt_blas *b, bool ours)
{
    void (*set)(int) = (void (*)(int))dlsym(library, "openblas_set_num_threads");
    int (*get)(void) = (int (*)(void))dlsym(library, "openblas_get_num_threads");
    int (*parallel)(void) = (int (*)(void))dlsym(library, "openblas_get_parallel");
    bool own_threads = parallel && parallel() == 1, openmp = parallel && parallel() == 2;
    if (own_threads && ours && set && get) {
        b->set_num_threads = set;
        b->get_num_threads = get;
    }
    b->single = !openmp && (!own_threads || b->set_num_threads);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

/* OpenBLAS chooses its kernels by the models of processors that it knows: a release that is older than the processor
 * has kernels with the vectors of 2004 (core "Prescott"). What is none of the libraries that have kernels of their own
 * is the reference implementation. */
bool sdfg_rt_blas_is_slow(void *library)
{
    static const char *const avx512[] = { "SkylakeX", "Cooperlake", "SapphireRapids", NULL };
    static const char *const fma[] = { "Haswell", "Zen", "Excavator", "Steamroller", "Piledriver", NULL };
    static const char *const others[] = { "bli_info_get_version_str", "MKL_Get_Version", "ATL_buildinfo",
                                          "armplversion" };
    const char *(*core)(void) = (const char *(*)(void))dlsym(library, "openblas_get_corename");
    enum small_level level = sdfg_rt_small_level();
    if (core)
        return level != SMALL_ANY && !is_among(core(), avx512) && (level == SMALL_AVX512 || !is_among(core(), fma));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (dlsym(library, others[i]))
            return false;
    return true;
}

/* Opens a BLAS, and LAPACK beside it if it has none. */
static bool open_library(const char *name, struct sdfg_rt_blas *b)
{
    /* Of some ten thousand functions a program calls a few: looking them up when they are called saves 0.2 to 0.3 ms.
     */
    void *before = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    /* OpenBLAS starts its threads while it is opened, and ends the process if it cannot. */
    int64_t more = before ? 0 : sysconf(_SC_NPROCESSORS_ONLN) - 1;
    if (sdfg_rt_startable(more) < more)
        return false;
    void *library = before ? before : dlopen(name, RTLD_LAZY);
    if (!library || !bind(library, b)) {
        *b = (struct sdfg_rt_blas){ 0 };
        return false;
    }
    if (!b->getrf[SDFG_RT_F64]) {
        void *lapack = dlopen("liblapack.so.3", RTLD_LAZY);
        if (lapack)
            bind(lapack, b);
    }
    b->name = name;
    b->library = library;
    b->slow = !wanted && sdfg_rt_blas_is_slow(library);
    choose_threads(library, b, !before);
    return true;
}

/* What SDFG_BLAS names, "none" for none; NULL: it is not set. */
static const char *named_outside(void)
{
    const char *given = secure_getenv("SDFG_BLAS");
    return given && *given ? strdup(given) : NULL; /* once per process */
}

static void open_blas(void)
{
    static const char *const names[] = { "libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libblas.so.3",
                                         "libcblas.so.3" };
    struct sdfg_rt_blas found = { 0 };
    if (!wanted)
        wanted = named_outside();
    if (wanted) {
        if (strcmp(wanted, "none") != 0)
            open_library(wanted, &found);
    } else {
        for (size_t i = 0; i < sizeof names / sizeof names[0] && !found.name; i++)
            open_library(names[i], &found);
    }
    blas = found;
}

const struct sdfg_rt_blas *sdfg_rt_blas_get(void)
{
    pthread_once(&blas_once, open_blas);
    return blas.name ? &blas : NULL;
}

const struct sdfg_rt_blas *sdfg_rt_blas_quick(void)
{
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    return b && !b->slow ? b : NULL;
}

static pthread_mutex_t setting_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t setting_users;
static int setting_before, setting_ours;

void sdfg_rt_blas_begin(const struct sdfg_rt_blas *b, int64_t threads)
{
    if (!b || !b->set_num_threads)
        return;
    pthread_mutex_lock(&setting_lock);
    if (setting_users++ == 0) {
        setting_before = b->get_num_threads();
        setting_ours = (int)threads;
        if (setting_ours != setting_before)
            b->set_num_threads(setting_ours);
    }
    pthread_mutex_unlock(&setting_lock);
}

void sdfg_rt_blas_end(const struct sdfg_rt_blas *b)
{
    if (!b || !b->set_num_threads)
        return;
    pthread_mutex_lock(&setting_lock);
    /* Who has set it to something else meanwhile keeps that. */
    if (--setting_users == 0 && setting_ours != setting_before && b->get_num_threads() == setting_ours)
        b->set_num_threads(setting_before);
    pthread_mutex_unlock(&setting_lock);
}

bool sdfg_rt_blas_use(const char *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!wanted)
        wanted = library;
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    bool ok = b && strcmp(b->name, library) == 0;
    pthread_mutex_unlock(&lock);
    return ok;
}

void *sdfg_rt_blas_function(const char *name)
{
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    return b ? dlsym(b->library, name) : NULL;
}

const char *sdfg_rt_blas_name(void)
{
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    return b ? b->name : NULL;
}
