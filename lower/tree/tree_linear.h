/* Index expressions as sums of products, and the values they can take: what dependence tests compare.
 *
 *     i * 150 + j * N + 151    is    151 + 150 * (i) + 1 * (j, N)
 *
 * A factor is any expression that is no sum, difference or product itself. All arithmetic is that of int64;
 * a sum whose constants do not fit is not known. */
#ifndef LOWER_TREE_LINEAR_H
#define LOWER_TREE_LINEAR_H

#include "lower/tree/tree.h"

enum { LINEAR_TERMS = 12, LINEAR_FACTORS = 6 };

struct linear_term {
    int64_t times;
    uint32_t count;
    const struct tree_expr *factors[LINEAR_FACTORS];
};

/* One that is stored has room for `count` terms only: read it through a pointer, do not copy it. */
struct linear {
    bool known; /* false: too long, too large, or something that has side effects; the rest means nothing then */
    uint32_t count;
    int64_t constant;
    struct linear_term terms[LINEAR_TERMS];
};

void linear_of(struct linear *out, const struct tree_expr *e);
void linear_constant(struct linear *out, int64_t value);
void linear_copy(struct linear *out, const struct linear *in);
void linear_add(struct linear *to, const struct linear *from, int64_t times);
/* `in` with a variable replaced; `out` is another one. */
void linear_replace(struct linear *out, const struct linear *in, const struct tree_var *v, const struct linear *value);
const struct linear *linear_keep(struct arena *a, const struct linear *l);
bool linear_is_constant(const struct linear *l); /* known, no terms left */
bool linear_equal(const struct linear *a, const struct linear *b);
bool linear_same_factors(const struct linear_term *a, const struct linear_term *b);
bool linear_term_has(const struct linear_term *term, const struct tree_var *v);
bool linear_has(const struct linear *l, const struct tree_var *v); /* in one of its terms */
/* Takes the term `times * v` out and gives `times`; 0 if there is none. False if v is in other terms, too. */
bool linear_take(struct linear *l, const struct tree_var *v, int64_t *times);

/* Does it grow by `stride` when the variable grows by one? */
bool linear_grows_by(struct tree *t, const struct linear *l, struct tree_var *v, struct tree_expr *stride);
/* As an int64 expression. */
struct tree_expr *linear_expr(struct tree *t, const struct linear *l);

/* All values between two bounds, inclusive. */
struct interval {
    bool known;
    int64_t low, high;
};

/* The loops around a place, innermost first, with what their variables run over. */
struct tree_frame {
    const struct tree_frame *outer;
    const struct tree_stmt *loop;
    struct interval range;
};

struct tree_frame tree_frame_of(const struct tree_frame *outer, const struct tree_stmt *loop);
/* Visits the statement, and then what is in it where `visit` says so, each with the loops around it. A visit may change
 * what it is given, as long as it stays where it is. */
typedef bool tree_frame_visit(void *user, struct tree_stmt *s, const struct tree_frame *frame);
void tree_visit_frames(struct tree_stmt *s, const struct tree_frame *frame, tree_frame_visit *visit, void *user);
/* The values of an expression inside the loops; variables that `frame` does not know are looked for in `other` (may be
 * NULL). */
struct interval interval_of(const struct tree_expr *e, const struct tree_frame *frame, const struct tree_frame *other);
struct interval linear_interval(const struct linear *l, const struct tree_frame *frame, const struct tree_frame *other);
/* The same, more exactly where bounds of loops depend on the loops around them (triangles): variables give way to those
 * bounds, from the inside out. Known only if linear_interval() knows the values, too. */
struct interval linear_limits(const struct linear *l, const struct tree_frame *frame, const struct tree_frame *other);
struct interval interval_add(struct interval a, struct interval b);
struct interval interval_scale(struct interval a, int64_t times);
struct interval interval_point(int64_t value);

#endif
