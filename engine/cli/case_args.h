/* The arguments of a recorded case: memory that lies as it did when the case was recorded, and what must be in it
 * afterwards. */
#ifndef ENGINE_CLI_CASE_ARGS_H
#define ENGINE_CLI_CASE_ARGS_H

#include "base/arena.h"
#include "engine/cli/view.h"
#include "ir/json/json.h"

struct case_array {
    const char *name;
    const struct json *spec;
    struct view view;       /* the recorded array */
    struct tensor original; /* its contents before the call */
    unsigned char *memory;  /* owned, unless it is that of an earlier array */
    size_t bytes;
    bool shared;
};

struct case_args {
    struct arena *arena;
    const char *folder;
    sdfg_program *program;
    sdfg_args *args;
    struct case_array *arrays;
    size_t count, capacity;
    char *text; /* what went wrong */
    size_t text_size;
};

/* Gives all entries of the list; with `infer` the symbols that were inferred are left out. False with *error or the
 * text set. */
bool case_give(struct case_args *a, const struct json *list, bool infer, sdfg_error **error);
/* Compares what the call left with what it must be: EXIT_DIFFERS with the first difference in the text, EXIT_FILE with
 * the reason why it cannot be compared. */
int case_compare(struct case_args *a, const struct json *root);
void case_args_release(struct case_args *a);

#endif
