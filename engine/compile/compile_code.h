/* What plug-ins make code with: struct sdfg_code over the tree at one place of a program. */
#ifndef ENGINE_COMPILE_CODE_H
#define ENGINE_COMPILE_CODE_H

#include "engine/codegen.h"
#include "lower/graph/target.h"

enum { CODE_LEVELS = 32 }; /* loops and branches of one element */

struct code_builder {
    sdfg_code code; /* first: what the plug-in sees */
    const struct codegen_target *target;
    struct scope *sc; /* statements go to sc->block */
    const struct place *place;
    const struct enum_value *member; /* whose attributes are asked for, or NULL */
    struct map_entry *map;           /* enter and leave, else NULL */
    const struct scope *outside;     /* of the map */
    uint32_t num_parameters;         /* that have a value */
    bool *known;                     /* which */
    struct tree_stmt *blocks[CODE_LEVELS];
    uint32_t depth;
    bool parallel; /* a loop asks for threads already */
    bool failed;   /* an error has been told */
    bool memory;   /* it is exhausted */
};

void builder_begin(struct code_builder *b, const struct codegen_target *t, struct scope *sc, const struct place *place,
                   const struct enum_value *member);
/* Closes loops and branches that are open. */
void builder_close(struct code_builder *b);
/* After the plug-in has returned: memory that was exhausted is told now. False: there has been an error. */
bool builder_is_good(const struct code_builder *b);
/* The error of the element; false. */
bool builder_fail(struct code_builder *b, const char *why);

/* The plug-in's view of an int64 of the tree, and back. */
static inline sdfg_value *builder_value(struct tree_expr *e) { return (sdfg_value *)e; }
static inline struct tree_expr *builder_expr(sdfg_value *v) { return (struct tree_expr *)v; }

#endif
