/* Products by their definition, and how far a result is from another. */
#include "bench/products/products.h"

#include <complex.h>
#include <float.h>
#include <math.h>

static int64_t stacked(const struct product *p, int64_t elements) { return (p->batch ? p->batch : 1) * elements; }

int64_t product_elements_a(const struct product *p) { return stacked(p, p->m * p->k); }
int64_t product_elements_b(const struct product *p) { return stacked(p, p->k * p->n); }
int64_t product_elements_c(const struct product *p) { return stacked(p, p->m * p->n); }

size_t product_element_bytes(sdfg_dtype dtype) { return dtype == SDFG_F32 ? 4 : dtype == SDFG_C128 ? 16 : 8; }

static double complex get(sdfg_dtype dtype, const void *data, int64_t i)
{
    switch (dtype) {
    case SDFG_F32:
        return ((const float *)data)[i];
    case SDFG_F64:
        return ((const double *)data)[i];
    case SDFG_C64:
        return ((const float complex *)data)[i];
    default:
        return ((const double complex *)data)[i];
    }
}

static void set(sdfg_dtype dtype, void *data, int64_t i, double complex value)
{
    switch (dtype) {
    case SDFG_F32:
        ((float *)data)[i] = (float)creal(value);
        break;
    case SDFG_F64:
        ((double *)data)[i] = creal(value);
        break;
    case SDFG_C64:
        ((float complex *)data)[i] = (float complex)value;
        break;
    default:
        ((double complex *)data)[i] = value;
    }
}

void reference_run(const struct product *p, const void *a, const void *b, void *c)
{
    for (int64_t s = 0; s < stacked(p, 1); s++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                double complex sum = 0;
                for (int64_t q = 0; q < p->k; q++) {
                    int64_t in_a = p->trans_a ? q * p->m + i : i * p->k + q;
                    int64_t in_b = p->trans_b ? j * p->k + q : q * p->n + j;
                    sum += get(p->dtype, a, s * p->m * p->k + in_a) * get(p->dtype, b, s * p->k * p->n + in_b);
                }
                int64_t at = (s * p->m + i) * p->n + j;
                double complex old = p->beta != 0 ? p->beta * get(p->dtype, c, at) : 0;
                set(p->dtype, c, at, p->alpha * sum + old);
            }
}

double reference_difference(const struct product *p, const void *x, const void *y)
{
    bool single = p->dtype == SDFG_F32 || p->dtype == SDFG_C64;
    double unit = (single ? (double)FLT_EPSILON : DBL_EPSILON) * (fabs(p->alpha) * (double)p->k + fabs(p->beta));
    double most = 0;
    for (int64_t i = 0; i < product_elements_c(p); i++) {
        double d = cabs(get(p->dtype, x, i) - get(p->dtype, y, i)) / unit;
        if (!(d <= most))
            most = d;
    }
    return most;
}

void reference_fill(sdfg_dtype dtype, void *data, int64_t elements, uint64_t seed)
{
    uint64_t state = seed;
    for (int64_t i = 0; i < elements; i++) {
        double part[2];
        for (int j = 0; j < 2; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's generator, its upper bits */
            part[j] = (double)(state >> 11) * 0x1p-52 - 1;
        }
        set(dtype, data, i, part[0] + part[1] * I);
    }
}
