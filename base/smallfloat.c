#include "base/smallfloat.h"

#include <math.h>
#include <stdbool.h>

struct format {
    int exponent_bits, mantissa_bits;
    bool has_infinity; /* else all exponents are finite and only the largest pattern is NaN (e4m3fn) */
};

static const struct format formats[] = {
    [SMALLFLOAT_F16] = { 5, 10, true },
    [SMALLFLOAT_BF16] = { 8, 7, true },
    [SMALLFLOAT_F8E4M3] = { 4, 3, false },
    [SMALLFLOAT_F8E5M2] = { 5, 2, true },
};

static int bias(const struct format *f) { return (1 << (f->exponent_bits - 1)) - 1; }

double smallfloat_decode(enum smallfloat format, uint32_t bits)
{
    const struct format *f = &formats[format];
    uint32_t top = (1u << f->exponent_bits) - 1, mantissa = bits & ((1u << f->mantissa_bits) - 1);
    uint32_t exponent = bits >> f->mantissa_bits & top;
    double sign = bits >> (f->exponent_bits + f->mantissa_bits) & 1 ? -1.0 : 1.0;
    if (exponent == top && f->has_infinity)
        return mantissa ? NAN : sign * INFINITY;
    if (exponent == top && mantissa == (1u << f->mantissa_bits) - 1)
        return NAN;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias(f) - f->mantissa_bits);
    return sign * ldexp(mantissa + (1u << f->mantissa_bits), (int)exponent - bias(f) - f->mantissa_bits);
}

uint32_t smallfloat_encode(enum smallfloat format, double value)
{
    const struct format *f = &formats[format];
    uint32_t sign = signbit(value) ? 1u << (f->exponent_bits + f->mantissa_bits) : 0;
    uint32_t top = ((1u << f->exponent_bits) - 1) << f->mantissa_bits, ones = (1u << f->mantissa_bits) - 1;
    uint32_t overflow = f->has_infinity ? top : top | ones;
    if (isnan(value))
        return sign | top | (f->has_infinity ? 1u << (f->mantissa_bits - 1) : ones);
    if (isinf(value))
        return sign | overflow;
    if (value == 0)
        return sign;
    int exponent = ilogb(value);
    if (exponent > bias(f) + 1)
        return sign | overflow;
    if (exponent < 1 - bias(f))
        exponent = 1 - bias(f); /* subnormal: the unit in the last place no longer shrinks */
    double units = nearbyint(ldexp(fabs(value), f->mantissa_bits - exponent));
    /* With the hidden bit in `units`, carries into the exponent come out right by addition. */
    uint32_t bits = (uint32_t)(exponent + bias(f) - 1) * (1u << f->mantissa_bits) + (uint32_t)units;
    return sign | (bits >= overflow ? overflow : bits);
}
