/* Calls of runtime/mpi.h and runtime/mpi_code.h that are refused in a world of one process. */
#include "tests/mpi/alone.h"

static double room[2 * N];
static const int64_t negative[] = { SDFG_RT_MPI_FLOAT64, 1, -1, 1 }, bools[] = { SDFG_RT_MPI_BOOL, 1, 2, 1 };

static void send_to_stranger(struct sdfg_rt_context *c) { sdfg_rt_mpi_send(c, WHERE, NULL, room, row, 1, 0); }
static void receive_from_stranger(struct sdfg_rt_context *c) { sdfg_rt_mpi_recv(c, WHERE, NULL, room, row, 7, 0); }
static void negative_extent(struct sdfg_rt_context *c) { sdfg_rt_mpi_send(c, WHERE, NULL, room, negative, 0, 0); }
static void negative_received(struct sdfg_rt_context *c) { sdfg_rt_mpi_recv(c, WHERE, NULL, room, negative, 0, 0); }
static void negative_bcast(struct sdfg_rt_context *c) { sdfg_rt_mpi_bcast(c, WHERE, NULL, room, negative, 3, 0); }
static void root_of_strangers(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_GATHER, 0, room, row, room, row, 1, 1);
}
static void negative_in(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_GATHER, 0, room, negative, room, row, 0, 0);
}
static void negative_out(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_GATHER, 0, room, gaps, room, negative, 0, 1);
}
static void mean_of_bools(struct sdfg_rt_context *c)
{
    double got;
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_ALLREDUCE, SDFG_RT_MPI_AVERAGE, room, bools, &got, bools, 0, 0);
}
static void counts_of_strangers(struct sdfg_rt_context *c)
{
    static const int64_t list[] = { 2, 1, 1, 1, 1 };
    sdfg_rt_mpi_vectors(c, WHERE, NULL, room, row, room, row, list, true, 0, 1);
}
static void part_of(struct sdfg_rt_context *c, int64_t first, int64_t second, bool to_one)
{
    double got[N];
    const int64_t list[] = { 1, first, second };
    sdfg_rt_mpi_vectors(c, WHERE, NULL, room, row, got, row, list, to_one, 0, 1);
}
static void part_behind(struct sdfg_rt_context *c) { part_of(c, N, 1, true); }
static void part_before(struct sdfg_rt_context *c) { part_of(c, N, -1, true); }
static void part_too_small(struct sdfg_rt_context *c) { part_of(c, N - 1, 0, true); }
static void part_negative(struct sdfg_rt_context *c) { part_of(c, -1, 0, true); }
static void part_beyond(struct sdfg_rt_context *c) { part_of(c, (int64_t)1 << 31, 0, true); }
static void sent_too_many(struct sdfg_rt_context *c) { part_of(c, N + 1, N, false); }
static void got_too_many(struct sdfg_rt_context *c) { part_of(c, N, N + 1, false); }
static void sent_less_than_none(struct sdfg_rt_context *c) { part_of(c, -1, N, false); }

static void grid_with(struct sdfg_rt_context *c, int64_t first, int64_t second)
{
    const int64_t list[] = { 2, first, second };
    CHECK(!sdfg_rt_mpi_grid(c, WHERE, NULL, list, -1));
}
static void grid_of_many(struct sdfg_rt_context *c) { grid_with(c, 1, 2); }
static void grid_of_none(struct sdfg_rt_context *c) { grid_with(c, 0, 1); }
static void grid_of_dimensions(struct sdfg_rt_context *c)
{
    const int64_t list[2] = { SDFG_RT_MPI_RANK + 1 };
    CHECK(!sdfg_rt_mpi_grid(c, WHERE, NULL, list, -1));
}

static void *pair_of(struct sdfg_rt_context *c)
{
    return sdfg_rt_mpi_grid(c, WHERE, NULL, (const int64_t[]){ 2, 1, 1 }, -1);
}

static void tiles(struct sdfg_rt_context *c, const int64_t *list, const int64_t *whole, const int64_t *part)
{
    void *grid = pair_of(c);
    sdfg_rt_mpi_block_scatter(c, WHERE, room, whole, room, part, list, grid, NULL);
}
static const int64_t flat[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 3, 3, 1 };
static const int64_t right_tiles[] = { 2, 2, 3, 2, 3, 0, 1 };
static void tiles_too_small(struct sdfg_rt_context *c)
{
    tiles(c, (const int64_t[]){ 2, 2, 3, 2, 2, 0, 1 }, gaps, flat);
}
static void tiles_elsewhere(struct sdfg_rt_context *c)
{
    tiles(c, (const int64_t[]){ 2, 2, 3, 2, 3, 0, 2 }, gaps, flat);
}
static void tiles_before(struct sdfg_rt_context *c) { tiles(c, (const int64_t[]){ 2, 2, 3, 2, 3, -1, 1 }, gaps, flat); }
static void tiles_of_rank(struct sdfg_rt_context *c) { tiles(c, (const int64_t[]){ 1, 6, 6, 0 }, gaps, flat); }
static void tiles_in_row(struct sdfg_rt_context *c) { tiles(c, right_tiles, row, flat); }
static void tiles_of_few(struct sdfg_rt_context *c)
{
    tiles(c, right_tiles, gaps, (const int64_t[]){ SDFG_RT_MPI_FLOAT64, 1, 5, 1 });
}
static void tiles_negative(struct sdfg_rt_context *c) { tiles(c, right_tiles, gaps, negative); }
static void moved_to_others(struct sdfg_rt_context *c)
{
    static const int64_t other[] = { 2, 3, 2, 3, 2, 0, 1 };
    void *grid = pair_of(c);
    sdfg_rt_mpi_redistribute(c, WHERE, room, gaps, room, flat, right_tiles, grid, other, grid);
}
static void moved_from_rows(struct sdfg_rt_context *c)
{
    void *grid = pair_of(c);
    sdfg_rt_mpi_redistribute(c, WHERE, room, row, room, flat, right_tiles, grid, right_tiles, grid);
}

static void multiply(struct sdfg_rt_context *c, int64_t type, int32_t height, int64_t rows)
{
    const int64_t layout[] = { type, 2, 2, 2, 2, 1 }, sizes[] = { rows, 2, 2 };
    const int32_t block[] = { height, 2 };
    double got[4];
    sdfg_rt_mpi_gemm(c, WHERE, room, layout, room, layout, got, layout, sizes, block, block, pair_of(c));
}
static void product_of_integers(struct sdfg_rt_context *c) { multiply(c, SDFG_RT_MPI_INT64, 2, 2); }
static void product_by_nothing(struct sdfg_rt_context *c) { multiply(c, SDFG_RT_MPI_FLOAT64, 0, 2); }
static void product_too_small(struct sdfg_rt_context *c) { multiply(c, SDFG_RT_MPI_FLOAT64, 2, 3); }
static void deal_too_small(struct sdfg_rt_context *c)
{
    static const int64_t two[] = { SDFG_RT_MPI_FLOAT64, 2, 1, 2, 2, 1 };
    sdfg_rt_mpi_cyclic_scatter(c, WHERE, room, flat, room, two, (const int32_t[]){ 2, 2 }, pair_of(c), NULL, NULL);
}
static void gather_by_nothing(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_cyclic_gather(c, WHERE, room, flat, room, flat, (const int32_t[]){ 2, 0 }, pair_of(c));
}
static void no_operation(struct sdfg_rt_context *c)
{
    double x = 1, y;
    CHECK(sdfg_rt_MPI_Reduce(c, WHERE, &x, &y, 1, F64, 0, 0, WORLD));
}
static void no_operation_of_all(struct sdfg_rt_context *c)
{
    double x = 1, y;
    CHECK(sdfg_rt_MPI_Allreduce(c, WHERE, &x, &y, 1, F64, SDFG_RT_MPI_OPS + 1, WORLD));
}

/* ---- elements of other types ---- */

static const int64_t narrow[] = { SDFG_RT_MPI_FLOAT32, 1, N, 1 };
static const int64_t narrow_pair[] = { SDFG_RT_MPI_FLOAT32, 2, 2, 3, 3, 1 };
static const int64_t narrow_square[] = { SDFG_RT_MPI_FLOAT32, 2, 2, 2, 2, 1 };
static const int64_t square[] = { SDFG_RT_MPI_FLOAT64, 2, 2, 2, 2, 1 }, pair[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 1 };
static const int64_t twos[] = { 2, 2, 2 };
static const int32_t two_by_two[] = { 2, 2 };
static float some[N];

static void gathered_as_others(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_GATHER, 0, room, row, some, narrow, 0, 0);
}
static void summed_up_as_others(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_ALLREDUCE, SDFG_RT_MPI_SUM, room, row, some, narrow, 0, 1);
}
static void parts_of_others(struct sdfg_rt_context *c)
{
    static const int64_t list[] = { 1, N, N };
    sdfg_rt_mpi_vectors(c, WHERE, NULL, room, row, some, narrow, list, false, 0, 0);
}
static void tiles_of_others(struct sdfg_rt_context *c) { tiles(c, right_tiles, gaps, narrow_pair); }
static void others_from_tiles(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_block_gather(c, WHERE, some, narrow_pair, room, gaps, right_tiles, pair_of(c), NULL);
}
static void moved_as_others(struct sdfg_rt_context *c)
{
    void *grid = pair_of(c);
    sdfg_rt_mpi_redistribute(c, WHERE, room, gaps, some, narrow_pair, right_tiles, grid, right_tiles, grid);
}
static void dealt_as_others(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_cyclic_scatter(c, WHERE, room, square, some, narrow_square, two_by_two, pair_of(c), NULL, NULL);
}
static void others_collected(struct sdfg_rt_context *c)
{
    sdfg_rt_mpi_cyclic_gather(c, WHERE, some, narrow_square, room, square, two_by_two, pair_of(c));
}
static void multiplied_with(struct sdfg_rt_context *c, const int64_t *left, const int64_t *right)
{
    double got[4];
    sdfg_rt_mpi_gemm(c, WHERE, room, left, room, right, got, square, twos, two_by_two, two_by_two, pair_of(c));
}
static void others_multiplied(struct sdfg_rt_context *c) { multiplied_with(c, narrow_square, square); }
static void multiplied_by_others(struct sdfg_rt_context *c) { multiplied_with(c, square, narrow_square); }
static void applied_to(struct sdfg_rt_context *c, const int64_t *in, const int64_t *out)
{
    double got[2];
    sdfg_rt_mpi_gemv(c, WHERE, room, square, room, in, got, out, twos, two_by_two, false, pair_of(c));
}
static const int64_t narrow_two[] = { SDFG_RT_MPI_FLOAT32, 1, 2, 1 };
static void applied_to_others(struct sdfg_rt_context *c) { applied_to(c, narrow_two, pair); }
static void applied_for_others(struct sdfg_rt_context *c) { applied_to(c, pair, narrow_two); }
static void summed_up_for_few(struct sdfg_rt_context *c)
{
    double got[2];
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_REDUCE, SDFG_RT_MPI_SUM, room, row, got, pair, 0, 0);
}

#define WIDE_TO_NARROW "elements of type FLOAT64 come where there are some of FLOAT32"
#define NARROW_TO_WIDE "elements of type FLOAT32 come where there are some of FLOAT64"

const struct refusal refusals[] = {
    { "the receiver is rank 1", send_to_stranger },
    { "the sender is rank 7", receive_from_stranger },
    { "dimension 0 has -1 elements", negative_extent },
    { "dimension 0 has -1 elements", negative_received },
    { "the root is rank 3", negative_bcast },
    { "the root is rank 1", root_of_strangers },
    { "dimension 0 has -1 elements", negative_in },
    { "dimension 0 has -1 elements", negative_out },
    { "there is no mean of truth values", mean_of_bools },
    { "there are counts for 2 processes", counts_of_strangers },
    { "6 elements of rank 0 at 1, where there are 6", part_behind },
    { "6 elements of rank 0 at -1", part_before },
    { "6 elements are sent where 5 are expected", part_too_small },
    { "-1 elements of rank 0", part_negative },
    { "2147483648 elements of rank 0", part_beyond },
    { "7 elements for rank 0, and there are 6 in all", sent_too_many },
    { "7 elements for rank 0, and there are 6 in all", got_too_many },
    { "-1 elements for rank 0", sent_less_than_none },
    { "wants more than 1 process", grid_of_many },
    { "or none", grid_of_none },
    { "a process grid has 65 dimensions", grid_of_dimensions },
    { "do not tile it", tiles_too_small },
    { "do not tile it", tiles_elsewhere },
    { "do not tile it", tiles_before },
    { "do not tile it", tiles_of_rank },
    { "have not the extents", tiles_in_row },
    { "have not the extents", tiles_of_few },
    { "dimension 0 has -1 elements", tiles_negative },
    { "arrays of different extents", moved_to_others },
    { "arrays of different extents", moved_from_rows },
    { "a product of matrices of integers", product_of_integers },
    { "blocks of 0 x 2 elements", product_by_nothing },
    { "has 2 x 2 elements, and 3 x 2 of the matrix", product_too_small },
    { "the part has 1 x 2 elements", deal_too_small },
    { "blocks of 2 x 0 elements", gather_by_nothing },
    { "an operation that is none of MPI's", no_operation },
    { "an operation that is none of MPI's", no_operation_of_all },
    { WIDE_TO_NARROW, gathered_as_others },
    { WIDE_TO_NARROW, summed_up_as_others },
    { WIDE_TO_NARROW, parts_of_others },
    { WIDE_TO_NARROW, tiles_of_others },
    { WIDE_TO_NARROW, others_from_tiles },
    { WIDE_TO_NARROW, moved_as_others },
    { WIDE_TO_NARROW, dealt_as_others },
    { WIDE_TO_NARROW, others_collected },
    { NARROW_TO_WIDE, others_multiplied },
    { NARROW_TO_WIDE, multiplied_by_others },
    { NARROW_TO_WIDE, applied_to_others },
    { WIDE_TO_NARROW, applied_for_others },
    { "6 elements come where there are 2", summed_up_for_few },
    { NULL, NULL },
};

/* ---- what only a process without a library refuses ---- */

static void nobody_sends(struct sdfg_rt_context *c) { sdfg_rt_mpi_recv(c, WHERE, NULL, room, row, 0, 12345); }
static void waits_for_nobody(struct sdfg_rt_context *c)
{
    uint64_t requests[2];
    double y[N];
    sdfg_rt_mpi_irecv(c, WHERE, NULL, room, row, 0, 12345, &requests[0]);
    sdfg_rt_mpi_irecv(c, WHERE, NULL, y, row, 0, 12346, &requests[1]);
    sdfg_rt_mpi_wait(c, WHERE, &requests[1], 1, 1, NULL, NULL);
    c->error = SDFG_RT_OK;
    ((struct sdfg_rt_mpi *)c->mpi)->trouble[0] = 0;
    sdfg_rt_mpi_wait(c, WHERE, &requests[0], 1, 1, NULL, NULL);
}
static void too_long(struct sdfg_rt_context *c)
{
    static const int64_t longer[] = { SDFG_RT_MPI_FLOAT64, 1, 2 * N, 1 };
    double y[N];
    uint64_t request;
    sdfg_rt_mpi_irecv(c, WHERE, NULL, y, row, 0, 4, &request);
    sdfg_rt_mpi_send(c, WHERE, NULL, room, longer, 0, 4);
}
static void too_long_by_any(struct sdfg_rt_context *c)
{
    static const int64_t longer[] = { SDFG_RT_MPI_FLOAT64, 1, 2 * N, 1 };
    double y[N];
    sdfg_rt_mpi_send(c, WHERE, NULL, room, longer, 0, 4);
    sdfg_rt_mpi_recv(c, WHERE, NULL, y, row, SDFG_RT_MPI_ANYBODY, -1);
}
/* The message comes first, or its receiver. */
static void of_another_type(struct sdfg_rt_context *c)
{
    uint64_t request;
    sdfg_rt_mpi_send(c, WHERE, NULL, some, narrow, 0, 4);
    sdfg_rt_mpi_recv(c, WHERE, NULL, room, row, 0, 4);
    CHECK(c->error == SDFG_RT_BAD_VALUE);
    c->error = SDFG_RT_OK;
    sdfg_rt_mpi_irecv(c, WHERE, NULL, room, row, 0, 4, &request);
    sdfg_rt_mpi_send(c, WHERE, NULL, some, narrow, 0, 4);
    CHECK(c->error == SDFG_RT_BAD_VALUE);
    c->error = SDFG_RT_OK;
    sdfg_rt_mpi_wait(c, WHERE, &request, 1, 1, NULL, NULL);
    c->error = SDFG_RT_BAD_VALUE;
}
static void too_many(struct sdfg_rt_context *c)
{
    double y[2];
    static const int64_t two[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 1 };
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_GATHER, 0, room, row, y, two, 0, 0);
}
static void unequal_parts(struct sdfg_rt_context *c) { part_of(c, N, N - 1, false); }
static void a_communicator(struct sdfg_rt_context *c)
{
    ((struct sdfg_rt_mpi *)c->mpi)->has_communicator = true;
    sdfg_rt_mpi_barrier(c, WHERE, NULL);
}
/* Behind a failure nothing is done: it waits. */
static void free_type(struct sdfg_rt_context *c, int64_t *type)
{
    int64_t error = c->error;
    c->error = SDFG_RT_OK;
    CHECK(!sdfg_rt_MPI_Type_free(c, WHERE, type));
    c->error = error;
}
static void no_type(struct sdfg_rt_context *c)
{
    int64_t out;
    CHECK(sdfg_rt_MPI_Type_contiguous(c, WHERE, 2, 0, &out) && !out);
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Type_create_resized(c, WHERE, 0, 0, 8, &out) && !out);
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Recv(c, WHERE, room, 1, 0, 0, 0, WORLD, NULL));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Gather(c, WHERE, room, 1, F64, room, 1, 0, 0, WORLD));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Send(c, WHERE, room, 1, 0, 0, 0, WORLD));
}
static void derived_twice(struct sdfg_rt_context *c)
{
    int64_t type, out;
    CHECK(!sdfg_rt_MPI_Type_vector(c, WHERE, 0, 1, 2, F64, &type));
    CHECK(sdfg_rt_MPI_Type_contiguous(c, WHERE, 2, type, &out));
    free_type(c, &type);
}
static void resized_by_a_part(struct sdfg_rt_context *c)
{
    int64_t out;
    CHECK(sdfg_rt_MPI_Type_create_resized(c, WHERE, F64, 8, 16, &out));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Type_create_resized(c, WHERE, F64, 0, 12, &out) && !out);
}
static void subarrays(struct sdfg_rt_context *c)
{
    const int32_t one[] = { 1 }, less[] = { -1 };
    int64_t out;
    CHECK(sdfg_rt_MPI_Type_create_subarray(c, WHERE, 0, one, one, one, 0, F64, &out));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Type_create_subarray(c, WHERE, 1, one, less, one, 0, F64, &out));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Type_create_subarray(c, WHERE, 65, one, one, one, 0, F64, &out));
}
/* Dimensions that are no one element and do not lie one behind the other. */
static void type_of_many_dimensions(struct sdfg_rt_context *c)
{
    enum { MOST = SDFG_RT_MPI_RANK };
    int32_t sizes[MOST], counts[MOST], begins[MOST] = { 0 };
    int64_t type;
    for (int i = 0; i < MOST; i++) {
        sizes[i] = 1;
        counts[i] = i ? 2 : 0;
    }
    CHECK(!sdfg_rt_MPI_Type_create_subarray(c, WHERE, MOST, sizes, counts, begins, 0, F64, &type));
    CHECK(sdfg_rt_MPI_Send(c, WHERE, room, 1, type, NOBODY, 0, WORLD));
    free_type(c, &type);
}
static void code_strangers(struct sdfg_rt_context *c)
{
    uint64_t request;
    CHECK(sdfg_rt_MPI_Isend(c, WHERE, room, 1, F64, 1, 0, WORLD, &request) && !request);
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Sendrecv(c, WHERE, room, 1, F64, 2, 0, room, 1, F64, 0, 0, WORLD, NULL));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Irecv(c, WHERE, room, 1, F64, 1, 0, WORLD, &request) && !request);
}
static void code_waits_for_nobody(struct sdfg_rt_context *c)
{
    uint64_t requests[2];
    CHECK(!sdfg_rt_MPI_Irecv(c, WHERE, room, 1, F64, 0, 77, WORLD, requests));
    requests[1] = 0;
    CHECK(sdfg_rt_MPI_Waitall(c, WHERE, 2, requests, NULL));
}
static void code_too_many(struct sdfg_rt_context *c)
{
    double y[2];
    CHECK(sdfg_rt_MPI_Gather(c, WHERE, room, 2, I32, y, 2, F64, 0, WORLD));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Gather(c, WHERE, room, 2, F64, y, 1, F64, 0, WORLD));
}
static void no_grid(struct sdfg_rt_context *c)
{
    int32_t numbers[2] = { 0 };
    int64_t out;
    CHECK(sdfg_rt_MPI_Cart_sub(c, WHERE, WORLD, numbers, &out) && !out);
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Cart_get(c, WHERE, WORLD, 2, numbers, numbers, numbers));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Cart_coords(c, WHERE, WORLD, 0, 2, numbers));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Cart_rank(c, WHERE, WORLD, numbers, numbers));
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Cart_shift(c, WHERE, SDFG_RT_MPI_CODE_SELF, 0, 1, numbers, numbers) && numbers[0] == NOBODY);
}
static void code_grid_of_many(struct sdfg_rt_context *c)
{
    const int32_t dims[] = { 2, 1 };
    int64_t out;
    CHECK(sdfg_rt_MPI_Cart_create(c, WHERE, WORLD, 2, dims, dims, 0, &out) && !out);
    c->error = SDFG_RT_OK;
    CHECK(sdfg_rt_MPI_Cart_create(c, WHERE, WORLD, -1, dims, dims, 0, &out) && !out);
}

const struct refusal refusals_alone[] = {
    { "tag 12345 is awaited, but nobody else", nobody_sends },
    { "tag 12345 is awaited, but nobody else", waits_for_nobody },
    { "a message of 12 elements is received where there are 6", too_long },
    { "a message of 12 elements is received where there are 6", too_long_by_any },
    { NARROW_TO_WIDE, of_another_type },
    { "6 elements come where there are 2", too_many },
    { "6 elements are sent where 5 are expected", unequal_parts },
    { "a communicator was given, but this process has no MPI", a_communicator },
    { "the type is MPI_DATATYPE_NULL", no_type },
    { "a type of a derived type needs an MPI library", derived_twice },
    { "resized to no multiple of its elements", resized_by_a_part },
    { "a subarray of", subarrays },
    { "a type of 64 dimensions", type_of_many_dimensions },
    { "is rank", code_strangers },
    { "tag 77 is awaited", code_waits_for_nobody },
    { "elements are received where there are", code_too_many },
    { "the communicator is no process grid", no_grid },
    { "a process grid wants more than 1 process, or none", code_grid_of_many },
    { NULL, NULL },
};

/* ---- what only a library refuses, or is asked for ---- */

enum { MPICH_WORLD = 0x44000000, MPICH_NULL = 0x04000000 };

static void handle_of_nobody(struct sdfg_rt_context *c) { CHECK(!sdfg_rt_mpi_handle(c, WHERE, 0)); }
static void null_handle(struct sdfg_rt_context *c) { CHECK(!sdfg_rt_mpi_handle(c, WHERE, MPICH_NULL)); }
static void free_the_world(struct sdfg_rt_context *c) { sdfg_rt_mpi_comm_free(c, WHERE, MPICH_WORLD); }
static void free_nothing(struct sdfg_rt_context *c) { sdfg_rt_mpi_comm_free(c, WHERE, MPICH_NULL); }
static void negative_region(struct sdfg_rt_context *c) { sdfg_rt_mpi_bcast(c, WHERE, NULL, room, negative, 0, 0); }
static void size_of_nobody(struct sdfg_rt_context *c)
{
    int32_t size;
    CHECK(sdfg_rt_MPI_Comm_size(c, WHERE, SDFG_RT_MPI_CODE_NULL, &size));
}
static void unequal_sums(struct sdfg_rt_context *c)
{
    static const int64_t two[] = { SDFG_RT_MPI_FLOAT64, 1, 2, 1 };
    double got[2];
    sdfg_rt_mpi_collective(c, WHERE, NULL, SDFG_RT_MPI_REDUCE_SCATTER, SDFG_RT_MPI_SUM, room, row, got, two, 0, 0);
}

const struct refusal refusals_with_library[] = {
    { "the communicator is MPI_COMM_NULL", handle_of_nobody },
    { "the communicator is MPI_COMM_NULL", null_handle },
    { "MPI_COMM_WORLD and MPI_COMM_NULL cannot be freed", free_the_world },
    { "MPI_COMM_WORLD and MPI_COMM_NULL cannot be freed", free_nothing },
    { "dimension 0 has -1 elements", negative_region },
    { "MPI_Comm_size, in a tasklet: ", size_of_nobody },
    { "6 elements for 1 processes, each of which gets 2", unequal_sums },
    { NULL, NULL },
};
