/* Symbols from the shapes and strides of a call.
 *
 * Every dimension of every array argument gives an equation `expression = actual`. Those with exactly one unknown that
 * stands linearly in them are solved, until nothing changes: shapes first, then strides. What is known is then checked
 * against all equations. Values that were given are never overwritten. Reads the program only, so calls may solve at
 * the same time. */
#ifndef ENGINE_SOLVE_H
#define ENGINE_SOLVE_H

#include "ir/sym.h"

/* What an expression may mention: a symbol, an integer scalar argument or an integer constant of the program. */
struct variable {
    const char *name;        /* interned in the program */
    const struct type *type; /* NULL: unknown */
    bool is_scalar, is_constant;
    bool required; /* a symbol the program cannot run without */
    bool bindable; /* an integer that specialization may turn into a constant */
    int64_t constant;
};

struct form_name {
    uint32_t variable;
    const struct sym *coefficient, *rest; /* expression = coefficient * variable + rest, or NULL if it is not linear */
};

/* An expression with what solving needs, prepared when the program is loaded. */
struct form {
    const struct sym *expression;
    const char *text;
    uint32_t num_names;
    struct form_name *names;
    bool opaque; /* mentions what has no value before the run (elements of arrays, "?") */
};

struct equation {
    const char *label; /* "A.shape[0]" */
    const struct form *form;
    int64_t actual;
    bool is_stride;
};

enum value_origin { VALUE_UNKNOWN, VALUE_CONSTANT, VALUE_GIVEN, VALUE_SOLVED };

struct value {
    enum value_origin origin;
    int64_t value;
    uint32_t equation; /* VALUE_SOLVED */
};

struct solver {
    struct arena *arena; /* for texts */
    const struct variable *variables;
    uint32_t num_variables;
    struct value *values; /* one per variable; given ones are set by the caller */
    const struct equation *equations;
    uint32_t num_equations;
};

struct form form_make(struct ir *ir, const struct variable *variables, uint32_t num_variables,
                      const struct sym *expression);
/* False if a name has no value yet or the value is no integer. */
bool form_value(const struct form *f, const struct variable *variables, const struct value *values, int64_t *out);

/* Solves and checks; records all contradictions. Stride equations are used but not checked (args_check_layout does). */
bool solve(struct solver *s, struct diags *d);
/* Records an error for every required symbol without a value. */
bool solve_complete(const struct solver *s, struct diags *d);
/* Of one equation: a part of its form with the values known so far; the form with every unknown 0. */
bool form_part(const struct solver *s, const struct form *f, const struct sym *part, int64_t *out);
bool form_at_zero(const struct solver *s, const struct form *f, int64_t *out);
bool variable_holds(const struct variable *v, int64_t value); /* the value fits into the declared type */
/* Solves what can only be solved by several equations at once (engine/solve_system.c); false if nothing new became
 * known. */
bool solve_together(struct solver *s);

/* "given", "A.shape[0] = N + 1", ... */
const char *solve_origin(const struct solver *s, uint32_t variable);
/* Which equations mention an unsolved symbol, as a sentence. */
const char *solve_tried(const struct solver *s, uint32_t variable);

#endif
