/* The arguments of a call, by name, and what they say about the symbols. */
#ifndef ENGINE_ARGS_H
#define ENGINE_ARGS_H

#include "engine/program.h"
#include "engine/scalar.h"

enum entry_kind { ENTRY_ARRAY, ENTRY_POINTER, ENTRY_NULL, ENTRY_SCALAR, ENTRY_STRING };

struct entry {
    char *name; /* as given: "B[2].x" */
    const struct leaf *leaf;
    enum entry_kind kind;
    sdfg_array array; /* ENTRY_ARRAY, ENTRY_POINTER; strides point to `strides` or are NULL */
    int64_t strides[SDFG_MAX_RANK];
    struct scalar scalar;
    char *text;
};

struct sdfg_args {
    struct sdfg_program *program;
    struct entry **entries;
    size_t num_entries, capacity;
    struct value *values;         /* of the last solve, one per variable */
    struct sdfg_rt_block *blocks; /* memory for lifetime External, one per entry of program->workspaces */
};

/* An array as its descriptor counts it: in elements of the container (vectors are one), rank as declared, strides
 * always there. */
struct layout {
    uint32_t rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK];
};

const struct entry *args_find(const struct sdfg_args *a, const char *name); /* NULL if not given */

/* Checks kinds, types and ranks, then solves. `s` is filled in for messages; its texts live in `arena`. Fills
 * a->values. */
bool args_solve(struct sdfg_args *a, struct arena *arena, struct solver *s, struct diags *d);
/* After args_solve: strides, null pointers, alignment, missing arguments and symbols. */
bool args_check(const struct sdfg_args *a, const struct solver *s, struct diags *d);
/* The layout of an array entry in elements of its container; false (recorded) if type or rank do not fit. */
bool entry_layout(const struct entry *e, struct layout *out, struct diags *d);
/* "N, 2*M" */
const char *leaf_shape_text(const struct leaf *l, struct arena *a);
/* Bytes an array touches, as [begin, end) relative to its data. */
void entry_extent(const struct entry *e, const struct sdfg_program *p, const struct value *values, int64_t *begin,
                  int64_t *end);

#endif
