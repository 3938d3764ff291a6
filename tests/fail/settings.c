/* What is set, asked and added while allocations fail: arguments of each kind, settings of calls, extensions of an
 * engine, programs in Python. */
#include "tests/fail/scenario.h"
#include "tests/unit/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same error, unless it says that axpy has no such thing. */
static sdfg_error *refused(sdfg_error *e)
{
    if (!e || sdfg_error_class_of(e) == SDFG_ERROR_ENVIRONMENT)
        return e;
    sdfg_error_free(e);
    return NULL;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        sdfg_error *error_of_call = (call);                                                                            \
        if (error_of_call)                                                                                             \
            return error_of_call;                                                                                      \
    } while (0)

static sdfg_error *set_values(struct state *s)
{
    const float alpha = 2;
    TRY(sdfg_args_i64(s->args, "N", LENGTH));
    TRY(sdfg_args_scalar(s->args, "alpha", SDFG_F32, &alpha));
    TRY(sdfg_args_complex(s->args, "alpha", 2, 0));
    TRY(sdfg_args_string(s->args, "alpha", "a text, which is refused by the call"));
    TRY(sdfg_args_f64(s->args, "alpha", 2));
    TRY(sdfg_args_null(s->args, "X"));
    TRY(sdfg_args_pointer(s->args, "X", s->x));
    if (!s->stream)
        TRY(sdfg_stream_new(&s->stream, sizeof(double), 1));
    TRY(sdfg_args_stream(s->args, "X", s->stream));
    return NULL;
}

static sdfg_error *set_call(struct state *s)
{
    size_t bytes;
    TRY(sdfg_args_disjoint(s->args));
    TRY(sdfg_args_communicator(s->args, 0));
    TRY(refused(sdfg_args_after(s->args, NULL)));
    TRY(refused(sdfg_args_workspace(s->args, "CPU_Heap", s->x, sizeof s->x)));
    TRY(refused(sdfg_args_workspace_size(&bytes, s->args, "CPU_Heap")));
    sdfg_args_clear(s->args);
    TRY(make_args(s));
    sdfg_args_ready(s->args);
    sdfg_call_cancel(s->args);
    return NULL;
}

/* An array as an interpreter has it. */
static sdfg_error *take_objects(struct state *s)
{
    static const int types[SDFG_RECORD] = { 0 };
    static const char *const names[] = { "X" };
    const int64_t shape = LENGTH, stride = sizeof(double);
    const struct object x = { &array_type, s->x, &shape, &stride, &types[SDFG_F64], 1, 0 };
    const void *const tuple[] = { &x }, *dtypes[SDFG_RECORD];
    sdfg_object_layout l = layout_of(dtypes, types);
    size_t taken;
    TRY(sdfg_args_objects(&taken, s->args, &l, names, 1, tuple));
    const sdfg_objects o = { sizeof o, s->args, &l, names, 1 };
    sdfg_objects_ready(&o, tuple);
    return NULL;
}

static sdfg_error *call_async(struct state *s)
{
    sdfg_pending *p;
    TRY(sdfg_call_async(&p, s->program, s->args, NULL));
    sdfg_pending_done(p);
    sdfg_error *e = sdfg_pending_wait(p);
    sdfg_pending_free(p);
    if (e)
        return e;
    if (!s->bound)
        TRY(sdfg_bind(&s->bound, s->program, s->args));
    TRY(sdfg_bound_call_async(&p, s->bound, NULL));
    sdfg_bound_cancel(s->bound);
    e = sdfg_pending_wait(p);
    sdfg_pending_free(p);
    return e;
}

static void walk_error(void)
{
    sdfg_error *e = sdfg_version_check(99, 0, 0);
    for (size_t i = 0; i <= sdfg_error_count(e); i++)
        sdfg_error_get(e, i);
    sdfg_error_class_name(sdfg_error_class_of(e));
    sdfg_error_stage_of(e);
    sdfg_error_code(e);
    sdfg_error_message(e);
    sdfg_error_path(e);
    sdfg_error_source(e);
    sdfg_error_free(e);
}

/* What needs no program. */
static sdfg_error *ask_library(struct state *s)
{
    unsigned bits;
    char text[16];
    (void)s;
    sdfg_check_by_name("bounds,race", &bits);
    sdfg_check_name(SDFG_CHECK_RACE);
    sdfg_dtype_size(sdfg_dtype_by_name("float64"));
    sdfg_dtype_name(SDFG_F64);
    for (size_t i = 0, n = sdfg_num_functions(); i <= n; i++)
        sdfg_function_name(i);
    sdfg_version();
    sdfg_version_number();
    sdfg_mpi_launched();
    sdfg_mpi_waits(text, sizeof text);
    walk_error();
    return NULL;
}

static sdfg_error *ask_program(struct state *s)
{
    sdfg_argument a = SDFG_ARGUMENT_INIT;
    sdfg_guard g = SDFG_GUARD_INIT;
    sdfg_program *p = s->program;
    for (size_t i = 0; i <= sdfg_program_num_arguments(p); i++)
        sdfg_program_argument(p, i, &a);
    for (size_t i = 0; i <= sdfg_program_num_transients(p); i++)
        sdfg_program_transient(p, i, &a);
    for (size_t i = 0; i <= sdfg_program_num_constraints(p); i++)
        sdfg_program_constraint(p, i);
    for (size_t i = 0; i <= sdfg_program_num_workspaces(p); i++)
        sdfg_program_workspace(p, i);
    for (size_t i = 0; i <= sdfg_program_num_guards(p); i++)
        sdfg_program_guard(p, i, &g);
    sdfg_program_lookup(p, "X", &a);
    sdfg_program_member(p, "X", 0, &a);
    sdfg_program_find_argument(p, "nothing");
    sdfg_program_num_results(p);
    sdfg_program_result_is_number(p, 0);
    sdfg_program_result_is_object(p, 0);
    sdfg_program_name(p);
    sdfg_program_dace_version(p);
    sdfg_program_hash(p);
    sdfg_program_source(p, 0);
    sdfg_program_warnings(p);
    sdfg_engine_phase(s->engine);
    return NULL;
}

static sdfg_error *use_kernel(struct state *s)
{
    const sdfg_symbol n = { "N", LENGTH };
    sdfg_kernel_info info = SDFG_KERNEL_INFO_INIT;
    void *addresses[16];
    if (!s->bound)
        TRY(sdfg_bind(&s->bound, s->program, s->args));
    if (!s->kernel)
        TRY(sdfg_specialize(&s->kernel, s->program, &n, 1));
    sdfg_kernel_describe(s->kernel, &info);
    size_t count = sdfg_kernel_num_params(s->kernel);
    for (size_t i = 0; i < count && i < 16; i++) {
        sdfg_kernel_param(s->kernel, i);
        addresses[i] = sdfg_bound_address(s->bound, i);
    }
    sdfg_bound_kernel(s->bound);
    return sdfg_run(s->kernel, addresses, count);
}

static sdfg_error *tune(struct state *s)
{
    sdfg_tuning t = SDFG_TUNING_INIT;
    sdfg_tuned tuned = SDFG_TUNED_INIT;
    t.seconds = 1e-3;
    return sdfg_tune(&tuned, s->program, s->args, &t);
}

static sdfg_error *use_queue(struct state *s)
{
    int items[3] = { 1, 2, 3 };
    if (!s->stream)
        TRY(sdfg_stream_new(&s->stream, sizeof *items, 2));
    TRY(sdfg_stream_push(s->stream, 0, items, 3));
    while (sdfg_stream_size(s->stream, 0))
        sdfg_stream_pop(s->stream, 0, items, 2);
    return NULL;
}

/* ---- what is added to an engine: to a new one each time ---- */

static bool node(void *user, const sdfg_node *n)
{
    (void)user;
    return sdfg_node_operand(n, "x", false) != NULL;
}

static sdfg_error *implement(sdfg_engine *e) { return sdfg_engine_implement(e, "example.nodes.Clip", node, NULL); }

static bool names(void *user, const char *const **all, const char *const **constants, const char **why)
{
    static const char *const none[] = { NULL };
    (void)user, (void)constants, (void)why;
    *all = none;
    return true;
}

static bool empty(void *user, sdfg_graph *into, const sdfg_given *given, size_t count, const char **why)
{
    (void)user, (void)given, (void)count, (void)why;
    return sdfg_graph_state(sdfg_graph_body(into), "s") != NULL;
}

static bool add_node(const sdfg_plugin_api *api)
{
    static const sdfg_convertible object = {
        .struct_size = sizeof object, .name = "line", .signature = names, .sdfg = empty
    };
    return api->implement(api->plugin, "example.nodes.Clip", "an example", node, NULL) &&
           api->convertible(api->plugin, "an example", &object);
}

static sdfg_error *extend(sdfg_engine *e)
{
    static const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "small", "1", "an example" };
    sdfg_error *error = sdfg_engine_extend(e, &about, add_node);
    if (!error && !sdfg_engine_convertible(e, "line"))
        abort(); /* it was registered */
    return error;
}

/* That of the examples, beside this program. */
static sdfg_error *load_plugin(sdfg_engine *e)
{
    static char path[4096];
    if (!*path) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
        path[length > 0 ? length : 0] = '\0';
        strcpy(strrchr(path, '/'), "/libplugin-clip.so");
    }
    return sdfg_engine_plugin(e, path);
}

static sdfg_error *with_engine(sdfg_error *(*add)(sdfg_engine *e))
{
    sdfg_engine *e;
    TRY(sdfg_engine_new(&e, NULL));
    sdfg_error *error = add(e);
    sdfg_engine_free(e);
    return error;
}

static sdfg_error *implement_node(struct state *s)
{
    (void)s;
    return with_engine(implement);
}

static sdfg_error *extend_engine(struct state *s)
{
    (void)s;
    return with_engine(extend);
}

static sdfg_error *use_plugin(struct state *s)
{
    (void)s;
    return with_engine(load_plugin);
}

/* ---- Python ---- */

/* smooth.py, which lies beside axpy.sdfg. */
static sdfg_error *load_python(struct state *s)
{
    char path[4096];
    const char *slash = strrchr(s->file, '/');
    snprintf(path, sizeof path, "%.*ssmooth.py:smooth", slash ? (int)(slash + 1 - s->file) : 0, s->file);
    return sdfg_program_load_file(&s->program, s->engine, path);
}

static bool source(void *user, uint64_t function, sdfg_source *out)
{
    (void)user, (void)function;
    out->path = "live.py";
    out->name = "f";
    out->text = "def f(A):\n    A[:] = 2 * A + factor\n";
    out->size = strlen(out->text);
    return true;
}

static bool parameter(void *user, const char *name, sdfg_object *out)
{
    static const char *const shape[] = { "N" };
    (void)user, (void)name;
    out->kind = SDFG_OBJECT_ARRAY;
    out->id = 7;
    out->type = "float64";
    out->rank = 1;
    out->shape = shape;
    return true;
}

static bool lookup(void *user, uint64_t function, const char *name, sdfg_object *out)
{
    (void)user, (void)function, (void)name;
    out->kind = SDFG_OBJECT_FLOAT;
    out->real = 0.5;
    return true;
}

static sdfg_error *load_live(struct state *s)
{
    sdfg_host host = SDFG_HOST_INIT;
    host.source = source;
    host.parameter = parameter;
    host.lookup = lookup;
    return sdfg_program_load_function(&s->program, s->engine, 1, &host);
}

/* ---- calls that are checked and measured ---- */

static void hear_timings(void *user, const sdfg_timing *timings, size_t count)
{
    (void)user, (void)timings, (void)count;
}

static void hear_event(void *user, const sdfg_event *e) { (void)user, (void)e; }

static void hear_fault(void *user, const sdfg_fault *f) { (void)user, (void)f; }

static void prepare_checked(struct state *s)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.check = SDFG_CHECK_ALL;
    o.instrument = SDFG_INSTRUMENT_ALL;
    o.timing = hear_timings;
    o.event = hear_event;
    o.fault = hear_fault;
    must(sdfg_engine_new(&s->engine, &o));
    must(sdfg_program_load_file(&s->program, s->engine, s->file));
    must(make_args(s));
    must(run_call(s));
}

/* X and Y share memory, which is a fault. */
static sdfg_error *call_wrong(struct state *s)
{
    TRY(sdfg_args_array(s->args, "X", SDFG_ARRAY(.data = s->y, .dtype = SDFG_F64, .rank = 1, .shape = { LENGTH })));
    return refused(sdfg_call(s->program, s->args));
}

const struct scenario setting_scenarios[] = {
    { "values", prepare_args, set_values, false, false },
    { "settings", prepare_call, set_call, false, false },
    { "objects", prepare_args, take_objects, false, false },
    { "async", prepare_call, call_async, false, false },
    { "ask-library", NULL, ask_library, false, false },
    { "ask-program", prepare_call, ask_program, false, false },
    { "queue", NULL, use_queue, false, false },
    { "implement", NULL, implement_node, false, false },
    { "extend", NULL, extend_engine, false, false },
    { "plugin", NULL, use_plugin, false, false },
    { "python", prepare_engine, load_python, false, false },
    { "live", prepare_engine, load_live, false, false },
    { "checked", prepare_checked, run_call, false, false },
    { "checked-fault", prepare_checked, call_wrong, false, false },
    { "kernel", prepare_call, use_kernel, true, false },
    { "tune", prepare_call, tune, true, false },
    { 0 },
};
