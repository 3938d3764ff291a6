#include "engine/cli/bench_roof.h"

#include "base/machine.h"
#include "engine/cli/execute.h"
#include "engine/cli/tensor.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { CHAINS = 12, ROUNDS = 9, MAX_THREADS = 1024 };

/* ---- peak: CHAINS independent accumulators hide the latency of every processor that has fewer than 32 vector
 * registers to fill. Each returns a value that depends on all of them, so that nothing can be left out. ---- */

typedef double peak_function(int64_t steps);

/* GCC keeps arrays of vectors in registers only when loops over them are unrolled. */
#define PEAK(name, vector, attributes, set, step, sum)                                                                 \
    attributes static double name(int64_t steps)                                                                       \
    {                                                                                                                  \
        vector a[CHAINS], x = set(0.999999), y = set(1e-6);                                                            \
        double total = 0;                                                                                              \
        _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) a[k] = set(k);                                       \
        for (int64_t i = 0; i < steps; i++) {                                                                          \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) a[k] = step(a[k], x, y);                         \
        }                                                                                                              \
        _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) total += sum(a[k]);                                  \
        return total;                                                                                                  \
    }

#if defined(__x86_64__)
#define STEP_SSE(a, x, y) _mm_add_pd(_mm_mul_pd(a, x), y)
PEAK(peak_avx512, __m512d, __attribute__((target("avx512f"))), _mm512_set1_pd, _mm512_fmadd_pd, _mm512_reduce_add_pd)
PEAK(peak_avx2, __m256d, __attribute__((target("avx2,fma"))), _mm256_set1_pd, _mm256_fmadd_pd, _mm256_cvtsd_f64)
PEAK(peak_plain, __m128d, , _mm_set1_pd, STEP_SSE, _mm_cvtsd_f64)
#elif defined(__aarch64__)
#define STEP_NEON(a, x, y) vfmaq_f64(y, a, x)
PEAK(peak_plain, float64x2_t, , vdupq_n_f64, STEP_NEON, vaddvq_f64)
#else
#define SET(x)              (x)
#define STEP_PLAIN(a, x, y) ((a) * (x) + (y))
PEAK(peak_plain, double, , SET, STEP_PLAIN, SET)
#endif

static peak_function *choose_peak(int *lanes, const char **vectors)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        *lanes = 8;
        *vectors = "AVX-512";
        return peak_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *lanes = 4;
        *vectors = "AVX2";
        return peak_avx2;
    }
    *lanes = 2;
    *vectors = "SSE2, no fused multiply-add";
#elif defined(__aarch64__)
    *lanes = 2;
    *vectors = "NEON";
#else
    *lanes = 1;
    *vectors = "scalar";
#endif
    return peak_plain;
}

/* ---- triad ---- */

typedef double vector __attribute__((vector_size(32)));

static void triad(vector *restrict a, const vector *restrict b, const vector *restrict c, size_t n)
{
    const vector s = { 3, 3, 3, 3 };
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

/* Bytes per array: four times the largest cache, within reason. */
static size_t triad_bytes(void)
{
    int64_t cache = machine_cache_bytes();
    size_t bytes = cache > 0 ? 4 * (size_t)cache : (size_t)128 << 20, least = (size_t)32 << 20;
    size_t most = (size_t)256 << 20;
    return bytes < least ? least : bytes > most ? most : bytes;
}

/* ---- on threads: all do the same at the same time; a round is as long as its slowest thread ---- */

struct team {
    pthread_mutex_t gate; /* held until it is known how many threads there are */
    pthread_barrier_t barrier;
    peak_function *peak;
    int64_t steps;
    vector *a, *b, *c;
    size_t elements; /* per thread */
    double peak_seconds, triad_seconds;
};

struct worker {
    pthread_t thread;
    struct team *team;
    int number;
    double sink;
};

static void least(double *best, double seconds)
{
    if (*best <= 0 || seconds < *best)
        *best = seconds;
}

static void *work(void *data)
{
    struct worker *w = data;
    struct team *t = w->team;
    pthread_mutex_lock(&t->gate);
    pthread_mutex_unlock(&t->gate);
    size_t first = (size_t)w->number * t->elements;
    for (size_t i = first; i < first + t->elements; i++) { /* by the thread that will use them */
        t->a[i] = t->b[i] = (vector){ 0 };
        t->c[i] = (vector){ 1, 1, 1, 1 };
    }
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&t->barrier);
        double start = seconds_now();
        w->sink += t->peak(t->steps);
        pthread_barrier_wait(&t->barrier);
        double middle = seconds_now();
        triad(t->a + first, t->b + first, t->c + first, t->elements);
        pthread_barrier_wait(&t->barrier);
        if (w->number == 0 && round) {
            least(&t->peak_seconds, middle - start);
            least(&t->triad_seconds, seconds_now() - middle);
        }
    }
    return NULL;
}

/* The number of threads that took part; 0 if there is no memory. */
static int run_team(struct team *t, int threads)
{
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    int count = 1;
    if (!workers)
        return 0;
    pthread_mutex_init(&t->gate, NULL);
    pthread_mutex_lock(&t->gate);
    for (int i = 0; i < threads; i++)
        workers[i] = (struct worker){ .team = t, .number = i };
    while (count < threads && !pthread_create(&workers[count].thread, NULL, work, &workers[count]))
        count++;
    pthread_barrier_init(&t->barrier, NULL, (unsigned)count);
    pthread_mutex_unlock(&t->gate);
    work(&workers[0]);
    for (int i = 1; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&t->barrier);
    pthread_mutex_destroy(&t->gate);
    free(workers);
    return count;
}

bool roofs_measure(struct roofs *r, int threads)
{
    int lanes;
    struct team t = { .steps = 2000000 };
    threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    t.elements = triad_bytes() / sizeof(vector) / (size_t)threads;
    size_t bytes = t.elements * (size_t)threads * sizeof(vector);
    t.peak = choose_peak(&lanes, &r->vectors);
    t.a = memory_untouched(bytes);
    t.b = memory_untouched(bytes);
    t.c = memory_untouched(bytes);
    int count = t.a && t.b && t.c ? run_team(&t, threads) : 0;
    free(t.a);
    free(t.b);
    free(t.c);
    r->measured = count && t.peak_seconds > 0 && t.triad_seconds > 0;
    r->threads = count;
    if (r->measured) {
        r->flops_per_second = 2.0 * lanes * CHAINS * (double)t.steps * count / t.peak_seconds;
        r->bytes_per_second = 3.0 * (double)(t.elements * sizeof(vector)) * count / t.triad_seconds;
    }
    return r->measured;
}
