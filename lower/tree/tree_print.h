/* Readable pseudo-code. Stable: two equal trees print equally. Expressions: tree_print_expr.c; statements:
 * tree_print.c. */
#ifndef LOWER_TREE_PRINT_H
#define LOWER_TREE_PRINT_H

#include "lower/tree/tree.h"

#include "base/text.h"

void tree_print_name(const char *name, uint32_t id, bool again, struct text *out);
void tree_print_var(const struct tree_var *v, struct text *out);
void tree_print_args(const struct tree_expr *const *args, uint32_t count, struct text *out);
/* pointer[index]; the type is written if it is not the one pointed to. */
void tree_print_element(const struct tree_expr *pointer, const struct tree_expr *index, const struct type *type,
                        struct text *out);

#endif
