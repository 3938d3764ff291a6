/* sdfg-run --list=WHAT */
#ifndef ENGINE_CLI_LIST_H
#define ENGINE_CLI_LIST_H

#include "engine/cli/command.h"

int list_command(const struct command *c); /* the exit code */

#endif
