#include "lower/llvm/llvm_emit.h"

#include <string.h>

enum { LARGEST_VSCALE = 16 }; /* 2048 bits */

/* ---- diagnostics ---- */

bool llvm_unsupported(struct llvm_func *f, const struct type *t)
{
    return diag_error(f->emitter->diags, f->place, DIAG_LLVM_TYPE, type_text(f->emitter->tree->ir, t));
}

/* Behind an error that was reported it is a consequence. */
bool llvm_bug(struct llvm_func *f, const char *what)
{
    return !diags_errors(f->emitter->diags) && diag_error(f->emitter->diags, f->place, DIAG_BUG, what);
}

/* ---- functions ---- */

LLVMValueRef llvm_function_get(struct llvm_unit *u, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(u->module, name);
    return function ? function : LLVMAddFunction(u->module, name, type);
}

void llvm_function_attribute(struct llvm_unit *u, LLVMValueRef function, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(u->context, kind, value));
}

static const char *text_attribute(LLVMValueRef function, const char *name)
{
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    unsigned length = 0;
    return a ? LLVMGetStringAttributeValue(a, &length) : "";
}

bool llvm_has_feature(LLVMValueRef function, const char *feature)
{
    size_t size = strlen(feature);
    for (const char *at = text_attribute(function, "target-features"); (at = strstr(at, feature)); at += size)
        if (at[size] == ',' || at[size] == 0)
            return true;
    return false;
}

static void parameter_attribute(struct llvm_unit *u, LLVMValueRef function, unsigned index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, index + 1, LLVMCreateEnumAttribute(u->context, kind, 0));
}

/* ---- units ---- */

static void new_unit(struct llvm_emitter *e)
{
    struct llvm_unit *u = NEW(e->arena, struct llvm_unit);
    const char *base = e->tree->name ? e->tree->name : "program";
    u->emitter = e;
    u->module = e->options->module(e->options->user, arena_printf(e->arena, "%s.%u", base, e->units.count));
    LLVMContextRef c = u->context = LLVMGetModuleContext(u->module);
    u->vscale = (unsigned)e->tree->machine->vscale;
    u->x86 = strncmp(LLVMGetTarget(u->module), "x86_64", 6) == 0;
    u->builder = LLVMCreateBuilderInContext(c);
    u->allocas = LLVMCreateBuilderInContext(c);
    u->nothing = LLVMVoidTypeInContext(c);
    u->pointer = LLVMPointerTypeInContext(c, 0);
    u->i1 = LLVMInt1TypeInContext(c);
    u->i8 = LLVMInt8TypeInContext(c);
    u->i16 = LLVMInt16TypeInContext(c);
    u->i32 = LLVMInt32TypeInContext(c);
    u->i64 = LLVMInt64TypeInContext(c);
    u->f16 = LLVMHalfTypeInContext(c);
    u->f32 = LLVMFloatTypeInContext(c);
    u->f64 = LLVMDoubleTypeInContext(c);
    u->kind_loop = LLVMGetMDKindIDInContext(c, "llvm.loop", 9);
    u->kind_scope = LLVMGetMDKindIDInContext(c, "alias.scope", 11);
    u->kind_noalias = LLVMGetMDKindIDInContext(c, "noalias", 7);
    u->kind_group = LLVMGetMDKindIDInContext(c, "llvm.access.group", 17);
    llvm_debug_unit(u);
    vec_push(e->arena, &e->units, u);
}

static struct llvm_unit *unit_of(struct llvm_emitter *e, const struct tree_outlined *code)
{
    while (e->units.count <= code->unit)
        new_unit(e);
    return e->units.items[code->unit];
}

static void finish_unit(struct llvm_unit *u)
{
    llvm_vector_finish(u);
    llvm_debug_finish(u);
    LLVMDisposeBuilder(u->builder);
    LLVMDisposeBuilder(u->allocas);
}

/* ---- one function ---- */

/* Variables that have a value when the function starts are no assignment for the scan: those never assigned later stay
 * in registers. */
static void settle_variable(struct llvm_func *f, const struct tree_var *v, bool in_memory)
{
    llvm_variable(f->emitter, v)->in_memory = in_memory || tree_use(&f->emitter->uses, v)->assignments;
}

static void align_pointer(struct llvm_func *f, LLVMValueRef load, uint64_t alignment)
{
    LLVMValueRef bytes = llvm_int(f->unit->i64, (int64_t)alignment);
    LLVMMetadataRef value = LLVMValueAsMetadata(bytes), node = LLVMMDNodeInContext2(f->unit->context, &value, 1);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(f->unit->context, "align", 5),
                    LLVMMetadataAsValue(f->unit->context, node));
}

static void load_parameter(struct llvm_func *f, const struct tree_param *p, uint32_t position)
{
    LLVMValueRef index = llvm_int(f->unit->i64, position);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(f->builder, f->unit->pointer, f->data, &index, 1, "");
    LLVMValueRef pointer = LLVMBuildLoad2(f->builder, f->unit->pointer, at, p->name);
    llvm_meta_internal(f, pointer);
    settle_variable(f, p->var, false);
    if (p->by_value) {
        llvm_variable_write(f, p->var, llvm_load(f, p->var->type, pointer, 0, UINT32_MAX));
        return;
    }
    if (p->alignment && !(p->alignment & (p->alignment - 1)))
        align_pointer(f, pointer, p->alignment);
    llvm_variable_write(f, p->var, (struct llvm_value){ pointer, NULL });
}

static void load_inputs(struct llvm_func *f)
{
    const struct tree_outlined *code = f->code;
    for (uint32_t i = 0; i < code->captured.count; i++)
        settle_variable(f, code->captured.items[i], false);
    for (uint32_t i = 0; i < code->shared.count; i++)
        settle_variable(f, code->shared.items[i], true);
    if (code->kind == OUTLINED_ENTRY) {
        for (uint32_t i = 0; i < code->function->params.count; i++)
            load_parameter(f, &code->function->params.items[i], i);
        return;
    }
    llvm_load_shared(f);
    if (code->kind != OUTLINED_PARALLEL)
        return;
    const struct tree_var *numbers[2] = { code->parallel->var, code->parallel->var2 };
    for (unsigned i = 0; i < 2; i++) {
        if (!numbers[i])
            continue;
        settle_variable(f, numbers[i], false);
        llvm_variable_write(f, numbers[i], (struct llvm_value){ LLVMGetParam(f->function, 2 + i), NULL });
    }
}

static LLVMValueRef define_function(struct llvm_unit *u, const struct tree_outlined *code)
{
    LLVMValueRef function = llvm_function_get(u, code->name, llvm_outlined_type(u, code));
    bool outlined = code->kind != OUTLINED_ENTRY;
    if (u->emitter->options->exports || (outlined && u->emitter->options->unit_budget == 0))
        LLVMSetLinkage(function, LLVMInternalLinkage);
    else if (outlined)
        LLVMSetVisibility(function, LLVMHiddenVisibility);
    llvm_function_attribute(u, function, "nounwind", 0);
    if (u->emitter->tree->machine->scalable && !u->vscale)
        llvm_function_attribute(u, function, "vscale_range", (uint64_t)1 << 32 | LARGEST_VSCALE);
    parameter_attribute(u, function, 0, "noalias");
    parameter_attribute(u, function, 1, "noalias");
    if (u->emitter->options->decorate)
        u->emitter->options->decorate(u->emitter->options->user, function);
    return function;
}

static void return_from(struct llvm_func *f)
{
    if (f->code->kind != OUTLINED_PART) {
        LLVMBuildRetVoid(f->builder);
        return;
    }
    llvm_store_shared(f);
    LLVMBuildRet(f->builder,
                 f->early ? LLVMBuildLoad2(f->builder, f->unit->i1, f->early, "") : llvm_int(f->unit->i1, 0));
}

static void emit_function(struct llvm_emitter *e, const struct tree_outlined *code)
{
    struct llvm_unit *u = unit_of(e, code);
    struct llvm_func f = { .emitter = e, .unit = u, .code = code, .builder = u->builder };
    f.memo = e->memo;
    f.memo_size = e->memo_size;
    f.statement = e->statement;
    tree_uses_scan(&e->uses, code->body);
    f.function = define_function(u, code);
    f.soft_half = u->x86 && !llvm_has_feature(f.function, "+f16c");
    f.context = LLVMGetParam(f.function, 0);
    f.data = LLVMGetParam(f.function, 1);
    llvm_debug_function(&f);
    llvm_flow_begin(&f);
    llvm_meta_function(&f);
    load_inputs(&f);
    llvm_threads_keep(&f);
    llvm_run_begin(&f);
    if (code->kind == OUTLINED_PART && (code->may_return || code->may_fail)) {
        f.early = llvm_alloca(&f, u->i1, "early");
        LLVMBuildStore(u->allocas, llvm_int(u->i1, 0), f.early);
    }
    llvm_stmt(&f, code->body);
    llvm_flow_finish(&f);
    llvm_run_end(&f);
    llvm_threads_release(&f);
    return_from(&f);
    e->memo = f.memo;
    e->memo_size = f.memo_size;
    e->statement = f.statement;
}

bool llvm_emit(const struct tree *t, struct diags *d, const struct llvm_options *o)
{
    uint32_t errors = diags_errors(d);
    struct llvm_emitter e = { .tree = t, .diags = d, .options = o, .arena = t->arena };
    e.variables = NEW_ARRAY(t->arena, struct llvm_variable, t->num_vars + 1);
    if (o->device)
        llvm_kernels(&e);
    e.aliases = NEW_ARRAY(t->arena, struct llvm_alias, t->num_aliases + 1);
    e.outline = tree_outline(t, o->unit_budget, o->stoppable);
    e.uses = tree_uses_new(t, t->arena);
    for (uint32_t i = 0; i < e.outline->functions.count; i++)
        emit_function(&e, e.outline->functions.items[i]);
    if (o->image)
        llvm_image(e.units.items[0]->module, o->image, t->arena, o->exports != NULL);
    if (o->exports)
        llvm_exports(&e);
    for (uint32_t i = 0; i < e.units.count; i++)
        finish_unit(e.units.items[i]);
    return diags_errors(d) == errors;
}
