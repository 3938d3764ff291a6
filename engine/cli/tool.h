/* What the tools that take a program and write something of it share. */
#ifndef ENGINE_CLI_TOOL_H
#define ENGINE_CLI_TOOL_H

#include "engine/cli/command.h"

/* The main function of a tool: options, --help and --version, `work` for the rest, and the exit code, once what was
 * written to standard output has arrived. */
int tool_main(enum tool tool, int argc, char **argv, int (*work)(const struct command *c));

/* Says so; an exit code. */
int tool_out_of_memory(const struct command *c);

/* NAME=VALUE of the command as symbols, `c->values.count` of them. EXIT_USAGE: one is no whole number. */
int tool_symbols(const struct command *c, sdfg_symbol *symbols);

/* Writes a file, NULL: to standard output. */
int tool_write(const struct command *c, const char *path, const char *bytes, size_t size);

#endif
