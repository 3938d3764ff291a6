#include "base/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number of samples below the median is binomially distributed with p = 1/2. */
int samples_outside(int count)
{
    double below = 0, term = pow(0.5, count);
    int outside = 0;
    while (outside < count / 2) {
        below += term;
        if (below > 0.025)
            break;
        outside++;
        term *= (double)(count - outside + 1) / outside;
    }
    return outside > 0 ? outside - 1 : 0;
}

static double at_part(const double *sorted, int count, double part)
{
    double place = part * (count - 1);
    int below = (int)place;
    return below + 1 < count ? sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]) : sorted[below];
}

struct estimate samples_estimate(const struct samples *s)
{
    struct estimate e = { .count = s->count };
    double *sorted = s->count ? malloc((size_t)s->count * sizeof *sorted) : NULL;
    if (!sorted)
        return (struct estimate){ .count = 0 };
    memcpy(sorted, s->values, (size_t)s->count * sizeof *sorted);
    qsort(sorted, (size_t)s->count, sizeof *sorted, by_value);
    int outside = samples_outside(s->count);
    e.median = at_part(sorted, s->count, 0.5);
    e.least = sorted[0];
    e.low = sorted[outside];
    e.high = sorted[s->count - 1 - outside];
    e.spread = e.median > 0 ? (at_part(sorted, s->count, 0.75) - at_part(sorted, s->count, 0.25)) / e.median : 0;
    free(sorted);
    return e;
}
