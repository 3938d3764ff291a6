/* Registration of targets and environments: everything is checked and copied before a program is loaded. */
#include "engine/registering.h"

#include "base/sized.h"

#include <string.h>

/* ---- environments ---- */

static bool find_environment(const struct targets_table *t, const char *name, uint32_t *index)
{
    for (*index = 0; *index < t->environments.count; ++*index)
        if (!strcmp(t->environments.items[*index]->own.name, name))
            return true;
    return false;
}

/* Names as numbers; NULL after a mistake. */
static uint32_t *numbers_of(struct sdfg_plugin *p, const char *what, const char *name, const char *const *list)
{
    struct arena *a = p->engine->arena;
    uint32_t *numbers = NEW_ARRAY(a, uint32_t, registering_length(list) + 1);
    for (size_t i = 0; list && list[i]; i++)
        if (!find_environment(&p->engine->registry.targets, list[i], &numbers[i]))
            return registering_refuse(p, what, name, arena_printf(a, "there is no environment '%s'", list[i])), NULL;
    return numbers;
}

static bool add_environment(struct sdfg_plugin *p, const sdfg_environment *given)
{
    const char *const what = "the environment";
    struct arena *a = p->engine->arena;
    struct targets_table *t = &p->engine->registry.targets;
    uint32_t other, *needs;
    if (!given->name || !*given->name)
        return registering_refuse(p, what, "", "it has no name");
    if (find_environment(t, given->name, &other))
        return registering_refuse(
            p, what, given->name,
            arena_printf(a, "plug-in '%s' has registered it", t->environments.items[other]->plugin));
    if (given->symbols && !registering_length(given->libraries))
        return registering_refuse(p, what, given->name, "symbols are of a library, and there is none");
    if (!(needs = numbers_of(p, what, given->name, given->needs)))
        return false;
    struct environment *v = NEW(a, struct environment);
    *v = (struct environment){
        .own = *given,
        .plugin = p->name,
        .needs = needs,
        .num_needs = (uint32_t)registering_length(given->needs),
        .symbols = NEW_ARRAY(a, void *, registering_length(given->symbols) + 1),
        .state = NEW_ARRAY(a, max_align_t, given->state_bytes / sizeof(max_align_t) + 1),
    };
    v->own.name = arena_strdup(a, given->name);
    v->own.needs = registering_list(p, given->needs);
    v->own.libraries = registering_list(p, given->libraries);
    v->own.symbols = registering_list(p, given->symbols);
    vec_push(a, &t->environments, v);
    vec_push(a, &t->begun, 0); /* room for it */
    t->begun.count--;
    return true;
}

bool registering_environment(struct sdfg_plugin *p, const sdfg_environment *given)
{
    sdfg_environment v = { .struct_size = sizeof v };
    const char *wrong = given ? sized_take(&v, sizeof v, given) : "is NULL";
    return wrong ? registering_refuse(p, "the environment", "",
                                      arena_printf(p->engine->arena, "struct sdfg_environment %s", wrong))
                 : add_environment(p, &v);
}

/* ---- claims ---- */

static int rank_of(const sdfg_claim *c) { return (c->schedules ? 4 : 0) + (c->names != NULL) + (c->to != NULL); }

/* A name that is in both lists, no list being every name; NULL: none. */
static const char *common(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a ? a[0] : b ? b[0] : "of every name";
    for (size_t i = 0; a[i]; i++)
        for (size_t k = 0; b[k]; k++)
            if (!strcmp(a[i], b[k]))
                return a[i];
    return NULL;
}

/* Do two claims hold for one element, with nothing that decides between them? What it is. */
static const char *meet(const sdfg_claim *a, const sdfg_claim *b)
{
    if (a->kind != b->kind || a->holds || b->holds || a->rule || b->rule || rank_of(a) != rank_of(b))
        return NULL;
    if (a->kind == SDFG_CLAIM_COPY && (!common(a->to, b->to) || !common(a->schedules, b->schedules)))
        return NULL;
    return common(a->names, b->names);
}

/* A plug-in may claim again whatever the library's targets have claimed. */
static bool is_free(struct sdfg_plugin *p, const sdfg_target *t, const sdfg_claim *c)
{
    static const char *const kinds[] = { "schedule", "storage", "copies from storage", "node" };
    const struct targets_table *all = &p->engine->registry.targets;
    for (uint32_t i = 0; i < all->items.count; i++)
        for (size_t k = 0; all->items.items[i]->plugin && k < all->items.items[i]->own.num_claims; k++) {
            const struct engine_target *other = all->items.items[i];
            const char *name = meet(c, &other->own.claims[k]);
            if (name)
                return registering_refuse(p, "the target", t->name,
                                          arena_printf(p->engine->arena,
                                                       "target '%s' of plug-in '%s' claims the %s '%s', too",
                                                       other->own.name, other->plugin, kinds[c->kind], name));
        }
    return true;
}

static bool are_members(struct sdfg_plugin *p, const sdfg_target *t, enum enum_kind kind, const char *const *names)
{
    for (size_t i = 0; names && names[i]; i++)
        if (!registering_is_member(&p->engine->registry, kind, names[i]))
            return registering_refuse(
                p, "the target", t->name,
                arena_printf(p->engine->arena, "%s has no member '%s'", enum_kind_name(kind), names[i]));
    return true;
}

/* Predicates that the code generator has, each for one kind of claim (lower/graph/gpu.c). */
static bool is_rule(const sdfg_claim *c)
{
    const char *name = c->kind == SDFG_CLAIM_STORAGE ? "per-thread" : c->kind == SDFG_CLAIM_NODE ? "for-threads" : "";
    return !c->holds && !strcmp(c->rule, name);
}

static bool check_claim(struct sdfg_plugin *p, const sdfg_target *t, const sdfg_claim *c)
{
    if ((unsigned)c->kind > SDFG_CLAIM_NODE)
        return registering_refuse(p, "the target", t->name, "the kind of a claim is one of enum sdfg_claim_kind");
    if (c->rule && !is_rule(c))
        return registering_refuse(p, "the target", t->name,
                                  arena_printf(p->engine->arena, "the library has no rule '%s' for it", c->rule));
    bool names = c->kind == SDFG_CLAIM_NODE ||
                 are_members(p, t, c->kind == SDFG_CLAIM_SCHEDULE ? ENUM_SCHEDULE : ENUM_STORAGE, c->names);
    return names && are_members(p, t, ENUM_STORAGE, c->to) && are_members(p, t, ENUM_SCHEDULE, c->schedules) &&
           is_free(p, t, c);
}

/* Those of the library stay where they are. */
static const sdfg_claim *copy_claims(struct sdfg_plugin *p, const sdfg_target *t)
{
    struct arena *a = p->engine->arena;
    if (!p->name)
        return t->claims;
    sdfg_claim *own = NEW_ARRAY(a, sdfg_claim, t->num_claims + 1);
    for (size_t i = 0; i < t->num_claims; i++) {
        own[i] = t->claims[i];
        own[i].names = registering_list(p, t->claims[i].names);
        own[i].to = registering_list(p, t->claims[i].to);
        own[i].schedules = registering_list(p, t->claims[i].schedules);
        own[i].rule = t->claims[i].rule ? arena_strdup(a, t->claims[i].rule) : NULL;
        own[i].refused = t->claims[i].refused ? arena_strdup(a, t->claims[i].refused) : NULL;
    }
    return own;
}

/* ---- targets ---- */

static bool is_target(struct sdfg_plugin *p, const char *name)
{
    struct registry *r = &p->engine->registry;
    uint32_t mark = registering_mark(name);
    while (r->target_marks.count < r->targets.items.count) {
        uint32_t next = registering_mark(r->targets.items.items[r->target_marks.count]->own.name);
        vec_push(p->engine->arena, &r->target_marks, next);
    }
    for (uint32_t i = 0; i < r->targets.items.count; i++)
        if (r->target_marks.items[i] == mark && !strcmp(r->targets.items.items[i]->own.name, name))
            return true;
    return false;
}

static const sdfg_target_entry *copy_functions(struct sdfg_plugin *p, const sdfg_target *t)
{
    struct arena *a = p->engine->arena;
    sdfg_target_entry *own = NEW_ARRAY(a, sdfg_target_entry, t->num_functions + 1);
    for (size_t i = 0; i < t->num_functions; i++) {
        if (!t->functions[i].name || !t->functions[i].function)
            return registering_refuse(p, "the target", t->name, "functions have a name and an address"), NULL;
        own[i] = (sdfg_target_entry){ arena_strdup(a, t->functions[i].name), t->functions[i].function };
    }
    return own;
}

/* A target that the code of one of the library's serves. */
static bool check_library(struct sdfg_plugin *p, const sdfg_target *t)
{
    const struct targets_table *all = &p->engine->registry.targets;
    bool found = !p->name;
    if (t->begin || t->end || t->enter || t->leave || t->allocate || t->release || t->copy || t->node || t->compile ||
        t->num_functions)
        return registering_refuse(p, "the target", t->name, "it has functions, and the library's");
    for (uint32_t i = 0; i < all->items.count; i++)
        found |= !all->items.items[i]->plugin && !strcmp(all->items.items[i]->own.name, t->library);
    return found || registering_refuse(p, "the target", t->name,
                                       arena_printf(p->engine->arena, "the library has no target '%s'", t->library));
}

static bool add_target(struct sdfg_plugin *p, const sdfg_target *t)
{
    const char *const what = "the target";
    struct arena *a = p->engine->arena;
    struct registry *r = &p->engine->registry;
    const char *base = !t->extends && p->name ? "cpu" : t->extends;
    if (!t->name || !*t->name)
        return registering_refuse(p, what, "", "it has no name");
    if (p->name && is_target(p, t->name)) /* the library's are right (tests/lint/builtin.py) */
        return registering_refuse(p, what, t->name, "there is a target of this name");
    if (p->name && base && !is_target(p, base))
        return registering_refuse(p, what, t->name, arena_printf(a, "it extends '%s', which is no target", base));
    if ((t->num_claims && !t->claims) || (t->num_functions && !t->functions))
        return registering_refuse(p, what, t->name, "there are no claims or functions");
    if (t->library && !check_library(p, t))
        return false;
    for (size_t i = 0; p->name && i < t->num_claims; i++)
        if (!check_claim(p, t, &t->claims[i]))
            return false;
    struct engine_target *own = NEW(a, struct engine_target);
    *own = (struct engine_target){ .own = *t, .plugin = p->name };
    own->num_environments = (uint32_t)registering_length(t->environments);
    if (t->probe || own->num_environments)
        own->why = NEW(a, struct reason);
    own->environments = numbers_of(p, what, t->name, t->environments);
    own->own.functions = copy_functions(p, t);
    if (!own->environments || !own->own.functions)
        return false;
    own->states = NEW_ARRAY(a, void *, own->num_environments + 1);
    own->own.name = registering_text(p, t->name);
    own->own.text = registering_text(p, t->text ? t->text : "");
    own->own.extends = base ? registering_text(p, base) : NULL;
    own->own.library = t->library ? registering_text(p, t->library) : NULL;
    own->own.environments = registering_list(p, t->environments);
    own->own.claims = copy_claims(p, t);
    vec_push(a, &r->targets.items, own);
    vec_push(a, &r->codegen_targets, ((struct codegen_target){ &own->own, p->name }));
    if (p->name)
        p->engine->nodes.runtime.call_target = target_call;
    return true;
}

bool registering_target(struct sdfg_plugin *p, const sdfg_target *given)
{
    sdfg_target t = { .struct_size = sizeof t };
    const char *wrong = given ? sized_take(&t, sizeof t, given) : "is NULL";
    return wrong
               ? registering_refuse(p, "the target", "", arena_printf(p->engine->arena, "struct sdfg_target %s", wrong))
               : add_target(p, &t);
}
