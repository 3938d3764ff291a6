/* What the files of the functions share. */
#ifndef FRONTEND_FUNCTIONS_H
#define FRONTEND_FUNCTIONS_H

#include "frontend/lower.h"

/* The type in which an elementwise function computes. */
enum fe_rule {
    RULE_COMPLEX, /* float or complex */
    RULE_FLOAT,
    RULE_DOUBLE,
    RULE_SAME,
    RULE_ROUND,      /* float; integers stay */
    RULE_SIGN,       /* as SAME; of complex numbers the direction */
    RULE_ABS,        /* of complex numbers a float */
    RULE_CONJ,       /* reals stay */
    RULE_BOOL,       /* gives bool */
    RULE_FLOAT_BOOL, /* of floats, gives bool */
    RULE_INT,        /* integers only */
    RULE_FMOD,       /* as SAME, and the remainder of integers */
    RULE_LOGICAL,    /* of bools */
};
/* Methods of lists; those from LIST_INDEX change nothing. */
enum {
    LIST_APPEND,
    LIST_EXTEND,
    LIST_INSERT,
    LIST_POP,
    LIST_CLEAR,
    LIST_REVERSE,
    LIST_REMOVE,
    LIST_INDEX,
    LIST_COUNT,
    LIST_COPY
};
enum { FE_SIZED = 1 }; /* of fn_library */
enum fe_reduction { REDUCE_SUM, REDUCE_PROD, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL };

#define F(module, name, function, format, rule)                                                                        \
    const struct value *function(struct fe *f, const struct fe_builtin *b, struct fe_args *a);
#include "frontend/functions.def"
#undef F

/* A type given as NumPy allows it: a type, a Python type, None for `otherwise`. NULL with an error. */
const struct type *fe_dtype(struct fe *f, const struct py *n, const struct value *v, const struct type *otherwise);
/* The result into `out=` where `where=` holds, if they are given. */
const struct value *fe_into(struct fe *f, struct fe_args *a, const struct value *v);
const struct value *fe_reduce(struct fe *f, const struct py *n, const struct value *v, enum fe_reduction how,
                              const struct value *axis, bool keepdims, const struct value *initial,
                              const struct type *type);
/* What elements are combined with: `identity` NULL: they are combined with what `initial` is. */
struct fe_accumulation {
    const char *wcr, *identity;
    const struct value *initial;
};
const struct value *fe_accumulate(struct fe *f, const struct py *n, const struct value *v, const bool *reduced,
                                  const struct fe_accumulation *how);
/* Which axes of `v` are named by an argument `axis`: all of them for none. */
bool fe_reduced_axes(struct fe *f, const struct py *n, const struct value *v, const struct value *axis, bool *reduced);

/* The name that the result gets: the one that it is assigned to, or `otherwise`. */
const char *fe_wish(struct fe *f, const char *otherwise);
/* The type of an array of these values, which may be tuples of values; *weakest, NULL at first, is what they have met.
 */
const struct type *fe_joint_type(struct fe *f, const struct value *v, const struct value **weakest);

/* A function of frontend/library/ by its name; arguments as in a call of it. */
const struct value *fe_library(struct fe *f, const char *name, struct fe_args *a);
/* Extents of a new array; those that are known at run time only become symbols. NULL with an error. */
const struct sym **fe_extents(struct fe *f, const struct py *n, const struct value *v, uint32_t *rank);
/* One edge of a library node. */
struct fe_wire {
    const char *connector;
    const struct value *value; /* a view of a container */
    const char *descriptor;    /* instead of a view: a grid, sub-array or redistribution */
    bool out;
};
/* A library node of these edges in a state of its own. `attributes`: JSON, or NULL. */
void fe_wired_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                   const struct fe_wire *wires);
/* A library node: the last of the values is its result. `attributes`: JSON, or NULL. */
void fe_library_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                     const char *const *connectors, const struct value *const *values);

#endif
