#include "runtime/runtime.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

void *sdfg_rt_alloc(struct sdfg_rt_context *context, int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX - ALIGNMENT) {
        sdfg_rt_fail(context, bytes < 0 ? SDFG_RT_BAD_VALUE : SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    /* Empty containers have an address of their own too. */
    size_t size = bytes ? ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, size);
    if (!memory)
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    return memory;
}

void sdfg_rt_free(struct sdfg_rt_context *context, void *memory)
{
    (void)context;
    free(memory);
}
