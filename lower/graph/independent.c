/* Which maps have iterations that do not meet. */
#include "lower/graph/target.h"

static bool has_conflicts(const struct sdfg *s);

static bool region_has_conflicts(const struct region *r);

static bool block_has_conflicts(struct block *b)
{
    if (as_region(b))
        return region_has_conflicts(as_region(b));
    if (as_conditional(b))
        for (uint32_t i = 0; i < as_conditional(b)->branches.count; i++)
            if (region_has_conflicts(as_conditional(b)->branches.items[i].region))
                return true;
    if (as_state(b)) {
        for (uint32_t i = 0; i < as_state(b)->edges.count; i++)
            if (as_state(b)->edges.items[i]->memlet.wcr_kind != WCR_NONE)
                return true;
        for (uint32_t i = 0; i < as_state(b)->nodes.count; i++) {
            const struct node *n = as_state(b)->nodes.items[i];
            if (n->kind == NODE_LIBRARY || (as_nested(n) && as_nested(n)->sdfg && has_conflicts(as_nested(n)->sdfg)))
                return true;
        }
    }
    return false;
}

static bool region_has_conflicts(const struct region *r)
{
    for (uint32_t i = 0; i < r->blocks.count; i++)
        if (block_has_conflicts(r->blocks.items[i]))
            return true;
    return false;
}

static bool has_conflicts(const struct sdfg *s) { return region_has_conflicts(&s->region); }

static bool scope_has_conflicts(const struct node *entry)
{
    for (const struct node *n = scope_first(entry->state, entry); n; n = n->beside) {
        for (uint32_t i = 0; i < n->out.count; i++)
            if (n->out.items[i]->memlet.wcr_kind != WCR_NONE)
                return true;
        if ((as_nested(n) && as_nested(n)->sdfg && has_conflicts(as_nested(n)->sdfg)) ||
            (n->inside && scope_has_conflicts(n)))
            return true;
    }
    return false;
}

/* Do all threads of a block write one place? They may, if it holds the same for all of them. */
static bool writes_one_place(const struct map_entry *m)
{
    const struct node *end = scope_exit(&m->node);
    for (uint32_t i = 0; i < end->in.count; i++) {
        const struct subset *s = end->in.items[i]->memlet.subset;
        for (uint32_t p = 0; s && p < m->params.count; p++) {
            bool found = m->range.dims[p].begin == m->range.dims[p].end;
            for (uint32_t d = 0; d < s->rank; d++)
                found = found || sym_mentions(s->dims[d].begin, m->params.items[p]);
            if (!found)
                return true;
        }
    }
    return false;
}

/* Iterations of a map are independent by contract, unless they meet in a conflict resolution. */
bool lower_is_independent(const struct map_entry *m, enum tree_level level)
{
    return !scope_has_conflicts(&m->node) && (level != TREE_BLOCK || !writes_one_place(m));
}
