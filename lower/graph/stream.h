/* Streams as the loop tree sees them: a stream container is memory with one handle (a pointer) for each queue of its
 * shape, what happens to queues are calls of the runtime (runtime/stream.h). */
#ifndef LOWER_STREAM_H
#define LOWER_STREAM_H

#include "lower/graph/lower.h"

/* ---- on the tree (code_stream.c) ---- */

const struct type *stream_handle_type(struct ir *ir);
/* The handle stored at pointer[index]. */
struct tree_expr *stream_handle(struct tree *t, struct tree_expr *pointer, struct tree_expr *index, uint32_t alias);
/* Memory for `count` elements on the stack: the argument of one call. */
struct tree_expr *stream_buffer(struct tree *t, struct tree_stmt *b, const struct type *elem, int64_t count);
/* One element, waited for: its value, or the address of a structure. */
struct tree_expr *stream_pop(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *handle);
/* Appends one element: a value of that type, or the address of a structure. */
void stream_push(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *handle,
                 struct tree_expr *value);
/* var (or NULL) = sdfg_rt_stream_<what>(context, handle, args...) */
struct tree_stmt *stream_call(struct tree *t, struct tree_stmt *b, struct tree_var *result, const char *what,
                              struct tree_expr *handle, struct tree_expr *first, struct tree_expr *second);

/* ---- of the graph (stream.c) ---- */

static inline bool is_stream(const struct container *c) { return c->kind == CONTAINER_STREAM; }
/* Makes the queues of a container at sc->block and ends them at `frees`; b->var gets the handles. */
bool lower_open_stream(struct scope *sc, struct binding *b, struct tree_stmt *frees);
/* The queues a memlet end denotes. The one queue of a stream of one element is meant by every subset. */
bool lower_stream_area(struct scope *sc, const struct place *place, const struct container *c,
                       const struct subset *subset, struct area *out);
/* What a connector of a tasklet stands for: a queue that every mention pops from and every assignment pushes to. */
bool lower_stream_operand(struct scope *sc, const struct place *place, const struct area *a, struct operand *out);
/* A copy with a stream at one end or both. */
bool lower_stream_copy(struct scope *sc, struct edge *e);

/* ---- consume scopes (consume.c) ---- */

/* Does the edge bring what a consume scope has taken from its stream? Then that is the area. */
bool lower_consumed(struct scope *sc, struct edge *e, struct area *out);

#endif
