#include "engine/cli/execute.h"

#include "engine/cli/describe.h"
#include "engine/cli/emit.h"
#include "engine/cli/inputs.h"
#include "engine/cli/interrupt.h"
#include "engine/cli/npy.h"
#include "engine/cli/progress.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/rerun.h"
#include "engine/cli/terminal.h"
#include "engine/cli/timings.h"
#include "engine/cli/tuning.h"
#include "engine/cli/workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct times {
    double started; /* on the clock of the machine, as `first_result`: whoever started this process may compare */
    double load, bind, first, first_result, least, total;
    int runs;
};

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "1.25 ms" */
static const char *duration(double seconds, char buffer[32])
{
    if (seconds >= 1)
        snprintf(buffer, 32, "%.3g s", seconds);
    else if (seconds >= 1e-3)
        snprintf(buffer, 32, "%.3g ms", seconds * 1e3);
    else
        snprintf(buffer, 32, "%.3g us", seconds * 1e6);
    return buffer;
}

/* ---- results ---- */

static const char *path_of(const struct pair *p) { return *p->value == '@' ? p->value + 1 : p->value; }

static int write_output(const struct inputs *in, const struct pair *p)
{
    const struct input *i = inputs_find(in, p->name);
    char why[256];
    struct tensor t = { 0 };
    if (!strcmp(p->value, "-")) {
        view_print(&i->view, stdout);
        return EXIT_GOOD;
    }
    bool ok = view_gather(&i->view, &t) ? npy_write(&t, path_of(p), why, sizeof why)
                                        : snprintf(why, sizeof why, "out of memory") < 0;
    if (!ok)
        fprintf(stderr, "sdfg-run: --output=%s=%s: %s\n", p->name, p->value, why);
    tensor_free(&t);
    return ok ? EXIT_GOOD : EXIT_FILE;
}

static int check_expected(const struct inputs *in, const struct pair *p)
{
    const struct command *c = in->command;
    const struct input *i = inputs_find(in, p->name);
    char text[512];
    struct tensor reference;
    if (!inputs_read(in, p->name, &reference, path_of(p), text, sizeof text)) {
        fprintf(stderr, "sdfg-run: --expect=%s=%s: %s\n", p->name, p->value, text);
        return EXIT_FILE;
    }
    bool same =
        view_compare(&i->view, &reference, (struct tolerance){ .rtol = c->rtol, .atol = c->atol }, text, sizeof text);
    if (same)
        fprintf(stderr, "%s is as expected\n", p->name);
    else
        fprintf(stderr, "%s differs: %s\n", p->name, text);
    tensor_free(&reference);
    return same ? EXIT_GOOD : EXIT_DIFFERS;
}

/* On stdout, unless an array is printed there. */
static void summarize(const struct inputs *in)
{
    FILE *f = stdout;
    int width = 0;
    for (size_t i = 0; i < in->command->outputs.count; i++)
        if (!strcmp(in->command->outputs.items[i].value, "-"))
            f = stderr;
    for (size_t i = 0; i < in->count; i++)
        if (in->items[i].written && (int)strlen(in->items[i].name) > width)
            width = (int)strlen(in->items[i].name);
    for (size_t i = 0; i < in->count; i++) {
        char text[512];
        if (!in->items[i].written)
            continue;
        view_summary(&in->items[i].view, text, sizeof text);
        fprintf(f, "%-*s  %s\n", width, in->items[i].name, text);
    }
}

/* One line; bench/ reads it. */
static void print_times_json(const struct times *t, const sdfg_kernel_info *info, uint64_t memory)
{
    fprintf(stderr, "{\"started\": %.9f, \"first_result\": %.9f, \"load\": %.9f, \"bind\": %.9f, \"compile\": %.9f",
            t->started, t->first_result, t->load, t->bind, info->compile_seconds);
    fprintf(stderr, ", \"first_run\": %.9f, \"runs\": %d, \"least\": %.9f, \"mean\": %.9f", t->first, t->runs, t->least,
            t->runs ? t->total / t->runs : 0);
    fprintf(stderr, ", \"code_bytes\": %zu, \"compiler_bytes\": %zu, \"memory_peak\": %llu, \"phases\": {",
            info->code_bytes, info->peak_bytes, (unsigned long long)memory);
    for (size_t i = 0; i < info->num_phases; i++)
        fprintf(stderr, "%s\"%s\": %.9f", i ? ", " : "", info->phases[i].name, info->phases[i].seconds);
    fputs("}, \"budgets\": {", stderr);
    const char *comma = "";
    for (size_t i = 0; i < info->num_phases; i++)
        if (info->phases[i].budget > 0) {
            fprintf(stderr, "%s\"%s\": %.9f", comma, info->phases[i].name, info->phases[i].budget);
            comma = ", ";
        }
    fputs("}}\n", stderr);
}

static void print_phase(const sdfg_phase *p)
{
    char taken[32], budget[32];
    fprintf(stderr, "  %-20s %s", p->name, duration(p->seconds, taken));
    if (p->budget > 0 && p->seconds > p->budget)
        fprintf(stderr, ": slow, its budget is %s", duration(p->budget, budget));
    fputc('\n', stderr);
}

static void print_times(const struct inputs *in, const struct times *t, const sdfg_bound *b)
{
    const struct command *c = in->command;
    sdfg_stats stats = { .struct_size = sizeof stats };
    sdfg_program_stats(in->program, &stats);
    char load[32], compile[32], run[32], mean[32];
    sdfg_kernel_info info = { .struct_size = sizeof info };
    sdfg_kernel_describe(sdfg_bound_kernel(b), &info);
    if (c->time == TIME_JSON) {
        print_times_json(t, &info, stats.memory_peak);
        return;
    }
    fprintf(stderr, "load %s, compile %s, run %s", duration(t->load, load), duration(t->bind, compile),
            duration(t->least, run));
    if (t->runs > 1)
        fprintf(stderr, " (least of %d, mean %s)", t->runs, duration(t->total / t->runs, mean));
    fputc('\n', stderr);
    if (c->time != TIME_TEXT)
        return;
    for (size_t i = 0; i < info.num_phases; i++)
        print_phase(&info.phases[i]);
    fprintf(stderr, "  first run %s, code %zu bytes, compiler memory %.3g MB\n", duration(t->first, run),
            info.code_bytes, (double)info.peak_bytes / 1e6);
    fprintf(stderr, "  temporaries %.3g MB at most\n", (double)stats.memory_peak / 1e6);
}

/* ---- running ---- */

static int measure(const struct inputs *in, sdfg_bound *b, struct times *t)
{
    const struct command *c = in->command;
    for (int i = -c->warmup; i < c->repeat; i++) {
        interrupt_call(b);
        double start = seconds_now();
        sdfg_error *e = sdfg_bound_call(b);
        double end = seconds_now(), taken = end - start;
        interrupt_call(NULL); /* which ends the process if it was interrupted */
        if (e) {
            int code = report_error(c, e);
            ranks_fail(code);
            return code;
        }
        if (i == -c->warmup) {
            t->first = taken;
            t->first_result = end;
        }
        if (i < 0)
            continue;
        t->least = t->runs && t->least < taken ? t->least : taken;
        t->total += taken;
        t->runs++;
    }
    return EXIT_GOOD;
}

static int run_bound(struct inputs *in, sdfg_bound *b, struct times *t)
{
    const struct command *c = in->command;
    int code = measure(in, b, t), worst = EXIT_GOOD;
    if (code)
        return code;
    print_times(in, t, b);
    if (c->time != TIME_JSON)
        inputs_print_filled(in, stderr);
    if ((code = inputs_take_streams(in)))
        return code;
    summarize(in);
    for (size_t i = 0; i < c->outputs.count; i++) {
        const struct pair *p = &c->outputs.items[i];
        const struct split_array *block = distribute_find(&in->distributions, p->name);
        if (!block && ranks_rank() && !ranks_own(p->value))
            continue;
        code = block ? distribute_write(&in->distributions, block, &inputs_find(in, p->name)->view, path_of(p))
                     : write_output(in, p);
        worst = code > worst ? code : worst;
    }
    for (size_t i = 0; i < c->expects.count; i++) {
        code = check_expected(in, &c->expects.items[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* Before anything is compiled: a result that cannot be written after a long run would be lost. */
static int check_pairs(const struct inputs *in, const char *option, const struct pairs *list,
                       bool (*may_use)(const char *))
{
    for (size_t i = 0; i < list->count; i++) {
        const struct pair *p = &list->items[i];
        if (!inputs_find(in, p->name) && !streams_have(&in->streams, p->name)) {
            fprintf(stderr, "sdfg-run: --%s=%s: the program has no array of that name\n", option, p->name);
            return EXIT_USAGE;
        }
        if (distribute_find(&in->distributions, p->name) && !strcmp(p->value, "-")) {
            fprintf(stderr, "sdfg-run: --%s=%s=-: blocks of several processes are written to a file\n", option,
                    p->name);
            return EXIT_USAGE;
        }
        if (!may_use(path_of(p))) {
            fprintf(stderr, "sdfg-run: --%s=%s=%s: %s\n", option, p->name, p->value, strerror(errno));
            return EXIT_FILE;
        }
    }
    return EXIT_GOOD;
}

static bool may_read(const char *path) { return !access(path, R_OK); }

/* The file, or that a file is made in the folder. */
static bool may_write(const char *path)
{
    if (!strcmp(path, "-") || !access(path, W_OK))
        return true;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    bool may = errno == ENOENT && folder && !access(folder, W_OK);
    free(folder);
    return may;
}

static void explain_cache(sdfg_engine *engine, const sdfg_program *p, const sdfg_bound *b)
{
    sdfg_kernel_info kernel = { .struct_size = sizeof kernel };
    sdfg_cache_info cache = { .struct_size = sizeof cache };
    sdfg_kernel_describe(sdfg_bound_kernel(b), &kernel);
    sdfg_engine_cache(engine, &cache);
    fprintf(stderr, "code: %s\nobjects: %s\n", kernel.origin, kernel.objects);
    if (cache.folder)
        fprintf(stderr, "cache: %s; %llu hits, %llu misses, %llu stored, %llu removed, %llu troubles\n", cache.folder,
                (unsigned long long)cache.hits, (unsigned long long)cache.misses, (unsigned long long)cache.stored,
                (unsigned long long)cache.removed, (unsigned long long)cache.troubles);
    if (*cache.trouble)
        fprintf(stderr, "cache: %s\n", cache.trouble);
    const char *path = sdfg_program_source(p, 0);
    size_t length = path ? strlen(path) : 0;
    sdfg_stats stats = SDFG_STATS_INIT;
    sdfg_engine_stats(engine, &stats);
    if (length > 3 && !strcmp(path + length - 3, ".py"))
        fprintf(stderr, "graph: %s\n",
                stats.parsed ? "made from the Python program" : "from the cache, no Python was parsed");
}

/* Of several processes: who compiled. All call it. */
static void explain_ranks(sdfg_engine *engine)
{
    sdfg_stats stats = SDFG_STATS_INIT;
    sdfg_engine_stats(engine, &stats);
    int compiled = ranks_count(stats.compiled), size = ranks_size();
    fprintf(stderr, "processes: %d compiled, %d found the code\n", compiled, size - compiled);
}

/* What the cache knows before the call. */
static sdfg_error *explain_before(const struct inputs *in)
{
    char *text;
    sdfg_error *e = in->command->explain_cache ? sdfg_args_explain_cache(&text, in->args) : NULL;
    if (!e && in->command->explain_cache) {
        fputs(text, stderr);
        sdfg_text_free(text);
    }
    return e;
}

/* Ranks of equal machines: one compiles, the others find its code in the cache. */
static sdfg_error *bind_in_turn(sdfg_bound **b, sdfg_engine *engine, const struct inputs *in)
{
    bool first = ranks_first();
    struct progress_line shown;
    progress_begin(&shown, engine);
    sdfg_error *e = first ? sdfg_bind(b, in->program, in->args) : NULL;
    if (first && ranks_size() > 1)
        sdfg_engine_wait(engine); /* the code is in the cache now */
    ranks_agree(EXIT_GOOD);
    e = first ? e : sdfg_bind(b, in->program, in->args);
    progress_end(&shown);
    return e;
}

/* Where no argument names the rank, all processes run the program for the same sizes. */
static int compare_symbols(const struct inputs *in)
{
    sdfg_argument a = SDFG_ARGUMENT_INIT;
    bool equal = true, own = false;
    for (size_t i = 0; i < in->command->values.count; i++)
        own = own || ranks_own(in->command->values.items[i].value);
    if (ranks_any(own))
        return EXIT_GOOD;
    for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++) {
        int64_t value = 0;
        if (a.kind == SDFG_KIND_SYMBOL && sdfg_args_value(in->args, a.name, &value))
            equal = ranks_equal(a.name, value) && equal;
    }
    return equal ? EXIT_GOOD : EXIT_USAGE;
}

/* Measures, if that is asked for, and says what was found. */
static int tune(const struct inputs *in)
{
    sdfg_tuned found;
    if (in->command->tune < 0)
        return EXIT_GOOD;
    if (ranks_size() > 1) {
        fputs("sdfg-run: --tune: not with several processes, which would measure each other\n", stderr);
        return EXIT_USAGE;
    }
    int code = tuning_run(in, stderr, &found);
    if (!code)
        fprintf(stderr, "%s\n", found.text);
    return code;
}

/* All that is done before the program is compiled. */
static int prepare(struct inputs *in, struct workspaces *w)
{
    const struct command *c = in->command;
    int code;
    if ((code = inputs_complete(in)) || (code = check_pairs(in, "output", &c->outputs, may_write)) ||
        (code = check_pairs(in, "expect", &c->expects, may_read)))
        return code;
    sdfg_error *e = workspaces_give(w, in->program, in->args);
    code = e ? report_error(c, e) : tune(in);
    if (code)
        return code;
    e = explain_before(in);
    return e ? report_error(c, e) : EXIT_GOOD;
}

static int run_prepared(sdfg_engine *engine, struct inputs *in, struct times *t)
{
    const struct command *c = in->command;
    double start = seconds_now();
    sdfg_bound *b = NULL;
    sdfg_error *e = bind_in_turn(&b, engine, in);
    t->bind = seconds_now() - start;
    if (!e && c->explain_cache)
        explain_cache(engine, in->program, b);
    int code = ranks_agree(e ? report_error(c, e) : EXIT_GOOD);
    if (!code && c->explain_cache && ranks_size() > 1)
        explain_ranks(engine);
    if (!code)
        code = ranks_agree(compare_symbols(in));
    if (!code)
        code = run_bound(in, b, t);
    sdfg_bound_free(b);
    return code;
}

/* All processes run one program, unless its path names the rank. */
static int compare_programs(const struct inputs *in)
{
    const struct command *c = in->command;
    if (ranks_size() == 1 || ranks_any(c->program && ranks_own(c->program)))
        return EXIT_GOOD;
    char *text;
    size_t size;
    sdfg_error *e = sdfg_program_emit(&text, &size, in->program, SDFG_EMIT_SDFG, NULL, 0);
    int code = ranks_agree(e ? report_error(c, e) : EXIT_GOOD);
    if (code)
        return code;
    bool equal = ranks_equal("the checksum of the program", ranks_checksum(text, size));
    sdfg_text_free(text);
    return equal ? EXIT_GOOD : EXIT_USAGE;
}

static int run_loaded(sdfg_engine *engine, struct inputs *in, struct times *t)
{
    const struct command *c = in->command;
    int code = ranks_agree(compare_programs(in));
    if (!code)
        code = ranks_agree(inputs_given(in));
    if (!code)
        code = ranks_agree(inputs_specialized(in));
    if (code)
        return code;
    if ((c->explain_symbols || c->emits || c->remarks) && ranks_rank())
        return EXIT_GOOD; /* rank 0 shows it */
    if (c->explain_symbols)
        return emit_explanation(in);
    if (c->emits)
        return c->show_view ? emit_view(in) : emit_program(in);
    if (c->remarks)
        return emit_remarks(in);
    struct workspaces workspaces = { 0 };
    code = ranks_agree(prepare(in, &workspaces));
    if (!code)
        code = run_prepared(engine, in, t);
    workspaces_release(&workspaces);
    return code;
}

/* With values, also what memory a call takes under them. */
static int describe_given(struct inputs *in)
{
    char *memory = NULL;
    int code = in->command->values.count ? inputs_given(in) : EXIT_GOOD;
    if (code)
        return code;
    sdfg_error *e = in->command->values.count ? sdfg_args_emit(&memory, NULL, in->args, SDFG_EMIT_MEMORY) : NULL;
    if (e)
        return report_error(in->command, e);
    describe(in->program, in->command->describe, memory);
    sdfg_text_free(memory);
    return EXIT_GOOD;
}

static int run_in(const struct command *c, sdfg_engine *engine, struct timings *timings)
{
    struct times t = { .started = seconds_now() };
    struct inputs in = { .command = c };
    double start = seconds_now();
    sdfg_error *e = sdfg_program_load_file(&in.program, engine, c->program);
    t.load = seconds_now() - start;
    if (!e && sdfg_program_warnings(in.program))
        terminal_messages(stderr, sdfg_error_text(sdfg_program_warnings(in.program)));
    if (!e)
        timings_program(timings, in.program);
    if (!e)
        rerun_tell(c, in.program);
    if (!e)
        e = sdfg_args_new(&in.args, in.program);
    int code = ranks_agree(e ? report_error(c, e) : EXIT_GOOD);
    if (!code)
        code = c->describe ? describe_given(&in) : run_loaded(engine, &in, &t);
    sdfg_args_free(in.args);
    sdfg_program_free(in.program);
    inputs_release(&in);
    return code;
}

int run_program(const struct command *c)
{
    sdfg_engine *engine;
    sdfg_options options = c->options;
    struct timings timings = { 0 };
    bool on_device = options.device && strcmp(options.device, "cpu") != 0, sums = on_device && c->time == TIME_TEXT;
    if (c->report_file || sums) {
        timings.kept = c->report_file;
        options.timing = timings_add;
        options.timing_user = &timings;
    }
    if (!options.cache_dir)
        options.cache_dir = "default";
    sdfg_error *e = sdfg_engine_new(&engine, &options);
    if (e)
        return report_error(c, e);
    int code = run_in(c, engine, &timings);
    sdfg_engine_free(engine);
    if (sums && !code)
        timings_print_device(&timings, c->repeat + c->warmup);
    if (c->report_file && !timings_write(&timings, c->report_file))
        code = code ? code : EXIT_FILE;
    return code;
}
