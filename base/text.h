/* Text being built: a growable character buffer in an arena, always zero-terminated. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>

struct text {
    struct arena *arena;
    char *data; /* NULL until something is added */
    size_t length, capacity;
};

struct text text_new(struct arena *a);
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t length);
void text_addc(struct text *t, char c);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *text_get(const struct text *t); /* "" when nothing was added */

#endif
