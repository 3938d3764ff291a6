/* What is registered with an engine as targets and operations of the lowering. */
#include "engine/compile/compile_target.h"

#include "engine/compile/compile_code.h"
#include "engine/compile/compile_plugin_target.h"
#include "lower/graph/library/library.h"

#include <string.h>

/* ---- claims ---- */

static const char *text_or_none(const char *text) { return text ? text : ""; }

static sdfg_claim_site site_of(const sdfg_claim *c, const struct claim_site *site)
{
    const struct container *first = c->kind == SDFG_CLAIM_STORAGE ? site->to : site->from;
    sdfg_claim_site out = {
        .struct_size = sizeof out,
        .name = "",
        .to = "",
        .schedule = text_or_none(site->scope ? lower_schedule_around(site->scope) : NULL),
        .label = text_or_none(site->node ? site->node->label
                              : first    ? first->name
                                         : NULL),
        .class_path = node_class_path(site->node),
    };
    if (c->kind == SDFG_CLAIM_SCHEDULE)
        out.name = out.schedule = as_map_entry(site->node)->schedule->name;
    else if (c->kind == SDFG_CLAIM_NODE)
        out.name = lower_node_type(site->node);
    else
        out.name = first ? first->storage->name : "Register";
    if (c->kind == SDFG_CLAIM_COPY)
        out.to = site->to ? site->to->storage->name : "Register";
    return out;
}

struct claim_owner {
    const sdfg_claim *claim;
    const sdfg_target *target;
};

static bool plugin_holds(const struct target *t, const struct claim *c, const struct claim_site *site)
{
    (void)t;
    const struct claim_owner *p = c->user;
    if (!site->scope && !site->node && !site->to) /* for a list */
        return false;
    sdfg_claim_site asked = site_of(p->claim, site);
    return p->claim->holds(p->target->user, &asked);
}

static const struct claim *claims_of(struct arena *a, const sdfg_target *t)
{
    static const enum claim_kind kinds[] = {
        [SDFG_CLAIM_SCHEDULE] = CLAIM_SCHEDULE,
        [SDFG_CLAIM_STORAGE] = CLAIM_STORAGE,
        [SDFG_CLAIM_COPY] = CLAIM_COPY,
        [SDFG_CLAIM_NODE] = CLAIM_NODE,
    };
    struct claim *out = NEW_ARRAY(a, struct claim, t->num_claims);
    struct claim_owner *owners = NEW_ARRAY(a, struct claim_owner, t->num_claims);
    for (size_t i = 0; i < t->num_claims; i++) {
        const sdfg_claim *c = &t->claims[i];
        owners[i] = (struct claim_owner){ c, t };
        out[i] = (struct claim){
            .kind = kinds[c->kind],
            .names = c->names,
            .to = c->to,
            .schedules = c->schedules,
            .holds = c->holds  ? plugin_holds
                     : c->rule ? target_rule(c->rule)
                               : NULL,
            .refused = c->refused,
            .parts = c->parts,
            .user = &owners[i],
        };
    }
    return out;
}

/* ---- targets ---- */

static void make_target(struct arena *a, struct plugin_target *p, struct plugin_target *base)
{
    const sdfg_target *t = p->own.target;
    const struct target *served = t->library ? target_builtin(t->library) : NULL;
    if (served)
        p->target = *served;
    p->target.size = sizeof p->target;
    p->target.name = t->name;
    p->target.text = t->text;
    p->target.extends = base ? &base->target : NULL;
    p->target.claims = t->num_claims ? claims_of(a, t) : NULL;
    p->target.num_claims = (uint32_t)t->num_claims;
    p->library = served ? &p->target : base->library;
    p->base = base && base->target.user ? base : NULL;
    p->source.text = text_new(a);
    if (!served)
        plugin_target_fill(p);
}

const struct targets *compile_targets(struct arena *a, const struct codegen_added *added)
{
    uint32_t count = added->num_targets, kept = 0;
    const struct target **items = NEW_ARRAY(a, const struct target *, count);
    struct plugin_target *made = NEW_ARRAY(a, struct plugin_target, count);
    struct targets *all = NEW(a, struct targets);
    for (uint32_t i = 0; i < count; i++) {
        const sdfg_target *t = added->targets[i].target;
        struct plugin_target *base = NULL;
        for (uint32_t k = 0; k < i && t->extends; k++)
            if (!strcmp(made[k].target.name, t->extends))
                base = &made[k];
        made[i].own = added->targets[i];
        made[i].added = added;
        made[i].index = i;
        make_target(a, &made[i], base);
        if (!t->base)
            items[kept++] = &made[i].target;
    }
    *all = (struct targets){ items, kept };
    return all;
}

/* ---- operations ---- */

static const struct lower_operation *operations(struct arena *a, const struct codegen_added *added)
{
    struct lower_operation *all = NEW_ARRAY(a, struct lower_operation, added->num_operations);
    uint32_t next = 0; /* those of the library come in the order of their rows */
    for (uint32_t i = 0; i < added->num_operations; i++) {
        const struct codegen_operation *o = &added->operations[i];
        all[i] = (struct lower_operation){ o->plugin ? o->class_path : NULL, library_row(o->library, next) };
        next = all[i].row + 1;
    }
    return all;
}

void compile_take_added(struct arena *a, const struct codegen_added *added, struct lower_options *o)
{
    o->targets = compile_targets(a, added);
    o->operations = operations(a, added);
    o->num_operations = added->num_operations;
}
