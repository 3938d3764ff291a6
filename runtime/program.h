/* Programs that were compiled ahead of time: what their exported functions call (docs/export.md). A handle is not
 * thread-safe if the program has persistent memory, as in DaCe; otherwise calls may overlap. */
#ifndef RUNTIME_PROGRAM_H
#define RUNTIME_PROGRAM_H

#include "runtime/abi.h"

/* Runs the initialisation. `args` has the symbols; everything else is null or zero. NULL on failure. */
void *sdfg_rt_program_begin(const struct sdfg_rt_program *p, void *const *args);
int32_t sdfg_rt_program_run(void *handle, void *const *args);
/* A program that cannot say what went wrong does not go on with wrong results: ends the process with a message. */
void sdfg_rt_program_check(const char *name, int32_t error);
/* Runs the exit code and frees the handle; 0. NULL is allowed. */
int32_t sdfg_rt_program_end(void *handle);

/* Memory of lifetime External, by the position of its storage. */
int64_t sdfg_rt_program_external_size(void *handle, int64_t storage, void *const *args);
void sdfg_rt_program_external(void *handle, int64_t storage, void *const *args, void *memory);

/* What an error of a call means. Static text, but for a GPU: what happened in the last call of this thread, until its
 * next one. */
const char *sdfg_rt_error_text(int32_t error);

#endif
