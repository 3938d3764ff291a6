/* What ir.c puts together; nobody else calls these. */
#ifndef IR_INTERNAL_H
#define IR_INTERNAL_H

#include "ir/ir.h"

struct types *types_new(struct ir *ir); /* ir/type.c */
struct syms *syms_new(struct ir *ir);   /* ir/sym/sym.c; types exist already */
struct enums *enums_new(struct ir *ir); /* ir/enums.c */

#endif
