/* A small FFTW as a library that the runtime may meet: transforms by their definition. It makes no plans for more than
 * MOST elements, which the runtime then transforms itself. REAL: float or double. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#pragma GCC visibility push(default)

#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#define NAME(name)   JOINED(PREFIX, name)

enum { MOST = 2048, RANK = 16 };

struct plan {
    int rank, sizes[RANK], count, sign;
    REAL _Complex *data;
};

void *NAME(plan_dft)(int rank, const int *n, void *in, void *out, int sign, unsigned flags)
{
    struct plan *p = calloc(1, sizeof *p);
    (void)flags;
    p->rank = rank;
    p->count = 1;
    p->sign = sign;
    p->data = out;
    for (int d = 0; d < rank && p->count <= MOST; d++)
        p->count *= p->sizes[d] = n[d];
    if (p->count <= MOST && in == out)
        return p;
    free(p);
    return NULL;
}

void NAME(execute)(void *plan)
{
    const struct plan *p = plan;
    double _Complex line[MOST];
    int step = 1;
    for (int d = p->rank - 1; d >= 0; step *= p->sizes[d--])
        for (int first = 0; first < p->count; first++) {
            int n = p->sizes[d];
            if (first / step % n != 0)
                continue;
            for (int k = 0; k < n; k++) {
                line[k] = 0;
                for (int j = 0; j < n; j++)
                    line[k] += p->data[first + j * step] *
                               cexp(p->sign * 2 * 3.14159265358979323846 * ((long long)j * k % n) / n * I);
            }
            for (int k = 0; k < n; k++)
                p->data[first + k * step] = (REAL _Complex)line[k];
        }
}

void NAME(destroy_plan)(void *plan) { free(plan); }
