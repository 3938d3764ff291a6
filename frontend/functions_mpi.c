/* Messages between processes become nodes of dace.libraries.mpi: the functions of dace.comm, and the methods of
 * mpi4py's communicators that pass arrays. */
#include "frontend/mpi.h"

#include "runtime/mpi.h"

#include <string.h>

/* ---- constants of mpi4py ---- */

bool fe_is_request(const struct type *t) { return t->kind == TYPE_OPAQUE && strcmp(t->name, "MPI_Request") == 0; }

/* dace.opaque("MPI_Request") */
const struct value *fn_opaque(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *name = fe_arg(a, 0, "typename");
    (void)b;
    if (!name || name->kind != FE_STRING || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_error(f, a->node, "dace.opaque needs the name of a type");
    return strcmp(name->text, "MPI_Request") == 0
               ? fe_type(f, type_opaque(f->ir, name->text))
               : fe_unsupported(f, a->node, "the opaque type '%s'; there is MPI_Request", name->text);
}

const struct value *fe_mpi_constant(struct fe *f, const char *name)
{
    static const char *const operations[] = {
        "SUM", "PROD", "MIN", "MAX", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR"
    };
    static const struct {
        const char *name;
        enum type_kind kind;
    } types[] = { { "DOUBLE", TYPE_F64 },          { "FLOAT", TYPE_F32 },    { "INT", TYPE_I32 },
                  { "INT64_T", TYPE_I64 },         { "INT32_T", TYPE_I32 },  { "LONG", TYPE_I64 },
                  { "DOUBLE_COMPLEX", TYPE_C128 }, { "COMPLEX", TYPE_C64 },  { "BOOL", TYPE_BOOL },
                  { "INT16_T", TYPE_I16 },         { "INT8_T", TYPE_I8 },    { "UINT64_T", TYPE_U64 },
                  { "UINT32_T", TYPE_U32 },        { "UINT16_T", TYPE_U16 }, { "UINT8_T", TYPE_U8 } };
    static const struct {
        const char *name;
        int64_t number;
    } peers[] = { { "PROC_NULL", SDFG_RT_MPI_NOBODY }, { "ANY_SOURCE", SDFG_RT_MPI_ANYBODY }, { "ANY_TAG", -1 } };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i], name) == 0)
            return fe_string(f, fe_format(f, "MPI_%s", name));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return fe_type(f, type_basic(f->ir, types[i].kind));
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (strcmp(peers[i].name, name) == 0)
            return fe_int(f, peers[i].number);
    if (strcmp(name, "IN_PLACE") == 0)
        return fe_string(f, "MPI_IN_PLACE");
    return strcmp(name, "Request") == 0 ? fe_type(f, type_opaque(f->ir, "MPI_Request")) : fe_communicator(f, name);
}

/* ---- operands ---- */

/* `[A, MPI.DOUBLE]`: A */
static const struct value *array_of(struct fe *f, const struct py *n, const struct value *v)
{
    if (!v || v->kind != FE_TUPLE || !v->count)
        return v ? v : fe_error(f, n, "the array of the message is missing");
    const struct value *array = v->items[0];
    if (v->count != 2 || !fe_is_data(array) || v->items[1]->kind != FE_TYPE)
        return fe_unsupported(f, n, "this description of a message: an array, or [array, type], is possible");
    if (v->items[1]->type != array->type)
        return fe_error(f, n, "the message is of %s, but described as %s", fe_describe(f, array),
                        type_text(f->ir, v->items[1]->type));
    return array;
}

const struct value *fe_sent(struct fe *f, const struct py *n, const struct value *v)
{
    v = array_of(f, n, v);
    if (v && !fe_is_data(v))
        return fe_error(f, n, "a message is an array, this is %s", fe_describe(f, v));
    return v ? fe_plain(f, n, v, "message") : NULL;
}

bool fe_receives(struct fe *f, const struct py *n, const struct value *v, bool reads, struct fe_received *r)
{
    v = array_of(f, n, v);
    if (v && v->kind != FE_VIEW)
        return fe_error(f, n, "a message is received in an array or a part of one, this is %s", fe_describe(f, v)) !=
               NULL;
    if (!v)
        return false;
    *r = (struct fe_received){ .to = v };
    if (!fe_is_plain(v)) {
        r->then = v;
        r->to =
            reads ? fe_copy(f, n, v, "message") : fe_whole(f, fe_container(f, "message", v->type, v->shape, v->rank));
    }
    if (r->to)
        r->to->view.container->symbol = NULL;
    f->emitted++;
    return r->to != NULL;
}

const struct value *fe_after(struct fe *f, const struct py *n, const struct fe_received *r)
{
    return r->then && !fe_store(f, n, r->then, r->to, NULL) ? NULL : fe_none(f);
}

/* A peer, root or tag in a container. */
static const struct value *number(struct fe *f, const struct py *n, const struct value *v, int64_t otherwise,
                                  const char *what)
{
    v = v ? v : fe_int(f, otherwise);
    bool integer = fe_sym(f, v) || (fe_is_data(v) && fe_is_int_type(v->type) && v->type->kind != TYPE_BOOL);
    if (!integer)
        return fe_error(f, n, "the %s must be an integer, this is %s", what, fe_describe(f, v));
    if (fe_is_data(v) && v->rank) {
        const struct value *s = v->kind == FE_VIEW ? fe_squeeze(f, v) : v;
        if (s->rank)
            return fe_error(f, n, "the %s must be an integer, this is %s", what, fe_describe(f, v));
        v = s;
    }
    v = fe_cast(f, n, type_basic(f->ir, TYPE_I32), v);
    return v ? fe_copy(f, n, v, what) : NULL;
}

static const struct value *either(struct fe_args *a, uint32_t at, const char *name, const char *other)
{
    const struct value *v = fe_arg(a, at, name);
    return v ? v : fe_arg(a, UINT32_MAX, other);
}

bool fe_grid_of(struct fe *f, const struct py *n, const struct value *v, const struct fe_grid **out)
{
    *out = NULL;
    if (!f->level)
        return fe_unsupported(f, n, "a message outside of a program") != NULL;
    if (!v || v->kind == FE_NONE)
        return true;
    if (v->kind != FE_GRID)
        return fe_error(f, n, "a grid of processes is needed here, this is %s", fe_describe(f, v)) != NULL;
    *out = v->grid;
    return !v->grid || v->grid->name || fe_error(f, n, "a message in MPI.COMM_NULL") != NULL;
}

/* The communicator of a method, or the argument `grid` of a function of dace.comm; false with an error. */
static bool communicator(struct fe *f, const struct fe_builtin *b, struct fe_args *a, uint32_t at,
                         const struct fe_grid **out)
{
    return fe_grid_of(f, a->node, b->kind ? a->items[0] : fe_arg(a, at, "grid"), out);
}

/* `wires` has room for the edge of the grid. */
static void node(struct fe *f, const char *class, const char *file, const char *attributes, struct fe_wire *wires,
                 uint32_t count, const struct fe_grid *grid)
{
    if (grid)
        wires[count++] = (struct fe_wire){ "_grid", NULL, fe_grid_name(f, grid), false };
    fe_wired_node(f, file, fe_format(f, "dace.libraries.mpi.nodes.%s.%s", file, class), attributes, count, wires);
}

/* ---- collectives ---- */

const struct value *fn_mpi_bcast(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t m = (uint32_t)b->kind;
    const struct value *buffer = either(a, m, "buffer", "buf"), *root = fe_arg(a, m + 1, "root");
    const struct fe_grid *grid;
    struct fe_received r;
    if (!communicator(f, b, a, 2, &grid) || !fe_args_done(f, a, 3) || !fe_receives(f, a->node, buffer, true, &r) ||
        !(root = number(f, a->node, root, 0, "root")))
        return NULL;
    struct fe_wire wires[4] = { { "_inbuffer", r.to, NULL, false },
                                { "_root", root, NULL, false },
                                { "_outbuffer", r.to, NULL, true } };
    node(f, "Bcast", "bcast", NULL, wires, 3, grid);
    return fe_after(f, a->node, &r);
}

const struct value *fn_mpi_collective(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t m = (uint32_t)b->kind, count = 2;
    bool rooted = strcmp(b->format, "scatter") == 0 || strcmp(b->format, "gather") == 0;
    const struct value *in = either(a, m, "in_buffer", "sendbuf"), *out = either(a, m + 1, "out_buffer", "recvbuf");
    const struct value *root = rooted ? fe_arg(a, m + 2, "root") : NULL;
    const struct fe_grid *grid;
    struct fe_received r;
    if (!communicator(f, b, a, rooted ? 3 : 2, &grid) || !fe_args_done(f, a, m + 3 + (rooted && !m)) ||
        !(in = fe_sent(f, a->node, in)) || !fe_receives(f, a->node, out, rooted, &r))
        return NULL;
    if (in->type != r.to->type)
        return fe_error(f, a->node, "%s is sent, but received in %s", fe_describe(f, in), fe_describe(f, r.to));
    struct fe_wire wires[4] = { { "_inbuffer", in, NULL, false }, { "_outbuffer", r.to, NULL, true } };
    if (rooted && !(root = number(f, a->node, root, 0, "root")))
        return NULL;
    if (rooted)
        wires[count++] = (struct fe_wire){ "_root", root, NULL, false };
    node(f, b->name, b->format, NULL, wires, count, grid);
    return fe_after(f, a->node, &r);
}

static const char *operation(struct fe *f, const struct py *n, const struct value *op)
{
    if (op && (op->kind != FE_STRING || strncmp(op->text, "MPI_", 4) != 0))
        return fe_error(f, n,
                        "the operation of a reduction is one of MPI.SUM, MPI.MAX, ... or \"MPI_SUM\", ..., this is %s",
                        fe_describe(f, op));
    return fe_format(f, "{\"op\": \"%s\"}", op ? op->text : "MPI_SUM");
}

/* dace.comm.Reduce(A, op) works in place; mpi4py has an array for the result, or MPI.IN_PLACE. */
const struct value *fn_mpi_reduce(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t m = (uint32_t)b->kind, at = m ? 3 : 1, count = 2;
    bool rooted = strcmp(b->format, "reduce") == 0;
    const struct value *in = m ? fe_arg(a, 1, "sendbuf") : NULL, *out = either(a, m ? 2 : 0, "buffer", "recvbuf");
    const struct value *op = fe_arg(a, at, "op"), *root = rooted ? fe_arg(a, at + 1, "root") : NULL;
    const struct fe_grid *grid;
    struct fe_received r;
    bool in_place = !in || (in->kind == FE_STRING && strcmp(in->text, "MPI_IN_PLACE") == 0);
    if (!communicator(f, b, a, rooted ? 3 : 2, &grid) || !fe_args_done(f, a, at + 1 + rooted + !m))
        return NULL;
    const char *attributes = operation(f, a->node, op);
    if (!attributes || (!in_place && !(in = fe_sent(f, a->node, in))) ||
        !fe_receives(f, a->node, out, in_place || rooted, &r))
        return NULL;
    in = in_place ? r.to : in;
    if (in->type != r.to->type)
        return fe_error(f, a->node, "%s is reduced into %s", fe_describe(f, in), fe_describe(f, r.to));
    struct fe_wire wires[4] = { { "_inbuffer", in, NULL, false }, { "_outbuffer", r.to, NULL, true } };
    if (rooted && !(root = number(f, a->node, root, 0, "root")))
        return NULL;
    if (rooted)
        wires[count++] = (struct fe_wire){ "_root", root, NULL, false };
    node(f, b->name, b->format, attributes, wires, count, grid);
    return fe_after(f, a->node, &r);
}

/* ---- point to point ---- */

/* Where the request of the call goes: what it is assigned to, if that is an element, or a new one. */
static const struct value *request_of(struct fe *f, struct fe_args *a)
{
    const struct type *t = type_opaque(f->ir, "MPI_Request");
    const struct value *v = a->target && a->target->kind == PY_SUBSCRIPT ? fe_eval(f, a->target) : NULL;
    if (v && (v->kind != FE_VIEW || v->type != t || v->rank))
        return fe_error(f, a->node, "the request of a message goes into an element of type MPI.Request, this is %s",
                        fe_describe(f, v));
    if (v || f->failed)
        return v;
    const char *wish = a->target && a->target->kind == PY_NAME ? a->target->name.id : "request";
    return fe_whole(f, fe_container(f, wish, t, NULL, 0));
}

const struct value *fn_mpi_transfer(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t m = (uint32_t)b->kind, count = 3;
    bool waits = b->format[0] != 'i', sends = strcmp(b->format + !waits, "send") == 0;
    const struct value *buffer = either(a, m, "buffer", "buf");
    const struct value *peer = sends ? either(a, m + 1, "dst", "dest") : either(a, m + 1, "src", "source");
    const struct value *tag = fe_arg(a, m + 2, "tag"), *request = m || waits ? NULL : fe_arg(a, 3, "request");
    const struct fe_grid *grid;
    struct fe_received r = { NULL, NULL };
    if (!communicator(f, b, a, waits ? 3 : 4, &grid) || !fe_args_done(f, a, m ? 4 : waits ? 4 : 5))
        return NULL;
    if (!peer && (sends || !m))
        return fe_error(f, a->node, "the %s of the message is missing", sends ? "receiver" : "sender");
    if (sends ? !(buffer = fe_sent(f, a->node, buffer)) : !fe_receives(f, a->node, buffer, false, &r))
        return NULL;
    if (!waits && r.then)
        return fe_unsupported(f, a->node,
                              "receiving at the same time in a part that is turned around or picked by an array");
    peer = number(f, a->node, peer, SDFG_RT_MPI_ANYBODY, sends ? "receiver" : "sender");
    tag = peer ? number(f, a->node, tag, sends ? 0 : -1, "tag") : NULL;
    if (!tag || (!waits && !m && !request))
        return tag ? fe_error(f, a->node, "the request is missing") : NULL;
    if (!waits && !request && !(request = request_of(f, a)))
        return NULL;
    if (request && (request->kind != FE_VIEW || !fe_is_request(request->type)))
        return fe_error(f, a->node, "a request has the type dace.opaque(\"MPI_Request\"), this is %s",
                        fe_describe(f, request));
    struct fe_wire wires[5] = { { "_buffer", sends ? buffer : r.to, NULL, !sends },
                                { sends ? "_dest" : "_src", peer, NULL, false },
                                { "_tag", tag, NULL, false } };
    if (request)
        wires[count++] = (struct fe_wire){ "_request", request, NULL, true };
    node(f, b->name, b->format, NULL, wires, count, grid);
    return request && m ? request : fe_after(f, a->node, &r);
}

static bool wait_for(struct fe *f, const struct py *n, const struct value *v, bool all)
{
    for (uint32_t i = 0; v->kind == FE_TUPLE && i < v->count; i++)
        if (!wait_for(f, n, v->items[i], all))
            return false;
    if (v->kind == FE_TUPLE)
        return true;
    if (v->kind != FE_VIEW || !fe_is_request(v->type) || (!all && v->rank))
        return fe_error(f, n, "what is waited for is a request of a message, this is %s", fe_describe(f, v)) != NULL;
    if (!fe_is_plain(v))
        return fe_unsupported(f, n, "waiting for requests that an array of indices picks") != NULL;
    struct fe_wire wires[3] = { { "_request", v, NULL, false } };
    static const char *const status[] = { "_stat_tag", "_stat_source" };
    for (int i = 0; i < 2 && !all; i++)
        wires[1 + i] = (struct fe_wire){
            status[i], fe_whole(f, fe_container(f, status[i] + 1, type_basic(f->ir, TYPE_I32), NULL, 0)), NULL, true
        };
    f->emitted++;
    node(f, all ? "Waitall" : "Wait", "wait", NULL, wires, all ? 1 : 3, NULL);
    return true;
}

const struct value *fn_mpi_wait(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = either(a, 0, "request", "requests");
    if (!v || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_error(f, a->node, "the request is missing");
    return wait_for(f, a->node, v, strcmp(b->name, "Waitall") == 0) ? fe_none(f) : NULL;
}
