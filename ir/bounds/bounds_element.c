/* Elements of containers that expressions of the graph name: the extent `length[i]` of a range, the size `n[0]` of a
 * transient, the condition `done[k] > 0` of a transition. They are read where the expression is evaluated, so they must
 * exist if that certainly happens. */
#include "ir/bounds/walk.h"

struct naming {
    struct bound_walk *walk;
    const struct place *place;
};

static bool is_hidden(const struct bound_walk *w, const char *name)
{
    for (const struct bound_name *n = w->names; n; n = n->outer)
        if (n->name == name)
            return true;
    return false;
}

static void check_element(void *user, const struct sym *s)
{
    const struct naming *n = user;
    struct bound_walk *w = n->walk;
    const struct container *c = s->op == SYM_SUBSCRIPT ? map_get(&w->sdfg->container_by_name, s->name) : NULL;
    if (!c || is_hidden(w, s->name))
        return;
    struct subset at = { .rank = s->num_args, .dims = NEW_ARRAY(w->scratch, struct range, s->num_args) };
    for (uint32_t i = 0; i < s->num_args; i++)
        at.dims[i] = (struct range){ s->args[i], s->args[i], sym_int(w->ir, 1), sym_int(w->ir, 1) };
    bound_region(w, n->place, c, &at);
}

void bound_elements(struct bound_walk *w, const struct place *place, const struct sym *s)
{
    struct naming n = { w, place };
    if (w->certain && s->num_args)
        sym_visit_names(s, check_element, &n);
}

void bound_names(struct bound_walk *w, const struct place *place, const struct subset *s, bool whole)
{
    for (uint32_t i = 0; s && i < s->rank; i++) {
        bound_elements(w, place, s->dims[i].begin);
        if (!whole || s->dims[i].end == s->dims[i].begin)
            continue;
        bound_elements(w, place, s->dims[i].end);
        bound_elements(w, place, s->dims[i].step);
    }
}

void bound_names_of_size(struct bound_walk *w, const struct container *c)
{
    const struct bound_name *names = w->names;
    w->names = w->outside;
    if (c->transient && !container_is_view(c) && !container_is_reference(c) && c->total_size)
        bound_elements(w, &c->place, c->total_size);
    if (c->transient && c->start_offset)
        bound_elements(w, &c->place, c->start_offset);
    w->names = names;
}

/* ---- code ---- */

/* An index over symbols; NULL: it is something else. */
static const struct sym *index_of(struct ir *ir, const struct code *c)
{
    if (c->kind == CODE_INT && !c->big)
        return sym_int(ir, c->i);
    if (c->kind == CODE_NAME)
        return sym_name(ir, c->name);
    bool negative = c->kind == CODE_UNARY && c->op == CODE_NEG;
    if (!negative && !(c->kind == CODE_BINARY && (c->op == CODE_ADD || c->op == CODE_SUB || c->op == CODE_MUL)))
        return NULL;
    const struct sym *a = index_of(ir, c->items[0]), *b = a && !negative ? index_of(ir, c->items[1]) : NULL;
    if (!a || (!negative && !b))
        return NULL;
    if (negative)
        return sym_neg(ir, a);
    return c->op == CODE_ADD ? sym_add(ir, a, b) : c->op == CODE_SUB ? sym_sub(ir, a, b) : sym_mul(ir, a, b);
}

static void check_index(struct bound_walk *w, const struct place *place, const struct code *c)
{
    const struct code *base = c->items[0];
    const struct container *data = base->kind == CODE_NAME ? map_get(&w->sdfg->container_by_name, base->name) : NULL;
    uint32_t rank = c->count - 1;
    if (!data || is_hidden(w, base->name))
        return;
    struct subset at = { .rank = rank, .dims = NEW_ARRAY(w->scratch, struct range, rank) };
    for (uint32_t i = 0; i < rank; i++) {
        const struct sym *index = index_of(w->ir, c->items[i + 1]);
        if (!index)
            return;
        at.dims[i] = (struct range){ index, index, sym_int(w->ir, 1), sym_int(w->ir, 1) };
    }
    bound_region(w, place, data, &at);
}

static bool is_choice(const struct code *c) { return c->op == CODE_AND || c->op == CODE_OR; }

/* Operands that are certainly evaluated, of anything but chains of binary operators. */
static uint32_t num_certain(const struct code *c)
{
    if (c->kind == CODE_SELECT || c->kind == CODE_COMPARE_CHAIN)
        return 1;
    bool later = c->kind == CODE_LAMBDA || c->kind == CODE_INLINE;
    return !later && (c->kind <= CODE_ASSIGN || c->kind == CODE_EXPR || c->kind == CODE_BLOCK) ? c->count : 0;
}

void bound_code(struct bound_walk *w, const struct place *place, const struct code *c)
{
    if (!c || !w->certain)
        return;
    if (c->kind == CODE_INDEX)
        check_index(w, place, c);
    if (c->kind != CODE_BINARY) {
        for (uint32_t i = 0; i < num_certain(c); i++)
            bound_code(w, place, c->items[i]);
        return;
    }
    const struct code **chain;
    uint32_t count = code_chain(w->scratch, c, &chain);
    for (uint32_t i = 0; i < count; i++)
        if (!is_choice(chain[i]))
            bound_code(w, place, chain[i]->items[1]);
    bound_code(w, place, chain[count - 1]->items[0]);
}
