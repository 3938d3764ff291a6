#include "runtime/mpi/mpi_scalapack.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library ---- */

typedef void gemm_function(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                           const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                           const void *b, const int *ib, const int *jb, const int *descb, const void *beta, void *c,
                           const int *ic, const int *jc, const int *descc);
typedef void gemv_function(const char *trans, const int *m, const int *n, const void *alpha, const void *a,
                           const int *ia, const int *ja, const int *desca, const void *x, const int *ix, const int *jx,
                           const int *descx, const int *incx, const void *beta, void *y, const int *iy, const int *jy,
                           const int *descy, const int *incy);

static struct scalapack {
    int (*system_handle)(mpi_handle comm); /* of an MPI communicator */
    void (*grid)(int *context, const char *order, int rows, int columns);
    void (*grid_exit)(int context);
    gemm_function *gemm[SDFG_RT_TYPE_COUNT];
    gemv_function *gemv[SDFG_RT_TYPE_COUNT];
} library;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool bind(void *file, const char *name, void *to)
{
    void *function = dlsym(file, name);
    memcpy(to, &function, sizeof function);
    return function;
}

static bool open_file(const char *name)
{
    static const char *const gemms[] = { "psgemm_", "pdgemm_", "pcgemm_", "pzgemm_" };
    static const char *const gemvs[] = { "psgemv_", "pdgemv_", "pcgemv_", "pzgemv_" };
    void *file = dlopen(name, RTLD_NOW);
    bool good = file && bind(file, "Csys2blacs_handle", &library.system_handle) &&
                bind(file, "Cblacs_gridinit", &library.grid) && bind(file, "Cblacs_gridexit", &library.grid_exit);
    for (int i = 0; good && i < SDFG_RT_TYPE_COUNT; i++)
        good = bind(file, gemms[i], &library.gemm[i]) && bind(file, gemvs[i], &library.gemv[i]);
    return good;
}

static bool open_any(const struct sdfg_rt_mpi_node *n)
{
    static const char *const open[] = { "libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1" };
    static const char *const mpich[] = { "libscalapack-mpich.so.2.2", "libscalapack-mpich.so.2.1" };
    const char *const *names = n->mpi->constants->handle_bytes == 4 ? mpich : open;
    return !n->mpi->standard && (open_file(names[0]) || open_file(names[1])); /* those of Debian have other handles */
}

/* Opened, if there is one. */
static enum sdfg_rt_scalapack_result opened(const struct sdfg_rt_mpi_node *n)
{
    static bool tried, found;
    const char *given = secure_getenv("SDFG_SCALAPACK");
    bool named = given && *given && strcmp(given, "none") != 0;
    pthread_mutex_lock(&lock);
    if (!tried && (!given || !*given || named))
        found = named ? open_file(given) : open_any(n);
    tried = true;
    bool good = found;
    pthread_mutex_unlock(&lock);
    if (named && !good) {
        sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "SDFG_SCALAPACK=%s cannot be opened, or is no ScaLAPACK", given);
        return SDFG_RT_SCALAPACK_FAILED;
    }
    return good ? SDFG_RT_SCALAPACK_DONE : SDFG_RT_SCALAPACK_NOT_DONE;
}

/* ---- matrices ---- */

/* ScaLAPACK's matrices are column-major: it sees the transposed ones, and the grid turned round, with our ranks in
 * columns. */
static int context_of(struct sdfg_rt_mpi_grid *g)
{
    pthread_mutex_lock(&lock);
    if (!g->has_blacs) {
        g->blacs = library.system_handle(g->comm);
        library.grid(&g->blacs, "C", g->dims[1], g->dims[0]);
        g->has_blacs = true;
    }
    int context = g->blacs;
    pthread_mutex_unlock(&lock);
    return context;
}

void sdfg_rt_scalapack_forget(const struct sdfg_rt_mpi_grid *g)
{
    if (g->has_blacs)
        library.grid_exit(g->blacs);
}

static void describe(int out[9], int context, const struct sdfg_rt_mpi_cyclic lies[2], int64_t leading)
{
    const int64_t fields[9] = { 1, context, lies[1].size, lies[0].size, lies[1].block, lies[0].block, 0, 0, leading };
    for (int i = 0; i < 9; i++)
        out[i] = (int)fields[i];
}

/* Rows without gaps, one behind the other, and numbers that the library can count. */
static bool suits(const struct sdfg_rt_mpi_matrix *m, const struct sdfg_rt_mpi_cyclic lies[2])
{
    return m->col_stride == 1 && m->row_stride >= m->cols && m->row_stride <= INT_MAX && lies[0].size <= INT_MAX &&
           lies[1].size <= INT_MAX;
}

/* Do all processes of the grid say yes? Parts may lie differently on each. */
static bool all_suit(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g, bool mine)
{
    int32_t own = mine, all = 0;
    int result =
        n->mpi->Allreduce(&own, &all, 1, n->mpi->types[SDFG_RT_MPI_INT32], n->mpi->ops[SDFG_RT_MPI_MIN], g->comm);
    return sdfg_rt_mpi_good(n, "MPI_Allreduce", result, "a product of matrices") && all;
}

static const double one[2] = { 1, 0 }, zero[2] = { 0, 0 };
static const float one_single[2] = { 1, 0 }, zero_single[2] = { 0, 0 };

static bool is_single(int32_t type) { return type == SDFG_RT_F32 || type == SDFG_RT_C64; }

enum sdfg_rt_scalapack_result sdfg_rt_scalapack_gemm(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g,
                                                     int32_t type, const struct sdfg_rt_mpi_matrix *a,
                                                     const struct sdfg_rt_mpi_cyclic left[2],
                                                     const struct sdfg_rt_mpi_matrix *b,
                                                     const struct sdfg_rt_mpi_cyclic right[2],
                                                     const struct sdfg_rt_mpi_matrix *c)
{
    const struct sdfg_rt_mpi_cyclic result[2] = { left[0], right[1] };
    const int first = 1;
    int da[9], db[9], dc[9];
    enum sdfg_rt_scalapack_result there = n->mpi->self ? SDFG_RT_SCALAPACK_NOT_DONE : opened(n);
    if (there != SDFG_RT_SCALAPACK_DONE)
        return there;
    if (!left[0].size || !left[1].size || !right[1].size ||
        !all_suit(n, g, suits(a, left) && suits(b, right) && suits(c, result)))
        return SDFG_RT_SCALAPACK_NOT_DONE;
    int context = context_of(g);
    describe(da, context, left, a->row_stride);
    describe(db, context, right, b->row_stride);
    describe(dc, context, result, c->row_stride);
    const void *alpha = is_single(type) ? (const void *)one_single : one;
    const void *beta = is_single(type) ? (const void *)zero_single : zero;
    sdfg_rt_mpi_about(n, "ScaLAPACK's p?gemm", SDFG_RT_MPI_ALL, -1);
    library.gemm[type]("N", "N", &dc[2], &dc[3], &da[2], alpha, b->data, &first, &first, db, a->data, &first, &first,
                       da, beta, c->data, &first, &first, dc);
    sdfg_rt_mpi_came_back();
    return SDFG_RT_SCALAPACK_DONE;
}

enum sdfg_rt_scalapack_result sdfg_rt_scalapack_gemv(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g,
                                                     int32_t type, const struct sdfg_rt_mpi_matrix *a,
                                                     const struct sdfg_rt_mpi_cyclic lies[2], bool transposed,
                                                     const struct sdfg_rt_mpi_matrix *x,
                                                     const struct sdfg_rt_mpi_matrix *y)
{
    const int first = 1;
    int da[9];
    enum sdfg_rt_scalapack_result there = n->mpi->self ? SDFG_RT_SCALAPACK_NOT_DONE : opened(n);
    if (there != SDFG_RT_SCALAPACK_DONE)
        return there;
    bool vectors = g->me || (x->row_stride == 1 && y->row_stride == 1);
    if (!lies[0].size || !lies[1].size || !all_suit(n, g, suits(a, lies) && vectors))
        return SDFG_RT_SCALAPACK_NOT_DONE;
    int context = context_of(g);
    describe(da, context, lies, a->row_stride);
    int in = da[transposed ? 3 : 2], out = da[transposed ? 2 : 3];
    const int dx[9] = { 1, context, in, 1, in, 1, 0, 0, in }, dy[9] = { 1, context, out, 1, out, 1, 0, 0, out };
    const void *alpha = is_single(type) ? (const void *)one_single : one;
    const void *beta = is_single(type) ? (const void *)zero_single : zero;
    sdfg_rt_mpi_about(n, "ScaLAPACK's p?gemv", SDFG_RT_MPI_ALL, -1);
    library.gemv[type](transposed ? "N" : "T", &da[2], &da[3], alpha, a->data, &first, &first, da, x->data, &first,
                       &first, dx, &first, beta, y->data, &first, &first, dy, &first);
    sdfg_rt_mpi_came_back();
    return SDFG_RT_SCALAPACK_DONE;
}
