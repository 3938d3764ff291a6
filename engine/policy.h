/* Which symbols become constants. `auto` takes all until a program has been called with many different combinations of
 * values; from then on, combinations that are new only fix the symbols that never changed, so that sizes do not cause a
 * storm of compilations. */
#ifndef ENGINE_POLICY_H
#define ENGINE_POLICY_H

#include "engine/program.h"

enum { POLICY_COMBINATIONS = 8 };

struct policy *policy_new(const struct sdfg_program *p);
void policy_free(struct policy *y);
/* The symbols of a call to be bound, in the order of the program's variables; remembers the combination. Any thread. */
uint32_t policy_bound(struct policy *y, const struct value *values, struct arena *a, const struct codegen_symbol **out);

#endif
