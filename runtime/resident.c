#include "runtime/resident.h"

#include "runtime/openmp.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LONG = 5000000,  /* nanoseconds that threads look for work until they sleep, as those of libgomp do */
    BRIEF = 100000,  /* the same where the OpenMP runtime's own sleep at once */
    PATIENT = 20000, /* nanoseconds after which who waits for a body that has begun lets others have the processor */
    LINE = 64
};

/* Of one thread that stays. Who changes `taken` to the number of a region runs the body: the thread itself, or the
 * first one. */
struct resident_thread {
    _Alignas(LINE) uint32_t taken;
    uint32_t through;      /* the last region whose body has been run */
    uint32_t first_sleeps; /* until `through` changes */
};

/* The first thread posts one region after the other. All bodies of one are taken before it posts the next: what a
 * thread that comes late has read of a region does not matter, because it does not get the body. */
struct resident {
    bool open;
    int64_t asked;                 /* nanoseconds: when it was asked whether they are awake */
    int64_t threads, wanted;       /* with the first one; 0: none have been started */
    struct resident_thread *slots; /* one for each */
    _Alignas(LINE) uint32_t posted;
    uint32_t first; /* value of `posted` when the team was started */
    int processor;  /* of the first thread, when others slept */
    bool stop;
    struct sdfg_rt_region *region; /* posted last; NULL: only to wake the threads up */
    int64_t region_threads;
    _Alignas(LINE) uint32_t sleeping; /* on `posted` */
    uint32_t missing;                 /* threads that have not begun to look for work */
};

static _Thread_local struct resident mine;

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* `yield` does nothing on most cores */
#endif
}

/* ---- waiting ---- */

/* `patient`: lets others have the processor after a while. */
static bool see_change(const uint32_t *word, uint32_t seen, bool patient)
{
    enum { LOOKS = 64 }; /* for each look at the clock */
    int64_t begin = 0, limit = sdfg_rt_threads_are_lazy() ? BRIEF : LONG;
    for (int i = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) == seen; i++) {
        pause_briefly();
        if (i % LOOKS)
            continue;
        int64_t now = nanoseconds();
        begin = begin ? begin : now;
        if (now - begin > limit)
            return false;
        if (patient && now - begin > PATIENT)
            sched_yield();
    }
    return true;
}

/* Until the word differs; `sleeping` counts those that sleep. Did this thread? */
static bool await(uint32_t *word, uint32_t seen, uint32_t *sleeping, bool patient)
{
    if (see_change(word, seen, patient))
        return false;
    __atomic_add_fetch(sleeping, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    __atomic_sub_fetch(sleeping, 1, __ATOMIC_SEQ_CST);
    return true;
}

/* Either who goes to sleep sees the new value, or this sees that it sleeps: both store first and load then. */
static void set(uint32_t *word, uint32_t value, const uint32_t *sleeping)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(sleeping, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void sdfg_rt_resident_meet(struct sdfg_rt_team *t)
{
    uint32_t phase = __atomic_load_n(&t->phase, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&t->arrived, 1, __ATOMIC_ACQ_REL) < __atomic_load_n(&t->threads, __ATOMIC_RELAXED)) {
        await(&t->phase, phase, &t->sleeping, true);
        return;
    }
    __atomic_store_n(&t->arrived, 0, __ATOMIC_RELAXED);
    set(&t->phase, phase + 1, &t->sleeping);
}

/* ---- the threads that stay ---- */

static bool take(struct resident_thread *s, uint32_t region)
{
    uint32_t before = region - 1;
    return __atomic_load_n(&s->taken, __ATOMIC_RELAXED) == before &&
           __atomic_compare_exchange_n(&s->taken, &before, region, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void serve(void *resident)
{
    struct resident *r = resident;
    int64_t thread = sdfg_rt_openmp()->thread_num();
    struct resident_thread *own = &r->slots[thread];
    bool slept = true;
    __atomic_sub_fetch(&r->missing, 1, __ATOMIC_RELEASE);
    for (uint32_t seen = r->first;;) {
        if (slept)
            sdfg_rt_leave_processor(__atomic_load_n(&r->processor, __ATOMIC_RELAXED), r->wanted);
        slept = await(&r->posted, seen, &r->sleeping, false);
        seen = __atomic_load_n(&r->posted, __ATOMIC_ACQUIRE);
        struct sdfg_rt_region *region = __atomic_load_n(&r->region, __ATOMIC_RELAXED);
        int64_t threads = __atomic_load_n(&r->region_threads, __ATOMIC_RELAXED);
        if (__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
            return;
        if (!take(own, seen))
            continue;
        if (region && thread < threads)
            sdfg_rt_region_run(region, thread, threads);
        set(&own->through, seen, &own->first_sleeps);
    }
}

/* ---- the first thread ---- */

static bool are_awake(const struct resident *r)
{
    return !__atomic_load_n(&r->missing, __ATOMIC_ACQUIRE) && !__atomic_load_n(&r->sleeping, __ATOMIC_ACQUIRE);
}

static void post(struct resident *r, struct sdfg_rt_region *region, int64_t threads)
{
    if (__atomic_load_n(&r->sleeping, __ATOMIC_ACQUIRE))
        __atomic_store_n(&r->processor, sched_getcpu(), __ATOMIC_RELAXED);
    __atomic_store_n(&r->region, region, __ATOMIC_RELAXED);
    __atomic_store_n(&r->region_threads, threads, __ATOMIC_RELAXED);
    set(&r->posted, r->posted + 1, &r->sleeping);
}

/* Runs bodies that nobody has begun, where that may be, and waits for the others. */
static void finish(struct resident *r)
{
    struct sdfg_rt_region *region = r->region;
    uint32_t number = r->posted, seen;
    for (int64_t i = 1; i < r->threads; i++) {
        struct resident_thread *s = &r->slots[i];
        bool none = !region || i >= r->region_threads;
        if (!(none || region->team.apart) || !take(s, number))
            continue;
        if (!none)
            sdfg_rt_region_run(region, i, r->region_threads);
        __atomic_store_n(&s->through, number, __ATOMIC_RELAXED);
    }
    for (int64_t i = 1; i < r->threads; i++)
        while ((seen = __atomic_load_n(&r->slots[i].through, __ATOMIC_ACQUIRE)) != number)
            await(&r->slots[i].through, seen, &r->slots[i].first_sleeps, true);
}

static void stop(struct resident *r)
{
    if (r->threads == 0)
        return;
    __atomic_store_n(&r->stop, true, __ATOMIC_RELAXED);
    post(r, NULL, 0);
    sdfg_rt_openmp()->end();
    r->stop = false;
    r->threads = 0;
    free(r->slots);
}

/* The OpenMP runtime gives fewer threads than wanted where they are limited. */
static bool start(struct resident *r, int64_t threads)
{
    const struct openmp *o = sdfg_rt_openmp();
    struct resident_thread *slots = aligned_alloc(LINE, (size_t)threads * sizeof *slots);
    if (!slots)
        return false;
    sdfg_rt_threads_are_lazy(); /* measured outside of regions */
    for (int64_t i = 0; i < threads; i++)
        slots[i] = (struct resident_thread){ .taken = r->posted, .through = r->posted };
    r->slots = slots;
    r->first = r->posted;
    r->processor = sched_getcpu();
    r->wanted = threads;
    __atomic_store_n(&r->missing, 0, __ATOMIC_RELAXED);
    o->start(serve, r, (unsigned)threads);
    r->threads = o->num_threads();
    __atomic_add_fetch(&r->missing, (uint32_t)(r->threads - 1),
                       __ATOMIC_RELAXED); /* those that were quick count, too */
    if (r->threads == 1) {
        stop(r);
        r->open = false;
    }
    return r->open;
}

bool sdfg_rt_resident_is_open(void) { return mine.open; }

int64_t sdfg_rt_threads_keep(struct sdfg_rt_context *context)
{
    const struct openmp *o = context->num_threads == 1 ? NULL : sdfg_rt_openmp();
    if (!o || !o->start || mine.open || sdfg_rt_in_parallel())
        return 0;
    mine.open = true;
    mine.asked = 0;
    return 1;
}

void sdfg_rt_threads_release(struct sdfg_rt_context *context, int64_t kept)
{
    (void)context;
    if (!kept)
        return;
    stop(&mine);
    mine.open = false;
}

bool sdfg_rt_resident_run(struct sdfg_rt_region *region, int64_t threads)
{
    struct resident *r = &mine;
    if (!r->open)
        return false;
    if (r->wanted < threads)
        stop(r);
    if (r->threads == 0 && !start(r, threads))
        return false;
    threads = threads < r->threads ? threads : r->threads;
    region->team.resident = true;
    region->team.threads = threads;
    post(r, region, threads);
    sdfg_rt_region_run(region, 0, threads);
    finish(r);
    return true;
}

bool sdfg_rt_resident_is_awake(int64_t threads)
{
    struct resident *r = &mine;
    if (!r->open)
        return false;
    int64_t now = nanoseconds();
    bool again = now - r->asked < BRIEF;
    r->asked = now;
    if (r->threads > 0 && are_awake(r))
        return true;
    if (again && r->threads == 0) {
        start(r, threads);
    } else if (again) {
        post(r, NULL, 0);
        finish(r);
    }
    return false;
}
