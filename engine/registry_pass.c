/* Registration of passes. Where a pass stands is checked by the code generator, which has the others. */
#include "engine/registering.h"

#include "engine/sized.h"

#include <string.h>

enum { MOST_ROUNDS = 1000 };

static bool add_pass(struct sdfg_plugin *p, const sdfg_pass *given)
{
    const char *const what = "the pass";
    struct arena *a = p->engine->arena;
    struct registry *r = &p->engine->registry;
    if (!given->name || !*given->name || *given->name == '-' || strchr(given->name, ','))
        return registering_refuse(p, what, given->name ? given->name : "", "a name begins with no '-' and has no ','");
    if (!given->run)
        return registering_refuse(p, what, given->name, "there is no function");
    if ((unsigned)given->kind > SDFG_PASS_TREE || (unsigned)given->where > SDFG_PASS_INSTEAD)
        return registering_refuse(p, what, given->name, "its kind or place is none of the enumeration");
    if (given->group ? !given->rounds || given->rounds > MOST_ROUNDS : given->rounds)
        return registering_refuse(p, what, given->name, "a group has 1 to 1000 rounds, and rounds have a group");
    for (uint32_t i = 0; i < r->passes.count; i++)
        if (!strcmp(r->passes.items[i].pass->name, given->name))
            return registering_refuse(p, what, given->name,
                                      arena_printf(a, "plug-in '%s' has registered it", r->passes.items[i].plugin));
    sdfg_pass *own = NEW(a, sdfg_pass);
    *own = *given;
    own->name = arena_strdup(a, given->name);
    own->text = arena_strdup(a, given->text ? given->text : "");
    own->other = given->other ? arena_strdup(a, given->other) : NULL;
    own->group = given->group ? arena_strdup(a, given->group) : NULL;
    own->needs = registering_list(a, given->needs);
    own->makes = registering_list(a, given->makes);
    own->breaks = registering_list(a, given->breaks);
    vec_push(a, &r->passes, ((struct codegen_pass){ own, p->name }));
    return true;
}

bool registering_pass(struct sdfg_plugin *p, const sdfg_pass *given)
{
    sdfg_pass own = { .struct_size = sizeof own };
    const char *wrong = given ? sized_take(&own, sizeof own, given) : "is NULL";
    return wrong ? registering_refuse(p, "the pass", "", arena_printf(p->engine->arena, "struct sdfg_pass %s", wrong))
                 : add_pass(p, &own);
}
