/* Functions made of pieces of others (lower/tree/tree_outline.h).
 *
 * The variables of the outer function that a piece reads travel in a struct, by value. A part also assigns some: the
 * struct then carries them back. */
#include "lower/llvm/llvm_emit.h"

/* ---- what goes into the struct ---- */

static void add_fields(struct llvm_unit *u, struct tree_var *const *vars, uint32_t count, LLVMTypeRef *fields,
                       unsigned *n)
{
    for (uint32_t i = 0; i < count; i++) {
        LLVMTypeRef type = llvm_type(u, vars[i]->type);
        fields[(*n)++] = type;
        if (llvm_type_is_complex(vars[i]->type))
            fields[(*n)++] = type;
    }
}

static LLVMTypeRef data_type(struct llvm_unit *u, const struct tree_outlined *code)
{
    LLVMTypeRef *fields = NEW_ARRAY(u->emitter->arena, LLVMTypeRef, 2 * (code->captured.count + code->shared.count));
    unsigned n = 0;
    add_fields(u, code->captured.items, code->captured.count, fields, &n);
    add_fields(u, code->shared.items, code->shared.count, fields, &n);
    return LLVMStructTypeInContext(u->context, fields, n, false);
}

static unsigned num_fields(const struct tree_var *v) { return llvm_type_is_complex(v->type) ? 2 : 1; }

/* One walk over the fields of a struct, in the order of data_type. */
struct fields {
    struct llvm_func *f;
    LLVMTypeRef type;
    LLVMValueRef data;
    unsigned next;
};

static void put_field(struct fields *w, LLVMValueRef v)
{
    LLVMBuildStore(w->f->builder, v, LLVMBuildStructGEP2(w->f->builder, w->type, w->data, w->next++, ""));
}

static LLVMValueRef get_field(struct fields *w, const struct tree_var *v)
{
    LLVMValueRef at = LLVMBuildStructGEP2(w->f->builder, w->type, w->data, w->next++, "");
    return LLVMBuildLoad2(w->f->builder, llvm_type(w->f->unit, v->type), at, v->name);
}

static void put_variable(struct fields *w, const struct tree_var *v)
{
    struct llvm_value value = llvm_variable_read(w->f, v);
    put_field(w, value.v);
    if (value.im)
        put_field(w, value.im);
}

static void put_captured(struct fields *w, const struct tree_outlined *code)
{
    for (uint32_t i = 0; i < code->captured.count; i++)
        put_variable(w, code->captured.items[i]);
}

/* A variable that only the part assigns has no value yet. */
static void put_shared(struct fields *w, const struct tree_outlined *code)
{
    for (uint32_t i = 0; i < code->shared.count; i++) {
        const struct llvm_variable *x = llvm_variable(w->f->emitter, code->shared.items[i]);
        if (x->in_memory || x->set)
            put_variable(w, code->shared.items[i]);
        else
            w->next += num_fields(code->shared.items[i]);
    }
}

static void get_variables(struct fields *w, struct tree_var *const *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct llvm_value v = { get_field(w, vars[i]), NULL };
        if (llvm_type_is_complex(vars[i]->type))
            v.im = get_field(w, vars[i]);
        llvm_variable_write(w->f, vars[i], v);
    }
}

static unsigned skipped_fields(struct tree_var *const *vars, uint32_t count)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += num_fields(vars[i]);
    return n;
}

/* ---- inside the outlined function ---- */

LLVMTypeRef llvm_outlined_type(struct llvm_unit *u, const struct tree_outlined *code)
{
    LLVMTypeRef params[4] = { u->pointer, u->pointer, u->i64, u->i64 };
    if (code->kind == OUTLINED_PART)
        return LLVMFunctionType(u->i1, params, 2, false);
    return LLVMFunctionType(u->nothing, params, code->kind == OUTLINED_PARALLEL ? 4 : 2, false);
}

void llvm_load_shared(struct llvm_func *f)
{
    struct fields w = { f, data_type(f->unit, f->code), f->data, 0 };
    get_variables(&w, f->code->captured.items, f->code->captured.count);
    get_variables(&w, f->code->shared.items, f->code->shared.count);
}

void llvm_store_shared(struct llvm_func *f)
{
    struct fields w = { f, data_type(f->unit, f->code), f->data, 0 };
    w.next = skipped_fields(f->code->captured.items, f->code->captured.count);
    put_shared(&w, f->code);
}

/* ---- in the outer function ---- */

static struct fields fill_data(struct llvm_func *f, const struct tree_outlined *code)
{
    struct fields w = { f, data_type(f->unit, code), NULL, 0 };
    if (code->captured.count + code->shared.count == 0) {
        w.data = LLVMConstNull(f->unit->pointer);
        return w;
    }
    w.data = llvm_alloca(f, w.type, "data");
    put_captured(&w, code);
    put_shared(&w, code);
    return w;
}

static LLVMValueRef declare(struct llvm_func *f, const struct tree_outlined *code)
{
    return llvm_function_get(f->unit, code->name, llvm_outlined_type(f->unit, code));
}

void llvm_threads_keep(struct llvm_func *f)
{
    if (f->code->keeps_threads)
        f->kept = llvm_runtime(f, "sdfg_rt_threads_keep", &f->context, 1);
}

void llvm_threads_release(struct llvm_func *f)
{
    if (f->kept)
        llvm_runtime(f, "sdfg_rt_threads_release", (LLVMValueRef[]){ f->context, f->kept }, 2);
}

void llvm_stmt_parallel(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct tree_outlined *code = tree_outline_region(f->emitter->outline, s);
    LLVMValueRef count = s->count ? llvm_expr(f, s->count).v : llvm_int(f->unit->i64, 0);
    struct fields w = fill_data(f, code);
    const char *begin = code->apart ? "sdfg_rt_parallel_pieces" : "sdfg_rt_parallel";
    llvm_runtime(f, begin, (LLVMValueRef[]){ f->context, declare(f, code), w.data, count }, 4);
    if (code->may_fail)
        llvm_return_if_failed(f);
}

void llvm_stmt_part(struct llvm_func *f, const struct tree_outlined *part)
{
    struct fields w = fill_data(f, part);
    LLVMValueRef args[2] = { f->context, w.data };
    LLVMValueRef left = LLVMBuildCall2(f->builder, llvm_outlined_type(f->unit, part), declare(f, part), args, 2, "");
    w.next = skipped_fields(part->captured.items, part->captured.count);
    get_variables(&w, part->shared.items, part->shared.count);
    if (part->may_return || part->may_fail)
        llvm_flow_return_if(f, left);
}
