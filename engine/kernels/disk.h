/* Kernels on disk: what a compilation made, by everything that it depended on (docs/cache.md). Trouble is never an
 * error of the caller. */
#ifndef ENGINE_DISK_H
#define ENGINE_DISK_H

#include "engine/kernels/kernel.h"

#include "cache/store.h"

/* Where the kernels of an engine are kept. NULL if its options rule a cache out; *why (static) says which. */
struct disk *disk_new(struct sdfg_engine *e, const char **why);
void disk_free(struct disk *d); /* waits for what is being written; NULL is allowed */

/* The key of a kernel, in `a`; NULL with *why if it must not be kept. `quick`: of the quick tier. */
const char *disk_key(struct disk *d, const struct sdfg_program *p, const struct signature *s, bool quick,
                     struct arena *a, const char **why);
/* Fills in code, parameters and `placed` of a kernel from its entry. */
bool disk_load(struct disk *d, const char *key, struct sdfg_kernel *k);
/* Fills in the interface of a program whose file's bytes are known (engine/program/interface.h). */
bool disk_load_interface(struct disk *d, struct sdfg_program *p);
/* Writes it, unless it was read or written before; beside what the caller does next. */
void disk_store_interface(struct disk *d, struct sdfg_program *p);
/* Writes a kernel that was compiled now, and the interface of its program, beside what the caller does next; then gives
 * up the lock. */
void disk_store(struct disk *d, const char *key, const struct sdfg_kernel *k, struct cache_lock lock);

/* What makes keys of this host differ from those of others: builds and processor; NULL with *why if there is none. */
const char *disk_host(struct disk *d, const char **why);
void disk_wait(struct disk *d); /* until nothing is being written */
struct cache_store *disk_store_of(struct disk *d);

#endif
