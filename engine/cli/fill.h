/* Patterns for inputs that no file gives. */
#ifndef ENGINE_CLI_FILL_H
#define ENGINE_CLI_FILL_H

#include "engine/cli/tensor.h"

enum fill_kind { FILL_ZERO, FILL_ONES, FILL_IOTA, FILL_RANDOM, FILL_NORMAL, FILL_CONSTANT };

struct fill {
    enum fill_kind kind;
    uint64_t seed;
    double value;
};

/* zero, ones, iota, random[:SEED], normal[:SEED], constant:X or a number. */
bool fill_parse(struct fill *out, const char *text);
/* What an input gets that nobody gave: random with a seed made of its name. */
struct fill fill_default(const char *name);
/* Random floats lie in [0, 1), random integers in 0..9, both the same in every run and on every machine. */
void fill_memory(const struct fill *f, sdfg_dtype dtype, void *memory, int64_t count);
void fill_element(const struct fill *f, sdfg_dtype dtype, void *element, int64_t n); /* the n-th one of that */

#endif
