/* Sentences that plug-ins give through sdfg_give: why something cannot be used. */
#ifndef ENGINE_REASON_H
#define ENGINE_REASON_H

#include <stddef.h>

enum { REASON_BYTES = 400 };

struct reason {
    char text[REASON_BYTES];
};

void reason_take(void *reason, const char *text, size_t size); /* a function sdfg_give; what is too long is cut */
void reason_settle(struct reason *r);                          /* nothing was given: it says so */

#endif
