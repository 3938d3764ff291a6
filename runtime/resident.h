/* Threads that stay between the regions of a call.
 *
 * A region by itself costs a microsecond, and where threads sleep between regions (OMP_WAIT_POLICY=passive) the tens of
 * microseconds of waking them up. A call whose regions stand in loops keeps the threads of its first one: they stay in
 * one region of the OpenMP runtime, look for the bodies of further ones, and sleep when none has come for a while.
 *
 * Where bodies do not wait for each other the first thread also runs those that nobody has begun: on a busy machine it
 * waits for no thread that has no processor. */
#ifndef RUNTIME_RESIDENT_H
#define RUNTIME_RESIDENT_H

#include "runtime/runtime.h"

/* What the threads of a region run; all that they read of it is in one line of a cache. */
struct sdfg_rt_region {
    _Alignas(64) struct sdfg_rt_context *context;
    sdfg_rt_body *body;
    void *data;
    struct sdfg_rt_team team;
    int processor;  /* of the thread that starts it */
    int64_t joined; /* the other threads that have begun */
};

/* As thread number `thread` of `threads`. */
void sdfg_rt_region_run(struct sdfg_rt_region *r, int64_t thread, int64_t threads);
/* Moves this thread away from that processor if it is there, and there is one for each of so many threads. */
void sdfg_rt_leave_processor(int processor, int64_t threads);

/* Does this thread keep the threads of its regions? */
bool sdfg_rt_resident_is_open(void);
/* Runs the region on threads that stay, and waits for them; false: this thread keeps none. From outside of regions. */
bool sdfg_rt_resident_run(struct sdfg_rt_region *r, int64_t threads);
/* Do the threads that stay look for work at this moment, as opposed to sleep? Who asks twice within the time for which
 * they look has them woken up. `threads`: how many are started then, where there are none. */
bool sdfg_rt_resident_is_awake(int64_t threads);
/* Of all threads of a region of threads that stay. */
void sdfg_rt_resident_meet(struct sdfg_rt_team *team);

#endif
