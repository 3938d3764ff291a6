#include "engine/cli/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool scratch_make(struct scratch *s, const char *name)
{
    const char *place = getenv("TMPDIR");
    snprintf(s->path, sizeof s->path, "%s/%s.XXXXXX", place && *place ? place : "/tmp", name);
    bool made = mkdtemp(s->path);
    if (!made)
        s->path[0] = 0;
    return made;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void scratch_remove(struct scratch *s)
{
    if (s->path[0])
        nftw(s->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    s->path[0] = 0;
}
