#include "engine/program/bytes.h"

#include <string.h>

enum { SEVEN = 7, LOW = 127, MORE = 128 };

void bytes_put_number(struct text *out, uint64_t n)
{
    for (; n > LOW; n >>= SEVEN)
        text_addc(out, (char)((n & LOW) | MORE));
    text_addc(out, (char)n);
}

void bytes_put_signed(struct text *out, int64_t n)
{
    bytes_put_number(out, n < 0 ? ~((uint64_t)n << 1) : (uint64_t)n << 1);
}

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
    if (!b->failed && b->left && *b->at <= LOW && *b->at <= most) { /* nearly all are this short */
        b->left--;
        return *b->at++;
    }
    uint64_t n = 0;
    unsigned shift = 0;
    unsigned char byte = MORE;
    for (; !b->failed && byte & MORE; shift += SEVEN) {
        const unsigned char *at = bytes_take(b, 1);
        byte = at ? *at : 0;
        b->failed |= shift > 63 || (shift == 63 && byte > 1);
        n |= b->failed ? 0 : (uint64_t)(byte & LOW) << shift;
    }
    b->failed |= n > most;
    return b->failed ? 0 : n;
}

int64_t bytes_take_signed(struct bytes *b)
{
    uint64_t n = bytes_take_number(b, UINT64_MAX);
    n = n & 1 ? ~(n >> 1) : n >> 1;
    int64_t value;
    memcpy(&value, &n, sizeof value);
    return value;
}

const char *bytes_look_text(struct bytes *b)
{
    uint64_t size = bytes_take_number(b, SIZE_MAX);
    const char *text = (const char *)bytes_take(b, size);
    b->failed |= !size || (text && (text[size - 1] || memchr(text, 0, size - 1)));
    return b->failed ? "" : text;
}

const char *bytes_take_text(struct bytes *b, struct arena *a)
{
    const char *text = bytes_look_text(b);
    return b->failed ? "" : arena_strdup(a, text);
}
