#include "engine/cli/ranks.h"
#include "engine/cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct ranks {
    int rank, size;
    int terminal; /* the real standard error; -1: it is in its place */
    FILE *held;   /* what this rank wrote there */
    struct {
        char *text;
        size_t length; /* reading the command line cuts it */
    } * own;           /* arguments that name the rank */
    int num_own;
} ranks = { .size = 1, .terminal = -1 };

int ranks_rank(void) { return ranks.rank; }
int ranks_size(void) { return ranks.size; }
int ranks_terminal(void) { return ranks.terminal < 0 ? STDERR_FILENO : ranks.terminal; }

/* ---- arguments ---- */

/* A copy with every `name` replaced by a number, or NULL if there is none. */
static char *replaced(const char *text, const char *name, int number)
{
    size_t length = strlen(name), used = 0;
    if (!strstr(text, name))
        return NULL;
    size_t size = strlen(text) * 12 + 1;
    char *out = malloc(size);
    for (; out && *text; text += strncmp(text, name, length) ? 1 : length) {
        if (strncmp(text, name, length))
            out[used++] = *text;
        else
            used += (size_t)snprintf(out + used, size - used, "%d", number);
    }
    if (out)
        out[used] = 0;
    return out;
}

static void replace(char **argument)
{
    char *ranked = replaced(*argument, "{rank}", ranks.rank);
    char *sized = replaced(ranked ? ranked : *argument, "{size}", ranks.size);
    char *text = sized ? sized : ranked;
    if (!text)
        return;
    if (sized)
        free(ranked);
    ranks.own[ranks.num_own].text = text;
    ranks.own[ranks.num_own++].length = ranked ? strlen(text) : 0; /* the size is the same for all */
    *argument = text;
}

bool ranks_own(const char *text)
{
    for (int i = 0; i < ranks.num_own; i++)
        if (text >= ranks.own[i].text && text < ranks.own[i].text + ranks.own[i].length)
            return true;
    return false;
}

/* ---- the terminal ---- */

static bool hold_output(void)
{
    ranks.held = tmpfile();
    fflush(stderr);
    ranks.terminal = ranks.held ? dup(STDERR_FILENO) : -1;
    return ranks.terminal >= 0 && dup2(fileno(ranks.held), STDERR_FILENO) >= 0 && freopen("/dev/null", "w", stdout);
}

/* What was held goes to the terminal, or nowhere. */
static void release_output(bool show)
{
    if (ranks.terminal < 0)
        return;
    fflush(stderr);
    dup2(ranks.terminal, STDERR_FILENO);
    close(ranks.terminal);
    ranks.terminal = -1;
    rewind(ranks.held);
    char line[4096];
    while (show && fgets(line, sizeof line, ranks.held))
        fprintf(stderr, "rank %d: %s", ranks.rank, line);
    fclose(ranks.held);
    fflush(stderr);
}

/* Ends all processes, when what was said has had time to get out: launchers drop what they have not passed on yet. */
static void stop(int code)
{
    enum { DRAIN = 500 }; /* milliseconds */
    fflush(stderr);
    fflush(stdout);
    nanosleep(&(struct timespec){ 0, DRAIN * 1000000L }, NULL);
    sdfg_mpi_abort(code);
}

int ranks_begin(int argc, char **argv)
{
    sdfg_error *e = sdfg_mpi_launched() ? sdfg_mpi_world(&ranks.rank, &ranks.size) : NULL;
    if (e) {
        int code = report_exit_code(e);
        fputs(sdfg_error_text(e), stderr);
        sdfg_error_free(e);
        stop(code); /* others may have begun */
    }
    ranks.own = calloc((size_t)argc, sizeof *ranks.own);
    if (!ranks.own || (ranks.rank && !hold_output())) {
        perror("sdfg-run");
        return EXIT_MISSING;
    }
    for (int i = 1; i < argc; i++)
        replace(&argv[i]);
    return EXIT_GOOD;
}

/* ---- together ---- */

static int64_t least(int64_t value)
{
    int64_t all = value;
    if (ranks.size == 1)
        return value;
    sdfg_error *e = sdfg_mpi_least(&all, value);
    if (e) {
        release_output(true);
        fputs(sdfg_error_text(e), stderr);
        stop(report_exit_code(e));
    }
    return all;
}

int ranks_agree(int code)
{
    int64_t failed = least(code ? ranks.rank : ranks.size);
    if (failed == ranks.size)
        return EXIT_GOOD;
    bool mine = failed == ranks.rank;
    int64_t of_all = least(mine ? code : INT32_MAX);
    release_output(mine);
    return (int)of_all;
}

bool ranks_any(bool mine) { return least(!mine) == 0; }

int ranks_count(bool mine)
{
    int count = 0;
    for (int rank = 0; rank < ranks.size; rank++)
        count += ranks_any(mine && rank == ranks.rank);
    return count;
}

/* FNV-1a, without the sign. */
int64_t ranks_checksum(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return (int64_t)(hash >> 1);
}

/* What tells machines apart for compiled code. */
static int64_t machine(void)
{
    uint64_t all = 0;
    char line[8192];
    FILE *f = fopen("/proc/cpuinfo", "r");
    int taken = 0;
    while (f && taken < 2 && fgets(line, sizeof line, f)) {
        if (strncmp(line, "model name", 10) && strncmp(line, "flags", 5) && strncmp(line, "Features", 8) &&
            strncmp(line, "CPU part", 8))
            continue;
        taken++;
        all = all * 1099511628211u + (uint64_t)ranks_checksum(line, strlen(line));
    }
    if (f)
        fclose(f);
    return (int64_t)(all >> 1);
}

bool ranks_first(void)
{
    if (ranks.size == 1) /* reading what the processor is takes as long as a third of a warm start */
        return true;
    int64_t mine = machine();
    bool served = false, first = false;
    for (;;) {
        int64_t kind = least(served ? INT64_MAX : mine);
        if (kind == INT64_MAX)
            return first;
        int64_t leader = least(!served && mine == kind ? ranks.rank : ranks.size);
        served = served || mine == kind;
        first = first || leader == ranks.rank;
    }
}

bool ranks_equal(const char *name, int64_t value)
{
    int64_t low = least(value), high = ~least(~value);
    if (low == high)
        return true;
    int64_t which = least(value == high ? ranks.rank : ranks.size);
    fprintf(stderr,
            "sdfg-run: %s is %lld, but %lld on rank %lld; arguments that differ between processes name {rank}\n", name,
            (long long)low, (long long)high, (long long)which);
    return false;
}

void ranks_fail(int code)
{
    enum { GRACE = 50, MOST = 1000 }; /* milliseconds: the lowest rank that fails speaks for all */
    if (!code || ranks.size == 1)
        return;
    int wait = ranks.rank < MOST / GRACE ? ranks.rank * GRACE : MOST;
    nanosleep(&(struct timespec){ wait / 1000, wait % 1000 * 1000000L }, NULL);
    release_output(true);
    stop(code);
}

int ranks_end(int code)
{
    code = ranks_agree(code);
    release_output(false);
    for (int i = 0; i < ranks.num_own; i++)
        free(ranks.own[i].text);
    free(ranks.own);
    ranks.own = NULL;
    ranks.num_own = 0;
    return code;
}
