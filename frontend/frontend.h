/* Python programs as SDFGs: `@dace.program` functions over NumPy, read from a file without a Python process.
 *
 * A module is evaluated (module.c), the function that is asked for is lowered statement by statement (stmt.c, loop.c):
 * the evaluator (eval.c) computes what is known at compile time and gives values of three kinds for the rest: views of
 * containers, symbolic integers, and elementwise expressions that no graph holds yet. An assignment, a call or a return
 * turns an expression into one map with one tasklet (emit.c). Each has a state of its own; when the graph is complete,
 * neighbours become one where the dataflow keeps their order (join.c).
 *
 * What names outside the program mean comes through `struct fe_host`; the one of this folder is the file with the known
 * modules (module.c). Everything lives in the arena of `ir`; mistakes are recorded in ir->diags with the source line
 * and a caret. One compilation belongs to one thread. */
#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "ir/graph.h"

#include "base/vec.h"

/* A parameter's type given from outside, for one without annotation: "float64[100, N]". */
struct frontend_type {
    const char *name, *type;
};

struct frontend_options {
    const struct frontend_type *types;
    uint32_t num_types;
    bool drop_assertions; /* those on data, which are refused otherwise */
    bool no_warnings;     /* where `@dace.program` means something else than NumPy */
    bool trust_indices;   /* that are known at run time only: they do not count from the end */
};
/* From a text: "assert=drop; index=trust; A=float64[100, N]". False: *wrong is what cannot be read. */
bool frontend_read_options(struct arena *a, const char *text, struct frontend_options *out, const char **wrong);

/* A file that the graph depends on besides the program's: one that it imports, or (`bytes` NULL) one that was looked
 * for and is not there. */
struct frontend_file {
    const char *path, *bytes;
    size_t size;
};
struct frontend_imports {
    VEC(struct frontend_file) files; /* in the arena of `ir` */
};

/* The graph of `function` of the Python file at `path` (its text: `source`, `size` bytes); `function` NULL: the only
 * program of the file. NULL on failure. `options` and `imports` may be NULL. */
struct sdfg *frontend_program(struct ir *ir, const char *path, const char *source, size_t size, const char *function,
                              const struct frontend_options *options, struct frontend_imports *imports);

/* Rows of functions.def that programs may call: "numpy.sum"; NULL if out of range. */
const char *frontend_function_name(uint32_t index);

struct sdfg_host; /* engine/include/sdfg.h */

/* One answer of a live host (sdfg_guard). */
struct frontend_guard {
    const char *path, *argument, *value;
    int kind;
    uint64_t id;
};
/* What there is to know of a live function besides its graph, in the arena of `ir`. */
struct frontend_found {
    VEC(struct frontend_guard) guards;
    VEC(bool) numbers; /* per result: a single number */
    VEC(bool) objects; /* per result: the number of an object */
    bool tuple;        /* the results are a tuple */
};

/* The graph of a function of a live interpreter, which `host` is asked about. NULL on failure. */
struct sdfg *frontend_live(struct ir *ir, const struct sdfg_host *host, uint64_t function,
                           struct frontend_found *found);

#endif
