#include "lower/llvm/llvm_emit.h"
#include "runtime/abi.h"

#include <stddef.h>

enum { HEAP_ALIGNMENT = 64 };

LLVMValueRef llvm_address(struct llvm_func *f, const struct type *elem, LLVMValueRef pointer, LLVMValueRef index)
{
    if (LLVMIsAConstantInt(index) && LLVMConstIntGetSExtValue(index) == 0)
        return pointer;
    return LLVMBuildInBoundsGEP2(f->builder, llvm_type_memory(f->unit, elem), pointer, &index, 1, "");
}

/* ---- one element ---- */

struct element_access {
    uint32_t alias, private_from;
};

static LLVMValueRef load_one(struct llvm_func *f, LLVMTypeRef type, unsigned align, LLVMValueRef at,
                             const struct element_access *a)
{
    LLVMValueRef v = LLVMBuildLoad2(f->builder, type, at, "");
    LLVMSetAlignment(v, align);
    llvm_meta_access(f, v, a->alias, a->private_from);
    return v;
}

static void store_one(struct llvm_func *f, LLVMValueRef v, unsigned align, LLVMValueRef at,
                      const struct element_access *a)
{
    LLVMValueRef s = LLVMBuildStore(f->builder, v, at);
    LLVMSetAlignment(s, align);
    llvm_meta_access(f, s, a->alias, a->private_from);
}

static LLVMValueRef imaginary_address(struct llvm_func *f, const struct type *t, LLVMValueRef at)
{
    LLVMValueRef one = llvm_int(f->unit->i64, 1);
    return LLVMBuildInBoundsGEP2(f->builder, llvm_type(f->unit, t), at, &one, 1, "");
}

static LLVMTypeRef loaded_type(struct llvm_func *f, const struct type *t)
{
    if (t->kind == TYPE_VECTOR && type_is_complex(t->elem))
        return LLVMVectorType(llvm_type(f->unit, t->elem), 2 * t->lanes);
    if (t->kind == TYPE_VECTOR)
        return LLVMVectorType(llvm_type_memory(f->unit, t->elem), t->lanes);
    return t->kind == TYPE_BOOL ? f->unit->i8 : llvm_type(f->unit, t);
}

static unsigned alignment(const struct type *t)
{
    const struct type *scalar = type_scalar(t);
    return type_is_complex(scalar) ? scalar->size / 2 : scalar->align ? scalar->align : 1;
}

struct llvm_value llvm_load(struct llvm_func *f, const struct type *t, LLVMValueRef at, uint32_t alias,
                            uint32_t private_from)
{
    struct element_access a = { alias, private_from };
    LLVMValueRef v = load_one(f, loaded_type(f, t), alignment(t), at, &a);
    if (type_is_complex(t))
        return (struct llvm_value){ v,
                                    load_one(f, llvm_type(f->unit, t), alignment(t), imaginary_address(f, t, at), &a) };
    return llvm_from_memory(f, t, v);
}

void llvm_store(struct llvm_func *f, const struct type *t, LLVMValueRef at, struct llvm_value v, uint32_t alias,
                uint32_t private_from)
{
    struct element_access a = { alias, private_from };
    if (type_is_complex(t)) {
        store_one(f, v.v, alignment(t), at, &a);
        store_one(f, v.im, alignment(t), imaginary_address(f, t, at), &a);
    } else {
        store_one(f, llvm_to_memory(f, t, v), alignment(t), at, &a);
    }
}

/* How many of the independent loops around the access contain the allocation of the stack memory it goes to; all, if
 * that cannot be seen. */
uint32_t llvm_private_from(struct llvm_func *f, const struct tree_expr *pointer)
{
    pointer = expr_root(pointer);
    switch (pointer->op) {
    case EXPR_VAR:
        return llvm_variable(f->emitter, pointer->var)->private_from;
    case EXPR_LOAD:
    case EXPR_SLOT:
    case EXPR_DATA:
    case EXPR_CONTEXT:
    case EXPR_NULL:
        return 0;
    default:
        return UINT32_MAX;
    }
}

struct llvm_value llvm_expr_load(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef pointer = llvm_expr(f, e->args[0]).v, index = llvm_expr(f, e->args[1]).v;
    return llvm_load(f, e->type, llvm_address(f, e->type, pointer, index), e->alias, llvm_private_from(f, e->args[0]));
}

void llvm_stmt_store(struct llvm_func *f, const struct tree_stmt *s)
{
    struct llvm_value v = llvm_expr(f, s->value);
    LLVMValueRef pointer = llvm_expr(f, s->pointer).v, index = llvm_expr(f, s->index).v;
    LLVMValueRef at = llvm_address(f, s->value->type, pointer, index);
    llvm_store(f, s->value->type, at, v, s->alias, llvm_private_from(f, s->pointer));
}

/* ---- constant bytes, slots ---- */

struct llvm_value llvm_expr_data(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef global = map_get(&f->unit->data, e->data);
    if (!global) {
        LLVMValueRef bytes = LLVMConstStringInContext2(f->unit->context, e->data, (size_t)e->i, true);
        global = LLVMAddGlobal(f->unit->module, LLVMTypeOf(bytes), "data");
        LLVMSetInitializer(global, bytes);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, e->i >= HEAP_ALIGNMENT ? HEAP_ALIGNMENT : 16);
        map_put(f->emitter->arena, &f->unit->data, e->data, global);
    }
    return (struct llvm_value){ global, NULL };
}

static LLVMValueRef slot_address(struct llvm_func *f, int64_t slot)
{
    LLVMValueRef field = llvm_context_field(f, offsetof(struct sdfg_rt_context, slots)),
                 index = llvm_int(f->unit->i64, slot);
    LLVMValueRef table = LLVMBuildLoad2(f->builder, f->unit->pointer, field, "slots");
    llvm_meta_internal(f, table);
    return LLVMBuildInBoundsGEP2(f->builder, f->unit->pointer, table, &index, 1, "");
}

static LLVMValueRef slot_load(struct llvm_func *f, LLVMValueRef address)
{
    LLVMValueRef memory = LLVMBuildLoad2(f->builder, f->unit->pointer, address, "slot");
    llvm_meta_internal(f, memory);
    return memory;
}

struct llvm_value llvm_expr_slot(struct llvm_func *f, const struct tree_expr *e)
{
    return (struct llvm_value){ slot_load(f, slot_address(f, e->i)), NULL };
}

/* ---- blocks of memory ---- */

static const struct type *int64_type(struct llvm_func *f) { return type_basic(f->emitter->tree->ir, TYPE_I64); }

LLVMValueRef llvm_byte_count(struct llvm_func *f, const struct type *elem, const struct tree_expr *count)
{
    LLVMValueRef n = llvm_expr(f, count).v;
    if (!LLVMIsAConstantInt(n))
        n = llvm_binary(f, EXPR_MAX, int64_type(f), (struct llvm_value){ n, NULL },
                        (struct llvm_value){ llvm_int(f->unit->i64, 0), NULL })
                .v;
    return LLVMBuildMul(f->builder, n, llvm_int(f->unit->i64, elem->size ? elem->size : 1), "");
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

void llvm_stmt_copy(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef to = llvm_expr(f, s->pointer).v, from = llvm_expr(f, s->pointer2).v;
    unsigned align = alignment(s->type);
    if (s->nontemporal) {
        llvm_runtime(f, "sdfg_rt_nontemporal_copy", (LLVMValueRef[]){ to, from, llvm_byte_count(f, s->type, s->count) },
                     3);
        return;
    }
    LLVMValueRef copy = LLVMBuildMemCpy(f->builder, to, align, from, align, llvm_byte_count(f, s->type, s->count));
    uint32_t private_from = larger(llvm_private_from(f, s->pointer), llvm_private_from(f, s->pointer2));
    llvm_meta_copy(f, copy, s->alias, s->alias2, private_from);
}

void llvm_stmt_zero(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef at = llvm_expr(f, s->pointer).v, zero = llvm_int(f->unit->i8, 0);
    if (s->nontemporal) {
        llvm_runtime(f, "sdfg_rt_nontemporal_zero", (LLVMValueRef[]){ at, llvm_byte_count(f, s->type, s->count) }, 2);
        return;
    }
    LLVMValueRef set = LLVMBuildMemSet(f->builder, at, zero, llvm_byte_count(f, s->type, s->count), alignment(s->type));
    llvm_meta_access(f, set, s->alias, llvm_private_from(f, s->pointer));
}

/* ---- allocation ---- */

/* The value of a count, whose sums and products are watched; `*overflow` is NULL as long as all of it fits. */
static LLVMValueRef exact_count(struct llvm_func *f, const struct tree_expr *e, LLVMValueRef *overflow)
{
    const char *operation = e->op == EXPR_ADD   ? "llvm.sadd.with.overflow"
                            : e->op == EXPR_SUB ? "llvm.ssub.with.overflow"
                            : e->op == EXPR_MUL ? "llvm.smul.with.overflow"
                                                : NULL;
    if (!operation || e->type->kind != TYPE_I64)
        return llvm_expr(f, e).v;
    LLVMValueRef args[2] = { exact_count(f, e->args[0], overflow), exact_count(f, e->args[1], overflow) };
    LLVMValueRef pair = llvm_intrinsic(f, operation, f->unit->i64, args, 2);
    LLVMValueRef wrong = LLVMBuildExtractValue(f->builder, pair, 1, "");
    *overflow = *overflow ? LLVMBuildOr(f->builder, *overflow, wrong, "") : wrong;
    return LLVMBuildExtractValue(f->builder, pair, 0, "");
}

/* A product that does not fit becomes what no allocator can serve; an empty array has a byte, so that null always means
 * failure. */
static LLVMValueRef allocation_size(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef overflow = NULL, count = exact_count(f, s->count, &overflow);
    LLVMValueRef args[2] = { count, llvm_int(f->unit->i64, s->type->size ? s->type->size : 1) };
    LLVMValueRef pair = llvm_intrinsic(f, "llvm.smul.with.overflow", f->unit->i64, args, 2);
    LLVMValueRef product = LLVMBuildExtractValue(f->builder, pair, 0, "");
    LLVMValueRef wrong = LLVMBuildExtractValue(f->builder, pair, 1, "");
    overflow = overflow ? LLVMBuildOr(f->builder, overflow, wrong, "") : wrong;
    LLVMValueRef size = LLVMBuildSelect(f->builder, overflow, llvm_int(f->unit->i64, INT64_MAX), product, "");
    LLVMValueRef none = LLVMBuildICmp(f->builder, LLVMIntEQ, size, llvm_int(f->unit->i64, 0), "");
    return LLVMBuildSelect(f->builder, none, llvm_int(f->unit->i64, 1), size, "");
}

/* Memory from the runtime; leaves the function if there is none. */
static LLVMValueRef allocate(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef size = allocation_size(f, s);
    LLVMValueRef memory = llvm_on_device(s->where)
                              ? llvm_device_alloc(f, s->where, size)
                              : llvm_runtime(f, "sdfg_rt_alloc", (LLVMValueRef[]){ f->context, size }, 2);
    llvm_flow_return_if(f, LLVMBuildIsNull(f->builder, memory, ""));
    if (s->zero && s->where == TREE_DEVICE)
        llvm_device_zero(f, memory, size);
    else if (s->zero)
        LLVMBuildMemSet(f->builder, memory, llvm_int(f->unit->i8, 0), size, HEAP_ALIGNMENT);
    return memory;
}

static LLVMValueRef stack_memory(struct llvm_func *f, const struct tree_stmt *s)
{
    uint64_t count = s->count->op == EXPR_INT && s->count->i > 0 ? (uint64_t)s->count->i : 1;
    LLVMTypeRef type = LLVMArrayType2(llvm_type_memory(f->unit, s->type), count);
    LLVMValueRef memory = llvm_alloca(f, type, s->var->name);
    LLVMSetAlignment(memory, count * s->type->size >= HEAP_ALIGNMENT ? HEAP_ALIGNMENT : 16);
    if (s->count->op != EXPR_INT)
        llvm_bug(f, "a stack allocation without a constant size");
    if (s->zero)
        LLVMBuildMemSet(f->builder, memory, llvm_int(f->unit->i8, 0),
                        llvm_int(f->unit->i64, (int64_t)(count * s->type->size)), 16);
    return memory;
}

static void allocate_state(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef address = slot_address(f, s->slot);
    struct llvm_if empty = llvm_flow_if(f, LLVMBuildIsNull(f->builder, slot_load(f, address), ""));
    llvm_meta_internal(f, LLVMBuildStore(f->builder, allocate(f, s), address));
    llvm_flow_end(f, &empty);
    llvm_variable_write(f, s->var, (struct llvm_value){ slot_load(f, address), NULL });
}

void llvm_stmt_alloc(struct llvm_func *f, const struct tree_stmt *s)
{
    struct llvm_variable *x = llvm_variable(f->emitter, s->var);
    if (s->where == TREE_STATE) {
        allocate_state(f, s);
    } else if (s->where == TREE_HEAP || llvm_on_device(s->where)) {
        llvm_variable_write(f, s->var, (struct llvm_value){ allocate(f, s), NULL });
    } else {
        llvm_variable_write(f, s->var, (struct llvm_value){ stack_memory(f, s), NULL });
        x->private_from = larger(x->private_from, f->groups.count);
    }
}

void llvm_stmt_free(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef memory = llvm_variable_read(f, s->var).v;
    if (llvm_on_device(s->where))
        llvm_device_free(f, s->where, memory);
    else
        llvm_runtime(f, "sdfg_rt_free", (LLVMValueRef[]){ f->context, memory }, 2);
    if (llvm_variable(f->emitter, s->var)->in_memory)
        llvm_variable_write(f, s->var, (struct llvm_value){ LLVMConstNull(f->unit->pointer), NULL });
}
