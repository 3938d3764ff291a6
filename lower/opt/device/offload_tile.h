/* Nests whose blocks of threads keep strips of their operands in shared memory (offload_tile.c). */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_TILE_H
#define LOWER_OPT_DEVICE_OFFLOAD_TILE_H

#include "lower/opt/device/offload.h"

/* A rectangular nest of independent loops, from the outside in, becomes a kernel of tiles, in a branch of the host for
 * what has enough of them: gives the block for the kernel that does the others. NULL, with nothing written: the nest is
 * none for tiles. */
struct tree_stmt *offload_tile(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops,
                               uint32_t num_loops);

#endif
