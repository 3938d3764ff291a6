/* standard.CopyLibraryNode, FillLibraryNode. */
#include "tests/run/generate/generate.h"

#include <math.h>

#define COPY "dace.libraries.standard.nodes.copy.node.CopyLibraryNode"
#define FILL "dace.libraries.standard.nodes.fill.node.FillLibraryNode"

static void copy_parts(void)
{
    struct gen *g = gen_begin("copy_parts");
    struct gen_array *a = gen_array(g, "A", "int32", "10, 12", NULL), *b = gen_array(g, "B", "int32", "4, 1, 9", NULL);
    gen_node(g, COPY, NULL, "_cpy_in = A[1:9:2, 3:9]", "_cpy_out = B[0:4, 0, 2:8]", NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            GEN_OUT(b, i, 0, 2 + j) = GEN_IN(a, 1 + 2 * i, 3 + j);
    gen_end(g);
}

static void copy_reshape(const char *name, const char *strides)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", "4, 6", strides), *b = gen_array(g, "B", "float64", "24", NULL);
    gen_node(g, COPY, NULL, "_cpy_in = A", "_cpy_out = B", NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            b->out[strides ? 4 * j + i : 6 * i + j] = GEN_IN(a, i, j); /* elements are walked as they lie in memory */
    gen_end(g);
}

static void copy_one(void)
{
    struct gen *g = gen_begin("copy_one_element");
    struct gen_array *a = gen_array(g, "A", "float64", "4, 6", NULL), *b = gen_array(g, "B", "float64", "5", NULL);
    gen_node(g, COPY, NULL, "_cpy_in = A[2, 3]", "_cpy_out = B[0:5]", NULL);
    b->out[0] = GEN_IN(a, 2, 3);
    gen_end(g);
}

static void copy_nothing(void)
{
    struct gen *g = gen_begin("copy_nothing");
    gen_symbol(g, "N", 0);
    gen_array(g, "A", "float64", "N, 3", NULL);
    gen_array(g, "B", "float64", "N, 3", NULL);
    gen_node(g, COPY, NULL, "_cpy_in = A", "_cpy_out = B", NULL);
    gen_end(g);
}

static void fill(const char *name, const char *type, const char *attributes, double complex value)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "7, 9", NULL);
    gen_node(g, FILL, attributes, NULL, "_fill_out = A[1:7:2, 2:9]", NULL);
    for (int i = 1; i < 7; i += 2)
        for (int j = 2; j < 9; j++)
            GEN_OUT(a, i, j) = value;
    gen_end(g);
}

static void fill_all(const char *name, const char *type, const char *attributes, double complex value)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "6, 5", "1, 6");
    gen_node(g, FILL, attributes, NULL, "_fill_out = A", NULL);
    for (int64_t i = 0; i < a->count; i++)
        a->out[i] = value;
    gen_end(g);
}

static void fill_value(void)
{
    struct gen *g = gen_begin("fill_value_input");
    struct gen_array *a = gen_array(g, "A", "complex128", "30", NULL), *v = gen_array(g, "v", "complex128", "3", NULL);
    gen_node(g, FILL, "{\"value\": 9}", "_fill_val = v[1]", "_fill_out = A[5:30]", NULL);
    for (int i = 5; i < 30; i++)
        a->out[i] = v->in[1];
    gen_end(g);
}

static void fill_resolved(void)
{
    struct gen *g = gen_begin("fill_resolved_sum");
    struct gen_array *a = gen_array(g, "A", "float64", "12", NULL);
    gen_node(g, FILL, "{\"value\": 2.5}", NULL, "_fill_out = A", "(lambda a, b: (a + b))");
    for (int i = 0; i < 12; i++)
        a->out[i] += 2.5;
    gen_end(g);
}

/* 2^53 + 1: integers are not read as floating point. */
static void fill_wide(void)
{
    struct gen *g = gen_begin("fill_wide_integer");
    struct gen_array *d = gen_array(g, "D", "int64", "4", NULL);
    build_transient(g->sdfg, "A", "int64", "4");
    struct access *filled = build_access(g->state, "A"), *out = build_access(g->state, "D");
    struct library *n = build_library(g->state, "node", FILL, NULL, "_fill_out", "{\"value\": 9007199254740993}");
    struct map_entry *m = build_map(g->state, "rest", "i = 0:4");
    struct tasklet *t = build_tasklet(g->state, "rest", "a", "d", "d = a - 9007199254740992");
    build_edge(&n->node, "_fill_out", &filled->node, NULL, "A", NULL);
    build_path("A[i]", NULL, NULL, "a", &filled->node, &m->node, &t->node, NULL);
    build_path("D[i]", NULL, "d", NULL, &t->node, m->exit, &out->node, NULL);
    for (int i = 0; i < 4; i++)
        d->out[i] = 1;
    gen_end(g);
}

void gen_standard(void)
{
    copy_parts();
    copy_reshape("copy_reshape_rows", NULL);
    copy_reshape("copy_reshape_columns", "1, 4");
    copy_one();
    copy_nothing();
    fill("fill_parts", "float32", "{\"value\": 1.25}", 1.25);
    fill("fill_default", "int64", NULL, 0);
    fill_all("fill_narrowed", "int32", "{\"value\": 3.7}", 3);
    fill_all("fill_complex", "complex64", "{\"value\": \"(1-2j)\"}", 1 - 2 * I);
    fill_all("fill_truth", "bool", "{\"value\": true}", 1);
    fill_all("fill_float16", "float16", "{\"value\": -0.5}", -0.5);
    fill_value();
    fill_resolved();
    fill_wide();
}
