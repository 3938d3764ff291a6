/* Loops of a row, one behind the other, become one loop, if that makes a chain of the row that rows can go on together
 * with:
 *
 *     T = stack float64[n]                         for k {
 *     for k { T[k] = y[k + 1] + x[k] }                 t = y[k + 1] + x[k]
 *     for k { y[k] = f(y[k - 1], T[k]) }     ->        y[k] = f(y[k - 1], t)
 *                                                  }
 *
 * Legality: What two loops touch, one of them to change it, the first one touches in an earlier iteration, counted from
 * the begin, or in the same one. What is stored and loaded in one iteration is forwarded; memory of the row that only
 * carried it is gone, and a store that another one follows in the same place.
 * Profitability: Steps of a chain wait for each other, and other rows fill that time. What was vector code is done
 * element by element in it: there must not be more of that than there is time. */
#include "lower/opt/registers/interleave.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LOOPS = 4, MOST_STORES = 16, MOST_STATEMENTS = 64, MOST_DEPTH = 1000 };

struct join {
    struct tree *tree;
    struct tree_stmt *row; /* the loop around */
    const struct tree_frame *frame;
    struct tree_scan scan;               /* of the loops in it */
    struct tree_stmt *loops[MOST_LOOPS]; /* the last one is a chain */
    uint32_t count;
};

/* ---- which loops ---- */

static struct tree_expr *span(struct tree *t, const struct tree_stmt *loop)
{
    return expr_binary(t, EXPR_SUB, loop->end, loop->begin);
}

static bool has_as_many(struct tree *t, const struct tree_stmt *a, const struct tree_stmt *b)
{
    struct linear x, y;
    linear_of(&x, span(t, a));
    linear_of(&y, span(t, b));
    return x.known && y.known && linear_equal(&x, &y);
}

static bool find_loops(struct join *j)
{
    for (uint32_t i = 0; i < j->row->body->items.count; i++) {
        struct tree_stmt *s = j->row->body->items.items[i];
        if (s->kind == STMT_ALLOC && s->where == TREE_STACK && !s->zero)
            continue;
        if (s->kind != STMT_FOR || j->count == MOST_LOOPS || s->loop.parallel || !expr_is_int(s->step, 1) ||
            !tree_scan_keeps_bounds(&j->scan, s) || (j->count && !has_as_many(j->tree, j->loops[0], s)) ||
            (j->count && j->loops[0]->var->type != s->var->type))
            return false;
        j->loops[j->count++] = s;
    }
    return j->count > 1 && interleave_is_chain(j->loops[j->count - 1]);
}

/* ---- do they pay ---- */

/* Cycles from the loads to the value of an expression; of variables they are in the map. */
static uint32_t depth_of(const struct machine *m, const struct map *vars, const struct tree_expr *e)
{
    uint32_t deepest = e->op == EXPR_VAR ? (uint32_t)(uintptr_t)map_get(vars, e->var) : 0;
    if (e->op == EXPR_LOAD || e->num_args == 0)
        return deepest;
    for (uint32_t i = 0; i < e->num_args; i++) {
        uint32_t depth = depth_of(m, vars, e->args[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    bool divides = e->op == EXPR_DIV, plain = e->op != EXPR_MATH && e->op != EXPR_CALL;
    deepest += (uint32_t)(divides ? m->divide_latency : plain ? m->add_latency : m->function_latency);
    return deepest < MOST_DEPTH ? deepest : MOST_DEPTH;
}

/* Loads and operations; what indices are made of is not counted. */
static uint32_t count_operations(const struct tree_expr *e)
{
    uint32_t count = e->op == EXPR_LOAD || e->num_args > 0;
    for (uint32_t i = 0; e->op != EXPR_LOAD && i < e->num_args && count < MOST_DEPTH; i++)
        count += count_operations(e->args[i]);
    return count;
}

static bool pays(struct join *j)
{
    const struct machine *m = j->tree->machine;
    const struct tree_stmt *chain = j->loops[j->count - 1]->body;
    struct map vars = { 0 };
    uint32_t latency = 0, operations = 0;
    for (uint32_t i = 0; i < chain->items.count; i++) {
        const struct tree_stmt *s = chain->items.items[i];
        uint32_t depth = s->value ? depth_of(m, &vars, s->value) : 0;
        if (s->kind == STMT_ASSIGN)
            map_put(j->scan.arena, &vars, s->var, (void *)(uintptr_t)depth);
        latency = depth > latency ? depth : latency;
    }
    for (uint32_t n = 0; n + 1 < j->count; n++)
        for (uint32_t i = 0; i < j->loops[n]->body->items.count; i++) {
            const struct tree_stmt *s = j->loops[n]->body->items.items[i];
            if (j->loops[n]->loop.independent)
                operations += (s->kind == STMT_STORE) + (s->value ? count_operations(s->value) : 0);
        }
    return operations / (uint32_t)m->issue <= latency * (INTERLEAVE_ROWS - 1) / INTERLEAVE_ROWS;
}

/* ---- may they be one ---- */

static bool keeps_order(struct join *j, const struct tree_stmt *x, const struct tree_stmt *y,
                        const struct tree_access *a, const struct tree_access *b)
{
    struct depend_loop both = { x, y, false };
    struct depend_query q = { j->scan.arena, a, b, &both, 1, tree_scan_assigns, &j->scan };
    struct depend d = depend_between(&q);
    return d.kind == DEPEND_NEVER || (d.kind == DEPEND_MEET && d.distance[0].least >= 0);
}

/* Do the loops, the first of which comes before the other one, give each other no values in variables? */
static bool share_variables(const struct tree_piece *a, const struct tree_scan *b)
{
    for (uint32_t i = 0; i < a->writes.count; i++)
        if (map_has(&b->uses, a->writes.items[i]))
            return true;
    return false;
}

static bool may_join(struct join *j)
{
    struct tree_piece *pieces = NEW_ARRAY(j->scan.arena, struct tree_piece, MOST_LOOPS);
    struct tree_frame inside = tree_frame_of(j->frame, j->row);
    for (uint32_t n = 0; n < j->count; n++) {
        struct tree_scan scan = { .arena = j->scan.arena };
        piece_add(scan.arena, &pieces[n], j->loops[n], &inside);
        tree_scan_add(&scan, j->loops[n]);
        if (pieces[n].control || pieces[n].effects || pieces[n].jumps || pieces[n].accesses.count > MOST_STATEMENTS)
            return false;
        for (uint32_t m = 0; m < n; m++) {
            if (share_variables(&pieces[m], &scan))
                return false;
            for (uint32_t i = 0; i < pieces[m].accesses.count; i++)
                for (uint32_t k = 0; k < pieces[n].accesses.count; k++) {
                    const struct tree_access *a = pieces[m].accesses.items[i], *b = pieces[n].accesses.items[k];
                    if ((a->write || b->write) && !keeps_order(j, j->loops[m], j->loops[n], a, b))
                        return false;
                }
        }
    }
    return true;
}

/* ---- one iteration ---- */

struct kept_store {
    struct tree_stmt *stmt;
    struct tree_access place;
    bool read, gone;
};

struct one_iteration {
    struct tree *tree;
    struct tree_scan scan; /* of the body */
    struct kept_store stores[MOST_STORES];
    uint32_t count;
    bool ok;
};

static struct tree_access place_of(struct one_iteration *w, const struct tree_expr *pointer,
                                   const struct tree_expr *index, const struct type *type, uint32_t alias)
{
    struct linear at;
    linear_of(&at, index);
    w->ok &= at.known && tree_scan_invariant(&w->scan, index) && tree_scan_invariant(&w->scan, pointer);
    return (struct tree_access){
        .alias = alias, .pointer = pointer, .type = type, .at = linear_keep(w->scan.arena, &at), .extent = 1
    };
}

static bool is_same(const struct tree_access *a, const struct tree_access *b)
{
    return a->alias && a->alias == b->alias && a->type == b->type && expr_equal(a->pointer, b->pointer) &&
           linear_equal(a->at, b->at);
}

/* The value that the iteration stored there, or else what stores it may be of. */
static struct tree_expr *take_stored(void *user, struct tree_expr *e)
{
    struct one_iteration *w = user;
    if (e->op != EXPR_LOAD)
        return e;
    struct tree_access load = place_of(w, e->args[0], e->args[1], e->type, e->alias);
    for (uint32_t i = w->count; w->ok && i > 0; i--) {
        struct kept_store *s = &w->stores[i - 1];
        if (is_same(&load, &s->place))
            return s->stmt->value;
        if (depend_differs(&load, &s->place))
            continue;
        for (uint32_t k = 0; k < i; k++)
            w->stores[k].read = true;
        break;
    }
    return e;
}

static void keep_store(struct one_iteration *w, struct tree_stmt *block, struct tree_stmt *s)
{
    struct kept_store *n = &w->stores[w->count];
    if (w->count == MOST_STORES || s->value->type != s->pointer->type->elem) {
        w->ok = false;
        return;
    }
    if (s->value->op != EXPR_VAR && !expr_is_const(s->value)) {
        struct tree_var *v = tree_var(w->tree, "value", s->value->type);
        stmt_assign(w->tree, block, v, s->value)->place = s->place;
        s->value = expr_var(w->tree, v);
    }
    *n = (struct kept_store){ .stmt = s, .place = place_of(w, s->pointer, s->index, s->value->type, s->alias) };
    for (uint32_t i = 0; i < w->count; i++)
        w->stores[i].gone |= !w->stores[i].read && is_same(&n->place, &w->stores[i].place);
    w->count++;
}

static bool is_gone(const struct one_iteration *w, const struct tree_stmt *s, const struct map *own)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->stores[i].stmt == s)
            return w->stores[i].gone || map_has(own, s->pointer->var);
    return false;
}

/* Is every value of the memory taken from a variable? */
static bool is_forwarded(struct one_iteration *w, const struct tree_stmt *body, const struct tree_var *v)
{
    struct tree_scan scan = { .arena = w->scan.arena };
    uintptr_t stores = 0;
    tree_scan_add(&scan, body);
    for (uint32_t i = 0; i < w->count; i++)
        stores += w->stores[i].stmt->pointer->op == EXPR_VAR && w->stores[i].stmt->pointer->var == v;
    return (uintptr_t)map_get(&scan.uses, v) == stores;
}

/* Values are assigned once in an iteration, so what was stored can be named again. */
static bool assigns_once(const struct tree_stmt *body, struct arena *a)
{
    struct map seen = { 0 };
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind != STMT_STORE && (s->kind != STMT_ASSIGN || map_has(&seen, s->var)))
            return false;
        if (s->kind == STMT_ASSIGN)
            map_put(a, &seen, s->var, (void *)(uintptr_t)s);
    }
    return true;
}

/* The body with stored values forwarded; NULL: something is in the way. */
static struct tree_stmt *forwarded(struct join *j, struct tree_stmt *body)
{
    struct tree *t = j->tree;
    struct one_iteration *w = NEW(j->scan.arena, struct one_iteration);
    struct tree_stmt *block = stmt_block(t), *out = stmt_block(t);
    struct map own = { 0 };
    *w = (struct one_iteration){ .tree = t, .scan = { .arena = j->scan.arena }, .ok = true };
    tree_scan_add(&w->scan, body);
    if (!assigns_once(body, w->scan.arena))
        return NULL;
    for (uint32_t i = 0; i < body->items.count && w->ok; i++) {
        struct tree_stmt *s = body->items.items[i];
        stmt_rewrite(t, s, take_stored, w);
        if (s->kind == STMT_STORE)
            keep_store(w, block, s);
        stmt_append(t, block, s);
    }
    for (uint32_t i = 0; i < j->row->body->items.count && w->ok; i++) {
        const struct tree_stmt *s = j->row->body->items.items[i];
        w->ok &= s->kind != STMT_ALLOC || is_forwarded(w, block, s->var);
        if (s->kind == STMT_ALLOC)
            map_put(w->scan.arena, &own, s->var, s->var);
    }
    for (uint32_t i = 0; i < block->items.count; i++)
        if (!is_gone(w, block->items.items[i], &own))
            stmt_append(t, out, block->items.items[i]);
    return w->ok ? out : NULL;
}

struct tree_stmt *interleave_join(struct tree *t, struct tree_stmt *row, const struct tree_frame *frame)
{
    struct join j = { .tree = t, .row = row, .frame = frame, .scan = { .arena = t->scratch } };
    for (uint32_t i = 0; i < row->body->items.count; i++)
        if (row->body->items.items[i]->kind != STMT_ALLOC)
            tree_scan_add(&j.scan, row->body->items.items[i]);
    if (row->body->items.count < 2 || !find_loops(&j) || !pays(&j) || !may_join(&j))
        return NULL;
    struct tree_stmt *last = j.loops[j.count - 1], *body = stmt_block(t), *out = stmt_block(t);
    for (uint32_t n = 0; n < j.count; n++) {
        struct tree_stmt *one = stmt_clone(t, j.loops[n]->body);
        struct tree_expr *shift = expr_binary(t, EXPR_SUB, j.loops[n]->begin, last->begin);
        if (n + 1 < j.count)
            stmt_substitute(t, one, j.loops[n]->var, expr_binary(t, EXPR_ADD, expr_var(t, last->var), shift));
        stmt_append(t, body, one);
    }
    stmt_flatten(t, body);
    struct tree_stmt *joined = stmt_for(t, out, last->var, last->begin, last->end, last->step);
    joined->place = last->place;
    joined->loop = last->loop;
    joined->body = forwarded(&j, body);
    return joined->body ? out : NULL;
}
