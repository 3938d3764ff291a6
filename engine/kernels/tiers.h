/* Optimized code for kernels of the quick tier, made by a thread of the engine while they are used.
 *
 * A kernel of the quick tier asks for it with its second call: one that is called once does not need it. The thread
 * compiles one kernel after the other and ends when there is none left; engines that never need it have none. The new
 * kernel takes the place of the old one in the table of the program, and calls that still hold the old one run it by
 * way of `better` (engine/kernels/kernel.h). A kernel that cannot be compiled stays as it is. */
#ifndef ENGINE_TIERS_H
#define ENGINE_TIERS_H

#include "engine/kernels/kernel.h"

struct tiers; /* of an engine */
struct tiers *tiers_new(void);
void tiers_free(struct tiers *t); /* after all programs */

/* A call of a kernel of the quick tier begins; its caller has pinned it. Any thread. */
void tiers_called(struct tiers *t, struct sdfg_kernel *k);
/* What is queued for a program is forgotten, what is being compiled waited for. */
void tiers_forget(struct tiers *t, const struct sdfg_program *p);
/* Until nothing is queued or compiled. */
void tiers_wait(struct tiers *t);

#endif
