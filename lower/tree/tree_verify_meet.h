/* Where the threads of a kernel meet: no control around a barrier or group may be different from thread to thread. */
#ifndef LOWER_TREE_VERIFY_MEET_H
#define LOWER_TREE_VERIFY_MEET_H

#include "lower/tree/tree.h"

/* The first barrier or group of the kernel that not all of its threads come to; NULL: none is known. Values in memory
 * count as the same for all threads that load them from one place. */
const struct tree_stmt *tree_meet_fault(const struct tree *t, const struct tree_stmt *kernel);

#endif
