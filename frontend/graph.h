/* What lowering does with the graph: subscripts, containers, elementwise operations, and what is known of symbols. */
#ifndef FRONTEND_GRAPH_H
#define FRONTEND_GRAPH_H

#include "frontend/state.h"

/* ---- subscripts (index.c) ---- */
const struct value *fe_subscript(struct fe *f, const struct py *n, const struct value *base, const struct value *index);
/* Of a tuple, list or dictionary (item.c). */
const struct value *fe_item(struct fe *f, const struct py *n, const struct value *base, const struct value *index);
/* A region of the container of another view; `dims` of the container, `shape` is copied (view.c). */
struct value *fe_view(struct fe *f, const struct value *base, struct fe_dim *dims, const struct sym **shape,
                      uint32_t rank);
const struct value *fe_transpose(struct fe *f, const struct value *v, const uint32_t *axes);
const struct value *fe_reshape(struct fe *f, const struct py *n, const struct value *v, const struct sym **shape,
                               uint32_t rank);
const struct value *fe_flat(struct fe *f, const struct py *n, const struct value *v); /* all elements in a row */
/* The same bytes as elements of a type of the same size; `v` is plain. */
const struct value *fe_reinterpret(struct fe *f, const struct py *n, const struct value *v, const struct type *t);
const struct value *fe_squeeze(struct fe *f, const struct value *v); /* without dimensions of one */

/* ---- graph (emit.c, copy.c) ---- */
void fe_at(struct fe *f, const struct py *n); /* what is built next comes from here */
void fe_link(struct fe *f, struct block *b);
const char *fe_label(struct fe *f, const char *what); /* "for_12": with the line, and a number if that is taken */
void fe_mark(struct fe *f, struct place *p);
struct state *fe_state(struct fe *f, const char *label);
void fe_join_states(const struct fe *f, struct sdfg *s); /* of a complete graph (join.c) */
struct fe_container *fe_container(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                  uint32_t rank);
/* With strides in elements; NULL: packed. */
struct fe_container *fe_strided(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                const struct sym **strides, uint32_t rank);
/* A stream; `buffer`: how many elements are expected. */
struct fe_container *fe_queues(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                               uint32_t rank, const char *buffer);
const char *fe_use(struct fe *f, struct fe_container *c, bool write); /* its name on this level */
const char *fe_text(struct fe *f, const struct sym *s);
void fe_add_text(struct text *t, const struct sym *s);
const char *fe_shape_text(struct fe *f, const struct sym *const *shape, uint32_t rank);
const char *fe_whole_text(struct fe *f, const struct fe_container *c);
/* "A[i, 0:N]" of a view, without broadcasting. */
const char *fe_region(struct fe *f, const struct value *view, bool write);
/* A node of the container in the state, with what a view shows. */
struct node *fe_access(struct fe *f, struct state *st, struct fe_container *c, bool write);
/* Whether both are elements of one container at the same places, or of containers that share nothing: elementwise
 * operations may read `v` while they write `to`. */
bool fe_same_places(const struct value *a, const struct value *b); /* views: the same elements in the same order */
bool fe_independent(const struct value *to, const struct value *v);
/* Computes `v` into the view `to`; `wcr` NULL: overwrites. */
bool fe_store(struct fe *f, const struct py *n, const struct value *to, const struct value *v, const char *wcr);
/* The value in a container: itself if it is a view already. */
const struct value *fe_materialize(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* A fresh copy, even of a view. */
const struct value *fe_copy(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* The expression with its parts that are broadcast to the shape of the result in containers; NULL: an error. */
const struct value *fe_share_broadcast(struct fe *f, const struct py *n, const struct value *v,
                                       const struct value *result);
/* A tasklet that computes nothing but calls a function: in the code \1 stands for the next of the scalars. */
bool fe_effect(struct fe *f, const char *label, const char *code, uint32_t count, const struct value *const *args);
/* A formatted string: FE_STRING, or FE_FORMAT. */
const struct value *fe_formatted(struct fe *f, const struct py *n);
/* A view that a memlet describes: no array of indices, no new or transposed axis. */
const struct value *fe_plain(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* An integer known at run time as a symbol. */
const struct value *fe_as_symbol(struct fe *f, const struct py *n, const struct value *v);
const struct value *fe_as_size(struct fe *f, const struct py *n,
                               const struct value *v); /* of what may not be negative */
/* Quotients and remainders of symbols (division.c), with Python's values: in code, and in what else a graph computes,
 * where a call may be required to have a dividend that is not negative. NULL with an error. */
const struct sym *fe_code_division(struct fe *f, const struct sym *s);
const struct sym *fe_exact_division(struct fe *f, const struct py *n, const struct sym *s, bool size);
/* What is known about symbols (bounds.c): from the first on, until what comes later is forgotten. */
void fe_know(struct fe *f, const char *name, const struct sym *least, const struct sym *most); /* NULL: no such end */
void fe_know_not_negative(struct fe *f, const struct sym *s);
void fe_know_always(struct fe *f, const struct sym *s); /* is never forgotten */
void fe_learn(struct fe *f, const struct py *condition,
              bool opposite); /* what holds where the condition does, or not */
struct fe_known fe_known(const struct fe *f);
void fe_forget(struct fe *f, struct fe_known known);
bool fe_is_not_negative(struct fe *f, const struct sym *s); /* false: cannot be shown */
bool fe_is_above(struct fe *f, const struct sym *s,
                 int64_t least); /* 0 or above if symbols that are not negative are `least` or above */
/* s, or what clips it; or wraps it, where what is negative counts from the end. */
const struct sym *fe_at_most(struct fe *f, const struct sym *s, const struct sym *most);
const struct sym *fe_at_least_0(struct fe *f, const struct sym *s);
const struct sym *fe_unclipped(struct fe *f, const struct sym *s); /* without what these two have added */
/* The extent of what two operands have in common: the same one, but for what is clipped from slices that may reach
 * beyond their array. Others must be equal in all calls, or it is an error, `said`; NULL: there is none, nothing is
 * said. */
const struct sym *fe_common_extent(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b,
                                   const char *said);
const struct sym *fe_from_end(struct fe *f, const struct sym *s, const struct sym *extent);
bool fe_is_plain(const struct value *v);

#endif
