#include "lower/tree/tree_assume.h"

#include "lower/tree/tree_rewrite.h"

#include <string.h>

struct assume {
    struct tree *tree;
    struct map assigned; /* variable -> number of statements that give it a value, as an integer */
    struct map counters; /* variables of loops */
    struct map values;   /* variable -> expression */
};

static void note(struct assume *w, const struct tree_var *v)
{
    void **n = map_at(w->tree->scratch, &w->assigned, v);
    *n = (void *)((uintptr_t)*n + 1);
}

static bool count_assigned(void *user, struct tree_stmt *s)
{
    struct assume *w = user;
    struct tree_var *const vars[] = { s->var, s->var2 };
    if (s->kind == STMT_FOR)
        map_put(w->tree->scratch, &w->counters, s->var, s->var);
    for (int i = 0; i < 2; i++)
        if (vars[i])
            note(w, vars[i]);
    return true;
}

static struct tree_expr *known(void *user, struct tree_expr *e)
{
    const struct assume *w = user;
    struct tree_expr *value = e->op == EXPR_VAR ? map_get(&w->values, e->var) : NULL;
    return value ? value : e;
}

/* Is it made of integers and counters of loops? */
static bool follows(const struct assume *w, const struct tree_expr *e)
{
    bool leaf = e->op == EXPR_INT || (e->op == EXPR_VAR && map_get(&w->counters, e->var));
    if (!type_is_integer(e->type) || (!leaf && (e->num_args == 0 || !expr_is_pure(e))))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!follows(w, e->args[i]))
            return false;
    return true;
}

/* In the order of the text, in which what is given a value once has it before it is used. */
static bool put_values(void *user, struct tree_stmt *s)
{
    struct assume *w = user;
    stmt_rewrite(w->tree, s, known, w);
    bool once = s->kind == STMT_ASSIGN && (uintptr_t)map_get(&w->assigned, s->var) == 1;
    if (once && follows(w, s->value) && s->value->type == s->var->type)
        map_put(w->tree->scratch, &w->values, s->var, s->value);
    return true;
}

static void assume_params(struct assume *w, const struct tree_func *f, const struct tree_assumption *values,
                          uint32_t count)
{
    for (uint32_t i = 0; i < f->params.count; i++) {
        const struct tree_param *p = &f->params.items[i];
        bool keeps = p->by_value && type_is_integer(p->var->type) && !map_get(&w->assigned, p->var);
        for (uint32_t k = 0; k < count && keeps; k++)
            if (!strcmp(values[k].name, p->name))
                map_put(w->tree->scratch, &w->values, p->var, expr_int(w->tree, p->var->type, values[k].value));
        note(w, p->var); /* by the caller */
    }
}

void tree_assume(struct tree *t, const struct tree_assumption *values, uint32_t count)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        if (!tree_func_is_main(f))
            continue;
        struct assume w = { .tree = t };
        stmt_visit(f->body, count_assigned, &w);
        assume_params(&w, f, values, count);
        stmt_visit(f->body, put_values, &w);
    }
}
