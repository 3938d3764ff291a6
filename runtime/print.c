/* What Python's print writes: one text in one write, so that lines of threads do not mix. */
#include "runtime/runtime.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 48 };

/* The shortest digits that read back as the same number, as Python's repr has them. */
static void shortest(double x, bool single, char out[NUMBER])
{
    char digits[NUMBER];
    int precision = 0, exponent;
    if (x != x || isinf(x)) {
        strcpy(out, x != x ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    for (;; precision++) { /* 17 digits always do */
        snprintf(digits, sizeof digits, "%.*e", precision, x);
        if (single ? strtof(digits, NULL) == (float)x : strtod(digits, NULL) == x)
            break;
    }
    char *mark = strchr(digits, 'e');
    exponent = atoi(mark + 1);
    if (exponent < -4 || exponent >= 16) {
        strcpy(out, digits);
        return;
    }
    int places = precision - exponent;
    snprintf(out, NUMBER, "%.*f", places > 0 ? places : 1, x);
}

struct line {
    char *text;
    size_t length, capacity;
};

static void add(struct line *l, const char *text, size_t length)
{
    if (!length)
        return;
    if (l->length + length > l->capacity) {
        size_t capacity = 2 * l->capacity + length + 64;
        char *more = realloc(l->text, capacity);
        if (!more) /* what does not fit is not printed */
            return;
        l->text = more;
        l->capacity = capacity;
    }
    memcpy(l->text + l->length, text, length);
    l->length += length;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_flag(char c) { return c && strchr("-+ #0.", c); }

/* One conversion: flags, width and precision as printf's; returns what follows it. */
static const char *convert(struct line *l, const char *spec, va_list *args)
{
    char format[NUMBER] = "%", number[NUMBER], text[512];
    size_t length = 1;
    const char *c = spec + 1;
    for (; (is_flag(*c) || is_digit(*c)) && length < 24; c++)
        format[length++] = *c;
    int written = 0;
    if (*c && strchr("sbrh", *c)) {
        strcpy(format + length, "s");
        const char *value = number;
        if (*c == 's')
            value = va_arg(*args, const char *);
        else if (*c == 'b')
            value = va_arg(*args, int) ? "True" : "False";
        else
            shortest(va_arg(*args, double), *c == 'h', number);
        if (length == 1) {
            add(l, value, strlen(value));
            return c + 1;
        }
        written = snprintf(text, sizeof text, format, value);
    } else if (*c && strchr("diouxX", *c)) {
        snprintf(format + length, sizeof format - length, "ll%c", *c);
        written = snprintf(text, sizeof text, format, va_arg(*args, long long));
    } else if (*c && strchr("eEfFgG", *c)) {
        snprintf(format + length, sizeof format - length, "%c", *c);
        written = snprintf(text, sizeof text, format, va_arg(*args, double));
    } else {
        add(l, "%", 1);
        return c + (*c == '%');
    }
    add(l, text, written < (int)sizeof text ? (size_t)(written > 0 ? written : 0) : sizeof text - 1);
    return c + 1;
}

int sdfg_rt_print(const char *format, ...)
{
    struct line line = { NULL, 0, 0 };
    va_list args;
    va_start(args, format);
    for (const char *c = format; *c;) {
        size_t plain = strcspn(c, "%");
        add(&line, c, plain);
        c += plain;
        if (*c)
            c = convert(&line, c, &args);
    }
    va_end(args);
    if (line.length)
        fwrite(line.text, 1, line.length, stdout);
    free(line.text);
    return (int)line.length;
}
