/* Which arrays a loop copies in each iteration without need; double_buffering.c says when that is so. */
#include "lower/opt/memory/double_buffering.h"

#include "lower/opt/contiguous.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_PAIRS = 4,
    MOST_STATEMENTS = 600, /* of a body that is doubled */
    MOST_CHOICES = 1000    /* of those that name the arrays, where iterations choose */
};

const struct tree_stmt *buffers_allocation(const struct buffers *w, const struct tree_var *v)
{
    const struct tree_stmt *body = w->loop->body, *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind == STMT_ALLOC && s->var == v) {
            found = s;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* ---- places ---- */

/* Are there no other elements than those that the pair copies? */
static bool holds_no_more(const struct buffer_pair *p, const struct tree_var *v)
{
    return v->elements && !v->several && expr_equal(v->elements, p->copy->count);
}

/* Does it lie within the elements that the pair copies? */
static bool is_inside(const struct buffers *w, const struct buffer_pair *p, const struct tree_access *a)
{
    struct linear rest, at;
    if (holds_no_more(p, a->pointer->var))
        return true;
    if (!a->at->known)
        return false;
    linear_of(&rest, p->copy->count);
    linear_copy(&at, a->at);
    linear_add(&rest, &at, -1);
    rest.constant -= a->extent;
    return depend_is_natural(w->tree->scratch, &at, a->frame) && depend_is_natural(w->tree->scratch, &rest, a->frame);
}

/* The same elements in each iteration, whatever the data is? */
static bool is_steady(const struct buffers *w, const struct tree_access *a)
{
    if (a->guarded || !a->at->known)
        return false;
    for (const struct tree_frame *f = a->frame; f != &w->frame; f = f->outer)
        if (!tree_scan_keeps_bounds(&w->scan, f->loop))
            return false;
    for (uint32_t i = 0; i < a->at->count; i++)
        for (uint32_t k = 0; k < a->at->terms[i].count; k++) {
            const struct tree_expr *e = a->at->terms[i].factors[k];
            const struct tree_frame *f = a->frame;
            while (f != &w->frame && !(e->op == EXPR_VAR && e->var == f->loop->var))
                f = f->outer;
            if (f == &w->frame && !tree_scan_invariant(&w->scan, e))
                return false;
        }
    return true;
}

static uint32_t depth_of(const struct buffers *w, const struct tree_access *a)
{
    uint32_t depth = a->extent > 1;
    for (const struct tree_frame *f = a->frame; f != &w->frame; f = f->outer)
        depth++;
    return depth;
}

/* Does an item of the body, the load's own or one behind it, store to the element that it loads? */
static bool is_changed_later(const struct buffers *w, const struct tree_access *load, uint32_t item)
{
    struct tree_stmt *own = w->loop->body->items.items[item];
    const struct depend_loop loops[] = { { own, own, false } };
    for (uint32_t n = item; n < w->loop->body->items.count; n++)
        for (uint32_t i = 0; i < w->items[n].accesses.count; i++) {
            const struct tree_access *store = w->items[n].accesses.items[i];
            struct depend_query q = { .arena = w->tree->scratch, .a = load, .b = store, .loops = loops };
            q.count = n == item && own->kind == STMT_FOR;
            q.changes = tree_scan_assigns;
            q.user = (void *)&w->scan;
            if (store->write && store->alias == load->alias && !depend_is_never(&q))
                return true;
        }
    return false;
}

/* ---- pairs ---- */

/* Is the access in that item no obstacle for the pair? */
static bool allows(const struct buffers *w, struct buffer_pair *p, const struct tree_access *a, uint32_t item)
{
    bool old = a->alias == p->copy->alias;
    const struct tree_var *v = a->pointer && a->pointer->op == EXPR_VAR ? a->pointer->var : NULL;
    if (w->loop->body->items.items[item] == p->copy)
        return true;
    if (!a->alias || !a->pointer)
        return false;
    if (!old && a->alias != p->copy->alias2)
        return true;
    if (!v || v != (old ? p->old : p->now) || a->type != p->copy->type || a->extent < 1 || !is_inside(w, p, a))
        return false;
    if (old)
        return !a->write;
    if (a->write)
        return access_fills(a) && is_steady(w, a);
    if (item < p->first_store || !is_changed_later(w, a, item))
        return true;
    if (!is_steady(w, a) || depth_of(w, a) >= p->depth)
        return false;
    vec_push(w->tree->scratch, &p->rows, a);
    return true;
}

/* Finds the stores to `now`; false: there is none. */
static bool look_at_stores(const struct buffers *w, struct buffer_pair *p)
{
    p->first_store = UINT32_MAX;
    for (uint32_t n = 0; n < w->loop->body->items.count; n++)
        for (uint32_t i = 0; i < w->items[n].accesses.count; i++) {
            const struct tree_access *a = w->items[n].accesses.items[i];
            if (a->alias != p->copy->alias2 || !a->write)
                continue;
            p->first_store = n < p->first_store ? n : p->first_store;
            p->depth = depth_of(w, a) > p->depth ? depth_of(w, a) : p->depth;
        }
    return p->first_store != UINT32_MAX;
}

static uint32_t num_reads(const struct tree_piece *p, uint32_t alias)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        if (a->read && (a->alias == alias || !a->alias || !a->pointer))
            count++;
    }
    return count;
}

struct seek {
    const struct tree_var *var;
    bool found;
};

static bool seek_allocation(void *user, struct tree_stmt *s)
{
    struct seek *x = user;
    x->found |= s->kind == STMT_ALLOC && s->var == x->var && (s->where == TREE_HEAP || s->where == TREE_STACK);
    return true;
}

/* Is the memory the function's own, and read by this loop alone? */
static bool is_private(struct buffers *w, const struct buffer_pair *p)
{
    struct seek x = { .var = p->old };
    uint32_t reads = 0;
    stmt_visit(w->func->body, seek_allocation, &x);
    for (uint32_t i = 0; i < w->loop->body->items.count; i++)
        reads += num_reads(&w->items[i], p->copy->alias);
    return x.found && reads && reads == num_reads(&w->function, p->copy->alias);
}

/* Is the variable given a value in the loop, but by an allocation that can go in front of it? */
static bool is_moved(const struct buffers *w, const struct tree_var *v)
{
    const struct tree_stmt *alloc = buffers_allocation(w, v);
    return map_has(&w->scan.assigned, v) && !(alloc && !alloc->zero && tree_scan_invariant(&w->scan, alloc->count));
}

bool buffers_has(const struct buffers *w, uint32_t alias)
{
    for (uint32_t i = 0; i < w->pairs.count; i++)
        if (w->pairs.items[i].copy->alias == alias || w->pairs.items[i].copy->alias2 == alias)
            return true;
    return false;
}

/* Can item `n` of the body, a copy, go? */
static void look_at_copy(struct buffers *w, uint32_t n)
{
    struct tree_stmt *body = w->loop->body;
    const struct tree_stmt *s = body->items.items[n];
    if (s->kind != STMT_COPY || s->pointer->op != EXPR_VAR || s->pointer2->op != EXPR_VAR || !s->alias || !s->alias2 ||
        s->alias == s->alias2 || buffers_has(w, s->alias) || buffers_has(w, s->alias2) || w->pairs.count == MOST_PAIRS)
        return;
    struct buffer_pair p = { .copy = s, .old = s->pointer->var, .now = s->pointer2->var };
    if (is_moved(w, p.old) || map_has(&w->scan.assigned, p.now) || !tree_scan_invariant(&w->scan, s->count) ||
        !is_private(w, &p) || !look_at_stores(w, &p) || p.first_store < n)
        return;
    for (uint32_t i = 0; i < body->items.count; i++)
        for (uint32_t k = 0; k < w->items[i].accesses.count; k++) {
            const struct tree_access *a = w->items[i].accesses.items[k];
            /* In front of the copy `old` is what the iteration before found. */
            if (!allows(w, &p, a, i) || (i < n && a->alias == s->alias))
                return;
        }
    vec_push(w->tree->scratch, &w->pairs, p);
}

/* ---- the loop ---- */

/* Does a statement of the body store to memory of that class? */
static bool stores_to(const struct contiguous_nest *c, uint32_t alias)
{
    for (uint32_t i = 0; i < c->body->items.count; i++)
        if (c->body->items.items[i]->kind == STMT_STORE && c->body->items.items[i]->alias == alias)
            return true;
    return false;
}

/* The load whose value the statement, a store of the same element elsewhere, stores as it was in front of the nest. */
static const struct tree_expr *copied_load(const struct contiguous_nest *c, const struct tree_stmt *s)
{
    struct linear from, to;
    const struct tree_expr *e = s->kind == STMT_STORE && s->alias ? contiguous_value(c, s) : NULL;
    if (!e || e->op != EXPR_LOAD || !e->alias || stores_to(c, e->alias) || e->args[0]->type != s->pointer->type ||
        s->pointer->type->elem != e->type || !tree_scan_invariant(&c->scan, e->args[0]))
        return NULL;
    linear_of(&from, e->args[1]);
    linear_of(&to, s->index);
    return from.known && to.known && linear_equal(&from, &to) ? e : NULL;
}

/* The copies that the nest makes of whole arrays, if it does nothing else. */
static bool copies_of(struct buffers *w, const struct tree_stmt *nest, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct contiguous_nest c;
    if (!contiguous_nest_of(&c, t, nest) || !contiguous_is_closed(&c, tree_whole(&w->whole)))
        return false;
    for (uint32_t i = 0; i < c.body->items.count; i++) {
        const struct tree_stmt *s = c.body->items.items[i];
        struct linear first;
        if (s->kind == STMT_ASSIGN)
            continue;
        const struct tree_expr *load = copied_load(&c, s);
        if (!load || !contiguous_first(&c, s, &first))
            return false;
        struct tree_expr *at = linear_expr(t, &first), *to = expr_offset(t, s->pointer, at);
        struct tree_expr *from = expr_offset(t, load->args[0], at), *count = contiguous_elements(&c);
        stmt_copy(t, out, load->type, to, s->alias, from, load->alias, count)->place = nest->place;
    }
    return out->items.count > 0;
}

/* The body with copies in place of such nests. */
static struct tree_stmt *with_copies(struct buffers *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *body = stmt_block(t);
    for (uint32_t i = 0; i < w->loop->body->items.count; i++) {
        struct tree_stmt *s = w->loop->body->items.items[i], *copies = stmt_block(t);
        if (!copies_of(w, s, copies)) {
            stmt_append(t, body, s);
            continue;
        }
        for (uint32_t k = 0; k < copies->items.count; k++)
            stmt_append(t, body, copies->items.items[k]);
    }
    return body;
}

/* A copy or a fill of a length that is not known: the loop that it stands for. */
static struct tree_stmt *as_loop(struct tree *t, struct tree_stmt *s)
{
    if ((s->kind != STMT_COPY && s->kind != STMT_ZERO) || s->count->op == EXPR_INT)
        return s;
    struct tree_stmt *items = stmt_block(t);
    struct tree_var *i = tree_var(t, "i", s->count->type);
    struct tree_stmt *loop = stmt_for(t, items, i, expr_i64(t, 0), s->count, expr_i64(t, 1));
    struct tree_expr *at = expr_var(t, i), *value = expr_zero(t, s->type);
    if (s->kind == STMT_COPY) {
        struct tree_stmt from = { 0 };
        stmt_set_address(t, &from, s->pointer2, at);
        value = expr_load(t, s->type, from.pointer, from.index, s->alias2);
    }
    stmt_store(t, loop->body, s->pointer, at, value, s->alias);
    return loop;
}

struct shape {
    uint32_t statements;
    bool repeats; /* a nest */
};

static bool look_at_shape(void *user, struct tree_stmt *s)
{
    struct shape *x = user;
    x->statements++;
    x->repeats |= stmt_is_loop(s) && stmt_has_loops(s->body) && !(s->kind == STMT_FOR && s->loop.independent);
    return true;
}

/* Is the body worth having twice? */
static bool is_sweep(struct tree_stmt *body)
{
    struct shape x = { 0 };
    stmt_visit(body, look_at_shape, &x);
    return !x.repeats && x.statements <= MOST_STATEMENTS;
}

bool buffers_touch(const struct buffers *w, const struct tree_piece *p)
{
    for (uint32_t i = 0; i < p->accesses.count; i++)
        if (buffers_has(w, p->accesses.items[i]->alias))
            return true;
    return false;
}

/* Are those statements few that are needed twice if iterations choose? */
static bool has_few_choices(const struct buffers *w)
{
    struct shape x = { 0 };
    for (uint32_t i = 0; i < w->loop->body->items.count; i++)
        if (buffers_touch(w, &w->items[i]))
            stmt_visit(w->loop->body->items.items[i], look_at_shape, &x);
    return x.statements <= MOST_CHOICES;
}

static bool has_copies(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind == STMT_COPY)
            return true;
    return false;
}

/* Looks at the items of the body; false: there is more than loads, stores and memory of an iteration. */
static bool look_at_items(struct buffers *w)
{
    struct tree *t = w->tree;
    const struct tree_stmt *body = w->loop->body;
    w->items = NEW_ARRAY(t->scratch, struct tree_piece, body->items.count);
    w->frame = tree_frame_of(NULL, w->loop);
    w->scan = (struct tree_scan){ .arena = t->scratch };
    tree_scan_add(&w->scan, w->loop);
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        struct tree_piece *p = &w->items[i];
        piece_add(t->scratch, p, as_loop(t, s), &w->frame);
        bool frees = p->frees && (s->kind != STMT_FREE || !buffers_allocation(w, s->var));
        if (p->control || p->effects || p->jumps || frees)
            return false;
    }
    return true;
}

bool buffers_find(struct buffers *w)
{
    struct tree_stmt *before = w->loop->body;
    w->chooses = w->chooses || !is_sweep(before);
    if (!stmt_has_loops(before))
        return false;
    w->loop->body = with_copies(w);
    if (has_copies(w->loop->body) && look_at_items(w)) {
        piece_add(w->tree->scratch, &w->function, w->func->body, NULL);
        for (uint32_t i = 0; i < w->loop->body->items.count; i++)
            look_at_copy(w, i);
    }
    if (!w->pairs.count || (w->chooses && !has_few_choices(w))) {
        w->pairs.count = 0;
        w->loop->body = before;
    }
    return w->pairs.count > 0;
}
