/* The parts of the C++ reader share this (ir/code/clang/clang_*.c); nobody else includes it.
 *
 * Functions that give a struct code or a type give NULL after a diagnostic. */
#ifndef LOWER_CLANG_WALK_H
#define LOWER_CLANG_WALK_H

#include "ir/code/clang/clang_api.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/graph.h"

/* A variable that is not named as it is written: its declaration, and what stands for it. */
struct clang_local {
    CXCursor decl;
    const char *name;      /* interned */
    struct code *declared; /* CODE_DECLARE, so that it can learn that its address is taken; NULL: parameter */
    bool lambda;           /* `value` is to be inlined where it is called */
    CXCursor value;
};

/* A function being inlined. */
struct clang_frame {
    const struct clang_frame *outer;
    CXCursor function;
    const char *self; /* name of the object of a method, or NULL */
    CXCursor call;
};

/* A piece of the translation unit that somebody wrote. */
struct clang_piece {
    const struct place *place;
    const char *text;
    uint32_t begin, length, line; /* where it stands in the unit; lines before it */
};

struct clang_walk {
    const struct clang_api *api;
    struct ir *ir;
    struct arena *arena;
    CXTranslationUnit unit;
    uint32_t prelude;                /* bytes of it, at the beginning of the unit */
    const struct clang_piece *piece; /* the tasklet at hand */
    const struct clang_frame *frame; /* innermost */
    VEC(struct clang_local) locals;
    VEC(struct code *) constants; /* arrays at file scope that the tasklet reads: declared before its statements */
    VEC(struct clang_static) statics;
    VEC(struct clang_object) objects;     /* of the blocks around, innermost last */
    uint32_t outside_loop, outside_break; /* how many of them `continue` and `break` keep */
    uint32_t outside_call;                /* and `return` */
    CXCursor named;                       /* the constructor call that makes a variable, which has a name */
    struct program_state *state;          /* of the program */
    struct map structs;                   /* of the program, by interned name: const struct type * */
    uint32_t num_inlined;
    uint32_t depth; /* of expressions and statements being read */
};

/* A static variable, or one of global code. */
struct clang_static {
    CXCursor decl;
    int64_t offset; /* in the program's state */
    bool first;     /* its value is given when control first comes to it */
};

/* An object whose destructor runs when its block ends. */
struct clang_object {
    CXCursor decl;
    const char *name;
};

enum { CLANG_MOST_DEPTH = 1500 }; /* of expressions and statements: they are read by recursion, here and later */

struct clang_cursors {
    CXCursor *items;
    uint32_t count;
};

#define CLANG_SHARED "shared" /* the annotation of __shared__ variables */

/* A part of the prelude. Every line costs time: it is read only if the code mentions one of the words. */
struct clang_part {
    const char *text;
    const char *needs[9]; /* none: it is always read */
};

/* clang_prelude.c, clang_prelude_cuda.c, clang_prelude_mpi.c, clang_prelude_sparse.c,
 * clang_prelude_time.c */
void clang_prelude(struct text *out, const char *text); /* what `text` may need */
void clang_prelude_cuda(struct text *out, const char *text);
void clang_prelude_mpi(struct text *out, const char *text);
void clang_prelude_sparse(struct text *out, const char *text);
void clang_prelude_time(struct text *out, const char *text);
void clang_add_parts(struct text *out, const char *text, const struct clang_part *parts, size_t count);

/* clang_read.c */
void *clang_unsupported(struct clang_walk *w, CXCursor at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct clang_cursors clang_children(struct clang_walk *w, CXCursor c);
struct clang_cursors clang_expressions(struct clang_walk *w, CXCursor c); /* children that are expressions */
const char *clang_spelling(struct clang_walk *w, CXCursor c);             /* interned */
uint32_t clang_offset(struct clang_walk *w, CXCursor c);                  /* in the unit */
struct code *clang_node(struct clang_walk *w, CXCursor at, enum code_kind kind, uint32_t count);
struct code *clang_name(struct clang_walk *w, CXCursor at, const char *name);
bool clang_in_prelude(struct clang_walk *w, CXCursor c);

/* clang_type.c */
const struct type *clang_type(struct clang_walk *w, CXCursor at,
                              CXType t); /* void too; references as what they refer to */
bool clang_is_array(struct clang_walk *w, CXType t);
uint64_t clang_array_count(struct clang_walk *w, CXType t); /* elements over all dimensions; 1 for what is no array */
bool clang_is_reference(struct clang_walk *w, CXType t);
bool clang_is_const(struct clang_walk *w, CXType t);
bool clang_is_class(struct clang_walk *w, CXType t);          /* a class that is no number */
void clang_type_text(struct text *out, const struct type *t); /* C++ spelling; "" if there is none */
void clang_declare_structs(struct clang_walk *w, struct text *out, const struct type *t); /* once each */

/* clang_constant.c */
struct code *clang_integer(struct clang_walk *w, CXCursor at, const struct type *type, int64_t value);
/* The same of any basic type. */
struct code *clang_literal(struct clang_walk *w, CXCursor at, const struct type *type, int64_t value);
/* The value of an expression if libclang can compute it; else NULL, without a diagnostic. */
struct code *clang_constant(struct clang_walk *w, CXCursor c);
struct code *clang_written(struct clang_walk *w, CXCursor c); /* a number as written */
struct code *clang_string(struct clang_walk *w, CXCursor c);

/* clang_expr.c */
struct code *clang_expr(struct clang_walk *w, CXCursor c);
struct code *clang_cast(struct clang_walk *w, CXCursor at, const struct type *from, const struct type *to,
                        struct code *c);
/* array[index], where elements may be arrays: then its address. */
struct code *clang_element(struct clang_walk *w, CXCursor at, struct code *array, CXType element, struct code *index);
struct code *clang_assign(struct clang_walk *w, CXCursor c, struct code *to, struct code *value);
struct clang_local *clang_find_local(struct clang_walk *w, CXCursor decl);
const char *clang_add_local(struct clang_walk *w, CXCursor decl, struct code *declared);
CXCursor clang_skip(struct clang_walk *w, CXCursor c); /* behind parentheses and conversions that are not written */

/* clang_static.c */
bool clang_declare_static(struct clang_walk *w, CXCursor variable, struct code *block);
int64_t clang_reserve(struct program_state *s, uint64_t bytes); /* the offset of so many more */

/* clang_new.c: memory by malloc and free */
struct code *clang_new(struct clang_walk *w, CXCursor c);
struct code *clang_delete(struct clang_walk *w, CXCursor c);

/* clang_object.c */
bool clang_has_destructor(struct clang_walk *w, CXType t);
/* Its own destructor, then those of its members from the last to the first; nothing if it has none. */
bool clang_destroy(struct clang_walk *w, CXCursor at, CXType t, struct code *self, struct code *block);
void clang_enter_object(struct clang_walk *w, CXCursor decl, const char *name); /* has one */
/* The destructors of all objects but the first `kept`, in C++'s order. They stay known: control leaves in other places,
 * too. */
bool clang_leave_objects(struct clang_walk *w, CXCursor at, uint32_t kept, struct code *block);

/* clang_member.c */
struct code *clang_member(struct clang_walk *w, CXCursor c);
struct code *clang_field(struct clang_walk *w, CXCursor at, CXCursor field, struct code *base, bool arrow);

/* clang_init.c */
/* Appends what gives `place` (an array: its address) the value `init`. */
bool clang_initialize(struct clang_walk *w, CXCursor init, CXType t, struct code *place, struct code *block);
bool clang_initialize_members(struct clang_walk *w, CXCursor at, CXCursor constructor, struct code *self,
                              struct code *block);
struct code *clang_list(struct clang_walk *w, CXCursor list); /* a structure by its members */
struct code *clang_construct(struct clang_walk *w, CXCursor at, CXCursor constructor, const CXCursor *args,
                             uint32_t count);

/* clang_call.c */
struct code *clang_call(struct clang_walk *w, CXCursor c);

/* clang_inline.c */
bool clang_has_body(struct clang_walk *w, CXCursor function);
/* `object`: of a method, else NULL. */
struct code *clang_inline(struct clang_walk *w, CXCursor at, CXCursor function, const CXCursor *object,
                          const CXCursor *args, uint32_t count);
struct code *clang_inline_lambda(struct clang_walk *w, CXCursor at, const CXCursor *args,
                                 uint32_t count); /* args[0]: lambda */

/* What a constructor or a destructor does with `self`; gives nothing. */
struct code *clang_inline_constructor(struct clang_walk *w, CXCursor at, CXCursor constructor, struct code *self,
                                      const CXCursor *args, uint32_t count);
struct code *clang_inline_destructor(struct clang_walk *w, CXCursor at, CXCursor destructor, struct code *self);

/* clang_loop.c */
struct code *clang_for(struct clang_walk *w, CXCursor c);
struct code *clang_for_range(struct clang_walk *w, CXCursor c);
struct code *clang_while(struct clang_walk *w, CXCursor c, bool test_first);

/* clang_stmt.c */
bool clang_declare(struct clang_walk *w, CXCursor variable, struct code *block);
struct code *clang_stmt(struct clang_walk *w, CXCursor c);
struct code *clang_block(struct clang_walk *w, CXCursor c); /* CODE_BLOCK */
void clang_append(struct clang_walk *w, struct code *block, struct code *statement);

#endif
