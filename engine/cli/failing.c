#include "engine/cli/failing.h"

#include "cache/folder.h"
#include "engine/cli/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum program_kind { PROGRAM_OTHER, PROGRAM_GRAPH, PROGRAM_ZIPPED, PROGRAM_PYTHON };

/* PROGRAM_OTHER: the name is that of no program, or standard input. */
static enum program_kind kind_of(const char *program)
{
    static const struct {
        const char *end;
        enum program_kind kind;
    } ends[] = { { ".sdfg", PROGRAM_GRAPH }, { ".sdfgz", PROGRAM_ZIPPED }, { ".py", PROGRAM_PYTHON } };
    const char *dot = program ? strrchr(program, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i].end); /* FILE.py:NAME is one function of a file */
        bool over = !dot[length] || (ends[i].kind == PROGRAM_PYTHON && dot[length] == ':');
        if (!strncmp(dot, ends[i].end, length) && over)
            return ends[i].kind;
    }
    return PROGRAM_OTHER;
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

/* The bytes of the file, or the graph that was made of a Python program; NULL: there are none. */
static char *content(const struct command *c, sdfg_engine *engine, enum program_kind kind, size_t *size)
{
    char reason[128], *bytes = NULL;
    sdfg_program *program = NULL;
    const sdfg_export x = { .struct_size = sizeof x, .form = SDFG_EXPORT_SDFG };
    if (kind != PROGRAM_PYTHON)
        return file_bytes(c->program, FILE_TEXT_BYTES, size, reason, sizeof reason);
    sdfg_error_free(sdfg_program_load_file(&program, engine, c->program));
    if (program)
        sdfg_error_free(sdfg_program_export(&bytes, size, program, &x));
    sdfg_program_free(program);
    return bytes;
}

static void keep_in(const char *path, const char *name, const char *bytes, size_t size, const char *tool)
{
    const char *why;
    int folder = folder_open(path, true, NULL, &why);
    if (folder >= 0 && put(folder, name, bytes, size))
        fprintf(stderr, "%s: the program is kept in %s/%s\n", tool, path, name);
    if (folder >= 0)
        close(folder);
}

bool failing_is_kept(const sdfg_error *e)
{
    /* rules of the format, and what passes and targets of plug-ins say or give */
    static const char *const begins[] = { "RULE_",   "PASS_FAILED",   "PASS_GAVE",   "PASS_FACT",
                                          "EXPAND_", "TARGET_FAILED", "TARGET_CODE", "TARGETS_DISAGREE" };
    bool kept = sdfg_error_class_of(e) == SDFG_ERROR_BUG;
    for (size_t i = 0; i < sdfg_error_count(e); i++)
        for (size_t k = 0; k < sizeof begins / sizeof *begins && !sdfg_error_get(e, i)->warning; k++)
            kept |= !strncmp(sdfg_error_get(e, i)->code, begins[k], strlen(begins[k]));
    return kept && sdfg_error_stage_of(e) != SDFG_STAGE_RUN;
}

void failing_keep(const struct command *c)
{
    sdfg_options o = c->options;
    sdfg_engine *engine;
    sdfg_cache_info info = { .struct_size = sizeof info };
    enum program_kind kind = kind_of(c->program);
    size_t size = 0;
    if (kind == PROGRAM_OTHER)
        return;
    if (!o.cache_dir)
        o.cache_dir = "default";
    o.plugins = o.passes = NULL; /* the program as it was before them */
    sdfg_error_free(sdfg_engine_new(&engine, &o));
    if (!engine)
        return;
    sdfg_engine_cache(engine, &info);
    char *bytes = info.folder ? content(c, engine, kind, &size) : NULL;
    if (bytes)
        keep_in(info.folder, kind == PROGRAM_ZIPPED ? "failing.sdfgz" : "failing.sdfg", bytes, size,
                tool_name(c->tool));
    if (kind == PROGRAM_PYTHON)
        sdfg_text_free(bytes);
    else
        free(bytes);
    sdfg_engine_free(engine);
}
