/* Faults that checked mode finds (docs/checking.md). Generated code calls this only where an access is bad. */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "runtime/runtime.h"

/* Counts a fault; the first one of a call is kept. `values`: of each dimension first and last index and extent. The
 * call goes on without the access, until it comes to a place where it can stop. */
void sdfg_rt_fault(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const int64_t *values);
/* The same for the faults of one launch of a kernel. */
struct sdfg_rt_device_fault;
void sdfg_rt_fault_in_kernel(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const char *kernel,
                             const struct sdfg_rt_device_fault *found);
int64_t sdfg_rt_stopped(struct sdfg_rt_context *context);

/* ---- races (check_race.c) ---- */

/* A new run of a map: its number. */
int64_t sdfg_rt_race_begin(struct sdfg_rt_context *context);
/* An access of one iteration to the elements from `first` on. `list`: number of the run, number of the iteration, what
 * is done (0 read, 1 written, 2 combined), one element of how many is looked at, bytes of an element; then of each
 * dimension first and last index, extent, stride, step. */
void sdfg_rt_race(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const void *first,
                  const int64_t *list);

#endif
