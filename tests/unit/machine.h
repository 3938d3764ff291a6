/* Machines that trees of tests are for. */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include "lower/tree/tree.h"

static inline void set_machine(struct tree *t, int vector, bool double_pumped, int64_t largest_cache)
{
    struct machine *m = NEW(t->arena, struct machine);
    *m = machine_baseline;
    m->vector = vector;
    m->double_pumped = double_pumped;
    m->largest_cache = largest_cache;
    t->machine = m;
}

#endif
