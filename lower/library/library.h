/* Library nodes lowered directly (library-nodes.md). One file per family; a row of ops.def ties a class path to its function.
 *
 * Class paths moved between releases, so a class is found by its library and its name: dace.libraries.<library>. ... .<Class>. */
#ifndef LOWER_LIBRARY_LIBRARY_H
#define LOWER_LIBRARY_LIBRARY_H

#include "lower/lower.h"

/* The region behind a connector (NULL: the first edge that carries data). False with a diagnostic if there is none. */
bool library_input(struct scope *sc, struct library *n, const char *conn, struct area *out);
bool library_output(struct scope *sc, struct library *n, const char *conn, struct area *out);
struct edge *library_input_edge(const struct library *n, const char *conn); /* NULL if not wired */
struct edge *library_output_edge(const struct library *n, const char *conn);

/* A scalar property such as alpha: number, "(re+imj)" or symbolic text, converted to `type`. */
struct tree_expr *library_scalar(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type);

int library_blas_type(const struct type *t); /* enum sdfg_rt_type, or -1 */
bool library_is_constant(const struct tree_expr *e, double value); /* complex ones too */

/* C[i,j] = alpha * sum_k A[i,k] B[k,j] + beta * C[i,j] with arbitrary element strides. */
struct contraction {
    const struct type *type;
    const struct sym *m, *n, *k;
    struct tree_expr *a, *b, *c; /* addresses of the first elements */
    const struct sym *sam, *sak, *sbk, *sbn, *scm, *scn;
    uint32_t alias_a, alias_b, alias_c;
    const struct type *type_a, *type_b; /* element types of the operands; `type` is that of C */
    struct tree_expr *alpha, *beta;     /* of `type`; constants stay recognizable */
};
bool library_contract(struct scope *sc, const struct place *place, const struct contraction *c);

/* out[kept] = wcr over the other dimensions of in. `reduced[d]` for every dimension of `in`; `identity` NULL: accumulate. */
bool library_reduce(struct scope *sc, const struct place *place, const struct area *in, const bool *reduced,
                    const struct area *out, const struct memlet *wcr, struct tree_expr *identity);

/* out[i...] = value for every element. */
bool library_fill(struct scope *sc, const struct place *place, const struct area *out, struct tree_expr *value);

#define LIBRARY_OP(function, folder, class) bool lower_##function(struct scope *sc, struct library *n);
#include "lower/library/ops.def"
#undef LIBRARY_OP

#endif
