/* Which symbols become constants. `auto` takes all until a program has been called with many different combinations of
 * values; from then on, combinations that are new only fix the symbols that never changed, so that sizes do not cause a
 * storm of compilations. */
#ifndef ENGINE_POLICY_H
#define ENGINE_POLICY_H

#include "base/text.h"
#include "engine/program/program.h"

enum { POLICY_COMBINATIONS = 8, POLICY_CLASSES = 6 };

struct policy *policy_new(const struct sdfg_program *p);
void policy_free(struct policy *y);
struct choice {
    const sdfg_symbol *bound; /* in the order of the program's variables */
    uint32_t num_bound;
    bool coarse; /* all arrays count as overlapping and aligned to their elements only */
};
/* What is bound for a call with these values of symbols, in `a`. What else a signature holds comes in a few classes, of
 * which `class` is a hash: when a program under `auto` has met many of them, others are not worth code of their own.
 * Remembers values and class if asked. Any thread; a lock is taken for what is new, so calls of the same sizes do not
 * wait for each other. */
struct choice policy_choose(struct policy *y, const struct symbol_value *values, uint64_t class, bool device,
                            bool remember, struct arena *a);
void policy_explain(struct policy *y, struct text *out); /* one line */

#endif
