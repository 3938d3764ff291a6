#include "lower/opt/check/check.h"

/* ---- what pointer variables stand for ---- */

static void add_root(struct checking *k, const struct check_root *r)
{
    struct arena *a = k->tree->scratch;
    bool again = map_has(&k->roots, r->var);
    map_put(a, &k->roots, r->var, again ? NULL : arena_copy(a, r, sizeof *r));
}

static const void *slot_key(int64_t slot) { return (const void *)(uintptr_t)(slot + 1); }

static bool find_allocation(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_ALLOC)
        add_root(user, &(struct check_root){ .var = s->var, .type = s->type, .count = s->count, .alloc = s });
    if (s->kind != STMT_ASSIGN || s->value->op != EXPR_SLOT)
        return true;
    const struct check_root *slot = map_get(&((struct checking *)user)->slots, slot_key(s->value->i));
    if (slot)
        add_root(user,
                 &(struct check_root){ .var = s->var, .type = slot->type, .count = slot->count, .alloc = slot->alloc });
    return true;
}

/* Variables of other functions have no meaning here, but for the parameters, which all functions share. */
static bool is_shared(const struct checking *k, const struct tree_expr *e)
{
    bool shared = e->op != EXPR_LOAD && e->op != EXPR_CALL;
    for (uint32_t i = 0; shared && e->op == EXPR_VAR && i <= k->func->params.count; i++) {
        if (i == k->func->params.count)
            shared = false;
        else if (k->func->params.items[i].var == e->var)
            break;
    }
    for (uint32_t i = 0; shared && i < e->num_args; i++)
        shared = is_shared(k, e->args[i]);
    return shared;
}

static bool find_slot(void *user, struct tree_stmt *s)
{
    struct checking *k = user;
    if (s->kind != STMT_ALLOC || s->where != TREE_STATE)
        return true;
    struct check_root *r = NEW(k->tree->scratch, struct check_root);
    *r = (struct check_root){ .var = s->var, .type = s->type, .alloc = s };
    r->count = is_shared(k, s->count) ? s->count : NULL;
    map_put(k->tree->scratch, &k->slots, slot_key(s->slot), r);
    return true;
}

void check_find_roots(struct checking *k)
{
    for (uint32_t i = 0; i < k->tree->functions.count; i++)
        stmt_visit(k->tree->functions.items[i]->body, find_slot, k);
    for (uint32_t i = 0; i < k->func->params.count; i++) {
        const struct tree_param *p = &k->func->params.items[i];
        if (p->by_value || p->var->type->kind != TYPE_POINTER)
            continue;
        struct tree_expr *count = p->count ? expr_i64(k->tree, p->count) : p->elements;
        add_root(k, &(struct check_root){ .var = p->var, .type = p->var->type->elem, .count = count });
    }
    stmt_visit(k->func->body, find_allocation, k);
}

/* ---- the dimension of an allocation's elements ---- */

struct address {
    struct check_root *root; /* NULL: not known */
    struct tree_expr *bytes; /* behind its beginning */
};

static struct tree_expr *scaled(struct tree *t, struct tree_expr *e, uint32_t times)
{
    return expr_binary(t, EXPR_MUL, e, expr_i64(t, times));
}

static struct address address_of(struct checking *k, struct tree_expr *p)
{
    struct tree *t = k->tree;
    struct address a = { NULL, expr_i64(t, 0) };
    while (p->op == EXPR_OFFSET || (p->op == EXPR_CAST && p->args[0]->type->kind == TYPE_POINTER)) {
        if (p->op == EXPR_OFFSET)
            a.bytes = expr_binary(t, EXPR_ADD, a.bytes, scaled(t, p->args[1], p->type->elem->size));
        p = p->args[0];
    }
    if (p->op == EXPR_VAR)
        a.root = map_get(&k->roots, p->var);
    if (p->op == EXPR_SLOT)
        a.root = map_get(&k->slots, slot_key(p->i));
    return a;
}

/* e / size, where that is exact: the sizes of elements are most often all the same. */
static struct tree_expr *divided(struct tree *t, const struct linear *l, uint32_t size)
{
    struct linear out;
    linear_copy(&out, l);
    if (!l->known || out.constant % size)
        return NULL;
    out.constant /= size;
    for (uint32_t i = 0; i < out.count; i++) {
        if (out.terms[i].times % size)
            return NULL;
        out.terms[i].times /= size;
    }
    return linear_expr(t, &out);
}

struct check_root *check_root_of(struct checking *k, struct tree_expr *pointer) { return address_of(k, pointer).root; }

uint32_t check_units(const struct tree_stmt *mark, const struct check_root *root)
{
    return mark->args[CHECK_POINTER]->type->elem->size / root->type->size;
}

struct tree_expr *check_element_of(struct checking *k, const struct tree_stmt *mark, const struct check_root *root)
{
    uint32_t size = mark->args[CHECK_POINTER]->type->elem->size;
    if (!root->type->size || !size || size % root->type->size)
        return NULL;
    struct linear l;
    linear_of(&l, address_of(k, mark->args[CHECK_POINTER]).bytes);
    return divided(k->tree, &l, root->type->size);
}

bool check_is_followed(const struct check_root *root)
{
    return root->alloc && root->alloc->place && !root->alloc->zero && root->alloc->where != TREE_STATE &&
           !root->escaped && root->read;
}

/* Elements from the first to the last one of the access. */
static struct tree_expr *span_of(struct tree *t, const struct tree_stmt *s)
{
    struct tree_expr *span = expr_i64(t, 0);
    for (uint32_t d = 0; d < s->check->rank; d++) {
        struct tree_expr *more =
            expr_binary(t, EXPR_SUB, *check_number(s, d, CHECK_HIGH), *check_number(s, d, CHECK_LOW));
        span = expr_binary(t, EXPR_ADD, span, expr_binary(t, EXPR_MUL, more, *check_number(s, d, CHECK_STRIDE)));
    }
    return span;
}

static void add_flat(struct checking *k, struct tree_stmt *s, struct tree_expr *low, struct tree_expr *high,
                     struct tree_expr *count)
{
    struct tree *t = k->tree;
    struct tree_check *c = arena_copy(t->arena, s->check, sizeof *c);
    struct tree_expr **args = NEW_ARRAY(t->arena, struct tree_expr *, s->num_args + CHECK_DIM);
    for (uint32_t i = 0; i < s->num_args; i++)
        args[i] = s->args[i];
    struct tree_expr **dim = args + s->num_args;
    dim[CHECK_LOW] = low;
    dim[CHECK_HIGH] = high;
    dim[CHECK_EXTENT] = count;
    dim[CHECK_STRIDE] = dim[CHECK_STEP] = expr_i64(t, 1);
    s->args = args;
    s->num_args += CHECK_DIM;
    c->rank++;
    s->check = c;
}

/* The access begins `before` bytes behind the beginning of a memory of that many `bytes`. */
static void add_bytes(struct checking *k, struct tree_stmt *s, struct tree_expr *before, struct tree_expr *bytes)
{
    struct tree *t = k->tree;
    uint32_t size = s->args[CHECK_POINTER]->type->elem->size;
    struct tree_expr *last = expr_binary(t, EXPR_ADD, before, scaled(t, span_of(t, s), size));
    add_flat(k, s, before, expr_binary(t, EXPR_ADD, last, expr_i64(t, (int64_t)size - 1)), bytes);
    struct tree_check *c = arena_copy(t->arena, s->check, sizeof *c);
    c->in_bytes = true;
    s->check = c;
}

static bool flatten_mark(void *user, struct tree_stmt *s)
{
    struct checking *k = user;
    struct tree *t = k->tree;
    if (!stmt_is_check(s) || !s->check->flat)
        return true;
    struct address a = address_of(k, s->args[CHECK_POINTER]);
    const struct type *elem = s->args[CHECK_POINTER]->type->elem;
    struct tree_check *plain = arena_copy(t->arena, s->check, sizeof *plain);
    plain->flat = false;
    if (!a.root || !a.root->count || !elem->size) {
        struct tree_expr *before, *bytes;
        if (elem->size && check_origin(k, s->args[CHECK_POINTER], &before, &bytes)) {
            add_bytes(k, s, before, bytes);
            return true;
        }
        k->unknown++;
        s->check = plain;
        if (!plain->rank)
            check_drop(k, s);
        return true;
    }
    struct linear l;
    linear_of(&l, a.bytes);
    uint32_t size = elem->size;
    struct tree_expr *low = a.root->type->size == size ? divided(t, &l, size) : NULL, *span = span_of(t, s);
    if (low) {
        add_flat(k, s, low, expr_binary(t, EXPR_ADD, low, span), a.root->count);
        return true;
    }
    add_bytes(k, s, a.bytes, scaled(t, a.root->count, a.root->type->size));
    return true;
}

void check_flatten(struct checking *k) { stmt_visit(k->func->body, flatten_mark, k); }
