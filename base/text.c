#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct text text_new(struct arena *a) { return (struct text){ .arena = a }; }

static void reserve(struct text *t, size_t more)
{
    if (t->length + more + 1 <= t->capacity)
        return;
    size_t capacity = t->capacity ? t->capacity * 2 : 64;
    while (capacity < t->length + more + 1)
        capacity *= 2;
    char *data = arena_alloc(t->arena, capacity);
    if (t->length)
        memcpy(data, t->data, t->length);
    t->data = data;
    t->capacity = capacity;
}

void text_addn(struct text *t, const char *s, size_t length)
{
    reserve(t, length);
    if (length)
        memcpy(t->data + t->length, s, length);
    t->length += length;
    t->data[t->length] = 0;
}

void text_add(struct text *t, const char *s) { text_addn(t, s, strlen(s)); }

void text_addc(struct text *t, char c) { text_addn(t, &c, 1); }

void text_printf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    reserve(t, 16);
    size_t room = t->capacity - t->length;
    int n = vsnprintf(t->data + t->length, room, format, again);
    va_end(again);
    if ((size_t)n >= room) {
        reserve(t, (size_t)n);
        vsnprintf(t->data + t->length, (size_t)n + 1, format, args);
    }
    t->length += (size_t)n;
    va_end(args);
}

const char *text_get(const struct text *t) { return t->data ? t->data : ""; }
