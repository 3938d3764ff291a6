/* The payload of an entry that holds code begins with a list of typed objects: "SDFGCODE", their number, of each one
 * its type, the bytes of its name with a zero, and its size (numbers of 32, 32 and 64 bits, in the byte order of the
 * machine); then names and contents. Others may follow it. */
#ifndef CACHE_OBJECTS_H
#define CACHE_OBJECTS_H

#include "base/code_object.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

void objects_put(struct text *out, const struct code_object *objects, uint32_t count);
/* Takes the list away from the bytes at *at; names and contents stay in them, the list is in `a`. False: there is none,
 * or it is damaged. */
bool objects_take(const unsigned char **at, size_t *left, struct arena *a, struct code_object **out, uint32_t *count);
/* "machine code", "device image", "target's code". */
const char *objects_type_name(enum code_type type);

#endif
