/* Two versions of a call, which take turns with the same memory. */
#ifndef ENGINE_TUNE_CONTEST_H
#define ENGINE_TUNE_CONTEST_H

#include "base/sample.h"
#include "engine/tune/own.h"

enum { CONTEST_LEAST_ROUNDS = 5, CONTEST_MOST_ROUNDS = 32 };

struct contest {
    struct own *own;
    sdfg_bound *base, *other;
    int rounds; /* at most, but for CONTEST_LEAST_ROUNDS */
    double end; /* on the clock: no further rounds */
    int threads;
};

enum contest_end { CONTEST_DONE, CONTEST_DIFFERS, CONTEST_FAILED };

double contest_now(void);
/* CONTEST_DONE: the times of `other` by those of `base`. CONTEST_FAILED: a call failed, or there is no memory, for
 * which there may be an error. A version that is clearly slower is measured less often. */
enum contest_end contest(const struct contest *c, struct estimate *ratio, sdfg_error **error);
/* Seconds of a call that is not the first. */
sdfg_error *contest_time(const struct contest *c, sdfg_bound *side, double *seconds);

#endif
