#include "engine/cli/value.h"

#include "base/number.h"
#include "engine/cli/tensor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_integer(struct single *out, const char *text)
{
    char *end;
    errno = 0;
    out->kind = VALUE_SIGNED;
    out->i = strtoll(text, &end, 0);
    if (end == text || *end)
        return false;
    if (!errno)
        return true;
    errno = 0;
    out->kind = VALUE_UNSIGNED;
    out->u = strtoull(text, &end, 0);
    return !errno && *text != '-';
}

/* The real part is a copy: it ends at the comma. */
static bool parse_complex(struct single *out, const char *text, const char *comma)
{
    char first[NUMBER_TEXT_SIZE * 2];
    size_t length = (size_t)(comma - text);
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = 0;
    out->kind = VALUE_COMPLEX;
    return number_parse(first, &out->re) && number_parse(comma + 1, &out->im);
}

bool value_parse(struct single *out, const char *text)
{
    const char *comma = strchr(text, ',');
    *out = (struct single){ .kind = VALUE_SIGNED };
    if (parse_integer(out, text))
        return true;
    *out = (struct single){ .kind = VALUE_SIGNED, .i = !strcmp(text, "true") };
    if (out->i || !strcmp(text, "false"))
        return true;
    if (comma)
        return parse_complex(out, text, comma);
    out->kind = VALUE_REAL;
    return number_parse(text, &out->re);
}

sdfg_error *value_give(sdfg_args *a, const char *name, const struct single *v)
{
    switch (v->kind) {
    case VALUE_SIGNED:
        return sdfg_args_i64(a, name, v->i);
    case VALUE_UNSIGNED:
        return sdfg_args_scalar(a, name, SDFG_U64, &v->u);
    case VALUE_REAL:
        return sdfg_args_f64(a, name, v->re);
    case VALUE_COMPLEX:
        break;
    }
    return sdfg_args_complex(a, name, v->re, v->im);
}

static bool store_integer(int64_t i, bool large, sdfg_dtype dtype, void *memory)
{
    element_set_integer(dtype, memory, i);
    struct element e = element_get(dtype, memory);
    return e.i == i && (large ? dtype == SDFG_U64 : !e.is_unsigned || i >= 0);
}

bool value_store(const struct single *v, sdfg_dtype dtype, void *memory)
{
    bool large = v->kind == VALUE_UNSIGNED, whole = v->kind == VALUE_SIGNED || large;
    if (whole && dtype_is_integer(dtype))
        return store_integer(large ? (int64_t)v->u : v->i, large, dtype, memory);
    double re = large ? (double)v->u : whole ? (double)v->i : v->re;
    element_set(dtype, memory, re, v->im);
    struct element e = element_get(dtype, memory);
    if (v->im != 0 && !dtype_is_complex(dtype))
        return false;
    return dtype_is_integer(dtype) ? e.re == re : isinf(e.re) == isinf(re) && isinf(e.im) == isinf(v->im);
}
