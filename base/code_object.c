#include "base/code_object.h"

#include "base/arena.h"

#include <string.h>

const void *code_object_bytes(struct arena *a, const void *bytes, size_t size)
{
    enum { ALIGNMENT = 16 };
    void *copy = arena_alloc(a, size / ALIGNMENT * ALIGNMENT + ALIGNMENT); /* multiples of it are aligned to it */
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}
