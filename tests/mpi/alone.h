/* What tests/mpi/alone.c does in a world of one process. */
#ifndef TESTS_MPI_ALONE_H
#define TESTS_MPI_ALONE_H

#include "runtime/mpi.h"
#include "runtime/mpi_code.h"
#include "runtime/runtime.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WHERE "alone/state/node"

enum { N = 6, F64 = SDFG_RT_MPI_FLOAT64 + 1, I32 = SDFG_RT_MPI_INT32 + 1, SUM = SDFG_RT_MPI_SUM + 1 };
enum { WORLD = SDFG_RT_MPI_CODE_WORLD, NOBODY = SDFG_RT_MPI_NOBODY };

/* Columns 0, 2 and 4 of two rows, and as many elements in a row. */
static const int64_t gaps[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 3, N, 2 };
static const int64_t row[] = { SDFG_RT_MPI_FLOAT64, 1, N, 1 };

/* run: whether the results are right. keeps: blocks that may stay when an allocation fails: messages that wait for
 * their receivers for ever, types of tasklets that are not freed behind a failure. */
struct scenario {
    const char *name;
    bool (*run)(struct sdfg_rt_context *c);
    int keeps;
};

struct call {
    struct sdfg_rt_context context;
    struct sdfg_rt_mpi mpi;
};

struct sdfg_rt_context *begin(struct call *c);
void child(void (*run)(void)); /* in a process of its own, which must not fail */

/* What the call's error says. */
struct refusal {
    const char *text;
    void (*run)(struct sdfg_rt_context *c);
};

extern int failures; /* of all files */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            failures++;                                                                                                \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
        }                                                                                                              \
    } while (0)

/* Lists end with an entry of NULL. refusals_alone: of a process without a library;
 * refusals_with_library: of one with MPICH. */
extern const struct scenario scenarios[];
/* None of them: when it fails, a message may be left on its way that the next one receives. */
bool moved_blocks(struct sdfg_rt_context *c);
extern const struct refusal refusals[], refusals_alone[], refusals_with_library[];
bool multiplied_matrices(struct sdfg_rt_context *c); /* the scenario of that name */
void odd_libraries(const char *folder);              /* where the stand-ins of odd.c are; NULL: there are none */

#endif
