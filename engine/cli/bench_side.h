/* One build of a program that takes part in a comparison, and what was measured of it. */
#ifndef ENGINE_CLI_BENCH_SIDE_H
#define ENGINE_CLI_BENCH_SIDE_H

#include "base/arena.h"
#include "base/sample.h"
#include "engine/cli/bench_code.h"
#include "engine/cli/inputs.h"
#include "engine/cli/workspace.h"

enum side_kind {
    SIDE_JIT,     /* compiled in memory for the sizes at hand */
    SIDE_GENERIC, /* compiled in memory for all sizes */
    SIDE_AOT,     /* the code for all sizes, compiled before and read from a file */
    SIDE_C,       /* a C file and the system's compiler */
    SIDE_DACE     /* DaCe's own build */
};

/* The first call of a fresh process, in seconds. */
struct cold {
    double load; /* the program, or the shared library */
    double make; /* compiling, or reading code from disk */
    double first;
};

/* How calls are timed; the index of `calls`. */
enum call_kind { CALL_WARM /* sdfg_call: arguments are looked up */, CALL_BOUND /* nothing is */, NUM_CALL_KINDS };

struct side {
    enum side_kind kind;
    const char *name; /* "jit", "aot", "c:axpy.c" */
    const char *file; /* of SIDE_C */
    const struct command *command;
    const char *cache;   /* folder for the code of SIDE_AOT */
    const char *library; /* shared object of SIDE_C and SIDE_DACE */
    double ahead;        /* seconds spent before the first process; 0 for the others */
    char note[256];      /* what a reader must know, or "" */

    sdfg_engine *engine; /* open: */
    struct inputs in;
    struct workspaces workspaces;
    sdfg_bound *bound;
    struct bench_code code;
    void **initial; /* what each array of `in` held at first */

    struct cold *colds;
    struct samples cold, calls[NUM_CALL_KINDS];
    struct samples ratios; /* of bound calls to those of the first side in the same round */
};

/* 0 or an exit code, after a message. Released with side_close in any case. With `c`, says how long that took. */
int side_open(struct side *s, struct cold *c);
void side_close(struct side *s);
/* Arrays as they were at first. */
void side_reset(struct side *s);
int side_call(struct side *s, enum call_kind how);
bool side_is_sdfg(const struct side *s);

#endif
