/* Prototypes of the rows of runtime/abi.def that C code may call too, and what the files of this folder share. */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "runtime/abi.h"

#include <stdbool.h>

/* Records the first failure of a call; later ones are dropped. */
void sdfg_rt_fail(struct sdfg_rt_context *context, enum sdfg_rt_error error);

void sdfg_rt_cancelled(struct sdfg_rt_context *context);

/* ---- threads (parallel.c) ---- */

typedef void sdfg_rt_body(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads);

/* Runs body(context, data, 0..n-1, n) on n threads and waits for all. n is `threads` if positive, but never more than
 * the context's num_threads if that is set; with neither the OpenMP runtime decides (OMP_NUM_THREADS). One thread, and
 * every call from inside a region, runs the body directly. */
void sdfg_rt_parallel(struct sdfg_rt_context *context, sdfg_rt_body *body, void *data, int64_t threads);
/* The same of bodies that do not wait for each other: one thread may run several, one after the other. */
void sdfg_rt_parallel_pieces(struct sdfg_rt_context *context, sdfg_rt_body *body, void *data, int64_t threads);
void sdfg_rt_barrier(struct sdfg_rt_context *context);
void sdfg_rt_critical_begin(struct sdfg_rt_context *context);
void sdfg_rt_critical_end(struct sdfg_rt_context *context);
/* Takes the next chunk below `limit` from the counter and gives its first index, or `limit` when all are taken. The
 * chunk has `chunk` indices, or (limit - first) / guided if that is more and guided is not 0, and ends at the limit at
 * the latest. */
int64_t sdfg_rt_next(int64_t *counter, int64_t chunk, int64_t limit, int64_t guided);
/* How many threads, at most `wanted`, can be started besides those that there are (runtime/threads.c). */
int64_t sdfg_rt_startable(int64_t wanted);
bool sdfg_rt_in_parallel(void);

/* ---- stores past the caches (nontemporal.c) ---- */

/* The data is where other threads see it when the thread has called sdfg_rt_nontemporal_end or has left its region. */
void sdfg_rt_nontemporal_copy(void *to, const void *from, int64_t bytes);
void sdfg_rt_nontemporal_zero(void *to, int64_t bytes); /* for other threads, too, when it returns */
void sdfg_rt_nontemporal_end(void);

const char *sdfg_rt_openmp_name(void); /* library in use, or NULL: sequential */
int sdfg_rt_default_threads(void);     /* size of a region for which nobody says a number */

/* What a thread is in: the threads of one region, and how many of them are idle, which means that they wait for the
 * others or are through. A thread that waits for what only others can bring says so; when all are idle, it waits in
 * vain. Regions of one thread that runs its body directly are no teams. */
struct sdfg_rt_team {
    int64_t id; /* 1, 2, ... among the teams of a call */
    int64_t threads;
    bool apart;    /* none waits for another one: nobody asks who is idle */
    bool resident; /* of threads that stay (runtime/resident.h): they meet by the rest */
    int64_t idle;
    uint32_t arrived, phase, sleeping; /* at a barrier; barriers so far; who sleeps there */
};
void sdfg_rt_team_enter(struct sdfg_rt_team *team, int64_t thread, int64_t threads);
void sdfg_rt_team_leave(struct sdfg_rt_team *team); /* idle from now on */
struct sdfg_rt_team *sdfg_rt_team(void);            /* of this thread, or NULL */
void sdfg_rt_team_idle(struct sdfg_rt_team *team, int64_t more);
bool sdfg_rt_team_is_stuck(const struct sdfg_rt_team *team);

int64_t sdfg_rt_thread_num(struct sdfg_rt_context *context);
int64_t sdfg_rt_num_threads(struct sdfg_rt_context *context);
int64_t sdfg_rt_thread_limit(struct sdfg_rt_context *context);
/* Not 0 if an empty region takes more than some microseconds, as with OMP_WAIT_POLICY=passive. Measured by the first
 * call of the process, in less than a millisecond. */
int64_t sdfg_rt_threads_sleep(struct sdfg_rt_context *context);
/* The same of the OpenMP runtime's threads as they are. Not from inside of regions before the first call is through. */
bool sdfg_rt_threads_are_lazy(void);
/* Between these two calls the threads of this thread's regions stay (runtime/resident.h), and what runs outside of
 * regions must not be code that has threads of the OpenMP runtime itself: it would find itself in a region. Gives what
 * the second call is given: not 0 if threads are kept, which they are not in regions. */
int64_t sdfg_rt_threads_keep(struct sdfg_rt_context *context);
void sdfg_rt_threads_release(struct sdfg_rt_context *context, int64_t kept);

/* ---- memory (memory.c) ---- */

void *sdfg_rt_alloc(struct sdfg_rt_context *context, int64_t bytes);
void sdfg_rt_free(struct sdfg_rt_context *context, void *memory);

/* The next piece of the context's workspace, at a multiple of `alignment` from its start; null, with the error
 * recorded, if there is none. */
void *sdfg_rt_workspace(struct sdfg_rt_context *context, int64_t storage, int64_t bytes, int64_t alignment);
void *sdfg_rt_external(struct sdfg_rt_context *context, int64_t storage, int64_t bytes);

/* ---- 8-bit floats (float8.c); the bits are in the low byte ---- */

float sdfg_rt_f8e4m3_to_float(int32_t bits);
int32_t sdfg_rt_float_to_f8e4m3(float value);
float sdfg_rt_f8e5m2_to_float(int32_t bits);
int32_t sdfg_rt_float_to_f8e5m2(float value);

/* Writes the text to standard output at once. Conversions as printf's, with flags, width and precision; integers are
 * int64_t without a length modifier. Besides those: %r and %h, a double and a double that was a float, as Python's repr
 * writes them; %b, an int as True or False. The result is the length. */
int sdfg_rt_print(const char *format, ...);

#endif
