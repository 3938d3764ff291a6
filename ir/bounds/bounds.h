/* What certainly goes wrong for some values of the program's symbols: accesses outside of their container, by memlets
 * and by elements that ranges, sizes, symbol mappings, conditions and assignments name, inner containers and views
 * larger than what they are made of, sizes that do not fit into 64 bits.
 *
 * Only code that certainly runs counts: states that every run reaches, scopes and loops with at least one iteration for
 * the symbols at hand, memlets that are not dynamic. An iteration space that is not empty has a first and a last
 * iteration, so an access is judged by these: nothing is approximated, and what depends on data, on symbols that the
 * program assigns, or on code (subscripts of pointers, views, references) is not judged at all. */
#ifndef IR_BOUNDS_H
#define IR_BOUNDS_H

#include "ir/graph.h"

enum bound_kind {
    BOUND_BELOW,   /* the index `is` of dimension `dim` of `name`, whose extent is `limit` */
    BOUND_ABOVE,   /* the same */
    BOUND_OUTSIDE, /* the inner container `inner` is accessed at element `is` of `name`, which has `limit` */
    BOUND_COPY,    /* `is` elements of `inner` are copied, `name` has `limit` */
    BOUND_NESTED,  /* the inner container `inner` spans `is` elements, `name` has `limit` of them */
    BOUND_VIEW,    /* the view `inner` spans `is` bytes, `name` has `limit` of them */
    BOUND_SIZE,    /* `is`: elements of `name`, of `limit` bytes each */
    BOUND_REQUIRED /* a requirement of the graph, whose message is `name`; no `is` and `limit` */
};

/* Expressions are over the free symbols of the program. */
struct bound {
    enum bound_kind kind;
    const struct place *place;
    const char *name, *inner;
    uint32_t dim;
    const struct sym *excess; /* the limit is exceeded if this is >= 0; NULL: if `is` * `limit` overflows */
    const struct sym *is, *limit;
    const struct sym *const *guards; /* it happens only if all of these are >= 0 */
    uint32_t num_guards;
};

/* Reports what goes wrong whatever the symbols are (false), and keeps what depends on them in root->bounds. */
bool sdfg_check_bounds(struct sdfg *root);

#endif
