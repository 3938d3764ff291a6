/* Compiled with the headers of an earlier version: two engines in one process, of which one has a plug-in.
 *
 *     client PLUGIN AXPY.sdfg CLIP.sdfg */
#include <sdfg.h>
#include <sdfg_graph.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(sdfg_error *error)
{
    if (error)
        fail("error", sdfg_error_text(error));
}

static void count_events(void *user, const sdfg_event *e) { *(int *)user += e->kind == SDFG_EVENT_COMPILED; }

static sdfg_engine *engine_new(const char *plugin, int *compiled)
{
    sdfg_options o = SDFG_OPTIONS_INIT;
    sdfg_engine *e;
    o.plugins = plugin;
    o.event = count_events;
    o.event_user = compiled;
    check(sdfg_engine_new(&e, &o));
    return e;
}

static sdfg_error *call(sdfg_program *p, const char *from, const char *to, double *x, double *y)
{
    sdfg_args *args;
    check(sdfg_args_new(&args, p));
    sdfg_error_free(sdfg_args_f64(args, "alpha", 2)); /* clip has none */
    check(sdfg_args_array(args, from, SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_array(args, to, SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    sdfg_error *error = sdfg_call(p, args);
    sdfg_args_free(args);
    return error;
}

static sdfg_error *run_file(sdfg_engine *e, const char *file, double *x, double *y)
{
    sdfg_program *p;
    check(sdfg_program_load_file(&p, e, file));
    sdfg_error *error = call(p, "X", "Y", x, y);
    sdfg_program_free(p);
    return error;
}

static size_t plugins(sdfg_engine *e)
{
    sdfg_list *l;
    check(sdfg_engine_list(&l, e, SDFG_LIST_PLUGINS));
    size_t count = sdfg_list_count(l);
    sdfg_list_free(l);
    return count;
}

/* A map with the schedule of the plug-in. */
static sdfg_error *run_graph(sdfg_engine *e, double *x, double *y)
{
    sdfg_graph *g;
    sdfg_program *p;
    check(sdfg_graph_new(&g, e, "made"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *m = sdfg_graph_map(s, "m", "i = 0:N");
    sdfg_element *t = sdfg_graph_tasklet(s, "t", "a", "b", "b = a + 1");
    sdfg_graph_set(m, "schedule", "{\"type\": \"ScheduleType.Old_Map\", \"size\": 4}");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "A"), m, t), "A[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "B")), "B[i]", NULL, "b", NULL);
    sdfg_error *error = sdfg_graph_load(&p, e, g);
    sdfg_graph_free(g);
    if (!error)
        error = call(p, "A", "B", x, y);
    sdfg_program_free(p);
    return error;
}

int main(int argc, char **argv)
{
    double x[N], y[N];
    int compiled = 0, none = 0;
    if (argc != 4)
        fail("usage", "client PLUGIN AXPY.sdfg CLIP.sdfg");
    check(SDFG_VERSION_CHECK());
    sdfg_engine *with = engine_new(argv[1], &compiled), *without = engine_new(NULL, &none);
    for (int i = 0; i < N; i++) {
        x[i] = i / 4.0;
        y[i] = 1;
    }
    if (plugins(with) != 1 || plugins(without) != 0)
        fail("plug-ins", "an engine sees those of another one");
    check(run_file(with, argv[2], x, y));
    if (y[4] != 3 || compiled != 1)
        fail("axpy", "wrong");
    check(run_file(with, argv[3], x, y));
    if (y[2] != 0.5 || y[7] != 1)
        fail("clip", "wrong");
    check(run_graph(with, x, y));
    if (y[4] != 2)
        fail("made", "wrong");
    sdfg_error *refused = run_file(without, argv[3], x, y), *unknown = run_graph(without, x, y);
    if (!refused || sdfg_error_class_of(refused) != SDFG_ERROR_UNSUPPORTED)
        fail("clip without the plug-in", sdfg_error_text(refused));
    if (!unknown || strcmp(sdfg_error_code(unknown), "BUILD_VALUE") != 0)
        fail("schedule without the plug-in", sdfg_error_text(unknown));
    sdfg_error_free(refused);
    sdfg_error_free(unknown);
    sdfg_engine_free(with);
    sdfg_engine_free(without);
    return 0;
}
