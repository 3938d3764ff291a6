/* What the machine can do, measured: the roofs that a program's speed is compared with. */
#ifndef ENGINE_CLI_BENCH_ROOF_H
#define ENGINE_CLI_BENCH_ROOF_H

#include <stdbool.h>

struct roofs {
    bool measured;
    int threads;
    double bytes_per_second; /* triad a = b + s * c on arrays larger than the caches, 24 bytes per element */
    double flops_per_second; /* fused multiply-add of doubles in registers, widest vectors the processor has */
    const char *vectors;     /* "AVX-512", ...; static text */
};

/* Takes about a second. False if there is no memory. */
bool roofs_measure(struct roofs *r, int threads);

#endif
