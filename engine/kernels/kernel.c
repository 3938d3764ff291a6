#include "engine/kernels/kernel.h"

#include "base/sized.h"
#include "base/stack.h"
#include "base/text.h"
#include "engine/args/scalar.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/tiers.h"
#include "engine/program/bounds.h"
#include "engine/tune/tune.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

/* Kernels as callers see them, and what else the code generator is asked for. */

bool kernel_bound_values(const struct sdfg_program *p, const sdfg_symbol *symbols, size_t n,
                         struct symbol_value *values, struct report *r)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        int32_t v = program_variable(p, symbols[i].name);
        if (v < 0 || p->variables[v].is_constant)
            ok = diag_error(r->diags, NULL, DIAG_ARGUMENT_UNKNOWN, symbols[i].name,
                            program_suggest(p, r->arena, symbols[i].name));
        else
            values[v] = (struct symbol_value){ .origin = VALUE_GIVEN, .value = symbols[i].value };
    }
    return ok && program_within_limits(p, values, r->diags);
}

struct signature kernel_signature(const struct sdfg_program *p, const struct symbol_value *values, struct arena *a)
{
    sdfg_symbol *bound = NEW_ARRAY(a, sdfg_symbol, p->num_variables);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->num_variables; i++)
        if (values[i].origin == VALUE_GIVEN && p->variables[i].bindable)
            bound[count++] = (sdfg_symbol){ p->variables[i].name, values[i].value };
    bool device = p->engine->cuda_device >= 0 && !p->engine->device_auto;
    return (struct signature){ .bound = bound, .num_bound = count, .device = device };
}

void signature_add_values(struct signature *s, const struct sdfg_program *p, const struct symbol_value *values,
                          struct arena *a)
{
    sdfg_symbol *known = NEW_ARRAY(a, sdfg_symbol, p->num_variables);
    s->values = known;
    s->num_values = 0;
    for (uint32_t i = 0; i < p->num_variables; i++)
        if (values[i].origin != VALUE_UNKNOWN)
            known[s->num_values++] = (sdfg_symbol){ p->variables[i].name, values[i].value };
}

sdfg_error *sdfg_specialize(sdfg_kernel **out, sdfg_program *p, const sdfg_symbol *symbols, size_t n)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    NEEDS_FOR(symbols, n);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = report_begin();
    struct symbol_value *values = NEW_ARRAY(r.arena, struct symbol_value, p->num_variables);
    if (!kernel_bound_values(p, symbols, n, values, &r))
        return report_end(&r, SDFG_STAGE_BIND);
    sdfg_error *error = NULL;
    struct signature s = kernel_signature(p, values, r.arena);
    tune_apply(p, &s, 0);
    *out = kernels_get(p->kernels, &s, NULL, &error);
    if (*out)
        program_hold(p);
    arena_free(r.arena);
    return error;
}

void sdfg_kernel_free(sdfg_kernel *k)
{
    if (!k)
        return;
    struct sdfg_program *p = k->program;
    kernels_release(k);
    program_let_go(p);
}

size_t sdfg_kernel_num_params(const sdfg_kernel *k) { return k ? k->code.num_params : 0; }

const sdfg_param *sdfg_kernel_param(const sdfg_kernel *k, size_t index)
{
    return k && index < k->code.num_params ? &k->params[index] : NULL;
}

/* ---- tiers ---- */

const struct sdfg_kernel *kernel_newest(const struct sdfg_kernel *k)
{
    const struct sdfg_kernel *better = atomic_load_explicit(&k->better, memory_order_acquire);
    return better ? better : k;
}

struct sdfg_kernel *kernel_to_run(struct sdfg_kernel *k)
{
    if (!k->quick)
        return k;
    struct sdfg_kernel *better = atomic_load_explicit(&k->better, memory_order_acquire);
    if (better)
        return better;
    if (k->program->engine->options.tier == SDFG_TIER_AUTO)
        tiers_called(k->program->engine->tiers, k);
    return k;
}

void sdfg_kernel_describe(const sdfg_kernel *k, sdfg_kernel_info *out)
{
    if (!k || !out)
        return;
    k = kernel_newest(k);
    sdfg_kernel_info info = {
        .compile_seconds = k->compile_seconds,
        .code_bytes = k->code.code_bytes,
        .peak_bytes = k->code.peak_bytes,
        .num_phases = k->num_phases,
        .phases = k->phases,
        .num_bound = k->num_bound,
        .bound = k->bound,
        .from_disk = k->from_disk,
        .origin = k->origin,
        .tier = k->quick ? SDFG_TIER_QUICK : SDFG_TIER_FULL,
        .objects = k->objects,
    };
    sized_give(out, &info, sizeof info);
}

/* What persistent memory is kept by: the integers the kernel was made for and those that are passed. */
static void run_values(const struct sdfg_kernel *k, void *const *args, struct symbol_value *values)
{
    const struct sdfg_program *p = k->program;
    for (uint32_t i = 0; i < k->num_bound; i++) {
        int32_t v = program_variable(p, k->bound[i].name);
        values[v] = (struct symbol_value){ .origin = VALUE_GIVEN, .value = k->bound[i].value };
    }
    for (uint32_t i = 0; i < k->code.num_params; i++) {
        int32_t v = k->params[i].by_value ? program_variable(p, k->params[i].name) : -1;
        sdfg_dtype dtype = v < 0 ? SDFG_NONE : sdfg_dtype_by_name(k->params[i].type);
        if (dtype == SDFG_NONE)
            continue;
        struct scalar s = scalar_load(dtype, args[i]);
        if (scalar_integer(&s, &values[v].value))
            values[v].origin = VALUE_GIVEN;
    }
}

/* Of a kernel with persistent memory. */
__attribute__((noinline)) static sdfg_error *run_with_values(sdfg_kernel *k, void *const *args)
{
    GUARDED(error_memory(SDFG_STAGE_RUN));
    struct arena *a = arena_new();
    struct symbol_value *values = NEW_ARRAY(a, struct symbol_value, k->program->num_variables);
    run_values(k, args, values);
    sdfg_error *error = kernel_run(k, args, &(struct run){ .values = values });
    arena_free(a);
    return error;
}

sdfg_error *sdfg_run(sdfg_kernel *k, void *const *args, size_t n)
{
    NEEDS(k);
    if (__builtin_expect(n != k->code.num_params, 0))
        return error_of(SDFG_STAGE_RUN, DIAG_PARAMETER_COUNT, k->code.num_params, (unsigned long long)n);
    NEEDS_FOR(args, n);
    if (kernel_has_state(k))
        return run_with_values(k, args);
    return kernel_run(k, args, &(struct run){ .values = NULL });
}

/* ---- emitting ---- */

/* The graph is read once more: the program's own belongs to all threads and is not touched. */
static sdfg_error *emit_here(const struct sdfg_program *p, char **out, size_t *size)
{
    if (p->written && !p->tree) {
        struct text t = { .data = p->json, .length = p->json_size };
        return give_text(out, &t, size, NULL);
    }
    struct ir *ir = program_ir(p->engine);
    sdfg_error *error = NULL;
    uint32_t external;
    struct sdfg *s =
        p->tree ? sdfg_read_json(ir, p->tree, p->folder, &external) : sdfg_read(ir, p->json, p->json_size, p->folder);
    if (s) {
        struct text t = text_new(ir->arena);
        sdfg_write(s, &t);
        error = give_text(out, &t, size, NULL);
    } else {
        error = error_from_diags(ir->diags, SDFG_STAGE_LOAD);
    }
    ir_free(ir);
    return error;
}

struct emitting {
    const struct sdfg_program *program;
    char **out;
    size_t *size;
    sdfg_error *error;
};

static void emit_now(void *emitting)
{
    struct emitting *e = emitting;
    e->error = emit_here(e->program, e->out, e->size);
}

static sdfg_error *emit_graph(const struct sdfg_program *p, char **out, size_t *size)
{
    struct emitting e = { p, out, size, NULL };
    return stack_call(emit_now, &e) ? e.error : error_stack(SDFG_STAGE_COMPILE);
}

sdfg_error *program_emit(struct sdfg_program *p, const struct signature *s, enum sdfg_emit what, char **out,
                         size_t *size)
{
    static const enum codegen_emit forms[] = {
        [SDFG_EMIT_SDFG] = CODEGEN_EMIT_SDFG,     [SDFG_EMIT_TREE] = CODEGEN_EMIT_TREE,
        [SDFG_EMIT_LL] = CODEGEN_EMIT_LL,         [SDFG_EMIT_LL_OPT] = CODEGEN_EMIT_LL_OPT,
        [SDFG_EMIT_ASM] = CODEGEN_EMIT_ASM,       [SDFG_EMIT_OBJECT] = CODEGEN_EMIT_OBJECT,
        [SDFG_EMIT_WORK] = CODEGEN_EMIT_WORK,     [SDFG_EMIT_REMARKS] = CODEGEN_EMIT_REMARKS,
        [SDFG_EMIT_MEMORY] = CODEGEN_EMIT_MEMORY, [SDFG_EMIT_CUDA] = CODEGEN_EMIT_CUDA,
        [SDFG_EMIT_PTX] = CODEGEN_EMIT_PTX,       [SDFG_EMIT_CUBIN] = CODEGEN_EMIT_CUBIN,
        [SDFG_EMIT_MAP] = CODEGEN_EMIT_MAP,
    };
    if (what == SDFG_EMIT_SDFG)
        return emit_graph(p, out, size);
    if ((unsigned)what < sizeof forms / sizeof *forms)
        return kernels_emit(p, s, forms[what], out, size);
    return error_of(SDFG_STAGE_OPTIONS, DIAG_OPTION_VALUE, "emit", "is one of enum sdfg_emit");
}

sdfg_error *sdfg_program_emit(char **out, size_t *size, sdfg_program *p, enum sdfg_emit what,
                              const sdfg_symbol *symbols, size_t n)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    NEEDS_FOR(symbols, n);
    GUARDED(error_memory(SDFG_STAGE_COMPILE));
    struct report r = report_begin();
    sdfg_error *error = NULL;
    struct symbol_value *values = NEW_ARRAY(r.arena, struct symbol_value, p->num_variables);
    if (kernel_bound_values(p, symbols, n, values, &r)) {
        struct signature s = kernel_signature(p, values, r.arena);
        signature_add_values(&s, p, values, r.arena);
        error = program_emit(p, &s, what, out, size);
    }
    sdfg_error *found = report_end(&r, SDFG_STAGE_BIND);
    return error ? error : found;
}
