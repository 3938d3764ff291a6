/* A loop in strips. */
#include "lower/opt/locality/strip_mine.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    WIDEST = 64,
    SIZED = 32 /* where a run says how much memory an iteration has */,
    STRIPS = 8 /* at least, for threads to share */
};

struct replace {
    struct strip *w;
    struct tree_expr *lane;
};

/* The allocation, if the variable is of memory of which every iteration has its own. */
static struct tree_stmt *own_memory(const struct strip *w, const struct tree_var *v)
{
    return map_has(&w->uniform, v) ? NULL : map_get(&w->memory, v);
}

/* Of the memory of all iterations of the strip. */
static struct tree_expr *element(const struct replace *r, struct tree_expr *index)
{
    struct tree *t = r->w->tree;
    return expr_binary(t, EXPR_ADD, r->lane, expr_binary(t, EXPR_MUL, index, expr_i64(t, r->w->width)));
}

static struct tree_expr *replace_expr(void *user, struct tree_expr *e)
{
    struct replace *r = user;
    struct tree *t = r->w->tree;
    struct tree_stmt *values;
    if (e->op == EXPR_VAR && !map_has(&r->w->memory, e->var) && (values = map_get(&r->w->arrays, e->var)))
        return expr_load(t, e->type, expr_var(t, values->var), r->lane, values->alias);
    if (e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && (values = own_memory(r->w, e->args[0]->var)))
        return expr_load(t, e->type, e->args[0], element(r, e->args[1]), e->alias);
    return e;
}

static bool replace_stmt(void *user, struct tree_stmt *s)
{
    struct replace *r = user;
    struct tree *t = r->w->tree;
    stmt_rewrite(t, s, replace_expr, r);
    struct tree_stmt *values = NULL;
    if (s->kind == STMT_ASSIGN && (values = map_get(&r->w->arrays, s->var))) {
        s->kind = STMT_STORE;
        s->var = NULL;
        s->pointer = expr_var(t, values->var);
        s->index = r->lane;
        s->alias = values->alias;
        s->reassociate = false;
    } else if ((s->kind == STMT_STORE || s->kind == STMT_REDUCE) && s->pointer->op == EXPR_VAR &&
               (values = own_memory(r->w, s->pointer->var))) {
        s->index = element(r, s->index);
        s->atomic = false;
    }
    return true;
}

/* A loop over the strip; `lane`: the number of an iteration in it. */
static struct tree_stmt *over_strip(struct strip *w, struct tree_stmt *out, struct tree_expr **lane)
{
    struct tree *t = w->tree;
    struct tree_var *v = tree_var(t, w->loop->var->name, w->loop->var->type);
    struct tree_stmt *s = stmt_for(t, out, v, expr_var(t, w->base), w->stop, w->loop->step);
    s->place = w->loop->place;
    s->loop.independent = true;
    struct tree_expr *number = expr_binary(t, EXPR_SUB, expr_var(t, v), expr_var(t, w->base));
    *lane = expr_cast(t, type_basic(t->ir, TYPE_I64), number);
    return s;
}

/* The statements gathered become a loop over the strip. */
static void close_run(struct strip *w, struct tree_stmt *out, struct tree_stmt **run)
{
    if (!*run)
        return;
    struct replace r = { .w = w };
    struct tree_stmt *s = over_strip(w, out, &r.lane);
    s->body = *run;
    stmt_substitute(w->tree, s->body, w->loop->var, expr_var(w->tree, s->var));
    stmt_visit(s->body, replace_stmt, &r);
    *run = NULL;
}

/* Variables and memory that the iteration at hand has values of its own in, brought from and to those of the strip. */
static void bring_values(struct strip *w, struct tree_stmt *body, const struct tree_scan *scan, struct tree_expr *lane,
                         bool back)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->arrays.count; i++) {
        struct tree_var *v = (struct tree_var *)(uintptr_t)w->arrays.slots[i].key;
        const struct tree_stmt *values = w->arrays.slots[i].value;
        struct tree_expr *pointer = expr_var(t, values->var);
        if (!back && map_has(&scan->uses, v))
            stmt_assign(t, body, v, expr_load(t, v->type, pointer, lane, values->alias));
        else if (back && map_has(&scan->assigned, v))
            stmt_store(t, body, pointer, lane, expr_var(t, v), values->alias);
    }
}

static void bring_memory(struct strip *w, struct tree_stmt *body, const struct tree_stmt *alloc, struct tree_var *own,
                         const struct replace *r, bool back)
{
    struct tree *t = w->tree;
    for (int64_t i = 0; i < alloc->count->i / w->width; i++) {
        struct tree_expr *here = expr_i64(t, i), *there = element(r, here);
        struct tree_expr *from = expr_var(t, back ? own : alloc->var), *to = expr_var(t, back ? alloc->var : own);
        struct tree_expr *value = expr_load(t, alloc->type, from, back ? here : there, alloc->alias);
        stmt_store(t, body, to, back ? there : here, value, alloc->alias);
    }
}

/* An iteration of the strip: the loop `s`, on variables and memory of its own. */
static void put_iteration(struct strip *w, struct tree_stmt *body, struct tree_stmt *s, struct tree_expr *lane)
{
    struct tree *t = w->tree;
    struct tree_scan scan = { .arena = t->scratch };
    struct replace r = { w, lane };
    struct tree_var **own = NEW_ARRAY(t->scratch, struct tree_var *, w->memory.count + 1);
    tree_scan_add(&scan, s);
    bring_values(w, body, &scan, lane, false);
    for (uint32_t i = 0; i < w->memory.count; i++) {
        const struct tree_stmt *alloc = w->memory.slots[i].value;
        if (!map_has(&scan.uses, alloc->var) || !own_memory(w, alloc->var))
            continue;
        own[i] = tree_var(t, alloc->var->name, alloc->var->type);
        struct tree_expr *count = expr_i64(t, alloc->count->i / w->width);
        stmt_alloc(t, body, own[i], alloc->type, count, TREE_STACK)->alias = alloc->alias;
        bring_memory(w, body, alloc, own[i], &r, false);
        stmt_substitute(t, s, alloc->var, expr_var(t, own[i]));
    }
    stmt_append(t, body, s);
    bring_values(w, body, &scan, lane, true);
    for (uint32_t i = 0; i < w->memory.count; i++)
        if (own[i])
            bring_memory(w, body, w->memory.slots[i].value, own[i], &r, true);
}

/* It was taken in front of the strip. */
static bool take_out_memory(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_ALLOC || s->kind == STMT_FREE)
        *s = *stmt_block(user);
    return true;
}

/* All iterations of the strip go through a block of the loop's iterations, then through the next one. */
static void put_blocks(struct strip *w, struct tree_stmt *out, struct tree_stmt *s, int64_t block)
{
    struct tree *t = w->tree;
    const struct type *type = s->var->type;
    struct tree_var *first = tree_var(t, s->var->name, type);
    struct tree_stmt *blocks = stmt_for(t, out, first, s->begin, s->end, expr_int(t, type, block));
    struct tree_expr *full = expr_binary(t, EXPR_ADD, expr_var(t, first), expr_int(t, type, block));
    blocks->place = s->place;
    s->loop.parallel = false;
    s->begin = expr_var(t, first);
    s->end = expr_binary(t, EXPR_MIN, full, s->end);
    struct tree_expr *lane;
    struct tree_stmt *over = over_strip(w, blocks->body, &lane);
    stmt_substitute(t, s, w->loop->var, expr_var(t, over->var));
    stmt_visit(s, take_out_memory, t);
    put_iteration(w, over->body, s, lane);
}

/* Is memory of an iteration so little that it can be brought along? */
static bool brings_memory(const struct strip *w)
{
    for (uint32_t i = 0; i < w->memory.count; i++) {
        const struct tree_stmt *alloc = w->memory.slots[i].value;
        if (map_has(&w->uniform, alloc->var) || alloc->count->op != EXPR_INT || alloc->count->i > STRIP_FEW * w->width)
            return false;
    }
    return true;
}

static struct tree_stmt *take_apart(struct strip *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *run = NULL;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind == STMT_ALLOC || s->kind == STMT_FREE)
            continue;
        if (s->kind == STMT_ASSIGN && map_has(&w->uniform, s->var)) {
            stmt_append(t, out, s); /* in front of the run: nothing in it changes what this needs */
        } else if (strip_stores_uniform(w, s)) {
            close_run(w, out, &run);
            stmt_append(t, out, s);
        } else if (s->kind == STMT_FOR) {
            int64_t by = block == w->loop->body && brings_memory(w) ? strip_block(w->tree, &w->piece, w->loop, s) : 0;
            close_run(w, out, &run);
            if (by) {
                put_blocks(w, out, s, by);
                continue;
            }
            s->body = take_apart(w, s->body);
            s->loop.parallel = false;
            stmt_append(t, out, s);
        } else {
            if (!run)
                run = stmt_block(t);
            stmt_append(t, run, s);
        }
    }
    close_run(w, out, &run);
    return out;
}

/* Arrays for the values of variables, and wider memory. */
static void allocate(struct strip *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->arrays.count; i++) {
        const struct tree_var *old = w->arrays.slots[i].key;
        struct tree_var *v = tree_var(t, old->name, type_pointer(t->ir, old->type));
        struct tree_stmt *alloc = stmt_alloc(t, block, v, old->type, expr_i64(t, w->width), TREE_STACK);
        alloc->place = w->loop->place;
        alloc->alias = t->num_aliases++;
        w->arrays.slots[i].value = alloc;
    }
    for (uint32_t i = 0; i < w->memory.count; i++) {
        struct tree_stmt *alloc = stmt_clone(t, w->memory.slots[i].value);
        w->memory.slots[i].value = alloc;
        if (own_memory(w, alloc->var))
            alloc->count = expr_binary(t, EXPR_MUL, alloc->count, expr_i64(t, w->width));
        stmt_append(t, block, alloc);
    }
}

static int64_t width(const struct strip *w, bool threads)
{
    const struct tree_stmt *loop = w->loop;
    int64_t widest = w->sized ? SIZED : WIDEST;
    while (widest > STRIP_NARROWEST && widest * w->bytes > strip_memory(w))
        widest /= 2;
    if (!threads || !loop->loop.parallel || !loop_has_constant_bounds(loop))
        return widest;
    int64_t share = (loop_span(loop) + STRIPS - 1) / STRIPS;
    share = (share + STRIP_NARROWEST - 1) / STRIP_NARROWEST * STRIP_NARROWEST;
    return share < STRIP_NARROWEST ? STRIP_NARROWEST : share > widest ? widest : share;
}

void strip_make(struct strip *w, struct tree_stmt *loop, bool threads)
{
    struct tree *t = w->tree;
    const struct type *type = loop->var->type;
    struct tree_stmt *inside = stmt_block(t);
    w->base = tree_var(t, loop->var->name, type);
    struct tree_var *stop = tree_var(t, "stop", type);
    w->width = width(w, threads);
    struct tree_expr *by = expr_int(t, type, w->width);
    struct tree_expr *full = expr_binary(t, EXPR_ADD, expr_var(t, w->base), by);
    stmt_assign(t, inside, stop, expr_binary(t, EXPR_MIN, full, loop->end))->place = loop->place;
    w->stop = expr_var(t, stop);
    allocate(w, inside);
    struct tree_stmt *body = take_apart(w, loop->body);
    for (uint32_t i = 0; i < body->items.count; i++)
        stmt_append(t, inside, body->items.items[i]);
    for (uint32_t i = 0; i < w->memory.count; i++) {
        const struct tree_stmt *alloc = w->memory.slots[i].value;
        if (alloc->where == TREE_HEAP)
            stmt_free(t, inside, alloc->var);
    }
    loop->var = w->base;
    loop->step = by;
    loop->body = inside;
}
