/* Building an SDFG in C. The result is the graph that reading the equivalent file gives.
 *
 *     struct sdfg *s = build_sdfg(ir, "axpy");
 *     build_symbol(s, "N", "int64");
 *     build_array(s, "X", "float64", "N");
 *     ...
 *     struct state *st = build_state(&s->region, "compute");
 *     struct access *x = build_access(st, "X"), *y = build_access(st, "Y");
 *     struct map_entry *m = build_map(st, "axpy", "i = 0:N");
 *     struct tasklet *t = build_tasklet(st, "multiply_add", "a, b", "c", "c = alpha * a + b");
 *     build_path("X[i]", NULL, NULL, "a", &x->node, &m->node, &t->node, NULL);
 *     build_path("Y[i]", NULL, "c", NULL, &t->node, m->exit, &y->node, NULL);
 *     if (!build_finish(s)) ... ir->diags says why
 *
 * No call returns NULL: mistakes are recorded in ir->diags, so that calls can be chained, and build_finish tells.
 * Symbolic text is Python ("N + 1", "i // 2"); ranges are Python slices, whose end is exclusive. Lists in one text are
 * separated by commas. Fields that have no parameter here (storage, schedule, lifetime, ...) may be set in the returned
 * structs before build_finish. */
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/graph.h"

struct sdfg *build_sdfg(struct ir *ir, const char *name);
/* Resolves scopes, start blocks and memlet ends of this SDFG and all nested ones. False if ir->diags holds errors. */
bool build_finish(struct sdfg *s);

/* ---- tables ---- */

struct container *build_array(struct sdfg *s, const char *name, const char *type, const char *shape);
struct container *build_transient(struct sdfg *s, const char *name, const char *type, const char *shape);
struct container *build_scalar(struct sdfg *s, const char *name, const char *type);
/* Transients; several queues have a shape. */
struct container *build_stream(struct sdfg *s, const char *name, const char *type, const char *buffer_size);
struct container *build_streams(struct sdfg *s, const char *name, const char *type, const char *shape,
                                const char *buffer_size);
struct container *build_view(struct sdfg *s, const char *name, const char *type, const char *shape);
struct container *build_reference(struct sdfg *s, const char *name, const char *type, const char *shape);
/* Distributed data (format.md: ProcessGrid, SubArray, RedistrArray), transients. A grid of the first processes; a part
 * of one, in which the dimensions with keeps[i] stay, on all processes or (`exact` not NULL) on the part that has this
 * rank of the parent; an array in blocks on a grid, `along[i]` is the grid's dimension of dimension i; and how to come
 * from one such array to another. */
struct container *build_grid(struct sdfg *s, const char *name, const char *shape);
struct container *build_subgrid(struct sdfg *s, const char *name, const char *parent, const int64_t *keeps,
                                uint32_t count, const char *exact);
struct container *build_subarray(struct sdfg *s, const char *name, const char *type, const char *shape,
                                 const char *block, const char *grid, const int64_t *along, uint32_t count);
struct container *build_redistribution(struct sdfg *s, const char *name, const char *from, const char *to);
/* Of any kind, from its record in files (format.md: descriptors); NULL after a mistake. */
struct container *build_descriptor(struct sdfg *s, const char *name, const char *json);
void build_strides(struct sdfg *s, struct container *c, const char *strides); /* total size is adapted */
void build_offset(struct sdfg *s, struct container *c, const char *offset);
void build_symbol(struct sdfg *s, const char *name, const char *type);          /* a name, or the record of files */
void build_callback(struct sdfg *s, const char *name, const struct type *type); /* a symbol that is a function */
/* `value` is JSON: a number, or nested lists for an array with the given shape (NULL: a scalar). */
void build_constant(struct sdfg *s, const char *name, const char *type, const char *shape, const char *value);
/* C++ that stands in front of the code that DaCe makes; added once. */
void build_global_code(struct sdfg *s, const char *text);
void build_arguments(struct sdfg *s, const char *names); /* positional order */

/* ---- control flow ---- */

struct state *build_state(struct region *in, const char *label);
struct region *build_region(struct region *in, const char *label);
/* `variable`, `init` and `update` are NULL for a while loop. */
struct loop *build_loop(struct region *in, const char *label, const char *variable, const char *init,
                        const char *condition, const char *update);
struct conditional *build_conditional(struct region *in, const char *label);
struct region *build_branch(struct conditional *c, const char *condition); /* NULL: else */
/* `kind`: BLOCK_BREAK, BLOCK_CONTINUE or BLOCK_RETURN. */
struct block *build_jump(struct region *in, enum block_kind kind, const char *label);
/* `condition` NULL: always. `assignments`: "i = 0; k = A[i] + 1", or NULL. */
struct transition *build_transition(struct block *from, struct block *to, const char *condition,
                                    const char *assignments);

/* ---- nodes; connectors are lists of names ---- */

struct access *build_access(struct state *st, const char *name);
struct tasklet *build_tasklet(struct state *st, const char *label, const char *inputs, const char *outputs,
                              const char *code);
struct map_entry *build_map(struct state *st, const char *label, const char *ranges); /* "i = 0:N, j = 0:i + 1:2" */
struct consume_entry *build_consume(struct state *st, const char *label, const char *pe_index, const char *num_pes,
                                    const char *condition);
/* `mapping` gives the inner symbols: "n = N, k = i + 1", or NULL. One SDFG lies in one node. */
struct nested *build_nested(struct state *st, const char *label, struct sdfg *inner, const char *inputs,
                            const char *outputs, const char *mapping);
/* `attributes` is a JSON object with the properties of the class, or NULL. */
struct library *build_library(struct state *st, const char *label, const char *classpath, const char *inputs,
                              const char *outputs, const char *attributes);

/* ---- edges ---- */

/* `memlet`: "A" (all of it), "A[i, 0:N]", "A[0:4] -> [4:8]" with the region at the other end, or NULL for an edge that
 * only orders. `wcr` is a lambda or NULL. Connectors that a scope or access node lacks are added; others must exist. */
struct edge *build_edge(struct node *src, const char *src_conn, struct node *dst, const char *dst_conn,
                        const char *memlet, const char *wcr);
/* A memlet path from the first node through entry or exit nodes to the last; the list ends with NULL. `memlet` is that
 * of the innermost edge; those outside are its union over the iterations. Paths of the same data between the same ends
 * share the connectors of the scopes they pass. Gives the innermost edge. */
struct edge *build_path(const char *memlet, const char *wcr, const char *src_conn, const char *dst_conn,
                        struct node *first, ...) __attribute__((sentinel));
/* The same with the nodes in an array: 2 to BUILD_PATH of them, of which all but the first and the last are entry
 * nodes, then exit nodes. */
enum { BUILD_PATH = 32 };
struct edge *build_route(struct node *const *nodes, uint32_t count, const char *src_conn, const char *dst_conn,
                         const char *memlet, const char *wcr);

/* ---- what the parts of the builder share ---- */

typedef VEC(const char *) build_list;

struct container *build_container(struct sdfg *s, enum container_kind kind, const char *name, const char *type,
                                  const char *shape);
const struct sym **build_syms(struct sdfg *s, const struct container *c, const char *list, uint32_t *count);
/* The parts of `text` between separators outside brackets, without blanks around them. NULL or blank: none. */
void build_split(struct ir *ir, const char *text, char separator, build_list *out);
const struct sym *build_sym(struct ir *ir, const struct place *at, const char *text); /* 0 after a mistake */
const struct type *build_type(struct ir *ir, const struct place *at, const char *name);
struct range build_range(struct ir *ir, const struct place *at, const char *slice);
void build_memlet(struct edge *e, const char *text, const char *wcr);
/* The union of a memlet inside a map over its iterations. */
void build_propagate(struct ir *ir, const struct memlet *inside, const struct map_entry *m, struct memlet *out);

#endif
