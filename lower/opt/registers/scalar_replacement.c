/* A place that a loop loads and stores in every iteration becomes a variable, stored behind the loop.
 *
 *     for k = i + 1 to j {                          if i + 1 < j {
 *         a = T[i * N + j]                              v = T[i * N + j]
 *         T[i * N + j] = max(a, T[i * N + k]            for k = i + 1 to j {
 *             + T[(k + 1) * N + j])             ->          v = max(v, T[i * N + k] + T[(k + 1) * N + j])
 *     }                                                 }
 *                                                       T[i * N + j] = v
 *                                                   }
 *
 * What is stored to the place right in front of the loop is what the variable begins with; the condition is not needed
 * then.
 *
 * Legality: No other access of the loop can meet it (tree_depend.h).
 * Profitability: Always; for devices in the loops of one thread, which are those in nests. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

struct promote {
    struct tree *tree;
    struct tree_whole whole;
    bool device;
    struct tree_stmt *before; /* in front of what is looked at, in the same block; NULL: nothing */
};

/* The place of a store. */
struct kept {
    struct tree *tree;
    const struct tree_stmt *loop, *store;
    const struct tree_frame *frame; /* around the loop */
    const struct tree_scan *scan;   /* of it */
    struct linear at;
    struct tree_var *var; /* that takes its place */
};

/* ---- may they meet ---- */

static bool is_place(const struct kept *p, const struct tree_expr *pointer, const struct tree_expr *index,
                     const struct type *type)
{
    struct linear at;
    linear_of(&at, index);
    return type == p->store->value->type && expr_equal(pointer, p->store->pointer) && linear_equal(&at, &p->at);
}

static bool is_apart(const struct kept *p, const struct tree_access *a)
{
    const struct tree_stmt *s = p->store;
    struct tree_access place = {
        .alias = s->alias, .pointer = s->pointer, .type = s->value->type, .at = &p->at, .extent = 1, .frame = p->frame
    };
    struct depend_query q = {
        .arena = p->tree->scratch, .a = &place, .b = a, .changes = tree_scan_assigns, .user = (void *)(uintptr_t)p->scan
    };
    return depend_is_never(&q);
}

/* ---- what the loop does with it ---- */

struct members {
    const struct kept *place;
    uint32_t loads, stores;
};

static void count_load(void *user, struct tree_expr *e)
{
    struct members *m = user;
    m->loads +=
        e->op == EXPR_LOAD && e->alias == m->place->store->alias && is_place(m->place, e->args[0], e->args[1], e->type);
}

static void count_operand(void *user, struct tree_expr **e) { expr_visit(*e, count_load, user); }

static bool count_members(void *user, struct tree_stmt *s)
{
    struct members *m = user;
    stmt_each_expr(s, count_operand, m);
    m->stores += s->kind == STMT_STORE && s->alias == m->place->store->alias &&
                 is_place(m->place, s->pointer, s->index, s->value->type);
    return true;
}

/* All accesses of the array are members or apart. */
static bool is_alone(const struct kept *p, const struct tree_piece *piece)
{
    struct members m = { .place = p };
    uint32_t apart = 0, all = 0;
    stmt_visit(p->loop->body, count_members, &m);
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (a->alias != 0 && a->alias != p->store->alias)
            continue;
        all++;
        apart += a->alias != 0 && is_apart(p, a);
    }
    return m.loads > 0 && m.stores > 0 && m.loads + m.stores + apart == all;
}

/* ---- rewriting ---- */

static struct tree_expr *replace_load(void *user, struct tree_expr *e)
{
    struct kept *p = user;
    bool member = e->op == EXPR_LOAD && e->alias == p->store->alias && is_place(p, e->args[0], e->args[1], e->type);
    return member ? expr_var(p->tree, p->var) : e;
}

static bool is_store(const struct kept *p, const struct tree_stmt *s)
{
    return s->kind == STMT_STORE && s->alias == p->store->alias && is_place(p, s->pointer, s->index, s->value->type);
}

static void become_assignment(const struct kept *p, struct tree_stmt *s)
{
    struct tree_stmt *assign = stmt_assign(p->tree, stmt_block(p->tree), p->var, s->value);
    assign->place = s->place;
    *s = *assign;
}

static bool replace(void *user, struct tree_stmt *s)
{
    struct kept *p = user;
    if (is_store(p, s))
        become_assignment(p, s);
    stmt_rewrite(p->tree, s, replace_load, p);
    return true;
}

/* `before`: a store to the place right in front of the loop, or NULL. */
static void promote(struct kept *p, struct tree_stmt *loop, struct tree_stmt *before)
{
    struct tree *t = p->tree;
    struct tree_stmt place = *p->store, *inner = NEW(t->arena, struct tree_stmt), *block = stmt_block(t);
    p->store = &place;
    p->var = tree_var(t, "kept", place.value->type);
    stmt_visit(loop->body, replace, p);
    *inner = *loop;
    struct tree_expr *runs = expr_binary(t, EXPR_LT, loop->begin, loop->end);
    struct tree_stmt *inside = before || expr_is_int(runs, 1) ? block : stmt_if(t, block, runs)->body;
    if (before)
        become_assignment(p, before);
    else
        stmt_assign(t, inside, p->var, expr_load(t, place.value->type, place.pointer, place.index, place.alias))
            ->place = place.place;
    stmt_append(t, inside, inner);
    stmt_store(t, inside, place.pointer, place.index, expr_var(t, p->var), place.alias)->place = place.place;
    *loop = *block;
}

/* A store that surely happens, of a value that fits into a register. */
static bool is_candidate(const struct tree_stmt *s)
{
    return s->kind == STMT_STORE && s->alias && type_is_arithmetic(s->value->type) &&
           s->pointer->type->elem == s->value->type;
}

static bool has_candidate(const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct tree_stmt *s = loop->body->items.items[i];
        if (is_candidate(s) && !expr_mentions(s->index, loop->var))
            return true;
    }
    return false;
}

/* One place of the loop that is stored. */
static bool try_loop(struct promote *w, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree_scan scan = { .arena = w->tree->scratch };
    struct tree_piece piece = { 0 };
    if (!has_candidate(loop))
        return false;
    tree_scan_add(&scan, loop);
    piece_add(w->tree->scratch, &piece, loop, frame);
    if (piece.control || piece.jumps || piece.effects || !tree_scan_is_closed(&scan, tree_whole(&w->whole)) ||
        !tree_scan_invariant(&scan, loop->begin) || !tree_scan_invariant(&scan, loop->end))
        return false;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        const struct tree_stmt *s = loop->body->items.items[i];
        if (!is_candidate(s) || !tree_scan_invariant(&scan, s->pointer) || !tree_scan_invariant(&scan, s->index))
            continue;
        struct kept p = { .tree = w->tree, .loop = loop, .store = s, .frame = frame, .scan = &scan };
        linear_of(&p.at, s->index);
        if (!p.at.known || !is_alone(&p, &piece))
            continue;
        promote(&p, loop, w->before && is_store(&p, w->before) ? w->before : NULL);
        w->before = NULL;
        return true;
    }
    return false;
}

static struct tree_stmt *find_loop(struct tree_stmt *s)
{
    while (s->kind != STMT_FOR) { /* a block of an IF, or of load, loop and store */
        uint32_t i = 0;
        while (s->kind == STMT_BLOCK && !s->items.items[i]->body && s->items.items[i]->kind != STMT_BLOCK)
            i++;
        s = s->kind == STMT_IF ? s->body : s->items.items[i];
    }
    return s;
}

static bool is_threaded(const struct tree_stmt *loop) { return loop->loop.parallel || loop->loop.independent; }

/* Is it a loop of one thread? */
static bool is_sequential(const struct promote *w, const struct tree_stmt *loop, const struct tree_frame *frame)
{
    while (w->device && frame && !is_threaded(frame->loop))
        frame = frame->outer;
    return !is_threaded(loop) && (frame || !w->device);
}

static void look(struct promote *w, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_stmt *const region = (struct tree_stmt *)w->tree->region;
    struct tree_frame inside;
    if (s->kind == STMT_PARALLEL)
        w->tree->region = s;
    if (s->kind == STMT_FOR) {
        while (is_sequential(w, s, frame) && try_loop(w, s, frame))
            s = find_loop(s);
        inside = tree_frame_of(frame, s);
        frame = &inside;
    }
    w->before = NULL;
    if (s->body)
        look(w, s->body, frame);
    if (s->otherwise)
        look(w, s->otherwise, frame);
    for (uint32_t i = 0; i < s->items.count; i++) {
        w->before = i ? s->items.items[i - 1] : NULL;
        look(w, s->items.items[i], frame);
    }
    w->tree->region = region;
}

bool opt_scalar_replacement(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct promote w = { .tree = t, .whole = { t, f, { 0 } }, .device = o->device };
        look(&w, f->body, NULL);
        stmt_flatten(t, f->body);
    }
    return true;
}
