/* For scripts/coverage.sh: gcov writes counts where a process ends by exit. Processes that end otherwise write them
 * with this file, which is compiled twice:
 *
 *   - into each program and library with counters, which says how its counts are written, and ends what tests/fail does
 *     to the memory of a program in front of that;
 *   - with -DPRELOADED as a library for LD_PRELOAD, which writes those of all in front of _exit, abort and SIGTERM. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus /* what is linked with LLVM */
extern "C" void __gcov_dump(void);
#else
void __gcov_dump(void);
#endif

typedef void coverage_dump(void);

/* Writing takes memory, of which tests/fail/interpose.c may leave none. */
static void stop_failing(void)
{
    void (*fail_at)(long n, bool on);
    *(void **)&fail_at = dlsym(RTLD_DEFAULT, "fail_at");
    if (fail_at)
        fail_at(0, false);
}

#ifndef PRELOADED

__attribute__((constructor)) static void begin(void)
{
    void (*add)(coverage_dump * dump);
    *(void **)&add = dlsym(RTLD_DEFAULT, "coverage_register");
    if (add)
        add(__gcov_dump);
    atexit(stop_failing); /* called in front of the destructors, in which counts are written */
}

#else

enum { MOST = 64 };

static coverage_dump *dumps[MOST];
static int count;

static void dump_all(void)
{
    stop_failing();
    while (count > 0)
        dumps[--count]();
}

void coverage_register(coverage_dump *dump);
void coverage_register(coverage_dump *dump)
{
    if (count < MOST)
        dumps[count++] = dump;
}

void _exit(int status)
{
    void (*next)(int);
    dump_all();
    *(void **)&next = dlsym(RTLD_NEXT, "_exit");
    next(status);
    __builtin_unreachable();
}

void _Exit(int status) { _exit(status); }

void abort(void)
{
    void (*next)(void);
    dump_all();
    *(void **)&next = dlsym(RTLD_NEXT, "abort");
    next();
    __builtin_unreachable();
}

static void terminated(int number)
{
    dump_all();
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction now;
    if (!sigaction(SIGTERM, NULL, &now) && now.sa_handler == SIG_DFL)
        signal(SIGTERM, terminated);
}

#endif
