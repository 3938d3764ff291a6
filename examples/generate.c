/* Writes the example programs of this folder:
 *
 *     generate FOLDER
 *
 * The files are kept in the repository; this program makes them reproducible and shows how graphs are built in C. */
#include "ir/build/build.h"
#include "ir/enums.h"
#include "ir/json/json.h"

#include <stdio.h>
#include <string.h>

/* ---- the programs ---- */

/* Y = alpha * X + Y */
static struct sdfg *axpy(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "axpy");
    build_symbol(s, "N", "int64");
    build_scalar(s, "alpha", "float64");
    build_array(s, "X", "float64", "N");
    build_array(s, "Y", "float64", "N");
    build_arguments(s, "alpha, X, Y");
    struct state *st = build_state(&s->region, "compute");
    struct access *alpha = build_access(st, "alpha"), *x = build_access(st, "X");
    struct access *y_in = build_access(st, "Y"), *y = build_access(st, "Y");
    struct map_entry *m = build_map(st, "elements", "i = 0:N");
    struct tasklet *t = build_tasklet(st, "axpy", "a, x, y", "result", "result = a * x + y");
    build_path("alpha", NULL, NULL, "a", &alpha->node, &m->node, &t->node, NULL);
    build_path("X[i]", NULL, NULL, "x", &x->node, &m->node, &t->node, NULL);
    build_path("Y[i]", NULL, NULL, "y", &y_in->node, &m->node, &t->node, NULL);
    build_path("Y[i]", NULL, "result", NULL, &t->node, m->exit, &y->node, NULL);
    return s;
}

/* AB = A @ B by a library call, then C = alpha * AB + beta * C. */
static struct sdfg *gemm(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "gemm");
    build_symbol(s, "N", "int64");
    build_scalar(s, "alpha", "float64");
    build_scalar(s, "beta", "float64");
    build_array(s, "A", "float64", "N, N");
    build_array(s, "B", "float64", "N, N");
    build_array(s, "C", "float64", "N, N");
    build_transient(s, "AB", "float64", "N, N");
    build_arguments(s, "alpha, A, B, beta, C");
    struct state *st = build_state(&s->region, "compute");
    struct access *a = build_access(st, "A"), *b = build_access(st, "B"), *ab = build_access(st, "AB");
    struct library *product =
        build_library(st, "product", "dace.libraries.blas.nodes.matmul.MatMul", "_a, _b", "_c", NULL);
    build_edge(&a->node, NULL, &product->node, "_a", "A", NULL);
    build_edge(&b->node, NULL, &product->node, "_b", "B", NULL);
    build_edge(&product->node, "_c", &ab->node, NULL, "AB", NULL);

    struct access *alpha = build_access(st, "alpha"), *beta = build_access(st, "beta");
    struct access *c_in = build_access(st, "C"), *c = build_access(st, "C");
    struct map_entry *m = build_map(st, "combine", "i = 0:N, j = 0:N");
    struct tasklet *t = build_tasklet(st, "combine", "f, product, g, old", "result", "result = f * product + g * old");
    build_path("alpha", NULL, NULL, "f", &alpha->node, &m->node, &t->node, NULL);
    build_path("AB[i, j]", NULL, NULL, "product", &ab->node, &m->node, &t->node, NULL);
    build_path("beta", NULL, NULL, "g", &beta->node, &m->node, &t->node, NULL);
    build_path("C[i, j]", NULL, NULL, "old", &c_in->node, &m->node, &t->node, NULL);
    build_path("C[i, j]", NULL, "result", NULL, &t->node, m->exit, &c->node, NULL);
    return s;
}

/* The same with loops: C = beta * C, then C += alpha * A @ B. Each thread owns rows of C, so that its sums need no
 * atomics. */
static struct sdfg *gemm_maps(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "gemm_maps");
    build_symbol(s, "N", "int64");
    build_scalar(s, "alpha", "float64");
    build_scalar(s, "beta", "float64");
    build_array(s, "A", "float64", "N, N");
    build_array(s, "B", "float64", "N, N");
    build_array(s, "C", "float64", "N, N");
    build_arguments(s, "alpha, A, B, beta, C");

    struct state *scale = build_state(&s->region, "scale");
    struct access *beta = build_access(scale, "beta");
    struct access *c_in = build_access(scale, "C"), *c_out = build_access(scale, "C");
    struct map_entry *m = build_map(scale, "scale", "i = 0:N, j = 0:N");
    struct tasklet *t = build_tasklet(scale, "scale", "b, c", "result", "result = b * c");
    build_path("beta", NULL, NULL, "b", &beta->node, &m->node, &t->node, NULL);
    build_path("C[i, j]", NULL, NULL, "c", &c_in->node, &m->node, &t->node, NULL);
    build_path("C[i, j]", NULL, "result", NULL, &t->node, m->exit, &c_out->node, NULL);

    struct state *product = build_state(&s->region, "product");
    struct access *alpha = build_access(product, "alpha"), *a = build_access(product, "A");
    struct access *b = build_access(product, "B"), *c = build_access(product, "C");
    struct map_entry *rows = build_map(product, "rows", "i = 0:N");
    struct map_entry *inner = build_map(product, "inner", "k = 0:N, j = 0:N");
    struct tasklet *add = build_tasklet(product, "multiply", "f, a, b", "result", "result = f * a * b");
    inner->schedule = enum_builtin(ir, SCHEDULE_SEQUENTIAL);
    build_path("alpha", NULL, NULL, "f", &alpha->node, &rows->node, &inner->node, &add->node, NULL);
    build_path("A[i, k]", NULL, NULL, "a", &a->node, &rows->node, &inner->node, &add->node, NULL);
    build_path("B[k, j]", NULL, NULL, "b", &b->node, &rows->node, &inner->node, &add->node, NULL);
    struct edge *sum = build_path("C[i, j]", "(lambda x, y: (x + y))", "result", NULL, &add->node, inner->exit,
                                  rows->exit, &c->node, NULL);
    sum->memlet.wcr_nonatomic = true;
    build_transition(&scale->block, &product->block, NULL, NULL);
    return s;
}

/* One sweep of the five-point average from one array into the other. */
static struct state *sweep(struct region *in, const char *label, const char *from, const char *to)
{
    static const struct {
        const char *conn, *index;
    } points[] = {
        { "c", "i, j" }, { "n", "i - 1, j" }, { "s", "i + 1, j" }, { "w", "i, j - 1" }, { "e", "i, j + 1" }
    };
    struct arena *a = in->sdfg->ir->arena;
    struct state *st = build_state(in, label);
    struct access *source = build_access(st, from), *target = build_access(st, to);
    struct map_entry *m = build_map(st, label, "i = 1:N - 1, j = 1:N - 1");
    struct tasklet *t = build_tasklet(st, "average", "c, n, s, w, e", "result", "result = 0.2 * (c + n + s + w + e)");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        build_path(arena_printf(a, "%s[%s]", from, points[i].index), NULL, NULL, points[i].conn, &source->node,
                   &m->node, &t->node, NULL);
    build_path(arena_printf(a, "%s[i, j]", to), NULL, "result", NULL, &t->node, m->exit, &target->node, NULL);
    return st;
}

/* T double steps of the five-point Jacobi iteration, from A to B and back. */
static struct sdfg *jacobi_2d(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "jacobi_2d");
    build_symbol(s, "N", "int64");
    build_symbol(s, "T", "int64");
    build_symbol(s, "t", "int64");
    build_array(s, "A", "float64", "N, N");
    build_array(s, "B", "float64", "N, N");
    build_arguments(s, "T, A, B");
    struct loop *time = build_loop(&s->region, "time", "t", "t = 0", "t < T", "t = t + 1");
    struct state *forth = sweep(&time->region, "forth", "A", "B"), *back = sweep(&time->region, "back", "B", "A");
    build_transition(&forth->block, &back->block, NULL, NULL);
    return s;
}

/* One sweep of the seven-point heat equation from one array into the other. */
static struct state *heat_sweep(struct region *in, const char *label, const char *from, const char *to)
{
    static const struct {
        const char *conn, *index;
    } points[] = { { "c", "i, j, k" },     { "n", "i - 1, j, k" }, { "s", "i + 1, j, k" }, { "w", "i, j - 1, k" },
                   { "e", "i, j + 1, k" }, { "u", "i, j, k - 1" }, { "d", "i, j, k + 1" } };
    struct arena *a = in->sdfg->ir->arena;
    struct state *st = build_state(in, label);
    struct access *source = build_access(st, from), *target = build_access(st, to);
    struct map_entry *m = build_map(st, label, "i = 1:N - 1, j = 1:N - 1, k = 1:N - 1");
    struct tasklet *t = build_tasklet(st, "heat", "c, n, s, w, e, u, d", "result",
                                      "result = 0.25 * c + 0.125 * (n + s + w + e + u + d)");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        build_path(arena_printf(a, "%s[%s]", from, points[i].index), NULL, NULL, points[i].conn, &source->node,
                   &m->node, &t->node, NULL);
    build_path(arena_printf(a, "%s[i, j, k]", to), NULL, "result", NULL, &t->node, m->exit, &target->node, NULL);
    return st;
}

/* T double steps of heat flowing through a cube, from A to B and back. */
static struct sdfg *heat_3d(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "heat_3d");
    build_symbol(s, "N", "int64");
    build_symbol(s, "T", "int64");
    build_symbol(s, "t", "int64");
    build_array(s, "A", "float64", "N, N, N");
    build_array(s, "B", "float64", "N, N, N");
    build_arguments(s, "T, A, B");
    struct loop *time = build_loop(&s->region, "time", "t", "t = 0", "t < T", "t = t + 1");
    struct state *forth = heat_sweep(&time->region, "forth", "A", "B");
    struct state *back = heat_sweep(&time->region, "back", "B", "A");
    build_transition(&forth->block, &back->block, NULL, NULL);
    return s;
}

/* One row of numbers per row of `from`: a reduction along it. */
static void reduce_rows(struct state *st, struct access *from, struct access *to, const char *attributes)
{
    struct library *r =
        build_library(st, "reduce", "dace.libraries.standard.nodes.reduce.Reduce", NULL, NULL, attributes);
    build_edge(&from->node, NULL, &r->node, NULL, from->data->name, NULL);
    build_edge(&r->node, NULL, &to->node, NULL, to->data->name, NULL);
}

/* Y = exp(X - max) / sum along each row, by reductions and element-wise maps. */
static struct sdfg *softmax(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "softmax");
    build_symbol(s, "N", "int64");
    build_symbol(s, "M", "int64");
    build_array(s, "X", "float32", "N, M");
    build_array(s, "Y", "float32", "N, M");
    build_transient(s, "largest", "float32", "N");
    build_transient(s, "power", "float32", "N, M");
    build_transient(s, "total", "float32", "N");
    build_arguments(s, "X, Y");

    struct state *maximum = build_state(&s->region, "maximum");
    reduce_rows(maximum, build_access(maximum, "X"), build_access(maximum, "largest"),
                "{\"wcr\": \"(lambda a, b: max(a, b))\", \"axes\": [1], \"identity\": \"-9999\"}");

    struct state *powers = build_state(&s->region, "powers");
    struct access *x = build_access(powers, "X"), *largest = build_access(powers, "largest");
    struct access *power = build_access(powers, "power"), *total = build_access(powers, "total");
    struct map_entry *m = build_map(powers, "powers", "i = 0:N, j = 0:M");
    struct tasklet *t = build_tasklet(powers, "power", "x, most", "result", "result = exp(x - most)");
    build_path("X[i, j]", NULL, NULL, "x", &x->node, &m->node, &t->node, NULL);
    build_path("largest[i]", NULL, NULL, "most", &largest->node, &m->node, &t->node, NULL);
    build_path("power[i, j]", NULL, "result", NULL, &t->node, m->exit, &power->node, NULL);
    reduce_rows(powers, power, total, "{\"wcr\": \"(lambda a, b: a + b)\", \"axes\": [1], \"identity\": \"0\"}");

    struct state *divide = build_state(&s->region, "divide");
    struct access *p = build_access(divide, "power"), *sum = build_access(divide, "total");
    struct access *y = build_access(divide, "Y");
    struct map_entry *elements = build_map(divide, "divide", "i = 0:N, j = 0:M");
    struct tasklet *quotient = build_tasklet(divide, "divide", "p, sum", "result", "result = p / sum");
    build_path("power[i, j]", NULL, NULL, "p", &p->node, &elements->node, &quotient->node, NULL);
    build_path("total[i]", NULL, NULL, "sum", &sum->node, &elements->node, &quotient->node, NULL);
    build_path("Y[i, j]", NULL, "result", NULL, &quotient->node, elements->exit, &y->node, NULL);
    build_transition(&maximum->block, &powers->block, NULL, NULL);
    build_transition(&powers->block, &divide->block, NULL, NULL);
    return s;
}

/* histogram[int(16 * v)] += 1 for every pixel v of an image; what is not in [0, 1) counts as the nearest value that is.
 */
static struct sdfg *histogram(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "histogram");
    build_symbol(s, "H", "int64");
    build_symbol(s, "W", "int64");
    build_array(s, "image", "float64", "H, W");
    build_array(s, "histogram", "int64", "16");
    build_arguments(s, "image, histogram");

    struct state *clear = build_state(&s->region, "clear");
    struct map_entry *m = build_map(clear, "clear", "i = 0:16");
    struct tasklet *zero = build_tasklet(clear, "zero", NULL, "result", "result = 0");
    struct access *cleared = build_access(clear, "histogram");
    build_edge(&m->node, NULL, &zero->node, NULL, NULL, NULL);
    build_path("histogram[i]", NULL, "result", NULL, &zero->node, m->exit, &cleared->node, NULL);

    struct state *count = build_state(&s->region, "count");
    struct access *image = build_access(count, "image"), *h = build_access(count, "histogram");
    struct map_entry *pixels = build_map(count, "pixels", "y = 0:H, x = 0:W");
    struct tasklet *t = build_tasklet(count, "count", "pixel", "bins", "bins[max(0, min(15, int(16 * pixel)))] = 1");
    build_path("image[y, x]", NULL, NULL, "pixel", &image->node, &pixels->node, &t->node, NULL);
    struct edge *e =
        build_path("histogram", "(lambda x, y: (x + y))", "bins", NULL, &t->node, pixels->exit, &h->node, NULL);
    e->memlet.dynamic = true; /* one of the 16 elements */
    build_transition(&clear->block, &count->block, NULL, NULL);
    return s;
}

/* How many steps n takes to 1 when even numbers are halved and odd ones become 3 n + 1. */
static struct sdfg *while_loop(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "while_loop");
    build_symbol(s, "n", "int64");
    build_symbol(s, "k", "int64");
    build_symbol(s, "count", "int64");
    build_array(s, "steps", "int64", "1");
    build_arguments(s, "n, steps");
    struct state *begin = build_state(&s->region, "begin");
    struct loop *loop = build_loop(&s->region, "while_not_one", NULL, NULL, "k != 1", NULL);
    struct state *end = build_state(&s->region, "end");
    build_transition(&begin->block, &loop->region.block, NULL, "k = n; count = 0");
    build_transition(&loop->region.block, &end->block, NULL, NULL);

    struct conditional *parity = build_conditional(&loop->region, "parity");
    struct state *next = build_state(&loop->region, "next");
    build_transition(&parity->block, &next->block, NULL, "count = count + 1");
    struct region *even = build_branch(parity, "k % 2 == 0"), *odd = build_branch(parity, NULL);
    build_transition(&build_state(even, "even")->block, &build_state(even, "halved")->block, NULL, "k = k // 2");
    build_transition(&build_state(odd, "odd")->block, &build_state(odd, "grown")->block, NULL, "k = 3 * k + 1");

    struct tasklet *t = build_tasklet(end, "store", NULL, "result", "result = count");
    build_edge(&t->node, "result", &build_access(end, "steps")->node, NULL, "steps[0]", NULL);
    return s;
}

/* row /= sum(row), for a row of M elements. */
static struct sdfg *normalize_row(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "normalize_row");
    build_symbol(s, "M", "int64");
    build_array(s, "row", "float64", "M");
    build_transient(s, "total", "float64", "1");

    struct state *clear = build_state(&s->region, "clear");
    struct tasklet *zero = build_tasklet(clear, "zero", NULL, "result", "result = 0.0");
    build_edge(&zero->node, "result", &build_access(clear, "total")->node, NULL, "total[0]", NULL);

    struct state *sum = build_state(&s->region, "sum");
    struct access *row = build_access(sum, "row"), *total = build_access(sum, "total");
    struct map_entry *m = build_map(sum, "sum", "j = 0:M");
    struct tasklet *copy = build_tasklet(sum, "add", "x", "result", "result = x");
    build_path("row[j]", NULL, NULL, "x", &row->node, &m->node, &copy->node, NULL);
    build_path("total[0]", "(lambda x, y: (x + y))", "result", NULL, &copy->node, m->exit, &total->node, NULL);

    struct state *divide = build_state(&s->region, "divide");
    struct access *in = build_access(divide, "row"), *by = build_access(divide, "total"),
                  *out = build_access(divide, "row");
    struct map_entry *elements = build_map(divide, "divide", "j = 0:M");
    struct tasklet *quotient = build_tasklet(divide, "divide", "x, sum", "result", "result = x / sum");
    build_path("row[j]", NULL, NULL, "x", &in->node, &elements->node, &quotient->node, NULL);
    build_path("total[0]", NULL, NULL, "sum", &by->node, &elements->node, &quotient->node, NULL);
    build_path("row[j]", NULL, "result", NULL, &quotient->node, elements->exit, &out->node, NULL);
    build_transition(&clear->block, &sum->block, NULL, NULL);
    build_transition(&sum->block, &divide->block, NULL, NULL);
    return s;
}

/* Every row of A is divided by its sum, by an SDFG of its own that sees one row. */
static struct sdfg *nested(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "nested");
    build_symbol(s, "N", "int64");
    build_symbol(s, "M", "int64");
    build_array(s, "A", "float64", "N, M");
    build_arguments(s, "A");
    struct state *st = build_state(&s->region, "rows");
    struct access *in = build_access(st, "A"), *out = build_access(st, "A");
    struct map_entry *m = build_map(st, "rows", "i = 0:N");
    struct nested *call = build_nested(st, "normalize_row", normalize_row(ir), "row", "row", "M = M");
    build_path("A[i, 0:M]", NULL, NULL, "row", &in->node, &m->node, &call->node, NULL);
    build_path("A[i, 0:M]", NULL, "row", NULL, &call->node, m->exit, &out->node, NULL);
    return s;
}

/* Y = the elements of X moved into an interval, by a library node of a class that the program running it implements. */
static struct sdfg *clip(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "clip");
    build_symbol(s, "N", "int64");
    build_array(s, "X", "float64", "N");
    build_array(s, "Y", "float64", "N");
    build_arguments(s, "X, Y");
    struct state *st = build_state(&s->region, "compute");
    struct library *n = build_library(st, "clip", "example.nodes.Clip", "_x", "_y", "{\"low\": -1.0, \"high\": 1.0}");
    build_edge(&build_access(st, "X")->node, NULL, &n->node, "_x", "X", NULL);
    build_edge(&n->node, "_y", &build_access(st, "Y")->node, NULL, "Y", NULL);
    return s;
}

/* Y = 2 * X + 1 on the accelerator of backend/simulator.c: copied there, a kernel whose blocks have memory for their
 * elements, and back. */
static struct sdfg *simulator(struct ir *ir)
{
    static const char threads[] = "{\"type\": \"ScheduleType.Sim_Threads\", \"size\": 16}";
    struct sdfg *s = build_sdfg(ir, "simulator");
    build_symbol(s, "N", "int64");
    build_array(s, "X", "float64", "N");
    build_array(s, "Y", "float64", "N");
    build_arguments(s, "X, Y");
    build_transient(s, "there_X", "float64", "N")->storage = enum_by_name(ir, ENUM_STORAGE, "Sim_Global");
    build_transient(s, "there_Y", "float64", "N")->storage = enum_by_name(ir, ENUM_STORAGE, "Sim_Global");
    build_transient(s, "tile", "float64", "64")->storage = enum_by_name(ir, ENUM_STORAGE, "Sim_Shared");
    struct state *st = build_state(&s->region, "compute");
    struct access *x = build_access(st, "there_X"), *y = build_access(st, "there_Y"), *tile = build_access(st, "tile");
    struct map_entry *grid = build_map(st, "grid", "b = 0:N:64"),
                     *block = build_map(st, "block", "t = 0:min(64, N - b)");
    struct tasklet *t = build_tasklet(st, "scale", "x", "y", "y = 2 * x + 1");
    grid->schedule = enum_by_name(ir, ENUM_SCHEDULE, "Sim_Grid");
    block->schedule = enum_from_json(ir, ENUM_SCHEDULE, json_parse(ir->arena, ir->diags, threads, sizeof threads - 1));
    build_edge(&build_access(st, "X")->node, NULL, &x->node, NULL, "X", NULL);
    build_path("there_X[b:min(b + 64, N)] -> [0:min(64, N - b)]", NULL, NULL, NULL, &x->node, &grid->node, &tile->node,
               NULL);
    build_path("tile[t]", NULL, NULL, "x", &tile->node, &block->node, &t->node, NULL);
    build_path("there_Y[b + t]", NULL, "y", NULL, &t->node, block->exit, grid->exit, &y->node, NULL);
    build_edge(&y->node, NULL, &build_access(st, "Y")->node, NULL, "Y", NULL);
    return s;
}

/* ---- files ---- */

/* What the plug-in of backend/simulator.c registers. */
static void add_members(struct ir *ir)
{
    static const struct enum_field size[] = { { "size", ENUM_FIELD_INTEGER } };
    static const struct enum_member rows[] = {
        { .kind = ENUM_STORAGE, .name = "Sim_Global" },
        { .kind = ENUM_STORAGE, .name = "Sim_Shared" },
        { .kind = ENUM_SCHEDULE, .name = "Sim_Threads", .fields = size, .num_fields = 1 },
        { .kind = ENUM_SCHEDULE, .name = "Sim_Grid" },
    };
    enum_members *all = NEW(ir->arena, enum_members);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        vec_push(ir->arena, all, rows[i]);
    enums_extend(ir, all);
}

static bool write_program(const char *folder, const char *name, struct sdfg *(*build)(struct ir *))
{
    struct ir *ir = ir_new();
    add_members(ir);
    struct sdfg *s = build(ir);
    struct text compact = text_new(ir->arena), out = text_new(ir->arena);
    bool good = build_finish(s) && sdfg_validate(s);
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &out);
    if (good) {
        sdfg_write(s, &compact);
        json_write_indented(ir->arena, json_parse(ir->arena, ir->diags, text_get(&compact), compact.length), &out);
        FILE *file = fopen(arena_printf(ir->arena, "%s/%s.sdfg", folder, name), "wb");
        good = file && fwrite(out.data, 1, out.length, file) == out.length;
        good = file && fclose(file) == 0 && good;
    } else {
        fputs(text_get(&out), stderr);
    }
    if (!good)
        fprintf(stderr, "%s failed\n", name);
    ir_free(ir);
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        struct sdfg *(*build)(struct ir *);
    } programs[] = {
        { "axpy", axpy },
        { "gemm", gemm },
        { "gemm_maps", gemm_maps },
        { "jacobi_2d", jacobi_2d },
        { "histogram", histogram },
        { "while_loop", while_loop },
        { "nested", nested },
        { "heat_3d", heat_3d },
        { "softmax", softmax },
        { "clip", clip },
        { "backend/simulator", simulator },
    };
    if (argc != 2) {
        fprintf(stderr, "usage: generate FOLDER\n");
        return 2;
    }
    bool good = true;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        good &= write_program(argv[1], programs[i].name, programs[i].build);
    return good ? 0 : 1;
}
