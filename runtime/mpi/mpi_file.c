/* Parts of a file that all processes read or write together, by MPI's own input and output, which puts small pieces of
 * many processes together. */
#include "runtime/mpi/mpi_internal.h"

static int mode(const struct sdfg_rt_mpi_library *m, const struct sdfg_rt_mpi_part *p)
{
    return p->writes ? m->constants->mode_write : m->constants->mode_read;
}

/* Whether all processes can go on. */
static bool all_can(const struct sdfg_rt_mpi_node *n, bool can)
{
    int64_t mine = can, least = 0;
    const struct sdfg_rt_mpi_library *m = n->mpi;
    return sdfg_rt_mpi_good(
               n, "MPI_Allreduce",
               m->Allreduce(&mine, &least, 1, m->types[SDFG_RT_MPI_INT64], m->ops[SDFG_RT_MPI_MIN], n->comm),
               "whether all can use the file") &&
           least;
}

/* By itself: a file system may be none that the library knows, and then no process waits for another one. */
static bool can_open(const struct sdfg_rt_mpi_library *m, const struct sdfg_rt_mpi_part *p)
{
    mpi_handle file = 0;
    return m->File_open && m->File_set_view && m->File_read_all && m->File_write_all && m->File_close &&
           m->File_open(m->alone, p->path, mode(m, p), m->no_info, &file) == 0 && m->File_close(&file) == 0;
}

/* region: elements of the file, none if there are none. They are one behind the other in memory. */
static bool transfer(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_part *p,
                     const struct sdfg_rt_mpi_layout *l, const struct sdfg_rt_mpi_elements *region,
                     const struct sdfg_rt_mpi_elements *row)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    mpi_handle file = 0, byte = m->types[SDFG_RT_MPI_UINT8];
    struct sdfg_rt_mpi_status status;
    const char *what = p->writes ? "writing a part" : "reading a part";
    int count = l->elements ? row->count : 0;
    if (!sdfg_rt_mpi_good(n, "MPI_File_open", m->File_open(n->comm, p->path, mode(m, p), m->no_info, &file), "%s",
                          what))
        return false;
    mpi_handle view = l->elements && region->made ? region->type : byte;
    return sdfg_rt_mpi_good(n, "MPI_File_set_view", m->File_set_view(file, p->begin, byte, view, "native", m->no_info),
                            "%s", what) &&
           (p->writes ? sdfg_rt_mpi_good(n, "MPI_File_write_all",
                                         m->File_write_all(file, p->memory, count, row->type, &status), "%s", what)
                      : sdfg_rt_mpi_good(n, "MPI_File_read_all",
                                         m->File_read_all(file, p->memory, count, row->type, &status), "%s", what)) &&
           sdfg_rt_mpi_good(n, "MPI_File_close", m->File_close(&file), "%s", what);
}

bool sdfg_rt_mpi_transfer(struct sdfg_rt_context *context, const struct sdfg_rt_mpi_part *p)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements region = { .made = false }, row = { .made = false };
    int64_t layout[2 + 2 * SDFG_RT_MPI_RANK] = { SDFG_RT_MPI_UINT8, p->rank };
    if (p->rank > SDFG_RT_MPI_RANK || !sdfg_rt_mpi_enter(&n, context, p->path, NULL) || n.mpi->self)
        return false;
    for (int i = 0; i < p->rank; i++) {
        layout[2 + i] = p->counts[i];
        layout[2 + p->rank + i] = p->strides[i];
    }
    bool good = sdfg_rt_mpi_layout(&n, layout, &l) && sdfg_rt_mpi_row(&n, l.type, l.elements, &row) &&
                sdfg_rt_mpi_elements(&n, &l, &region);
    good = all_can(&n, good && can_open(n.mpi, p)) && transfer(&n, p, &l, &region, &row);
    sdfg_rt_mpi_elements_free(&n, &region);
    sdfg_rt_mpi_elements_free(&n, &row);
    return good;
}
