/* What the system knows of the machine that it runs on. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

/* Bytes of the largest cache that a processor stores to; 0: not known. Thread-safe. */
int64_t machine_cache_bytes(void);

/* The same from Linux's description of a processor's caches in a folder; 0 if it has none. */
int64_t machine_cache_bytes_in(const char *folder);

#endif
