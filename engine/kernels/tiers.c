#include "engine/kernels/tiers.h"

#include "base/fatal.h"
#include "base/stack.h"
#include "engine/kernels/kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct tiers {
    pthread_mutex_t lock;             /* guards what follows */
    pthread_cond_t done;              /* something left the queue, or the thread has ended */
    struct sdfg_kernel *first, *last; /* pinned; linked by next_asked */
    const struct sdfg_program
        *current; /* whose kernel is being compiled; that may be gone before the thread is here again */
    pthread_t thread;
    bool joinable, working;
    pid_t process; /* that the thread is in: a fork has no such thread */
};

struct tiers *tiers_new(void)
{
    struct tiers *t = calloc(1, sizeof *t);
    if (!t)
        fatal_memory();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

/* After a fork nobody works on what the parent compiles. With the lock held. */
static void settle_after_fork(struct tiers *t)
{
    if (!t->joinable || t->process == getpid())
        return;
    t->joinable = t->working = false;
    t->current = NULL; /* its quick code stays */
}

static void wait_for_end(struct tiers *t)
{
    while (t->working)
        pthread_cond_wait(&t->done, &t->lock);
    if (t->joinable)
        pthread_join(t->thread, NULL); /* it does nothing any more but end */
    t->joinable = false;
}

void tiers_free(struct tiers *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    settle_after_fork(t);
    wait_for_end(t);
    pthread_mutex_unlock(&t->lock);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ---- the thread ---- */

static void improve(struct sdfg_kernel *k)
{
    GUARDED(); /* the quick code stays */
    sdfg_error *error = NULL;
    struct sdfg_kernel *full = kernel_new(k->program, &k->signature, "it is called again", SDFG_TIER_FULL, &error);
    kernels_replace(k, full, error);
    sdfg_error_free(error);
}

static void *work(void *tiers)
{
    struct tiers *t = tiers;
    pthread_mutex_lock(&t->lock);
    while (t->first) {
        struct sdfg_kernel *k = t->first;
        t->first = k->next_asked;
        t->current = k->program;
        pthread_mutex_unlock(&t->lock);
        improve(k);
        kernels_release(k);
        pthread_mutex_lock(&t->lock);
        t->current = NULL;
        pthread_cond_broadcast(&t->done);
    }
    t->working = false;
    pthread_cond_broadcast(&t->done);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* With the lock held. */
static bool start(struct tiers *t)
{
    settle_after_fork(t);
    if (t->working)
        return true;
    wait_for_end(t);
    t->joinable = t->working = !stack_thread(&t->thread, work, t);
    t->process = getpid();
    return t->working;
}

/* ---- those who ask ---- */

static void ask(struct tiers *t, struct sdfg_kernel *k)
{
    kernels_pin(k);
    pthread_mutex_lock(&t->lock);
    k->next_asked = NULL;
    if (t->first)
        t->last->next_asked = k;
    else
        t->first = k;
    t->last = k;
    bool started = start(t);
    if (!started)
        t->first = NULL; /* no thread worked, so nothing else was queued */
    pthread_mutex_unlock(&t->lock);
    if (!started)
        kernels_release(k);
}

void tiers_called(struct tiers *t, struct sdfg_kernel *k)
{
    enum { SECOND = 1 };
    if (atomic_fetch_add_explicit(&k->calls, 1, memory_order_relaxed) == SECOND)
        ask(t, k);
}

void tiers_forget(struct tiers *t, const struct sdfg_program *p)
{
    struct sdfg_kernel *forgotten = NULL;
    pthread_mutex_lock(&t->lock);
    settle_after_fork(t);
    struct sdfg_kernel **at = &t->first;
    t->last = NULL;
    while (*at) {
        struct sdfg_kernel *k = *at;
        if (k->program != p) {
            t->last = k;
            at = &k->next_asked;
            continue;
        }
        *at = k->next_asked;
        k->next_asked = forgotten;
        forgotten = k;
    }
    while (t->current == p)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
    for (struct sdfg_kernel *next; forgotten; forgotten = next) {
        next = forgotten->next_asked;
        kernels_release(forgotten);
    }
}

void tiers_wait(struct tiers *t)
{
    pthread_mutex_lock(&t->lock);
    settle_after_fork(t);
    wait_for_end(t);
    pthread_mutex_unlock(&t->lock);
}
