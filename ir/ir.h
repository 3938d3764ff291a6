/* The context of one loaded SDFG: arena, names, types, symbolic expressions, enumerations and diagnostics.
 * Everything reachable from it dies in ir_free. Used by one thread at a time. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/remark.h"

struct sdfg;
struct types;
struct syms;
struct enums;

/* What reading may take in. All zero: the defaults. */
struct read_limits {
    uint64_t file_bytes; /* of the program, and of each file that it names; 0: READ_BYTES */
    uint64_t text_bytes; /* of the JSON in such a file, which may be compressed; 0: READ_BYTES */
    enum read_external {
        READ_EXTERNAL_FOLDER /* files in the program's folder */,
        READ_EXTERNAL_NONE,
        READ_EXTERNAL_ANY
    } external;
};
#define READ_BYTES ((uint64_t)1 << 30)

struct ir {
    struct arena *arena;
    struct arena *scratch; /* of one pass: what it allocates here is gone when the next one runs */
    struct intern *names;
    struct diags *diags;
    struct remarks *remarks; /* NULL: nobody asks for them */
    struct types *types;     /* ir/type.c */
    struct syms *syms;       /* ir/sym/sym.c */
    struct enums *enums;     /* ir/enums.c */
    struct map ranges;       /* ir/build: text of a slice, interned -> const struct range * */
    struct read_limits limits;
    bool floored_mod; /* Mod(a, b) has the sign of b: in files since DaCe 2.0.0b1; before, it was C's remainder, as a %
                         b is in all */
    bool whole_connectors; /* what nested SDFGs get is the whole container, and subsets of their edges only describe
                              what they use: in files since DaCe 2.0.0b1; before, they got what the subset selects */
};

struct ir *ir_new(void);
void ir_free(struct ir *ir); /* NULL is allowed */

#endif
