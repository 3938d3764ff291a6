#include "lower/opt/filled_first.h"

#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_shape.h"

#include <stdlib.h>

enum { MOST_LOOPS = 16, MOST_STEPS = 16 * 1024 };

/* A loop around the statement that is looked at. */
struct level {
    struct level *outer;
    const struct tree_stmt *loop;
    bool sure;   /* each of its iterations comes to the statement */
    bool filled; /* all of the part, when it ends */
};

struct filling {
    const struct filled_part *part;
    struct level *inner; /* loops inside of the one that is asked about */
    bool filled;         /* all of the part, where the statement stands */
    bool reads_first;
};

static bool is_part(const struct filling *f, const struct tree_expr *pointer)
{
    return pointer && expr_root_var(pointer) == f->part->memory;
}

/* Loops around a write, from the innermost one on: which places they run over together. */
struct swept {
    struct linear at; /* without their variables */
    int64_t steps[MOST_LOOPS], lengths[MOST_LOOPS], low;
    uint32_t count;
};

static bool sweep(struct swept *w, const struct tree_stmt *loop)
{
    int64_t *step = &w->steps[w->count], *length = &w->lengths[w->count];
    if (w->count == MOST_LOOPS || !linear_take(&w->at, loop->var, step) || *step < 0 || *step > MOST_STEPS ||
        loop->begin->op != EXPR_INT || loop->end->op != EXPR_INT || !expr_is_int(loop->step, 1))
        return false;
    *length = loop_span(loop);
    if (*length <= 0 || *length > MOST_STEPS || llabs(loop->begin->i) > MOST_STEPS)
        return false;
    w->low += *step * loop->begin->i;
    w->count += *step > 0;
    return true;
}

/* Is every place among them? The smallest steps first: each goes as far as all before it reach. */
static bool covers(const struct swept *w, const struct filled_part *part, int64_t reach)
{
    bool done[MOST_LOOPS] = { false };
    for (uint32_t n = 0; n < w->count; n++)
        for (uint32_t i = 0; i < w->count; i++)
            if (w->steps[i] == reach && !done[i]) {
                reach *= w->lengths[i];
                done[i] = true;
                break;
            }
    return linear_is_constant(&w->at) && w->low + w->at.constant == part->low && reach == part->count;
}

static void see_write(struct filling *f, const struct linear *at, int64_t extent)
{
    struct swept *w = &(struct swept){ .low = 0 };
    bool sure = true;
    linear_copy(&w->at, at);
    linear_add(&w->at, f->part->base, -1);
    if (!w->at.known)
        return;
    f->filled |= covers(w, f->part, extent);
    for (struct level *l = f->inner; l; l = l->outer) {
        sure &= l->sure;
        if (!sure || !sweep(w, l->loop))
            return;
        l->filled |= covers(w, f->part, extent);
    }
}

static void see_load(void *user, struct tree_expr *e)
{
    struct filling *f = user;
    f->reads_first |= expr_loads_memory(e) && is_part(f, e->args[0]) && !f->filled;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

static void see_touch(void *user, const struct tree_touch *touch)
{
    struct filling *f = user;
    struct linear at, more;
    if (!is_part(f, touch->pointer))
        return;
    f->reads_first |= touch->read && !f->filled;
    const struct tree_expr *pointer = touch->pointer, *count = touch->count;
    if (!touch->write || touch->read || touch->type != f->part->type || (count && count->op != EXPR_INT))
        return;
    linear_constant(&at, 0);
    if (touch->index)
        linear_of(&at, touch->index);
    for (; pointer->op == EXPR_OFFSET && pointer->type->elem == touch->type; pointer = pointer->args[0]) {
        linear_of(&more, pointer->args[1]);
        linear_add(&at, &more, 1);
    }
    if (pointer->op == EXPR_VAR && at.known)
        see_write(f, &at, count ? count->i : 1);
}

static void walk(struct filling *f, struct tree_stmt *s);

static void walk_for(struct filling *f, struct tree_stmt *s)
{
    struct level level = { .outer = f->inner, .loop = s, .sure = true };
    bool before = f->filled;
    f->inner = &level;
    walk(f, s->body);
    f->inner = level.outer;
    f->filled = before || level.filled;
}

static void walk_branches(struct filling *f, struct tree_stmt *s)
{
    bool before = f->filled, sure = f->inner && f->inner->sure;
    if (f->inner)
        f->inner->sure = false;
    if (s->body)
        walk(f, s->body);
    bool one = f->filled;
    f->filled = before;
    if (s->otherwise)
        walk(f, s->otherwise);
    f->filled &= one;
    if (f->inner)
        f->inner->sure = sure;
}

static void walk(struct filling *f, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, f);
    stmt_each_touch(s, see_touch, f);
    if (s->kind == STMT_FOR)
        walk_for(f, s);
    else if (s->body)
        walk_branches(f, s);
    for (uint32_t i = 0; i < s->items.count; i++)
        walk(f, s->items.items[i]);
}

bool filled_first(const struct filled_part *part, struct tree_stmt *loop)
{
    struct filling f = { .part = part };
    walk(&f, loop->body);
    return !f.reads_first;
}
