/* What a Python expression evaluates to, and the state of one lowering. The parts of the frontend share this; nobody
 * else includes it. */
#ifndef FRONTEND_VALUE_H
#define FRONTEND_VALUE_H

#include "frontend/frontend.h"
#include "ir/build/build.h"
#include "ir/python/ast.h"

#include "base/map.h"
#include "base/vec.h"

enum { FE_MAX_RANK = 16, FE_MAX_CALLS = 64 };

enum fe_kind {
    /* known at compile time */
    FE_NONE,
    FE_BOOL,    /* i */
    FE_INT,     /* i */
    FE_FLOAT,   /* f */
    FE_COMPLEX, /* f, im */
    FE_STRING,  /* text */
    FE_ELLIPSIS,
    FE_FORMAT,   /* items: the pieces of a text that is known at run time: strings, or [value, format, conversion] */
    FE_TUPLE,    /* items; also lists */
    FE_DICT,     /* items: key, value, ... */
    FE_SLICE,    /* items: begin, end, step (FE_NONE where absent) */
    FE_RANGE,    /* items: begin, end, step */
    FE_TYPE,     /* type: an element type */
    FE_DESC,     /* type, shape: an annotation */
    FE_MODULE,   /* text: "numpy", "dace" ... */
    FE_BUILTIN,  /* builtin: a row of functions.def; `self` for a method; `text` for "outer", "reduce" of a ufunc */
    FE_FUNCTION, /* function: one of the file, a lambda, or a live one; `self`: the object that a method is bound to */
    FE_OBJECT,   /* object: of a live interpreter */
    FE_SYMBOL,   /* sym: a symbolic integer; behaves as a Python int */
    FE_GRID,     /* grid: a communicator of MPI; NULL: all processes */
    FE_BLOCKS,   /* blocks: an array in blocks on a grid of processes */
    FE_STREAM,   /* type, shape, view: all queues of a stream */
    FE_POINTS,   /* items: extents, whose indices are gone through; self: an array of which they are, or NULL */
    FE_CLASS, /* items: name, value of what it has; a dataclass: its fields too, FE_ELLIPSIS where they have no value */
    FE_RECORD, /* items: name, value of its fields; self: its class, or NULL */
    /* data */
    FE_VIEW,     /* type, shape, view: a region of a container */
    FE_ELEM,     /* type, shape, elem: an elementwise expression that is not computed yet */
    FE_PYOBJECT, /* view: a scalar with the number of an object that a callback returned */
};

struct value;
struct fe_args;
struct fe_container;
struct fe_host;
struct fe_scope;
struct sdfg_host;
struct sdfg_object;

/* One dimension of the container of a view. */
struct fe_dim {
    const struct sym *begin, *step;
    int axis;                  /* of the view, or -1: a single index */
    const struct value *index; /* an array of indices instead; `axis` is its first axis */
};

/* An operation on elements. In `format`, $0 to $3 stand for the operands. */
struct fe_elem {
    const char *format;
    uint32_t count;
    const struct value *args[4];
};

/* The text that functions come from. */
struct fe_source {
    const char *path, *text;
    size_t length;
    struct py_lines lines;
    uint32_t first_line;        /* of the text in its file */
    const uint32_t *code_lines; /* of a live function: how many lines with code there are up to each line; or NULL */
    bool library;               /* a function of frontend/library/ */
};

struct fe_function {
    const struct py *node; /* PY_FUNCTION_DEF or PY_LAMBDA */
    const struct fe_source *source;
    struct fe_scope *scope;
    bool program;    /* has a decorator that makes it one */
    bool dace;       /* the decorator is dace's: its dialect */
    bool strict;     /* never a callback */
    uint32_t unroll; /* loops over constant ranges of at most so many iterations are unrolled */
    uint64_t id;     /* of a live function, else 0 */
    const struct value *const
        *defaults; /* of one in a program: values of the parameters that have some, then by keyword */
    enum { FE_UNTRIED, FE_TRYING, FE_COMPILES, FE_REFUSED } verdict;
    const char *why; /* FE_REFUSED */
};

/* What a callback calls, as the host knows it. */
struct fe_callee {
    uint64_t id, self;
    const char *path, *why;
};

struct value {
    enum fe_kind kind;
    bool weak;      /* a Python number: takes the type of what it meets */
    bool lazy;      /* FE_TUPLE: not of elements, but of arrays to go through side by side (enumerate, zip) */
    bool list;      /* FE_TUPLE: a list, so an array of indices in a subscript, which may be changed in place */
    uint32_t lists; /* FE_VIEW: so many of its first dimensions are those of lists whose length the run decides */
    uint32_t depth; /* FE_TUPLE, FE_DICT, FE_RECORD: f->depth where it was made */
    const struct type *type;
    uint32_t rank;
    const struct sym *const *shape, *const *strides; /* strides: FE_DESC only; NULL: packed */
    union {
        int64_t i;
        double f;
        const char *text;
        const struct sym *sym;
        struct {
            struct fe_container *container;
            const struct fe_dim *dims; /* of the container */
        } view;
        const struct fe_elem *elem;
        const struct fe_function *function;
        const struct fe_builtin *builtin;
        const struct fe_object *object;
        const struct fe_grid *grid;
        const struct fe_blocks *blocks;
    };
    double im;
    uint32_t count;
    const struct value *const *items;
    const struct value *self;
};

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
    const struct value *wanted;   /* what the statement makes of the value of its call, see fe_callback; or NULL */
    const struct py *target;      /* where it goes, if that says more */
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

/* ---- errors (fe.c) ---- */
/* Records the error at the node; NULL. */
void *fe_error(struct fe *f, const struct py *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for what Python would raise there: "ValueError", "TypeError", "IndexError", "KeyError", "AssertionError". */
void *fe_raise(struct fe *f, const struct py *n, const char *exception, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What `@dace.program` means by the node and NumPy does not. */
void fe_warn_dialect(struct fe *f, const struct py *n, const char *message);
void *fe_unsupported(struct fe *f, const struct py *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *fe_format(struct fe *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "float64[N, 3]", "int", "the symbol N": for messages. */
const char *fe_describe(struct fe *f, const struct value *v);
void fe_place(const struct fe *f, const struct py *n, struct place *out);
/* What labels of this statement end with: its line. In a live function comments and lines before it do not count, so
 * that its graph stays the same where only they change. */
uint32_t fe_label_line(const struct fe *f);
/* A name that nothing has yet: the wish, or the wish with a number. */
const char *fe_unique(struct fe *f, const char *wish);
bool fe_has_name(const char *const *list, uint32_t count, const char *name);

/* Forgets the errors after the first `before`; the text of the first of them, with its line. */
const char *fe_reason(struct fe *f, uint32_t before);

extern const char fe_wrong[]; /* `gone` of names whose statement had an error */

/* ---- trials (trial.c) ---- */
struct fe_trial {
    struct fe kept;
    struct fe_host *host;
    uint32_t errors, mark;
    bool ordered; /* it needs an order of iterations that a map does not have */
};
struct fe_trial fe_trial_begin(struct fe *f, struct fe_host *h);
/* Restores everything but tables that only grow, and drops the errors of the trial. */
void fe_trial_end(struct fe *f, struct fe_trial *t, bool good);

/* ---- values (value.c) ---- */
struct value *fe_new(struct fe *f, enum fe_kind kind);
const struct value *fe_none(struct fe *f);
const struct value *fe_int(struct fe *f, int64_t i);
const struct value *fe_bool(struct fe *f, bool b);
const struct value *fe_float(struct fe *f, double d);
const struct value *fe_complex(struct fe *f, double re, double im);
const struct value *fe_string(struct fe *f, const char *text);
const struct value *fe_symbol(struct fe *f, const struct sym *s); /* FE_INT where it is one */
const struct value *fe_tuple(struct fe *f, const struct value *const *items, uint32_t count);
const struct value *fe_type(struct fe *f, const struct type *t);
const struct value *fe_whole(struct fe *f, struct fe_container *c); /* all of a container */
const struct value *fe_elem(struct fe *f, const struct type *type, const struct sym *const *shape, uint32_t rank,
                            const char *format, uint32_t count, const struct value *const *args);
static inline bool fe_is_number(const struct value *v) { return v->kind >= FE_BOOL && v->kind <= FE_COMPLEX; }
static inline bool fe_is_data(const struct value *v) { return v->kind == FE_VIEW || v->kind == FE_ELEM; }
/* A list whose length the run decides, or a part of one that is a list. */
static inline bool fe_is_list(const struct value *v) { return v->kind == FE_VIEW && v->lists; }
/* The same elements as an array. */
const struct value *fe_as_elements(struct fe *f, const struct value *v);
/* A number, a symbol or data: what operators take. */
static inline bool fe_is_operand(const struct value *v)
{
    return fe_is_number(v) || v->kind == FE_SYMBOL || fe_is_data(v);
}
/* The integer as a symbolic expression, or NULL. */
const struct sym *fe_sym(struct fe *f, const struct value *v);
bool fe_truth(const struct value *v, bool *truth); /* false: not known at compile time */
const struct sym **fe_shape_of(struct fe *f, const struct value *v, uint32_t *rank); /* of a tuple or an integer */

/* ---- types (types.c): NumPy 2 ---- */
const struct type *fe_own_type(struct fe *f, const struct value *v); /* of its own: int64, float64 for Python numbers */
const struct type *fe_promote(struct fe *f, const struct type *a, const struct type *b);
/* Of two operands, with weak numbers. */
const struct type *fe_result_type(struct fe *f, const struct value *a, const struct value *b);
const struct type *fe_float_of(struct fe *f, const struct type *t); /* what functions like sqrt compute in */
static inline bool fe_is_int_type(const struct type *t) { return type_is_integer(t) || t->kind == TYPE_BOOL; }

/* ---- operators (operators.c) ---- */
const struct value *fe_binary(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                              const struct value *b);
const struct value *fe_unary(struct fe *f, const struct py *n, enum py_op op, const struct value *a);
double fe_real(const struct value *v); /* the real part of a number */
/* An error where an operand is a list whose length the run decides, and the other one no array; `b` may be NULL. */
bool fe_refuses_list(struct fe *f, const struct py *n, const struct value *a, const struct value *b);
void *fe_no_operator(struct fe *f, const struct py *n, enum py_op op, const struct value *a, const struct value *b);
/* ---- compare.c ---- */
const struct value *fe_compare(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                               const struct value *b);
/* Whether both are one value for certain: constants, symbols, tuples of them. */
bool fe_same_value(const struct value *a, const struct value *b);
const struct value *fe_logical(struct fe *f, const struct py *n, bool is_and, const struct value *a,
                               const struct value *b);
const struct value *fe_select(struct fe *f, const struct py *n, const struct value *c, const struct value *a,
                              const struct value *b);
const struct value *fe_cast(struct fe *f, const struct py *n, const struct type *t, const struct value *v);
/* The joint shape; false with an error if they do not match. */
bool fe_broadcast(struct fe *f, const struct py *n, const struct value *a, const struct value *b,
                  const struct sym ***shape, uint32_t *rank);
bool fe_same_extent(struct fe *f, const struct sym *a, const struct sym *b);
/* An elementwise operation of `count` operands on their joint shape. */
const struct value *fe_apply(struct fe *f, const struct py *n, const struct type *t, const char *format, uint32_t count,
                             const struct value *const *args);

/* ---- what calls must satisfy (require.c) ---- */
/* Both extents must be equal: true if they are, or if every call is made to satisfy that, and an error else. `said`:
 * what is wrong if they are not. */
bool fe_require_same(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b, const char *said);
bool fe_is_of_program(const struct fe *f, const struct sym *s); /* has no symbols but those of the program */
/* The expression as a requirement of every call, outside of branches and where it is one of the program's symbols. */
void fe_require_negative(struct fe *f, const struct py *n, const struct sym *s, const char *said);
/* The condition, or its opposite, as a requirement of every call; false without an error: it is none. */
bool fe_require(struct fe *f, const struct py *n, const struct py *condition, bool opposite, const char *said);

/* ---- evaluation (eval.c) ---- */
const struct value *fe_eval(struct fe *f, const struct py *n);
const struct value *fe_eval_lazy(struct fe *f, const struct py *n); /* live tuples and dictionaries stay objects */
const struct value *fe_hinted(struct fe *f, const struct value *v, const char *storage);
const struct value *fe_eval_index(struct fe *f, const struct py *n); /* slices too */
/* A tuple or dictionary from a live one; other values stay. */
const struct value *fe_expand(struct fe *f, const struct py *n, const struct value *v);
/* The method of an object that is known at run time only, to be called. */
const struct value *fe_object_method(struct fe *f, const struct py *n, const struct value *object, const char *name);
struct fe_host *fe_live_host(const struct fe *f); /* NULL: there is no interpreter */
bool fe_is_live(const struct fe *f);              /* there is an interpreter */
const struct value *fe_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name);

/* ---- names (names.c) ---- */
const struct value *fe_name(struct fe *f, const struct py *n); /* what it is bound to */
/* A value of the module as the function that is lowered sees it: its symbols may have values there. */
const struct value *fe_in_context(struct fe *f, const struct py *n, const struct value *v);
struct fe_binding *fe_find(struct fe_scope *s, const char *name); /* NULL: it was never bound there */
struct fe_binding *fe_bind(struct fe *f, struct fe_scope *s, const char *name, const struct value *v);
/* To be called before a binding of the scope is changed by other means than fe_bind(); but `joined` may be changed at
 * any time. */
struct fe_binding *fe_change(struct fe *f, struct fe_scope *s, struct fe_binding *b);
/* The names of f->scope as they are now, to come back to. */
struct fe_snapshot {
    uint32_t changes, count, symbols;
    bool ended;
};
struct fe_snapshot fe_snapshot(struct fe *f);
/* Names are bound to what they were; what was found about types stays. As often as it is needed, inner ones first. */
void fe_restore(struct fe *f, const struct fe_snapshot *s);
/* The names that were changed since, each once, with what they were; new names are behind s->count. */
struct fe_changed {
    VEC(struct fe_change) list;
    struct map by_name; /* name -> its place in the list, from 1 */
};
struct fe_changed fe_changed(struct fe *f, const struct fe_snapshot *s);
/* What the name was bound to then; NULL: nothing. */
const struct value *fe_was(const struct fe *f, const struct fe_snapshot *s, const struct fe_changed *changed,
                           const struct fe_binding *b);
/* Tells who wants to know what a name is that the source has at the node (typed.c). */
void fe_typed(struct fe *f, const struct py *n, const char *name, const struct value *v);

/* ---- subscripts (index.c) ---- */
const struct value *fe_subscript(struct fe *f, const struct py *n, const struct value *base, const struct value *index);
const struct value *fe_transpose(struct fe *f, const struct value *v, const uint32_t *axes);
const struct value *fe_reshape(struct fe *f, const struct py *n, const struct value *v, const struct sym **shape,
                               uint32_t rank);
const struct value *fe_flat(struct fe *f, const struct py *n, const struct value *v); /* all elements in a row */
/* The same bytes as elements of a type of the same size; `v` is plain. */
const struct value *fe_reinterpret(struct fe *f, const struct py *n, const struct value *v, const struct type *t);
const struct value *fe_squeeze(struct fe *f, const struct value *v); /* without dimensions of one */

/* ---- graph (emit.c, copy.c) ---- */
void fe_at(struct fe *f, const struct py *n); /* what is built next comes from here */
void fe_link(struct fe *f, struct block *b);
const char *fe_label(struct fe *f, const char *what); /* "for_12": with the line, and a number if that is taken */
void fe_mark(struct fe *f, struct place *p);
struct state *fe_state(struct fe *f, const char *label);
void fe_join_states(const struct fe *f, struct sdfg *s); /* of a complete graph (join.c) */
struct fe_container *fe_container(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                  uint32_t rank);
/* With strides in elements; NULL: packed. */
struct fe_container *fe_strided(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                const struct sym **strides, uint32_t rank);
/* A stream; `buffer`: how many elements are expected. */
struct fe_container *fe_queues(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                               uint32_t rank, const char *buffer);
const char *fe_use(struct fe *f, struct fe_container *c, bool write); /* its name on this level */
const char *fe_text(struct fe *f, const struct sym *s);
const char *fe_shape_text(struct fe *f, const struct sym *const *shape, uint32_t rank);
const char *fe_whole_text(struct fe *f, const struct fe_container *c);
/* "A[i, 0:N]" of a view, without broadcasting. */
const char *fe_region(struct fe *f, const struct value *view, bool write);
/* A node of the container in the state, with what a view shows. */
struct node *fe_access(struct fe *f, struct state *st, struct fe_container *c, bool write);
/* Whether both are elements of one container at the same places, or of containers that share nothing: elementwise
 * operations may read `v` while they write `to`. */
bool fe_same_places(const struct value *a, const struct value *b); /* views: the same elements in the same order */
bool fe_independent(const struct value *to, const struct value *v);
/* Computes `v` into the view `to`; `wcr` NULL: overwrites. */
bool fe_store(struct fe *f, const struct py *n, const struct value *to, const struct value *v, const char *wcr);
/* The value in a container: itself if it is a view already. */
const struct value *fe_materialize(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* A fresh copy, even of a view. */
const struct value *fe_copy(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* A tasklet that computes nothing but calls a function: in the code \1 stands for the next of the scalars. */
bool fe_effect(struct fe *f, const char *label, const char *code, uint32_t count, const struct value *const *args);
/* A formatted string: FE_STRING, or FE_FORMAT. */
const struct value *fe_formatted(struct fe *f, const struct py *n);
/* A view that a memlet describes: no array of indices, no new or transposed axis. */
const struct value *fe_plain(struct fe *f, const struct py *n, const struct value *v, const char *wish);
/* An integer known at run time as a symbol. */
const struct value *fe_as_symbol(struct fe *f, const struct py *n, const struct value *v);
const struct value *fe_as_size(struct fe *f, const struct py *n,
                               const struct value *v); /* of what may not be negative */
/* Quotients and remainders of symbols (division.c), with Python's values: in code, and in what else a graph computes,
 * where a call may be required to have a dividend that is not negative. NULL with an error. */
const struct sym *fe_code_division(struct fe *f, const struct sym *s);
const struct sym *fe_exact_division(struct fe *f, const struct py *n, const struct sym *s, bool size);
/* What is known about symbols (bounds.c): from the first on, until what comes later is forgotten. */
void fe_know(struct fe *f, const char *name, const struct sym *least, const struct sym *most); /* NULL: no such end */
void fe_know_not_negative(struct fe *f, const struct sym *s);
void fe_know_always(struct fe *f, const struct sym *s); /* is never forgotten */
void fe_learn(struct fe *f, const struct py *condition,
              bool opposite); /* what holds where the condition does, or not */
struct fe_known fe_known(const struct fe *f);
void fe_forget(struct fe *f, struct fe_known known);
bool fe_is_not_negative(struct fe *f, const struct sym *s); /* false: cannot be shown */
bool fe_is_above(struct fe *f, const struct sym *s,
                 int64_t least); /* 0 or above if symbols that are not negative are `least` or above */
/* s, or what clips it; or wraps it, where what is negative counts from the end. */
const struct sym *fe_at_most(struct fe *f, const struct sym *s, const struct sym *most);
const struct sym *fe_at_least_0(struct fe *f, const struct sym *s);
const struct sym *fe_unclipped(struct fe *f, const struct sym *s); /* without what these two have added */
/* The extent of what two operands have in common: the same one, but for what is clipped from slices that may reach
 * beyond their array. Others must be equal in all calls, or it is an error, `said`; NULL: there is none, nothing is
 * said. */
const struct sym *fe_common_extent(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b,
                                   const char *said);
const struct sym *fe_from_end(struct fe *f, const struct sym *s, const struct sym *extent);
bool fe_is_plain(const struct value *v);

/* ---- statements (stmt.c, loop.c, assign.c) ---- */
bool fe_block(struct fe *f, const struct py_list *body);
bool fe_assign(struct fe *f, const struct py *target, const struct value *v, const char *wcr);
bool fe_unpack(struct fe *f, const struct py *target, const struct value *v);
bool fe_assign_name(struct fe *f, const struct py *n, const char *name, const struct value *v);
bool fe_augment(struct fe *f, const struct py *n);
const char *fe_raised(struct fe *f, const struct py *n); /* what a `raise` says */
bool fe_if(struct fe *f, const struct py *n);
bool fe_for(struct fe *f, const struct py *n);
bool fe_while(struct fe *f, const struct py *n);
/* What `for` goes through, as a tuple: the elements or rows of an array, or those of zip and enumerate, whose number is
 * constant. NULL with an error. */
const struct value *fe_elements(struct fe *f, const struct py *n, const struct value *v);
/* How many elements `for` goes through: the extent, for zip that of all parts; NULL without an error: it is not known.
 */
const struct sym *fe_length(struct fe *f, const struct py *n, const struct value *v);
/* A list comprehension or generator: a tuple, or a list whose length the run decides (comprehension.c). */
const struct value *fe_comprehension(struct fe *f, const struct py *n);
bool fe_loop_else(struct fe *f, const struct py *n); /* a loop with `else` */
bool fe_for_range(struct fe *f, const struct py *n, const struct value *range);
bool fe_map(struct fe *f, const struct py *n, const struct value *ranges);
/* A map or a consume scope, whose body is an SDFG of its own (map.c). */
struct fe_parameter {
    const struct py *node;
    const char *name, *symbol;
    const struct sym *least, *most; /* or NULL */
};
struct fe_scoped {
    const struct py *node;
    const struct py_list *body;
    const char *what;   /* "map", "consume" */
    const char *ranges; /* of a map */
    VEC(struct fe_parameter) parameters;
    /* of a consume scope: */
    const struct value *stream; /* a region of one; NULL: this is a map */
    struct fe_parameter element;
    const char *workers, *condition; /* condition NULL: until the stream is empty and nothing is worked on */
    int64_t chunk;                   /* elements at a time: more than 1 make the element an array */
};
bool fe_scoped(struct fe *f, struct fe_scoped *s);
bool fe_consume_loop(struct fe *f, const struct py *n); /* `for x in dace.consume(S, 4)` (consume.c) */
/* Explicit dataflow (tasklet.c): `with dace.tasklet`, decorated functions, copies by memlets. */
bool fe_is_memlet(const struct py *n);            /* a statement `a << b` or `a >> b` */
const char *fe_memlet_target(const struct py *n); /* the name that a memlet of a tasklet writes, or NULL */
bool fe_tasklet(struct fe *f, const struct py *n, const struct py_list *body);
/* The row of functions.def that a decorator or context manager is, with or without arguments: dace.map, dace.tasklet.
 * NULL: none of dace's. */
const char *fe_construct_of(struct fe *f, const struct py *n);
bool fe_decorated(struct fe *f, const struct py *n);
bool fe_memlet_copy(struct fe *f, const struct py *n);
/* What `A(volume, wcr)[subset]` names; a region of a stream, too. */
const struct value *fe_memlet_region(struct fe *f, const struct py *n, bool write);
/* Between a stream and an array, or another stream (stream.c). */
bool fe_stream_copy(struct fe *f, const struct py *n, const struct value *to, const struct value *from,
                    const char *wcr);
typedef bool fe_body(struct fe *f, const void *user);
struct fe_region { /* where the builder stands, to come back */
    struct region *region;
    struct block *last;
    uint32_t symbols;
};
struct fe_region fe_enter(struct fe *f, struct region *r);
void fe_leave(struct fe *f, const struct fe_region *r);
void fe_jump(struct fe *f, enum block_kind kind, const char *label);
void fe_declare_symbol(struct fe *f, const char *name);
const char *fe_loop_symbol(struct fe *f, const char *name); /* for a loop variable of that name */
/* Runs `run` with storage for the names that the bodies assign (storage.c): two bodies are branches; with
 * `updates_only` names that are updated before they are assigned. */
bool fe_with_storage(struct fe *f, const struct py_list *const *bodies, uint32_t count, bool updates_only, fe_body *run,
                     const void *user);
/* `v and n` (or `v or n`) where n is computed only if v does not decide. */
const struct value *fe_guarded(struct fe *f, const struct py *at, bool is_and, const struct value *v,
                               const struct py *n);
/* Of a dictionary: a tuple of its keys ("k"), values ("v") or pairs of both ("kv"). */
const struct value *fe_entries(struct fe *f, const struct value *dictionary, const char *which);
const struct value *fe_unroll_range(struct fe *f, const struct value *range);
void fe_mark_wrong(struct fe *f, const struct py *n); /* the names that the statement would bind */
bool fe_return_statement(struct fe *f, const struct py *n);
/* Of what a callee returns: the name of an element of the tuple that has the name `of`. */
const char *fe_result_name(struct fe *f, const char *of, uint32_t index);
bool fe_is_result_name(const char *name); /* of what a callee returns, or of a part of it */
bool fe_condition(struct fe *f, const struct py *n, const struct value **constant, const char **text);
/* A condition that is computed again and again, over elements of containers; NULL with an error. */
const char *fe_repeated_condition(struct fe *f, const struct py *n);

/* ---- lists, dictionaries and records (holder.c) ---- */
/* What may be changed in place has the depth where it was made. */
const struct value *fe_as_list(struct fe *f, const struct value *tuple);
/* What a name or a list keeps: elements are values of their own, whatever happens to the array they come from. */
const struct value *fe_kept(struct fe *f, const struct py *n, const struct value *v, const char *name);
/* holder[index] = v of a list or dictionary; also of a record, whose field the index names. */
bool fe_set_item(struct fe *f, const struct py *n, const struct value *holder, const struct value *index,
                 const struct value *v);
/* Whether the body changes lists or dictionaries in place that the function has now. */
bool fe_changes_holders(struct fe *f, const struct py_list *body);

/* ---- classes (class.c) ---- */
/* The class that a definition makes; NULL without an error: programs cannot use it, as *why says. */
const struct value *fe_class(struct fe *f, struct fe_scope *s, const struct py *n, const char **why);
const struct value *fe_new_record(struct fe *f, const struct value *class, struct fe_args *a);
/* Of a class or record: NULL without an error: it has none. */
const struct value *fe_member(struct fe *f, const struct value *v, const char *name);

/* ---- trees that are made (rewrite.c) ---- */
struct py *fe_node(struct fe *f, enum py_kind kind, const struct py *at);
struct py *fe_node_name(struct fe *f, const struct py *at, const char *name, enum py_op ctx);
struct py *fe_node_assign(struct fe *f, const struct py *at, const char *name, struct py *value);
struct py_list fe_node_list(struct fe *f, struct py *const *items, uint32_t count);
/* Statements that others stand for: `match`. */
void fe_rewrite(struct fe *f, const struct fe_source *s, struct py *tree);

/* ---- with (with.c) ---- */
bool fe_with(struct fe *f, const struct py *n);
/* Ends the blocks of managers, innermost first, but for the first `outer` of f->managers: a jump leaves them. */
bool fe_leave_managers(struct fe *f, uint32_t outer);
bool fe_may_return(const struct py_list *body);     /* there is a `return` */
bool fe_always_returns(const struct py_list *body); /* its last statement returns, whatever happens (stmt.c) */

/* ---- calls (call.c, builtin.c) ---- */
struct fe_args {
    const struct py *node;
    const struct value *const *items;
    uint32_t count;
    const char *const *names;
    const struct value *const *values;
    uint32_t num_names;
    uint32_t used;              /* bits: keywords that were asked for */
    const struct py *target;    /* that the call is assigned to, or NULL */
    bool strong;                /* the result is NumPy's number even if all operands are Python's */
    const struct value *wanted; /* fe_callback */
    int64_t manager;            /* sdfg_site */
};
typedef const struct value *fe_call_function(struct fe *f, const struct fe_builtin *b, struct fe_args *a);
struct fe_builtin {
    const char *module, *name;
    fe_call_function *call;
    const char *format; /* of elementwise functions */
    int kind;           /* enum fe_rule */
};
void fe_prepend(struct fe *f, struct fe_args *a, const struct value *self); /* as the first argument */
/* A call that the interpreter makes at run time (callback.c). `wanted`: a type, or data of the type and shape, None:
 * the result is not used, a tuple of those; or NULL. */
const struct value *fe_callback(struct fe *f, const struct py *n, const struct sdfg_host *host,
                                const struct fe_callee *callee, struct fe_args *a, const struct value *wanted);
bool fe_to_object(const struct value *v,
                  struct sdfg_object *o); /* a constant for the host (live.c); false: it is none */
const struct value *fe_call(struct fe *f, const struct py *n);
const struct value *fe_matmul(struct fe *f, const struct py *n, const struct value *a, const struct value *b);
/* Of a function, method, type ... */
const struct value *fe_call_value(struct fe *f, const struct py *n, const struct value *callee, struct fe_args *a);
const struct value *fe_call_function_value(struct fe *f, const struct fe_function *fn, struct fe_args *a);
/* np.add.outer, np.maximum.reduce, ... */
const struct value *fe_ufunc_method(struct fe *f, const struct fe_builtin *b, const char *method, struct fe_args *a);
/* An array of the elements of a tuple or list, as np.array makes one; NULL with an error. */
const struct value *fe_as_array(struct fe *f, const struct py *n, const struct value *tuple);
const struct fe_builtin *fe_builtin_find(const char *module, const char *name);
bool fe_is_sized(const struct fe_builtin *b);       /* the size of its result is known at run time only */
bool fe_is_python_only(const struct fe_builtin *b); /* print: the file has no use for it, an interpreter does */
const char *fe_builtin_near(const char *module, const char *name);
/* A parameter by position or name; NULL: not given. */
const struct value *fe_arg(struct fe_args *a, uint32_t position, const char *name);
bool fe_args_done(struct fe *f, struct fe_args *a, uint32_t most); /* nothing else was given */

struct fe_return {
    bool inlined;                      /* of a callee: the value goes to the caller */
    const struct value *value;         /* of the last statement */
    VEC(struct fe_container *) values; /* where they go */
    bool tuple, any;
};

/* ---- sources and functions (program.c) ---- */
struct py *fe_parse(struct fe *f, const struct fe_source *s, enum py_mode mode); /* `s` as it is lowered; NULL: error */
/* The tree of a file, whose encoding it may declare; f->source becomes its source. */
struct py *fe_parse_file(struct fe *f, const char *path, const char *bytes, size_t size);
struct fe_source *fe_source(struct fe *f, const char *path, const char *text, size_t size, uint32_t first_line);
/* An argument of the program. */
struct fe_container *fe_argument(struct fe *f, const char *name, const struct value *type);

/* ---- messages between processes (functions_mpi.c, mpi_grid.c) ---- */
const struct value *fe_communicator(struct fe *f, const char *name); /* COMM_WORLD, COMM_NULL; NULL: no such */
const struct value *fe_mpi_constant(struct fe *f, const char *name); /* of the module MPI of mpi4py; NULL: no such */
const struct value *fe_grid_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name);
const struct value *fe_compare_grids(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                     const struct value *b);
bool fe_is_request(const struct type *t);
/* At the end: what computes f->process and f->processes goes in front of the program. */
bool fe_count_processes(struct fe *f);

/* ---- live objects (live.c) ---- */
const struct fe_function *fe_live(struct fe *f, const struct sdfg_host *host, uint64_t function);

/* ---- modules (module.c) ---- */
struct fe_scope *fe_module(struct fe *f, const struct py *tree);
/* Binds the function that a definition makes, outside of programs. */
const struct value *fe_define(struct fe *f, struct fe_scope *s, const struct py *n);
const struct value *fe_python_name(struct fe *f, const char *name);                      /* `len`, `float`, ... */
const struct value *fe_known_module(struct fe *f, const char *name);                     /* NULL: not known */
const struct value *fe_file_attribute(struct fe *f, const char *file, const char *name); /* of an imported file */
const struct value *fe_module_attribute(struct fe *f, const char *module, const char *name);

#endif
