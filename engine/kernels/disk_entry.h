/* A kernel as bytes: parameters, entry points, objects. */
#ifndef ENGINE_DISK_ENTRY_H
#define ENGINE_DISK_ENTRY_H

#include "base/text.h"
#include "engine/kernels/kernel.h"

void kernel_write(const struct codegen_result *code, struct text *out);
/* The tables are copied into k->arena and the objects placed; false with *why (in `a`) if the bytes are not what
 * kernel_write wrote, or the code cannot be placed here. *why is NULL if the entry is sound, but made for machines with
 * another size of the largest cache. */
bool kernel_read(const void *bytes, size_t size, bool listeners, struct sdfg_kernel *k, struct arena *a,
                 const char **why);

#endif
