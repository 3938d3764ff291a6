/* 128-bit content hashes (XXH3): names of entries and their checksums. Not cryptographic: a cache belongs to one user.
 */
#ifndef CACHE_HASH_H
#define CACHE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct cache_hash {
    uint64_t high, low;
};

enum { CACHE_HASH_TEXT = 33 };

struct cache_hash cache_hash(const void *data, size_t size);
void cache_hash_text(struct cache_hash h, char out[CACHE_HASH_TEXT]); /* 32 hexadecimal digits */

#endif
