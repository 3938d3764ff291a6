/* Control flow: the only file that makes basic blocks.
 *
 * Loops are made in the form the optimizer wants: a guard, a preheader, and a body that is tested at its end. */
#include "lower/llvm/llvm_emit.h"

static LLVMBasicBlockRef new_block(struct llvm_func *f, const char *name)
{
    return LLVMAppendBasicBlockInContext(f->unit->context, f->function, name);
}

static LLVMBasicBlockRef current(const struct llvm_func *f) { return LLVMGetInsertBlock(f->builder); }

/* Goes on in `b`, which is moved to the end so that the text reads in order. */
static void continue_in(struct llvm_func *f, LLVMBasicBlockRef b)
{
    LLVMMoveBasicBlockAfter(b, LLVMGetLastBasicBlock(f->function));
    LLVMPositionBuilderAtEnd(f->builder, b);
}

bool llvm_flow_ended(const struct llvm_func *f) { return LLVMGetBasicBlockTerminator(current(f)) != NULL; }

void llvm_flow_restart(struct llvm_func *f) { LLVMPositionBuilderAtEnd(f->builder, new_block(f, "unreached")); }

static void jump(struct llvm_func *f, LLVMBasicBlockRef to)
{
    if (!llvm_flow_ended(f))
        LLVMBuildBr(f->builder, to);
}

void llvm_flow_begin(struct llvm_func *f)
{
    f->entry = new_block(f, "entry");
    f->leave = new_block(f, "leave");
    LLVMPositionBuilderAtEnd(f->unit->allocas, f->entry);
    LLVMPositionBuilderAtEnd(f->builder, new_block(f, "start"));
}

void llvm_flow_finish(struct llvm_func *f)
{
    jump(f, f->leave);
    LLVMBuildBr(f->unit->allocas, LLVMGetNextBasicBlock(f->leave));
    continue_in(f, f->leave);
}

/* ---- expressions ---- */

static LLVMValueRef merge(struct llvm_func *f, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                          LLVMBasicBlockRef from_b)
{
    LLVMValueRef phi = LLVMBuildPhi(f->builder, LLVMTypeOf(a), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){ a, b }, (LLVMBasicBlockRef[]){ from_a, from_b }, 2);
    return phi;
}

struct value llvm_flow_select(struct llvm_func *f, const struct tree_expr *condition, const struct tree_expr *a,
                              const struct tree_expr *b)
{
    LLVMValueRef c = llvm_truth(f, condition->type, llvm_expr(f, condition));
    LLVMBasicBlockRef yes = new_block(f, "yes"), no = new_block(f, "no"), end = new_block(f, "chosen");
    LLVMBuildCondBr(f->builder, c, yes, no);
    continue_in(f, yes);
    llvm_branch_begin(f);
    struct value x = llvm_expr(f, a);
    llvm_branch_end(f);
    yes = current(f);
    LLVMBuildBr(f->builder, end);
    continue_in(f, no);
    llvm_branch_begin(f);
    struct value y = llvm_expr(f, b);
    llvm_branch_end(f);
    no = current(f);
    LLVMBuildBr(f->builder, end);
    continue_in(f, end);
    struct value r = { merge(f, x.v, yes, y.v, no), NULL };
    if (x.im)
        r.im = merge(f, x.im, yes, y.im, no);
    return r;
}

struct value llvm_flow_logical(struct llvm_func *f, const struct tree_expr *e)
{
    bool is_and = e->op == EXPR_LOGICAL_AND;
    LLVMValueRef a = llvm_expr(f, e->args[0]).v;
    LLVMBasicBlockRef first = current(f), second = new_block(f, "also"), end = new_block(f, "decided");
    LLVMBuildCondBr(f->builder, a, is_and ? second : end, is_and ? end : second);
    continue_in(f, second);
    llvm_branch_begin(f);
    LLVMValueRef b = llvm_expr(f, e->args[1]).v;
    llvm_branch_end(f);
    second = current(f);
    LLVMBuildBr(f->builder, end);
    continue_in(f, end);
    return (struct value){ merge(f, llvm_int(f->unit->i1, !is_and), first, b, second), NULL };
}

/* ---- branches ---- */

struct llvm_if llvm_flow_if(struct llvm_func *f, LLVMValueRef condition)
{
    struct llvm_if i = { new_block(f, "else"), new_block(f, "endif") };
    LLVMBasicBlockRef then = new_block(f, "then");
    LLVMBuildCondBr(f->builder, condition, then, i.otherwise);
    continue_in(f, then);
    return i;
}

void llvm_flow_else(struct llvm_func *f, struct llvm_if *i)
{
    jump(f, i->end);
    continue_in(f, i->otherwise);
    i->otherwise = NULL;
}

void llvm_flow_end(struct llvm_func *f, struct llvm_if *i)
{
    if (i->otherwise)
        llvm_flow_else(f, i);
    jump(f, i->end);
    continue_in(f, i->end);
}

void llvm_stmt_if(struct llvm_func *f, const struct tree_stmt *s)
{
    struct llvm_if i = llvm_flow_if(f, llvm_truth(f, s->value->type, llvm_expr(f, s->value)));
    llvm_stmt(f, s->body);
    llvm_flow_else(f, &i);
    if (s->otherwise)
        llvm_stmt(f, s->otherwise);
    llvm_flow_end(f, &i);
}

struct llvm_retry llvm_flow_retry(struct llvm_func *f, LLVMValueRef first)
{
    struct llvm_retry r = { new_block(f, "retry"), NULL };
    LLVMBasicBlockRef before = current(f);
    LLVMBuildBr(f->builder, r.again);
    continue_in(f, r.again);
    r.old = LLVMBuildPhi(f->builder, LLVMTypeOf(first), "old");
    LLVMAddIncoming(r.old, &first, &before, 1);
    return r;
}

void llvm_flow_retry_end(struct llvm_func *f, struct llvm_retry *r, LLVMValueRef old, LLVMValueRef done)
{
    LLVMBasicBlockRef from = current(f), end = new_block(f, "replaced");
    LLVMBuildCondBr(f->builder, done, end, r->again);
    LLVMAddIncoming(r->old, &old, &from, 1);
    continue_in(f, end);
}

struct llvm_repeat llvm_flow_repeat(struct llvm_func *f, int64_t rounds, LLVMValueRef *values, unsigned n)
{
    struct llvm_repeat r = { .again = new_block(f, "repeat"), .rounds = rounds };
    LLVMBasicBlockRef before = current(f);
    LLVMValueRef zero = llvm_int(f->unit->i64, 0);
    r.phis = NEW_ARRAY(f->emitter->arena, LLVMValueRef, n);
    LLVMBuildBr(f->builder, r.again);
    continue_in(f, r.again);
    r.round = LLVMBuildPhi(f->builder, f->unit->i64, "round");
    LLVMAddIncoming(r.round, &zero, &before, 1);
    for (unsigned i = 0; i < n; i++) {
        r.phis[i] = LLVMBuildPhi(f->builder, LLVMTypeOf(values[i]), "");
        LLVMAddIncoming(r.phis[i], &values[i], &before, 1);
        values[i] = r.phis[i];
    }
    return r;
}

void llvm_flow_repeat_end(struct llvm_func *f, struct llvm_repeat *r, LLVMValueRef *values, unsigned n)
{
    LLVMBasicBlockRef from = current(f), end = new_block(f, "repeated");
    LLVMValueRef next = LLVMBuildAdd(f->builder, r->round, llvm_int(f->unit->i64, 1), "");
    LLVMValueRef more = LLVMBuildICmp(f->builder, LLVMIntULT, next, llvm_int(f->unit->i64, r->rounds), "");
    LLVMBuildCondBr(f->builder, more, r->again, end);
    LLVMAddIncoming(r->round, &next, &from, 1);
    for (unsigned i = 0; i < n; i++)
        LLVMAddIncoming(r->phis[i], &values[i], &from, 1);
    continue_in(f, end);
}

/* ---- jumps ---- */

static void leave_function(struct llvm_func *f)
{
    if (f->critical)
        llvm_runtime(f, "sdfg_rt_critical_end", &f->context, 1);
    if (f->early)
        LLVMBuildStore(f->builder, llvm_int(f->unit->i1, 1), f->early);
    LLVMBuildBr(f->builder, f->leave);
}

void llvm_flow_return_if(struct llvm_func *f, LLVMValueRef condition)
{
    struct llvm_if i = llvm_flow_if(f, condition);
    leave_function(f);
    llvm_flow_end(f, &i);
}

static LLVMBasicBlockRef label_block(struct llvm_func *f, const struct tree_label *l)
{
    LLVMBasicBlockRef b = map_get(&f->labels, l);
    if (!b) {
        b = new_block(f, l->name ? l->name : "label");
        map_put(f->emitter->arena, &f->labels, l, b);
    }
    return b;
}

void llvm_stmt_jump(struct llvm_func *f, const struct tree_stmt *s)
{
    if (s->kind == STMT_RETURN) {
        leave_function(f);
        return;
    }
    if (s->kind == STMT_GOTO) {
        LLVMBuildBr(f->builder, label_block(f, s->label));
        return;
    }
    if (!f->loop) {
        llvm_bug(f, "break or continue without a loop");
        return;
    }
    if (f->critical && !f->loop->critical)
        llvm_runtime(f, "sdfg_rt_critical_end", &f->context, 1);
    LLVMBuildBr(f->builder, s->kind == STMT_BREAK ? f->loop->leave : f->loop->next);
}

void llvm_stmt_label(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMBasicBlockRef b = label_block(f, s->label);
    jump(f, b);
    continue_in(f, b);
}

/* ---- loops ---- */

struct loop {
    struct llvm_loop targets;
    LLVMBasicBlockRef ahead, body; /* ahead: the preheader */
    LLVMMetadataRef location;      /* for remarks */
};

/* From here on the code of the body is emitted. `guard`: whether there is a first round, or NULL if there always is. */
static void begin_loop(struct llvm_func *f, struct loop *l, const struct tree_loop *facts, LLVMValueRef guard)
{
    l->ahead = new_block(f, "ahead");
    l->body = new_block(f, "loop");
    l->targets = (struct llvm_loop){
        .outer = f->loop, .leave = new_block(f, "done"), .next = new_block(f, "next"), .critical = f->critical
    };
    if (guard && !(LLVMIsAConstantInt(guard) && LLVMConstIntGetZExtValue(guard)))
        LLVMBuildCondBr(f->builder, guard, l->ahead, l->targets.leave);
    else
        LLVMBuildBr(f->builder, l->ahead);
    continue_in(f, l->ahead);
    LLVMBuildBr(f->builder, l->body);
    continue_in(f, l->body);
    f->loop = &l->targets;
    l->location = llvm_debug_here(f);
    llvm_meta_loop_begin(f, facts);
}

/* Emits the end of a round: the code between the two calls computes the condition for another one. */
static void begin_next(struct llvm_func *f, struct loop *l)
{
    jump(f, l->targets.next);
    continue_in(f, l->targets.next);
    f->loop = l->targets.outer;
    llvm_expr_begin(f);
}

/* `goes`: whether little is left of it, if little is left of the loops in it. `few`: its iterations replace it. */
static void end_loop(struct llvm_func *f, struct loop *l, const struct tree_loop *facts, LLVMValueRef again, bool goes,
                     bool few)
{
    LLVMValueRef back = LLVMBuildCondBr(f->builder, again, l->body, l->targets.leave);
    llvm_meta_loop_end(f, facts, back, l->targets.has_loops, few, l->location);
    if (l->targets.outer && (!goes || l->targets.has_loops))
        l->targets.outer->has_loops = true;
    continue_in(f, l->targets.leave);
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
    LLVMBasicBlockRef here = current(f);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(f->builder);
    LLVMPositionBuilderBefore(f->builder, LLVMGetFirstInstruction(l->body));
    struct llvm_multiple m = { e->args[1]->i, LLVMBuildPhi(f->builder, f->unit->i64, "") };
    LLVMPositionBuilderAtEnd(f->builder, here);
    LLVMSetCurrentDebugLocation2(f->builder, location);
    vec_push(f->emitter->arena, &l->multiples, m);
    return m.phi;
}

/* Ends a round: all multiples go on as the variable does. */
static void step_multiples(struct llvm_func *f, const struct loop *l, LLVMValueRef begin, int64_t step)
{
    for (uint32_t i = 0; i < l->targets.multiples.count; i++) {
        const struct llvm_multiple *m = &l->targets.multiples.items[i];
        LLVMBasicBlockRef here = current(f);
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
           !llvm_contains(s->body, STMT_FOR) && !llvm_contains(s->body, STMT_LABEL);
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
           llvm_contains(s->body, STMT_REDUCE) && !llvm_contains(s->body, STMT_FOR);
}

void llvm_stmt_for(struct llvm_func *f, const struct tree_stmt *s)
{
    bool in_memory = llvm_variable(f->emitter, s->var)->in_memory;
    bool labels = in_memory && llvm_contains(s->body, STMT_LABEL);
    LLVMIntPredicate less = type_is_signed(s->var->type) ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef begin = llvm_expr(f, s->begin).v;
    struct kept end = keep(f, llvm_expr(f, s->end).v, labels), step = keep(f, llvm_expr(f, s->step).v, labels);
    struct loop l;
    if (in_memory)
        llvm_variable_write(f, s->var, (struct value){ begin, NULL });
    begin_loop(f, &l, &s->loop, LLVMBuildICmp(f->builder, less, begin, end.value, ""));
    LLVMValueRef phi = NULL;
    if (!in_memory) {
        phi = LLVMBuildPhi(f->builder, LLVMTypeOf(begin), s->var->name);
        LLVMAddIncoming(phi, &begin, &l.ahead, 1);
        llvm_variable_write(f, s->var, (struct value){ phi, NULL });
        l.targets.var = counts_multiples(s) ? s->var : NULL;
        l.targets.body = l.body;
    }
    llvm_stmt(f, s->body);
    begin_next(f, &l);
    step_multiples(f, &l, begin, s->step->i);
    LLVMValueRef next = increment(f, s, begin, llvm_variable_read(f, s->var).v, kept_value(f, &step));
    if (in_memory)
        llvm_variable_write(f, s->var, (struct value){ next, NULL });
    else
        LLVMAddIncoming(phi, &next, (LLVMBasicBlockRef[]){ current(f) }, 1);
    int64_t trips = trip_count(begin, end.value, step.value);
    bool few = are_few_sums(f, s, trips);
    end_loop(f, &l, &s->loop, LLVMBuildICmp(f->builder, less, next, kept_value(f, &end), ""), few || unrolls(trips),
             few);
}

void llvm_stmt_while(struct llvm_func *f, const struct tree_stmt *s)
{
    struct loop l;
    begin_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)));
    llvm_stmt(f, s->body);
    begin_next(f, &l);
    end_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)), false, false);
}

void llvm_stmt_do(struct llvm_func *f, const struct tree_stmt *s)
{
    struct loop l;
    begin_loop(f, &l, &s->loop, NULL);
    llvm_stmt(f, s->body);
    begin_next(f, &l);
    end_loop(f, &l, &s->loop, llvm_truth(f, s->value->type, llvm_expr(f, s->value)), false, false);
}
