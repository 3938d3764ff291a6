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

const char *number_print(double value, char buffer[NUMBER_TEXT_SIZE])
{
    if (isnan(value))
        return "nan";
    if (isinf(value))
        return value < 0 ? "-inf" : "inf";
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
