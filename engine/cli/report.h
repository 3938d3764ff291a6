/* Errors of the library on the terminal. */
#ifndef ENGINE_CLI_REPORT_H
#define ENGINE_CLI_REPORT_H

#include "engine/cli/command.h"

/* Prints the error and frees it (some keep the program, failing.h); the exit code that stands for it. */
int report_error(const struct command *c, sdfg_error *e);
int report_exit_code(const sdfg_error *e);

#endif
