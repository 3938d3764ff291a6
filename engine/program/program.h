/* A loaded program: the graph, and the tables about its arguments that every call reads. Nothing here changes after
 * loading, except the kernels and the persistent memory, which have their own locks (engine/kernels/kernel.h,
 * engine/call/handle.h).
 */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "cache/hash.h"
#include "engine/engine.h"
#include "engine/solve/solve.h"
#include "ir/graph.h"

#include <stdatomic.h>

/* An argument, a member of one, or the element of a container array; also transients, for queries. */
struct leaf {
    const char *name; /* of a member without prefix */
    enum sdfg_argument_kind kind;
    const struct place *place;
    const struct type *type; /* element type; NULL if unknown */
    sdfg_dtype dtype;        /* base type for vectors */
    uint32_t lanes;          /* 1 if no vector */
    size_t item_bytes;       /* of an element, with all lanes; 0 if it has no size */
    uint32_t rank;           /* 0 for scalars and symbols */
    struct form *shape, *strides;
    struct form total_size;
    const char *const *shape_texts, *const *strides_texts;
    int32_t variable; /* index of the integer it is to expressions, or -1 */
    bool written, optional, returned, transient, may_alias;
    bool solvable; /* a symbol that stands linearly in the shape or strides of an argument */
    /* structures: the members in order; container arrays: the element */
    struct leaf *members;
    uint32_t num_members;
    size_t memory_size, offset; /* of a structure; within the parent structure */
    bool placed;                /* a member that the struct type has */
    const char *type_text, *storage, *lifetime;
};

struct frontend_found;
struct limit;
struct kernel_table;
struct choices;
struct policy;
struct handle_table;
struct known_table;

struct sdfg_program {
    sdfg_engine *engine; /* held */
    atomic_uint holders; /* the caller until he frees it, what was made of it for him, and his kernels */
    atomic_bool freed;   /* by the caller */
    struct ir *ir;
    /* Of the file; NULL if it was not read: the interface was known (engine/program/interface.c), or the graph was
     * built and its text written. */
    const struct json *tree;
    /* The valid graph, in an `ir` of its own, for the compilation that takes it first. NULL: taken, or there is none
     * that could be given away. */
    _Atomic(struct sdfg *) graph;
    struct sdfg *root;  /* the graph, in an `ir` of its own, if the interface cannot do without it (a record cannot hold
                           it, or parts lie in other files); else NULL */
    struct text record; /* the interface as bytes, for disk; empty if it came from there, or if there is a root */
    const char *name, *dace_version, *hash;
    bool external;       /* nested SDFGs lie in other files */
    atomic_bool on_disk; /* the interface is, or will never be */
    bool *in_key;        /* per variable: sizes of persistent memory depend on it */
    char *json;          /* kept for compilations; the tree has taken it over if there is one */
    size_t json_size;
    char content[CACHE_HASH_TEXT]; /* of the file, for keys of the disk cache, if there is one */
    char meaning[CACHE_HASH_TEXT]; /* of it without places in sources */
    const char *folder;            /* or NULL */
    VEC(const char *) sources;     /* paths of the files that it was read from */
    sdfg_error *warnings;
    struct variable *variables;
    uint32_t num_variables;
    struct leaf *arguments, *transients;
    uint32_t num_arguments, num_transients;
    struct limit *limits; /* that values of symbols may exceed (engine/program/bounds.h) */
    uint32_t num_limits;
    VEC(const char *) constraints;
    struct kernel_table *kernels;
    struct policy *policy;
    struct choices *choices;
    struct handle_table *handles;
    struct known_table *known; /* choices of passes that were measured */
    struct sdfg_rt_pool *pool;
    struct frontend_found *found;              /* of a live function; else NULL */
    bool disjoint;                             /* from Python: calls whose arguments overlap are refused */
    bool written;                              /* the text is what sdfg_write() gives */
    struct sdfg_rt_data *data;                 /* NULL: neither saved nor restored */
    VEC(const struct enum_value *) workspaces; /* storages with containers of lifetime External */
};

/* The argument or member a name stands for: "A", "A.data", "B[2].x"; NULL if there is none. */
const struct leaf *program_lookup(const struct sdfg_program *p, const char *name);
/* The same, with the reason recorded. */
const struct leaf *program_find(const struct sdfg_program *p, const char *name, struct diags *d);
/* " (did you mean 'x'?)" for the argument that is closest in spelling, or "". */
const char *program_suggest(const struct sdfg_program *p, struct arena *a, const char *name);
/* Variable of that name, or -1. */
int32_t program_variable(const struct sdfg_program *p, const char *name);

/* The text of an SDFG, and where it comes from. */
struct program_text {
    char *json; /* in the arena of the program's `ir` */
    size_t size;
    const char *folder, *file; /* errors in the syntax name the file, unless it is NULL */
    const char *meaning;       /* `json` without places in sources, which kernels in the cache go by; NULL: all of it */
    size_t meaning_size;
    struct sdfg *built; /* the graph whose text it is, in an `ir` of its own, which is given away; or NULL */
};
/* A program from the text of its SDFG; `ir` becomes the program's. */
sdfg_error *program_load(sdfg_program **out, sdfg_engine *e, struct ir *ir, const struct program_text *t);
/* For graphs of the engine: with its limits and its members of enumerations. */
struct ir *program_ir(const struct sdfg_engine *e);
/* One holder more or less; the last one releases it. */
void program_hold(struct sdfg_program *p);
void program_let_go(struct sdfg_program *p);

/* Fills in the tables; the graph is read and valid (engine/program/arguments.c). */
bool program_describe(struct sdfg_program *p);
void program_constraints(struct sdfg_program *p); /* from the arguments */
/* Marks what the graph compares with None (engine/program/null.c): container -> non-NULL. */
void program_null_tests(const struct sdfg_program *p, struct map *tested);

static inline bool leaf_is_value(const struct leaf *l)
{
    return l->kind == SDFG_KIND_SCALAR || l->kind == SDFG_KIND_SYMBOL;
}

#endif
