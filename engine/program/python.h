/* Python files as programs. Any thread. */
#ifndef ENGINE_PROGRAM_PYTHON_H
#define ENGINE_PROGRAM_PYTHON_H

#include "ir/ir.h"

#include <stddef.h>

/* Whether the path names a Python program: "prog.py" or "prog.py:function"; "-" is standard input, which may also hold
 * an SDFG. */
bool python_names(const char *path);
/* The text of its SDFG in the arena of `ir`; NULL with the reasons in ir->diags. Files larger than `most` are refused.
 * *graph: standard input held the SDFG itself, as it is returned. *stack is false, errno says why, if there can be no
 * stack for it. */
char *python_json(struct ir *ir, const char *path, const char *options, uint64_t most, size_t *size, bool *graph,
                  bool *stack);

#endif
