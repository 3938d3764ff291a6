/* The corner cases of SDFG semantics as programs with arguments and intended results, written by generate_corner.c.
 *
 * A case is a function that builds the program and gives the arguments; all values are texts written by hand from what
 * the case says, never computed by the engine. */
#ifndef TESTS_RUN_CORNER_H
#define TESTS_RUN_CORNER_H

#include "base/text.h"
#include "ir/build/build.h"

#include <stdbool.h>

struct corner {
    struct ir *ir;
    struct sdfg *s;
    const char *name, *root, *folder; /* folder: of the call being described */
    struct block *last;               /* what corner_state continues */
    struct text args;                 /* entries of case.json */
    int call;
    const char *rtol;   /* text of a number, or NULL: exact integers, usual tolerances */
    const char *uninit; /* name of an argument whose result is not compared, or NULL */
    const char *transcript;
    bool good;
};

struct corner_row {
    const char *name;
    void (*build)(struct corner *c);
    bool says; /* build calls corner_says */
};

/* Each ends with a row of NULLs. */
extern const struct corner_row corner_connectors[], corner_copies[], corner_conflicts[], corner_control[],
    corner_symbols[], corner_calls[], corner_scopes[], corner_types[], corner_memory[], corner_order[], corner_teams[],
    corner_devices[], corner_clocks[];

/* A program of one tasklet. `inputs` and `outputs` are lists such as "int32 a = -7, float64 b = 2": each input is a
 * scalar argument, each output the one element of an array and what must be in it. */
struct corner_arithmetic {
    const char *name, *code, *inputs, *outputs, *rtol;
};
extern const struct corner_arithmetic corner_arithmetic[];

/* ---- arguments ----
 * A value is a list of numbers, ranges (0:20, 19:-1, the end is exclusive) and repetitions (20*7). `declaration` is
 * "int32 A[4, N]", or "float32:4 A[N]" for vectors of 4; symbols in it must have been given. The container is added to
 * the program unless it is there. `after` NULL: unchanged. */
void corner_array(struct corner *c, const char *declaration, const char *before, const char *after);
void corner_strided(struct corner *c, const char *declaration, const char *strides, const char *before,
                    const char *after);
void corner_scalar(struct corner *c, const char *declaration, const char *value); /* "int32 a" */
void corner_symbol(struct corner *c, const char *declaration, const char *value); /* "int64 N" */
/* Any other entry of case.json, and the values in a file in/A.npy that it names. */
void corner_entry(struct corner *c, const char *json);
void corner_values(struct corner *c, const char *declaration, const char *values);
/* The arguments given from here on are those of one more call of the same program. */
void corner_next_call(struct corner *c);
/* What sdfg-run must say to the program: commands and output as in tests/cli; $HERE is the folder of the case. */
void corner_says(struct corner *c, const char *transcript);

/* ---- programs ---- */

/* A state that follows the last one. */
struct state *corner_state(struct corner *c);

struct corner_body {
    struct map_entry *map; /* NULL without ranges */
    struct tasklet *tasklet;
};

/* A tasklet, in a map if `ranges` is not NULL. `inputs` and `outputs` are lists "a = A[i], b = B[0:4]" of connectors
 * and memlets, or NULL; each container has one access node on each side. */
struct corner_body corner_body(struct state *st, const char *ranges, const char *code, const char *inputs,
                               const char *outputs, const char *wcr);
struct edge *corner_in(const struct corner_body *b, const char *connector);
struct edge *corner_out(const struct corner_body *b, const char *connector);
struct edge *corner_copy(struct state *st, const char *from, const char *to, const char *memlet);
void corner_schedule(const struct corner_body *b, enum enum_row schedule);

#endif
