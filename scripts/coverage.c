/* For scripts/coverage.sh: gcov writes counts where a process ends by exit. Processes that end otherwise write them
 * with this file, which is compiled twice:
 *
 *   - into each program and library with counters, which says how its counts are written;
 *   - with -DPRELOADED as a library for LD_PRELOAD, which writes those of all in front of _exit, abort and SIGTERM. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus /* what is linked with LLVM */
extern "C" void __gcov_dump(void);
#else
void __gcov_dump(void);
#endif

typedef void coverage_dump(void);

#ifndef PRELOADED

__attribute__((constructor)) static void begin(void)
{
    void (*add)(coverage_dump * dump);
    *(void **)&add = dlsym(RTLD_DEFAULT, "coverage_register");
    if (add)
        add(__gcov_dump);
}

#else

enum { MOST = 64 };

static coverage_dump *dumps[MOST];
static int count;

static void dump_all(void)
{
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
