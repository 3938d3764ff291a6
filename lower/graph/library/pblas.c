/* pblas.* (library-nodes.md 11): products of matrices that lie on a grid of Px x Py processes in block-cyclic
 * distribution, and the way there and back. */
#include "lower/graph/library/mpi.h"

#include "ir/library.h"

/* The grid has the extents of the symbols Px and Py, as in DaCe. */
static bool add_processes(struct mpi_call *c)
{
    struct lower *lw = c->sc->act->lw;
    const struct place *place = &c->node->node.place;
    const struct sym *list[3] = { sym_int(lw->ir, 2) };
    static const char *const names[2] = { "Px", "Py" };
    for (int i = 0; i < 2; i++)
        if (!(list[1 + i] = lower_symbolic(c->sc, place, sym_name(lw->ir, intern(lw->ir->names, names[i])))))
            return false;
    mpi_add(c, mpi_whole_grid(c->sc, c->node, "products", list, 3));
    return !c->failed;
}

/* A matrix, or a column. */
static bool add_matrix(struct mpi_call *c, const char *conn, bool output)
{
    struct area a;
    if (!(output ? library_update : library_input)(c->sc, c->node, conn, &a))
        return false;
    if (!a.rank || !library_to_rank(&a, a.rank > 2 ? 2 : a.rank))
        return library_wrong_shapes(c->sc, c->node, "a matrix expected");
    mpi_add_area(c, &a);
    return !c->failed;
}

/* A vector, of which the first process has as many elements as the matrix has rows or columns: the property says so,
 * and callers are told if the container has fewer (ir/bounds). */
static bool add_vector(struct mpi_call *c, const char *conn, bool output, const char *size)
{
    struct area a;
    const struct sym *s;
    if (!(output ? library_update : library_input)(c->sc, c->node, conn, &a))
        return false;
    area_squeeze(&a);
    if (!library_to_rank(&a, 1))
        return library_wrong_shapes(c->sc, c->node, "a vector expected");
    if (!library_symbolic(c->node, size, NULL, &s))
        return false;
    if (!s)
        return diag_error(c->sc->act->lw->diags, &c->node->node.place, DIAG_READ_MISSING, size);
    if (!(a.sizes[0] = lower_symbolic(c->sc, &c->node->node.place, s)))
        return false;
    mpi_add_area(c, &a);
    return !c->failed;
}

/* Height and width of the blocks of a matrix: int32, of which a column needs one. */
static bool add_blocks(struct mpi_call *c, const char *conn, int64_t count)
{
    struct lower *lw = c->sc->act->lw;
    struct area a;
    if (!library_input(c->sc, c->node, conn, &a))
        return false;
    if (a.type != type_basic(lw->ir, TYPE_I32))
        return diag_error(lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, conn);
    area_squeeze(&a);
    int64_t have = a.rank && a.sizes[0]->op == SYM_INT ? a.sizes[0]->i : 1;
    if (a.rank > 1 || have < count || (a.rank && !sym_is_int(a.strides[0], 1)))
        return library_wrong_shapes(c->sc, c->node, "block sizes are a height and a width, one behind the other");
    mpi_add(c, a.pointer);
    return true;
}

/* The extents of the whole matrices, from properties. */
static bool add_sizes(struct mpi_call *c, const char *const *names, uint32_t count)
{
    const struct place *place = &c->node->node.place;
    const struct sym *list[3], *s;
    for (uint32_t i = 0; i < count; i++) {
        if (!library_symbolic(c->node, names[i], NULL, &s))
            return false;
        if (!s)
            return diag_error(c->sc->act->lw->diags, place, DIAG_READ_MISSING, names[i]);
        if (!(list[i] = lower_symbolic(c->sc, place, s)))
            return false;
    }
    mpi_add(c, library_list(c->sc, place, list, count));
    return !c->failed;
}

static void say(const struct mpi_call *c, const char *function, const char *otherwise)
{
    remark(c->sc->act->lw->ir->remarks, c->place, NULL, REMARK_PBLAS, function, otherwise);
}

bool lower_pblas_gemm(struct scope *sc, struct library *n)
{
    static const char *const sizes[] = { "m", "n", "k" };
    struct mpi_call c = mpi_begin(sc, n);
    say(&c, "p?gemm", "panels are broadcast along rows and columns of the grid (SUMMA)");
    return add_matrix(&c, "_a", false) && add_matrix(&c, "_b", false) && add_matrix(&c, "_c", true) &&
           add_sizes(&c, sizes, 3) && add_blocks(&c, "_a_block_sizes", 2) && add_blocks(&c, "_b_block_sizes", 2) &&
           add_processes(&c) && mpi_finish(&c, "sdfg_rt_mpi_gemm");
}

bool lower_pblas_gemv(struct scope *sc, struct library *n)
{
    static const char *const sizes[] = { "m", "n" };
    struct lower *lw = sc->act->lw;
    struct mpi_call c = mpi_begin(sc, n);
    const char *how;
    if (!library_string(n, "transa", "N", &how))
        return false;
    bool transposed = how[0] == 'T';
    say(&c, "p?gemv", "the vector is broadcast and the parts of the result are added up");
    if (!add_matrix(&c, "_a", false) || !add_vector(&c, "_b", false, transposed ? "m" : "n") ||
        !add_vector(&c, "_c", true, transposed ? "n" : "m") || !add_sizes(&c, sizes, 2) ||
        !add_blocks(&c, "_a_block_sizes", 2))
        return false;
    mpi_add(&c, expr_int(lw->tree, type_basic(lw->ir, TYPE_I32), transposed));
    return add_processes(&c) && mpi_finish(&c, "sdfg_rt_mpi_gemv");
}

static bool add_descriptor(struct mpi_call *c, const char *conn)
{
    struct lower *lw = c->sc->act->lw;
    const struct type *i32 = type_basic(lw->ir, TYPE_I32);
    struct area a;
    if (!library_output_edge(c->node, conn)) {
        mpi_add(c, expr_null(lw->tree, type_pointer(lw->ir, i32)));
        return true;
    }
    if (!library_output(c->sc, c->node, conn, &a))
        return false;
    if (a.type != i32)
        return diag_error(lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, conn);
    area_squeeze(&a);
    if (a.rank != 1 || !sym_is_int(a.sizes[0], 9) || !sym_is_int(a.strides[0], 1))
        return library_wrong_shapes(c->sc, c->node, "a descriptor has 9 numbers");
    mpi_add(c, a.pointer);
    return true;
}

static bool deal(struct scope *sc, struct library *n, const char *whole, bool gathers)
{
    struct mpi_call c = mpi_begin(sc, n);
    struct area a;
    if (!(gathers ? library_update : library_input)(sc, n, whole, &a) || !add_matrix(&c, "_inbuffer", false) ||
        !add_matrix(&c, "_outbuffer", true) || !add_blocks(&c, "_block_sizes", a.rank > 1 ? 2 : 1) ||
        !add_processes(&c))
        return false;
    if (gathers)
        return mpi_finish(&c, "sdfg_rt_mpi_cyclic_gather");
    return add_descriptor(&c, "_gdescriptor") && add_descriptor(&c, "_ldescriptor") &&
           mpi_finish(&c, "sdfg_rt_mpi_cyclic_scatter");
}

bool lower_pblas_scatter(struct scope *sc, struct library *n) { return deal(sc, n, "_inbuffer", false); }
bool lower_pblas_gather(struct scope *sc, struct library *n) { return deal(sc, n, "_outbuffer", true); }
