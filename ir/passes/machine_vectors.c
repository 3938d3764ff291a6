/* Vectors as long as the machine's (DaCe's SVE maps): one element at a time, which the optimizer turns into vectors
 * again.
 *
 * A map of schedule SVE_Map still names every element of its range; only connectors and scalars inside have a vector
 * type of symbolic length, and memlets reach one element too far: [i : i + __dace_sve_len], both ends included, where
 * i + lanes - 1 is meant. With one lane that is i, and so are all subsets around the map that were made of it. */
#include "ir/passes/passes.h"

#include "base/intern.h"

struct lanes {
    struct ir *ir;
    const char *name, *other; /* of the number of lanes, interned; NULL if nobody has it */
};

static const struct sym *lookup(void *user, const struct sym *name)
{
    const struct lanes *l = user;
    return name->name == l->name ? sym_int(l->ir, 0) : NULL;
}

static const struct type *element_of(struct lanes *l, const struct type *t)
{
    if (t && t->kind == TYPE_POINTER)
        return type_pointer(l->ir, element_of(l, t->elem));
    bool ours = t && t->kind == TYPE_VECTOR && !t->lanes && (t->lanes_text == l->name || t->lanes_text == l->other);
    return ours ? t->elem : t;
}

static void settle_node(struct lanes *l, struct node *n)
{
    struct nested *inner = as_nested(n);
    for (uint32_t i = 0; i < n->in_conns.count; i++)
        n->in_conns.items[i].type = element_of(l, n->in_conns.items[i].type);
    for (uint32_t i = 0; i < n->out_conns.count; i++)
        n->out_conns.items[i].type = element_of(l, n->out_conns.items[i].type);
    for (uint32_t i = 0; inner && i < inner->mapping.count; i++)
        inner->mapping.items[i].value = sym_substitute(l->ir, inner->mapping.items[i].value, lookup, l);
}

static void settle_memlet(struct lanes *l, struct memlet *m)
{
    if (m->subset)
        m->subset = subset_substitute(l->ir, m->subset, lookup, l);
    if (m->other)
        m->other = subset_substitute(l->ir, m->other, lookup, l);
}

static void settle_block(void *user, struct block *b)
{
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        settle_node(user, st->nodes.items[i]);
    for (uint32_t i = 0; st && i < st->edges.count; i++)
        settle_memlet(user, &st->edges.items[i]->memlet);
}

static void settle_sdfg(void *user, struct sdfg *s)
{
    struct lanes *l = user;
    for (uint32_t i = 0; i < s->containers.count; i++)
        s->containers.items[i]->type = element_of(l, s->containers.items[i]->type);
    region_each_block(&s->region, settle_block, user);
}

bool sdfg_machine_vectors(struct sdfg *s)
{
    struct lanes l = { s->ir, intern_find(s->ir->names, SDFG_LANES), intern_find(s->ir->names, "SVE_LEN") };
    if (l.name || l.other)
        sdfg_each(s, settle_sdfg, &l);
    return true;
}
