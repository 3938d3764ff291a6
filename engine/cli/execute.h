#ifndef ENGINE_CLI_EXECUTE_H
#define ENGINE_CLI_EXECUTE_H

#include "engine/cli/command.h"

/* sdfg-run PROGRAM: loads it, does what the options ask, runs it. The exit code. */
int run_program(const struct command *c);
double seconds_now(void);

#endif
