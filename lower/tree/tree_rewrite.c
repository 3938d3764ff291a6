#include "lower/tree/tree_rewrite.h"

#include "lower/tree/tree_rows.h"

static struct tree_expr *with_args(struct tree *t, struct tree_expr *e, struct tree_expr **args)
{
    switch (expr_rows[e->op].make) {
    case MAKE_LOAD:
        return expr_load(t, e->type, args[0], args[1], e->alias);
    case MAKE_OFFSET:
        return expr_offset(t, args[0], args[1]);
    case MAKE_UNARY:
        return expr_unary(t, e->op, args[0]);
    case MAKE_BINARY:
        return expr_binary(t, e->op, args[0], args[1]);
    case MAKE_SELECT:
        return expr_select(t, args[0], args[1], args[2]);
    case MAKE_CAST:
        return expr_cast(t, e->type, args[0]);
    case MAKE_BITS:
        return expr_bits(t, e->type, args[0]);
    case MAKE_MATH:
        return expr_math(t, e->math, args);
    case MAKE_COPY:
        break;
    }
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = args[i];
    return copy;
}

enum { MOST_ARGS = 4 }; /* of anything but a call */

struct tree_expr *expr_rewrite(struct tree *t, struct tree_expr *e, tree_replace *replace, void *user)
{
    struct tree_expr *few[MOST_ARGS], **args = few;
    if (e->num_args > MOST_ARGS)
        args = NEW_ARRAY(t->arena, struct tree_expr *, e->num_args);
    bool changed = false;
    for (uint32_t i = 0; i < e->num_args; i++) {
        args[i] = expr_rewrite(t, e->args[i], replace, user);
        changed |= args[i] != e->args[i];
    }
    return replace(user, changed ? with_args(t, e, args) : e);
}

struct rewrite {
    struct tree *tree;
    tree_replace *replace;
    void *user;
};

static void rewrite_operand(void *user, struct tree_expr **e)
{
    struct rewrite *r = user;
    *e = expr_rewrite(r->tree, *e, r->replace, r->user);
}

void stmt_rewrite(struct tree *t, struct tree_stmt *s, tree_replace *replace, void *user)
{
    struct rewrite r = { t, replace, user };
    stmt_each_expr(s, rewrite_operand, &r);
    if (stmt_rows[s->kind].flags & STMT_WRITES && s->index && !s->mask)
        stmt_set_address(t, s, s->pointer, s->index);
}

struct substitute {
    struct tree *tree;
    const struct tree_var *var;
    struct tree_expr *value;
};

static struct tree_expr *substitute_expr(void *user, struct tree_expr *e)
{
    const struct substitute *w = user;
    return e->op == EXPR_VAR && e->var == w->var ? w->value : e;
}

static bool substitute_stmt(void *user, struct tree_stmt *s)
{
    struct substitute *w = user;
    stmt_rewrite(w->tree, s, substitute_expr, w);
    return true;
}

void stmt_substitute(struct tree *t, struct tree_stmt *s, const struct tree_var *v, struct tree_expr *value)
{
    struct substitute w = { t, v, value };
    stmt_visit(s, substitute_stmt, &w);
}

struct tree_stmt *stmt_clone(struct tree *t, const struct tree_stmt *s)
{
    struct tree_stmt *copy = arena_copy(t->arena, s, sizeof *s);
    if (s->num_args)
        copy->args = arena_copy(t->arena, s->args, s->num_args * sizeof s->args[0]);
    copy->items.items = NULL;
    copy->items.count = copy->items.capacity = 0;
    for (uint32_t i = 0; i < s->items.count; i++)
        stmt_append(t, copy, stmt_clone(t, s->items.items[i]));
    if (s->body)
        copy->body = stmt_clone(t, s->body);
    if (s->otherwise)
        copy->otherwise = stmt_clone(t, s->otherwise);
    return copy;
}

struct renaming {
    struct tree *tree;
    const struct map *kept; /* variables that stay; NULL: none */
    struct map vars;        /* old -> new */
};

static bool rename_assigned(void *user, struct tree_stmt *s)
{
    struct renaming *r = user;
    struct tree_var **const vars[] = { &s->var, &s->var2 };
    for (int i = 0; i < 2; i++) {
        struct tree_var *old = *vars[i], *v = old ? map_get(&r->vars, old) : NULL;
        if (old && r->kept && map_has(r->kept, old))
            continue;
        if (old && !v) {
            v = tree_var(r->tree, old->name, old->type);
            v->elements = old->elements;
            v->several = old->several;
            v->size = old->size;
            v->least = old->least;
            map_put(r->tree->arena, &r->vars, old, v);
        }
        *vars[i] = v;
    }
    return true;
}

static struct tree_expr *rename_use(void *user, struct tree_expr *e)
{
    struct renaming *r = user;
    struct tree_var *v = e->op == EXPR_VAR ? map_get(&r->vars, e->var) : NULL;
    return v ? expr_var(r->tree, v) : e;
}

static bool rename_uses(void *user, struct tree_stmt *s)
{
    struct renaming *r = user;
    stmt_rewrite(r->tree, s, rename_use, r);
    return true;
}

struct tree_stmt *stmt_clone_apart(struct tree *t, const struct tree_stmt *s) { return stmt_clone_with(t, s, NULL); }

struct tree_stmt *stmt_clone_with(struct tree *t, const struct tree_stmt *s, const struct map *kept)
{
    struct renaming r = { .tree = t, .kept = kept };
    struct tree_stmt *copy = stmt_clone(t, s);
    stmt_visit(copy, rename_assigned, &r);
    stmt_visit(copy, rename_uses, &r);
    return copy;
}

static void flatten_into(struct tree *t, struct tree_stmt *to, struct tree_stmt *from)
{
    for (uint32_t i = 0; i < from->items.count; i++) {
        if (from->items.items[i]->kind == STMT_BLOCK)
            flatten_into(t, to, from->items.items[i]);
        else
            stmt_append(t, to, from->items.items[i]);
    }
}

static bool flatten(void *user, struct tree_stmt *s)
{
    bool nested = false;
    for (uint32_t i = 0; i < s->items.count; i++)
        nested |= s->items.items[i]->kind == STMT_BLOCK;
    if (nested) {
        struct tree_stmt *flat = stmt_block(user);
        flatten_into(user, flat, s);
        s->items.items = flat->items.items;
        s->items.count = flat->items.count;
        s->items.capacity = flat->items.capacity;
    }
    return true;
}

void stmt_flatten(struct tree *t, struct tree_stmt *s) { stmt_visit(s, flatten, t); }

struct tree_expr *stmt_variable(struct tree *t, struct tree_stmt *block, const char *name, struct tree_expr *value)
{
    if (expr_is_const(value))
        return value;
    struct tree_var *v = tree_var(t, name, value->type);
    stmt_assign(t, block, v, value);
    return expr_var(t, v);
}
