/* Library nodes lowered directly (library-nodes.md). One file per family; a row of ops.def ties a class path to its
 * function.
 *
 * Class paths moved between releases, so a class is found by its library and its name: dace.libraries.<library>. ...
 * .<Class>. */
#ifndef LOWER_LIBRARY_LIBRARY_H
#define LOWER_LIBRARY_LIBRARY_H

#include "lower/graph/lower.h"

/* ---- operands (operand.c) ---- */

/* Calls `lower` with a scope in which the operands of the node can be asked for, and delivers its results. */
bool library_around(struct scope *sc, struct library *n, bool (*lower)(struct scope *, struct library *, void *),
                    void *user);

/* The region behind a connector (NULL: the first edge that carries data). False with a diagnostic if there is none. The
 * lists of an area are its own: they may be changed. */
bool library_input(struct scope *sc, struct library *n, const char *conn, struct area *out);
/* The same for a result. Where the edge resolves conflicts this is temporary memory, which is combined with the region
 * when the node is done. Its contents are undefined. */
bool library_output(struct scope *sc, struct library *n, const char *conn, struct area *out);
/* A result whose old contents are read. */
bool library_update(struct scope *sc, struct library *n, const char *conn, struct area *out);
/* A result that the operation combines with the old contents on its own, as the edge says. */
bool library_target(struct scope *sc, struct library *n, const char *conn, struct area *out);
struct edge *library_input_edge(const struct library *n, const char *conn); /* NULL if not wired */
struct edge *library_output_edge(const struct library *n, const char *conn);

bool library_same(const struct area *a, const struct area *b); /* surely the same elements in the same order */
/* Drops dimensions of extent 1 from the front until the rank is right; false if it cannot be. */
bool library_to_rank(struct area *a, uint32_t rank);
bool library_differ(struct lower *lw, const struct sym *a, const struct sym *b);  /* surely different extents */
bool library_wrong_shapes(struct scope *sc, struct library *n, const char *what); /* INVALID; false */
/* The address of a list of int64: sizes or strides for the runtime. NULL with a diagnostic. */
struct tree_expr *library_list(struct scope *sc, const struct place *place, const struct sym *const *items,
                               uint32_t count);

/* Memory for an area of the same extents, row-major. It lives until the node is done, or until library_release. */
bool library_temporary(struct scope *sc, const struct place *place, const struct area *like, const struct type *type,
                       struct area *out);
void library_release(struct scope *sc, const struct area *temporary);
/* The area itself if its elements are of that type, else a temporary copy. */
bool library_as_type(struct scope *sc, const struct place *place, const struct type *type, struct area *a);

/* ---- scalars (scalar.c) ---- */

/* A scalar property such as alpha: number, "(re+imj)" or symbolic text, converted to `type`. */
struct tree_expr *library_scalar(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type);
/* The same for a factor of elements of `type`: a fraction stays one (float64) where the elements are integers. */
struct tree_expr *library_factor(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type);
/* An expression of the file in real arithmetic: 1/N is no integer division. */
struct tree_expr *library_real(struct scope *sc, const struct place *place, const struct sym *s);
bool library_is_constant(const struct tree_expr *e, double value); /* complex ones too */
/* The type in which products of elements are summed up: that of NumPy, float16 and narrower in float32. */
const struct type *library_sum_type(struct ir *ir, const struct type *a, const struct type *b);

/* The row of ops.def that has this name ("blas.Gemm"), which there is; looked for from row `first` on. */
uint32_t library_row(const char *name, uint32_t first);

/* ---- operations that others are made of ---- */

/* C[i,j] = alpha * sum_k A[i,k] B[k,j] + beta * C[i,j] (contract.c). Areas of rank 2; layouts and element types as they
 * are. */
struct contraction {
    struct area a, b, c;
    struct tree_expr *alpha, *beta; /* as library_factor gives them for the elements of C */
};
bool library_contract(struct scope *sc, const struct place *place, const struct contraction *c);

/* out[kept] = wcr over the other dimensions of in. `reduced[d]` for every dimension of `in`; `identity` NULL:
 * accumulate. */
bool library_reduce(struct scope *sc, const struct place *place, const struct area *in, const bool *reduced,
                    const struct area *out, const struct memlet *wcr, struct tree_expr *identity);

/* out[i...] = value for every element. */
bool library_fill(struct scope *sc, const struct place *place, const struct area *out, struct tree_expr *value);

/* ---- loops over blocks (blocks.c) ---- */

/* for (first = 0; first < size; first += step); returns the body. */
struct tree_stmt *library_blocks(struct scope *sc, const struct place *place, const struct sym *size, int64_t step,
                                 bool parallel, struct tree_var **first);
/* for (i = first; i < min(first + step, size); i++); returns the body and the index. */
struct tree_stmt *library_block(struct scope *sc, const struct place *place, struct tree_var *first, int64_t step,
                                const struct sym *size, const struct sym **index);

/* ---- nodes that the embedding program implements (custom.c) ---- */

bool library_is_custom(const struct lower *lw, const struct library *n);
bool lower_custom(struct scope *sc, struct library *n);

#define LIBRARY_OP(function, folder, class, text) bool lower_##function(struct scope *sc, struct library *n);
#include "lower/graph/library/ops.def"
#undef LIBRARY_OP

#endif
