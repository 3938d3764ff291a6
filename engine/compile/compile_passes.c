#include "engine/compile/compile_passes.h"

#include "base/near.h"

#include <stdlib.h>
#include <string.h>

/* ---- facts ---- */

static const struct {
    enum fact fact;
    const char *name;
} facts[] = {
    { FACT_GRAPH, "graph" },     { FACT_VALID, "valid" }, { FACT_TYPES, "types" },
    { FACT_TARGET, "target" },   { FACT_TREE, "tree" },   { FACT_NONTEMPORAL, "nontemporal" },
    { FACT_THREADS, "threads" }, { FACT_JIT, "jit" },     { FACT_MODULES, "modules" },
    { FACT_OBJECTS, "objects" }, { FACT_CODE, "code" },   { FACT_STATEMENTS, "statements" },
};

enum { NUM_FACTS = sizeof facts / sizeof *facts };

const char *facts_text(struct arena *a, unsigned set, const struct fact_names *names)
{
    struct text t = text_new(a);
    for (size_t i = 0; i < NUM_FACTS; i++)
        if (set & facts[i].fact)
            text_printf(&t, "%s%s", t.length ? ", " : "", facts[i].name);
    for (uint32_t i = 0; i < names->count; i++)
        if (set & (unsigned)FACT_OWN << i)
            text_printf(&t, "%s%s", t.length ? ", " : "", names->own[i]);
    return text_get(&t);
}

unsigned fact_find(const struct fact_names *names, const char *name)
{
    for (size_t i = 0; i < NUM_FACTS; i++)
        if (!strcmp(facts[i].name, name))
            return facts[i].fact;
    for (uint32_t i = 0; i < names->count; i++)
        if (!strcmp(names->own[i], name))
            return (unsigned)FACT_OWN << i;
    return 0;
}

/* A name that is new becomes a fact of plug-ins; 0: there is no room for it. */
static unsigned fact_of(struct fact_names *names, const char *name)
{
    unsigned known = fact_find(names, name);
    if (known || names->count == OWN_FACTS)
        return known;
    names->own[names->count] = name;
    return (unsigned)FACT_OWN << names->count++;
}

/* ---- passes of plug-ins in their places ---- */

struct table {
    struct arena *arena;
    struct pass *rows;          /* ends with one without function */
    const struct pass *library; /* without those of plug-ins; set if there are any */
    uint32_t count;
    struct diags *diags;
    struct fact_names *names;
};

static bool refuse(struct table *t, const struct codegen_pass *p, const char *why, const char *what)
{
    struct text text = text_new(t->arena);
    text_printf(&text, why, what);
    return diag_error(t->diags, NULL, DIAG_PLUGIN_REGISTER, p->plugin, "the pass", p->pass->name, text_get(&text));
}

static bool take_facts(struct table *t, const struct codegen_pass *p, const char *const *list, unsigned *set)
{
    for (size_t i = 0; list && list[i]; i++) {
        unsigned fact = fact_of(t->names, list[i]);
        if (!fact)
            return refuse(t, p, "plug-ins have too many facts; '%s' is one more", list[i]);
        *set |= fact;
    }
    return true;
}

static const struct pass *find(const struct pass *rows, const char *name, size_t length)
{
    for (const struct pass *p = rows; p->run; p++)
        if (!strncmp(p->name, name, length) && !p->name[length])
            return p;
    return NULL;
}

static uint32_t index_of(const struct table *t, const char *name)
{
    return (uint32_t)(find(t->rows, name, strlen(name)) - t->rows);
}

/* Passes over the graph stand where it is valid and its types are not inferred yet; passes over the tree where it is
 * complete and nothing has been made of it. */
static bool check_place(struct table *t, const struct codegen_pass *p, uint32_t at, const struct pass *other)
{
    bool graph = p->pass->kind == SDFG_PASS_GRAPH;
    uint32_t first = index_of(t, graph ? "validate" : "lower") + 1, last = index_of(t, graph ? "infer-types" : "tier");
    if (at < first || at > last)
        return refuse(t, p,
                      graph ? "passes over graphs stand between 'validate' and 'infer-types', not at '%s'"
                            : "passes over trees stand between 'lower' and 'tier', not at '%s'",
                      other->name);
    if (p->pass->where == SDFG_PASS_INSTEAD && (other->makes & ~(unsigned)FACT_NONTEMPORAL || at == last))
        return refuse(t, p, "'%s' makes what others need: nothing can take its place", other->name);
    return true;
}

/* The pass beside which it stands. */
static const char *neighbour(const sdfg_pass *p)
{
    return p->other ? p->other : p->kind == SDFG_PASS_GRAPH ? "validate" : "lower";
}

/* Behind the other one, and behind those that were put there before. */
static uint32_t behind(const struct table *t, uint32_t at, const char *other)
{
    for (at++; t->rows[at].plugin; at++) {
        const sdfg_pass *p = t->rows[at].plugin->pass;
        if (p->where != SDFG_PASS_AFTER || strcmp(neighbour(p), other) != 0)
            break;
    }
    return at;
}

/* The work of the library's pass of that name, which there is. `next`: the row to look at first, and then the one
 * behind the one that was found: passes of the library come in the order of these rows. */
static const struct pass_work *work_of(const struct pass_work *all, const char *name, uint32_t *next)
{
    const struct pass_work *w = &all[*next];
    if (!w->name || strcmp(w->name, name) != 0)
        for (w = all; strcmp(w->name, name) != 0;)
            w++;
    *next = (uint32_t)(w - all) + 1;
    return w;
}

/* A row for a pass, without what the library's does; false: an error. */
static bool make_row(struct table *t, const struct codegen_pass *p, struct pass *out)
{
    static const unsigned devices[] = { 0, TREE_PASS_CPU, TREE_PASS_GPU };
    const sdfg_pass *own = p->pass;
    bool graph = own->kind == SDFG_PASS_GRAPH;
    *out = (struct pass){
        .name = own->name,
        .phase = graph ? PHASE_ANALYSIS : PHASE_LOWER,
        .run = graph ? pass_plugin_graph : pass_plugin_tree,
        .needs = graph ? FACT_VALID : FACT_TREE,
        .devices = devices[own->code],
        .text = own->text,
        .plugin = p->plugin ? p : NULL,
    };
    return take_facts(t, p, own->needs, &out->needs) && take_facts(t, p, own->makes, &out->makes) &&
           take_facts(t, p, own->breaks, &out->breaks);
}

static void take_work(struct pass *row, const struct pass_work *w)
{
    row->run = w->run;
    row->graph = w->graph;
    row->tree = w->tree;
    row->condition = w->condition;
}

/* The passes of the library, each kind in front of the row that all of them name. */
static void take_library(struct table *t, const struct codegen_added *added, uint32_t count)
{
    uint32_t done = 0;
    for (const struct pass *p = pipeline; p->run; p++) {
        for (uint32_t next = 0; done < count && !strcmp(added->passes[done].pass->other, p->name); done++) {
            const sdfg_pass *own = added->passes[done].pass;
            struct pass *row = &t->rows[t->count++];
            make_row(t, &added->passes[done], row);
            take_work(row, work_of(own->kind == SDFG_PASS_GRAPH ? graph_works : tree_works, own->library, &next));
        }
        t->rows[t->count++] = *p;
    }
}

/* A pass of a plug-in that is one of the library once more has its facts, too. */
static void take_again(const struct table *t, const sdfg_pass *own, struct pass *row)
{
    const struct pass *of = find(t->library, own->library, strlen(own->library));
    row->run = of->run;
    row->graph = of->graph;
    row->tree = of->tree;
    row->condition = of->condition;
    row->devices = row->devices ? row->devices : of->devices;
    row->needs |= of->needs;
    row->makes |= of->makes;
    row->breaks |= of->breaks;
}

static bool add_pass(struct table *t, const struct codegen_pass *p)
{
    const sdfg_pass *own = p->pass;
    const char *name = neighbour(own);
    const struct pass *other = find(t->rows, name, strlen(name));
    struct pass row;
    if (!other)
        return refuse(t, p, "there is no pass '%s'", name);
    if (find(t->rows, own->name, strlen(own->name)))
        return refuse(t, p, "there is a pass '%s'", own->name);
    uint32_t at = (uint32_t)(other - t->rows);
    if (own->where == SDFG_PASS_AFTER)
        at = behind(t, at, name);
    if (!check_place(t, p, at, other) || !make_row(t, p, &row))
        return false;
    if (own->library)
        take_again(t, own, &row);
    if (own->where == SDFG_PASS_INSTEAD) {
        row.makes |= other->makes;
    } else {
        memmove(t->rows + at + 1, t->rows + at, (t->count - at + 1) * sizeof *t->rows);
        t->count++;
    }
    t->rows[at] = row;
    return true;
}

/* ---- groups ---- */

static const char *group_of(const struct pass *p) { return p->plugin ? p->plugin->pass->group : NULL; }

bool pass_group(const struct pass *rows, const struct pass *p, struct pass_group *out)
{
    const char *name = group_of(p);
    *out = (struct pass_group){ 0 };
    if (!name)
        return false;
    for (const struct pass *r = rows; r->run; r++) {
        if (!group_of(r) || strcmp(group_of(r), name) != 0)
            continue;
        out->first = out->first ? out->first : r;
        out->last = r;
        out->rounds = r->plugin->pass->rounds > out->rounds ? r->plugin->pass->rounds : out->rounds;
    }
    return true;
}

/* Passes run again must be able to: those that make what others need are once in a program. */
static bool check_group(struct table *t, const struct pass *p)
{
    struct pass_group g;
    if (!pass_group(t->rows, p, &g) || p != g.first)
        return true;
    for (const struct pass *r = g.first; r <= g.last; r++) {
        if (group_of(r) && strcmp(group_of(r), group_of(p)) != 0)
            return refuse(t, p->plugin, "its group has pass '%s' of another group inside", r->name);
        if (!r->plugin && r->makes)
            return refuse(t, p->plugin, "its group has '%s' inside, which cannot run again", r->name);
    }
    return true;
}

const struct pass *passes_with(struct arena *a, struct diags *d, const struct codegen_added *added,
                               struct fact_names *names)
{
    struct table t = { .arena = a, .diags = d, .names = names };
    uint32_t rows = 1, own = 0;
    names->count = 0;
    for (const struct pass *p = pipeline; p->run; p++)
        rows++;
    while (own < added->num_passes && !added->passes[own].plugin)
        own++;
    t.rows = NEW_ARRAY(a, struct pass, rows + added->num_passes);
    take_library(&t, added, own);
    if (own < added->num_passes) {
        struct pass *library = NEW_ARRAY(a, struct pass, t.count + 1);
        memcpy(library, t.rows, t.count * sizeof *library);
        t.library = library;
    }
    for (uint32_t i = own; i < added->num_passes; i++)
        add_pass(&t, &added->passes[i]);
    for (const struct pass *p = t.rows; p->run; p++)
        check_group(&t, p);
    return t.rows;
}

/* ---- what a request says ---- */

static bool unknown_pass(struct compile *c, const char *name)
{
    struct near n = near_begin(name);
    for (const struct pass *p = c->passes; p->run; p++)
        near_try(&n, p->name);
    return diag_error(c->ir->diags, NULL, DIAG_PASS_UNKNOWN, name,
                      *n.best ? arena_printf(c->ir->arena, " (did you mean '%s'?)", n.best) : "");
}

/* Programs run without it. */
static bool is_optional(const struct pass *p) { return p->tree || p->plugin; }

/* It changes the graph and nothing else, so that it can be wanted for itself. */
static bool is_of_graph(const struct pass *p) { return p->graph || p->run == pass_expand; }

static const struct {
    const char *name;
    int32_t least, most;
} settings[NUM_SETTINGS] = {
#define SETTING(name, least, most, text) { #name, least, most },
#include "lower/opt/settings.def"
};

/* "NAME=NUMBER", of which `length` characters are the name */
static bool take_setting(struct compile *c, const char *word, size_t length)
{
    struct arena *a = c->ir->arena;
    const char *name = arena_strndup(a, word, length), *value = word + length + 1;
    struct near n = near_begin(name);
    for (int i = 0; i < NUM_SETTINGS; i++) {
        near_try(&n, settings[i].name);
        if (strcmp(settings[i].name, name) != 0)
            continue;
        char *end;
        long number = strtol(value, &end, 10);
        if (end == value || *end || number < settings[i].least || number > settings[i].most)
            return diag_error(c->ir->diags, NULL, DIAG_PASS_SETTING, word, settings[i].least, settings[i].most);
        c->settings[i] = (int32_t)number;
        return true;
    }
    return diag_error(c->ir->diags, NULL, DIAG_PASS_NO_SETTING, name,
                      *n.best ? arena_printf(a, " (did you mean '%s'?)", n.best) : "");
}

/* "NAME", "-NAME" or "NAME=NUMBER" */
static bool take_pass(struct compile *c, const char *list, const char *word, enum pass_choice *choices, bool *named)
{
    bool skips = *word == '-';
    size_t length = strcspn(word, "=");
    if (length && word[length])
        return take_setting(c, word, length);
    const char *name = word + skips;
    if (!*name)
        return diag_error(c->ir->diags, NULL, DIAG_PASS_LIST, list, word);
    const struct pass *p = find(c->passes, name, strlen(name));
    if (!p)
        return unknown_pass(c, name);
    if (!is_optional(p) && (skips || !is_of_graph(p)))
        return diag_error(c->ir->diags, NULL, DIAG_PASS_NEEDED, p->name);
    choices[p - c->passes] = skips ? PASS_SKIPPED : PASS_FORCED;
    *named |= !skips;
    return true;
}

static bool take_passes(struct compile *c, const char *list)
{
    size_t rows = 1;
    bool named = false;
    for (const struct pass *p = c->passes; p->run; p++)
        rows++;
    enum pass_choice *choices = NEW_ARRAY(c->ir->arena, enum pass_choice, rows);
    for (const char *at = list;;) {
        size_t length = strcspn(at, ",");
        if (!take_pass(c, list, arena_strndup(c->ir->arena, at, length), choices, &named))
            return false;
        at += length;
        if (!*at++)
            break;
    }
    for (size_t i = 0; named && i + 1 < rows; i++) /* those that are named, and no others */
        if (choices[i] == PASS_AS_USUAL && is_optional(&c->passes[i]))
            choices[i] = PASS_SKIPPED;
    c->choices = choices;
    return true;
}

static bool check_dump_after(struct compile *c)
{
    const char *name = c->request->dump_after;
    return !name || !strcmp(name, "all") || find(c->passes, name, strlen(name)) || unknown_pass(c, name);
}

bool passes_choose(struct compile *c)
{
    c->fact_names = NEW(c->ir->arena, struct fact_names);
    c->passes = passes_with(c->ir->arena, c->ir->diags, c->request->added, c->fact_names);
    return !diags_errors(c->ir->diags) && check_dump_after(c) &&
           (!c->request->passes || take_passes(c, c->request->passes));
}
