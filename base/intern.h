/* Interned names: equal text is one pointer, so names are compared with ==.
 * A table belongs to one compilation (one thread); the names live in its arena. Hashes do not depend on addresses. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"

#include <stdint.h>

struct intern;

struct intern *intern_new(struct arena *a);
const char *intern(struct intern *t, const char *text);
const char *intern_n(struct intern *t, const char *text, size_t length);
const char *intern_joined(struct intern *t, const char *first, const char *second); /* of both, one behind the other */
const char *intern_find(const struct intern *t, const char *text);                  /* NULL if never interned */

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed); /* stable between runs and machines */

#endif
