/* Passes and the driver that runs them. A pass is a function and a row in engine/pipeline.c (lower/pass/passes.def for
 * those over the loop tree); the driver times, dumps and verifies. */
#ifndef IR_PASS_H
#define IR_PASS_H

#include "ir/graph.h"

enum pass_phase { PHASE_ANALYSIS, PHASE_TRANSFORM, PHASE_LOWER, PHASE_CODE };

/* Facts about the program at hand; a pass names those it needs, makes and breaks. */
enum fact {
    FACT_GRAPH = 1 << 0,   /* c->sdfg is read */
    FACT_VALID = 1 << 1,   /* it obeys the rules of the format */
    FACT_TYPES = 1 << 2,   /* every connector and assigned symbol has a type; tasklet code is parsed */
    FACT_TREE = 1 << 3,    /* c->tree holds the lowered program */
    FACT_THREADS = 1 << 4, /* parallel loops of the tree have become parallel regions */
    FACT_MODULES = 1 << 5, /* LLVM modules exist */
    FACT_OBJECTS = 1 << 6, /* machine code exists */
    FACT_CODE = 1 << 7,    /* entry points can be called */
    FACT_TARGET = 1 << 8,  /* LLVM knows the machine */
};

struct tree;
struct tree_options;
struct jit;
struct codegen_request;

/* One compilation on its way through the pipeline. */
struct compile {
    struct ir *ir;
    struct sdfg *sdfg;
    struct tree *tree;
    struct jit *jit;
    const struct codegen_request *request;
    unsigned facts;
    const struct pass *pass;                           /* the row that runs */
    void (*dump)(struct compile *c, const char *pass); /* called after every pass; decides itself */
    bool (*verify)(struct compile *c, const char *pass);
    VEC(struct pass_time {
        const char *name;
        double seconds;
    })
    times;
};

struct pass {
    const char *name; /* also in dumps, timings, tests */
    enum pass_phase phase;
    bool (*run)(struct compile *c);                             /* false: the diagnostics say why */
    unsigned needs, makes, breaks;                              /* facts */
    bool (*condition)(const struct compile *c);                 /* NULL: always */
    bool (*tree)(struct tree *t, const struct tree_options *o); /* what a pass over the loop tree does */
};

/* Runs the rows up to the one with run == NULL. */
bool run_passes(struct compile *c, const struct pass *first);

/* ---- graph passes: ir/passes/<name>.c ---- */

bool pass_validate(struct compile *c);
bool pass_infer_types(struct compile *c);

#endif
