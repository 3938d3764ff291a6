#include "plain.h"

enum { BINS = 16 };

static void histogram(int64_t height, int64_t width, const double *restrict image, int64_t *restrict bins)
{
    for (int b = 0; b < BINS; b++)
        bins[b] = 0;
#pragma omp parallel for reduction(+ : bins[:BINS])
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            int bin = (int)(16 * image[y * width + x]);
            bin = bin > BINS - 1 ? BINS - 1 : bin;
            bins[bin < 0 ? 0 : bin] += 1;
        }
}

void plain_histogram(void *const *arrays, const int64_t *sizes) { histogram(sizes[0], sizes[1], arrays[0], arrays[1]); }
