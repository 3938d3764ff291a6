/* Streams, consume scopes, and memory that is not just on the heap. */
#include "tests/run/generate/generate.h"

static struct node *access(struct gen *g, const char *name) { return &build_access(g->state, name)->node; }

/* What is above a limit, in order, and how much there is of it. */
static void filter(void)
{
    struct gen *g = gen_begin("stream_filter");
    gen_symbol(g, "N", 200);
    struct gen_array *a = gen_array(g, "A", "float64", "N", NULL), *b = gen_array(g, "B", "float64", "N", NULL);
    struct gen_array *n = gen_array(g, "n", "int64", "1", NULL);
    build_stream(g->sdfg, "S", "float64", "N");
    struct map_entry *m = build_map(g->state, "all", "i = 0:N");
    struct tasklet *t = build_tasklet(g->state, "keep", "a", "s, c", "if a > 0.5:\n    s = a\nc = a > 0.5");
    struct node *s = access(g, "S");
    build_path("A[i]", NULL, NULL, "a", access(g, "A"), &m->node, &t->node, NULL);
    build_path("S[0]", NULL, "s", NULL, &t->node, m->exit, s, NULL)->memlet.dynamic = true;
    build_path("n[0]", "lambda x, y: x + y", "c", NULL, &t->node, m->exit, access(g, "n"), NULL);
    build_edge(s, NULL, access(g, "B"), NULL, "S[0]", NULL);
    int kept = 0;
    for (int i = 0; i < 200; i++)
        if (creal(a->in[i]) > 0.5)
            b->out[kept++] = a->in[i];
    n->out[0] += kept;
    gen_end(g);
}

/* A region with a stride goes in and comes out elsewhere. */
static void through(void)
{
    struct gen *g = gen_begin("stream_through");
    struct gen_array *a = gen_array(g, "A", "int32", "6, 8", NULL), *b = gen_array(g, "B", "float64", "30", NULL);
    build_stream(g->sdfg, "S", "int32", "0");
    build_stream(g->sdfg, "T", "int32", "0");
    struct node *s = access(g, "S"), *t = access(g, "T");
    build_edge(access(g, "A"), NULL, s, NULL, "A[1:6:2, 3:7]", NULL);
    build_edge(s, NULL, t, NULL, "S[0]", NULL);
    build_edge(t, NULL, access(g, "B"), NULL, "B[3:30:2]", NULL);
    for (int i = 0; i < 12; i++)
        b->out[3 + 2 * i] = GEN_IN(a, 1 + i / 4 * 2, 3 + i % 4);
    gen_end(g);
}

/* Three queues, read by index. */
static void queues(void)
{
    struct gen *g = gen_begin("stream_queues");
    struct gen_array *a = gen_array(g, "A", "float32", "12", NULL), *b = gen_array(g, "B", "float32", "4, 3", NULL);
    struct container *c = build_stream(g->sdfg, "S", "float32", "0");
    c->shape[0] = c->total_size = sym_int(g->ir, 3);
    struct map_entry *deal = build_map(g->state, "deal", "i = 0:12"),
                     *get = build_map(g->state, "get", "i = 0:4, j = 0:3");
    deal->schedule = get->schedule = enum_builtin(g->ir, SCHEDULE_SEQUENTIAL);
    struct tasklet *push = build_tasklet(g->state, "push", "a", "s", "s = a");
    struct tasklet *pop = build_tasklet(g->state, "pop", "s", "b", "b = s");
    build_path("B[i, j]", NULL, "b", NULL, &pop->node, get->exit, access(g, "B"), NULL);
    build_path("S[2 - j]", NULL, NULL, "s", access(g, "S"), &get->node, &pop->node, NULL);
    build_path("A[i]", NULL, NULL, "a", access(g, "A"), &deal->node, &push->node, NULL);
    build_path("S[i % 3]", NULL, "s", NULL, &push->node, deal->exit, access(g, "S"), NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            GEN_OUT(b, i, j) = a->in[3 * i + 2 - j];
    gen_end(g);
}

/* Fibonacci numbers by counting leaves: every element above 1 pushes the two before it. */
static void tree(void)
{
    static const int fibonacci[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
    struct gen *g = gen_begin("consume_tree");
    struct gen_array *n = gen_array(g, "n", "int64", "1", NULL), *r = gen_array(g, "r", "int64", "1", NULL);
    n->in[0] = n->out[0] = 10;
    build_stream(g->sdfg, "S", "int64", "0");
    struct node *s = access(g, "S");
    struct consume_entry *c = build_consume(g->state, "leaves", "p", "4", NULL);
    struct tasklet *t = build_tasklet(g->state, "step", "x", "next, leaf",
                                      "if x == 1:\n    leaf = 1\nelif x > 1:\n    next = x - 1\n    next = x - 2");
    build_edge(access(g, "n"), NULL, s, NULL, "n[0]", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &t->node, "x", "S[0]", NULL);
    build_path("S[0]", NULL, "next", NULL, &t->node, c->exit, access(g, "S"), NULL)->memlet.dynamic = true;
    build_path("r[0]", "lambda a, b: a + b", "leaf", NULL, &t->node, c->exit, access(g, "r"), NULL)->memlet.dynamic =
        true;
    r->out[0] += fibonacci[10];
    gen_end(g);
}

/* Four elements at a time, the last time fewer. */
static void chunks(void)
{
    struct gen *g = gen_begin("consume_chunks");
    struct gen_array *a = gen_array(g, "A", "float64", "30", NULL), *r = gen_array(g, "r", "float64", "1", NULL);
    build_stream(g->sdfg, "S", "float64", "0");
    struct node *s = access(g, "S");
    struct consume_entry *c = build_consume(g->state, "add", "p", "2", NULL);
    c->chunksize = 4;
    struct tasklet *t =
        build_tasklet(g->state, "sum", "x", "o", "o = 0.0\nfor i in range(__dace_add_numelems):\n    o += x[i]");
    build_edge(access(g, "A"), NULL, s, NULL, "A", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &t->node, "x", "S[0]", NULL)->memlet.volume = sym_int(g->ir, 4);
    build_path("r[0]", "lambda a, b: a + b", "o", NULL, &t->node, c->exit, access(g, "r"), NULL);
    for (int i = 0; i < 30; i++)
        r->out[0] += a->in[i];
    gen_end(g);
}

/* B = 2 A + 1 with the step in between in memory of that kind. */
static void scratch(const char *name, uint32_t storage, uint32_t lifetime)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "N", 100);
    struct gen_array *a = gen_array(g, "A", "float64", "N", NULL), *b = gen_array(g, "B", "float64", "N", NULL);
    struct container *c = build_transient(g->sdfg, "T", "float64", "N");
    c->storage = enum_builtin(g->ir, storage);
    c->lifetime = enum_builtin(g->ir, lifetime);
    struct map_entry *first = build_map(g->state, "twice", "i = 0:N"), *second = build_map(g->state, "more", "i = 0:N");
    struct tasklet *twice = build_tasklet(g->state, "twice", "a", "t", "t = 2 * a");
    struct tasklet *more = build_tasklet(g->state, "more", "t", "b", "b = t + 1");
    struct node *t = access(g, "T");
    build_path("A[i]", NULL, NULL, "a", access(g, "A"), &first->node, &twice->node, NULL);
    build_path("T[i]", NULL, "t", NULL, &twice->node, first->exit, t, NULL);
    build_path("T[i]", NULL, NULL, "t", t, &second->node, &more->node, NULL);
    build_path("B[i]", NULL, "b", NULL, &more->node, second->exit, access(g, "B"), NULL);
    for (int i = 0; i < 100; i++)
        b->out[i] = 2 * a->in[i] + 1;
    gen_end(g);
}

void gen_streams(void)
{
    filter();
    through();
    queues();
    tree();
    chunks();
    scratch("memory_external", STORAGE_CPU_HEAP, LIFETIME_EXTERNAL);
    scratch("memory_of_threads", STORAGE_CPU_THREADLOCAL, LIFETIME_SCOPE);
}
