/* What random_forms.c makes its programs of (random_steps.c): states with a tasklet in maps, places in arrays, values.
 */
#ifndef TESTS_RUN_RANDOM_STEPS_H
#define TESTS_RUN_RANDOM_STEPS_H

#include "tests/run/random_program.h"

enum {
    MOST_ARRAYS = 12,
    MOST_VARIABLES = 8,
    MOST_PARAMS = 3,
    MOST_INPUTS = 4,
    MOST_LOOPS = 2,
    LARGEST = 44,  /* of a variable: with what is added to it a place in every dimension */
    WRITTEN = 48,  /* places of temporaries that are written before any are read */
    SHORTEST = 34, /* rows, where the passes want many */
};

struct array {
    const char *name;
    uint32_t rank;
    bool large; /* sums have gone in */
};

/* A variable of a loop, or a symbol: low .. high, both inclusive. */
struct variable {
    const char *name;
    int low, high;
};

struct forms {
    struct ir *ir;
    uint64_t *random;
    struct sdfg *s;
    uint32_t labels;
    struct array arrays[MOST_ARRAYS];
    uint32_t num_arrays;
    bool shared; /* the first two arrays are the same memory */
    struct variable variables[MOST_VARIABLES];
    uint32_t num_variables, loops;
};

/* A state with one tasklet, in a map or two. */
struct step {
    struct variable params[MOST_PARAMS];
    const char *ranges[MOST_PARAMS]; /* "0:t + 1" */
    uint32_t num_params;
    const struct array *inputs[MOST_INPUTS];
    const char *memlets[MOST_INPUTS]; /* of the connectors x0, x1, ... */
    uint32_t num_inputs;
    const char *out, *wcr, *code; /* the value of the tasklet */
    bool plain;                   /* no schedule is chosen, nor how many maps */
};

/* ---- choices ---- */

#define PICK(m, list) ((list)[form_below(m, sizeof(list) / sizeof *(list))])
#define TEXT(m, ...)  arena_printf((m)->ir->arena, __VA_ARGS__)

uint32_t form_below(struct forms *m, uint32_t n);
bool form_chance(struct forms *m, uint32_t percent);
const char *form_fresh(struct forms *m, const char *what); /* a name */
struct array *form_any_array(struct forms *m);
/* In other memory, of that rank (0: any); NULL: there is none. */
struct array *form_other_array(struct forms *m, const struct array *but, uint32_t rank);
struct array *form_matrix(struct forms *m);
struct array form_temporary(struct forms *m, uint32_t rank);
void form_sums(struct forms *m, struct array *a); /* `a` gets values that are not bounded */

/* ---- steps ---- */

/* A parameter that runs from `begin` to `end`, exclusive; its values are low .. high. */
void form_add_param(struct forms *m, struct step *p, const char *begin, int low, const char *end, int high);
/* Rectangles and triangles, also with no iterations. */
void form_add_any_param(struct forms *m, struct step *p);
struct block *form_put_step(struct forms *m, struct region *r, const struct step *p);

/* ---- places and values ---- */

/* "a[x, y]", "a[x]". */
const char *form_element(struct forms *m, const struct array *a, const char *x, const char *y);
/* An index near a parameter or variable. */
const char *form_anywhere(struct forms *m, const struct step *p);
/* A place of each iteration's own in `a`. *carried: one in another row, which no iteration of the map writes, or NULL.
 */
const char *form_own(struct forms *m, const struct array *a, const struct step *p, const char **carried);
/* The value at a place, as a name in the tasklet. */
const char *form_input(struct forms *m, struct step *p, const struct array *a, const char *memlet);
const char *form_expression(struct forms *m, struct step *p, const char *const *xs, uint32_t count);
const char *form_bounded(struct forms *m, const char *value, int most); /* -most .. most */

/* ---- forms, appended to a region ---- */

/* Elements of a map, each from any elements of other arrays, its own, or those of the row before. */
struct block *form_elements(struct forms *m, struct region *r);
/* Several loops that belong together; not in other loops. */
struct block *form_whole(struct forms *m, struct region *r);

#endif
