/* What was measured about the choice of passes for a program: by signature and number of threads, in memory and in the
 * disk cache. */
#ifndef ENGINE_TUNE_KNOWN_H
#define ENGINE_TUNE_KNOWN_H

#include "cache/store.h"
#include "engine/kernels/kernel.h"

struct known {
    struct signature signature;
    int threads;
    const char *passes;      /* as in sdfg_options, with those of the engine; NULL: the default is best */
    const char *text;        /* for people: what was chosen, or why nothing was measured */
    bool measured, complete; /* complete: time was enough to try everything */
    double ratio, low, high; /* time by that of the default */
    const struct known *next;
};

struct known_table; /* of a program; any thread */
struct known_table *known_new(void);
void known_free(struct known_table *t);

/* About a signature; NULL: nothing is known. What comes back stays as long as the program. */
const struct known *known_find(struct sdfg_program *p, const struct signature *s, int threads);
/* Remembers it, and keeps it on disk if it was measured. The copy that stays. */
const struct known *known_add(struct sdfg_program *p, const struct known *k);

/* One thread at a time measures. */
struct cleanup;
void known_lock(struct cleanup *locked, struct sdfg_program *p);
void known_unlock(struct cleanup *locked);
/* The same for processes; true if it is worth looking again. */
bool known_lock_disk(struct sdfg_program *p, const struct known *k, struct cache_lock *out);

#endif
