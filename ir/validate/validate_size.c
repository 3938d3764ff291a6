/* Sizes that no memory can have: those that depend, directly or through other containers, on elements of the container
 * itself. A depth-first search with its own stack, since a file may chain as many containers as it likes.
 *
 *     T: total_size "N * U[0]", U: strides ["T[1]"]    ->    both would have to be allocated first */
#include "ir/validate/validate.h"

#include <string.h>

struct sized {
    const struct container *container;
    VEC(const struct container *) needs; /* whose elements its sizes name */
    uint32_t next;
};

struct size_search {
    struct sdfg_scan *s;
    struct map open, done; /* container -> non-NULL */
    VEC(struct sized) path;
};

static const struct container *find(const struct sdfg *s, const char *name)
{
    if (map_has(&s->symbol_by_name, name))
        return NULL; /* one argument with the symbol: check_symbol_name */
    return strchr(name, '.') ? sdfg_find_container(s, name) : map_get(&s->container_by_name, name);
}

static void note_need(void *user, const struct sym *name)
{
    struct size_search *search = user;
    const struct container *c = find(search->s->sdfg, name->name);
    if (c)
        vec_push(search->s->v->scratch, &vec_last(&search->path).needs, c);
}

static void visit(struct size_search *search, const struct sym *size)
{
    if (size)
        sym_visit_names(size, note_need, search);
}

static void open_container(struct size_search *search, const struct container *c)
{
    struct arena *a = search->s->v->scratch;
    map_put(a, &search->open, c, search);
    vec_push(a, &search->path, ((struct sized){ .container = c }));
    for (uint32_t i = 0; i < c->rank; i++) {
        visit(search, c->shape ? c->shape[i] : NULL);
        visit(search, c->strides ? c->strides[i] : NULL);
        visit(search, c->offset ? c->offset[i] : NULL);
    }
    visit(search, c->total_size);
    visit(search, c->start_offset);
    visit(search, c->buffer_size);
}

static void follow(struct size_search *search)
{
    struct validator *v = search->s->v;
    while (search->path.count) {
        struct sized *top = &vec_last(&search->path);
        if (top->next == top->needs.count) {
            map_put(v->scratch, &search->done, top->container, search);
            search->path.count--;
            continue;
        }
        const struct container *c = top->needs.items[top->next++];
        if (map_has(&search->done, c))
            continue;
        if (!map_has(&search->open, c)) {
            open_container(search, c);
            continue;
        }
        top->next = top->needs.count; /* it is reported once */
        if (!validate_full(v))
            diag_error(v->ir->diags, &top->container->place, DIAG_RULE_SIZE_OWN_ELEMENTS, top->container->name,
                       c->name);
    }
}

static void check(struct size_search *search, const struct container *c)
{
    if (!map_has(&search->done, c)) {
        open_container(search, c);
        follow(search);
    }
    for (uint32_t i = 0; i < c->members.count; i++)
        check(search, c->members.items[i]);
}

void validate_sizes(struct sdfg_scan *s)
{
    struct size_search search = { .s = s };
    for (uint32_t i = 0; i < s->sdfg->containers.count; i++)
        check(&search, s->sdfg->containers.items[i]);
}
