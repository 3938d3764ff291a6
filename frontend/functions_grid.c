/* Grids of processes and arrays in blocks on them: dace.comm.Cart_create ... Redistribute, Create_cart and Sub of
 * mpi4py, numbers of processes. Grids, sub-arrays and redistributions are descriptors of the graph. */
#include "frontend/mpi.h"

#include <string.h>

static const struct fe_grid no_grid;

static const struct value *grid_value(struct fe *f, const struct fe_grid *g)
{
    struct value *v = fe_new(f, FE_GRID);
    v->grid = g;
    return v;
}

const struct value *fe_communicator(struct fe *f, const char *name)
{
    if (strcmp(name, "COMM_WORLD") == 0)
        return grid_value(f, NULL);
    return strcmp(name, "COMM_NULL") == 0 ? grid_value(f, &no_grid) : NULL;
}

/* ---- descriptors ---- */

const char *fe_grid_name(struct fe *f, const struct fe_grid *g)
{
    if (f->dry || map_has(&f->level->sdfg->container_by_name, g->name))
        return g->name;
    struct container *c;
    if (g->parent)
        c = build_subgrid(f->level->sdfg, g->name, fe_grid_name(f, g->parent), g->keeps, g->num_keeps,
                          g->exact ? fe_text(f, g->exact) : NULL);
    else
        c = build_grid(f->level->sdfg, g->name, fe_shape_text(f, g->shape, g->rank));
    fe_mark(f, &c->place);
    return g->name;
}

static const char *blocks_name(struct fe *f, const struct fe_blocks *b)
{
    if (f->dry || map_has(&f->level->sdfg->container_by_name, b->name))
        return b->name;
    fe_mark(f, &build_subarray(f->level->sdfg, b->name, b->type->name, fe_shape_text(f, b->shape, b->rank),
                               fe_shape_text(f, b->block, b->rank), fe_grid_name(f, b->grid), b->along, b->rank)
                    ->place);
    return b->name;
}

/* A node that declares what DaCe's code keeps about a descriptor; here a grid is made at this place. */
static void declare(struct fe *f, const char *name, const char *fields)
{
    struct fe_wire w = { "_out", NULL, name, true };
    fe_wired_node(f, name, "dace.libraries.mpi.nodes.dummy.Dummy", fe_format(f, "{\"fields\": [%s]}", fields), 1, &w);
}

static const struct value *new_grid(struct fe *f, struct fe_grid *g, uint32_t dims)
{
    const char *n = g->name = fe_unique(f, f->wish ? f->wish : "grid");
    f->wish = NULL;
    f->emitted++;
    declare(f, fe_grid_name(f, g),
            fe_format(f,
                      "\"MPI_Comm %s_comm;\", \"MPI_Group %s_group;\", \"int %s_coords[%u];\", \"int %s_dims[%u];\", "
                      "\"int %s_rank;\", \"int %s_size;\", \"bool %s_valid;\"",
                      n, n, n, dims, n, dims, n, n, n));
    return grid_value(f, g);
}

static bool is_false(const struct value *v)
{
    bool truth = true;
    for (uint32_t i = 0; v->kind == FE_TUPLE && i < v->count; i++)
        if (!is_false(v->items[i]))
            return false;
    return v->kind == FE_TUPLE || (fe_truth(v, &truth) && !truth);
}

const struct value *fn_mpi_grid(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct fe_grid *world;
    struct fe_grid *g = NEW(f->arena, struct fe_grid);
    uint32_t m = (uint32_t)b->kind;
    const struct value *periods = m ? fe_arg(a, 2, "periods") : NULL;
    if (!fe_grid_of(f, a->node, m ? a->items[0] : NULL, &world))
        return NULL;
    if (m)
        fe_arg(a, 3, "reorder");
    if (world || (periods && !is_false(periods)))
        return fe_unsupported(f, a->node, world ? "a grid of the processes of another one" : "a grid with periods");
    g->shape = fe_extents(f, a->node, fe_arg(a, m, "dims"), &g->rank);
    return g->shape && fe_args_done(f, a, m ? 4 : 1) ? new_grid(f, g, g->rank) : NULL;
}

const struct value *fn_mpi_part(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    struct fe_grid *g = NEW(f->arena, struct fe_grid);
    const struct value *parent = b->kind ? a->items[0] : fe_arg(a, 0, "parent_grid");
    const struct value *stays = fe_arg(a, 1, b->kind ? "remain_dims" : "color");
    const struct value *exact = b->kind ? NULL : fe_arg(a, 2, "exact_grid");
    if (!fe_args_done(f, a, 3) || !fe_grid_of(f, a->node, parent, &g->parent))
        return NULL;
    if (!g->parent || g->parent->parent)
        return fe_unsupported(f, a->node, "a part of anything but a whole grid");
    if (!stays || stays->kind != FE_TUPLE || stays->count != g->parent->rank)
        return fe_error(f, a->node, "a part of a grid of %u dimensions needs %u truth values, which of them stay",
                        g->parent->rank, g->parent->rank);
    int64_t *keeps = NEW_ARRAY(f->arena, int64_t, stays->count);
    for (uint32_t i = 0; i < stays->count; i++) {
        bool truth;
        if (!fe_truth(stays->items[i], &truth))
            return fe_unsupported(f, a->node, "a part of a grid that is known at run time only");
        keeps[i] = truth;
    }
    if (exact && exact->kind != FE_NONE) {
        if (!(exact = fe_as_symbol(f, a->node, exact)))
            return NULL;
        g->exact = fe_sym(f, exact);
    }
    g->keeps = keeps;
    g->num_keeps = stays->count;
    return new_grid(f, g, stays->count);
}

/* ---- arrays in blocks ---- */

/* A shape that is given as a tuple, or that of an array. */
static const struct sym *const *shape_of(struct fe *f, const struct py *n, const struct value *v, uint32_t *rank)
{
    if (!v || !fe_is_data(v))
        return (const struct sym *const *)fe_extents(f, n, v, rank);
    *rank = v->rank;
    return v->shape;
}

static const struct fe_blocks *make_blocks(struct fe *f, const struct py *n, const struct value *whole,
                                           const struct value *block, const struct type *t, const struct value *grid,
                                           const struct value *along)
{
    struct fe_blocks *s = NEW(f->arena, struct fe_blocks);
    uint32_t rank;
    if (!(s->shape = shape_of(f, n, whole, &s->rank)) || !(s->block = shape_of(f, n, block, &rank)) ||
        !fe_grid_of(f, n, grid, &s->grid))
        return NULL;
    if (!s->grid)
        return fe_error(f, n, "an array in blocks needs a grid of processes");
    bool given = along && along->kind != FE_NONE;
    if (rank != s->rank || (given && (along->kind != FE_TUPLE || along->count != rank)))
        return fe_error(f, n, "an array of %u dimensions has blocks of %u and a correspondence of %u", s->rank, rank,
                        given && along->kind == FE_TUPLE ? along->count : rank);
    int64_t *dims = NEW_ARRAY(f->arena, int64_t, rank + 1);
    for (uint32_t i = 0; i < rank; i++) {
        if (given && along->items[i]->kind != FE_INT)
            return fe_error(f, n, "the correspondence of dimensions must be constant");
        dims[i] = given ? along->items[i]->i : (int64_t)i;
    }
    s->along = dims;
    s->type = t;
    s->name = fe_unique(f, f->wish ? f->wish : "blocks");
    f->wish = NULL;
    f->emitted++;
    declare(f, blocks_name(f, s),
            fe_format(f, "\"MPI_Datatype %s;\", \"int* %s_counts;\", \"int* %s_displs;\"", s->name, s->name, s->name));
    return s;
}

static const struct value *blocks_value(struct fe *f, const struct fe_blocks *s)
{
    struct value *v = s ? fe_new(f, FE_BLOCKS) : NULL;
    if (v)
        v->blocks = s;
    return v;
}

const struct value *fn_mpi_subarray(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *whole = fe_arg(a, 0, "array"), *block = fe_arg(a, 1, "subarray");
    const struct value *dtype = fe_arg(a, 2, "dtype"), *grid = fe_arg(a, 3, "process_grid");
    const struct value *along = fe_arg(a, 4, "correspondence");
    const struct value *data = whole && fe_is_data(whole) ? whole : block && fe_is_data(block) ? block : NULL;
    const struct type *t = fe_dtype(f, a->node, dtype, data ? data->type : NULL);
    (void)b;
    if (!fe_args_done(f, a, 5) || f->failed)
        return NULL;
    if (!t)
        return fe_error(f, a->node, "the type of the elements is missing");
    return blocks_value(f, make_blocks(f, a->node, whole, block, t, grid, along));
}

const struct value *fn_mpi_blocks(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    bool scatters = strcmp(b->format, "scatter") == 0;
    const struct value *in = fe_arg(a, 0, "in_buffer"), *out = fe_arg(a, 1, "out_buffer");
    const struct value *grid = fe_arg(a, 2, scatters ? "scatter_grid" : "gather_grid");
    const struct value *second = fe_arg(a, 3, scatters ? "bcast_grid" : "reduce_grid");
    const struct value *along = fe_arg(a, 4, "correspondence");
    const struct fe_grid *other;
    struct fe_received r;
    uint32_t count = 4;
    if (!fe_args_done(f, a, 5) || !fe_grid_of(f, a->node, second, &other) || !(in = fe_sent(f, a->node, in)) ||
        !fe_receives(f, a->node, out, true, &r))
        return NULL;
    if (in->type != r.to->type)
        return fe_error(f, a->node, "%s is sent, but received in %s", fe_describe(f, in), fe_describe(f, r.to));
    const struct fe_blocks *s =
        make_blocks(f, a->node, scatters ? in : r.to, scatters ? r.to : in, in->type, grid, along);
    if (!s)
        return NULL;
    struct fe_wire wires[5] = { { "_inp_buffer", in, NULL, false },
                                { "_out_buffer", r.to, NULL, true },
                                { "_subarray", NULL, blocks_name(f, s), false },
                                { scatters ? "_scatter_grid" : "_gather_grid", NULL, fe_grid_name(f, s->grid),
                                  false } };
    if (other)
        wires[count++] =
            (struct fe_wire){ scatters ? "_bcast_grid" : "_reduce_grid", NULL, fe_grid_name(f, other), false };
    fe_wired_node(f, b->name, fe_format(f, "dace.libraries.mpi.nodes.%s.%s", b->format, b->name), NULL, count, wires);
    return fe_after(f, a->node, &r) ? blocks_value(f, s) : NULL;
}

const struct value *fn_mpi_redistribute(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *in = fe_arg(a, 0, "in_buffer"), *from = fe_arg(a, 1, "in_subarray");
    const struct value *out = fe_arg(a, 2, "out_buffer"), *to = fe_arg(a, 3, "out_subarray");
    const struct fe_grid *world;
    struct fe_received r;
    if (!fe_args_done(f, a, 4) || !fe_grid_of(f, a->node, NULL, &world))
        return NULL;
    if (!from || !to || from->kind != FE_BLOCKS || to->kind != FE_BLOCKS)
        return fe_error(f, a->node,
                        "dace.comm.Redistribute needs an array, its sub-array, another array and its sub-array");
    if (!(in = fe_sent(f, a->node, in)) || !fe_receives(f, a->node, out, true, &r))
        return NULL;
    const char *name = fe_unique(f, f->wish ? f->wish : "redistribution");
    f->wish = NULL;
    if (!f->dry)
        fe_mark(f, &build_redistribution(f->level->sdfg, name, blocks_name(f, from->blocks), blocks_name(f, to->blocks))
                        ->place);
    struct fe_wire wires[3] = { { "_inp_buffer", in, NULL, false },
                                { "_out_buffer", r.to, NULL, true },
                                { "_rdistrarray", NULL, name, false } };
    fe_wired_node(f, b->name, "dace.libraries.mpi.nodes.redistribute.Redistribute",
                  fe_format(f, "{\"redistr\": \"%s\"}", name), 3, wires);
    return fe_after(f, a->node, &r);
}

/* ---- who takes part ---- */

/* Whether this process is in the grid: the processes that run an iteration of a map over them are. */
static const struct value *takes_part(struct fe *f, const struct py *n, const struct fe_grid *g)
{
    if (g->exact)
        return fe_unsupported(f, n, "whether a process takes part in a grid with `exact_grid`");
    g = g->parent ? g->parent : g;
    struct fe_container *c = fe_container(f, "takes_part", type_basic(f->ir, TYPE_BOOL), NULL, 0);
    const struct value *v = fe_whole(f, c);
    if (!fe_store(f, n, v, fe_bool(f, false), NULL) || f->dry)
        return f->failed ? NULL : v;
    const struct sym *size = sym_int(f->ir, 1);
    for (uint32_t i = 0; i < g->rank; i++)
        size = sym_mul(f->ir, size, g->shape[i]);
    struct state *st = fe_state(f, "takes_part");
    struct tasklet *t = build_tasklet(st, "takes_part", "", "__out", "__out = True");
    struct map_entry *m = build_map(st, "takes_part", fe_format(f, "__process = 0:%s", fe_text(f, size)));
    m->schedule = enum_builtin(f->ir, SCHEDULE_MPI);
    fe_mark(f, &t->node.place);
    fe_mark(f, &m->node.place);
    fe_mark(f, &m->exit->place);
    build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL);
    build_path(fe_region(f, v, true), NULL, "__out", NULL, &t->node, m->exit, fe_access(f, st, c, true), NULL);
    return v;
}

const struct value *fe_compare_grids(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                     const struct value *b)
{
    bool equal = op == PY_EQ || op == PY_IS, null = a->grid == &no_grid || b->grid == &no_grid;
    const struct fe_grid *g = a->grid == &no_grid ? b->grid : a->grid;
    if (!equal && op != PY_NOTEQ && op != PY_ISNOT)
        return fe_no_operator(f, n, op, a, b);
    if (!null || !g || g == &no_grid)
        return fe_bool(f, (a->grid == b->grid) == equal);
    const struct value *v = takes_part(f, n, g);
    return v && equal ? fe_unary(f, n, PY_NOT, v) : v;
}

/* ---- numbers of processes ---- */

/* A number of the process that the program asks for: computed in front of it (fe_count_processes). */
static const struct value *process_number(struct fe *f, struct fe_container **c, const char *wish)
{
    struct fe_level *level = f->level;
    while (f->level->outer)
        f->level = f->level->outer;
    struct fe_container *number = *c ? *c : fe_container(f, wish, type_basic(f->ir, TYPE_I64), NULL, 0);
    f->level = level;
    if (!f->dry)
        *c = number;
    struct value *v = (struct value *)fe_whole(f, number);
    v->weak = true;
    return v;
}

static const struct value *world_rank(struct fe *f) { return process_number(f, &f->process, "process"); }
static const struct value *world_size(struct fe *f) { return process_number(f, &f->processes, "processes"); }

static const struct sym *extent_from(struct fe *f, const struct fe_grid *g, uint32_t first, const int64_t *keeps)
{
    const struct sym *s = sym_int(f->ir, 1);
    for (uint32_t i = first; i < g->rank; i++)
        s = !keeps || keeps[i] ? sym_mul(f->ir, s, g->shape[i]) : s;
    return s;
}

/* The coordinate of a process of the grid in one of its dimensions. */
static const struct value *coordinate(struct fe *f, const struct py *n, const struct fe_grid *g,
                                      const struct value *rank, uint32_t dim)
{
    const struct value *stride = fe_symbol(f, extent_from(f, g, dim + 1, NULL));
    const struct value *v = fe_binary(f, n, PY_FLOORDIV, rank, stride);
    return v ? fe_binary(f, n, PY_MOD, v, fe_symbol(f, g->shape[dim])) : NULL;
}

/* Get_rank() and Get_size() of the world, a grid, or a part of one. */
const struct value *fn_mpi_rank(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct fe_grid *g;
    if (!fe_grid_of(f, a->node, a->items[0], &g) || !fe_args_done(f, a, 1))
        return NULL;
    if (b->kind && g)
        return fe_symbol(f, g->parent ? extent_from(f, g->parent, 0, g->keeps) : extent_from(f, g, 0, NULL));
    const struct value *rank = b->kind ? world_size(f) : world_rank(f), *sum = NULL;
    if (!g || !g->parent)
        return rank;
    for (uint32_t i = 0; i < g->num_keeps; i++) {
        if (!g->keeps[i])
            continue;
        const struct value *c = coordinate(f, a->node, g->parent, rank, i);
        const struct value *stride = fe_symbol(f, extent_from(f, g->parent, i + 1, g->keeps));
        c = c ? fe_binary(f, a->node, PY_MULT, c, stride) : NULL;
        sum = c && sum ? fe_binary(f, a->node, PY_ADD, sum, c) : c;
        if (!sum)
            return NULL;
    }
    return sum ? sum : fe_int(f, 0);
}

const struct value *fn_mpi_coordinates(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct fe_grid *g;
    const struct value *rank = fe_arg(a, 1, "rank");
    (void)b;
    if (!fe_grid_of(f, a->node, a->items[0], &g) || !fe_args_done(f, a, 2))
        return NULL;
    if (!g || g->parent || !rank || !fe_is_operand(rank))
        return !rank ? fe_error(f, a->node, "the number of the process is missing")
                     : fe_unsupported(f, a->node, "coordinates in anything but a whole grid");
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, g->rank + 1);
    for (uint32_t i = 0; i < g->rank; i++)
        if (!(items[i] = coordinate(f, a->node, g, rank, i)))
            return NULL;
    return fe_tuple(f, items, g->rank);
}

bool fe_count_processes(struct fe *f)
{
    if (!f->process && !f->processes)
        return true;
    struct block *first = f->region->blocks.items[0];
    const struct type *t = type_basic(f->ir, TYPE_I64);
    const struct value *one = fe_whole(f, fe_container(f, "one", t, NULL, 0));
    f->last = NULL;
    f->pending = NULL;
    const struct value *count = world_size(f);
    count->view.container->symbol = NULL; /* what the program made of it comes later */
    if (!fe_store(f, NULL, one, fe_int(f, 1), NULL))
        return false;
    struct fe_wire wires[2] = { { "_inbuffer", one, NULL, false }, { "_outbuffer", count, NULL, true } };
    fe_wired_node(f, "processes", "dace.libraries.mpi.nodes.allreduce.Allreduce", "{\"op\": \"MPI_SUM\"}", 2, wires);
    if (f->process) {
        const struct value *range = fe_as_symbol(f, NULL, count);
        struct state *st = fe_state(f, "process");
        struct tasklet *k = build_tasklet(st, "process", "", "__out", "__out = __process");
        struct map_entry *m = build_map(st, "process", fe_format(f, "__process = 0:%s", fe_text(f, fe_sym(f, range))));
        m->schedule = enum_builtin(f->ir, SCHEDULE_MPI);
        build_edge(&m->node, NULL, &k->node, NULL, NULL, NULL);
        build_path(fe_region(f, fe_whole(f, f->process), true), NULL, "__out", NULL, &k->node, m->exit,
                   fe_access(f, st, f->process, true), NULL);
    }
    build_transition(f->last, first, NULL, NULL);
    return true;
}

const struct value *fe_grid_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name)
{
    const char *module = v->kind == FE_TYPE ? "MPI.Request" : "MPI.Comm";
    bool rank = strcmp(name, "rank") == 0;
    if (v->kind == FE_GRID && (rank || strcmp(name, "size") == 0)) {
        struct fe_args a = { .node = n, .items = &v, .count = 1 };
        return fn_mpi_rank(f, fe_builtin_find(module, rank ? "Get_rank" : "Get_size"), &a);
    }
    const struct fe_builtin *b = fe_builtin_find(module, name);
    if (!b && v->self) /* the interpreter has more */
        return fe_attribute(f, n, v->self, name);
    if (!b) {
        const char *near = fe_builtin_near(module, name);
        return near ? fe_unsupported(f, n, "'%s' of %s; did you mean '%s'?", name, fe_describe(f, v), near)
                    : fe_unsupported(f, n, "'%s' of %s", name, fe_describe(f, v));
    }
    struct value *m = fe_new(f, FE_BUILTIN);
    m->builtin = b;
    m->self = v->kind == FE_GRID ? v : NULL;
    return m;
}
