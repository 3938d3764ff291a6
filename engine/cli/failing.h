/* Programs that show an error of ours. */
#ifndef ENGINE_CLI_FAILING_H
#define ENGINE_CLI_FAILING_H

#include "engine/cli/command.h"

/* Copies the program of the command to "failing.sdfg" in the folder of the cache and says so on stderr. Nothing without
 * a cache, for programs that are no files of graphs, and if the folder cannot be used. */
void failing_keep(const struct command *c);

#endif
