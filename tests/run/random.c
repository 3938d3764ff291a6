/* random-programs COUNT [SEED [keep]]: that many random programs (of even seeds: of the forms that passes look for),
 * each run in several ways on the same arguments; all results must be equal. A program that fails or differs is written
 * to random-SEED.sdfg. */
#include "tests/run/random_program.h"

#include "tests/run/evaluate.h"

#include "engine/include/sdfg.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 7, MAX_ARGUMENTS = 8, ELEMENTS = RANDOM_N * RANDOM_M };

struct way {
    const char *name, *specialize;
    int opt_level, num_threads;
    enum sdfg_tier tier;
    enum sdfg_fp fp;
};

static const struct way ways[WAYS] = {
    { "without optimization", "auto", 0, 1, SDFG_TIER_FULL, SDFG_FP_DEFAULT },
    { "optimized", "auto", 3, 1, SDFG_TIER_FULL, SDFG_FP_DEFAULT },
    { "with threads", "auto", -1, 4, SDFG_TIER_FULL, SDFG_FP_DEFAULT },
    { "generic", "none", -1, 1, SDFG_TIER_FULL, SDFG_FP_DEFAULT },
    { "generic with two threads", "none", -1, 2, SDFG_TIER_FULL, SDFG_FP_DEFAULT },
    { "with strict arithmetic", "auto", -1, 2, SDFG_TIER_FULL, SDFG_FP_STRICT },
    { "quick", "auto", -1, 4, SDFG_TIER_QUICK, SDFG_FP_DEFAULT },
};

/* What one way gave. */
struct result {
    int64_t *arrays[MAX_ARGUMENTS];
};

static void fill(int64_t *array, size_t size, bool real, uint64_t *seed)
{
    for (size_t k = 0; k < ELEMENTS; k++) {
        int64_t value = (int64_t)(random_next(seed) % 2001) - 1000;
        double same = (double)value;
        float single = (float)value;
        const void *from = !real ? (void *)&value : size == sizeof single ? (void *)&single : &same;
        memcpy((char *)array + k * size, from, size); /* its lower bytes */
    }
}

/* Zeros have no sign. */
static void settle(int64_t *array, size_t size)
{
    for (size_t k = 0; k < ELEMENTS; k++) {
        char *at = (char *)array + k * size;
        double value;
        float single;
        memcpy(&value, at, size == sizeof value ? size : 0);
        memcpy(&single, at, size == sizeof single ? size : 0);
        value = size == sizeof value ? value + 0 : 0;
        single = size == sizeof single ? single + 0 : 0;
        memcpy(at, size == sizeof value ? (void *)&value : &single, size);
    }
}

static bool is_real(enum sdfg_dtype type) { return type == SDFG_F64 || type == SDFG_F32; }

/* `shared`: the second array is the first one. */
static sdfg_error *give_arrays(sdfg_program *p, sdfg_args *a, struct result *r, uint64_t seed, bool shared)
{
    sdfg_error *e = NULL;
    for (size_t i = 0; !e && i < sdfg_program_num_arguments(p); i++) {
        sdfg_argument info = { .struct_size = sizeof info };
        sdfg_program_argument(p, i, &info);
        if (info.kind != SDFG_KIND_ARRAY)
            continue;
        sdfg_array array = {
            .struct_size = sizeof array, .data = r->arrays[i], .dtype = info.dtype, .rank = info.rank
        };
        for (int d = 0; d < info.rank; d++)
            array.shape[d] = strcmp(info.shape[d], "N") == 0 ? RANDOM_N : RANDOM_M;
        fill(r->arrays[i], sdfg_dtype_size(info.dtype), is_real(info.dtype), &seed);
        if (shared && i == 1)
            array.data = r->arrays[0];
        e = sdfg_args_array(a, info.name, &array);
    }
    return e;
}

static void settle_arrays(const sdfg_program *p, struct result *r)
{
    for (size_t i = 0; i < sdfg_program_num_arguments(p); i++) {
        sdfg_argument info = { .struct_size = sizeof info };
        sdfg_program_argument(p, i, &info);
        if (info.kind == SDFG_KIND_ARRAY && is_real(info.dtype))
            settle(r->arrays[i], sdfg_dtype_size(info.dtype));
    }
}

static sdfg_error *run(sdfg_engine *engine, const struct text *json, struct result *r, uint64_t seed, bool shared)
{
    sdfg_program *p = NULL;
    sdfg_args *a = NULL;
    sdfg_error *e = sdfg_program_load(&p, engine, text_get(json), json->length, NULL);
    if (!e)
        e = sdfg_args_new(&a, p);
    if (!e)
        e = give_arrays(p, a, r, seed, shared);
    const char *const symbols[] = { "N", "M" };
    for (int i = 0; !e && i < 2; i++)
        if (sdfg_program_find_argument(p, symbols[i]) >= 0)
            e = sdfg_args_i64(a, symbols[i], i ? RANDOM_M : RANDOM_N);
    if (!e)
        e = sdfg_call(p, a);
    if (!e)
        settle_arrays(p, r);
    sdfg_args_free(a);
    sdfg_program_free(p);
    return e;
}

static void keep(uint64_t seed, const struct text *json)
{
    char path[64];
    snprintf(path, sizeof path, "random-%" PRIu64 ".sdfg", seed);
    FILE *f = fopen(path, "w");
    if (f) {
        fwrite(text_get(json), 1, json->length, f);
        fclose(f);
    }
}

/* The same values as give_arrays; the arrays of the engine are in the order of their names. */
static enum evaluation expect(struct sdfg *s, struct result *r, uint64_t seed, bool shared)
{
    struct evaluate_argument arguments[MAX_ARGUMENTS + 2] = { { "N", NULL, RANDOM_N }, { "M", NULL, RANDOM_M } };
    uint32_t count = 2;
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        if (c->transient)
            continue;
        int64_t *array = r->arrays[count - 2];
        fill(array, c->type->size, c->type->kind == TYPE_F64 || c->type->kind == TYPE_F32, &seed);
        if (shared && count == 3)
            array = r->arrays[0];
        arguments[count++] = (struct evaluate_argument){ .name = c->name, .data = array };
    }
    return evaluate(s, arguments, count);
}

static bool check(sdfg_engine *const *engines, struct result *results, uint64_t seed, bool keep_all,
                  unsigned *evaluated)
{
    struct ir *ir = ir_new();
    bool shared = false;
    struct sdfg *s = seed % 4 == 0 ? random_views(ir, seed)
                     : seed % 2    ? random_program(ir, seed)
                                   : random_forms(ir, seed, &shared);
    struct text json = text_new(ir->arena);
    bool good = build_finish(s);
    if (good)
        sdfg_write(s, &json);
    else
        printf("seed %" PRIu64 ": %s\n", seed, diags_get(ir->diags, 0)->message);
    if (good && keep_all) /* now, as it may be one that ends the process */
        keep(seed, &json);
    for (int w = 0; w <= WAYS; w++) /* what programs with other arrays have left */
        for (int i = 0; i < MAX_ARGUMENTS; i++)
            memset(results[w].arrays[i], 0, ELEMENTS * sizeof(int64_t));
    enum evaluation known = good ? expect(s, &results[WAYS], seed, shared) : EVALUATION_UNKNOWN;
    if (good && known == EVALUATION_UNKNOWN) {
        printf("seed %" PRIu64 ": the test itself cannot evaluate it\n", seed);
        good = false;
    }
    *evaluated += known == EVALUATED;
    for (int w = 0; good && w < WAYS; w++) {
        sdfg_error *e = run(engines[w], &json, &results[w], seed, shared);
        if (e)
            printf("seed %" PRIu64 ", %s: %s\n", seed, ways[w].name, sdfg_error_text(e));
        good = !e;
        sdfg_error_free(e);
        const struct result *right = known == EVALUATED ? &results[WAYS] : &results[0];
        for (int i = 0; good && i < MAX_ARGUMENTS; i++)
            if (memcmp(right->arrays[i], results[w].arrays[i], ELEMENTS * sizeof(int64_t)) != 0) {
                printf("seed %" PRIu64 ": argument %d differs %s\n", seed, i, ways[w].name);
                good = false;
            }
    }
    if (!good && !keep_all)
        keep(seed, &json);
    ir_free(ir);
    return good;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0, failed = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    sdfg_engine *engines[WAYS];
    struct result results[WAYS + 1]; /* the last one is what must come out */
    unsigned evaluated = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* long hunts are interrupted */
    setenv("GOMP_SPINCOUNT", "300000",
           0); /* about a millisecond: what is worth it for threads that do not sleep gets some */
    for (int w = 0; w < WAYS; w++) {
        sdfg_options o;
        sdfg_options_init(&o, sizeof o);
        o.opt_level = ways[w].opt_level;
        o.tier = ways[w].tier;
        o.num_threads = ways[w].num_threads;
        o.specialize = ways[w].specialize;
        o.fp = ways[w].fp;
        if (sdfg_engine_new(&engines[w], &o))
            return 2;
    }
    for (int w = 0; w <= WAYS; w++)
        for (int i = 0; i < MAX_ARGUMENTS; i++)
            if (!(results[w].arrays[i] = calloc(ELEMENTS, sizeof(int64_t))))
                return 2;
    for (unsigned i = 0; i < count; i++)
        failed += !check(engines, results, seed + i, argc > 3, &evaluated);
    for (int w = 0; w <= WAYS; w++) {
        if (w < WAYS)
            sdfg_engine_free(engines[w]);
        for (int i = 0; i < MAX_ARGUMENTS; i++)
            free(results[w].arrays[i]);
    }
    printf("%u programs, %u of them evaluated directly, %u failed\n", count, evaluated, failed);
    return !count || failed;
}
