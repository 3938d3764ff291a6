/* What the graph asks to be measured, saved and restored (semantics.md 11). Without the options of these names nothing
 * of it is in the tree, except that graphs which restore are refused. */
#ifndef LOWER_INSTRUMENT_H
#define LOWER_INSTRUMENT_H

#include "lower/graph/lower.h"

/* An element with instrumentation Timer: call begin before its code is made, end behind it. Other kinds of
 * instrumentation measure nothing. */
struct lower_timer {
    struct tree_var *begin; /* NULL: not timed */
};
struct lower_timer lower_timer_begin(struct scope *sc, const struct enum_value *instrument);
void lower_timer_end_node(struct scope *sc, const struct lower_timer *t, const struct node *n);
void lower_timer_end_state(struct scope *sc, const struct lower_timer *t, const struct state *st);
void lower_timer_end_sdfg(struct scope *sc, const struct lower_timer *t, const struct sdfg *s);
/* Of any node but access nodes, else NULL. */
const struct enum_value *lower_node_instrument(struct node *n);

/* The container of an access node, when what comes into the node is there. */
bool lower_data_access(struct scope *sc, struct access *a);
/* All symbols, where a state begins. */
bool lower_data_symbols(struct scope *sc, struct state *st);
/* What sdfg_assigned_symbols gives, and every symbol of an SDFG that restores symbols. */
void lower_assigned_symbols(struct lower *lw, struct sdfg *s, struct map *out);
/* Are symbols numbers before they are assigned? They may be saved, and conditions of saving may read them. */
static inline bool lower_defines_symbols(const struct lower *lw)
{
    return lw->options->save_data || lw->options->restore_data;
}

#endif
