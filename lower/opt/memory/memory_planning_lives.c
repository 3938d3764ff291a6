#include "lower/opt/memory/memory_planning.h"

#include "lower/tree/tree_callee.h"

struct arena_memory *arena_memory_of(const struct arena_plan *p, const struct tree_var *v)
{
    return v && v->id < p->num_vars ? &p->memories[v->id] : NULL;
}

/* ---- what there is ---- */

static const struct tree_var *root_var(const struct tree_expr *e)
{
    while (e->op == EXPR_OFFSET || e->op == EXPR_CAST)
        e = e->args[0];
    return e->op == EXPR_VAR ? e->var : NULL;
}

static void see(struct arena_plan *p, const struct tree_expr *e);

/* An address that is used for an access of that class and nothing else. */
static void see_address(struct arena_plan *p, const struct tree_expr *e, uint32_t alias)
{
    struct arena_memory *m = arena_memory_of(p, root_var(e));
    if (m && alias) /* 0 may be any memory as it is */
        vec_push(p->arena, &m->classes, alias);
    for (; e->op == EXPR_OFFSET || e->op == EXPR_CAST; e = e->args[0])
        if (e->op == EXPR_OFFSET)
            see(p, e->args[1]);
    if (e->op != EXPR_VAR)
        see(p, e);
}

static void see(struct arena_plan *p, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD) {
        see_address(p, e->args[0], e->alias);
        see(p, e->args[1]);
        return;
    }
    struct arena_memory *m = e->op == EXPR_VAR ? arena_memory_of(p, e->var) : NULL;
    if (m)
        m->fixed = true;
    for (uint32_t i = 0; i < e->num_args; i++)
        see(p, e->args[i]);
}

/* A pointer that comes back may be one that was given. */
static void see_call(struct arena_plan *p, const struct tree_stmt *s)
{
    const struct tree_callee *callee = stmt_callee(s);
    bool returns = s->var && s->var->type->kind == TYPE_POINTER;
    for (uint32_t i = 0; i < s->num_args; i++)
        if (!returns && callee_forgets(callee, i))
            see_address(p, s->args[i], 0);
        else
            see(p, s->args[i]);
    if (s->pointer)
        see(p, s->pointer);
}

static void see_operand(void *user, struct tree_expr **e) { see(user, *e); }

static void see_access(struct arena_plan *p, const struct tree_stmt *s)
{
    see_address(p, s->pointer, s->alias);
    if (s->pointer2)
        see_address(p, s->pointer2, s->alias2);
    const struct tree_expr *rest[] = { s->index, s->value, s->count };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i])
            see(p, rest[i]);
}

static void see_stmt(struct arena_plan *p, struct tree_stmt *s, struct tree_stmt *block)
{
    struct arena_memory *m = arena_memory_of(p, s->var);
    switch (s->kind) {
    case STMT_ALLOC:
        m->allocs++;
        m->alloc = s;
        m->block = block;
        m->fixed |= s->where != TREE_HEAP;
        see(p, s->count);
        break;
    case STMT_FREE:
        m->frees++;
        m->fixed |= m->block != block;
        m->release = s;
        break;
    case STMT_STORE:
    case STMT_REDUCE:
    case STMT_UPDATE:
    case STMT_COPY:
    case STMT_ZERO:
        see_access(p, s);
        break;
    case STMT_CALL:
        see_call(p, s);
        break;
    default:
        stmt_each_expr(s, see_operand, p);
    }
    if (m && s->kind != STMT_ALLOC && s->kind != STMT_FREE)
        m->fixed = true;
    if (s->body)
        see_stmt(p, s->body, s->body);
    if (s->otherwise)
        see_stmt(p, s->otherwise, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        see_stmt(p, s->items.items[i], s);
}

void arena_uses(struct arena_plan *p, struct tree_stmt *body) { see_stmt(p, body, body); }

/* ---- lives ---- */

static bool is_planned(const struct arena_memory *m, const struct tree_stmt *block)
{
    return m && m->allocs == 1 && m->frees == 1 && !m->fixed && m->block == block;
}

static void note_use(void *user, struct tree_expr *e)
{
    struct arena_plan *p = user;
    struct arena_memory *m = e->op == EXPR_VAR ? arena_memory_of(p, e->var) : NULL;
    if (!m || !m->alloc)
        return;
    m->first = m->used ? m->first : p->item;
    m->last = p->item;
    m->used = true;
}

static void note_operand(void *user, struct tree_expr **e) { expr_visit(*e, note_use, user); }

static bool note_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, note_operand, user);
    return true;
}

void arena_lives(struct arena_plan *p, struct tree_stmt *block)
{
    p->here.count = 0;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        struct arena_memory *m = arena_memory_of(p, s->var);
        if (s->kind == STMT_ALLOC && is_planned(m, block)) {
            m->taken = i;
            m->used = s->zero; /* cleared here */
            m->first = m->last = i;
            vec_push(p->arena, &p->here, m);
        }
    }
    for (p->item = 0; p->here.count > 1 && p->item < block->items.count; p->item++)
        stmt_visit(block->items.items[p->item], note_stmt, p);
}
