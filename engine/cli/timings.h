/* --report: what elements of the program took, as the trace files that DaCe writes and Chrome shows. */
#ifndef ENGINE_CLI_TIMINGS_H
#define ENGINE_CLI_TIMINGS_H

#include "engine/include/sdfg.h"

#include <stdbool.h>

/* The events of all calls, in memory until they are written. */
struct timings {
    char *text;
    size_t size, capacity;
    bool failed;   /* no memory */
    bool kept;     /* the text is */
    char hash[80]; /* of the program, as DaCe writes it, or "" */
    /* Of a GPU: how often, seconds, bytes. */
    struct timings_sum {
        size_t count;
        double seconds, bytes;
    } kernels, products, transfers, waits;
};

/* For sdfg_options.timing; `user` is a struct timings *. */
void timings_add(void *user, const sdfg_timing *timings, size_t count);
/* Whose they are. */
void timings_program(struct timings *t, const sdfg_program *p);
/* What the calls did on a GPU, on stderr; nothing if it was nothing. */
void timings_print_device(const struct timings *t, int calls);
/* Writes the file ("-" is stdout) and releases the memory. False after a message on stderr. */
bool timings_write(struct timings *t, const char *path);

#endif
