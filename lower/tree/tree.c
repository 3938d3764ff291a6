#include "lower/tree/tree.h"

#include "lower/tree/tree_callee.h"

#include <string.h>

struct tree *tree_new(struct ir *ir, const char *name)
{
    struct tree *t = NEW(ir->arena, struct tree);
    t->ir = ir;
    t->arena = ir->arena;
    t->scratch = ir->scratch;
    t->name = name;
    t->machine = &machine_baseline;
    t->same_cache.most = INT64_MAX;
    t->num_aliases = 1; /* class 0 is "anything" */
    return t;
}

/* Interns the name and tells whether it was taken already. */
static const char *name_of(struct tree *t, const char *name, bool *again)
{
    name = intern(t->ir->names, name);
    *again = map_has(&t->names, name);
    if (!*again)
        map_put(t->arena, &t->names, name, t);
    return name;
}

struct tree_var *tree_var(struct tree *t, const char *name, const struct type *type)
{
    struct tree_var *v = NEW(t->arena, struct tree_var);
    v->name = name_of(t, name, &v->again);
    v->type = type;
    v->id = t->num_vars++;
    v->owner = t->region;
    return v;
}

struct tree_label *tree_label(struct tree *t, const char *name)
{
    struct tree_label *l = NEW(t->arena, struct tree_label);
    l->name = name_of(t, name, &l->again);
    l->id = t->num_labels++;
    return l;
}

bool tree_func_is_main(const struct tree_func *f) { return !strcmp(f->name, "main"); }

struct tree_func *tree_func(struct tree *t, const char *name)
{
    struct tree_func *f = NEW(t->arena, struct tree_func);
    f->name = name;
    f->body = stmt_block(t);
    vec_push(t->arena, &t->functions, f);
    return f;
}

struct tree_stmt *stmt_block(struct tree *t) { return NEW(t->arena, struct tree_stmt); /* STMT_BLOCK is 0 */ }

void stmt_append(struct tree *t, struct tree_stmt *b, struct tree_stmt *s) { vec_push(t->arena, &b->items, s); }

struct tree_stmt *stmt_new(struct tree *t, struct tree_stmt *b, enum stmt_kind kind)
{
    struct tree_stmt *s = NEW(t->arena, struct tree_stmt);
    s->kind = kind;
    if (b)
        stmt_append(t, b, s);
    return s;
}

struct tree_stmt *stmt_assign(struct tree *t, struct tree_stmt *b, struct tree_var *v, struct tree_expr *value)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_ASSIGN);
    s->var = v;
    s->value = value;
    return s;
}

void stmt_set_address(struct tree *t, struct tree_stmt *s, struct tree_expr *pointer, struct tree_expr *index)
{
    if (pointer->op == EXPR_OFFSET && pointer->type == pointer->args[0]->type) {
        index = expr_binary(t, EXPR_ADD, pointer->args[1], index);
        pointer = pointer->args[0];
    }
    s->pointer = pointer;
    s->index = index;
}

struct tree_stmt *stmt_store(struct tree *t, struct tree_stmt *b, struct tree_expr *pointer, struct tree_expr *index,
                             struct tree_expr *value, uint32_t alias)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_STORE);
    stmt_set_address(t, s, pointer, index);
    s->value = value;
    s->alias = alias;
    return s;
}

struct tree_stmt *stmt_reduce(struct tree *t, struct tree_stmt *b, enum wcr_kind wcr, bool atomic,
                              struct tree_expr *pointer, struct tree_expr *index, struct tree_expr *value,
                              uint32_t alias)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_REDUCE);
    stmt_set_address(t, s, pointer, index);
    s->value = value;
    s->alias = alias;
    s->wcr = wcr;
    s->atomic = atomic;
    return s;
}

struct tree_stmt *stmt_for(struct tree *t, struct tree_stmt *b, struct tree_var *v, struct tree_expr *begin,
                           struct tree_expr *end, struct tree_expr *step)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_FOR);
    s->var = v;
    s->begin = begin;
    s->end = end;
    s->step = step;
    s->body = stmt_block(t);
    return s;
}

struct tree_stmt *stmt_while(struct tree *t, struct tree_stmt *b, struct tree_expr *condition)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_WHILE);
    s->value = condition;
    s->body = stmt_block(t);
    return s;
}

struct tree_stmt *stmt_if(struct tree *t, struct tree_stmt *b, struct tree_expr *condition)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_IF);
    s->value = condition;
    s->body = stmt_block(t);
    s->otherwise = stmt_block(t);
    return s;
}

struct tree_stmt *stmt_label(struct tree *t, struct tree_stmt *b, struct tree_label *l)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_LABEL);
    s->label = l;
    return s;
}

struct tree_stmt *stmt_goto(struct tree *t, struct tree_stmt *b, struct tree_label *l)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_GOTO);
    s->label = l;
    return s;
}

void tree_var_holds(struct tree *t, struct tree_var *v, struct tree_expr *elements)
{
    bool known = tree_is_size(t, elements) && (!v->elements || expr_equal(v->elements, elements));
    v->elements = known && !v->several ? elements : NULL;
    v->several |= !known;
}

struct tree_stmt *stmt_alloc(struct tree *t, struct tree_stmt *b, struct tree_var *v, const struct type *elem,
                             struct tree_expr *count, enum tree_memory where)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_ALLOC);
    s->var = v;
    s->type = elem;
    s->count = count;
    s->where = where;
    tree_var_holds(t, v, count);
    return s;
}

struct tree_stmt *stmt_free(struct tree *t, struct tree_stmt *b, struct tree_var *v)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_FREE);
    s->var = v;
    return s;
}

struct tree_stmt *stmt_copy(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *to,
                            uint32_t to_alias, struct tree_expr *from, uint32_t from_alias, struct tree_expr *count)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_COPY);
    s->type = elem;
    s->pointer = to;
    s->alias = to_alias;
    s->pointer2 = from;
    s->alias2 = from_alias;
    s->count = count;
    return s;
}

struct tree_stmt *stmt_zero(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *at,
                            uint32_t alias, struct tree_expr *count)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_ZERO);
    s->type = elem;
    s->pointer = at;
    s->alias = alias;
    s->count = count;
    return s;
}

struct tree_stmt *stmt_call(struct tree *t, struct tree_stmt *b, struct tree_var *result, const char *name,
                            struct tree_expr *const *args, uint32_t num_args)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_CALL);
    s->var = result;
    s->name = name;
    s->callee = tree_callee(name);
    s->num_args = num_args;
    s->args = arena_copy(t->arena, args, num_args * sizeof *args);
    return s;
}

struct tree_stmt *tree_parallel_begin(struct tree *t, struct tree_stmt *b, struct tree_expr *count)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_PARALLEL);
    s->count = count;
    s->body = stmt_block(t);
    s->region = t->region;
    t->region = s;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    s->var = tree_var(t, "thread", i64);
    s->var2 = tree_var(t, "threads", i64);
    return s;
}

struct tree_stmt *tree_kernel_begin(struct tree *t, struct tree_stmt *b, const char *name)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_KERNEL);
    s->name = intern(t->ir->names, name);
    s->kernel = NEW(t->arena, struct tree_kernel);
    s->num_args = KERNEL_ARGS;
    s->args = NEW_ARRAY(t->arena, struct tree_expr *, KERNEL_ARGS);
    for (int i = 0; i < KERNEL_ARGS; i++)
        s->args[i] = expr_i64(t, 1);
    s->body = stmt_block(t);
    s->region = t->region;
    t->region = s;
    return s;
}

void tree_kernel_end(struct tree *t, struct tree_stmt *kernel) { t->region = kernel->region; }

void tree_parallel_end(struct tree *t, struct tree_stmt *parallel) { t->region = parallel->region; }

static bool is_parameter(const struct tree *t, const struct tree_var *v)
{
    for (uint32_t i = 0; i < t->functions.count; i++)
        for (uint32_t k = 0; k < t->functions.items[i]->params.count; k++)
            if (t->functions.items[i]->params.items[k].var == v)
                return true;
    return false;
}

bool tree_is_size(const struct tree *t, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED || e->op == EXPR_CALL ||
        (e->op == EXPR_VAR && !e->var->size && !is_parameter(t, e->var)))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!tree_is_size(t, e->args[i]))
            return false;
    return true;
}
