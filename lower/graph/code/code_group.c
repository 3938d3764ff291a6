/* What threads of a block do together: calls that lower/graph/threads_split.c takes apart. */
#include "lower/graph/code/code_gen.h"

/* There are threads where a thread has a number. */
static bool in_a_block(struct code_gen *g, const struct code *c)
{
    struct operand o;
    if (!code_lookup(g, intern(g->ir->names, "threadIdx.x"), &o))
        return false;
    return o.kind != OPERAND_NONE ||
           code_unsupported(g, c, "what threads of a block do together, outside of a GPU_ThreadBlock map");
}

struct tree_expr *code_group_reduce(struct code_gen *g, const struct code *c)
{
    if (c->count != 4 || !in_a_block(g, c))
        return NULL;
    struct tree_expr *args[] = { code_eval(g, c->items[3]), code_eval(g, c->items[2]) };
    struct tree_expr *kind = args[0] && args[1] ? code_eval(g, c->items[1]) : NULL;
    if (!kind)
        return NULL;
    if (kind->op != EXPR_INT || args[1]->op != EXPR_INT || !code_wcr_applies((enum wcr_kind)kind->i, args[0]->type))
        return code_unsupported(g, c, "this reduction over the threads of a block");
    args[1] = expr_i64(g->t, args[1]->i);
    struct tree_var *v = tree_var(g->t, "group", args[0]->type);
    struct tree_stmt *s = stmt_call(g->t, g->out, v, CODE_GROUP_REDUCE, args, 2);
    s->wcr = (enum wcr_kind)kind->i;
    s->place = g->s->place;
    return expr_var(g->t, v);
}

bool code_group_barrier(struct code_gen *g, const struct code *c)
{
    if (!in_a_block(g, c))
        return false;
    stmt_call(g->t, g->out, NULL, CODE_GROUP_BARRIER, NULL, 0)->place = g->s->place;
    return true;
}
