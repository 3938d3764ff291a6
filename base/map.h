/* Hash map from a pointer (usually an interned name) to a pointer, in an arena. Iteration follows insertion order. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct map_slot {
    const void *key;
    void *value;
};

struct map {
    struct map_slot *slots; /* in insertion order */
    uint32_t *index;        /* open addressing: 1 + position in slots */
    uint32_t count, capacity, index_size;
};

void *map_get(const struct map *m, const void *key); /* NULL if absent */
bool map_has(const struct map *m, const void *key);
void map_put(struct arena *a, struct map *m, const void *key, void *value); /* replaces */
void **map_at(struct arena *a, struct map *m, const void *key); /* its value, until the next is added; NULL if new */
void map_remove(struct map *m, const void *key);

#endif
