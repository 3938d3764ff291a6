/* Element types. Interned: equal types are one pointer within one `struct ir`. */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include "ir/ir.h"

#include <stdbool.h>
#include <stdint.h>

enum type_kind {
    TYPE_VOID,
#define TYPE(kind, name, bytes, ctype, suffix) TYPE_##kind,
#include "ir/types.def"
#undef TYPE
    TYPE_POINTER, /* elem: pointee, void for an untyped pointer */
    TYPE_VECTOR,  /* elem, lanes; lanes_text when the count is symbolic (lanes is then 0); scalable: a multiple of lanes
                   */
    TYPE_STRUCT,  /* name, fields */
    TYPE_OPAQUE,  /* name: the C type */
    TYPE_STRING,  /* zero-terminated text */
    TYPE_CALLBACK, /* fields: arguments; results: return types */
    TYPE_COUNT
};

struct type;

struct type_field {
    const char *name;
    const struct type *type;
    uint32_t offset;         /* natural C layout */
    const char *length_text; /* element count of a pointer field as written, or NULL */
};

struct type {
    enum type_kind kind;
    uint32_t size, align; /* bytes; 0 for void and opaque types */
    uint32_t lanes;
    bool scalable; /* VECTOR: vscale * lanes, where only the machine knows vscale; `size` is that of `lanes` */
    const struct type *elem;
    const char *name; /* file name of a basic type, struct name, C name of an opaque type */
    const char *lanes_text;
    uint32_t num_fields, num_results;
    const struct type_field *fields;
    const struct type *const *results;
};

const struct type *type_basic(const struct ir *ir, enum type_kind kind); /* TYPE_VOID .. TYPE_C128, TYPE_STRING */
const struct type *type_by_name(const struct ir *ir, const char *name);  /* basic types and old spellings; else NULL */
const struct type *type_pointer(struct ir *ir, const struct type *elem);
const struct type *type_vector(struct ir *ir, const struct type *elem, uint32_t lanes, const char *lanes_text);
enum { VSCALE_BYTES = 16 };
/* vscale * lanes elements, vscale times VSCALE_BYTES in all: what a register of a machine with scalable vectors holds.
 * Values of it live in registers only. */
const struct type *type_scalable(struct ir *ir, const struct type *elem, uint32_t lanes);
/* The vector with the same number of lanes of another element. */
const struct type *type_lanes_of(struct ir *ir, const struct type *vector, const struct type *elem);
/* Field offsets, size and alignment are computed here; `fields` is copied. */
const struct type *type_struct(struct ir *ir, const char *name, const struct type_field *fields, uint32_t count);
const struct type *type_opaque(struct ir *ir, const char *ctype);
/* A request or a communicator, which C++ code may look at. */
bool type_is_mpi_handle(const struct type *t);
const struct type *type_callback(struct ir *ir, const struct type_field *args, uint32_t num_args,
                                 const struct type *const *results, uint32_t num_results);

static inline bool type_is_integer(const struct type *t) { return t->kind >= TYPE_I8 && t->kind <= TYPE_U64; }
static inline bool type_is_signed(const struct type *t) { return t->kind >= TYPE_I8 && t->kind <= TYPE_I64; }
static inline bool type_is_unsigned(const struct type *t) { return t->kind >= TYPE_U8 && t->kind <= TYPE_U64; }
static inline bool type_is_float(const struct type *t) { return t->kind >= TYPE_F16 && t->kind <= TYPE_F64; }
static inline bool type_is_complex(const struct type *t) { return t->kind == TYPE_C64 || t->kind == TYPE_C128; }
/* Values are computed with as they are: smaller floats are widened first. */
static inline bool type_is_arithmetic(const struct type *t)
{
    return t->kind == TYPE_BOOL || type_is_integer(t) || t->kind == TYPE_F32 || t->kind == TYPE_F64 ||
           type_is_complex(t);
}
/* The element of a vector; other types as they are. */
static inline const struct type *type_scalar(const struct type *t) { return t->kind == TYPE_VECTOR ? t->elem : t; }
/* Of complex numbers, or a vector of them: their real and imaginary parts. */
const struct type *type_part(struct ir *ir, const struct type *t);
static inline bool type_is_basic(const struct type *t) { return t->kind >= TYPE_BOOL && t->kind <= TYPE_C128; }

/* Printed as in files for basic types, C-like otherwise ("float64*", "vec<float32,4>", "struct S"). */
void type_print(const struct type *t, struct text *out);
const char *type_text(struct ir *ir, const struct type *t);

/* The joint type of two operands as DaCe infers it for symbols and connectors (semantics.md 7, `result_type_of`). */
const struct type *type_joint(struct ir *ir, const struct type *a, const struct type *b);
/* The usual arithmetic conversions of C, with bool and narrow integers promoted to int32, float16 and narrower floats
 * to float32, complex over real (semantics.md 6.3). Vectors win over scalars. */
const struct type *type_arithmetic(struct ir *ir, const struct type *a, const struct type *b);
const struct type *type_promote(struct ir *ir, const struct type *t);

#endif
