/* Nests for tiles in other words: with variables for memory of one element, and with counters that count on from each
 * other. What is changed is a copy. */
#include "lower/opt/device/offload_tile.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"

/* The loops, one in the other, around a copy of the innermost body. */
static struct tree_stmt *const *copies_of(struct tree *t, struct tree_stmt *const *loops, uint32_t num_loops)
{
    struct tree_stmt **copies = NEW_ARRAY(t->arena, struct tree_stmt *, num_loops), *inner = NULL;
    for (uint32_t i = 0; i < num_loops; i++) {
        copies[i] = inner = arena_copy(t->arena, loops[i], sizeof *loops[i]);
        inner->body = stmt_block(t);
        if (i > 0)
            stmt_append(t, copies[i - 1]->body, inner);
    }
    inner->body = stmt_clone(t, loops[num_loops - 1]->body);
    return copies;
}

/* ---- memory of one element ---- */

struct tile_cells {
    struct tree *tree;
    struct map vars; /* struct tree_var * of the address -> struct tree_var * in its place */
    bool strict, good;
};

static struct tree_var *cell_of(const struct tile_cells *w, const struct tree_expr *pointer,
                                const struct tree_expr *index)
{
    return pointer->op == EXPR_VAR && expr_is_int(index, 0) ? map_get(&w->vars, pointer->var) : NULL;
}

static struct tree_expr *load_variable(void *user, struct tree_expr *e)
{
    struct tile_cells *w = user;
    struct tree_var *v = e->op == EXPR_LOAD ? cell_of(w, e->args[0], e->args[1]) : NULL;
    return v && v->type == e->type ? expr_var(w->tree, v) : e;
}

static void see_address(void *user, struct tree_expr *e)
{
    struct tile_cells *w = user;
    w->good &= e->op != EXPR_VAR || !map_has(&w->vars, e->var);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_address, user); }

static bool use_variables(void *user, struct tree_stmt *s)
{
    struct tile_cells *w = user;
    struct tree *t = w->tree;
    bool stores = s->kind == STMT_STORE || s->kind == STMT_REDUCE;
    struct tree_var *v = stores ? cell_of(w, s->pointer, s->index) : NULL;
    stmt_rewrite(t, s, load_variable, w);
    if (v && v->type == s->value->type && (s->kind == STMT_STORE || reduce_can_accumulate(s->wcr, v->type))) {
        struct tree_expr *value =
            s->kind == STMT_STORE ? s->value : reduce_combine(t, s->wcr, expr_var(t, v), s->value);
        struct tree_stmt *assign = stmt_assign(t, stmt_block(t), v, value);
        assign->place = s->place;
        assign->reassociate = s->kind == STMT_REDUCE && !w->strict;
        *s = *assign;
    }
    stmt_each_expr(s, see_operand, w);
    return true;
}

struct tree_stmt *const *offload_tile_variables(struct tree *t, struct tree_stmt *const *loops, uint32_t num_loops,
                                                bool strict)
{
    struct tile_cells w = { .tree = t, .strict = strict, .good = true };
    const struct tree_stmt *body = loops[num_loops - 1]->body;
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind == STMT_ALLOC && s->where == TREE_STACK && expr_is_int(s->count, 1) && !s->zero &&
            type_is_arithmetic(s->type))
            map_put(t->scratch, &w.vars, s->var, tree_var(t, s->var->name, s->type));
    }
    if (!w.vars.count)
        return loops;
    struct tree_stmt *const *copies = copies_of(t, loops, num_loops);
    struct tree_stmt *all = stmt_block(t);
    body = copies[num_loops - 1]->body;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        if (s->kind == STMT_ALLOC && map_has(&w.vars, s->var))
            continue;
        stmt_visit(s, use_variables, &w);
        stmt_append(t, all, s);
    }
    copies[num_loops - 1]->body = all;
    return w.good ? copies : loops;
}

/* ---- counters ---- */

/* The sum with every term once. */
static struct tree_expr *collected(struct tree *t, struct tree_expr *e)
{
    struct linear sum;
    linear_of(&sum, e);
    return sum.known ? linear_expr(t, &sum) : e;
}

static struct tree_expr *collect_index(void *user, struct tree_expr *e)
{
    struct tree *t = user;
    return e->op == EXPR_LOAD ? expr_load(t, e->type, e->args[0], collected(t, e->args[1]), e->alias) : e;
}

static bool collect_indices(void *user, struct tree_stmt *s)
{
    struct tree *t = user;
    stmt_rewrite(t, s, collect_index, t);
    if (s->kind == STMT_STORE)
        s->index = collected(t, s->index);
    return true;
}

/* v becomes another variable, which is that much larger. */
static void shift(struct tree *t, struct tree_stmt *loop, struct tree_expr *by)
{
    const struct tree_var *v = loop->var;
    loop->var = tree_var(t, v->name, v->type);
    stmt_substitute(t, loop->body, v, expr_binary(t, EXPR_SUB, expr_var(t, loop->var), by));
    loop->begin = collected(t, expr_binary(t, EXPR_ADD, loop->begin, by));
    loop->end = collected(t, expr_binary(t, EXPR_ADD, loop->end, by));
}

static struct tree_stmt *loop_in(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind == STMT_FOR)
            return body->items.items[i];
    return NULL;
}

struct tree_stmt *const *offload_tile_shifted(struct tree *t, struct tree_stmt *const *loops, uint32_t num_loops,
                                              enum tile_shift which)
{
    struct tree_stmt *const *copies = copies_of(t, loops, num_loops);
    struct tree_stmt *inner = copies[num_loops - 1];
    struct tree_stmt *loop = which == SHIFT_INNER ? inner : loop_in(inner->body);
    const struct tree_stmt *from = which == SHIFT_SUM_INNER ? inner : copies[num_loops - 2];
    if (!loop || loop->var->type->kind != TYPE_I64 || from->var->type->kind != TYPE_I64)
        return NULL;
    shift(t, loop, expr_var(t, from->var));
    stmt_visit(inner->body, collect_indices, t);
    return copies;
}
