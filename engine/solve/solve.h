/* Symbols from the shapes and strides of a call.
 *
 * Every dimension of every array argument gives an equation `expression = actual`. Those with exactly one unknown that
 * stands linearly in them are solved, until nothing changes: shapes first, then strides. What is known is then checked
 * against all equations. Values that were given are never overwritten. Reads the program only, so calls may solve at
 * the same time. */
#ifndef ENGINE_SOLVE_H
#define ENGINE_SOLVE_H

#include "ir/sym/sym.h"

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

/* coefficient * names[a] * names[b] ...; names are positions in the form, one per factor. */
enum { FORM_FACTORS = 4 };
struct form_term {
    int64_t coefficient;
    uint32_t num_factors;
    uint32_t factors[FORM_FACTORS];
};

/* An expression with what solving needs, prepared when the program is loaded. With terms, nothing of struct sym need be
 * there. */
struct form {
    const struct sym *expression;
    const char *text;
    uint32_t num_names;
    struct form_name *names;
    struct form_term *terms; /* the expression as their sum, which is the quick way; NULL if it is none */
    uint32_t num_terms;
    enum { FORM_OTHER, FORM_NAME, FORM_NUMBER } kind; /* most are nothing but a variable or a number */
    uint32_t name;                                    /* that variable */
    int64_t number;
    bool opaque; /* mentions what has no value before the run (elements of arrays, "?") */
};

/* owner.shape[dimension] = form */
struct equation {
    const char *owner;
    uint32_t dimension;
    const struct form *form;
    int64_t actual;
    bool is_stride;
};

enum value_origin { VALUE_UNKNOWN, VALUE_CONSTANT, VALUE_GIVEN, VALUE_SOLVED };

struct symbol_value {
    enum value_origin origin;
    int64_t value;
    uint32_t equation; /* VALUE_SOLVED by `solve` */
};

struct solver {
    struct arena *arena; /* for texts */
    const struct variable *variables;
    uint32_t num_variables;
    struct symbol_value *values; /* one per variable; given ones are set by the caller */
    const struct equation *equations;
    uint32_t num_equations;
    uint64_t impossible; /* equations that no integers satisfy together (the first 64); 0: none known */
};

struct form form_make(struct ir *ir, const struct variable *variables, uint32_t num_variables,
                      const struct sym *expression);
/* False if a name has no value yet or the value is no integer. */
bool form_value(const struct form *f, const struct variable *variables, const struct symbol_value *values,
                int64_t *out);

/* Solves and checks; records all contradictions. Stride equations are used but not checked (args_check_layout does). */
bool solve(struct solver *s, struct diags *d);
/* Records an error for every required symbol without a value. */
bool solve_complete(const struct solver *s, struct diags *d);
const char *equation_label(const struct solver *s, const struct equation *e); /* "A.shape[0]" */
/* Of one equation: the coefficient of a name with the values known so far; the form with every unknown 0. */
bool form_coefficient(const struct solver *s, const struct form *f, const struct form_name *n, int64_t *out);
bool form_at_zero(const struct solver *s, const struct form *f, int64_t *out);
bool variable_holds(const struct variable *v, int64_t value); /* the value fits into the declared type */
/* Solves what can only be solved by several equations at once (engine/solve/solve_system.c); false if nothing new
 * became known. */
bool solve_together(struct solver *s);
/* The form as a sum of products of names, if it is one (engine/solve/solve_terms.c). */
void form_find_terms(struct ir *ir, const struct variable *variables, const struct sym *expanded, struct form *f);
/* Fills in `kind` from names and terms. */
void form_find_kind(struct form *f);
/* The sum with the values known so far. `n` is left out: what it is multiplied with goes to *coefficient, the rest to
 * *rest. With n NULL the value is *rest. False if a name has no value (unless `unknown_is_zero`), `n` does not stand
 * linearly, or a number does not fit. */
bool terms_coefficient(const struct form *f, const struct symbol_value *values, const struct form_name *n,
                       int64_t *out);
bool terms_value(const struct form *f, const struct symbol_value *values, const struct form_name *n,
                 bool unknown_is_zero, int64_t *coefficient, int64_t *rest);

/* "given", "A.shape[0] = N + 1", ... */
const char *solve_origin(const struct solver *s, uint32_t variable);
/* Which equations mention an unsolved symbol, as a sentence. */
const char *solve_tried(const struct solver *s, uint32_t variable);

#endif
