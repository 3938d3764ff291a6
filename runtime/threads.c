/* Whether threads can be started. OpenMP runtimes and BLAS libraries end the process if they cannot start theirs, and
 * nothing can be said about that beforehand but by starting as many. That is done only where something limits them. */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_PROBED = 1024, MANY_PROCESSES = 1 << 15 };

static bool is_below(int resource, rlim_t many)
{
    struct rlimit limit;
    return !getrlimit((__rlimit_resource_t)resource, &limit) && limit.rlim_cur < many;
}

/* Control groups of containers say so here; "max": no limit. */
static bool group_is_limited(void)
{
    char first = 'm';
    int file = open("/sys/fs/cgroup/pids.max", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool known = read(file, &first, 1) == 1;
    close(file);
    return known && first != 'm';
}

static bool are_limited(void)
{
    return is_below(RLIMIT_NPROC, MANY_PROCESSES) || is_below(RLIMIT_AS, RLIM_INFINITY) ||
           is_below(RLIMIT_DATA, RLIM_INFINITY) || group_is_limited();
}

static void *wait_for_others(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Threads that could be started at one time, at most `wanted`. */
static int64_t start_some(int64_t wanted)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[MOST_PROBED];
    sigset_t all, before;
    int64_t count = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    while (count < wanted && count < MOST_PROBED && !pthread_create(&threads[count], NULL, wait_for_others, &lock))
        count++;
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int64_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return count < MOST_PROBED ? count : wanted;
}

int64_t sdfg_rt_startable(int64_t wanted) { return wanted > 0 && are_limited() ? start_some(wanted) : wanted; }
