/* What is written instead of running the program. Each returns the exit code. */
#ifndef ENGINE_CLI_EMIT_H
#define ENGINE_CLI_EMIT_H

#include "engine/cli/inputs.h"

int emit_program(const struct inputs *in); /* --emit= */
int emit_view(const struct inputs *in);    /* the same of pages and dot */
int emit_remarks(const struct inputs *in);
int emit_explanation(const struct inputs *in);

#endif
