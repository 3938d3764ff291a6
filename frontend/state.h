/* The state of one lowering: containers and levels of the graph, names and scopes, the host that free names come from,
 * and what is known at the statement that is lowered. */
#ifndef FRONTEND_STATE_H
#define FRONTEND_STATE_H

#include "frontend/value.h"

/* A container of the program, which may be used on all levels of nested SDFGs below its own. */
struct fe_container {
    const char *name;
    const struct type *type;
    uint32_t rank;
    const struct sym **shape, **strides; /* strides NULL: packed */
    struct fe_level *level;
    const struct value *shows; /* of a reshaped view: the region of another container */
    bool scalar;
    bool storage; /* of a variable that loops or branches assign: its content changes */
    bool argument;
    uint32_t lists;     /* as in the values that are all of it */
    bool kept;          /* a scalar with a lifetime of its own: += changes it in place */
    const char *symbol; /* that has its value, while it is in scope and nothing is stored here; or NULL */
    const char *buffer; /* of a stream: how many elements are expected; NULL: it is none */
};

/* A grid of processes: a descriptor of the graph. */
struct fe_grid {
    const char *name;             /* NULL: MPI.COMM_NULL */
    const struct fe_grid *parent; /* of which it is a part, or NULL */
    uint32_t rank;
    const struct sym *const *shape;
    const int64_t *keeps; /* of a part: 1 for dimensions of the parent that stay */
    uint32_t num_keeps;
    const struct sym *exact; /* of a part: only the one with this rank of the parent, or NULL */
};

/* An array that lies in blocks on a grid: a descriptor of the graph. */
struct fe_blocks {
    const char *name;
    const struct type *type;
    uint32_t rank;
    const struct sym *const *shape, *const *block;
    const struct fe_grid *grid;
    const int64_t *along; /* the grid's dimension of each dimension */
};

/* A container of an outer level that this one uses. */
struct fe_import {
    struct fe_container *container;
    bool read, written;
};

/* An SDFG that is being built: the program's, or one inside a map. */
struct fe_level {
    struct fe_level *outer;
    struct sdfg *sdfg;
    VEC(struct fe_import) imports;
    VEC(const char *) params; /* of the map around it */
};

/* A name of a scope. */
struct fe_binding {
    const char *name;
    const struct value *value;    /* NULL: not bound (any more) */
    struct fe_container *storage; /* assignments go here; NULL: they bind anew */
    const struct type *joined;    /* while types are found: of all versions so far */
    bool joined_weak;
    const char *gone; /* why the name is not bound any more */
    bool local;       /* belongs to an iteration of a map */
    uint32_t epoch;   /* of the scope, when it was changed last */
};

/* What the name at a place of a scope was bound to before a change. */
struct fe_change {
    uint32_t place;
    struct fe_binding before;
};

struct fe_scope {
    struct fe_scope *outer;  /* where free names are looked up */
    struct fe_scope *caller; /* of a callee: where its symbols get their values */
    VEC(struct fe_binding) names;
    struct map places;               /* name -> its place in `names`, from 1; those behind the end are no more */
    VEC(struct fe_change) changes;   /* for snapshots: the first one of each name in each epoch */
    uint32_t epoch;                  /* number of snapshots */
    VEC(struct fe_binding) declared; /* by annotations without a value: types of what callbacks return */
    const struct py *body;           /* of a function: the names that it assigns are its own */
    struct map own;                  /* these names, once they were asked for */
    bool own_known;
    VEC(const char *) symbols; /* of a callee: symbols that have values here */
    VEC(const struct value *) symbol_values;
    struct fe_host *host; /* of a module */
    bool is_module;
};

/* What names outside a program mean: the file and its known modules (module.c), or the objects of a live interpreter
 * (live.c). Values that a host gives are constants, types, symbols, known modules and functions, views of containers,
 * or FE_OBJECTs, whose parts it is asked for. NULL without an error: there is none. */
struct fe_host {
    const struct value *(*lookup)(struct fe_host *h, const struct py *n, const char *name); /* a free name */
    /* What the call gives for a parameter of the program: a type, a descriptor, or a constant; NULL: its annotation
     * says. May be NULL. */
    const struct value *(*parameter)(struct fe_host *h, const struct py *p);
    /* The names it knows, for "did you mean"; may be NULL. */
    void (*names)(struct fe_host *h, void (*visit)(void *user, const char *name), void *user);
    /* Of its objects; NULL: it has none. */
    const struct value *(*attribute)(struct fe_host *h, const struct py *n, const struct value *object,
                                     const char *name);
    const struct value *(*item)(struct fe_host *h, const struct py *n, const struct value *object,
                                const struct value *key);
    const struct value *(*key)(struct fe_host *h, const struct py *n, const struct value *mapping, uint32_t index);
    const struct value *(*call)(struct fe_host *h, const struct py *n, const struct value *object, struct fe_args *a);
    /* A call of a function whose arguments are constants, if the host makes it now: inside of inline(...) it does. */
    const struct value *(*compute)(struct fe_host *h, const struct py *n, const struct fe_callee *c, struct fe_args *a);
    /* Around a try: the first gives a mark, which the second takes; answers since then are forgotten if it failed. */
    uint32_t (*begin)(struct fe_host *h);
    void (*end)(struct fe_host *h, uint32_t mark, bool good);
    const struct value *(*callback)(struct fe_host *h, const struct py *n, const struct fe_callee *c,
                                    struct fe_args *a);
    /* A function that calls the method of its first argument, an object that is known at run time only. */
    const struct value *(*method)(struct fe_host *h, const struct py *n, const char *name);
};

enum fe_content { FE_OPAQUE, FE_SEQUENCE, FE_LIST, FE_MAPPING };
/* An object of a live interpreter. */
struct fe_object {
    struct fe_host *host;
    uint64_t id;
    const char *path; /* how the program reaches it: "self.sizes[2]" */
    const char *what; /* for messages: "an object of class 'Grid'" */
    const char *why;  /* of a function that cannot be compiled, or NULL */
    uint64_t self;    /* of a method that cannot be compiled */
    enum fe_content content;
    uint32_t count; /* of elements */
};

/* A block of `with` that is being lowered. */
struct fe_manager {
    const struct value *exit; /* what its end calls */
    const struct py *node;
    int64_t number;
};

/* A loop whose iterations are lowered one after the other: jumps in it are known at compile time. */
struct fe_unrolled {
    struct fe_unrolled *outer;
    const struct fe_return *function;
    uint32_t depth, loops;
    bool jumped, broke;
};

/* What is known about a symbol; NULL: no such end. */
struct fe_range {
    const char *name;
    const struct sym *least, *most;
    bool not_negative;
};
struct fe_clip {
    const struct sym *clipped, *plain;
};
struct fe_known {
    uint32_t ranges, facts;
};

#define FE_OF_LOOPS                                                                                                    \
    ((void *)UINTPTR_MAX) /* in used_names: a symbol of loops alone, which the next one may take again */

struct fe {
    struct ir *ir;
    struct arena *arena;
    const struct fe_source *source; /* of what is lowered */
    struct place place;             /* of the statement that is lowered */
    struct fe_level *level;         /* NULL: nothing is lowered, the module is evaluated */
    struct region *region;          /* blocks are added here */
    struct block *last;             /* the block before the next; NULL: none, or it does not go on */
    const char *pending;            /* assignments of the transition to the next block */
    bool dry;                       /* types are being found: nothing is built */
    bool ended;                     /* a jump came: what follows is not reached */
    bool dace;                      /* the dialect of dace.program */
    uint32_t unroll;                /* as in the function that is lowered */
    struct fe_scope *scope;
    struct fe_return *returns; /* of the function that is lowered */
    struct map used_names;     /* of containers, symbols -> number to try next, or FE_OF_LOOPS */
    struct map born;           /* container of the graph -> region in which it was made */
    struct map used_labels;    /* of blocks */
    VEC(const char *) symbols; /* in scope: those of the program, of loops and maps, promoted scalars */
    struct map symbol_types;   /* name -> const struct type *: program symbols that were declared */
    VEC(const char *) program_symbols;
    VEC(struct fe_range) ranges;    /* of extents of arguments, variables of loops and maps around the statement */
    VEC(const struct sym *) facts;  /* what is not negative there besides */
    VEC(const struct sym *) always; /* what never is */
    VEC(struct fe_clip) clips;      /* of all slices */
    VEC(const struct fe_function *) calls;
    uint32_t depth;     /* of loops, maps and branches around the statement */
    uint32_t loops;     /* of loops and maps, of this function */
    uint32_t map_loops; /* what `loops` is in the body of the innermost map of this function; 0: there is none */
    VEC(struct fe_manager) managers;
    uint32_t num_managers;        /* that there ever were */
    uint32_t function_managers;   /* those of callers come before */
    uint32_t loop_managers;       /* those outside of the innermost loop come before */
    struct fe_unrolled *unrolled; /* the innermost one */
    uint32_t branches;            /* of branches around the statement, of all functions */
    uint32_t nesting;             /* of calls */
    uint32_t
        eager; /* inside of how many operands that are computed though they may not be chosen: indices are clipped */
    uint32_t emitted;                    /* counts what needed the graph */
    bool drop_assertions, trust_indices; /* struct frontend_options */
    bool warns;                          /* of what only one dialect understands so */
    struct frontend_imports *imports;    /* or NULL */
    bool raw;                            /* symbols of annotations are not replaced */
    const char *wish;                    /* the name that the value of this statement gets */
    uint32_t inlining;                   /* inside of how many inline(...) */
    const struct value *wanted;   /* what the statement makes of the value of its call, see live_callback; or NULL */
    const struct py *target;      /* where it goes, if that says more */
    const struct py *into;        /* the same, where a reduction may accumulate; or NULL */
    struct frontend_found *found; /* what the caller hears besides the graph, or NULL */
    void (*typed)(void *user, const char *file, unsigned line, const char *name, const char *type); /* sdfg_host */
    void *typed_user;
    struct map files;              /* path -> struct fe_scope *, of other files of the project */
    struct fe_scope *library;      /* the functions of frontend/library/ that were called, or NULL */
    const struct py *library_call; /* of the program: where code of the library is seen */
    const struct fe_source *library_caller;
    uint32_t library_depth;                   /* of `calls` there */
    struct fe_container *process, *processes; /* number of this process and of all, once the program asks */
    bool has_sized;                           /* a function was called whose result has a size known at run time only */
    bool returns_sized;                       /* the program would have to return such an array, which it cannot */
    bool calls_sized;                         /* those functions are called by the host instead */
    bool failed;
    bool ordered; /* something in a map needs an order of its iterations */
    bool said;    /* an error was reported since this was reset: who gets NULL from a host need not report one */
};

#endif
