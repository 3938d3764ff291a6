/* Programs that a pass, a target or the validator fails on. */
#ifndef ENGINE_CLI_FAILING_H
#define ENGINE_CLI_FAILING_H

#include "engine/cli/command.h"

/* An error before the program runs, of ours, of the validator, or of a plug-in's pass, graph or target. */
bool failing_is_kept(const sdfg_error *e);
/* Copies the program of the command, of Python programs the graph, to "failing.sdfg" in the folder of the cache and
 * says so on stderr. Nothing without a cache, for standard input, and if the folder cannot be used. */
void failing_keep(const struct command *c);

#endif
