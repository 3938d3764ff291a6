/* sdfg-run under an MPI launcher: every process (rank) runs the program on its own arguments, rank 0 alone writes to
 * the terminal, and what stops one of them stops all with one message and one exit code (docs/mpi.md).
 *
 * `{rank}` and `{size}` in an argument are the process's number and the number of processes. */
#ifndef ENGINE_CLI_RANKS_H
#define ENGINE_CLI_RANKS_H

#include "engine/cli/command.h"

/* First in main, before arguments are read: replaces them. Not 0: the exit code; MPI could not be started. */
int ranks_begin(int argc, char **argv);
int ranks_rank(void); /* 0 without a launcher */
int ranks_size(void);
int ranks_terminal(void); /* the real standard error, which only rank 0 has in its place; signal handlers may ask */
/* Whether a text of the command line belongs to an argument that names the rank: then it is this process's own. */
bool ranks_own(const char *text);

/* All processes call it with how far they came: 0, or an exit code. The code of the lowest rank that failed, whose
 * messages are shown; those of the others are dropped. */
int ranks_agree(int code);
/* The first among the processes of equal machines: it compiles, and fills the cache for the others. All call it. */
bool ranks_first(void);
bool ranks_any(bool mine);  /* All call it. */
int ranks_count(bool mine); /* Of how many it is true; one operation of all for each process. All call it. */
/* A value that all have to agree about; false with a message. All call it. */
bool ranks_equal(const char *name, int64_t value);
int64_t ranks_checksum(const char *text, size_t size); /* not negative */
/* A process that failed while others may wait for its messages: ends all, after its messages were shown. 0: returns. */
void ranks_fail(int code);
/* Last in main: agrees about the exit code. */
int ranks_end(int code);

#endif
