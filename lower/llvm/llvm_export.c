/* The functions that an object shows: each fills in the table of addresses that generated code takes and calls the
 * runtime (runtime/program.h). */
#include "lower/llvm/llvm_emit.h"
#include "runtime/abi.h"

#include <string.h>

/* One function being made. */
struct wrapper {
    struct llvm_func f;
    const struct llvm_export *exports;
    LLVMValueRef function;
    LLVMTypeRef *params;
    unsigned *first;        /* per argument: 1 + position of its parameter; 0 if it is not passed */
    const char **extend;    /* per parameter: attribute of integers narrower than int, or NULL */
    LLVMTypeRef *in_memory; /* per parameter: passed as a copy of this type in memory, or NULL */
    unsigned num_params;
};

/* ---- types: the C conventions of the target ---- */

enum { VECTOR_REGISTERS = 8 }; /* for arguments, on x86-64 and AArch64 alike */

static LLVMTypeRef value_type(struct llvm_unit *u, const struct type *t)
{
    LLVMTypeRef type = llvm_type(u, t);
    switch (t->kind) {
    case TYPE_BOOL:
        return u->i8;
    case TYPE_F16: /* a class around its bits */
        return u->i16;
    case TYPE_C64:
        return u->x86 ? LLVMVectorType(type, 2) : LLVMArrayType2(type, 2);
    case TYPE_C128:
        return u->x86 ? type : LLVMArrayType2(type, 2);
    default:
        return type;
    }
}

/* What callers have made of integers narrower than int. AAPCS64 leaves their upper bits open. */
static const char *extension(const struct llvm_unit *u, const struct type *t)
{
    if (!u->x86 || t->size >= 4 || type_is_float(t))
        return NULL;
    return type_is_signed(t) ? "signext" : "zeroext";
}

static void add_param(struct wrapper *w, LLVMTypeRef type, const char *extend, LLVMTypeRef in_memory)
{
    w->params[w->num_params] = type;
    w->extend[w->num_params] = extend;
    w->in_memory[w->num_params++] = in_memory;
}

/* double complex takes two registers or, if only one is left, none. */
static void add_parameters(struct wrapper *w, bool symbols_only)
{
    struct llvm_unit *u = w->f.unit;
    unsigned vectors = 0;
    for (uint32_t i = 0; i < w->exports->num_arguments; i++) {
        const struct llvm_export_argument *a = &w->exports->arguments[i];
        w->first[i] = 0;
        if (symbols_only && !a->symbol)
            continue;
        w->first[i] = w->num_params + 1;
        if (!a->type) {
            add_param(w, u->pointer, NULL, NULL);
            continue;
        }
        bool pair = a->type->kind == TYPE_C128 && u->x86;
        LLVMTypeRef type = value_type(u, a->type);
        if (pair && vectors == VECTOR_REGISTERS - 1) {
            add_param(w, u->pointer, NULL, LLVMArrayType2(type, 2));
            continue;
        }
        add_param(w, type, extension(u, a->type), NULL);
        if (pair)
            add_param(w, type, NULL, NULL);
        if (a->type->kind >= TYPE_F32)
            vectors += pair ? 2 : 1;
    }
}

/* ---- functions ---- */

static void begin(struct wrapper *w, struct llvm_emitter *e)
{
    uint32_t n = e->options->exports->num_arguments;
    *w = (struct wrapper){ .f = { .emitter = e, .unit = e->units.items[0] }, .exports = e->options->exports };
    w->f.builder = w->f.unit->builder;
    w->params = NEW_ARRAY(e->arena, LLVMTypeRef, 2 * n + 2);
    w->in_memory = NEW_ARRAY(e->arena, LLVMTypeRef, 2 * n + 2);
    w->extend = NEW_ARRAY(e->arena, const char *, 2 * n + 2);
    w->first = NEW_ARRAY(e->arena, unsigned, n + 1);
}

static void define(struct wrapper *w, LLVMTypeRef result, const char *prefix, const char *owner)
{
    struct llvm_unit *u = w->f.unit;
    const struct llvm_options *o = u->emitter->options;
    const char *name = arena_printf(u->emitter->arena, "%s%s", prefix, owner);
    w->function = llvm_function_get(u, name, LLVMFunctionType(result, w->params, w->num_params, false));
    if (o->decorate)
        o->decorate(o->user, w->function);
    for (unsigned i = 0; i < w->num_params; i++) {
        const char *extend = w->extend[i];
        if (extend)
            LLVMAddAttributeAtIndex(
                w->function, i + 1,
                LLVMCreateEnumAttribute(u->context, LLVMGetEnumAttributeKindForName(extend, strlen(extend)), 0));
        if (w->in_memory[i])
            LLVMAddAttributeAtIndex(
                w->function, i + 1,
                LLVMCreateTypeAttribute(u->context, LLVMGetEnumAttributeKindForName("byval", 5), w->in_memory[i]));
    }
    LLVMPositionBuilderAtEnd(u->builder, LLVMAppendBasicBlockInContext(u->context, w->function, ""));
}

static LLVMValueRef handle(const struct wrapper *w) { return LLVMGetParam(w->function, 0); }

/* ---- the table of addresses ---- */

static LLVMValueRef element(struct wrapper *w, LLVMTypeRef type, LLVMValueRef base, uint32_t index)
{
    LLVMValueRef position = llvm_int(w->f.unit->i64, index);
    return LLVMBuildInBoundsGEP2(w->f.builder, type, base, &position, 1, "");
}

/* Memory that holds the value of an argument. */
static LLVMValueRef value_memory(struct wrapper *w, uint32_t argument)
{
    const struct llvm_export_argument *a = &w->exports->arguments[argument];
    unsigned at = w->first[argument] - 1;
    if (w->in_memory[at])
        return LLVMGetParam(w->function, at);
    unsigned parts = a->type && a->type->kind == TYPE_C128 && w->f.unit->x86 ? 2 : 1;
    LLVMValueRef memory = LLVMBuildArrayAlloca(w->f.builder, w->params[at], llvm_int(w->f.unit->i32, parts), "");
    for (unsigned i = 0; i < parts; i++)
        LLVMBuildStore(w->f.builder, LLVMGetParam(w->function, at + i), element(w, w->params[at], memory, i));
    return memory;
}

static const struct llvm_export_argument *find(const struct wrapper *w, const char *name, uint32_t *index)
{
    for (*index = 0; *index < w->exports->num_arguments; ++*index)
        if (!strcmp(w->exports->arguments[*index].name, name))
            return &w->exports->arguments[*index];
    return NULL;
}

/* What is not passed reads as zero. */
static LLVMValueRef zero_memory(struct wrapper *w)
{
    LLVMTypeRef type = LLVMArrayType2(w->f.unit->i64, 2);
    LLVMValueRef memory = LLVMBuildAlloca(w->f.builder, type, "");
    LLVMBuildStore(w->f.builder, LLVMConstNull(type), memory);
    return memory;
}

static LLVMValueRef address_table(struct wrapper *w)
{
    struct llvm_unit *u = w->f.unit;
    const struct tree_func *main = u->emitter->tree->functions.items[0];
    LLVMValueRef count = llvm_int(u->i32, (int64_t)main->params.count + 1);
    LLVMValueRef table = LLVMBuildArrayAlloca(w->f.builder, u->pointer, count, "args");
    for (uint32_t i = 0; i < main->params.count; i++) {
        const struct tree_param *p = &main->params.items[i];
        uint32_t argument;
        const struct llvm_export_argument *a = find(w, p->name, &argument);
        if (!a)
            diag_error(u->emitter->diags, NULL, DIAG_EXPORT_ARGUMENT, p->name);
        LLVMValueRef address;
        if (!a || !w->first[argument])
            address = p->by_value ? zero_memory(w) : LLVMConstNull(u->pointer);
        else if (p->by_value)
            address = value_memory(w, argument);
        else
            address = LLVMGetParam(w->function, w->first[argument] - 1);
        LLVMBuildStore(w->f.builder, address, element(w, u->pointer, table, i));
    }
    return table;
}

/* Returns `otherwise` if a symbol has another value than the code was made for. */
static void check_bound(struct wrapper *w, LLVMValueRef otherwise)
{
    struct llvm_unit *u = w->f.unit;
    LLVMValueRef same = NULL;
    for (uint32_t i = 0; i < w->exports->num_arguments; i++) {
        const struct llvm_export_argument *a = &w->exports->arguments[i];
        if (!a->bound || !w->first[i])
            continue;
        LLVMValueRef given = LLVMGetParam(w->function, w->first[i] - 1);
        LLVMValueRef equal = LLVMBuildICmp(w->f.builder, LLVMIntEQ, given, llvm_int(LLVMTypeOf(given), a->value), "");
        same = same ? LLVMBuildAnd(w->f.builder, same, equal, "") : equal;
    }
    if (!same)
        return;
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(u->context, w->function, ""),
                      bad = LLVMAppendBasicBlockInContext(u->context, w->function, "");
    LLVMBuildCondBr(w->f.builder, same, good, bad);
    LLVMPositionBuilderAtEnd(w->f.builder, bad);
    LLVMBuildRet(w->f.builder, otherwise);
    LLVMPositionBuilderAtEnd(w->f.builder, good);
}

/* ---- what the runtime knows of the program ---- */

static LLVMValueRef constant(struct llvm_unit *u, const char *name, LLVMValueRef value)
{
    LLVMValueRef global = LLVMAddGlobal(u->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef entry(struct llvm_unit *u, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(u->module, name);
    return function ? function : LLVMConstNull(u->pointer);
}

static LLVMValueRef name_text(struct llvm_unit *u, const char *name)
{
    return constant(u, "sdfg_name", LLVMConstStringInContext2(u->context, name, strlen(name), false));
}

/* ---- what init depends on ---- */

static void mark_expr(void *used, struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        ((bool *)used)[e->var->id] = true;
}

static void mark_operand(void *used, struct tree_expr **e) { expr_visit(*e, mark_expr, used); }

static bool mark_stmt(void *used, struct tree_stmt *s)
{
    stmt_each_expr(s, mark_operand, used);
    return true;
}

/* Position and bytes of the symbols that occur in init; the memory it makes has sizes for these. */
static LLVMValueRef keys(struct llvm_unit *u, int64_t *count)
{
    const struct tree *t = u->emitter->tree;
    const struct tree_func *main = t->functions.items[0];
    bool *used = NEW_ARRAY(u->emitter->arena, bool, t->num_vars + 1);
    LLVMValueRef *pairs = NEW_ARRAY(u->emitter->arena, LLVMValueRef, 2 * main->params.count);
    *count = 0;
    for (uint32_t i = 0; i < t->functions.count; i++)
        if (!strcmp(t->functions.items[i]->name, "init"))
            stmt_visit(t->functions.items[i]->body, mark_stmt, used);
    for (uint32_t i = 0; i < main->params.count; i++) {
        const struct tree_param *p = &main->params.items[i];
        if (!p->by_value || !used[p->var->id] || p->var->type->size > sizeof(int64_t))
            continue;
        pairs[2 * *count] = llvm_int(u->i64, i);
        pairs[2 * *count + 1] = llvm_int(u->i64, p->var->type->size);
        ++*count;
    }
    return constant(u, "sdfg_keys", LLVMConstArray2(u->i64, pairs, 2 * (uint64_t)*count));
}

/* struct sdfg_rt_program */
static LLVMValueRef description(struct llvm_unit *u, const struct llvm_export *x, LLVMValueRef name)
{
    LLVMValueRef *ids = NEW_ARRAY(u->emitter->arena, LLVMValueRef, x->num_storages);
    for (uint32_t i = 0; i < x->num_storages; i++)
        ids[i] = llvm_int(u->i64, x->storage_ids[i]);
    int64_t num_keys;
    LLVMValueRef key_list = keys(u, &num_keys);
    LLVMValueRef fields[] = {
        name,
        llvm_int(u->i64, u->emitter->tree->num_slots),
        llvm_int(u->i64, x->num_threads),
        entry(u, "sdfg_main"),
        entry(u, "sdfg_init"),
        entry(u, "sdfg_exit"),
        entry(u, "sdfg_workspace"),
        llvm_int(u->i64, x->num_storages),
        constant(u, "sdfg_storages", LLVMConstArray2(u->i64, ids, x->num_storages)),
        llvm_int(u->i64, num_keys),
        key_list,
    };
    return constant(u, "sdfg_program",
                    LLVMConstStructInContext(u->context, fields, sizeof fields / sizeof *fields, false));
}

/* ---- the functions ---- */

static void add_handle(struct wrapper *w) { add_param(w, w->f.unit->pointer, NULL, NULL); }

static void init_function(struct llvm_emitter *e, LLVMValueRef program)
{
    struct wrapper w;
    begin(&w, e);
    add_parameters(&w, true);
    define(&w, w.f.unit->pointer, "__dace_init_", w.exports->name);
    check_bound(&w, LLVMConstNull(w.f.unit->pointer));
    LLVMValueRef args[] = { program, address_table(&w) };
    LLVMBuildRet(w.f.builder, llvm_runtime(&w.f, "sdfg_rt_program_begin", args, 2));
}

static LLVMValueRef call_function(struct llvm_emitter *e)
{
    struct wrapper w;
    begin(&w, e);
    add_handle(&w);
    add_parameters(&w, false);
    define(&w, w.f.unit->i32, "__sdfg_call_", w.exports->name);
    check_bound(&w, llvm_int(w.f.unit->i32, SDFG_RT_OTHER_SYMBOL));
    LLVMValueRef args[] = { handle(&w), address_table(&w) };
    LLVMBuildRet(w.f.builder, llvm_runtime(&w.f, "sdfg_rt_program_run", args, 2));
    return w.function;
}

/* The same for callers that expect no result: they cannot be told of failures. */
static void program_function(struct llvm_emitter *e, LLVMValueRef call, LLVMValueRef name)
{
    struct wrapper w;
    begin(&w, e);
    add_handle(&w);
    add_parameters(&w, false);
    define(&w, w.f.unit->nothing, "__program_", w.exports->name);
    LLVMValueRef *args = NEW_ARRAY(e->arena, LLVMValueRef, w.num_params);
    LLVMGetParams(w.function, args);
    LLVMValueRef result = LLVMBuildCall2(w.f.builder, LLVMGlobalGetValueType(call), call, args, w.num_params, "");
    for (unsigned i = 0; i < w.num_params; i++) /* parameters of one type are passed alike */
        if (w.in_memory[i])
            LLVMAddCallSiteAttribute(
                result, i + 1, LLVMGetEnumAttributeAtIndex(call, i + 1, LLVMGetEnumAttributeKindForName("byval", 5)));
    llvm_runtime(&w.f, "sdfg_rt_program_check", (LLVMValueRef[]){ name, result }, 2);
    LLVMBuildRetVoid(w.f.builder);
}

static void exit_function(struct llvm_emitter *e)
{
    struct wrapper w;
    begin(&w, e);
    add_handle(&w);
    define(&w, w.f.unit->i32, "__dace_exit_", w.exports->name);
    LLVMValueRef args[] = { handle(&w) };
    LLVMBuildRet(w.f.builder, llvm_runtime(&w.f, "sdfg_rt_program_end", args, 1));
}

static void external_functions(struct llvm_emitter *e, uint32_t storage)
{
    struct wrapper w;
    const char *name = e->options->exports->storages[storage];
    begin(&w, e);
    LLVMValueRef index = llvm_int(w.f.unit->i64, storage);
    add_handle(&w);
    add_parameters(&w, true);
    define(&w, w.f.unit->i64, "__dace_get_external_memory_size_", name);
    LLVMValueRef size[] = { handle(&w), index, address_table(&w) };
    LLVMBuildRet(w.f.builder, llvm_runtime(&w.f, "sdfg_rt_program_external_size", size, 3));

    begin(&w, e);
    add_handle(&w);
    add_handle(&w); /* the memory */
    add_parameters(&w, true);
    define(&w, w.f.unit->nothing, "__dace_set_external_memory_", name);
    LLVMValueRef set[] = { handle(&w), index, address_table(&w), LLVMGetParam(w.function, 1) };
    llvm_runtime(&w.f, "sdfg_rt_program_external", set, 4);
    LLVMBuildRetVoid(w.f.builder);
}

void llvm_exports(struct llvm_emitter *e)
{
    struct llvm_unit *u = e->units.items[0];
    const struct llvm_export *x = e->options->exports;
    LLVMValueRef name = name_text(u, x->name);
    init_function(e, description(u, x, name));
    program_function(e, call_function(e), name);
    exit_function(e);
    for (uint32_t i = 0; i < x->num_storages; i++)
        external_functions(e, i);
}
