/* --tune: what sdfg_tune finds, as it is found. */
#ifndef ENGINE_CLI_TUNING_H
#define ENGINE_CLI_TUNING_H

#include "engine/cli/inputs.h"

#include <stdio.h>

/* Prints a table of trials to `out`; the result is the caller's. An exit code, after a message. */
int tuning_run(const struct inputs *in, FILE *out, sdfg_tuned *found);

#endif
