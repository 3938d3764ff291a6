#include "engine/cli/case.h"
#include "engine/cli/case_find.h"
#include "engine/cli/execute.h"
#include "engine/cli/scratch.h"
#include "engine/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every case runs in a child process that answers through a pipe: a case may crash or hang. The parent has no threads
 * and opens no code generator, so that forking is safe. */

struct job {
    const struct case_entry *entry;
    pid_t pid;
    int pipe;
    double deadline;
    size_t received;
    struct case_result result; /* read piece by piece */
    struct scratch place;      /* where it runs */
};

struct counts {
    unsigned passed, failed, skipped, surprises;
};

static double time_limit(const struct command *c) { return c->timeout >= 0 ? c->timeout : 60; }

static void child(const struct command *c, const struct case_entry *e, const char *place, int pipe)
{
    struct case_result r;
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO); /* tasklets may print */
    dup2(null, STDERR_FILENO);
    memset(&r, 0, sizeof r);
    case_run(c, e->folder, e->sdfg, place, &r);
    const char *at = (const char *)&r;
    for (size_t left = sizeof r; left;) {
        ssize_t n = write(pipe, at, left);
        if (n <= 0)
            break;
        at += n;
        left -= (size_t)n;
    }
    _exit(0);
}

static bool start(struct job *j, const struct command *c, const struct case_entry *e)
{
    int ends[2];
    if (pipe(ends))
        return false;
    fflush(NULL);
    *j = (struct job){ .entry = e, .pipe = ends[0], .deadline = seconds_now() + time_limit(c) };
    if (case_moves(c))
        scratch_make(&j->place, "sdfg-case"); /* or else in the current folder */
    j->pid = fork();
    if (j->pid == 0) {
        close(ends[0]);
        setpgid(0, 0);
        child(c, e, j->place.path, ends[1]);
    }
    close(ends[1]);
    if (j->pid < 0) {
        close(ends[0]);
        scratch_remove(&j->place);
    }
    return j->pid > 0;
}

static void describe_end(struct job *j, int status)
{
    struct case_result *r = &j->result;
    if (j->received == sizeof *r)
        return;
    r->verdict = CASE_FAILED;
    if (WIFSIGNALED(status))
        snprintf(r->text, sizeof r->text, "crash: signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(r->text, sizeof r->text, "crash: the process ended with status %d", WEXITSTATUS(status));
}

static void count(struct counts *n, const struct job *j)
{
    const struct case_entry *e = j->entry;
    bool passed = j->result.verdict == CASE_PASSED;
    if (passed && e->reason && !e->may_pass) {
        printf("%s: passed, but is listed as failing: %s\n", e->name, e->reason);
        n->surprises++;
    } else if (!passed && !e->reason) {
        printf("%s: %s\n", e->name, j->result.text);
    }
    fflush(stdout);
    n->passed += passed;
    n->skipped += !passed && e->reason;
    n->failed += !passed && !e->reason;
}

/* Reads what is there; true when the case has ended. */
static bool advance(struct job *j, const struct command *c, bool readable)
{
    int status = 0;
    if (readable) {
        ssize_t n = read(j->pipe, (char *)&j->result + j->received, sizeof j->result - j->received);
        if (n > 0)
            j->received += (size_t)n;
        if (n > 0 && j->received < sizeof j->result)
            return false;
        if (n < 0 && errno == EINTR)
            return false;
    } else if (seconds_now() < j->deadline) {
        return false;
    }
    bool late = !readable;
    if (late)
        kill(-j->pid, SIGKILL);
    close(j->pipe);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        ;
    scratch_remove(&j->place);
    describe_end(j, status);
    if (late) {
        j->result.verdict = CASE_FAILED;
        snprintf(j->result.text, sizeof j->result.text, "time-out after %g s", time_limit(c));
    }
    return true;
}

/* On a terminal, how far it is; NULL: the line is wiped out. */
static void show_progress(const struct case_list *list, const struct counts *n)
{
    if (!terminal_is(stderr))
        return;
    fputs("\r\033[K", stderr);
    if (n)
        fprintf(stderr, "%u of %u cases, %u failed", n->passed + n->failed + n->skipped,
                list->items.count + list->without_program, n->failed);
}

/* Keeps `num_jobs` cases running until all have ended. */
static bool run_all(const struct command *c, const struct case_list *list, struct job *jobs, struct pollfd *polls,
                    uint32_t num_jobs, struct counts *n)
{
    uint32_t next = 0, running = 0;
    while (next < list->items.count || running) {
        while (running < num_jobs && next < list->items.count) {
            if (!start(&jobs[running], c, &list->items.items[next++])) {
                fprintf(stderr, "sdfg-run: cannot start a process: %s\n", strerror(errno));
                return false;
            }
            running++;
        }
        double wait = jobs[0].deadline;
        for (uint32_t i = 0; i < running; i++) {
            polls[i] = (struct pollfd){ .fd = jobs[i].pipe, .events = POLLIN };
            wait = jobs[i].deadline < wait ? jobs[i].deadline : wait;
        }
        wait -= seconds_now();
        poll(polls, running, wait > 0 ? (int)(wait * 1000) + 1 : 0);
        for (uint32_t i = running; i-- > 0;)
            if (advance(&jobs[i], c, polls[i].revents != 0)) {
                show_progress(list, NULL);
                count(n, &jobs[i]);
                show_progress(list, n);
                jobs[i] = jobs[--running];
            }
    }
    return true;
}

static int run_list(const struct command *c, const struct case_list *list)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t num_jobs = c->jobs ? (uint32_t)c->jobs : processors > 0 ? (uint32_t)processors : 1;
    struct job *jobs = calloc(num_jobs, sizeof *jobs);
    struct pollfd *polls = calloc(num_jobs, sizeof *polls);
    struct counts n = { .skipped = list->without_program };
    bool memory = jobs && polls, ok = memory && run_all(c, list, jobs, polls, num_jobs, &n);
    if (!memory)
        fputs("sdfg-run: out of memory\n", stderr);
    show_progress(list, NULL);
    free(jobs);
    free(polls);
    if (!ok)
        return EXIT_MISSING;
    if (n.surprises)
        printf("%u cases passed and must leave the list\n", n.surprises);
    printf("%u passed, %u failed, %u skipped\n", n.passed, n.failed, n.skipped);
    return n.failed || n.surprises ? EXIT_DIFFERS : EXIT_GOOD;
}

/* Nothing to run is a mistake in a path, not a success. */
static bool has_cases(const struct case_list *list, const char *folder, const char *sdfg_name)
{
    if (list->items.count)
        return true;
    if (list->without_program)
        fprintf(stderr, "sdfg-run: none of the %u cases below '%s' has a file '%s'\n", list->without_program, folder,
                sdfg_name);
    else
        fprintf(stderr, "sdfg-run: there are no cases (case.json) below '%s'\n", folder);
    return false;
}

int cases_command(const struct command *c)
{
    struct case_list list = { .arena = arena_new() };
    int code = EXIT_FILE;
    const char *name = c->sdfg_name ? c->sdfg_name : "prog.sdfg";
    if (case_find(&list, c->cases_folder, name) && (!c->list_file || case_expect_failures(&list, c->list_file)) &&
        has_cases(&list, c->cases_folder, name))
        code = run_list(c, &list);
    arena_free(list.arena);
    return code;
}
