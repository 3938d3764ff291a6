/* --distribute: arrays of which each process has a part. The processes form a grid; dimensions of an array are split
 * into as many equal blocks as the grid has processes along one of its dimensions, or into smaller ones that the
 * processes take in turn. All parts have the same extents. Files and patterns are those of the
 * whole array, of which no process holds more than its block (docs/mpi.md). */
#ifndef ENGINE_CLI_DISTRIBUTE_H
#define ENGINE_CLI_DISTRIBUTE_H

#include "engine/cli/command.h"
#include "engine/cli/fill.h"
#include "engine/cli/npy.h"
#include "engine/cli/view.h"

struct split_array {
    const char *name;
    int64_t
        blocks[SDFG_MAX_RANK]; /* for each dimension of the grid, elements of a block dealt in turn; 0: one for each */
    int dims[SDFG_MAX_RANK];   /* for each dimension of the grid, that of the array which it splits; -1: none */
    int used;
    struct tensor *loaded; /* the part from the file `path`, until somebody reads it; or NULL */
    const char *path;
};

struct distributions {
    int rank; /* of the grid */
    int64_t grid[SDFG_MAX_RANK], at[SDFG_MAX_RANK];
    struct split_array *items;
    size_t count;
};

/* From the command line; 0, or an exit code after a message. */
int distribute_begin(struct distributions *d, const struct command *c, sdfg_program *p);
void distribute_release(struct distributions *d);
/* Reads the blocks of all processes from the files of the command line, together. All call it; 0, or the exit code of
 * one that failed, whose message was shown. */
int distribute_load(struct distributions *d, const struct command *c);
/* NULL: all of the array is here. */
const struct split_array *distribute_find(const struct distributions *d, const char *name);
/* The block of this process from the file of the whole array. */
bool distribute_read(const struct distributions *d, const struct split_array *a, struct tensor *out, const char *path,
                     char *why, size_t why_size);
/* Has a part of these extents whole blocks? 0, or an exit code after a message. */
int distribute_check(const struct split_array *a, int rank, const int64_t *part);
/* The block's elements of a pattern of the whole array. */
void distribute_fill(const struct distributions *d, const struct split_array *a, const struct fill *f,
                     const struct view *v);
/* The blocks of all processes to one file, which appears when it is whole. All processes call it. 0 or an exit code,
 * after a message. */
int distribute_write(const struct distributions *d, const struct split_array *a, const struct view *v,
                     const char *path);

#endif
