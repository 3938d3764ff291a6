/* Registration of providers of instrumentation. */
#include "engine/registering.h"

#include "base/sized.h"

#include <string.h>

static bool is_kind(struct sdfg_plugin *p, enum enum_kind kind, const char *name)
{
    return enum_is_builtin(kind, name) || registering_is_member(&p->engine->registry, kind, name);
}

/* The end of a sentence about the provider; NULL: it can be taken. */
static const char *wrong_with(struct sdfg_plugin *p, const sdfg_provider *given)
{
    struct arena *a = p->engine->arena;
    const struct providers *all = &p->engine->registry.providers;
    bool of_data = given->enumeration == SDFG_ENUM_DATA_INSTRUMENT;
    enum enum_kind kind = of_data ? ENUM_DATA_INSTRUMENT : ENUM_INSTRUMENT;
    if (!of_data && given->enumeration != SDFG_ENUM_INSTRUMENT)
        return "its enumeration is SDFG_ENUM_INSTRUMENT or SDFG_ENUM_DATA_INSTRUMENT";
    if (!given->name || !is_kind(p, kind, given->name))
        return arena_printf(a, "%s has no such member", enum_kind_name(kind));
    if (!given->begin != !given->end)
        return "begin and end come together";
    if (registering_length(given->counters) > PROVIDER_COUNTERS)
        return arena_printf(a, "it has more than %d counters", PROVIDER_COUNTERS);
    for (size_t i = 0; i < registering_length(given->counters); i++)
        if (!registering_is_identifier(given->counters[i]))
            return "names of counters are identifiers";
    for (uint32_t i = 0; i < all->items.count; i++)
        if (!strcmp(all->items.items[i]->own.name, given->name))
            return all->items.items[i]->plugin
                       ? arena_printf(a, "plug-in '%s' has registered it", all->items.items[i]->plugin)
                       : "the library provides it";
    return NULL;
}

bool registering_provider(struct sdfg_plugin *p, const sdfg_provider *given)
{
    struct arena *a = p->engine->arena;
    struct providers *all = &p->engine->registry.providers;
    sdfg_provider own = { .struct_size = sizeof own };
    const char *wrong = given ? sized_take(&own, sizeof own, given) : "is NULL";
    if (wrong)
        return registering_refuse(p, "the provider", "", arena_printf(a, "struct sdfg_provider %s", wrong));
    if ((wrong = wrong_with(p, &own)))
        return registering_refuse(p, "the provider", own.name ? own.name : "", wrong);
    struct provider *made = NEW(a, struct provider);
    *made = (struct provider){ .own = own, .plugin = p->name, .num_counters = registering_length(own.counters) };
    made->own.name = arena_strdup(a, own.name);
    made->own.text = arena_strdup(a, own.text ? own.text : "");
    made->own.counters = registering_list(p, own.counters);
    vec_push(a, &all->items, made);
    vec_push(a, &p->engine->registry.codegen_providers, ((struct codegen_provider){ &made->own, p->name }));
    return true;
}
