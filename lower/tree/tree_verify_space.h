/* Memory spaces: the host does not touch memory of the device, and kernels do not touch memory of the host. */
#ifndef LOWER_TREE_VERIFY_SPACE_H
#define LOWER_TREE_VERIFY_SPACE_H

#include "lower/tree/tree.h"

struct space_fault {
    const struct tree_stmt *stmt;
    const struct tree_expr *pointer;
    const char *what;
};

/* The first access that is known to be wrong; false: there is none. What parameters, calls and memory say of addresses
 * is not known. */
bool tree_space_fault(const struct tree *t, struct space_fault *fault);

#endif
