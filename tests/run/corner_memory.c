/* Kinds of schedules, of memory and of streams, in company. */
#include "tests/run/corner.h"

#include <stdio.h>

static const char sum[] = "lambda x, y: x + y";

/* ---- schedules ---- */

static void give_schedule(struct corner *c, struct map_entry *m, enum enum_row row)
{
    m->schedule = enum_builtin(c->ir, row);
}

/* One team runs two loops after each other; the second reads what other threads of the first have written. */
static void persistent_team(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1000]", "0:1000", NULL);
    corner_array(c, "int32 B[1000]", "1000*-1", "999:-1");
    corner_array(c, "int32 D[1000]", "1000*-1", "1000*999");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "a", "int32", "1000");
    build_array(inner, "b", "int32", "1000");
    build_array(inner, "d", "int32", "1000");
    struct state *turn = build_state(&inner->region, "turn"), *add = build_state(&inner->region, "add");
    build_transition(&turn->block, &add->block, NULL, NULL);
    struct corner_body first = corner_body(turn, "i = 0:1000", "y = x", "x = a[i]", "y = b[999 - i]", NULL);
    struct corner_body second = corner_body(add, "i = 0:1000", "z = x + y", "x = a[i], y = b[i]", "z = d[i]", NULL);
    corner_schedule(&first, SCHEDULE_CPU_MULTICORE);
    corner_schedule(&second, SCHEDULE_CPU_MULTICORE);
    struct map_entry *team = build_map(st, "team", "t = 0:4");
    give_schedule(c, team, SCHEDULE_CPU_PERSISTENT);
    struct nested *n = build_nested(st, "loops", inner, "a", "b, d", NULL);
    build_path("A[0:1000]", NULL, NULL, "a", &build_access(st, "A")->node, &team->node, &n->node, NULL);
    build_path("B[0:1000]", NULL, "b", NULL, &n->node, team->exit, &build_access(st, "B")->node, NULL);
    build_path("D[0:1000]", NULL, "d", NULL, &n->node, team->exit, &build_access(st, "D")->node, NULL);
}

/* The number of threads is known inside as a symbol; every thread takes its share. */
static void persistent_shares(struct corner *c)
{
    corner_array(c, "int64 A[1]", "0", "4950");
    struct corner_body b = corner_body(
        corner_state(c), "t = 0:8", "s = dace.int64(0)\nfor k in range(t, 100, __omp_num_threads):\n    s += k\no = s",
        NULL, "o = A[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    b.map->omp_num_threads = 3;
}

/* Threads that start threads, two levels deep and through a nested SDFG. */
static void threads_in_threads(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int64 B[40]", "40*0", "40*4950");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "b", "int64", "1");
    struct state *in = build_state(&inner->region, "in");
    struct corner_body b = corner_body(in, "k = 0:100", "o = k", NULL, "o = b[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    b.map->omp_num_threads = 2;
    struct map_entry *outer = build_map(st, "outer", "i = 0:8"), *middle = build_map(st, "middle", "j = 0:5");
    give_schedule(c, outer, SCHEDULE_CPU_MULTICORE);
    give_schedule(c, middle, SCHEDULE_CPU_MULTICORE);
    outer->omp_num_threads = 4;
    struct nested *n = build_nested(st, "n", inner, NULL, "b", NULL);
    build_edge(&outer->node, NULL, &middle->node, NULL, NULL, NULL);
    build_edge(&middle->node, NULL, &n->node, NULL, NULL, NULL);
    build_path("B[5 * i + j]", NULL, "b", NULL, &n->node, middle->exit, outer->exit, &build_access(st, "B")->node,
               NULL);
}

/* Parts of a state that do not depend on each other, and may run side by side. */
static void sections(struct corner *c)
{
    struct state *st = corner_state(c);
    c->s->openmp_sections = true;
    corner_array(c, "int32 A[20000]", "0:20000", NULL);
    corner_array(c, "int32 B[20000]", "20000*-1", "1:20001");
    corner_array(c, "int64 D[1]", "5", "199990005");
    corner_array(c, "int32 E[1]", "0", "7");
    struct corner_body b = corner_body(st, "i = 0:20000", "b = a + 1", "a = A[i]", "b = B[i]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    b = corner_body(st, "i = 0:20000", "d = a", "a = A[i]", "d = D[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    corner_body(st, NULL, "e = 7", NULL, "e = E[0]", NULL);
}

/* A nested SDFG that goes through its array, each element after the one before, until it has done so often enough. */
static struct nested *sweep(struct corner *c, struct state *st, const char *name, const char *count, const char *inputs,
                            const char *code, const char *memlets)
{
    struct sdfg *inner = build_sdfg(c->ir, name);
    build_symbol(inner, "i", "int64");
    build_array(inner, "p", "int64", count);
    if (inputs)
        build_array(inner, "q", "int64", count);
    struct loop *steps = build_loop(&inner->region, "steps", NULL, NULL, "p[0] < 300", NULL);
    struct state *begin = build_state(&steps->region, "begin");
    char end[16];
    snprintf(end, sizeof end, "i < %s", count);
    struct loop *elements = build_loop(&steps->region, "elements", "i", "i = 1", end, "i = i + 1");
    build_transition(&begin->block, &elements->region.block, NULL, NULL);
    corner_body(begin, NULL, "o = x + 1", "x = p[0]", "o = p[0]", NULL);
    corner_body(build_state(&elements->region, "element"), NULL, code, memlets, "o = p[i]", NULL);
    return build_nested(st, name, inner, inputs ? "p, q" : "p", "p", NULL);
}

/* Sequential parts of a state: two that need each other, one that needs none and a little one. */
static void sections_sweeps(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int64 A[3000]", "5 2999*0", "300:3300");
    corner_array(c, "int64 B[2400]", "7 2399*0", "300:2700");
    corner_array(c, "int64 D[3000]", "3000*0", "300:3300");
    corner_array(c, "int32 E[1]", "0", "7");
    struct access *a = build_access(st, "A"), *b = build_access(st, "B"), *d = build_access(st, "D");
    struct nested *first = sweep(c, st, "first", "3000", NULL, "o = x + 1", "x = p[i - 1]");
    struct nested *other = sweep(c, st, "other", "2400", NULL, "o = x + 1", "x = p[i - 1]");
    struct nested *second = sweep(c, st, "second", "3000", "q", "o = max(x, y)", "x = p[i - 1], y = q[i]");
    build_edge(&build_access(st, "A")->node, NULL, &first->node, "p", "A[0:3000]", NULL);
    build_edge(&first->node, "p", &a->node, NULL, "A[0:3000]", NULL);
    build_edge(&a->node, NULL, &second->node, "q", "A[0:3000]", NULL);
    build_edge(&build_access(st, "D")->node, NULL, &second->node, "p", "D[0:3000]", NULL);
    build_edge(&second->node, "p", &d->node, NULL, "D[0:3000]", NULL);
    build_edge(&build_access(st, "B")->node, NULL, &other->node, "p", "B[0:2400]", NULL);
    build_edge(&other->node, "p", &b->node, NULL, "B[0:2400]", NULL);
    corner_body(st, NULL, "e = 7", NULL, "e = E[0]", NULL);
}

/* Parts of a state that have a stream in common: the second one finds what the first one has pushed. */
static void sections_stream(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[5000]", "0:5000", NULL);
    corner_array(c, "int32 B[5000]", "5000*-1", "0:5000");
    build_stream(c->s, "S", "int32", "8");
    struct corner_body push = corner_body(st, "i = 0:5000", "s = a", "a = A[i]", "s = S[0]", NULL);
    struct corner_body pop = corner_body(st, "i = 0:5000", "b = s", "s = S[0]", "b = B[i]", NULL);
    corner_schedule(&push, SCHEDULE_SEQUENTIAL);
    corner_schedule(&pop, SCHEDULE_SEQUENTIAL);
}

/* Iterations that are all written out; the result is the same as that of a loop. */
static void unrolled(struct corner *c)
{
    corner_array(c, "int32 A[12]", "0:12", NULL);
    corner_array(c, "int32 B[12]", "12*-1", "0 -1 20 -1 40 -1 60 -1 80 -1 100 -1");
    struct corner_body b = corner_body(corner_state(c), "i = 0:12:2", "b = 10 * a", "a = A[i]", "b = B[i]", NULL);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
    b.map->unroll = true;
}

/* ---- memory ---- */

static struct container *transient(struct corner *c, const char *name, const char *type, const char *shape,
                                   enum enum_row storage, enum enum_row lifetime)
{
    struct container *t = build_transient(c->s, name, type, shape);
    t->storage = enum_builtin(c->ir, storage);
    t->lifetime = enum_builtin(c->ir, lifetime);
    return t;
}

/* Elements before the first one belong to the memory; a copy through it with negative indices. */
static void external_start(struct corner *c)
{
    struct state *fill = corner_state(c), *take = corner_state(c);
    corner_symbol(c, "int64 N", "6");
    corner_array(c, "float64 A[N]", "0:6", NULL);
    corner_array(c, "float64 B[N]", "6*0", "5 4 3 2 1 0");
    struct container *t = transient(c, "T", "float64", "N", STORAGE_CPU_HEAP, LIFETIME_EXTERNAL);
    transient(c, "U", "int8", "3", STORAGE_CPU_HEAP, LIFETIME_EXTERNAL);
    t->start_offset = sym_int(c->ir, 3);
    t->offset[0] = sym_int(c->ir, -3);
    corner_body(fill, "i = 0:N", "t = a", "a = A[i]", "t = T[N - 1 - i + 3]", NULL).map->schedule =
        enum_builtin(c->ir, SCHEDULE_SEQUENTIAL);
    corner_body(fill, NULL, "u = 1", NULL, "u = U[2]", NULL);
    corner_body(take, "i = 0:N", "b = t", "t = T[i + 3]", "b = B[i]", NULL);
}

/* Persistent memory goes on where the last call ended, global memory is new in every call; both in a nested SDFG that
 * is called twice. */
static void lifetimes(struct corner *c)
{
    struct state *first = corner_state(c);
    corner_array(c, "int32 A[2]", "0 0", "2 2");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    static const char *const names[] = { "kept", "new" };
    build_array(inner, "a", "int32", "2");
    struct state *count = build_state(&inner->region, "count"), *report = build_state(&inner->region, "report");
    build_transition(&count->block, &report->block, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        struct container *t = build_transient(inner, names[i], "int32", "1");
        t->lifetime = enum_builtin(c->ir, i ? LIFETIME_GLOBAL : LIFETIME_PERSISTENT);
        struct corner_body b =
            corner_body(count, NULL, "o = 1", NULL, arena_printf(c->ir->arena, "o = %s[0]", names[i]), sum);
        as_access(b.tasklet->node.out.items[0]->dst)->setzero = i;
        corner_body(report, NULL, "o = v", arena_printf(c->ir->arena, "v = %s[0]", names[i]),
                    arena_printf(c->ir->arena, "o = a[%d]", i), NULL);
    }
    struct loop *twice = build_loop(&c->s->region, "twice", "k", "k = 0", "k < 2", "k = k + 1");
    build_symbol(c->s, "k", "int64");
    struct state *call = build_state(&twice->region, "call");
    struct nested *n = build_nested(call, "call", inner, NULL, "a", NULL);
    build_edge(&n->node, "a", &build_access(call, "A")->node, NULL, "A[0:2]", NULL);
    build_transition(&first->block, &twice->region.block, NULL, NULL);
    corner_next_call(c);
    corner_array(c, "int32 A[2]", "0 0", "4 2");
}

/* Memory of threads in a loop of states: what a thread has put there stays. */
static void memory_of_threads(struct corner *c)
{
    corner_array(c, "int64 A[1]", "0", "3000");
    corner_symbol(c, "int32 __omp_num_threads", "1"); /* inside it is the size of the team */
    transient(c, "T", "int64", "1", STORAGE_CPU_THREADLOCAL, LIFETIME_SDFG);
    struct corner_body b = corner_body(corner_state(c), "t = 0:__omp_num_threads", "o = 0", NULL, "o = T[0]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
    struct loop *loop = build_loop(&c->s->region, "loop", "k", "k = 0", "k < 3", "k = k + 1");
    build_symbol(c->s, "k", "int64");
    build_transition(c->last, &loop->region.block, NULL, NULL);
    struct state *add = build_state(&loop->region, "add"), *end = build_state(&c->s->region, "end");
    b = corner_body(add, "i = 0:1000", "o = v + 1", "v = T[0]", "o = T[0]", NULL);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
    build_transition(&loop->region.block, &end->block, NULL, NULL);
    b = corner_body(end, "t = 0:__omp_num_threads", "o = v", "v = T[0]", "o = A[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_PERSISTENT);
}

/* An array of arrays: a view picks one, by an index that is data. */
static void container_array(struct corner *c)
{
    struct state *st = corner_state(c);
    struct container *many = build_array(c->s, "M", "float64", "3");
    struct container *element = build_array(c->s, "E", "float64", "4");
    many->kind = CONTAINER_CONTAINER_ARRAY;
    many->type = type_pointer(c->ir, element->type);
    c->s->containers.count--; /* E is only the descriptor of an element */
    map_put(c->ir->arena, &c->s->container_by_name, element->name, NULL);
    vec_push(c->ir->arena, &many->members, element);
    corner_array(c, "int64 P[5]", "2 0 1 2 2", NULL);
    corner_array(c, "float64 B[5, 4]", "20*0", "20 21 22 23 0 1 2 3 10 11 12 13 20 21 22 23 20 21 22 23");
    corner_entry(
        c,
        "{\"name\": \"M\", \"kind\": \"container_array\", \"shape\": [3], \"elements\": ["
        "{\"name\": \"M[0]\", \"kind\": \"array\", \"dtype\": \"float64\", \"shape\": [4], \"in\": \"in/M0.npy\"}, "
        "{\"name\": \"M[1]\", \"kind\": \"array\", \"dtype\": \"float64\", \"shape\": [4], \"in\": \"in/M1.npy\"}, "
        "{\"name\": \"M[2]\", \"kind\": \"array\", \"dtype\": \"float64\", \"shape\": [4], \"in\": \"in/M2.npy\"}]}");
    corner_values(c, "float64 M0[4]", "0:4");
    corner_values(c, "float64 M1[4]", "10:14");
    corner_values(c, "float64 M2[4]", "20:24");
    build_view(c->s, "V", "float64", "4");
    struct map_entry *rows = build_map(st, "rows", "i = 0:5"), *columns = build_map(st, "columns", "j = 0:4");
    struct access *v = build_access(st, "V");
    struct tasklet *t = build_tasklet(st, "t", "x", "o", "o = x");
    give_schedule(c, rows, SCHEDULE_CPU_MULTICORE);
    build_path("M[P[i]]", NULL, NULL, "views", &build_access(st, "M")->node, &rows->node, &v->node, NULL);
    build_path("V[j]", NULL, NULL, "x", &v->node, &columns->node, &t->node, NULL);
    build_path("B[i, j]", NULL, "o", NULL, &t->node, columns->exit, rows->exit, &build_access(st, "B")->node, NULL);
}

/* What a transient of a scope holds does not go from one iteration to the next, and a condition on it is one. */
static void fresh(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int64 B[40]", "40*0", "40*5");
    corner_array(c, "int64 D[40]", "40*0", "40*3");
    build_transient(c->s, "T", "int64", "1");
    struct map_entry *m = build_map(st, "m", "i = 0:40");
    m->schedule = enum_builtin(c->ir, SCHEDULE_SEQUENTIAL);
    struct tasklet *add = build_tasklet(st, "add", NULL, "o", "o = 5"),
                   *take = build_tasklet(st, "take", "x", "o, p", "o = x\nif x == 5:\n    p = 3\nelse:\n    p = 4");
    struct access *t = build_access(st, "T");
    build_edge(&m->node, NULL, &add->node, NULL, NULL, NULL);
    build_edge(&add->node, "o", &t->node, NULL, "T[0]", sum);
    build_edge(&t->node, NULL, &take->node, "x", "T[0]", NULL);
    build_path("B[i]", NULL, "o", NULL, &take->node, m->exit, &build_access(st, "B")->node, NULL);
    build_path("D[i]", NULL, "p", NULL, &take->node, m->exit, &build_access(st, "D")->node, NULL);
}

/* Nothing has written T on the way that is taken, or U on any: what they decide is of some value, and all else happens.
 */
static void unwritten(struct corner *c)
{
    static const char code[] = "o = a // t\np = a % u\nif t > 3:\n    q = 1\nelse:\n    q = 2\n"
                               "r = 0\nfor k in range(u % 5):\n    r = r + 1\ns = 4";
    struct region *top = &c->s->region;
    corner_array(c, "int64 A[1]", "7", NULL);
    corner_array(c, "int64 B[3]", "3*0", "0 4 9");
    corner_array(c, "int64 O[4]", "4*0", "4*0");
    c->uninit = "O";
    build_transient(c->s, "T", "int64", "1");
    build_transient(c->s, "U", "int64", "1");
    struct state *begin = build_state(top, "begin"), *write = build_state(top, "write"),
                 *read = build_state(top, "read");
    struct state *after = build_state(top, "after");
    corner_body(write, NULL, "t = 5\nb = 77", NULL, "t = T[0], b = B[0]", NULL);
    corner_body(read, NULL, code, "a = A[0], t = T[0], u = U[0]", "o = O[0], p = O[1], q = O[2], r = O[3], s = B[1]",
                NULL);
    corner_body(after, NULL, "b = 9", NULL, "b = B[2]", NULL);
    build_transition(&begin->block, &write->block, "A[0] > 100", NULL);
    build_transition(&begin->block, &read->block, "A[0] <= 100", NULL);
    build_transition(&write->block, &read->block, NULL, NULL);
    build_transition(&read->block, &after->block, NULL, NULL);
}

/* Rows of different lengths: the code needs no symbol of their shape. tests/python calls it. */
static void jagged(struct corner *c)
{
    struct state *st = corner_state(c);
    build_symbol(c->s, "N", "int32");
    build_symbol(c->s, "M", "int32");
    struct container *many = build_array(c->s, "R", "float64", "M");
    struct container *element = build_array(c->s, "E", "float64", "N");
    many->kind = CONTAINER_CONTAINER_ARRAY;
    many->type = type_pointer(c->ir, element->type);
    c->s->containers.count--; /* E is only the descriptor of an element */
    map_put(c->ir->arena, &c->s->container_by_name, element->name, NULL);
    vec_push(c->ir->arena, &many->members, element);
    build_array(c->s, "B", "float64", "1");
    build_view(c->s, "V", "float64", "N");
    struct map_entry *rows = build_map(st, "rows", "i = 0:M"), *columns = build_map(st, "columns", "j = 0:i");
    struct access *v = build_access(st, "V");
    struct tasklet *t = build_tasklet(st, "t", "x", "o", "o = x");
    build_path("R[i]", NULL, NULL, "views", &build_access(st, "R")->node, &rows->node, &v->node, NULL);
    build_path("V[j]", NULL, NULL, "x", &v->node, &columns->node, &t->node, NULL);
    build_path("B[0]", sum, "o", NULL, &t->node, columns->exit, rows->exit, &build_access(st, "B")->node, NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --describe | grep symbol\n"
                   "  M  int32                     symbol, solved from shapes\n"
                   "  N  int32                     symbol, solved from shapes, not needed to run\n");
}

/* ---- streams ---- */

/* The size of a buffer is a hint: nothing is lost, and nobody waits, when more is pushed. */
static void small_buffer(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1000]", "0:1000", NULL);
    corner_array(c, "int32 B[1000]", "1000*-1", "0:1000");
    build_stream(c->s, "S", "int32", "2");
    corner_copy(st, "A", "S", "A[0:1000]");
    corner_copy(corner_state(c), "S", "B", "B[0:1000]");
}

static struct container *stream_array(struct corner *c, struct sdfg *s, const char *name, const char *type,
                                      const char *shape)
{
    struct container *q = build_stream(s, name, type, "1");
    q->shape[0] = q->total_size = build_sym(c->ir, &q->place, shape);
    return q;
}

/* Some of several queues go into a nested SDFG, which knows them as its own first ones. */
static void queues_into_nested(struct corner *c)
{
    struct state *fill = corner_state(c), *st = corner_state(c);
    corner_array(c, "int32 A[12]", "0:12", NULL);
    corner_array(c, "int32 B[6]", "6*-1", "2 6 10 3 7 11");
    stream_array(c, c->s, "S", "int32", "4");
    struct corner_body b = corner_body(fill, "i = 0:12", "s = a", "a = A[i]", "s = S[i % 4]", NULL);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    stream_array(c, inner, "q", "int32", "2")->transient = false;
    build_array(inner, "b", "int32", "6");
    struct state *in = build_state(&inner->region, "in");
    b = corner_body(in, "i = 0:2, j = 0:3", "o = s", "s = q[i]", "o = b[3 * i + j]", NULL);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
    struct nested *n = build_nested(st, "n", inner, "q", "b", NULL);
    build_edge(&build_access(st, "S")->node, NULL, &n->node, "q", "S[2:4]", NULL);
    build_edge(&n->node, "b", &build_access(st, "B")->node, NULL, "B[0:6]", NULL);
}

/* One consume scope for each of several queues; each pushes to the next queue. */
static void consume_array(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[40]", "0:40", NULL);
    corner_array(c, "int64 B[3]", "3*0", "780 820 860");
    stream_array(c, c->s, "S", "int32", "3");
    corner_body(st, "i = 0:40", "s = a", "a = A[i]", "s = S[0]", NULL);
    for (int k = 0; k < 3; k++) {
        struct arena *a = c->ir->arena;
        struct state *next = corner_state(c);
        struct access *out = k < 2 ? build_access(next, "S") : NULL;
        struct consume_entry *e = build_consume(next, "add", "p", "3", NULL);
        struct tasklet *t = build_tasklet(next, "add", "x", out ? "o, s" : "o", out ? "o = x\ns = x + 1" : "o = x");
        const char *queue = arena_printf(a, "S[%d]", k);
        build_edge(&build_access(next, "S")->node, NULL, &e->node, "IN_stream", queue, NULL);
        build_edge(&e->node, "OUT_stream", &t->node, "x", queue, NULL);
        build_path(arena_printf(a, "B[%d]", k), sum, "o", NULL, &t->node, e->exit, &build_access(next, "B")->node,
                   NULL);
        if (out)
            build_path(arena_printf(a, "S[%d]", k + 1), NULL, "s", NULL, &t->node, e->exit, &out->node, NULL);
    }
}

/* Five elements at a time until thirty are seen; what is left can be read afterwards. */
static void consume_chunks_until(struct corner *c)
{
    struct state *fill = corner_state(c), *st = corner_state(c);
    corner_array(c, "int32 A[50]", "0:50", NULL);
    corner_array(c, "int64 N[1]", "0", "30");
    corner_array(c, "int32 D[50]", "50*-1", "30:50 30*-1");
    build_stream(c->s, "S", "int32", "50");
    corner_copy(fill, "A", "S", "A[0:50]");
    struct consume_entry *e = build_consume(st, "some", "p", "1", "N[0] >= 30");
    e->chunksize = 5;
    struct tasklet *t = build_tasklet(st, "count", "x", "n", "n = __dace_some_numelems + 0 * x[0]");
    build_edge(&build_access(st, "S")->node, NULL, &e->node, "IN_stream", "S[0]", NULL);
    build_edge(&e->node, "OUT_stream", &t->node, "x", "S[0]", NULL)->memlet.volume = sym_int(c->ir, 5);
    build_path("N[0]", sum, "n", NULL, &t->node, e->exit, &build_access(st, "N")->node, NULL);
    corner_copy(corner_state(c), "S", "D", "D[0:50]");
}

/* Chunks of what the body itself pushes, by several threads: the scope ends when all is done. */
static void consume_chunks_of_tree(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "1", NULL);
    corner_array(c, "int64 B[1]", "0", "255");
    build_stream(c->s, "S", "int32", "1");
    struct access *in = build_access(st, "S"), *out = build_access(st, "S");
    build_edge(&build_access(st, "A")->node, NULL, &in->node, NULL, "A[0]", NULL);
    struct consume_entry *e = build_consume(st, "tree", "p", "4", NULL);
    e->chunksize = 3;
    struct tasklet *t = build_tasklet(st, "grow", "x", "s, n",
                                      "n = __dace_tree_numelems\nfor k in range(__dace_tree_numelems):\n"
                                      "    if x[k] < 128:\n        s = 2 * x[k]\n        s = 2 * x[k] + 1");
    build_edge(&in->node, NULL, &e->node, "IN_stream", "S[0]", NULL);
    build_edge(&e->node, "OUT_stream", &t->node, "x", "S[0]", NULL)->memlet.volume = sym_int(c->ir, 3);
    build_path("S[0]", NULL, "s", NULL, &t->node, e->exit, &out->node, NULL)->memlet.dynamic = true;
    build_path("B[0]", sum, "n", NULL, &t->node, e->exit, &build_access(st, "B")->node, NULL);
}

static void vector_stream(struct corner *c, const char *name, uint32_t lanes)
{
    struct container *s = build_stream(c->s, name, "float32", "0");
    if (lanes > 1)
        s->type = type_vector(c->ir, s->type, lanes, NULL);
}

/* Numbers to pairs, pairs to vectors of six, and back to numbers. */
static void gearbox(struct corner *c)
{
    static const char path[] = "dace.libraries.standard.nodes.gearbox.Gearbox";
    static const char *const sizes[] = { "{\"size\": \"6\"}", "{\"size\": \"2\"}", "{\"size\": \"$N\"}" };
    static const char *const queues[] = { "S", "P", "V", "T" };
    struct state *fill = corner_state(c);
    corner_symbol(c, "int64 N", "2");
    corner_array(c, "float32 A[12]", "0:12", NULL);
    corner_array(c, "float32 B[12]", "12*-1", "0:12");
    vector_stream(c, "S", 1);
    vector_stream(c, "P", 2);
    vector_stream(c, "V", 6);
    vector_stream(c, "T", 1);
    corner_copy(fill, "A", "S", "A[0:12]");
    for (int i = 0; i < 3; i++) {
        struct state *st = corner_state(c);
        struct library *n = build_library(st, "gears", path, "from", "to", sizes[i]);
        build_edge(&build_access(st, queues[i])->node, NULL, &n->node, "from",
                   arena_printf(c->ir->arena, "%s[0]", queues[i]), NULL);
        build_edge(&n->node, "to", &build_access(st, queues[i + 1])->node, NULL,
                   arena_printf(c->ir->arena, "%s[0]", queues[i + 1]), NULL);
    }
    corner_copy(corner_state(c), "T", "B", "B[0:12]");
}

/* Vectors of four do not make vectors of six. */
static void gearbox_widths(struct corner *c)
{
    struct state *st = corner_state(c);
    vector_stream(c, "S", 4);
    vector_stream(c, "T", 6);
    struct library *n =
        build_library(st, "gears", "dace.libraries.standard.nodes.gearbox.Gearbox", "from", "to", "{\"size\": \"2\"}");
    build_edge(&build_access(st, "S")->node, NULL, &n->node, "from", "S[0]", NULL);
    build_edge(&n->node, "to", &build_access(st, "T")->node, NULL, "T[0]", NULL);
    corner_says(c,
                "$ sdfg-run $HERE/prog.sdfg 2>&1 | grep -v '^warning' | tail -2\n"
                "error[invalid]: the operands of the library node have shapes that do not fit: the wider vectors must "
                "be a multiple of the narrower ones\n"
                "  at corner/state[0] \"s0\"/library[0] \"gears\"\n");
}

const struct corner_row corner_memory[] = {
    { "schedule_persistent_team", persistent_team, false },
    { "schedule_persistent_shares", persistent_shares, false },
    { "schedule_threads_in_threads", threads_in_threads, false },
    { "schedule_sections", sections, false },
    { "schedule_sections_sweeps", sections_sweeps, false },
    { "schedule_sections_stream", sections_stream, false },
    { "schedule_unrolled", unrolled, false },
    { "memory_external_start", external_start, false },
    { "memory_lifetimes", lifetimes, false },
    { "memory_of_threads", memory_of_threads, false },
    { "memory_container_array", container_array, false },
    { "stream_small_buffer", small_buffer, false },
    { "stream_queues_into_nested", queues_into_nested, false },
    { "stream_consume_array", consume_array, false },
    { "stream_consume_chunks_until", consume_chunks_until, false },
    { "stream_consume_chunks_of_tree", consume_chunks_of_tree, false },
    { "stream_gearbox", gearbox, false },
    { "stream_gearbox_widths", gearbox_widths, true },
    { "memory_fresh", fresh, false },
    { "memory_unwritten", unwritten, false },
    { "memory_jagged", jagged, true },
    { NULL, NULL, false },
};
