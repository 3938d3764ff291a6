/* Reads of elements that nothing has written. A walk in the order of the program collects what has been written on
 * every way to a place, as regions without gaps; a read inside one of them is proved. Transients with other reads get a
 * shadow, one byte for each element, which writes set and those reads look at (check_shadow.c). */
#include "lower/opt/check/check_region.h"
#include "lower/opt/check/check_shadow.h"
#include "lower/tree/tree_callee.h"

struct regions {
    struct check_region *items;
    uint32_t count, capacity;
};

struct init {
    struct checking *k;
    struct map assigned;    /* const struct tree_var * -> number of assignments, as a pointer */
    struct regions written; /* on every way to here */
    bool writes_only;       /* reads are not looked at */
    bool jumped;            /* a jump was seen: what is written behind it may be skipped */
    uint32_t at_first_jump; /* regions that all jumps so far come with */
};

/* ---- which transients are followed ---- */

static void count_assignment(struct init *w, const struct tree_var *v)
{
    void **n = map_at(w->k->tree->scratch, &w->assigned, v);
    *n = (void *)((uintptr_t)*n + 1);
}

/* Pointers that go where marks do not follow. */
static void escape(struct checking *k, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR && e->type->kind == TYPE_POINTER) {
        struct check_root *r = map_get(&k->roots, e->var);
        if (r)
            r->escaped = true;
    }
    for (uint32_t i = e->op == EXPR_LOAD; i < e->num_args; i++)
        escape(k, e->args[i]);
}

static void escape_casts(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_CAST && e->type->kind != TYPE_POINTER)
        escape(user, e->args[0]);
}

/* Data that is restored, and elements of streams: calls whose order counts have no marks for what they write. */
static bool writes_unmarked(const struct tree_stmt *s, uint32_t argument)
{
    const struct tree_callee *c = stmt_callee(s);
    char role = callee_role(c, argument);
    return callee_orders(c) && (role == 'w' || role == 'b' || role == 'k');
}

static bool see(void *user, struct tree_stmt *s)
{
    struct init *w = user;
    struct checking *k = w->k;
    if (s->var && s->kind != STMT_FREE)
        count_assignment(w, s->var);
    if (s->var2)
        count_assignment(w, s->var2);
    if (stmt_is_check(s)) {
        struct check_root *r = check_root_of(k, s->args[CHECK_POINTER]);
        if (r && (s->check->assumed || !check_element_of(k, s, r)))
            r->escaped = true;
        if (r && s->check->read)
            r->read = true;
        return true;
    }
    if (s->kind == STMT_ASSIGN || s->kind == STMT_STORE)
        escape(k, s->value);
    if (s->kind == STMT_ZERO || (s->kind == STMT_COPY && expr_root(s->pointer2)->op == EXPR_DATA))
        escape(k, s->pointer);
    for (uint32_t i = 0; i < s->num_args; i++) {
        expr_visit(s->args[i], escape_casts, k);
        if (s->kind == STMT_CALL && writes_unmarked(s, i))
            escape(k, s->args[i]);
    }
    return true;
}

/* ---- what is written ---- */

/* Variables that have one value only while the region is looked at. */
static bool lasts(const struct init *w, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL || (e->op == EXPR_VAR && (uintptr_t)map_get(&w->assigned, e->var) > 1))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!lasts(w, e->args[i]))
            return false;
    return true;
}

static bool linear_lasts(const struct init *w, const struct linear *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t f = 0; f < l->terms[i].count; f++)
            if (!lasts(w, l->terms[i].factors[f]))
                return false;
    return true;
}

static bool region_lasts(const struct init *w, const struct check_region *r)
{
    for (uint32_t d = 0; d < r->rank; d++)
        if (!linear_lasts(w, &r->dims[d].low) || !linear_lasts(w, &r->dims[d].length))
            return false;
    return true;
}

/* A region, and those that it makes together with what is there. */
static void add_region(struct init *w, const struct check_region *r, const struct tree_frame *frame)
{
    enum { MOST = 256, STEPS = 4 };
    struct check_region now = *r, both;
    vec_push(w->k->tree->scratch, &w->written, *r);
    for (int step = 0; step < STEPS && w->written.count < MOST; step++) {
        bool joined = false;
        for (uint32_t i = w->written.count; i-- > 0 && !joined;) {
            const struct check_region *other = &w->written.items[i];
            joined = region_join(&both, &now, other, frame, w->k) || region_join(&both, other, &now, frame, w->k);
        }
        if (!joined)
            return;
        both.full = region_is_full(&both, both.mark, w->k);
        vec_push(w->k->tree->scratch, &w->written, both);
        now = both;
    }
}

/* A region with the mark it came from, which knows the extents. */
static void add_written(struct init *w, struct check_region *r, struct tree_stmt *mark, const struct tree_frame *frame)
{
    r->full = region_is_full(r, mark, w->k);
    r->mark = mark;
    if (region_lasts(w, r))
        add_region(w, r, frame);
}

static void write_mark(struct init *w, struct tree_stmt *mark, const struct check_root *root,
                       const struct tree_frame *frame)
{
    struct check_region r;
    for (int flat = 0; flat < 2; flat++)
        if (region_of(&r, mark, root, check_element_of(w->k, mark, root), flat, false, w->k))
            add_written(w, &r, mark, frame);
}

static bool is_written(struct init *w, struct tree_stmt *mark, const struct check_root *root,
                       const struct tree_frame *frame)
{
    struct check_region parts[2];
    bool known[2];
    for (int flat = 0; flat < 2; flat++)
        known[flat] = region_of(&parts[flat], mark, root, check_element_of(w->k, mark, root), flat, true, w->k);
    for (uint32_t i = 0; i < w->written.count; i++) {
        const struct check_region *r = &w->written.items[i];
        int flat = !r->container;
        if (r->root != root)
            continue;
        if (r->full && (flat || r->container == mark->check->container))
            return true;
        if (known[flat] && region_holds(r, &parts[flat], frame, w->k))
            return true;
    }
    return false;
}

/* ---- the walk ---- */

static void walk(struct init *w, struct tree_stmt *s, const struct tree_frame *frame);

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* What one run of the body has written, from `first` on, is what all iterations have. */
static void close_loop(struct init *w, const struct tree_stmt *loop, uint32_t first, const struct tree_frame *frame)
{
    uint32_t count = w->written.count - first;
    struct check_region *inside = NEW_ARRAY(w->k->tree->scratch, struct check_region, count + 1);
    for (uint32_t i = 0; i < count; i++)
        inside[i] = w->written.items[first + i];
    w->written.count = first;
    for (uint32_t i = 0; i < count; i++) {
        if (!region_over(&inside[i], loop, w->k))
            continue;
        inside[i].full = region_is_full(&inside[i], inside[i].mark, w->k);
        add_region(w, &inside[i], frame);
    }
}

/* What the iterations before the one at hand have written: a recurrence reads that. */
static void add_earlier(struct init *w, struct tree_stmt *loop, const struct tree_frame *inside)
{
    uint32_t first = w->written.count, count;
    if (w->writes_only || loop->loop.parallel || loop->loop.independent)
        return;
    w->writes_only = true;
    walk(w, loop->body, inside);
    w->writes_only = false;
    if (w->written.count <= first)
        return;
    count = w->written.count - first;
    struct check_region *earlier = NEW_ARRAY(w->k->tree->scratch, struct check_region, count);
    for (uint32_t i = 0; i < count; i++)
        earlier[i] = w->written.items[first + i];
    w->written.count = first;
    for (uint32_t i = 0; i < count; i++) {
        if (!region_before(&earlier[i], loop, w->k))
            continue;
        earlier[i].full = false;
        add_region(w, &earlier[i], inside);
    }
}

/* New memory: nothing of it is written. Entries keep their places, by which the regions of a branch are dropped. */
static void forget(struct init *w, const struct tree_var *v)
{
    static const struct check_root none = { 0 };
    for (uint32_t i = 0; i < w->written.count; i++)
        if (w->written.items[i].root->var == v)
            w->written.items[i].root = &none;
}

/* The regions from `count` on are not written on every way from here on; nor are they on the jumps out of there. */
static void leave_branch(struct init *w, uint32_t count)
{
    w->written.count = count;
    if (w->at_first_jump > count)
        w->at_first_jump = count;
}

static void walk_mark(struct init *w, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct check_root *root = check_root_of(w->k, s->args[CHECK_POINTER]);
    if (!root || !root->alloc)
        return;
    if (!w->writes_only && s->check->read && check_is_followed(root)) {
        bool proved = is_written(w, s, root, frame);
        w->k->reads++;
        w->k->reads_proved += proved;
        root->shadowed |= !proved;
        if (proved)
            map_put(w->k->tree->scratch, &w->k->initialised, s, s);
    }
    if (s->check->write)
        write_mark(w, s, root, frame);
}

static void walk_conditional(struct init *w, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s)
        walk(w, s, frame);
}

static void walk(struct init *w, struct tree_stmt *s, const struct tree_frame *frame)
{
    uint32_t first = w->written.count;
    switch (s->kind) {
    case STMT_CALL:
        if (stmt_is_check(s))
            walk_mark(w, s, frame);
        return;
    case STMT_ALLOC:
        forget(w, s->var);
        return;
    case STMT_GOTO: /* loops look for the others, whose targets are no labels */
        if (!w->jumped)
            w->at_first_jump = w->written.count;
        w->jumped = true;
        return;
    case STMT_LABEL:
        if (w->jumped && w->written.count > w->at_first_jump)
            w->written.count = w->at_first_jump;
        return;
    case STMT_FOR: {
        struct tree_frame inside = tree_frame_of(frame, s);
        bool jumps = check_jumps(s->body);
        if (!jumps)
            add_earlier(w, s, &inside);
        first = smaller(w->written.count, first);
        walk(w, s->body, &inside);
        first = smaller(w->written.count, first);
        if (jumps)
            leave_branch(w, first);
        else
            close_loop(w, s, first, frame);
        return;
    }
    case STMT_IF:
        walk(w, s->body, frame);
        if (check_is_guard(w->k, s) && !check_jumps(s->body))
            return;
        break;
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++)
            walk(w, s->items.items[i], frame);
        return;
    default:
        walk_conditional(w, s->body, frame);
        break;
    }
    if (w->written.count > first && s->kind != STMT_PARALLEL)
        leave_branch(w, first);
    walk_conditional(w, s->otherwise, frame);
    if (w->written.count > first && s->kind != STMT_PARALLEL)
        leave_branch(w, first);
}

void check_init(struct checking *k)
{
    struct init w = { .k = k };
    stmt_visit(k->func->body, see, &w);
    walk(&w, k->func->body, NULL);
    check_shadow(k);
}
