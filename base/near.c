#include "base/near.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Edits that turn `a` into `b`: insert, delete, replace a letter; changes of case count nothing. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    unsigned row[LONGEST + 1];
    size_t n = strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST)
        return UINT32_MAX;
    for (unsigned k = 0; k <= n; k++)
        row[k] = k;
    for (unsigned i = 1; *a; a++, i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            unsigned replace = diagonal + ((*a | 32) != (b[k - 1] | 32));
            diagonal = row[k];
            unsigned shift = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            row[k] = replace < shift ? replace : shift;
        }
    }
    return row[n];
}

struct near near_begin(const char *name)
{
    size_t length = strlen(name);
    return (struct near){ .name = name, .closest = length < 2 ? 1 : 2 + (unsigned)length / 4 };
}

void near_try(struct near *n, const char *candidate)
{
    unsigned edits = distance(n->name, candidate);
    if (edits >= n->closest)
        return;
    n->closest = edits;
    snprintf(n->best, sizeof n->best, "%s", candidate);
}
