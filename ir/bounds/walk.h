/* What the files of this folder share; nobody else includes it. */
#ifndef IR_BOUNDS_WALK_H
#define IR_BOUNDS_WALK_H

#include "ir/bounds/bounds.h"

/* What a name of the graph stands for: an expression over free symbols of the program and parameters. */
struct bound_name {
    const struct bound_name *outer;
    const char *name;
    const struct sym *value;
};

/* The parameter of a map or loop around the code, under a name of its own. */
struct bound_param {
    const char *name;
    const struct sym *first, *last; /* over the parameters before it */
    const struct sym *extent;       /* last - first in the direction of the step: >= 0 if there is an iteration */
};

/* Memory that an inner container is a part of. */
struct bound_memory {
    const struct container *data; /* an argument of the program or a transient */
    const struct sym *begin;      /* of the part: an element of `data` */
    const struct sym *total;      /* elements of `data` */
};

struct bound_walk {
    struct ir *ir;
    struct arena *scratch;
    struct sdfg *root, *sdfg;         /* the latter is being walked */
    struct map assigned;              /* symbols that the root assigns */
    const struct bound_name *names;   /* innermost first */
    const struct bound_name *outside; /* those of the scopes' state: shapes are in terms of them */
    VEC(struct bound_param) params;   /* outermost first */
    bool certain;                     /* the code runs if every parameter has an iteration */
    uint32_t depth;                   /* of nested SDFGs */
    struct map memory;                /* container of an inner SDFG -> struct bound_memory * */
    struct map sized;                 /* containers whose sizes have been looked at, once for all accesses */
    struct map seen;                  /* excess expression -> the last bound with it */
    VEC(struct bound) found;
    bool bad;
};

void bound_name(struct bound_walk *w, const char *name, const struct sym *value); /* declares it */
/* Resolves names; SYM_UNDEFINED if one has no value that is known before the program runs. */
const struct sym *bound_resolve(struct bound_walk *w, const struct bound_name *names, const struct sym *s);
/* Declares a parameter for as long as w->names keeps it; false if its range is not known beforehand. */
bool bound_push(struct bound_walk *w, const char *name, const struct range *r);
/* Judges an expression at the iteration where it is largest (or smallest), as far as that can be told. */
struct bound_point {
    bool *last; /* per parameter: at its last iteration, not its first */
};
struct bound_point bound_extreme(struct bound_walk *w, const struct sym *s, bool largest);
const struct sym *bound_at(struct bound_walk *w, const struct bound_point *p, const struct sym *s);
/* Adds a bound whose expressions are over parameters, with guards for them and for `own` (all >= 0). */
void bound_add(struct bound_walk *w, const struct bound *b, const struct bound_point *p, const struct sym *const *own,
               uint32_t num_own);

void bound_region(struct bound_walk *w, const struct place *place, const struct container *c, const struct subset *s);
/* Elements of containers that an expression names; those of a region (NULL: it has none): of where it begins, or of all
 * of it. */
void bound_elements(struct bound_walk *w, const struct place *place, const struct sym *s);
void bound_names(struct bound_walk *w, const struct place *place, const struct subset *s, bool whole);
void bound_code(struct bound_walk *w, const struct place *place, const struct code *c); /* NULL: there is none */
void bound_names_of_size(struct bound_walk *w, const struct container *c);              /* it is allocated */
void bound_edge(struct bound_walk *w, struct edge *e); /* of code or a copy, at its inner end */
/* Also remembers what memory the inner container is. `names`: those of the inner SDFG. */
void bound_connector(struct bound_walk *w, struct edge *e, struct nested *n, const char *conn,
                     const struct bound_name *names);
void bound_view(struct bound_walk *w, const struct access *a);
void bound_size(struct bound_walk *w, const struct container *c); /* also remembers a layout that may not fit */

#endif
