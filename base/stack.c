#include "base/stack.h"

#include "base/fatal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* The deepest inputs take about a third of it (tests/unit/test_depth.c); frames of the sanitizers are several times as
 * large. The C library keeps stacks of ended threads for the next one, up to 40 MiB altogether. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const size_t stack_bytes = (size_t)256 << 20;
#else
const size_t stack_bytes = (size_t)32 << 20;
#endif

static _Thread_local bool is_deep;

struct start {
    void *(*f)(void *);
    void *argument;
};

static void *begin(void *start)
{
    struct start s = *(struct start *)start;
    free(start);
    is_deep = true;
    return s.f(s.argument);
}

/* The new thread inherits the mask. Signals by which a thread hears of its own faults and of profilers stay. */
static int create(pthread_t *thread, struct start *start)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF };
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    error = pthread_attr_setstacksize(&attributes, stack_bytes);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!error)
        error = pthread_create(thread, &attributes, begin, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int stack_thread(pthread_t *thread, void *(*f)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return ENOMEM;
    *start = (struct start){ f, argument };
    int error = create(thread, start);
    if (error)
        free(start);
    return error;
}

struct stack_job {
    void (*f)(void *);
    void *argument;
    struct guard *outer, failed;
    bool done;
};

static void *call(void *c)
{
    struct stack_job *called = c;
    guard_inherit(called->outer);
    called->done = guard_run(called->f, called->argument, &called->failed);
    return NULL;
}

bool stack_call(void (*f)(void *), void *argument)
{
    if (is_deep) {
        f(argument);
        return true;
    }
    pthread_t thread;
    struct stack_job c = { .f = f, .argument = argument, .outer = guard_innermost() };
    int error = stack_thread(&thread, call, &c);
    if (error) {
        errno = error;
        return false;
    }
    pthread_join(thread, NULL);
    if (!c.done && c.failed.memory)
        fatal_memory();
    if (!c.done)
        fatal(c.failed.message);
    return true;
}
