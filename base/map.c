#include "base/map.h"

#include <string.h>

/* The place of a key in the index depends on its address, but iteration order never does. */
static uint32_t hash_key(const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static uint32_t *find(const struct map *m, const void *key)
{
    uint32_t i = hash_key(key) & (m->index_size - 1);
    while (m->index[i] && m->slots[m->index[i] - 1].key != key)
        i = (i + 1) & (m->index_size - 1);
    return &m->index[i];
}

static struct map_slot *slot_of(const struct map *m, const void *key)
{
    if (!m->index_size || !key)
        return NULL;
    uint32_t at = *find(m, key);
    return at ? &m->slots[at - 1] : NULL;
}

void *map_get(const struct map *m, const void *key)
{
    struct map_slot *s = slot_of(m, key);
    return s ? s->value : NULL;
}

bool map_has(const struct map *m, const void *key) { return slot_of(m, key) != NULL; }

static void rebuild(struct arena *a, struct map *m)
{
    m->capacity = m->capacity ? m->capacity * 2 : 8;
    struct map_slot *old = m->slots;
    uint32_t old_count = m->count;
    m->slots = NEW_ARRAY(a, struct map_slot, m->capacity);
    m->index_size = m->capacity * 2;
    m->index = NEW_ARRAY(a, uint32_t, m->index_size);
    m->count = 0;
    for (uint32_t i = 0; i < old_count; i++) {
        m->slots[m->count] = old[i];
        *find(m, old[i].key) = ++m->count;
    }
}

void **map_at(struct arena *a, struct map *m, const void *key)
{
    uint32_t *at = m->index_size ? find(m, key) : NULL;
    if (at && *at)
        return &m->slots[*at - 1].value;
    if (m->count == m->capacity) {
        rebuild(a, m);
        at = find(m, key);
    }
    m->slots[m->count] = (struct map_slot){ key, NULL };
    *at = ++m->count;
    return &m->slots[m->count - 1].value;
}

void map_put(struct arena *a, struct map *m, const void *key, void *value) { *map_at(a, m, key) = value; }

/* Takes the place out of the index: what lies behind it and could not be found any more moves up (Knuth, The Art of
 * Computer Programming 3, 6.4, algorithm R). */
static void unlink_place(struct map *m, uint32_t free)
{
    uint32_t mask = m->index_size - 1;
    for (uint32_t i = (free + 1) & mask; m->index[i]; i = (i + 1) & mask) {
        uint32_t home = hash_key(m->slots[m->index[i] - 1].key) & mask;
        if (((i - home) & mask) < ((i - free) & mask))
            continue;
        m->index[free] = m->index[i];
        free = i;
    }
    m->index[free] = 0;
}

void map_remove(struct map *m, const void *key)
{
    if (!map_has(m, key))
        return;
    uint32_t *place = find(m, key), at = *place;
    unlink_place(m, (uint32_t)(place - m->index));
    for (uint32_t i = at; i < m->count; i++) { /* slots keep their order */
        *find(m, m->slots[i].key) = i;
        m->slots[i - 1] = m->slots[i];
    }
    m->count--;
}
