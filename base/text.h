/* Text being built: a growable character buffer in an arena, always zero-terminated. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <string.h>

struct text {
    struct arena *arena;
    char *data; /* NULL until something is added */
    size_t length, capacity;
};

struct text text_new(struct arena *a);
void text_grow(struct text *t, size_t more); /* room for `more` bytes and the zero behind them */
/* `length` bytes more, to be written to the address that this gives. */
static inline char *text_room(struct text *t, size_t length)
{
    if (t->length + length >= t->capacity)
        text_grow(t, length);
    char *to = t->data + t->length;
    t->length += length;
    to[length] = 0;
    return to;
}
static inline void text_addn(struct text *t, const char *s, size_t length)
{
    char *to = text_room(t, length);
    if (length)
        memcpy(to, s, length);
}
static inline void text_add(struct text *t, const char *s) { text_addn(t, s, strlen(s)); }
static inline void text_addc(struct text *t, char c) { *text_room(t, 1) = c; }
void text_add_int(struct text *t, long long value);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *text_get(const struct text *t); /* "" when nothing was added */

#endif
