/* Steps in which all nests have something to do go through one innermost loop:
 *
 *     for i = step + 2 to step + 3                    for k {
 *         for k { T[row + k] = ... }         ->           T[row + k] = ...
 *     for i = step to step + 1                            B[step, k] = ...
 *         for k { B[i, k] = ... }                     }
 *
 * What one nest writes and the next one reads in the same step stays in a register then, and what both read is loaded
 * once. Legal as long as a step reads of what it writes only elements of the same iteration of that loop: no two nests
 * touch anything else that one of them changes, and rows in use are never written. */
#include "lower/opt/locality/overlapped_tiling.h"
#include "lower/tree/tree_rewrite.h"

enum {
    TERMS_BESIDE = 3
}; /* of an address in a tile's memory, beside those of the element: the row, the column in the tile */

/* The loop inside of those that are cut, if it has straight code. */
static struct tree_stmt *innermost(const struct overlap_group *g, const struct overlap_stage *s)
{
    const struct tree_stmt *body = s->loops[g->depth - 1]->body;
    struct tree_stmt *loop = body->items.items[0];
    return body->items.count == 1 && loop->kind == STMT_FOR && loop->loop.independent && !stmt_has_loops(loop->body)
               ? loop
               : NULL;
}

static bool same_loop(const struct tree *t, const struct tree_stmt *a, const struct tree_stmt *b)
{
    return a && b && a->var->type == b->var->type && tree_is_size(t, a->begin) && tree_is_size(t, a->end) &&
           expr_is_const(a->step) && expr_equal(a->begin, b->begin) && expr_equal(a->end, b->end) &&
           expr_equal(a->step, b->step);
}

/* Is it an access to a point that its step writes? Then also which element of that: `var` is the counter. */
static bool of_step(const struct overlap_group *g, const struct overlap_stage *s, struct overlap_memory *m,
                    const struct tree_access *a, struct tree_expr *var, struct linear *rest)
{
    struct overlap_place place;
    struct linear counter;
    bool same = overlap_place(m, g, s, a->at, a->frame, &place);
    for (uint32_t i = 0; i < g->depth && same; i++)
        same = s->high[i] + place.shift[i] == m->high[i];
    linear_of(&counter, var);
    linear_replace(rest, &place.rest, innermost(g, s)->var, &counter);
    return same;
}

/* In places of the temporary that a step writes, all accesses are to the same element. */
static bool agrees(struct tree *t, const struct overlap_group *g, struct overlap_memory *m, struct tree_expr *var)
{
    const struct linear *element = NULL;
    for (uint32_t k = 0; k < g->count; k++)
        for (uint32_t i = 0; i < g->stages[k].piece.accesses.count; i++) {
            const struct tree_access *a = g->stages[k].piece.accesses.items[i];
            struct linear rest;
            if (overlap_temporary(g, a->pointer) != m || !of_step(g, &g->stages[k], m, a, var, &rest))
                continue;
            if (!rest.known || rest.count + TERMS_BESIDE > LINEAR_TERMS || (element && !linear_equal(element, &rest)))
                return false;
            element = element ? element : linear_keep(t->scratch, &rest);
        }
    return true;
}

bool overlap_joins(struct tree *t, const struct overlap_group *g)
{
    const struct tree_stmt *first = innermost(g, &g->stages[0]);
    for (uint32_t k = 0; k < g->count; k++)
        if (!same_loop(t, first, innermost(g, &g->stages[k])))
            return false;
    struct tree_expr *var = expr_var(t, first->var);
    for (uint32_t i = 0; i < g->num_temporaries; i++)
        if (!agrees(t, g, g->temporaries[i], var))
            return false;
    return true;
}

static struct tree_expr *both(struct tree *t, struct tree_expr *all, enum expr_op op, struct tree_expr *a,
                              struct tree_expr *b)
{
    struct tree_expr *one = expr_binary(t, op, a, b);
    return all ? expr_binary(t, EXPR_LOGICAL_AND, all, one) : one;
}

/* Has every nest an iteration in this step? NULL: in all steps. */
static struct tree_expr *everyone(struct tree *t, const struct overlap_group *g, struct tree_expr *const *tiles,
                                  struct tree_var *const *steps)
{
    struct tree_expr *all = NULL;
    for (uint32_t i = 0; i < g->depth; i++) {
        struct tree_expr *step = expr_var(t, steps[i]);
        int64_t first = 0, latest = INT64_MIN, begin = INT64_MIN, end = INT64_MAX;
        for (uint32_t k = 0; k < g->count; k++) {
            const struct overlap_stage *s = &g->stages[k];
            int64_t from = s->low[i] - s->high[i];
            first = from < first ? from : first;
            latest = from > latest ? from : latest;
            if (g->begin[i] + s->low[i] < s->begin[i] && s->begin[i] - s->high[i] > begin)
                begin = s->begin[i] - s->high[i];
            if (g->end[i] + s->high[i] > s->end[i] && s->end[i] - s->high[i] < end)
                end = s->end[i] - s->high[i];
        }
        struct tree_expr *from = expr_binary(t, EXPR_ADD, tiles[i], expr_i64(t, latest));
        all = first < latest ? both(t, all, EXPR_GE, step, from) : all;
        all = begin > INT64_MIN ? both(t, all, EXPR_GE, step, expr_binary(t, EXPR_ADD, g->from[i], expr_i64(t, begin)))
                                : all;
        all = end < INT64_MAX ? both(t, all, EXPR_LT, step, expr_binary(t, EXPR_ADD, g->to[i], expr_i64(t, end))) : all;
    }
    return all;
}

/* An element of a temporary that the step writes, and its value. */
struct kept {
    const struct linear *at;
    struct tree_var *memory, *value;
};

struct joined {
    struct tree *tree;
    const struct overlap_group *group;
    struct tree_stmt *body, *stores; /* of temporaries, behind everything else */
    VEC(struct kept) kept;
};

static const struct kept *find_kept(const struct joined *j, const struct tree_expr *pointer, const struct linear *at)
{
    for (uint32_t i = 0; i < j->kept.count; i++)
        if (pointer->op == EXPR_VAR && pointer->var == j->kept.items[i].memory && linear_equal(at, j->kept.items[i].at))
            return &j->kept.items[i];
    return NULL;
}

/* In one order, in which equal addresses are mostly equal text. */
static struct tree_expr *ordered(struct tree *t, struct tree_expr *index, const struct linear *at)
{
    return at->known ? linear_expr(t, at) : index;
}

static struct tree_expr *join_load(void *user, struct tree_expr *e)
{
    const struct joined *j = user;
    struct linear at;
    if (e->op != EXPR_LOAD)
        return e;
    linear_of(&at, e->args[1]);
    const struct kept *k = find_kept(j, e->args[0], &at);
    return k ? expr_var(j->tree, k->value)
             : expr_load(j->tree, e->type, e->args[0], ordered(j->tree, e->args[1], &at), e->alias);
}

static bool join_loads(void *user, struct tree_stmt *s)
{
    struct joined *j = user;
    stmt_rewrite(j->tree, s, join_load, j);
    return true;
}

/* The value stays in a variable, and is stored in the end: then nothing is loaded behind it. */
static void join_store(struct joined *j, struct tree_stmt *s)
{
    struct tree *t = j->tree;
    struct linear at;
    linear_of(&at, s->index);
    const struct kept *k = find_kept(j, s->pointer, &at);
    struct tree_var *value = k ? k->value : tree_var(t, "value", s->value->type);
    stmt_assign(t, j->body, value, s->value)->place = s->place;
    if (k)
        return;
    vec_push(t->scratch, &j->kept, ((struct kept){ linear_keep(t->scratch, &at), s->pointer->var, value }));
    s->index = ordered(t, s->index, &at);
    s->value = expr_var(t, value);
    stmt_append(t, j->stores, s);
}

static void join_body(struct joined *j, const struct overlap_stage *s, struct tree_var *const *steps,
                      struct tree_var *counter)
{
    struct tree *t = j->tree;
    const struct tree_stmt *inner = innermost(j->group, s);
    struct tree_stmt *body = stmt_clone_apart(t, inner->body);
    for (uint32_t i = 0; i < j->group->depth; i++)
        stmt_substitute(t, body, s->loops[i]->var,
                        expr_binary(t, EXPR_ADD, expr_var(t, steps[i]), expr_i64(t, s->high[i])));
    stmt_substitute(t, body, inner->var, expr_var(t, counter));
    stmt_flatten(t, body);
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *one = body->items.items[i];
        stmt_visit(one, join_loads, j);
        if (one->kind == STMT_STORE && overlap_temporary(j->group, one->pointer))
            join_store(j, one);
        else
            stmt_append(t, j->body, one);
    }
}

struct tree_stmt *overlap_join(struct tree *t, const struct overlap_group *g, struct tree_expr *const *tiles,
                               struct tree_var *const *steps, struct tree_stmt *block)
{
    const struct tree_stmt *like = innermost(g, &g->stages[g->count - 1]);
    struct tree_expr *condition = everyone(t, g, tiles, steps);
    struct tree_stmt *branch = condition ? stmt_if(t, block, condition) : NULL;
    struct tree_stmt *loop = stmt_for(t, branch ? branch->body : block, tree_var(t, like->var->name, like->var->type),
                                      like->begin, like->end, like->step);
    loop->place = like->place;
    loop->loop = like->loop;
    struct joined j = { .tree = t, .group = g, .body = loop->body, .stores = stmt_block(t) };
    for (uint32_t k = 0; k < g->count; k++)
        join_body(&j, &g->stages[k], steps, loop->var);
    stmt_append(t, loop->body, j.stores);
    if (branch)
        branch->loop.tiles = branch->loop.different = 1;
    return branch ? branch->otherwise : NULL;
}
