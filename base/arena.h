/* Arena: everything that belongs to one compilation is allocated here and dies together.
 *
 * Memory is zeroed and aligned to 16 bytes if its size is a multiple of that, else to 8 bytes, which is enough for any
 * type and takes an eighth less for what trees are made of. Running out of memory abandons the work in progress
 * (base/fatal.h), so no caller checks for NULL; an arena that was made since the innermost guard of the thread was set
 * is freed then. Sanitizer builds give every allocation its own block, so that overruns are seen. One arena belongs
 * to one thread. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);  /* NULL is allowed */
void arena_reset(struct arena *a); /* as new, but keeps memory for the next use */

struct guard;
/* From now on `g` (NULL: nobody) frees the arena when the work in progress is abandoned. */
void arena_guard(struct arena *a, struct guard *g);
/* For an arena that something else owns by now, which may even be freed by another thread. */
static inline void arena_keep(struct arena *a) { arena_guard(a, NULL); }

void *arena_alloc(struct arena *a, size_t size);
/* More room, `larger` bytes, for the `size` bytes at `data` (NULL: none), of which the first `used` are kept. */
void *arena_grow(struct arena *a, void *data, size_t used, size_t size, size_t larger);
void *arena_copy(struct arena *a, const void *data, size_t size);
char *arena_strndup(struct arena *a, const char *text, size_t length);
char *arena_strdup(struct arena *a, const char *text);
char *arena_join(struct arena *a, const char *first, const char *second);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args);
size_t arena_bytes(const struct arena *a); /* handed out so far */

#define NEW(arena, type)              ((type *)arena_alloc((arena), sizeof(type)))
#define NEW_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))

#endif
