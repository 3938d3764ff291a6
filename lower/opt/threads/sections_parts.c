#include "lower/opt/threads/region.h"
#include "lower/opt/threads/sections.h"
#include "lower/tree/tree_cost.h"

enum { MOST_PARTS = 64, UNKNOWN_TRIPS = 16 };

/* ---- taking apart ---- */

static bool is_loop(const struct tree_stmt *s) { return stmt_is_loop(s); }

static bool find_loop(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= is_loop(s);
    return !*found;
}

static bool find_work(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= is_loop(s) || s->kind == STMT_COPY || s->kind == STMT_ZERO;
    return !*found;
}

static bool find_jump(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= s->kind == STMT_BREAK || s->kind == STMT_CONTINUE;
    return !*found;
}

/* What keeps a statement where it is, whatever it is in. */
static bool find_anchor(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= s->kind == STMT_PARALLEL || s->kind == STMT_CALL || s->kind == STMT_CRITICAL || s->kind == STMT_RETURN ||
              (s->kind == STMT_ALLOC && s->where == TREE_STATE);
    return !*found;
}

static bool any(struct tree_stmt *s, bool (*find)(void *user, struct tree_stmt *s))
{
    bool found = false;
    stmt_visit(s, find, &found);
    return found;
}

bool sections_has_loop(struct tree_stmt *s) { return any(s, find_loop); }

static bool is_settled(const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_settled(e->args[i]))
            return false;
    return true;
}

/* Are the statements of the loop looked at one by one? */
static bool is_open(struct tree_stmt *s)
{
    return s->kind == STMT_FOR && is_settled(s->begin) && is_settled(s->end) && is_settled(s->step) &&
           sections_has_loop(s->body) && !any(s->body, find_jump);
}

struct bound_reader {
    struct arena *arena;
    struct tree_piece *piece;
};

static void read_bound(void *user, struct tree_expr *e)
{
    struct bound_reader *r = user;
    if (e->op == EXPR_VAR)
        vec_push(r->arena, &r->piece->reads, e->var);
}

static void add_leaf(struct sections *x, struct tree_stmt *s, const struct around *around)
{
    struct section_leaf leaf = { .stmt = s, .around = around, .group = x->leaves.count };
    piece_add(x->arena, &leaf.piece, s, NULL);
    struct bound_reader reader = { x->arena, &leaf.piece };
    for (const struct around *a = around; a; a = a->outer) {
        expr_visit(a->loop->begin, read_bound, &reader);
        expr_visit(a->loop->end, read_bound, &reader);
        expr_visit(a->loop->step, read_bound, &reader);
    }
    vec_push(x->arena, &x->leaves, leaf);
}

static void take_apart(struct sections *x, struct tree_stmt *s, const struct around *outer)
{
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++)
            take_apart(x, s->items.items[i], outer);
    } else if (is_open(s)) {
        struct around *a = NEW(x->arena, struct around);
        *a = (struct around){ s, outer };
        take_apart(x, s->body, a);
    } else {
        add_leaf(x, s, outer);
    }
}

static bool is_fixed(const struct tree_piece *p)
{
    bool fixed = p->control || p->effects;
    for (uint32_t i = 0; i < p->accesses.count && !fixed; i++)
        fixed = p->accesses.items[i]->alias == 0;
    return fixed;
}

void sections_take_apart(struct sections *x, const struct tree_stmt *block)
{
    x->leaves.count = x->items.count = 0;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        struct item item = { .stmt = s, .first = x->leaves.count, .fixed = any(s, find_anchor) };
        item.work = !item.fixed && any(s, find_work);
        if (!item.fixed)
            take_apart(x, s, NULL);
        item.end = x->leaves.count;
        for (uint32_t k = item.first; k < item.end; k++)
            item.fixed |= is_fixed(&x->leaves.items[k].piece);
        vec_push(x->arena, &x->items, item);
    }
}

/* ---- groups ---- */

static uint32_t group_of(struct sections *x, uint32_t leaf)
{
    struct section_leaf *leaves = x->leaves.items;
    while (leaves[leaf].group != leaf)
        leaf = leaves[leaf].group = leaves[leaves[leaf].group].group;
    return leaf;
}

/* The leaf and all others that touch the same thing are one group. */
static void join(struct sections *x, struct owner *o, uint32_t leaf)
{
    if (o->stamp != x->stamp) {
        *o = (struct owner){ x->stamp, leaf };
        return;
    }
    uint32_t a = group_of(x, o->leaf), b = group_of(x, leaf);
    x->leaves.items[a > b ? a : b].group = a > b ? b : a;
}

static void join_variables(struct sections *x, struct tree_var *const *vars, uint32_t count, uint32_t leaf)
{
    for (uint32_t i = 0; i < count; i++)
        if (piece_set_writes_var(&x->iterations.set, vars[i]))
            join(x, &x->vars[vars[i]->id], leaf);
}

static void find_groups(struct sections *x, uint32_t first, uint32_t end)
{
    struct piece_set *set = &x->iterations.set;
    x->stamp++;
    piece_set_clear(set);
    for (uint32_t i = first; i < end; i++)
        piece_set_add(set, &x->leaves.items[i].piece);
    for (uint32_t i = first; i < end; i++) {
        const struct tree_piece *p = &x->leaves.items[i].piece;
        for (uint32_t k = 0; k < p->accesses.count; k++)
            if (piece_set_class(set, p->accesses.items[k]->alias)->write)
                join(x, &x->classes[p->accesses.items[k]->alias], i);
        join_variables(x, p->reads.items, p->reads.count, i);
        join_variables(x, p->writes.items, p->writes.count, i);
    }
}

/* ---- parts ---- */

static struct tree_expr *leaf_cost(const struct sections *x, const struct section_run *r,
                                   const struct section_leaf *leaf)
{
    struct tree *t = x->tree;
    struct tree_expr *cost = tree_cost(t, &r->scan, leaf->stmt);
    for (const struct around *a = leaf->around; a; a = a->outer) {
        struct tree_expr *trips = tree_trip_count(t, a->loop);
        cost = tree_cost_repeat(t, tree_scan_invariant(&r->scan, trips) ? trips : expr_i64(t, UNKNOWN_TRIPS), cost);
    }
    return cost;
}

static int64_t most(const struct sections *x, struct tree_expr *cost)
{
    struct interval range = interval_of(cost, x->frame, NULL);
    return range.known ? range.high : INT64_MAX;
}

/* The part for a group of so much work: one of its own, or one with others that are little work, too. */
static uint32_t part_for(struct sections *x, struct section_run *r, struct tree_expr *cost, uint32_t *rest)
{
    int64_t limit = region_limit(x->tree->machine, x->loops > 0), work = most(x, cost);
    struct tree *t = x->tree;
    uint32_t full = r->parts.count == MOST_PARTS;
    if (full || (work < limit && *rest < r->parts.count && r->parts.items[*rest].little < limit)) {
        struct section_part *p = &r->parts.items[full ? MOST_PARTS - 1 : *rest];
        p->cost = expr_binary(t, EXPR_ADD, p->cost, cost);
        p->little += work < limit ? work : 0;
        return (uint32_t)(p - r->parts.items);
    }
    if (work < limit)
        *rest = r->parts.count;
    struct section_part p = { .number = r->parts.count, .cost = cost, .little = work < limit ? work : 0 };
    vec_push(x->arena, &r->parts, p);
    return p.number;
}

void sections_find_parts(struct sections *x, struct section_run *r)
{
    uint32_t first = x->items.items[r->first].first, end = x->items.items[r->end - 1].end, rest = MOST_PARTS;
    struct tree_expr **costs = NEW_ARRAY(x->arena, struct tree_expr *, end - first);
    find_groups(x, first, end);
    for (uint32_t i = first; i < end; i++) {
        struct tree_expr *cost = leaf_cost(x, r, &x->leaves.items[i]), **sum = &costs[group_of(x, i) - first];
        *sum = *sum ? expr_binary(x->tree, EXPR_ADD, *sum, cost) : cost;
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t group = group_of(x, i);
        struct section_leaf *leaf = &x->leaves.items[i];
        if (group == i && sections_has_loop(leaf->stmt))
            vec_push(x->arena, &r->groups, costs[i - first]);
        leaf->part = group == i ? part_for(x, r, costs[i - first], &rest) : x->leaves.items[group].part;
    }
}

/* What belongs to a part, of the statement whose first leaf is *leaf; NULL: nothing. */
static struct tree_stmt *select_part(struct sections *x, struct tree_stmt *s, uint32_t part, uint32_t *leaf)
{
    if (s->kind == STMT_BLOCK) {
        struct tree_stmt *b = stmt_block(x->tree);
        for (uint32_t i = 0; i < s->items.count; i++) {
            struct tree_stmt *item = select_part(x, s->items.items[i], part, leaf);
            if (item)
                stmt_append(x->tree, b, item);
        }
        return b->items.count ? b : NULL;
    }
    if (!is_open(s))
        return x->leaves.items[(*leaf)++].part == part ? s : NULL;
    struct tree_stmt *body = select_part(x, s->body, part, leaf), *loop;
    if (!body)
        return NULL;
    loop = arena_copy(x->tree->arena, s, sizeof *s);
    loop->body = body;
    return loop;
}

void sections_fill_parts(struct sections *x, struct section_run *r)
{
    for (uint32_t p = 0; p < r->parts.count; p++) {
        struct tree_stmt *body = stmt_block(x->tree);
        for (uint32_t i = r->first; i < r->end; i++) {
            uint32_t leaf = x->items.items[i].first;
            struct tree_stmt *s = select_part(x, x->items.items[i].stmt, p, &leaf);
            if (s)
                stmt_append(x->tree, body, s);
        }
        r->parts.items[p].body = body;
    }
}
