/* What the graph says about sizes that go wrong (ir/bounds/bounds.h), for the values of a call. */
#ifndef ENGINE_BOUNDS_H
#define ENGINE_BOUNDS_H

#include "engine/solve/solve.h"
#include "ir/bounds/bounds.h"

struct sdfg_program;

struct limit {
    enum bound_kind kind;
    const struct place *place;
    const char *name, *inner; /* "" if there is none */
    uint32_t dim;
    struct form excess, is, limit; /* as in struct bound; the first is empty for BOUND_SIZE */
    struct form *guards;
    uint32_t num_guards;
};

/* Those of p->root whose expressions a call knows; called when variables are described. */
void program_limits(struct sdfg_program *p);
/* False, and an error for each limit that these values exceed. Nothing is allocated unless there is one. What mentions
 * an unknown value is not judged. Any thread. */
bool program_within_limits(const struct sdfg_program *p, const struct symbol_value *values, struct diags *d);

/* An error if `size`, elements of `item_bytes` each, has no value although all of its names have one: it is too large.
 */
bool program_size_fits(const struct sdfg_program *p, const struct place *place, const char *name,
                       const struct form *size, size_t item_bytes, const struct symbol_value *values, struct diags *d);

#endif
