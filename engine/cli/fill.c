#include "engine/cli/fill.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool fill_parse(struct fill *out, const char *text)
{
    static const struct {
        const char *name;
        enum fill_kind kind;
        bool takes_seed;
    } kinds[] = {
        { "zero", FILL_ZERO, false }, { "zeros", FILL_ZERO, false },   { "ones", FILL_ONES, false },
        { "iota", FILL_IOTA, false }, { "random", FILL_RANDOM, true }, { "normal", FILL_NORMAL, true },
    };
    size_t length = strcspn(text, ":");
    const char *rest = text[length] ? text + length + 1 : NULL;
    *out = (struct fill){ .kind = FILL_CONSTANT };
    if (length == 8 && !strncmp(text, "constant", 8))
        return rest && number_parse(rest, &out->value);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) != length || strncmp(kinds[i].name, text, length))
            continue;
        out->kind = kinds[i].kind;
        if (!rest)
            return true;
        char *end;
        out->seed = strtoull(rest, &end, 10);
        return kinds[i].takes_seed && *rest && !*end;
    }
    return number_parse(text, &out->value);
}

struct fill fill_default(const char *name)
{
    struct fill f = { .kind = FILL_RANDOM, .seed = 14695981039346656037u };
    for (; *name; name++)
        f.seed = (f.seed ^ (unsigned char)*name) * 1099511628211u;
    return f;
}

#define STEP UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64: any element of the sequence can be entered directly. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += STEP;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state) { return (double)(next(state) >> 11) * 0x1p-53; }

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* How many numbers an element takes. */
static uint64_t draws(const struct fill *f, bool complex)
{
    return (f->kind == FILL_NORMAL ? 2 : 1) * (complex ? 2u : 1u);
}

void fill_element(const struct fill *f, sdfg_dtype dtype, void *element, int64_t n)
{
    bool integer = dtype_is_integer(dtype), complex = dtype_is_complex(dtype);
    uint64_t state = f->seed + (uint64_t)n * draws(f, complex) * STEP;
    double re = 0, im = 0;
    switch (f->kind) {
    case FILL_ZERO:
        break;
    case FILL_ONES:
        re = 1;
        break;
    case FILL_IOTA:
        re = (double)n;
        break;
    case FILL_CONSTANT:
        re = f->value;
        break;
    case FILL_RANDOM:
        re = uniform(&state);
        im = complex ? uniform(&state) : 0;
        if (integer)
            re = floor(re * (dtype == SDFG_BOOL ? 2 : 10));
        break;
    case FILL_NORMAL:
        re = normal(&state);
        im = complex ? normal(&state) : 0;
        if (integer)
            re = floor(10 * re);
        break;
    }
    element_set(dtype, element, re, im);
}

void fill_memory(const struct fill *f, sdfg_dtype dtype, void *memory, int64_t count)
{
    size_t size = sdfg_dtype_size(dtype);
    if (f->kind == FILL_RANDOM && dtype == SDFG_F64) { /* most inputs; the same numbers without the choices by type */
        uint64_t state = f->seed;
        for (double *at = memory, *end = at + count; at < end; at++)
            *at = uniform(&state);
        return;
    }
    for (int64_t n = 0; n < count; n++)
        fill_element(f, dtype, (unsigned char *)memory + (size_t)n * size, n);
}
