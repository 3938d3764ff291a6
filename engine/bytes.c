#include "engine/bytes.h"

#include <string.h>

void bytes_put_number(struct text *out, uint64_t n) { text_addn(out, (const char *)&n, sizeof n); }

void bytes_put_text(struct text *out, const char *text)
{
    size_t size = strlen(text) + 1;
    bytes_put_number(out, size);
    text_addn(out, text, size);
}

const unsigned char *bytes_take(struct bytes *b, uint64_t size)
{
    if (b->failed || size > b->left) {
        b->failed = true;
        return NULL;
    }
    const unsigned char *at = b->at;
    b->at += size;
    b->left -= size;
    return at;
}

uint64_t bytes_take_number(struct bytes *b, uint64_t most)
{
    uint64_t n = 0;
    const unsigned char *at = bytes_take(b, sizeof n);
    if (at)
        memcpy(&n, at, sizeof n);
    b->failed |= n > most;
    return b->failed ? 0 : n;
}

int64_t bytes_take_signed(struct bytes *b)
{
    uint64_t n = bytes_take_number(b, UINT64_MAX);
    int64_t value;
    memcpy(&value, &n, sizeof value);
    return value;
}

const char *bytes_take_text(struct bytes *b, struct arena *a)
{
    uint64_t size = bytes_take_number(b, SIZE_MAX);
    const char *text = (const char *)bytes_take(b, size);
    b->failed |= !size || (text && text[size - 1]);
    return b->failed ? "" : arena_strdup(a, text);
}
