/* Python files as programs. Any thread. */
#ifndef ENGINE_PROGRAM_PYTHON_H
#define ENGINE_PROGRAM_PYTHON_H

#include "ir/ir.h"

#include <stddef.h>

/* Whether the path names a Python program: "prog.py" or "prog.py:function". */
bool python_names(const char *path);
/* The text of its SDFG in the arena of `ir`; NULL with the reasons in ir->diags. *stack is false, errno says why, if
 * there can be no stack for it. */
char *python_json(struct ir *ir, const char *path, const char *options, size_t *size, bool *stack);

#endif
