/* Counters by perf_event, as DaCe's PAPI_Counters. Each thread has a group of its own, opened when it first needs it.
 */
#include "engine/builtin/builtin.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNTERS = 6, DEEPEST = 32 /* elements around each other that are counted at the same time */ };

static const struct {
    uint32_t type;
    uint64_t config;
} events[COUNTERS] = {
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS }, { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES }, { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },   { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
};
const char *const perf_counters[] = { "instructions", "cycles", "cache_misses", "branch_misses", "task_clock_ns",
                                      "page_faults",  NULL };

/* What a thread counts with. */
struct thread {
    struct thread *next, **link;
    struct perf *perf;
    int files[COUNTERS]; /* -1: not there */
    int leader;          /* of the group; -1: nothing is there */
    int64_t depth;
    double at[DEEPEST][COUNTERS]; /* where elements began */
};

struct perf {
    pthread_mutex_t lock;   /* of the list */
    struct thread *threads; /* that count with it */
    pthread_key_t key;      /* of this thread's */
    bool has_key;
};

static int open_event(size_t index, int leader)
{
    struct perf_event_attr a = {
        .type = events[index].type,
        .size = sizeof a,
        .config = events[index].config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1, /* what every user may count */
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void open_all(struct thread *t)
{
    t->leader = -1;
    for (size_t i = 0; i < COUNTERS; i++) {
        t->files[i] = open_event(i, t->leader);
        if (t->leader < 0)
            t->leader = t->files[i];
    }
}

static void close_all(struct thread *t)
{
    for (size_t i = 0; i < COUNTERS; i++)
        if (t->files[i] >= 0)
            close(t->files[i]);
}

static void thread_end(void *thread)
{
    struct thread *t = thread;
    struct perf *p = t->perf;
    pthread_mutex_lock(&p->lock);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    pthread_mutex_unlock(&p->lock);
    close_all(t);
    free(t);
}

void *perf_new(void)
{
    struct perf *p = calloc(1, sizeof *p);
    if (p)
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void perf_free(void *perf)
{
    struct perf *p = perf;
    if (!p)
        return;
    while (p->threads)
        thread_end(p->threads);
    if (p->has_key)
        pthread_key_delete(p->key);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

bool perf_probe(void *perf, sdfg_give *give, void *to)
{
    struct perf *p = perf;
    struct thread t;
    char why[200];
    errno = 0;
    open_all(&t);
    int error = errno;
    close_all(&t);
    if (t.leader >= 0 && (p->has_key = !pthread_key_create(&p->key, thread_end)))
        return true;
    snprintf(why, sizeof why, "perf_event_open: %s (kernel.perf_event_paranoid, or a sandbox, may forbid it)",
             strerror(error));
    give(to, why, strlen(why));
    return false;
}

static struct thread *thread_here(struct perf *p)
{
    struct thread *t = pthread_getspecific(p->key);
    if (t || !(t = calloc(1, sizeof *t)))
        return t;
    t->perf = p;
    open_all(t);
    pthread_mutex_lock(&p->lock);
    t->next = p->threads;
    t->link = &p->threads;
    if (t->next)
        t->next->link = &t->next;
    p->threads = t;
    pthread_mutex_unlock(&p->lock);
    pthread_setspecific(p->key, t);
    return t;
}

/* All counters now; where the processor counts others in turn, what it would have counted. */
static bool read_all(const struct thread *t, double *values)
{
    struct {
        uint64_t count, enabled, running, values[COUNTERS];
    } group;
    if (t->leader < 0 || read(t->leader, &group, sizeof group) < (ssize_t)(3 * sizeof(uint64_t)))
        return false;
    double scale = group.running ? (double)group.enabled / (double)group.running : 1;
    for (size_t i = 0, k = 0; i < COUNTERS; i++)
        if (t->files[i] >= 0 && k < group.count)
            values[i] = scale * (double)group.values[k++];
    return true;
}

int64_t perf_begin(void *perf, const sdfg_probe *site)
{
    struct thread *t = thread_here(perf);
    (void)site;
    if (!t)
        return -1;
    int64_t depth = t->depth++;
    return depth < DEEPEST && read_all(t, t->at[depth]) ? depth : -1;
}

void perf_end(void *perf, const sdfg_probe *site, int64_t begun, double *values)
{
    struct thread *t = thread_here(perf);
    double now[COUNTERS];
    (void)site;
    if (!t)
        return;
    t->depth--;
    if (begun < 0 || !read_all(t, now))
        return;
    for (size_t i = 0; i < COUNTERS; i++)
        if (t->files[i] >= 0)
            values[i] = now[i] - t->at[begun][i];
}
