#include "lower/opt/messages/overlap.h"

#include "lower/tree/tree_rewrite.h"

enum { MOST = 3 }; /* loops whose ends are taken off */

static bool plain(void *user, struct tree_stmt *s)
{
    bool *good = user;
    *good = *good && s->kind != STMT_REDUCE && s->kind != STMT_UPDATE;
    return *good;
}

static bool may_split(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) && expr_is_int(s->step, 1) &&
           s->loop.omp == 0 && !s->loop.tiles && !s->loop.unroll;
}

/* The only statement of the body, NULL if there are others. */
static struct tree_stmt *inner(const struct tree_stmt *s)
{
    return s->body->items.count == 1 ? s->body->items.items[0] : NULL;
}

static struct tree_expr *by(struct tree *t, struct tree_expr *e, int64_t n)
{
    return expr_binary(t, EXPR_ADD, e, expr_i64(t, n));
}

/* A copy: the loops further out than `depth` without their ends, that one as said: -1 its first iteration, 1 its last
 * one, 0 without both. */
static struct tree_stmt *part(struct tree *t, const struct tree_stmt *nest, uint32_t depth, int which)
{
    struct tree_stmt *copy = stmt_clone_apart(t, nest), *s = copy;
    for (uint32_t d = 0; d <= depth; d++, s = inner(s)) {
        struct tree_expr *begin = s->begin, *end = s->end;
        bool end_only = d == depth && which;
        if (end_only && which < 0) {
            s->end = expr_binary(t, EXPR_MIN, by(t, begin, 1), end);
        } else {
            s->begin = by(t, begin, 1);
            s->end = by(t, end, -1);
            if (end_only) {
                s->begin = expr_binary(t, EXPR_MAX, by(t, begin, 1), s->end);
                s->end = end;
            }
        }
        if (end_only)
            s->loop.parallel = false;
    }
    return copy;
}

static bool touches(struct overlap_set *set, struct tree_stmt *s)
{
    struct tree_piece p = { .control = false };
    piece_add(set->tree->scratch, &p, s, NULL);
    return p.control || p.effects || p.jumps || p.frees || overlap_meets(set, &p);
}

struct tree_stmt *overlap_split(struct overlap_set *set, const struct tree_stmt *loop)
{
    struct tree *t = set->tree;
    bool good = loop->kind == STMT_FOR && loop->loop.parallel;
    if (good)
        stmt_visit((struct tree_stmt *)(uintptr_t)loop, plain, &good);
    const struct tree_stmt *s = loop;
    for (uint32_t depth = 0; good && depth < MOST && s && may_split(s); depth++, s = inner(s)) {
        struct tree_stmt *interior = part(t, loop, depth, 0);
        if (touches(set, interior))
            continue;
        struct tree_stmt *block = stmt_block(t);
        stmt_append(t, block, interior);
        for (uint32_t d = 0; d <= depth; d++) {
            stmt_append(t, block, part(t, loop, d, -1));
            stmt_append(t, block, part(t, loop, d, 1));
        }
        return block;
    }
    return NULL;
}
