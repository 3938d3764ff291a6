/* Structs of the public header that begin with `size_t struct_size`, made by callers of any version of it. */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Copies what a caller gave over the defaults in `own`, which is `size` bytes long: of a shorter struct its fields, of
 * a longer one those that are known here, the rest of which must be zero. What is wrong with it, as the end of a
 * sentence about the struct; NULL: nothing. */
const char *sized_take(void *own, size_t size, const void *given);

/* Copies `own`, which is `size` bytes long, to a caller, as far as his struct goes; what is not known here becomes
 * zero. The caller's struct_size stays. */
void sized_give(void *out, const void *own, size_t size);

#endif
