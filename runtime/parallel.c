/* Parallel regions, by threads of an OpenMP runtime (runtime/openmp.h). */
#include "runtime/openmp.h"
#include "runtime/resident.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t critical = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Bodies that this thread runs directly: their barriers concern nobody else. */
static _Thread_local int direct_depth;
static _Thread_local struct sdfg_rt_team *current_team;
static _Thread_local int64_t thread_number;

bool sdfg_rt_in_parallel(void)
{
    const struct openmp *o = sdfg_rt_openmp();
    return direct_depth > 0 || current_team || (!sdfg_rt_resident_is_open() && o && o->in_parallel());
}

/* ---- teams ---- */

void sdfg_rt_team_enter(struct sdfg_rt_team *team, int64_t thread, int64_t threads)
{
    if (__atomic_load_n(&team->threads, __ATOMIC_RELAXED) != threads) /* the line stays where it is */
        __atomic_store_n(&team->threads, threads, __ATOMIC_RELAXED);
    current_team = team;
    thread_number = thread;
}

void sdfg_rt_team_leave(struct sdfg_rt_team *team)
{
    current_team = NULL;
    thread_number = 0;
    if (!team->apart)
        sdfg_rt_team_idle(team, 1);
}

struct sdfg_rt_team *sdfg_rt_team(void) { return current_team; }

void sdfg_rt_team_idle(struct sdfg_rt_team *team, int64_t more)
{
    __atomic_add_fetch(&team->idle, more, __ATOMIC_ACQ_REL);
}

bool sdfg_rt_team_is_stuck(const struct sdfg_rt_team *team)
{
    return __atomic_load_n(&team->idle, __ATOMIC_ACQUIRE) >= __atomic_load_n(&team->threads, __ATOMIC_RELAXED);
}

int64_t sdfg_rt_thread_num(struct sdfg_rt_context *context)
{
    (void)context;
    return thread_number;
}

int64_t sdfg_rt_num_threads(struct sdfg_rt_context *context)
{
    (void)context;
    return current_team ? __atomic_load_n(&current_team->threads, __ATOMIC_RELAXED) : 1;
}

int64_t sdfg_rt_thread_limit(struct sdfg_rt_context *context)
{
    return context->num_threads > 0 ? context->num_threads : sdfg_rt_default_threads();
}

/* ---- regions ---- */

/* A kernel that gathers threads on few processors, as in guests of hypervisors, wakes a sleeping one where the thread
 * is that wakes it although another processor is idle, and both then take turns of milliseconds, each to wait for the
 * other. So the first thread lets the others run where it had only to wait, and who finds itself on its processor
 * leaves. */
enum {
    REST = 8000000, /* nanoseconds after a region when threads may have fallen asleep */
    LOOKS = 500,    /* for threads that are about to begin, before the processor is given away */
    MOST_YIELDS = 200
};

static _Thread_local int64_t last_region; /* when it ended */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void sdfg_rt_leave_processor(int processor, int64_t threads)
{
    cpu_set_t all, others;
    if (sched_getcpu() != processor || sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < threads)
        return;
    others = all;
    CPU_CLR(processor, &others);
    if (!sched_setaffinity(0, sizeof others, &others))
        sched_setaffinity(0, sizeof all, &all);
}

static void join_region(struct sdfg_rt_region *r, int64_t threads)
{
    __atomic_add_fetch(&r->joined, 1, __ATOMIC_RELAXED);
    sdfg_rt_leave_processor(r->processor, threads);
}

/* The first thread is through and would wait at the end of the region, which need not give its processor away. */
static void let_others_join(const struct sdfg_rt_region *r, int64_t threads)
{
    for (int i = 0; i < LOOKS + MOST_YIELDS && __atomic_load_n(&r->joined, __ATOMIC_RELAXED) < threads - 1; i++)
        if (i >= LOOKS)
            sched_yield();
}

void sdfg_rt_region_run(struct sdfg_rt_region *r, int64_t thread, int64_t threads)
{
    sdfg_rt_team_enter(&r->team, thread, threads);
    r->body(r->context, r->data, thread, threads);
    sdfg_rt_nontemporal_end();
    sdfg_rt_team_leave(&r->team);
}

static void run_thread(void *argument)
{
    const struct openmp *o = sdfg_rt_openmp();
    struct sdfg_rt_region *r = argument;
    int64_t thread = o->thread_num(), threads = o->num_threads();
    if (thread > 0)
        join_region(r, threads);
    else if (nanoseconds(CLOCK_MONOTONIC_COARSE) - last_region > REST)
        sched_yield();
    sdfg_rt_region_run(r, thread, threads);
    if (thread == 0)
        let_others_join(r, threads);
}

/* Threads of the last region that this one started, which are there. */
static _Thread_local int64_t team_there = 1;

/* A smaller team where not so many threads can be started, which the OpenMP runtime does not survive. */
static int64_t team_of(const struct openmp *o, int64_t threads)
{
    if (threads <= 0 || threads >= INT32_MAX)
        threads = o->max_threads();
    if (threads > team_there)
        threads = team_there + sdfg_rt_startable(threads - team_there);
    return team_there = threads;
}

static void run_directly(struct sdfg_rt_context *context, sdfg_rt_body *body, void *data)
{
    direct_depth++;
    body(context, data, 0, 1);
    direct_depth--;
}

static void run_region(struct sdfg_rt_region *r, int64_t threads)
{
    int64_t limit = r->context->num_threads;
    if (limit > 0 && (threads <= 0 || threads > limit))
        threads = limit;
    const struct openmp *o = threads == 1 ? NULL : sdfg_rt_openmp();
    if (!o || sdfg_rt_in_parallel() || (threads = team_of(o, threads)) == 1) {
        run_directly(r->context, r->body, r->data);
        return;
    }
    r->team.id = ++r->context->regions;
    r->processor = sched_getcpu();
    if (sdfg_rt_resident_run(r, threads))
        return;
    o->parallel(run_thread, r, (unsigned)threads, 0);
    last_region = nanoseconds(CLOCK_MONOTONIC_COARSE);
}

void sdfg_rt_parallel(struct sdfg_rt_context *context, sdfg_rt_body *body, void *data, int64_t threads)
{
    run_region(&(struct sdfg_rt_region){ .context = context, .body = body, .data = data }, threads);
}

void sdfg_rt_parallel_pieces(struct sdfg_rt_context *context, sdfg_rt_body *body, void *data, int64_t threads)
{
    run_region(&(struct sdfg_rt_region){ .context = context, .body = body, .data = data, .team.apart = true }, threads);
}

enum {
    TRIES = 6,
    PAUSE = 100000, /* nanoseconds between regions, enough for threads to fall asleep */
    SLEEP = 5000    /* that a region takes at least if threads have to be woken up */
};

static pthread_once_t sleep_once = PTHREAD_ONCE_INIT;
static int64_t threads_sleep;

/* Of the region that is measured: who runs on one processor with its first thread shows nothing, because the change
 * from one to the other is quick. */
static int first_processor;
static bool on_one_processor;

static void run_nothing(void *argument)
{
    (void)argument;
    const struct openmp *o = sdfg_rt_openmp();
    if (o->thread_num() > 0 && sched_getcpu() == first_processor) {
        __atomic_store_n(&on_one_processor, true, __ATOMIC_RELAXED);
        sdfg_rt_leave_processor(first_processor, o->num_threads());
    }
}

/* The least of some regions: others may have the processors in between. The first one makes the threads. Threads that
 * are awake show it in the second one as a rule, so that asking takes little longer than starting them. */
static void measure_sleep(void)
{
    int64_t least = INT64_MAX, before = 0;
    for (int i = 0; i < TRIES && least > SLEEP; i++) {
        for (int64_t until = nanoseconds(CLOCK_MONOTONIC) + PAUSE; before < until;)
            before = nanoseconds(CLOCK_MONOTONIC);
        first_processor = sched_getcpu();
        __atomic_store_n(&on_one_processor, false, __ATOMIC_RELAXED);
        sdfg_rt_openmp()->parallel(run_nothing, NULL, 0, 0);
        int64_t time = nanoseconds(CLOCK_MONOTONIC) - before;
        if (time < least && !__atomic_load_n(&on_one_processor, __ATOMIC_RELAXED))
            least = time;
    }
    threads_sleep = least > SLEEP;
}

bool sdfg_rt_threads_are_lazy(void)
{
    pthread_once(&sleep_once, measure_sleep);
    return threads_sleep;
}

int64_t sdfg_rt_threads_sleep(struct sdfg_rt_context *context)
{
    const struct openmp *o = context->num_threads == 1 ? NULL : sdfg_rt_openmp();
    if (!o || sdfg_rt_in_parallel() || o->max_threads() == 1 || team_of(o, 0) < o->max_threads())
        return 0;
    return sdfg_rt_threads_are_lazy() && !sdfg_rt_resident_is_awake(team_of(o, context->num_threads));
}

void sdfg_rt_barrier(struct sdfg_rt_context *context)
{
    (void)context;
    const struct openmp *o = direct_depth > 0 ? NULL : sdfg_rt_openmp();
    if (o && current_team && current_team->resident)
        sdfg_rt_resident_meet(current_team);
    else if (o)
        o->barrier();
}

void sdfg_rt_critical_begin(struct sdfg_rt_context *context)
{
    (void)context;
    pthread_mutex_lock(&critical);
}

void sdfg_rt_critical_end(struct sdfg_rt_context *context)
{
    (void)context;
    pthread_mutex_unlock(&critical);
}

int64_t sdfg_rt_next(int64_t *counter, int64_t chunk, int64_t limit, int64_t guided)
{
    int64_t first = __atomic_load_n(counter, __ATOMIC_RELAXED);
    while (first < limit) {
        int64_t size = chunk > 0 ? chunk : 1, left = limit - first;
        if (guided > 0 && left / guided > size)
            size = left / guided;
        int64_t after = size < left ? first + size : limit;
        if (__atomic_compare_exchange_n(counter, &first, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return first;
    }
    return limit;
}

void sdfg_rt_cancelled(struct sdfg_rt_context *context) { sdfg_rt_fail(context, SDFG_RT_CANCELLED); }

void sdfg_rt_fail(struct sdfg_rt_context *context, enum sdfg_rt_error error)
{
    int32_t none = SDFG_RT_OK;
    __atomic_compare_exchange_n(&context->error, &none, (int32_t)error, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
