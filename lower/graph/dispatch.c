#include "lower/graph/instrument.h"
#include "lower/graph/target.h"

bool lower_node(struct scope *sc, struct node *n)
{
    struct lower_timer timer = lower_timer_begin(sc, lower_node_instrument(n));
    struct tree_stmt *block = sc->block;
    if (!lower_node_by_target(sc, n))
        return false;
    sc->block = block; /* checks of the node guard nothing else */
    lower_timer_end_node(sc, &timer, n);
    return true;
}
