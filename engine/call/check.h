/* What checked mode finds, as errors (docs/checking.md). */
#ifndef ENGINE_CALL_CHECK_H
#define ENGINE_CALL_CHECK_H

#include "engine/error.h"

struct sdfg_engine;
struct sdfg_rt_faults;
struct sdfg_args;

/* The error of a call that had faults; the callback of the options hears of it first. */
sdfg_error *fault_error(const struct sdfg_engine *e, const struct sdfg_rt_faults *f);
/* Arguments that share memory although they may not; NULL: there are none. */
sdfg_error *alias_error(const struct sdfg_args *a);

#endif
