/* sdfg-bench: see bench.h and docs/sdfg-bench.md. */
#include "engine/cli/bench.h"
#include "engine/cli/file.h"
#include "engine/cli/scratch.h"
#include "engine/cli/tool.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double noisy = 0.1; /* distance of the quartiles by the median above which times are not to be trusted */

/* ---- what takes part ---- */

static bool add_side(struct bench *b, char *word)
{
    static const struct {
        const char *name;
        enum side_kind kind;
    } kinds[] = { { "jit", SIDE_JIT }, { "generic", SIDE_GENERIC }, { "aot", SIDE_AOT }, { "dace", SIDE_DACE } };
    struct side *s = &b->sides[b->num_sides];
    *s = (struct side){ .kind = SIDE_C, .name = word, .command = b->command };
    if (!strncmp(word, "c:", 2) && word[2]) {
        s->file = word + 2;
        b->num_sides++;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(word, kinds[i].name) && (kinds[i].kind != SIDE_JIT || !b->num_sides)) {
            s->kind = kinds[i].kind;
            s->cache = arena_printf(b->arena, "%s/code", b->folder);
            b->num_sides++;
            return true;
        }
    fprintf(stderr, "sdfg-bench: --against=%s: expected a list of: aot generic c:FILE.c dace\n", word);
    return false;
}

static bool add_sides(struct bench *b)
{
    const char *list = b->command->against ? b->command->against : "aot,generic";
    int most = 2;
    for (const char *at = list; *at; at++)
        most += *at == ',';
    b->sides = NEW_ARRAY(b->arena, struct side, most);
    bool good = add_side(b, arena_strdup(b->arena, "jit"));
    for (char *rest = arena_strdup(b->arena, list), *word; good && (word = strsep(&rest, ",")) != NULL;)
        good = add_side(b, word);
    return good;
}

/* ---- threads ---- */

/* What OpenMP will decide, which nobody has asked yet. */
static int count_threads(const struct command *c)
{
    cpu_set_t set;
    const char *wanted = getenv("OMP_NUM_THREADS");
    if (c->options.num_threads)
        return c->options.num_threads;
    if (wanted && atoi(wanted) > 0)
        return atoi(wanted);
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* ---- what comes out ---- */

static void add_notes(struct bench *b)
{
    for (int i = 0; i < b->num_sides; i++) {
        const struct side *s = &b->sides[i];
        struct estimate e = samples_estimate(&s->calls[CALL_BOUND]);
        if (e.spread > noisy)
            bench_note(b, "%s: times are noisy, their quartiles differ by %.0f %% of the median", s->name,
                       100 * e.spread);
        if (*s->note)
            bench_note(b, "%s: %s", s->name, s->note);
    }
}

static int write_text(const char *path, const struct text *t)
{
    bool is_stdout = !strcmp(path, "-");
    struct file_out out;
    FILE *f = is_stdout ? stdout : file_begin(&out, path);
    bool good = f && fputs(text_get(t), f) >= 0;
    if (f)
        good = is_stdout ? !fflush(f) && good : file_end(&out, good);
    if (!good)
        fprintf(stderr, "sdfg-bench: cannot write '%s': %s\n", path, strerror(errno));
    return good ? EXIT_GOOD : EXIT_FILE;
}

static int report(const struct bench *b)
{
    const struct {
        const char *file;
        void (*make)(const struct bench *b, struct text *out);
    } forms[] = { { b->command->json_file, bench_json },
                  { b->command->csv_file, bench_csv },
                  { b->command->html_file, bench_html } };
    bool table = true;
    int code = EXIT_GOOD;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        table = table && !(forms[i].file && !strcmp(forms[i].file, "-"));
    if (table)
        bench_print(b);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !code; i++) {
        struct text out = text_new(b->arena);
        if (!forms[i].file)
            continue;
        forms[i].make(b, &out);
        code = write_text(forms[i].file, &out);
    }
    return code;
}

/* ---- the command ---- */

static int measure(struct bench *b)
{
    int code = bench_build(b);
    if (!code)
        code = bench_cold(b);
    for (int i = 0; i < b->num_sides && !code; i++) {
        struct cold ignored;
        code = side_open(&b->sides[i], &ignored);
    }
    if (!code)
        code = bench_compare(b);
    if (!code)
        code = bench_rounds(b);
    if (!code && !b->command->no_roofs && !roofs_measure(&b->roofs, b->threads))
        bench_note(b, "there is no memory to measure the machine");
    if (code)
        return code;
    bench_work(b);
    add_notes(b);
    return report(b);
}

static bool tunes_alone(const struct command *c)
{
    bool alone = !c->options.passes && !c->against && !c->json_file && !c->csv_file && !c->html_file;
    if (!alone)
        fputs("sdfg-bench: --tune: not together with --passes, --against, --json, --csv or --html\n", stderr);
    return alone;
}

static int bench_program(const struct command *c)
{
    struct bench b = { .command = c, .arena = arena_new(), .flops = -1, .bytes = -1 };
    struct scratch folder;
    char threads[16];
    int code = EXIT_USAGE;
    b.threads = count_threads(c);
    if (c->options.num_threads) { /* for C code and for DaCe */
        snprintf(threads, sizeof threads, "%d", c->options.num_threads);
        setenv("OMP_NUM_THREADS", threads, 1);
    }
    if (!scratch_make(&folder, "sdfg-bench")) {
        fprintf(stderr, "sdfg-bench: cannot make a folder for temporary files (TMPDIR says where): %s\n",
                strerror(errno));
        arena_free(b.arena);
        return EXIT_FILE;
    }
    b.folder = folder.path;
    if (c->tune >= 0)
        code = tunes_alone(c) ? bench_tune(&b) : EXIT_USAGE;
    else if (add_sides(&b))
        code = measure(&b);
    for (int i = 0; i < b.num_sides; i++)
        side_close(&b.sides[i]);
    scratch_remove(&folder);
    arena_free(b.arena);
    return code;
}

int main(int argc, char **argv) { return tool_main(TOOL_BENCH, argc, argv, bench_program); }
