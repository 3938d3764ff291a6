/* Constant arithmetic with exactly the semantics of the operations, for the constructors of lower/tree/tree_expr.c. */
#ifndef LOWER_TREE_FOLD_H
#define LOWER_TREE_FOLD_H

#include "lower/tree/tree.h"

/* The value of the low bits as the type holds it: sign- or zero-extended; a truth value for bool. */
int64_t fold_wrap(const struct type *type, int64_t value);
/* The nearest value of a float type, ties to even. */
double fold_round(const struct type *type, double value);
uint64_t fold_float_bits(enum type_kind kind, double value);

/* Operands are constants of one type. False: not to be folded (division by zero, out of range, ...). */
bool fold_int(enum expr_op op, const struct type *type, int64_t a, int64_t b, int64_t *out);
bool fold_float(enum expr_op op, const struct type *type, double a, double b, double *out);
bool fold_compare_int(enum expr_op op, const struct type *type, int64_t a, int64_t b);
bool fold_compare_float(enum expr_op op, double a, double b);
bool fold_math(enum tree_math f, const struct type *type, const double *args, double *out); /* exact functions only */
bool fold_power(double base, double exponent, double *out); /* of integers, where it is exact */
bool fold_float_to_int(const struct type *type, double value, int64_t *out);
double fold_int_to_float(const struct type *to, const struct type *from, int64_t value);

#endif
