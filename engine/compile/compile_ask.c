/* What passes of plug-ins may ask: analyses of the library, and what other passes told. */
#include "engine/compile/compile_passes.h"
#include "ir/json/json.h"
#include "lower/opt/iterations.h"
#include "lower/tree/tree_memory.h"
#include "lower/tree/tree_work.h"

#include <string.h>

/* ---- what passes told ---- */

struct told {
    struct told *next;
    unsigned fact;
    const char *text;
    size_t size;
};

/* The place of what is told of a fact; an empty one if nothing is. */
static struct told **find_told(struct compile *c, unsigned fact)
{
    struct told **at = &c->told;
    while (*at && (*at)->fact != fact)
        at = &(*at)->next;
    return at;
}

bool compile_tell(struct compile *c, const char *fact, const char *text, size_t size)
{
    const char *const *made = c->pass->plugin->pass->makes;
    while (fact && made && *made && strcmp(*made, fact) != 0)
        made++;
    if (!fact || !text || !made || !*made)
        return false;
    unsigned bit = fact_find(c->fact_names, fact);
    struct told **at = find_told(c, bit), *next = *at ? (*at)->next : NULL;
    *at = NEW(c->ir->arena, struct told);
    **at = (struct told){ next, bit, arena_strndup(c->ir->arena, text, size), size };
    return true;
}

void compile_forget(struct compile *c, unsigned broken)
{
    for (struct told **at = &c->told; *at;) {
        if ((*at)->fact & broken)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
}

/* ---- analyses ---- */

typedef void analysis(struct compile *c, struct text *out);

static void write_names(struct json_writer *w, const char *key, const struct map *names, const struct sdfg *s)
{
    json_begin(w, key, '[');
    for (uint32_t i = 0; i < s->containers.count; i++)
        if (map_has(names, s->containers.items[i]))
            json_write_string(w, NULL, s->containers.items[i]->name);
    json_end(w, ']');
}

/* The container that an access node or a member of it is part of. */
static struct container *outermost(struct container *c)
{
    while (c && c->parent)
        c = c->parent;
    return c;
}

static bool has_data(const struct edge *const *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!memlet_is_empty(&edges[i]->memlet))
            return true;
    return false;
}

struct accesses {
    struct json_writer *writer;
    struct arena *arena;
};

static void state_accesses(void *user, struct block *b)
{
    const struct accesses *x = user;
    const struct state *st = as_state(b);
    struct map reads = { 0 }, writes = { 0 };
    struct text path = text_new(x->arena);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        const struct access *a = as_access(st->nodes.items[i]);
        struct container *c = a ? outermost(a->data) : NULL;
        if (c && has_data((const struct edge *const *)a->node.out.items, a->node.out.count))
            map_put(x->arena, &reads, c, c);
        if (c && has_data((const struct edge *const *)a->node.in.items, a->node.in.count))
            map_put(x->arena, &writes, c, c);
    }
    if (!st)
        return;
    place_print(&b->place, &path);
    json_begin(x->writer, NULL, '{');
    json_write_string(x->writer, "path", text_get(&path));
    write_names(x->writer, "reads", &reads, st->sdfg);
    write_names(x->writer, "writes", &writes, st->sdfg);
    json_end(x->writer, '}');
}

static void sdfg_accesses(void *user, struct sdfg *s) { region_each_block(&s->region, state_accesses, user); }

static void give_accesses(struct compile *c, struct text *out)
{
    struct json_writer w = { .out = out };
    struct accesses x = { &w, c->ir->arena };
    json_begin(&w, NULL, '{');
    json_begin(&w, "states", '[');
    sdfg_each(c->sdfg, sdfg_accesses, &x);
    json_end(&w, ']');
    json_end(&w, '}');
}

static void give_memory(struct compile *c, struct text *out) { tree_memory(c->tree, out); }

static void give_work(struct compile *c, struct text *out) { tree_work(c->tree, machine_last_cache(&c->machine), out); }

struct loops {
    struct json_writer *writer;
    struct arena *arena;
    struct iterations *iterations;
};

static bool write_loop(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct loops *x = user;
    if (s->kind == STMT_PARALLEL) /* loops of a thread are parts of others */
        return false;
    if (s->kind != STMT_FOR)
        return true;
    struct text path = text_new(x->arena);
    place_print(s->place, &path);
    const char *why = iterations_depend(x->iterations, s, frame);
    json_begin(x->writer, NULL, '{');
    json_write_string(x->writer, "path", text_get(&path));
    json_write_string(x->writer, "variable", s->var->name);
    json_write_bool(x->writer, "parallel", s->loop.parallel);
    json_write_bool(x->writer, "independent", s->loop.independent || !why);
    json_write_string(x->writer, "why", s->loop.independent ? NULL : why);
    json_end(x->writer, '}');
    return true;
}

static void give_loops(struct compile *c, struct text *out)
{
    struct json_writer w = { .out = out };
    struct remarks *asked = c->ir->remarks;
    c->ir->remarks = asked ? asked : remarks_new(c->ir->arena); /* reasons have words only if somebody reads them */
    json_begin(&w, NULL, '{');
    json_begin(&w, "loops", '[');
    for (uint32_t i = 0; i < c->tree->functions.count; i++) {
        struct iterations its = iterations_of(c->tree, c->tree->functions.items[i]);
        struct loops x = { &w, c->ir->arena, &its };
        tree_visit_frames(c->tree->functions.items[i]->body, NULL, write_loop, &x);
    }
    c->ir->remarks = asked;
    json_end(&w, ']');
    json_end(&w, '}');
}

static const struct {
    const char *name;
    enum sdfg_pass_kind kind; /* of the passes that may ask */
    analysis *give;
} analyses[] = {
    { "accesses", SDFG_PASS_GRAPH, give_accesses },
    { "loops", SDFG_PASS_TREE, give_loops },
    { "memory", SDFG_PASS_TREE, give_memory },
    { "work", SDFG_PASS_TREE, give_work },
};

static const char *reason(struct arena *a, const char *what)
{
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++)
        if (!strcmp(analyses[i].name, what))
            return arena_printf(a, "'%s' is an analysis of %s", what,
                                analyses[i].kind == SDFG_PASS_GRAPH ? "graphs" : "trees");
    return arena_printf(a, "there is no analysis '%s', and no pass has told of a fact of that name that holds", what);
}

/* `give` is the last thing that happens: it belongs to the plug-in, whose frames are never abandoned. */
bool compile_ask(struct compile *c, const char *what, sdfg_give *give, void *to)
{
    struct text t = text_new(c->ir->arena);
    const char *name = what ? what : "";
    unsigned fact = fact_find(c->fact_names, name);
    const struct told *told = fact & c->facts ? *find_told(c, fact) : NULL;
    bool found = told != NULL;
    if (told)
        text_addn(&t, told->text, told->size);
    for (size_t i = 0; !found && i < sizeof analyses / sizeof *analyses; i++) {
        found = !strcmp(analyses[i].name, name) && analyses[i].kind == c->pass->plugin->pass->kind;
        if (found)
            analyses[i].give(c, &t);
    }
    t.length -= t.length && t.data[t.length - 1] == '\n';
    if (!found)
        text_add(&t, reason(c->ir->arena, name));
    give(to, text_get(&t), t.length);
    return found;
}
