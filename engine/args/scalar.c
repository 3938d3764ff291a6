#include "engine/args/scalar.h"

#include "base/number.h"
#include "base/smallfloat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [SDFG_NONE] = { "none", 0 },
    [SDFG_BOOL] = { "bool", 1 },
    [SDFG_I8] = { "int8", 1 },
    [SDFG_I16] = { "int16", 2 },
    [SDFG_I32] = { "int32", 4 },
    [SDFG_I64] = { "int64", 8 },
    [SDFG_U8] = { "uint8", 1 },
    [SDFG_U16] = { "uint16", 2 },
    [SDFG_U32] = { "uint32", 4 },
    [SDFG_U64] = { "uint64", 8 },
    [SDFG_F16] = { "float16", 2 },
    [SDFG_BF16] = { "bfloat16", 2 },
    [SDFG_F8E4M3] = { "float8_e4m3fn", 1 },
    [SDFG_F8E5M2] = { "float8_e5m2", 1 },
    [SDFG_F32] = { "float32", 4 },
    [SDFG_F64] = { "float64", 8 },
    [SDFG_C64] = { "complex64", 8 },
    [SDFG_C128] = { "complex128", 16 },
    [SDFG_RECORD] = { "record", 0 },
};

enum { NUM_DTYPES = sizeof dtypes / sizeof *dtypes };

size_t sdfg_dtype_size(sdfg_dtype t) { return (unsigned)t < NUM_DTYPES ? dtypes[t].size : 0; }

const char *sdfg_dtype_name(sdfg_dtype t) { return (unsigned)t < NUM_DTYPES ? dtypes[t].name : "unknown"; }

sdfg_dtype sdfg_dtype_by_name(const char *name)
{
    for (int t = SDFG_BOOL; t < SDFG_RECORD; t++)
        if (name && !strcmp(dtypes[t].name, name))
            return (sdfg_dtype)t;
    return SDFG_NONE;
}

static bool is_signed(sdfg_dtype t) { return t <= SDFG_I64; }

static bool is_unsigned(sdfg_dtype t) { return t >= SDFG_U8 && t <= SDFG_U64; }

static bool is_small(sdfg_dtype t) { return t >= SDFG_F16 && t <= SDFG_F8E5M2; }

static enum smallfloat small_format(sdfg_dtype t) { return (enum smallfloat)(t - SDFG_F16 + SMALLFLOAT_F16); }

_Static_assert(SDFG_F8E5M2 - SDFG_F16 == SMALLFLOAT_F8E5M2 - SMALLFLOAT_F16, "same order");

struct scalar scalar_load(sdfg_dtype dtype, const void *memory)
{
    struct scalar s = { .dtype = dtype };
    size_t size = sdfg_dtype_size(dtype);
    if (is_signed(dtype) || is_unsigned(dtype)) {
        memcpy(&s.u, memory, size); /* little-endian */
        if (is_signed(dtype) && size < 8)
            s.i = (int64_t)(s.u << (64 - 8 * size)) >> (64 - 8 * size);
        if (dtype == SDFG_BOOL)
            s.i = s.i != 0;
    } else if (is_small(dtype)) {
        uint32_t bits = 0;
        memcpy(&bits, memory, size);
        s.f[0] = smallfloat_decode(small_format(dtype), bits);
        s.f[1] = 0;
    } else if (dtype == SDFG_F32 || dtype == SDFG_C64) {
        float parts[2] = { 0 };
        memcpy(parts, memory, size);
        s.f[0] = (double)parts[0];
        s.f[1] = (double)parts[1];
    } else {
        memcpy(s.f, memory, size);
    }
    return s;
}

static bool is_integer(const struct scalar *s) { return is_signed(s->dtype) || is_unsigned(s->dtype); }

bool scalar_integer(const struct scalar *s, int64_t *out)
{
    if (is_unsigned(s->dtype) && s->u > INT64_MAX)
        return false;
    if (is_integer(s)) {
        *out = s->i;
        return true;
    }
    if (s->f[1] != 0 || s->f[0] != floor(s->f[0]) || !(s->f[0] >= -0x1p63 && s->f[0] < 0x1p63))
        return false;
    *out = (int64_t)s->f[0];
    return true;
}

static bool store_integer(const struct scalar *s, sdfg_dtype dtype, void *memory)
{
    size_t size = sdfg_dtype_size(dtype);
    int64_t i = 0;
    bool huge = is_unsigned(s->dtype) && s->u > INT64_MAX;
    if (huge ? dtype != SDFG_U64 : !scalar_integer(s, &i))
        return false;
    if (huge)
        i = (int64_t)s->u;
    else if (dtype == SDFG_BOOL ? (i & ~INT64_C(1)) != 0
             : is_unsigned(dtype)
                 ? i < 0 || (size < 8 && i >> (8 * size))
                 : size < 8 && (i < -(INT64_C(1) << (8 * size - 1)) || i >= INT64_C(1) << (8 * size - 1)))
        return false;
    memcpy(memory, &i, size);
    return true;
}

bool scalar_store(const struct scalar *s, sdfg_dtype dtype, void *memory)
{
    if (is_signed(dtype) || is_unsigned(dtype))
        return store_integer(s, dtype, memory);
    double re = is_unsigned(s->dtype) ? (double)s->u : is_integer(s) ? (double)s->i : s->f[0];
    double im = is_integer(s) ? 0 : s->f[1];
    bool complex = dtype == SDFG_C64 || dtype == SDFG_C128;
    if (!complex && im != 0)
        return false;
    if (is_small(dtype)) {
        uint32_t bits = smallfloat_encode(small_format(dtype), re);
        memcpy(memory, &bits, sdfg_dtype_size(dtype));
        return isfinite(smallfloat_decode(small_format(dtype), bits)) || !isfinite(re);
    }
    if (dtype == SDFG_F32 || dtype == SDFG_C64) {
        float parts[2] = { (float)re, (float)im };
        memcpy(memory, parts, sdfg_dtype_size(dtype));
        return isinf(parts[0]) == isinf(re) && isinf(parts[1]) == isinf(im);
    }
    double parts[2] = { re, im };
    memcpy(memory, parts, sdfg_dtype_size(dtype));
    return true;
}

void scalar_print(const struct scalar *s, char *out, size_t size)
{
    char re[NUMBER_TEXT_SIZE], im[NUMBER_TEXT_SIZE];
    if (is_unsigned(s->dtype))
        snprintf(out, size, "%llu", (unsigned long long)s->u);
    else if (is_integer(s))
        snprintf(out, size, "%lld", (long long)s->i);
    else if (s->dtype == SDFG_C64 || s->dtype == SDFG_C128)
        snprintf(out, size, "(%s, %s)", number_print(s->f[0], re), number_print(s->f[1], im));
    else
        snprintf(out, size, "%s", number_print(s->f[0], re));
}
