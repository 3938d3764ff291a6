/* What plug-ins make code with: struct sdfg_code over the tree at one place of a program. */
#ifndef ENGINE_COMPILE_CODE_H
#define ENGINE_COMPILE_CODE_H

#include "base/fatal.h"
#include "base/text.h"
#include "base/vec.h"
#include "engine/codegen.h"
#include "jit/jit.h"
#include "lower/graph/target.h"

/* An object that a target keeps with the code (compile_object.c). */
struct kept_object {
    uint32_t number; /* in the program */
    const struct place *place;
    const char *name;
    const void *bytes; /* NULL: not known yet */
    size_t size;
};

/* Text that a target's compiler is going to get (compile_source.c), and its objects. */
struct target_source {
    const struct place *place; /* the first element that has some */
    struct text text;
    int64_t unique;               /* number for a name */
    VEC(struct jit_wanted) calls; /* of functions that it has to define */
    VEC(struct kept_object) objects;
};

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
    struct library *library;      /* node: whose operands may be asked for, or NULL */
    bool asked;                   /* some were */
    struct target_source *source; /* of the target in this program */
    bool parallel;                /* a loop asks for threads already */
    bool failed;                  /* an error has been told */
    bool memory;                  /* it is exhausted */
};

void builder_begin(struct code_builder *b, const struct codegen_target *t, struct target_source *source,
                   struct scope *sc, const struct place *place, const struct enum_value *member);
/* Closes loops and branches that are open. */
void builder_close(struct code_builder *b);
/* After the plug-in has returned: memory that was exhausted is told now. False: there has been an error. */
bool builder_is_good(const struct code_builder *b);
/* The error of the element; false. */
bool builder_fail(struct code_builder *b, const char *why);

/* What calls have in common: false after a mistake in their arguments. */
bool builder_arguments(struct code_builder *b, sdfg_value *const *arguments, size_t count);

/* Around what a plug-in calls: its frames are never abandoned, the error comes when it has returned. */
void *builder_exhausted(struct code_builder *b);
#define BUILDER(code)                                                                                                  \
    struct code_builder *b = (struct code_builder *)(code);                                                            \
    if (!b || b->failed)                                                                                               \
        return 0;                                                                                                      \
    GUARDED(builder_exhausted(b))

/* ---- compile_source.c ---- */

void code_source(sdfg_code *code, const char *text);
int64_t code_unique(sdfg_code *code);
sdfg_value *code_invoke(sdfg_code *code, const char *function, sdfg_value *const *arguments, size_t count);

/* ---- compile_object.c ---- */

sdfg_value *code_object(sdfg_code *code, const sdfg_code_object *object);
/* The bytes of an object that has none yet. NULL, or why not. */
const char *object_complete(struct arena *a, struct target_source *source, const sdfg_code_object *object);

/* ---- compile_operand.c ---- */

const sdfg_area *code_operand(sdfg_code *code, const char *connector, bool output);
/* `times` times an expression over tree symbols, and a region in the plug-in's terms. `gapless`: it is one dimension.
 * NULL or false after a diagnostic. */
sdfg_value *region_number(struct scope *sc, const struct place *place, const struct sym *s, int64_t times);
bool region_describe(struct scope *sc, const struct place *place, const struct area *a, bool gapless, sdfg_region *out);
/* The node in the plug-in's terms. */
sdfg_claimed_node node_describe(struct lower *lw, const struct node *n);
const char *node_class_path(const struct node *n);

/* The plug-in's view of an int64 of the tree, and back. */
static inline sdfg_value *builder_value(struct tree_expr *e) { return (sdfg_value *)e; }
static inline struct tree_expr *builder_expr(sdfg_value *v) { return (struct tree_expr *)v; }

#endif
