#include "plain.h"

#include <math.h>

static void softmax(int64_t rows, int64_t columns, const float *restrict x, float *restrict y)
{
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        const float *in = x + i * columns;
        float *out = y + i * columns;
        float most = in[0], total = 0;
        for (int64_t j = 1; j < columns; j++)
            most = in[j] > most ? in[j] : most;
        for (int64_t j = 0; j < columns; j++) {
            out[j] = expf(in[j] - most);
            total += out[j];
        }
        for (int64_t j = 0; j < columns; j++)
            out[j] /= total;
    }
}

void plain_softmax(void *const *arrays, const int64_t *sizes) { softmax(sizes[0], sizes[1], arrays[0], arrays[1]); }
