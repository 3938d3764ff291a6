#include "base/sized.h"

#include <string.h>

static size_t size_of(const void *any)
{
    size_t size;
    memcpy(&size, any, sizeof size);
    return size;
}

const char *sized_take(void *own, size_t size, const void *given)
{
    size_t length = size_of(given);
    if (length < sizeof length)
        return "has no struct_size; it begins as SDFG_..._INIT";
    for (size_t i = size; i < length; i++)
        if (((const char *)given)[i])
            return "uses a field that this version of the library does not know";
    memcpy(own, given, length < size ? length : size);
    return NULL;
}

void sized_give(void *out, const void *own, size_t size)
{
    size_t length = size_of(out);
    if (length < sizeof length)
        return;
    memcpy((char *)out + sizeof length, (const char *)own + sizeof length,
           (length < size ? length : size) - sizeof length);
    if (length > size)
        memset((char *)out + size, 0, length - size);
}
