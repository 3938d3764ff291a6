/* Does it pay to take a loop apart in strips? */
#include "lower/opt/locality/strip_mine.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

int64_t strip_stride(const struct tree_access *a, const struct tree_var *v)
{
    struct linear at = { .known = true };
    int64_t times;
    linear_add(&at, a->at, 1);
    if (!linear_take(&at, v, &times))
        return INT64_MAX;
    return times < 0 ? -times : times;
}

bool strip_has_loop(const struct tree_stmt *s)
{
    if (!s)
        return false;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->kind == STMT_FOR || strip_has_loop(s->items.items[i]))
            return true;
    return strip_has_loop(s->body) || strip_has_loop(s->otherwise);
}

/* Do iterations certainly load what earlier ones have stored? */
static bool is_chain(struct arena *arena, const struct tree_piece *piece, const struct tree_stmt *inner)
{
    const struct depend_loop loop = { inner, inner, false };
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        int64_t by = a->write && a->frame && a->frame->loop == inner ? strip_stride(a, inner->var) : 0;
        for (uint32_t k = 0; by != 0 && by != INT64_MAX && k < piece->accesses.count; k++) {
            const struct tree_access *b = piece->accesses.items[k];
            if (!b->read || !b->frame || b->frame->loop != inner)
                continue;
            struct depend d = depend_between(&(struct depend_query){ arena, a, b, &loop, 1, NULL, NULL });
            if (d.kind == DEPEND_MEET && d.certain && d.distance[0].most > 0)
                return true;
        }
    }
    return false;
}

/* Are all innermost loops such chains? Strips are then the only way to vectors, and to several things at a time. */
static bool is_chained(struct arena *arena, const struct tree_piece *piece, const struct tree_stmt *loop)
{
    bool found = false;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_frame *f = piece->accesses.items[i]->frame;
        if (!f || f->loop == loop || strip_has_loop(f->loop->body))
            continue;
        if (i > 0 && piece->accesses.items[i - 1]->frame && piece->accesses.items[i - 1]->frame->loop == f->loop)
            continue;
        if (!is_chain(arena, piece, f->loop))
            return false;
        found = true;
    }
    return found;
}

/* Is there nothing inside but an independent loop around others, whose iterations are nearer to each other? */
static bool has_nearer(const struct tree_stmt *loop)
{
    const struct tree_stmt *inner = loop->body->items.count == 1 ? loop->body->items.items[0] : NULL;
    return inner && inner->kind == STMT_FOR && inner->loop.independent && strip_has_loop(inner->body);
}

static void see_long(void *user, struct tree_expr *e)
{
    bool *found = user;
    *found |= type_is_float(e->type) && (e->op == EXPR_DIV || e->op == EXPR_MATH);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_long, user); }

static bool see_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, user);
    return true;
}

/* Divisions and functions: what vectors do several of at a time is worth gathering for. */
static bool has_long_operations(const struct tree_stmt *loop)
{
    bool found = false;
    stmt_visit(loop->body, see_stmt, &found);
    return found;
}

bool strip_pays(struct arena *arena, const struct tree_stmt *loop, const struct tree_piece *piece)
{
    uint32_t better = 0, worse = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (!a->frame || a->frame->loop == loop || !a->at || !a->at->known)
            continue;
        int64_t by_strip = strip_stride(a, loop->var), by_inner = strip_stride(a, a->frame->loop->var);
        better += by_strip == 1 && by_inner > 1;
        worse += by_strip > 1 && by_inner <= 1;
    }
    if (better > worse)
        return true;
    return (better == worse || has_long_operations(loop)) && !has_nearer(loop) && is_chained(arena, piece, loop);
}
