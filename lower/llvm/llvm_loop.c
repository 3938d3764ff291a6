/* The loops of the tree, in the form the optimizer wants: a guard, a preheader, and a body that is tested at its end.
 */
#include "lower/llvm/llvm_emit.h"
#include "lower/tree/tree_linear.h"

struct loop_blocks {
    struct llvm_loop targets;
    LLVMBasicBlockRef ahead, body; /* ahead: the preheader */
    LLVMMetadataRef location;      /* for remarks */
    bool vectors;                  /* its code is that of vectors already */
};

/* From here on the code of the body is emitted. `guard`: whether there is a first round, or NULL if there always is. */
static void begin_loop(struct llvm_func *f, struct loop_blocks *l, const struct tree_loop *facts, LLVMValueRef guard)
{
    l->vectors = false;
    l->ahead = llvm_block(f, "ahead");
    l->body = llvm_block(f, "loop");
    l->targets = (struct llvm_loop){
        .outer = f->loop, .leave = llvm_block(f, "done"), .next = llvm_block(f, "next"), .critical = f->critical
    };
    if (guard && !(LLVMIsAConstantInt(guard) && LLVMConstIntGetZExtValue(guard)))
        LLVMBuildCondBr(f->builder, guard, l->ahead, l->targets.leave);
    else
        LLVMBuildBr(f->builder, l->ahead);
    llvm_block_begin(f, l->ahead);
    LLVMBuildBr(f->builder, l->body);
    llvm_block_begin(f, l->body);
    f->loop = &l->targets;
    l->location = llvm_debug_here(f);
    llvm_meta_loop_begin(f, facts);
}

/* Emits the end of a round: the code between the two calls computes the condition for another one. */
static void begin_next(struct llvm_func *f, struct loop_blocks *l, const struct tree_stmt *s)
{
    llvm_block_jump(f, l->targets.next);
    llvm_block_begin(f, l->targets.next);
    f->loop = l->targets.outer;
    llvm_expr_begin(f);
    llvm_cancel_again(f, s);
}

enum { MOST_VECTORIZED = 1 << 14 /* instructions: LLVM's vectorizer takes time by the square of them */ };

/* Blocks of the body are in one row, from its first one on. */
static bool is_too_long(const struct loop_blocks *l)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef b = l->body; b && count <= MOST_VECTORIZED; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && count <= MOST_VECTORIZED; i = LLVMGetNextInstruction(i))
            count++;
    return count > MOST_VECTORIZED;
}

/* An element or a variable, and no arithmetic. */
static bool is_moved(const struct tree_expr *value)
{
    while (value->op == EXPR_CAST)
        value = value->args[0];
    return value->op == EXPR_LOAD || !value->num_args;
}

/* Does the statement move elements, and if it stores them, to places of memory that lie apart in the iterations of the
 * loop, by a distance that is not constant? */
static bool scatters(const struct tree_stmt *loop, const struct tree_stmt *s)
{
    if (s->kind != STMT_STORE)
        return s->kind == STMT_ASSIGN && is_moved(s->value);
    struct linear at;
    int64_t times;
    linear_of(&at, s->index);
    return is_moved(s->value) && at.known && linear_has(&at, loop->var) && !linear_take(&at, loop->var, &times);
}

/* Scatters of x86 processors take longer than one store after the other: they pay for what is computed only. */
static bool only_scatters(const struct llvm_func *f, const struct tree_stmt *loop)
{
    const struct tree_stmt *body = loop->body;
    while (body->kind == STMT_BLOCK && body->items.count == 1)
        body = body->items.items[0];
    bool only = f->unit->x86 && (body->kind == STMT_BLOCK || scatters(loop, body)), stores = body->kind == STMT_STORE;
    for (uint32_t i = 0; only && i < body->items.count; i++) {
        only = scatters(loop, body->items.items[i]);
        stores |= body->items.items[i]->kind == STMT_STORE;
    }
    return only && stores;
}

/* `goes`: whether little is left of it, if little is left of the loops in it. `few`: its iterations replace it. */
static void end_loop(struct llvm_func *f, struct loop_blocks *l, const struct tree_loop *facts, LLVMValueRef again,
                     bool goes, bool few, bool scalar)
{
    LLVMValueRef back = LLVMBuildCondBr(f->builder, again, l->body, l->targets.leave);
    scalar |= !l->vectors && !l->targets.has_loops && is_too_long(l);
    if (l->vectors)
        llvm_meta_vector_loop(f, back);
    else
        llvm_meta_loop_end(f, facts, back, l->targets.has_loops, few, scalar, l->location);
    if (l->targets.outer && (!goes || l->targets.has_loops))
        l->targets.outer->has_loops = true;
    llvm_block_begin(f, l->targets.leave);
}

/* A value computed before the loop for use at its end. A jump to a label in the body may come from outside: then it
 * must be in memory. */
struct kept {
    LLVMValueRef value, slot;
};

static struct kept keep(struct llvm_func *f, LLVMValueRef v, bool in_memory)
{
    struct kept k = { v, NULL };
    if (in_memory && !LLVMIsConstant(v)) {
        k.slot = llvm_alloca(f, LLVMTypeOf(v), "");
        LLVMBuildStore(f->builder, v, k.slot);
    }
    return k;
}

static LLVMValueRef kept_value(struct llvm_func *f, const struct kept *k)
{
    return k->slot ? LLVMBuildLoad2(f->builder, LLVMTypeOf(k->value), k->slot, "") : k->value;
}

static LLVMValueRef increment(struct llvm_func *f, const struct tree_stmt *s, LLVMValueRef begin, LLVMValueRef v,
                              LLVMValueRef step)
{
    LLVMValueRef next = LLVMBuildAdd(f->builder, v, step, "");
    if (!LLVMIsAInstruction(next))
        return next;
    bool is_signed = type_is_signed(s->var->type);
    if (is_signed)
        LLVMSetNSW(next, true);
    if (!is_signed || (LLVMIsAConstantInt(begin) && LLVMConstIntGetSExtValue(begin) >= 0))
        LLVMSetNUW(next, true);
    return next;
}

/* ---- multiples of the variable ---- */

/* The value of `e` if that is the variable of the innermost loop times a constant, else NULL: counted along, as vectors
 * of products of 64-bit integers are slow (on x86-64 without AVX-512 there is no instruction for them, and some
 * processors take many cycles where there is one), and scalar ones take a few cycles, too. */
LLVMValueRef llvm_multiple(struct llvm_func *f, const struct tree_expr *e)
{
    struct llvm_loop *l = f->loop;
    if (!l || !l->var || e->op != EXPR_MUL || e->args[0]->op != EXPR_VAR || e->args[0]->var != l->var ||
        e->args[1]->op != EXPR_INT || e->args[1]->i <= 1 || e->args[1]->i > INT32_MAX ||
        (e->args[1]->i & (e->args[1]->i - 1)) == 0)
        return NULL;
    for (uint32_t i = 0; i < l->multiples.count; i++)
        if (l->multiples.items[i].factor == e->args[1]->i)
            return l->multiples.items[i].phi;
    LLVMBasicBlockRef here = llvm_block_current(f);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(f->builder);
    LLVMPositionBuilderBefore(f->builder, LLVMGetFirstInstruction(l->body));
    struct llvm_multiple m = { e->args[1]->i, LLVMBuildPhi(f->builder, f->unit->i64, "") };
    LLVMPositionBuilderAtEnd(f->builder, here);
    LLVMSetCurrentDebugLocation2(f->builder, location);
    vec_push(f->emitter->arena, &l->multiples, m);
    return m.phi;
}

/* Ends a round: all multiples go on as the variable does. */
static void step_multiples(struct llvm_func *f, const struct loop_blocks *l, LLVMValueRef begin, int64_t step)
{
    for (uint32_t i = 0; i < l->targets.multiples.count; i++) {
        const struct llvm_multiple *m = &l->targets.multiples.items[i];
        LLVMBasicBlockRef here = llvm_block_current(f);
        LLVMPositionBuilderBefore(f->builder, LLVMGetBasicBlockTerminator(l->ahead));
        LLVMValueRef first = LLVMBuildMul(f->builder, begin, llvm_const_int(f->unit->i64, m->factor), "");
        LLVMPositionBuilderAtEnd(f->builder, here);
        LLVMValueRef next = LLVMBuildAdd(f->builder, m->phi, llvm_const_int(f->unit->i64, m->factor * step), "");
        LLVMAddIncoming(m->phi, (LLVMValueRef[]){ first, next }, (LLVMBasicBlockRef[]){ l->ahead, here }, 2);
    }
}

static bool counts_multiples(const struct tree_stmt *s)
{
    return s->var->type->kind == TYPE_I64 && s->step->op == EXPR_INT && s->step->i > 0 && s->step->i < 1 << 16 &&
           !stmt_contains(s->body, STMT_FOR) && !stmt_contains(s->body, STMT_LABEL);
}

/* The number of iterations, if all is known, else -1. */
static int64_t trip_count(LLVMValueRef begin, LLVMValueRef end, LLVMValueRef step)
{
    int64_t span;
    if (!LLVMIsAConstantInt(begin) || !LLVMIsAConstantInt(end) || !LLVMIsAConstantInt(step) ||
        LLVMConstIntGetSExtValue(step) <= 0 ||
        __builtin_sub_overflow(LLVMConstIntGetSExtValue(end), LLVMConstIntGetSExtValue(begin), &span))
        return -1;
    if (span <= 0)
        return 0;
    return span / LLVMConstIntGetSExtValue(step) + (span % LLVMConstIntGetSExtValue(step) != 0);
}

/* Whether a loop of so many iterations (-1: unknown) leaves little behind, if that holds for all loops in it: LLVM
 * replaces it by its iterations, or by whole vectors without a remainder. Unrolling what is around it keeps its values
 * in registers and its addresses constant. Loops around longer ones have copies of those for no gain. */
static bool unrolls(int64_t trips)
{
    enum { VECTORS_MAX = 32 };
    return trips >= 0 && (trips <= LLVM_UNROLLED_MAX || (trips <= VECTORS_MAX && !(trips & (trips - 1))));
}

/* Of so many sums in memory LLVM would make one vector with a mask. What a masked store has written the next load waits
 * for, and the loop around goes through the same sums again; one by one they stay in registers. */
static bool are_few_sums(const struct llvm_func *f, const struct tree_stmt *s, int64_t trips)
{
    enum { MASKED_MAX = 15, LANES = 4 };
    return f->unit->x86 && trips > LLVM_UNROLLED_MAX && trips <= MASKED_MAX && trips % LANES != 0 &&
           stmt_contains(s->body, STMT_REDUCE) && !stmt_contains(s->body, STMT_FOR);
}

/* From one bound to the other is a number of whole vectors. Where the difference of both is what decides, LLVM sees
 * that, too, and leaves out the code for a remainder and for less than a vector. */
static bool is_whole(const struct tree_stmt *s)
{
    return s->loop.vectors == TREE_VECTORS_WHOLE && expr_is_int(s->step, 1) && s->var->type->kind == TYPE_I64;
}

static LLVMValueRef has_rounds(struct llvm_func *f, const struct tree_stmt *s, LLVMValueRef begin, LLVMValueRef end)
{
    if (is_whole(s))
        return LLVMBuildICmp(f->builder, LLVMIntSGT, LLVMBuildSub(f->builder, end, begin, ""),
                             llvm_int(f->unit->i64, 0), "");
    return LLVMBuildICmp(f->builder, type_is_signed(s->var->type) ? LLVMIntSLT : LLVMIntULT, begin, end, "");
}

void llvm_stmt_for(struct llvm_func *f, const struct tree_stmt *s)
{
    bool in_memory = llvm_variable(f->emitter, s->var)->in_memory;
    bool labels = in_memory && stmt_contains(s->body, STMT_LABEL);
    LLVMIntPredicate less = type_is_signed(s->var->type) ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef begin = llvm_expr(f, s->begin).v;
    struct kept end = keep(f, llvm_expr(f, s->end).v, labels), step = keep(f, llvm_expr(f, s->step).v, labels);
    struct loop_blocks l;
    if (in_memory)
        llvm_variable_write(f, s->var, (struct llvm_value){ begin, NULL });
    begin_loop(f, &l, &s->loop, has_rounds(f, s, begin, end.value));
    LLVMValueRef phi = NULL;
    if (!in_memory) {
        phi = LLVMBuildPhi(f->builder, LLVMTypeOf(begin), s->var->name);
        LLVMAddIncoming(phi, &begin, &l.ahead, 1);
        llvm_variable_write(f, s->var, (struct llvm_value){ phi, NULL });
        l.targets.var = counts_multiples(s) ? s->var : NULL;
        l.targets.body = l.body;
    }
    llvm_stmt(f, s->body);
    begin_next(f, &l, s);
    step_multiples(f, &l, begin, s->step->i);
    LLVMValueRef next = increment(f, s, begin, llvm_variable_read(f, s->var).v, kept_value(f, &step));
    if (in_memory)
        llvm_variable_write(f, s->var, (struct llvm_value){ next, NULL });
    else
        LLVMAddIncoming(phi, &next, (LLVMBasicBlockRef[]){ llvm_block_current(f) }, 1);
    int64_t trips = trip_count(begin, end.value, step.value);
    bool few = are_few_sums(f, s, trips);
    LLVMIntPredicate again = is_whole(s) ? LLVMIntNE : less;
    end_loop(f, &l, &s->loop, LLVMBuildICmp(f->builder, again, next, kept_value(f, &end), ""), few || unrolls(trips),
             few, only_scatters(f, s));
}

void llvm_stmt_while(struct llvm_func *f, const struct tree_stmt *s)
{
    struct loop_blocks l;
    begin_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)));
    l.vectors = s->value->op == EXPR_LANE && s->value->args[0]->type->scalable;
    llvm_stmt(f, s->body);
    begin_next(f, &l, s);
    end_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)), false, false, false);
}

void llvm_stmt_do(struct llvm_func *f, const struct tree_stmt *s)
{
    struct loop_blocks l;
    begin_loop(f, &l, &s->loop, NULL);
    llvm_stmt(f, s->body);
    begin_next(f, &l, s);
    end_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)), false, false, false);
}
