#include "lower/tree/tree_kernel.h"

enum { POINTER_BYTES = 8 };

struct search {
    struct arena *arena;
    const struct tree_stmt *kernel;
    struct map seen, visited;
    VEC(struct tree_var *) found;
    bool context;
};

static void see_var(struct search *s, struct tree_var *v)
{
    if (!v || v->owner == s->kernel || map_has(&s->seen, v))
        return;
    map_put(s->arena, &s->seen, v, v);
    vec_push(s->arena, &s->found, v);
}

/* Expressions share parts: each is looked at once. */
static void see_expr(struct search *s, struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        see_var(s, e->var);
    s->context |= e->op == EXPR_CONTEXT;
    if (!e->num_args || map_has(&s->visited, e))
        return;
    map_put(s->arena, &s->visited, e, e);
    for (uint32_t i = 0; i < e->num_args; i++)
        see_expr(s, e->args[i]);
}

static void see_root(void *user, struct tree_expr **e) { see_expr(user, *e); }

static bool see_stmt(void *user, struct tree_stmt *s)
{
    see_var(user, s->var);
    see_var(user, s->var2);
    stmt_each_expr(s, see_root, user);
    return true;
}

static uint32_t aligned(uint32_t offset, uint32_t align) { return (offset + align - 1) / align * align; }

static uint32_t alignment(const struct type *t)
{
    const struct type *scalar = type_scalar(t);
    return type_is_complex(scalar) ? scalar->size / 2 : scalar->align ? scalar->align : 1;
}

struct kernel_params kernel_params(struct arena *a, const struct tree_stmt *kernel)
{
    struct search s = { .arena = a, .kernel = kernel };
    stmt_visit(kernel->body, see_stmt, &s);
    struct kernel_params r = { .vars = s.found.items,
                               .count = s.found.count,
                               .offsets = NEW_ARRAY(a, uint32_t, s.found.count + 1),
                               .faults = s.context };
    for (uint32_t i = 0; i < r.count; i++) {
        const struct type *t = r.vars[i]->type;
        r.offsets[i] = aligned(r.bytes, alignment(t));
        r.bytes = r.offsets[i] + t->size;
    }
    if (r.faults) {
        r.faults_at = aligned(r.bytes, POINTER_BYTES);
        r.bytes = r.faults_at + POINTER_BYTES;
    }
    return r;
}

struct collect {
    struct arena *arena;
    VEC(const struct tree_stmt *) found;
};

static bool collect(void *user, struct tree_stmt *s)
{
    struct collect *c = user;
    if (s->kind == STMT_KERNEL)
        vec_push(c->arena, &c->found, s);
    return s->kind != STMT_KERNEL;
}

struct tree_kernels tree_kernels(const struct tree *t)
{
    struct collect c = { .arena = t->arena };
    for (uint32_t i = 0; i < t->functions.count; i++)
        stmt_visit(t->functions.items[i]->body, collect, &c);
    return (struct tree_kernels){ c.found.items, c.found.count };
}
