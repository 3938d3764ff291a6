/* compile-all FOLDER [--list=FILE] [--every=N] [--jobs=N] [--seconds=N] [--results=FILE]: every .sdfg and .sdfgz below
 * FOLDER becomes an object file, or is refused for a reason that is known:
 * - it asks for a schedule or storage that no target of this machine serves;
 * - it is not valid, and FOLDER/SOURCES.tsv does not say that DaCe finds it so;
 * - the list file has it as "PATH<TAB>reason"; a listed file that compiles must leave the list.
 * Every file is compiled by a process of its own, which may use N seconds of the processor (10); an internal error, a
 * crash or a file that takes longer is never accepted. --every=N takes one file of N; --results writes what came out, a
 * line per file. */
#include "sdfg.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct lines {
    char **items;
    size_t count;
};

struct task {
    const char *path;
    pid_t pid;
    int pipe;
};

/* What one file came to; the child writes it as a line. */
enum outcome { COMPILED, NO_TARGET, REFUSED, INVALID, BROKEN };

static struct lines files; /* nftw has no argument for its caller */

static void add_line(struct lines *l, const char *text)
{
    l->items = realloc(l->items, (l->count + 1) * sizeof *l->items);
    if (!l->items || !(l->items[l->count++] = strdup(text))) {
        perror("compile");
        exit(2);
    }
}

static int add_file(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    const char *end = strrchr(path, '.');
    if (kind == FTW_F && end && (!strcmp(end, ".sdfg") || !strcmp(end, ".sdfgz")))
        add_line(&files, path);
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The first fields of the lines for which `wanted` is in field `column` (0: all). */
static struct lines read_lines(const char *path, int column, const char *wanted)
{
    struct lines l = { 0 };
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(2);
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        const char *field = line;
        for (int i = 0; i < column && field; i++)
            field = (field = strchr(field, '\t')) ? field + 1 : NULL;
        if (*line == '#' || !field || (column && strncmp(field, wanted, strcspn(field, "\t")) != 0))
            continue;
        line[strcspn(line, "\t")] = 0;
        add_line(&l, line);
    }
    free(line);
    fclose(f);
    qsort(l.items, l.count, sizeof *l.items, by_text);
    return l;
}

static bool has_line(const struct lines *l, const char *text)
{
    return l->count && bsearch(&text, l->items, l->count, sizeof *l->items, by_text);
}

/* ---- one file, in a process of its own ---- */

static enum outcome outcome_of(const sdfg_error *e)
{
    const char *code = sdfg_error_code(e);
    switch (sdfg_error_class_of(e)) {
    case SDFG_ERROR_INVALID:
        return INVALID;
    case SDFG_ERROR_UNSUPPORTED:
        return !strcmp(code, "NO_SCHEDULE_TARGET") || !strcmp(code, "NO_STORAGE_TARGET") ? NO_TARGET : REFUSED;
    case SDFG_ERROR_ENVIRONMENT:
        return REFUSED;
    default:
        return BROKEN;
    }
}

static enum outcome compile(sdfg_engine *engine, const char *path, char *why, size_t size)
{
    sdfg_program *p = NULL;
    char *object = NULL;
    sdfg_error *e = sdfg_program_load_file(&p, engine, path);
    if (!e)
        e = sdfg_program_emit(&object, NULL, p, SDFG_EMIT_OBJECT, NULL, 0);
    if (!e)
        return COMPILED;
    snprintf(why, size, "%s\t%s\t%s", sdfg_error_code(e), sdfg_error_message(e), sdfg_error_path(e));
    if (!*sdfg_error_path(e) && !strcmp(sdfg_error_class_name(sdfg_error_class_of(e)), "unsupported")) {
        snprintf(why, size, "no element path: %s", sdfg_error_message(e));
        return BROKEN;
    }
    return outcome_of(e);
}

static struct task start(sdfg_engine *engine, const char *path, unsigned seconds)
{
    struct task t = { .path = path };
    int ends[2];
    if (pipe(ends) || (t.pid = fork()) < 0) {
        perror("compile");
        exit(2);
    }
    t.pipe = ends[0];
    if (t.pid) {
        close(ends[1]);
        return t;
    }
    struct rlimit limit = { seconds, seconds + 1 };
    setrlimit(RLIMIT_CPU, &limit);
    alarm(20 * seconds); /* for one that waits */
    char line[4096] = "";
    line[0] = (char)('0' + compile(engine, path, line + 1, sizeof line - 1));
    _exit(write(ends[1], line, strlen(line)) < 0);
}

/* ---- all of them ---- */

struct report {
    const struct lines *listed, *valid;
    size_t folder; /* length of its path */
    FILE *results;
    unsigned count[5], excused, unexpected;
};

static void complain(struct report *r, const char *path, const char *what, const char *why)
{
    r->unexpected++;
    printf("%s: %s %s\n", path, what, why);
}

static void judge(struct report *r, const struct task *t, enum outcome o, const char *why)
{
    static const char *const names[] = { "compiled", "no target", "refused", "not valid", "broken" };
    const char *path = t->path + r->folder;
    bool listed = has_line(r->listed, path);
    r->count[o]++;
    if (r->results)
        fprintf(r->results, "%s\t%s\t%s\n", names[o], path, why);
    if (o == BROKEN)
        complain(r, path, "must never happen:", why);
    else if (listed && o == COMPILED)
        complain(r, path, "compiles, but is listed", "");
    else if (listed)
        r->excused++;
    else if (o == REFUSED || (o == INVALID && has_line(r->valid, path)))
        complain(r, path, names[o], why);
}

static void finish(struct report *r, const struct task *t)
{
    char line[4096] = "";
    size_t length = 0;
    for (ssize_t n; length < sizeof line - 1 && (n = read(t->pipe, line + length, sizeof line - 1 - length)) > 0;)
        length += (size_t)n;
    close(t->pipe);
    int status;
    waitpid(t->pid, &status, 0);
    if (WIFSIGNALED(status)) {
        int s = WTERMSIG(status);
        snprintf(line, sizeof line, "%s",
                 s == SIGXCPU || s == SIGKILL || s == SIGALRM ? "takes too long" : strsignal(s));
        judge(r, t, BROKEN, line);
    } else if (!length) {
        judge(r, t, BROKEN, "ended without an answer");
    } else {
        judge(r, t, (enum outcome)(line[0] - '0'), line + 1);
    }
}

static const char *option(const char *arg, const char *name)
{
    size_t length = strlen(name);
    return strncmp(arg, name, length) == 0 ? arg + length : NULL;
}

int main(int argc, char **argv)
{
    const char *folder = NULL, *list = NULL, *results = NULL, *value;
    unsigned every = 1, jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), seconds = 10;
    for (int i = 1; i < argc; i++) {
        if ((value = option(argv[i], "--list=")))
            list = value;
        else if ((value = option(argv[i], "--results=")))
            results = value;
        else if ((value = option(argv[i], "--every=")))
            every = (unsigned)atoi(value);
        else if ((value = option(argv[i], "--jobs=")))
            jobs = (unsigned)atoi(value);
        else if ((value = option(argv[i], "--seconds=")))
            seconds = (unsigned)atoi(value);
        else
            folder = argv[i];
    }
    if (!folder || !every || !jobs || jobs > 64 || nftw(folder, add_file, 16, FTW_PHYS) || !files.count)
        return fprintf(
                   stderr,
                   "usage: compile-all FOLDER [--list=FILE] [--every=N] [--jobs=N] [--seconds=N] [--results=FILE]\n"),
               2;
    qsort(files.items, files.count, sizeof *files.items, by_text);
    char sources[4096];
    snprintf(sources, sizeof sources, "%s/SOURCES.tsv", folder);
    struct lines valid = read_lines(sources, 20, "valid");
    struct lines listed = list ? read_lines(list, 0, "") : (struct lines){ 0 };
    struct report r = { .listed = &listed, .valid = &valid, .folder = strlen(folder) + 1 };
    if (results && !(r.results = fopen(results, "w")))
        return perror(results), 2;

    sdfg_engine *engine;
    const char *backend; /* opened once, before forking */
    if (sdfg_engine_new(&engine, NULL) || sdfg_engine_backend(&backend, engine))
        return fprintf(stderr, "no code generator\n"), 2;
    struct task running[64];
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < files.count; i += every) {
        if (end - begin == jobs)
            finish(&r, &running[begin++ % 64]);
        running[end++ % 64] = start(engine, files.items[i], seconds);
    }
    while (begin < end)
        finish(&r, &running[begin++ % 64]);
    printf("%u compiled, %u without a target, %u refused, %u not valid, %u broken; %u of these listed, %u unexpected\n",
           r.count[COMPILED], r.count[NO_TARGET], r.count[REFUSED], r.count[INVALID], r.count[BROKEN], r.excused,
           r.unexpected);
    return r.unexpected != 0;
}
