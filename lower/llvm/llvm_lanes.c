#include "lower/llvm/llvm_lanes.h"

enum { REGISTER = 32, PART = 16 /* bytes: lanes change places easily within a part of a register */ };

struct llvm_lanes llvm_lanes(struct llvm_func *f, const struct type *number, int64_t lanes, int64_t count)
{
    LLVMValueRef bits[LLVM_LANES_MAX];
    for (int64_t i = 0; i < lanes; i++)
        bits[i] = llvm_int(f->unit->i1, i < count);
    LLVMTypeRef type = llvm_type(f->unit, number);
    LLVMValueRef mask = count < lanes ? LLVMConstVector(bits, (unsigned)lanes) : NULL;
    return (struct llvm_lanes){ lanes > 1 ? LLVMVectorType(type, (unsigned)lanes) : type, number->size, mask };
}

LLVMValueRef llvm_lanes_load(struct llvm_func *f, const struct llvm_lanes *s, LLVMValueRef at)
{
    if (s->mask)
        return llvm_masked_load(f, s->type, at, s->mask, s->bytes);
    LLVMValueRef v = LLVMBuildLoad2(f->builder, s->type, at, "");
    LLVMSetAlignment(v, s->bytes);
    return v;
}

void llvm_lanes_store(struct llvm_func *f, const struct llvm_lanes *s, LLVMValueRef v, LLVMValueRef at)
{
    if (s->mask)
        llvm_masked_store(f, v, at, s->mask, s->bytes);
    else
        LLVMSetAlignment(LLVMBuildStore(f->builder, v, at), s->bytes);
}

/* ---- sums of lanes ---- */

static unsigned lanes_of(LLVMValueRef v) { return LLVMGetVectorSize(LLVMTypeOf(v)); }

static LLVMValueRef shuffled(struct llvm_func *f, LLVMValueRef a, LLVMValueRef b, const unsigned *lanes, unsigned n)
{
    LLVMValueRef index[LLVM_LANES_MAX];
    for (unsigned i = 0; i < n; i++)
        index[i] = llvm_int(f->unit->i32, lanes[i]);
    return LLVMBuildShuffleVector(f->builder, a, b, LLVMConstVector(index, n), "");
}

static LLVMValueRef sum_of_shuffled(struct llvm_func *f, LLVMValueRef a, LLVMValueRef b, const unsigned *first,
                                    const unsigned *second, unsigned n)
{
    return LLVMBuildFAdd(f->builder, shuffled(f, a, b, first, n), shuffled(f, a, b, second, n), "");
}

/* The two halves of a vector. */
static LLVMValueRef halves(struct llvm_func *f, LLVMValueRef v)
{
    unsigned n = lanes_of(v) / 2, low[LLVM_LANES_MAX], high[LLVM_LANES_MAX];
    for (unsigned i = 0; i < n; i++) {
        low[i] = i;
        high[i] = n + i;
    }
    return sum_of_shuffled(f, v, v, low, high, n);
}

/* The two halves of each group of lanes, `run` lanes of `a` and `b` in turns. */
static LLVMValueRef folded(struct llvm_func *f, LLVMValueRef a, LLVMValueRef b, unsigned group, unsigned run)
{
    unsigned n = lanes_of(a), first[LLVM_LANES_MAX], second[LLVM_LANES_MAX];
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i % group, from = at / run % 2 ? n : 0;
        first[i] = from + i - at + at / (2 * run) * run + at % run;
        second[i] = first[i] + group / 2;
    }
    return sum_of_shuffled(f, a, b, first, second, n);
}

LLVMValueRef llvm_lanes_sum(struct llvm_func *f, LLVMValueRef v)
{
    while (lanes_of(v) > 2)
        v = halves(f, v);
    LLVMValueRef first = LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 0), "");
    return LLVMBuildFAdd(f->builder, first, LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 1), ""), "");
}

LLVMValueRef llvm_lanes_sums(struct llvm_func *f, const LLVMValueRef *vectors)
{
    LLVMValueRef v[LLVM_LANES_GROUP];
    unsigned bytes = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(vectors[0]))) == LLVMFloatTypeKind ? 4 : 8;
    for (int i = 0; i < LLVM_LANES_GROUP; i++)
        for (v[i] = vectors[i]; lanes_of(v[i]) * bytes > REGISTER;)
            v[i] = halves(f, v[i]);
    LLVMValueRef ab = folded(f, v[0], v[1], PART / bytes, 1), cd = folded(f, v[2], v[3], PART / bytes, 1);
    if (lanes_of(ab) < LLVM_LANES_GROUP)
        return shuffled(f, ab, cd, (unsigned[]){ 0, 1, 2, 3 }, LLVM_LANES_GROUP);
    LLVMValueRef all = folded(f, ab, cd, LLVM_LANES_GROUP, 2);
    while (lanes_of(all) > LLVM_LANES_GROUP)
        all = halves(f, all);
    return all;
}
