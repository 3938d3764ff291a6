/* Targets: who lowers the schedules, storages, copies and nodes of a program. A target is a table of what it claims and
 * a set of functions, each of which may be missing. What the library's own claim is registered with an engine
 * (engine/builtin/targets.c), as what those of plug-ins claim.
 *
 * Who is asked: of all claims that hold for an element, the most specific one (target_find); of equals, the one of the
 * target that was added last. */
#ifndef LOWER_TARGET_H
#define LOWER_TARGET_H

#include "lower/graph/lower.h"

#include <stddef.h>

struct machine;

/* ---- claims ---- */

enum claim_kind { CLAIM_SCHEDULE, CLAIM_STORAGE, CLAIM_COPY, CLAIM_NODE };

/* The element that somebody is wanted for. */
struct claim_site {
    struct scope *scope;          /* NULL: asked for a list */
    const struct node *node;      /* CLAIM_SCHEDULE: entry of the scope; CLAIM_NODE */
    const struct container *from; /* CLAIM_COPY; NULL: temporary memory of the host */
    const struct container *to;   /* CLAIM_COPY, or the container of CLAIM_STORAGE; NULL as above */
};

/* One row of a target's table. Names are those of files ("GPU_Global", "Tasklet"); a list ends with NULL, and NULL
 * instead of a list holds for every name. The name of a template stands for all its instances. */
struct claim {
    enum claim_kind kind;
    const char *const *names;     /* schedules, storages, types of nodes; of a copy, storages of its source */
    const char *const *to;        /* copies: storages of the destination */
    const char *const *schedules; /* copies: of the innermost scope around, through nested SDFGs */
    bool (*holds)(const struct target *t, const struct claim *c, const struct claim_site *site); /* NULL: always */
    const char *refused; /* why there is no code for it: whoever meets it gets this as an error; NULL: there is code */
    bool parts;          /* storages: memory from outside of a parallel scope has a part for each of its threads */
    const void *user;    /* of `holds` */
};

/* The predicate that claims name as their rule, or NULL (gpu.c). */
typedef bool claim_predicate(const struct target *t, const struct claim *c, const struct claim_site *site);
claim_predicate *target_rule(const char *name);

/* ---- memory ---- */

enum allocation_life {
    LIFE_BLOCK,   /* while the block in which it is taken is executed: it may be on the stack */
    LIFE_CALL,    /* until it is released, in this call */
    LIFE_PROGRAM, /* as long as the program: its address is kept in a slot of the program's state */
};

/* Memory of a container, of a member of a structure, or of the queues of a stream. */
struct allocation {
    const struct target *owner; /* who takes it, and releases it */
    const struct container *desc;
    struct binding *binding; /* NULL: of a member, or none yet */
    struct tree_var *var;    /* gets the address; whoever releases it finds it there */
    const struct type *type; /* of an element */
    struct tree_expr *count; /* elements */
    enum allocation_life life;
    uint32_t slot; /* LIFE_PROGRAM */
    bool zero;
    enum tree_memory where; /* set by `allocate` */
};

/* ---- targets ---- */

/* What `machine` is asked for. */
struct target_machine {
    const char *triple, *cpu, *features; /* as LLVM names them */
    bool other;                          /* the code may run on another machine than this one */
};

struct target {
    size_t size;      /* sizeof of this struct where the target was compiled: what lies behind it is empty */
    const char *name; /* "cpu", "openmp" */
    const char *text; /* what it serves, as lists show it */
    /* Every function that is missing here is taken from this target, and so is the table of claims. NULL: none. */
    const struct target *extends;
    const struct claim *claims;
    uint32_t num_claims;
    bool device; /* has memory and processors of its own, which may be missing */
    void *user;  /* of the target's functions, which get the target that was asked, not the one that they come from */

    /* The machine that code is made for, asked before anything else. */
    void (*machine)(const struct target *t, const struct target_machine *asked, struct machine *out);

    /* -- lowering; false after a diagnostic -- */

    /* Once in a program of which something falls to the target: before the first such element is lowered, and when
     * everything is. Code for the beginning and the end of the program goes to lower_function(). */
    bool (*begin)(const struct target *t, struct lower *lw);
    bool (*end)(const struct target *t, struct lower *lw);
    /* Loops of a map, appended to sc->block: makes the parameters known in `inside` and sets inside->block to the
     * innermost body. `leave` is called when the inside has been lowered. */
    bool (*enter)(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *inside);
    bool (*leave)(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *inside);
    /* Takes memory at sc->block. */
    bool (*allocate)(const struct target *t, struct scope *sc, struct allocation *a);
    /* Gives it back at `block`; the address may be null then, unless it is on the stack. */
    bool (*release)(const struct target *t, struct lower *lw, const struct allocation *a, struct tree_stmt *block);
    /* Copies between regions of two containers, with conversion or the conflict resolution of `m`. */
    bool (*copy)(const struct target *t, struct scope *sc, const struct place *place, const struct area *from,
                 const struct area *to, const struct memlet *m, bool atomic);
    /* A node that the target claims. */
    bool (*node)(const struct target *t, struct scope *sc, struct node *n);
};

/* The target that fills in a function of `t`: itself or one that it extends; NULL: nobody does. */
#define TARGET_WITH(t, function)                                                                                       \
    target_with(t, offsetof(struct target, function), sizeof((t)->function)) /* the function follows as ->function */
const struct target *target_with(const struct target *t, size_t offset, size_t size);

/* Those of an engine; the later ones go before the earlier ones. The first is the host's, which knows the machine. */
struct targets {
    const struct target *const *items;
    uint32_t count;
};

/* The code of the library's targets, which claim nothing themselves. */
extern const struct target cpu_target, openmp_target, mpi_target, sve_target, gpu_target, cuda_target;
const struct target *target_builtin(const char *name); /* NULL: there is none */

struct claim_found {
    const struct target *target;
    const struct claim *claim;
};

/* The most specific claim that holds: with a predicate before those without, then with a schedule before those without,
 * then with more names given. False if nobody claims it, or if the predicates of two targets hold that are equally
 * specific: then *second is the other target. `name`, `to`, `schedule` as in struct claim (NULL: none). */
bool target_find(const struct targets *all, enum claim_kind kind, const char *name, const char *to,
                 const char *schedule, const struct claim_site *site, struct claim_found *out,
                 const struct target **second);

/* ---- what lowering asks; NULL or false after a diagnostic at `place` ---- */

const struct target *lower_target_of_map(struct scope *sc, const struct map_entry *m);
const struct target *lower_target_of_memory(struct scope *sc, const struct container *c);
/* Does outside memory of this storage have a part for each thread? */
bool lower_has_parts(const struct lower *lw, const struct container *c);
/* Copies by the target that claims the pair of storages. */
bool lower_copy_between(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                        const struct memlet *m, bool atomic);
/* Memory from its owner at sc->block; `frees` gets what gives it back. */
bool lower_allocate(struct scope *sc, struct allocation *a, struct tree_stmt *frees);
bool lower_release(struct lower *lw, const struct allocation *a, struct tree_stmt *block);
bool lower_end_targets(struct lower *lw);
const char *lower_schedule_around(const struct scope *sc);  /* of the innermost scope, through nested SDFGs, or NULL */
const char *lower_node_type(const struct node *n);          /* as in files */
bool lower_node_as_usual(struct scope *sc, struct node *n); /* as if no target claimed it */

/* ---- loops and copies of the host, which other targets use (cpu.c, copy.c) ---- */

/* `parallel`: the first loop asks for threads. */
bool cpu_loops(struct scope *sc, struct map_entry *m, struct scope *inside, bool parallel, enum tree_level level);
/* Are the iterations independent? They are by contract, unless they meet in a conflict resolution (independent.c). */
bool lower_is_independent(const struct map_entry *m, enum tree_level level);
/* One loop of them, with its parameter, in in->block, which becomes its body. */
struct tree_stmt *cpu_loop(struct scope *in, const struct map_entry *m, uint32_t dim, struct tree_expr *from,
                           struct tree_expr *to, struct tree_expr *by);
/* Makes a parameter of a map known. */
void cpu_parameter(struct scope *inside, const char *name, const struct sym *value);

#endif
