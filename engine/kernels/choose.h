/* Which of CPU and GPU a call runs on, for engines that choose (sdfg_options.device "auto"). */
#ifndef ENGINE_CHOOSE_H
#define ENGINE_CHOOSE_H

#include "engine/args/args.h"

/* What is known of the costs of a program, by the values of its symbols. */
struct choices *choices_new(const struct sdfg_program *p);
void choices_free(struct choices *c);

/* True for the GPU. After the symbols are solved and the arguments are measured. *why (or NULL): in words, in `a`, for
 * a remark; NULL if nothing was to be chosen. */
bool choose_device(const struct sdfg_args *args, struct arena *a, const char **why);

#endif
