/* What providers of instrumentation measure of elements that ask for it (semantics.md 11). Generated code has the calls
 * only if the engine wants them. */
#ifndef RUNTIME_TIMING_H
#define RUNTIME_TIMING_H

#include "runtime/runtime.h"

int64_t sdfg_rt_measure_begin(struct sdfg_rt_context *context, const struct sdfg_rt_element *element);
void sdfg_rt_measure_end(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, int64_t begun);
void sdfg_rt_observe(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, const int64_t *layout,
                     void *elements);

/* An element of its own for what `of` points to, called `kind` and `name`; the same one each time. NULL with the error
 * set if there is no memory. */
const struct sdfg_rt_element *sdfg_rt_timings_name(struct sdfg_rt_context *context, const void *of, const char *kind,
                                                   const char *name);

#endif
