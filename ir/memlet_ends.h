#ifndef IR_MEMLET_ENDS_H
#define IR_MEMLET_ENDS_H

#include "ir/graph.h"

/* Dimensions of the edge's memlet whose ends code needs to know: bit i for dimension i, bit 63 for all from there on.
 */
uint64_t memlet_needed_ends(const struct edge *e);

#endif
