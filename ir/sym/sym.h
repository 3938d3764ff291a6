/* Symbolic expressions: shapes, strides, ranges, symbol mappings.
 *
 * Hash-consed and canonical: equal expressions are one pointer within one `struct ir`. Exact while symbolic (rationals
 * are reduced int64 fractions); `/` is exact division. Sums are flattened with like terms collected, products have
 * their numeric factor first, a number is distributed over a sum (2*(a+b) is 2*a + 2*b), products in a sum are
 * multiplied out where that makes it shorter ((N+1)*M - M is M*N), argument order is by a fixed
 * total order that does not depend on addresses. Folding uses floor for // and the sign of the divisor for %
 * (format.md 5.5).
 *
 * Constructors only use what holds for all integers: Min(N, N - 1) folds, N > 0 does not. A name is an integer unless a
 * type says otherwise, so give symbols of other types their type (sym_typed_name) before reading expressions with them.
 * Where 64 bits do not suffice the operation stays as it is (`raw`). An expression that grows beyond a million nodes or
 * a depth of 4,000 becomes SYM_UNDEFINED, so that no walk over one is slow. `?` poisons: an operation with it is
 * SYM_UNDEFINED. */
#ifndef IR_SYM_H
#define IR_SYM_H

#include "ir/type.h"

enum sym_op {
    /* leaves */
    SYM_INT,       /* i */
    SYM_RATIONAL,  /* i / den, reduced, den > 1 */
    SYM_FLOAT,     /* f */
    SYM_BOOL,      /* i: 0 or 1 */
    SYM_NAME,      /* name: symbol, scalar container or constant */
    SYM_STRING,    /* name */
    SYM_UNDEFINED, /* "?" */
    SYM_INFINITY,  /* oo; minus infinity is -1 * oo */
    SYM_NAN,
    SYM_NONE,
    SYM_PI,
    SYM_E,
    SYM_I,
    /* n-ary, flattened and sorted (AND and OR keep their order: a[i] is not read where i < N is false) */
    SYM_ADD,
    SYM_MUL,
    SYM_MIN,
    SYM_MAX,
    SYM_AND,
    SYM_OR,
    /* fixed arity */
    SYM_POW,
    SYM_FLOOR_DIV,
    SYM_CEIL_DIV,
    SYM_MOD,
    SYM_FLOOR,
    SYM_CEIL,
    SYM_ABS,
    SYM_ROUND,
    SYM_NOT,
    SYM_LT,
    SYM_LE,
    SYM_EQ,
    SYM_NE, /* > and >= are written with swapped arguments */
    SYM_BIT_AND,
    SYM_BIT_OR,
    SYM_BIT_XOR,
    SYM_BIT_NOT,
    SYM_SHL,
    SYM_SHR,
    SYM_SELECT,    /* condition, then, else */
    SYM_CAST,      /* type; one argument */
    SYM_SUBSCRIPT, /* name: container (may be dotted); arguments: indices */
    SYM_ATTR,      /* name: member; argument: base */
    SYM_CALL,      /* name: any other function; "Subscript" with the container first if that is no plain name: A[i][j];
                    * "Is", "IsNot": against None */
    SYM_OP_COUNT
};

struct sym {
    enum sym_op op;
    uint32_t num_args;
    uint32_t id;     /* creation order; for caches only */
    uint32_t weight; /* nodes when written as a tree */
    uint16_t depth;
    bool raw;     /* ADD or MUL that would overflow: operands as they were, to be treated as one unknown */
    bool integer; /* the value is an integer if all symbols of integer type are */
    uint64_t hash;
    const struct sym *shorter; /* of a sum: ir/sym/sym_fold.c; NULL: not tried */
    const struct type *type; /* typed constant, declared symbol type (last seen; float wins), cast target; else NULL */
    union {
        struct {
            int64_t i, den;
        };
        double f;
        const char *name; /* interned */
    };
    const struct sym *args[];
};

/* How a text is to be read (format.md 5.1). */
enum sym_syntax {
    SYM_SYNTAX_NEW,    /* $N */
    SYM_SYNTAX_OLD,    /* bare names, as sympy or Python prints them */
    SYM_SYNTAX_PYTHON, /* assignments: bare names, A[i, j], S.x */
};

/* Reads `text`; on failure reports at `place` with a caret and returns NULL. SymExpr(main, approx) gives main. */
const struct sym *sym_parse(struct ir *ir, const struct place *place, const char *text, enum sym_syntax syntax);
/* Guesses from symbolic strings of a file: NEW if one contains '$', OLD if one has a bare name (format.md 1.3). */
bool sym_text_is_new(const char *text);
bool sym_text_is_old(const char *text); /* contains a bare name that is no function or constant */

/* Constructors; all return the canonical expression. */
const struct sym *sym_int(struct ir *ir, int64_t value);
const struct sym *sym_rational(struct ir *ir, int64_t numerator, int64_t denominator); /* denominator != 0 */
const struct sym *sym_float(struct ir *ir, double value);
const struct sym *sym_bool(struct ir *ir, bool value);
const struct sym *sym_undefined(struct ir *ir);
const struct sym *sym_name(struct ir *ir, const char *name);
/* The same object as sym_name; the type is known to all its users from now on. */
const struct sym *sym_typed_name(struct ir *ir, const char *name, const struct type *type);
const struct sym *sym_add(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_sub(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_mul(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_div(struct ir *ir, const struct sym *a, const struct sym *b); /* exact: a * b**-1 */
const struct sym *sym_neg(struct ir *ir, const struct sym *a);
/* Any operation with arguments; n-ary operations take any count >= 1. `type` and `name` as the operation needs them. */
const struct sym *sym_make(struct ir *ir, enum sym_op op, const struct type *type, const char *name,
                           const struct sym *const *args, uint32_t num_args);
/* Number of elements of an inclusive range: ceil((end - begin + 1) / step) for positive steps (format.md 2.18); one if
 * it begins where it ends, whatever the step. */
const struct sym *sym_range_size(struct ir *ir, const struct sym *begin, const struct sym *end, const struct sym *step);
const struct sym *sym_expand(struct ir *ir, const struct sym *a); /* products over sums multiplied out */

/* The ways out of rationals for integer arithmetic (format.md 5.5). a == numerator / denominator with an integer for
 * numerator; false if 64 bits do not suffice or a divisor is no number. */
bool sym_common_denominator(struct ir *ir, const struct sym *a, const struct sym **numerator, int64_t *denominator);
/* What the value is where the exact one is not an integer: term by term, N/2 + 1/2 is N // 2 + 0. */
const struct sym *sym_termwise(struct ir *ir, const struct sym *a);

static inline bool sym_is_int(const struct sym *s, int64_t value) { return s->op == SYM_INT && s->i == value; }
static inline bool sym_is_constant(const struct sym *s) { return s->op <= SYM_BOOL; }

/* Replaces names: `lookup` returns the replacement or NULL to keep the name. Subscripted containers go through
 * `lookup` with their name only if it is a leaf; subscripts keep their name and have their indices replaced. */
typedef const struct sym *sym_lookup(void *user, const struct sym *name);
const struct sym *sym_substitute(struct ir *ir, const struct sym *a, sym_lookup *lookup, void *user);

/* Calls `visit` once per occurrence of each name (SYM_NAME) and container (SYM_SUBSCRIPT, with its own name). */
void sym_visit_names(const struct sym *a, void (*visit)(void *user, const struct sym *name), void *user);
bool sym_mentions(const struct sym *a, const char *name); /* interned name, as symbol or subscripted container */
bool sym_has_undefined(const struct sym *a);

/* Integer value with the rules of format.md 5.5: exact rationals, term-wise int_floor for what is left, floor
 * semantics. `lookup` gives a name's value or false. Subscripts, unknown functions and undefined are failures. */
enum sym_eval_status {
    SYM_EVAL_OK,
    SYM_EVAL_UNKNOWN_NAME,
    SYM_EVAL_NOT_INTEGER,
    SYM_EVAL_OVERFLOW,
    SYM_EVAL_DIVIDE_BY_ZERO
};
typedef bool sym_value_of(void *user, const char *name, int64_t *value);
enum sym_eval_status sym_eval(const struct sym *a, sym_value_of *lookup, void *user, int64_t *out,
                              const char **unknown);
/* The same in floating point (for symbols of float type and cost estimates). */
typedef bool sym_number_of(void *user, const char *name, double *value);
enum sym_eval_status sym_eval_float(const struct sym *a, sym_number_of *lookup, void *user, double *out);

/* What can be proven when every symbol is an integer >= 1 ("positive"), as DaCe assumes for sizes; the _from forms take
 * another least value, 0 for indices. MAYBE: cannot tell. */
enum truth { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE };
enum truth sym_less(struct ir *ir, const struct sym *a, const struct sym *b);       /* a < b */
enum truth sym_less_equal(struct ir *ir, const struct sym *a, const struct sym *b); /* a <= b */
enum truth sym_equal(struct ir *ir, const struct sym *a, const struct sym *b);
enum truth sym_less_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least);
enum truth sym_less_equal_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least);
enum truth sym_equal_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least);

/* a == coefficient * name + rest with `rest` free of name, coefficient an expression free of name. */
bool sym_linear_in(struct ir *ir, const struct sym *a, const char *name, const struct sym **coefficient,
                   const struct sym **rest);

/* Printing. NEW is what 2.0.0a6 writes ("-1 + $N"; typed symbols as `symbol($N, dtype=dace.int64)` if `type` is known
 * and not int32), OLD bare names, PYTHON is for messages and code ("N - 1" style order is not attempted: "-1 + N"). */
void sym_print(const struct sym *a, enum sym_syntax syntax, struct text *out);
void sym_print_of(const struct ir *ir, const struct sym *a,
                  struct text *out);                      /* the new syntax as in the file that was read */
const char *sym_text(struct ir *ir, const struct sym *a); /* PYTHON form, for messages */

#endif
