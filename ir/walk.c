#include "ir/graph.h"

#include <string.h>

/* ---- names ---- */

static struct container *find_member(const struct container *c, const char *name, size_t length)
{
    for (uint32_t i = 0; c && i < c->members.count; i++) {
        struct container *m = c->members.items[i];
        if (c->struct_name && !strncmp(m->name, name, length) && !m->name[length])
            return m;
    }
    return NULL;
}

struct container *sdfg_find_container(const struct sdfg *s, const char *name)
{
    struct container *c = map_get(&s->container_by_name, name);
    if (c)
        return c;
    size_t length = strcspn(name, ".");
    c = map_get(&s->container_by_name, intern_n(s->ir->names, name, length));
    while (c && name[length] == '.') {
        name += length + 1;
        length = strcspn(name, ".");
        c = find_member(c, name, length);
    }
    return c;
}

const struct type *sdfg_symbol_type(const struct sdfg *s, const char *name)
{
    const char *key = intern_find(s->ir->names, name);
    for (uint32_t i = 0; key && map_has(&s->symbol_by_name, key) && i < s->symbols.count; i++)
        if (s->symbols.items[i].name == key)
            return s->symbols.items[i].type;
    return NULL;
}

const struct constant *sdfg_find_constant(const struct sdfg *s, const char *name)
{
    for (; s; s = s->parent ? s->parent->node.state->sdfg : NULL)
        for (uint32_t i = 0; i < s->constants.count; i++)
            if (!strcmp(s->constants.items[i].name, name))
                return &s->constants.items[i];
    return NULL;
}

/* ---- walks ---- */

void region_each_block(struct region *r, void (*visit)(void *user, struct block *b), void *user)
{
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        struct block *b = r->blocks.items[i];
        visit(user, b);
        if (as_region(b))
            region_each_block(as_region(b), visit, user);
        struct conditional *c = as_conditional(b);
        for (uint32_t k = 0; c && k < c->branches.count; k++)
            region_each_block(c->branches.items[k].region, visit, user);
    }
}

struct each {
    void (*visit)(void *user, struct sdfg *s);
    void *user;
};

static void each_nested(void *user, struct block *b)
{
    const struct each *e = user;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct nested *n = as_nested(st->nodes.items[i]);
        if (n && n->sdfg)
            sdfg_each(n->sdfg, e->visit, e->user);
    }
}

void sdfg_each(struct sdfg *s, void (*visit)(void *user, struct sdfg *s), void *user)
{
    struct each e = { visit, user };
    visit(user, s);
    region_each_block(&s->region, each_nested, &e);
}
