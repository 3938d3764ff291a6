#include "ir/sym/sym_internal.h"

#include <math.h>

static const double EXACT_INTEGERS = 9007199254740992.0; /* 2**53 */

struct number number_int(int64_t value) { return (struct number){ .num = value, .den = 1 }; }

struct number number_real(double value) { return (struct number){ .real = true, .f = value }; }

struct number number_of(const struct sym *s)
{
    if (s->op == SYM_FLOAT)
        return number_real(s->f);
    return (struct number){ .num = s->i, .den = s->op == SYM_RATIONAL ? s->den : 1 };
}

const struct sym *number_sym(struct ir *ir, struct number n)
{
    if (n.real)
        return sym_float(ir, n.f);
    return n.den == 1 ? sym_int(ir, n.num) : sym_rational(ir, n.num, n.den);
}

double number_double(struct number n) { return n.real ? n.f : (double)n.num / (double)n.den; }

int number_sign(struct number n)
{
    if (n.real)
        return (n.f > 0) - (n.f < 0);
    return (n.num > 0) - (n.num < 0);
}

bool number_is_int(struct number n) { return n.real ? n.f == trunc(n.f) && fabs(n.f) <= EXACT_INTEGERS : n.den == 1; }

int number_compare(struct number a, struct number b)
{
    if (a.real || b.real) {
        double x = number_double(a), y = number_double(b);
        return (x > y) - (x < y);
    }
    __int128 x = (__int128)a.num * b.den, y = (__int128)b.num * a.den;
    return (x > y) - (x < y);
}

uint64_t number_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Reduces; false if it does not fit. INT64_MIN counts as overflow, so that every result has a negative. */
static bool reduce(__int128 num, __int128 den, struct number *out)
{
    if (den == 0)
        return false;
    if (den < 0) {
        num = -num;
        den = -den;
    }
    unsigned __int128 x = num < 0 ? -(unsigned __int128)num : (unsigned __int128)num, y = (unsigned __int128)den;
    while (den != 1 && y) {
        unsigned __int128 r = x % y;
        x = y;
        y = r;
    }
    if (den != 1) {
        num /= (__int128)x;
        den /= (__int128)x;
    }
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
        return false;
    *out = (struct number){ .num = (int64_t)num, .den = (int64_t)den };
    return true;
}

static bool finite_real(double value, struct number *out)
{
    *out = number_real(value == 0 ? 0.0 : value); /* no negative zero: it would be a second way to write 0 */
    return isfinite(value);
}

bool number_make(int64_t num, int64_t den, struct number *out) { return reduce(num, den, out); }

bool number_add(struct number a, struct number b, struct number *out)
{
    if (a.real || b.real)
        return finite_real(number_double(a) + number_double(b), out);
    if (a.den == 1 && b.den == 1)
        return reduce((__int128)a.num + b.num, 1, out);
    /* The sum of two products below 2**126 fits. */
    return reduce((__int128)a.num * b.den + (__int128)b.num * a.den, (__int128)a.den * b.den, out);
}

bool number_mul(struct number a, struct number b, struct number *out)
{
    if (a.real || b.real)
        return finite_real(number_double(a) * number_double(b), out);
    return reduce((__int128)a.num * b.num, (__int128)a.den * b.den, out);
}

bool number_div(struct number a, struct number b, struct number *out)
{
    if (number_sign(b) == 0)
        return false;
    if (a.real || b.real)
        return finite_real(number_double(a) / number_double(b), out);
    return reduce((__int128)a.num * b.den, (__int128)a.den * b.num, out);
}

static bool int_power(int64_t base, uint64_t exponent, int64_t *out)
{
    __int128 result = 1, square = base;
    bool square_fits = true;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) {
            if (!square_fits)
                return false;
            result *= square;
            if (result > INT64_MAX || result < -INT64_MAX)
                return false;
        }
        square_fits = square_fits && square <= INT64_MAX && square >= -INT64_MAX;
        if (square_fits)
            square *= square;
        square_fits = square_fits && square <= INT64_MAX;
    }
    *out = (int64_t)result;
    return true;
}

static bool int_root(int64_t value, int64_t *out)
{
    if (value < 0)
        return false;
    int64_t r = (int64_t)sqrt((double)value);
    for (int64_t x = r > 0 ? r - 1 : 0; x <= r + 1; x++)
        if ((__int128)x * x == value) {
            *out = x;
            return true;
        }
    return false;
}

bool number_pow(struct number a, struct number b, struct number *out)
{
    if (a.real || b.real) {
        double x = number_double(a), y = number_double(b);
        return !(x < 0 && y != trunc(y)) && !(x == 0 && y < 0) && finite_real(pow(x, y), out);
    }
    int64_t num = a.num, den = a.den;
    if (b.den == 2) {
        if (!int_root(num, &num) || !int_root(den, &den))
            return false;
    } else if (b.den != 1) {
        return false;
    }
    uint64_t exponent = b.num < 0 ? -(uint64_t)b.num : (uint64_t)b.num;
    if (!int_power(num, exponent, &num) || !int_power(den, exponent, &den))
        return false;
    return b.num < 0 ? number_make(den, num, out) : number_make(num, den, out);
}

/* ---- rounding ---- */

bool number_trunc(struct number a, struct number *out)
{
    if (a.real)
        return finite_real(trunc(a.f), out);
    *out = number_int(a.num / a.den);
    return true;
}

bool number_floor(struct number a, struct number *out)
{
    if (a.real)
        return finite_real(floor(a.f), out);
    *out = number_int(a.num / a.den - (a.num % a.den < 0));
    return true;
}

bool number_ceil(struct number a, struct number *out)
{
    if (a.real)
        return finite_real(ceil(a.f), out);
    *out = number_int(a.num / a.den + (a.num % a.den > 0));
    return true;
}

bool number_round(struct number a, struct number *out)
{
    if (a.real)
        return finite_real(round(a.f), out);
    int64_t rest = a.num % a.den, whole = a.num / a.den;
    uint64_t size = rest < 0 ? -(uint64_t)rest : (uint64_t)rest;
    if (a.den > 1 && size * 2 >= (uint64_t)a.den)
        whole += a.num < 0 ? -1 : 1;
    *out = number_int(whole);
    return true;
}
