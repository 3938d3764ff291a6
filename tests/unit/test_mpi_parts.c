/* Parts of the MPI functions that need no library: what a process says it waits for, and the types of C++ tasklets in
 * a process that is its whole world. */
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

CHECK_MAIN
