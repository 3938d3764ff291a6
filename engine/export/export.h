/* Programs compiled ahead of time: what the files of this concern share. */
#ifndef ENGINE_EXPORT_H
#define ENGINE_EXPORT_H

#include "base/text.h"
#include "engine/program/program.h"

/* Is an argument of the exported functions: every container, scalars, the symbols that running needs and those that `x`
 * names. */
bool export_takes(const struct leaf *l, const sdfg_export *x);
/* Free symbols are what the program is initialised with. */
static inline bool export_is_symbol(const struct leaf *l) { return l->kind == SDFG_KIND_SYMBOL; }

/* A static library with one object; `symbols` are the functions that linkers find in it. */
void export_archive(struct text *out, const char *member, const char *bytes, size_t size, const char *const *symbols,
                    uint32_t num_symbols);
void export_c(struct text *out, const struct sdfg_program *p, const sdfg_export *x);
void export_fortran(struct text *out, const struct sdfg_program *p, const sdfg_export *x);
/* "[M, N], strides [N, 1]", or "" for what has no shape. */
const char *export_shape(struct arena *a, const struct leaf *l);

#endif
