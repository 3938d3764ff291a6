/* What calls need to know of a program (arguments, symbols, equations) as bytes, so that a process that finds its
 * kernels on disk need not read the graph at all. */
#ifndef ENGINE_INTERFACE_H
#define ENGINE_INTERFACE_H

#include "engine/program.h"

/* False if the program has something that only the graph tells: structures, warnings, expressions that are no sums of
 * products, memory of the caller. */
bool interface_write(const struct sdfg_program *p, struct text *out);
/* Fills in what loading would compute; false if the bytes are not what interface_write wrote. */
bool interface_read(struct sdfg_program *p, const void *bytes, size_t size);

#endif
