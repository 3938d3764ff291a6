/* Loops of one thread of a device that load and store are unrolled, with the loads of all copies in front.
 *
 *     for k = 1 to N {                              for k = 1 to N - 3 step 4 {
 *         y[k] = A[k] + f * y[k - 1]                    a0 = A[k], a1 = A[k + 1], a2 = A[k + 2], a3 = A[k + 3]
 *     }                                                 y0 = y[k - 1]
 *                                         ->            y1 = a0 + f * y0, y[k] = y1
 *                                                       y2 = a1 + f * y1, y[k + 1] = y2
 *                                                       ...
 *                                                   }
 *                                                   for k = k to N { y[k] = A[k] + f * y[k - 1] }
 *
 * A thread waits for memory once for all of them. Where it goes along a row, so that its neighbours load from other
 * rows, whole sectors are used at once instead of being asked for again in each iteration, when others may have taken
 * their place in the cache.
 *
 * Legality: A load goes in front of the stores of the copies before it if it surely differs from them (tree_depend.h),
 * gets the value of the last one that is surely to its place, and stays where it is otherwise. Everything else keeps
 * its order. Profitability: Straight code with stores (in loops without, the compiler of the kernels does the same): as
 * many copies as have room in registers. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

enum {
    MOST_COPIES = 16,
    LEAST_COPIES = 4,
    MOST_BYTES = 320,      /* of values that are loaded in front: 80 registers */
    MOST_STATEMENTS = 800, /* of all copies */
    MOST_STORES = 16       /* of one copy: each load is compared with those of all copies */
};

struct load_unrolling {
    struct tree *tree;
    struct tree_whole whole;
};

struct unrolled_place {
    struct tree_access access;
    struct tree_var *value;
};

struct unrolled {
    struct tree *tree;
    const struct tree_stmt *loop;
    struct tree_frame frame; /* of it */
    struct tree_scan scan;
    VEC(struct unrolled_place) loads, stores; /* so far: all in front, and in the order of the copies */
    struct map late;                          /* variables that have no value yet where the loads stand */
    struct tree_stmt *front;
    uint32_t bytes; /* of the loads */
};

/* ---- which loops ---- */

/* Straight code. */
static bool is_straight(const struct tree_stmt *body)
{
    uint32_t stores = 0;
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        bool assign = s->kind == STMT_ASSIGN && s->var->type->kind != TYPE_POINTER;
        stores += s->kind == STMT_STORE;
        if ((!assign && s->kind != STMT_STORE) || !expr_is_pure(s->value))
            return false;
    }
    return stores > 0 && stores <= MOST_STORES;
}

static bool is_short(struct tree *t, const struct tree_stmt *loop)
{
    const struct tree_expr *trips =
        expr_binary(t, EXPR_SUB, (struct tree_expr *)loop->end, (struct tree_expr *)loop->begin);
    return trips->op == EXPR_INT && trips->i < 2 * LEAST_COPIES;
}

static bool is_candidate(struct load_unrolling *w, const struct tree_stmt *s, const struct tree_scan *scan)
{
    return !s->loop.unroll && !s->loop.rolled && expr_is_int(s->step, 1) && s->var->type->kind == TYPE_I64 &&
           tree_scan_invariant(scan, s->begin) && tree_scan_invariant(scan, s->end) && !is_short(w->tree, s) &&
           map_get(&tree_whole(&w->whole)->uses, s->var) == map_get(&scan->uses, s->var);
}

/* ---- places ---- */

enum relation { APART, SAME, UNKNOWN };

static enum relation relation(const struct unrolled *u, const struct tree_access *a, const struct tree_access *b)
{
    if (a->alias == b->alias && a->type == b->type && expr_equal(a->pointer, b->pointer) && linear_equal(a->at, b->at))
        return SAME;
    struct depend_query q = { .arena = u->tree->scratch, .a = a, .b = b };
    return depend_differs(a, b) || depend_is_never(&q) ? APART : UNKNOWN;
}

/* Are all variables in it known where the loads stand? The counter is one of the new loop. */
static bool is_early(const struct unrolled *u, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        return !map_has(&u->scan.assigned, e->var) && !map_has(&u->late, e->var);
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_early(u, e->args[i]))
            return false;
    return true;
}

static bool find_access(const struct unrolled *u, struct tree_access *a, const struct tree_expr *pointer,
                        const struct tree_expr *index, const struct type *type, uint32_t alias)
{
    struct linear at;
    linear_of(&at, index);
    *a = (struct tree_access){ .alias = alias, .pointer = pointer, .type = type, .extent = 1, .frame = &u->frame };
    a->at = at.known ? linear_keep(u->tree->scratch, &at) : NULL;
    return alias && at.known && type == pointer->type->elem;
}

static struct tree_expr *load_in_front(struct unrolled *u, struct tree_expr *e, const struct tree_access *a)
{
    struct tree *t = u->tree;
    for (uint32_t i = 0; i < u->loads.count; i++)
        if (relation(u, &u->loads.items[i].access, a) == SAME)
            return expr_var(t, u->loads.items[i].value);
    struct unrolled_place place = { *a, tree_var(t, "loaded", e->type) };
    vec_push(t->scratch, &u->loads, place);
    stmt_assign(t, u->front, place.value, e)->place = u->loop->place;
    u->bytes += (uint32_t)e->type->size;
    return expr_var(t, place.value);
}

/* A load of a copy: its value, or itself. */
static struct tree_expr *replace_load(void *user, struct tree_expr *e)
{
    struct unrolled *u = user;
    struct tree_access a;
    if (e->op != EXPR_LOAD || !find_access(u, &a, e->args[0], e->args[1], e->type, e->alias))
        return e;
    for (uint32_t i = u->stores.count; i-- > 0;) {
        const struct unrolled_place *store = &u->stores.items[i];
        enum relation r = store->access.at ? relation(u, &store->access, &a) : UNKNOWN;
        if (r != APART)
            return r == SAME ? expr_var(u->tree, store->value) : e;
    }
    return is_early(u, e->args[0]) && is_early(u, e->args[1]) ? load_in_front(u, e, &a) : e;
}

/* ---- copies ---- */

static void note_store(struct unrolled *u, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = u->tree;
    struct unrolled_place place = { .value = tree_var(t, "stored", s->value->type) };
    if (!find_access(u, &place.access, s->pointer, s->index, s->value->type, s->alias))
        place.access.at = NULL;
    stmt_assign(t, out, place.value, s->value)->place = s->place;
    s->value = expr_var(t, place.value);
    map_put(t->scratch, &u->late, place.value, s);
    vec_push(t->scratch, &u->stores, place);
}

/* The iteration in which the counter is `at`. */
static void write_copy(struct unrolled *u, struct tree_stmt *out, struct tree_expr *at)
{
    struct tree *t = u->tree;
    struct tree_stmt *copy = stmt_clone(t, u->loop->body);
    stmt_substitute(t, copy, u->loop->var, at);
    for (uint32_t i = 0; i < copy->items.count; i++) {
        struct tree_stmt *s = copy->items.items[i];
        stmt_rewrite(t, s, replace_load, u);
        if (s->kind == STMT_STORE)
            note_store(u, out, s);
        stmt_append(t, out, s);
    }
}

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_ADD, a, expr_i64(t, b));
}

static struct unrolled unrolled_of(struct tree *t, const struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct unrolled u = { .tree = t, .loop = loop, .frame = *frame, .scan = { .arena = t->scratch } };
    tree_scan_add(&u.scan, loop);
    u.front = stmt_block(t);
    return u;
}

/* How many copies there are to be; 1: the loop stays. */
static uint32_t num_copies(struct tree *t, const struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct unrolled u = unrolled_of(t, loop, frame);
    struct tree_stmt *out = stmt_block(t);
    struct tree_expr *k = expr_var(t, tree_var(t, loop->var->name, loop->var->type));
    uint32_t copies = 0, first = 0, most = 1;
    while (copies < MOST_COPIES && (copies + 1) * loop->body->items.count <= MOST_STATEMENTS) {
        write_copy(&u, out, plus(t, k, copies));
        first = copies ? first : u.loads.count;
        if (u.bytes > MOST_BYTES)
            break;
        copies++;
        if ((copies & (copies - 1)) == 0)
            most = copies;
    }
    return most >= LEAST_COPIES && u.loads.count > first ? most : 1;
}

static void unroll(struct tree *t, struct tree_stmt *loop, const struct tree_frame *frame, uint32_t copies)
{
    struct tree_stmt *block = stmt_block(t), *body = stmt_block(t), *rest = NEW(t->arena, struct tree_stmt);
    struct tree_var *k = tree_var(t, loop->var->name, loop->var->type);
    struct tree_expr *end = plus(t, loop->end, 1 - (int64_t)copies);
    *rest = *loop;
    struct unrolled u = unrolled_of(t, rest, frame);
    struct tree_stmt *main = stmt_for(t, block, k, loop->begin, end, expr_i64(t, copies));
    main->place = loop->place;
    for (uint32_t i = 0; i < copies; i++)
        write_copy(&u, body, plus(t, expr_var(t, k), i));
    stmt_append(t, main->body, u.front);
    stmt_append(t, main->body, body);
    rest->begin = expr_var(t, k);
    rest->loop.rolled = true;
    stmt_append(t, block, rest);
    *loop = *block;
}

static void try_loop(struct load_unrolling *w, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree_scan scan = { .arena = w->tree->scratch };
    if (!is_straight(loop->body))
        return;
    tree_scan_add(&scan, loop);
    uint32_t copies = is_candidate(w, loop, &scan) ? num_copies(w->tree, loop, frame) : 1;
    if (copies > 1)
        unroll(w->tree, loop, frame, copies);
}

static void look(struct load_unrolling *w, struct tree_stmt *s, const struct tree_frame *frame, bool kernel)
{
    const struct tree_stmt *region = w->tree->region;
    struct tree_frame inner;
    if (s->kind == STMT_KERNEL)
        w->tree->region = s;
    kernel |= s->kind == STMT_KERNEL;
    if (s->kind == STMT_FOR) {
        inner = tree_frame_of(frame, s);
        frame = &inner;
    }
    if (s->body)
        look(w, s->body, frame, kernel);
    if (s->otherwise)
        look(w, s->otherwise, frame, kernel);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(w, s->items.items[i], frame, kernel);
    if (s->kind == STMT_FOR && kernel)
        try_loop(w, s, frame);
    w->tree->region = region;
}

bool opt_unroll_loads(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct load_unrolling w = { .tree = t, .whole = { t, f, { 0 } } };
        look(&w, f->body, NULL, false);
        stmt_flatten(t, f->body);
    }
    return true;
}
