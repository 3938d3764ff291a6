/* Where a call can be stopped: sequential code of "main" looks now and then whether that is wanted.
 *
 * It does so where little else is going on: before loop nests, parallel regions and library calls that no loop
 * contains, and at back edges of loops around long ones. Loops that are innermost keep the form that optimizers want;
 * code of parallel regions returns when the region ends. */
#ifndef LOWER_TREE_STOP_H
#define LOWER_TREE_STOP_H

#include "lower/tree/tree.h"

/* May the statement hold a place where the call can be stopped? */
bool tree_stops_in(const struct tree_stmt *s);
/* Is there one before the statement, which no loop contains? */
bool tree_stops_before(const struct tree_stmt *s);
/* Is there one at the back edge of the loop? `inner`: it stands in another loop. */
bool tree_stops_again(const struct tree_stmt *loop, bool inner);

#endif
