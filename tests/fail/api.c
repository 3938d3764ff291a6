/* Each function of the API while allocations fail: an error of class ENVIRONMENT or success, nothing that stays behind,
 * and the same again succeeds afterwards.
 *
 *     fail-api FILE SCENARIO|core|llvm|all STRIDE [FIRST [LAST]]
 *
 * Every n-th allocation fails once, in a process of its own: n = FIRST, FIRST + STRIDE, ... until the work is through
 * without a failure (or LAST). Then all from the n-th on. `llvm`: the scenarios that compile; `core`: the
 * others. The folder for the disk cache
 * is a new one. */
#include "engine/include/sdfg_graph.h"
#include "tests/fail/interpose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 16, HANGS_AFTER = 60 };

/* What a scenario has in hand; freed behind it. */
struct state {
    const char *file, *cache;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    sdfg_bound *bound;
    sdfg_kernel *kernel;
    sdfg_stream *stream;
    double x[LENGTH], y[LENGTH];
};

static void must(sdfg_error *e)
{
    if (!e)
        return;
    fprintf(stderr, "preparation: %s", sdfg_error_text(e));
    _exit(3);
}

static sdfg_error *make_engine(struct state *s)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.cache_dir = s->cache;
    o.specialize = s->cache ? "auto" : "N,M";
    return sdfg_engine_new(&s->engine, &o);
}

static sdfg_error *load_file(struct state *s) { return sdfg_program_load_file(&s->program, s->engine, s->file); }

static sdfg_error *load_memory(struct state *s)
{
    static char bytes[1 << 20];
    FILE *f = fopen(s->file, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    if (!f)
        return NULL; /* memory for the file: this program's own */
    return sdfg_program_load(&s->program, s->engine, bytes, size, NULL);
}

static sdfg_error *make_args(struct state *s)
{
    sdfg_error *e = NULL;
    if (!s->args)
        e = sdfg_args_new(&s->args, s->program);
    if (!e)
        e = sdfg_args_f64(s->args, "alpha", 2);
    if (!e)
        e = sdfg_args_array(s->args, "X", SDFG_ARRAY(.data = s->x, .dtype = SDFG_F64, .rank = 1, .shape = { LENGTH }));
    if (!e)
        e = sdfg_args_array(s->args, "Y", SDFG_ARRAY(.data = s->y, .dtype = SDFG_F64, .rank = 1, .shape = { LENGTH }));
    if (!e)
        e = sdfg_args_threads(s->args, 1);
    return e;
}

static sdfg_error *wrong_args(struct state *s)
{
    sdfg_error *e = sdfg_args_f64(s->args, "alhpa", 2);
    if (e && sdfg_error_class_of(e) == SDFG_ERROR_INVALID && sdfg_error_json(e) && sdfg_error_text(e)) {
        sdfg_error_free(e);
        return NULL;
    }
    return e;
}

static sdfg_error *ask_args(struct state *s)
{
    int rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK], elements, value;
    char *text = NULL, *cache = NULL;
    sdfg_error *e = sdfg_args_solve(s->args);
    if (!e)
        e = sdfg_args_layout(s->args, "X", &rank, shape, strides, &elements);
    if (!e)
        e = sdfg_args_explain(&text, s->args);
    if (!e)
        e = sdfg_args_explain_cache(&cache, s->args);
    sdfg_args_value(s->args, "N", &value);
    sdfg_text_free(text);
    sdfg_text_free(cache);
    return e;
}

static sdfg_error *run_call(struct state *s)
{
    for (int i = 0; i < LENGTH; i++) {
        s->x[i] = i;
        s->y[i] = 1;
    }
    sdfg_error *e = sdfg_call(s->program, s->args);
    for (int i = 0; i < LENGTH && !e; i++)
        if (s->y[i] != 2 * i + 1) {
            fprintf(stderr, "element %d is wrong\n", i);
            _exit(4);
        }
    return e;
}

static sdfg_error *bind_call(struct state *s)
{
    sdfg_error *e = s->bound ? NULL : sdfg_bind(&s->bound, s->program, s->args);
    return e ? e : sdfg_bound_call(s->bound);
}

static sdfg_error *specialize(struct state *s)
{
    const sdfg_symbol n = { "N", LENGTH };
    return s->kernel ? NULL : sdfg_specialize(&s->kernel, s->program, &n, 1);
}

static sdfg_error *specialize_wrong(struct state *s)
{
    sdfg_kernel *k;
    const sdfg_symbol n = { "no_symbol", LENGTH };
    sdfg_error *e = sdfg_specialize(&k, s->program, &n, 1);
    if (e && sdfg_error_class_of(e) == SDFG_ERROR_INVALID) {
        sdfg_error_free(e);
        return NULL;
    }
    return e;
}

static sdfg_error *emit(struct state *s, enum sdfg_emit what)
{
    char *text;
    size_t size;
    sdfg_error *e = sdfg_program_emit(&text, &size, s->program, what, NULL, 0);
    sdfg_text_free(text);
    return e;
}

static sdfg_error *emit_graph(struct state *s) { return emit(s, SDFG_EMIT_SDFG); }
static sdfg_error *emit_tree(struct state *s) { return emit(s, SDFG_EMIT_TREE); }
static sdfg_error *emit_assembly(struct state *s) { return emit(s, SDFG_EMIT_ASM); }
static sdfg_error *emit_remarks(struct state *s) { return emit(s, SDFG_EMIT_REMARKS); }

static sdfg_error *emit_work(struct state *s)
{
    char *text;
    sdfg_error *e = sdfg_args_emit(&text, NULL, s->args, SDFG_EMIT_WORK);
    sdfg_text_free(text);
    return e;
}

static sdfg_error *export(struct state *s, enum sdfg_export_form form)
{
    char *bytes;
    sdfg_export x = { .struct_size = sizeof x, .form = form };
    sdfg_error *e = sdfg_program_export(&bytes, NULL, s->program, &x);
    sdfg_text_free(bytes);
    return e;
}

static sdfg_error *export_header(struct state *s) { return export(s, SDFG_EXPORT_C); }
static sdfg_error *export_module(struct state *s) { return export(s, SDFG_EXPORT_FORTRAN); }
static sdfg_error *export_shared(struct state *s) { return export(s, SDFG_EXPORT_SHARED); }

static sdfg_error *use_stream(struct state *s)
{
    int items[3] = { 1, 2, 3 };
    sdfg_error *e = s->stream ? NULL : sdfg_stream_new(&s->stream, sizeof *items, 2);
    if (!e)
        e = sdfg_stream_push(s->stream, 1, items, 3);
    return e;
}

static sdfg_error *describe(struct state *s)
{
    sdfg_cache_info cache = { .struct_size = sizeof cache };
    sdfg_stats stats = { .struct_size = sizeof stats };
    sdfg_engine_cache(s->engine, &cache);
    sdfg_engine_stats(s->engine, &stats);
    sdfg_program_stats(s->program, &stats);
    return NULL;
}

static const char *new_folder(void)
{
    static char folder[64];
    strcpy(folder, "/tmp/sdfg-fail-XXXXXX");
    if (!mkdtemp(folder))
        _exit(3);
    return folder;
}

static void prepare_engine(struct state *s) { must(make_engine(s)); }

static void prepare_cached_engine(struct state *s)
{
    s->cache = new_folder();
    must(make_engine(s));
}

static void prepare_program(struct state *s)
{
    prepare_engine(s);
    must(load_file(s));
}

static void prepare_args(struct state *s)
{
    prepare_program(s);
    must(make_args(s));
}

static void prepare_call(struct state *s)
{
    prepare_args(s);
    must(run_call(s));
}

/* The kernel is on disk. */
static void prepare_cached(struct state *s)
{
    prepare_cached_engine(s);
    must(load_file(s));
    must(make_args(s));
    must(run_call(s));
    sdfg_engine_wait(s->engine);
    sdfg_args_free(s->args);
    s->args = NULL;
    sdfg_program_free(s->program);
    s->program = NULL;
    must(load_file(s));
    must(make_args(s));
}

/* It is not; but LLVM has been used. */
static void prepare_storing(struct state *s)
{
    s->cache = new_folder();
    must(make_engine(s));
    must(load_file(s));
    char *text;
    must(sdfg_program_emit(&text, NULL, s->program, SDFG_EMIT_OBJECT, NULL, 0));
    sdfg_text_free(text);
    must(make_args(s));
}

static void prepare_compiled(struct state *s)
{
    prepare_args(s);
    must(emit_assembly(s));
}

/* The library is open, but nothing was compiled. While it is opened, LLVM ends the process if there is no memory. */
static void prepare_opened(struct state *s)
{
    const char *version;
    prepare_args(s);
    must(sdfg_engine_backend(&version, s->engine));
}

static sdfg_error *call_and_wait(struct state *s)
{
    sdfg_error *e = run_call(s);
    sdfg_engine_wait(s->engine);
    return e;
}

static sdfg_error *list_all(struct state *s)
{
    for (enum sdfg_list_kind what = SDFG_LIST_TARGETS; what <= SDFG_LIST_PROVIDERS; what++) {
        sdfg_list *list;
        sdfg_error *e = sdfg_engine_list(&list, s->engine, what);
        sdfg_list_free(list);
        if (e)
            return e;
    }
    return NULL;
}

/* A graph made in C. */
static sdfg_error *make_graph(struct state *s)
{
    sdfg_graph *g;
    sdfg_program *p = NULL;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "made");
    if (e)
        return e;
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    sdfg_element *st = sdfg_graph_state(sdfg_graph_body(g), "s"), *m = sdfg_graph_map(st, "m", "i = 0:N");
    sdfg_element *t = sdfg_graph_tasklet(st, "t", "a", "b", "b = 2 * a");
    sdfg_graph_set(m, "schedule", "Sequential");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(st, "A"), m, t), "A[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(st, "B")), "B[i]", NULL, "b", NULL);
    e = sdfg_graph_check(g);
    if (!e)
        e = sdfg_graph_load(&p, s->engine, g);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    return e;
}

static const struct scenario {
    const char *name;
    void (*prepare)(struct state *s);
    sdfg_error *(*work)(struct state *s);
    bool llvm;  /* what LLVM had in use may stay behind */
    bool first; /* LLVM was not used before: if it fails then, it is not used again */
} scenarios[] = {
    { "first", prepare_opened, run_call, true, true }, /* as the others use LLVM in this process */
    { "engine", NULL, make_engine, false, false },
    { "load", prepare_engine, load_file, false, false },
    { "load-memory", prepare_engine, load_memory, false, false },
    { "args", prepare_program, make_args, false, false },
    { "wrong-args", prepare_args, wrong_args, false, false },
    { "ask", prepare_args, ask_args, false, false },
    { "call", prepare_call, run_call, false, false },
    { "bind", prepare_call, bind_call, false, false },
    { "specialize-wrong", prepare_program, specialize_wrong, false, false },
    { "emit-graph", prepare_program, emit_graph, false, false },
    { "export-header", prepare_program, export_header, false, false },
    { "export-module", prepare_program, export_module, false, false },
    { "stream", NULL, use_stream, false, false },
    { "describe", prepare_call, describe, false, false },
    { "graph", prepare_engine, make_graph, false, false },
    { "list", prepare_opened, list_all, false, false },
    { "disk", prepare_cached, run_call, false, false },
    { "emit-tree", prepare_call, emit_tree, true, false },
    { "emit-work", prepare_call, emit_work, true, false },
    { "specialize", prepare_compiled, specialize, true, false },
    { "compile", prepare_compiled, run_call, true, false },
    { "store", prepare_storing, call_and_wait, true, false },
    { "emit-assembly", prepare_call, emit_assembly, true, false },
    { "emit-remarks", prepare_call, emit_remarks, true, false },
    { "export-shared", prepare_call, export_shared, true, false },
};
enum { NUM_SCENARIOS = sizeof scenarios / sizeof *scenarios };

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
            _exit(3);
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
    fail_at(n, on);
    sdfg_error *e = c->work(&s);
    *failed = fail_failed();
    fail_at(0, false);
    if (e && sdfg_error_class_of(e) != SDFG_ERROR_ENVIRONMENT) {
        fprintf(stderr, "not of class environment: %s", sdfg_error_text(e));
        _exit(5);
    }
    if (e && !*failed) {
        fprintf(stderr, "fails without a reason: %s", sdfg_error_text(e));
        _exit(6);
    }
    sdfg_error_free(e);
    e = c->work(&s);
    sdfg_stats stats = { .struct_size = sizeof stats };
    sdfg_engine_stats(s.engine, &stats);
    *abandoned = stats.abandoned;
    if (e && !(c->first && *abandoned)) {
        fprintf(stderr, "fails again: %s", sdfg_error_text(e));
        _exit(7);
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
            _exit(8);
        }
        _exit(failed ? 0 : 1);
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
    for (int on = 0; on < 2; on++) {
        long n = first;
        int code = 0;
        for (; code != 1 && (!last || n <= last); n += stride) {
            code = attempt(c, file, n, on, usual);
            if (code > 1) {
                printf("%s: allocation %ld fails%s: %s %d\n", c->name, n, on ? " and all after it" : "",
                       code > 128 ? "signal" : "status", code > 128 ? code - 128 : code);
                bad++;
            }
        }
        printf("%s: up to allocation %ld%s\n", c->name, n - stride, on ? " and all after it" : "");
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
    for (int i = 0; i < NUM_SCENARIOS; i++) {
        bool among = !strcmp(argv[2], scenarios[i].llvm ? "llvm" : "core");
        if (!among && strcmp(argv[2], "all") && strcmp(argv[2], scenarios[i].name))
            continue;
        bad += try_all(&scenarios[i], argv[1], stride, first, last);
        tried++;
    }
    return bad || !tried;
}
