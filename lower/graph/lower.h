/* Lowering of the graph to the loop tree: all SDFG semantics live here, once, for all targets.
 *
 * Vocabulary
 *   activation  one SDFG being executed: the root, or one nested SDFG node (nested SDFGs are lowered in place)
 *   scope       where code is being placed: a state, or the inside of a map; carries the block statements go to
 *   binding     what a container is in an activation: a pointer, its layout and its alias class
 *   tree symbol a symbolic name that stands for a tree variable ("i#12"); symbolic expressions over tree symbols are
 * valid everywhere, so layouts and index expressions of different activations can be compared and cancel */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "ir/graph.h"
#include "lower/graph/code/code.h"
#include "lower/tree/tree.h"

struct target;
struct targets;

struct lower_bound {
    const char *name; /* free symbol of the root */
    int64_t value;
};

/* Who measures elements of one kind of instrumentation, or looks at data. */
struct sdfg_rt_element;
struct lower_provider {
    enum enum_kind kind; /* and a member of it */
    const char *name;
    const char *owner; /* "plug-in 'acme'" */
    /* Is the element measured? If not because the provider cannot be used here, `*why` says so. */
    bool (*wants)(const struct lower_provider *p, const struct sdfg_rt_element *numbers, const char *name,
                  const char **why);
    const void *user;
    uint32_t index;
};

/* Library nodes of a class that an operation of the library lowers. */
struct lower_operation {
    const char *class_path; /* all of it; of the library NULL: any that its name is found in */
    uint32_t row;           /* in ops.def */
};

struct lower_options {
    const struct targets *targets;
    const struct machine *machine; /* that the code is for; NULL: machine_baseline */
    const struct lower_bound *bound;
    uint32_t num_bound;
    const char *const *may_alias; /* arguments that may overlap others */
    uint32_t num_may_alias;
    const char *const *node_classes; /* class paths of library nodes that the embedding program implements */
    uint32_t num_node_classes;
    /* Library nodes that operations of the library lower: those of the library in the order of their rows in ops.def.
     */
    const struct lower_operation *operations;
    uint32_t num_operations;
    bool exported;      /* the code runs without the embedding program */
    uint32_t alignment; /* of array arguments, bytes; 0: that of the element */
    bool device;        /* code for a device: it must be told how large arguments are */
    bool no_threads;
    bool strict_fp; /* reductions keep their order */
    const struct lower_provider *providers;
    uint32_t num_providers;
    bool timing;                  /* elements are measured where the graph asks for it (instrument.h) */
    bool save_data, restore_data; /* data instrumentation; without the second, graphs that restore are refused */
    unsigned check;               /* enum sdfg_rt_check_kind: accesses are marked for the check pass (check.h) */
};

struct lower {
    struct ir *ir;
    struct arena *arena;
    struct diags *diags;
    struct tree *tree;
    const struct lower_options *options;
    const struct targets *targets;
    struct map used_targets;              /* const struct target * -> itself: something of the program is theirs */
    struct map vars;                      /* interned tree symbol -> struct tree_var * */
    struct tree_func *main, *init, *exit; /* init and exit are made on demand */
    struct tree_func *workspace;          /* made on demand: asks for the memory of lifetime External */
    struct tree_stmt *externals;          /* of main, first of all: takes that memory */
    struct tree_stmt *prologue;           /* of main, before everything else: memory of lifetime Global */
    struct tree_stmt *epilogue;           /* of main, after everything else */
    struct tree_stmt *farewell;           /* of exit, after the memory that init made: exit code of SDFGs */
    struct activation *root;
    uint32_t depth;           /* in levels of lower_enter */
    uint32_t num_objects;     /* that targets keep with the code: their numbers in the program */
    int64_t frame;            /* bytes of containers on the stack so far */
    bool in_extent;           /* elements that sizes name are not checked, or chains of sizes would be at each access */
    struct tree_var *scratch; /* memory that bad accesses go to in checked mode, else NULL */
    struct map regions;       /* const struct region * -> its number + 1; empty until somebody asks (instrument.c) */
};

/* A symbol's value: an expression over tree symbols (read-only), or a variable that transitions assign. */
struct symval {
    const struct sym *value; /* over tree symbols; of a variable: its tree symbol */
    struct tree_var *var;    /* NULL unless it can be assigned */
    const struct type *type;
};

struct binding {
    const struct container *desc;
    const struct type *type;   /* element */
    struct tree_expr *pointer; /* address of the allocation's element 0 (start_offset added); NULL: not yet bound */
    struct tree_var *var;      /* pointer variable behind `pointer`, if it can change */
    uint32_t rank;
    const struct sym **strides, **offset; /* over tree symbols; the shape is asked for with lower_shape */
    uint32_t alias;
    const struct target *owner;          /* who takes and releases the memory; NULL: the caller, or another binding */
    struct tree_expr *parts, *part_size; /* CPU_ThreadLocal: parts of the memory, elements of each; else NULL */
};

struct activation {
    struct lower *lw;
    struct activation *parent;
    struct sdfg *sdfg;
    const struct nested *node; /* NULL for the root */
    struct scope *caller;      /* scope of the node in the parent */
    struct map bindings;       /* const struct container * -> struct binding * */
    struct map symbols;        /* interned name -> struct symval * */
    struct tree_label *return_label;
    bool return_used;
    struct alloc_plan *plan; /* where each transient lives (alloc.c) */
    const struct state *views_of;
    struct map views; /* of that state: view container -> number of access nodes, as an integer in the pointer */
};

struct library_memory;

struct scope {
    struct activation *act;
    struct scope *parent;            /* enclosing scope of the same activation, or NULL */
    struct state *state;             /* NULL on transitions */
    struct node *entry;              /* map or consume entry, NULL at state level */
    struct map symbols;              /* parameters and dynamic inputs: interned name -> struct symval * */
    struct map values;               /* const struct edge * -> struct tree_var *: tasklet-to-tasklet values */
    struct tree_stmt *block;         /* where statements go now */
    bool parallel;                   /* inside a loop that may run on several threads */
    uint32_t concurrent;             /* how many of the entry's parameters (from the first) run on several threads */
    bool team;                       /* inside a CPU_Persistent scope: every thread runs this code */
    struct tree_stmt *region;        /* STMT_PARALLEL opened by the scope's target, or NULL */
    const struct consumed *consumed; /* what a consume scope has taken from its stream (consume.c), else NULL */
    struct tree_expr *const *thread; /* threadIdx along x, y and z in loops over a block (threads.c), else NULL */
    struct library_memory *library;  /* of the library node being lowered, or NULL */
};

/* ---- entry (lower.c) ---- */

/* Lowers a validated, type-inferred SDFG. False with diagnostics. The tree has functions "main" and, if persistent
 * memory or init/exit code exists, "init" and "exit". */
bool lower_program(struct sdfg *s, const struct lower_options *o, struct tree **out);

/* Clears memory of the stack that is read before it is written (fresh.c). */
void lower_clear_unwritten(struct lower *lw);

/* Fresh helpers for a piece of an activation (transitions, entry code). */
struct scope scope_at(struct activation *act, struct tree_stmt *block);
struct scope scope_inside(struct scope *parent, struct node *entry, struct tree_stmt *block);

/* ---- what C++ code keeps between calls (program_state.c; semantics.md 1.5) ---- */

/* The function `*f` of the tree, made when it is first wanted. */
struct tree_func *lower_function(struct lower *lw, struct tree_func **f, const char *name);
/* Memory of the state with the values of static variables, code of SDFGs and tasklets for the beginning and the end. */
bool lower_begin_state(struct lower *lw);
void lower_end_state(struct lower *lw);                                            /* the last statements of exit */
bool lower_state_operand(struct lower *lw, const char *name, struct operand *out); /* is it the state's name? */

/* ---- symbols (symbols.c) ---- */

/* A tree symbol for a variable; the same variable gives the same symbol. */
const struct sym *lower_var_symbol(struct lower *lw, struct tree_var *v);
/* An expression of the file in terms of tree symbols. Reads of containers are evaluated into variables at sc->block.
 * NULL with a diagnostic at `place` for names that are not defined. */
const struct sym *lower_symbolic(struct scope *sc, const struct place *place, const struct sym *s);
/* An expression over tree symbols as code: int64 (rules of format.md 5.5), or its natural type. */
struct tree_expr *lower_index(struct lower *lw, const struct place *place, const struct sym *s);
struct tree_expr *lower_value(struct lower *lw, const struct place *place, const struct sym *s);
const struct symval *lower_find_symbol(struct scope *sc, const char *name); /* NULL: no symbol of that name in sight */
/* Name resolution for code (struct code_scope.lookup): symbols, constants, containers. `user` is the struct scope. */
bool lower_lookup(void *scope, const char *name, struct operand *out);
struct code_scope lower_code_scope(struct scope *sc, const struct place *place, const char *text);
/* Declares an assignable symbol of the activation. */
struct symval *lower_symbol_variable(struct activation *act, const char *name, const struct type *type);

/* ---- containers and memlets (memlet.c, alloc.c, view.c) ---- */

/* The binding of a container (a member of a structure: of the member). NULL with a diagnostic. */
struct binding *lower_binding(struct scope *sc, const struct place *place, const struct container *c);
struct tree_expr *lower_member_field(struct scope *sc, const struct place *place, const struct container *c);
/* Extent of a dimension, and elements of the allocation with those before the first one, over tree symbols; NULL with a
 * diagnostic if a symbol is undefined. */
const struct sym *lower_shape(struct scope *sc, const struct place *place, const struct binding *b, uint32_t dim);
const struct sym *lower_total_size(struct scope *sc, const struct place *place, const struct container *c);
enum packing { PACKED_NONE, PACKED_C = 1, PACKED_F = 2, PACKED_BOTH = 3 };
enum packing lower_packing(struct scope *sc, const struct place *place, const struct binding *b);
struct binding *binding_new(struct scope *sc, const struct place *place, const struct container *desc,
                            struct tree_expr *pointer,
                            uint32_t alias); /* layout of `desc` in the symbols of the scope */

enum { LOWER_MAX_RANK = 32 };

/* A region of memory: what a memlet end denotes. */
struct area {
    struct binding *binding; /* NULL: temporary memory, row-major */
    const struct container *desc;
    const struct type *type;    /* element */
    struct tree_expr *pointer;  /* address of the region's first element */
    uint32_t rank;              /* dimensions of the subset; a tiled dimension is two */
    const struct sym **sizes;   /* elements per dimension, over tree symbols */
    const struct sym **strides; /* elements of memory per step, subset steps included, over tree symbols */
    uint32_t alias;
    bool whole; /* the subset is the whole container */
    /* In checked mode, per dimension of the container: first and last index, step. NULL: not known. */
    const struct sym **low, **high, **step;
    bool tiled;
};

/* `subset` of container `c` (NULL: all of it). */
bool lower_area(struct scope *sc, const struct place *place, const struct container *c, const struct subset *subset,
                struct area *out);
/* The region a memlet names at the data's own end. */
bool lower_memlet_area(struct scope *sc, const struct edge *e, struct area *out);
/* The same with lists of its own, which have room for one dimension more. */
struct area area_copy(struct lower *lw, const struct area *a);
/* Drops dimensions of size 1 (keeps none if all are 1); changes the lists. */
void area_squeeze(struct area *a);
const struct sym *area_volume(struct lower *lw, const struct area *a);
bool area_is_contiguous(struct lower *lw, const struct area *a); /* row-major without gaps */
/* Address or value of one element; index over tree symbols, one per dimension of the area. */
struct tree_expr *area_offset(struct lower *lw, const struct place *place, const struct area *a,
                              const struct sym *const *index);

/* Inside a scope that runs on several threads CPU_ThreadLocal containers are the part of the thread; afterwards they
 * are what they were outside (alloc_local.c). */
struct part_outside {
    struct binding *binding;
    struct tree_expr *pointer;
};
struct parts_outside {
    struct part_outside *items;
    uint32_t count, capacity;
};
struct parts_outside *lower_enter_threads(struct scope *inside);
void lower_leave_threads(const struct parts_outside *p);
bool lower_plan_allocations(struct activation *act); /* before anything of the activation is lowered */
/* Memory of what lives in this scope; frees go to the block. At activation level: sc->state NULL. */
bool lower_allocate_scope(struct scope *sc, struct tree_stmt *frees);
/* The map or consume entry inside which a container is private; false if it lives at state level or further out. */
bool lower_is_private_to(const struct activation *act, const struct container *c, const struct node *entry);
/* Views whose access nodes lie in this scope: their pointers are computed here. A view with several nodes is pointed
 * anew where a node is used (lower_point_view). */
bool lower_bind_views(struct scope *sc);
bool lower_point_view(struct scope *sc, struct access *a);
bool lower_is_view_edge(const struct edge *e);              /* moves no data */
bool lower_set_reference(struct scope *sc, struct edge *e); /* an edge into connector `set` */
/* From here on the reference of an access node is the memory at `p`. */
bool lower_point_reference(struct scope *sc, struct access *a, struct tree_expr *p);

/* ---- nodes (state.c, tasklet.c, map.c, nested.c, copy.c, library) ---- */

/* Inputs of an entry node that are no IN_ connectors: scalars read before the scope starts, symbols in all of it
 * (semantics.md 5.2). */
bool lower_dynamic_inputs(struct scope *sc, struct node *entry, struct scope *inside);
bool lower_state(struct activation *act, struct state *st, struct tree_stmt *block);
/* Around what nests: passes over the tree recurse over it, and the time that LLVM takes for loops grows much faster
 * than their depth. 200 loops or 1,000 branches are the most. False after a diagnostic: too deep. (What fails is not
 * left.) */
enum {
    LOWER_LEVELS_MAX = 1000,
    LOWER_LEVELS_OF_LOOP = 5 /* of scopes and nested SDFGs, too */,
    LOWER_LEVELS_OF_BRANCH = 1
};
bool lower_enter(struct lower *lw, const struct place *place, uint32_t levels);
void lower_leave(struct lower *lw, uint32_t levels);
bool lower_scope_nodes(struct scope *sc); /* all nodes directly in the scope, in order */
bool lower_node(struct scope *sc, struct node *n);
bool lower_node_by_target(struct scope *sc, struct node *n); /* by the target that claims it, else as below */
#define NODE(K, json, s, family, doc) bool lower_##s(struct scope *sc, struct node *n);
#include "ir/nodes.def"
#undef NODE

bool lower_activation(struct activation *act, struct tree_stmt *block); /* control.c: allocations, region, frees */

/* Element-wise copy of `from` to `to` (equal volume), with conversion, or conflict resolution of `m` if it has one. */
bool lower_copy(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                const struct memlet *m, bool atomic);
/* Element number `n` of a region in row-major (or column-major) order, as an offset into memory. */
struct tree_expr *lower_linear_offset(struct lower *lw, const struct place *place, const struct area *a,
                                      struct tree_var *n, bool column_major);
/* Copy along an edge between two access nodes (through scopes). */
bool lower_copy_edge(struct scope *sc, struct edge *e);
/* Must a conflicting write along this edge be atomic? (semantics.md 4.7) */
bool lower_is_conflicting(struct scope *sc, struct edge *e);
/* Stores or combines one value at area[0...]. */
bool lower_write(struct scope *sc, const struct place *place, const struct area *to, const struct memlet *m,
                 bool atomic, struct tree_expr *value);

/* A loop nest over `sizes`; returns the innermost block and the index symbols. Loops are independent if asked; the
 * outermost is parallel if asked and the scope is not already parallel. */
struct tree_stmt *lower_loops(struct scope *sc, const struct place *place, uint32_t rank,
                              const struct sym *const *sizes, bool parallel, const struct sym **index);

/* ---- library nodes (library/library.h has the registry) ---- */

bool lower_unsupported(struct scope *sc, const struct place *place, const char *what); /* UNSUPPORTED; false */

#endif
