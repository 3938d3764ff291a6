/* The arguments of one run: values from the command line, files, and patterns for what is missing. */
#ifndef ENGINE_CLI_INPUTS_H
#define ENGINE_CLI_INPUTS_H

#include "engine/cli/command.h"
#include "engine/cli/distribute.h"
#include "engine/cli/streams.h"
#include "engine/cli/view.h"

#include <stdio.h>

struct input {
    char *name;
    struct view view;
    bool written, returned;
};

struct inputs {
    const struct command *command;
    sdfg_program *program;
    sdfg_args *args;
    struct input *items; /* the arrays */
    size_t count;
    uint64_t made; /* bytes of the arrays that were made for what is not given */
    struct streams streams;
    struct distributions distributions;
    char **filled; /* arguments that were not given */
    size_t num_filled;
};

/* Gives what the command line says; symbols are solved from it as far as possible. 0 or an exit code, after a message.
 */
int inputs_given(struct inputs *in);
/* Whether the program has the symbols that --specialize lists: 0, or an exit code after a message. */
int inputs_specialized(const struct inputs *in);
/* Makes everything else. */
int inputs_complete(struct inputs *in);
/* After the runs: what streams hold becomes arrays of their names. */
int inputs_take_streams(struct inputs *in);
/* One line, folded if it is long, with the names of the arguments that were not given; nothing if there are none. */
void inputs_print_filled(const struct inputs *in, FILE *f);
void inputs_release(struct inputs *in);
/* An array from its file: all of it, or the block of this process. False with the reason in `why`. */
bool inputs_read(const struct inputs *in, const char *name, struct tensor *out, const char *path, char *why,
                 size_t why_size);
const struct input *inputs_find(const struct inputs *in, const char *name); /* NULL: no such array */

#endif
