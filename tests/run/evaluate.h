/* A plain interpreter for graphs of the kind that random_program and random_forms make: arrays of integers, and of
 * doubles that hold integers, maps, Python tasklets, products of vectors, copies, conflict resolutions, nested SDFGs,
 * loops, branches. It goes through the graph as it was built, one element after the other, and shares nothing with the
 * engine but the graph and the arithmetic of its symbolic expressions. */
#ifndef TESTS_RUN_EVALUATE_H
#define TESTS_RUN_EVALUATE_H

#include "ir/graph.h"

struct evaluate_argument {
    const char *name;
    void *data;    /* of an array: changed in place */
    int64_t value; /* of a symbol */
};

enum evaluation { EVALUATED, EVALUATION_TOO_LONG, EVALUATION_UNKNOWN /* a construct that is not known here */ };

enum evaluation evaluate(struct sdfg *s, const struct evaluate_argument *arguments, uint32_t count);

#endif
