/* Systems of linear equations and inequalities over the integers: is there a solution, and which values can a sum take?
 *
 * Equations are taken out by substitution, variables of inequalities by Fourier-Motzkin elimination, with rounding as
 * in Pugh's Omega test: where a shadow is not exact, the dark shadow and splinters decide. */
#ifndef LOWER_TREE_SYSTEM_H
#define LOWER_TREE_SYSTEM_H

#include "lower/tree/tree_linear.h"

enum { SYSTEM_VARS = 24, SYSTEM_ROWS = 80 };

/* constant + the sum of times[i] * x[i] is at least 0, or `equal` to it. */
struct system_row {
    bool equal;
    int64_t constant;
    int64_t times[SYSTEM_VARS];
};

struct system {
    uint32_t vars, count;
    bool loose; /* rows were left out: there may be fewer solutions */
    struct system_row rows[SYSTEM_ROWS];
};

enum system_answer { SYSTEM_NONE, SYSTEM_SOME, SYSTEM_UNKNOWN /* in the time that there is */ };

void system_clear(struct system *s);
void system_copy(struct system *to, const struct system *from);
/* A row that there is no room for is left out. */
void system_add(struct system *s, const struct system_row *row);
enum system_answer system_solve(const struct system *s);
/* All values between two, inclusive; INT64_MIN and INT64_MAX: no end is known. */
struct system_range {
    int64_t least, most;
};
/* What a row's sum can be in solutions: no value beyond. least > most: there is no solution. */
struct system_range system_range(const struct system *s, const struct system_row *sum);

#endif
