#include "engine/cli/command.h"

#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPTION_DESCRIBE,
    OPTION_EMIT,
    OPTION_FILE,
    OPTION_DUMP_AFTER,
    OPTION_EXPLAIN_SYMBOLS,
    OPTION_OUTPUT,
    OPTION_EXPECT,
    OPTION_RTOL,
    OPTION_ATOL,
    OPTION_SET,
    OPTION_TIME,
    OPTION_REPEAT,
    OPTION_WARMUP,
    OPTION_THREADS,
    OPTION_SPECIALIZE,
    OPTION_OPT,
    OPTION_FP,
    OPTION_CODEGEN,
    OPTION_LINKER,
    OPTION_CACHE,
    OPTION_NO_CACHE,
    OPTION_EXPLAIN_CACHE,
    OPTION_DEBUG_INFO,
    OPTION_PROFILER,
    OPTION_ERROR_JSON,
    OPTION_CASE,
    OPTION_CASES,
    OPTION_SDFG,
    OPTION_JOBS,
    OPTION_TIMEOUT,
    OPTION_LIST,
    OPTION_HELP,
    OPTION_VERSION,
};

enum takes { TAKES_NOTHING, TAKES_VALUE, MAY_TAKE_VALUE };

/* In the order of the help. Rows without an option are headings. */
static const struct option {
    const char *name;
    enum option_id id;
    enum takes takes;
    const char *value, *help;
} options[] = {
    { NULL, 0, 0, NULL, "Arguments of the program" },
    { "set", OPTION_SET, TAKES_VALUE, "NAME=VALUE", "the same as --NAME=VALUE, for names that are also options" },
    { "output", OPTION_OUTPUT, TAKES_VALUE, "NAME=@FILE", "write an array after the run; '-' prints it" },
    { "expect", OPTION_EXPECT, TAKES_VALUE, "NAME=@FILE", "compare with a reference; exit code 1 if it differs" },
    { "rtol", OPTION_RTOL, TAKES_VALUE, "X", "relative tolerance of --expect (by element type)" },
    { "atol", OPTION_ATOL, TAKES_VALUE, "X",
      "absolute tolerance of --expect (by element type and size of the values)" },
    { NULL, 0, 0, NULL, "Looking inside" },
    { "describe", OPTION_DESCRIBE, MAY_TAKE_VALUE, "json", "arguments, symbols, constraints and memory" },
    { "explain-symbols", OPTION_EXPLAIN_SYMBOLS, TAKES_NOTHING, NULL, "how each symbol gets its value" },
    { "explain-cache", OPTION_EXPLAIN_CACHE, TAKES_NOTHING, NULL, "where the code came from, on stderr" },
    { "emit", OPTION_EMIT, TAKES_VALUE, "WHAT", "sdfg, tree, ll, ll-opt, asm or obj instead of running" },
    { "o", OPTION_FILE, TAKES_VALUE, "FILE", "where --emit writes (stdout)" },
    { "dump-after", OPTION_DUMP_AFTER, TAKES_VALUE, "PASS", "print what that pass made, on stderr" },
    { "error-json", OPTION_ERROR_JSON, TAKES_NOTHING, NULL, "print errors as JSON" },
    { NULL, 0, 0, NULL, "Running" },
    { "time", OPTION_TIME, MAY_TAKE_VALUE, "json", "times of all phases and runs" },
    { "repeat", OPTION_REPEAT, TAKES_VALUE, "N", "run N times" },
    { "warmup", OPTION_WARMUP, TAKES_VALUE, "N", "run N times before that, without measuring" },
    { "timeout", OPTION_TIMEOUT, TAKES_VALUE, "S", "give up after S seconds (--cases: each case, 60)" },
    { "threads", OPTION_THREADS, TAKES_VALUE, "N", "threads of parallel regions (decided at run time)" },
    { "specialize", OPTION_SPECIALIZE, TAKES_VALUE, "WHAT", "symbols that become constants: auto, none, all or names" },
    { "opt", OPTION_OPT, TAKES_VALUE, "0..3", "optimization level" },
    { "fp", OPTION_FP, TAKES_VALUE, "WHAT", "default, strict or fast floating point" },
    { "codegen", OPTION_CODEGEN, TAKES_VALUE, "FILE", "code generator library (beside this program)" },
    { "linker", OPTION_LINKER, TAKES_VALUE, "WHAT", "auto, place or orc: what puts machine code into memory" },
    { "cache", OPTION_CACHE, TAKES_VALUE, "DIR", "folder of compiled programs (libsdfg in the user's cache folder)" },
    { "no-cache", OPTION_NO_CACHE, TAKES_NOTHING, NULL, "compile, and keep nothing" },
    { "debug-info", OPTION_DEBUG_INFO, TAKES_NOTHING, NULL, "source lines for debuggers and profilers" },
    { "profiler", OPTION_PROFILER, TAKES_NOTHING, NULL, "announce generated code to perf and gdb" },
    { NULL, 0, 0, NULL, "Recorded cases" },
    { "case", OPTION_CASE, TAKES_VALUE, "DIR", "run one and compare" },
    { "cases", OPTION_CASES, TAKES_VALUE, "DIR", "run all below DIR, each in a process of its own" },
    { "sdfg", OPTION_SDFG, TAKES_VALUE, "NAME", "program file in each case folder (prog.sdfg)" },
    { "jobs", OPTION_JOBS, TAKES_VALUE, "N", "cases at the same time (number of processors)" },
    { "list", OPTION_LIST, TAKES_VALUE, "FILE", "cases that are expected to fail: lines of case, tab, reason" },
    { NULL, 0, 0, NULL, "Other" },
    { "help", OPTION_HELP, TAKES_NOTHING, NULL, "this text" },
    { "version", OPTION_VERSION, TAKES_NOTHING, NULL, "versions of the library and the code generator" },
};

enum { NUM_OPTIONS = sizeof options / sizeof *options };

void command_help(void)
{
    puts("usage: sdfg-run PROGRAM.sdfg [--NAME=VALUE ...] [OPTION ...]\n"
         "       sdfg-run --case DIR | --cases DIR [OPTION ...]\n"
         "\n"
         "Runs an SDFG. Sizes are solved from the arrays or given by name; what is missing is filled with a\n"
         "reproducible pattern. VALUE is a number, @FILE.npy, or for arrays zero, ones, iota, random[:SEED],\n"
         "normal[:SEED], constant:X or null.");
    for (int i = 0; i < NUM_OPTIONS; i++) {
        const struct option *o = &options[i];
        char left[64];
        if (!o->name) {
            printf("\n%s\n", o->help);
            continue;
        }
        const char *dashes = o->name[1] ? "--" : "-", *sign = o->name[1] ? "=" : " ";
        if (o->takes == TAKES_NOTHING)
            snprintf(left, sizeof left, "%s%s", dashes, o->name);
        else
            snprintf(left, sizeof left, o->takes == MAY_TAKE_VALUE ? "%s%s[%s%s]" : "%s%s%s%s", dashes, o->name, sign,
                     o->value);
        printf("  %-24s %s\n", left, o->help);
    }
    puts("\nExit codes: 0 good, 1 results differ, 2 usage, 3 file, 4 invalid SDFG, 5 unsupported, 6 compiler failure,\n"
         "7 failure of the running program, 8 library, device or memory missing, 9 time-out.");
}

/* ---- words ---- */

unsigned word_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    unsigned row[LONGEST + 1];
    size_t n = strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST)
        return 1000;
    for (unsigned k = 0; k <= n; k++)
        row[k] = k;
    for (unsigned i = 1; *a; a++, i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            unsigned replace = diagonal + (*a != b[k - 1]);
            diagonal = row[k];
            unsigned shift = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            row[k] = replace < shift ? replace : shift;
        }
    }
    return row[n];
}

unsigned word_tolerance(const char *name)
{
    unsigned length = (unsigned)strlen(name);
    return length < 2 ? 1 : 2 + length / 4;
}

const char *command_suggest(const char *name)
{
    const char *best = NULL;
    unsigned closest = word_tolerance(name);
    for (int i = 0; i < NUM_OPTIONS; i++) {
        unsigned d = options[i].name && options[i].name[1] ? word_distance(name, options[i].name) : closest;
        if (d < closest) {
            closest = d;
            best = options[i].name;
        }
    }
    return best;
}

static const struct option *find_option(const char *name, size_t length)
{
    for (int i = 0; i < NUM_OPTIONS; i++)
        if (options[i].name && !strncmp(options[i].name, name, length) && !options[i].name[length])
            return &options[i];
    return NULL;
}

/* ---- values ---- */

static bool usage(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "sdfg-run: --%s=%s: expected %s\n", option, value, expected);
    return false;
}

static bool take_int(const struct option *o, const char *value, int least, int most, int *out)
{
    char *end, expected[64];
    long n = strtol(value, &end, 10);
    if (end != value && !*end && n >= least && n <= most) {
        *out = (int)n;
        return true;
    }
    snprintf(expected, sizeof expected, "a number from %d to %d", least, most);
    return usage(o->name, value, expected);
}

static bool take_real(const struct option *o, const char *value, double *out)
{
    return (number_parse(value, out) && *out >= 0) || usage(o->name, value, "a number that is not negative");
}

/* One of the words, separated by spaces in `words`. */
static bool take_word(const struct option *o, const char *value, const char *words, int *out)
{
    size_t length = strlen(value);
    int index = 0;
    for (const char *at = words; *at; index++) {
        size_t n = strcspn(at, " ");
        if (n == length && !strncmp(at, value, n)) {
            *out = index;
            return true;
        }
        at += n + (at[n] == ' ');
    }
    char expected[128];
    snprintf(expected, sizeof expected, "one of: %s", words);
    return usage(o->name, value, expected);
}

static void add_pair(struct pairs *p, char *name, const char *value)
{
    p->items[p->count++] = (struct pair){ name, value };
}

/* Splits NAME=VALUE in place. */
static bool take_pair(const struct option *o, char *text, struct pairs *p)
{
    char *sign = strchr(text, '=');
    if (!sign || sign == text)
        return usage(o->name, text, "NAME=VALUE");
    *sign = 0;
    add_pair(p, text, sign + 1);
    return true;
}

static void print_dump(void *user, const char *title, const char *text)
{
    (void)user;
    fprintf(stderr, "---- %s\n%s", title, text);
    if (*text && text[strlen(text) - 1] != '\n')
        fputc('\n', stderr);
}

static bool apply_run(struct command *c, const struct option *o, char *value)
{
    int word = 0;
    bool ok = true;
    switch (o->id) {
    case OPTION_TIME:
        c->time = TIME_TEXT;
        if (value && (ok = take_word(o, value, "text json", &word)) && word)
            c->time = TIME_JSON;
        break;
    case OPTION_REPEAT:
        return take_int(o, value, 1, 1000000000, &c->repeat);
    case OPTION_WARMUP:
        return take_int(o, value, 0, 1000000000, &c->warmup);
    case OPTION_THREADS:
        return take_int(o, value, 1, 65536, &c->options.num_threads);
    case OPTION_SPECIALIZE:
        c->options.specialize = value;
        break;
    case OPTION_OPT:
        return take_int(o, value, 0, 3, &c->options.opt_level);
    case OPTION_FP:
        ok = take_word(o, value, "default strict fast", &word);
        c->options.fp = (enum sdfg_fp)word;
        break;
    case OPTION_CODEGEN:
        c->options.codegen = value;
        break;
    case OPTION_CACHE:
        c->options.cache_dir = value;
        break;
    case OPTION_NO_CACHE:
        c->options.cache_dir = "";
        break;
    case OPTION_LINKER:
        ok = take_word(o, value, "auto place orc", &word);
        c->options.linker = (enum sdfg_linker)word;
        break;
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
        return take_int(o, value, 1, 4096, &c->jobs);
    case OPTION_TIMEOUT:
        return take_real(o, value, &c->timeout);
    case OPTION_LIST:
        c->list_file = value;
        break;
    default:
        break;
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
        if (value && (ok = take_word(o, value, "text json", &word)) && word)
            c->describe = DESCRIBE_JSON;
        break;
    case OPTION_EMIT:
        ok = take_word(o, value, "sdfg tree ll ll-opt asm obj", &word);
        c->emit = (enum sdfg_emit)word;
        c->emits = true;
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
        return take_pair(o, value, &c->outputs);
    case OPTION_EXPECT:
        return take_pair(o, value, &c->expects);
    case OPTION_SET:
        return take_pair(o, value, &c->values);
    case OPTION_RTOL:
        return take_real(o, value, &c->rtol);
    case OPTION_ATOL:
        return take_real(o, value, &c->atol);
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

/* ---- the line ---- */

/* One word of the line that starts with a dash; `next` may become its value. */
static bool parse_dashed(struct command *c, char *word, char *next, bool *used_next)
{
    char *name = word + (word[1] == '-' ? 2 : 1), *sign = strchr(name, '=');
    size_t length = sign ? (size_t)(sign - name) : strlen(name);
    bool is_short = word[1] != '-';
    const struct option *o = !is_short || length == 1 ? find_option(name, length) : NULL;
    if (is_short && !strcmp(name, "h"))
        o = find_option("help", 4);
    if (!o && sign && word[1] == '-' && length) {
        *sign = 0;
        add_pair(&c->values, name, sign + 1);
        return true;
    }
    if (!o) {
        const char *hint = command_suggest(name);
        fprintf(stderr, "sdfg-run: unknown option '%s'", word);
        fprintf(stderr, hint ? "; did you mean '--%s'?\n" : "; a value is given as --NAME=VALUE\n", hint);
        return false;
    }
    char *value = sign ? sign + 1 : NULL;
    if (o->takes == TAKES_NOTHING && value)
        return usage(o->name, value, "no value");
    if (o->takes == TAKES_VALUE && !value) {
        if (!next) {
            fprintf(stderr, "sdfg-run: '%s' needs a value: %s\n", word, o->value);
            return false;
        }
        value = next;
        *used_next = true;
    }
    return apply(c, o, value);
}

static bool parse_words(struct command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool used_next = false;
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!parse_dashed(c, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used_next))
                return false;
            i += used_next;
        } else if (c->program) {
            fprintf(stderr, "sdfg-run: more than one program: '%s' and '%s'\n", c->program, argv[i]);
            return false;
        } else {
            c->program = argv[i];
        }
    }
    if (c->help || c->version)
        return true;
    int subjects = (c->program != NULL) + (c->case_folder != NULL) + (c->cases_folder != NULL);
    if (subjects != 1)
        fprintf(stderr, subjects ? "sdfg-run: a program, --case and --cases exclude each other\n"
                                 : "sdfg-run: no program given; see sdfg-run --help\n");
    return subjects == 1;
}

bool command_parse(struct command *c, int argc, char **argv)
{
    *c = (struct command){ .sdfg_name = NULL, .repeat = 1, .timeout = -1, .rtol = -1, .atol = -1 };
    sdfg_options_init(&c->options, sizeof c->options);
    size_t most = (size_t)argc * sizeof(struct pair);
    c->values.items = malloc(most);
    c->outputs.items = malloc(most);
    c->expects.items = malloc(most);
    if (!c->values.items || !c->outputs.items || !c->expects.items) {
        fputs("sdfg-run: out of memory\n", stderr);
        return false;
    }
    if (!parse_words(c, argc, argv))
        return false;
    if (c->options.dump_after || (c->options.debug && !c->options.dump_dir))
        c->options.dump = print_dump;
    return true;
}

void command_release(struct command *c)
{
    free(c->values.items);
    free(c->outputs.items);
    free(c->expects.items);
}
