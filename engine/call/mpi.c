#include "engine/call/mpi.h"

bool mpi_explains(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_mpi *m = context->mpi;
    return m && m->trouble[0];
}

sdfg_error *mpi_error(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_mpi *m = context->mpi;
    switch (context->error) {
    case SDFG_RT_OUT_OF_MEMORY:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_MPI_MEMORY, m->trouble);
    case SDFG_RT_BAD_VALUE:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_MPI_VALUE, m->trouble);
    default:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_MPI, m->trouble);
    }
}

/* ---- the public interface ---- */

bool sdfg_mpi_launched(void) { return sdfg_rt_mpi_launched(); }

sdfg_error *sdfg_mpi_world(int *rank, int *size)
{
    NEEDS(rank);
    GUARDED(error_memory(SDFG_STAGE_RUN));
    char trouble[SDFG_RT_MPI_TROUBLE];
    int unused;
    return sdfg_rt_mpi_world(rank, size ? size : &unused, trouble) ? NULL
                                                                   : error_of(SDFG_STAGE_RUN, DIAG_RUN_MPI, trouble);
}

sdfg_error *sdfg_mpi_least(int64_t *least, int64_t value)
{
    NEEDS(least);
    GUARDED(error_memory(SDFG_STAGE_RUN));
    char trouble[SDFG_RT_MPI_TROUBLE];
    return sdfg_rt_mpi_least(value, least, trouble) ? NULL : error_of(SDFG_STAGE_RUN, DIAG_RUN_MPI, trouble);
}

sdfg_error *sdfg_mpi_transfer(bool *done, const char *path, bool writes, int64_t begin, int rank, const int64_t *counts,
                              const int64_t *strides, void *memory)
{
    NEEDS(done);
    NEEDS(path);
    NEEDS(counts);
    NEEDS(strides);
    bool none = false;
    for (int i = 0; i < rank; i++)
        none |= counts[i] == 0;
    NEEDS_FOR(memory, !none);
    GUARDED(error_memory(SDFG_STAGE_RUN));
    struct sdfg_rt_mpi call = { .has_communicator = false };
    struct sdfg_rt_context context = { .mpi = &call };
    struct sdfg_rt_mpi_part part = { path, writes, begin, rank, counts, strides, memory };
    *done = sdfg_rt_mpi_transfer(&context, &part);
    return context.error == SDFG_RT_OK ? NULL : mpi_error(&context);
}

unsigned sdfg_mpi_waits(char *text, size_t size) { return text ? sdfg_rt_mpi_waits(text, size) : 0; }
void sdfg_mpi_abort(int code) { sdfg_rt_mpi_abort(code); }
