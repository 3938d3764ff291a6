/* 8-bit floats. e4m3fn: 4 bits of exponent, bias 7, no infinity, the largest value is 448, beyond it (and for infinity)
 * the result is not a number. e5m2: 5 bits of exponent, bias 15, infinities as usual. Rounding is to nearest, ties to
 * even. */
#include "runtime/runtime.h"

#include <string.h>

struct format {
    int fraction, bias;
    uint32_t top;      /* bits of the largest finite value */
    uint32_t overflow; /* bits of what is larger */
    uint32_t not_a_number;
};

static const struct format e4m3 = { 3, 7, 0x7e, 0x7f, 0x7f };
static const struct format e5m2 = { 2, 15, 0x7b, 0x7c, 0x7e };

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value >> shift, rounded to nearest even; 1 <= shift. */
static uint32_t shift_rounded(uint32_t value, int shift)
{
    if (shift > 31)
        return 0;
    uint32_t half = (UINT32_C(1) << (shift - 1)) - 1;
    return (value + half + (value >> shift & 1)) >> shift;
}

static int32_t encode(const struct format *f, float value)
{
    uint32_t bits = float_bits(value), sign = bits >> 24 & 0x80, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (int32_t)(sign | f->not_a_number);
    int exponent = (int)(size >> 23) - 127 + f->bias;
    uint32_t result;
    if (exponent <= 0) /* subnormal, or rounds up to the smallest normal number, whose bits follow */
        result = size >> 23 ? shift_rounded((size & 0x7fffff) | 0x800000, 24 - f->fraction - exponent) : 0;
    else /* a carry out of the fraction goes into the exponent, as it should */
        result = ((uint32_t)exponent << f->fraction) + shift_rounded(size & 0x7fffff, 23 - f->fraction);
    return (int32_t)(sign | (result > f->top ? f->overflow : result));
}

static float decode(const struct format *f, uint32_t bits)
{
    uint32_t sign = (bits & 0x80) << 24, size = bits & 0x7f;
    if (size > f->top)
        return bits_float(sign | (size == f->overflow && f->overflow != f->not_a_number ? 0x7f800000 : 0x7fc00000));
    uint32_t fraction = size & ((1u << f->fraction) - 1);
    if (size >> f->fraction == 0) {
        float unit = bits_float((uint32_t)(127 + 1 - f->bias - f->fraction) << 23); /* the smallest positive value */
        return bits_float(sign | float_bits((float)fraction * unit));
    }
    uint32_t exponent = (size >> f->fraction) + 127 - (uint32_t)f->bias;
    return bits_float(sign | exponent << 23 | fraction << (23 - f->fraction));
}

float sdfg_rt_f8e4m3_to_float(int32_t bits) { return decode(&e4m3, (uint32_t)bits); }

int32_t sdfg_rt_float_to_f8e4m3(float value) { return encode(&e4m3, value); }

float sdfg_rt_f8e5m2_to_float(int32_t bits) { return decode(&e5m2, (uint32_t)bits); }

int32_t sdfg_rt_float_to_f8e5m2(float value) { return encode(&e5m2, value); }
