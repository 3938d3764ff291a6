/* The whole compiler, top to bottom: what turns a program from one form into the next. Passes that keep its form are
 * registered (engine/builtin/passes.c): those over the graph stand in front of "infer-types", those over the tree in
 * front of "tier". */
#include "engine/compile/compile.h"
#include "gpu/emit.h"
#include "ir/code/clang/clang.h"
#include "ir/passes/passes.h"

static bool wants_code(const struct compile *c) { return c->request->emit == CODEGEN_EMIT_CODE; }

static bool wants_modules(const struct compile *c)
{
    enum codegen_emit emit = c->request->emit;
    return emit != CODEGEN_EMIT_SDFG && emit != CODEGEN_EMIT_TREE && emit != CODEGEN_EMIT_WORK &&
           emit != CODEGEN_EMIT_MEMORY && emit < CODEGEN_EMIT_CUDA;
}

static bool wants_device_text(const struct compile *c)
{
    return c->request->emit >= CODEGEN_EMIT_CUDA || (c->request->device && wants_modules(c));
}

static bool wants_device_code(const struct compile *c) { return c->request->emit > CODEGEN_EMIT_CUDA; }

static bool has_kernels(const struct compile *c) { return c->device_text && c->device_text->num_kernels; }

static bool wants_image(const struct compile *c) { return wants_code(c) && has_kernels(c); }

/* It is data of the one object. */
static bool wants_object_image(const struct compile *c)
{
    return c->request->emit == CODEGEN_EMIT_OBJECT && has_kernels(c);
}

static bool wants_device_build(const struct compile *c) { return wants_image(c) || wants_object_image(c); }

static bool wants_tree(const struct compile *c) { return c->request->emit != CODEGEN_EMIT_SDFG; }

/* Work is counted while loops still say that they are parallel. */
static bool wants_threads(const struct compile *c) { return wants_tree(c) && c->request->emit != CODEGEN_EMIT_WORK; }

static bool wants_tier(const struct compile *c) { return wants_modules(c) && c->request->tier != SDFG_TIER_FULL; }

static bool wants_target_code(const struct compile *c) { return wants_modules(c) && compile_has_sources(c); }

static bool wants_validation(const struct compile *c) { return !(c->facts & FACT_VALID); }

static bool wants_expansion(const struct compile *c) { return wants_tree(c) && c->request->num_expansions; }

static bool wants_defaults(const struct compile *c)
{
    const enum_members *members = c->request->members;
    return wants_tree(c) && members && members->count;
}

/* Of transformations, which somebody has to name. */
static bool never(const struct compile *c)
{
    (void)c;
    return false;
}

static bool wants_instrument(const struct compile *c) { return c->request->instrument; }

static bool wants_cpp(const struct compile *c) { return wants_tree(c) && clang_has_work(c->sdfg); }

/* ---- the work of passes that are registered ---- */

const struct pass_work graph_works[] = {
#define GRAPH_PASS(name, run, function, condition, text) { name, run, function, NULL, condition },
#include "ir/passes/passes.def"
    { NULL, NULL, NULL, NULL, NULL },
};

const struct pass_work tree_works[] = {
#define TREE_PASS(name, function, device, needs, makes, breaks, text)                                                  \
    { name, pass_tree, NULL, function, (makes) | (needs) ? wants_threads : wants_tree },
#include "lower/opt/passes.def"
    { NULL, NULL, NULL, NULL, NULL },
};

/* ---- the rest ---- */

const struct pass pipeline[] = {
    /* name, phase, function, facts it needs, makes and breaks, condition, function over the graph or the tree, code
     * for which it is (0: any), what it does, whose it is */
    { "target", PHASE_ANALYSIS, pass_target, 0, FACT_TARGET, 0, NULL, NULL, NULL, 0,
      "the machine that the code is for is looked up", NULL },
    { "read", PHASE_ANALYSIS, pass_read, 0, FACT_GRAPH, 0, NULL, NULL, NULL, 0, "the file becomes a graph", NULL },
    { "validate", PHASE_ANALYSIS, pass_graph, FACT_GRAPH, FACT_VALID, 0, wants_validation, sdfg_validate, NULL, 0,
      "the rules of the format are checked", NULL },
    /* types before anything that looks at code: outputs into other tasklets take the type of the code */
    { "infer-types", PHASE_ANALYSIS, pass_graph, FACT_VALID, FACT_TYPES, 0, wants_tree, sdfg_infer_types, NULL, 0,
      "connectors and assigned symbols get types, tasklets are parsed", NULL },
    /* C++ behind types: connectors are the parameters of the functions that libclang reads */
    { "parse-cpp", PHASE_ANALYSIS, pass_parse_cpp, FACT_TYPES, 0, 0, wants_cpp, NULL, NULL, 0,
      "tasklets in C++ are parsed", NULL },
    { "lower", PHASE_LOWER, pass_lower, FACT_VALID | FACT_TYPES | FACT_TARGET, FACT_TREE, 0, wants_tree, NULL, NULL, 0,
      "the graph becomes a loop tree: targets lower maps and memory, operations their library nodes", NULL },
    /* behind the passes over the tree: both tiers run them, they cost little and leave less to compile */
    { "tier", PHASE_CODE, pass_tier, FACT_TREE, 0, 0, wants_tier, NULL, NULL, 0,
      "decides between quick and optimized code", NULL },
    { "cuda", PHASE_CODE, pass_device_text, FACT_TREE, 0, 0, wants_device_text, NULL, NULL, TREE_PASS_GPU,
      "kernels become CUDA C", NULL },
    { "nvrtc", PHASE_CODE, pass_device_code, FACT_TREE, 0, 0, wants_device_code, NULL, NULL, TREE_PASS_GPU,
      "NVRTC compiles CUDA C to PTX or machine code", NULL },
    { "nvrtc-begin", PHASE_CODE, pass_device_begin, FACT_TREE, 0, 0, wants_device_build, NULL, NULL, TREE_PASS_GPU,
      "NVRTC begins to compile the kernels, on a thread of its own", NULL },
    { "jit", PHASE_CODE, pass_jit, FACT_TARGET, FACT_JIT, 0, wants_modules, NULL, NULL, 0,
      "LLVM is set up for the machine", NULL },
    { "nvrtc-object", PHASE_CODE, pass_device_end, FACT_TREE, 0, 0, wants_object_image, NULL, NULL, TREE_PASS_GPU,
      "waits for NVRTC; its code becomes data of the object", NULL },
    { "emit", PHASE_CODE, pass_emit, FACT_TREE | FACT_JIT, FACT_MODULES, 0, wants_modules, NULL, NULL, 0,
      "the tree becomes LLVM IR", NULL },
    { "target-code", PHASE_CODE, pass_target_code, FACT_MODULES, 0, 0, wants_target_code, NULL, NULL, 0,
      "what targets of plug-ins wrote in languages of their own is compiled", NULL },
    { "llvm", PHASE_CODE, pass_machine_code, FACT_MODULES, FACT_OBJECTS, FACT_MODULES, wants_code, NULL, NULL, 0,
      "LLVM optimizes and makes machine code", NULL },
    { "nvrtc-end", PHASE_CODE, pass_device_image, FACT_OBJECTS, 0, 0, wants_image, NULL, NULL, TREE_PASS_GPU,
      "waits for NVRTC; its code becomes an image beside the machine code", NULL },
    { "link", PHASE_CODE, pass_link, FACT_OBJECTS, FACT_CODE, 0, wants_code, NULL, NULL, 0,
      "machine code is put into memory", NULL },
    { NULL, PHASE_CODE, NULL, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL },
};
