/* Elements of containers that expressions of the graph name: the extent `length[i]` of a range, the size `n[0]` of a
 * transient. They are read where the expression is evaluated, so they must exist if that certainly happens. */
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
