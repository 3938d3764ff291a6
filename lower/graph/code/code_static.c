/* Variables of C++ that outlive the tasklet: they lie in the program's state. */
#include "lower/graph/code/code_gen.h"

/* A pointer to `type`, `bytes` behind the beginning of the state. */
static struct tree_expr *in_state(struct code_gen *g, const struct type *type, int64_t bytes)
{
    struct tree_expr *state = expr_slot(g->t, TREE_PROGRAM_STATE, type_pointer(g->ir, code_basic(g, TYPE_U8)));
    return expr_cast(g->t, type_pointer(g->ir, type), expr_offset(g->t, state, expr_i64(g->t, bytes)));
}

/* One thread gives the value, the others wait for it. */
static bool once(struct code_gen *g, const struct code *c)
{
    const struct type *word = code_basic(g, TYPE_I64);
    struct tree_expr *flag = in_state(g, word, c->i - (int64_t)word->size), *zero = expr_i64(g->t, 0);
    struct tree_stmt *critical = stmt_new(g->t, g->out, STMT_CRITICAL);
    critical->body = stmt_block(g->t);
    struct tree_expr *first = expr_binary(g->t, EXPR_EQ, expr_load(g->t, word, flag, zero, 0), zero);
    struct tree_stmt *s = stmt_if(g->t, critical->body, first);
    bool good = code_in_block(g, c->items[0], s->body);
    stmt_store(g->t, s->body, flag, zero, expr_i64(g->t, 1), 0);
    return good;
}

bool code_static(struct code_gen *g, const struct code *c)
{
    const struct type *type = c->u ? c->type->elem : c->type;
    struct tree_var *v = tree_var(g->t, c->name, type_pointer(g->ir, type));
    stmt_assign(g->t, g->out, v, in_state(g, type, c->i))->place = g->s->place;
    struct lvalue p = { .kind = c->u ? LVALUE_ARRAY : LVALUE_MEMORY, .type = type, .pointer = expr_var(g->t, v) };
    p.index = c->u ? NULL : expr_i64(g->t, 0);
    code_add_local(g, c->name, p);
    return !c->count || once(g, c);
}
