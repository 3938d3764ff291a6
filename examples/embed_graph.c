/* A graph made in C, without a file: T sweeps of a three-point average, A to B and back.
 *
 *     cc embed_graph.c -lsdfg -o embed_graph && ./embed_graph [FILE.sdfg]
 *
 * With a FILE the graph is written there, too, for sdfg-run and for DaCe. */
#include <sdfg_graph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, T = 10 };

static void check(sdfg_error *error)
{
    if (!error)
        return;
    fputs(sdfg_error_text(error), stderr);
    sdfg_error_free(error);
    exit(1);
}

/* One sweep, a state of its own. */
static sdfg_element *sweep(sdfg_element *region, const char *from, const char *to)
{
    char west[32], here[32], east[32], out[32];
    snprintf(west, sizeof west, "%s[i - 1]", from);
    snprintf(here, sizeof here, "%s[i]", from);
    snprintf(east, sizeof east, "%s[i + 1]", from);
    snprintf(out, sizeof out, "%s[i]", to);
    sdfg_element *s = sdfg_graph_state(region, to);
    sdfg_element *source = sdfg_graph_access(s, from), *target = sdfg_graph_access(s, to);
    sdfg_element *map = sdfg_graph_map(s, "points", "i = 1:N - 1");
    sdfg_element *average = sdfg_graph_tasklet(s, "average", "w, c, e", "r", "r = (w + c + e) / 3");
    sdfg_graph_set(map, "schedule", "CPU_Multicore");
    sdfg_graph_path(SDFG_PATH(source, map, average), west, NULL, NULL, "w");
    sdfg_graph_path(SDFG_PATH(source, map, average), here, NULL, NULL, "c");
    sdfg_graph_path(SDFG_PATH(source, map, average), east, NULL, NULL, "e");
    sdfg_graph_path(SDFG_PATH(average, sdfg_graph_exit(map), target), out, NULL, "r", NULL);
    return s;
}

static sdfg_graph *smooth(sdfg_engine *engine)
{
    sdfg_graph *g;
    check(sdfg_graph_new(&g, engine, "smooth"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_symbol(g, "T", "int64");
    sdfg_graph_symbol(g, "t", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    sdfg_element *loop = sdfg_graph_loop(sdfg_graph_body(g), "time", "t", "t = 0", "t < T", "t = t + 1");
    sdfg_element *there = sweep(loop, "A", "B"), *back = sweep(loop, "B", "A");
    sdfg_graph_transition(there, back, NULL, NULL);
    return g;
}

int main(int argc, char **argv)
{
    static double a[N], b[N], own_a[N], own_b[N];
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    for (int i = 0; i < N; i++)
        own_a[i] = own_b[i] = a[i] = b[i] = i % 17;
    check(sdfg_engine_new(&engine, NULL));
    sdfg_graph *graph = smooth(engine);
    if (argc > 1)
        check(sdfg_graph_save(graph, argv[1]));
    check(sdfg_graph_load(&program, engine, graph));
    sdfg_graph_free(graph);
    check(sdfg_args_new(&args, program));
    check(sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_i64(args, "T", T));
    check(sdfg_call(program, args));

    int wrong = 0;
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            own_b[i] = (own_a[i - 1] + own_a[i] + own_a[i + 1]) / 3;
        for (int i = 1; i < N - 1; i++)
            own_a[i] = (own_b[i - 1] + own_b[i] + own_b[i + 1]) / 3;
    }
    for (int i = 0; i < N; i++)
        wrong += !(fabs(a[i] - own_a[i]) < 1e-9);
    printf("%d sweeps over %d points, %d wrong\n", 2 * T, N, wrong);
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return wrong != 0;
}
