/* mpi.* (library-nodes.md 10): calls of the runtime (runtime/mpi.h). */
#include "lower/graph/library/mpi.h"

#include "ir/library.h"
#include "runtime/mpi.h"

#include <string.h>

void mpi_add(struct mpi_call *c, struct tree_expr *e)
{
    c->failed = c->failed || !e;
    c->args[c->count++] = e;
}

static void add_number(struct mpi_call *c, int64_t value) { mpi_add(c, expr_i64(c->sc->act->lw->tree, value)); }

struct mpi_call mpi_begin_at(struct scope *sc, const struct place *place)
{
    struct lower *lw = sc->act->lw;
    struct mpi_call c = { .sc = sc, .place = place };
    struct text path = text_new(lw->arena);
    place_print(place, &path);
    mpi_add(&c, expr_context(lw->tree));
    mpi_add(&c, expr_data(lw->tree, type_basic(lw->ir, TYPE_I8), path.data, path.length + 1));
    return c;
}

struct mpi_call mpi_begin(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin_at(sc, &n->node.place);
    c.node = n;
    return c;
}

bool mpi_finish(struct mpi_call *c, const char *function)
{
    if (c->failed)
        return false;
    stmt_call(c->sc->act->lw->tree, c->sc->block, NULL, function, c->args, c->count)->place = c->place;
    return true;
}

/* ---- operands ---- */

static int code_of(const struct type *t)
{
    static const int codes[TYPE_COUNT] = {
        [TYPE_I8] = 1 + SDFG_RT_MPI_INT8,         [TYPE_I16] = 1 + SDFG_RT_MPI_INT16,
        [TYPE_I32] = 1 + SDFG_RT_MPI_INT32,       [TYPE_I64] = 1 + SDFG_RT_MPI_INT64,
        [TYPE_U8] = 1 + SDFG_RT_MPI_UINT8,        [TYPE_U16] = 1 + SDFG_RT_MPI_UINT16,
        [TYPE_U32] = 1 + SDFG_RT_MPI_UINT32,      [TYPE_U64] = 1 + SDFG_RT_MPI_UINT64,
        [TYPE_BOOL] = 1 + SDFG_RT_MPI_BOOL,       [TYPE_F32] = 1 + SDFG_RT_MPI_FLOAT32,
        [TYPE_F64] = 1 + SDFG_RT_MPI_FLOAT64,     [TYPE_C64] = 1 + SDFG_RT_MPI_COMPLEX64,
        [TYPE_C128] = 1 + SDFG_RT_MPI_COMPLEX128,
    };
    return codes[t->kind] - 1; /* -1: none */
}

void mpi_add_area(struct mpi_call *c, const struct area *a)
{
    struct lower *lw = c->sc->act->lw;
    int code = code_of(a->type);
    const struct sym **items = NEW_ARRAY(lw->arena, const struct sym *, 2 + 2 * (size_t)a->rank);
    items[0] = sym_int(lw->ir, code);
    items[1] = sym_int(lw->ir, a->rank);
    for (uint32_t i = 0; i < a->rank; i++) {
        items[2 + i] = a->sizes[i];
        items[2 + a->rank + i] = a->strides[i];
    }
    if (code < 0)
        c->failed = !diag_error(lw->diags, &c->node->node.place, DIAG_MPI_TYPE, c->node->node.label);
    mpi_add(c, a->pointer);
    mpi_add(c, library_list(c->sc, &c->node->node.place, items, 2 + 2 * a->rank));
}

void mpi_add_input(struct mpi_call *c, const char *conn)
{
    struct area a;
    if (!library_input(c->sc, c->node, conn, &a))
        c->failed = true;
    else
        mpi_add_area(c, &a);
}

/* What a process that is not the root has there stays. */
void mpi_add_output(struct mpi_call *c, const char *conn)
{
    struct area a;
    if (!library_update(c->sc, c->node, conn, &a))
        c->failed = true;
    else
        mpi_add_area(c, &a);
}

/* The number in a container of one integer. */
static void add_value(struct mpi_call *c, const char *conn)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    struct area a;
    if (!library_input(c->sc, c->node, conn, &a))
        c->failed = true;
    else if (!type_is_integer(a.type))
        c->failed = !diag_error(lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, conn);
    else
        mpi_add(c,
                expr_cast(t, type_basic(lw->ir, TYPE_I64), expr_load(t, a.type, a.pointer, expr_i64(t, 0), a.alias)));
}

/* Addresses of requests. */
static bool requests(struct mpi_call *c, const char *conn, bool output, struct area *a)
{
    if (!(output ? library_update : library_input)(c->sc, c->node, conn, a)) {
        c->failed = true;
    } else if (a->type->kind != TYPE_OPAQUE || strcmp(a->type->name, "MPI_Request") != 0) {
        c->failed = !diag_error(c->sc->act->lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, conn);
    }
    return !c->failed;
}

/* ---- point to point ---- */

static bool transfer(struct scope *sc, struct library *n, const char *peer, bool sends, bool waits,
                     const char *function)
{
    struct mpi_call c = mpi_begin(sc, n);
    struct area request;
    mpi_add_communicator(&c);
    if (sends)
        mpi_add_input(&c, "_buffer");
    else
        mpi_add_output(&c, "_buffer");
    add_value(&c, peer);
    add_value(&c, "_tag");
    if (!waits && requests(&c, "_request", true, &request))
        mpi_add(&c, request.pointer);
    return mpi_finish(&c, function);
}

bool lower_mpi_send(struct scope *sc, struct library *n)
{
    return transfer(sc, n, "_dest", true, true, "sdfg_rt_mpi_send");
}

bool lower_mpi_recv(struct scope *sc, struct library *n)
{
    return transfer(sc, n, "_src", false, true, "sdfg_rt_mpi_recv");
}

bool lower_mpi_isend(struct scope *sc, struct library *n)
{
    return transfer(sc, n, "_dest", true, false, "sdfg_rt_mpi_isend");
}

bool lower_mpi_irecv(struct scope *sc, struct library *n)
{
    return transfer(sc, n, "_src", false, false, "sdfg_rt_mpi_irecv");
}

/* Where a status goes: an int32, or null if nothing is wired. */
static void add_status(struct mpi_call *c, const char *conn)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *i32 = type_basic(lw->ir, TYPE_I32);
    struct area a;
    if (!library_output_edge(c->node, conn))
        mpi_add(c, expr_null(t, type_pointer(lw->ir, i32)));
    else if (!library_update(c->sc, c->node, conn, &a))
        c->failed = true;
    else if (a.type != i32)
        c->failed = !diag_error(lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, conn);
    else
        mpi_add(c, a.pointer);
}

static bool wait_for(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct mpi_call c = mpi_begin(sc, n);
    struct area a;
    if (!requests(&c, "_request", false, &a))
        return false;
    area_squeeze(&a);
    if (a.rank > 1)
        return library_wrong_shapes(sc, n, "requests in one dimension expected");
    mpi_add(&c, a.pointer);
    mpi_add(&c, lower_index(lw, &n->node.place, a.rank ? a.sizes[0] : sym_int(lw->ir, 1)));
    mpi_add(&c, lower_index(lw, &n->node.place, a.rank ? a.strides[0] : sym_int(lw->ir, 1)));
    add_status(&c, "_stat_tag");
    add_status(&c, "_stat_source");
    return mpi_finish(&c, "sdfg_rt_mpi_wait");
}

bool lower_mpi_wait(struct scope *sc, struct library *n) { return wait_for(sc, n); }
bool lower_mpi_waitall(struct scope *sc, struct library *n) { return wait_for(sc, n); }

/* ---- collectives ---- */

/* Whether the node waits; else a request is wired to it. */
static bool waits(struct mpi_call *c)
{
    bool nonblocking;
    c->failed = c->failed || !library_bool(c->node, "nonblocking", false, &nonblocking);
    return c->failed || !nonblocking;
}

static void add_flag(struct mpi_call *c, bool flag)
{
    mpi_add(c, expr_int(c->sc->act->lw->tree, type_basic(c->sc->act->lw->ir, TYPE_I32), flag));
}

/* Ends a call of a node, by the function that waits or the one that does not. sums: of numbers that are no integers. */
static bool finish(struct mpi_call *c, bool sums, const char *waiting, const char *starting)
{
    struct area request;
    if (waits(c)) {
        add_flag(c, mpi_goes_on(c->sc, c->node) && !(sums && c->sc->act->lw->options->strict_fp));
        return mpi_finish(c, waiting);
    }
    if (requests(c, "_request", true, &request))
        mpi_add(c, request.pointer);
    return mpi_finish(c, starting);
}

bool lower_mpi_bcast(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    struct area in, out;
    if (!library_input(sc, n, "_inbuffer", &in) || !library_update(sc, n, "_outbuffer", &out))
        return false;
    if (in.binding != out.binding)
        return library_wrong_shapes(sc, n, "the broadcast is in place: both sides must be the same container");
    mpi_add_communicator(&c);
    mpi_add_area(&c, &out);
    add_value(&c, "_root");
    return finish(&c, false, "sdfg_rt_mpi_bcast", "sdfg_rt_mpi_start_bcast");
}

static void add_operation(struct mpi_call *c)
{
    /* MPI's name, that of DaCe's ReductionType, and a short one (DaCe 2.0) */
    static const struct {
        const char *names[3];
        int code;
    } ops[] = {
        { { "MPI_SUM", "Sum", "sum" }, SDFG_RT_MPI_SUM },
        { { "MPI_PROD", "Product", "prod" }, SDFG_RT_MPI_PROD },
        { { "MPI_MIN", "Min", "min" }, SDFG_RT_MPI_MIN },
        { { "MPI_MAX", "Max", "max" }, SDFG_RT_MPI_MAX },
        { { "MPI_LAND", "Logical_And", "land" }, SDFG_RT_MPI_LAND },
        { { "MPI_LOR", "Logical_Or", "lor" }, SDFG_RT_MPI_LOR },
        { { "MPI_LXOR", "Logical_Xor", "lxor" }, SDFG_RT_MPI_LXOR },
        { { "MPI_BAND", "Bitwise_And", "band" }, SDFG_RT_MPI_BAND },
        { { "MPI_BOR", "Bitwise_Or", "bor" }, SDFG_RT_MPI_BOR },
        { { "MPI_BXOR", "Bitwise_Xor", "bxor" }, SDFG_RT_MPI_BXOR },
        { { "Avg", "avg", "avg" }, SDFG_RT_MPI_AVERAGE },
    };
    const char *op;
    if (!library_string(c->node, "op", "MPI_SUM", &op)) {
        c->failed = true;
        return;
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int k = 0; k < 3; k++)
            if (!strcmp(ops[i].names[k], op)) {
                add_number(c, ops[i].code);
                return;
            }
    c->failed = !diag_error(c->sc->act->lw->diags, &c->node->node.place, DIAG_MPI_OPERATION, op);
}

static bool collective(struct scope *sc, struct library *n, enum sdfg_rt_mpi_collective what)
{
    struct mpi_call c = mpi_begin(sc, n);
    struct area in;
    bool reduces = what == SDFG_RT_MPI_REDUCE || what == SDFG_RT_MPI_ALLREDUCE || what == SDFG_RT_MPI_REDUCE_SCATTER;
    bool rooted = what == SDFG_RT_MPI_SCATTER || what == SDFG_RT_MPI_GATHER || what == SDFG_RT_MPI_REDUCE;
    mpi_add_communicator(&c);
    add_number(&c, what);
    if (reduces)
        add_operation(&c);
    else
        add_number(&c, 0);
    if (!library_input(sc, n, "_inbuffer", &in))
        return false;
    mpi_add_area(&c, &in);
    mpi_add_output(&c, "_outbuffer");
    if (rooted)
        add_value(&c, "_root");
    else
        add_number(&c, 0);
    return finish(&c, reduces && !type_is_integer(in.type), "sdfg_rt_mpi_collective", "sdfg_rt_mpi_start");
}

bool lower_mpi_scatter(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_SCATTER); }
bool lower_mpi_gather(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_GATHER); }
bool lower_mpi_allgather(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_ALLGATHER); }
bool lower_mpi_alltoall(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_ALLTOALL); }
bool lower_mpi_reduce(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_REDUCE); }
bool lower_mpi_allreduce(struct scope *sc, struct library *n) { return collective(sc, n, SDFG_RT_MPI_ALLREDUCE); }

bool lower_mpi_reduce_scatter(struct scope *sc, struct library *n)
{
    return collective(sc, n, SDFG_RT_MPI_REDUCE_SCATTER);
}

/* ---- parts of different sizes ---- */

/* Appends the expressions of a property, `*count` of them, or as many as it has if that is 0. */
static bool add_counts(struct mpi_call *c, const char *key, const struct sym **items, uint32_t *used, uint32_t *count)
{
    const struct sym **list;
    uint32_t given;
    if (!library_symbolic_list(c->node, key, &list, &given))
        return false;
    if (!given || given > MPI_MAX_PROCESSES || (*count && given != *count))
        return diag_error(c->sc->act->lw->diags, &c->node->node.place, DIAG_MPI_COUNTS, key, given);
    *count = given;
    for (uint32_t i = 0; i < given; i++)
        if (!(items[(*used)++] = lower_symbolic(c->sc, &c->node->node.place, list[i])))
            return false;
    return true;
}

/* Places one behind the other, where the property says nothing. */
static bool add_places(struct mpi_call *c, const struct sym **items, uint32_t *used, uint32_t *count)
{
    struct ir *ir = c->sc->act->lw->ir;
    const struct sym **list;
    uint32_t given;
    if (!library_symbolic_list(c->node, "recv_displs", &list, &given))
        return false;
    if (list)
        return add_counts(c, "recv_displs", items, used, count);
    items[(*used)++] = sym_int(ir, 0);
    for (uint32_t i = 1; i < *count; i++, (*used)++)
        items[*used] = sym_add(ir, items[*used - 1], items[i]);
    return true;
}

static bool vectors(struct scope *sc, struct library *n, bool to_one)
{
    struct lower *lw = sc->act->lw;
    struct mpi_call c = mpi_begin(sc, n);
    const struct sym **items = NEW_ARRAY(lw->arena, const struct sym *, 1 + 2 * MPI_MAX_PROCESSES);
    uint32_t used = 1, count = 0;
    mpi_add_communicator(&c);
    mpi_add_input(&c, "_inbuffer");
    mpi_add_output(&c, "_outbuffer");
    if (c.failed || !add_counts(&c, to_one ? "recv_counts" : "send_counts", items, &used, &count) ||
        !(to_one ? add_places(&c, items, &used, &count) : add_counts(&c, "recv_counts", items, &used, &count)))
        return false;
    items[0] = sym_int(lw->ir, count);
    mpi_add(&c, library_list(sc, &n->node.place, items, used));
    add_flag(&c, to_one);
    if (to_one)
        add_value(&c, "_root");
    else
        add_number(&c, 0);
    return finish(&c, false, "sdfg_rt_mpi_vectors", "sdfg_rt_mpi_start_vectors");
}

bool lower_mpi_gatherv(struct scope *sc, struct library *n) { return vectors(sc, n, true); }
bool lower_mpi_alltoallv(struct scope *sc, struct library *n) { return vectors(sc, n, false); }

/* It declares what other nodes keep between calls; the grids behind it are made where it is. */
bool lower_mpi_dummy(struct scope *sc, struct library *n)
{
    for (uint32_t i = 0; i < n->node.out.count; i++) {
        const struct access *a = as_access(n->node.out.items[i]->dst);
        if (a && a->data && a->data->kind == CONTAINER_PROCESS_GRID && !mpi_make_grid(sc, &n->node.place, a->data))
            return false;
    }
    return true;
}
