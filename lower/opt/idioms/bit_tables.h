/* Values as functions of single bits, for the bits pass (pass_bits.c). */
#ifndef LOWER_PASS_BITS_H
#define LOWER_PASS_BITS_H

#include "lower/tree/tree.h"

enum { BITS_WORDS = 2, BITS_INPUTS = BITS_WORDS * 64 - 1 };

/* One bit of a value: the sum modulo 2 of some of the inputs, which are bits themselves, and of a constant, which
 * stands behind them as number BITS_INPUTS. */
struct bits_sum {
    uint64_t of[BITS_WORDS];
};

/* An integer, or a truth value of one bit. */
struct bits {
    uint32_t width;
    struct bits_sum at[]; /* the lowest one first */
};

/* A variable whose bits are inputs. */
struct bits_input {
    struct tree_var *var;
    uint32_t first, width;
};

struct bits_value {
    struct tree_var *var;
    const struct bits *bits; /* NULL: not a sum of inputs, or not known */
};

/* The variables at one place of a program, or some of them. */
struct bits_values {
    VEC(struct bits_value) all;
};

/* What runs: expressions and statements over such values. */
struct bits_run {
    struct arena *arena;
    struct bits_values state; /* what has been assigned */
    struct bits_values begin; /* what has been asked for */
    VEC(struct bits_input) inputs;
    uint32_t num_inputs; /* their bits */
    uint32_t budget;     /* statements that may still run */
    /* The value of a variable before anything runs, asked for once; NULL: not known. */
    const struct bits *(*ask)(struct bits_run *r, struct tree_var *v);
    void *user;
};

/* Bits of the type's values; 0: others than integers and truth values. */
uint32_t bits_width(const struct type *type);
/* The bits of a variable as inputs; NULL: it has none, or there is no room for more. */
const struct bits *bits_new_input(struct bits_run *r, struct tree_var *v);
/* NULL: not sums of inputs. */
const struct bits *bits_of(struct bits_run *r, const struct tree_expr *e);
/* What a variable holds by now; NULL: not known, or nobody has asked. */
const struct bits *bits_now(const struct bits_run *r, const struct tree_var *v);
/* False: it does more than to assign variables, does so under conditions that are not sums of inputs, or runs longer
 * than the budget. */
bool bits_run(struct bits_run *r, const struct tree_stmt *s);

/* Tables that expressions for the values take. */
uint32_t bits_tables(const struct bits_run *r, const struct bits_values *outputs);
/* Statements that give the variables these values. */
struct tree_stmt *bits_emit(struct tree *t, const struct bits_run *r, const struct bits_values *outputs);

static inline bool bits_sum_has(struct bits_sum s, uint32_t input) { return s.of[input / 64] >> input % 64 & 1; }

#endif
