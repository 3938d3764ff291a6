#include "lower/tree/tree_verify_meet.h"

#include "base/map.h"

/* By which threads a value, or what control does, may differ. */
enum { LANES = 1 /* of a warp */, WARPS = 2 /* of a block */, BLOCKS = 4 };

enum { WARP = 32 };

struct meet {
    struct arena *arena;
    const struct tree_stmt *kernel;
    struct map masks; /* variable, or loop that is left by some threads -> by which it differs */
    bool changed, checking;
    const struct tree_stmt *loop, *fault;
};

static uint32_t mask_at(const struct meet *m, const void *key) { return (uint32_t)(uintptr_t)map_get(&m->masks, key); }

static void add(struct meet *m, const void *key, uint32_t mask)
{
    uint32_t before = mask_at(m, key);
    if ((before | mask) == before)
        return;
    map_put(m->arena, &m->masks, key, (void *)(uintptr_t)(before | mask));
    m->changed = true;
}

/* ---- values ---- */

static uint32_t of_coordinate(const struct meet *m, int64_t i)
{
    const struct tree_expr *x = m->kernel->args[KERNEL_BLOCK];
    bool rows = x->op == EXPR_INT && x->i % WARP == 0;
    if (i == THREAD_LANE)
        return LANES;
    if (i == THREAD_WARP)
        return WARPS;
    if (i == THREAD_INDEX)
        return rows && x->i == WARP ? LANES : LANES | WARPS;
    if (i < THREAD_BLOCK)
        return rows ? WARPS : LANES | WARPS;
    return i < THREAD_BLOCK_SIZE ? BLOCKS : 0;
}

struct meet_value {
    const struct meet *meet;
    uint32_t mask;
};

static void see_expr(void *user, struct tree_expr *e)
{
    struct meet_value *v = user;
    if (e->op == EXPR_THREAD)
        v->mask |= of_coordinate(v->meet, e->i);
    else if (e->op == EXPR_VAR)
        v->mask |= mask_at(v->meet, e->var);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

static uint32_t mask_of(const struct meet *m, struct tree_stmt *s)
{
    struct meet_value v = { m, 0 };
    stmt_each_expr(s, see_operand, &v);
    return v.mask;
}

/* ---- statements ---- */

/* What must be the same for threads that meet at this level. */
static uint32_t together(enum tree_level level)
{
    return level == TREE_GRID ? LANES | WARPS | BLOCKS : level == TREE_WARP ? LANES : LANES | WARPS;
}

static uint32_t of_group(const struct tree_stmt *s, uint32_t mask)
{
    return mask & ~(uint32_t)(s->loop.level == TREE_COLUMN ? WARPS : together(s->loop.level));
}

static void walk(struct meet *m, struct tree_stmt *s, uint32_t control)
{
    if (!s)
        return;
    uint32_t mask = s->kind == STMT_BLOCK ? 0 : mask_of(m, s);
    const struct tree_stmt *outside = m->loop;
    bool loops = s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO;
    if (m->checking && !m->fault && (s->kind == STMT_BARRIER || s->kind == STMT_GROUP) &&
        (control & together(s->loop.level)))
        m->fault = s;
    if (s->var)
        add(m, s->var, (s->kind == STMT_GROUP ? of_group(s, mask) : mask) | control);
    if ((s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) && m->loop)
        add(m, m->loop, control);
    if (loops || s->kind == STMT_IF)
        control |= mask;
    if (loops) {
        m->loop = s;
        control |= mask_at(m, s);
    }
    for (uint32_t i = 0; i < s->items.count; i++)
        walk(m, s->items.items[i], control);
    walk(m, s->body, control);
    walk(m, s->otherwise, control);
    m->loop = outside;
}

const struct tree_stmt *tree_meet_fault(const struct tree *t, const struct tree_stmt *kernel)
{
    struct meet m = { .arena = t->scratch, .kernel = kernel };
    do {
        m.changed = false;
        walk(&m, kernel->body, 0);
    } while (m.changed);
    m.checking = true;
    walk(&m, kernel->body, 0);
    return m.fault;
}
