#include "ir/code/clang/clang.h"
#include "ir/code/clang/clang_api.h"

#include "ir/build/build.h"

#include "tests/unit/check.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>

/* Cases of tests/cpp: "### name", the text of a tasklet, "---", its tree (or the diagnostic). What stands before a line
 * "=====" is global code. SDFG_BLESS=1 rewrites the files. */

static const struct {
    const char *name;
    enum type_kind kind;
    bool pointer, output;
} connectors[] = {
    { "a", TYPE_F64, false, false }, { "f", TYPE_F32, false, false },  { "n", TYPE_I32, false, false },
    { "l", TYPE_I64, false, false }, { "u", TYPE_U32, false, false },  { "t", TYPE_BOOL, false, false },
    { "h", TYPE_F16, false, false }, { "z", TYPE_C128, false, false }, { "c", TYPE_C64, false, false },
    { "x", TYPE_F64, true, false },  { "k", TYPE_I32, true, false },   { "w", TYPE_C128, true, false },
    { "o", TYPE_F64, false, true },  { "i", TYPE_I32, false, true },   { "m", TYPE_BOOL, false, true },
    { "g", TYPE_F32, false, true },  { "q", TYPE_C128, false, true },  { "y", TYPE_F64, true, true },
    { "d", TYPE_F16, false, true },
};

static const struct type *pair(struct ir *ir)
{
    struct type_field fields[] = {
        { .name = intern(ir->names, "count"), .type = type_basic(ir, TYPE_I32) },
        { .name = intern(ir->names, "data"), .type = type_pointer(ir, type_basic(ir, TYPE_F64)) },
    };
    return type_struct(ir, intern(ir->names, "pair"), fields, 2);
}

static void add_connector(struct ir *ir, struct node *n, bool output, const char *name, const struct type *type)
{
    struct connector c = { .name = intern(ir->names, name), .type = type };
    if (output)
        vec_push(ir->arena, &n->out_conns, c);
    else
        vec_push(ir->arena, &n->in_conns, c);
}

static void add_tasklet(struct ir *ir, struct state *st, const char *text)
{
    struct tasklet *t = build_tasklet(st, "t", "", "", "");
    t->code = (struct code_text){ .text = text, .language = enum_builtin(ir, LANGUAGE_CPP) };
    for (size_t i = 0; i < sizeof connectors / sizeof *connectors; i++) {
        const struct type *type = type_basic(ir, connectors[i].kind);
        add_connector(ir, &t->node, connectors[i].output, connectors[i].name,
                      connectors[i].pointer ? type_pointer(ir, type) : type);
    }
    add_connector(ir, &t->node, false, "s", pair(ir));
    add_connector(ir, &t->node, true, "v", type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL));
}

static struct sdfg *program(struct ir *ir, const char *global, const char *text)
{
    struct sdfg *s = build_sdfg(ir, "p");
    build_symbol(s, "N", "int64");
    build_constant(s, "half", "float64", NULL, "0.5");
    build_constant(s, "table", "int32", "3", "[1, 2, 3]");
    if (global)
        vec_push(ir->arena, &s->global_code,
                 ((struct code_text){ .text = global, .language = enum_builtin(ir, LANGUAGE_CPP) }));
    add_tasklet(ir, build_state(&s->region, "s"), text);
    return s;
}
static const char *tree_of(struct ir *ir, const char *global, const char *text)
{
    struct sdfg *s = program(ir, global, text);
    struct text out = text_new(ir->arena);
    if (clang_read_tasklets(s)) {
        const struct state *st = as_state(s->region.blocks.items[0]);
        code_print(as_tasklet(st->nodes.items[0])->code.tree, &out);
    }
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &out);
    if (out.length && out.data[out.length - 1] == '\n')
        out.data[--out.length] = 0;
    return text_get(&out);
}

static void run_cases(const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "cpp/%s", file); /* tests run in their folder */
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 18);
    CHECK(f != NULL && text);
    if (!f || !text || !fread(text, 1, (1 << 18) - 1, f))
        return;
    fclose(f);
    FILE *bless = getenv("SDFG_BLESS") ? fopen(path, "wb") : NULL;
    int cases = 0;
    for (char *at = strstr(text, "### "); at; cases++) {
        char *name = at + 4, *next = strstr(name, "\n### "), *input = strchr(name, '\n') + 1;
        if (next)
            *next = 0;
        input[-1] = 0;
        char *rule = strstr(input, "\n---"), *expected = rule + 4 + (rule[4] == '\n');
        *rule = 0;
        size_t length = strlen(expected);
        if (length && expected[length - 1] == '\n')
            expected[length - 1] = 0;
        struct ir *ir = ir_new();
        char *whole = arena_strdup(ir->arena, input), *body = strstr(whole, "=====\n");
        if (body)
            *body = 0;
        const char *actual = body ? tree_of(ir, whole, body + 6) : tree_of(ir, NULL, whole);
        if (bless)
            fprintf(bless, "### %s\n%s\n---\n%s\n", name, input, actual);
        else if (strcmp(actual, expected) != 0) {
            printf("%s: case \"%s\"\n", file, name);
            CHECK_STR(actual, expected);
        }
        ir_free(ir);
        at = next ? next + 1 : NULL;
    }
    CHECK(cases > 5);
    if (bless)
        fclose(bless);
    free(text);
}

TEST(trees) { run_cases("trees.txt"); }
TEST(errors) { run_cases("errors.txt"); }

/* An expression without a meaning here, in each place where one may stand: all of the tasklet is refused, wherever it
 * is. N: a number, I: an integer, P: a pointer, C: a complex number, R: a record. */
static const char *const with_parts[] = {
    "o = N;",
    "o = a + N;",
    "o = N + a;",
    "o = -N;",
    "o = !N;",
    "o = (float)N;",
    "o = float(N);",
    "o = double{N};",
    "o = x[I];",
    "o = P[0];",
    "o = *P;",
    "o = *(x + I);",
    "x[I] = a;",
    "P[1] = a;",
    "o += N;",
    "y[I] += a;",
    "o = N ? a : f;",
    "o = t ? N : f;",
    "o = t ? a : N;",
    "o = sqrt(N);",
    "o = pow(a, N);",
    "o = pow(N, a);",
    "o = std::max(N, a);",
    "o = std::min(a, N);",
    "o = (a, N);",
    "o = (N, a);",
    "o = N < a;",
    "o = t && N;",
    "double b = N; o = b;",
    "const double b = N; o = b;",
    "double b[] = {1, N}; o = b[0];",
    "double b[2][2] = {{1, 2}, {N}};",
    "double b(N); o = b;",
    "double b{N}; o = b;",
    "auto b = N; o = b;",
    "static double b = N; o = b;",
    "double b[3]; b[I] = 1;",
    "double &b = P[0]; o = b;",
    "double *b = P; o = *b;",
    "double b = 1; b++; o = P[n]++;",
    "if (N) o = 1;",
    "if (t) o = N;",
    "if (t) o = 1; else o = N;",
    "if (t) { o = 1; } else if (N) { o = 2; }",
    "while (N) o = 1;",
    "while (t) { o = N; }",
    "do o = N; while (t);",
    "do o = 1; while (N);",
    "for (int b = N; b < 3; b++) o = 1;",
    "for (int b = 0; b < N; b++) o = 1;",
    "for (int b = 0; b < 3; b += N) o = 1;",
    "for (int b = 0; b < 3; b++) o = N;",
    "for (; N;) o = 1;",
    "double e[2]; for (double b : e) o = b * N;",
    "switch (I) { case 1: o = 1; }",
    "switch (n) { case 1: o = N; }",
    "switch (n) { default: o = N; break; case 2: o = 1; }",
    "switch (n) { case 1: o = 1; o = N; }",
    "{ { o = N; } }",
    "o = [](double b) { return b; }(N);",
    "auto g2 = [&](double b) { return b + N; }; o = g2(1);",
    "auto g2 = [](double b) { return b; }; o = g2(N);",
    "q = C;",
    "q = C + z;",
    "q = z + C;",
    "q = -C;",
    "q += C;",
    "q *= C;",
    "o = C.real();",
    "o = std::abs(C);",
    "q = std::conj(C);",
    "q = std::complex<double>(N, a);",
    "q = std::complex<double>(a, N);",
    "q = std::complex<double>{N};",
    "q = z * N;",
    "q = N * z;",
    "w[I];",
    "o = s.data[I];",
    "o = R.count;",
    "o = R.data[0];",
    "struct r { int b; double e; }; r v2 = {n, N}; o = v2.e;",
    "struct r { int b; double e = 2; }; r v2 = {I}; o = v2.e;",
    "struct r { double b; double f2(double e) { return b + e; } }; r v2 = {1}; o = v2.f2(N);",
    "struct r { double b; r(double e) : b(e) {} }; r v2(N); o = v2.b;",
    "struct r { double b; r(double e) { b = e; } }; r v2{N}; o = v2.b;",
    "struct r { double b; double operator+(double e) { return b + e; } }; r v2 = {1}; o = v2 + N;",
    "struct r { double b; operator double() { return b; } }; r v2 = {1}; o = v2 * N;",
    "struct r { double b; double operator[](int e) { return b; } }; r v2 = {1}; o = v2[I];",
    "double *b = new double(N); o = *b; delete b;",
    "double *b = new double[I]; o = b[0]; delete[] b;",
    "double *b = new double[2]{1, N}; o = b[0]; delete[] b;",
    "delete P;",
    "delete[] P;",
    "printf(\"%g\", N);",
    "std::swap(x[I], x[1]);",
    "__sdfg_reduce(0, x, N);",
    "memcpy(y, P, 8);",
    "memset(y, 0, I);",
    "int b = 3; b <<= I; o = b;",
    "o = ~I;",
    "o = I % 3;",
    "o = n++ + I;",
    "g = f; o = fma(a, N, f);",
    "o = std::numeric_limits<double>::max() + N;",
    "v[0] = N;",
    "v = v + N;",
    "h + N;",
    "d = N;",
    "m = N > 1 || t;",
};

static const char *placed(struct arena *a, const char *text)
{
    struct text out = text_new(a);
    for (const char *c = text; *c; c++) {
        bool alone = !isalnum((unsigned char)c[1]) && (c == text || (!isalnum((unsigned char)c[-1]) && c[-1] != '_'));
        if (alone && *c == 'N')
            text_add(&out, "({ a; })");
        else if (alone && *c == 'I')
            text_add(&out, "({ n; })");
        else if (alone && *c == 'P')
            text_add(&out, "({ x; })");
        else if (alone && *c == 'C')
            text_add(&out, "({ z; })");
        else if (alone && *c == 'R')
            text_add(&out, "({ s; })");
        else
            text_addc(&out, *c);
    }
    return text_get(&out);
}

TEST(parts_that_are_not_supported)
{
    for (size_t i = 0; i < sizeof with_parts / sizeof *with_parts; i++) {
        struct ir *ir = ir_new();
        const char *text = placed(ir->arena, with_parts[i]);
        bool read = clang_read_tasklets(program(ir, NULL, text));
        const struct diag *d = diags_count(ir->diags) ? diags_get(ir->diags, 0) : NULL;
        if (read || !d || diag_class_of(d->code) != DIAG_CLASS_UNSUPPORTED || strstr(d->message, "undeclared")) {
            printf("%s: %s\n", text, d ? d->message : "is read");
            check_failures++;
        }
        ir_free(ir);
    }
}

/* Stands before that of the C library, so that a machine without libclang can be had. */
static bool no_libraries;

void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return no_libraries || !real ? NULL : real(name, flags);
}

TEST(no_libclang)
{
    struct ir *ir = ir_new();
    struct sdfg *s = program(ir, NULL, "i = n;");
    no_libraries = true;
    CHECK(!clang_read_tasklets(s));
    no_libraries = false;
    CHECK_INT(diags_count(ir->diags), 1);
    CHECK_STR(diags_get(ir->diags, 0)->message,
              "C++ code is read by libclang, which cannot be opened (19 to 22; the last name tried is 'libclang.so')");
    CHECK_STR(diags_get(ir->diags, 0)->path, "p/state[0] \"s\"/tasklet[0] \"t\"");
    CHECK_INT(diag_class_of(diags_get(ir->diags, 0)->code), DIAG_CLASS_ENVIRONMENT);
    ir_free(ir);
}

TEST(deep)
{
    struct ir *ir = ir_new();
    struct text text = text_new(ir->arena);
    text_add(&text, "o = a");
    for (int i = 0; i < 1000; i++)
        text_add(&text, " + a");
    text_add(&text, ";");
    CHECK(strstr(tree_of(ir, NULL, text_get(&text)), " + a + a") != NULL);
    text.length--;
    for (int i = 0; i < 20000; i++)
        text_add(&text, " + a");
    text_add(&text, ";");
    CHECK(strstr(tree_of(ir, NULL, text_get(&text)), "nested this deep is not supported") != NULL);
    ir_free(ir);
}

TEST(nothing_to_do)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "p");
    build_tasklet(build_state(&s->region, "s"), "t", "a", "b", "b = a");
    CHECK(!clang_has_work(s));
    CHECK(clang_read_tasklets(s));
    ir_free(ir);
}

TEST(several_tasklets)
{
    struct ir *ir = ir_new();
    struct sdfg *s = program(ir, NULL, "i = n;");
    struct tasklet *t = build_tasklet(build_state(&s->region, "r"), "t", "", "", "");
    t->code = (struct code_text){ .text = "int b = N;", .language = enum_builtin(ir, LANGUAGE_CPP) };
    CHECK(clang_has_work(s));
    CHECK(clang_read_tasklets(s));
    CHECK(!clang_has_work(s));
    struct text out = text_new(ir->arena);
    code_print(t->code.tree, &out);
    CHECK_STR(text_get(&out), "b: dace.int32 = dace.int32(N)");
    ir_free(ir);
}

CHECK_MAIN
