/* Rewriting of expressions and statements in place, for tree passes. */
#ifndef LOWER_TREE_REWRITE_H
#define LOWER_TREE_REWRITE_H

#include "lower/tree/tree.h"

/* Gives what stands for an expression whose operands have been rewritten already: another one, or itself. */
typedef struct tree_expr *tree_replace(void *user, struct tree_expr *e);

/* The expression with `replace` applied from the leaves up. What changes is made anew by the constructors of tree.h, so
 * it is folded as if it had been written so. */
struct tree_expr *expr_rewrite(struct tree *t, struct tree_expr *e, tree_replace *replace, void *user);
/* The expressions of the statement itself. */
void stmt_rewrite(struct tree *t, struct tree_stmt *s, tree_replace *replace, void *user);
/* All uses of a variable in the statement become `value`; assignments of it stay. */
void stmt_substitute(struct tree *t, struct tree_stmt *s, const struct tree_var *v, struct tree_expr *value);
/* A copy of the statement and all inside; variables and labels stay the same ones. */
struct tree_stmt *stmt_clone(struct tree *t, const struct tree_stmt *s);
/* A copy with variables of its own in place of those that the statement assigns. They belong to `t->region`. */
struct tree_stmt *stmt_clone_apart(struct tree *t, const struct tree_stmt *s);
/* The same, but variables that are keys of `kept` (NULL: none) stay the same ones. */
struct tree_stmt *stmt_clone_with(struct tree *t, const struct tree_stmt *s, const struct map *kept);
/* Blocks directly in blocks are dissolved, in the whole statement. */
void stmt_flatten(struct tree *t, struct tree_stmt *s);

/* The value in a variable of its own, which is set at the end of the block; a constant stays what it is. */
struct tree_expr *stmt_variable(struct tree *t, struct tree_stmt *block, const char *name, struct tree_expr *value);

#endif
