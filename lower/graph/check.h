/* Marks of checked mode, made while the graph is lowered (lower/tree/tree_check.h says what they are). All of this does
 * nothing if no check is asked for. */
#ifndef LOWER_GRAPH_CHECK_H
#define LOWER_GRAPH_CHECK_H

#include "lower/graph/lower.h"

/* Marks an access to all elements of the area. What is put at sc->block from here on is skipped if the access is bad.
 */
bool lower_check_area(struct scope *sc, const struct place *place, const struct area *a, bool read, bool write);
/* The same where code has the value of the first element, which is accessed even if the area is empty. */
bool lower_check_value(struct scope *sc, const struct place *place, const struct area *a, bool read, bool write);
/* Code that marks do not follow may write to the area. */
void lower_check_assume(struct scope *sc, const struct place *place, const struct area *a);
/* The operand gets what is needed to mark its elements where code names them. */
bool lower_check_operand(struct scope *sc, const struct place *place, const struct area *a, struct operand *o);
/* The same for a container that is named with all its indices. */
bool lower_check_container(struct scope *sc, const struct place *place, const struct container *c, struct operand *o);
/* Marks the address of the area's first element, which may be behind the last one of the container as in C: what gets
 * the address of no elements does not access them. */
bool lower_check_address(struct scope *sc, const struct place *place, const struct area *a);
/* Marks an access to elements `first` to `last` - 1 of `extent`, which data decides; as lower_check_area() otherwise.
 */
bool lower_check_elements_at(struct scope *sc, const struct place *place, const char *container,
                             struct tree_expr *pointer, struct tree_expr *first, struct tree_expr *last,
                             const struct sym *extent);
/* All operands of a library node. */
bool lower_check_edges(struct scope *sc, struct node *n);
/* Marks the value of `code` that a symbol of the given type gets. */
bool lower_check_overflow(struct scope *sc, const struct place *place, const char *name, const struct type *type,
                          const struct code *code);
/* A pointer that was loaded from a structure or container array, as a variable of which is known that it stands for the
 * memory of the container; the pointer itself if that is not to be checked. */
struct tree_expr *lower_check_memory(struct scope *sc, const struct place *place, const struct container *c,
                                     struct tree_expr *pointer);
/* Elements of the memory that an argument has, over symbols; NULL: not known. */
struct tree_expr *lower_check_elements(struct scope *sc, const struct container *c);
/* Memory that bad accesses go to; made with the parameters of the program. */
void lower_check_begin(struct lower *lw, struct tree_stmt *block);
bool lower_checks(const struct lower *lw, unsigned kinds); /* is one of them asked for? */

#endif
