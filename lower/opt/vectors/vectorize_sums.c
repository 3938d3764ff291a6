/* Accumulators that a body computes in several steps are brought into the form that vectors accumulate.
 *
 *     a = x                                  x = x + p[i]
 *     b = a + p[i]               ->          x = x + q[i]
 *     x = b + q[i]
 *
 * Legality: each variable between has one assignment and one use, in the block of the assignment of x, which is the
 * only one in the loop. What is moved down to it loads nothing if memory is written between. */
#include "lower/opt/vectors/vectorize.h"
#include "lower/tree/tree_rewrite.h"

enum { LONGEST = 64 /* variables from x to x */ };

/* Where the loop gives a variable its value. */
struct definition {
    struct tree_stmt *block;
    uint32_t at;
    uint32_t count;
};

struct sums {
    struct vectorize *vectorize;
    struct map definitions; /* struct tree_var * -> struct definition * */
    /* the accumulator at hand */
    const struct tree_var *var;
    const struct definition *last;
    VEC(struct tree_stmt *) moved;
};

static void collect(struct sums *w, struct tree_stmt *s)
{
    struct arena *a = w->vectorize->tree->scratch;
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        if (item->kind == STMT_ASSIGN) {
            struct definition *d = map_get(&w->definitions, item->var);
            if (!d)
                map_put(a, &w->definitions, item->var, d = NEW(a, struct definition));
            *d = (struct definition){ s, i, d->count + 1 };
        }
        collect(w, item);
    }
    if (s->body)
        collect(w, s->body);
    if (s->otherwise)
        collect(w, s->otherwise);
}

static void find_load(void *user, struct tree_expr *e) { *(bool *)user |= !expr_is_pure(e) || e->op == EXPR_LOAD; }

/* May the value be computed at the accumulator's assignment instead? */
static bool may_move(const struct sums *w, const struct definition *d)
{
    bool loads = false;
    expr_visit(d->block->items.items[d->at]->value, find_load, &loads);
    for (uint32_t i = d->at + 1; loads && i < w->last->at; i++) {
        const struct tree_stmt *s = d->block->items.items[i];
        if (s->kind != STMT_ASSIGN && (s->kind != STMT_BLOCK || s->items.count))
            return false;
    }
    return true;
}

/* The assignment of a variable whose value comes from the accumulator; NULL: it is not of that form. */
static struct tree_stmt *definition_of(const struct sums *w, const struct tree_var *v)
{
    const struct vectorize *l = w->vectorize;
    const struct definition *d = map_get(&w->definitions, v);
    uintptr_t uses = (uintptr_t)map_get(&l->scan.uses, v);
    const struct tree_scan *whole = tree_whole(&l->iterations->whole);
    bool own = d && d->count == 1 && uses == 2 && (uintptr_t)map_get(&whole->uses, v) == uses;
    return own && d->block == w->last->block && d->at < w->last->at && may_move(w, d) ? d->block->items.items[d->at]
                                                                                      : NULL;
}

/* Is the accumulator in the value, or in what that is computed from? Notes the assignments on the way. */
static bool reaches(struct sums *w, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR && e->var == w->var)
        return true;
    struct tree_stmt *s = e->op == EXPR_VAR && w->moved.count < LONGEST ? definition_of(w, e->var) : NULL;
    if (s && reaches(w, s->value)) {
        vec_push(w->vectorize->tree->scratch, &w->moved, s);
        return true;
    }
    for (uint32_t i = 0; i < e->num_args; i++)
        if (reaches(w, e->args[i]))
            return true;
    return false;
}

/* What stands nearest to the assignment is inserted first: it names the others. */
static void move_down(struct sums *w, struct tree_stmt *s)
{
    struct tree *t = w->vectorize->tree;
    while (w->moved.count) {
        struct tree_stmt *d = w->moved.items[--w->moved.count];
        stmt_substitute(t, s, d->var, d->value);
        *d = *stmt_block(t);
    }
}

/* The operand of e with the accumulator in it, of an operation that one side of it may go on with; else NULL. */
static struct tree_expr *inner(const struct sums *w, const struct tree_expr *e, struct tree_expr **term)
{
    if (e->num_args != 2)
        return NULL;
    bool second = (e->op == EXPR_ADD || e->op == EXPR_MUL) && expr_mentions(e->args[1], w->var);
    *term = e->args[!second];
    return e->args[second];
}

static bool is_same_kind(enum expr_op a, enum expr_op b)
{
    return a == b || (a == EXPR_ADD && b == EXPR_SUB) || (a == EXPR_SUB && b == EXPR_ADD);
}

struct step {
    enum expr_op op;
    struct tree_expr *term;
};

/* x = x op a op b becomes two assignments, which compute the same in the same order. */
static bool split(struct sums *w, struct tree_stmt *s)
{
    struct tree *t = w->vectorize->tree;
    VEC(struct step) steps = { 0 };
    struct tree_expr *e = s->value;
    while (e && e->op != EXPR_VAR) {
        struct step step = { .op = e->op };
        e = is_same_kind(step.op, s->value->op) ? inner(w, e, &step.term) : NULL;
        vec_push(t->scratch, &steps, step);
    }
    if (!e || e->var != w->var || (steps.count == 1 && s->value->args[0] == e))
        return false;
    struct tree_stmt *block = stmt_block(t);
    while (steps.count) {
        const struct step *x = &steps.items[--steps.count];
        struct tree_stmt *step = stmt_assign(t, block, s->var, expr_binary(t, x->op, e, x->term));
        step->place = s->place;
        step->reassociate = s->reassociate;
    }
    *s = *block;
    return true;
}

bool lanes_sums(struct vectorize *v)
{
    struct sums w = { .vectorize = v };
    bool found = false;
    collect(&w, v->loop->body);
    for (uint32_t i = 0; i < w.definitions.count; i++) {
        w.var = w.definitions.slots[i].key;
        w.last = w.definitions.slots[i].value;
        if (!w.var || w.last->count != 1 || (uintptr_t)map_get(&v->scan.uses, w.var) != 2)
            continue;
        struct tree_stmt *s = w.last->block->items.items[w.last->at];
        w.moved.count = 0;
        if (!reaches(&w, s->value))
            continue;
        found |= w.moved.count > 0;
        move_down(&w, s);
        found |= split(&w, s);
    }
    return found;
}
