/* Suggestions for names that are not known. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

/* Looks for the name that is closest in spelling: near_begin, near_try for each candidate, then `best`. */
struct near {
    const char *name;
    unsigned closest; /* edits */
    char best[64];    /* "" if nothing is close */
};

struct near near_begin(const char *name);
void near_try(struct near *n, const char *candidate);

#endif
