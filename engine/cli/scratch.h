/* A folder for what programs write where they run, removed with all that is in it. */
#ifndef ENGINE_CLI_SCRATCH_H
#define ENGINE_CLI_SCRATCH_H

#include <stdbool.h>

struct scratch {
    char path[4096]; /* "" if there is none */
};

/* Below TMPDIR. False with errno set, and no folder: it cannot be made. */
bool scratch_make(struct scratch *s, const char *name);
void scratch_remove(struct scratch *s);

#endif
