#include "engine/cli/bench.h"
#include "engine/cli/execute.h"
#include "engine/cli/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double sample_seconds = 200e-6; /* a sample is so many calls that it takes this long, or one */
enum { MOST_CALLS = 10000, LEAST_ROUNDS = 5 };

/* ---- fresh processes: what runs there has loaded neither the code generator nor threads ---- */

struct answer {
    int code;
    struct cold cold;
    double ahead;
    bool missing;
    char note[256], library[PATH_MAX];
};

typedef void task(struct bench *b, struct side *s, struct answer *out);

static int in_process(struct bench *b, struct side *s, task *what, struct answer *out)
{
    int ends[2], status = 0;
    *out = (struct answer){ .code = EXIT_RUN };
    fflush(NULL);
    if (pipe(ends))
        return EXIT_MISSING;
    pid_t child = fork();
    if (child == 0) {
        what(b, s, out);
        fflush(NULL);
        (void)!write(ends[1], out, sizeof *out);
        _exit(0);
    }
    close(ends[1]);
    bool whole = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    if (!whole) {
        out->code = EXIT_RUN;
        fprintf(stderr, "sdfg-bench: %s: the process ended with %s %d\n", s->name,
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return out->code;
}

static void task_cold(struct bench *b, struct side *s, struct answer *out)
{
    (void)b;
    out->code = side_open(s, &out->cold);
    if (out->code)
        return;
    double start = seconds_now();
    out->code = side_call(s, CALL_WARM);
    out->cold.first = seconds_now() - start;
    memcpy(out->note, s->note, sizeof out->note);
}

int bench_cold(struct bench *b)
{
    struct answer answer;
    int count = b->command->cold_samples;
    for (int i = 0; i < b->num_sides; i++) {
        b->sides[i].colds = NEW_ARRAY(b->arena, struct cold, count);
        b->sides[i].cold.values = NEW_ARRAY(b->arena, double, count);
    }
    for (int round = 0; round < count; round++)
        for (int i = 0; i < b->num_sides; i++) {
            struct side *s = &b->sides[i];
            int code = in_process(b, s, task_cold, &answer);
            if (code)
                return code;
            const struct cold *c = &answer.cold;
            s->colds[s->cold.count] = *c;
            s->cold.values[s->cold.count++] = c->load + c->make + c->first;
            memcpy(s->note, answer.note, sizeof s->note);
        }
    return EXIT_GOOD;
}

/* ---- ahead ---- */

static void task_build(struct bench *b, struct side *s, struct answer *out)
{
    struct side opened = { .kind = s->kind, .name = s->name, .command = s->command, .cache = s->cache };
    const char *library = NULL;
    double start = seconds_now();
    out->code = side_open(&opened, &out->cold);
    if (out->code)
        return;
    if (s->kind == SIDE_AOT) {
        side_close(&opened); /* waits until the code is written */
        out->ahead = seconds_now() - start;
        return;
    }
    const char *name = sdfg_program_name(opened.in.program);
    start = seconds_now();
    if (s->kind == SIDE_C)
        library = code_build_c(b->arena, s->command, b->folder, name, s->file, opened.bound);
    else
        library = code_build_dace(b->arena, s->command, b->folder, name, opened.bound, &out->missing);
    out->ahead = seconds_now() - start;
    if (library)
        snprintf(out->library, sizeof out->library, "%s", library);
    else if (!out->missing)
        out->code = EXIT_COMPILE;
}

int bench_build(struct bench *b)
{
    struct answer answer;
    for (int i = 0; i < b->num_sides; i++) {
        struct side *s = &b->sides[i];
        if (s->kind != SIDE_AOT && side_is_sdfg(s))
            continue;
        if (s->kind == SIDE_C && !file_exists(s->file)) {
            fprintf(stderr, "sdfg-bench: cannot open '%s': %s\n", s->file, strerror(errno));
            return EXIT_FILE;
        }
        int code = in_process(b, s, task_build, &answer);
        if (code)
            return code;
        s->ahead = answer.ahead;
        if (!side_is_sdfg(s))
            s->library = arena_strdup(b->arena, answer.library);
        if (!answer.missing)
            continue;
        bench_note(b, "%s is left out: python3 has no module dace", s->name);
        b->num_sides--;
        memmove(s, s + 1, (size_t)(b->num_sides - i) * sizeof *s);
        i--;
    }
    return EXIT_GOOD;
}

/* ---- results ---- */

int bench_compare(struct bench *b)
{
    struct tolerance t = { .rtol = b->command->rtol, .atol = b->command->atol };
    struct side *first = &b->sides[0];
    char text[512];
    for (int i = 0; i < b->num_sides; i++) {
        side_reset(&b->sides[i]);
        int code = side_call(&b->sides[i], CALL_BOUND);
        if (code)
            return code;
    }
    for (size_t k = 0; k < first->in.count; k++) {
        struct tensor reference;
        if (!first->in.items[k].written)
            continue;
        if (!view_gather(&first->in.items[k].view, &reference)) {
            fputs("sdfg-bench: out of memory\n", stderr);
            return EXIT_MISSING;
        }
        bool same = true;
        for (int i = 1; i < b->num_sides && same; i++) {
            same = view_compare(&b->sides[i].in.items[k].view, &reference, t, text, sizeof text);
            if (!same)
                fprintf(stderr, "sdfg-bench: %s of %s differs from that of %s: %s\n", first->in.items[k].name,
                        b->sides[i].name, first->name, text);
        }
        tensor_free(&reference);
        if (!same)
            return EXIT_DIFFERS;
    }
    return EXIT_GOOD;
}

/* ---- rounds ---- */

/* Seconds per call. One call first, so that caches and threads are as they are between calls. */
static int sample(struct bench *b, struct side *s, enum call_kind how, int calls, double *seconds)
{
    struct timespec rest = { .tv_nsec = 2000000 };
    side_reset(s);
    if (b->threads > 1) /* waiting threads of the side before this one hold their processors for a while */
        nanosleep(&rest, NULL);
    int code = side_call(s, how);
    double start = seconds_now();
    for (int i = 0; i < calls && !code; i++)
        code = side_call(s, how);
    *seconds = (seconds_now() - start) / calls;
    return code;
}

/* As many calls as the fastest side needs. */
static int choose_calls(struct bench *b)
{
    double least = 1e9, seconds;
    for (int i = 0; i < b->num_sides; i++)
        for (int k = 0; k < 3; k++) {
            int code = sample(b, &b->sides[i], CALL_BOUND, 1, &seconds);
            if (code)
                return code;
            least = seconds < least ? seconds : least;
        }
    double calls = least > 0 ? sample_seconds / least : MOST_CALLS;
    b->calls = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls + 1;
    return EXIT_GOOD;
}

static int run_round(struct bench *b)
{
    for (int n = 0; n < b->num_sides; n++) {
        struct side *s = &b->sides[(n + b->rounds) % b->num_sides];
        for (int how = 0; how < NUM_CALL_KINDS; how++) {
            double seconds;
            if (how == CALL_WARM && !side_is_sdfg(s))
                continue;
            int code = sample(b, s, (enum call_kind)how, b->calls, &seconds);
            if (code)
                return code;
            s->calls[how].values[s->calls[how].count++] = seconds;
        }
    }
    for (int i = 0; i < b->num_sides; i++) {
        struct side *s = &b->sides[i];
        double ours = b->sides[0].calls[CALL_BOUND].values[b->rounds];
        s->ratios.values[s->ratios.count++] = s->calls[CALL_BOUND].values[b->rounds] / ours;
    }
    b->rounds++;
    return EXIT_GOOD;
}

int bench_rounds(struct bench *b)
{
    int most = b->command->samples, code = choose_calls(b);
    for (int i = 0; i < b->num_sides; i++) {
        for (int how = 0; how < NUM_CALL_KINDS; how++)
            b->sides[i].calls[how].values = NEW_ARRAY(b->arena, double, most);
        b->sides[i].ratios.values = NEW_ARRAY(b->arena, double, most);
    }
    double end = seconds_now() + b->command->seconds;
    while (!code && b->rounds < most && (b->rounds < LEAST_ROUNDS || seconds_now() < end))
        code = run_round(b);
    if (!code && b->rounds < most)
        bench_note(b, "%d of %d rounds were measured in %g seconds (--seconds)", b->rounds, most, b->command->seconds);
    return code;
}
