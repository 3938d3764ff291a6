#include "lower/opt/fusion/fuse.h"
#include "lower/tree/tree_rewrite.h"

/* Number of iterations: extents of arrays and so those of loops over them are not negative. NULL: steps are not 1, or
 * bounds more than sizes. */
static struct tree_expr *trips(struct tree *t, const struct tree_stmt *loop)
{
    if (loop->kind != STMT_FOR || loop->var->type->kind != TYPE_I64 || !expr_is_int(loop->step, 1))
        return NULL;
    return tree_is_size(t, loop->begin) && tree_is_size(t, loop->end) ? expr_binary(t, EXPR_SUB, loop->end, loop->begin)
                                                                      : NULL;
}

static struct tree_stmt *first_loop(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind == STMT_FOR)
            return body->items.items[i];
    return NULL;
}

/* Elements of a copy, a fill or a loop, counted from 0; NULL: not of that kind. */
static struct tree_expr *flat_count(struct tree *t, const struct tree_stmt *s)
{
    if (s->kind == STMT_COPY || s->kind == STMT_ZERO)
        return type_is_basic(s->type) ? s->count : NULL;
    return s->kind == STMT_FOR && expr_is_int(s->begin, 0) ? trips(t, s) : NULL;
}

/* Element `index` of what `s` does. */
static void add_element(struct tree *t, struct tree_stmt *block, struct tree_stmt *s, struct tree_expr *index)
{
    if (s->kind == STMT_FOR) {
        struct tree_stmt *body = stmt_clone(t, s->body);
        stmt_substitute(t, body, s->var, index);
        for (uint32_t i = 0; i < body->items.count; i++)
            stmt_append(t, block, body->items.items[i]);
        return;
    }
    struct tree_expr *value =
        s->kind == STMT_COPY ? expr_load(t, s->type, s->pointer2, index, s->alias2) : expr_zero(t, s->type);
    stmt_store(t, block, s->pointer, index, value, s->alias)->place = s->place;
}

static struct tree_stmt *add_loop(struct tree *t, struct tree_stmt *block, const struct tree_stmt *like,
                                  const struct tree_stmt *s, struct tree_expr *count)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_var *v = tree_var(t, s->kind == STMT_FOR ? s->var->name : "i", i64);
    v->owner = like->var->owner;
    struct tree_stmt *loop = stmt_for(t, block, v, expr_i64(t, 0), count, expr_i64(t, 1));
    loop->place = s->place;
    loop->loop = s->kind == STMT_FOR ? s->loop : like->loop;
    loop->loop.parallel = like->loop.parallel;
    loop->loop.independent |= s->kind != STMT_FOR;
    return loop;
}

/* Parameters that are extents are not negative; what is computed from them (N - 1) may be. */
static bool may_be_negative(const struct tree_expr *count)
{
    return count->op != EXPR_INT && (count->op != EXPR_VAR || (count->var->size && count->var->least <= 0));
}

/* Two factors below zero would be iterations that the nest does not have. */
static bool is_product(struct tree *t, struct tree_expr *total, struct tree_expr *const *counts, uint32_t levels)
{
    struct linear whole, product;
    struct tree_expr *all = expr_i64(t, 1);
    uint32_t negative = 0;
    for (uint32_t i = 0; i < levels; i++) {
        all = expr_binary(t, EXPR_MUL, all, counts[i]);
        negative += may_be_negative(counts[i]);
    }
    if (negative > 1)
        return false;
    linear_of(&whole, total);
    linear_of(&product, all);
    return linear_equal(&whole, &product);
}

/* All but the iterations of the nest, as multiples of those of the loop inside. */
static bool add_rest(const struct tree_expr *total, const struct tree_stmt *next, struct tree *t,
                     struct tree_expr **counts, uint32_t *levels)
{
    struct tree_expr *inner = next ? trips(t, next) : NULL;
    int64_t rest = total->i;
    for (uint32_t i = 0; i < *levels; i++) {
        if (counts[i]->op != EXPR_INT || rest % counts[i]->i != 0)
            return false;
        rest /= counts[i]->i;
    }
    counts[(*levels)++] = expr_i64(t, rest);
    return rest == 1 || (inner && inner->op == EXPR_INT && inner->i > 0 && rest % inner->i == 0);
}

/* Are they those of the loop, whatever that is? */
static bool is_same_count(struct tree *t, const struct tree_stmt *loop, const struct tree_expr *total)
{
    struct linear whole, own;
    if (loop->var->type->kind != TYPE_I64 || !expr_is_int(loop->step, 1))
        return false;
    linear_of(&whole, total);
    linear_of(&own, expr_binary(t, EXPR_SUB, loop->end, loop->begin));
    return linear_equal(&whole, &own);
}

/* Iterations per level: of the loops of the nest, and where it has one loop, of what is left over. 0: they do not
 * divide.
 */
static uint32_t divide(struct tree *t, const struct fuse_nest *like, struct tree_expr *total, struct tree_expr **counts)
{
    const struct tree_stmt *next = first_loop(like->loops[like->depth - 1]->body);
    uint32_t levels = 0;
    if (like->depth == 1 && is_same_count(t, like->loops[0], total)) {
        counts[0] = total;
        return 1;
    }
    for (; levels < like->depth; levels++) {
        counts[levels] = trips(t, like->loops[levels]);
        if (!counts[levels] || (counts[levels]->op == EXPR_INT && counts[levels]->i <= 1))
            return 0;
    }
    if (is_product(t, total, counts, levels))
        return levels;
    if (like->depth > 1)
        return 0;
    if (total->op == EXPR_INT)
        return total->i > 0 && add_rest(total, next, t, counts, &levels) ? levels : 0;
    for (; next && levels < FUSE_DEPTH; next = first_loop(next->body)) {
        counts[levels] = trips(t, next);
        if (!counts[levels])
            return 0;
        if (is_product(t, total, counts, ++levels))
            return levels;
    }
    return 0;
}

/* Is there nothing but a loop inside of the loop? */
static bool has_inner(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && s->body->items.count == 1 && s->body->items.items[0]->kind == STMT_FOR;
}

struct tree_stmt *fuse_shape(struct tree *t, const struct fuse_nest *like, struct tree_stmt *s, bool same_depth)
{
    struct tree_expr *total = flat_count(t, s), *counts[FUSE_DEPTH + 1];
    bool sequential = s->kind == STMT_FOR && like->loops[0]->loop.parallel && !s->loop.parallel;
    uint32_t levels = total && !sequential ? divide(t, like, total, counts) : 0;
    if (levels == 0 || (same_depth && (levels > like->depth || has_inner(s))))
        return NULL;
    struct tree_stmt *block = stmt_block(t), *inside = block;
    struct tree_expr *index = expr_i64(t, 0);
    for (uint32_t i = 0; i < levels; i++) {
        struct tree_stmt *loop = add_loop(t, inside, like->loops[i < like->depth ? i : 0], s, counts[i]);
        loop->loop.parallel &= i < like->depth;
        index = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, index, counts[i]), expr_var(t, loop->var));
        inside = loop->body;
    }
    add_element(t, inside, s, index);
    return block->items.items[0];
}
