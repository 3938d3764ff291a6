/* sdfg-run --watch: the program runs, and again whenever a file changes that the run read. */
#ifndef CLI_RERUN_H
#define CLI_RERUN_H

#include "engine/cli/command.h"

/* Runs the program in a process of its own, again and again, until a signal ends it. An exit code if it cannot start.
 */
int rerun_program(const struct command *c);
/* Tells the process that watches, if there is one, which files the program was read from. */
void rerun_tell(const struct command *c, const sdfg_program *p);

#endif
