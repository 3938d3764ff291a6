/* Where an element stands: its path in the SDFG and, when known, the user's source line. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include "base/text.h"

#include <stdint.h>

#define PLACE_NO_ID UINT32_MAX

/* First member of every IR element. The element path is the chain of parents and is only printed when needed:
 *     axpy/state[0] "MapState"/map[0] "axpy_5"
 * The root (no parent) prints its label alone. */
struct place {
    const struct place *parent;
    const char *noun, *label; /* "tasklet", "_Mult_"; label may be NULL */
    uint32_t id;              /* position in the parent's list, or PLACE_NO_ID */
    uint32_t line, column;    /* source line of the user's program; 0: unknown */
    const char *file;         /* NULL: unknown */
};

void place_print(const struct place *p, struct text *out);        /* the element path */
void place_print_inner(const struct place *p, struct text *out);  /* the same without the root; of the root: nothing */
void place_print_source(const struct place *p, struct text *out); /* "user.py:5:4", nearest known; nothing if unknown */
const struct place *place_source(const struct place *p);          /* nearest place with a line, or NULL */

#endif
