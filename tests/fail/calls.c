/* Programs that are loaded, called and exported while allocations fail. */
#include "tests/fail/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

sdfg_error *make_args(struct state *s)
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

sdfg_error *run_call(struct state *s)
{
    for (int i = 0; i < LENGTH; i++) {
        s->x[i] = i;
        s->y[i] = 1;
    }
    sdfg_error *e = sdfg_call(s->program, s->args);
    for (int i = 0; i < LENGTH && !e; i++)
        if (s->y[i] != 2 * i + 1) {
            fprintf(stderr, "element %d is wrong\n", i);
            leave(4);
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
        leave(3);
    return folder;
}

void prepare_engine(struct state *s) { must(make_engine(s)); }

static void prepare_cached_engine(struct state *s)
{
    s->cache = new_folder();
    must(make_engine(s));
}

void prepare_program(struct state *s)
{
    prepare_engine(s);
    must(load_file(s));
}

void prepare_args(struct state *s)
{
    prepare_program(s);
    must(make_args(s));
}

void prepare_call(struct state *s)
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

/* So many kernels are stored that the folder is pruned. */
static void prepare_full(struct state *s)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    s->cache = new_folder();
    o.cache_dir = s->cache;
    o.cache_bytes = 1;
    must(sdfg_engine_new(&s->engine, &o));
    must(load_file(s));
    char *text;
    must(sdfg_program_emit(&text, NULL, s->program, SDFG_EMIT_OBJECT, NULL, 0));
    sdfg_text_free(text);
    must(make_args(s));
}

static sdfg_error *call_and_wait(struct state *s)
{
    sdfg_error *e = run_call(s);
    sdfg_engine_wait(s->engine);
    return e;
}

static sdfg_error *list_all(struct state *s)
{
    for (enum sdfg_list_kind what = SDFG_LIST_TARGETS; what <= SDFG_LIST_CONVERTIBLES; what++) {
        sdfg_list *list;
        sdfg_error *e = sdfg_engine_list(&list, s->engine, what);
        for (size_t i = 0; i <= sdfg_list_count(list); i++)
            sdfg_list_get(list, i);
        sdfg_list_free(list);
        if (e)
            return e;
    }
    return NULL;
}

const struct scenario call_scenarios[] = {
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
    { "list", prepare_opened, list_all, false, false },
    { "disk", prepare_cached, run_call, false, false },
    { "emit-tree", prepare_call, emit_tree, true, false },
    { "emit-work", prepare_call, emit_work, true, false },
    { "specialize", prepare_compiled, specialize, true, false },
    { "compile", prepare_compiled, run_call, true, false },
    { "store", prepare_storing, call_and_wait, true, false },
    { "full", prepare_full, call_and_wait, true, false },
    { "emit-assembly", prepare_call, emit_assembly, true, false },
    { "emit-remarks", prepare_call, emit_remarks, true, false },
    { "export-shared", prepare_call, export_shared, true, false },
    { 0 },
};
