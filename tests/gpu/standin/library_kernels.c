/* Kernels of the stand-ins for libraries of CUDA: an image for the stand-in for the device, which runs each thread. */
#include "tests/gpu/standin/library.h"
#include "tests/gpu/standin/standin.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { THREADS = 256 };

static double complex load(int type, uint64_t address, int64_t at)
{
    const float *single = (const float *)(uintptr_t)address;
    const double *real = (const double *)(uintptr_t)address;
    switch (type) {
    case STANDIN_F32:
        return single[at];
    case STANDIN_F64:
        return real[at];
    case STANDIN_C64:
        return CMPLX(single[2 * at], single[2 * at + 1]);
    default:
        return CMPLX(real[2 * at], real[2 * at + 1]);
    }
}

static void store(int type, uint64_t address, int64_t at, double complex value)
{
    float *single = (float *)(uintptr_t)address;
    double *real = (double *)(uintptr_t)address;
    int64_t first = type == STANDIN_C64 || type == STANDIN_C128 ? 2 * at : at;
    if (type == STANDIN_F32 || type == STANDIN_C64)
        single[first] = (float)creal(value);
    else
        real[first] = creal(value);
    if (type == STANDIN_C64)
        single[first + 1] = (float)cimag(value);
    if (type == STANDIN_C128)
        real[first + 1] = cimag(value);
}

/* Ten bits behind the point are left. */
static double complex rounded(double complex value)
{
    float f = (float)creal(value);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static double complex operand(const struct standin_product *p, int which, int64_t number, int64_t i, int64_t j)
{
    int64_t ld = which ? p->ldb : p->lda, at = p->transposed[which] ? i * ld + j : i + j * ld;
    double complex value = load(p->type, which ? p->b : p->a, number * p->steps[which] + at);
    return p->rounded && p->type == STANDIN_F32 ? rounded(value) : value;
}

static double complex times(double complex a, double complex b) /* without the special cases of C */
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static void product(const char *params)
{
    const struct standin_product *p = (const struct standin_product *)params;
    int64_t thread = (int64_t)standin_self->block.x * THREADS + standin_self->thread.x, size = (int64_t)p->m * p->n;
    if (thread >= size * p->count)
        return;
    int64_t number = thread / size, i = thread % size % p->m, j = thread % size / p->m;
    int64_t at = number * p->steps[2] + i + j * p->ldc;
    double complex sum = 0, alpha = CMPLX(p->alpha[0], p->alpha[1]), beta = CMPLX(p->beta[0], p->beta[1]);
    for (int64_t k = 0; k < p->k; k++)
        sum += times(operand(p, 0, number, i, k), operand(p, 1, number, k, j));
    sum = times(alpha, sum);
    store(p->type, p->c, at, beta == 0 ? sum : sum + times(beta, load(p->type, p->c, at)));
}

/* ---- systems ---- */

struct matrix {
    int type;
    uint64_t address;
    int64_t ld;
};

static double complex get(const struct matrix *x, int64_t i, int64_t j)
{
    return load(x->type, x->address, i + j * x->ld);
}

static void set(const struct matrix *x, int64_t i, int64_t j, double complex value)
{
    store(x->type, x->address, i + j * x->ld, value);
}

/* The other triangle is where the library works. */
static int potrf(const struct matrix *a, int64_t n, bool upper)
{
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j; i < n; i++) {
            double complex sum = upper ? conj(get(a, j, i)) : get(a, i, j);
            for (int64_t k = 0; k < j; k++) {
                double complex x = upper ? conj(get(a, k, i)) : get(a, i, k),
                               y = upper ? conj(get(a, k, j)) : get(a, j, k);
                sum -= times(x, conj(y));
            }
            if (i == j && !(creal(sum) > 0))
                return (int)j + 1;
            sum = i == j ? sqrt(creal(sum)) : sum / creal(get(a, j, j));
            if (upper)
                set(a, j, i, conj(sum));
            else
                set(a, i, j, sum);
            if (i != j)
                set(a, upper ? i : j, upper ? j : i, NAN);
        }
    }
    return 0;
}

static void swap_rows(const struct matrix *a, int64_t n, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < n && i != k; j++) {
        double complex kept = get(a, i, j);
        set(a, i, j, get(a, k, j));
        set(a, k, j, kept);
    }
}

static double size_of(double complex x) { return fabs(creal(x)) + fabs(cimag(x)); }

static int getrf(const struct matrix *a, int64_t m, int64_t n, int32_t *pivots)
{
    int info = 0;
    for (int64_t j = 0; j < m && j < n; j++) {
        int64_t largest = j;
        for (int64_t i = j + 1; i < m; i++)
            largest = size_of(get(a, i, j)) > size_of(get(a, largest, j)) ? i : largest;
        pivots[j] = (int32_t)largest + 1;
        swap_rows(a, n, j, largest);
        if (get(a, j, j) == 0) {
            info = info ? info : (int)j + 1;
            continue;
        }
        for (int64_t i = j + 1; i < m; i++) {
            double complex factor = get(a, i, j) / get(a, j, j);
            set(a, i, j, factor);
            for (int64_t k = j + 1; k < n; k++)
                set(a, i, k, get(a, i, k) - times(factor, get(a, j, k)));
        }
    }
    return info;
}

static double complex factor_of(const struct matrix *a, int64_t i, int64_t j, bool transposed)
{
    return transposed ? get(a, j, i) : get(a, i, j);
}

/* One column: down with the lower triangle, up with the upper one. */
static void substitute(const struct matrix *a, const struct matrix *b, int64_t n, int64_t column, bool transposed)
{
    for (int64_t i = 0; i < n; i++) {
        double complex sum = get(b, i, column);
        for (int64_t k = 0; k < i; k++)
            sum -= times(factor_of(a, i, k, transposed), get(b, k, column));
        set(b, i, column, transposed ? sum / get(a, i, i) : sum);
    }
    for (int64_t i = n; i-- > 0;) {
        double complex sum = get(b, i, column);
        for (int64_t k = i + 1; k < n; k++)
            sum -= times(factor_of(a, i, k, transposed), get(b, k, column));
        set(b, i, column, transposed ? sum : sum / get(a, i, i));
    }
}

static void getrs(const struct matrix *a, const struct matrix *b, int64_t n, int64_t nrhs, const int32_t *pivots,
                  bool transposed)
{
    for (int64_t i = 0; i < n && !transposed; i++)
        swap_rows(b, nrhs, i, pivots[i] - 1);
    for (int64_t j = 0; j < nrhs; j++)
        substitute(a, b, n, j, transposed);
    for (int64_t i = n; i-- > 0 && transposed;)
        swap_rows(b, nrhs, i, pivots[i] - 1);
}

static void system_of_equations(const char *params)
{
    const struct standin_system *s = (const struct standin_system *)params;
    int64_t number = (int64_t)standin_self->block.x * THREADS + standin_self->thread.x;
    if (number >= s->count)
        return;
    const uint64_t *all = (const uint64_t *)(uintptr_t)s->a, *sides = (const uint64_t *)(uintptr_t)s->b;
    struct matrix a = { s->type, s->batch ? all[number] : s->a, s->lda };
    struct matrix b = { s->type, s->batch && s->b ? sides[number] : s->b, s->ldb };
    int32_t *pivots = (int32_t *)(uintptr_t)s->pivots + number * s->n, *info = (int32_t *)(uintptr_t)s->info;
    int found = 0;
    if (s->what == STANDIN_POTRF)
        found = potrf(&a, s->n, s->option);
    else if (s->what == STANDIN_GETRF)
        found = getrf(&a, s->m, s->n, pivots);
    else
        getrs(&a, &b, s->n, s->nrhs, pivots, s->option);
    if (info)
        info[number] = found;
}

/* ---- transforms ---- */

static void line(const struct standin_transform *t, double complex *kept, int64_t first, int64_t step, int64_t n)
{
    const double turn = 6.283185307179586476925;
    for (int64_t i = 0; i < n; i++)
        kept[i] = load(t->type, t->data, first + i * step);
    for (int64_t k = 0; k < n; k++) {
        double complex sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double angle = t->sign * turn * (double)(i * k % n) / (double)n;
            sum += times(kept[i], CMPLX(cos(angle), sin(angle)));
        }
        store(t->type, t->data, first + k * step, sum);
    }
}

static void transform(const char *params)
{
    const struct standin_transform *t = (const struct standin_transform *)params;
    int64_t number = (int64_t)standin_self->block.x * THREADS + standin_self->thread.x, all = 1, step = 1;
    if (number >= t->count)
        return;
    double complex *kept = (double complex *)(uintptr_t)t->memory + number * t->longest;
    for (int d = 0; d < t->rank; d++)
        all *= t->sizes[d];
    for (int d = t->rank; d-- > 0;) {
        for (int64_t first = 0; first < all; first++)
            if (first / step % t->sizes[d] == 0)
                line(t, kept, number * all + first, step, t->sizes[d]);
        step *= t->sizes[d];
    }
}

/* What the device looks for (standin.h). */
extern const struct standin_kernel standin_kernels[];
const struct standin_kernel standin_kernels[] = {
    { "product", product, sizeof(struct standin_product), 1024 },
    { "system", system_of_equations, sizeof(struct standin_system), 1024 },
    { "transform", transform, sizeof(struct standin_transform), 1024 },
    { NULL, NULL, 0, 0 },
};
extern char *const standin_shared_memory[2];
char *const standin_shared_memory[2] = { NULL, NULL };
