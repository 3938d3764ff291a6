/* Threads of a block, for code that names them or in which they meet (semantics.md 8.3). */
#ifndef LOWER_GRAPH_THREADS_H
#define LOWER_GRAPH_THREADS_H

#include "lower/graph/lower.h"

struct allocation;

/* Splits the loops of the threads, the last statement of `block`, where threads wait for each other in `body`, the
 * innermost block. */
bool lower_split_threads(struct lower *lw, struct tree_stmt *block, struct tree_stmt *body);

/* The value of threadIdx.x and the like where `sc` is; kind NONE for other names and outside of kernels. */
bool lower_thread_operand(struct scope *sc, const struct place *place, const char *name, struct operand *out);

/* Registers of a kernel that its thread-block maps write: each thread has its own, and code that is not run by the
 * threads sees those of thread 0. */
bool lower_is_per_thread(const struct scope *sc, const struct container *c);
bool lower_parts_per_thread(struct scope *sc, struct allocation *a); /* makes room for one part per thread */
bool lower_enter_threads_of_block(struct scope *inside);
void lower_leave_threads_of_block(const struct scope *inside);

/* A tasklet beside the thread-block maps of a kernel that asks for its thread is run by all of them: opens loops, and
 * makes `inside` the scope in them. False if it is an ordinary one. (lower_leave_threads_of_block follows.) */
bool lower_is_for_threads(struct scope *sc, const struct tasklet *t);
bool lower_enter_block(struct scope *sc, const struct place *place, struct scope *inside);

#endif
