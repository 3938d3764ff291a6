/* Containers and symbols that a program saves and restores (semantics.md 11.4), in the files of DaCe:
 *
 *   FOLDER/CONTAINER/REGION_STATE_NODE_VERSION.bin    uint32: rank, shape, strides in elements; then the elements
 *   FOLDER/SYMBOL/STATE_VERSION                       a number as text
 *
 * Versions count from 0: of a container for each node, of a symbol over all states. They go on from call to call of a
 * program. All numbers are in the byte order of the machine. */
#ifndef RUNTIME_DATA_H
#define RUNTIME_DATA_H

#include "runtime/runtime.h"

/* `text`: name of the container, then the beginning of the file name, both zero-terminated. `layout`: bytes of an
 * element, elements, rank, shape, strides. Failures are SDFG_RT_DATA. */
void sdfg_rt_save(struct sdfg_rt_context *context, const char *text, const int64_t *layout, const void *elements);
void sdfg_rt_restore(struct sdfg_rt_context *context, const char *text, const int64_t *layout, void *elements);
/* Symbols; what cannot be read stays `now`. */
void sdfg_rt_save_int(struct sdfg_rt_context *context, const char *text, int64_t value);
void sdfg_rt_save_real(struct sdfg_rt_context *context, const char *text, double value);
int64_t sdfg_rt_restore_int(struct sdfg_rt_context *context, const char *text, int64_t now);
double sdfg_rt_restore_real(struct sdfg_rt_context *context, const char *text, double now);

#endif
