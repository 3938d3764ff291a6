/* Each function of runtime/mpi.h and runtime/mpi_code.h in a world of one process, and what it gives there. */
#include "tests/mpi/alone.h"

#include <complex.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t tag; /* another one each time: what is left of a failed call is met by no other */

static void count_up(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i + 1;
}

static bool equal(const double *x, const double *y, int n) { return !memcmp(x, y, (size_t)n * sizeof *x); }

static bool is_1_3_5(const double *packed) { return equal(packed, (const double[]){ 1, 3, 5, 7, 9, 11 }, N); }

/* ---- scenarios: whether the results are right ---- */

static bool messages(struct sdfg_rt_context *c)
{
    double x[2 * N], y[N] = { 0 };
    uint64_t requests[4] = { 0 };
    int32_t seen = -1, source = -1;
    count_up(x, 2 * N);
    tag++;
    sdfg_rt_mpi_irecv(c, WHERE, NULL, y, row, 0, tag, &requests[2]);
    sdfg_rt_mpi_isend(c, WHERE, NULL, x, gaps, 0, tag, &requests[0]);
    sdfg_rt_mpi_wait(c, WHERE, requests, 1, 2, NULL, NULL);
    sdfg_rt_mpi_wait(c, WHERE, &requests[2], 1, 2, &seen, &source);
    bool good = is_1_3_5(y) && seen == tag && source == 0 && !requests[0] && !requests[2];
    sdfg_rt_mpi_wait(c, WHERE, requests, 4, 1, NULL, NULL); /* for nothing */
    sdfg_rt_mpi_isend(c, WHERE, NULL, x, row, -1, tag, &requests[0]);
    sdfg_rt_mpi_send(c, WHERE, NULL, x, row, -1, tag);
    sdfg_rt_mpi_irecv(c, WHERE, NULL, y, row, SDFG_RT_MPI_NOBODY, -1, &requests[1]);
    sdfg_rt_mpi_recv(c, WHERE, NULL, y, row, SDFG_RT_MPI_NOBODY, tag);
    sdfg_rt_mpi_wait_for(c, WHERE, &requests[0], true, -1, tag);
    sdfg_rt_mpi_wait_for(c, WHERE, &requests[1], false, -1, tag);
    good = good && is_1_3_5(y);
    sdfg_rt_mpi_isend(c, WHERE, NULL, x, row, 0, ++tag, &requests[0]); /* it comes before its receiver */
    sdfg_rt_mpi_recv(c, WHERE, NULL, y, row, SDFG_RT_MPI_ANYBODY, tag);
    sdfg_rt_mpi_wait_for(c, WHERE, &requests[0], true, 0, tag);
    return good && equal(x, y, N);
}

/* A shorter message leaves the rest of where it comes to. */
static bool shorter(struct sdfg_rt_context *c)
{
    static const int64_t two[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 1 };
    double x[] = { 5, 6 }, y[2 * N];
    uint64_t requests[2] = { 0 };
    count_up(y, 2 * N);
    tag++;
    sdfg_rt_mpi_isend(c, WHERE, NULL, x, two, 0, tag, &requests[0]);
    sdfg_rt_mpi_irecv(c, WHERE, NULL, y, gaps, 0, tag, &requests[1]);
    sdfg_rt_mpi_wait(c, WHERE, requests, 2, 1, NULL, NULL);
    return equal(y, (const double[]){ 5, 2, 6, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, 2 * N);
}

static bool together(struct sdfg_rt_context *c)
{
    bool good = true;
    for (int64_t what = SDFG_RT_MPI_SCATTER; what <= SDFG_RT_MPI_REDUCE_SCATTER; what++)
        for (int goes_on = 0; goes_on < 2; goes_on++) {
            double x[2 * N], y[N] = { 0 };
            count_up(x, 2 * N);
            sdfg_rt_mpi_collective(c, WHERE, NULL, what, SDFG_RT_MPI_SUM, x, gaps, y, row, 0, goes_on);
            sdfg_rt_mpi_bcast(c, WHERE, NULL, x, gaps, 0, goes_on);
            good = good && is_1_3_5(y) && x[1] == 2;
            if (what >= SDFG_RT_MPI_REDUCE)
                sdfg_rt_mpi_collective(c, WHERE, NULL, what, SDFG_RT_MPI_PROD, x, row, x, row, 0, goes_on);
            good = good && x[N - 1] == N;
        }
    sdfg_rt_mpi_barrier(c, WHERE, NULL);
    return good;
}

/* The mean of what one process gives is that. */
static bool means(struct sdfg_rt_context *c)
{
    bool good = true;
    for (int64_t type = 0; type < SDFG_RT_MPI_TYPES; type++) {
        double complex x[2] = { 3 + 4 * I, 5 }, y[2] = { 0 };
        const int64_t layout[] = { type, 1, 2, 1 };
        if (type == SDFG_RT_MPI_BOOL)
            continue;
        sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_REDUCE_SCATTER, SDFG_RT_MPI_AVERAGE, x, layout, y, layout, 0,
                               false);
        static const int bytes[] = {
#define MPI_ELEMENT(name, bytes, mpich, open, standard) bytes,
#include "runtime/mpi/mpi.def"
        };
        good = good && !memcmp(x, y, 2 * (size_t)bytes[type]);
    }
    return good;
}

static bool parts(struct sdfg_rt_context *c)
{
    static const int64_t to_one[] = { 1, N, 2 }, to_each[] = { 1, N, N };
    static const int64_t longer[] = { SDFG_RT_MPI_FLOAT64, 1, N + 2, 1 };
    bool good = true;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        double x[2 * N], y[N + 2] = { 0 }, z[N] = { 0 };
        count_up(x, 2 * N);
        sdfg_rt_mpi_vectors(c, WHERE, NULL, x, gaps, y, longer, to_one, true, 0, goes_on);
        sdfg_rt_mpi_vectors(c, WHERE, NULL, x, gaps, z, row, to_each, false, 0, goes_on);
        good = good && is_1_3_5(y + 2) && !y[0] && is_1_3_5(z);
    }
    return good;
}

static bool blocks(struct sdfg_rt_context *c)
{
    static const int64_t of_two[] = { 2, 1, 1 }, of_one[] = { 1, 1 }, keeps[] = { 2, 1, 0 };
    static const int64_t sub[] = { 2, 2, 3, 2, 3, 0, 1 };
    double x[2 * N], y[N] = { 0 }, z[2 * N] = { 0 };
    void *grid = sdfg_rt_mpi_grid(c, WHERE, NULL, of_two, -1), *other = sdfg_rt_mpi_grid(c, WHERE, NULL, of_one, -1);
    void *part = grid ? sdfg_rt_mpi_grid(c, WHERE, grid, keeps, 0) : NULL;
    if (!grid || !other || !part)
        return false;
    static const int64_t packed[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 3, 3, 1 };
    count_up(x, 2 * N);
    sdfg_rt_mpi_block_scatter(c, WHERE, x, gaps, y, packed, sub, grid, part);
    bool good = is_1_3_5(y);
    sdfg_rt_mpi_block_gather(c, WHERE, y, packed, z, gaps, sub, grid, part);
    good = good && z[0] == 1 && z[10] == 11 && !z[1];
    good = good && sdfg_rt_mpi_comm_of(c, WHERE, grid);
    sdfg_rt_mpi_bcast(c, WHERE, part, y, packed, 0, false);
    return good && sdfg_rt_mpi_grid(c, WHERE, NULL, of_two, -1) == grid; /* found again */
}

bool moved_blocks(struct sdfg_rt_context *c)
{
    static const int64_t packed[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 3, 3, 1 };
    static const int64_t of_two[] = { 2, 1, 1 }, sub[] = { 2, 2, 3, 2, 3, 0, 1 }, turned[] = { 2, 2, 3, 2, 3, 1, 0 };
    double x[2 * N], y[N] = { 0 };
    void *grid = sdfg_rt_mpi_grid(c, WHERE, NULL, of_two, -1);
    if (!grid)
        return false;
    count_up(x, 2 * N);
    sdfg_rt_mpi_redistribute(c, WHERE, x, gaps, y, packed, sub, grid, turned, grid);
    return is_1_3_5(y);
}

bool multiplied_matrices(struct sdfg_rt_context *c)
{
    static const int64_t of_two[] = { 2, 1, 1 }, sizes[] = { 2, 2, 3 }, a_sizes[] = { 2, 3 };
    static const int32_t block[] = { 2, 2 };
    void *grid = sdfg_rt_mpi_grid(c, WHERE, NULL, of_two, -1);
    if (!grid)
        return false;
    int32_t whole[9], part[9];
    double x[N], y[N] = { 0 }, z[N] = { 0 };
    static const int64_t a[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 3, 3, 1 }, b[] = { SDFG_RT_MPI_FLOAT64, 2, 3, 2, 2, 1 };
    static const int64_t two[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 2, 2, 1 }, three[] = { SDFG_RT_MPI_FLOAT64, 1, 3, 1 };
    static const int64_t pair[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 1 };
    count_up(x, N);
    sdfg_rt_mpi_cyclic_scatter(c, WHERE, x, a, y, a, block, grid, whole, part);
    sdfg_rt_mpi_cyclic_gather(c, WHERE, y, a, z, a, block, grid);
    bool good = equal(x, y, N) && equal(x, z, N) && whole[2] == 3 && part[4] == 2;
    sdfg_rt_mpi_cyclic_scatter(c, WHERE, x, a, y, a, block, grid, NULL, NULL);
    sdfg_rt_mpi_gemm(c, WHERE, x, a, x, b, z, two, sizes, block, block, grid);
    good = good && equal(z, (const double[]){ 22, 28, 49, 64 }, 4);
    sdfg_rt_mpi_gemv(c, WHERE, x, a, x, three, z, pair, a_sizes, block, false, grid);
    good = good && equal(z, (const double[]){ 14, 32 }, 2);
    sdfg_rt_mpi_gemv(c, WHERE, x, a, x, pair, z, three, a_sizes, block, true, grid);
    good = good && equal(z, (const double[]){ 9, 12, 15 }, 3);
    /* the same transposed in memory, and vectors with gaps */
    static const int64_t columns[] = { SDFG_RT_MPI_FLOAT64, 2, 3, 2, 1, 3 }, apart[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 2 };
    static const int64_t of_columns[] = { 3, 2 };
    static const int32_t tall[] = { 3, 2 };
    memset(z, 0, sizeof z);
    sdfg_rt_mpi_gemv(c, WHERE, x, columns, x, apart, z, three, of_columns, tall, false, grid);
    good = good && equal(z, (const double[]){ 13, 17, 21 }, 3);
    sdfg_rt_mpi_gemm(c, WHERE, x, columns, x, two, z, b, (const int64_t[]){ 3, 2, 2 }, tall, block, grid);
    return good && equal(z, (const double[]){ 13, 18, 17, 24, 21, 30 }, N);
}

static bool communicators(struct sdfg_rt_context *c)
{
    double x[N];
    count_up(x, N);
    bool good = sdfg_rt_mpi_me(c, WHERE, NULL) == 0 && sdfg_rt_mpi_processes(c, WHERE, NULL) == 1;
    int64_t half = sdfg_rt_mpi_split(c, WHERE, NULL, 1, 0);
    if (c->error)
        return false;
    void *grid = sdfg_rt_mpi_handle(c, WHERE, half);
    if (!grid)
        return false;
    sdfg_rt_mpi_barrier(c, WHERE, grid);
    sdfg_rt_mpi_bcast(c, WHERE, grid, x, row, 0, false);
    sdfg_rt_mpi_comm_free(c, WHERE, half);
    sdfg_rt_mpi_f2c(c, WHERE, 0);
    return good && x[N - 1] == N;
}

/* A communicator of the caller has grids of its own, which are gone when it is freed. */
static bool grids_of_the_caller(struct sdfg_rt_context *c)
{
    struct sdfg_rt_mpi *call = c->mpi;
    static const int64_t line[] = { 1, 1 }, stays[] = { 1, 1 };
    void *grids[3];
    int64_t comm = sdfg_rt_mpi_split(c, WHERE, NULL, 1, 0);
    if (c->error || !comm) /* without a library there is none */
        return !c->error;
    for (int i = 0; i < 3; i++) {
        call->has_communicator = i != 1;
        call->communicator = (int32_t)comm;
        grids[i] = sdfg_rt_mpi_grid(c, WHERE, NULL, line, -1);
        sdfg_rt_mpi_grid(c, WHERE, grids[i], stays, -1);
    }
    call->has_communicator = false;
    bool good = grids[0] == grids[2] && grids[0] != grids[1];
    sdfg_rt_mpi_comm_free(c, WHERE, comm);
    return good;
}

static bool reads_and_writes(struct sdfg_rt_context *c)
{
    static const int64_t counts[] = { 2, 3 }, strides[] = { 4, 1 };
    char name[] = "/tmp/mpi-alone-XXXXXX", bytes[] = "abcdefgh", got[7] = "......", whole[9] = "";
    int file = mkstemp(name);
    bool good = file >= 0 && write(file, bytes, 8) == 8;
    struct sdfg_rt_mpi_part p = { name, false, 1, 2, counts, strides, got };
    bool with = sdfg_rt_mpi_transfer(c, &p);
    good = good && (!with || !strcmp(got, "bcdfgh"));
    memcpy(got, "BCDFGH", 6);
    p.writes = true;
    bool wrote = sdfg_rt_mpi_transfer(c, &p);
    good = good && pread(file, whole, 8, 0) == 8 && (!wrote || !strcmp(whole, "aBCDeFGH"));
    p.counts = (const int64_t[]){ 0, 3 };
    sdfg_rt_mpi_transfer(c, &p);
    p.rank = SDFG_RT_MPI_RANK + 1;
    good = good && !sdfg_rt_mpi_transfer(c, &p);
    p.rank = 2;
    p.path = "/nowhere/file";
    good = good && !sdfg_rt_mpi_transfer(c, &p);
    close(file);
    unlink(name);
    return good;
}

/* ---- MPI of tasklets ---- */

#define MPI(name, ...) (sdfg_rt_MPI_##name(c, WHERE, __VA_ARGS__) == 0)
#define IN_PLACE       ((void *)(intptr_t)1)

static bool code_groups(struct sdfg_rt_context *c)
{
    int32_t me = -1, size = -1, ranks[] = { 0, 0 }, theirs[2], dims[2] = { 0, 1 }, periods[2], at[2];
    int64_t group, comm, other, grid, part;
    bool good = MPI(Comm_rank, WORLD, &me) && MPI(Comm_size, WORLD, &size) && me == 0 && size == 1;
    good = good && MPI(Comm_group, WORLD, &group) && MPI(Group_size, group, &size) && MPI(Group_rank, group, &me) &&
           me == 0 && size == 1 && MPI(Group_translate_ranks, group, 2, ranks, group, theirs) && !theirs[1] &&
           MPI(Group_free, &group) && group == SDFG_RT_MPI_CODE_NULL;
    good = good && MPI(Comm_dup, SDFG_RT_MPI_CODE_SELF, &comm) && MPI(Barrier, comm) && MPI(Comm_free, &comm) && !comm;
    good = good && MPI(Comm_split, WORLD, 0, 0, &comm) && MPI(Comm_free, &comm) &&
           MPI(Comm_split, WORLD, SDFG_RT_MPI_CODE_UNDEFINED, 0, &other) && other == SDFG_RT_MPI_CODE_NULL;
    good = good && MPI(Dims_create, 1, 2, dims) && dims[0] == 1 && dims[1] == 1;
    if (!good || !MPI(Cart_create, WORLD, 2, dims, ((const int32_t[]){ 1, 0 }), 0, &grid))
        return false;
    int32_t from[3], to[3];
    good = MPI(Cart_get, grid, 2, dims, periods, at) && periods[0] == 1 && !periods[1] && !at[0] &&
           MPI(Cart_coords, grid, 0, 2, at) && !at[1] && MPI(Cart_rank, grid, at, &me) && me == 0 &&
           MPI(Cart_shift, grid, 0, 1, &from[0], &to[0]) && MPI(Cart_shift, grid, 1, 1, &from[1], &to[1]) &&
           from[0] == 0 && to[0] == 0 && from[1] == NOBODY && to[1] == NOBODY &&
           MPI(Cart_shift, grid, 1, 0, &from[2], &to[2]) && from[2] == 0 && to[2] == 0 &&
           MPI(Cart_sub, grid, ((const int32_t[]){ 0, 1 }), &part) && MPI(Comm_free, &part) && MPI(Comm_free, &grid);
    return good;
}

static bool code_types(struct sdfg_rt_context *c)
{
    double x[2 * N], y[N] = { 0 };
    uint64_t requests[2];
    struct sdfg_rt_mpi_code_status status[2];
    int64_t types[6] = { 0 };
    const int32_t whole[] = { 2, N }, some[] = { 2, 3 }, begin[] = { 0, 1 }, turned[] = { N, 2 }, narrow[] = { 3, 2 };
    count_up(x, 2 * N);
    tag++;
    bool good = MPI(Type_contiguous, N, F64, &types[0]) && MPI(Type_vector, N, 1, 2, F64, &types[1]) &&
                MPI(Type_create_subarray, 2, whole, some, begin, 0, F64, &types[2]) &&
                MPI(Type_create_subarray, 2, turned, narrow, ((const int32_t[]){ 1, 0 }), 1, F64, &types[3]) &&
                MPI(Type_create_resized, F64, 0, 16, &types[4]) && MPI(Type_create_resized, types[1], 0, 96, &types[5]);
    for (int i = 0; i < 6; i++)
        good = good && MPI(Type_commit, &types[i]);
    const double odd[] = { 1, 3, 5, 7, 9, 11 }, inner[] = { 2, 3, 4, 8, 9, 10 };
    for (int i = 0; good && i < 6; i++) {
        int32_t count = i == 4 ? N : 1;
        good = MPI(Irecv, y, 1, types[0], 0, (int32_t)tag + i, WORLD, &requests[0]) &&
               MPI(Isend, x, count, types[i], 0, (int32_t)tag + i, WORLD, &requests[1]) &&
               MPI(Waitall, 2, requests, i % 2 ? status : NULL) &&
               equal(y,
                     i == 0             ? x
                     : i == 2 || i == 3 ? inner
                                        : odd,
                     N);
    }
    tag += 6;
    for (int i = 0; i < 6; i++)
        good = good && MPI(Type_free, &types[i]) && types[i] == SDFG_RT_MPI_CODE_NULL;
    return good;
}

static bool code_messages(struct sdfg_rt_context *c)
{
    int32_t x[] = { 1, 2 }, y[] = { 0, 0 };
    uint64_t request = 0;
    struct sdfg_rt_mpi_code_status status = { -1, -1, -1 };
    tag++;
    bool good =
        MPI(Sendrecv, x, 2, I32, 0, (int32_t)tag, y, 2, I32, SDFG_RT_MPI_ANYBODY, (int32_t)tag, WORLD, &status) &&
        y[1] == 2 && status.tag == tag && status.source == 0 && MPI(Send, x, 2, I32, NOBODY, 3, WORLD) &&
        MPI(Recv, y, 2, I32, NOBODY, 3, WORLD, &status) && MPI(Wait, &request, &status);
    good = good && MPI(Isend, x, 1, I32, 0, (int32_t)tag, WORLD, &request) &&
           MPI(Recv, y, 1, I32, 0, (int32_t)tag, WORLD, NULL) && MPI(Wait, &request, NULL) && y[0] == 1;
    /* an operation that a node has begun */
    static const int64_t layout[] = { SDFG_RT_MPI_INT32, 1, 2, 1 };
    y[1] = 0;
    sdfg_rt_mpi_start(c, WHERE, NULL, SDFG_RT_MPI_ALLREDUCE, SDFG_RT_MPI_SUM, x, layout, y, layout, 0, &request);
    good = good && MPI(Wait, &request, &status) && !request && y[1] == 2;
    return good;
}

static bool code_together(struct sdfg_rt_context *c)
{
    const int32_t n[] = { 2 }, at[] = { 1 }, zero[] = { 0 };
    double x[] = { 1, 2, 3 }, y[3] = { 0 };
    bool good =
        MPI(Bcast, x, 3, F64, 0, WORLD) && MPI(Reduce, x, y, 3, F64, SUM, 0, WORLD) && equal(x, y, 3) &&
        MPI(Allreduce, IN_PLACE, y, 3, F64, SUM, WORLD) && equal(x, y, 3) &&
        MPI(Scatter, x + 1, 1, F64, y, 1, F64, 0, WORLD) && y[0] == 2 &&
        MPI(Gather, x + 2, 1, F64, y, 1, F64, 0, WORLD) && y[0] == 3 && MPI(Allgather, x, 2, F64, y, 2, F64, WORLD) &&
        y[0] == 1 && MPI(Alltoall, x + 1, 2, F64, y, 2, F64, WORLD) && y[0] == 2 &&
        MPI(Scatter, x, 1, F64, IN_PLACE, 1, F64, 0, WORLD) && MPI(Gather, IN_PLACE, 1, F64, y, 1, F64, 0, WORLD);
    good = good && MPI(Scatterv, x, n, at, F64, y, 2, F64, 0, WORLD) && y[0] == 2 && y[1] == 3 &&
           MPI(Gatherv, x, 2, F64, y, n, at, F64, 0, WORLD) && y[1] == 1 && y[2] == 2 &&
           MPI(Allgatherv, x, 2, F64, y, n, zero, F64, WORLD) && y[0] == 1 &&
           MPI(Alltoallv, x, n, at, F64, y, n, zero, F64, WORLD) && y[0] == 2 && y[1] == 3 &&
           MPI(Alltoallv, IN_PLACE, n, at, F64, y, n, zero, F64, WORLD) && y[0] == 2 && y[1] == 3;
    return good;
}

const struct scenario scenarios[] = {
    { "messages", messages, 2 },
    { "shorter messages", shorter, 2 },
    { "together", together, 2 },
    { "means", means, 2 },
    { "parts", parts, 2 },
    { "blocks", blocks, 2 },
    { "matrices", multiplied_matrices, 2 },
    { "communicators", communicators, 2 },
    { "grids of the caller", grids_of_the_caller, 2 },
    { "files", reads_and_writes, 0 },
    { "groups of tasklets", code_groups, 2 },
    { "types of tasklets", code_types, 8 },
    { "messages of tasklets", code_messages, 2 },
    { "tasklets together", code_together, 2 },
    { NULL, NULL, 0 },
};
