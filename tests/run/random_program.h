/* Random valid SDFGs over arrays of integers. All values are integers and every order of iterations gives the same
 * result, so that the results of two runs are equal to the bit. */
#ifndef TESTS_RUN_RANDOM_PROGRAM_H
#define TESTS_RUN_RANDOM_PROGRAM_H

#include "ir/build/build.h"

enum { RANDOM_N = 180, RANDOM_M = 130 }; /* values of the symbols N and M */

/* The same seed gives the same program. Arguments are the arrays A0, A1 ... of integers, shapes [N], [M], [N, M] or
 * [M, N], and the symbols N and M. */
struct sdfg *random_program(struct ir *ir, uint64_t seed);
/* Programs of the forms that passes over loops look for (random_forms.c); arrays of integers and of doubles that hold
 * integers. *shared: the first two are to be the same memory. */
struct sdfg *random_forms(struct ir *ir, uint64_t seed, bool *shared);
/* Programs that work on parts of arrays (random_views.c): elements of all types, views, references, nested SDFGs. */
struct sdfg *random_views(struct ir *ir, uint64_t seed);
/* One of the first RANDOM_EXPRESSIONS over three operands, as Python text in the arena of `ir`; the last is `other`. */
enum { RANDOM_EXPRESSIONS = 6 };
const char *random_expression(struct ir *ir, uint32_t which, const char *a, const char *b, const char *c,
                              const char *other);
/* A number of its own for each seed; *seed moves on. */
uint64_t random_next(uint64_t *seed);

#endif
