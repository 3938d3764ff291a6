/* Parts of the MPI functions that need no library: what a process says it waits for, the types of C++ tasklets and
 * the grids of a process that is its whole world, and types of long rows on a stand-in for a library. */
#include "runtime/mpi/mpi_code_internal.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

static struct sdfg_rt_mpi mpi;
static struct sdfg_rt_context context = { .num_threads = 1, .mpi = &mpi };
static const struct sdfg_rt_mpi_node node = {
    .context = &context, .where = "prog/state/send", .rank = 12, .size = 128
};

/* What went wrong, which is forgotten; "" if nothing has. */
static const char *trouble(int error)
{
    static char text[sizeof mpi.trouble];
    CHECK_INT(context.error, error);
    snprintf(text, sizeof text, "%s", mpi.trouble);
    context.error = SDFG_RT_OK;
    mpi.trouble[0] = 0;
    return text;
}

/* ---- what is waited for ---- */

TEST(what_a_process_waits_for)
{
    static const struct {
        int peer, tag;
        const char *text;
    } rows[] = {
        { 3, 77, "rank 12 of 128 waits in MPI_Recv for rank 3, tag 77, at prog/state/send" },
        { 0, 0, "rank 12 of 128 waits in MPI_Recv for rank 0, tag 0, at prog/state/send" },
        { 10, -1, "rank 12 of 128 waits in MPI_Recv for rank 10, at prog/state/send" },
        { -1, 5, "rank 12 of 128 waits in MPI_Recv for any process, tag 5, at prog/state/send" },
        { -1, -1, "rank 12 of 128 waits in MPI_Recv for any process, at prog/state/send" },
        { SDFG_RT_MPI_ALL, -1, "rank 12 of 128 waits in MPI_Recv, at prog/state/send" },
    };
    char text[200], small[8];
    CHECK_INT(sdfg_rt_mpi_waits(text, sizeof text), 0);
    unsigned before = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_rt_mpi_about(&node, "MPI_Recv", rows[i].peer, rows[i].tag);
        unsigned number = sdfg_rt_mpi_waits(text, sizeof text);
        CHECK(number == before + 1);
        CHECK_STR(text, rows[i].text);
        before = number;
    }
    CHECK_INT(sdfg_rt_mpi_waits(small, sizeof small), before); /* the same wait, cut off */
    CHECK_STR(small, "rank 12");
    CHECK_INT(sdfg_rt_mpi_waits(small, 1), before);
    CHECK_STR(small, "");
    CHECK_INT(sdfg_rt_mpi_waits(small, 0), 0);
    sdfg_rt_mpi_came_back();
    CHECK_INT(sdfg_rt_mpi_waits(text, sizeof text), 0);
    sdfg_rt_mpi_about(&(struct sdfg_rt_mpi_node){ .context = &context }, "MPI_Recv", 1, 1); /* at no place */
    CHECK_INT(sdfg_rt_mpi_waits(text, sizeof text), 0);
    sdfg_rt_mpi_came_back();
}

/* ---- types ---- */

enum { F64 = SDFG_RT_MPI_FLOAT64 + 1, F32 = SDFG_RT_MPI_FLOAT32 + 1 }; /* as C++ code has them */

TEST(types_of_types)
{
    static const int64_t three[] = { 3 }, stride[] = { 2 }, many[SDFG_RT_MPI_RANK + 1] = { 1 };
    int64_t column = 0, wide = 0, other = 0;
    CHECK_INT(sdfg_rt_mpi_code_extent(0), 0);
    CHECK_INT(sdfg_rt_mpi_code_extent(F64), 8);
    CHECK_INT(sdfg_rt_mpi_code_new_type(&node, F64, 1, three, stride, 0, 6, &column), 0);
    CHECK_INT(sdfg_rt_mpi_code_extent(column), 48);
    CHECK_INT(sdfg_rt_mpi_code_resize(&node, column, 0, 8, &wide), 0);
    CHECK_INT(sdfg_rt_mpi_code_extent(wide), 8);
    CHECK_STR(trouble(SDFG_RT_OK), "");
    CHECK(sdfg_rt_mpi_code_new_type(&node, column, 1, three, stride, 0, 6, &other) != 0);
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE), "rank 12 of 128: a type of a derived type needs an MPI library, and there is "
                                          "none, at prog/state/send");
    CHECK(sdfg_rt_mpi_code_new_type(&node, F64, SDFG_RT_MPI_RANK + 1, many, many, 0, 1, &other) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    CHECK(sdfg_rt_mpi_code_new_type(&node, 0, 1, three, stride, 0, 6, &other) != 0);
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE), "rank 12 of 128: the type is MPI_DATATYPE_NULL, at prog/state/send");
    CHECK(sdfg_rt_mpi_code_resize(&node, 0, 0, 8, &other) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    CHECK(sdfg_rt_mpi_code_resize(&node, F64, 8, 8, &other) != 0);
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE),
              "rank 12 of 128: a type that is resized to no multiple of its elements, at prog/state/send");
    CHECK(sdfg_rt_mpi_code_resize(&node, column, 0, 12, &other) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    sdfg_rt_mpi_code_free_type(0);
    sdfg_rt_mpi_code_free_type(F64);
    sdfg_rt_mpi_code_free_type(column);
    sdfg_rt_mpi_code_free_type(wide);
}

/* Every second element goes to places that lie side by side, and nothing else changes. */
TEST(copies_between_types)
{
    static const int64_t three[] = { 3 }, two[] = { 2 };
    double in[6] = { 1, 2, 3, 4, 5, 6 }, out[4] = { 9, 9, 9, 9 };
    int64_t column;
    CHECK_INT(sdfg_rt_mpi_code_new_type(&node, F64, 1, three, two, 0, 6, &column), 0);
    CHECK_INT(sdfg_rt_mpi_code_copy(&node, in, 1, column, out, 4, F64), 0);
    CHECK(out[0] == 1 && out[1] == 3 && out[2] == 5 && out[3] == 9);
    CHECK(sdfg_rt_mpi_code_copy(&node, in, 1, column, out, 2, F64) != 0);
    CHECK_STR(trouble(SDFG_RT_MPI), "rank 12 of 128: 3 elements are received where there are 2, or of another type, at "
                                    "prog/state/send");
    CHECK(sdfg_rt_mpi_code_copy(&node, in, 1, column, out, 4, F32) != 0);
    trouble(SDFG_RT_MPI);
    CHECK(sdfg_rt_mpi_code_copy(&node, in, 1, 0, out, 4, F64) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    CHECK(sdfg_rt_mpi_code_copy(&node, in, 1, F64, out, 4, 0) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    sdfg_rt_mpi_code_free_type(column);
}

/* ---- grids ---- */

TEST(grids_of_one_process)
{
    static const int32_t ones[] = { 1, 1 }, more[] = { 1, 2 }, periods[] = { 0, 5 };
    int64_t grid;
    CHECK_INT(sdfg_rt_mpi_code_new_grid(&node, 2, ones, periods, &grid), 0);
    const struct sdfg_rt_mpi_code_grid *g = sdfg_rt_mpi_code_grid_of(&node, grid);
    CHECK(g && g->rank == 2 && !g->periods[0] && g->periods[1]);
    sdfg_rt_mpi_code_free_grid(grid);
    CHECK(sdfg_rt_mpi_code_new_grid(&node, 2, more, periods, &grid) != 0);
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE),
              "rank 12 of 128: a process grid wants more than 1 process, or none, at prog/state/send");
    CHECK(sdfg_rt_mpi_code_new_grid(&node, -1, ones, periods, &grid) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    CHECK(sdfg_rt_mpi_code_new_grid(&node, SDFG_RT_MPI_RANK + 1, ones, periods, &grid) != 0);
    trouble(SDFG_RT_BAD_VALUE);
    CHECK(!sdfg_rt_mpi_code_grid_of(&node, SDFG_RT_MPI_CODE_SELF));
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE), "rank 12 of 128: the communicator is no process grid, at prog/state/send");
    sdfg_rt_mpi_code_free_grid(SDFG_RT_MPI_CODE_SELF);
}

/* Of a grid of one process, parts are the process itself, and one with a rank that is not there is nobody. */
TEST(parts_of_grids)
{
    static const int64_t flat[] = { 1, 1 }, square[] = { 2, 1, 1 }, first[] = { 2, 1, 0 };
    struct sdfg_rt_mpi_grid *line = sdfg_rt_mpi_grid(&context, "prog/a", NULL, flat, -1);
    struct sdfg_rt_mpi_grid *whole = sdfg_rt_mpi_grid(&context, "prog/a", NULL, square, -1);
    CHECK(line && whole && line != whole);
    CHECK(sdfg_rt_mpi_grid(&context, "prog/b", NULL, square, -1) == whole);
    struct sdfg_rt_mpi_grid *part = sdfg_rt_mpi_grid(&context, "prog/c", whole, first, 0);
    struct sdfg_rt_mpi_grid *away = sdfg_rt_mpi_grid(&context, "prog/c", whole, first, 1);
    CHECK(part && away && part != away);
    CHECK(part->valid && part->rank == 1 && part->processes == 1);
    CHECK(!away->valid);
    static const int64_t empty[] = { 1, 0 };
    CHECK(!sdfg_rt_mpi_grid(&context, "prog/d", NULL, empty, -1));
    CHECK_INT(context.error, SDFG_RT_BAD_VALUE);
    CHECK_STR(mpi.trouble, "rank 0 of 1: a process grid wants more than 1 processes, or none, at prog/d");
    trouble(SDFG_RT_BAD_VALUE);
}

/* Of a grid of 2 x 3 x 4, the part with the first and the last dimension that has rank 7 = (0, 1, 3) in it. */
TEST(ranks_of_parts)
{
    static const struct sdfg_rt_mpi_grid whole = { .rank = 3, .processes = 24, .dims = { 2, 3, 4 } };
    static const struct sdfg_rt_mpi_grid part = {
        .parent = &whole, .exact = 7, .list = { 3, 1, 0, 1 }, .rank = 2, .processes = 8, .dims = { 2, 4 }
    };
    static const int ranks[] = { 4, 5, 6, 7, 16, 17, 18, 19 };
    for (int i = 0; i < 8; i++)
        CHECK_INT(sdfg_rt_mpi_world_rank(&part, i), ranks[i]);
    CHECK_INT(sdfg_rt_mpi_world_rank(&whole, 17), 17);
}

/* ---- rows of more elements than an int counts ---- */

static struct {
    int calls, fails; /* which call fails; 0: none */
    int made, freed, chunk, counts[2];
    intptr_t offsets[2];
    mpi_handle types[2], committed;
} types;

static int result_of_call(void) { return ++types.calls == types.fails ? 5 : 0; }

static int new_type(mpi_handle *out)
{
    int result = result_of_call();
    if (!result)
        *out = 1000 + ++types.made;
    return result;
}

static int make_chunk(int count, mpi_handle type, mpi_handle *out)
{
    types.chunk = count;
    types.types[1] = type;
    return new_type(out);
}

static int make_struct(int count, const int *lengths, const intptr_t *offsets, const void *of, mpi_handle *out)
{
    CHECK_INT(count, 2);
    memcpy(types.counts, lengths, sizeof types.counts);
    memcpy(types.offsets, offsets, sizeof types.offsets);
    memcpy(types.types, of, sizeof types.types);
    return new_type(out);
}

static int commit(mpi_handle *type)
{
    types.committed = *type;
    return result_of_call();
}

static int free_type(mpi_handle *type)
{
    CHECK(*type > 1000);
    types.freed++;
    return 0;
}

static int error_text(int error, char *text, int *length)
{
    *length = sprintf(text, "error\n%d", error);
    return 0;
}

TEST(long_rows)
{
    static const struct sdfg_rt_mpi_constants constants = { .handle_bytes = sizeof(mpi_handle) };
    static const int64_t many = (int64_t)5 << 30 | 3;
    static const struct {
        int fails;
        const char *trouble;
    } rows[] = {
        { 1, "rank 3 of 4: MPI_Type_contiguous, type of a region: error 5, at prog/row" },
        { 2, "rank 3 of 4: MPI_Type_create_struct, type of a region: error 5, at prog/row" },
        { 3, "rank 3 of 4: MPI_Type_commit, type of a region: error 5, at prog/row" },
    };
    struct sdfg_rt_mpi_library library = { .constants = &constants,
                                           .Type_contiguous = make_chunk,
                                           .Type_create_struct = make_struct,
                                           .Type_commit = commit,
                                           .Type_free = free_type,
                                           .Error_string = error_text };
    struct sdfg_rt_mpi_node n = { .context = &context, .where = "prog/row", .mpi = &library, .rank = 3, .size = 4 };
    struct sdfg_rt_mpi_elements e;
    library.types[SDFG_RT_MPI_FLOAT64] = 17;
    CHECK(sdfg_rt_mpi_row(&n, SDFG_RT_MPI_FLOAT64, INT32_MAX, &e));
    CHECK(e.type == 17 && e.count == INT32_MAX && !e.made && types.calls == 0);
    CHECK(sdfg_rt_mpi_row(&n, SDFG_RT_MPI_FLOAT64, many, &e));
    CHECK(e.type == 1002 && e.count == 1 && e.made && types.committed == 1002);
    CHECK_INT(types.chunk, 1 << 30);
    CHECK(types.counts[0] == 5 && types.counts[1] == 3 && types.types[0] == 1001 && types.types[1] == 17);
    CHECK(types.offsets[0] == 0 && types.offsets[1] == (intptr_t)40 << 30);
    CHECK_INT(types.freed, 1);
    sdfg_rt_mpi_elements_free(&n, &e);
    CHECK_INT(types.freed, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&types, 0, sizeof types);
        types.fails = rows[i].fails;
        CHECK(!sdfg_rt_mpi_row(&n, SDFG_RT_MPI_FLOAT64, many, &e));
        CHECK_STR(trouble(SDFG_RT_MPI), rows[i].trouble);
        CHECK(!e.made);
        CHECK_INT(types.freed, types.made);
    }
}

/* A region with gaps has no dimension that long. */
TEST(long_dimensions)
{
    struct sdfg_rt_mpi_library library = { .Type_free = free_type };
    struct sdfg_rt_mpi_node n = { .context = &context, .where = "prog/row", .mpi = &library, .rank = 3, .size = 4 };
    static int64_t numbers[] = { SDFG_RT_MPI_FLOAT64, 1, (int64_t)1 << 31, 2 };
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements e;
    CHECK(sdfg_rt_mpi_layout(&n, numbers, &l));
    CHECK(!sdfg_rt_mpi_contiguous(&l));
    CHECK(!sdfg_rt_mpi_elements(&n, &l, &e));
    CHECK_STR(trouble(SDFG_RT_BAD_VALUE),
              "rank 3 of 4: a region with gaps has a dimension of 2147483648 elements, at prog/row");
}

/* ---- sums of as many ---- */

static struct {
    int calls, counts[3];
    const void *from[3];
    void *to[3];
} sums;

static int reduce(const void *from, void *to, int count, mpi_handle type, mpi_handle op, int root, mpi_handle comm)
{
    CHECK(type == 17 && op == 18 && root == 0 && comm == 19);
    sums.from[sums.calls] = from;
    sums.to[sums.calls] = to;
    sums.counts[sums.calls] = count;
    return ++sums.calls == 3 ? 5 : 0;
}

TEST(long_sums)
{
    static char here, buffer[1]; /* nothing looks at the elements */
    static const struct sdfg_rt_mpi_constants constants = { .in_place = &here };
    static const int64_t many = ((int64_t)1 << 30) + 5;
    struct sdfg_rt_mpi_library library = { .constants = &constants, .Reduce = reduce, .Error_string = error_text };
    struct sdfg_rt_mpi_node n = { .context = &context, .where = "prog/sum", .mpi = &library, .rank = 3, .size = 4 };
    struct sdfg_rt_mpi_grid first = { .comm = 19, .processes = 2 }, second = { .comm = 19, .me = 1, .processes = 2 };
    char *behind = (char *)((uintptr_t)buffer + ((size_t)8 << 30));
    library.types[SDFG_RT_MPI_FLOAT64] = 17;
    library.ops[SDFG_RT_MPI_SUM] = 18;
    CHECK(sdfg_rt_mpi_add_up(&n, &first, SDFG_RT_MPI_FLOAT64, many, buffer));
    CHECK_INT(sums.calls, 2);
    CHECK(sums.counts[0] == 1 << 30 && sums.from[0] == &here && sums.to[0] == buffer);
    CHECK(sums.counts[1] == 5 && sums.from[1] == &here && sums.to[1] == behind);
    CHECK(!sdfg_rt_mpi_add_up(&n, &second, SDFG_RT_MPI_FLOAT64, many, buffer));
    CHECK_STR(trouble(SDFG_RT_MPI), "rank 3 of 4: MPI_Reduce, on 2 processes: error 5, at prog/sum");
    CHECK(sums.calls == 3 && sums.from[2] == buffer);
    CHECK(sdfg_rt_mpi_add_up(&n, &first, SDFG_RT_MPI_FLOAT64, 0, buffer));
    CHECK_INT(sums.calls, 3);
}

CHECK_MAIN
