/* Regions: which loops become one kernel (offload_region_code.c), and what the statements in them become. */
#include "lower/opt/device/offload_region.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_cost.h"

enum { ASSUMED_EXTENT = 1024, FEW_ITERATIONS = 32 };

/* ---- what statements become ---- */

static void see_write(void *user, struct memory *m, bool write)
{
    (void)m;
    *(bool *)user |= write;
}

struct writes {
    struct offload *offload;
    const struct map *own;
    bool found;
};

static bool writes_own(const struct map *own, const struct tree_stmt *s)
{
    if (!own || (s->kind != STMT_STORE && s->kind != STMT_REDUCE))
        return false;
    const struct tree_var *root = expr_root_var(s->pointer);
    return root && map_has(own, root);
}

static bool find_write(void *user, struct tree_stmt *s)
{
    struct writes *w = user;
    if (!writes_own(w->own, s))
        offload_each_touch(w->offload, s, see_write, &w->found);
    w->found |= s->kind == STMT_CALL && !callee_is_pure(stmt_callee(s));
    return !w->found;
}

static bool writes(struct offload *o, struct tree_stmt *s, const struct map *own)
{
    struct writes w = { .offload = o, .own = own };
    stmt_visit(s, find_write, &w);
    return w.found;
}

/* Does it give a variable a value that anything else reads? */
static bool has_results(struct offload *o, struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < scan.assigned.count; i++)
        if (offload_used_outside(o, &scan, scan.assigned.slots[i].key))
            return true;
    return false;
}

static void expr_fits(void *user, struct tree_expr **e)
{
    struct writes *w = user;
    w->found |= !offload_expr_fits(w->offload, *e);
}

static enum region_item compound(struct offload *o, struct tree_stmt *s, const struct map *own)
{
    if (own && offload_is_sums(o, s))
        return ITEM_SUMS;
    if (!offload_has_nests(o, s) && !(own && offload_has_sums(o, s)) && offload_fits(o, s)) {
        if (!writes(o, s, own))
            return ITEM_ALL;
        if (!has_results(o, s))
            return ITEM_ONE;
    }
    struct writes unfit = { .offload = o };
    stmt_each_expr(s, expr_fits, &unfit);
    return unfit.found || s->kind == STMT_UPDATE ? ITEM_NONE : ITEM_CONTROL;
}

enum region_item offload_region_item(struct offload *o, struct tree_stmt *s, const struct map *own)
{
    switch (s->kind) {
    case STMT_FOR:
        return offload_is_nest(o, s) ? ITEM_THREADS : compound(o, s, own);
    case STMT_WHILE:
    case STMT_DO:
    case STMT_IF:
    case STMT_UPDATE:
        return compound(o, s, own);
    case STMT_ALLOC:
    case STMT_FREE:
        return ITEM_MEMORY;
    case STMT_BREAK:
    case STMT_CONTINUE:
        return ITEM_JUMP;
    case STMT_ASSIGN:
        return offload_fits(o, s) ? ITEM_ALL : ITEM_NONE;
    case STMT_COPY:
    case STMT_ZERO:
        return type_is_basic(s->type) && offload_fits(o, s) ? ITEM_COPY : ITEM_NONE;
    case STMT_STORE:
    case STMT_REDUCE:
    case STMT_CALL:
        if (!offload_fits(o, s))
            return ITEM_NONE;
        return !writes(o, s, own) ? ITEM_ALL : has_results(o, s) ? ITEM_NONE : ITEM_ONE;
    default:
        return ITEM_NONE;
    }
}

/* ---- values for the host, which bound those that expressions have in the region ---- */

static const struct tree_stmt *loop_of(const struct tree_frame *frame, const struct tree_var *v)
{
    while (frame && frame->loop->var != v)
        frame = frame->outer;
    return frame ? frame->loop : NULL;
}

static struct tree_expr *limit_of_counter(const struct region_limits *l, const struct tree_expr *e, bool high)
{
    const struct tree_stmt *loop = loop_of(l->frame, e->var);
    if (!loop)
        return NULL;
    struct tree_expr *bound = offload_region_limit(l, high ? loop->end : loop->begin, high);
    return bound && high ? expr_binary(l->tree, EXPR_SUB, bound, expr_int(l->tree, e->type, 1)) : bound;
}

struct tree_expr *offload_region_limit(const struct region_limits *l, const struct tree_expr *e, bool high)
{
    if (tree_scan_invariant(l->region, e))
        return (struct tree_expr *)e;
    if (e->op == EXPR_VAR)
        return limit_of_counter(l, e, high);
    bool sum = e->op == EXPR_ADD || e->op == EXPR_MIN || e->op == EXPR_MAX, difference = e->op == EXPR_SUB,
         scaled = e->op == EXPR_MUL && e->args[1]->op == EXPR_INT;
    if (e->type->kind != TYPE_I64 || !(sum || difference || scaled))
        return NULL;
    if (e->op == (high ? EXPR_MIN : EXPR_MAX)) { /* one of both is enough */
        struct tree_expr *x = offload_region_limit(l, e->args[0], high);
        struct tree_expr *y = offload_region_limit(l, e->args[1], high);
        return x && y ? expr_binary(l->tree, e->op, x, y) : x ? x : y;
    }
    bool flipped = scaled && e->args[1]->i < 0;
    struct tree_expr *a = offload_region_limit(l, e->args[0], high != flipped);
    struct tree_expr *b = a ? offload_region_limit(l, e->args[1], high != difference) : NULL;
    return b ? expr_binary(l->tree, e->op, a, b) : NULL;
}

/* ---- is it one? ---- */

struct candidate {
    struct offload *offload;
    const struct tree_scan *scan;
    struct map allocated; /* variable -> ALLOC */
    bool nests, fits;
    bool large; /* a nest that symbols may make large */
};

/* Iterations of the loops in a statement, one in the other. */
static double iterations(struct tree *t, struct tree_stmt *s)
{
    double most = 1, own = s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO ? ASSUMED_EXTENT : 1;
    if (s->kind == STMT_FOR) {
        const struct tree_expr *trips = tree_trip_count(t, s);
        own = trips->op != EXPR_INT ? own : trips->i > 1 ? (double)trips->i : 1;
    }
    for (uint32_t i = 0; i < s->items.count; i++) {
        double inner = iterations(t, s->items.items[i]);
        most = inner > most ? inner : most;
    }
    struct tree_stmt *const parts[] = { s->body, s->otherwise };
    for (int i = 0; i < 2; i++) {
        double inner = parts[i] ? iterations(t, parts[i]) : 1;
        most = inner > most ? inner : most;
    }
    return own * most;
}

struct planes {
    struct tree *tree;
    const struct tree_stmt *loop;
    bool found;
};

static bool find_row(void *user, struct tree_stmt *s)
{
    struct planes *p = user;
    struct linear at;
    int64_t stride = 0;
    if (s->kind == STMT_STORE) {
        linear_of(&at, s->index);
        p->found |= linear_take(&at, p->loop->var, &stride) && (stride == 1 || stride == -1);
    }
    return true;
}

/* An inner loop that stores with unit stride: neighbouring threads access neighbouring elements. */
static bool find_rows(void *user, struct tree_stmt *s)
{
    struct planes *p = user;
    if (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent)) {
        const struct tree_expr *trips = tree_trip_count(p->tree, s);
        p->loop = s;
        if (trips->op != EXPR_INT || trips->i >= FEW_ITERATIONS)
            stmt_visit(s->body, find_row, p);
    }
    return !p->found;
}

/* Threads of a kernel of its own would share the iterations of two loops or more. */
static bool is_plane(struct tree *t, const struct tree_stmt *nest)
{
    const struct tree_stmt *inner = nest->body->items.count == 1 ? nest->body->items.items[0] : NULL;
    struct planes p = { .tree = t };
    if (inner && inner->kind == STMT_FOR && (inner->loop.parallel || inner->loop.independent))
        return true;
    stmt_visit(nest->body, find_rows, &p);
    return p.found;
}

static bool memory_fits(struct candidate *c, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct offload *o = c->offload;
    if (s->kind == STMT_FREE)
        return map_has(&c->allocated, s->var);
    struct region_limits l = { o->tree, c->scan, frame };
    if ((s->where != TREE_STACK && s->where != TREE_HEAP) || map_has(&c->allocated, s->var) ||
        offload_used_outside(o, c->scan, s->var) || !offload_region_limit(&l, s->count, true) ||
        !type_is_basic(s->type))
        return false;
    const struct memory *m = offload_same(&o->by_var[s->var->id]);
    map_put(o->tree->scratch, &c->allocated, s->var, s);
    return !m->foreign && !m->host;
}

static void check(struct candidate *c, struct tree_stmt *s, const struct tree_frame *frame);

static void check_inside(struct candidate *c, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_frame inner = { .outer = frame, .loop = s };
    const struct tree_frame *inside = s->kind == STMT_FOR ? &inner : frame;
    check(c, s->body, inside);
    if (s->otherwise)
        check(c, s->otherwise, inside);
}

/* A nest of several loops that may be too large for what is assumed of symbols: the call decides. */
static void check_nest(struct candidate *c, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree *t = c->offload->tree;
    bool plane = is_plane(t, s), fits = iterations(t, s) <= (plane ? REGION_MOST_STEP : REGION_MOST_ROWS);
    struct region_limits l = { t, c->scan, frame };
    struct tree_expr *count = plane && !fits ? offload_region_count(c->offload, &l, s) : NULL;
    bool known = count && count->op == EXPR_INT;
    bool decided = count && !known && !offload_on_device(c->offload, count);
    fits |= known && (double)count->i <= REGION_MOST_STEP;
    c->nests = true;
    c->large |= decided;
    c->fits &= fits || decided;
}

static void check(struct candidate *c, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count && c->fits; i++)
            check(c, s->items.items[i], frame);
        return;
    }
    switch (offload_region_item(c->offload, s, NULL)) {
    case ITEM_NONE:
        c->fits = false;
        break;
    case ITEM_THREADS:
        check_nest(c, s, frame);
        break;
    case ITEM_MEMORY:
        c->fits &= memory_fits(c, s, frame);
        break;
    case ITEM_CONTROL:
        check_inside(c, s, frame);
        break;
    default:
        break;
    }
}

/* Statements that stand one behind the other: only all of them together have to be closed. */
static enum offload_region is_region(struct offload *o, struct tree_stmt *block)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, block);
    if (!offload_is_closed(o, &scan))
        return REGION_NONE;
    struct candidate c = { .offload = o, .scan = &scan, .fits = true };
    check(&c, block, NULL);
    return !c.fits || !c.nests ? REGION_NONE : c.large ? REGION_SMALL : REGION_ALWAYS;
}

enum offload_region offload_is_region(struct offload *o, struct tree_stmt *s)
{
    bool loop = stmt_is_loop(s) && offload_region_item(o, s, NULL) == ITEM_CONTROL;
    return loop ? is_region(o, s) : REGION_NONE;
}

bool offload_is_longer_region(struct offload *o, struct tree_stmt *block, struct tree_stmt *s)
{
    struct tree_stmt *all = stmt_block(o->tree);
    for (uint32_t i = 0; i < block->items.count; i++)
        stmt_append(o->tree, all, block->items.items[i]);
    stmt_append(o->tree, all, s);
    return is_region(o, all) == REGION_ALWAYS;
}
