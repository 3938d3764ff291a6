/* C++ tasklets that call CUDA's libraries, as DaCe writes them: matrices in column-major order. */
#include "tests/run/generate/generate.h"

#include <stdio.h>
#include <string.h>

#define CUBLAS                                                                                                         \
    "cublasHandle_t &h = __state->cublas_handle.Get(); typedef dace::$T T;\n"                                          \
    "dace::blas::CheckCublasError(cublasSetStream(h, __dace_current_stream));\n"

/* A type of numbers: its letter in names, the type, and its constants that handles of DaCe have. */
struct number {
    const char *letter, *type, *constants;
    bool is_complex;
};

static const struct number numbers[] = {
    { "S", "float32", "Float", false },
    { "D", "float64", "Double", false },
    { "C", "complex64", "Complex64", true },
    { "Z", "complex128", "Complex128", true },
};

enum { NUM_NUMBERS = sizeof numbers / sizeof *numbers };

/* The text with $L, $T and $C of the type, and $a and $b the operations. */
static const char *text_of(struct gen *g, const struct number *n, const char *text, char a, char b)
{
    struct text out = text_new(g->ir->arena);
    for (; *text; text++) {
        if (*text != '$') {
            text_addc(&out, *text);
            continue;
        }
        text++;
        if (*text == 'a' || *text == 'b')
            text_addc(&out, *text == 'a' ? a : b);
        else
            text_add(&out, *text == 'L' ? n->letter : *text == 'T' ? n->type : n->constants);
    }
    return text_get(&out);
}

/* One more array, whose name begins with `letter`. */
static struct gen_array *array(struct gen *g, char letter, const struct number *n, const char *shape,
                               const char *strides)
{
    return gen_array(g, arena_printf(g->ir->arena, "%c%d", letter, g->num_arrays), n->type, shape, strides);
}

/* A tasklet with one array for each letter of the connectors "ab>o": inputs, then outputs. */
static void tasklet(struct gen *g, const char *text, const char *connectors, struct gen_array *const *arrays)
{
    struct text in = text_new(g->ir->arena), out = text_new(g->ir->arena), *side = &in;
    for (; *connectors; connectors++)
        if (*connectors == '>')
            side = &out;
        else
            text_printf(side, "%s%c = %s", side->length ? ", " : "", *connectors, (*arrays++)->name);
    gen_tasklet(g, text, text_get(&in), text_get(&out));
}

/* Element (i, j) of op(A). */
static double complex operand(const struct gen_array *a, char op, int64_t i, int64_t j)
{
    double complex v = op == 'N' ? GEN_IN(a, i, j) : GEN_IN(a, j, i);
    return op == 'C' ? conj(v) : v;
}

/* Columns of A are further apart than its rows are many. */
static void gemm(struct gen *g, const struct number *n, char a, char b)
{
    struct gen_array *x = array(g, 'A', n, a == 'N' ? "3, 5" : "5, 3", "1, 7");
    struct gen_array *y = array(g, 'B', n, b == 'N' ? "5, 4" : "4, 5", "1, 6");
    struct gen_array *r = array(g, 'R', n, "3, 4", "1, 3");
    tasklet(g,
            text_of(g, n,
                    CUBLAS "dace::blas::CheckCublasError(cublas$Lgemm(h, CUBLAS_OP_$a, CUBLAS_OP_$b, 3, 4, 5,\n"
                           "  __state->cublas_handle.Constants().$CPone(), a, 7, b, 6,\n"
                           "  __state->cublas_handle.Constants().$CPone(), (T *)r, 3));",
                    a, b),
            "abr>o", (struct gen_array *[]){ x, y, r, r });
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                GEN_OUT(r, i, j) += operand(x, a, i, k) * operand(y, b, k, j);
}

/* Factors by address, and a handle of the tasklet's own. */
static void gemv(struct gen *g, const struct number *n, char op)
{
    bool turned = op != 'N';
    struct gen_array *a = array(g, 'A', n, "3, 4", "1, 3");
    struct gen_array *x = array(g, 'x', n, turned ? "3" : "4", "2");
    struct gen_array *y = array(g, 'y', n, turned ? "4" : "3", NULL);
    tasklet(g,
            text_of(g, n,
                    "cublasHandle_t h; cublasCreate(&h); cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);\n"
                    "dace::$T alpha(2), beta(-1);\n"
                    "cublas$Lgemv(h, CUBLAS_OP_$a, 3, 4, &alpha, a, 3, v, 2, &beta, w, 1); cublasDestroy(h);",
                    op, 0),
            "avw>o", (struct gen_array *[]){ a, x, y, y });
    for (int i = 0; i < (turned ? 4 : 3); i++) {
        y->out[i] = -y->in[i];
        for (int k = 0; k < (turned ? 3 : 4); k++)
            y->out[i] += 2 * operand(a, op, i, k) * x->in[k];
    }
}

static void geam(struct gen *g, const struct number *n, char a, char b)
{
    struct gen_array *x = array(g, 'A', n, a == 'N' ? "3, 4" : "4, 3", "1, 5");
    struct gen_array *y = array(g, 'B', n, b == 'N' ? "3, 4" : "4, 3", "1, 5");
    struct gen_array *r = array(g, 'R', n, "3, 4", "1, 3");
    tasklet(g,
            text_of(g, n,
                    CUBLAS "T two(2);\n"
                           "cublas$Lgeam(h, CUBLAS_OP_$a, CUBLAS_OP_$b, 3, 4, &two, a, 5,\n"
                           "  __state->cublas_handle.Constants(0).$CPone(), b, 5, o, 3);",
                    a, b),
            "ab>o", (struct gen_array *[]){ x, y, r });
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            GEN_OUT(r, i, j) = 2 * operand(x, a, i, j) + operand(y, b, i, j);
}

static void batch(struct gen *g, const struct number *n)
{
    struct gen_array *a = array(g, 'A', n, "6, 3, 2", "6, 1, 3");
    struct gen_array *b = array(g, 'B', n, "6, 2, 4", "8, 1, 2");
    struct gen_array *r = array(g, 'R', n, "6, 3, 4", "12, 1, 3");
    tasklet(g,
            text_of(g, n,
                    CUBLAS "cublas$LgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 2,\n"
                           "  __state->cublas_handle.Constants().$CPone(), a, 3, 6, b, 2, 8,\n"
                           "  __state->cublas_handle.Constants().$CZero(), o, 3, 12, 6);",
                    0, 0),
            "ab>o", (struct gen_array *[]){ a, b, r });
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                GEN_OUT(r, i, j, k) = GEN_IN(a, i, j, 0) * GEN_IN(b, i, 0, k) + GEN_IN(a, i, j, 1) * GEN_IN(b, i, 1, k);
}

static void vectors(struct gen *g, const struct number *n)
{
    struct gen_array *x = array(g, 'x', n, "5", NULL), *y = array(g, 'y', n, "5", "2");
    struct gen_array *z = array(g, 'z', n, "5", NULL), *d = array(g, 'd', n, "2", NULL);
    tasklet(g,
            text_of(g, n,
                    n->is_complex ? CUBLAS "cublas$Ldotu(h, 5, a, 1, b, 2, p); cublas$Ldotc(h, 5, a, 1, b, 2, p + 1);\n"
                                           "T two(2); cublas$Lcopy(h, 5, a, 1, o, 1);\n"
                                           "cublas$Lscal(h, 5, &two, o, 1); cublas$Laxpy(h, 5, &two, b, 2, o, 1);"
                                  : CUBLAS "cublas$Ldot(h, 5, a, 1, b, 2, p); cublas$Ldot(h, 5, b, 2, b, 2, p + 1);\n"
                                           "T two(2); cublas$Lcopy(h, 5, a, 1, o, 1);\n"
                                           "cublas$Lscal(h, 5, &two, o, 1); cublas$Laxpy(h, 5, &two, b, 2, o, 1);",
                    0, 0),
            "ab>op", (struct gen_array *[]){ x, y, z, d });
    d->out[0] = d->out[1] = 0;
    for (int i = 0; i < 5; i++) {
        z->out[i] = 2 * x->in[i] + 2 * y->in[i];
        d->out[0] += x->in[i] * y->in[i];
        d->out[1] += n->is_complex ? conj(x->in[i]) * y->in[i] : y->in[i] * y->in[i];
    }
}

/* Systems of known solutions. DaCe's expansion gives the order of the matrix as the number of right-hand sides, and
 * means all that the connector `_rhs_in` has. */
static void solve(struct gen *g, const struct number *n, int columns)
{
    struct gen_array *a = array(g, 'A', n, "4, 4", "1, 4");
    struct gen_array *b = array(g, 'B', n, columns < 4 ? "4, 2" : "4, 6", "1, 4");
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) /* rows have to be exchanged */
            GEN_IN(a, i, j) = GEN_OUT(a, i, j) = (i + 1) % 4 == j ? 9 : (i * 3 + j * 5) % 7;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < 4; i++) {
            GEN_OUT(b, i, j) = i - j + 1;
            GEN_IN(b, i, j) = 0;
            for (int k = 0; k < 4; k++)
                GEN_IN(b, i, j) += GEN_IN(a, i, k) * (k - j + 1);
        }
    gen_tasklet(g,
                text_of(g, n,
                        "cusolverDnHandle_t &h = __state->cusolverDn_handle.Get(); typedef dace::$T T;\n"
                        "cusolverDnSetStream(h, __dace_current_stream);\n"
                        "int size = 0, pivots[4], info; T *work, *f; cudaMalloc<T>(&f, sizeof(T) * 16);\n"
                        "cudaMemcpyAsync(f, _a, 16 * sizeof(T), cudaMemcpyDeviceToDevice, __dace_current_stream);\n"
                        "cusolverDn$Lgetrf_bufferSize(h, 4, 4, f, 4, &size); cudaMalloc<T>(&work, sizeof(T) * size);\n"
                        "cusolverDn$Lgetrf(h, 4, 4, f, 4, work, pivots, &info); cudaFree(work);\n"
                        "cusolverDn$Lgetrs(h, CUBLAS_OP_N, 4, 4, f, 4, pivots, (T *)_rhs_in, 4, &info); cudaFree(f);",
                        0, 0),
                arena_printf(g->ir->arena, "_a = %s, _rhs_in = %s", a->name, b->name),
                arena_printf(g->ir->arena, "_rhs_out = %s", b->name));
}

/* The lower part of L * L^H gives L; what is above stays. */
static void cholesky(struct gen *g, const struct number *n)
{
    struct gen_array *a = array(g, 'A', n, "3, 3", "1, 3");
    static const double factor[3][3] = { { 2, 0, 0 }, { 1, 3, 0 }, { -2, 1, 4 } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            GEN_IN(a, i, j) = i < j ? -77 : 0;
            GEN_OUT(a, i, j) = i < j ? -77 : factor[i][j];
            for (int k = 0; k <= j && j <= i; k++)
                GEN_IN(a, i, j) += factor[i][k] * factor[j][k];
        }
    tasklet(g,
            text_of(g, n,
                    "cusolverDnHandle_t &h = __state->cusolverDn_handle.Get(); typedef dace::$T T; int size, info;\n"
                    "cusolverDn$Lpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, 3, x, 3, &size);\n"
                    "T *work; cudaMalloc<T>(&work, sizeof(T) * size);\n"
                    "cusolverDn$Lpotrf(h, CUBLAS_FILL_MODE_LOWER, 3, x, 3, work, size, &info); cudaFree(work);",
                    0, 0),
            "x>o", (struct gen_array *[]){ a, a });
}

/* B[k, i, j] = A[i, j, k], as cuTENSOR is told by names of the modes. */
static void permute(struct gen *g, const struct number *n)
{
    struct gen_array *a = array(g, 'A', n, "2, 3, 4", NULL);
    struct gen_array *b = array(g, 'B', n, "4, 2, 3", NULL);
    const char *code =
        "cutensorHandle_t &h = __state->cutensor_handle.Get(); typedef dace::$T T;\n"
        "int32_t from[3] = {0, 1, 2}, to[3] = {2, 0, 1};\n"
        "int64_t extent[3] = {2, 3, 4}, turned[3] = {4, 2, 3}, stride[3] = {12, 4, 1}, other[3] = {6, 3, 1};\n"
        "FACTOR alpha = 2; cutensorTensorDescriptor_t da, db;\n"
        "dace::linalg::CheckCuTensorError(cutensorCreateTensorDescriptor(h, &da, 3, extent, stride, TYPE, 256));\n"
        "dace::linalg::CheckCuTensorError(cutensorCreateTensorDescriptor(h, &db, 3, turned, other, TYPE, 256));\n"
        "cutensorOperationDescriptor_t op; cutensorPlanPreference_t p; cutensorPlan_t plan;\n"
        "cutensorCreatePermutation(h, &op, da, from, CUTENSOR_OP_IDENTITY, db, to, CUTENSOR_COMPUTE_DESC_64F);\n"
        "cutensorCreatePlanPreference(h, &p, CUTENSOR_ALGO_DEFAULT, CUTENSOR_JIT_MODE_DEFAULT);\n"
        "cutensorCreatePlan(h, &plan, op, p, 0);\n"
        "cutensorPermute(h, plan, (const void *)&alpha, a, o, __dace_current_stream); cutensorDestroyPlan(plan);\n"
        "cutensorDestroyPlanPreference(p); cutensorDestroyOperationDescriptor(op);\n"
        "cutensorDestroyTensorDescriptor(db); cutensorDestroyTensorDescriptor(da);";
    static const char *const types[] = { "R_32F", "R_64F", "C_32F", "C_64F" };
    const char *type = types[n - numbers], *factor = type[2] == '3' ? "float" : "double";
    tasklet(g,
            arena_printf(g->ir->arena, "#define TYPE CUTENSOR_%s\n#define FACTOR %s\n%s\n#undef TYPE\n#undef FACTOR",
                         type, factor, text_of(g, n, code, 0, 0)),
            "a>o", (struct gen_array *[]){ a, b });
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                GEN_OUT(b, k, i, j) = 2 * GEN_IN(a, i, j, k);
}

void gen_cuda(void)
{
    for (const struct number *n = numbers; n < numbers + NUM_NUMBERS; n++) {
        static char name[64];
        char other = n->is_complex ? 'C' : 'T';
        snprintf(name, sizeof name, "cuda_%s", n->type);
        struct gen *g = gen_begin(name);
        g->rtol = 1e-4;
        gemm(g, n, 'N', other);
        gemm(g, n, 'T', 'N');
        gemv(g, n, 'N');
        gemv(g, n, other);
        geam(g, n, 'N', 'T');
        geam(g, n, other, 'N');
        batch(g, n);
        vectors(g, n);
        solve(g, n, 2);
        solve(g, n, 6);
        cholesky(g, n);
        permute(g, n);
        gen_end(g);
    }
}
