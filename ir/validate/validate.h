/* What the files of the validator share; nobody else includes it.
 *
 * One walk over the graph, outermost SDFG first, blocks in depth-first order from the start block, nodes in an order
 * that respects the edges: the order of format.md 9, so that the first complaint is comparable. Numbers in comments are
 * rules of that section. A rule that needs something which an earlier rule found broken is skipped for that element. */
#ifndef IR_VALIDATE_H
#define IR_VALIDATE_H

#include "ir/graph.h"

/* Reports stop here; a file with more errors is not worth reading further. */
enum { VALIDATE_MAX_ERRORS = 100, VALIDATE_MAX_WARNINGS = 100 };

/* A range that lies within a dimension. Equal expressions are one pointer. */
struct known_range {
    const struct sym *begin, *end, *step, *offset, *extent;
};

enum { KNOWN_RANGES = 256 };

struct validator {
    struct ir *ir;
    struct arena *scratch;                  /* dies with the call */
    bool old;                               /* the file names no version */
    uint32_t seen, errors, warnings;        /* diagnostics counted so far */
    struct known_range known[KNOWN_RANGES]; /* files repeat them; by a hash of the range */
};

/* Where code runs: decided by the schedules around it. */
enum code_placement { PLACED_HOST, PLACED_DEVICE, PLACED_OPEN /* a scope around it has the schedule Default */ };

struct sdfg_scan {
    struct validator *v;
    struct sdfg *sdfg;
    enum code_placement placement;
    struct map names;    /* containers, symbols and constants, interned name -> non-NULL */
    struct map defined;  /* what a condition may read at this point of the walk */
    struct map assigned; /* symbols that any transition or loop sets */
    struct map written;  /* containers with data, references that are set, so far in the walk */
};

struct state_scan {
    struct sdfg_scan *sdfg;
    struct state *state;
    struct node **order;         /* topological, all nodes */
    enum code_placement *inside; /* of the scope that an entry node opens, by node index */
    struct map repeated;         /* parameters of several maps */
};

static inline struct diags *validate_diags(const struct state_scan *s) { return s->sdfg->v->ir->diags; }

bool validate_full(struct validator *v); /* no room for more errors: stop looking */
bool validate_may_warn(struct validator *v);
/* A read of a container at this point of the walk: warns about a transient that nothing has written so far. */
void validate_read(struct sdfg_scan *s, const struct place *place, const struct container *c);
bool validate_name(const char *name); /* format.md 2.0 */
bool validate_literal(struct validator *v, const struct sym *s,
                      int64_t *value); /* folds to a constant (rounded down) */

void validate_sdfg(struct validator *v, struct sdfg *s, enum code_placement placement);
void validate_sizes(struct sdfg_scan *s);
void validate_region(struct sdfg_scan *s, struct region *r, bool in_loop);
void validate_state(struct sdfg_scan *s, struct state *st);
void validate_node(struct state_scan *s, struct node *n);
void validate_connectors(struct state_scan *s, struct node *n);
void validate_nested(struct state_scan *s, struct nested *n);
void validate_tasklet(struct state_scan *s, struct tasklet *t);
void validate_edge(struct state_scan *s, struct edge *e);
void validate_connector_types(struct state_scan *s, struct edge *e);

enum code_placement validate_placement(const struct state_scan *s, const struct node *n); /* of the code of `n` */
const struct container *validate_root_container(const struct container *c); /* the structure around a member */
bool validate_on_gpu(const struct container *c);                            /* lies in a memory of the device */

#endif
