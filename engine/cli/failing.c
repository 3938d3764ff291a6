#include "engine/cli/failing.h"

#include "cache/folder.h"
#include "engine/cli/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "failing.sdfg" or "failing.sdfgz"; NULL if the file is no graph, or standard input. */
static const char *name_for(const char *program)
{
    const char *dot = program ? strrchr(program, '.') : NULL;
    if (dot && !strcmp(dot, ".sdfg"))
        return "failing.sdfg";
    return dot && !strcmp(dot, ".sdfgz") ? "failing.sdfgz" : NULL;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(file, bytes, size);
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Aside and renamed, so a link in the folder is replaced and never followed. */
static bool put(int folder, const char *name, const char *bytes, size_t size)
{
    char aside[64];
    snprintf(aside, sizeof aside, "%s.%ld.tmp", name, (long)getpid());
    int file = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return false;
    bool ok = write_all(file, bytes, size);
    ok = !close(file) && ok && !renameat(folder, aside, folder, name);
    if (!ok)
        unlinkat(folder, aside, 0);
    return ok;
}

/* Copies the program into the folder of the cache of an engine. */
static void keep_in(const char *path, const char *program, const char *name, const char *tool)
{
    const char *why;
    char reason[128];
    size_t size;
    char *bytes = file_bytes(program, FILE_TEXT_BYTES, &size, reason, sizeof reason);
    int folder = bytes ? folder_open(path, true, NULL, &why) : -1;
    if (folder >= 0 && put(folder, name, bytes, size))
        fprintf(stderr, "%s: the program is kept in %s/%s\n", tool, path, name);
    if (folder >= 0)
        close(folder);
    free(bytes);
}

void failing_keep(const struct command *c)
{
    sdfg_options o = c->options;
    sdfg_engine *engine;
    sdfg_cache_info info = { .struct_size = sizeof info };
    const char *name = name_for(c->program);
    if (!name)
        return;
    if (!o.cache_dir)
        o.cache_dir = "default";
    sdfg_error_free(sdfg_engine_new(&engine, &o));
    if (!engine)
        return;
    sdfg_engine_cache(engine, &info);
    if (info.folder)
        keep_in(info.folder, c->program, name, tool_name(c->tool));
    sdfg_engine_free(engine);
}
