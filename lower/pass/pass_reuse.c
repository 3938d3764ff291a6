/* A load of an element that an earlier statement stored becomes the value stored.
 *
 *     A[i] = x * 2                 v = x * 2
 *     B[i] = A[i] + 1      ->      A[i] = v
 *                                  B[i] = v + 1
 *
 * What is known of memory is a stack of entries in the order of the text: entries made in a loop or branch are
 * forgotten behind it, and a loop starts without those that it changes itself. The store stays; if nothing loads the
 * memory any more, the dead-memory pass removes it. */
#include "lower/pass/pass.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_ENTRIES = 512 };

struct entry {
    bool valid;
    uint32_t below; /* 1 + the entry before of the same class */
    const struct tree_expr *pointer;
    const struct linear *at;
    const struct type *type;
    uint32_t alias;
    struct tree_expr *value;
    struct tree_stmt *store; /* value is not yet in a variable */
    uint64_t vars;           /* bits of the variables that pointer, place and value are made of */
};

struct reuse {
    struct tree *tree;
    struct arena *arena;
    struct entry entries[MOST_ENTRIES];
    uint32_t count;
    uint32_t *top; /* by class: 1 + the last entry */
};

/* ---- entries ---- */

/* Types of values that are computed with, not only stored. */
static bool in_registers(const struct type *type)
{
    return type->kind == TYPE_BOOL || type_is_integer(type) || type->kind == TYPE_F32 || type->kind == TYPE_F64 ||
           type_is_complex(type);
}

static uint64_t bit_of(const struct tree_var *v) { return (uint64_t)1 << (v->id & 63); }

static uint64_t bits_of(const struct tree_expr *e)
{
    uint64_t bits = e->op == EXPR_VAR ? bit_of(e->var) : 0;
    for (uint32_t i = 0; i < e->num_args; i++)
        bits |= bits_of(e->args[i]);
    return bits;
}

static void push(struct reuse *r, struct tree_stmt *s)
{
    if (r->count == MOST_ENTRIES || !s->alias || !in_registers(s->value->type) ||
        s->pointer->type->elem != s->value->type)
        return;
    struct linear at;
    linear_of(&at, s->index);
    if (!at.known || !expr_is_pure(s->pointer) || !expr_is_pure(s->value))
        return;
    struct entry *e = &r->entries[r->count++];
    *e = (struct entry){ .valid = true, .pointer = s->pointer, .type = s->value->type, .alias = s->alias };
    e->at = linear_keep(r->arena, &at);
    e->value = s->value;
    e->store = s->value->op == EXPR_VAR || expr_is_const(s->value) ? NULL : s;
    e->vars = bits_of(s->pointer) | bits_of(s->index) | (e->store ? 0 : bits_of(s->value));
    e->below = r->top[s->alias];
    r->top[s->alias] = r->count;
}

static void pop_to(struct reuse *r, uint32_t count)
{
    while (r->count > count) {
        r->count--;
        r->top[r->entries[r->count].alias] = r->entries[r->count].below;
    }
}

static void forget_all(struct reuse *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        r->entries[i].valid = false;
}

static void forget_class(struct reuse *r, uint32_t alias)
{
    if (alias == 0)
        forget_all(r);
    for (uint32_t i = alias ? r->top[alias] : 0; i; i = r->entries[i - 1].below)
        r->entries[i - 1].valid = false;
}

/* Everything of the class that is not surely another element. */
static void forget_element(struct reuse *r, const struct tree_stmt *s)
{
    struct linear at;
    linear_of(&at, s->index);
    if (!s->alias || !at.known || s->kind == STMT_UPDATE) {
        forget_class(r, s->alias);
        return;
    }
    for (uint32_t i = r->top[s->alias]; i; i = r->entries[i - 1].below) {
        struct entry *e = &r->entries[i - 1];
        struct linear distance;
        linear_constant(&distance, 0);
        linear_add(&distance, &at, 1);
        linear_add(&distance, e->at, -1);
        if (!linear_is_constant(&distance) || distance.constant == 0 || e->type != s->value->type ||
            !expr_equal(e->pointer, s->pointer))
            e->valid = false;
    }
}

static bool mentions(const struct tree_expr *e, const struct tree_var *v)
{
    if (e->op == EXPR_VAR)
        return e->var == v;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (mentions(e->args[i], v))
            return true;
    return false;
}

static bool linear_mentions(const struct linear *l, const struct tree_var *v)
{
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (mentions(l->terms[i].factors[k], v))
                return true;
    return false;
}

/* A value not yet in a variable is that of the time of the store: it may change what it is made of. */
static void forget_var(struct reuse *r, const struct tree_var *v)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct entry *e = &r->entries[i];
        if (e->valid && (e->vars & bit_of(v)) &&
            (mentions(e->pointer, v) || (!e->store && mentions(e->value, v)) || linear_mentions(e->at, v)))
            e->valid = false;
    }
}

static bool loads(const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD)
        return true;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (loads(e->args[i]))
            return true;
    return false;
}

/* An address that is itself loaded is not the same one later. */
static bool address_loads(const struct tree_stmt *s) { return loads(s->pointer) || loads(s->index); }

/* ---- use ---- */

static struct tree_expr *value_of(struct reuse *r, struct entry *e)
{
    if (e->store) {
        struct tree *t = r->tree;
        struct tree_stmt *store = NEW(t->arena, struct tree_stmt), *block = stmt_block(t);
        struct tree_var *v = tree_var(t, "value", e->type);
        *store = *e->store;
        stmt_assign(t, block, v, store->value)->place = store->place;
        store->value = e->value = expr_var(t, v);
        stmt_append(t, block, store);
        *e->store = *block;
        e->store = NULL;
        e->vars |= bit_of(v);
    }
    return e->value;
}

static struct tree_expr *reuse_load(void *user, struct tree_expr *load)
{
    struct reuse *r = user;
    struct linear at;
    if (load->op != EXPR_LOAD || !load->alias || !r->top[load->alias])
        return load;
    linear_of(&at, load->args[1]);
    for (uint32_t i = r->top[load->alias]; i; i = r->entries[i - 1].below) {
        struct entry *e = &r->entries[i - 1];
        if (e->valid && e->type == load->type && linear_equal(e->at, &at) && expr_equal(e->pointer, load->args[0]))
            return value_of(r, e);
    }
    return load;
}

/* ---- walk ---- */

/* Whatever the statement may change, in any order. */
static void forget_piece(struct reuse *r, struct tree_stmt *s)
{
    struct tree_piece piece = { 0 };
    piece_add(r->arena, &piece, s, NULL);
    if (piece.control) {
        forget_all(r);
        return;
    }
    for (uint32_t i = 0; i < piece.writes.count; i++)
        forget_var(r, piece.writes.items[i]);
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        if (piece.accesses.items[i]->write)
            forget_class(r, piece.accesses.items[i]->alias);
}

static bool calls(const struct tree_expr *e) { return e && !expr_is_pure(e); }

static void look(struct reuse *r, struct tree_stmt *s);

static void look_inside(struct reuse *r, struct tree_stmt *s)
{
    uint32_t outer = r->count;
    if (s->body)
        look(r, s->body);
    pop_to(r, outer);
    if (s->otherwise)
        look(r, s->otherwise);
    pop_to(r, outer);
}

static void look_at_compound(struct reuse *r, struct tree_stmt *s)
{
    switch (s->kind) {
    case STMT_FOR:
        stmt_rewrite(r->tree, s, reuse_load, r);
        forget_piece(r, s);
        look_inside(r, s);
        break;
    case STMT_WHILE:
    case STMT_DO:
        forget_piece(r, s);
        if (s->kind == STMT_WHILE)
            stmt_rewrite(r->tree, s, reuse_load, r);
        look_inside(r, s);
        break;
    case STMT_IF:
        stmt_rewrite(r->tree, s, reuse_load, r);
        if (calls(s->value))
            forget_all(r);
        look_inside(r, s);
        break;
    default: /* threads and locks */
        forget_all(r);
        struct tree_stmt *const region = (struct tree_stmt *)r->tree->region;
        if (s->kind == STMT_PARALLEL)
            r->tree->region = s;
        look_inside(r, s);
        r->tree->region = region;
        forget_all(r);
        break;
    }
}

static void look(struct reuse *r, struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++)
            look(r, s->items.items[i]);
        return;
    }
    if (s->body) {
        look_at_compound(r, s);
        return;
    }
    if (s->kind == STMT_LABEL || s->kind == STMT_BARRIER) {
        forget_all(r);
        return;
    }
    stmt_rewrite(r->tree, s, reuse_load, r);
    if (calls(s->value) || calls(s->index) || calls(s->pointer) || s->kind == STMT_CALL)
        forget_piece(r, s);
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++)
        if (vars[i])
            forget_var(r, vars[i]);
    if (s->kind == STMT_STORE || s->kind == STMT_REDUCE)
        forget_element(r, s);
    else if (s->kind == STMT_COPY || s->kind == STMT_ZERO)
        forget_class(r, s->alias);
    if (s->kind == STMT_STORE && !address_loads(s))
        push(r, s);
}

bool tree_reuse(struct tree *t, const struct tree_options *o)
{
    (void)o;
    struct reuse *r = NEW(t->scratch, struct reuse);
    r->tree = t;
    r->arena = t->scratch;
    r->top = NEW_ARRAY(t->scratch, uint32_t, t->num_aliases);
    for (uint32_t i = 0; i < t->functions.count; i++) {
        pop_to(r, 0);
        look(r, t->functions.items[i]->body);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
