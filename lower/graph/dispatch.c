#include "lower/graph/instrument.h"
#include "lower/graph/target.h"

bool lower_node(struct scope *sc, struct node *n)
{
    struct lower_measured measured;
    if (!lower_measure_node(sc, n, &measured))
        return false;
    struct tree_stmt *block = sc->block;
    if (!lower_node_by_target(sc, n))
        return false;
    sc->block = block; /* checks of the node guard nothing else */
    lower_measured(sc, &measured);
    return true;
}
