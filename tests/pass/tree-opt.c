/* tree-opt CASE...                   runs cases (README.md), and shows what is not as expected
 * tree-opt --bless CASE...           ... and writes what there is into them
 * tree-opt --round-trip FILE...      trees ("-": standard input) of which the same text must be printed
 * tree-opt --passes=LIST [--options=LIST] FILE...   prints what passes make of trees
 * tree-opt --cuda[=strict|fast] FILE...             prints the CUDA C of the kernels of trees */
#include "base/remark.h"
#include "base/text.h"
#include "gpu/emit.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SECTIONS = 5 };

static const struct {
    const char *name;
    tree_pass *run;
    unsigned devices;
} passes[] = {
#define TREE_PASS(name, function, device, needs, makes, breaks, text) { name, function, TREE_PASS_##device },
#include "lower/opt/passes.def"
};

/* A part of a case, from "=== name" on. */
struct section {
    const char *name, *text;
    size_t length;
};

struct test {
    const char *head; /* the lines before the first section */
    size_t head_length;
    const char *passes, *options;
    struct section sections[MOST_SECTIONS];
    int count;
};

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "tree-opt: %s '%s'\n", what, which);
    exit(2);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t capacity = 1 << 16, n;
    char *text = malloc(capacity);
    if (!f || !text)
        complain("cannot read", path);
    *length = 0;
    while ((n = fread(text + *length, 1, capacity - *length, f)) > 0) {
        *length += n;
        if (*length == capacity && !(text = realloc(text, capacity *= 2)))
            complain("cannot read", path);
    }
    fclose(f);
    return text;
}

/* ---- passes ---- */

static void set_option(struct tree *t, struct tree_options *o, struct machine *m, const char *word)
{
    const char *value = strchr(word, '=');
    int64_t number = value ? strtoll(value + 1, NULL, 10) : 1;
    size_t length = value ? (size_t)(value - word) : strlen(word);
    const struct {
        const char *name;
        int64_t *wide;
        int32_t *narrow;
        bool *flag;
    } options[] = {
        { "threads", NULL, &o->num_threads, NULL },
        { "plain", NULL, NULL, &o->plain },
        { "strict-fp", NULL, NULL, &o->strict_fp },
        { "fast-fp", NULL, NULL, &o->fast_fp },
        { "device", NULL, NULL, &o->device },
        { "cublas", NULL, NULL, &o->cublas },
        { "cusolver", NULL, NULL, &o->cusolver },
        { "cufft", NULL, NULL, &o->cufft },
        { "counting", NULL, NULL, &o->counting },
        { "largest-cache", &m->largest_cache, NULL, NULL },
        { "first-cache", &m->first_cache, NULL, NULL },
        { "second-cache", &m->second_cache, NULL, NULL },
        { "line", NULL, &m->line, NULL },
        { "vector", NULL, &m->vector, NULL },
        { "double-pumped", NULL, NULL, &m->double_pumped },
        { "nontemporal", NULL, NULL, &m->nontemporal },
        { "region", NULL, &m->region, NULL },
        { "divide", NULL, &m->divide, NULL },
        { "scalable", NULL, NULL, &m->scalable },
        { "fused", NULL, NULL, &m->fused },
#define SETTING(name, least, most, text) { #name, NULL, &o->settings[SETTING_##name], NULL },
#include "lower/opt/settings.def"
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strlen(options[i].name) != length || strncmp(options[i].name, word, length) != 0)
            continue;
        if (options[i].wide)
            *options[i].wide = number;
        else if (options[i].narrow)
            *options[i].narrow = (int32_t)number;
        else
            *options[i].flag = number != 0;
        t->machine = m;
        return;
    }
    complain("no option", word);
}

static bool run_pass(struct tree *t, const struct tree_options *o, const char *name)
{
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!strcmp(passes[i].name, name))
            return passes[i].run(t, o) && tree_verify(t, t->ir->diags);
    complain("no pass", name);
    return false;
}

/* `all` stands for every pass in order that is for the device. */
static bool run_passes(struct tree *t, const char *list, const char *option_list)
{
    struct tree_options options = { 0 };
    struct machine *machine = NEW(t->arena, struct machine);
    char words[512], *save = NULL;
    *machine = *t->machine;
    snprintf(words, sizeof words, "%s", option_list);
    for (char *word = strtok_r(words, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
        set_option(t, &options, machine, word);
    snprintf(words, sizeof words, "%s", list);
    for (char *word = strtok_r(words, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        if (!strcmp(word, "all")) {
            for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
                if (passes[i].devices & (options.device ? TREE_PASS_GPU : TREE_PASS_CPU) &&
                    !run_pass(t, &options, passes[i].name))
                    return false;
        } else if (!run_pass(t, &options, word)) {
            return false;
        }
    }
    return true;
}

static void print_errors(struct ir *ir, struct text *out)
{
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), out);
}

/* ---- cases ---- */

static const char *head_value(struct arena *a, char *text, const char *name)
{
    size_t length = strlen(name);
    for (char *line = text; line && strncmp(line, "=== ", 4) != 0; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && line[length] == ':') {
            size_t n = strcspn(line + length + 1, "\n");
            return arena_strndup(a, line + length + 1, n);
        }
        if (!*line)
            break;
    }
    return "";
}

static struct test take_apart(struct arena *a, char *text, const char *path)
{
    struct test c = { .head = text,
                      .passes = head_value(a, text, "passes"),
                      .options = head_value(a, text, "options") };
    char *line = strncmp(text, "=== ", 4) ? strstr(text, "\n=== ") : text - 1;
    c.head_length = line ? (size_t)(line + 1 - text) : strlen(text);
    while (line && c.count < MOST_SECTIONS) {
        char *name = line + 5, *end = strchr(name, '\n');
        if (!end)
            break;
        line = strncmp(end, "\n=== ", 5) ? strstr(end + 1, "\n=== ") : end;
        const char *stop = line ? line + 1 : end + 1 + strlen(end + 1);
        c.sections[c.count++] =
            (struct section){ arena_strndup(a, name, (size_t)(end - name)), end + 1, (size_t)(stop - end - 1) };
        if (line == end)
            c.sections[c.count - 1].length = 0;
    }
    if (!c.count || strcmp(c.sections[0].name, "program") != 0)
        complain("a case begins with '=== program':", path);
    return c;
}

static void add_section(struct text *out, const char *name, const char *text)
{
    text_printf(out, "=== %s\n%s", name, text);
}

static const char *printed(const struct tree *t)
{
    struct text out = text_new(t->arena);
    tree_print(t, &out);
    return text_get(&out);
}

/* The case as it should be. */
static void run_case(struct ir *ir, const struct test *c, struct text *out)
{
    struct text remarks = text_new(ir->arena), errors = text_new(ir->arena);
    text_addn(out, c->head, c->head_length);
    text_addn(out, "=== program\n", 12);
    text_addn(out, c->sections[0].text, c->sections[0].length);
    ir->remarks = remarks_new(ir->arena);
    struct tree *t = tree_read(ir, c->sections[0].text, c->sections[0].length);
    const char *before = t ? printed(t) : "";
    if (t && run_passes(t, c->passes, c->options)) {
        const char *after = printed(t);
        if (strcmp(before, after) != 0)
            add_section(out, "tree", after);
        else
            add_section(out, "unchanged", "");
    }
    remarks_print(ir->remarks, &remarks);
    if (remarks.length)
        add_section(out, "remarks", text_get(&remarks));
    print_errors(ir, &errors);
    if (errors.length)
        add_section(out, "errors", text_get(&errors));
}

static void show_difference(const char *path, const char *actual)
{
    char command[1024];
    snprintf(command, sizeof command, "diff -u --label expected --label actual '%s' -", path);
    printf("%s\n", path);
    fflush(stdout);
    FILE *p = popen(command, "w");
    if (!p)
        return;
    fputs(actual, p);
    pclose(p);
}

static bool check_case(const char *path, bool bless)
{
    size_t length;
    char *text = read_file(path, &length);
    text = realloc(text, length + 1);
    text[length] = '\0';
    struct ir *ir = ir_new();
    struct test c = take_apart(ir->arena, text, path);
    struct text out = text_new(ir->arena);
    run_case(ir, &c, &out);
    bool same = !strcmp(text_get(&out), text);
    if (!same && bless) {
        FILE *f = fopen(path, "wb");
        if (!f || fputs(text_get(&out), f) < 0 || fclose(f))
            complain("cannot write", path);
    } else if (!same) {
        show_difference(path, text_get(&out));
    }
    ir_free(ir);
    free(text);
    return same || bless;
}

/* ---- trees ---- */

static bool print_cuda(const char *path, enum gpu_fp fp)
{
    size_t length;
    char *text = read_file(path, &length);
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, text, length);
    const struct gpu_text *code = t ? gpu_emit(t, fp) : NULL;
    struct text out = text_new(ir->arena);
    if (code)
        text_add(&out, code->text);
    print_errors(ir, &out);
    fputs(text_get(&out), stdout);
    ir_free(ir);
    free(text);
    return code;
}

static bool print_tree(const char *path, const char *list, const char *options, bool compare)
{
    size_t length;
    char *text = read_file(path, &length);
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, text, length);
    struct text out = text_new(ir->arena);
    if (t && run_passes(t, list, options))
        tree_print(t, &out);
    print_errors(ir, &out);
    bool good = !diags_errors(ir->diags) && (!compare || (out.length == length && !memcmp(out.data, text, length)));
    if (compare && !good)
        printf("%s: is printed as\n", path);
    if (!compare || !good)
        fputs(text_get(&out), stdout);
    ir_free(ir);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    bool bless = false, round_trip = false, good = true;
    const char *list = NULL, *options = "";
    int files = 0, cuda = -1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--bless"))
            bless = true;
        else if (!strcmp(argv[i], "--round-trip"))
            round_trip = true;
        else if (!strncmp(argv[i], "--cuda", 6))
            cuda = !strcmp(argv[i] + 6, "=fast")     ? GPU_FP_FAST
                   : !strcmp(argv[i] + 6, "=strict") ? GPU_FP_STRICT
                                                     : GPU_FP_DEFAULT;
        else if (!strncmp(argv[i], "--passes=", 9))
            list = argv[i] + 9;
        else if (!strncmp(argv[i], "--options=", 10))
            options = argv[i] + 10;
        else if (argv[i][0] == '-' && argv[i][1])
            complain("no option", argv[i]);
        else
            argv[1 + files++] = argv[i];
    }
    for (int i = 1; i <= files; i++)
        good &= cuda >= 0            ? print_cuda(argv[i], (enum gpu_fp)cuda)
                : round_trip || list ? print_tree(argv[i], list ? list : "", options, round_trip)
                                     : check_case(argv[i], bless);
    if (!files)
        complain("no files", "");
    return good ? 0 : 1;
}
