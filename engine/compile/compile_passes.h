/* The table of passes of one compilation: the library's with those of plug-ins in their places, and what a request says
 * of them. */
#ifndef ENGINE_COMPILE_PASSES_H
#define ENGINE_COMPILE_PASSES_H

#include "engine/compile/compile.h"

/* Facts that plug-ins have named. */
enum { OWN_FACTS = 16 };
struct fact_names {
    const char *own[OWN_FACTS]; /* number i is FACT_OWN << i */
    uint32_t count;
};

/* What is wrong goes to `d`, and the pass is left out. */
const struct pass *passes_with(struct arena *a, struct diags *d, const struct codegen_added *added,
                               struct fact_names *names);
/* The fact of that name; 0: there is none. */
unsigned fact_find(const struct fact_names *names, const char *name);
/* The facts of a set with ", " between them, in `a`. */
const char *facts_text(struct arena *a, unsigned set, const struct fact_names *names);

/* Rows that run again until nothing changes. */
struct pass_group {
    const struct pass *first, *last;
    unsigned rounds; /* at most */
};
/* The group of a row; false: it runs once. */
bool pass_group(const struct pass *rows, const struct pass *p, struct pass_group *out);

/* Fills in c->passes, and which of them the request skips or forces. */
bool passes_choose(struct compile *c);

#endif
