/* The kernels that calls with one set of arguments took last: a call that wants one of them finds it without asking the
 * store, whose lock all threads of an engine share.
 *
 * They are pinned. When pinned kernels keep the store above its limit (kernels_crowded), the next call gives back all
 * but its own; arguments that are not used keep what they have. To the store a kernel is used when it is asked for and
 * when it is given back, not by the calls in between. */
#ifndef ENGINE_RECENT_H
#define ENGINE_RECENT_H

#include "engine/args/args.h"
#include "engine/kernels/kernel.h"

/* As many as a program gets for single combinations of sizes. */
enum { RECENT_KERNELS = 8 };

struct recent {
    struct sdfg_kernel *kernels[RECENT_KERNELS]; /* the first is that of the last call */
    uint32_t count;
    uint32_t crowded; /* kernels_crowded, when pins were given back last */
};

/* The kernel for a signature, pinned at least until the next call of this function; NULL with *error set. */
struct sdfg_kernel *recent_kernel(struct recent *r, struct kernel_table *t, const struct signature *s,
                                  sdfg_error **error);
/* Gives all back but the last, if the store became crowded since. */
void recent_make_room(struct recent *r, const struct kernel_table *t);
void recent_release(struct recent *r); /* gives all back */

#endif
