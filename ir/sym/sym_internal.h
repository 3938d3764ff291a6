/* Shared by ir/sym/; nobody else includes this. */
#ifndef IR_SYM_INTERNAL_H
#define IR_SYM_INTERNAL_H

#include "ir/sym/sym.h"

enum {
    SYM_MAX_WEIGHT = 1 << 20, /* nodes of one expression written as a tree */
    SYM_MAX_DEPTH = 4000,
    SYM_PARSE_DEPTH = 1000,
};

enum { SYM_SMALL_INTS = 64, SYM_LAST_SUMS = 64 };

struct syms {
    const struct sym **table; /* open addressing, size is a power of two */
    uint32_t size, count;
    uint32_t too_large;                      /* how often an expression became undefined because of its size */
    const struct sym *small[SYM_SMALL_INTS]; /* 0, 1, ... without a type, once they were asked for */
    struct {
        const struct sym *a, *b, *sum;
    } sums[SYM_LAST_SUMS]; /* of two operands, by their ids: the same ones are asked for again and again */
};

/* ---- sym.c: nodes as they are, nothing folded ---- */

const struct sym *sym_node(struct ir *ir, enum sym_op op, const struct type *type, const char *name,
                           const struct sym *const *args, uint32_t num_args);
const struct sym *sym_raw(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t num_args);
const struct sym *sym_leaf(struct ir *ir, enum sym_op op); /* UNDEFINED .. I */
const struct sym *sym_typed_int(struct ir *ir, int64_t value, const struct type *type);
const struct sym *sym_typed_float(struct ir *ir, double value, const struct type *type); /* finite, not negative */
bool sym_is_boolean(const struct sym *a);

/* List under construction; small ones stay on the stack. */
enum { SYM_LIST_INLINE = 16 };

struct sym_list {
    struct arena *arena;
    const struct sym **items;
    uint32_t count, capacity;
    const struct sym *small[SYM_LIST_INLINE];
};

void sym_list_init(struct sym_list *l, struct ir *ir);
void sym_list_add(struct sym_list *l, const struct sym *s);

/* ---- sym_number.c: exact where possible ---- */

struct number {
    bool real; /* f instead of num/den */
    int64_t num, den;
    double f;
};

/* INT, RATIONAL and untyped FLOAT: what sums and products calculate with. */
static inline bool sym_is_number(const struct sym *s) { return s->op <= SYM_FLOAT && !(s->op == SYM_FLOAT && s->type); }

struct number number_int(int64_t value);
struct number number_real(double value);
struct number number_of(const struct sym *s); /* of a number */
const struct sym *number_sym(struct ir *ir, struct number n);
double number_double(struct number n);
int number_sign(struct number n);
bool number_is_int(struct number n); /* also a real with an integer value below 2**53 */
int number_compare(struct number a, struct number b);
/* false: overflow, division by zero, or no finite number. */
bool number_make(int64_t num, int64_t den, struct number *out);
bool number_add(struct number a, struct number b, struct number *out);
bool number_mul(struct number a, struct number b, struct number *out);
bool number_div(struct number a, struct number b, struct number *out);
bool number_pow(struct number a, struct number b,
                struct number *out); /* exact: integer powers, roots that come out even */
bool number_floor(struct number a, struct number *out);
bool number_ceil(struct number a, struct number *out);
bool number_round(struct number a, struct number *out); /* half away from zero */
bool number_trunc(struct number a, struct number *out);
uint64_t number_gcd(uint64_t a, uint64_t b);

/* ---- sym_order.c: the fixed total order ---- */

int sym_order(const struct sym *a, const struct sym *b);
int sym_order_terms(const struct sym *a, const struct sym *b);   /* numeric factors ignored */
int sym_order_factors(const struct sym *a, const struct sym *b); /* exponents ignored */
void sym_sort(struct ir *ir, const struct sym **items, uint32_t count,
              int (*order)(const struct sym *, const struct sym *));

/* ---- sym_fold.c: sums, products, powers ---- */

const struct sym *sym_sum(struct ir *ir, const struct sym *const *args, uint32_t count);
const struct sym *sym_product(struct ir *ir, const struct sym *const *args, uint32_t count);
const struct sym *sym_scale(struct ir *ir, struct number factor, const struct sym *a);
const struct sym *sym_power(struct ir *ir, const struct sym *base, const struct sym *exponent);
/* The numeric factor of a term; `rest` (may be NULL) becomes the term without it. */
struct number sym_coefficient(struct ir *ir, const struct sym *term, const struct sym **rest);
/* Views of a sum as its terms, of a product as its factors; anything else is one. */
const struct sym *const *sym_terms(const struct sym *const *a, uint32_t *count);
const struct sym *const *sym_factors(const struct sym *const *a, uint32_t *count);
/* Greatest rational c for which all coefficients of a/c are integers, with the sign of the leading term; false: reals
 * in it. */
bool sym_content(const struct sym *a, struct number *out);

/* ---- sym_expand.c ---- */

const struct sym *sym_expand_terms(struct ir *ir, const struct sym *sum); /* its products multiplied out, if not long */

/* ---- sym_divide.c, sym_logic.c ---- */

const struct sym *sym_floor_div(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_ceil_div(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_mod(struct ir *ir, const struct sym *a, const struct sym *b);
const struct sym *sym_round_to(struct ir *ir, enum sym_op op, const struct sym *a); /* FLOOR, CEIL, ROUND */
const struct sym *sym_min_max(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t count);
const struct sym *sym_abs(struct ir *ir, const struct sym *a);
const struct sym *sym_and_or(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t count);
const struct sym *sym_not(struct ir *ir, const struct sym *a);
const struct sym *sym_comparison(struct ir *ir, enum sym_op op, const struct sym *a, const struct sym *b);
const struct sym *sym_bits(struct ir *ir, enum sym_op op, const struct sym *const *args);
const struct sym *sym_select(struct ir *ir, const struct sym *const *args);
bool sym_fits(int64_t value, const struct type *type); /* integer types */
const struct sym *sym_cast(struct ir *ir, const struct type *type, const struct sym *a);

#endif
