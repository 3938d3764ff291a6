/* How the tools end when memory does. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "base/fatal.h"
#include "engine/cli/command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void memory_ended(void *tool, const char *message)
{
    fprintf(stderr, "%s: %s\n", (const char *)tool, message);
    exit(EXIT_MISSING);
}

/* First thing in main: `tool` is its name, static. */
static inline void memory_begin(const char *tool) { fatal_set_handler(memory_ended, (void *)(uintptr_t)tool); }

#endif
