#include "base/fatal.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*handler_of_process)(void *user, const char *message);
static void *user_of_handler;
static _Thread_local struct guard *innermost __attribute__((tls_model("initial-exec")));

void fatal_set_handler(void (*handler)(void *user, const char *message), void *user)
{
    handler_of_process = handler;
    user_of_handler = user;
}

/* Cleanups first: they may use what lies in the arenas. One that fails in turn comes here again and finds itself gone
 * from the list. */
static _Noreturn void leave(struct guard *g)
{
    while (g->cleanups) {
        struct cleanup *c = g->cleanups;
        g->cleanups = c->next;
        c->run(c->arg);
    }
    while (g->arenas)
        arena_free(g->arenas);
    _longjmp(g->at, 1);
}

static _Noreturn void end(const char *message, bool memory)
{
    struct guard *g = innermost;
    if (g) {
        g->memory = memory;
        snprintf(g->message, sizeof g->message, "%s", message);
        leave(g);
    }
    if (handler_of_process)
        handler_of_process(user_of_handler, message);
    fprintf(stderr, "libsdfg: %s\n", message);
    abort();
}

_Noreturn void fatal(const char *message) { end(message, false); }

_Noreturn void fatal_memory(void) { end("out of memory", true); }

void guard_begin(struct guard *g)
{
    g->outer = innermost;
    g->cleanups = NULL;
    g->arenas = NULL;
    g->memory = false;
    innermost = g;
}

void guard_end(struct guard *g)
{
    innermost = g->outer;
    while (g->arenas)
        arena_guard(g->arenas, g->outer);
}

void guard_inherit(struct guard *g) { innermost = g; }

struct guard *guard_innermost(void) { return innermost; }

bool guard_run(void (*f)(void *arg), void *arg, struct guard *failed)
{
    struct guard g;
    guard_begin(&g);
    if (_setjmp(g.at)) {
        guard_end(&g);
        if (failed)
            *failed = g;
        return false;
    }
    f(arg);
    guard_end(&g);
    return true;
}

void cleanup_push(struct cleanup *c, void (*run)(void *arg), void *arg)
{
    *c = (struct cleanup){ .run = run, .arg = arg };
    if (innermost) {
        c->next = innermost->cleanups;
        innermost->cleanups = c;
    }
}

void cleanup_pop(struct cleanup *c)
{
    if (innermost)
        innermost->cleanups = c->next;
}

static void close_file(void *file) { close((int)(intptr_t)file); }

void cleanup_push_file(struct cleanup *c, int file) { cleanup_push(c, close_file, (void *)(intptr_t)file); }

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

void guard_lock(struct cleanup *c, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    cleanup_push(c, unlock, lock);
}

void guard_unlock(struct cleanup *c)
{
    cleanup_pop(c);
    pthread_mutex_unlock(c->arg);
}
