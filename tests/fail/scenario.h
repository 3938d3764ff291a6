/* What fail-api does while allocations fail (tests/fail/api.c): each function of the public headers is among it. */
#ifndef TESTS_FAIL_SCENARIO_H
#define TESTS_FAIL_SCENARIO_H

#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"

enum { LENGTH = 16 };

/* What a scenario has in hand; freed behind it. */
struct state {
    const char *file, *cache;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    sdfg_bound *bound;
    sdfg_kernel *kernel;
    sdfg_stream *stream;
    bool done; /* what cannot be done twice */
    double x[LENGTH], y[LENGTH];
};

struct scenario {
    const char *name;
    void (*prepare)(struct state *s);
    sdfg_error *(*work)(struct state *s);
    bool llvm;  /* what LLVM had in use may stay behind */
    bool first; /* LLVM was not used before: if it fails then, it is not used again */
};

/* Lists end with a scenario without a name. */
extern const struct scenario call_scenarios[], setting_scenarios[], graph_scenarios[];

void must(sdfg_error *e); /* ends the process for an error */
/* Ends this process, so that counts of what ran (scripts/coverage.sh) are written. */
_Noreturn void leave(int status);

/* Of tests/fail/calls.c. */
sdfg_error *make_args(struct state *s);
sdfg_error *run_call(struct state *s);
void prepare_engine(struct state *s);
void prepare_program(struct state *s);
void prepare_args(struct state *s);
void prepare_call(struct state *s);

#endif
