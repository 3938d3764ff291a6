#include "engine/registry.h"

#include "base/sized.h"
#include "engine/builtin/builtin.h"
#include "engine/plugin.h"
#include "engine/registering.h"

#include <string.h>

void registry_begin(struct sdfg_engine *e)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&e->registry.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_mutex_init(&e->registry.targets.lock, NULL);
    pthread_mutex_init(&e->registry.providers.lock, NULL);
    e->nodes.runtime.measure_begin = provider_begin;
    e->nodes.runtime.measure_end = provider_end;
    e->nodes.runtime.observe = provider_observe;
}

void registry_complete(struct sdfg_engine *e)
{
    pthread_mutex_lock(&e->registry.lock);
    e->registry.complete = true;
    pthread_mutex_unlock(&e->registry.lock);
}

void registry_key(struct sdfg_engine *e, struct text *out)
{
    for (uint32_t i = 0; i < e->registry.plugins.count; i++) {
        const struct plugin *p = &e->registry.plugins.items[i];
        text_printf(out, "plugin %s %s %s\n", p->name, p->version, p->content);
    }
    for (uint32_t i = 0; i < e->registry.targets.items.count; i++) {
        const char *why; /* not usable: programs get an error when they are compiled, not when they run */
        if (!target_is_usable(e, i, &why))
            text_printf(out, "without %s\n", e->registry.targets.items.items[i]->own.name);
    }
    for (uint32_t i = 0; e->options.timing && i < e->registry.providers.items.count; i++) {
        const char *why;
        if (!provider_is_usable(e, i, &why))
            text_printf(out, "without %s\n", e->registry.providers.items.items[i]->own.name);
    }
}

/* ---- a plug-in while it registers itself ---- */

bool registering_memory(struct sdfg_plugin *p)
{
    p->memory = p->failed = true;
    return false;
}

size_t registering_length(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

const char *const *registering_list(struct sdfg_plugin *p, const char *const *list)
{
    if (!list || !p->name)
        return list;
    struct arena *a = p->engine->arena;
    size_t n = registering_length(list);
    const char **own = NEW_ARRAY(a, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        own[i] = arena_strdup(a, list[i]);
    return own;
}

const char *registering_text(struct sdfg_plugin *p, const char *text)
{
    return !p->name ? text : arena_strdup(p->engine->arena, text);
}

uint32_t registering_mark(const char *name)
{
    uint32_t mark = 2166136261u;
    for (; *name; name++)
        mark = (mark ^ (unsigned char)*name) * 16777619u;
    return mark;
}

bool registering_refuse(struct sdfg_plugin *p, const char *what, const char *name, const char *why)
{
    p->failed = true;
    return diag_error(p->diags, NULL, DIAG_PLUGIN_REGISTER, p->name, what, name, why);
}

static bool fail_guarded(struct sdfg_plugin *p, const char *why)
{
    ASKED(p);
    p->failed = true;
    return diag_error(p->diags, NULL, DIAG_PLUGIN_FAILED, p->name, why && *why ? why : "it did not say why");
}

static void api_fail(sdfg_plugin *p, const char *why) { fail_guarded(p, why); }

static bool at_free_guarded(struct sdfg_plugin *p, void (*function)(void *user), void *user)
{
    ASKED(p);
    if (function)
        vec_push(p->engine->arena, &p->engine->registry.ends, ((struct plugin_end){ function, user }));
    return true;
}

static void api_at_free(sdfg_plugin *p, void (*function)(void *user), void *user)
{
    at_free_guarded(p, function, user);
}

/* ---- library nodes ---- */

static bool class_is_free(struct sdfg_plugin *p, const char *class_path)
{
    const char *const what = "the library node";
    const struct registry *r = &p->engine->registry;
    const struct nodes *nodes = &p->engine->nodes;
    if (!class_path || !*class_path)
        return registering_refuse(p, what, "", "the class path is empty");
    if (!p->name) /* names of the library differ (tests/lint/builtin.py) */
        return true;
    for (uint32_t i = 0; i < r->expansions.count; i++)
        if (!strcmp(r->expansions.items[i].class_path, class_path))
            return registering_refuse(
                p, what, class_path,
                arena_printf(p->engine->arena, "plug-in '%s' has registered it", r->expansions.items[i].plugin));
    for (uint32_t i = 0; i < r->operations.count; i++)
        if (!strcmp(r->operations.items[i].class_path, class_path))
            return registering_refuse(
                p, what, class_path,
                r->operations.items[i].plugin
                    ? arena_printf(p->engine->arena, "plug-in '%s' has registered it", r->operations.items[i].plugin)
                    : "the library has it");
    for (uint32_t i = 0; i < nodes->items.count; i++)
        if (!strcmp(nodes->items.items[i].class_path, class_path))
            return registering_refuse(
                p, what, class_path,
                nodes->items.items[i].plugin
                    ? arena_printf(p->engine->arena, "plug-in '%s' has registered it", nodes->items.items[i].plugin)
                    : "the embedding program implements it");
    return true;
}

static bool api_implement(sdfg_plugin *p, const char *class_path, const char *text, sdfg_node_function *f, void *user)
{
    ASKED(p);
    if (!class_is_free(p, class_path))
        return false;
    if (!f)
        return registering_refuse(p, "the library node", class_path, "there is no function");
    nodes_add(p->engine, class_path, text, p->name, f, user);
    return true;
}

static bool api_expand(sdfg_plugin *p, const char *class_path, const char *text, sdfg_expand_function *f, void *user)
{
    ASKED(p);
    if (!class_is_free(p, class_path))
        return false;
    if (!f)
        return registering_refuse(p, "the library node", class_path, "there is no function");
    struct arena *a = p->engine->arena;
    struct codegen_expansion x = { arena_strdup(a, class_path), arena_strdup(a, text ? text : ""), p->name, f, user };
    vec_push(a, &p->engine->registry.expansions, x);
    return true;
}

static bool is_operation(const struct registry *r, const char *name)
{
    for (uint32_t i = 0; i < r->operations.count; i++)
        if (!r->operations.items[i].plugin && !strcmp(r->operations.items[i].library, name))
            return true;
    return false;
}

static bool api_operation(sdfg_plugin *p, const char *class_path, const char *text, const char *library)
{
    ASKED(p);
    struct registry *r = &p->engine->registry;
    if (!class_is_free(p, class_path))
        return false;
    if (p->name && (!library || !is_operation(r, library)))
        return registering_refuse(
            p, "the library node", class_path,
            arena_printf(p->engine->arena, "the library has no operation '%s'", library ? library : ""));
    struct codegen_operation own = { registering_text(p, class_path), registering_text(p, library),
                                     registering_text(p, text ? text : ""), p->name };
    vec_push(p->engine->arena, &r->operations, own);
    return true;
}

/* ---- members of enumerations ---- */

static const enum enum_kind kinds[] = {
    [SDFG_ENUM_SCHEDULE] = ENUM_SCHEDULE,
    [SDFG_ENUM_STORAGE] = ENUM_STORAGE,
    [SDFG_ENUM_LANGUAGE] = ENUM_LANGUAGE,
    [SDFG_ENUM_INSTRUMENT] = ENUM_INSTRUMENT,
    [SDFG_ENUM_DATA_INSTRUMENT] = ENUM_DATA_INSTRUMENT,
    [SDFG_ENUM_LIFETIME] = ENUM_LIFETIME,
    [SDFG_ENUM_OMP_SCHEDULE] = ENUM_OMP_SCHEDULE,
};

bool registering_is_identifier(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    return name && *name && strchr(first, *name) &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name);
}

bool registering_is_member(const struct registry *r, enum enum_kind kind, const char *name)
{
    for (uint32_t i = 0; i < r->members.count; i++)
        if (r->members.items[i].kind == kind && !strcmp(r->members.items[i].name, name))
            return true;
    return enum_is_builtin(kind, name);
}

/* Attributes as rows; NULL after a mistake. */
static const struct enum_field *fields_of(struct sdfg_plugin *p, const char *what, const sdfg_member *m)
{
    struct arena *a = p->engine->arena;
    struct enum_field *fields = NEW_ARRAY(a, struct enum_field, m->num_attributes + 1);
    for (size_t i = 0; i < m->num_attributes; i++) {
        const sdfg_attribute *from = &m->attributes[i];
        bool twice = false;
        if (!registering_is_identifier(from->name) || !strcmp(from->name, "type"))
            return registering_refuse(p, what, m->name, "names of attributes are identifiers other than 'type'"), NULL;
        if ((unsigned)from->type > SDFG_ATTRIBUTE_INTEGERS)
            return registering_refuse(p, what, m->name, "the type of an attribute is one of enum sdfg_attribute_type"),
                   NULL;
        for (size_t k = 0; k < i; k++)
            twice |= !strcmp(m->attributes[k].name, from->name);
        if (twice)
            return registering_refuse(p, what, m->name, arena_printf(a, "the attribute '%s' occurs twice", from->name)),
                   NULL;
        fields[i] = (struct enum_field){ arena_strdup(a, from->name), (enum enum_field_type)from->type };
    }
    return fields;
}

/* A member that a default names: of the format, of another plug-in or of this one; NULL is fine. */
static bool default_is_known(struct sdfg_plugin *p, const char *what, const sdfg_member *m, enum enum_kind kind,
                             const char *name)
{
    if (!name)
        return true;
    if (m->enumeration != SDFG_ENUM_SCHEDULE)
        return registering_refuse(p, what, m->name, "only schedules have defaults inside");
    if ((kind == ENUM_SCHEDULE && !strcmp(name, m->name)) || registering_is_member(&p->engine->registry, kind, name))
        return true;
    return registering_refuse(p, what, m->name,
                              arena_printf(p->engine->arena, "%s has no member '%s'", enum_kind_name(kind), name));
}

static bool add_member(struct sdfg_plugin *p, const sdfg_member *m)
{
    struct arena *a = p->engine->arena;
    if ((unsigned)m->enumeration > SDFG_ENUM_OMP_SCHEDULE)
        return registering_refuse(p, "the member", m->name ? m->name : "",
                                  "the enumeration is one of enum sdfg_enumeration");
    enum enum_kind kind = kinds[m->enumeration];
    const char *what = arena_printf(a, "the %s", enum_kind_name(kind));
    if (m->enumeration >= SDFG_ENUM_LIFETIME)
        return registering_refuse(p, what, m->name ? m->name : "", "its members are those of the format");
    if (!registering_is_identifier(m->name))
        return registering_refuse(p, what, m->name ? m->name : "", "names are identifiers");
    if (registering_is_member(&p->engine->registry, kind, m->name))
        return registering_refuse(p, what, m->name, "there is a member of this name");
    if (m->num_attributes && !m->attributes)
        return registering_refuse(p, what, m->name, "there are no attributes");
    const struct enum_field *fields = fields_of(p, what, m);
    if (!fields || !default_is_known(p, what, m, ENUM_STORAGE, m->storage_inside) ||
        !default_is_known(p, what, m, ENUM_SCHEDULE, m->schedule_inside))
        return false;
    struct enum_member own = {
        .kind = kind,
        .name = arena_strdup(a, m->name),
        .plugin = p->name,
        .fields = fields,
        .num_fields = (uint32_t)m->num_attributes,
        .storage_inside = m->storage_inside ? arena_strdup(a, m->storage_inside) : NULL,
        .schedule_inside = m->schedule_inside ? arena_strdup(a, m->schedule_inside) : NULL,
    };
    vec_push(a, &p->engine->registry.members, own);
    return true;
}

/* Of the library: a row of the format, which is right (tests/lint/builtin.py). */
static bool add_row(struct sdfg_plugin *p, const sdfg_member *m)
{
    struct enum_member own = { .kind = kinds[m->enumeration], .name = m->name };
    vec_push(p->engine->arena, &p->engine->registry.members, own);
    return true;
}

static bool api_member(sdfg_plugin *p, const sdfg_member *given)
{
    ASKED(p);
    if (!p->name)
        return add_row(p, given);
    sdfg_member m = { .struct_size = sizeof m };
    const char *wrong = given ? sized_take(&m, sizeof m, given) : "is NULL";
    return wrong
               ? registering_refuse(p, "the member", "", arena_printf(p->engine->arena, "struct sdfg_member %s", wrong))
               : add_member(p, &m);
}

/* ---- what other files register ---- */

static bool api_environment(sdfg_plugin *p, const sdfg_environment *e)
{
    ASKED(p);
    return registering_environment(p, e);
}

static bool api_target(sdfg_plugin *p, const sdfg_target *t)
{
    ASKED(p);
    return registering_target(p, t);
}

static bool api_provider(sdfg_plugin *p, const sdfg_provider *provider)
{
    ASKED(p);
    return registering_provider(p, provider);
}

static bool api_convertible(sdfg_plugin *p, const char *text, const struct sdfg_convertible *object)
{
    ASKED(p);
    return registering_convertible(p, text, object);
}

static bool api_pass(sdfg_plugin *p, const sdfg_pass *pass)
{
    ASKED(p);
    return registering_pass(p, pass);
}

/* ---- the function of a plug-in ---- */

/* What is added goes to the code generator as one. */
static void publish(struct sdfg_engine *e)
{
    struct registry *r = &e->registry;
    r->added = (struct codegen_added){
        .targets = r->codegen_targets.items,
        .num_targets = r->codegen_targets.count,
        .passes = r->passes.items,
        .num_passes = r->passes.count,
        .operations = r->operations.items,
        .num_operations = r->operations.count,
        .target_is_ready = target_is_ready,
        .providers = r->codegen_providers.items,
        .num_providers = r->codegen_providers.count,
        .provider_is_usable = provider_is_usable,
        .user = e,
    };
}

struct mark {
    struct sdfg_engine *engine;
    uint32_t members, expansions, nodes, targets, environments, passes, operations, providers, convertibles, ends;
};

static struct mark mark_of(struct sdfg_engine *e)
{
    const struct registry *r = &e->registry;
    return (struct mark){
        .engine = e,
        .members = r->members.count,
        .expansions = r->expansions.count,
        .nodes = e->nodes.items.count,
        .targets = r->targets.items.count,
        .environments = r->targets.environments.count,
        .passes = r->passes.count,
        .operations = r->operations.count,
        .providers = r->providers.items.count,
        .convertibles = r->convertibles.count,
        .ends = r->ends.count,
    };
}

static void run_ends(struct registry *r, uint32_t down_to)
{
    while (r->ends.count > down_to) {
        struct plugin_end end = r->ends.items[--r->ends.count];
        end.function(end.user);
    }
}

/* As if the plug-in had never been there. */
static void undo(void *mark)
{
    struct mark *m = mark;
    struct registry *r = &m->engine->registry;
    targets_shorten(m->engine, m->targets, m->environments);
    run_ends(r, m->ends);
    r->codegen_targets.count = m->targets;
    r->passes.count = m->passes;
    if (r->pass_marks.count > m->passes)
        r->pass_marks.count = m->passes;
    if (r->target_marks.count > m->targets)
        r->target_marks.count = m->targets;
    r->operations.count = m->operations;
    r->providers.items.count = r->codegen_providers.count = m->providers;
    r->convertibles.count = m->convertibles;
    r->members.count = m->members;
    r->expansions.count = m->expansions;
    nodes_shorten(m->engine, m->nodes);
    r->busy = false;
}

/* Calls a function that registers; what it did is undone if it fails. */
static bool run_function(struct sdfg_engine *e, const char *name, sdfg_plugin_function *f, struct diags *d)
{
    struct registry *r = &e->registry;
    struct sdfg_plugin *p = NEW(e->arena, struct sdfg_plugin);
    sdfg_plugin_api *api = NEW(e->arena, sdfg_plugin_api);
    *p = (struct sdfg_plugin){ .engine = e, .name = name, .diags = d };
    *api = (sdfg_plugin_api){
        .struct_size = sizeof *api,
        .version = SDFG_VERSION,
        .plugin = p,
        .fail = api_fail,
        .at_free = api_at_free,
        .implement = api_implement,
        .expand = api_expand,
        .member = api_member,
        .environment = api_environment,
        .target = api_target,
        .pass = api_pass,
        .provider = api_provider,
        .operation = api_operation,
        .convertible = api_convertible,
    };
    struct mark before = mark_of(e);
    struct cleanup registering;
    cleanup_push(&registering, undo, &before);
    r->busy = true;
    bool ok = f(api);
    p->over = true;
    if (p->memory)
        fatal_memory();
    if (!ok && !p->failed)
        diag_error(d, NULL, DIAG_PLUGIN_FAILED, name ? name : "libsdfg", "it did not say why");
    ok &= !p->failed;
    cleanup_pop(&registering);
    r->busy = false;
    if (!ok)
        undo(&before);
    publish(e);
    return ok;
}

bool registry_register(struct sdfg_engine *e, const struct plugin *plugin, sdfg_plugin_function *f, struct diags *d)
{
    struct registry *r = &e->registry;
    vec_reserve(e->arena, &r->plugins); /* nothing fails behind the function */
    bool ok = run_function(e, plugin->name, f, d);
    if (ok)
        vec_push(e->arena, &r->plugins, *plugin);
    return ok;
}

bool registry_library(struct sdfg_engine *e, struct diags *d) { return run_function(e, NULL, builtin_register, d); }

void registry_end(struct sdfg_engine *e)
{
    struct registry *r = &e->registry;
    targets_shorten(e, 0, 0);
    run_ends(r, 0);
    plugins_close(r);
    pthread_mutex_destroy(&r->targets.lock);
    pthread_mutex_destroy(&r->providers.lock);
    pthread_mutex_destroy(&r->lock);
}
