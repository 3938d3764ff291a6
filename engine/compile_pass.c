/* Passes that connect the folders: reading, lowering, emitting, machine code. */
#include "engine/compile.h"
#include "lower/clang/clang.h"
#include "lower/llvm/llvm.h"

#include <string.h>

bool pass_read(struct compile *c)
{
    c->sdfg = sdfg_read(c->ir, c->request->json, c->request->json_size, c->request->folder);
    return c->sdfg != NULL;
}

bool pass_parse_cpp(struct compile *c) { return clang_read_tasklets(c->sdfg); }

bool pass_lower(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct lower_bound *bound = NEW_ARRAY(c->ir->arena, struct lower_bound, r->num_bound + 1);
    for (uint32_t i = 0; i < r->num_bound; i++)
        bound[i] = (struct lower_bound){ r->bound[i].name, r->bound[i].value };
    struct lower_options *o = NEW(c->ir->arena, struct lower_options);
    *o = (struct lower_options){
        .bound = bound,
        .num_bound = r->num_bound,
        .may_alias = r->may_alias,
        .num_may_alias = r->num_may_alias,
        .node_classes = r->node_classes,
        .num_node_classes = r->num_node_classes,
        .alignment = r->alignment,
        .no_threads = r->num_threads == 1,
    };
    return lower_program(c->sdfg, o, &c->tree);
}

bool pass_tree(struct compile *c)
{
    struct tree_options o = {
        .num_threads = c->request->num_threads,
        .strict_fp = c->request->fp == CODEGEN_FP_STRICT,
    };
    return c->pass->tree(c->tree, &o);
}

static LLVMModuleRef new_module(void *user, const char *name) { return jit_module(user, name); }

static void decorate(void *user, LLVMValueRef function) { jit_function_attributes(user, function); }

bool pass_target(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct jit_options jo = {
        .opt_level = r->opt_level,
        .debug_info = r->debug_info,
        .linker = (enum jit_linker)r->linker,
        .listeners = r->profiler,
        .runtime_symbol = r->runtime_symbol,
    };
    c->jit = jit_new(c->ir->arena, c->ir->diags, &jo);
    return c->jit != NULL;
}

enum { STATEMENTS_PER_UNIT = 1500 }; /* larger programs are compiled as several modules on several threads */

bool pass_emit(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct llvm_options lo = {
        .fp = r->fp == CODEGEN_FP_STRICT ? LLVM_FP_STRICT
              : r->fp == CODEGEN_FP_FAST ? LLVM_FP_FAST
                                         : LLVM_FP_DEFAULT,
        .debug_info = r->debug_info,
        /* up to 4 units in the last place: not for strict arithmetic, nor for objects that are linked elsewhere */
        .vector_symbol = r->fp != CODEGEN_FP_STRICT && r->emit == CODEGEN_EMIT_CODE ? r->runtime_symbol : NULL,
        .unit_budget = r->emit == CODEGEN_EMIT_CODE ? STATEMENTS_PER_UNIT : 0,
        .module = new_module,
        .decorate = decorate,
        .user = c->jit,
    };
    return llvm_emit(c->tree, c->ir->diags, &lo);
}

bool pass_machine_code(struct compile *c) { return jit_compile(c->jit); }

bool pass_link(struct compile *c) { return jit_link(c->jit); }
