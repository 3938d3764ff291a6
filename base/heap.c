#include "base/heap.h"

#include <stdlib.h>

enum {
    PIECE = 120 << 10, /* malloc gives blocks of 128 KiB a mapping of their own */
    PIECES = 32,
};

/* What is free in front of a block in use is not the end of the heap. */
void *heap_room(void)
{
    void *volatile pieces[PIECES];
    for (int i = 0; i < PIECES; i++)
        pieces[i] = malloc(PIECE);
    void *end = malloc(PIECE);
    for (int i = 0; i < PIECES; i++)
        free(pieces[i]);
    return end;
}
