/* What happens when memory ends, or when a library of the compiler gives up: the work in progress is abandoned.
 *
 * Code that allocates does not check for NULL; `fatal` leaves it. A thread that is inside a guard goes on where the
 * guard was set, and the function that set it returns an error:
 *
 *     sdfg_error *sdfg_program_load(...)
 *     {
 *         GUARDED(error_memory(SDFG_STAGE_LOAD));
 *         ...
 *     }
 *
 * Arenas made inside the guard that are still there are freed. Everything else that must not stay behind (locks, files,
 * mappings) is registered as a cleanup while it is held. Outside of guards `fatal` calls the handler or prints, and
 * ends the process: only tools and tests get there. */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>

/* Installs a handler for the calling process (the handler must not return); NULL restores the default. */
void fatal_set_handler(void (*handler)(void *user, const char *message), void *user);
/* Abandons the work of this thread up to its innermost guard. The message is copied. */
_Noreturn void fatal(const char *message);
_Noreturn void fatal_memory(void); /* the same for exhausted memory */

/* ---- guards ---- */

struct arena;

struct cleanup {
    void (*run)(void *arg);
    void *arg;
    struct cleanup *next;
};

struct guard {
    struct guard *outer;
    struct cleanup *cleanups; /* the latest first */
    struct arena *arenas;     /* made inside and not freed */
    bool memory;              /* after a failure: memory was exhausted */
    char message[256];        /* ... and what `fatal` was told */
    jmp_buf at;
};

void guard_begin(struct guard *g);
/* On the way out, with or without a failure; arenas that were made inside now belong to the outer guard, if there is
 * one. */
void guard_end(struct guard *g);
/* For a thread that works for another one, which waits: guards of this thread lie inside of `g`, the innermost one of
 * the other (or NULL), which takes over arenas. One guard at least must be set before anything can fail. */
void guard_inherit(struct guard *g);
struct guard *guard_innermost(void); /* of this thread; NULL: none */

/* For the rest of the function; after `fatal` it returns `...` (empty: nothing), which must use only parameters that
 * are never assigned to. Costs some 5 ns. */
#define GUARDED(...)                                                                                                   \
    __attribute__((cleanup(guard_end))) struct guard guard_of_function;                                                \
    guard_begin(&guard_of_function);                                                                                   \
    if (_setjmp(guard_of_function.at))                                                                                 \
    return __VA_ARGS__

/* Runs f(arg) under a guard; false after `fatal`, with *failed (or NULL) telling why. */
bool guard_run(void (*f)(void *arg), void *arg, struct guard *failed);

/* `run(arg)` is called when `fatal` leaves the function that registered it; `c` lives in that function. The two come in
 * pairs, the latest is removed first. */
void cleanup_push(struct cleanup *c, void (*run)(void *arg), void *arg);
void cleanup_pop(struct cleanup *c);
/* Closes a file, which stays the caller's to close otherwise. */
void cleanup_push_file(struct cleanup *c, int file);

/* A mutex that is held across allocations. */
void guard_lock(struct cleanup *c, pthread_mutex_t *lock);
void guard_unlock(struct cleanup *c);

#endif
