/* What the files of the code generator share: one compilation and the passes that are not about graphs or trees alone.
 */
#ifndef ENGINE_COMPILE_H
#define ENGINE_COMPILE_H

#include "base/machine.h"
#include "engine/codegen.h"
#include "ir/graph.h"
#include "jit/jit.h"
#include "lower/graph/lower.h"
#include "lower/opt/passes.h"

enum pass_phase { PHASE_ANALYSIS, PHASE_TRANSFORM, PHASE_LOWER, PHASE_CODE };

/* Facts about the program at hand; a pass names those it needs, makes and breaks. */
enum fact {
    FACT_GRAPH = 1 << 0,       /* c->sdfg is read */
    FACT_VALID = 1 << 1,       /* it obeys the rules of the format */
    FACT_TYPES = 1 << 2,       /* every connector and assigned symbol has a type; tasklet code is parsed */
    FACT_TREE = 1 << 3,        /* c->tree holds the lowered program */
    FACT_THREADS = 1 << 4,     /* parallel loops of the tree have become parallel regions */
    FACT_MODULES = 1 << 5,     /* LLVM modules exist */
    FACT_OBJECTS = 1 << 6,     /* machine code exists */
    FACT_CODE = 1 << 7,        /* entry points can be called */
    FACT_TARGET = 1 << 8,      /* c->machine is known */
    FACT_JIT = 1 << 10,        /* LLVM is set up for it */
    FACT_NONTEMPORAL = 1 << 9, /* stores past the caches go by way of blocks */
    FACT_STATEMENTS = 1 << 11, /* what passes found out about statements of the tree (lower/tree/tree_facts.h) */
    FACT_OWN = 1 << 12,        /* the first of those that plug-ins have named (compile_passes.h) */
};

/* What a request says of a pass: nothing, not this one, or this one even if its condition does not hold. */
enum pass_choice { PASS_AS_USUAL, PASS_SKIPPED, PASS_FORCED };

struct fact_names;
struct gpu_build;
struct gpu_code;
struct gpu_text;
struct sdfg_rt_image;

/* One compilation on its way through the pipeline. */
struct compile {
    struct ir *ir;
    struct sdfg *sdfg;
    struct tree *tree;
    struct machine machine; /* that the code is for */
    struct tree_options tree_options;
    const struct targets *targets; /* that lowering asked */
    struct jit *jit;
    struct jit_options jit_options; /* that it was made with */
    struct remarks *places;         /* what lines of the machine code mean, for CODEGEN_EMIT_MAP; else NULL */
    const struct codegen_request *request;
    const struct gpu_text *device_text;
    const struct gpu_code *device_code;
    struct gpu_build *device_build; /* that is under way */
    const char *device_key;         /* of the code, where it is kept */
    const struct sdfg_rt_image *device_image;
    bool quick; /* code is wanted soon rather than fast */
    unsigned facts;
    const struct pass *pass;                           /* the row that runs */
    const struct pass *passes;                         /* all rows, with those of plug-ins */
    const enum pass_choice *choices;                   /* of the request, by row; NULL: all as usual */
    int32_t settings[NUM_SETTINGS];                    /* of the request; 0: as usual */
    struct fact_names *fact_names;                     /* facts of plug-ins */
    struct told *told;                                 /* what passes of plug-ins told of facts (compile_ask.c) */
    unsigned round;                                    /* of the group of passes at hand */
    void (*dump)(struct compile *c, const char *pass); /* called after every pass; decides itself */
    VEC(struct pass_time {
        const char *name;
        double seconds;
        double budget; /* seconds; 0: none */
    })
    times;
};

struct pass {
    const char *name; /* also in dumps, timings, tests */
    enum pass_phase phase;
    bool (*run)(struct compile *c);             /* false: the diagnostics say why */
    unsigned needs, makes, breaks;              /* facts */
    bool (*condition)(const struct compile *c); /* NULL: always */
    /* What a pass over the graph or over the loop tree does (run is pass_graph or pass_tree). */
    bool (*graph)(struct sdfg *s);
    tree_pass *tree;
    unsigned devices; /* enum tree_pass_device: code for which this row is; 0: any */
    const char *text; /* what it does, as lists show it */
    const struct codegen_pass
        *plugin; /* whose it is (run is pass_plugin_graph or pass_plugin_tree); NULL: the library's */
};

extern const struct pass pipeline[]; /* ends with a row without function */

/* What the library's pass of a name does (pipeline.c); tables end with a row without name. */
struct pass_work {
    const char *name;
    bool (*run)(struct compile *c);
    bool (*graph)(struct sdfg *s);
    tree_pass *tree;
    bool (*condition)(const struct compile *c);
};
extern const struct pass_work graph_works[], tree_works[];

/* Runs the table as the request wants it: up to the pass that makes what is asked for. Times, dumps and verifies. */
bool compile_run(struct compile *c);

/* Around everything that uses LLVM (compile_exit.c). False: the process ends, and LLVM must not be used any more. */
bool compile_begin(void);
void compile_end(void);

/* What codegen_api.list tells (list.c). */
bool compile_list(enum sdfg_list_kind what, const struct codegen_added *added, struct arena *a, codegen_rows *out);

/* Is it one of the debug words? */
bool compile_is_word(const char *words, const char *word);

/* ---- passes of compile_pass.c ---- */

bool pass_target(struct compile *c);
bool pass_read(struct compile *c);
bool pass_instrument(struct compile *c);
bool pass_graph(struct compile *c);        /* rows with a function over the graph alone */
bool pass_expand(struct compile *c);       /* compile_expand.c */
bool pass_plugin_graph(struct compile *c); /* compile_plugin_pass.c */
bool pass_plugin_tree(struct compile *c);
/* sdfg_pass_run.ask and tell (compile_ask.c). */
bool compile_ask(struct compile *c, const char *what, sdfg_give *give, void *to);
bool compile_tell(struct compile *c, const char *fact, const char *text, size_t size);
void compile_forget(struct compile *c, unsigned broken); /* what was told of these facts */
bool pass_plugin_is_wanted(const struct compile *c, const struct pass *p);
bool pass_parse_cpp(struct compile *c);
bool pass_lower(struct compile *c);
bool pass_tree(struct compile *c); /* any row of lower/opt/passes.def */
bool pass_tier(struct compile *c);
bool pass_jit(struct compile *c);
bool pass_emit(struct compile *c);
bool pass_target_code(struct compile *c); /* compile_source.c */
bool compile_has_sources(const struct compile *c);
bool pass_machine_code(struct compile *c);
bool pass_link(struct compile *c);

/* ---- compile_device.c ---- */

bool pass_device_text(struct compile *c);
bool pass_device_code(struct compile *c);  /* for text */
bool pass_device_begin(struct compile *c); /* for programs: what there is already, or NVRTC on its thread */
bool pass_device_end(struct compile *c);   /* the image */
bool pass_device_image(struct compile *c); /* ... as machine code of its own */
void device_drop(struct compile *c);       /* waits for NVRTC if a compilation ended in between; any number of times */
/* What the passes made: CUDA C, or what NVRTC made of it. */
const void *device_bytes(const struct compile *c, size_t *size);

#endif
