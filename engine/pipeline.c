/* The whole compiler, top to bottom. */
#include "engine/compile.h"
#include "lower/clang.h"

static bool wants_code(const struct compile *c) { return c->request->emit == CODEGEN_EMIT_CODE; }

static bool wants_modules(const struct compile *c)
{
    return c->request->emit != CODEGEN_EMIT_SDFG && c->request->emit != CODEGEN_EMIT_TREE;
}

static bool wants_tree(const struct compile *c) { return c->request->emit != CODEGEN_EMIT_SDFG; }

static bool wants_cpp(const struct compile *c) { return wants_tree(c) && clang_has_work(c->sdfg); }

const struct pass pipeline[] = {
    /* name          phase             run                 needs                       makes         breaks  condition
     */
    { "read", PHASE_ANALYSIS, pass_read, 0, FACT_GRAPH, 0, NULL },
    { "validate", PHASE_ANALYSIS, pass_validate, FACT_GRAPH, FACT_VALID, 0, NULL },
    /* types before anything that looks at code: outputs into other tasklets take the type of the code */
    { "infer-types", PHASE_ANALYSIS, pass_infer_types, FACT_VALID, FACT_TYPES, 0, wants_tree },
    /* C++ behind types: connectors are the parameters of the functions that libclang reads */
    { "parse-cpp", PHASE_ANALYSIS, pass_parse_cpp, FACT_TYPES, 0, 0, wants_cpp },
    { "lower", PHASE_LOWER, pass_lower, FACT_VALID | FACT_TYPES, FACT_TREE, 0, wants_tree },
    /* pointers that stand for others go first, so that equal places look equal */
    { "forward", PHASE_LOWER, pass_forward, FACT_TREE, 0, 0, wants_tree },
    { "reuse", PHASE_LOWER, pass_reuse, FACT_TREE, 0, 0, wants_tree },
    { "loops", PHASE_LOWER, pass_loops, FACT_TREE, 0, 0, wants_tree },
    /* pointers that follow a counter are fixed in one iteration now */
    { "forward-in", PHASE_LOWER, pass_forward, FACT_TREE, 0, 0, wants_tree },
    { "fuse", PHASE_LOWER, pass_fuse, FACT_TREE, 0, 0, wants_tree },
    { "interchange", PHASE_LOWER, pass_interchange, FACT_TREE, 0, 0, wants_tree },
    { "fuse-again", PHASE_LOWER, pass_fuse, FACT_TREE, 0, 0, wants_tree },
    /* what was carried through memory from loop to loop is now in one body */
    { "reuse-fused", PHASE_LOWER, pass_reuse, FACT_TREE, 0, 0, wants_tree },
    { "dead", PHASE_LOWER, pass_dead, FACT_TREE, 0, 0, wants_tree },
    { "shrink", PHASE_LOWER, pass_shrink, FACT_TREE, 0, 0, wants_tree },
    /* also without threads: it settles which reductions need atomics, which the accumulators then rely on */
    { "parallelize", PHASE_LOWER, pass_parallelize, FACT_TREE, FACT_THREADS, 0, wants_tree },
    { "privatize", PHASE_LOWER, pass_privatize, FACT_TREE | FACT_THREADS, 0, 0, wants_tree },
    /* accumulators are new values to know */
    { "reuse-sums", PHASE_LOWER, pass_reuse, FACT_TREE, 0, 0, wants_tree },
    { "dead-sums", PHASE_LOWER, pass_dead, FACT_TREE, 0, 0, wants_tree },
    { "independent", PHASE_LOWER, pass_independent, FACT_TREE, 0, 0, wants_tree },
    { "target", PHASE_CODE, pass_target, FACT_TREE, FACT_TARGET, 0, wants_modules },
    { "emit", PHASE_CODE, pass_emit, FACT_TREE | FACT_TARGET, FACT_MODULES, 0, wants_modules },
    { "llvm", PHASE_CODE, pass_machine_code, FACT_MODULES, FACT_OBJECTS, FACT_MODULES, wants_code },
    { "link", PHASE_CODE, pass_link, FACT_OBJECTS, FACT_CODE, 0, wants_code },
    { NULL, PHASE_CODE, NULL, 0, 0, 0, NULL },
};
