/* How much memory a program takes, as far as that is known without running it. */
#ifndef LOWER_TREE_MEMORY_H
#define LOWER_TREE_MEMORY_H

#include "base/text.h"
#include "lower/tree/tree.h"

/* As JSON, in bytes: {"transients": N, "per_thread": N, "persistent": N, "unknown": N}. What one call takes from the
 * heap at one time at most; what each thread of a parallel region takes on top of it; what is kept from call to call;
 * and how many allocations have sizes that depend on data or on symbols without a value, and are in none of these
 * numbers.
 *
 * The tree is the one that code is made of. */
void tree_memory(const struct tree *t, struct text *out);

#endif
