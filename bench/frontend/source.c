/* How long Python programs take from their text to that of their SDFG, without a process: bench-source REPEAT
 * FILE:FUNCTION... Prints the shortest time in milliseconds, the bytes of the SDFG and the program, one a line. */
#include "frontend/frontend.h"

#include "base/fatal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Bytes of the graph's text; 0 with the reasons on standard error. */
static size_t once(const char *path, const char *function)
{
    struct ir *ir = ir_new();
    size_t size;
    char *source = file_read(ir->arena, ir->diags, path, &size);
    struct frontend_imports imports = { 0 };
    struct frontend_options options = { .no_warnings = true };
    struct sdfg *s = source ? frontend_program(ir, path, source, size, function, &options, &imports) : NULL;
    struct text t = text_new(ir->arena);
    if (s)
        sdfg_write(s, &t);
    for (uint32_t i = 0; !s && i < diags_count(ir->diags); i++)
        fprintf(stderr, "%s: %s\n", path, diags_get(ir->diags, i)->message);
    ir_free(ir);
    return t.length;
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 0, failed = 0;
    if (repeat < 1 || argc < 3) {
        fputs("usage: bench-source REPEAT FILE:FUNCTION...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        char *colon = strrchr(argv[i], ':');
        double best = -1;
        size_t size = colon != NULL;
        if (colon)
            *colon = 0;
        for (int k = 0; k < repeat && size; k++) {
            double start = now();
            size = once(argv[i], colon + 1);
            double took = now() - start;
            best = best < 0 || took < best ? took : best;
        }
        failed += !size;
        if (size)
            printf("%10.3f %10zu %s:%s\n", best, size, argv[i], colon + 1);
    }
    return failed != 0;
}
