/* What the graph asks to be measured, saved and restored (semantics.md 11). Without the options of these names nothing
 * of it is in the tree, except that graphs which restore are refused, and what providers of plug-ins do with data. */
#ifndef LOWER_INSTRUMENT_H
#define LOWER_INSTRUMENT_H

#include "lower/graph/lower.h"

/* An element that somebody provides the instrumentation of. */
struct lower_measured {
    struct tree_expr *element;
    struct tree_var *begun; /* NULL: it is not measured */
    const struct place *place;
};
/* Before the code of an element is made; false with a diagnostic: it cannot be measured here. */
bool lower_measure_sdfg(struct scope *sc, const struct sdfg *s, struct lower_measured *m);
bool lower_measure_state(struct scope *sc, const struct state *st, struct lower_measured *m);
bool lower_measure_node(struct scope *sc, struct node *n, struct lower_measured *m);
/* Behind that code. */
void lower_measured(struct scope *sc, const struct lower_measured *m);
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
