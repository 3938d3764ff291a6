/* `independent` is taken back from loops in which an element is accessed again after it was stored in the same
 * iteration: LLVM reads the promise as leave to reorder accesses within an iteration.
 * Legality: Always legal. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_depend.h"

struct independent {
    struct tree *tree;
    struct tree_access **stored; /* by alias class: the last store seen in the loop at hand */
    uint32_t *stamp, now;
    struct map written, again; /* variables that an iteration gives a value; more than one, each as its own value */
};

static void see_variables(struct independent *w, const struct tree_piece *piece)
{
    w->written = w->again = (struct map){ 0 };
    for (uint32_t i = 0; i < piece->writes.count; i++) {
        struct tree_var *v = piece->writes.items[i];
        map_put(w->tree->scratch, map_has(&w->written, v) ? &w->again : &w->written, v, v);
    }
}

struct mention {
    const struct map *vars;
    bool found;
};

static void see_mention(void *user, struct tree_expr *e)
{
    struct mention *m = user;
    m->found |= e->op == EXPR_VAR && map_has(m->vars, e->var);
}

/* Is the number of the element computed from the same values wherever it stands in the iteration? */
static bool is_steady(const struct independent *w, const struct linear *at)
{
    struct mention m = { .vars = &w->again };
    for (uint32_t i = 0; w->again.count && i < at->count; i++)
        for (uint32_t k = 0; k < at->terms[i].count; k++)
            expr_visit((struct tree_expr *)at->terms[i].factors[k], see_mention, &m);
    return !m.found;
}

/* Surely different elements, evaluated in the same iteration? */
static bool apart(const struct independent *w, const struct tree_access *a, const struct tree_access *b)
{
    return a->frame == b->frame && a->pointer && b->pointer && is_steady(w, a->at) && is_steady(w, b->at) &&
           depend_differs(a, b);
}

static struct tree_access *stored(const struct independent *w, uint32_t alias)
{
    return w->stamp[alias] == w->now ? w->stored[alias] : NULL;
}

/* `loops`: the body has loops, in which what stands first comes again after the rest. */
static bool touches_again(struct independent *w, const struct tree_piece *piece, bool loops)
{
    w->now++;
    bool any_store = false, unknown_store = false;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct tree_access *a = piece->accesses.items[i];
        if ((a->alias == 0 && any_store) || unknown_store)
            return true;
        for (const struct tree_access *before = stored(w, a->alias); before; before = before->next)
            if (loops || !apart(w, a, before))
                return true;
        if (!a->write)
            continue;
        a->next = stored(w, a->alias);
        w->stored[a->alias] = a;
        w->stamp[a->alias] = w->now;
        any_store = true;
        unknown_store |= a->alias == 0;
    }
    for (uint32_t i = 0; loops && i < piece->accesses.count; i++)
        if (piece->accesses.items[i]->read && stored(w, piece->accesses.items[i]->alias))
            return true;
    return false;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct independent *w = user;
    if (s->kind != STMT_FOR || !s->loop.independent)
        return true;
    struct tree_piece piece = { 0 };
    piece_add(w->tree->scratch, &piece, s->body, NULL);
    see_variables(w, &piece);
    s->loop.independent = !touches_again(w, &piece, stmt_has_loops(s->body));
    return true;
}

bool opt_independent(struct tree *t, const struct tree_options *o)
{
    (void)o;
    struct independent w = { .tree = t };
    w.stored = NEW_ARRAY(t->scratch, struct tree_access *, t->num_aliases);
    w.stamp = NEW_ARRAY(t->scratch, uint32_t, t->num_aliases);
    for (uint32_t i = 0; i < t->functions.count; i++)
        stmt_visit(t->functions.items[i]->body, look, &w);
    return true;
}
