/* Elements that code names, in checked mode: a mark in front of each access, which goes to other memory if it is bad.
 */
#include "lower/graph/code/code_gen.h"
#include "lower/graph/stream.h"
#include "lower/tree/tree_check.h"

static bool loads(const struct tree_expr *e)
{
    bool found = e->op == EXPR_LOAD || e->op == EXPR_CALL;
    for (uint32_t i = 0; i < e->num_args && !found; i++)
        found = loads(e->args[i]);
    return found;
}

struct tree_expr *code_index_once(struct code_gen *g, struct tree_expr *e) { return loads(e) ? code_once(g, e) : e; }

/* The numbers of the mark; an element has the same first and last index. */
static struct tree_expr **numbers_of(struct code_gen *g, const struct lvalue *p)
{
    const struct operand_check *k = p->check;
    struct tree_expr **numbers = NEW_ARRAY(g->arena, struct tree_expr *, CHECK_DIM * k->check->rank + 1);
    for (uint32_t d = 0; d < k->check->rank; d++) {
        const struct operand_dim *dim = &k->dims[d];
        struct tree_expr **to = numbers + CHECK_DIM * d, *low = dim->low;
        if (dim->index >= 0)
            low = expr_binary(g->t, EXPR_ADD, low, expr_binary(g->t, EXPR_MUL, p->check_index[dim->index], dim->step));
        to[CHECK_LOW] = to[CHECK_HIGH] = low;
        to[CHECK_EXTENT] = dim->extent;
        to[CHECK_STRIDE] = dim->stride;
        to[CHECK_STEP] = expr_i64(g->t, 1);
    }
    return numbers;
}

/* The place behind a mark of it; *ok tells whether it is there. */
static struct lvalue marked(struct code_gen *g, const struct lvalue *p, bool read, bool write, struct tree_var **ok)
{
    struct lvalue good = *p;
    struct tree_check *c = NEW(g->arena, struct tree_check);
    *c = *p->check->check;
    c->read = read;
    c->write = write;
    struct tree_expr *index = code_index_once(g, p->index);
    struct tree_expr *at = expr_offset(g->t, p->pointer, index);
    *ok = stmt_check(g->t, g->out, c, at, expr_bool(g->t, true), numbers_of(g, p));
    struct tree_expr *scratch = expr_cast(g->t, p->pointer->type, p->check->scratch);
    good.check = NULL;
    good.pointer = expr_select(g->t, expr_var(g->t, *ok), p->pointer, scratch);
    good.index = expr_select(g->t, expr_var(g->t, *ok), index, expr_i64(g->t, 0));
    return good;
}

struct lvalue code_checked(struct code_gen *g, const struct lvalue *p, bool read, bool write)
{
    struct tree_var *ok;
    return p->kind == LVALUE_MEMORY && p->check ? marked(g, p, read, write, &ok) : *p;
}

struct tree_expr *code_checked_handle(struct code_gen *g, const struct lvalue *p)
{
    struct tree_var *ok;
    if (!p->check)
        return stream_handle(g->t, p->pointer, p->index, p->alias);
    struct lvalue good = marked(g, p, false, false, &ok);
    struct tree_expr *handle = stream_handle(g->t, good.pointer, good.index, good.alias);
    return expr_select(g->t, expr_var(g->t, ok), handle,
                       expr_null(g->t, handle->type)); /* the other memory has anything */
}
