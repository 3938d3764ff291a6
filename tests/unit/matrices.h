/* Matrices of all types and layouts for the tests of runtime/linalg/blas.h. Include after tests/unit/check.h. */
#ifndef TESTS_UNIT_MATRICES_H
#define TESTS_UNIT_MATRICES_H

#include "runtime/linalg/blas.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

static inline number get(int type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j)
{
    int64_t at = i * m->row_stride + j * m->col_stride;
    switch (type) {
    case SDFG_RT_F32:
        return ((float *)m->data)[at];
    case SDFG_RT_F64:
        return ((double *)m->data)[at];
    case SDFG_RT_C64:
        return ((float complex *)m->data)[at];
    default:
        return ((number *)m->data)[at];
    }
}

static inline void set(int type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j, number value)
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
        ((number *)m->data)[at] = value;
        break;
    }
}

static inline double random_number(void)
{
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 23) - 1;
}

enum layout { ROWS, COLUMNS, PADDED_ROWS, PADDED_COLUMNS, SCATTERED, BACKWARDS, LAYOUTS };

/* Random elements; what lies between them is checked by matrix_free. */
static inline struct sdfg_rt_matrix matrix_new(int type, int64_t rows, int64_t cols, enum layout layout)
{
    struct sdfg_rt_matrix m = { NULL, rows, cols, cols, 1 };
    if (layout == COLUMNS)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 1, rows };
    else if (layout == PADDED_ROWS)
        m.row_stride = cols + 3;
    else if (layout == PADDED_COLUMNS)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 1, rows + 2 };
    else if (layout == SCATTERED)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 2 * cols + 5, 2 };
    int64_t last = rows && cols ? (rows - 1) * m.row_stride + (cols - 1) * m.col_stride : 0;
    size_t bytes = (size_t)(last + 1) * sdfg_rt_type_size(type); /* exact: sanitizers report accesses behind it */
    m.data = malloc(bytes);
    memset(m.data, 0x55, bytes);
    if (layout == BACKWARDS) {
        m.data = (char *)m.data + (size_t)(rows * cols - 1) * sdfg_rt_type_size(type);
        m.row_stride = -cols;
        m.col_stride = -1;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            set(type, &m, i, j, random_number() + random_number() * I);
    return m;
}

static inline void matrix_free(int type, struct sdfg_rt_matrix m)
{
    if (m.row_stride == m.cols + 3 && m.rows > 1) {
        struct sdfg_rt_matrix gap = { (char *)m.data + (size_t)m.cols * sdfg_rt_type_size(type), 1, 1, 1, 1 };
        struct sdfg_rt_matrix same = { &(number){ 0 }, 1, 1, 1, 1 };
        memset(same.data, 0x55, sizeof(number));
        CHECK(get(type, &gap, 0, 0) == get(type, &same, 0, 0)); /* nobody wrote between the rows */
    }
    free(m.row_stride < 0 ? (char *)m.data - (size_t)(m.rows * m.cols - 1) * sdfg_rt_type_size(type) : m.data);
}

/* The larger error; NaN if one of the two is. */
static inline double worse_of(double a, double b) { return a >= b || a != a ? a : b; }

static inline double tolerance(int type) { return type == SDFG_RT_F32 || type == SDFG_RT_C64 ? 2e-5 : 1e-13; }

#endif
