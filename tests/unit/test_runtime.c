#include "runtime/runtime.h"

#include "runtime/linalg/blas.h"

#include "tests/unit/check.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 64 };

struct seen {
    int64_t threads;
    int calls[MANY];
    pthread_t self[MANY];
    int arrived, late;
};

static void note(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    struct seen *s = data;
    __atomic_store_n(&s->threads, threads, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->calls[thread], 1, __ATOMIC_RELAXED);
    s->self[thread] = pthread_self();
}

TEST(threads_run)
{
    if (!sdfg_rt_openmp_name()) {
        printf("no OpenMP runtime: threads are not tested\n");
        return;
    }
    struct sdfg_rt_context context = { 0 };
    struct seen s = { 0 };
    sdfg_rt_parallel(&context, note, &s, 4);
    CHECK_INT(s.threads, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(s.calls[i], 1);
        for (int k = 0; k < i; k++)
            CHECK(!pthread_equal(s.self[i], s.self[k]));
    }
}

TEST(context_limits_threads)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    struct seen s = { 0 };
    sdfg_rt_parallel(&context, note, &s, 4);
    CHECK_INT(s.threads, 1);
    CHECK_INT(s.calls[0], 1);
    CHECK(pthread_equal(s.self[0], pthread_self()));
    struct seen default_number = { 0 };
    context.num_threads = 0;
    sdfg_rt_parallel(&context, note, &default_number, 0);
    CHECK_INT(default_number.threads, sdfg_rt_default_threads());
}

static void ask_for_sleep(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)thread;
    (void)threads;
    __atomic_add_fetch((int *)data, sdfg_rt_threads_sleep(context) != 0, __ATOMIC_RELAXED);
}

TEST(nobody_sleeps_where_one_thread_is_all)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    int asleep = 0;
    CHECK_INT(sdfg_rt_threads_sleep(&context), 0);
    context.num_threads = 0;
    sdfg_rt_parallel(&context, ask_for_sleep, &asleep, 2);
    CHECK_INT(asleep, 0);
    CHECK_INT(sdfg_rt_threads_sleep(&context), sdfg_rt_threads_sleep(&context)); /* measured once */
}

static void nest(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)thread;
    (void)threads;
    struct seen inner = { 0 };
    CHECK(sdfg_rt_in_parallel());
    sdfg_rt_parallel(context, note, &inner, 4);
    sdfg_rt_barrier(context);
    __atomic_add_fetch((int *)data, inner.threads == 1 && inner.calls[0] == 1, __ATOMIC_RELAXED);
}

static void nest_barrier(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)data;
    (void)thread;
    (void)threads;
    sdfg_rt_barrier(context);
}

/* Only thread 0 opens the inner region; its barrier must not wait for the other threads of the outer one. */
static void lonely(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)data;
    (void)threads;
    if (thread == 0)
        sdfg_rt_parallel(context, nest_barrier, NULL, 2);
}

TEST(nested_regions_run_directly)
{
    struct sdfg_rt_context context = { 0 };
    int good = 0;
    sdfg_rt_parallel(&context, nest, &good, 2);
    CHECK_INT(good, sdfg_rt_openmp_name() ? 2 : 1);
    sdfg_rt_parallel(&context, lonely, NULL, 2);
    CHECK(!sdfg_rt_in_parallel());
}

static void meet(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)thread;
    struct seen *s = data;
    for (int round = 1; round <= 100; round++) {
        __atomic_add_fetch(&s->arrived, 1, __ATOMIC_RELAXED);
        sdfg_rt_barrier(context);
        if (__atomic_load_n(&s->arrived, __ATOMIC_RELAXED) != round * (int)threads)
            __atomic_add_fetch(&s->late, 1, __ATOMIC_RELAXED);
        sdfg_rt_barrier(context);
    }
}

TEST(barrier)
{
    struct sdfg_rt_context context = { 0 };
    struct seen s = { 0 };
    sdfg_rt_parallel(&context, meet, &s, 3);
    CHECK_INT(s.late, 0);
}

struct places {
    cpu_set_t all;
    int processor[2];
    bool together, may_go_anywhere;
};

/* The second thread goes where the first one is, if the system lets it. */
static void crowd(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    struct places *p = data;
    cpu_set_t one;
    (void)threads;
    if (thread == 0)
        p->processor[0] = sched_getcpu();
    sdfg_rt_barrier(context);
    if (thread == 0)
        return;
    CPU_ZERO(&one);
    CPU_SET(p->processor[0], &one);
    p->together = !sched_setaffinity(0, sizeof one, &one) && sched_getcpu() == p->processor[0];
    CHECK(!sched_setaffinity(0, sizeof p->all, &p->all));
}

static void look_around(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    (void)threads;
    struct places *p = data;
    cpu_set_t mask;
    p->processor[thread] = sched_getcpu();
    if (thread == 1)
        p->may_go_anywhere = !sched_getaffinity(0, sizeof mask, &mask) && CPU_EQUAL(&mask, &p->all);
}

TEST(threads_leave_the_processor_of_the_first_one)
{
    enum { ROUNDS = 20 };
    struct sdfg_rt_context context = { 0 };
    struct places p;
    int tried = 0, apart = 0;
    if (!sdfg_rt_openmp_name() || sched_getaffinity(0, sizeof p.all, &p.all) || CPU_COUNT(&p.all) < 2) {
        printf("one processor or no threads: not tested\n");
        return;
    }
    for (int i = 0; i < ROUNDS; i++) {
        sdfg_rt_parallel(&context, crowd, &p, 2);
        sdfg_rt_parallel(&context, look_around, &p, 2);
        CHECK(p.may_go_anywhere);
        tried += p.together;
        apart += p.together && p.processor[0] != p.processor[1];
    }
    CHECK(apart >= tried / 2);
}

static void count_up(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)thread;
    (void)threads;
    for (int i = 0; i < 20000; i++) {
        sdfg_rt_critical_begin(context);
        sdfg_rt_critical_begin(context); /* may nest */
        ++*(volatile int *)data;
        sdfg_rt_critical_end(context);
        sdfg_rt_critical_end(context);
    }
}

/* Bytes from `from` on are copied or cleared, no others touched, wherever lines begin. */
TEST(stores_past_the_caches)
{
    static unsigned char in[400], out[400], expected[400];
    for (int i = 0; i < 400; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    for (int64_t shift = 0; shift < 70; shift++)
        for (int64_t size = -1; size < 300; size += 13) {
            memset(out, 255, sizeof out);
            memset(expected, 255, sizeof expected);
            sdfg_rt_nontemporal_copy(out + shift, in + 3, size);
            sdfg_rt_nontemporal_end();
            if (size > 0)
                memcpy(expected + shift, in + 3, (size_t)size);
            CHECK(memcmp(out, expected, sizeof out) == 0);
            sdfg_rt_nontemporal_zero(out + shift, size);
            if (size > 0)
                memset(expected + shift, 0, (size_t)size);
            CHECK(memcmp(out, expected, sizeof out) == 0);
        }
}

TEST(critical)
{
    struct sdfg_rt_context context = { 0 };
    int count = 0;
    sdfg_rt_parallel(&context, count_up, &count, 2);
    CHECK_INT(count, sdfg_rt_openmp_name() ? 40000 : 20000);
}

enum { INDICES = 10007 };
struct share {
    int64_t counter, chunk, guided;
    int taken[INDICES], chunks;
};

static void take(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    (void)thread;
    (void)threads;
    struct share *s = data;
    int64_t first;
    while ((first = sdfg_rt_next(&s->counter, s->chunk, INDICES, s->guided)) < INDICES) {
        int64_t size = s->chunk;
        if (s->guided && (INDICES - first) / s->guided > size)
            size = (INDICES - first) / s->guided;
        for (int64_t i = first; i < first + size && i < INDICES; i++)
            __atomic_add_fetch(&s->taken[i], 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&s->chunks, 1, __ATOMIC_RELAXED);
    }
}

TEST(chunks_cover_exactly)
{
    static const int64_t cases[][2] = { { 1, 0 }, { 7, 0 }, { 5, 4 }, { 1, 8 }, { INT64_MAX, 0 } };
    struct sdfg_rt_context context = { 0 };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct share s = { .chunk = cases[c][0], .guided = cases[c][1] };
        sdfg_rt_parallel(&context, take, &s, 3);
        int wrong = 0;
        for (int i = 0; i < INDICES; i++)
            wrong += s.taken[i] != 1;
        CHECK_INT(wrong, 0);
        if (cases[c][1])
            CHECK(s.chunks < INDICES / cases[c][0]);
    }
    int64_t counter = 5;
    CHECK_INT(sdfg_rt_next(&counter, 3, 5, 0), 5);
    CHECK_INT(counter, 5);
}

TEST(memory)
{
    struct sdfg_rt_context context = { 0 };
    for (int64_t bytes = 0; bytes < 300; bytes += 37) {
        char *p = sdfg_rt_alloc(&context, bytes);
        CHECK(p && (uintptr_t)p % 64 == 0);
        memset(p, 1, (size_t)bytes);
        sdfg_rt_free(&context, p);
    }
    sdfg_rt_free(&context, NULL);
    CHECK_INT(context.error, SDFG_RT_OK);
    CHECK(!sdfg_rt_alloc(&context, INT64_MAX - 3));
    CHECK_INT(context.error, SDFG_RT_OUT_OF_MEMORY);
    CHECK(!sdfg_rt_alloc(&context, -1)); /* the first failure is kept */
    CHECK_INT(context.error, SDFG_RT_OUT_OF_MEMORY);
}

/* Nobody else may have the block meanwhile. */
static void take_and_give(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)data, (void)threads;
    for (int i = 0; i < 200; i++) {
        volatile int64_t *p = sdfg_rt_alloc(context, (64 + i % 3) << 10);
        *p = thread;
        if (*p != thread)
            sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
        sdfg_rt_free(context, (void *)p);
    }
}

TEST(memory_is_kept_for_later_calls)
{
    enum { LARGE = 1 << 20, BLOCKS = 100 };
    struct sdfg_rt_context context = { .pool = sdfg_rt_pool_new() }, other = { 0 };
    char *a = sdfg_rt_alloc(&context, LARGE), *b = sdfg_rt_alloc(&context, LARGE), *blocks[BLOCKS];
    a[0] = a[LARGE - 1] = b[0] = 1;
    sdfg_rt_free(&context, a);
    char *larger = sdfg_rt_alloc(&context, LARGE + 1);
    CHECK(larger != a);
    CHECK(sdfg_rt_alloc(&context, LARGE) == a);
    sdfg_rt_free(&context, a);
    sdfg_rt_free(&context, b);
    CHECK(sdfg_rt_alloc(&context, LARGE) == b); /* the latest */
    sdfg_rt_free(&other, b);                    /* no pool: goes to the system */
    sdfg_rt_free(&context, larger);
    for (int i = 0; i < BLOCKS; i++) /* more than are kept */
        blocks[i] = sdfg_rt_alloc(&context, (i + 1) * LARGE / 8);
    for (int i = 0; i < BLOCKS; i++)
        sdfg_rt_free(&context, blocks[i]);
    CHECK(sdfg_rt_alloc(&context, BLOCKS * LARGE / 8) == blocks[BLOCKS - 1]);
    sdfg_rt_free(&context, blocks[BLOCKS - 1]);
    CHECK_INT(context.error, SDFG_RT_OK);
    sdfg_rt_pool_free(context.pool);
}

TEST(pool_knows_its_peak)
{
    struct sdfg_rt_context context = { .pool = sdfg_rt_pool_new() };
    CHECK_INT(sdfg_rt_pool_peak(context.pool), 0);
    void *a = sdfg_rt_alloc(&context, 100000), *b = sdfg_rt_alloc(&context, 200000);
    sdfg_rt_free(&context, a);
    a = sdfg_rt_alloc(&context, 70000);
    CHECK_INT(sdfg_rt_pool_peak(context.pool), 100032 + 200000);
    void *c = sdfg_rt_alloc(&context, 100000); /* kept from before */
    sdfg_rt_free(&context, sdfg_rt_alloc(&context, 1000));
    CHECK_INT(sdfg_rt_pool_peak(context.pool), 70016 + 200000 + 100032);
    sdfg_rt_free(&context, a);
    sdfg_rt_free(&context, b);
    sdfg_rt_free(&context, c);
    CHECK_INT(sdfg_rt_pool_peak(context.pool), 70016 + 200000 + 100032);
    sdfg_rt_pool_free(context.pool);
}

TEST(memory_of_two_threads)
{
    struct sdfg_rt_context context = { .pool = sdfg_rt_pool_new() };
    sdfg_rt_parallel(&context, take_and_give, NULL, 4);
    CHECK_INT(context.error, SDFG_RT_OK);
    sdfg_rt_pool_free(context.pool);
    sdfg_rt_pool_free(NULL);
}

/* The formats by their definition. */
static double value_of(int bits, int fraction, int bias, bool infinity)
{
    int size = bits & 0x7f, exponent = size >> fraction, rest = size & ((1 << fraction) - 1);
    double sign = bits & 0x80 ? -1 : 1;
    if (infinity && exponent == (0x7f >> fraction))
        return rest ? NAN : sign * INFINITY;
    if (!infinity && size == 0x7f)
        return NAN;
    return sign * (exponent ? ldexp(1 + ldexp(rest, -fraction), exponent - bias) : ldexp(rest, 1 - bias - fraction));
}

static bool same(float a, double b) { return isnan(b) ? isnan(a) : (double)a == b && !signbit(a) == !signbit(b); }

/* The neighbours decide: nearest value, on a tie the even one; half a step above the largest is out. */
static void check_rounding(int32_t (*encode)(float), int fraction, int bias, bool infinity, int top)
{
    for (int bits = 0; bits < top; bits++) {
        double low = value_of(bits, fraction, bias, infinity), high = value_of(bits + 1, fraction, bias, infinity);
        float middle = (float)((low + high) / 2);
        CHECK_INT(encode((float)low), bits);
        CHECK_INT(encode(-(float)low), bits | 0x80);
        CHECK_INT(encode(middle), bits & 1 ? bits + 1 : bits);
        CHECK_INT(encode(nextafterf(middle, 0)), bits);
        CHECK_INT(encode(nextafterf(middle, INFINITY)), bits + 1);
    }
    double last = value_of(top, fraction, bias, infinity);
    float edge = (float)(last + (last - value_of(top - 1, fraction, bias, infinity)) / 2);
    int beyond = infinity ? 0x7c : 0x7f;
    CHECK_INT(encode((float)last), top);
    CHECK_INT(encode(nextafterf(edge, 0)), top);
    CHECK_INT(encode(edge), top & 1 ? beyond : top); /* a tie again */
    CHECK_INT(encode(nextafterf(edge, INFINITY)), beyond);
    CHECK_INT(encode(3e38f), beyond);
    CHECK_INT(encode(-INFINITY), beyond | 0x80);
    CHECK_INT(encode(1e-40f), 0);
}

TEST(float8)
{
    for (int bits = 0; bits < 256; bits++) {
        CHECK(same(sdfg_rt_f8e4m3_to_float(bits), value_of(bits, 3, 7, false)));
        CHECK(same(sdfg_rt_f8e5m2_to_float(bits), value_of(bits, 2, 15, true)));
    }
    check_rounding(sdfg_rt_float_to_f8e4m3, 3, 7, false, 0x7e);
    check_rounding(sdfg_rt_float_to_f8e5m2, 2, 15, true, 0x7b);
    CHECK(isnan(sdfg_rt_f8e4m3_to_float(sdfg_rt_float_to_f8e4m3(NAN))));
    CHECK(isnan(sdfg_rt_f8e5m2_to_float(sdfg_rt_float_to_f8e5m2(-NAN))));
    CHECK_INT(sdfg_rt_float_to_f8e4m3(1e-30F), 0);
    CHECK_INT(sdfg_rt_float_to_f8e5m2(-1e-30F), 0x80);
}

TEST(symbols)
{
    CHECK(sdfg_rt_symbol("sdfg_rt_alloc") == (void *)sdfg_rt_alloc);
    CHECK(sdfg_rt_symbol("sdfg_rt_float_to_f8e5m2") == (void *)sdfg_rt_float_to_f8e5m2);
    CHECK(!sdfg_rt_symbol("malloc") && !sdfg_rt_symbol("_ZGVdN4v_nothing"));
    CHECK(!sdfg_rt_symbol("LAPACKE_nothing") && !sdfg_rt_symbol("cblas_nothing"));
    CHECK(!sdfg_rt_symbol("cblas_dgemm") == !sdfg_rt_blas_name());
}

CHECK_MAIN
