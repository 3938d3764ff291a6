/* C++ tasklets run against the C compiler: a body is compiled here as a C function and by the project as a tasklet. */
#include "ir/code/clang/clang.h"

#include "ir/build/build.h"
#include "ir/passes/passes.h"
#include "lower/graph/lower.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/registered.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The bodies are meant to do what authors do: shift negative values, too. */
#define AUTHORS_WAY __attribute__((no_sanitize("undefined")))
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

enum { COUNT = 64 };

struct data {
    double x[COUNT], y[COUNT];
    int k[COUNT], r[COUNT];
    float f[COUNT];
};

static void fill(struct data *d)
{
    for (int i = 0; i < COUNT; i++) {
        d->x[i] = (i * 37 % 19 - 9) * 0.375;
        d->y[i] = i;
        d->k[i] = i * 29 % 23 - 11;
        d->r[i] = -i;
        d->f[i] = (float)(i * 17 % 13 - 5) * 0.7f;
    }
}

static void run_here(struct data *d, int64_t n, void (*body)(double *x, double *y, int *k, int *r, float *f, int64_t N))
{
    body(d->x, d->y, d->k, d->r, d->f, n);
}

static const struct {
    const char *name, *type;
    size_t offset;
    bool output;
} arrays[] = {
    { "x", "float64", offsetof(struct data, x), false }, { "y", "float64", offsetof(struct data, y), true },
    { "k", "int32", offsetof(struct data, k), false },   { "r", "int32", offsetof(struct data, r), true },
    { "f", "float32", offsetof(struct data, f), false },
};

static struct sdfg *program_of(struct ir *ir, const char *global, const char *text)
{
    struct sdfg *s = build_sdfg(ir, "p");
    build_symbol(s, "N", "int64");
    if (global)
        vec_push(ir->arena, &s->global_code,
                 ((struct code_text){ .text = global, .language = enum_builtin(ir, LANGUAGE_CPP) }));
    struct state *st = build_state(&s->region, "s");
    struct tasklet *t = build_tasklet(st, "t", "x, k, f", "y, r", "");
    t->code = (struct code_text){ .text = text, .language = enum_builtin(ir, LANGUAGE_CPP) };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char name[2] = { (char)(arrays[i].name[0] - 'a' + 'A'), 0 }, memlet[8];
        snprintf(memlet, sizeof memlet, "%s[0:64]", name);
        build_array(s, name, arrays[i].type, "64");
        struct access *a = build_access(st, name);
        if (arrays[i].output)
            build_path(memlet, NULL, arrays[i].name, NULL, &t->node, &a->node, NULL);
        else
            build_path(memlet, NULL, NULL, arrays[i].name, &a->node, &t->node, NULL);
    }
    CHECK(build_finish(s));
    return s;
}

static void run_tasklet(struct data *d, int64_t n, const char *global, const char *text)
{
    struct program p = program_begin();
    struct sdfg *s = program_of(p.ir, global, text);
    struct lower_options o = registered_options(p.ir->arena);
    bool good = sdfg_infer_types(s) && clang_read_tasklets(s) && lower_program(s, &o, &p.t);
    program_show_errors(&p);
    CHECK(good);
    for (uint32_t i = 0; good && i < p.t->functions.items[0]->params.count; i++) {
        const char *name = p.t->functions.items[0]->params.items[i].name;
        p.args[i] = &n;
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            if (name[0] == arrays[k].name[0] - 'a' + 'A')
                p.args[i] = (char *)d + arrays[k].offset;
    }
    p.threads = 1;
    if (good)
        program_run(&p, 1);
    program_end(&p);
}

static void compare(const char *text, const struct data *a, const struct data *b)
{
    for (int i = 0; i < COUNT; i++) {
        bool same = memcmp(&a->y[i], &b->y[i], sizeof a->y[i]) == 0 && a->r[i] == b->r[i];
        CHECK(same);
        if (!same) {
            printf("%s\n    y[%d] is %g, expected %g; r[%d] is %d, expected %d\n", text, i, a->y[i], b->y[i], i,
                   a->r[i], b->r[i]);
            return;
        }
    }
}

#define SAME_WITH(name, global, ...)                                                                                   \
    AUTHORS_WAY static void body_##name(double *x, double *y, int *k, int *r, float *f, int64_t N)                     \
    {                                                                                                                  \
        (void)x, (void)y, (void)k, (void)r, (void)f, (void)N;                                                          \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        struct data here, there;                                                                                       \
        fill(&here);                                                                                                   \
        fill(&there);                                                                                                  \
        run_here(&here, 40, body_##name);                                                                              \
        run_tasklet(&there, 40, global, #__VA_ARGS__);                                                                 \
        compare(#__VA_ARGS__, &there, &here);                                                                          \
    }
#define SAME(name, ...) SAME_WITH(name, NULL, __VA_ARGS__)
#define GLOBAL(...)                                                                                                    \
    __VA_ARGS__                                                                                                        \
    static const char global_text[] = #__VA_ARGS__;

SAME(loops, for (int i = 0; i < N; i++) y[i] = x[i] * 2; for (int i = N - 1; i >= 0; i -= 3) r[i] = k[i] + i;)
SAME(
    conversions, for (int i = 0; i < N; i++) {
        y[i] = k[i] / 3 + k[i] % 4 + f[i];
        r[i] = (int)x[i] + (int)(f[i] * 3) - (k[i] > 2);
        y[i] += (unsigned char)k[i] + (short)(k[i] * 5000) + (unsigned)k[i];
        r[i] += (k[i] << 3) >> 1 ^ ~i;
        y[i] -= (float)x[i] / 3.0f;
    })
SAME(
    compound, int a = 7; double b = 2.5; float c = 1.1f; unsigned u = 3; short s = 30000; for (int i = 0; i < N; i++) {
        a += b;
        a *= 2.5;
        b /= a;
        c += x[i];
        u -= k[i];
        s += k[i];
        a ^= i;
        a %= 1000;
        c *= 0.5;
        b += u;
        y[i] = a + b + c + u;
        r[i] = s + a;
    })
SAME(
    steps, int i = 0; while (i < N) {
        int j = i++;
        y[j] = i;
        r[--i] = j;
        i--;
        ++i;
        i++;
    })
SAME(pointers, double *p = y; const double *q = x + 5; for (; p < y + N; p++, ++q) *p = *q - q[-1]; r[0] = (int)(p - y);
     r[1] = *(k + 3) + 2 [k];)
SAME(
    arrays, int t[3][4] = { { 1, 2 }, { 3 }, { 0, 0, 5 } }; double h[5]; for (int i = 0; i < 5; i++) h[i] = x[i];
    for (int i = 0; i < 12; i++) {
        r[i] = t[i / 4][i % 4];
        y[i] = h[i % 5];
    } int (*row)[4] = &t[1];
    r[20] = row[1][2] + (*row)[0];)
SAME(
    logic, for (int i = 0; i < N; i++) {
        r[i] = (k[i] > 0 && x[i] < 1) || !f[i];
        y[i] = k[i] ? x[i] : f[i];
        if (k[i] > 0 && r[i - (i > 0)]++ < 5)
            y[i] += 1;
        else if (x[i] < 0)
            y[i] = i ? -1 : 2u;
        else {
            y[i] = 3;
        }
    })
SAME(
    jumps, for (int i = 0; i < N; i++) {
        if (k[i] < -5)
            continue;
        int j = 0;
        do {
            if (j == 3)
                break;
            j++;
        } while (j < k[i]);
        r[i] = j;
        for (int m = 0;; m++) {
            if (m * m > i) {
                y[i] = m;
                break;
            }
        }
    })
SAME(
    choices, for (int i = 0; i < N; i++) {
        switch (k[i] % 5) {
        case 0:
            r[i] = 1;
            break;
        case 1:
        case 2:
            r[i] = 2;
        case 3: {
            int z = 5;
            r[i] += z;
            break;
        }
        default:
            y[i] = 9;
            if (i % 2)
                continue;
        }
        y[i] += 1;
    })
SAME(comma, int a = 1; int b = (a++, a * 2); r[0] = a; r[1] = b; for (int i = 0, j = 10; i < j; i++, j--) r[i + 2] = j;)
SAME(
    scopes, int a = 1; {
        int a = 2;
        r[0] = a;
        {
            int a = 3;
            r[1] = a;
        }
        r[2] = a;
    } r[3] = a;
    for (int a = 5; a < 6; a++) r[4] = a; r[5] = a;)
SAME(values, int a = 3, b; double c = b = a = 4; r[0] = a + b; y[0] = c; r[1] = (a += 2) * 3; r[2] = 1 ? a : 2;
     r[3] = sizeof(int) * 3; r[4] = 'a'; y[1] = 1e-3f; y[2] = 0x1F; y[3] = 1ull << 40; y[4] = -7 / 2; y[5] = -7 % 3;
     y[6] = 7u - 8; y[7] = 2147483647 + 1ll;)
SAME(addresses, double a = x[3]; double *p = &a; *p += 2; y[0] = a; int b[2] = { 1, 2 }; int *q = &b[1]; *q = 9;
     r[0] = b[1]; int **z = &q; **z = 4; r[1] = b[1];)
SAME(math, for (int i = 0; i < N; i++)
               y[i] = sqrt(fabs(x[i])) + floor(x[i]) - fmax(x[i], 0.5) + (int)ceil(x[i]) + fabsf(f[i]);)
SAME(
    bits, for (int i = 0; i < N; i++) {
        union {
            float v;
            int bits;
        } u;
        u.v = f[i];
        r[i] = u.bits & 0xffff;
        u.bits ^= 1 << 31;
        y[i] = u.v;
    })
SAME(
    records,
    struct point {
        double a;
        int b;
        float c[3];
    };
    struct point p = { 1, 2, { 3 } }, q = p; q.b += 5; q.c[1] = f[2]; struct point *s = &q; s->a = x[1];
    y[0] = p.a + p.b + p.c[0]; y[1] = q.a + q.b + q.c[0] + q.c[1] + q.c[2]; r[0] = sizeof(struct point); p = *s;
    y[2] = p.b;)
SAME(memory, memset(r, 0, 8 * sizeof(int)); memcpy(y, x, 10 * sizeof *x);)

GLOBAL(
    static int digits(int v) {
        int n = 0;
        while (v) {
            v /= 10;
            if (n > 8)
                return -1;
            n++;
        }
        return n;
    } static double choose(int n, double a, double b) {
        if (n > 3)
            return a;
        if (n < 0) {
            for (int i = 0; i < 3; i++)
                if (i == 1)
                    return b + i;
        }
        return a * b;
    } static void exchange(double *a, double *b) {
        double c = *a;
        *a = *b;
        *b = c;
    } struct pair { double first, second; };
    static struct pair swapped(struct pair p) {
        struct pair q = { p.second, p.first };
        return q;
    } static const int offsets[3] = { 5, 7, 9 };)
SAME_WITH(
    functions, global_text,
    for (int i = 0; i < N; i++) {
        r[i] = digits(k[i] * i);
        y[i] = choose(k[i], x[i], choose(i, 1, 2));
    } exchange(y, y + 3);
    exchange(&y[1], &y[5]); struct pair p = { x[1], x[2] }; struct pair q = swapped(p); y[30] = q.first - 2 * q.second;
    y[31] = swapped(q).first; r[30] = offsets[1] + offsets[k[0] & 1];)

TEST(libraries)
{
    struct data d;
    fill(&d);
    run_tasklet(&d, 8, "extern \"C\" { double ldexp(double, int); int abs(int); }",
                "r[0] = omp_get_thread_num(); r[1] = omp_get_num_threads(); cblas_daxpy(N, 2, x, 1, y, 1);"
                "y[20] = cblas_ddot(N, x, 1, x, 1); cblas_dscal(3, 10, y + 9, 2); y[30] = ::ldexp(1.5, 3);");
    CHECK_INT(d.r[0], 0);
    CHECK_INT(d.r[1], 1);
    CHECK(d.y[3] == 3 + 2 * d.x[3]);
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += d.x[i] * d.x[i];
    CHECK(fabs(d.y[20] - sum) < 1e-12);
    CHECK(d.y[9] == 90 && d.y[10] == 10 && d.y[11] == 110 && d.y[13] == 130);
    CHECK(d.y[30] == 12);
}

static const char *refusal(struct ir *ir, struct sdfg *s)
{
    struct lower_options o = registered_options(ir->arena);
    struct tree *t;
    CHECK(!(sdfg_infer_types(s) && clang_read_tasklets(s) && lower_program(s, &o, &t)));
    CHECK_INT(diags_count(ir->diags), 1);
    return diags_count(ir->diags) ? diags_get(ir->diags, 0)->message : "";
}

static struct tasklet *first_tasklet(struct sdfg *s)
{
    struct state *st = as_state(s->region.blocks.items[0]);
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (as_tasklet(st->nodes.items[i]))
            return as_tasklet(st->nodes.items[i]);
    return NULL;
}

TEST(refused)
{
    struct ir *ir = ir_new();
    struct sdfg *s = program_of(ir, NULL, "func mlir_entry");
    first_tasklet(s)->code.language = enum_builtin(ir, LANGUAGE_MLIR);
    CHECK_STR(refusal(ir, s), "code in language 'MLIR' is not supported");
    ir_free(ir);
    ir = ir_new();
    s = program_of(ir, NULL, "r[0] = 1;");
    first_tasklet(s)->code_init = (struct code_text){ "start()", enum_builtin(ir, LANGUAGE_PYTHON), NULL };
    CHECK_STR(refusal(ir, s), "code in language 'Python' is not supported");
    ir_free(ir);
    ir = ir_new();
    CHECK_STR(refusal(ir, program_of(ir, NULL, "if (k[0]) return; r[0] = 1;")),
              "code: 'return', which would leave the whole program, is not supported");
    ir_free(ir);
    ir = ir_new();
    s = program_of(ir, NULL, "y[0] = 1; r = 3;");
    struct node *n = &first_tasklet(s)->node;
    for (uint32_t i = 0; i < n->out.count; i++)
        if (n->out.items[i]->src_conn == intern(ir->names, "r")) {
            n->out.items[i]->memlet.dynamic = true;
            n->out.items[i]->memlet.wcr_kind = WCR_SUM;
        }
    for (uint32_t i = 0; i < n->out_conns.count; i++)
        if (n->out_conns.items[i].name == intern(ir->names, "r"))
            n->out_conns.items[i].type = type_basic(ir, TYPE_I32);
    CHECK_STR(refusal(ir, s), "conflict resolution of a dynamic output of C++ code");
    ir_free(ir);
}

TEST(what_c_does_not_have)
{
    struct data d;
    fill(&d);
    run_tasklet(
        &d, 8,
        "template <class T> T square(T v) { return v * v; } struct sum { double v = 1; void add(double w) { v += w; } "
        "};",
        "std::complex<double> z(1, 2); z *= z; z = conj(z) / 2.0 + 1; y[0] = z.real(); y[1] = z.imag(); y[2] = "
        "std::abs(z);"
        "dace::float16 h = 2049; y[3] = h; h += 3; y[4] = h * 2; y[5] = square(1.5f) + square(k[0]);"
        "sum s; for (int i = 0; i < N; i++) s.add(i); y[6] = s.v; auto f2 = [&](int a) { if (a > 1) return 1; return "
        "0; };"
        "r[0] = f2(2) + 10 * f2(0); std::fill_n(y + 10, 5, 0.5); y[7] = std::max(1.0, x[1]) + min(1, 2.5, f[3]);"
        "double &e = y[8]; e = 3; e *= 2; dace::wcr_fixed<dace::ReductionType::Sum, double>::reduce_atomic(&y[9], 4);"
        "r[1] = std::numeric_limits<int>::max(); y[20] = std::pow(2, 10); y[21] = std::sqrt(k[3] * k[3]); r[2] = "
        "int_ceil(7, 2);");
    CHECK(d.y[0] == -0.5 && d.y[1] == -2 && fabs(d.y[2] - sqrt(4.25)) < 1e-12);
    CHECK(d.y[3] == 2048 && d.y[4] == 4104 && d.y[5] == 2.25 + 121);
    CHECK(d.y[6] == 29 && d.r[0] == 1 && d.y[10] == 0.5 && d.y[14] == 0.5 && d.y[15] == 15);
    CHECK(d.y[7] == (d.x[1] > 1 ? d.x[1] : 1) + (d.f[3] < 1 ? (double)d.f[3] : 1));
    CHECK(d.y[8] == 6 && d.y[9] == 13 && d.r[1] == INT32_MAX && d.y[20] == 1024 && d.y[21] == abs(d.k[3]) &&
          d.r[2] == 4);
}

/* Rows 0 and 2 of three have elements; Y = 2 A X, then Y += A^T X, in MKL's words. */
TEST(sparse_products)
{
    struct data d;
    fill(&d);
    run_tasklet(
        &d, 8, NULL,
        "int rows[4] = { 0, 2, 2, 3 }, at[3] = { 0, 2, 1 }; sparse_matrix_t m; matrix_descr how;"
        "how.type = SPARSE_MATRIX_TYPE_GENERAL;"
        "mkl_sparse_d_create_csr(&m, SPARSE_INDEX_BASE_ZERO, 3, 3, rows, rows + 1, at, x);"
        "mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 2.0, m, how, SPARSE_LAYOUT_ROW_MAJOR, x + 3, 2, 2, 0.0, y, 2);"
        "mkl_sparse_d_mm(SPARSE_OPERATION_TRANSPOSE, 1.0, m, how, SPARSE_LAYOUT_COLUMN_MAJOR, x + 3, 2, 3, 1.0, y + 6, "
        "3);"
        "mkl_sparse_destroy(m);");
    const double *v = d.x, *x = d.x + 3;
    for (int k = 0; k < 2; k++) {
        CHECK(d.y[k] == 2 * v[0] * x[k] + 2 * v[1] * x[4 + k]);
        CHECK(d.y[2 + k] == 0);
        CHECK(d.y[4 + k] == 2 * v[2] * x[2 + k]);
        CHECK(d.y[6 + 3 * k] == 6 + 3 * k + v[0] * x[3 * k]);
        CHECK(d.y[7 + 3 * k] == 7 + 3 * k + v[2] * x[3 * k + 2]);
        CHECK(d.y[8 + 3 * k] == 8 + 3 * k + v[1] * x[3 * k]);
    }
}

/* Two groups: one product of 2 by 2, then two of them with the first factor transposed and added. */
TEST(batched_products)
{
    struct data d;
    fill(&d);
    run_tasklet(
        &d, 8, NULL,
        "const MKL_INT groups = 2; MKL_INT sizes[groups] = { 1, 2 }, two[groups] = { 2, 2 };"
        "char ta[groups] = { 'N', 'T' }, tb[groups] = { 'N', 'N' }; double alpha[groups] = { 1, 2 }, beta[groups] "
        "= { 0, 1 };"
        "const double **a = new const double *[3], **b = new const double *[3]; double **c = new double *[3];"
        "for (int i = 0; i < 3; i++) { a[i] = x + 4 * i; b[i] = x + 12; c[i] = y + 4 * i; }"
        "dgemm_batch(ta, tb, two, two, two, alpha, a, two, b, two, beta, c, two, &groups, sizes);"
        "delete[] a; delete[] b; delete[] c;");
    const double *x = d.x, *b = d.x + 12;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            CHECK(d.y[i + 2 * j] == x[i] * b[2 * j] + x[i + 2] * b[2 * j + 1]);
            for (int k = 1; k < 3; k++) {
                const double *a = d.x + 4 * k + 2 * i;
                CHECK(d.y[4 * k + i + 2 * j] == 4 * k + i + 2 * j + 2 * (a[0] * b[2 * j] + a[1] * b[2 * j + 1]));
            }
        }
    CHECK(d.y[12] == 12);
}

CHECK_MAIN
