/* Regions of the runtime where threads cannot be started: OpenMP's runtime would end the process. */
#include "runtime/runtime.h"
#include "tests/fail/interpose.h"

#include <stdio.h>
#include <sys/resource.h>

static int64_t team;
static int calls;

static void body(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    (void)data;
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (!thread)
        team = threads;
}

static int region(int64_t threads, int64_t expected)
{
    struct sdfg_rt_context context = { 0 };
    calls = 0;
    sdfg_rt_parallel(&context, body, NULL, threads);
    if (team == expected && calls == expected)
        return 0;
    printf("a team of %lld is one of %lld, and %d have run instead of %lld\n", (long long)threads, (long long)team,
           calls, (long long)expected);
    return 1;
}

int main(void)
{
    /* Without any limit nobody looks. */
    struct rlimit limit = { (rlim_t)1 << 40, (rlim_t)1 << 40 };
    if (setrlimit(RLIMIT_AS, &limit))
        return 77;
    fail_threads(true);
    int bad = region(4, 1) + region(0, 1);
    fail_threads(false);
    bad += region(4, 4) + region(2, 2);
    fail_threads(true);
    bad += region(2, 2) + region(1, 1); /* whose threads are there */
    bad += region(3, 2);
    return bad;
}
