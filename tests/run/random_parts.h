/* What random_views.c makes its programs of: parts of arrays (random_parts.c) and steps that work on them
 * (random_parts_steps.c). */
#ifndef TESTS_RUN_RANDOM_PARTS_H
#define TESTS_RUN_RANDOM_PARTS_H

#include "tests/run/random_program.h"

enum {
    MOST_DIMS = 3,
    MOST_ARRAYS = 10,
    MOST_VARIABLES = 6,
    MOST_INPUTS = 3,
    MOST_DEPTH = 2,
    LARGEST = 12, /* of a variable */
};

/* A container, or a part of one: so many elements in each dimension, so far apart. */
struct shape {
    const char *type;
    uint32_t rank;
    int dims[MOST_DIMS];
    const char *strides[MOST_DIMS];
};

struct array {
    const char *name;
    struct shape shape;
};

/* A dimension of an array as a part has it: one place, or every `step`-th from there on. */
struct cut {
    const char *begin;
    int step, count; /* count 0: one place, no dimension of the part */
};

struct part {
    const struct array *of;
    struct cut cuts[MOST_DIMS];
    struct shape shape;
    bool plain; /* its dimensions are those that are cut, in their order */
    const char *vary,
        *next; /* the first place is the variable `vary`; `next`: its neighbour, which another part may have */
};

struct variable {
    const char *name;
    int high; /* 0 .. high */
    bool loop;
};

struct views {
    struct ir *ir;
    uint64_t *random;
    struct sdfg *s;
    struct array arrays[MOST_ARRAYS];
    uint32_t num_arrays, depth, loops, *labels;
    struct variable variables[MOST_VARIABLES];
    uint32_t num_variables;
};

struct param {
    const char *name, *range;
    int count; /* 0 .. count - 1 */
};

struct params {
    struct param items[MOST_DIMS];
    uint32_t count;
};

/* ---- choices ---- */

#define PICK(m, list) ((list)[part_below(m, sizeof(list) / sizeof *(list))])
#define TEXT(m, ...)  arena_printf((m)->ir->arena, __VA_ARGS__)

uint32_t part_below(struct views *m, uint32_t n);
bool part_chance(struct views *m, uint32_t percent);
const char *part_fresh(struct views *m, const char *what);
/* A place in 0 .. most. */
const char *part_place(struct views *m, int most, struct part *p);
int part_less_than(struct views *m, int most);
void part_shape_of_cuts(struct views *m, struct part *p);
struct part part_cut(struct views *m, const struct array *a);
/* The same elements in dimensions of other order and number. */
void part_bend(struct views *m, struct part *p);
/* Integers of half the size, where the elements lie side by side. */
void part_halve(struct part *p);
/* "A[3, 2:10:2]" */
const char *part_memlet_of(struct views *m, const struct part *p);
/* "A[3, 2 + 2 * (i)]", of a plain part. */
const char *part_element_in_place(struct views *m, const struct part *p, const char *const *indices);
const char *part_element(struct views *m, const char *name, const struct shape *s, const char *const *indices);
const char *part_shape_text(struct views *m, const struct shape *s);
const char *part_strides_text(struct views *m, const struct shape *s);
const char *part_any_type(struct views *m);
void part_add_argument(struct views *m);
const struct array *part_any_array(struct views *m, const struct array *but);
bool part_is_real(const char *type);
const char *part_bounded(struct views *m, const char *type, const char *value, bool sum);
const char *part_input_value(struct views *m, uint32_t number, const char *type);
const char *part_expression(struct views *m, const struct params *p, const char *const *xs, uint32_t count);
/* Any place of each dimension. */
void part_any_indices(struct views *m, const struct shape *s, const struct params *p, const char **out);
void part_add_params(struct views *m, struct params *p, const struct shape *s, bool all);

/* ---- steps, appended to a region ---- */

struct block *part_elements(struct views *m, struct region *r, const struct array *to, bool all);
/* Temporaries of the same dimensions, each made of the one before, and a part of the last one. */
struct block *part_chain(struct views *m, struct region *r, const struct array *to);
struct block *part_copy(struct views *m, struct region *r, const struct array *to);
/* Views inside of a map: each iteration looks at a row of its own, and a row of another array. */
struct block *part_inner_views(struct views *m, struct region *r, const struct array *to);
struct array part_temporary(struct views *m, const char *type, uint32_t rank, const int *dims);
struct map_entry *part_open_map(struct views *m, struct state *st, const struct params *p);

#endif
