/* What a statement touches: variables, and memory element by element. Two pieces of a program may change places if
 * neither touches what the other changes; sets of pieces answer that in time linear in the piece asked about. */
#ifndef LOWER_TREE_PIECE_H
#define LOWER_TREE_PIECE_H

#include "lower/tree/tree_linear.h"

enum { PIECE_UNKNOWN_EXTENT = -1 };

struct tree_access {
    uint32_t alias;
    bool write, read;                /* both: an update */
    bool store;                      /* a plain STMT_STORE */
    bool guarded;                    /* under a condition */
    const struct tree_expr *pointer; /* NULL: any memory */
    const struct type *type;         /* of the elements */
    const struct linear *at;         /* number of the first one */
    int64_t extent;                  /* how many follow each other */
    const struct tree_frame *frame;  /* loops around */
    struct tree_access *next;        /* in a set: the one before in the same class */
};

/* Does the access write all of its elements and read none: a store, a fill, a copy to there? */
static inline bool access_fills(const struct tree_access *a) { return a->write && !a->read && a->extent > 0; }

/* Memory that one statement touches, what its expressions load and what is inside of it not counted. */
struct tree_touch {
    uint32_t alias;
    const struct tree_expr *pointer, *index; /* NULL: any memory; the first element */
    const struct tree_expr *count;           /* elements that follow each other; NULL: one */
    const struct type *type;                 /* of the elements */
    bool write, read;                        /* both: an update */
    bool store;                              /* a plain STMT_STORE */
};
void stmt_each_touch(const struct tree_stmt *s, void (*see)(void *user, const struct tree_touch *touch), void *user);
/* A load, and not of constants? */
bool expr_loads_memory(const struct tree_expr *e);
/* Does control not just go on behind the statement, or do threads meet there? Jumps of loops are not counted. */
bool stmt_is_control(const struct tree_stmt *s);

struct tree_piece {
    VEC(struct tree_access *) accesses;
    VEC(struct tree_var *) reads, writes; /* as often as they stand there; loop variables are written */
    bool control;                         /* jumps, labels, threads: neither moves nor may be passed */
    bool effects;                         /* calls, but for those of pure functions */
    bool jumps;                           /* of loops inside */
    bool frees;
};

/* Adds a statement inside the loops `frame`. */
void piece_add(struct arena *a, struct tree_piece *p, struct tree_stmt *s, const struct tree_frame *frame);
/* Of variables and memory only what changes, and of that not the places: `pointer` and `at` are not set. */
void piece_add_changes(struct arena *a, struct tree_piece *p, struct tree_stmt *s);

struct piece_class {
    uint32_t stamp;
    bool read, write;
    struct tree_access *accesses;
};

/* Several pieces together; cheap to clear. */
struct piece_set {
    struct arena *arena;
    const struct tree *tree;
    uint32_t stamp;
    struct piece_class *classes; /* by alias class; 0: what may touch everything */
    VEC(uint32_t) touched;       /* classes with accesses, in the order in which they came */
    uint32_t *read, *written;    /* stamps by variable id */
    uint32_t num_vars;
    struct piece_class all; /* everything together */
    bool control, effects;
};

void piece_set_init(struct piece_set *set, struct arena *a, const struct tree *t);
void piece_set_clear(struct piece_set *set);
void piece_set_add(struct piece_set *set, const struct tree_piece *p);
/* May the piece not change places with the pieces of the set? */
bool piece_set_orders(const struct piece_set *set, const struct tree_piece *p);
/* The part of that which is about variables, and about anything but elements of memory. */
bool piece_set_orders_control(const struct piece_set *set, const struct tree_piece *p);
const struct piece_class *piece_set_class(const struct piece_set *set, uint32_t alias);
bool piece_set_writes_var(const struct piece_set *set, const struct tree_var *v);

#endif
