#include "engine/cli/progress.h"
#include "engine/cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, NEXT_MS = 100 };

/* False: the compilation has ended before. */
static bool wait_for(struct progress_line *p, long ms)
{
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&p->lock);
    while (!p->done && !late)
        late = pthread_cond_timedwait(&p->ended, &p->lock, &until);
    bool done = p->done;
    pthread_mutex_unlock(&p->lock);
    return !done;
}

static void *show(void *progress)
{
    struct progress_line *p = progress;
    const char *shown = NULL;
    for (long ms = FIRST_MS; wait_for(p, ms); ms = NEXT_MS) {
        const char *phase = sdfg_engine_phase(p->engine);
        if (phase && phase != shown)
            fprintf(stderr, "\rcompiling: %s\033[K", phase);
        shown = phase ? phase : shown;
    }
    if (shown)
        fputs("\r\033[K", stderr);
    return NULL;
}

void progress_begin(struct progress_line *p, sdfg_engine *e)
{
    *p = (struct progress_line){ .engine = e };
    if (!terminal_is(stderr))
        return;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->ended, &clock);
    pthread_condattr_destroy(&clock);
    sigset_t all, before; /* signals are for the thread that compiles */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->running = !pthread_create(&p->thread, NULL, show, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(struct progress_line *p)
{
    if (!p->running)
        return;
    pthread_mutex_lock(&p->lock);
    p->done = true;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->ended);
    pthread_mutex_destroy(&p->lock);
    p->running = false;
}
