/* sdfg-bench: one program, several builds of it, measured in turns. */
#ifndef ENGINE_CLI_BENCH_H
#define ENGINE_CLI_BENCH_H

#include "base/text.h"
#include "base/vec.h"
#include "engine/cli/bench_roof.h"
#include "engine/cli/bench_side.h"

/* A loop nest of the program: what one run of it does, and how often a call runs it. Negative: not known. */
struct nest {
    const char *path;
    double runs, flops, bytes;
};

struct bench {
    const struct command *command;
    struct arena *arena;
    const char *folder; /* for files that live as long as this process */
    struct side *sides; /* the first is what the others are compared with */
    int num_sides, threads;
    int rounds, calls; /* measured rounds; calls per sample */
    struct roofs roofs;
    double flops, bytes; /* of one call; negative if not known */
    VEC(struct nest) nests;
    VEC(const char *) notes;
};

/* What a comparison says; everything is in seconds. */
struct verdict {
    struct estimate cold, calls[NUM_CALL_KINDS], ratio;
    struct cold parts; /* medians */
    /* Calls, the cold one included, after which the first side has taken less time in all; 1: from the start, 0: never.
     * With `until`, it was ahead from the start and falls behind after so many. */
    double break_even;
    bool until;
};

/* bench_measure.c: exit codes */
int bench_build(struct bench *b);   /* what is compiled ahead */
int bench_cold(struct bench *b);    /* first calls of fresh processes */
int bench_compare(struct bench *b); /* do all compute the same? */
int bench_rounds(struct bench *b);  /* warm and bound calls */

/* bench_tune.c: which choice of passes the program is fastest with, instead of all that; an exit code */
int bench_tune(struct bench *b);

/* bench_work.c: operations and bytes, counted in the code that the first side runs */
void bench_work(struct bench *b);

/* bench_report.c */
struct verdict bench_verdict(const struct bench *b, const struct side *s);
void bench_note(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *bench_duration(double seconds, char buffer[32]);
/* Share of the machine that a nest could use at best, in seconds per run; negative if not known. */
double bench_floor(const struct bench *b, const struct nest *n);
const char *bench_paid(const struct verdict *v, char buffer[64]);
void bench_print_program(const struct side *s); /* its name, and the symbols of the call */
void bench_print(const struct bench *b);
void bench_json(const struct bench *b, struct text *out);
void bench_csv(const struct bench *b, struct text *out);

/* bench_html.c */
void bench_html(const struct bench *b, struct text *out);

#endif
