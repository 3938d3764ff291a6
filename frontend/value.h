/* What a Python expression evaluates to, and what is done with such values. The parts of the frontend share this;
 * nobody else includes it. */
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

struct fe;
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

#endif
