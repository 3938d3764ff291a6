/* Registration of passes. Where a pass stands is checked by the code generator, which has the others. */
#include "engine/registering.h"

#include "base/sized.h"

#include <string.h>

enum { MOST_ROUNDS = 1000 };

static const sdfg_pass *find(struct sdfg_plugin *p, const char *name, const char **plugin)
{
    struct registry *r = &p->engine->registry;
    uint32_t mark = registering_mark(name);
    while (r->pass_marks.count < r->passes.count) {
        uint32_t next = registering_mark(r->passes.items[r->pass_marks.count].pass->name);
        vec_push(p->engine->arena, &r->pass_marks, next);
    }
    for (uint32_t i = 0; i < r->passes.count; i++)
        if (r->pass_marks.items[i] == mark && !strcmp(r->passes.items[i].pass->name, name)) {
            *plugin = r->passes.items[i].plugin;
            return r->passes.items[i].pass;
        }
    return NULL;
}

/* Who does its work: a function, or a pass of the library over the same form of a program. */
static const char *wrong_work(struct sdfg_plugin *p, const sdfg_pass *given)
{
    const char *plugin;
    if (!given->library)
        return given->run ? NULL : "there is no function";
    if (given->run)
        return "it has a function, and the library's";
    if (!p->name)
        return NULL;
    const sdfg_pass *own = find(p, given->library, &plugin);
    return own && !plugin && own->kind == given->kind
               ? NULL
               : arena_printf(p->engine->arena, "the library has no pass '%s' of this kind", given->library);
}

static bool add_pass(struct sdfg_plugin *p, const sdfg_pass *given)
{
    const char *const what = "the pass";
    struct arena *a = p->engine->arena;
    struct registry *r = &p->engine->registry;
    if (!given->name || !*given->name || *given->name == '-' || strchr(given->name, ','))
        return registering_refuse(p, what, given->name ? given->name : "", "a name begins with no '-' and has no ','");
    const char *wrong = wrong_work(p, given), *plugin;
    if (wrong)
        return registering_refuse(p, what, given->name, wrong);
    if ((unsigned)given->kind > SDFG_PASS_TREE || (unsigned)given->where > SDFG_PASS_INSTEAD ||
        (unsigned)given->code > SDFG_PASS_DEVICE)
        return registering_refuse(p, what, given->name, "its kind, place or code is none of the enumeration");
    if (given->group ? !given->rounds || given->rounds > MOST_ROUNDS : given->rounds)
        return registering_refuse(p, what, given->name, "a group has 1 to 1000 rounds, and rounds have a group");
    if (p->name && find(p, given->name, &plugin)) /* names of the library differ (tests/lint/builtin.py) */
        return registering_refuse(p, what, given->name,
                                  plugin ? arena_printf(a, "plug-in '%s' has registered it", plugin)
                                         : arena_printf(a, "there is a pass '%s'", given->name));
    sdfg_pass *own = NEW(a, sdfg_pass);
    *own = *given;
    own->name = registering_text(p, given->name);
    own->text = registering_text(p, given->text ? given->text : "");
    own->other = given->other ? registering_text(p, given->other) : NULL;
    own->library = given->library ? registering_text(p, given->library) : NULL;
    own->group = given->group ? registering_text(p, given->group) : NULL;
    own->needs = registering_list(p, given->needs);
    own->makes = registering_list(p, given->makes);
    own->breaks = registering_list(p, given->breaks);
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
