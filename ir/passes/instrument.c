/* Instrumentation for all elements of some kinds, without a change of the file. */
#include "ir/passes/passes.h"

struct instrumented {
    unsigned kinds;
    const struct enum_value *with;
};

/* What is measured in another way stays so. */
static void set(const struct instrumented *i, const struct enum_value **instrument, enum instrument_kind kind)
{
    if (i->kinds & kind && (!*instrument || (*instrument)->row == INSTRUMENT_NONE))
        *instrument = i->with;
}

static void set_node(const struct instrumented *i, struct node *n)
{
    if (as_map_entry(n))
        set(i, &as_map_entry(n)->instrument, INSTRUMENT_MAPS);
    else if (as_consume_entry(n))
        set(i, &as_consume_entry(n)->instrument, INSTRUMENT_MAPS);
    else if (as_tasklet(n))
        set(i, &as_tasklet(n)->instrument, INSTRUMENT_TASKLETS);
    else if (as_library(n))
        set(i, &as_library(n)->instrument, INSTRUMENT_OTHERS);
    else if (as_nested(n))
        set(i, &as_nested(n)->instrument, INSTRUMENT_OTHERS);
}

static void set_state(void *user, struct block *b)
{
    struct state *st = as_state(b);
    if (!st)
        return;
    set(user, &st->instrument, INSTRUMENT_STATES);
    for (uint32_t i = 0; i < st->nodes.count; i++)
        set_node(user, st->nodes.items[i]);
}

static void set_sdfg(void *user, struct sdfg *s)
{
    if (!s->parent)
        set(user, &s->instrument, INSTRUMENT_OTHERS);
    region_each_block(&s->region, set_state, user);
}

void sdfg_instrument(struct sdfg *s, unsigned kinds, const struct enum_value *with)
{
    struct instrumented i = { kinds, with };
    sdfg_each(s, set_sdfg, &i);
}
