/* Conflict resolution: memory combined with a value, as one step if other threads may do the same. */
#include "lower/llvm/llvm_emit.h"

/* ---- combining ---- */

static const struct type *truth_type(struct llvm_func *f, const struct type *t)
{
    struct ir *ir = f->emitter->tree->ir;
    const struct type *scalar = type_basic(ir, TYPE_BOOL);
    return t->kind == TYPE_VECTOR ? type_vector(ir, scalar, t->lanes, NULL) : scalar;
}

static struct llvm_value combine_truths(struct llvm_func *f, enum expr_op op, const struct type *t,
                                        struct llvm_value old, struct llvm_value new)
{
    const struct type *truth = truth_type(f, t);
    struct llvm_value a = { llvm_truth(f, t, old), NULL }, b = { llvm_truth(f, t, new), NULL };
    return llvm_cast(f, t, truth, llvm_binary(f, op, truth, a, b));
}

static struct llvm_value combine(struct llvm_func *f, enum wcr_kind wcr, const struct type *t, struct llvm_value old,
                                 struct llvm_value new)
{
    switch (wcr) {
    case WCR_SUM:
        return llvm_binary(f, EXPR_ADD, t, old, new);
    case WCR_PRODUCT:
        return llvm_binary(f, EXPR_MUL, t, old, new);
    case WCR_MIN:
        return llvm_binary(f, EXPR_MIN, t, old, new);
    case WCR_MAX:
        return llvm_binary(f, EXPR_MAX, t, old, new);
    case WCR_BIT_AND:
        return llvm_binary(f, EXPR_AND, t, old, new);
    case WCR_BIT_OR:
        return llvm_binary(f, EXPR_OR, t, old, new);
    case WCR_BIT_XOR:
        return llvm_binary(f, EXPR_XOR, t, old, new);
    case WCR_LOGICAL_AND:
        return combine_truths(f, EXPR_AND, t, old, new);
    case WCR_LOGICAL_OR:
        return combine_truths(f, EXPR_OR, t, old, new);
    case WCR_LOGICAL_XOR:
        return combine_truths(f, EXPR_XOR, t, old, new);
    case WCR_EXCHANGE:
        return new;
    case WCR_NONE:
    case WCR_CUSTOM:
        break;
    }
    llvm_bug(f, "a reduction without a built-in operation");
    return new;
}

/* ---- atomic ---- */

static bool int_instruction(enum wcr_kind wcr, bool is_signed, LLVMAtomicRMWBinOp *op)
{
    switch (wcr) {
    case WCR_SUM:
        *op = LLVMAtomicRMWBinOpAdd;
        return true;
    case WCR_MIN:
        *op = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
        return true;
    case WCR_MAX:
        *op = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
        return true;
    case WCR_BIT_AND:
        *op = LLVMAtomicRMWBinOpAnd;
        return true;
    case WCR_BIT_OR:
        *op = LLVMAtomicRMWBinOpOr;
        return true;
    case WCR_BIT_XOR:
        *op = LLVMAtomicRMWBinOpXor;
        return true;
    case WCR_EXCHANGE:
        *op = LLVMAtomicRMWBinOpXchg;
        return true;
    default:
        return false;
    }
}

static bool bool_instruction(enum wcr_kind wcr, LLVMAtomicRMWBinOp *op)
{
    switch (wcr) {
    case WCR_SUM:
    case WCR_MAX:
    case WCR_LOGICAL_OR:
    case WCR_BIT_OR:
        *op = LLVMAtomicRMWBinOpOr;
        return true;
    case WCR_PRODUCT:
    case WCR_MIN:
    case WCR_LOGICAL_AND:
    case WCR_BIT_AND:
        *op = LLVMAtomicRMWBinOpAnd;
        return true;
    case WCR_LOGICAL_XOR:
    case WCR_BIT_XOR:
        *op = LLVMAtomicRMWBinOpXor;
        return true;
    case WCR_EXCHANGE:
        *op = LLVMAtomicRMWBinOpXchg;
        return true;
    default:
        return false;
    }
}

static bool instruction(enum wcr_kind wcr, const struct type *t, LLVMAtomicRMWBinOp *op)
{
    if (t->kind == TYPE_BOOL)
        return bool_instruction(wcr, op);
    if (type_is_integer(t))
        return int_instruction(wcr, type_is_signed(t), op);
    if (t->kind != TYPE_F32 && t->kind != TYPE_F64 && !(type_is_complex(t) && wcr == WCR_SUM))
        return false;
    *op = wcr == WCR_SUM ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpXchg;
    return wcr == WCR_SUM || wcr == WCR_EXCHANGE;
}

static void atomic_instruction(struct llvm_func *f, const struct tree_stmt *s, LLVMAtomicRMWBinOp op, LLVMValueRef at,
                               struct llvm_value v)
{
    LLVMAtomicOrdering order = LLVMAtomicOrderingMonotonic;
    LLVMValueRef bytes = v.im ? v.v : llvm_to_memory(f, s->value->type, v);
    llvm_meta_access(f, LLVMBuildAtomicRMW(f->builder, op, at, bytes, order, false), s->alias, UINT32_MAX);
    if (!v.im)
        return;
    LLVMValueRef one = llvm_int(f->unit->i64, 1);
    at = LLVMBuildInBoundsGEP2(f->builder, LLVMTypeOf(v.im), at, &one, 1, "");
    llvm_meta_access(f, LLVMBuildAtomicRMW(f->builder, op, at, v.im, order, false), s->alias, UINT32_MAX);
}

/* Compare-and-swap works on integers of the element's size. */
static bool is_swappable(const struct type *t) { return t->kind >= TYPE_BOOL && t->kind <= TYPE_F64; }

static LLVMTypeRef swap_type(struct llvm_func *f, const struct type *t)
{
    return LLVMIntTypeInContext(f->unit->context, t->size * 8);
}

static struct llvm_retry begin_swap(struct llvm_func *f, const struct type *t, uint32_t alias, LLVMValueRef at)
{
    LLVMValueRef first = LLVMBuildLoad2(f->builder, swap_type(f, t), at, "");
    LLVMSetAlignment(first, t->size);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    llvm_meta_access(f, first, alias, UINT32_MAX);
    return llvm_flow_retry(f, first);
}

static struct llvm_value swapped_out(struct llvm_func *f, const struct type *t, const struct llvm_retry *r)
{
    return llvm_from_memory(f, t, LLVMBuildBitCast(f->builder, r->old, llvm_type_memory(f->unit, t), ""));
}

static void end_swap(struct llvm_func *f, const struct type *t, uint32_t alias, LLVMValueRef at, struct llvm_retry *r,
                     struct llvm_value new)
{
    LLVMValueRef bits = LLVMBuildBitCast(f->builder, llvm_to_memory(f, t, new), swap_type(f, t), "");
    LLVMAtomicOrdering order = LLVMAtomicOrderingMonotonic;
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(f->builder, at, r->old, bits, order, order, false);
    LLVMSetWeak(pair, true);
    llvm_meta_access(f, pair, alias, UINT32_MAX);
    LLVMValueRef seen = LLVMBuildExtractValue(f->builder, pair, 0, "");
    llvm_flow_retry_end(f, r, seen, LLVMBuildExtractValue(f->builder, pair, 1, ""));
}

/* ---- statements ---- */

static void reduce_plain(struct llvm_func *f, const struct tree_stmt *s, LLVMValueRef at, struct llvm_value v)
{
    const struct type *t = s->value->type;
    struct llvm_value old = llvm_load(f, t, at, s->alias, UINT32_MAX);
    f->reassociate = !s->atomic;
    struct llvm_value new = combine(f, s->wcr, t, old, v);
    f->reassociate = false;
    llvm_store(f, t, at, new, s->alias, UINT32_MAX);
}

void llvm_stmt_reduce(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct type *t = s->value->type;
    struct llvm_value v = llvm_expr(f, s->value);
    LLVMValueRef pointer = llvm_expr(f, s->pointer).v;
    LLVMValueRef at = llvm_address(f, t, pointer, llvm_expr(f, s->index).v);
    LLVMAtomicRMWBinOp op;
    if (!s->atomic) {
        reduce_plain(f, s, at, v);
    } else if (instruction(s->wcr, t, &op)) {
        atomic_instruction(f, s, op, at, v);
    } else if (is_swappable(t)) {
        struct llvm_retry r = begin_swap(f, t, s->alias, at);
        end_swap(f, t, s->alias, at, &r, combine(f, s->wcr, t, swapped_out(f, t, &r), v));
    } else {
        llvm_critical_begin(f);
        reduce_plain(f, s, at, v);
        llvm_critical_end(f);
    }
}

/* Can be done several times with the effect of the last time only. */
static bool is_repeatable(struct llvm_func *f, const struct tree_stmt *s)
{
    bool yes = true;
    switch (s->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++)
            yes = yes && is_repeatable(f, s->items.items[i]);
        return yes;
    case STMT_ASSIGN:
        return !llvm_variable(f->emitter, s->var)->in_memory && expr_is_pure(s->value);
    case STMT_IF:
        return expr_is_pure(s->value) && is_repeatable(f, s->body) && (!s->otherwise || is_repeatable(f, s->otherwise));
    default:
        return false;
    }
}

static struct llvm_value updated(struct llvm_func *f, const struct tree_stmt *s, struct llvm_value old)
{
    llvm_variable_write(f, s->var, old);
    if (s->body)
        llvm_stmt(f, s->body);
    llvm_expr_begin(f);
    return llvm_expr(f, s->value);
}

static void update_plain(struct llvm_func *f, const struct tree_stmt *s, LLVMValueRef at)
{
    const struct type *t = s->var->type;
    struct llvm_value new = updated(f, s, llvm_load(f, t, at, s->alias, UINT32_MAX));
    llvm_store(f, t, at, new, s->alias, UINT32_MAX);
}

void llvm_stmt_update(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct type *t = s->var->type;
    LLVMValueRef pointer = llvm_expr(f, s->pointer).v;
    LLVMValueRef at = llvm_address(f, t, pointer, llvm_expr(f, s->index).v);
    if (!s->atomic) {
        update_plain(f, s, at);
    } else if (is_swappable(t) && expr_is_pure(s->value) && (!s->body || is_repeatable(f, s->body))) {
        struct llvm_retry r = begin_swap(f, t, s->alias, at);
        end_swap(f, t, s->alias, at, &r, updated(f, s, swapped_out(f, t, &r)));
    } else {
        llvm_critical_begin(f);
        update_plain(f, s, at);
        llvm_critical_end(f);
    }
}
