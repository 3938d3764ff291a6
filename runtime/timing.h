/* What elements of a program take, where they ask to be timed (semantics.md 11). Generated code has the calls only if
 * the engine wants them. */
#ifndef RUNTIME_TIMING_H
#define RUNTIME_TIMING_H

#include "runtime/runtime.h"

int64_t sdfg_rt_clock(struct sdfg_rt_context *context); /* nanoseconds of a clock that never goes back */
void sdfg_rt_timed(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, int64_t begin);

/* The embedding runtime: one more timing of the call; nothing happens if nobody wants them. */
void sdfg_rt_timings_add(struct sdfg_rt_context *context, const struct sdfg_rt_timing *timing);
/* An element of its own for what `of` points to, called `kind` and `name`; the same one each time. NULL with the error
 * set if there is no memory. */
const struct sdfg_rt_element *sdfg_rt_timings_name(struct sdfg_rt_context *context, const void *of, const char *kind,
                                                   const char *name);

#endif
