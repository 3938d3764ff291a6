/* Pointers that stand for several memories, or for parts whose place is not known here: references, views in loops of
 * jumps, pointers that code moves. Two variables go along with each, assigned wherever the pointer is: how many bytes
 * it lies behind the beginning of its memory, and how many bytes that memory has.
 *
 *     p = &A[i]       ->      before = 8 * i
 *                             bytes = 8 * extent of A
 *                             p = &A[i]
 */
#include "lower/opt/check/check.h"

struct pointers {
    struct checking *k;
    bool more; /* another pointer was found whose memory is asked for */
};

static struct check_pointer *companion(struct pointers *w, const struct tree_var *v)
{
    struct tree *t = w->k->tree;
    struct check_pointer *p = map_get(&w->k->pointers, v);
    if (p)
        return p;
    p = NEW(t->scratch, struct check_pointer);
    p->before = tree_var(t, "before", type_basic(t->ir, TYPE_I64));
    p->bytes = tree_var(t, "bytes", type_basic(t->ir, TYPE_I64));
    p->before->owner = p->bytes->owner = v->owner;
    map_put(t->scratch, &w->k->pointers, v, p);
    w->more = true;
    return p;
}

/* Pointers at the root of an address, in all of its choices, that stand for no one memory. */
static void ask_for(struct pointers *w, const struct tree_expr *e)
{
    while (e->op == EXPR_OFFSET || (e->op == EXPR_CAST && e->args[0]->type->kind == TYPE_POINTER))
        e = e->args[0];
    if (e->op == EXPR_SELECT) {
        ask_for(w, e->args[1]);
        ask_for(w, e->args[2]);
    }
    if (e->op == EXPR_VAR && e->type->kind == TYPE_POINTER && !map_get(&w->k->roots, e->var))
        companion(w, e->var);
}

static bool find_marks(void *user, struct tree_stmt *s)
{
    if (stmt_is_check(s) && s->check->flat)
        ask_for(user, s->args[CHECK_POINTER]);
    return true;
}

static bool find_sources(void *user, struct tree_stmt *s)
{
    struct pointers *w = user;
    if (s->kind == STMT_ASSIGN && map_has(&w->k->pointers, s->var))
        ask_for(w, s->value);
    return true;
}

/* ---- where an address lies ---- */

struct address_origin {
    struct tree_expr *before, *bytes;
};

static struct tree_expr *scaled(struct tree *t, struct tree_expr *e, uint32_t times)
{
    return expr_binary(t, EXPR_MUL, e, expr_i64(t, times));
}

/* Far from both ends. */
static struct address_origin unknown(struct tree *t)
{
    return (struct address_origin){ expr_i64(t, INT64_MAX / 4), expr_i64(t, INT64_MAX) };
}

static struct address_origin origin_of(struct checking *k, struct tree_expr *p)
{
    struct tree *t = k->tree;
    const struct check_root *root = check_root_of(k, p);
    struct address_origin o = unknown(t);
    struct tree_expr *offset = expr_i64(t, 0);
    while (p->op == EXPR_OFFSET || (p->op == EXPR_CAST && p->args[0]->type->kind == TYPE_POINTER)) {
        if (p->op == EXPR_OFFSET)
            offset = expr_binary(t, EXPR_ADD, offset, scaled(t, p->args[1], p->type->elem->size));
        p = p->args[0];
    }
    const struct check_pointer *known = p->op == EXPR_VAR ? map_get(&k->pointers, p->var) : NULL;
    if (root && root->count && root->type->size) {
        o = (struct address_origin){ expr_i64(t, 0), scaled(t, root->count, root->type->size) };
    } else if (known) {
        o = (struct address_origin){ expr_var(t, known->before), expr_var(t, known->bytes) };
    } else if (p->op == EXPR_SELECT) {
        struct address_origin a = origin_of(k, p->args[1]), b = origin_of(k, p->args[2]);
        o.before = expr_select(t, p->args[0], a.before, b.before);
        o.bytes = expr_select(t, p->args[0], a.bytes, b.bytes);
    } else if (p->op == EXPR_NULL || p->op == EXPR_DATA) {
        o = (struct address_origin){ expr_i64(t, 0), expr_i64(t, p->op == EXPR_DATA ? p->i : 0) };
    } else {
        return o;
    }
    o.before = expr_binary(t, EXPR_ADD, o.before, offset);
    return o;
}

bool check_origin(struct checking *k, struct tree_expr *p, struct tree_expr **before, struct tree_expr **bytes)
{
    struct address_origin o = origin_of(k, p);
    *before = o.before;
    *bytes = o.bytes;
    return !expr_is_int(o.bytes, INT64_MAX);
}

/* ---- along with the pointers ---- */

static void follow(struct checking *k, struct tree_stmt *block, const struct tree_var *v, struct address_origin o)
{
    const struct check_pointer *p = map_get(&k->pointers, v);
    stmt_assign(k->tree, block, p->before, o.before);
    stmt_assign(k->tree, block, p->bytes, o.bytes);
}

static void follow_stmt(struct checking *k, struct tree_stmt *block, const struct tree_stmt *s)
{
    struct tree *t = k->tree;
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++) {
        if (!vars[i] || s->kind == STMT_FREE || stmt_is_check(s) || !map_has(&k->pointers, vars[i]))
            continue;
        struct address_origin o = unknown(t);
        if (s->kind == STMT_ALLOC)
            o = (struct address_origin){ expr_i64(t, 0), scaled(t, s->count, s->type->size) };
        follow(k, block, vars[i], o);
    }
}

static struct address_origin declared(struct checking *k, const struct tree_stmt *s)
{
    uint32_t size = s->args[CHECK_POINTER]->type->elem->size;
    return (struct address_origin){ expr_i64(k->tree, 0), scaled(k->tree, *check_number(s, 0, CHECK_EXTENT), size) };
}

static void rewrite(struct checking *k, struct tree_stmt *s);

/* What an assignment reads of other pointers is read before it changes them: `p = &p[1]`. */
static void rewrite_block(struct checking *k, struct tree_stmt *s)
{
    struct tree_stmt *out = stmt_block(k->tree);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        rewrite(k, item);
        if (stmt_is_memory(item)) {
            const struct tree_expr *p = item->args[CHECK_POINTER];
            if (p->op == EXPR_VAR && map_has(&k->pointers, p->var))
                follow(k, out, p->var, declared(k, item));
            continue;
        }
        bool assigned = item->kind == STMT_ASSIGN && map_has(&k->pointers, item->var);
        if (assigned)
            follow(k, out, item->var, origin_of(k, item->value));
        stmt_append(k->tree, out, item);
        if (!assigned)
            follow_stmt(k, out, item);
    }
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

static void rewrite(struct checking *k, struct tree_stmt *s)
{
    const struct tree_stmt *region = k->tree->region;
    if (s->kind == STMT_PARALLEL)
        k->tree->region = s;
    if (s->kind == STMT_BLOCK)
        rewrite_block(k, s);
    if (s->body)
        rewrite(k, s->body);
    if (s->otherwise)
        rewrite(k, s->otherwise);
    k->tree->region = region;
}

void check_pointers(struct checking *k)
{
    struct pointers w = { .k = k };
    stmt_visit(k->func->body, find_marks, &w);
    while (w.more) {
        w.more = false;
        stmt_visit(k->func->body, find_sources, &w);
    }
    rewrite(k, k->func->body);
    struct tree_stmt *first = stmt_block(k->tree);
    for (uint32_t i = 0; i < k->func->params.count; i++) {
        const struct tree_param *p = &k->func->params.items[i];
        if (map_has(&k->pointers, p->var))
            follow(k, first, p->var, unknown(k->tree));
    }
    for (uint32_t i = 0; first->items.count && i < k->func->body->items.count; i++)
        stmt_append(k->tree, first, k->func->body->items.items[i]);
    if (first->items.count)
        k->func->body = first;
}
