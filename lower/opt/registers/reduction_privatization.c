/* Reductions to one place in a loop are accumulated in a variable of the thread, with one combine or store behind the
 * loop.
 *
 *     for k ... {                          acc = identity              if begin < end {
 *         C[j] += a * b        ->          for k ... {         or          acc = C[j]
 *     }                                        acc = acc + a * b           for k ... { acc = acc + a * b }
 *                                          }                               C[j] = acc
 *                                          if begin < end { C[j] += acc }  }
 *
 * If the condition depends on an inner loop and the outer loop has other statements, only the load and the store are
 * conditional.
 *
 * Legality: The place is the same in all iterations and nothing else in the loop accesses its alias class. Places of
 * one thread keep the order of the operations; atomic ones are accumulated from the identity. The place is not
 * accessed if the loop did not run.
 * Profitability: Always, at the outermost loop where it is legal.
 *
 * If it is not known from the bounds whether the loop runs at all, a variable says so, unless the memory is allocated
 * here. */
#include "lower/opt/registers/reduction.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_scan.h"

struct privatize {
    struct tree *tree;
    const struct tree_options *options;
    struct tree_whole whole;
    struct tree_stmt *region;
    const struct tree_frame *frame;    /* loops around, for devices */
    bool labels;                       /* jumps may pass allocations by */
    struct map own;                    /* variable -> the allocation that it points to where the pass looks, or NULL */
    VEC(const struct tree_var *) made; /* by allocations of the blocks around */
};

/* The reductions of one loop to one place. */
struct group {
    struct tree_stmt *loop, *first; /* first: one of the reductions */
    VEC(struct tree_stmt *) members;
    struct tree_expr *guard; /* evaluated before the loop: whether it will run a reduction; NULL: not known */
    bool idle;               /* where the guard is false the loop does nothing at all */
    bool conflict;
    uint32_t closed;                         /* depth of bodies whose reductions cannot move out */
    const struct tree_frame *around, *frame; /* loops around the loop, and around what is looked at; NULL: not asked */
    const struct tree_scan *scan;            /* of the loop */
    struct arena *arena;
};

static bool same_place(const struct tree_stmt *a, const struct tree_stmt *b)
{
    return expr_equal(a->pointer, b->pointer) && expr_equal(a->index, b->index) && a->value->type == b->value->type;
}

static bool changes(void *user, const struct tree_var *v)
{
    const struct tree_scan *scan = user;
    return map_has(&scan->assigned, v);
}

/* Do the bounds of the loops show that the two are never the same element? */
static bool are_apart(const struct group *g, struct tree_access *place, struct tree_access *other)
{
    place->frame = g->around;
    other->frame = g->frame;
    struct depend_query q = { g->arena, place, other, NULL, 0, changes, (void *)(uintptr_t)g->scan };
    return g->frame && depend_is_never(&q);
}

/* May an access to element `index` of `pointer` (NULL: several elements) touch the place? */
static bool may_touch(const struct group *g, const struct tree_expr *pointer, const struct tree_expr *index,
                      uint32_t alias)
{
    const struct tree_stmt *first = g->first;
    struct linear of_place, of_other;
    linear_of(&of_place, first->index);
    struct tree_access place = {
        .alias = first->alias, .pointer = first->pointer, .type = first->value->type, .at = &of_place, .extent = 1
    };
    struct tree_access other = { .alias = alias, .pointer = index ? pointer : NULL, .at = &of_other, .extent = 1 };
    if (index) {
        linear_of(&of_other, index);
        other.type = pointer->type->elem;
    }
    return !depend_differs(&place, &other) && !(index && are_apart(g, &place, &other));
}

static void check_expr(void *user, struct tree_expr *e)
{
    struct group *g = user;
    if (e->op == EXPR_LOAD && may_touch(g, e->args[0], e->args[1], e->alias))
        g->conflict = true;
}

static void check_operand(void *user, struct tree_expr **e) { expr_visit(*e, check_expr, user); }

static bool is_member(const struct group *g, const struct tree_stmt *s)
{
    return g->closed == 0 && s->kind == STMT_REDUCE && s->wcr == g->first->wcr && s->atomic == g->first->atomic &&
           s->alias == g->first->alias && same_place(s, g->first);
}

/* Reductions inside do not move out. */
static bool is_closed(const struct tree_stmt *s)
{
    return s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL || s->kind == STMT_CRITICAL || s->kind == STMT_UPDATE ||
           (s->kind == STMT_FOR && s->loop.parallel);
}

/* Finds the members and whatever stands against moving them. */
static void collect(struct privatize *p, struct group *g, struct tree_stmt *s)
{
    stmt_each_expr(s, check_operand, g);
    bool element = s->kind == STMT_STORE || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE;
    bool range = s->kind == STMT_COPY || s->kind == STMT_ZERO;
    if (is_member(g, s))
        vec_push(p->tree->scratch, &g->members, s);
    else if (element && may_touch(g, s->pointer, s->index, s->alias))
        g->conflict = true;
    if (range && may_touch(g, s->pointer, NULL, s->alias))
        g->conflict = true;
    if (s->kind == STMT_COPY && may_touch(g, s->pointer2, NULL, s->alias2))
        g->conflict = true;
    bool closed = is_closed(s);
    const struct tree_frame *outer = g->frame;
    struct tree_frame inner;
    if (outer && s->kind == STMT_FOR && s != g->loop) {
        inner = tree_frame_of(outer, s);
        g->frame = &inner;
    }
    g->closed += closed;
    if (s->body)
        collect(p, g, s->body);
    if (s->otherwise)
        collect(p, g, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        collect(p, g, s->items.items[i]);
    g->closed -= closed;
    g->frame = outer;
}

/* ---- does the loop run a reduction? ---- */

/* Condition under which one member surely runs, over values known in front of the loop; NULL if there is none. `scan`
 * is of the loop. */
static struct tree_expr *sure_to_run(struct privatize *p, const struct tree_scan *scan, const struct group *g,
                                     struct tree_stmt *s)
{
    struct tree *t = p->tree;
    for (uint32_t i = 0; i < g->members.count; i++)
        if (g->members.items[i] == s)
            return expr_bool(t, true);
    if (s->kind == STMT_BLOCK) {
        struct tree_expr *found = NULL;
        for (uint32_t i = 0; i < s->items.count; i++) {
            struct tree_expr *here = sure_to_run(p, scan, g, s->items.items[i]);
            if (here && (!found || here->op == EXPR_INT))
                found = here;
        }
        return found;
    }
    if (s->kind != STMT_FOR)
        return NULL;
    bool known = s == g->loop ? expr_is_pure(s->begin) && expr_is_pure(s->end)
                              : tree_scan_invariant(scan, s->begin) && tree_scan_invariant(scan, s->end);
    struct tree_expr *inside = known ? sure_to_run(p, scan, g, s->body) : NULL;
    return inside ? expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_LT, s->begin, s->end), inside) : NULL;
}

/* Does the loop have no effect where the condition of sure_to_run is false? The condition is that the loops from `s` to
 * a member run, so there must be no other statement beside an inner one. */
static bool is_idle_without(struct privatize *p, const struct group *g, const struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK)
        return s->items.count == 1 && is_idle_without(p, g, s->items.items[0]);
    if (s->kind != STMT_FOR)
        return true;
    struct tree_expr *inside = sure_to_run(p, g->scan, g, s->body);
    return (inside && inside->op == EXPR_INT) || is_idle_without(p, g, s->body);
}

/* The condition under which the loop runs a member, if that can be told in front of it. */
static void find_guard(struct privatize *p, struct group *g)
{
    g->guard = sure_to_run(p, g->scan, g, g->loop);
    if (!g->guard || g->guard->op == EXPR_INT)
        return;
    g->idle = is_idle_without(p, g, g->loop);
    if (!g->idle && g->members.count > 1) /* another one may run */
        g->guard = NULL;
}

/* Jumps inside the loop could pass a member by. */
static bool has_jumps(const struct tree_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE || s->kind == STMT_GOTO || s->kind == STMT_LABEL)
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (has_jumps(s->items.items[i]))
            return true;
    return has_jumps(s->body) || has_jumps(s->otherwise);
}

/* Is the place memory taken here, which is there whether the loop touches it or not? */
static bool is_own(const struct privatize *p, const struct tree_stmt *place)
{
    if (p->labels || place->pointer->op != EXPR_VAR || place->index->op != EXPR_INT)
        return false;
    const struct tree_stmt *a = map_get(&p->own, place->pointer->var);
    return a && a->type == place->value->type && a->count->op == EXPR_INT && place->index->i >= 0 &&
           place->index->i < a->count->i;
}

/* ---- rewriting ---- */

static void rewrite_members(struct privatize *p, const struct group *g, struct tree_var *acc, struct tree_var *touched)
{
    struct tree *t = p->tree;
    for (uint32_t i = 0; i < g->members.count; i++) {
        struct tree_stmt *s = g->members.items[i], *block = stmt_block(t);
        struct tree_stmt *step = stmt_assign(t, block, acc, reduce_combine(t, s->wcr, expr_var(t, acc), s->value));
        step->place = s->place;
        step->reassociate = !p->options->strict_fp;
        if (touched)
            stmt_assign(t, block, touched, expr_bool(t, true));
        *s = *(touched ? block : step);
    }
}

/* Replaces the loop by one with the order kept: load, loop, store. */
static void keep_in_variable(struct privatize *p, struct group *g, struct tree_stmt place)
{
    struct tree *t = p->tree;
    const struct type *type = place.value->type;
    struct tree_var *acc = tree_var(t, "acc", type);
    struct tree_stmt *loop = NEW(t->arena, struct tree_stmt), *block = stmt_block(t);
    rewrite_members(p, g, acc, NULL);
    *loop = *g->loop;
    struct tree_expr *runs = g->guard->op == EXPR_INT ? NULL : g->guard; /* NULL: always */
    struct tree_stmt *inside = block;
    if (runs && g->idle) {
        inside = stmt_if(t, block, runs)->body;
        runs = NULL;
    } else if (runs) {
        struct tree_var *v = tree_var(t, "runs", type_basic(t->ir, TYPE_BOOL));
        stmt_assign(t, block, v, runs);
        stmt_assign(t, block, acc, reduce_identity(t, place.wcr, type))->place = place.place;
        runs = expr_var(t, v);
    }
    struct tree_stmt *before = runs ? stmt_if(t, inside, runs)->body : inside;
    stmt_assign(t, before, acc, expr_load(t, type, place.pointer, place.index, place.alias))->place = place.place;
    stmt_append(t, inside, loop);
    struct tree_stmt *behind = runs ? stmt_if(t, inside, runs)->body : inside;
    stmt_store(t, behind, place.pointer, place.index, expr_var(t, acc), place.alias)->place = place.place;
    *g->loop = *block;
}

/* Does combining with the identity leave every value as it is? Not so a NaN by min and max. */
static bool is_unchanged_by(enum wcr_kind wcr, const struct type *type)
{
    return type_is_integer(type) || type->kind == TYPE_BOOL || wcr == WCR_SUM;
}

/* Replaces the loop by one that combines in a variable of its own, and one reduction behind it. */
static void combine_behind(struct privatize *p, struct group *g, struct tree_stmt place)
{
    struct tree *t = p->tree;
    const struct type *type = place.value->type;
    struct tree_var *acc = tree_var(t, "acc", type), *touched = NULL;
    struct tree_stmt *loop = NEW(t->arena, struct tree_stmt), *block = stmt_block(t);
    stmt_assign(t, block, acc, reduce_identity(t, place.wcr, type))->place = place.place;
    bool harmless = is_unchanged_by(place.wcr, type) && is_own(p, &place);
    if (!harmless && (!g->guard || g->guard->op != EXPR_INT)) {
        touched = tree_var(t, "touched", type_basic(t->ir, TYPE_BOOL));
        stmt_assign(t, block, touched, g->guard ? g->guard : expr_bool(t, false));
    }
    rewrite_members(p, g, acc, g->guard ? NULL : touched);
    *loop = *g->loop;
    stmt_append(t, block, loop);
    struct tree_stmt *inside = touched ? stmt_if(t, block, expr_var(t, touched))->body : block;
    stmt_reduce(t, inside, place.wcr, place.atomic, place.pointer, place.index, expr_var(t, acc), place.alias)->place =
        place.place;
    *g->loop = *block;
}

static void say_private(const struct privatize *p, const struct group *g, const char *behind)
{
    struct tree *t = p->tree;
    remark(t->ir->remarks, g->first->place, remark_place(t, g->first->pointer, g->first->index),
           REMARK_REDUCTION_VARIABLE, remark_subject(t, g->loop), behind);
}

/* Tries the place of reduction `s` at `loop`. */
static bool try_place(struct privatize *p, struct tree_stmt *loop, const struct tree_scan *scan, struct tree_stmt *s)
{
    const struct type *type = s->value->type;
    if (!s->alias || !reduce_can_accumulate(s->wcr, type) || s->pointer->type->elem != type ||
        !tree_scan_invariant(scan, s->pointer) || !tree_scan_invariant(scan, s->index))
        return false;
    struct tree_frame frame;
    struct group g = { .loop = loop, .first = s, .around = p->frame, .scan = scan, .arena = p->tree->scratch };
    if (p->options->device && loop->kind == STMT_FOR) {
        frame = tree_frame_of(p->frame, loop);
        g.frame = &frame;
    }
    collect(p, &g, loop);
    if (g.conflict || scan->opaque || scan->barrier || !g.members.count)
        return false;
    if (!has_jumps(loop->body))
        find_guard(p, &g);
    if (g.guard && expr_is_int(g.guard, 0))
        return false;
    if (!s->atomic && !(g.guard && g.idle) && is_own(p, s))
        g.guard = expr_bool(p->tree, true);
    bool inexact = !type_is_integer(type) && type->kind != TYPE_BOOL;
    if (!s->atomic && g.guard) {
        say_private(p, &g, "a store");
        keep_in_variable(p, &g, *s);
        return true;
    }
    if (inexact && p->options->strict_fp)
        return false;
    say_private(p, &g, s->atomic ? "one atomic operation" : "one operation");
    combine_behind(p, &g, *s);
    return true;
}

/* A reduction of the loop that has not been tried yet, in the order of the text; `skip` counts those tried in vain. */
static struct tree_stmt *next_reduction(struct tree_stmt *s, uint32_t *skip)
{
    if (!s || is_closed(s))
        return NULL;
    if (s->kind == STMT_REDUCE)
        return *skip ? (--*skip, NULL) : s;
    struct tree_stmt *found = next_reduction(s->body, skip);
    if (!found)
        found = next_reduction(s->otherwise, skip);
    for (uint32_t i = 0; i < s->items.count && !found; i++)
        found = next_reduction(s->items.items[i], skip);
    return found;
}

/* Where the loop stands after it was put into blocks. */
static struct tree_stmt *find_loop(struct tree_stmt *s)
{
    if (stmt_is_loop(s))
        return s;
    struct tree_stmt *found = NULL;
    for (uint32_t i = 0; i < s->items.count && !found; i++)
        found = find_loop(s->items.items[i]);
    return !found && s->kind == STMT_IF ? find_loop(s->body) : found;
}

static void look(struct privatize *p, struct tree_stmt *s);

static void look_at_loop(struct privatize *p, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = p->tree->scratch };
    uint32_t tried = 0, none = 0;
    bool possible = !is_closed(loop) && next_reduction(loop->body, &none);
    if (possible) {
        tree_scan_add(&scan, loop);
        possible = tree_scan_is_closed(&scan, tree_whole(&p->whole));
    }
    for (;;) {
        uint32_t skip = tried;
        struct tree_stmt *s = possible ? next_reduction(loop->body, &skip) : NULL;
        if (!s)
            break;
        if (try_place(p, loop, &scan, s))
            loop = find_loop(loop);
        else
            tried++;
    }
    const struct tree_frame *outer = p->frame;
    struct tree_frame inner;
    if (p->options->device && loop->kind == STMT_FOR) {
        inner = tree_frame_of(outer, loop);
        p->frame = &inner;
    }
    look(p, loop->body);
    p->frame = outer;
}

/* After the statement. */
static void note_memory(struct privatize *p, const struct tree_stmt *s)
{
    if (map_has(&p->own, s->var)) /* freed, or the variable is about other memory now */
        map_put(p->tree->scratch, &p->own, s->var, NULL);
    if (s->kind == STMT_ALLOC && s->where != TREE_STATE) {
        map_put(p->tree->scratch, &p->own, s->var, (struct tree_stmt *)s);
        vec_push(p->tree->scratch, &p->made, s->var);
    }
}

static void look(struct privatize *p, struct tree_stmt *s)
{
    if (stmt_is_loop(s)) {
        look_at_loop(p, s);
        return;
    }
    struct tree_stmt *region = p->region;
    if (s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL)
        p->tree->region = p->region = s;
    if (s->body)
        look(p, s->body);
    if (s->otherwise)
        look(p, s->otherwise);
    uint32_t made = p->made.count;
    for (uint32_t i = 0; i < s->items.count; i++) {
        look(p, s->items.items[i]);
        note_memory(p, s->items.items[i]);
    }
    while (p->made.count > made)
        map_put(p->tree->scratch, &p->own, p->made.items[--p->made.count], NULL);
    p->tree->region = p->region = region;
}

/* ---- what is left ---- */

/* Reductions that every iteration does in memory that other threads may do, too. Loops without a place are those that
 * passes made for a few elements. */
static void say_atomic(struct tree *t, struct tree_stmt *s, const struct tree_stmt *loop)
{
    if (s->kind == STMT_PARALLEL)
        loop = NULL;
    if (stmt_is_loop(s))
        loop = s;
    if (s->kind == STMT_REDUCE && s->atomic && loop && loop->place)
        remark(t->ir->remarks, s->place, remark_place(t, s->pointer, s->index), REMARK_REDUCTION_ATOMIC,
               remark_subject(t, loop));
    if (s->body)
        say_atomic(t, s->body, loop);
    if (s->otherwise)
        say_atomic(t, s->otherwise, loop);
    for (uint32_t i = 0; i < s->items.count; i++)
        say_atomic(t, s->items.items[i], loop);
}

static bool find_label(void *user, struct tree_stmt *s)
{
    *(bool *)user |= s->kind == STMT_LABEL;
    return true;
}

static bool forget_atomic(void *user, struct tree_stmt *s)
{
    (void)user;
    s->atomic = false;
    return true;
}

bool opt_reduction_privatization(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct privatize p = { .tree = t, .options = o, .whole = { t, f, { 0 } } };
        if (o->num_threads == 1 && !o->device)
            stmt_visit(f->body, forget_atomic, NULL);
        stmt_visit(f->body, find_label, &p.labels);
        look(&p, f->body);
        if (t->ir->remarks)
            say_atomic(t, f->body, NULL);
    }
    return true;
}
