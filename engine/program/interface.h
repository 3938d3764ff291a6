/* What calls need to know of a program (arguments, symbols, equations) as bytes, so that a process that finds its
 * kernels on disk need not read the graph at all. */
#ifndef ENGINE_INTERFACE_H
#define ENGINE_INTERFACE_H

#include "engine/program/program.h"

/* Of a program whose graph is there. */
void interface_write(const struct sdfg_program *p, struct text *out);
/* Fills in what loading would compute, the warnings among it; false if the bytes are not what interface_write wrote.
 * They must live as long as the program: texts stay in them. */
bool interface_read(struct sdfg_program *p, const void *bytes, size_t size);

#endif
