#include "engine/cli/command.h"
#include "engine/cli/python_options.h"

#include "base/fatal.h"
#include "base/near.h"
#include "engine/cli/file.h"
#include "engine/cli/option_value.h"
#include "engine/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char exit_codes[] =
    "\nExit codes: 0 good, 1 results differ, 2 usage, 3 file, 4 invalid SDFG, 5 unsupported, 6 compiler failure,\n"
    "7 failure of the running program, 8 library, device or memory missing, 9 time-out.";

void command_help(enum tool tool)
{
    static char text[16384]; /* in one piece: an error of the output then says why */
    setvbuf(stdout, text, _IOFBF, sizeof text);
    puts(
        tool == TOOL_CC
            ? "usage: sdfg-cc PROGRAM -o FILE [--SYMBOL=VALUE ...] [OPTION ...]\n"
              "\n"
              "Compiles an SDFG for other programs: functions with the interface of DaCe's own libraries. With\n"
              "--SYMBOL=VALUE the code is for that value only, and calls with another one fail."
        : tool == TOOL_OPT
            ? "usage: sdfg-opt PROGRAM [--passes=LIST] [-o FILE] [--SYMBOL=VALUE ...] [OPTION ...]\n"
              "       sdfg-opt --list=passes [OPTION ...]\n"
              "\n"
              "Runs passes over an SDFG and writes what becomes of it: the graph behind the passes over graphs, or\n"
              "the loop tree behind all of them."
        : tool == TOOL_BENCH
            ? "usage: sdfg-bench PROGRAM [--NAME=VALUE ...] [OPTION ...]\n"
              "\n"
              "Measures an SDFG compiled in memory against code compiled ahead of time: cold, warm and bound calls in\n"
              "turns, medians with their confidence intervals, and after how many calls compiling has paid."
            : "usage: sdfg-run PROGRAM [--NAME=VALUE ...] [OPTION ...]\n"
              "       sdfg-run --case DIR | --cases DIR [OPTION ...]\n"
              "\n"
              "Runs an SDFG: a .sdfg file, or a function of a Python file (prog.py:f). Sizes are solved from the "
              "arrays or\n"
              "given by name; what is missing is filled with a reproducible pattern. VALUE is a number, @FILE.npy, or "
              "for arrays zero, ones, iota, random[:SEED],\n"
              "normal[:SEED], constant:X or null.");
    options_help(tool);
    puts(exit_codes);
}

/* ---- options ---- */

static void print_dump(void *user, const char *title, const char *text)
{
    (void)user;
    fprintf(stderr, "---- %s\n%s", title, text);
    if (*text && text[strlen(text) - 1] != '\n')
        fputc('\n', stderr);
}

static bool apply_cc(struct command *c, const struct option *o, char *value)
{
    int word = 0;
    switch (o->id) {
    case OPTION_HEADER:
        c->header = true;
        c->header_file = value;
        break;
    case OPTION_FORTRAN:
        c->fortran = true;
        c->fortran_file = value;
        break;
    case OPTION_EMIT_CODE:
        if (c->tool == TOOL_OPT) {
            c->emits = value_word(c, o, value, "sdfg tree", &word);
            c->emit_code = word ? SDFG_EXPORT_TREE : SDFG_EXPORT_SDFG;
            return c->emits;
        }
        c->emits = value_word(c, o, value, "asm tree remarks", &word);
        c->emit_code = (enum sdfg_export_form)(SDFG_EXPORT_ASM + word);
        return c->emits;
    case OPTION_TARGET:
        c->target = value;
        break;
    case OPTION_CPU:
        c->cpu = value;
        break;
    case OPTION_FEATURES:
        c->features = value;
        break;
    default:
        break;
    }
    return true;
}

static bool apply_bench(struct command *c, const struct option *o, char *value)
{
    switch (o->id) {
    case OPTION_AGAINST:
        c->against = value;
        break;
    case OPTION_SAMPLES:
        return value_int(c, o, value, 5, 100000, &c->samples);
    case OPTION_SECONDS:
        return value_real(c, o, value, &c->seconds);
    case OPTION_TUNE:
        c->tune = 10;
        return !value || value_real(c, o, value, &c->tune);
    case OPTION_COLD_SAMPLES:
        return value_int(c, o, value, 1, 1000, &c->cold_samples);
    case OPTION_COMPILER:
        c->compiler = value;
        break;
    case OPTION_COMPILER_FLAGS:
        c->compiler_flags = value;
        break;
    case OPTION_NO_ROOFS:
        c->no_roofs = true;
        break;
    case OPTION_JSON:
        c->json_file = value;
        break;
    case OPTION_CSV:
        c->csv_file = value;
        break;
    case OPTION_HTML:
        c->html_file = value;
        break;
    default:
        return apply_cc(c, o, value);
    }
    return true;
}

/* One more file behind those that are there. */
static bool add_plugin(struct command *c, const char *file)
{
    const char *before = c->options.plugins ? c->options.plugins : "";
    size_t size = strlen(before) + strlen(file) + 2;
    char *all = malloc(size);
    if (!all)
        fatal_memory();
    snprintf(all, size, "%s%s%s", before, *before ? ":" : "", file);
    free(c->plugins);
    c->options.plugins = c->plugins = all;
    return true;
}

static bool apply_run(struct command *c, const struct option *o, char *value)
{
    int word = 0;
    bool ok = true;
    switch (o->id) {
    case OPTION_TIME:
        c->time = TIME_TEXT;
        if (value && (ok = value_word(c, o, value, "text json", &word)) && word)
            c->time = TIME_JSON;
        break;
    case OPTION_REPEAT:
        return value_int(c, o, value, 1, 1000000000, &c->repeat);
    case OPTION_WARMUP:
        return value_int(c, o, value, 0, 1000000000, &c->warmup);
    case OPTION_REPORT:
        c->report_file = value;
        break;
    case OPTION_CHECK:
        ok = sdfg_check_by_name(value, &c->options.check);
        return ok ||
               value_refused(c, o, value, "bounds, uninit, alias, overflow, scope, nan, race, race-sample or all");
    case OPTION_INSTRUMENT:
        return value_instrument(c, o, value);
    case OPTION_SAVE_DATA:
        c->options.save_data = value;
        break;
    case OPTION_RESTORE_DATA:
        c->options.restore_data = value;
        break;
    case OPTION_THREADS:
        return value_int(c, o, value, 1, 65536, &c->options.num_threads);
    case OPTION_SPECIALIZE:
        c->options.specialize = value;
        break;
    case OPTION_OPT:
        if (c->tool == TOOL_RUN && !strcmp(value, "max"))
            c->options.opt_level = SDFG_OPT_MAX;
        else if (c->tool == TOOL_RUN && (!*value || value[1] || *value < '0' || *value > '3'))
            return value_refused(c, o, value, "0 to 3, or max");
        else
            return value_int(c, o, value, 0, 3, &c->options.opt_level);
        break;
    case OPTION_TIER:
        ok = value_word(c, o, value, "full quick auto", &word);
        c->options.tier = (enum sdfg_tier)word;
        c->tier_given = true;
        break;
    case OPTION_FP:
        ok = value_word(c, o, value, "default strict fast", &word);
        c->options.fp = (enum sdfg_fp)word;
        break;
    case OPTION_DEVICE:
        c->options.device = value;
        break;
    case OPTION_ARCH:
        ok = value_arch(c, o, value);
        break;
    case OPTION_CODEGEN:
        c->options.codegen = value;
        break;
    case OPTION_PASSES:
        c->options.passes = value;
        break;
    case OPTION_PLUGIN:
        ok = add_plugin(c, value);
        break;
    case OPTION_CACHE:
        c->options.cache_dir = value;
        break;
    case OPTION_NO_CACHE:
        c->options.cache_dir = "";
        break;
    case OPTION_LINKER:
        ok = value_word(c, o, value, "auto place orc", &word);
        c->options.linker = (enum sdfg_linker)word;
        break;
    case OPTION_EXTERNAL_FILES:
        ok = value_word(c, o, value, "folder none any", &word);
        c->options.external_files = (enum sdfg_external_files)word;
        break;
    case OPTION_INPUT_LIMIT:
        return value_limit(c, o, value);
    case OPTION_DEBUG_INFO:
        c->options.debug_info = true;
        break;
    case OPTION_PROFILER:
        c->options.profiler = true;
        break;
    case OPTION_CASE:
        c->case_folder = value;
        break;
    case OPTION_CASES:
        c->cases_folder = value;
        break;
    case OPTION_SDFG:
        c->sdfg_name = value;
        break;
    case OPTION_JOBS:
        return value_int(c, o, value, 1, 4096, &c->jobs);
    case OPTION_TIMEOUT:
        return value_real(c, o, value, &c->timeout);
    case OPTION_LIST:
        c->list_file = value;
        break;
    default:
        return apply_bench(c, o, value);
    }
    return ok;
}

static bool apply(struct command *c, const struct option *o, char *value)
{
    int word = 0;
    bool ok = true;
    switch (o->id) {
    case OPTION_DESCRIBE:
        c->describe = DESCRIBE_TEXT;
        if (value && (ok = value_word(c, o, value, "text json", &word)) && word)
            c->describe = DESCRIBE_JSON;
        break;
    case OPTION_EMIT:
        ok = value_word(c, o, value, "sdfg tree ll ll-opt asm obj work cuda ptx cubin map dot html", &word);
        c->emit = (enum sdfg_emit)(word <= SDFG_EMIT_WORK ? word : word - SDFG_EMIT_WORK - 1 + SDFG_EMIT_CUDA);
        c->show_view = word < VIEW_WORDS ? VIEW_NONE : (enum show_view)(VIEW_DOT + word - VIEW_WORDS);
        c->emits = true;
        break;
    case OPTION_REMARKS:
        ok = !value || value_word(c, o, value, "all done missed", &word);
        c->remarks = (enum show_remarks)(REMARKS_ALL + word);
        break;
    case OPTION_FILE:
        c->output_file = value;
        break;
    case OPTION_DUMP_AFTER:
        c->options.dump_after = value;
        break;
    case OPTION_EXPLAIN_SYMBOLS:
        c->explain_symbols = true;
        break;
    case OPTION_EXPLAIN_CACHE:
        c->explain_cache = true;
        break;
    case OPTION_OUTPUT:
        return value_pair(c, o, value, &c->outputs);
    case OPTION_EXPECT:
        return value_pair(c, o, value, &c->expects);
    case OPTION_DISTRIBUTE:
        return value_pair(c, o, value, &c->distributes);
    case OPTION_GRID:
        c->grid = value;
        break;
    case OPTION_ASSERT:
        c->drop_assertions = ok = value_word(c, o, value, "drop", &word);
        break;
    case OPTION_WARN:
        c->no_warnings = ok = value_word(c, o, value, "none", &word);
        break;
    case OPTION_WATCH:
        c->watch = true;
        break;
    case OPTION_INDEX:
        c->trust_indices = ok = value_word(c, o, value, "trust", &word);
        break;
    case OPTION_SET:
        return value_pair(c, o, value, &c->values);
    case OPTION_RTOL:
        return value_real(c, o, value, &c->rtol);
    case OPTION_ATOL:
        return value_real(c, o, value, &c->atol);
    case OPTION_ERROR_JSON:
        c->error_json = true;
        break;
    case OPTION_HELP:
        c->help = true;
        break;
    case OPTION_VERSION:
        c->version = true;
        break;
    default:
        return apply_run(c, o, value);
    }
    return ok;
}

/* --list without --cases. */
static bool take_list(struct command *c)
{
    int word = 0;
    c->lists = value_word(c, option_find(c->tool, "list", 4), c->list_file,
                          "targets passes ops enums plugins providers convertibles", &word);
    c->list = (enum sdfg_list_kind)word;
    return c->lists;
}

/* ---- the line ---- */

/* One word of the line that starts with a dash; `next` may become its value. */
static bool parse_dashed(struct command *c, char *word, char *next, bool *used_next)
{
    char *name = word + (word[1] == '-' ? 2 : 1), *sign = strchr(name, '=');
    size_t length = sign ? (size_t)(sign - name) : strlen(name);
    bool is_short = word[1] != '-';
    const struct option *o = !is_short || length == 1 ? option_find(c->tool, name, length) : NULL;
    if (is_short && !strcmp(name, "h"))
        o = option_find(c->tool, "help", 4);
    if (!o && sign && word[1] == '-' && length) {
        *sign = 0;
        value_add_pair(&c->values, name, sign + 1);
        return true;
    }
    if (!o) {
        struct near n = near_begin(name);
        options_try(c->tool, &n);
        fprintf(stderr, "%s: unknown option '%s'", tool_name(c->tool), word);
        fprintf(stderr, *n.best ? "; did you mean '--%s'?\n" : "; a value is given as --NAME=VALUE\n", n.best);
        return false;
    }
    char *value = sign ? sign + 1 : NULL;
    if (o->takes == TAKES_NOTHING && value)
        return value_refused(c, o, value, "no value");
    if (o->takes == TAKES_VALUE && !value) {
        if (!next) {
            fprintf(stderr, "%s: '%s' needs a value: %s\n", tool_name(c->tool), word, o->value);
            return false;
        }
        value = next;
        *used_next = true;
    }
    return apply(c, o, value);
}

/* NAME=VALUE without dashes, where a program is expected. */
static bool is_bare_value(const char *word)
{
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.[]");
    return length && word[length] == '=' && !file_exists(word);
}

static bool parse_words(struct command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool used_next = false;
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != ':') { /* "-:f" is a function of standard input */
            if (!parse_dashed(c, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used_next))
                return false;
            i += used_next;
        } else if (is_bare_value(argv[i])) {
            fprintf(stderr, "%s: '%s' is no program; did you mean '--%s'?\n", tool_name(c->tool), argv[i], argv[i]);
            return false;
        } else if (c->program) {
            fprintf(stderr, "%s: more than one program: '%s' and '%s'\n", tool_name(c->tool), c->program, argv[i]);
            return false;
        } else {
            c->program = argv[i];
        }
    }
    if (c->help || c->version)
        return true;
    if (c->list_file && !c->cases_folder && !take_list(c))
        return false;
    int subjects = (c->program != NULL) + (c->case_folder != NULL) + (c->cases_folder != NULL) + c->lists;
    const char *tool = tool_name(c->tool);
    if (subjects != 1)
        fprintf(stderr,
                subjects ? "%s: a program, --case, --cases and --list exclude each other\n"
                         : "%s: no program given; see %s --help\n",
                tool, tool);
    return subjects == 1;
}

/* One run, of which nobody wants to know how fast code can be or what the compiler does, may take quick code. */
static void choose_tier(struct command *c)
{
    const sdfg_options *o = &c->options;
    bool once =
        c->tool == TOOL_RUN && c->program && c->repeat == 1 && !c->warmup && !c->report_file && c->time == TIME_TOTALS;
    bool as_usual = o->opt_level < 0 && !o->debug && !o->dump_after && !o->debug_info && !o->profiler &&
                    o->linker == SDFG_LINKER_AUTO;
    if (!c->tier_given && once && as_usual)
        c->options.tier = SDFG_TIER_AUTO;
}

/* The run takes what is found. */
static bool tunes_a_run(struct command *c)
{
    bool runs = c->program && !c->emits && !c->remarks && !c->describe && !c->explain_symbols && !c->watch;
    if (!runs)
        fputs("sdfg-run: --tune: only where a program is run, and without --watch\n", stderr);
    c->options.opt_level = SDFG_OPT_MAX;
    return runs;
}

bool command_parse(struct command *c, enum tool tool, int argc, char **argv)
{
    *c = (struct command){ .tool = tool,
                           .repeat = 1,
                           .samples = 31,
                           .cold_samples = 5,
                           .seconds = 20,
                           .tune = -1,
                           .timeout = -1,
                           .rtol = -1,
                           .atol = -1 };
    sdfg_options_init(&c->options, sizeof c->options);
    size_t most = (size_t)argc * sizeof(struct pair);
    c->values.items = malloc(most);
    c->outputs.items = malloc(most);
    c->expects.items = malloc(most);
    c->distributes.items = malloc(most);
    if (!c->values.items || !c->outputs.items || !c->expects.items || !c->distributes.items)
        fatal_memory();
    if (!parse_words(c, argc, argv))
        return false;
    if (c->options.instrument && !c->report_file) {
        fprintf(stderr, "%s: --instrument needs --report=FILE\n", tool_name(tool));
        return false;
    }
    if (c->tune >= 0 && c->tool == TOOL_RUN && !tunes_a_run(c))
        return false;
    choose_tier(c);
    if (c->show_view == VIEW_HTML && !c->options.debug)
        c->options.debug = "places"; /* lines of the loop tree lead to their elements */
    python_options(c);
    if (c->options.dump_after || (c->options.debug && !c->options.dump_dir))
        c->options.dump = print_dump;
    return true;
}

void command_release(struct command *c)
{
    free(c->python);
    free(c->plugins);
    free(c->values.items);
    free(c->outputs.items);
    free(c->expects.items);
    free(c->distributes.items);
}
