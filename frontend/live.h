/* What the files of the live host share. */
#ifndef FRONTEND_LIVE_H
#define FRONTEND_LIVE_H

#include "engine/include/sdfg.h"
#include "frontend/lower.h"

struct live {
    struct fe *f;
    const struct sdfg_host *host;
    struct map answers;      /* question -> value */
    struct map arrays;       /* id as text -> struct fe_container * */
    struct map functions;    /* id as text -> struct fe_function * */
    VEC(const char *) asked; /* the questions that were answered, in order; each has left a guard */
    uint64_t entry;
};

/* Names of one function. */
struct live_host {
    struct fe_host host;
    struct live *live;
    uint64_t function;
    const char *name;
};

static inline struct sdfg_object live_unknown(void)
{
    return (struct sdfg_object){ .struct_size = sizeof(struct sdfg_object) };
}

extern const struct fe_host live_questions; /* what a host of live objects is asked (live.c) */

/* ---- answers (live_answer.c) ---- */
const char *live_key(struct fe *f, uint64_t id);
const struct value *live_descriptor(struct live *l, const struct py *n, const struct sdfg_object *o);
/* The argument that a live array is; the first path that reaches it gives the name. A parameter keeps its own. */
const struct value *live_array(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                               bool parameter);
/* What the host has answered: as a value, from now on the answer to `question`. */
const struct value *live_take(struct live *l, const struct py *n, struct fe_host *h, const char *question,
                              const char *path, bool good, const struct sdfg_object *o);
const struct value *live_answered(struct live *l, const char *question); /* NULL: it was not asked */

/* ---- calls of objects ---- */
/* By the interpreter at run time, or (live_graph) as a nested SDFG of the program where the object stands for a graph
 * (callback.c). a->wanted: a type, or data of the type and shape, None: the result is not used, a tuple of those; or
 * NULL. */
const struct value *live_callback(struct live *l, const struct py *n, const struct fe_callee *callee,
                                  const struct fe_args *a);
/* The value of a call that stands for a graph; `values` are those of its arguments. NULL without an error: it stands
 * for none, or *why it cannot be embedded. */
const struct value *live_graph(struct live *l, const struct py *n, const sdfg_site *site,
                               const struct value *const *values, const char *wish, const char **why);

/* ---- functions (live_function.c) ---- */
const struct fe_function *live_function(struct live *l, const struct py *n, uint64_t id); /* NULL with an error */

#endif
