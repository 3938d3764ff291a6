/* A load of an element that an earlier statement stored is replaced by the stored value.
 *
 *     A[i] = x * 2                 v = x * 2
 *     B[i] = A[i] + 1      ->      A[i] = v
 *                                  B[i] = v + 1
 *
 * Legality: Values of memory are tracked in program order and dropped at any store that may alias; what a loop or
 * branch makes known is forgotten behind it, and a loop starts without what it changes itself.
 * Profitability: Always. The store stays; dead-code removes it if the memory is not loaded any more.
 *
 * Known values are a stack of entries in program order, found by alias class and by variable. What a statement
 * invalidates of a class, or of all classes, is a number: entries that are not younger are no longer valid, so nothing
 * is searched. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_OF_CLASS = 512 /* entries of one class that are compared with an element */ };

struct known_element {
    bool valid;
    uint64_t age;   /* grows from entry to entry and is never used twice */
    uint32_t below; /* 1 + the entry before of the same class */
    uint32_t links; /* how many there were before those of this entry */
    struct tree_access place;
    struct tree_expr *value;
    struct tree_stmt *store; /* value is not yet in a variable */
};

/* An entry with an address or a value that is made of a variable. */
struct link {
    uint32_t entry, var;
    uint32_t below; /* 1 + the link before of the same variable */
};

struct known_class {
    uint32_t top;       /* 1 + the last entry */
    uint64_t forgotten; /* up to this age */
};

struct reuse {
    struct tree *tree;
    struct arena *arena;
    VEC(struct known_element) entries;
    VEC(struct link) links;
    struct known_class *classes;
    uint32_t *top_of_var; /* 1 + the last link */
    uint32_t num_vars;    /* when the pass began: those made by it are assigned once */
    uint64_t age, forgotten;
};

/* ---- entries ---- */

static void add_link(struct reuse *r, const struct tree_var *v)
{
    uint32_t entry = r->entries.count - 1;
    if (v->id >= r->num_vars)
        return;
    uint32_t *top = &r->top_of_var[v->id];
    if (*top && r->links.items[*top - 1].entry == entry)
        return;
    vec_push(r->arena, &r->links, ((struct link){ .entry = entry, .var = v->id, .below = *top }));
    *top = r->links.count;
}

static void link_vars(struct reuse *r, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        add_link(r, e->var);
    for (uint32_t i = 0; i < e->num_args; i++)
        link_vars(r, e->args[i]);
}

static struct tree_access place_of(const struct tree_stmt *s, const struct linear *at)
{
    return (
        struct tree_access){ .alias = s->alias, .pointer = s->pointer, .type = s->value->type, .at = at, .extent = 1 };
}

static void push(struct reuse *r, struct tree_stmt *s)
{
    if (!s->alias || !type_is_arithmetic(s->value->type) || s->pointer->type->elem != s->value->type)
        return;
    struct linear at;
    linear_of(&at, s->index);
    if (!at.known || !expr_is_pure(s->pointer) || !expr_is_pure(s->value))
        return;
    struct known_class *class = &r->classes[s->alias];
    struct known_element e = { .valid = true, .place = place_of(s, linear_keep(r->arena, &at)) };
    e.age = ++r->age;
    e.links = r->links.count;
    e.value = s->value;
    e.store = s->value->op == EXPR_VAR || expr_is_const(s->value) ? NULL : s;
    e.below = class->top;
    vec_push(r->arena, &r->entries, e);
    class->top = r->entries.count;
    link_vars(r, s->pointer);
    link_vars(r, s->index);
    if (!e.store)
        link_vars(r, s->value);
}

static void pop_to(struct reuse *r, uint32_t count)
{
    while (r->entries.count > count) {
        const struct known_element *e = &r->entries.items[--r->entries.count];
        r->classes[e->place.alias].top = e->below;
        while (r->links.count > e->links) {
            const struct link *l = &r->links.items[--r->links.count];
            r->top_of_var[l->var] = l->below;
        }
    }
}

static void forget_all(struct reuse *r) { r->forgotten = r->age; }

static void forget_class(struct reuse *r, uint32_t alias)
{
    if (alias == 0)
        forget_all(r);
    r->classes[alias].forgotten = r->age;
}

/* The next valid entry of the class, from the last one on; `seen` counts them. Those far back are forgotten. NULL: no
 * more. */
static struct known_element *next_of_class(struct reuse *r, uint32_t alias, uint32_t *at, uint32_t *seen)
{
    struct known_class *class = &r->classes[alias];
    for (*at = *seen ? r->entries.items[*at - 1].below : class->top; *at; *at = r->entries.items[*at - 1].below) {
        struct known_element *e = &r->entries.items[*at - 1];
        if (e->age <= r->forgotten || e->age <= class->forgotten)
            return NULL;
        if (++*seen > MOST_OF_CLASS) {
            class->forgotten = e->age;
            return NULL;
        }
        if (e->valid)
            return e;
    }
    return NULL;
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
    struct tree_access place = place_of(s, &at);
    uint32_t i, seen = 0;
    for (struct known_element *e; (e = next_of_class(r, s->alias, &i, &seen));)
        e->valid = depend_differs(&place, &e->place);
}

/* A value not yet in a variable is that of the time of the store: it may change what it is made of. */
static void forget_var(struct reuse *r, const struct tree_var *v)
{
    for (uint32_t i = v->id < r->num_vars ? r->top_of_var[v->id] : 0; i; i = r->links.items[i - 1].below)
        r->entries.items[r->links.items[i - 1].entry].valid = false;
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

static struct tree_expr *value_of(struct reuse *r, struct known_element *e)
{
    if (e->store) {
        struct tree *t = r->tree;
        struct tree_stmt *store = NEW(t->arena, struct tree_stmt), *block = stmt_block(t);
        struct tree_var *v = tree_var(t, "value", e->place.type);
        *store = *e->store;
        stmt_assign(t, block, v, store->value)->place = store->place;
        store->value = e->value = expr_var(t, v);
        stmt_append(t, block, store);
        *e->store = *block;
        e->store = NULL;
    }
    return e->value;
}

static struct tree_expr *reuse_load(void *user, struct tree_expr *load)
{
    struct reuse *r = user;
    struct linear at;
    if (load->op != EXPR_LOAD || !load->alias || !r->classes[load->alias].top)
        return load;
    linear_of(&at, load->args[1]);
    uint32_t i, seen = 0;
    for (struct known_element *e; (e = next_of_class(r, load->alias, &i, &seen));)
        if (e->place.type == load->type && linear_equal(e->place.at, &at) &&
            expr_equal(e->place.pointer, load->args[0]))
            return value_of(r, e);
    return load;
}

/* ---- walk ---- */

/* Whatever the statement may change, in any order. */
static void forget_piece(struct reuse *r, struct tree_stmt *s)
{
    struct tree_piece piece = { 0 };
    piece_add_changes(r->arena, &piece, s);
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

static void see_call(void *user, struct tree_expr **e) { *(bool *)user |= !expr_is_pure(*e); }

/* Does the statement call functions in its expressions? What stands beside the call may see what the function does. */
static bool calls(struct tree_stmt *s)
{
    bool found = false;
    stmt_each_expr(s, see_call, &found);
    return found;
}

static void look(struct reuse *r, struct tree_stmt *s);

static void look_inside(struct reuse *r, struct tree_stmt *s)
{
    uint32_t outer = r->entries.count;
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
        if (calls(s))
            forget_all(r);
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
        if (calls(s))
            forget_all(r);
        stmt_rewrite(r->tree, s, reuse_load, r);
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
    if (calls(s))
        forget_piece(r, s);
    stmt_rewrite(r->tree, s, reuse_load, r);
    if (s->kind == STMT_CALL)
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

bool opt_load_forwarding(struct tree *t, const struct tree_options *o)
{
    (void)o;
    struct reuse *r = NEW(t->scratch, struct reuse);
    r->tree = t;
    r->arena = t->scratch;
    r->classes = NEW_ARRAY(t->scratch, struct known_class, t->num_aliases);
    r->num_vars = t->num_vars;
    r->top_of_var = NEW_ARRAY(t->scratch, uint32_t, t->num_vars);
    for (uint32_t i = 0; i < t->functions.count; i++) {
        pop_to(r, 0);
        look(r, t->functions.items[i]->body);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
