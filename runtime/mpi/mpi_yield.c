/* Waiting that leaves the processor to others. MPI libraries poll: where a machine has more processes than processors,
 * one that waits keeps the one it waits for from running, until its time is up (tens of milliseconds for a barrier of
 * four processes on two processors, instead of one).
 *
 * What blocks is begun by the function that does not, and asked for now and then. Messages may be sent by the one and
 * received by the other; operations of all processes have to be begun by all in the same way, so they agree first
 * (sdfg_rt_mpi_least). Sums of numbers that are no integers block nonetheless: their order is that of the function. */
#include "runtime/mpi/mpi_internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static const struct sdfg_rt_mpi_library *mpi; /* with the functions below */
static struct sdfg_rt_mpi_library plain;      /* with its own */
static bool yields;
static atomic_bool together;

bool sdfg_rt_mpi_yields(void) { return yields; }
void sdfg_rt_mpi_yield_together(bool all) { atomic_store(&together, all); }

/* ---- messages ---- */

int sdfg_rt_mpi_wait_yielding(mpi_handle *request, void *status)
{
    enum { EAGER = 16, PAUSE = 20000 /* ns */ };
    for (int tries = 0;; tries++) {
        int done = 0, result = plain.Test(request, &done, status);
        if (result || done)
            return result;
        if (tries < EAGER)
            sched_yield();
        else
            nanosleep(&(struct timespec){ 0, PAUSE }, NULL);
    }
}

/* result: of the function that has begun it. */
static int finish(int result, mpi_handle *request)
{
    struct sdfg_rt_mpi_status status;
    return result ? result : mpi->Wait(request, &status);
}

static int send(const void *buffer, int count, mpi_handle type, int to, int tag, mpi_handle comm)
{
    mpi_handle request = 0;
    return finish(plain.Isend(buffer, count, type, to, tag, comm, &request), &request);
}

static int receive(void *buffer, int count, mpi_handle type, int from, int tag, mpi_handle comm, void *status)
{
    mpi_handle request = 0;
    int result = plain.Irecv(buffer, count, type, from, tag, comm, &request);
    return result ? result : sdfg_rt_mpi_wait_yielding(&request, status);
}

static int send_and_receive(const void *in, int in_count, mpi_handle in_type, int to, int in_tag, void *out,
                            int out_count, mpi_handle out_type, int from, int out_tag, mpi_handle comm, void *status)
{
    mpi_handle request = 0;
    int result = plain.Irecv(out, out_count, out_type, from, out_tag, comm, &request);
    result = result ? result : send(in, in_count, in_type, to, in_tag, comm);
    return result ? result : sdfg_rt_mpi_wait_yielding(&request, status);
}

/* ---- operations of all processes ---- */

static bool rounds(mpi_handle type, mpi_handle op)
{
    bool sums = op == plain.ops[SDFG_RT_MPI_SUM] || op == plain.ops[SDFG_RT_MPI_PROD], rounded = false;
    for (int i = SDFG_RT_MPI_FLOAT32; i <= SDFG_RT_MPI_COMPLEX128; i++)
        rounded = rounded || type == plain.types[i];
    return sums && rounded;
}

static int barrier(mpi_handle comm)
{
    mpi_handle request = 0;
    return together ? finish(plain.Ibarrier(comm, &request), &request) : plain.Barrier(comm);
}

static int bcast(void *buffer, int count, mpi_handle type, int root, mpi_handle comm)
{
    mpi_handle request = 0;
    return together ? finish(plain.Ibcast(buffer, count, type, root, comm, &request), &request)
                    : plain.Bcast(buffer, count, type, root, comm);
}

static int reduce(const void *in, void *out, int count, mpi_handle type, mpi_handle op, int root, mpi_handle comm)
{
    mpi_handle request = 0;
    return together && !rounds(type, op)
               ? finish(plain.Ireduce(in, out, count, type, op, root, comm, &request), &request)
               : plain.Reduce(in, out, count, type, op, root, comm);
}

static int allreduce(const void *in, void *out, int count, mpi_handle type, mpi_handle op, mpi_handle comm)
{
    mpi_handle request = 0;
    return together && !rounds(type, op) ? finish(plain.Iallreduce(in, out, count, type, op, comm, &request), &request)
                                         : plain.Allreduce(in, out, count, type, op, comm);
}

static int reduce_scatter(const void *in, void *out, int count, mpi_handle type, mpi_handle op, mpi_handle comm)
{
    mpi_handle request = 0;
    return together && !rounds(type, op)
               ? finish(plain.Ireduce_scatter_block(in, out, count, type, op, comm, &request), &request)
               : plain.Reduce_scatter_block(in, out, count, type, op, comm);
}

static int scatter(const void *in, int in_count, mpi_handle in_type, void *out, int out_count, mpi_handle out_type,
                   int root, mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Iscatter(in, in_count, in_type, out, out_count, out_type, root, comm, &r), &r)
                    : plain.Scatter(in, in_count, in_type, out, out_count, out_type, root, comm);
}

static int gather(const void *in, int in_count, mpi_handle in_type, void *out, int out_count, mpi_handle out_type,
                  int root, mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Igather(in, in_count, in_type, out, out_count, out_type, root, comm, &r), &r)
                    : plain.Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
}

static int allgather(const void *in, int in_count, mpi_handle in_type, void *out, int out_count, mpi_handle out_type,
                     mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Iallgather(in, in_count, in_type, out, out_count, out_type, comm, &r), &r)
                    : plain.Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}

static int alltoall(const void *in, int in_count, mpi_handle in_type, void *out, int out_count, mpi_handle out_type,
                    mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Ialltoall(in, in_count, in_type, out, out_count, out_type, comm, &r), &r)
                    : plain.Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}

static int gather_parts(const void *in, int in_count, mpi_handle in_type, void *out, const int *counts, const int *at,
                        mpi_handle out_type, int root, mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Igatherv(in, in_count, in_type, out, counts, at, out_type, root, comm, &r), &r)
                    : plain.Gatherv(in, in_count, in_type, out, counts, at, out_type, root, comm);
}

static int exchange_parts(const void *in, const int *in_counts, const int *in_at, mpi_handle in_type, void *out,
                          const int *counts, const int *at, mpi_handle out_type, mpi_handle comm)
{
    mpi_handle r = 0;
    return together ? finish(plain.Ialltoallv(in, in_counts, in_at, in_type, out, counts, at, out_type, comm, &r), &r)
                    : plain.Alltoallv(in, in_counts, in_at, in_type, out, counts, at, out_type, comm);
}

void sdfg_rt_mpi_yield(struct sdfg_rt_mpi_library *m, bool here)
{
    plain = *m;
    mpi = m;
    yields = here;
    if (here) {
        m->Wait = sdfg_rt_mpi_wait_yielding;
        m->Send = send;
        m->Recv = receive;
        m->Sendrecv = send_and_receive;
    }
    m->Barrier = barrier;
    m->Bcast = bcast;
    m->Reduce = reduce;
    m->Allreduce = allreduce;
    m->Reduce_scatter_block = reduce_scatter;
    m->Scatter = scatter;
    m->Gather = gather;
    m->Allgather = allgather;
    m->Alltoall = alltoall;
    m->Gatherv = gather_parts;
    m->Alltoallv = exchange_parts;
}
