/* The file of one entry: header, key, payload. Numbers are little-endian as in memory; a version of the format is never
 * read by another. */
#ifndef CACHE_ENTRY_H
#define CACHE_ENTRY_H

#include "cache/hash.h"

#include "base/arena.h"

#include <stdbool.h>

#define ENTRY_MAGIC "SDFGKRNL"
enum { ENTRY_VERSION = 1, ENTRY_MOST_BYTES = 1 << 30 };

struct entry_header {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t key_bytes, payload_bytes;
    struct cache_hash checksum; /* of everything behind the header */
};

struct entry {
    const unsigned char *key, *payload;
    size_t key_bytes, payload_bytes;
};

/* Header, key and payload as one block in `a`. */
unsigned char *entry_build(struct arena *a, const struct entry *e, size_t *size);
/* Bytes of the entry that begins here, as its header says; 0 if that is no entry or ends behind `size`. */
size_t entry_size(const unsigned char *bytes, size_t size);
/* False with *why if the file is not a whole entry. *out points into `file`. */
bool entry_parse(const unsigned char *file, size_t size, struct entry *out, const char **why);

#endif
