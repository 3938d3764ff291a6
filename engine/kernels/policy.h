/* Which symbols become constants. `auto` takes all until a program has been called with many different combinations of
 * values; from then on, combinations that are new only fix the symbols that never changed, so that sizes do not cause a
 * storm of compilations. */
#ifndef ENGINE_POLICY_H
#define ENGINE_POLICY_H

#include "base/text.h"
#include "engine/program.h"

enum { POLICY_COMBINATIONS = 8, POLICY_CLASSES = 6 };

struct policy *policy_new(const struct sdfg_program *p);
void policy_free(struct policy *y);
/* The symbols of a call to be bound, in the order of the program's variables; remembers the combination if asked. Any
 * thread. */
uint32_t policy_bound(struct policy *y, const struct value *values, bool remember, struct arena *a,
                      const struct codegen_symbol **out);
/* What else a signature holds comes in a few classes. When a program under `auto` has met many of them, all arrays
 * count as overlapping and aligned to their elements only. `hash`: of those classes; true if this one is not worth code
 * of its own any more. */
bool policy_coarse(struct policy *y, uint64_t hash, bool remember);
void policy_explain(struct policy *y, struct text *out); /* one line */

#endif
