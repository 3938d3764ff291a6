/* Counters of perf_event, which is replaced: an event is a file here, from which the leader of a group reads what a
 * test has put there. */
#include "engine/builtin/builtin.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNTERS = 6, DEEPEST = 32, NONE = -1, ALL = COUNTERS };

static int refused = NONE; /* the event that there is not */
static bool no_memory;
static _Thread_local int leader, groups, events; /* of this thread: the file of the latest group, how many it opened */
static _Thread_local off_t written;

static int event_of(const struct perf_event_attr *a)
{
    static const uint64_t configs[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
                                        PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES,
                                        PERF_COUNT_SW_TASK_CLOCK,   PERF_COUNT_SW_PAGE_FAULTS };
    int i = a->type == PERF_TYPE_HARDWARE ? 0 : 4;
    while (i < COUNTERS && configs[i] != a->config)
        i++;
    return i;
}

/* The linker puts these in the place of the functions that perf.c calls. */
long __wrap_syscall(long number, const struct perf_event_attr *a, int thread, int cpu, int group, unsigned long flags);
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

long __wrap_syscall(long number, const struct perf_event_attr *a, int thread, int cpu, int group, unsigned long flags)
{
    CHECK(number == SYS_perf_event_open && thread == 0 && cpu == -1 && flags == PERF_FLAG_FD_CLOEXEC);
    CHECK(a->exclude_kernel && a->exclude_hv && event_of(a) < COUNTERS);
    if (refused == ALL || refused == event_of(a)) {
        errno = EACCES;
        return -1;
    }
    int file = memfd_create("event", MFD_CLOEXEC);
    if (group < 0) {
        leader = file;
        written = 0;
        groups++;
    }
    events++;
    return file;
}

void *__wrap_calloc(size_t count, size_t size) { return no_memory ? NULL : __real_calloc(count, size); }

/* What the next reading of this thread's group finds: each counter is `first` and 10 more than the one before. */
static void put(uint64_t count, uint64_t enabled, uint64_t running, uint64_t first)
{
    uint64_t group[3 + COUNTERS] = { count, enabled, running };
    for (uint64_t i = 0; i < count; i++)
        group[3 + i] = first + 10 * i;
    CHECK(pwrite(leader, group, sizeof group, written) == sizeof group);
    written += sizeof group;
}

static const sdfg_probe site = { .struct_size = sizeof site, .name = "element" };

static char said[256];

static void take(void *to, const char *text, size_t size) { snprintf(to, sizeof said, "%.*s", (int)size, text); }

static void *usable(void)
{
    void *p = perf_new();
    CHECK(p && perf_probe(p, take, said));
    CHECK(events == COUNTERS && groups == 1);
    perf_begin(p, &site); /* opens a group for this thread, in which there is nothing */
    events = groups = 0;
    return p;
}

/* How many files this process has open. */
static int files(void)
{
    int count = 0;
    for (int i = 0; i < 1024; i++)
        count += lseek(i, 0, SEEK_CUR) >= 0 || errno != EBADF;
    return count;
}

static bool are(const double *values, double first, double step)
{
    for (int i = 0; i < COUNTERS; i++)
        if (values[i] != first + step * i)
            return false;
    return true;
}

TEST(counters_have_names)
{
    int count = 0;
    while (perf_counters[count])
        count++;
    CHECK_INT(count, COUNTERS);
}

TEST(elements_get_differences)
{
    int before = files();
    events = groups = 0;
    void *p = usable();
    double outer[COUNTERS] = { 0 }, inner[COUNTERS] = { 0 };
    perf_end(p, &site, -1, outer); /* of the element that opened it */
    CHECK(are(outer, 0, 0));
    put(COUNTERS, 7, 7, 100);
    put(COUNTERS, 7, 7, 150);
    put(COUNTERS, 7, 7, 157);
    put(COUNTERS, 7, 7, 300);
    int64_t first = perf_begin(p, &site), second = perf_begin(p, &site);
    perf_end(p, &site, second, inner);
    perf_end(p, &site, first, outer);
    CHECK(are(inner, 7, 0) && are(outer, 200, 0));
    CHECK_INT(events, 0);
    perf_free(p);
    CHECK_INT(files(), before);
}

/* Counters that had the processor half of the time would have counted twice as much. */
TEST(counters_that_take_turns_are_scaled)
{
    double values[COUNTERS] = { 0 };
    events = groups = 0;
    void *p = usable();
    perf_end(p, &site, -1, values);
    put(COUNTERS, 0, 0, 0);
    put(COUNTERS, 20, 10, 100);
    perf_end(p, &site, perf_begin(p, &site), values);
    CHECK(are(values, 200, 10));
    perf_free(p);
}

TEST(an_event_that_is_not_there_has_no_value)
{
    refused = 0; /* the second one leads */
    events = groups = 0;
    void *p = perf_new();
    double values[COUNTERS];
    for (int i = 0; i < COUNTERS; i++)
        values[i] = NAN;
    CHECK(perf_probe(p, take, said));
    CHECK_INT(perf_begin(p, &site), -1);
    perf_end(p, &site, -1, values);
    CHECK(groups == 2 && events == 2 * (COUNTERS - 1));
    put(COUNTERS - 1, 1, 1, 5);
    put(COUNTERS - 1, 1, 1, 8);
    perf_end(p, &site, perf_begin(p, &site), values);
    CHECK(isnan(values[0]) && values[1] == 3 && values[COUNTERS - 1] == 3);
    put(COUNTERS - 2, 1, 1, 5); /* a group that is shorter than it was opened */
    put(COUNTERS - 2, 1, 1, 9);
    perf_end(p, &site, perf_begin(p, &site), values);
    CHECK(values[1] == 4 && values[COUNTERS - 2] == 4);
    perf_free(p);
    refused = NONE;
}

TEST(without_events_the_reason_is_told)
{
    int before = files();
    void *p = perf_new();
    double values[COUNTERS] = { 0 };
    refused = ALL;
    CHECK(!perf_probe(p, take, said));
    CHECK_STR(said, "perf_event_open: Permission denied (kernel.perf_event_paranoid, or a sandbox, may forbid it)");
    perf_free(p);
    refused = NONE;
    events = groups = 0;
    p = usable();
    perf_end(p, &site, -1, values);
    put(COUNTERS, 1, 1, 5);
    int64_t begun = perf_begin(p, &site); /* and nothing when it ends */
    perf_end(p, &site, begun, values);
    CHECK(begun == 0 && are(values, 0, 0));
    perf_free(p);
    CHECK_INT(files(), before);
}

TEST(elements_lie_in_each_other_only_so_deep)
{
    int64_t begun[DEEPEST + 2];
    double values[COUNTERS] = { 0 };
    events = groups = 0;
    void *p = usable();
    perf_end(p, &site, -1, values);
    for (uint64_t i = 0; i < DEEPEST; i++)
        put(COUNTERS, 1, 1, i);
    for (int i = 0; i < DEEPEST + 2; i++) {
        begun[i] = perf_begin(p, &site);
        CHECK_INT(begun[i], i < DEEPEST ? i : -1);
    }
    put(COUNTERS, 1, 1, 40);
    for (int i = DEEPEST + 1; i > DEEPEST - 2; i--)
        perf_end(p, &site, begun[i], values);
    CHECK(are(values, 40 - (DEEPEST - 1), 0));
    perf_free(p);
}

/* ---- threads ---- */

enum { THREADS = 3 };

static void *of_threads;
static pthread_barrier_t all_began;

static void *count_in_thread(void *arg)
{
    int64_t *index = arg;
    double values[COUNTERS] = { 0 };
    CHECK_INT(perf_begin(of_threads, &site), -1);
    perf_end(of_threads, &site, -1, values);
    CHECK(events == COUNTERS && groups == 1);
    put(COUNTERS, 1, 1, 0);
    put(COUNTERS, 1, 1, (uint64_t)*index);
    pthread_barrier_wait(&all_began);
    perf_end(of_threads, &site, perf_begin(of_threads, &site), values);
    CHECK(are(values, (double)*index, 0));
    return NULL;
}

TEST(threads_have_their_own)
{
    int before = files();
    pthread_t threads[THREADS];
    int64_t index[THREADS];
    events = groups = 0;
    of_threads = usable();
    CHECK(!pthread_barrier_init(&all_began, NULL, THREADS));
    for (int i = 0; i < THREADS; i++) {
        index[i] = 100 + i;
        CHECK(!pthread_create(&threads[i], NULL, count_in_thread, &index[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    CHECK_INT(files(), before + COUNTERS); /* this thread's */
    perf_free(of_threads);
    CHECK_INT(files(), before);
}

TEST(without_memory_nothing_is_counted)
{
    double values[COUNTERS] = { 0 };
    events = groups = 0;
    no_memory = true;
    CHECK(!perf_new());
    no_memory = false;
    void *p = perf_new();
    CHECK(perf_probe(p, take, said));
    no_memory = true;
    CHECK_INT(perf_begin(p, &site), -1);
    perf_end(p, &site, -1, values);
    no_memory = false;
    CHECK(are(values, 0, 0));
    perf_free(p);
    perf_free(NULL);
}

CHECK_MAIN
