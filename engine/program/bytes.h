/* Numbers and texts as bytes for the disk cache: numbers of 64 bits, seven in a byte, the least first and all but the
 * last with the eighth bit; signed ones with the sign in the least bit; texts with their zero. */
#ifndef ENGINE_BYTES_H
#define ENGINE_BYTES_H

#include "base/text.h"

#include <stdint.h>

void bytes_put_number(struct text *out, uint64_t n);
void bytes_put_signed(struct text *out, int64_t n);
void bytes_put_text(struct text *out, const char *text);

/* What is read. After the first failure everything is 0 or "". */
struct bytes {
    const unsigned char *at;
    size_t left;
    bool failed;
};

const unsigned char *bytes_take(struct bytes *b, uint64_t size);
uint64_t bytes_take_number(struct bytes *b, uint64_t most); /* more is a failure */
int64_t bytes_take_signed(struct bytes *b);
const char *bytes_look_text(struct bytes *b); /* in the bytes themselves */
const char *bytes_take_text(struct bytes *b, struct arena *a);

#endif
