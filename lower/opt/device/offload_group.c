/* Reductions of many threads into one place: each thread accumulates in a variable of its own, the threads of a block
 * or warp combine theirs, and one of them does the atomic step.
 *
 *     for i = thread to N step threads {           acc = 0
 *         s[0] += A[i] atomic               ->     for i = thread to N step threads { acc = acc + A[i] }
 *     }                                            all = group block sum acc
 *                                                  if threadIdx.x == 0 { s[0] += all atomic }
 *
 * Legality: the place is the same for all threads of the group, and within the nest its memory is accessed by atomic
 * reductions of the same kind alone. Where a minimum or maximum of floats had no value the place is not touched: a NaN
 * in it stays. Profitability: always. In strict arithmetic blocks leave their results in memory, and one thread
 * combines them in the order of the blocks. */
#include "lower/opt/device/offload_group.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_PLACES = 16 };

/* ---- which ones ---- */

static bool is_exact(enum wcr_kind wcr, const struct type *type)
{
    return type_is_integer(type) || type->kind == TYPE_BOOL || wcr == WCR_MIN || wcr == WCR_MAX;
}

static bool can_be_grouped(const struct tree_stmt *s)
{
    if (s->kind != STMT_REDUCE || !s->atomic || s->pointer->type->elem != s->value->type)
        return false;
    const struct type *type = s->value->type;
    bool arithmetic = s->wcr == WCR_SUM || s->wcr == WCR_PRODUCT || s->wcr == WCR_MIN || s->wcr == WCR_MAX;
    return reduce_can_accumulate(s->wcr, type) || (arithmetic && type_is_float(type));
}

struct search {
    struct offload *offload;
    const struct memory *memory;
    const struct tree_stmt *like; /* reductions of this kind do not disturb */
    uint32_t updates;             /* around */
    bool disturbed;
};

static void see_touch(void *user, struct memory *m, bool write)
{
    struct search *w = user;
    (void)write;
    w->disturbed |= m == w->memory;
}

static void see_load(void *user, struct tree_expr *e)
{
    struct search *w = user;
    w->disturbed |= e->op == EXPR_LOAD && offload_memory(w->offload, e->args[0]) == w->memory;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

/* Does anything but reductions like this one touch the memory? */
static void search(struct search *w, struct tree_stmt *s)
{
    bool alike = !w->updates && can_be_grouped(s) && s->wcr == w->like->wcr && s->value->type == w->like->value->type;
    if (alike)
        stmt_each_expr(s, see_operand, w);
    else
        offload_each_touch(w->offload, s, see_touch, w);
    w->updates += s->kind == STMT_UPDATE;
    if (s->body)
        search(w, s->body);
    if (s->otherwise)
        search(w, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        search(w, s->items.items[i]);
    w->updates -= s->kind == STMT_UPDATE;
}

static struct offload_place *place_of(struct offload_group *g, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct tree_stmt *known = &g->places[i].reduction;
        if (expr_equal(known->pointer, s->pointer) && expr_equal(known->index, s->index))
            return &g->places[i];
    }
    return NULL;
}

static struct offload_place *new_place(struct offload *o, struct offload_group *g, struct tree_stmt *nest,
                                       struct tree_stmt *s)
{
    struct search w = { .offload = o, .memory = offload_memory(o, s->pointer), .like = s };
    if (g->count == MOST_PLACES || !w.memory)
        return NULL;
    search(&w, nest);
    if (w.disturbed)
        return NULL;
    const struct type *type = s->value->type;
    struct offload_place *p = &g->places[g->count++];
    *p = (struct offload_place){ .reduction = *s, .acc = tree_var(o->tree, "acc", type) };
    if ((s->wcr == WCR_MIN || s->wcr == WCR_MAX) && type_is_float(type))
        p->touched = tree_var(o->tree, "touched", type_basic(o->tree->ir, TYPE_BOOL));
    p->ordered = o->strict && !is_exact(s->wcr, type);
    return p;
}

struct replacing {
    struct offload *offload;
    struct offload_group *group;
    struct tree_stmt *nest;
    const struct tree_scan *scan;
};

static bool replace(void *user, struct tree_stmt *s)
{
    struct replacing *r = user;
    struct tree *t = r->offload->tree;
    if (s->kind == STMT_UPDATE)
        return false;
    if (!can_be_grouped(s) || !tree_scan_invariant(r->scan, s->pointer) || !tree_scan_invariant(r->scan, s->index))
        return true;
    struct offload_place *p = place_of(r->group, s);
    if (!p)
        p = new_place(r->offload, r->group, r->nest, s);
    if (!p || (p->ordered && r->group->level == TREE_WARP))
        return true;
    struct tree_stmt *block = stmt_block(t);
    stmt_assign(t, block, p->acc, reduce_combine(t, s->wcr, expr_var(t, p->acc), s->value))->place = s->place;
    if (p->touched)
        stmt_assign(t, block, p->touched, expr_bool(t, true));
    p->found = true;
    *s = *block;
    return false;
}

void offload_group_find(struct offload *o, struct tree_stmt *nest, struct tree_stmt *loop, enum tree_level level,
                        struct offload_group *g)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, loop);
    *g = (struct offload_group){ .level = level,
                                 .places = NEW_ARRAY(o->tree->scratch, struct offload_place, MOST_PLACES) };
    struct replacing r = { .offload = o, .group = g, .nest = nest, .scan = &scan };
    stmt_visit(loop->body, replace, &r);
    uint32_t found = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->places[i].found)
            g->places[found++] = g->places[i];
    g->count = found;
}

/* ---- code ---- */

void offload_group_begin(struct offload *o, const struct offload_group *g, struct tree_stmt *out)
{
    struct tree *t = o->tree;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct offload_place *p = &g->places[i];
        stmt_assign(t, out, p->acc, reduce_identity(t, p->reduction.wcr, p->acc->type))->place = p->reduction.place;
        if (p->touched)
            stmt_assign(t, out, p->touched, expr_bool(t, false));
    }
}

static struct tree_expr *group(struct tree *t, struct tree_stmt *out, enum tree_level level, enum wcr_kind wcr,
                               const struct tree_var *value)
{
    struct tree_stmt *s = stmt_new(t, out, STMT_GROUP);
    s->var = tree_var(t, "all", value->type);
    s->value = expr_var(t, (struct tree_var *)value);
    s->wcr = wcr;
    s->loop.level = level;
    return expr_var(t, s->var);
}

static struct tree_expr *is_first(struct tree *t, enum tree_level level)
{
    struct tree_expr *lane =
        expr_binary(t, EXPR_EQ, expr_thread(t, THREAD_LANE), expr_int(t, type_basic(t->ir, TYPE_I32), 0));
    if (level == TREE_WARP)
        return lane;
    struct tree_expr *warp =
        expr_binary(t, EXPR_EQ, expr_thread(t, THREAD_WARP), expr_int(t, type_basic(t->ir, TYPE_I32), 0));
    return expr_binary(t, EXPR_LOGICAL_AND, warp, lane);
}

static struct tree_expr *wide(struct tree *t, enum tree_thread which)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), expr_thread(t, which));
}

/* Of the block in the grid. */
static struct tree_expr *block_number(struct tree *t)
{
    struct tree_expr *number = wide(t, THREAD_BLOCK + 2);
    for (int d = 1; d >= 0; d--)
        number = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, number, wide(t, THREAD_GRID_SIZE + d)),
                             wide(t, THREAD_BLOCK + d));
    return number;
}

void offload_group_end(struct offload *o, struct offload_group *g, struct tree_stmt *out)
{
    struct tree *t = o->tree;
    for (uint32_t i = 0; i < g->count; i++) {
        struct offload_place *p = &g->places[i];
        const struct tree_stmt *s = &p->reduction;
        struct tree_expr *all = group(t, out, g->level, s->wcr, p->acc);
        const struct tree_var *root = g->own ? expr_root_var(s->pointer) : NULL;
        struct tree_expr *one = root && map_has(g->own, root) ? expr_bool(t, true) : is_first(t, g->level);
        if (p->touched)
            one = expr_binary(t, EXPR_LOGICAL_AND, one, group(t, out, g->level, WCR_LOGICAL_OR, p->touched));
        struct tree_stmt *body = one->op == EXPR_INT ? out : stmt_if(t, out, one)->body;
        if (p->ordered && g->keeps) {
            p->partial = tree_var(t, "partial", type_pointer(t->ir, all->type));
            p->alias = t->num_aliases++;
            stmt_store(t, body, expr_var(t, p->partial), block_number(t), all, p->alias)->place = s->place;
        } else {
            stmt_reduce(t, body, s->wcr, !p->ordered, s->pointer, s->index, all, s->alias)->place = s->place;
        }
    }
}

static struct tree_expr *product(struct tree *t, struct tree_expr *const *factors, uint32_t count)
{
    struct tree_expr *all = factors[0];
    for (uint32_t i = 1; i < count; i++)
        all = expr_binary(t, EXPR_MUL, all, factors[i]);
    return all;
}

void offload_group_take(struct offload *o, const struct offload_group *g, struct tree_stmt *out,
                        struct tree_expr *const *blocks, uint32_t dimensions)
{
    struct tree *t = o->tree;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct offload_place *p = &g->places[i];
        if (!p->partial)
            continue;
        struct tree_expr *count = stmt_variable(t, out, "blocks", product(t, blocks, dimensions));
        struct tree_stmt *a = stmt_alloc(t, out, p->partial, p->acc->type, count, TREE_DEVICE);
        a->alias = p->alias;
        a->place = p->reduction.place;
    }
}

void offload_group_combine(struct offload *o, const struct offload_group *g, struct tree_stmt *out,
                           struct tree_expr *const *blocks, uint32_t dimensions)
{
    struct tree *t = o->tree;
    struct tree_stmt *all = stmt_block(t), *free = stmt_block(t);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct offload_place *p = &g->places[i];
        const struct tree_stmt *s = &p->reduction;
        if (!p->partial)
            continue;
        struct tree_var *b = tree_var(t, "b", type_basic(t->ir, TYPE_I64));
        struct tree_stmt *loop = stmt_for(t, all, b, expr_i64(t, 0), product(t, blocks, dimensions), expr_i64(t, 1));
        struct tree_expr *value = expr_load(t, p->acc->type, expr_var(t, p->partial), expr_var(t, b), p->alias);
        loop->place = s->place;
        stmt_reduce(t, loop->body, s->wcr, false, s->pointer, s->index, value, s->alias)->place = s->place;
        stmt_free(t, free, p->partial)->where = TREE_DEVICE;
    }
    if (all->items.count)
        offload_serial(o, out, all);
    stmt_append(t, out, free);
}
