/* Choice of passes by measurement, where models fail (docs/tuning.md): what code runs for one signature and number of
 * threads is compared with what it would be without a pass, or with another number for one. */
#ifndef ENGINE_TUNE_H
#define ENGINE_TUNE_H

#include "engine/args/args.h"
#include "engine/tune/known.h"

/* Of calls with these arguments; 0: what the engine says. */
int tune_threads(const struct sdfg_engine *e, int num_threads);
/* In an engine whose calls are tuned: what is known of the signature becomes part of it. */
void tune_apply(struct sdfg_program *p, struct signature *s, int num_threads);
/* The same for a call, whose arguments are settled; what is not known is measured first. Never fails. */
void tune_for_call(struct sdfg_args *a, struct signature *s);
/* For people, one line: what is known about the choice. */
void tune_explain(struct sdfg_program *p, const struct signature *s, int num_threads, struct text *out);

#endif
