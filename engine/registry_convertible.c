/* Registration of objects that graphs call by their name. */
#include "engine/registering.h"

#include "base/sized.h"

#include <string.h>

static const struct convertible *find(const struct registry *r, const char *name)
{
    for (uint32_t i = 0; i < r->convertibles.count; i++)
        if (!strcmp(r->convertibles.items[i]->own.name, name))
            return r->convertibles.items[i];
    return NULL;
}

bool registering_convertible(struct sdfg_plugin *p, const char *text, const struct sdfg_convertible *given)
{
    const char *const what = "the convertible object";
    struct arena *a = p->engine->arena;
    struct registry *r = &p->engine->registry;
    sdfg_convertible own = { .struct_size = sizeof own };
    const char *wrong = given ? sized_take(&own, sizeof own, given) : "is NULL";
    if (wrong)
        return registering_refuse(p, what, "", arena_printf(a, "struct sdfg_convertible %s", wrong));
    if (!registering_is_identifier(own.name))
        return registering_refuse(p, what, own.name ? own.name : "", "names are identifiers");
    if (!own.signature || !own.sdfg)
        return registering_refuse(p, what, own.name, "it needs the functions signature and sdfg");
    const struct convertible *other = find(r, own.name);
    if (other)
        return registering_refuse(p, what, own.name, arena_printf(a, "plug-in '%s' has registered it", other->plugin));
    struct convertible *made = NEW(a, struct convertible);
    *made = (struct convertible){ own, registering_text(p, text ? text : ""), p->name };
    made->own.name = arena_strdup(a, own.name);
    vec_push(a, &r->convertibles, made);
    return true;
}

const sdfg_convertible *sdfg_engine_convertible(sdfg_engine *e, const char *name)
{
    if (!e || !name)
        return NULL;
    pthread_mutex_lock(&e->registry.lock);
    const struct convertible *found = find(&e->registry, name);
    pthread_mutex_unlock(&e->registry.lock);
    return found ? &found->own : NULL;
}
