#include "cache/entry.h"

#include <string.h>

unsigned char *entry_build(struct arena *a, const struct entry *e, size_t *size)
{
    struct entry_header h = {
        .version = ENTRY_VERSION,
        .header_bytes = sizeof h,
        .key_bytes = e->key_bytes,
        .payload_bytes = e->payload_bytes,
    };
    size_t body = e->key_bytes + e->payload_bytes;
    unsigned char *file = arena_alloc(a, sizeof h + body);
    memcpy(file + sizeof h, e->key, e->key_bytes);
    memcpy(file + sizeof h + e->key_bytes, e->payload, e->payload_bytes);
    memcpy(h.magic, ENTRY_MAGIC, sizeof h.magic);
    h.checksum = cache_hash(file + sizeof h, body);
    memcpy(file, &h, sizeof h);
    *size = sizeof h + body;
    return file;
}

size_t entry_size(const unsigned char *bytes, size_t size)
{
    struct entry_header h;
    if (size < sizeof h)
        return 0;
    memcpy(&h, bytes, sizeof h);
    size_t body = size - sizeof h;
    if (memcmp(h.magic, ENTRY_MAGIC, sizeof h.magic) || h.key_bytes > body || h.payload_bytes > body - h.key_bytes)
        return 0;
    return sizeof h + (size_t)(h.key_bytes + h.payload_bytes);
}

bool entry_parse(const unsigned char *file, size_t size, struct entry *out, const char **why)
{
    struct entry_header h;
    *why = "is cut off";
    if (size < sizeof h)
        return false;
    memcpy(&h, file, sizeof h);
    *why = "is no entry of this version";
    if (memcmp(h.magic, ENTRY_MAGIC, sizeof h.magic) || h.version != ENTRY_VERSION || h.header_bytes != sizeof h)
        return false;
    *why = "is cut off";
    size_t body = size - sizeof h;
    if (h.key_bytes > body || h.payload_bytes != body - h.key_bytes)
        return false;
    *why = "has a wrong checksum";
    struct cache_hash checksum = cache_hash(file + sizeof h, body);
    if (checksum.high != h.checksum.high || checksum.low != h.checksum.low)
        return false;
    *out = (struct entry){
        .key = file + sizeof h,
        .payload = file + sizeof h + h.key_bytes,
        .key_bytes = (size_t)h.key_bytes,
        .payload_bytes = (size_t)h.payload_bytes,
    };
    return true;
}
