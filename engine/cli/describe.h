#ifndef ENGINE_CLI_DESCRIBE_H
#define ENGINE_CLI_DESCRIBE_H

#include "engine/cli/command.h"

/* What a program takes and holds, on stdout; `memory` is what SDFG_EMIT_MEMORY gives, or NULL. */
void describe(const sdfg_program *p, enum describe how, const char *memory);

#endif
