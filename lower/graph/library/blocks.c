/* Loops in blocks, for sweeps whose elements should still be in the cache when they come by again. */
#include "lower/graph/library/library.h"

static struct tree_stmt *loop(struct scope *sc, const struct place *place, struct tree_var *v, struct tree_expr *begin,
                              struct tree_expr *end, int64_t step, bool parallel)
{
    struct tree *t = sc->act->lw->tree;
    struct tree_stmt *l = stmt_for(t, sc->block, v, begin, end, expr_i64(t, step));
    l->place = place;
    l->loop.independent = true;
    l->loop.parallel = parallel && !sc->parallel;
    return l->body;
}

struct tree_stmt *library_blocks(struct scope *sc, const struct place *place, const struct sym *size, int64_t step,
                                 bool parallel, struct tree_var **first)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *end = lower_index(lw, place, size);
    *first = tree_var(lw->tree, "block", type_basic(lw->ir, TYPE_I64));
    return end ? loop(sc, place, *first, expr_i64(lw->tree, 0), end, step, parallel) : NULL;
}

struct tree_stmt *library_block(struct scope *sc, const struct place *place, struct tree_var *first, int64_t step,
                                const struct sym *size, const struct sym **index)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct tree_expr *end = lower_index(lw, place, size);
    if (!end)
        return NULL;
    struct tree_expr *after = expr_binary(t, EXPR_ADD, expr_var(t, first), expr_i64(t, step));
    struct tree_var *i = tree_var(t, "i", first->type);
    *index = lower_var_symbol(lw, i);
    return loop(sc, place, i, expr_var(t, first), expr_binary(t, EXPR_MIN, after, end), 1, false);
}
