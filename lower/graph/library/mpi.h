/* What the files about MPI nodes share. */
#ifndef LOWER_GRAPH_LIBRARY_MPI_H
#define LOWER_GRAPH_LIBRARY_MPI_H

#include "lower/graph/library/library.h"

enum { MPI_MAX_ARGS = 14, MPI_MAX_PROCESSES = 65536 };

/* A call of the runtime in the making: its arguments so far. */
struct mpi_call {
    struct scope *sc;
    struct library *node; /* NULL: of another element */
    const struct place *place;
    struct tree_expr *args[MPI_MAX_ARGS];
    uint32_t count;
    bool failed;
};

/* The context and the path of the node. */
struct mpi_call mpi_begin(struct scope *sc, struct library *n);
struct mpi_call mpi_begin_at(struct scope *sc, const struct place *place);
bool mpi_finish(struct mpi_call *c, const char *function);
void mpi_add(struct mpi_call *c, struct tree_expr *e); /* NULL: the call has failed */
/* Address and layout of a region. */
void mpi_add_area(struct mpi_call *c, const struct area *a);
void mpi_add_input(struct mpi_call *c, const char *conn);
void mpi_add_output(struct mpi_call *c, const char *conn);

/* ---- overlap (mpi_goes_on.c) ---- */

/* Does MPI's form that does not wait pay for an operation of all processes? It depends on nothing but the graph. */
bool mpi_goes_on(const struct scope *sc, const struct library *n);

/* ---- communicators (mpi_comm.c) ---- */

/* Whom the node talks to: what is wired to _comm or _grid, what the property fcomm says, or everybody. */
void mpi_add_communicator(struct mpi_call *c);
/* mpi_finish for functions that give an int64. */
bool mpi_finish_value(struct mpi_call *c, const char *function, struct tree_expr **out);

/* ---- process grids (mpi_grid.c) ---- */

/* The grid that is wired to a connector, which is made if it is not there yet; null if nothing is wired. */
void mpi_add_grid(struct mpi_call *c, const char *conn);
/* A grid of all processes: `list` has how many dimensions there are, and the extents. NULL with a diagnostic. */
struct tree_expr *mpi_whole_grid(struct scope *sc, struct library *n, const char *name, const struct sym *const *list,
                                 uint32_t count);
/* Makes a grid for nodes behind it. */
bool mpi_make_grid(struct scope *sc, const struct place *place, const struct container *grid);
/* Its communicator as C++ code has it: an int64. NULL with a diagnostic. */
struct tree_expr *mpi_grid_handle(struct scope *sc, const struct place *place, const struct container *grid);

#endif
