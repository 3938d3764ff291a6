/* Each function of the API while allocations fail: an error of class ENVIRONMENT or success, nothing that stays behind,
 * and the same again succeeds afterwards.
 *
 *     fail-api FILE SCENARIO|core|llvm|all|files STRIDE [FIRST [LAST]]
 *
 * Every n-th allocation fails once, in a process of its own: n = FIRST, FIRST + STRIDE, ... until the work is through
 * without a failure (or LAST). Then all from the n-th on. `llvm`: the scenarios that compile; `core`: the
 * others. The folder for the disk cache is a new one. With TEST_COUNTS in the environment processes end by exit, which
 * writes counts of what ran. `files`: calls on files fail
 * instead, as they do on a disk that is full or breaks, and as signals interrupt them. */
#include "tests/fail/interpose.h"
#include "tests/fail/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANGS_AFTER = 60 };

static int file_error; /* errno of calls on files that fail; 0: allocations do */

void leave(int status)
{
    if (getenv("TEST_COUNTS"))
        exit(status);
    _exit(status);
}

void must(sdfg_error *e)
{
    if (!e)
        return;
    fprintf(stderr, "preparation: %s", sdfg_error_text(e));
    leave(3);
}

static void release(struct state *s)
{
    sdfg_engine_wait(s->engine);
    sdfg_engine_free(s->engine); /* first: the others go on without it */
    sdfg_program_free(s->program);
    sdfg_bound_free(s->bound);
    sdfg_kernel_free(s->kernel);
    sdfg_args_free(s->args);
    sdfg_stream_free(s->stream);
    if (s->cache && strstr(s->cache, "/tmp/sdfg-fail-") == s->cache) {
        char command[256];
        snprintf(command, sizeof command, "rm -rf %s", s->cache);
        if (system(command))
            leave(3);
    }
}

/* What stays, in blocks; *failed: allocations that did. */
static long run(const struct scenario *c, const char *file, long n, bool on, int *failed, bool *abandoned)
{
    static struct state s;
    memset(&s, 0, sizeof s);
    s.file = file;
    if (c->prepare)
        c->prepare(&s);
    if (file_error)
        fail_file_at(n, on, file_error);
    else
        fail_at(n, on);
    sdfg_error *e = c->work(&s);
    *failed = file_error ? fail_file_failed() : fail_failed();
    fail_at(0, false);
    fail_file_at(0, false, 0);
    if (e && sdfg_error_class_of(e) != SDFG_ERROR_ENVIRONMENT) {
        fprintf(stderr, "not of class environment: %s", sdfg_error_text(e));
        leave(5);
    }
    if (e && !*failed) {
        fprintf(stderr, "fails without a reason: %s", sdfg_error_text(e));
        leave(6);
    }
    sdfg_error_free(e);
    e = c->work(&s);
    sdfg_stats stats = { .struct_size = sizeof stats };
    sdfg_engine_stats(s.engine, &stats);
    *abandoned = stats.abandoned;
    if (e && !(c->first && *abandoned)) {
        fprintf(stderr, "fails again: %s", sdfg_error_text(e));
        leave(7);
    }
    sdfg_error_free(e);
    release(&s);
    return fail_live();
}

/* In a process of its own, so that a crash is one. 0: good, 1: good and nothing failed, else bad. `usual`: blocks that
 * stay when nothing fails; -1: unknown. */
static int attempt(const struct scenario *c, const char *file, long n, bool on, long usual)
{
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (!child) {
        int failed;
        bool abandoned;
        alarm(HANGS_AFTER);
        long left = run(c, file, n, on, &failed, &abandoned);
        if (usual >= 0 && left > usual && !abandoned) {
            fprintf(stderr, "%ld blocks stay behind\n", left - usual);
            leave(8);
        }
        leave(failed ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The first use of a library leaves things behind that stay. */
static long usual_of(const struct scenario *c, const char *file)
{
    int failed;
    bool abandoned;
    if (c->first)
        return -1;
    long before = run(c, file, 0, false, &failed, &abandoned), after = run(c, file, 0, false, &failed, &abandoned);
    return after + (after - before);
}

static unsigned try_all(const struct scenario *c, const char *file, long stride, long first, long last)
{
    unsigned bad = 0;
    long usual = usual_of(c, file);
    for (int on = 0; on < (file_error == EINTR ? 1 : 2); on++) { /* whoever is interrupted for ever waits for ever */
        long n = first;
        int code = 0;
        for (; code != 1 && (!last || n <= last); n += stride) {
            code = attempt(c, file, n, on, usual);
            if (code > 1) {
                printf("%s: %s %ld fails%s: %s %d\n", c->name, file_error ? "call on files" : "allocation", n,
                       on ? " and all after it" : "", code > 128 ? "signal" : "status", code > 128 ? code - 128 : code);
                bad++;
            }
        }
        printf("%s: up to %s %ld%s\n", c->name, file_error ? "call on files" : "allocation", n - stride,
               on ? " and all after it" : "");
    }
    return bad;
}

enum { NUM_LISTS = 3 };
static const struct scenario *const lists[NUM_LISTS] = { call_scenarios, setting_scenarios, graph_scenarios };

static unsigned try_files(const char *file, long stride, long first, long last)
{
    static const char *const names[] = { "load", "engine", "disk", "store", "full", "python", "graph-text" };
    static const int errors[] = { EIO, EINTR, ENOSPC };
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int l = 0; l < NUM_LISTS; l++)
            for (const struct scenario *s = lists[l]; s->name; s++)
                for (int k = 0; k < 3 && !strcmp(s->name, names[i]); k++) {
                    file_error = errors[k];
                    bad += try_all(s, file, stride, first, last);
                }
    return bad;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    long stride = strtol(argv[3], NULL, 10), first = argc > 4 ? strtol(argv[4], NULL, 10) : 1;
    long last = argc > 5 ? strtol(argv[5], NULL, 10) : 0;
    unsigned bad = 0, tried = 0;
    setbuf(stdout, NULL);
    for (int i = 0; i < NUM_LISTS; i++)
        for (const struct scenario *s = lists[i]; s->name; s++) {
            bool among = !strcmp(argv[2], s->llvm ? "llvm" : "core");
            if (!among && strcmp(argv[2], "all") && strcmp(argv[2], s->name))
                continue;
            bad += try_all(s, argv[1], stride, first, last);
            tried++;
        }
    if (!strcmp(argv[2], "files")) {
        bad += try_files(argv[1], stride, first, last);
        tried++;
    }
    return bad || !tried;
}
