#include "base/intern.h"

#include <stdbool.h>
#include <string.h>

struct name {
    uint64_t hash;
    const char *text;
    size_t length;
};

struct intern {
    struct arena *arena;
    struct name *names; /* open addressing, size is a power of two */
    size_t size, count;
};

/* Eight bytes at a time, the last ones as one number that overlaps what was before. */
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = (size + 1) * 0xcbf29ce484222325u ^ (seed * 0x9e3779b97f4a7c15u), word = 0;
    for (size_t left = size; left > 8; left -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    if (size >= 8) {
        memcpy(&word, (const unsigned char *)data + size - 8, 8);
    } else {
        word = 0;
        for (size_t i = 0; i < size; i++)
            word = word << 8 | p[i];
    }
    h = (h ^ word) * 0x9fb21c651e98df25u;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

struct intern *intern_new(struct arena *a)
{
    struct intern *t = NEW(a, struct intern);
    t->arena = a;
    t->size = 256;
    t->names = NEW_ARRAY(a, struct name, t->size);
    return t;
}

static struct name *find(const struct intern *t, const char *text, size_t length, uint64_t hash)
{
    size_t i = hash & (t->size - 1);
    while (t->names[i].text) {
        struct name *n = &t->names[i];
        if (n->hash == hash && n->length == length && !memcmp(n->text, text, length))
            return n;
        i = (i + 1) & (t->size - 1);
    }
    return &t->names[i];
}

static void grow(struct intern *t)
{
    struct name *old = t->names;
    size_t old_size = t->size;
    t->size *= 2;
    t->names = NEW_ARRAY(t->arena, struct name, t->size);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].text)
            *find(t, old[i].text, old[i].length, old[i].hash) = old[i];
}

const char *intern_n(struct intern *t, const char *text, size_t length)
{
    uint64_t hash = hash_bytes(text, length, 0);
    struct name *n = find(t, text, length, hash);
    if (n->text)
        return n->text;
    const char *copy = arena_strndup(t->arena, text, length);
    *n = (struct name){ hash, copy, length };
    if (++t->count * 2 > t->size)
        grow(t);
    return copy;
}

const char *intern(struct intern *t, const char *text) { return intern_n(t, text, strlen(text)); }

const char *intern_joined(struct intern *t, const char *first, const char *second)
{
    char most[128]; /* names are that short */
    size_t n = strlen(first), m = strlen(second);
    if (n + m >= sizeof most)
        return intern(t, arena_join(t->arena, first, second));
    memcpy(most, first, n);
    memcpy(most + n, second, m);
    return intern_n(t, most, n + m);
}

const char *intern_find(const struct intern *t, const char *text)
{
    size_t length = strlen(text);
    return find(t, text, length, hash_bytes(text, length, 0))->text;
}
