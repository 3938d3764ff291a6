/* What Default means in scopes of schedules that plug-ins registered:
 *
 *     map (Acme_Grid)                        map (Acme_Grid)
 *       map (Default)                 =>       map (Sequential)         the row of Acme_Grid
 *         T: Default                             T: Acme_Memory
 *
 * The innermost scope around an element decides, across nested SDFGs. For storage sequential scopes are passed over.
 * Where a built-in schedule decides, Default stays, which lowering resolves. */
#include "ir/passes/passes.h"

static const struct enum_value **schedule_of(struct node *entry)
{
    struct map_entry *m = as_map_entry(entry);
    struct consume_entry *c = as_consume_entry(entry);
    return m ? &m->schedule : c ? &c->schedule : NULL;
}

/* The entry node around a node, maybe of the SDFG around; NULL: none. */
static struct node *scope_around(const struct node *n)
{
    while (!n->scope) {
        const struct nested *parent = n->state->sdfg->parent;
        if (!parent)
            return NULL;
        n = &parent->node;
    }
    return n->scope;
}

/* What was registered for the scope that decides about `n`. */
static const struct enum_member *decides(const struct node *n, bool storage)
{
    struct node *around = scope_around(n);
    while (storage && around && *schedule_of(around) && (*schedule_of(around))->row == SCHEDULE_SEQUENTIAL)
        around = scope_around(around);
    return around ? enum_member_of(n->state->sdfg->ir, *schedule_of(around)) : NULL;
}

static void settle_scope(struct node *entry)
{
    const struct enum_value **schedule = schedule_of(entry);
    struct ir *ir = entry->state->sdfg->ir;
    struct node *around = scope_around(entry);
    if (around)
        settle_scope(around);
    if (*schedule && (*schedule)->row != SCHEDULE_DEFAULT)
        return;
    const struct enum_member *m = decides(entry, false);
    if (m && m->schedule_inside)
        *schedule = enum_by_name(ir, ENUM_SCHEDULE, m->schedule_inside);
}

static void settle_container(struct access *a)
{
    struct container *c = a->data;
    struct ir *ir = a->node.state->sdfg->ir;
    if (!c || !c->transient || !c->storage || c->storage->row != STORAGE_DEFAULT)
        return;
    const struct enum_member *m = decides(&a->node, true);
    if (m && m->storage_inside)
        c->storage = enum_by_name(ir, ENUM_STORAGE, m->storage_inside);
}

static void settle_scopes(void *unused, struct block *b)
{
    struct state *st = as_state(b);
    (void)unused;
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        if (schedule_of(st->nodes.items[i]))
            settle_scope(st->nodes.items[i]);
}

static void settle_containers(void *unused, struct block *b)
{
    struct state *st = as_state(b);
    (void)unused;
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        if (as_access(st->nodes.items[i]))
            settle_container(as_access(st->nodes.items[i]));
}

static void visit_scopes(void *unused, struct sdfg *s) { region_each_block(&s->region, settle_scopes, unused); }

static void visit_containers(void *unused, struct sdfg *s) { region_each_block(&s->region, settle_containers, unused); }

bool sdfg_settle_defaults(struct sdfg *s)
{
    sdfg_each(s, visit_scopes, NULL);
    sdfg_each(s, visit_containers, NULL);
    return true;
}
