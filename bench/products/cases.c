/* Which products are measured: a list, or random ones. */
#include "bench/products/products.h"

#include <math.h>
#include <stdio.h>

enum { F32 = 1, F64 = 2, C64 = 4, C128 = 8, REAL = F32 | F64, ALL = 15 };

static const struct {
    const char *group;
    int types;
    struct product p;
} cases[] = {
    { "square", ALL, { .m = 4, .n = 4, .k = 4 } },
    { "square", ALL, { .m = 8, .n = 8, .k = 8 } },
    { "square", REAL, { .m = 12, .n = 12, .k = 12 } },
    { "square", ALL, { .m = 16, .n = 16, .k = 16 } },
    { "square", REAL, { .m = 24, .n = 24, .k = 24 } },
    { "square", ALL, { .m = 32, .n = 32, .k = 32 } },
    { "square", REAL, { .m = 40, .n = 40, .k = 40 } },
    { "square", REAL, { .m = 48, .n = 48, .k = 48 } },
    { "square", ALL, { .m = 64, .n = 64, .k = 64 } },
    { "square", ALL, { .m = 128, .n = 128, .k = 128 } },
    { "square", REAL, { .m = 256, .n = 256, .k = 256 } },
    { "square", ALL, { .m = 512, .n = 512, .k = 512 } },
    { "square", REAL, { .m = 1024, .n = 1024, .k = 1024 } },
    { "odd", ALL, { .m = 5, .n = 7, .k = 3 } },
    { "odd", REAL, { .m = 13, .n = 9, .k = 11 } },
    { "odd", ALL, { .m = 33, .n = 17, .k = 65 } },
    { "odd", REAL, { .m = 17, .n = 65, .k = 33 } },
    { "odd", REAL, { .m = 61, .n = 61, .k = 61 } },
    { "odd", ALL, { .m = 101, .n = 99, .k = 103 } },
    { "odd", REAL, { .m = 255, .n = 513, .k = 129 } },
    { "thin", ALL, { .m = 20000, .n = 8, .k = 8 } },
    { "thin", REAL, { .m = 20000, .n = 4, .k = 16 } },
    { "thin", ALL, { .m = 2, .n = 100000, .k = 2 } },
    { "thin", REAL, { .m = 2000, .n = 3, .k = 500 } },
    { "thin", REAL, { .m = 8, .n = 8, .k = 10000 } },
    { "thin", REAL, { .m = 8, .n = 10000, .k = 8 } },
    { "thin", REAL, { .m = 1000, .n = 1000, .k = 2 } },
    { "thin", REAL, { .m = 1000, .n = 32, .k = 1000 } },
    { "vector", ALL, { .m = 30, .n = 1, .k = 30 } },
    { "vector", REAL, { .m = 120, .n = 1, .k = 100 } },
    { "vector", ALL, { .m = 1000, .n = 1, .k = 1000 } },
    { "vector", REAL, { .m = 100, .n = 1, .k = 20000 } },
    { "vector", REAL, { .m = 20000, .n = 1, .k = 100 } },
    { "vector", ALL, { .m = 1, .n = 30, .k = 30 } },
    { "vector", REAL, { .m = 1, .n = 120, .k = 100 } },
    { "vector", ALL, { .m = 1, .n = 1000, .k = 1000 } },
    { "vector", REAL, { .m = 1, .n = 20000, .k = 100 } },
    { "vector", REAL, { .m = 1, .n = 100, .k = 20000 } },
    { "vector", ALL, { .m = 1, .n = 1, .k = 1000 } },
    { "vector", REAL, { .m = 1, .n = 1, .k = 100000 } },
    { "turned", ALL, { .m = 24, .n = 24, .k = 24, .trans_a = true } },
    { "turned", ALL, { .m = 24, .n = 24, .k = 24, .trans_b = true } },
    { "turned", REAL, { .m = 24, .n = 24, .k = 24, .trans_a = true, .trans_b = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_a = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_b = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_a = true, .trans_b = true } },
    { "turned", REAL, { .m = 500, .n = 500, .k = 500, .trans_a = true } },
    { "turned", REAL, { .m = 500, .n = 500, .k = 500, .trans_b = true } },
    { "scaled", ALL, { .m = 24, .n = 24, .k = 24, .alpha = 1.5, .beta = 0.5 } },
    { "scaled", REAL, { .m = 200, .n = 200, .k = 200, .alpha = 1.5, .beta = 0.5 } },
    { "stack", ALL, { .batch = 1000, .m = 4, .n = 4, .k = 4 } },
    { "stack", REAL, { .batch = 500, .m = 12, .n = 12, .k = 12 } },
    { "stack", ALL, { .batch = 200, .m = 16, .n = 16, .k = 16 } },
    { "stack", REAL, { .batch = 50, .m = 33, .n = 17, .k = 65 } },
    { "stack", REAL, { .batch = 20, .m = 100, .n = 100, .k = 100 } },
};

enum { NUM_CASES = sizeof cases / sizeof *cases };

static const struct {
    int bit;
    sdfg_dtype dtype;
    const char *name;
} types[] = {
    { F32, SDFG_F32, "f32" }, { F64, SDFG_F64, "f64" }, { C64, SDFG_C64, "c64" }, { C128, SDFG_C128, "c128" }
};

enum { NUM_TYPES = sizeof types / sizeof *types };

const char *product_listed(int index, struct product *p)
{
    for (int i = 0; i < NUM_CASES; i++)
        for (int t = 0; t < NUM_TYPES; t++)
            if ((cases[i].types & types[t].bit) && index-- == 0) {
                *p = cases[i].p;
                p->dtype = types[t].dtype;
                if (p->alpha == 0)
                    p->alpha = 1;
                return cases[i].group;
            }
    return NULL;
}

/* 0 to 1; xorshift64*, Vigna 2016. */
static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545f4914f6cdd1du) >> 11) * 0x1p-53;
}

/* As many between 2 and 4 as between 200 and 400. */
static int64_t extent(uint64_t *state, int64_t most) { return (int64_t)(2 * pow((double)most / 2, uniform(state))); }

const char *product_random(uint64_t *state, struct product *p)
{
    enum { MOST_ROWS = 1000, MOST_COLUMNS = 500, MOST_TERMS = 500, MOST_WORK = 4000000 /* multiply-adds */ };
    do
        *p = (struct product){
            .m = extent(state, MOST_ROWS), .n = extent(state, MOST_COLUMNS), .k = extent(state, MOST_TERMS), .alpha = 1
        };
    while (p->m * p->n * p->k > MOST_WORK);
    p->dtype = types[(int)(uniform(state) * NUM_TYPES)].dtype;
    return "random";
}

void product_name(const struct product *p, const char *group, char *name, size_t size)
{
    const char *type = "";
    char stack[24] = "";
    for (int t = 0; t < NUM_TYPES; t++)
        if (types[t].dtype == p->dtype)
            type = types[t].name;
    if (p->batch)
        snprintf(stack, sizeof stack, " * %lld", (long long)p->batch);
    snprintf(name, size, "%s %s %lldx%lldx%lld%s%s%s", group, type, (long long)p->m, (long long)p->n, (long long)p->k,
             stack, p->trans_a ? " A^T" : "", p->trans_b ? " B^T" : "");
}
