/* The context of one loaded SDFG: arena, names, types, symbolic expressions, enumerations and diagnostics.
 * Everything reachable from it dies in ir_free. Used by one thread at a time. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/remark.h"

struct sdfg;
struct types;
struct syms;
struct enums;

struct ir {
    struct arena *arena;
    struct arena *scratch; /* of one pass: what it allocates here is gone when the next one runs */
    struct intern *names;
    struct diags *diags;
    struct remarks *remarks; /* NULL: nobody asks for them */
    struct types *types;     /* ir/type.c */
    struct syms *syms;       /* ir/sym/sym.c */
    struct enums *enums;     /* ir/enums.c */
};

struct ir *ir_new(void);
void ir_free(struct ir *ir); /* NULL is allowed */

#endif
