/* Any bytes as a .npy file: no input crashes the reader, and what it accepts has the size it says. */
#include "engine/cli/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tensor t;
    char why[100] = "";
    if (npy_parse(&t, data, size, why, sizeof why)) {
        size_t bytes = (size_t)tensor_count(&t) * t.item_bytes;
        if (bytes > size)
            abort();
        for (size_t i = 0; i < bytes; i++)
            why[0] ^= ((char *)t.data)[i];
        tensor_free(&t);
    } else if (!why[0]) {
        abort();
    }
    return 0;
}
