/* Memory that each iteration of a loop takes and gives back is taken once, in front of the loop.
 *
 *     for i {                               row = heap float64[N]
 *         row = heap float64[N]             for i {
 *         ...                        ->         ...
 *         free row                          }
 *     }                                     free row
 *
 * A size that grows or falls with the iterations is that of the largest one.
 *
 * Legality: its size does not change in the loop otherwise and is never negative; the loop is left at its end only and
 * runs its iterations one after the other. Loops without iterations take nothing.
 * Profitability: always. */
#include "lower/opt/memory/memory_planning.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

/* The release of the memory, further on in the same block. */
static struct tree_stmt *release_of(const struct tree_stmt *block, uint32_t alloc)
{
    for (uint32_t i = alloc + 1; i < block->items.count; i++)
        if (block->items.items[i]->kind == STMT_FREE && block->items.items[i]->var == block->items.items[alloc]->var)
            return block->items.items[i];
    return NULL;
}

/* slope * at + rest */
static struct tree_expr *count_at(struct tree *t, int64_t slope, struct tree_expr *at, struct tree_expr *rest)
{
    return expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, expr_i64(t, slope), at), rest);
}

/* Of a count that is linear in the loop's variable: that of the first or last iteration, whichever is larger, if the
 * other one is known not to be negative. */
static struct tree_expr *largest_count(struct tree *t, const struct tree_stmt *loop, const struct tree_expr *count,
                                       const struct tree_scan *inside)
{
    struct linear all, least;
    int64_t slope;
    linear_of(&all, count);
    if (loop->var->type != count->type || loop->step->op != EXPR_INT || loop->step->i <= 0 || !all.known ||
        !linear_take(&all, loop->var, &slope))
        return NULL;
    struct tree_expr *rest = linear_expr(t, &all), *end = expr_binary(t, EXPR_SUB, loop->end, expr_i64(t, 1));
    if (!tree_scan_invariant(inside, rest) || expr_mentions(rest, loop->var))
        return NULL;
    linear_of(&least, count_at(t, slope, slope > 0 ? loop->begin : end, rest));
    if (!linear_is_constant(&least) || least.constant < 0)
        return NULL;
    return count_at(t, slope, slope > 0 ? end : loop->begin, rest);
}

/* The number of elements that is enough for all iterations; NULL: they do not share the memory. What has a constant
 * size is planned with the rest of the block. */
static struct tree_expr *count_for_all(struct tree *t, const struct tree_stmt *loop, const struct tree_stmt *alloc,
                                       const struct tree_scan *inside)
{
    if (alloc->zero || alloc->count->op == EXPR_INT || !expr_is_pure(alloc->count))
        return NULL;
    if (expr_mentions(alloc->count, loop->var))
        return largest_count(t, loop, alloc->count, inside);
    return tree_scan_invariant(inside, alloc->count) ? alloc->count : NULL;
}

static void remove_item(struct tree_stmt *block, const struct tree_stmt *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->items.count; i++)
        if (block->items.items[i] != s)
            block->items.items[kept++] = block->items.items[i];
    block->items.count = kept;
}

/* Loops without iterations take nothing: sizes need not make sense there. */
static struct tree_stmt *if_it_runs(struct tree *t, const struct tree_stmt *loop, struct tree_stmt *block)
{
    struct tree_expr *runs = expr_binary(t, EXPR_LT, loop->begin, loop->end);
    if (runs->op == EXPR_INT)
        return block;
    struct tree_stmt *around = stmt_block(t), *guard = stmt_if(t, around, runs);
    guard->place = loop->place;
    stmt_append(t, guard->body, block);
    return around;
}

/* The loop with what its iterations take in front of it. NULL: nothing. */
static struct tree_stmt *hoisted(struct tree *t, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_stmt *before = NULL, *after = stmt_block(t), *inner = NEW(t->arena, struct tree_stmt);
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct tree_stmt *alloc = loop->body->items.items[i], *release;
        if (alloc->kind != STMT_ALLOC || alloc->where != TREE_HEAP || !(release = release_of(loop->body, i)))
            continue;
        if (!scan.uses.count)
            tree_scan_add(&scan, loop->body);
        struct tree_expr *count = NULL;
        if (!scan.breaks && !scan.returns && !scan.gotos.count)
            count = count_for_all(t, loop, alloc, &scan);
        if (!count)
            continue;
        alloc->count = count;
        before = before ? before : stmt_block(t);
        stmt_append(t, before, alloc);
        stmt_append(t, after, release);
        remove_item(loop->body, alloc);
        remove_item(loop->body, release);
        i--;
    }
    if (!before)
        return NULL;
    *inner = *loop;
    inner->loop.independent = false; /* they have the memory in common now */
    stmt_append(t, before, inner);
    stmt_append(t, before, after);
    return if_it_runs(t, loop, before);
}

void arena_hoist(struct tree *t, struct tree_stmt *s)
{
    if (s->body)
        arena_hoist(t, s->body);
    if (s->otherwise)
        arena_hoist(t, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        arena_hoist(t, s->items.items[i]);
    if (s->kind != STMT_FOR || s->loop.parallel || !expr_is_pure(s->begin) || !expr_is_pure(s->end))
        return;
    stmt_flatten(t, s->body);
    struct tree_stmt *block = hoisted(t, s);
    if (block)
        *s = *block;
}
