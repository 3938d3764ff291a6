#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, double *out)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    if (!*digits || !strchr("0123456789.iInN", *digits))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end;
    *out = strtod_l(text, &end, c);
    freelocale(c);
    return end != text && !*end && !strchr(text, '(');
}

bool number_parse_complex(const char *text, double *re, double *im)
{
    char buffer[128];
    size_t length = strlen(text);
    *re = *im = 0;
    if (length && *text == '(' && text[length - 1] == ')') {
        text++;
        length -= 2;
    }
    if (!length || length >= sizeof buffer)
        return false;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    if (buffer[length - 1] != 'j')
        return number_parse(buffer, re);
    buffer[length - 1] = 0;
    char *sign = NULL;
    for (char *c = buffer + 1; c[0] && c[-1]; c++)
        if ((*c == '+' || *c == '-') && c[-1] != 'e' && c[-1] != 'E')
            sign = c;
    if (!sign)
        return number_parse(buffer, im);
    if (!number_parse(sign, im))
        return false;
    *sign = 0;
    return number_parse(buffer, re);
}

const char *number_print(double value, char buffer[NUMBER_TEXT_SIZE])
{
    if (isnan(value))
        return "nan";
    if (isinf(value))
        return value < 0 ? "-inf" : "inf";
    /* Integers of 15 digits, which are the same in all locales. */
    if (fabs(value) < 1e15 && value == trunc(value) && (value != 0 || !signbit(value))) {
        snprintf(buffer, NUMBER_TEXT_SIZE, "%lld.0", (long long)value);
        return buffer;
    }
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    uselocale(before);
    freelocale(c);
    if (!strpbrk(buffer, ".e"))
        strcat(buffer, ".0");
    return buffer;
}
