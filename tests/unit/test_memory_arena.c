/* Arenas: alignment, zeroed memory, what a reset keeps. */
#include "base/arena.h"
#include "base/vec.h"
#include "tests/unit/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SIZES = 60 };

/* From small ones to some that are larger than a block. */
static size_t size_of(uint32_t i) { return i % 7 == 6 ? (size_t)i * 5000 : i * 13 + 1; }

TEST(alignment)
{
    struct arena *a = arena_new();
    for (uint32_t i = 0; i < SIZES; i++) {
        CHECK((uintptr_t)arena_alloc(a, 16 * (size_t)i) % 16 == 0);
        CHECK((uintptr_t)arena_alloc(a, size_of(i)) % 8 == 0);
    }
    arena_free(a);
}

/* Every round finds zeros, whatever blocks the one before left, and writes to all of it. */
TEST(reset)
{
    struct arena *a = arena_new();
    for (uint32_t round = 0; round < 8; round++) {
        unsigned char *all[SIZES];
        bool zeroed = true, kept = true;
        for (uint32_t i = 0; i < SIZES; i++) {
            size_t size = size_of((i * 11 + round * 17) % SIZES);
            all[i] = arena_alloc(a, size);
            for (size_t k = 0; k < size; k++)
                zeroed &= !all[i][k];
            memset(all[i], (int)i + 1, size);
        }
        for (uint32_t i = 0; i < SIZES; i++)
            for (size_t k = 0; k < size_of((i * 11 + round * 17) % SIZES); k++)
                kept &= all[i][k] == i + 1;
        CHECK(zeroed);
        CHECK(kept);
        arena_reset(a);
        CHECK_INT(arena_bytes(a), 0);
    }
    arena_free(a);
}

/* Two that grow in turns, which is where neither can stay, and one alone. */
TEST(vectors)
{
    struct arena *a = arena_new();
    VEC(uint32_t) x = { 0 }, y = { 0 };
    for (uint32_t i = 0; i < 3000; i++) {
        vec_push(a, &x, i);
        if (i < 1000)
            vec_push(a, &y, ~i);
    }
    bool good = true;
    for (uint32_t i = 0; i < 3000; i++)
        good &= x.items[i] == i && (i >= 1000 || y.items[i] == ~i);
    CHECK(good);
    CHECK(x.capacity >= x.count && y.capacity >= y.count);
    arena_free(a);
}

CHECK_MAIN
