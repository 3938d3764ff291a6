/* What a command line says about a program in Python. */
#ifndef ENGINE_CLI_PYTHON_OPTIONS_H
#define ENGINE_CLI_PYTHON_OPTIONS_H

#include "engine/cli/command.h"

/* Sets options.python: the types of parameters that values have (--A=@a.npy, --A=float64[100,N], --x=1.5), for those
 * without annotation, and the options of the reader. Values that are types are taken out of the list. Nothing for other
 * programs. */
void python_options(struct command *c);

#endif
