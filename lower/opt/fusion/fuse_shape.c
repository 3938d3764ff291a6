#include "lower/opt/fusion/fuse.h"
#include "lower/tree/tree_rewrite.h"

/* Number of iterations if it is a constant, else 0. */
static int64_t trips(const struct tree_stmt *loop)
{
    if (loop->kind != STMT_FOR || loop->begin->op != EXPR_INT || loop->end->op != EXPR_INT ||
        !expr_is_int(loop->step, 1))
        return 0;
    return loop->end->i - loop->begin->i;
}

static struct tree_stmt *first_loop(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind == STMT_FOR)
            return body->items.items[i];
    return NULL;
}

/* Elements of a copy, a fill or a loop, counted from 0; 0: not of that kind. */
static int64_t flat_count(const struct tree_stmt *s)
{
    if (s->kind == STMT_COPY || s->kind == STMT_ZERO)
        return type_is_basic(s->type) && s->count->op == EXPR_INT ? s->count->i : 0;
    return s->kind == STMT_FOR && s->var->type->kind == TYPE_I64 && expr_is_int(s->begin, 0) ? trips(s) : 0;
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
                                  const struct tree_stmt *s, int64_t count)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_var *v = tree_var(t, s->kind == STMT_FOR ? s->var->name : "i", i64);
    v->owner = like->var->owner;
    struct tree_stmt *loop = stmt_for(t, block, v, expr_i64(t, 0), expr_i64(t, count), expr_i64(t, 1));
    loop->place = s->place;
    loop->loop = s->kind == STMT_FOR ? s->loop : like->loop;
    loop->loop.parallel = like->loop.parallel;
    loop->loop.independent |= s->kind != STMT_FOR;
    return loop;
}

/* Iterations per level, the last one for what is left over; false if they do not divide. */
static bool divide(const struct fuse_nest *like, int64_t total, int64_t *counts)
{
    for (uint32_t i = 0; i < like->depth; i++) {
        counts[i] = trips(like->loops[i]);
        if (counts[i] <= 0 || total % counts[i] != 0 || like->loops[i]->var->type->kind != TYPE_I64)
            return false;
        total /= counts[i];
    }
    counts[like->depth] = total;
    if (total == 1)
        return true;
    const struct tree_stmt *next = first_loop(like->loops[like->depth - 1]->body);
    return like->depth == 1 && next && trips(next) > 0 && total % trips(next) == 0;
}

/* Is there nothing but a loop inside of the loop? */
static bool has_inner(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && s->body->items.count == 1 && s->body->items.items[0]->kind == STMT_FOR;
}

struct tree_stmt *fuse_shape(struct tree *t, const struct fuse_nest *like, struct tree_stmt *s, bool same_depth)
{
    int64_t total = flat_count(s), counts[FUSE_DEPTH + 1];
    bool sequential = s->kind == STMT_FOR && like->loops[0]->loop.parallel && !s->loop.parallel;
    if (total <= 0 || sequential || !divide(like, total, counts) ||
        (same_depth && (counts[like->depth] != 1 || has_inner(s))))
        return NULL;
    struct tree_stmt *block = stmt_block(t), *inside = block;
    struct tree_expr *index = expr_i64(t, 0);
    for (uint32_t i = 0; i <= like->depth; i++) {
        if (i == like->depth && counts[i] == 1)
            break;
        struct tree_stmt *loop = add_loop(t, inside, like->loops[i < like->depth ? i : 0], s, counts[i]);
        loop->loop.parallel &= i < like->depth;
        index =
            expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, index, expr_i64(t, counts[i])), expr_var(t, loop->var));
        inside = loop->body;
    }
    add_element(t, inside, s, index);
    return block->items.items[0];
}
