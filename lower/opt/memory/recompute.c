/* What one nest stores for nests behind it they compute themselves, where that is cheaper than memory.
 *
 *     for i, j { T[i, j] = A[i, j + 1] - A[i, j] }          for i, j {
 *     for i, j { B[i, j] = T[i + 1, j] - T[i, j] }    ->        v = A[i + 1, j + 1] - A[i + 1, j]
 *                                                               w = A[i, j + 1] - A[i, j]
 *                                                               B[i, j] = v - w
 *                                                           }
 *
 * Legality: All loads of the memory stand behind the nest, in the same block, and each is of an element that an
 * iteration of the nest stores: solving the index for the counters gives values within the bounds. Nothing between
 * writes what the nest reads. Dead-code removes the nest, whose results nobody loads any more.
 * Profitability: An element is loaded at a few places, once at each, and takes few operations. On devices arithmetic is
 * cheap; elsewhere memory must be larger than the second cache, which is taken for so where only a run knows. */
#include "lower/opt/memory/recompute.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

enum {
    MOST_WORK = 160 /* operations at all places */,
    MOST_SITES = 8,
    FUNCTION = 8,
    FUNCTION_HOST = 40 /* without hardware for it */,
    DIVISION = 4
};

/* ---- the nest ---- */

static void see_operation(void *user, struct tree_expr *e)
{
    struct recompute_nest *p = user;
    p->good &= expr_is_pure(e) && e->op != EXPR_CALL;
    if (e->op == EXPR_LOAD) {
        p->good &= expr_root_var(e->args[0]) && expr_root_var(e->args[0]) != p->memory;
        vec_push(p->tree->scratch, &p->classes, e->alias);
        vec_push(p->tree->scratch, &p->roots, expr_root_var(e->args[0]));
    }
}

/* Without the arithmetic of indices. */
static uint32_t work_of(const struct recompute_nest *p, const struct tree_expr *e)
{
    uint32_t work = e->op == EXPR_MATH && e->math != TREE_MATH_fabs ? (p->device ? FUNCTION : FUNCTION_HOST)
                    : e->op == EXPR_DIV || e->op == EXPR_REM        ? DIVISION
                                                                    : e->op == EXPR_LOAD || e->num_args > 1;
    for (uint32_t i = 0; i < e->num_args && e->op != EXPR_LOAD; i++)
        work += work_of(p, e->args[i]);
    return work;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_operation, user); }

static bool mentions_counter(const struct recompute_nest *p, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < p->num_loops; i++)
        if (expr_mentions(e, p->loops[i]->var))
            return true;
    return false;
}

static bool find_loops(struct recompute_nest *p, struct tree_stmt *s)
{
    while (s->kind == STMT_FOR && p->num_loops < RECOMPUTE_LOOPS) {
        if (!(s->loop.independent || s->loop.parallel) || !expr_is_int(s->step, 1) || s->var->type->kind != TYPE_I64 ||
            mentions_counter(p, s->begin) || mentions_counter(p, s->end))
            return false;
        p->loops[p->num_loops++] = s;
        p->body = s->body;
        if (s->body->items.count != 1)
            break;
        s = s->body->items.items[0];
    }
    return p->num_loops > 0 && p->body->items.count > 0;
}

/* Assignments, and the store at their end. */
static bool find_body(struct recompute_nest *p)
{
    p->store = vec_last(&p->body->items);
    if (p->store->kind != STMT_STORE || p->store->pointer->op != EXPR_VAR ||
        p->store->pointer->type->elem != p->store->value->type)
        return false;
    p->memory = p->store->pointer->var;
    for (uint32_t i = 0; i < p->body->items.count && p->good; i++) {
        struct tree_stmt *s = p->body->items.items[i];
        p->good &= s == p->store ||
                   (s->kind == STMT_ASSIGN && type_is_basic(s->var->type) && !expr_mentions(s->value, s->var));
        if (!p->good)
            return false;
        if (s->pointer)
            see_operand(p, &s->index);
        see_operand(p, &s->value);
        p->work += work_of(p, s->value);
    }
    linear_of(&p->at, p->store->index);
    return p->good && p->at.known && p->store->index->type->kind == TYPE_I64;
}

/* ---- what is between ---- */

static bool is_read(const struct recompute_nest *p, uint32_t alias)
{
    for (uint32_t i = 0; i < p->classes.count; i++)
        if (!alias || !p->classes.items[i] || p->classes.items[i] == alias)
            return true;
    return false;
}

static bool see_write(void *user, struct tree_stmt *s)
{
    struct recompute_nest *p = user;
    if (stmt_rows[s->kind].flags & STMT_WRITES)
        p->good &= !is_read(p, s->alias);
    if (s->kind == STMT_CALL)
        p->good &= stmt_is_product(s) && !is_read(p, s->product->c);
    for (uint32_t i = 0; s->kind == STMT_FREE && i < p->roots.count; i++)
        p->good &= p->roots.items[i] != s->var;
    return p->good;
}

/* Does the statement leave alone what the nest computes with? */
static bool leaves(struct recompute_nest *p, struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = p->tree->scratch };
    tree_scan_add(&scan, s);
    if (scan.labels.count || scan.gotos.count || scan.parallel || scan.barrier)
        return false;
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const struct tree_var *v = scan.assigned.slots[i].key;
        if (map_has(&p->scan.uses, v) && v != p->memory)
            return false;
    }
    stmt_visit(s, see_write, p);
    return p->good;
}

/* ---- places that load ---- */

struct mentions {
    const struct tree_var *memory;
    uint32_t all, loads, stores;
};

static void see_mention(void *user, struct tree_expr *e)
{
    struct mentions *m = user;
    m->all += e->op == EXPR_VAR && e->var == m->memory;
    m->loads += e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && e->args[0]->var == m->memory;
}

static void see_mentions(void *user, struct tree_expr **e) { expr_visit(*e, see_mention, user); }

static bool count_mentions(void *user, struct tree_stmt *s)
{
    struct mentions *m = user;
    stmt_each_expr(s, see_mentions, user);
    m->stores += s->kind == STMT_STORE && s->pointer->op == EXPR_VAR && s->pointer->var == m->memory;
    /* other statements that give the pointer a value, or keep it */
    m->all += s->var == m->memory && s->kind != STMT_ALLOC && s->kind != STMT_FREE;
    m->all += s->kind == STMT_ALLOC && s->var == m->memory && s->where == TREE_STATE;
    return true;
}

static struct mentions mentions_of(const struct tree_var *memory, struct tree_stmt *s)
{
    struct mentions m = { .memory = memory };
    stmt_visit(s, count_mentions, &m);
    return m;
}

/* ---- consumers ---- */

struct site {
    struct tree_expr *index, *value;
};

struct consumer {
    struct recompute_nest *p;
    const struct tree_frame *frame;   /* of the place at hand */
    const struct tree_frame *outside; /* of the block */
    struct tree_stmt *front;          /* what comes in front of the statement at hand; NULL: nothing is written */
    VEC(struct site) sites;           /* of the block at hand */
    uint32_t loads, computed;
    bool good;
};

/* Every loop gives other elements. */
static bool is_once(const struct consumer *c, const struct tree_expr *index)
{
    for (const struct tree_frame *f = c->frame; f != c->outside; f = f->outer)
        if (!expr_mentions(index, f->loop->var))
            return false;
    return true;
}

static struct tree_expr *compute(struct consumer *c, const struct linear *counters)
{
    struct recompute_nest *p = c->p;
    struct tree *t = p->tree;
    struct tree_stmt *all = stmt_block(t);
    for (uint32_t i = 0; i + 1 < p->body->items.count; i++)
        stmt_append(t, all, stmt_clone(t, p->body->items.items[i]));
    struct tree_var *v = tree_var(t, p->memory->name, p->store->value->type);
    stmt_assign(t, all, v, p->store->value)->place = p->store->place;
    all = stmt_clone_apart(t, all);
    for (uint32_t i = 0; i < p->num_loops; i++)
        stmt_substitute(t, all, p->loops[i]->var, linear_expr(t, &counters[i]));
    stmt_append(t, c->front, all);
    const struct tree_stmt *last = vec_last(&all->items);
    return expr_var(t, last->var);
}

static struct tree_expr *replace_load(void *user, struct tree_expr *e)
{
    struct consumer *c = user;
    struct linear counters[RECOMPUTE_LOOPS];
    if (e->op != EXPR_LOAD || e->args[0]->op != EXPR_VAR || e->args[0]->var != c->p->memory)
        return e;
    for (uint32_t i = 0; i < c->sites.count; i++)
        if (expr_equal(c->sites.items[i].index, e->args[1]))
            return c->sites.items[i].value;
    c->computed++;
    struct tree_expr *value = e;
    if (!c->front)
        c->good &= e->type == c->p->store->value->type && recompute_solve(c->p, e->args[1], counters) &&
                   recompute_is_within(c->p, counters, c->frame) && is_once(c, e->args[1]);
    else if (recompute_solve(c->p, e->args[1], counters))
        value = compute(c, counters);
    struct site s = { e->args[1], value };
    vec_push(c->p->tree->scratch, &c->sites, s);
    return value;
}

static void see_load_of(void *user, struct tree_expr *e)
{
    struct consumer *c = user;
    bool load = e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && e->args[0]->var == c->p->memory;
    c->loads += load;
    if (load && c->good)
        replace_load(c, e);
}

static void see_loads_of(void *user, struct tree_expr **e) { expr_visit(*e, see_load_of, user); }

static void consume(struct consumer *c, struct tree_stmt *s);

static void consume_inside(struct consumer *c, struct tree_stmt *s)
{
    struct tree_frame inside;
    const struct tree_frame *frame = c->frame;
    if (s->kind == STMT_FOR) {
        inside = tree_frame_of(frame, s);
        c->frame = &inside;
    }
    if (s->body)
        consume(c, s->body);
    if (s->otherwise)
        consume(c, s->otherwise);
    c->frame = frame;
}

/* The statements of a block one after the other; elsewhere nothing can be put in front. */
static void consume(struct consumer *c, struct tree_stmt *block)
{
    struct tree *t = c->p->tree;
    struct tree_stmt *out = c->front ? stmt_block(t) : NULL;
    for (uint32_t i = 0; i < block->items.count && c->good; i++) {
        struct tree_stmt *s = block->items.items[i];
        uint32_t loads = c->loads;
        if (c->front) {
            c->front = stmt_block(t);
            stmt_rewrite(t, s, replace_load, c);
            stmt_append(t, out, c->front);
            stmt_append(t, out, s);
        } else {
            stmt_each_expr(s, see_loads_of, c);
        }
        /* in front of an assignment of what an index is made of is not behind it */
        if (s->kind == STMT_ASSIGN || s->body)
            c->sites.count = 0;
        if (s->kind == STMT_BLOCK)
            consume(c, s);
        consume_inside(c, s);
        bool straight = s->kind == STMT_FOR || s->kind == STMT_IF || s->kind == STMT_ASSIGN || s->kind == STMT_STORE ||
                        s->kind == STMT_REDUCE || s->kind == STMT_BLOCK;
        c->good &= c->loads == loads || straight;
        if (s->body)
            c->sites.count = 0;
    }
    if (out) {
        stmt_flatten(t, out);
        block->items = out->items;
    }
}

/* ---- blocks ---- */

struct recompute {
    struct tree *tree;
    struct tree_func *func;
    bool device;
};

struct size_of_memory {
    const struct tree_var *memory;
    int64_t most;
    bool large;
};

static bool see_size(void *user, struct tree_stmt *s)
{
    struct size_of_memory *m = user;
    if (s->kind == STMT_ALLOC && s->var == m->memory)
        m->large =
            s->where == TREE_HEAP && (s->count->op != EXPR_INT || s->count->i > m->most / (int64_t)s->type->size);
    return !m->large;
}

/* Does the memory not stay in the caches of a processor? */
static bool is_large(const struct recompute *r, const struct tree_var *memory)
{
    struct size_of_memory m = { memory, r->tree->machine->second_cache, false };
    stmt_visit(r->func->body, see_size, &m);
    return m.large;
}

static struct tree_stmt *range(struct tree *t, const struct tree_stmt *block, uint32_t first)
{
    struct tree_stmt *all = stmt_block(t);
    for (uint32_t i = first; i < block->items.count; i++)
        vec_push(t->arena, &all->items, block->items.items[i]);
    return all;
}

static bool try_item(struct recompute *r, struct tree_stmt *block, uint32_t item, const struct tree_frame *frame)
{
    struct tree *t = r->tree;
    struct recompute_nest p = { .tree = t, .device = r->device, .good = true, .scan = { .arena = t->scratch } };
    if (!find_loops(&p, block->items.items[item]) || !find_body(&p) || p.memory->type->kind != TYPE_POINTER)
        return false;
    if (!r->device && !is_large(r, p.memory))
        return false;
    for (uint32_t i = 0; i < r->func->params.count; i++)
        if (r->func->params.items[i].var == p.memory)
            return false;
    struct mentions m = mentions_of(p.memory, r->func->body);
    if (m.stores != 1 || !m.loads || m.all != m.loads + 1)
        return false;
    tree_scan_add(&p.scan, block->items.items[item]);
    struct consumer c = { .p = &p, .frame = frame, .outside = frame, .good = true };
    uint32_t last = item;
    for (uint32_t i = item + 1; i < block->items.count; i++)
        last = mentions_of(p.memory, block->items.items[i]).loads ? i : last;
    for (uint32_t i = item + 1; i <= last; i++)
        if (!leaves(&p, block->items.items[i]))
            return false;
    struct tree_stmt *behind = range(t, block, item + 1);
    consume(&c, behind);
    if (!c.good || c.loads != m.loads || c.computed > MOST_SITES || c.computed * p.work > MOST_WORK)
        return false;
    c.front = stmt_block(t);
    c.sites.count = 0;
    consume(&c, behind);
    block->items.count = item + 1;
    for (uint32_t i = 0; i < behind->items.count; i++)
        vec_push(t->arena, &block->items, behind->items.items[i]);
    return true;
}

static bool try_block(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_BLOCK)
        for (uint32_t i = 0; i < s->items.count; i++)
            try_item(user, s, i, frame);
    return true;
}

bool opt_recompute(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct recompute r = { t, t->functions.items[i], o->device };
        tree_visit_frames(r.func->body, NULL, try_block, &r);
    }
    return true;
}
