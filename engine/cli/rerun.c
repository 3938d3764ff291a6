#include "engine/cli/rerun.h"

#include "engine/cli/execute.h"
#include "engine/cli/file.h"
#include "engine/cli/memory.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY = 100000000 }; /* nanoseconds */

struct watched {
    char *path;
    struct stat as_it_was; /* all zero: it is not there */
};

struct watched_files {
    struct watched *items;
    size_t count;
};

static struct stat look_at(const char *path)
{
    struct stat s;
    if (stat(path, &s))
        memset(&s, 0, sizeof s);
    return s;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void add_file(struct watched_files *f, const char *path, size_t length)
{
    for (size_t i = 0; i < f->count; i++)
        if (strlen(f->items[i].path) == length && !memcmp(f->items[i].path, path, length))
            return;
    struct watched *more = realloc(f->items, (f->count + 1) * sizeof *more);
    char *copy = strndup(path, length);
    if (!more || !copy)
        fatal_memory();
    f->items = more;
    f->items[f->count++] = (struct watched){ copy, look_at(copy) };
}

/* The file of "prog.py:f". */
static size_t length_of_file(const char *program)
{
    const char *colon = strrchr(program, ':');
    bool function = colon && colon - program > 3 && !strncmp(colon - 3, ".py", 3) && !strchr(colon, '/');
    return function ? (size_t)(colon - program) : strlen(program);
}

static void add_values(struct watched_files *f, const struct pairs *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (*list->items[i].value == '@')
            add_file(f, list->items[i].value + 1, strlen(list->items[i].value + 1));
}

static void add_told(struct watched_files *f, int from)
{
    FILE *in = fdopen(from, "r");
    char *path = NULL;
    size_t room = 0;
    ssize_t length;
    while (in && (length = getdelim(&path, &room, 0, in)) > 0)
        add_file(f, path, strlen(path));
    free(path);
    if (in)
        fclose(in);
}

void rerun_tell(const struct command *c, const sdfg_program *p)
{
    const char *path;
    for (size_t i = 0; c->told_to && (path = sdfg_program_source(p, i)); i++)
        if (write(c->told_to, path, strlen(path) + 1) < 0)
            return; /* nobody watches any more */
}

/* False if there can be no process. */
static bool run_once(const struct command *c, struct watched_files *f, int *status)
{
    int ends[2];
    if (pipe(ends))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct command own = *c;
        close(ends[0]);
        own.told_to = ends[1];
        if (c->timeout >= 0)
            watch_limit(c->timeout);
        exit(file_end_output("sdfg-run", run_program(&own)));
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    add_told(f, ends[0]);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return true;
}

/* The path of the first file that has changed, or NULL. All are taken as they are now. */
static const char *changed(struct watched_files *f)
{
    const char *path = NULL;
    for (size_t i = 0; i < f->count; i++) {
        struct stat now = look_at(f->items[i].path);
        if (!is_same(&now, &f->items[i].as_it_was) && !path)
            path = f->items[i].path;
        f->items[i].as_it_was = now;
    }
    return path;
}

int rerun_program(const struct command *c)
{
    struct watched_files f = { 0 };
    const struct timespec pause = { .tv_nsec = LOOK_EVERY };
    int status = 0;
    if (ranks_size() > 1 || !c->program || *c->program == '-') {
        fputs("sdfg-run: --watch is for a program in a file, run by one process\n", stderr);
        return EXIT_USAGE;
    }
    add_file(&f, c->program, length_of_file(c->program));
    add_values(&f, &c->values);
    add_values(&f, &c->expects);
    while (run_once(c, &f, &status) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)) {
        const char *path;
        fprintf(stderr, "sdfg-run: waiting for a change of %zu file%s\n", f.count, f.count == 1 ? "" : "s");
        while (!(path = changed(&f)))
            nanosleep(&pause, NULL);
        do /* whoever writes it may not be through */
            nanosleep(&pause, NULL);
        while (changed(&f));
        fprintf(stderr, "sdfg-run: %s has changed\n", path);
    }
    for (size_t i = 0; i < f.count; i++)
        free(f.items[i].path);
    free(f.items);
    if (WIFSIGNALED(status))
        return EXIT_GOOD;
    perror("sdfg-run: --watch");
    return EXIT_MISSING;
}
