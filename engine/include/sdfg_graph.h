/* Graphs made in C: what a DSL or a tool of its own needs to have its programs run, without writing JSON.
 *
 *     sdfg_graph *g;
 *     sdfg_graph_new(&g, NULL, "axpy");
 *     sdfg_graph_symbol(g, "N", "int64");
 *     sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "X", "float64", "N");
 *     sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "Y", "float64", "N");
 *     sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "compute");
 *     sdfg_element *x = sdfg_graph_access(s, "X"), *y = sdfg_graph_access(s, "Y");
 *     sdfg_element *m = sdfg_graph_map(s, "elements", "i = 0:N");
 *     sdfg_element *t = sdfg_graph_tasklet(s, "twice", "a", "b", "b = 2 * a");
 *     sdfg_graph_path(SDFG_PATH(x, m, t), "X[i]", NULL, NULL, "a");
 *     sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), y), "Y[i]", NULL, "b", NULL);
 *     sdfg_error *error = sdfg_graph_load(&program, engine, g);
 *
 * Rules of this header, besides those of sdfg.h
 * - A graph and its elements belong to one thread at a time. Elements live as long as the outermost graph.
 * - Functions that make something may be chained: a mistake is kept in the graph, with the path of the element, and
 * sdfg_graph_check and whatever else returns an error tells of all mistakes together. The function then may return
 * NULL, which every other function takes and answers with NULL; that alone is no further mistake.
 * - Symbolic text is Python ("N + 1", "i // 2"); ranges are Python's slices, whose end is exclusive ("0:N", "1:N:2").
 * Lists in one text have ", " between their items; NULL is an empty one. All texts are copied. */
#ifndef SDFG_GRAPH_H
#define SDFG_GRAPH_H

#include "sdfg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sdfg_graph sdfg_graph;     /* an SDFG that is being made: the outermost one, or a nested one */
typedef struct sdfg_element sdfg_element; /* a part of it: container, block, node or edge */

/* ---- graphs ---- */

/* An empty graph. With an engine, members of enumerations that its plug-ins added are known, and the engine takes no
 * further plug-ins; NULL: only those of the format. */
SDFG_API sdfg_error *sdfg_graph_new(sdfg_graph **out, sdfg_engine *e, const char *name);
/* Of an outermost graph, with all that was made in it. Programs that were loaded from it stay. */
SDFG_API void sdfg_graph_free(sdfg_graph *g);
/* An empty graph for sdfg_graph_nested; it is freed with `g`. */
SDFG_API sdfg_graph *sdfg_graph_inner(sdfg_graph *g, const char *name);
/* Fills a graph that is empty from the text of a file: `size` bytes, JSON or gzip, which are copied. The name becomes
 * that of the text. Parts that were read have no handles, but containers are known by their names, and more may be made
 * in the graph. Graphs in other files (ext_sdfg_path) are not read. A text that is wrong is a mistake that is kept,
 * with the path of the element in it; the graph stays empty. */
SDFG_API void sdfg_graph_read(sdfg_graph *g, const char *json, size_t size);
/* All mistakes that were made, or what is wrong by the rules of the format; NULL: the graph is valid. The outermost
 * graph that `g` belongs to is checked. It may be changed and checked again. */
SDFG_API sdfg_error *sdfg_graph_check(sdfg_graph *g);
/* The text of the file (JSON), of a graph that is valid. The caller frees it with sdfg_text_free. `size` may be NULL.
 */
SDFG_API sdfg_error *sdfg_graph_text(char **out, size_t *size, sdfg_graph *g);
SDFG_API sdfg_error *sdfg_graph_save(sdfg_graph *g, const char *path); /* ... into a file */
/* The graph as it is now as a program of an engine. */
SDFG_API sdfg_error *sdfg_graph_load(sdfg_program **out, sdfg_engine *e, sdfg_graph *g);

/* ---- containers, symbols ---- */

enum sdfg_container_kind {
    SDFG_CONTAINER_ARRAY,
    SDFG_CONTAINER_TRANSIENT, /* an array of the program's own */
    SDFG_CONTAINER_SCALAR,
    SDFG_CONTAINER_STREAM, /* of the program's own; `shape` is that of an array of queues, NULL: one */
    SDFG_CONTAINER_VIEW,
    SDFG_CONTAINER_REFERENCE
};

/* `type` is that of the elements, as sdfg_dtype_name has it; `shape` a list of expressions, NULL for a scalar. Arrays
 * are packed, the last dimension is that of neighbours, unless "strides" are set. */
SDFG_API sdfg_element *sdfg_graph_container(sdfg_graph *g, enum sdfg_container_kind kind, const char *name,
                                            const char *type, const char *shape);
/* A container of any kind that files have: structures, arrays of containers, distributed arrays and their process
 * grids, and what the function above makes. `json` is its record in files, {"type": "Structure", "attributes": {...}},
 * as DaCe writes it. Members of structures are accessed as "name.member", also in memlets. */
SDFG_API sdfg_element *sdfg_graph_descriptor(sdfg_graph *g, const char *name, const char *json);
/* `type` is the name of a type, or its record in files (JSON): of a callback, for example. */
SDFG_API void sdfg_graph_symbol(sdfg_graph *g, const char *name, const char *type);
/* `value` is JSON: a number, or nested lists for an array of the given shape (NULL: a scalar). */
SDFG_API void sdfg_graph_constant(sdfg_graph *g, const char *name, const char *type, const char *shape,
                                  const char *value);
/* The order of arguments by position, appended to what is there. */
SDFG_API void sdfg_graph_arguments(sdfg_graph *g, const char *names);

/* Sets what has no parameter here, by its name in files; `value` is a word, a number, "true" or "false", an expression,
 * code, or of enumerations the JSON of a member with attributes. What is marked with * is JSON, written as it is.
 * - containers: storage, lifetime, transient, may_alias, allow_conflicts, optional, pool, alignment, strides, offset,
 *   total_size, start_offset, buffer_size, location*
 * - nodes: in_connectors, out_connectors: {"a": type}, types of connectors that are there, as files have them
 * - maps: schedule, instrument, unroll, unroll_factor, collapse, omp_num_threads, omp_chunk_size, omp_schedule,
 *   gpu_block_size*, gpu_launch_bounds, gpu_min_warps_per_eu, gpu_maxnreg, gpu_force_syncthreads, is_collapsed
 * - consume scopes: schedule, instrument, chunksize, is_collapsed
 * - tasklets: language, instrument, side_effects, code_global, code_init, code_exit, ignored_symbols*, environments*,
 *   location*, state_fields (each time it is set adds one)
 * - access nodes: setzero, instrument, instrument_condition
 * - nested SDFGs: no_inline, instrument, environments*, is_collapsed, location*
 * - library nodes: schedule, implementation, instrument, location*
 * - states: instrument, symbol_instrument, symbol_instrument_condition, nosync, is_collapsed, location*
 * - regions: type ("NamedRegion", "FunctionCallRegion", "UnstructuredControlFlow"), arguments*, is_collapsed
 * - loops: inverted, update_before_condition, unroll, unroll_factor, is_collapsed
 * - the body of an SDFG: instrument, openmp_sections, callback_mapping*, logical_groups*, and global_code, init_code,
 *   exit_code (C++; each time it is set adds a piece)
 * - edges of a state: dynamic, wcr_nonatomic, allow_oob, volume
 * - all of them but transitions: debuginfo, where the user's program has it: "FILE:LINE" or "FILE:LINE:COLUMN", from 1;
 *   errors, profiles and debuggers name it */
SDFG_API void sdfg_graph_set(sdfg_element *e, const char *property, const char *value);

/* ---- control flow: what is in a region runs in the order of its transitions ---- */

SDFG_API sdfg_element *sdfg_graph_body(sdfg_graph *g); /* the region that is the SDFG's own */
SDFG_API sdfg_element *sdfg_graph_state(sdfg_element *region, const char *label);
SDFG_API sdfg_element *sdfg_graph_region(sdfg_element *region, const char *label);
/* A region that repeats: "i", "i = 0", "i < N", "i = i + 1"; a while loop has a condition alone, the rest is NULL. */
SDFG_API sdfg_element *sdfg_graph_loop(sdfg_element *region, const char *label, const char *variable, const char *init,
                                       const char *condition, const char *update);
/* The first branch, a region, whose condition holds; NULL: else. */
SDFG_API sdfg_element *sdfg_graph_conditional(sdfg_element *region, const char *label);
SDFG_API sdfg_element *sdfg_graph_branch(sdfg_element *conditional, const char *condition);

enum sdfg_jump { SDFG_JUMP_BREAK, SDFG_JUMP_CONTINUE, SDFG_JUMP_RETURN };
SDFG_API sdfg_element *sdfg_graph_jump(sdfg_element *region, enum sdfg_jump kind, const char *label);
/* Between two blocks of one region. `condition`: NULL: always; `assignments`: "i = 0; k = A[i] + 1", or NULL. */
SDFG_API sdfg_element *sdfg_graph_transition(sdfg_element *from, sdfg_element *to, const char *condition,
                                             const char *assignments);

/* ---- nodes of a state; `inputs` and `outputs` are lists of connectors ---- */

SDFG_API sdfg_element *sdfg_graph_access(sdfg_element *state, const char *container);
/* `code` is Python, unless "language" is set. */
SDFG_API sdfg_element *sdfg_graph_tasklet(sdfg_element *state, const char *label, const char *inputs,
                                          const char *outputs, const char *code);
/* The entry node; `ranges`: "i = 0:N, j = 0:i + 1:2". */
SDFG_API sdfg_element *sdfg_graph_map(sdfg_element *state, const char *label, const char *ranges);
/* The entry node; `condition` NULL: until the stream is empty. */
SDFG_API sdfg_element *sdfg_graph_consume(sdfg_element *state, const char *label, const char *pe_index,
                                          const char *num_pes, const char *condition);
SDFG_API sdfg_element *sdfg_graph_exit(sdfg_element *entry); /* the other end of a scope */
/* `mapping` gives the symbols of `inner`: "n = N, k = i + 1", or NULL. A graph lies in one node. */
SDFG_API sdfg_element *sdfg_graph_nested(sdfg_element *state, const char *label, sdfg_graph *inner, const char *inputs,
                                         const char *outputs, const char *mapping);
/* `class_path` is the class as files name it; `properties`: a JSON object, or NULL. */
SDFG_API sdfg_element *sdfg_graph_library(sdfg_element *state, const char *label, const char *class_path,
                                          const char *inputs, const char *outputs, const char *properties);

/* ---- edges of a state ---- */

/* `memlet`: "A" (all of it), "A[i, 0:N]", "A[0:4] -> [4:8]" with the region at the other end, or NULL for an edge that
 * only orders. `wcr`: how conflicting writes are combined, "lambda a, b: a + b", or NULL. Connectors that a scope or an
 * access node lacks are added; others must be there. */
SDFG_API sdfg_element *sdfg_graph_edge(sdfg_element *from, const char *from_connector, sdfg_element *to,
                                       const char *to_connector, const char *memlet, const char *wcr);
/* A memlet path from the first node through entry nodes, or exit nodes, to the last: at most 32 nodes. `memlet` is that
 * of the innermost edge; those outside are its union over the iterations. Gives the innermost edge. */
SDFG_API sdfg_element *sdfg_graph_path(sdfg_element *const *nodes, size_t count, const char *memlet, const char *wcr,
                                       const char *from_connector, const char *to_connector);

/* ---- objects that describe themselves as graphs, called in a graph (docs/convertible-objects.md) ---- */

/* An argument as the object sees it; a list of them lives as long as the call of its function. */
typedef struct sdfg_given {
    const char *name;           /* of the object's parameter */
    const char *constant;       /* JSON: a value that is known; NULL: data */
    const char *type;           /* of data: "float64" */
    size_t rank;                /* of the container */
    const char *const *shape;   /* extents of the memlet, expressions in the symbols of the graph around */
    const char *const *strides; /* of the container, in elements */
    int64_t reserved[2];
} sdfg_given;

/* An array that the graph of an object takes besides its arguments; rank 0: a scalar. */
typedef struct sdfg_capture {
    const char *name;        /* of the container in the object's graph */
    const sdfg_array *array; /* as it is now: data, dtype, rank, shape; packed */
    int64_t reserved[2];
} sdfg_capture;

/* An object. Functions return false if they fail; *why then may get a sentence, which is copied. What they give belongs
 * to the object and stays until it is asked again. `user` lives as long as graphs in which the object is called. */
typedef struct sdfg_convertible {
    size_t struct_size; /* set by the caller */
    const char *name;   /* an identifier: of its graph, and in errors */
    void *user;
    /* Names of all parameters in their order, and of those that must be constants; both lists end with NULL, the second
     * one may be NULL. */
    bool (*signature)(void *user, const char *const **names, const char *const **constants, const char **why);
    /* Hears the arguments before the graph is made; NULL: it need not. */
    bool (*resolve)(void *user, const sdfg_given *given, size_t count, const char **why);
    /* Makes the graph for these arguments in `into`, which is empty. Its containers that are no transients have the
     * names of parameters that are data, or of captured arrays, and the strides that `given` tells; its symbols are
     * those of the graph around, or sizes of its own: the shape of a parameter says what they are. It may call other
     * objects.
     */
    bool (*sdfg)(void *user, sdfg_graph *into, const sdfg_given *given, size_t count, const char **why);
    /* What it captures, in the same order each time; NULL: nothing. */
    bool (*closure)(void *user, const sdfg_capture **captures, size_t *count, const char **why);
} sdfg_convertible;

/* An argument of a call, by position. */
typedef struct sdfg_actual {
    const char *memlet;   /* data: "A", "A[1:N]"; or NULL */
    const char *constant; /* JSON of a value that is known; or NULL */
    int64_t reserved[2];
} sdfg_actual;

/* A call of the object in a state, outside of scopes: signature, resolve, sdfg and closure are asked in this order, and
 * the graph lies in a nested SDFG, between access nodes of its own. Calls of one object with the same descriptors and
 * constants in one outermost graph ask for one graph. Captured arrays become arguments of the program, one for each
 * address. The nested SDFG is given. */
SDFG_API sdfg_element *sdfg_graph_call(sdfg_element *state, const sdfg_convertible *object, const sdfg_actual *actuals,
                                       size_t count);
/* The object of this name that a plug-in has registered with the engine, or NULL. It lives as long as the engine. Any
 * thread. */
SDFG_API const sdfg_convertible *sdfg_engine_convertible(sdfg_engine *e, const char *name);
/* Asks the objects of a graph for what they capture now and gives it to a call of its program. */
SDFG_API sdfg_error *sdfg_graph_captures(sdfg_graph *g, sdfg_args *a);

#ifndef __cplusplus
/* The first two arguments of sdfg_graph_path. */
#define SDFG_PATH(...)                                                                                                 \
    ((sdfg_element *const[]){ __VA_ARGS__ }), sizeof((sdfg_element *const[]){ __VA_ARGS__ }) / sizeof(sdfg_element *)
#endif

#ifdef __cplusplus
}
#endif

#endif
