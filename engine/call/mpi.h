/* The messages of a call: what the engine says about them to the runtime, and what it says when they fail
 * (runtime/mpi.h). */
#ifndef ENGINE_CALL_MPI_H
#define ENGINE_CALL_MPI_H

#include "engine/engine.h"
#include "runtime/mpi.h"

/* Puts `m` into the context of a call. */
static inline void mpi_enter(struct sdfg_rt_mpi *m, struct sdfg_rt_context *context, bool has_communicator,
                             int32_t communicator)
{
    m->has_communicator = has_communicator;
    m->communicator = communicator;
    m->trouble[0] = 0;
    context->mpi = m;
}

/* Whether a call failed for what the runtime has a text about. */
bool mpi_explains(const struct sdfg_rt_context *context);
sdfg_error *mpi_error(const struct sdfg_rt_context *context);

#endif
