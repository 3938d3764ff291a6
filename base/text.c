#include "base/text.h"

#include <stdio.h>

struct text text_new(struct arena *a) { return (struct text){ .arena = a }; }

enum { LARGE = 1 << 20 }; /* bytes of a text that is moved, not copied, and grows in smaller steps */

void text_grow(struct text *t, size_t more)
{
    size_t capacity = t->capacity ? t->capacity : 16; /* 32 at first: most texts are names and short code */
    do
        capacity += capacity < LARGE ? capacity : capacity / 4;
    while (capacity < t->length + more + 1);
    t->data = arena_grow(t->arena, t->data, t->length, t->capacity, capacity);
    t->capacity = capacity;
}

void text_add_int(struct text *t, long long value)
{
    unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    size_t length = value < 0 ? 2 : 1;
    for (unsigned long long next = 10; left >= next; next *= 10) /* the largest one is 10^19 */
        length++;
    char *first = text_room(t, length), *digit = first + length;
    if (value < 0)
        *first = '-';
    do
        *--digit = (char)('0' + left % 10);
    while (left /= 10);
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    if (t->capacity - t->length <= 16)
        text_grow(t, 16);
    size_t room = t->capacity - t->length;
    int n = vsnprintf(t->data + t->length, room, format, again);
    va_end(again);
    if ((size_t)n >= room) {
        text_grow(t, (size_t)n);
        vsnprintf(t->data + t->length, (size_t)n + 1, format, args);
    }
    t->length += (size_t)n;
    va_end(args);
}

const char *text_get(const struct text *t) { return t->data ? t->data : ""; }
