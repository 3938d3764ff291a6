#include "tests/run/generate/generate.h"

#include "engine/cli/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder; /* where the cases go */
static unsigned failures;

static void failed(const struct gen *g, const char *why)
{
    fprintf(stderr, "%s: %s\n", g->name, why);
    failures++;
}

struct gen *gen_begin(const char *name)
{
    struct ir *ir = ir_new();
    struct gen *g = NEW(ir->arena, struct gen);
    g->name = name;
    g->ir = ir;
    g->sdfg = build_sdfg(ir, name);
    g->state = build_state(&g->sdfg->region, "main");
    g->random = 88172645463325252u;
    return g;
}

void gen_symbol(struct gen *g, const char *name, int64_t value)
{
    build_symbol(g->sdfg, name, "int64");
    g->symbols[g->num_symbols].name = name;
    g->symbols[g->num_symbols++].value = value;
}

/* ---- arrays ---- */

static int64_t value_of(struct gen *g, const char *text)
{
    for (int i = 0; i < g->num_symbols; i++)
        if (!strcmp(g->symbols[i].name, text))
            return g->symbols[i].value;
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (*end)
        failed(g, "a size is neither a number nor a symbol");
    return value;
}

static unsigned next(struct gen *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (unsigned)(g->random >> 33);
}

static double number(struct gen *g, sdfg_dtype dtype)
{
    if (dtype == SDFG_BOOL)
        return next(g) % 2;
    if (dtype >= SDFG_U8 && dtype <= SDFG_U64)
        return next(g) % 9;
    if (dtype >= SDFG_I8 && dtype <= SDFG_I64)
        return (double)(next(g) % 11) - 5;
    return ((double)(next(g) % 17) - 8) / 4;
}

static bool is_complex(sdfg_dtype dtype) { return dtype == SDFG_C64 || dtype == SDFG_C128; }

struct gen_array *gen_array(struct gen *g, const char *name, const char *type, const char *shape, const char *strides)
{
    struct arena *arena = g->ir->arena;
    struct gen_array *a = &g->arrays[g->num_arrays++];
    build_list sizes = { 0 }, steps = { 0 };
    build_split(g->ir, shape, ',', &sizes);
    build_split(g->ir, strides, ',', &steps);
    *a = (struct gen_array){ .name = name, .dtype = sdfg_dtype_by_name(type), .rank = (int)sizes.count, .count = 1 };
    for (int i = a->rank - 1; i >= 0; i--) {
        a->shape[i] = value_of(g, sizes.items[i]);
        a->strides[i] = strides ? value_of(g, steps.items[i]) : a->count;
        a->count *= a->shape[i];
    }
    struct container *c = build_array(g->sdfg, name, type, shape);
    if (strides)
        build_strides(g->sdfg, c, strides);
    a->in = NEW_ARRAY(arena, double complex, (size_t)a->count + 1);
    a->out = NEW_ARRAY(arena, double complex, (size_t)a->count + 1);
    for (int64_t i = 0; i < a->count; i++) {
        double re = number(g, a->dtype), im = is_complex(a->dtype) ? number(g, a->dtype) : 0;
        a->in[i] = a->out[i] = re + im * I;
    }
    return a;
}

int64_t gen_at(const struct gen_array *a, const int64_t *index)
{
    int64_t at = 0;
    for (int i = 0; i < a->rank; i++)
        at = at * a->shape[i] + index[i];
    return at;
}

/* ---- the node ---- */

struct operand {
    const char *conn, *memlet, *name; /* conn NULL: none */
};

static uint32_t operands(struct gen *g, const char *text, struct operand *out, const char **conns)
{
    struct arena *arena = g->ir->arena;
    build_list items = { 0 };
    build_split(g->ir, text, ',', &items);
    *conns = "";
    for (uint32_t i = 0; i < items.count; i++) {
        const char *equals = strchr(items.items[i], '=');
        size_t length = strcspn(items.items[i], " =");
        out[i].conn = length ? arena_strndup(arena, items.items[i], length) : NULL;
        out[i].memlet = equals + 1 + strspn(equals + 1, " ");
        out[i].name = arena_strndup(arena, out[i].memlet, strcspn(out[i].memlet, "[ "));
        if (out[i].conn)
            *conns = arena_printf(arena, "%s%s%s", *conns, **conns ? ", " : "", out[i].conn);
    }
    return items.count;
}

/* Access nodes for the operands of a node. */
static void connect(struct gen *g, struct node *n, const struct operand *in, uint32_t num_in, const struct operand *out,
                    uint32_t num_out, const char *wcr)
{
    for (uint32_t i = 0; i < num_in; i++)
        build_edge(&build_access(g->state, in[i].name)->node, NULL, n, in[i].conn, in[i].memlet, NULL);
    for (uint32_t i = 0; i < num_out; i++)
        build_edge(n, out[i].conn, &build_access(g->state, out[i].name)->node, NULL, out[i].memlet, wcr);
}

struct library *gen_node(struct gen *g, const char *classpath, const char *attributes, const char *inputs,
                         const char *outputs, const char *wcr)
{
    struct operand in[GEN_MAX_ITEMS], out[GEN_MAX_ITEMS];
    const char *in_conns, *out_conns;
    uint32_t num_in = operands(g, inputs, in, &in_conns), num_out = operands(g, outputs, out, &out_conns);
    struct library *n = build_library(g->state, "node", classpath, in_conns, out_conns, attributes);
    connect(g, &n->node, in, num_in, out, num_out, wcr);
    return n;
}

void gen_tasklet(struct gen *g, const char *text, const char *inputs, const char *outputs)
{
    struct operand in[GEN_MAX_ITEMS], out[GEN_MAX_ITEMS];
    const char *in_conns, *out_conns;
    uint32_t num_in = operands(g, inputs, in, &in_conns), num_out = operands(g, outputs, out, &out_conns);
    struct tasklet *t = build_tasklet(g->state, "tasklet", in_conns, out_conns, "");
    t->code = (struct code_text){ .text = text, .language = enum_builtin(g->ir, LANGUAGE_CPP) };
    connect(g, &t->node, in, num_in, out, num_out, NULL);
}

/* ---- files ---- */

static void write_array(struct gen *g, const char *path, const struct gen_array *a, const double complex *values)
{
    struct tensor t;
    char why[200];
    if (!tensor_alloc(&t, a->dtype, sdfg_dtype_size(a->dtype), a->rank, a->shape)) {
        failed(g, "out of memory");
        return;
    }
    for (int64_t i = 0; i < a->count; i++) {
        void *element = (char *)t.data + (size_t)i * t.item_bytes;
        if (dtype_is_integer(a->dtype))
            element_set_integer(a->dtype, element, llround(creal(values[i])));
        else
            element_set(a->dtype, element, creal(values[i]), cimag(values[i]));
    }
    if (!npy_write(&t, path, why, sizeof why))
        failed(g, why);
    tensor_free(&t);
}

static void list(struct text *out, const char *key, const int64_t *items, int count)
{
    text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%lld", i ? ", " : "", (long long)items[i]);
    text_addc(out, ']');
}

static bool packed(const struct gen_array *a)
{
    int64_t stride = 1;
    for (int i = a->rank - 1; i >= 0; i--) {
        if (a->strides[i] != stride)
            return false;
        stride *= a->shape[i];
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct gen_array *)a)->name, ((const struct gen_array *)b)->name);
}

static void write_arguments(struct gen *g, const char *path, struct text *out)
{
    struct arena *arena = g->ir->arena;
    qsort(g->arrays, (size_t)g->num_arrays, sizeof *g->arrays, by_name);
    for (int i = 0; i < g->num_arrays; i++) {
        const struct gen_array *a = &g->arrays[i];
        bool changed = memcmp(a->in, a->out, (size_t)a->count * sizeof *a->in) != 0;
        text_printf(out, "%s\n  {\"name\": \"%s\", \"kind\": \"array\", \"dtype\": \"%s\"", i ? "," : "", a->name,
                    sdfg_dtype_name(a->dtype));
        list(out, "shape", a->shape, a->rank);
        if (!packed(a))
            list(out, "strides", a->strides, a->rank);
        text_printf(out, ", \"in\": \"in/%s.npy\"", a->name);
        write_array(g, arena_printf(arena, "%s/in/%s.npy", path, a->name), a, a->in);
        if (changed) {
            text_printf(out, ", \"out\": \"out/%s.npy\"", a->name);
            write_array(g, arena_printf(arena, "%s/out/%s.npy", path, a->name), a, a->out);
        }
        text_addc(out, '}');
    }
    for (int i = 0; i < g->num_symbols; i++)
        text_printf(out, ",\n  {\"name\": \"%s\", \"kind\": \"symbol\", \"dtype\": \"int64\", \"in\": %lld}",
                    g->symbols[i].name, (long long)g->symbols[i].value);
}

static void write_text(struct gen *g, const char *path, const struct text *t)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(t->data, 1, t->length, f) == t->length;
    if (f)
        good &= fclose(f) == 0;
    if (!good)
        failed(g, "a file cannot be written");
}

static void write_case(struct gen *g)
{
    struct arena *arena = g->ir->arena;
    const char *path = arena_printf(arena, "%s/%s", folder, g->name);
    mkdir(path, 0777);
    mkdir(arena_printf(arena, "%s/in", path), 0777);
    mkdir(arena_printf(arena, "%s/out", path), 0777);
    struct text program = text_new(arena), args = text_new(arena);
    sdfg_write(g->sdfg, &program);
    text_addc(&program, '\n');
    write_text(g, arena_printf(arena, "%s/prog.sdfg", path), &program);
    text_add(&args, "{");
    if (g->rtol > 0)
        text_printf(&args, "\n \"rtol\": %g, \"atol\": %g,", g->rtol, g->rtol);
    text_add(&args, "\n \"args\": [");
    write_arguments(g, path, &args);
    text_add(&args, "\n ]\n}\n");
    write_text(g, arena_printf(arena, "%s/case.json", path), &args);
}

void gen_end(struct gen *g)
{
    if (build_finish(g->sdfg) && sdfg_validate(g->sdfg)) {
        write_case(g);
    } else {
        struct text out = text_new(g->ir->arena);
        for (uint32_t i = 0; i < diags_count(g->ir->diags); i++)
            diag_print(diags_get(g->ir->diags, i), &out);
        failed(g, text_get(&out));
    }
    ir_free(g->ir);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    gen_products();
    gen_vectors();
    gen_tensors();
    gen_reductions();
    gen_standard();
    gen_streams();
    gen_linalg();
    gen_fft();
    gen_sparse();
    gen_stencil();
    gen_cuda();
    return failures > 0;
}
