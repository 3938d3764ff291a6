/* States: acyclic, scopes closed (format.md 9.4). */
#include "ir/validate/validate.h"

#include <string.h>

/* 32: nodes in a topological order, ties in file order. False if there is a cycle. */
static bool order_nodes(struct state_scan *s)
{
    struct state *st = s->state;
    struct arena *a = s->sdfg->v->scratch;
    uint32_t *waiting = NEW_ARRAY(a, uint32_t, st->nodes.count), done = 0, ready = 0;
    s->order = NEW_ARRAY(a, struct node *, st->nodes.count);
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        waiting[i] = st->nodes.items[i]->in.count;
        if (!waiting[i])
            s->order[ready++] = st->nodes.items[i];
    }
    while (done < ready) {
        struct node *n = s->order[done++];
        for (uint32_t i = 0; i < n->out.count; i++)
            if (--waiting[n->out.items[i]->dst->index] == 0)
                s->order[ready++] = n->out.items[i]->dst;
    }
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (waiting[i])
            return diag_error(validate_diags(s), &st->nodes.items[i]->place, DIAG_SCOPE_CYCLE);
    return true;
}

/* Where the code in each scope runs: what the innermost schedule that says so says. */
static void find_placements(struct state_scan *s)
{
    uint32_t count = s->state->nodes.count;
    s->inside = NEW_ARRAY(s->sdfg->v->scratch, enum code_placement, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct node *n = s->order[i];
        if (!node_is_entry(n))
            continue;
        const struct enum_value *schedule =
            n->kind == NODE_MAP_ENTRY ? as_map_entry(n)->schedule : as_consume_entry(n)->schedule;
        uint32_t row = schedule ? schedule->row : SCHEDULE_DEFAULT;
        if (row >= SCHEDULE_GPU_DEVICE && row <= SCHEDULE_GPU_PERSISTENT)
            s->inside[n->index] = PLACED_DEVICE;
        else if (row == SCHEDULE_DEFAULT || row == SCHEDULE_UNDEFINED)
            s->inside[n->index] = PLACED_OPEN;
        else
            s->inside[n->index] = validate_placement(s, n);
    }
}

enum code_placement validate_placement(const struct state_scan *s, const struct node *n)
{
    return n->scope ? s->inside[n->scope->index] : s->sdfg->placement;
}

/* Names that more than one scope of the state declares. */
static void find_repeated_parameters(struct state_scan *s)
{
    struct map seen = { 0 };
    for (uint32_t i = 0; i < s->state->nodes.count; i++) {
        const struct map_entry *m = as_map_entry(s->state->nodes.items[i]);
        for (uint32_t k = 0; m && k < m->params.count; k++) {
            const char *name = m->params.items[k];
            map_put(s->sdfg->v->scratch, map_has(&seen, name) ? &s->repeated : &seen, name, s);
        }
    }
}

/* 33 */
static void check_scopes(struct state_scan *s)
{
    for (uint32_t i = 0; i < s->state->nodes.count; i++) {
        struct node *n = s->state->nodes.items[i];
        if (node_is_entry(n) && !scope_exit(n))
            diag_error(validate_diags(s), &n->place, DIAG_SCOPE_EXIT);
        if (node_is_exit(n) && !scope_entry(n))
            diag_error(validate_diags(s), &n->place, DIAG_SCOPE_ENTRY);
    }
}

void validate_state(struct sdfg_scan *sdfg, struct state *st)
{
    struct state_scan s = { .sdfg = sdfg, .state = st };
    if (!order_nodes(&s))
        return;
    find_placements(&s);
    find_repeated_parameters(&s);
    check_scopes(&s);
    for (uint32_t i = 0; i < st->nodes.count && !validate_full(sdfg->v); i++)
        validate_node(&s, s.order[i]);
    for (uint32_t i = 0; i < st->edges.count && !validate_full(sdfg->v); i++)
        validate_edge(&s, st->edges.items[i]);
}
