/* Between the files that solve systems: rows, and what is done with one row or two. */
#ifndef LOWER_TREE_SYSTEM_ROWS_H
#define LOWER_TREE_SYSTEM_ROWS_H

#include "lower/tree/tree_system.h"

enum { NO_VARIABLE = -1 /* as a number of one */ };

static inline int64_t system_magnitude(int64_t value) { return value < 0 ? -value : value; }
static inline int64_t system_floor(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* to = to * a + from * b; false if the numbers get too large. */
bool system_combine(struct system_row *to, int64_t a, const struct system_row *from, int64_t b, uint32_t vars);
void system_drop(struct system *s, uint32_t row);
/* Rows divided by what their numbers have in common, those in the same direction as one. False: no solution. */
bool system_tidy(struct system *s);
/* The equation, and the variable in it but for `kept`, with the number nearest to 0; negative: there is none. */
int system_find_equation(const struct system *s, int kept, int *var);
/* The variable in terms of the others, in place of it in all rows. Its number in the equation is 1 or -1, or solutions
 * in fractions will do. False if numbers get too large. */
bool system_substitute(struct system *s, uint32_t equation, int var);
/* x stands for x - q * y for the other variables y of the equation, which makes their numbers there smaller than that
 * of x. False if numbers get too large. */
bool system_reduce(struct system *s, const struct system_row *equation, int var, bool *changed);

#endif
