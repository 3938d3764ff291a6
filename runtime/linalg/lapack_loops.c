#include "runtime/linalg/lapack.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef double complex number; /* holds every type without loss */

static number get(int32_t type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j)
{
    int64_t at = i * m->row_stride + j * m->col_stride;
    switch (type) {
    case SDFG_RT_F32:
        return ((const float *)m->data)[at];
    case SDFG_RT_F64:
        return ((const double *)m->data)[at];
    case SDFG_RT_C64:
        return ((const float complex *)m->data)[at];
    default:
        return ((const double complex *)m->data)[at];
    }
}

static void set(int32_t type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j, number value)
{
    int64_t at = i * m->row_stride + j * m->col_stride;
    switch (type) {
    case SDFG_RT_F32:
        ((float *)m->data)[at] = (float)creal(value);
        break;
    case SDFG_RT_F64:
        ((double *)m->data)[at] = creal(value);
        break;
    case SDFG_RT_C64:
        ((float complex *)m->data)[at] = (float complex)value;
        break;
    default:
        ((double complex *)m->data)[at] = value;
        break;
    }
}

static void swap_rows(int32_t type, const struct sdfg_rt_matrix *m, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < m->cols && i != k; j++) {
        number one = get(type, m, i, j);
        set(type, m, i, j, get(type, m, k, j));
        set(type, m, k, j, one);
    }
}

/* LAPACK compares |re| + |im|. */
static double size_of(number value) { return fabs(creal(value)) + fabs(cimag(value)); }

int sdfg_rt_getrf_loops(int32_t type, const struct sdfg_rt_matrix *a, int32_t *ipiv)
{
    int info = 0;
    int64_t steps = a->rows < a->cols ? a->rows : a->cols;
    for (int64_t k = 0; k < steps; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < a->rows; i++)
            if (size_of(get(type, a, i, k)) > size_of(get(type, a, pivot, k)))
                pivot = i;
        ipiv[k] = (int32_t)pivot + 1;
        number diagonal = get(type, a, pivot, k);
        if (diagonal == 0) {
            if (info == 0)
                info = (int)k + 1;
            continue;
        }
        swap_rows(type, a, k, pivot);
        for (int64_t i = k + 1; i < a->rows; i++) {
            number factor = get(type, a, i, k) / diagonal;
            set(type, a, i, k, factor);
            for (int64_t j = k + 1; j < a->cols; j++)
                set(type, a, i, j, get(type, a, i, j) - factor * get(type, a, k, j));
        }
    }
    return info;
}

int sdfg_rt_getrs_loops(int32_t type, const struct sdfg_rt_matrix *a, const int32_t *ipiv,
                        const struct sdfg_rt_matrix *b)
{
    int64_t n = a->rows;
    for (int64_t i = 0; i < n; i++)
        swap_rows(type, b, i, ipiv[i] - 1);
    for (int64_t c = 0; c < b->cols; c++) {
        for (int64_t i = 0; i < n; i++) {
            number value = get(type, b, i, c);
            for (int64_t j = 0; j < i; j++)
                value -= get(type, a, i, j) * get(type, b, j, c);
            set(type, b, i, c, value);
        }
        for (int64_t i = n - 1; i >= 0; i--) {
            number value = get(type, b, i, c);
            for (int64_t j = i + 1; j < n; j++)
                value -= get(type, a, i, j) * get(type, b, j, c);
            set(type, b, i, c, value / get(type, a, i, i));
        }
    }
    return 0;
}

/* As LAPACK: U is inverted in place, then X L = U^-1 is solved column by column from the right, then the columns are
 * put back. */
int sdfg_rt_getri_loops(int32_t type, const struct sdfg_rt_matrix *a, const int32_t *ipiv)
{
    int64_t n = a->rows;
    for (int64_t i = 0; i < n; i++)
        if (get(type, a, i, i) == 0)
            return (int)i + 1;
    for (int64_t j = 0; j < n; j++) {
        number diagonal = 1 / get(type, a, j, j);
        set(type, a, j, j, diagonal);
        for (int64_t i = 0; i < j; i++) {
            number sum = 0; /* rows up to j of U^-1 are there; the row of U^-1 times column j of U */
            for (int64_t k = i; k < j; k++)
                sum += get(type, a, i, k) * get(type, a, k, j);
            set(type, a, i, j, -diagonal * sum);
        }
    }
    number *factors = malloc(sizeof *factors * (size_t)n); /* a column of L, whose place becomes part of the result */
    if (!factors)
        return SDFG_RT_LAPACK_MEMORY;
    for (int64_t j = n - 2; j >= 0; j--) {
        for (int64_t k = j + 1; k < n; k++) {
            factors[k] = get(type, a, k, j);
            set(type, a, k, j, 0);
        }
        for (int64_t i = 0; i < n; i++) {
            number value = get(type, a, i, j);
            for (int64_t k = j + 1; k < n; k++)
                value -= get(type, a, i, k) * factors[k];
            set(type, a, i, j, value);
        }
    }
    free(factors);
    struct sdfg_rt_matrix turned = { a->data, n, n, a->col_stride, a->row_stride };
    for (int64_t j = n - 1; j >= 0; j--)
        swap_rows(type, &turned, j, ipiv[j] - 1);
    return 0;
}

int sdfg_rt_potrf_loops(int32_t type, const struct sdfg_rt_matrix *a, bool lower)
{
    /* A = U^H U is A^T = L L^H with L = U^T, and transposing is exchanging the strides */
    struct sdfg_rt_matrix l = *a;
    if (!lower)
        l = (struct sdfg_rt_matrix){ a->data, a->rows, a->cols, a->col_stride, a->row_stride };
    for (int64_t j = 0; j < l.rows; j++) {
        double diagonal = creal(get(type, &l, j, j));
        for (int64_t k = 0; k < j; k++) {
            number value = get(type, &l, j, k);
            diagonal -= creal(value) * creal(value) + cimag(value) * cimag(value);
        }
        if (!(diagonal > 0))
            return (int)j + 1;
        diagonal = sqrt(diagonal);
        set(type, &l, j, j, diagonal);
        for (int64_t i = j + 1; i < l.rows; i++) {
            number value = get(type, &l, i, j);
            for (int64_t k = 0; k < j; k++)
                value -= get(type, &l, i, k) * conj(get(type, &l, j, k));
            set(type, &l, i, j, value / diagonal);
        }
    }
    return 0;
}
