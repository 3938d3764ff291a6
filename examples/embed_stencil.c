/* A small language for stencils whose objects are called in a graph: the four functions of sdfg_convertible.
 *
 *     cc embed_stencil.c -lsdfg -lm -o embed_stencil && ./embed_stencil
 *
 * "0.5*in[-1] + c*in[0] + 0.5*in[1]" is a stencil over a vector; `c` is a number that the object captures, so that it
 * may change between two calls of the program. */
#include <sdfg_graph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, MOST = 8 };

struct stencil {
    const char *text;
    sdfg_array centre; /* of `c` */
    sdfg_capture capture;
    unsigned graphs; /* that were made */
};

/* ---- the language: "in[k]" is an input of the tasklet, the rest is Python ---- */

struct parsed {
    char code[256];
    int offsets[MOST], count;
    int reach; /* the largest offset */
};

static bool parse(const char *text, struct parsed *p)
{
    size_t length = (size_t)snprintf(p->code, sizeof p->code, "r = ");
    p->count = p->reach = 0;
    while (*text && length + 16 < sizeof p->code) {
        char *end;
        if (strncmp(text, "in[", 3) != 0) {
            p->code[length++] = *text++;
            continue;
        }
        long offset = strtol(text + 3, &end, 10);
        if (end == text + 3 || *end != ']' || p->count == MOST || labs(offset) > 100)
            return false;
        length += (size_t)snprintf(p->code + length, 16, "x%d", p->count);
        p->offsets[p->count++] = (int)offset;
        p->reach = labs(offset) > p->reach ? (int)labs(offset) : p->reach;
        text = end + 1;
    }
    p->code[length] = 0;
    return !*text;
}

/* ---- the protocol ---- */

static bool signature(void *user, const char *const **names, const char *const **constants, const char **why)
{
    static const char *const list[] = { "source", "target", NULL };
    (void)user, (void)constants, (void)why;
    *names = list;
    return true;
}

static bool make(void *user, sdfg_graph *g, const sdfg_given *given, size_t count, const char **why)
{
    struct stencil *s = user;
    struct parsed p;
    char range[64], index[32], name[16], inputs[8 * MOST] = "c";
    (void)count;
    s->graphs++;
    *why = "stencils are sums of terms with in[K], at most 8, over vectors";
    if (!parse(s->text, &p) || given[0].rank != 1 || given[1].rank != 1)
        return false;
    for (int i = 0; i < 2; i++) {
        sdfg_element *c =
            sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, given[i].name, given[i].type, given[i].shape[0]);
        sdfg_graph_set(c, "strides", given[i].strides[0]);
    }
    sdfg_graph_container(g, SDFG_CONTAINER_SCALAR, "centre", "float64", NULL);
    for (int i = 0; i < p.count; i++)
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), ", x%d", i);
    sdfg_element *state = sdfg_graph_state(sdfg_graph_body(g), "stencil");
    sdfg_element *source = sdfg_graph_access(state, "source"), *target = sdfg_graph_access(state, "target");
    snprintf(range, sizeof range, "i = %d:(%.32s) - %d", p.reach, given[0].shape[0], p.reach);
    sdfg_element *map = sdfg_graph_map(state, "points", range);
    sdfg_element *point = sdfg_graph_tasklet(state, "point", inputs, "r", p.code);
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(state, "centre"), map, point), "centre", NULL, NULL, "c");
    for (int i = 0; i < p.count; i++) {
        snprintf(index, sizeof index, "source[i + %d]", p.offsets[i]);
        snprintf(name, sizeof name, "x%d", i);
        sdfg_graph_path(SDFG_PATH(source, map, point), index, NULL, NULL, name);
    }
    sdfg_graph_path(SDFG_PATH(point, sdfg_graph_exit(map), target), "target[i]", NULL, "r", NULL);
    return true;
}

static bool closure(void *user, const sdfg_capture **captures, size_t *count, const char **why)
{
    struct stencil *s = user;
    (void)why;
    s->capture = (sdfg_capture){ "centre", &s->centre, { 0, 0 } };
    *captures = &s->capture;
    *count = 1;
    return true;
}

/* ---- a program that calls it twice ---- */

static void check(sdfg_error *error)
{
    if (!error)
        return;
    fputs(sdfg_error_text(error), stderr);
    sdfg_error_free(error);
    exit(1);
}

static sdfg_graph *program_of(struct stencil *s)
{
    static const sdfg_actual there[] = { { "A", NULL, { 0, 0 } }, { "B", NULL, { 0, 0 } } };
    static const sdfg_actual back[] = { { "B", NULL, { 0, 0 } }, { "A", NULL, { 0, 0 } } };
    sdfg_convertible object = { sizeof object, "stencil", s, signature, NULL, make, closure };
    sdfg_graph *g;
    check(sdfg_graph_new(&g, NULL, "twice"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    sdfg_element *first = sdfg_graph_state(sdfg_graph_body(g), "first");
    sdfg_element *second = sdfg_graph_state(sdfg_graph_body(g), "second");
    sdfg_graph_transition(first, second, NULL, NULL);
    sdfg_graph_call(first, &object, there, 2);
    sdfg_graph_call(second, &object, back, 2);
    return g;
}

static void sweep(const double *in, double *out, double c)
{
    for (int i = 1; i < N - 1; i++)
        out[i] = 0.5 * in[i - 1] + c * in[i] + 0.5 * in[i + 1];
}

int main(void)
{
    static double a[N], b[N], own_a[N], own_b[N];
    double centre = 0;
    struct stencil stencil = {
        .text = "0.5*in[-1] + c*in[0] + 0.5*in[1]",
        .centre = { .struct_size = sizeof(sdfg_array), .data = &centre, .dtype = SDFG_F64 },
    };
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    int wrong = 0;
    for (int i = 0; i < N; i++)
        own_a[i] = own_b[i] = a[i] = b[i] = i % 7;
    sdfg_graph *graph = program_of(&stencil);
    check(sdfg_engine_new(&engine, NULL));
    check(sdfg_graph_load(&program, engine, graph));
    check(sdfg_args_new(&args, program));
    check(sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    for (int call = 0; call < 2; call++) {
        centre = call ? -0.5 : 0.25;
        check(sdfg_graph_captures(graph, args));
        check(sdfg_call(program, args));
        sweep(own_a, own_b, centre);
        sweep(own_b, own_a, centre);
        for (int i = 0; i < N; i++)
            wrong += !(fabs(a[i] - own_a[i]) < 1e-9);
    }
    printf("%u graph for two calls of the object, %d wrong\n", stencil.graphs, wrong);
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_graph_free(graph);
    sdfg_engine_free(engine);
    return wrong != 0 || stencil.graphs != 1;
}
