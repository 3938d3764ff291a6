/* Kernels of the stand-ins for libraries of CUDA: an image for the stand-in for the device, which runs each thread. */
#include "tests/gpu/standin/library.h"
#include "tests/gpu/standin/standin.h"

#include <complex.h>
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

/* What the device looks for (standin.h). */
extern const struct standin_kernel standin_kernels[];
const struct standin_kernel standin_kernels[] = {
    { "product", product, sizeof(struct standin_product), 1024 },
    { NULL, NULL, 0, 0 },
};
extern char *const standin_shared_memory[2];
char *const standin_shared_memory[2] = { NULL, NULL };
