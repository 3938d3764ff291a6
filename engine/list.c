/* What an engine has: rows of the code generator, of the embedding program and of the file format. */
#include "engine/engine.h"
#include "ir/enums.h"
#include "runtime/device.h"

#include <string.h>

struct sdfg_list {
    struct arena *arena;
    struct sdfg_engine *engine;
    VEC(sdfg_list_row) rows;
};

static void take_row(void *list, const struct codegen_row *from)
{
    struct sdfg_list *l = list;
    const char **names = NEW_ARRAY(l->arena, const char *, from->num_values + 1);
    const char **values = NEW_ARRAY(l->arena, const char *, from->num_values + 1);
    for (uint32_t i = 0; i < from->num_values; i++) {
        names[i] = arena_strdup(l->arena, from->names[i]);
        values[i] = arena_strdup(l->arena, from->values[i]);
    }
    char trouble[SDFG_RT_DEVICE_TROUBLE] = "";
    struct sdfg_rt_device_info info;
    int device = l->engine->cuda_device < 0 ? 0 : l->engine->cuda_device;
    bool missing = from->device && !sdfg_rt_device_describe(device, &info, trouble);
    sdfg_list_row row = {
        .struct_size = sizeof row,
        .name = arena_strdup(l->arena, from->name),
        .text = arena_strdup(l->arena, from->text),
        .unusable = missing ? arena_strdup(l->arena, trouble) : NULL,
        .num_values = from->num_values,
        .names = names,
        .values = values,
    };
    vec_push(l->arena, &l->rows, row);
}

/* Those of plug-ins say themselves why they cannot be used. */
static void take_target(void *list, const struct codegen_row *from)
{
    struct sdfg_list *l = list;
    struct sdfg_engine *e = l->engine;
    struct codegen_row row = *from;
    const char *why, *plugin = NULL;
    bool usable = true;
    for (uint32_t i = 0; i < e->registry.targets.items.count; i++)
        if (!strcmp(e->registry.targets.items.items[i]->own.name, from->name)) {
            plugin = e->registry.targets.items.items[i]->plugin;
            usable = target_is_usable(e, i, &why);
        }
    row.names[row.num_values] = "plug-in";
    row.values[row.num_values++] = plugin ? plugin : "";
    take_row(l, &row);
    if (!usable)
        l->rows.items[l->rows.count - 1].unusable = arena_strdup(l->arena, why);
}

static void take_op(struct sdfg_list *l, const char *path, const char *text, const char *plugin)
{
    const char *dot = strrchr(path, '.');
    const char *library = dot ? arena_printf(l->arena, "%.*s", (int)(dot - path), path) : "";
    struct codegen_row row = { path, text, .num_values = 3, .names = { "library", "class", "plug-in" },
                               .values = { library, dot ? dot + 1 : path, plugin ? plugin : "" } };
    take_row(l, &row);
}

static void take_implemented(struct sdfg_list *l, struct sdfg_engine *e)
{
    for (uint32_t i = 0; i < e->nodes.items.count; i++)
        take_op(l, e->nodes.items.items[i].class_path, e->nodes.items.items[i].text, e->nodes.items.items[i].plugin);
    for (uint32_t i = 0; i < e->registry.expansions.count; i++) {
        const struct codegen_expansion *x = &e->registry.expansions.items[i];
        take_op(l, x->class_path, x->text, x->plugin);
    }
}

/* Those of plug-ins first: they take precedence. */
static void take_operations(struct sdfg_list *l, struct sdfg_engine *e)
{
    for (int of_library = 0; of_library < 2; of_library++)
        for (uint32_t i = 0; i < e->registry.operations.count; i++) {
            const struct codegen_operation *o = &e->registry.operations.items[i];
            if ((o->plugin == NULL) == of_library)
                take_op(l, o->class_path, o->text, o->plugin);
        }
}

static void take_plugins(struct sdfg_list *l, struct sdfg_engine *e)
{
    for (uint32_t i = 0; i < e->registry.plugins.count; i++) {
        const struct plugin *p = &e->registry.plugins.items[i];
        struct codegen_row row = { p->name, p->text, .num_values = 2, .names = { "version", "file" },
                                   .values = { p->version, p->file ? p->file : "" } };
        take_row(l, &row);
    }
}

static void take_providers(struct sdfg_list *l, struct sdfg_engine *e)
{
    for (uint32_t i = 0; i < e->registry.providers.items.count; i++) {
        const struct provider *p = e->registry.providers.items.items[i];
        struct text counters = text_new(l->arena);
        for (size_t k = 0; k < p->num_counters; k++)
            text_printf(&counters, "%s%s", k ? ", " : "", p->own.counters[k]);
        bool of_data = p->own.enumeration == SDFG_ENUM_DATA_INSTRUMENT;
        const char *why;
        struct codegen_row row = { p->own.name, p->own.text, .num_values = 3,
                                   .names = { "enumeration", "counters", "plug-in" },
                                   .values = { enum_kind_name(of_data ? ENUM_DATA_INSTRUMENT : ENUM_INSTRUMENT),
                                               text_get(&counters), p->plugin ? p->plugin : "" } };
        take_row(l, &row);
        if (!provider_is_usable(e, i, &why))
            vec_last(&l->rows).unusable = arena_strdup(l->arena, why);
    }
}

static const char *joined(struct sdfg_list *l, const char *const *names)
{
    struct text all = text_new(l->arena);
    for (; names && *names; names++)
        text_printf(&all, "%s%s", all.length ? ", " : "", *names);
    return text_get(&all);
}

static void take_convertibles(struct sdfg_list *l, struct sdfg_engine *e)
{
    for (uint32_t i = 0; i < e->registry.convertibles.count; i++) {
        const struct convertible *c = e->registry.convertibles.items[i];
        const char *const *names = NULL, *const *constants = NULL, *why = NULL;
        bool told = c->own.signature(c->own.user, &names, &constants, &why);
        struct codegen_row row = {
            c->own.name, c->text, .num_values = 3, .names = { "parameters", "constants", "plug-in" },
            .values = { joined(l, told ? names : NULL), joined(l, told ? constants : NULL), c->plugin }
        };
        take_row(l, &row);
        if (!told)
            vec_last(&l->rows).unusable = arena_strdup(l->arena, why ? why : "it does not say what it takes");
    }
}

static const char *const enum_texts[ENUM_KIND_COUNT] = {
    [ENUM_SCHEDULE] = "where and how the iterations of a scope run",
    [ENUM_STORAGE] = "where a container lies",
    [ENUM_LIFETIME] = "how long the memory of a transient is kept",
    [ENUM_LANGUAGE] = "in what the code of a tasklet is written",
    [ENUM_INSTRUMENT] = "what is measured of an element",
    [ENUM_DATA_INSTRUMENT] = "whether the contents of a container are saved or restored",
    [ENUM_OMP_SCHEDULE] = "how iterations are divided among threads",
};

/* With the names of their attributes, and of whose plug-in they are. */
static void take_enums(struct sdfg_list *l, const enum_members *all)
{
    for (enum enum_kind kind = 0; kind < ENUM_KIND_COUNT; kind++) {
        struct text members = text_new(l->arena), whose = text_new(l->arena);
        for (uint32_t i = 0; i < all->count; i++) {
            const struct enum_member *m = &all->items[i];
            if (m->kind != kind)
                continue;
            text_printf(&members, "%s%s", members.length ? ", " : "", m->name);
            for (uint32_t k = 0; k < m->num_fields; k++)
                text_printf(&members, "%s%s%s", k ? " " : "(", m->fields[k].name, k + 1 == m->num_fields ? ")" : "");
            if (m->plugin)
                text_printf(&whose, "%s%s (%s)", whose.length ? ", " : "", m->name, m->plugin);
        }
        struct codegen_row row = { enum_kind_name(kind), enum_texts[kind], .num_values = 2,
                                   .names = { "members", "plug-ins" },
                                   .values = { text_get(&members), text_get(&whose) } };
        take_row(l, &row);
    }
}

static void take_listed(struct sdfg_list *l, const struct codegen_api *api, enum sdfg_list_kind what,
                        const struct codegen_added *added)
{
    codegen_rows rows = { 0 };
    if (!api->list(what, added, l->arena, &rows))
        fatal_memory();
    for (uint32_t i = 0; i < rows.count; i++)
        (what == SDFG_LIST_TARGETS ? take_target : take_row)(l, &rows.items[i]);
}

sdfg_error *sdfg_engine_list(sdfg_list **out, sdfg_engine *e, enum sdfg_list_kind what)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    GUARDED(error_memory(SDFG_STAGE_OPTIONS));
    struct report r = report_begin();
    struct arena *a = arena_new();
    sdfg_list *l = NEW(a, sdfg_list);
    l->arena = a;
    l->engine = e;
    const struct codegen_api *api = NULL;
    struct cleanup locked;
    guard_lock(&locked, &e->registry.lock);
    if ((unsigned)what > SDFG_LIST_CONVERTIBLES)
        diag_error(r.diags, NULL, DIAG_LIST_KIND, (int)what);
    else if (what == SDFG_LIST_ENUMS)
        take_enums(l, &e->registry.members);
    else if (what == SDFG_LIST_PLUGINS)
        take_plugins(l, e);
    else if (what == SDFG_LIST_PROVIDERS)
        take_providers(l, e);
    else if (what == SDFG_LIST_CONVERTIBLES)
        take_convertibles(l, e);
    else if (what == SDFG_LIST_OPS) {
        take_implemented(l, e);
        take_operations(l, e);
    } else if ((api = engine_codegen(e, r.diags)))
        take_listed(l, api, what, &e->registry.added);
    guard_unlock(&locked);
    sdfg_error *error = report_end(&r, SDFG_STAGE_OPTIONS);
    l->engine = NULL; /* may go before the list */
    if (error)
        arena_free(a);
    else
        *out = l;
    return error;
}

size_t sdfg_list_count(const sdfg_list *l) { return l ? l->rows.count : 0; }

const sdfg_list_row *sdfg_list_get(const sdfg_list *l, size_t index)
{
    return l && index < l->rows.count ? &l->rows.items[index] : NULL;
}

void sdfg_list_free(sdfg_list *l)
{
    if (l)
        arena_free(l->arena);
}
