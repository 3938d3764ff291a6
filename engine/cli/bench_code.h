/* Programs built by the system's compiler: a C file of the user, or DaCe's own build. */
#ifndef ENGINE_CLI_BENCH_CODE_H
#define ENGINE_CLI_BENCH_CODE_H

#include "base/arena.h"
#include "engine/cli/command.h"

/* Calls the program with the addresses of its arguments, in the order of the kernel's parameters. */
typedef void bench_entry(void *const *addresses);

struct bench_code {
    void *library; /* NULL: not open */
    bench_entry *entry;
    void **addresses;
};

/* Parameters of a C function, as its text says. */
struct bench_param {
    const char *name;
    bool pointer;
};

struct bench_prototype {
    struct bench_param *params;
    int count;
};

/* The list in parentheses behind the name of the function that `source` defines, in `a`; NULL if there is none. */
const char *prototype_find(struct arena *a, const char *source, const char *function);
/* Splits such a list; false if a part has no name. */
bool prototype_parse(struct arena *a, const char *list, struct bench_prototype *out);

/* Build a shared object in `folder` and give its path, which lives in `a`, or NULL after a message. `b` is a call of
 * the program, whose parameters the functions get. */
const char *code_build_c(struct arena *a, const struct command *c, const char *folder, const char *name,
                         const char *file, const sdfg_bound *b);
/* *missing: DaCe is not there, which the caller reports. */
const char *code_build_dace(struct arena *a, const struct command *c, const char *folder, const char *name,
                            const sdfg_bound *b, bool *missing);
bool code_open(struct bench_code *code, const struct command *c, const char *path, const sdfg_bound *b);
void code_close(struct bench_code *code);

#endif
