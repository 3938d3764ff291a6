/* Remarks: what the compiler did with a program, what it did not do, and why (`sdfg-run --remarks`).
 *
 * A pass says so where it decides: `remark(r, &place, subject, REMARK_..., ...)` with a row of remark.def. Nobody asks
 * for remarks in an ordinary compilation: `r` is NULL then, and a remark costs a call that returns at once. What a pass
 * would have to find out for a remark alone it looks at only if `r` is there.
 *
 * One sink per compilation, used by one thread. Places and subjects are kept as pointers. */
#ifndef BASE_REMARK_H
#define BASE_REMARK_H

#include "base/place.h"

#include <stdbool.h>

enum remark_kind { REMARK_KIND_DONE, REMARK_KIND_MISSED };

/* remark.def: REMARK(name, topic, kind, "format"); the format's arguments are those of remark() after the code. */
enum remark_code {
#define REMARK(name, topic, kind, text) REMARK_##name,
#include "base/remark.def"
#undef REMARK
    REMARK_COUNT
};

struct remarks;

struct remarks *remarks_new(struct arena *a);
/* About an element, or a part of it: "loop i", "'T'"; NULL: all of it. `at` may be NULL. */
void remark(struct remarks *r, const struct place *at, const char *subject, enum remark_code code, ...);
/* A pass that looks at everything anew takes back what earlier ones on its topic (that of `code`) have missed. */
void remarks_again(struct remarks *r, enum remark_code code);

/* A number, from 1 on, for a place and a subject, to be handed through where no pointer can go. */
uint32_t remarks_number(struct remarks *r, const struct place *at, const char *subject);
/* What the number stands for; false if it is none. */
bool remarks_numbered(const struct remarks *r, uint32_t number, const struct place **at, const char **subject);

/* Seconds that what stands at an element takes, as part of a loop nest; the most of what is said of it counts. 0: not
 * known. `total`: all of the program, of which shares are printed; 0: not known. */
void remarks_time(struct remarks *r, const struct place *at, double seconds);
void remarks_total(struct remarks *r, double seconds);

/* One line each, paths without the root, equal ones once, what takes most of the time first, then sorted by line of the
 * source, then by element path, then as they came:
 * done   parallelize state[0] "MapState"/map[0] "axpy_5" (user.py:5:4), loop i: is parallelized, ... [83 %] */
void remarks_print(const struct remarks *r, struct text *out);

#endif
