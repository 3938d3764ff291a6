/* Graphs of Python programs on disk, by the content of all files that they were made from: a program that has not
 * changed is not parsed again. Trouble is never an error. */
#ifndef ENGINE_PROGRAM_PYTHON_CACHE_H
#define ENGINE_PROGRAM_PYTHON_CACHE_H

#include "engine/kernels/disk.h"
#include "frontend/frontend.h"

/* The key of the graph of `path` ("prog.py:f"), whose file has these bytes, in `a`; NULL: it is not kept. */
const char *python_cache_key(struct disk *d, struct arena *a, const char *path, const char *options, const char *source,
                             size_t size);
/* The text of the graph, in the arena of `ir`, if the files that it was made from are as they were; their paths go to
 * *imports. NULL: there is none. */
char *python_cache_look(struct disk *d, const char *key, struct ir *ir, struct frontend_imports *imports, size_t *size);
void python_cache_leave(struct disk *d, const char *key, struct arena *a, const struct frontend_imports *imports,
                        const char *json, size_t size);

#endif
