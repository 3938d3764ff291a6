/* Characters of identifiers: UTF-8, which ones a name may have, and the form in which names are compared. */
#ifndef IR_PYTHON_UNICODE_H
#define IR_PYTHON_UNICODE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The character that `text` of `left` bytes (at least 1) begins with, and its length in bytes; 0xfffd for what is no
 * UTF-8. */
uint32_t py_character(const char *text, size_t left, uint32_t *length);
void py_add_character(struct text *t, uint32_t c);

/* Whether a name may have c, or begin with it (Unicode's XID_Continue and XID_Start). */
bool py_in_name(uint32_t c);
bool py_starts_name(uint32_t c);

/* A name of `length` bytes in Unicode's form NFKC, in which Python compares names: one text for all ways to write it.
 */
const char *py_normal_name(struct arena *a, const char *name, size_t length, size_t *normal_length);

#endif
