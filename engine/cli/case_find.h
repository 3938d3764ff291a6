/* Finding recorded cases below a folder. */
#ifndef ENGINE_CLI_CASE_FIND_H
#define ENGINE_CLI_CASE_FIND_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

struct case_entry {
    const char *name;   /* path below the folder, and :program where one case.json stands for many */
    const char *folder; /* of case.json */
    const char *sdfg;
    const char *reason; /* why it is expected to fail, or NULL */
    bool may_pass;      /* the reason begins with "sometimes": what it does depends on chance */
};

struct case_list {
    struct arena *arena;
    VEC(struct case_entry) items; /* sorted by name */
    uint32_t without_program;     /* case folders without the program asked for */
};

/* False after a message on stderr. */
bool case_find(struct case_list *list, const char *folder, const char *sdfg_name);
/* Marks the cases that a file names: lines of case, tab, reason; '#' begins a comment. A reason that
 * begins with "sometimes" belongs to a case whose result is undefined: it may pass as well. */
bool case_expect_failures(struct case_list *list, const char *path);

#endif
