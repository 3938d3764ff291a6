#include "cache/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>

struct cache_hash cache_hash(const void *data, size_t size)
{
    XXH128_hash_t h = XXH3_128bits(data, size);
    return (struct cache_hash){ h.high64, h.low64 };
}

void cache_hash_text(struct cache_hash h, char out[CACHE_HASH_TEXT])
{
    snprintf(out, CACHE_HASH_TEXT, "%016llx%016llx", (unsigned long long)h.high, (unsigned long long)h.low);
}
