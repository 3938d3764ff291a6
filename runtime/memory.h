/* Memory of the runtime's own that is large and walked at once. */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stddef.h>

/* At least `bytes` bytes, aligned to a cache line, for free(); in huge pages if it is several of them. NULL: there is
 * no memory. */
void *sdfg_rt_pages(size_t bytes);

#endif
