/* Vectors as long as the machine's: masks, the lanes of a mask in memory, what all lanes give together. */
#include "lower/llvm/llvm_emit.h"

#include <string.h>

/* An intrinsic with an address (or a vector of them) as its argument number `at`. Up to LLVM 21 the alignment is the
 * argument behind it, from 22 on an attribute of it. */
static LLVMValueRef masked(struct llvm_func *f, const char *name, LLVMTypeRef type, const LLVMValueRef *args,
                           unsigned n, unsigned at, unsigned bytes)
{
    LLVMTypeRef overloads[] = { type, LLVMTypeOf(args[at]) };
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(f->unit->module, id, overloads, 2), all[4];
    bool argument = LLVMCountParams(function) > n;
    for (unsigned i = 0, to = 0; i < n; i++) {
        all[to++] = args[i];
        if (argument && i == at)
            all[to++] = llvm_int(f->unit->i32, bytes);
    }
    LLVMValueRef call = LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(function), function, all, n + argument, "");
    if (!argument)
        LLVMSetInstrParamAlignment(call, at + 1, bytes);
    return call;
}

LLVMValueRef llvm_masked_load(struct llvm_func *f, LLVMTypeRef type, LLVMValueRef at, LLVMValueRef mask, unsigned bytes)
{
    bool gather = llvm_is_vector(LLVMTypeOf(at));
    LLVMValueRef args[] = { at, mask, LLVMConstNull(type) };
    return masked(f, gather ? "llvm.masked.gather" : "llvm.masked.load", type, args, 3, 0, bytes);
}

LLVMValueRef llvm_masked_store(struct llvm_func *f, LLVMValueRef v, LLVMValueRef at, LLVMValueRef mask, unsigned bytes)
{
    bool scatter = llvm_is_vector(LLVMTypeOf(at));
    LLVMValueRef args[] = { v, at, mask };
    return masked(f, scatter ? "llvm.masked.scatter" : "llvm.masked.store", LLVMTypeOf(v), args, 3, 1, bytes);
}

/* Term by term, the constant first and then from left to right: what does not change in the loop is added outside of
 * it. Nothing says that the address of a lane that is not active lies in the array. */
static LLVMValueRef address(struct llvm_func *f, const struct type *elem, LLVMValueRef at,
                            const struct tree_expr *index)
{
    if (index->op == EXPR_ADD && index->type->kind != TYPE_VECTOR) {
        bool constant = index->args[1]->op == EXPR_INT;
        at = address(f, elem, at, index->args[constant]);
        return address(f, elem, at, index->args[!constant]);
    }
    LLVMValueRef i = llvm_expr(f, index).v;
    return LLVMBuildGEP2(f->builder, llvm_type_memory(f->unit, elem), at, &i, 1, "");
}

/* Where lanes lie in memory: `at` is the address of lane 0 or those of all. */
struct lane_place {
    const struct type *type;
    LLVMValueRef at, mask, at_imaginary;
    bool indexed;
};

/* The parts of complex lanes that are neighbours are neighbours, under a mask with two lanes for each; elsewhere each
 * part has its own addresses. */
static struct lane_place place_of(struct llvm_func *f, const struct type *t, LLVMValueRef at, LLVMValueRef mask)
{
    struct lane_place p = { .type = t, .at = at, .mask = mask, .indexed = llvm_is_vector(LLVMTypeOf(at)) };
    if (!type_is_complex(t->elem))
        return p;
    LLVMValueRef one = llvm_int(f->unit->i64, 1);
    if (p.indexed)
        p.at_imaginary = LLVMBuildGEP2(f->builder, llvm_type(f->unit, t->elem), at, &one, 1, "");
    else
        p.mask = llvm_interleave(f, mask, mask);
    return p;
}

static LLVMTypeRef type_at(struct llvm_func *f, const struct lane_place *p)
{
    const struct type *elem = p->type->elem;
    if (!type_is_complex(elem))
        return llvm_with_lanes(llvm_type(f->unit, p->type), llvm_type_memory(f->unit, elem));
    LLVMTypeRef part = llvm_type(f->unit, p->type);
    return p->indexed ? part : llvm_with_pairs(part);
}

static LLVMValueRef load_part(struct llvm_func *f, const struct lane_place *p, LLVMValueRef at,
                              const struct tree_expr *e)
{
    LLVMValueRef v = llvm_masked_load(f, type_at(f, p), at, p->mask, p->type->elem->align);
    llvm_meta_access(f, v, e->alias, llvm_private_from(f, e->args[0]));
    return v;
}

struct llvm_value llvm_expr_masked(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMValueRef at = address(f, e->type->elem, llvm_expr(f, e->args[0]).v, e->args[1]);
    struct lane_place p = place_of(f, e->type, at, llvm_expr(f, e->args[2]).v);
    LLVMValueRef v = load_part(f, &p, at, e);
    return p.at_imaginary ? (struct llvm_value){ v, load_part(f, &p, p.at_imaginary, e) }
                          : llvm_from_memory(f, e->type, v);
}

static void store_part(struct llvm_func *f, const struct lane_place *p, LLVMValueRef v, LLVMValueRef at,
                       const struct tree_stmt *s)
{
    LLVMValueRef store = llvm_masked_store(f, v, at, p->mask, p->type->elem->align);
    llvm_meta_access(f, store, s->alias, llvm_private_from(f, s->pointer));
}

void llvm_stmt_masked(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct type *type = s->value->type;
    struct llvm_value v = llvm_expr(f, s->value);
    LLVMValueRef at = address(f, type->elem, llvm_expr(f, s->pointer).v, s->index);
    struct lane_place p = place_of(f, type, at, llvm_expr(f, s->mask).v);
    store_part(f, &p, p.at_imaginary ? v.v : llvm_to_memory(f, type, v), at, s);
    if (p.at_imaginary)
        store_part(f, &p, v.im, p.at_imaginary, s);
}

/* ---- lanes ---- */

struct llvm_value llvm_expr_vscale(struct llvm_func *f, const struct tree_expr *e)
{
    (void)e;
    return (struct llvm_value){ llvm_vscale(f), NULL };
}

struct llvm_value llvm_expr_steps(struct llvm_func *f, const struct tree_expr *e)
{
    LLVMTypeRef type = llvm_type(f->unit, e->type);
    LLVMValueRef first = llvm_splat(f, type, llvm_expr(f, e->args[0]).v);
    LLVMValueRef step = llvm_splat(f, type, llvm_expr(f, e->args[1]).v);
    LLVMValueRef lane = llvm_intrinsic(f, "llvm.stepvector", type, NULL, 0);
    return (struct llvm_value){ LLVMBuildAdd(f->builder, first, LLVMBuildMul(f->builder, lane, step, ""), ""), NULL };
}

struct llvm_value llvm_expr_active(struct llvm_func *f, const struct tree_expr *e)
{
    static const char name[] = "llvm.get.active.lane.mask";
    LLVMTypeRef overloads[] = { llvm_type(f->unit, e->type), f->unit->i64 };
    LLVMValueRef args[] = { llvm_expr(f, e->args[0]).v, llvm_expr(f, e->args[1]).v };
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(f->unit->module, id, overloads, 2);
    return (struct llvm_value){ LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(function), function, args, 2, ""),
                                NULL };
}

static const char *combination(enum expr_op op, const struct type *t)
{
    bool real = type_is_float(t), with_sign = type_is_signed(t);
    switch (op) {
    case EXPR_LANES_SUM:
        return "llvm.vector.reduce.add";
    case EXPR_LANES_MIN:
        return real ? "llvm.vector.reduce.fminimum" : with_sign ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
    case EXPR_LANES_MAX:
        return real ? "llvm.vector.reduce.fmaximum" : with_sign ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
    case EXPR_LANES_AND:
        return "llvm.vector.reduce.and";
    case EXPR_LANES_OR:
        return "llvm.vector.reduce.or";
    default:
        return "llvm.vector.reduce.xor";
    }
}

static LLVMValueRef float_sum(struct llvm_func *f, LLVMValueRef first, LLVMValueRef lanes)
{
    return llvm_intrinsic(f, "llvm.vector.reduce.fadd", LLVMTypeOf(lanes), (LLVMValueRef[]){ first, lanes }, 2);
}

static LLVMValueRef any_order_sum(struct llvm_func *f, LLVMValueRef lanes)
{
    LLVMValueRef v = float_sum(f, llvm_const_float(LLVMGetElementType(LLVMTypeOf(lanes)), -0.0), lanes);
    LLVMSetFastMathFlags(v, LLVMFastMathAllowReassoc);
    return v;
}

struct llvm_value llvm_expr_lanes(struct llvm_func *f, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    struct llvm_value v = llvm_expr(f, e->args[0]);
    if (e->op == EXPR_LANES_SUM && (type_is_float(t->elem) || v.im))
        return (struct llvm_value){ any_order_sum(f, v.v), v.im ? any_order_sum(f, v.im) : NULL };
    return (struct llvm_value){ llvm_intrinsic(f, combination(e->op, t->elem), LLVMTypeOf(v.v), &v.v, 1), NULL };
}

/* An integer as wide as a lane of such vectors. */
static LLVMTypeRef lane_type(struct llvm_func *f, const struct type *vector)
{
    return LLVMIntTypeInContext(f->unit->context, VSCALE_BYTES * 8 / vector->lanes);
}

struct llvm_value llvm_expr_lanes_count(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value mask = llvm_expr(f, e->args[0]);
    LLVMTypeRef lane = e->args[0]->type->lanes > 4 ? f->unit->i32 : lane_type(f, e->args[0]->type);
    LLVMTypeRef lanes = llvm_with_lanes(LLVMTypeOf(mask.v), lane);
    LLVMValueRef ones = LLVMBuildZExt(f->builder, mask.v, lanes, "");
    LLVMValueRef count = llvm_intrinsic(f, "llvm.vector.reduce.add", lanes, &ones, 1);
    return (struct llvm_value){ LLVMBuildZExt(f->builder, count, f->unit->i64, ""), NULL };
}

/* Lanes of less than their width are widened: instructions move whole lanes. */
static LLVMValueRef compact(struct llvm_func *f, const struct type *t, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(v), element = LLVMGetElementType(type), wide = llvm_with_lanes(type, lane_type(f, t));
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(element)
                    : kind == LLVMDoubleTypeKind ? 64
                    : kind == LLVMFloatTypeKind  ? 32
                                                 : 16;
    LLVMTypeRef integers = llvm_with_lanes(type, LLVMIntTypeInContext(f->unit->context, bits));
    LLVMValueRef lanes = LLVMBuildBitCast(f->builder, v, integers, "");
    LLVMValueRef args[] = { LLVMBuildZExt(f->builder, lanes, wide, ""), mask, LLVMGetPoison(wide) };
    lanes = llvm_intrinsic(f, "llvm.experimental.vector.compress", wide, args, 3);
    return LLVMBuildBitCast(f->builder, LLVMBuildTrunc(f->builder, lanes, integers, ""), type, "");
}

struct llvm_value llvm_expr_compact(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value v = llvm_expr(f, e->args[0]), mask = llvm_expr(f, e->args[1]);
    v.v = compact(f, e->type, v.v, mask.v);
    v.im = v.im ? compact(f, e->type, v.im, mask.v) : NULL;
    return v;
}

struct llvm_value llvm_expr_ordered(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_value first = llvm_expr(f, e->args[0]), v = llvm_expr(f, e->args[1]);
    return (struct llvm_value){ float_sum(f, first.v, v.v), v.im ? float_sum(f, first.im, v.im) : NULL };
}
