#include "base/map.h"

#include "tests/unit/check.h"

/* A map beside a plain list of the same pairs. */

enum { KEYS = 200 };

struct model {
    const char *keys[KEYS];
    uint32_t values[KEYS], count;
};

static uint32_t place_in(const struct model *m, const char *key)
{
    uint32_t i = 0;
    while (i < m->count && m->keys[i] != key)
        i++;
    return i;
}

static void model_put(struct model *m, const char *key, uint32_t value)
{
    uint32_t i = place_in(m, key);
    m->keys[i] = key;
    m->values[i] = value;
    m->count += i == m->count;
}

static void model_remove(struct model *m, const char *key)
{
    uint32_t i = place_in(m, key);
    if (i == m->count)
        return;
    m->count--;
    for (; i < m->count; i++) {
        m->keys[i] = m->keys[i + 1];
        m->values[i] = m->values[i + 1];
    }
}

static void check_equal(const struct map *map, const struct model *m, const char *keys)
{
    CHECK_INT(map->count, m->count);
    for (uint32_t i = 0; i < m->count; i++) /* in the order in which they came */
        CHECK(map->slots[i].key == m->keys[i]);
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t i = place_in(m, &keys[k * 16]);
        CHECK(map_has(map, &keys[k * 16]) == (i < m->count));
        CHECK_INT((uintptr_t)map_get(map, &keys[k * 16]), i < m->count ? m->values[i] : 0);
    }
}

/* Keys come and go in any order, and every other one is looked up after each step. */
TEST(keys_come_and_go)
{
    static const char keys[KEYS * 16];
    struct arena *a = arena_new();
    struct map map = { 0 };
    struct model model = { .count = 0 };
    uint64_t random = 12345;
    for (uint32_t step = 1; step < 4000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const char *key = &keys[(random >> 33) % KEYS * 16];
        if ((random >> 21) % 5 < 2) {
            map_remove(&map, key);
            model_remove(&model, key);
        } else {
            map_put(a, &map, key, (void *)(uintptr_t)step);
            model_put(&model, key, step);
        }
        if (step % 16 == 0)
            check_equal(&map, &model, keys);
    }
    while (model.count) { /* the last one first */
        const char *key = model.keys[model.count - 1];
        map_remove(&map, key);
        model_remove(&model, key);
        check_equal(&map, &model, keys);
    }
    arena_free(a);
}

CHECK_MAIN
