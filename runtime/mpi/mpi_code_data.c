/* MPI functions of C++ tasklets (runtime/mpi_code.h): messages and collectives. */
#include "runtime/mpi/mpi_code_internal.h"

#include <string.h>

#define CODE(name, ...) int32_t sdfg_rt_MPI_##name(struct sdfg_rt_context *context, const char *where, __VA_ARGS__)

static const void *in_place(const struct sdfg_rt_mpi_node *n, const void *buffer)
{
    return sdfg_rt_mpi_code_in_place(buffer) ? n->mpi->constants->in_place : buffer;
}

static void about_all(const struct sdfg_rt_mpi_node *n, const char *function)
{
    sdfg_rt_mpi_about(n, function, SDFG_RT_MPI_ALL, -1);
}

/* ---- point to point ---- */

static void take_status(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_status *from,
                        struct sdfg_rt_mpi_code_status *to)
{
    if (!to)
        return;
    memcpy(&to->source, from->bytes + n->mpi->constants->source_at, sizeof to->source);
    memcpy(&to->tag, from->bytes + n->mpi->constants->tag_at, sizeof to->tag);
    to->source = sdfg_rt_mpi_code_rank(n, to->source);
    to->error = 0;
}

static void own_status(struct sdfg_rt_mpi_code_status *to, int32_t source, int32_t tag)
{
    if (to)
        *to = (struct sdfg_rt_mpi_code_status){ source, tag, 0 };
}

static int32_t own_send(const struct sdfg_rt_mpi_node *n, const void *buffer, int32_t count, int64_t type, int32_t to,
                        int32_t tag)
{
    struct sdfg_rt_mpi_layout l;
    int64_t begin;
    if (to > 0) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the receiver is rank %d", to);
        return MPI_CODE_FAILED;
    }
    bool good = sdfg_rt_mpi_code_region(n, type, count, &l, &begin) &&
                sdfg_rt_mpi_self_send(n, (const char *)buffer + begin * (int64_t)l.bytes, &l, to, tag);
    return good ? 0 : MPI_CODE_FAILED;
}

static int32_t own_recv(const struct sdfg_rt_mpi_node *n, void *buffer, int32_t count, int64_t type, int32_t from,
                        int32_t tag, uint64_t *request)
{
    struct sdfg_rt_mpi_layout l;
    int64_t begin;
    if (from == SDFG_RT_MPI_NOBODY)
        return 0;
    if (from > 0) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the sender is rank %d", from);
        return MPI_CODE_FAILED;
    }
    bool good = sdfg_rt_mpi_code_region(n, type, count, &l, &begin) &&
                sdfg_rt_mpi_self_recv(n, (char *)buffer + begin * (int64_t)l.bytes, &l, from, tag, request);
    return good ? 0 : MPI_CODE_FAILED;
}

CODE(Send, const void *buffer, int32_t count, int64_t type, int32_t to, int32_t tag, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return own_send(&n, buffer, count, type, to, tag);
    sdfg_rt_mpi_about(&n, "MPI_Send", to, tag);
    int result = n.mpi->Send(buffer, count, sdfg_rt_mpi_code_type(&n, type), sdfg_rt_mpi_code_peer(&n, to), tag,
                             sdfg_rt_mpi_code_comm(&n, comm));
    return sdfg_rt_mpi_code_done(&n, "MPI_Send", result);
}

CODE(Recv, void *buffer, int32_t count, int64_t type, int32_t from, int32_t tag, int64_t comm,
     struct sdfg_rt_mpi_code_status *status)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_status got = { 0 };
    own_status(status, 0, tag);
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return own_recv(&n, buffer, count, type, from, tag, NULL);
    sdfg_rt_mpi_about(&n, "MPI_Recv", from, tag);
    int result = n.mpi->Recv(buffer, count, sdfg_rt_mpi_code_type(&n, type), sdfg_rt_mpi_code_peer(&n, from), tag,
                             sdfg_rt_mpi_code_comm(&n, comm), &got);
    take_status(&n, &got, status);
    return sdfg_rt_mpi_code_done(&n, "MPI_Recv", result);
}

CODE(Sendrecv, const void *in, int32_t in_count, int64_t in_type, int32_t to, int32_t in_tag, void *out,
     int32_t out_count, int64_t out_type, int32_t from, int32_t out_tag, int64_t comm,
     struct sdfg_rt_mpi_code_status *status)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_status got = { 0 };
    own_status(status, 0, out_tag);
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        int32_t sent = own_send(&n, in, in_count, in_type, to, in_tag);
        return sent ? sent : own_recv(&n, out, out_count, out_type, from, out_tag, NULL);
    }
    sdfg_rt_mpi_about(&n, "MPI_Sendrecv", from, out_tag);
    int result = n.mpi->Sendrecv(in, in_count, sdfg_rt_mpi_code_type(&n, in_type), sdfg_rt_mpi_code_peer(&n, to),
                                 in_tag, out, out_count, sdfg_rt_mpi_code_type(&n, out_type),
                                 sdfg_rt_mpi_code_peer(&n, from), out_tag, sdfg_rt_mpi_code_comm(&n, comm), &got);
    take_status(&n, &got, status);
    return sdfg_rt_mpi_code_done(&n, "MPI_Sendrecv", result);
}

CODE(Isend, const void *buffer, int32_t count, int64_t type, int32_t to, int32_t tag, int64_t comm, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle started = 0;
    *request = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return own_send(&n, buffer, count, type, to, tag);
    int result = n.mpi->Isend(buffer, count, sdfg_rt_mpi_code_type(&n, type), sdfg_rt_mpi_code_peer(&n, to), tag,
                              sdfg_rt_mpi_code_comm(&n, comm), &started);
    *request = result ? 0 : started;
    return sdfg_rt_mpi_code_done(&n, "MPI_Isend", result);
}

CODE(Irecv, void *buffer, int32_t count, int64_t type, int32_t from, int32_t tag, int64_t comm, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle started = 0;
    *request = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return own_recv(&n, buffer, count, type, from, tag, request);
    int result = n.mpi->Irecv(buffer, count, sdfg_rt_mpi_code_type(&n, type), sdfg_rt_mpi_code_peer(&n, from), tag,
                              sdfg_rt_mpi_code_comm(&n, comm), &started);
    *request = result ? 0 : started;
    return sdfg_rt_mpi_code_done(&n, "MPI_Irecv", result);
}

CODE(Wait, uint64_t *request, struct sdfg_rt_mpi_code_status *status)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_status got = { 0 };
    int32_t tag = 0, source = 0;
    own_status(status, 0, 0);
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    mpi_handle started = (mpi_handle)*request;
    if (!started)
        return 0;
    bool operation = sdfg_rt_mpi_is_operation(*request);
    if (operation || n.mpi->self) {
        bool good = (operation ? sdfg_rt_mpi_operation_wait : sdfg_rt_mpi_self_wait)(&n, request, &tag, &source);
        own_status(status, source, tag);
        return good ? 0 : MPI_CODE_FAILED;
    }
    *request = 0;
    about_all(&n, "MPI_Wait");
    int result = n.mpi->Wait(&started, &got);
    take_status(&n, &got, status);
    return sdfg_rt_mpi_code_done(&n, "MPI_Wait", result);
}

CODE(Waitall, int32_t count, uint64_t *requests, struct sdfg_rt_mpi_code_status *status)
{
    int32_t result = 0;
    for (int32_t i = 0; i < count && !result; i++)
        result = sdfg_rt_MPI_Wait(context, where, &requests[i], status ? &status[i] : NULL);
    return result;
}

/* ---- collectives ---- */

CODE(Barrier, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return 0;
    about_all(&n, "MPI_Barrier");
    return sdfg_rt_mpi_code_done(&n, "MPI_Barrier", n.mpi->Barrier(sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Bcast, void *buffer, int32_t count, int64_t type, int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return 0;
    sdfg_rt_mpi_about(&n, "MPI_Bcast", root, -1);
    return sdfg_rt_mpi_code_done(
        &n, "MPI_Bcast",
        n.mpi->Bcast(buffer, count, sdfg_rt_mpi_code_type(&n, type), root, sdfg_rt_mpi_code_comm(&n, comm)));
}

/* False: no operation of MPI_... has that number. */
static bool operation(const struct sdfg_rt_mpi_node *n, int64_t op, mpi_handle *out)
{
    if (op < 1 || op > SDFG_RT_MPI_OPS)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "an operation that is none of MPI's");
    *out = n->mpi->ops[op - 1];
    return true;
}

CODE(Reduce, const void *in, void *out, int32_t count, int64_t type, int64_t op, int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle how;
    if (!sdfg_rt_mpi_code_enter(&n, context, where) || !operation(&n, op, &how))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, count, type, out, count, type);
    about_all(&n, "MPI_Reduce");
    return sdfg_rt_mpi_code_done(&n, "MPI_Reduce",
                                 n.mpi->Reduce(in_place(&n, in), out, count, sdfg_rt_mpi_code_type(&n, type), how, root,
                                               sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Allreduce, const void *in, void *out, int32_t count, int64_t type, int64_t op, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle how;
    if (!sdfg_rt_mpi_code_enter(&n, context, where) || !operation(&n, op, &how))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, count, type, out, count, type);
    about_all(&n, "MPI_Allreduce");
    return sdfg_rt_mpi_code_done(&n, "MPI_Allreduce",
                                 n.mpi->Allreduce(in_place(&n, in), out, count, sdfg_rt_mpi_code_type(&n, type), how,
                                                  sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Scatter, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, out, out_count, out_type);
    about_all(&n, "MPI_Scatter");
    void *to = (void *)(uintptr_t)in_place(&n, out);
    return sdfg_rt_mpi_code_done(&n, "MPI_Scatter",
                                 n.mpi->Scatter(in, in_count, sdfg_rt_mpi_code_type(&n, in_type), to, out_count,
                                                sdfg_rt_mpi_code_type(&n, out_type), root,
                                                sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Gather, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, out, out_count, out_type);
    about_all(&n, "MPI_Gather");
    return sdfg_rt_mpi_code_done(&n, "MPI_Gather",
                                 n.mpi->Gather(in_place(&n, in), in_count, sdfg_rt_mpi_code_type(&n, in_type), out,
                                               out_count, sdfg_rt_mpi_code_type(&n, out_type), root,
                                               sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Allgather, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, out, out_count, out_type);
    about_all(&n, "MPI_Allgather");
    return sdfg_rt_mpi_code_done(&n, "MPI_Allgather",
                                 n.mpi->Allgather(in_place(&n, in), in_count, sdfg_rt_mpi_code_type(&n, in_type), out,
                                                  out_count, sdfg_rt_mpi_code_type(&n, out_type),
                                                  sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Alltoall, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, out, out_count, out_type);
    about_all(&n, "MPI_Alltoall");
    return sdfg_rt_mpi_code_done(&n, "MPI_Alltoall",
                                 n.mpi->Alltoall(in_place(&n, in), in_count, sdfg_rt_mpi_code_type(&n, in_type), out,
                                                 out_count, sdfg_rt_mpi_code_type(&n, out_type),
                                                 sdfg_rt_mpi_code_comm(&n, comm)));
}

/* ---- parts of different sizes ---- */

/* The part of the only process, `at` items behind the buffer. */
static char *part_of(const void *buffer, int32_t at, int64_t type)
{
    bool here = !sdfg_rt_mpi_code_in_place(buffer);
    return (char *)(uintptr_t)buffer + (here ? at * sdfg_rt_mpi_code_extent(type) : 0);
}

CODE(Scatterv, const void *in, const int32_t *in_counts, const int32_t *in_at, int64_t in_type, void *out,
     int32_t out_count, int64_t out_type, int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, part_of(in, in_at[0], in_type), in_counts[0], in_type, out, out_count,
                                     out_type);
    about_all(&n, "MPI_Scatterv");
    void *to = (void *)(uintptr_t)in_place(&n, out);
    return sdfg_rt_mpi_code_done(&n, "MPI_Scatterv",
                                 n.mpi->Scatterv(in, in_counts, in_at, sdfg_rt_mpi_code_type(&n, in_type), to,
                                                 out_count, sdfg_rt_mpi_code_type(&n, out_type), root,
                                                 sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Gatherv, const void *in, int32_t in_count, int64_t in_type, void *out, const int32_t *out_counts,
     const int32_t *out_at, int64_t out_type, int32_t root, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, part_of(out, out_at[0], out_type), out_counts[0],
                                     out_type);
    about_all(&n, "MPI_Gatherv");
    return sdfg_rt_mpi_code_done(&n, "MPI_Gatherv",
                                 n.mpi->Gatherv(in_place(&n, in), in_count, sdfg_rt_mpi_code_type(&n, in_type), out,
                                                out_counts, out_at, sdfg_rt_mpi_code_type(&n, out_type), root,
                                                sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Allgatherv, const void *in, int32_t in_count, int64_t in_type, void *out, const int32_t *out_counts,
     const int32_t *out_at, int64_t out_type, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, in, in_count, in_type, part_of(out, out_at[0], out_type), out_counts[0],
                                     out_type);
    about_all(&n, "MPI_Allgatherv");
    return sdfg_rt_mpi_code_done(&n, "MPI_Allgatherv",
                                 n.mpi->Allgatherv(in_place(&n, in), in_count, sdfg_rt_mpi_code_type(&n, in_type), out,
                                                   out_counts, out_at, sdfg_rt_mpi_code_type(&n, out_type),
                                                   sdfg_rt_mpi_code_comm(&n, comm)));
}

CODE(Alltoallv, const void *in, const int32_t *in_counts, const int32_t *in_at, int64_t in_type, void *out,
     const int32_t *out_counts, const int32_t *out_at, int64_t out_type, int64_t comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_copy(&n, part_of(in, in_at[0], in_type), in_counts[0], in_type,
                                     part_of(out, out_at[0], out_type), out_counts[0], out_type);
    about_all(&n, "MPI_Alltoallv");
    return sdfg_rt_mpi_code_done(
        &n, "MPI_Alltoallv",
        n.mpi->Alltoallv(in_place(&n, in), in_counts, in_at, sdfg_rt_mpi_code_type(&n, in_type), out, out_counts,
                         out_at, sdfg_rt_mpi_code_type(&n, out_type), sdfg_rt_mpi_code_comm(&n, comm)));
}
