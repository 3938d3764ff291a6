/* Values of compile-time constants (format.md 7.1). */
#include "base/number.h"
#include "base/smallfloat.h"
#include "ir/graph.h"
#include "ir/json/json.h"

#include <math.h>
#include <string.h>

/* ---- single values ---- */

static bool store_float(const struct type *t, double value, unsigned char *out)
{
    float narrow = (float)value;
    uint16_t half;
    switch (t->kind) {
    case TYPE_F64:
        memcpy(out, &value, sizeof value);
        return true;
    case TYPE_F32:
        memcpy(out, &narrow, sizeof narrow);
        return true;
    case TYPE_F16:
    case TYPE_BF16:
        half = (uint16_t)smallfloat_encode(t->kind == TYPE_F16 ? SMALLFLOAT_F16 : SMALLFLOAT_BF16, value);
        memcpy(out, &half, sizeof half);
        return true;
    case TYPE_F8E4M3:
    case TYPE_F8E5M2:
        *out = (unsigned char)smallfloat_encode(t->kind == TYPE_F8E4M3 ? SMALLFLOAT_F8E4M3 : SMALLFLOAT_F8E5M2, value);
        return true;
    default:
        return false;
    }
}

/* NumPy scalars are written as text, and booleans may stand for numbers. */
static const char *value_text(const struct json *v)
{
    if (v->kind == JSON_TRUE || v->kind == JSON_FALSE)
        return v->kind == JSON_TRUE ? "1" : "0";
    if (v->kind != JSON_INT && v->kind != JSON_REAL && v->kind != JSON_STRING)
        return NULL;
    return !strcmp(v->text, "True") ? "1" : !strcmp(v->text, "False") ? "0" : v->text;
}

/* Integers of up to 64 bits, signed or not; a float with an integer value counts. */
static bool integer_bits(const char *text, uint64_t *out)
{
    bool negative = *text == '-';
    const char *c = text + negative;
    uint64_t value = 0;
    double real;
    while (*c >= '0' && *c <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
           !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
        c++;
    if (c == text + negative || *c) {
        if (!number_parse(text, &real) || real != floor(real) || fabs(real) >= 9.2e18)
            return false;
        value = (uint64_t)fabs(real);
    }
    if (negative && value > (uint64_t)INT64_MAX + 1)
        return false;
    *out = negative ? 0 - value : value;
    return true;
}

static bool store_value(const struct type *t, const struct json *v, unsigned char *out)
{
    const char *text = value_text(v);
    double re, im;
    uint64_t bits;
    if (!text)
        return false;
    if (type_is_complex(t)) {
        float narrow[2];
        if (!number_parse_complex(text, &re, &im))
            return false;
        narrow[0] = (float)re;
        narrow[1] = (float)im;
        double wide[2] = { re, im };
        memcpy(out, t->kind == TYPE_C64 ? (void *)narrow : (void *)wide, t->size);
        return true;
    }
    if (type_is_float(t))
        return number_parse(text, &re) && store_float(t, re, out);
    if (!integer_bits(text, &bits))
        return false;
    if (t->kind == TYPE_BOOL) {
        *out = bits != 0;
        return true;
    }
    /* little endian, like every machine we run on; the value must fit */
    bool negative = *text == '-';
    unsigned width = t->size * 8;
    uint64_t largest = type_is_signed(t) ? (1ull << (width - 1)) - 1 : UINT64_MAX >> (64 - width);
    if (negative ? type_is_unsigned(t) || 0 - bits > largest + 1 : bits > largest)
        return false;
    memcpy(out, &bits, t->size);
    return true;
}

/* ---- arrays ---- */

static bool store_array(const struct type *t, const struct json *v, unsigned char **at, const unsigned char *end)
{
    if (v->kind == JSON_ARRAY) {
        for (const struct json *m = v->first; m; m = m->next)
            if (!store_array(t, m, at, end))
                return false;
        return true;
    }
    if (*at == end || !store_value(t, v, *at))
        return false;
    *at += t->size;
    return true;
}

static size_t count_elements(const struct json *v)
{
    if (v->kind != JSON_ARRAY)
        return 1;
    size_t count = 0;
    for (const struct json *m = v->first; m; m = m->next)
        count += count_elements(m);
    return count;
}

uint64_t constant_elements(const struct constant *c)
{
    const struct json *v = c->value->kind == JSON_OBJECT ? json_get(c->value, "data") : c->value;
    return v ? count_elements(v) : 0;
}

static bool decode(struct ir *ir, const struct constant *c, void **bytes, size_t *size)
{
    const struct type *t = c->desc->type;
    const struct json *v = c->value;
    if (!t)
        return false;
    if (t->kind == TYPE_STRING) {
        *size = v->kind == JSON_STRING ? v->length + 1u : 0;
        *bytes = *size ? arena_copy(ir->arena, v->text, *size) : NULL;
        return *size;
    }
    if (v->kind == JSON_NULL) { /* None: a null pointer */
        *bytes = arena_alloc(ir->arena, *size = t->size);
        return t->kind == TYPE_POINTER;
    }
    if (!type_is_basic(t))
        return false;
    if (v->kind == JSON_OBJECT)
        v = json_get(v, "data");
    if (!v)
        return false;
    *size = count_elements(v) * t->size;
    unsigned char *at = *bytes = arena_alloc(ir->arena, *size);
    return store_array(t, v, &at, at + *size);
}

bool constant_bytes(struct ir *ir, const struct constant *c, void **bytes, size_t *size)
{
    return decode(ir, c, bytes, size) || diag_error(ir->diags, &c->desc->place, DIAG_CONSTANT_VALUE, c->name);
}
