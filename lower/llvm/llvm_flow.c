/* Control flow but for the loops of the tree (llvm_loop.c); no other file makes basic blocks. */
#include "lower/llvm/llvm_emit.h"

LLVMBasicBlockRef llvm_block(struct llvm_func *f, const char *name)
{
    return LLVMAppendBasicBlockInContext(f->unit->context, f->function, name);
}

LLVMBasicBlockRef llvm_block_current(const struct llvm_func *f) { return LLVMGetInsertBlock(f->builder); }

void llvm_block_begin(struct llvm_func *f, LLVMBasicBlockRef b)
{
    LLVMMoveBasicBlockAfter(b, LLVMGetLastBasicBlock(f->function));
    LLVMPositionBuilderAtEnd(f->builder, b);
}

bool llvm_flow_ended(const struct llvm_func *f) { return LLVMGetBasicBlockTerminator(llvm_block_current(f)) != NULL; }

void llvm_flow_restart(struct llvm_func *f) { LLVMPositionBuilderAtEnd(f->builder, llvm_block(f, "unreached")); }

void llvm_block_jump(struct llvm_func *f, LLVMBasicBlockRef to)
{
    if (!llvm_flow_ended(f))
        LLVMBuildBr(f->builder, to);
}

void llvm_flow_begin(struct llvm_func *f)
{
    f->entry = llvm_block(f, "entry");
    f->leave = llvm_block(f, "leave");
    LLVMPositionBuilderAtEnd(f->unit->allocas, f->entry);
    LLVMPositionBuilderAtEnd(f->builder, llvm_block(f, "start"));
}

void llvm_flow_finish(struct llvm_func *f)
{
    llvm_block_jump(f, f->leave);
    LLVMBuildBr(f->unit->allocas, LLVMGetNextBasicBlock(f->leave));
    llvm_block_begin(f, f->leave);
}

/* ---- expressions ---- */

static LLVMValueRef merge(struct llvm_func *f, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                          LLVMBasicBlockRef from_b)
{
    LLVMValueRef phi = LLVMBuildPhi(f->builder, LLVMTypeOf(a), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){ a, b }, (LLVMBasicBlockRef[]){ from_a, from_b }, 2);
    return phi;
}

struct llvm_value llvm_flow_select(struct llvm_func *f, const struct tree_expr *condition, const struct tree_expr *a,
                                   const struct tree_expr *b)
{
    LLVMValueRef c = llvm_truth(f, condition->type, llvm_expr(f, condition));
    LLVMBasicBlockRef yes = llvm_block(f, "yes"), no = llvm_block(f, "no"), end = llvm_block(f, "chosen");
    LLVMBuildCondBr(f->builder, c, yes, no);
    llvm_block_begin(f, yes);
    llvm_branch_begin(f);
    struct llvm_value x = llvm_expr(f, a);
    llvm_branch_end(f);
    yes = llvm_block_current(f);
    LLVMBuildBr(f->builder, end);
    llvm_block_begin(f, no);
    llvm_branch_begin(f);
    struct llvm_value y = llvm_expr(f, b);
    llvm_branch_end(f);
    no = llvm_block_current(f);
    LLVMBuildBr(f->builder, end);
    llvm_block_begin(f, end);
    struct llvm_value r = { merge(f, x.v, yes, y.v, no), NULL };
    if (x.im)
        r.im = merge(f, x.im, yes, y.im, no);
    return r;
}

struct llvm_value llvm_flow_logical(struct llvm_func *f, const struct tree_expr *e)
{
    bool is_and = e->op == EXPR_LOGICAL_AND;
    LLVMValueRef a = llvm_expr(f, e->args[0]).v;
    LLVMBasicBlockRef first = llvm_block_current(f), second = llvm_block(f, "also"), end = llvm_block(f, "decided");
    LLVMBuildCondBr(f->builder, a, is_and ? second : end, is_and ? end : second);
    llvm_block_begin(f, second);
    llvm_branch_begin(f);
    LLVMValueRef b = llvm_expr(f, e->args[1]).v;
    llvm_branch_end(f);
    second = llvm_block_current(f);
    LLVMBuildBr(f->builder, end);
    llvm_block_begin(f, end);
    return (struct llvm_value){ merge(f, llvm_int(f->unit->i1, !is_and), first, b, second), NULL };
}

/* ---- branches ---- */

struct llvm_if llvm_flow_if(struct llvm_func *f, LLVMValueRef condition)
{
    struct llvm_if i = { llvm_block(f, "else"), llvm_block(f, "endif") };
    LLVMBasicBlockRef then = llvm_block(f, "then");
    LLVMBuildCondBr(f->builder, condition, then, i.otherwise);
    llvm_block_begin(f, then);
    return i;
}

void llvm_flow_else(struct llvm_func *f, struct llvm_if *i)
{
    llvm_block_jump(f, i->end);
    llvm_block_begin(f, i->otherwise);
    i->otherwise = NULL;
}

void llvm_flow_end(struct llvm_func *f, struct llvm_if *i)
{
    if (i->otherwise)
        llvm_flow_else(f, i);
    llvm_block_jump(f, i->end);
    llvm_block_begin(f, i->end);
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
    struct llvm_retry r = { llvm_block(f, "retry"), NULL };
    LLVMBasicBlockRef before = llvm_block_current(f);
    LLVMBuildBr(f->builder, r.again);
    llvm_block_begin(f, r.again);
    r.old = LLVMBuildPhi(f->builder, LLVMTypeOf(first), "old");
    LLVMAddIncoming(r.old, &first, &before, 1);
    return r;
}

void llvm_flow_retry_end(struct llvm_func *f, struct llvm_retry *r, LLVMValueRef old, LLVMValueRef done)
{
    LLVMBasicBlockRef from = llvm_block_current(f), end = llvm_block(f, "replaced");
    LLVMBuildCondBr(f->builder, done, end, r->again);
    LLVMAddIncoming(r->old, &old, &from, 1);
    llvm_block_begin(f, end);
}

struct llvm_repeat llvm_flow_repeat(struct llvm_func *f, LLVMValueRef rounds, LLVMValueRef *values, unsigned n)
{
    struct llvm_repeat r = { .again = llvm_block(f, "repeat"), .rounds = rounds };
    LLVMBasicBlockRef before = llvm_block_current(f);
    LLVMValueRef zero = llvm_int(f->unit->i64, 0);
    r.phis = NEW_ARRAY(f->emitter->arena, LLVMValueRef, n);
    LLVMBuildBr(f->builder, r.again);
    llvm_block_begin(f, r.again);
    if (f->loop)
        f->loop->has_loops = true;
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
    LLVMBasicBlockRef from = llvm_block_current(f), end = llvm_block(f, "repeated");
    LLVMValueRef next = LLVMBuildAdd(f->builder, r->round, llvm_int(f->unit->i64, 1), "");
    LLVMValueRef more = LLVMBuildICmp(f->builder, LLVMIntULT, next, r->rounds, "");
    LLVMBuildCondBr(f->builder, more, r->again, end);
    LLVMAddIncoming(r->round, &next, &from, 1);
    for (unsigned i = 0; i < n; i++)
        LLVMAddIncoming(r->phis[i], &values[i], &from, 1);
    llvm_block_begin(f, end);
}

/* ---- jumps ---- */

void llvm_flow_return(struct llvm_func *f)
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
    llvm_flow_return(f);
    llvm_flow_end(f, &i);
}

static LLVMBasicBlockRef label_block(struct llvm_func *f, const struct tree_label *l)
{
    LLVMBasicBlockRef b = map_get(&f->labels, l);
    if (!b) {
        b = llvm_block(f, l->name ? l->name : "label");
        map_put(f->emitter->arena, &f->labels, l, b);
    }
    return b;
}

void llvm_stmt_jump(struct llvm_func *f, const struct tree_stmt *s)
{
    if (s->kind == STMT_RETURN) {
        llvm_flow_return(f);
        return;
    }
    if (s->kind == STMT_GOTO) {
        if (map_get(&f->passed, s->label))
            llvm_cancel_point(f);
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
    llvm_block_jump(f, b);
    llvm_block_begin(f, b);
    map_put(f->emitter->arena, &f->passed, s->label, b);
}
