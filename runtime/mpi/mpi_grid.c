/* Process grids: Cartesian communicators. A grid is made when the first node of the process asks for it, and is found
 * again afterwards: making one is collective, and so is each statement that asks. All processes have to agree whether
 * they know a grid, so it lives as long as the communicator that it was made from. */
#include "runtime/mpi/mpi_code_internal.h"
#include "runtime/mpi/mpi_scalapack.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sdfg_rt_mpi_grid *grids;

static struct sdfg_rt_mpi_grid *find(mpi_handle comm, const struct sdfg_rt_mpi_grid *parent, const int64_t *list,
                                     int64_t exact)
{
    for (struct sdfg_rt_mpi_grid *g = grids; g; g = g->next)
        if (g->from == comm && g->parent == parent && g->exact == exact && g->list[0] == list[0] &&
            !memcmp(g->list + 1, list + 1, (size_t)list[0] * sizeof *list))
            return g;
    return NULL;
}

/* ---- making ---- */

static bool take_list(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g, const int64_t *list)
{
    int64_t processes = 1;
    if (list[0] > SDFG_RT_MPI_RANK)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a process grid has %lld dimensions", (long long)list[0]);
    memcpy(g->list, list, (size_t)(list[0] + 1) * sizeof *list);
    for (int64_t i = 1; i <= list[0]; i++) {
        if (g->parent && list[i])
            g->dims[g->rank++] = g->parent->dims[i - 1];
        if (g->parent)
            continue;
        if (list[i] < 1 || list[i] > n->size || (processes *= list[i]) > n->size)
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a process grid wants more than %d processes, or none",
                                    n->size);
        g->dims[g->rank++] = (int)list[i];
    }
    g->processes = 1;
    for (int i = 0; i < g->rank; i++)
        g->processes *= g->dims[i];
    return true;
}

void sdfg_rt_mpi_coordinates(const struct sdfg_rt_mpi_grid *g, int rank, int64_t *out)
{
    for (int i = g->rank - 1; i >= 0; i--) {
        out[i] = rank % g->dims[i];
        rank /= g->dims[i];
    }
}

int sdfg_rt_mpi_world_rank(const struct sdfg_rt_mpi_grid *g, int rank)
{
    const struct sdfg_rt_mpi_grid *p = g->parent;
    int64_t own[SDFG_RT_MPI_RANK], fixed[SDFG_RT_MPI_RANK];
    int out = 0, kept = 0;
    if (!p)
        return rank;
    sdfg_rt_mpi_coordinates(g, rank, own);
    sdfg_rt_mpi_coordinates(p, (int)g->exact, fixed);
    for (int i = 0; i < p->rank; i++)
        out = out * p->dims[i] + (int)(g->list[1 + i] ? own[kept++] : fixed[i]);
    return out;
}

/* Whether this process is in the part of the parent in which the rank `exact` of the parent is: where both have the
 * same coordinates in all dimensions that are gone. */
static bool with(const struct sdfg_rt_mpi_grid *g, int64_t exact)
{
    const struct sdfg_rt_mpi_grid *p = g->parent;
    int64_t mine[SDFG_RT_MPI_RANK], theirs[SDFG_RT_MPI_RANK];
    if (exact < 0)
        return true;
    if (exact >= p->processes)
        return false;
    sdfg_rt_mpi_coordinates(p, p->me, mine);
    sdfg_rt_mpi_coordinates(p, (int)exact, theirs);
    for (int i = 0; i < p->rank; i++)
        if (!g->list[1 + i] && mine[i] != theirs[i])
            return false;
    return true;
}

static bool make_comm(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int numbers[SDFG_RT_MPI_RANK] = { 0 }, periods[SDFG_RT_MPI_RANK] = { 0 };
    if (m->self) {
        g->member = true;
        return !sdfg_rt_mpi_code_new_grid(n, g->rank, g->dims, periods, &g->own);
    }
    for (int64_t i = 0; g->parent && i < g->list[0]; i++)
        numbers[i] = g->list[1 + i] != 0;
    g->comm = 0; /* MPICH writes half of the bits */
    sdfg_rt_mpi_about(n, g->parent ? "MPI_Cart_sub" : "MPI_Cart_create", SDFG_RT_MPI_ALL, -1);
    int result = g->parent ? m->Cart_sub(g->parent->comm, numbers, &g->comm)
                           : m->Cart_create(n->comm, g->rank, g->dims, periods, 0, &g->comm);
    if (!sdfg_rt_mpi_good(n, g->parent ? "MPI_Cart_sub" : "MPI_Cart_create", result, "of %d processes", g->processes))
        return false;
    g->member = g->comm != m->none;
    if (!g->member)
        return true;
    m->Comm_set_errhandler(g->comm, m->errors_return);
    return sdfg_rt_mpi_good(n, "MPI_Comm_rank", m->Comm_rank(g->comm, &g->me), "of a process grid");
}

static bool make(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g, const int64_t *list)
{
    if (!take_list(n, g, list))
        return false;
    if (g->parent && !g->parent->member)
        return true; /* no process of the parent */
    if (!make_comm(n, g))
        return false;
    g->valid = g->member && (!g->parent || (g->parent->valid && with(g, g->exact)));
    return true;
}

/* ---- communicators of the caller ----
 *
 * The next one may have the handle of one that was freed, and other processes. MPI tells when one is freed: by an
 * attribute, whose value is the handle. */

static int not_copied(mpi_handle comm, int key, void *extra, void *value, void *out, int *copied)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *copied = 0;
    return 0;
}

/* Takes the grids of a communicator out of the list. */
static struct sdfg_rt_mpi_grid *take_out(mpi_handle from)
{
    struct sdfg_rt_mpi_grid *out = NULL, **end = &out;
    pthread_mutex_lock(&lock);
    for (struct sdfg_rt_mpi_grid **at = &grids; *at;) {
        struct sdfg_rt_mpi_grid *g = *at;
        if (g->from == from) {
            *at = g->next;
            *end = g;
            end = &g->next;
        } else {
            at = &g->next;
        }
    }
    *end = NULL;
    pthread_mutex_unlock(&lock);
    return out;
}

/* Freeing is collective: all processes have made them in the same order. Parts come before what they are parts of. */
static int forget(mpi_handle comm, int key, void *value, void *extra)
{
    char trouble[SDFG_RT_MPI_TROUBLE];
    const struct sdfg_rt_mpi_library *m = sdfg_rt_mpi_open(trouble);
    (void)comm, (void)key, (void)extra;
    for (struct sdfg_rt_mpi_grid *g = take_out((mpi_handle)value), *next; g; g = next) {
        next = g->next;
        sdfg_rt_scalapack_forget(g);
        if (g->member)
            m->Comm_free(&g->comm);
        free(g);
    }
    return 0;
}

/* Before the first grid of a communicator is in the list; with the lock. */
static bool watch(const struct sdfg_rt_mpi_node *n)
{
    static bool has_key;
    static int key;
    bool watched = n->mpi->self || n->comm == n->mpi->world;
    for (struct sdfg_rt_mpi_grid *g = grids; g && !watched; g = g->next)
        watched = g->from == n->comm;
    if (watched)
        return true;
    if (!has_key) {
        int result = n->mpi->Comm_create_keyval(not_copied, forget, &key, NULL);
        if (!sdfg_rt_mpi_good(n, "MPI_Comm_create_keyval", result, "for process grids"))
            return false;
    }
    has_key = true;
    return sdfg_rt_mpi_good(n, "MPI_Comm_set_attr", n->mpi->Comm_set_attr(n->comm, key, (void *)n->comm),
                            "of the caller's communicator");
}

/* ---- asking ---- */

void *sdfg_rt_mpi_grid(struct sdfg_rt_context *context, const char *where, void *parent, const int64_t *list,
                       int64_t exact)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL))
        return NULL;
    pthread_mutex_lock(&lock);
    struct sdfg_rt_mpi_grid *g = find(n.comm, parent, list, exact);
    if (!g && (g = calloc(1, sizeof *g))) {
        g->from = n.comm;
        g->parent = parent;
        g->exact = exact;
        if (make(&n, g, list) && watch(&n)) {
            g->next = grids;
            grids = g;
        } else {
            free(g);
            g = NULL;
        }
    } else if (!g) {
        sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "a process grid");
    }
    pthread_mutex_unlock(&lock);
    return g;
}
