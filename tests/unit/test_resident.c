/* Threads that stay between the regions of a call (runtime/resident.h). Runs a second time with threads that sleep. */
#include "runtime/resident.h"

#include "tests/unit/check.h"

#include <pthread.h>
#include <time.h>

enum { MOST = 8, ROUNDS = 2000 };

struct seen {
    int runs[MOST], threads, met, late;
    pthread_t self[MOST];
};

static void rest(long microseconds) { nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL); }

static void note(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    struct seen *s = data;
    CHECK(sdfg_rt_in_parallel());
    CHECK_INT(sdfg_rt_thread_num(context), thread);
    CHECK_INT(sdfg_rt_num_threads(context), threads);
    s->runs[thread]++;
    s->self[thread] = pthread_self();
    if (thread == 0)
        s->threads = (int)threads;
}

static int64_t there(void) { return sdfg_rt_openmp_name() ? 1 : 0; }

/* Each thread number once in each region, however many threads a region wants. */
TEST(bodies_run_once)
{
    struct sdfg_rt_context context = { 0 };
    struct seen s = { 0 };
    int expected[MOST] = { 0 };
    int64_t kept = sdfg_rt_threads_keep(&context);
    CHECK_INT(kept, there());
    for (int i = 0; i < ROUNDS; i++) {
        int threads = i < 10 ? 2 : 2 + i % 3;
        (i % 7 == 3 ? sdfg_rt_parallel : sdfg_rt_parallel_pieces)(&context, note, &s, threads);
        CHECK_INT(s.threads, there() ? threads : 1);
        for (int k = 0; k < s.threads; k++)
            expected[k]++;
        CHECK(!sdfg_rt_in_parallel());
        if (i % 500 == 499)
            rest(8000); /* they fall asleep */
    }
    sdfg_rt_threads_release(&context, kept);
    for (int k = 0; k < MOST; k++)
        CHECK_INT(s.runs[k], expected[k]);
    CHECK(!sdfg_rt_in_parallel());
}

static void meet(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    struct seen *s = data;
    (void)thread;
    for (int round = 1; round <= 100; round++) {
        __atomic_add_fetch(&s->met, 1, __ATOMIC_RELAXED);
        sdfg_rt_barrier(context);
        if (__atomic_load_n(&s->met, __ATOMIC_RELAXED) != round * (int)threads)
            __atomic_add_fetch(&s->late, 1, __ATOMIC_RELAXED);
        sdfg_rt_barrier(context);
        if (thread == 0 && round == 50)
            rest(8000); /* longer than others look for it */
    }
}

TEST(bodies_meet)
{
    struct sdfg_rt_context context = { 0 };
    int64_t kept = sdfg_rt_threads_keep(&context);
    for (int threads = 2; threads <= 4; threads++) {
        struct seen s = { 0 };
        sdfg_rt_parallel(&context, meet, &s, threads);
        CHECK_INT(s.late, 0);
        CHECK_INT(s.met, there() ? 100 * threads : 100);
    }
    sdfg_rt_threads_release(&context, kept);
}

static void nest(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    struct seen inner = { 0 };
    (void)thread;
    (void)threads;
    CHECK_INT(sdfg_rt_threads_keep(context), 0);
    CHECK_INT(sdfg_rt_threads_sleep(context), 0);
    sdfg_rt_parallel_pieces(context, meet, &inner, 4);
    sdfg_rt_barrier(context);
    __atomic_add_fetch((int *)data, inner.met == 100 && !inner.late, __ATOMIC_RELAXED);
}

TEST(regions_inside_run_directly)
{
    struct sdfg_rt_context context = { 0 };
    int good = 0;
    int64_t kept = sdfg_rt_threads_keep(&context);
    CHECK_INT(sdfg_rt_threads_keep(&context), 0); /* kept already: by the one who did it */
    sdfg_rt_threads_release(&context, 0);
    sdfg_rt_parallel(&context, nest, &good, 2);
    CHECK_INT(good, there() ? 2 : 1);
    sdfg_rt_threads_release(&context, kept);
}

TEST(one_thread_is_kept_by_nobody)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    struct seen s = { 0 };
    CHECK_INT(sdfg_rt_threads_keep(&context), 0);
    sdfg_rt_parallel_pieces(&context, note, &s, 4);
    CHECK_INT(s.threads, 1);
    sdfg_rt_threads_release(&context, 0);
}

/* Threads that sleep come later than the first one is through with its own body, as a rule. */
TEST(the_first_thread_runs_what_nobody_has_begun)
{
    enum { TIMES = 50 };
    struct sdfg_rt_context context = { 0 };
    struct seen s = { 0 };
    int by_first = 0;
    int64_t kept = sdfg_rt_threads_keep(&context);
    for (int i = 0; i < TIMES && kept; i++) {
        sdfg_rt_parallel_pieces(&context, note, &s, 4);
        for (int k = 1; k < 4; k++)
            by_first += pthread_equal(s.self[k], pthread_self()) != 0;
        rest(6000);
    }
    CHECK(by_first > 0 || !kept);
    for (int k = 0; k < 4 && kept; k++)
        CHECK_INT(s.runs[k], TIMES);
    for (int i = 0; i < TIMES && kept; i++) { /* whoever may have to wait has a thread of its own */
        sdfg_rt_parallel(&context, note, &s, 2);
        CHECK(!pthread_equal(s.self[1], pthread_self()));
    }
    sdfg_rt_threads_release(&context, kept);
}

/* Who asks again and again finds them awake, and asleep when it comes back after a while. On a busy machine that takes
 * longer. */
TEST(threads_wake_up_for_who_asks)
{
    enum { TIMES = 5000000, RESTS = 1000 };
    struct sdfg_rt_context context = { 0 };
    if (!sdfg_rt_threads_sleep(&context)) {
        printf("threads do not sleep: not tested\n");
        return;
    }
    int64_t kept = sdfg_rt_threads_keep(&context);
    CHECK(sdfg_rt_threads_sleep(&context));
    for (int round = 0; round < 3; round++) {
        int asked = 0, rests = 0;
        while (asked < TIMES && sdfg_rt_threads_sleep(&context))
            asked++;
        CHECK(asked < TIMES);
        do {
            rest(8000);
        } while (rests++ < RESTS && !sdfg_rt_threads_sleep(&context));
        CHECK(rests <= RESTS);
    }
    sdfg_rt_threads_release(&context, kept);
    CHECK(sdfg_rt_threads_sleep(&context));
}

/* Threads of a host that each make calls have teams of their own. */
static void *call(void *unused)
{
    struct sdfg_rt_context context = { 0 };
    struct seen s = { 0 };
    (void)unused;
    for (int i = 0; i < 20; i++) {
        int64_t kept = sdfg_rt_threads_keep(&context);
        for (int k = 0; k < 20; k++)
            sdfg_rt_parallel_pieces(&context, note, &s, 2);
        sdfg_rt_threads_release(&context, kept);
    }
    CHECK_INT(s.runs[0], 400);
    CHECK_INT(s.runs[1], there() ? 400 : 0);
    return NULL;
}

TEST(each_caller_has_its_own)
{
    pthread_t other;
    CHECK(!pthread_create(&other, NULL, call, NULL));
    call(NULL);
    CHECK(!pthread_join(other, NULL));
}

CHECK_MAIN
