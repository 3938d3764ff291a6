/* C and C++ tasklets: libclang reads them, the trees of ir/code/code.h come out (semantics.md 6.8).
 *
 * All tasklets of a program are one translation unit, since the fixed cost of a parse is paid once. Each is a function
 * whose parameters are its connectors and the symbols it names; libclang resolves names, overloads, templates and
 * conversions, and the trees spell all of that out. Functions are inlined (CODE_INLINE); those of the prelude without a
 * body are operations that lower/graph/code/code_call.c knows. */
#ifndef LOWER_CLANG_H
#define LOWER_CLANG_H

#include "ir/graph.h"

bool clang_has_work(struct sdfg *root); /* some tasklet is C++ and not read yet */
/* Reads them; connectors have types already. False with diagnostics. */
bool clang_read_tasklets(struct sdfg *root);

#endif
