/* Nests with a thread for each iteration. The innermost loop, whose iterations mostly touch neighbouring elements,
 * becomes x, the one around it y, and all others together z:
 *
 *     for i ... parallel {                  kernel nest grid(...) block(32, 4, 2) {
 *         for j ... {                           for z = blockIdx.z * 2 + threadIdx.z to I * J step gridDim.z * 2 {
 *             for k ... {                           i = z / J
 *                 for l = 0 to k {      ->          j = z % J
 *                     ...                           for k = blockIdx.y * 4 + threadIdx.y to K step gridDim.y * 4 {
 *                                                       l = blockIdx.x * 32 + threadIdx.x
 *                                                       if l < K { if l < k { ... } }
 *
 * Bounds that depend on loops around have limits, and threads that are beyond the bounds do nothing. */
#include "lower/opt/device/offload_group.h"
#include "lower/opt/device/offload_region.h"
#include "lower/opt/device/offload_rows.h"
#include "lower/opt/device/offload_team.h"
#include "lower/opt/device/offload_tile.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_BLOCKS = 65535 /* in y and z */, DIMENSIONS = 3, MOST_LOOPS = 8 };

static const struct type *int64_type(struct offload *o) { return type_basic(o->tree->ir, TYPE_I64); }

/* ---- which loops ---- */

/* From the outside in. */
struct grid {
    struct tree_stmt *loops[MOST_LOOPS];
    struct tree_frame frames[MOST_LOOPS];
    uint32_t num_loops, count; /* of dimensions */
    struct tree_scan scan;     /* of the nest */
    struct tree_stmt *body;
};

/* A value that the host knows and that is the same in the whole nest. */
static bool is_fixed(struct offload *o, const struct grid *g, const struct tree_expr *e)
{
    return !offload_on_device(o, e) && tree_scan_invariant(&g->scan, e);
}

/* What a bound of the next loop is at least, or at most, in the whole nest; NULL: nobody knows. */
static struct tree_expr *limit(struct offload *o, const struct grid *g, const struct tree_expr *bound, uint32_t loop,
                               bool high)
{
    struct region_limits l = { o->tree, &g->scan, loop ? &g->frames[loop - 1] : NULL };
    struct tree_expr *e = offload_region_limit(&l, bound, high);
    return e && !offload_on_device(o, e) ? e : NULL;
}

static bool is_rectangular(struct offload *o, const struct grid *g, const struct tree_stmt *loop)
{
    return is_fixed(o, g, loop->begin) && is_fixed(o, g, loop->end);
}

static bool has_limits(struct offload *o, const struct grid *g, const struct tree_stmt *loop)
{
    uint32_t n = g->num_loops;
    return expr_is_int(loop->step, 1) && limit(o, g, loop->begin, n, false) && limit(o, g, loop->end, n, true);
}

static void add_loop(struct grid *g, struct tree_stmt *loop)
{
    uint32_t n = g->num_loops++;
    g->loops[n] = loop;
    g->frames[n] = tree_frame_of(n ? &g->frames[n - 1] : NULL, loop);
    g->body = loop->body;
}

static void find_grid(struct offload *o, struct tree_stmt *nest, struct grid *g)
{
    *g = (struct grid){ .scan = { .arena = o->tree->scratch } };
    tree_scan_add(&g->scan, nest);
    add_loop(g, nest);
    while (g->num_loops < MOST_LOOPS && g->body->items.count == 1) {
        struct tree_stmt *inner = g->body->items.items[0];
        bool alike =
            inner->kind == STMT_FOR && (inner->loop.independent || (inner->loop.parallel && !nest->loop.independent));
        if (!alike || !is_fixed(o, g, inner->step) || !(is_rectangular(o, g, inner) || has_limits(o, g, inner)))
            break;
        add_loop(g, inner);
    }
    g->count = g->num_loops < DIMENSIONS ? g->num_loops : DIMENSIONS;
}

/* ---- code ---- */

/* A value for kernels: cheap to compute again, or kept by the host. */
static struct tree_expr *kept(struct offload *o, struct tree_stmt *out, struct tree_expr *e)
{
    struct tree_expr *wide = expr_cast(o->tree, int64_type(o), e);
    return wide->op == EXPR_VAR ? wide : stmt_variable(o->tree, out, "bound", wide);
}

static struct tree_expr *thread(struct offload *o, int which, uint32_t dimension)
{
    return expr_cast(o->tree, int64_type(o), expr_thread(o->tree, (enum tree_thread)(which + (int)dimension)));
}

static struct tree_expr *ints(struct offload *o, enum expr_op op, struct tree_expr *a, int64_t b)
{
    return expr_binary(o->tree, op, a, expr_i64(o->tree, b));
}

struct offload_range offload_range(struct offload *o, struct tree_stmt *out, struct tree_expr *begin,
                                   struct tree_expr *end, struct tree_expr *step, const struct place *place)
{
    return (struct offload_range){ kept(o, out, offload_value(o, out, begin, place)),
                                   kept(o, out, offload_value(o, out, end, place)),
                                   kept(o, out, offload_value(o, out, step, place)) };
}

static struct offload_range range_of(struct offload *o, const struct grid *g, struct tree_stmt *out, uint32_t loop)
{
    const struct tree_stmt *s = g->loops[loop];
    struct tree_expr *begin = loop ? limit(o, g, s->begin, loop, false) : s->begin;
    struct tree_expr *end = loop ? limit(o, g, s->end, loop, true) : s->end;
    return offload_range(o, out, begin, end, s->step, s->place);
}

struct tree_expr *offload_trips(struct offload *o, const struct offload_range *r)
{
    struct tree *t = o->tree;
    struct tree_expr *count = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_SUB, r->end, r->begin), expr_i64(t, 0));
    if (!expr_is_int(r->step, 1))
        count = expr_binary(t, EXPR_DIV, ints(o, EXPR_SUB, expr_binary(t, EXPR_ADD, count, r->step), 1), r->step);
    return count;
}

static const int64_t block_sizes[DIMENSIONS][DIMENSIONS] = { { 256, 1, 1 }, { 32, 8, 1 }, { 32, 4, 2 } };

/* Of threads with several rows: tiles whose borders are short, and rows along which whole sectors are read. */
static const int64_t row_block_sizes[DIMENSIONS][DIMENSIONS] = { { 256, 1, 1 }, { 64, 4, 1 }, { 32, 2, 4 } };

/* Threads that combine what they have do more than one iteration each, if there are many. */
static const int64_t group_blocks[DIMENSIONS][DIMENSIONS] = { { 1024 }, { 16, 64 }, { 8, 16, 8 } };

struct device_nest {
    struct grid grid;
    struct offload_group all; /* reductions of all iterations */
    struct offload_group row; /* of those of the innermost loop: the threads of a warp */
    bool breaks;              /* out of the innermost body */
    struct tree_expr *rows;   /* of a thread, a value of the host; NULL: one */
    int64_t most_x;           /* values; 0: not known */
    struct tree_expr *few;    /* threads of a block, a value of the host; NULL: as usual */
    struct tree_expr *blocks[DIMENSIONS];
};

/* 0: as many as there are values, so that each thread has one. */
static int64_t most_blocks(const struct device_nest *n, uint32_t d)
{
    if (n->all.count || (n->row.count && d == 0))
        return group_blocks[n->grid.count - 1][d];
    return d == 0 && !n->breaks ? 0 : d == 0 ? INT32_MAX : MOST_BLOCKS;
}

/* The counter of a loop gets its value; what is in the block that this gives runs if that is within the bounds. */
static struct tree_stmt *enter(struct offload *o, const struct grid *g, struct tree_stmt *block, uint32_t loop,
                               struct tree_expr *value)
{
    struct tree *t = o->tree;
    const struct tree_stmt *s = g->loops[loop];
    if (value->op != EXPR_VAR || value->var != s->var)
        stmt_assign(t, block, s->var, expr_cast(t, s->var->type, value));
    struct tree_expr *i = expr_var(t, s->var);
    if (loop && !is_fixed(o, g, s->begin))
        block = stmt_if(t, block, expr_binary(t, EXPR_GE, i, s->begin))->body;
    if (loop && !is_fixed(o, g, s->end))
        block = stmt_if(t, block, expr_binary(t, EXPR_LT, i, s->end))->body;
    return block;
}

/* Where there are fewer values of x than a block has for them, it has more of y. */
static int64_t block_size(const struct device_nest *n, uint32_t d)
{
    const int64_t *sizes = (n->rows ? row_block_sizes : block_sizes)[n->grid.count - 1];
    int64_t x = sizes[0];
    if (d > 1 || n->grid.count < 2 || n->row.count)
        return sizes[d];
    while (n->most_x && x / 2 >= n->most_x)
        x /= 2;
    return d ? sizes[1] * (sizes[0] / x) : x;
}

static struct tree_expr *threads_of(struct offload *o, const struct device_nest *n, uint32_t d)
{
    return n->few && d == 0 ? n->few : expr_i64(o->tree, block_size(n, d));
}

/* Opens the code for one dimension: what is in the block it gives runs for all values of a number that counts from the
 * first by steps. */
static struct tree_stmt *open_range(struct offload *o, struct tree_stmt *block, struct device_nest *n, uint32_t d,
                                    struct tree_var *i, const struct offload_range *r, struct tree_expr *count)
{
    struct tree *t = o->tree;
    struct tree_expr *size = threads_of(o, n, d), *before = ints(o, EXPR_SUB, size, 1);
    int64_t most = most_blocks(n, d);
    n->blocks[d] = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_ADD, count, before), size);
    struct tree_expr *number = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, thread(o, THREAD_BLOCK, d), size),
                                           thread(o, THREAD_INDEX, d));
    struct tree_expr *first = expr_binary(t, EXPR_ADD, r->begin, expr_binary(t, EXPR_MUL, number, r->step));
    if (!most) {
        stmt_assign(t, block, i, first);
        return stmt_if(t, block, expr_binary(t, EXPR_LT, expr_var(t, i), r->end))->body;
    }
    n->blocks[d] = ints(o, EXPR_MIN, n->blocks[d], most);
    struct tree_expr *stride =
        expr_binary(t, EXPR_MUL, expr_binary(t, EXPR_MUL, thread(o, THREAD_GRID_SIZE, d), size), r->step);
    struct tree_stmt *loop = stmt_for(t, block, i, first, r->end, stride);
    loop->loop.rolled = most >= MOST_BLOCKS; /* one iteration, mostly */
    return loop->body;
}

static struct tree_stmt *open_loop(struct offload *o, struct tree_stmt *out, struct tree_stmt *block,
                                   struct device_nest *n, uint32_t d, uint32_t loop)
{
    const struct tree_stmt *s = n->grid.loops[loop];
    struct offload_range r = range_of(o, &n->grid, out, loop);
    struct tree_var *i = s->var->type == int64_type(o) ? s->var : tree_var(o->tree, s->var->name, int64_type(o));
    block = open_range(o, block, n, d, i, &r, offload_trips(o, &r));
    return enter(o, &n->grid, block, loop, expr_var(o->tree, i));
}

/* The first loops as one dimension. */
static struct tree_stmt *open_loops(struct offload *o, struct tree_stmt *out, struct tree_stmt *block,
                                    struct device_nest *n, uint32_t d, uint32_t num_loops)
{
    struct tree *t = o->tree;
    struct offload_range ranges[MOST_LOOPS];
    struct tree_expr *counts[MOST_LOOPS], *all = expr_i64(t, 1), *values[MOST_LOOPS];
    for (uint32_t i = 0; i < num_loops; i++) {
        ranges[i] = range_of(o, &n->grid, out, i);
        counts[i] = kept(o, out, offload_trips(o, &ranges[i]));
        all = expr_binary(t, EXPR_MUL, all, counts[i]);
    }
    all = kept(o, out, all);
    struct tree_var *number = tree_var(t, "z", int64_type(o));
    struct offload_range whole = { expr_i64(t, 0), all, expr_i64(t, 1) };
    block = open_range(o, block, n, d, number, &whole, all);
    struct tree_expr *rest = expr_var(t, number);
    for (uint32_t i = num_loops; i-- > 0;) {
        struct tree_expr *quotient = i ? stmt_variable(t, block, "z", expr_binary(t, EXPR_DIV, rest, counts[i])) : rest;
        struct tree_expr *k = i ? expr_binary(t, EXPR_SUB, rest, expr_binary(t, EXPR_MUL, quotient, counts[i])) : rest;
        values[i] = expr_binary(t, EXPR_ADD, ranges[i].begin, expr_binary(t, EXPR_MUL, k, ranges[i].step));
        rest = quotient;
    }
    for (uint32_t i = 0; i < num_loops; i++)
        block = enter(o, &n->grid, block, i, values[i]);
    return block;
}

/* ---- which loop is x ---- */

enum { CLOSE_ELEMENTS = 16, FAR = 1, CLOSE = 2, NEXT = 4 };

struct nearness {
    const struct tree_var *v;
    uint32_t near; /* accesses, with weights, of elements close to those of the iteration before */
};

static void see_access(struct nearness *w, const struct tree_expr *pointer, const struct tree_expr *index)
{
    struct linear at;
    int64_t by, sum = 0;
    bool known = true;
    for (; known && index; index = pointer->op == EXPR_OFFSET ? pointer->args[1] : NULL) {
        linear_of(&at, index);
        known = at.known && linear_take(&at, w->v, &by);
        sum += known ? by : 0;
        pointer = pointer->op == EXPR_OFFSET ? pointer->args[0] : pointer;
    }
    if (!known || sum == 0)
        return;
    w->near += sum >= -1 && sum <= 1 ? NEXT : sum >= -CLOSE_ELEMENTS && sum <= CLOSE_ELEMENTS ? CLOSE : FAR;
}

static void see_loaded(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_LOAD)
        see_access(user, e->args[0], e->args[1]);
}

static void see_loads(void *user, struct tree_expr **e) { expr_visit(*e, see_loaded, user); }

static bool see_accesses(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_loads, user);
    if (s->kind == STMT_STORE || s->kind == STMT_REDUCE)
        see_access(user, s->pointer, s->index);
    return true;
}

static uint32_t nearness_of(const struct grid *g, uint32_t loop)
{
    struct nearness w = { .v = g->loops[loop]->var };
    stmt_visit(g->body, see_accesses, &w);
    return w.near;
}

/* The loop whose iterations most often touch neighbours becomes the innermost one; the iterations may run in any order.
 */
static void choose_x(struct grid *g)
{
    uint32_t last = g->num_loops - 1, x = last, most = nearness_of(g, last);
    for (uint32_t i = last; i-- > 0;) {
        uint32_t near = nearness_of(g, i);
        if (near <= most)
            continue;
        most = near;
        x = i;
    }
    struct tree_stmt *loop = g->loops[x];
    for (; x < last; x++)
        g->loops[x] = g->loops[x + 1];
    g->loops[last] = loop;
}

static int64_t values_of_x(struct offload *o, const struct grid *g)
{
    const struct tree_stmt *loop = g->loops[g->num_loops - 1];
    struct offload_range r = { expr_cast(o->tree, int64_type(o), loop->begin),
                               expr_cast(o->tree, int64_type(o), loop->end),
                               expr_cast(o->tree, int64_type(o), loop->step) };
    struct tree_expr *trips = offload_trips(o, &r);
    return trips->op == EXPR_INT && trips->i > 0 ? trips->i : 0;
}

/* ---- several rows for each thread ---- */

static bool is_regular(struct offload *o, const struct device_nest *n);

/* Does a thread do better with rows? They are the iterations of the loop that is y. */
static void find_rows(struct offload *o, struct tree_stmt *out, struct device_nest *n)
{
    struct tree *t = o->tree;
    const struct grid *g = &n->grid;
    if (g->count < 2 || n->breaks || !is_regular(o, n) || !offload_rows_fit(g->body, false))
        return;
    for (uint32_t i = 0; i < g->num_loops; i++)
        if (!expr_is_int(g->loops[i]->step, 1))
            return;
    struct tree_expr *all = expr_i64(t, 1);
    for (uint32_t i = 0; i < g->num_loops; i++) {
        struct offload_range r = range_of(o, g, out, i);
        all = expr_binary(t, EXPR_MUL, all, offload_trips(o, &r));
    }
    struct tree_expr *rows = offload_rows_count(t, all);
    if (!expr_is_int(rows, 1))
        n->rows = kept(o, out, rows);
}

/* for i = begin + thread * rows to end step threads * rows { up to so many rows } */
static void write_rows(struct offload *o, struct tree_stmt *out, struct tree_stmt *block, struct device_nest *n)
{
    struct tree *t = o->tree;
    uint32_t loop = n->grid.num_loops - 2;
    int64_t size = block_size(n, 1);
    struct offload_range r = range_of(o, &n->grid, out, loop);
    struct tree_expr *together = kept(o, out, ints(o, EXPR_MUL, n->rows, size));
    struct tree_expr *count = ints(o, EXPR_SUB, expr_binary(t, EXPR_ADD, offload_trips(o, &r), together), 1);
    n->blocks[1] = ints(o, EXPR_MIN, expr_binary(t, EXPR_DIV, count, together), MOST_BLOCKS);
    struct tree_expr *number =
        expr_binary(t, EXPR_ADD, ints(o, EXPR_MUL, thread(o, THREAD_BLOCK, 1), size), thread(o, THREAD_INDEX, 1));
    struct tree_expr *first = expr_binary(t, EXPR_ADD, r.begin, expr_binary(t, EXPR_MUL, number, n->rows));
    struct tree_expr *stride = expr_binary(t, EXPR_MUL, thread(o, THREAD_GRID_SIZE, 1), together);
    struct tree_var *i = tree_var(t, "first", int64_type(o));
    struct tree_stmt *rows = stmt_for(t, block, i, first, r.end, stride)->body;
    struct tree_expr *end = expr_binary(t, EXPR_MIN, expr_binary(t, EXPR_ADD, expr_var(t, i), n->rows), r.end);
    struct tree_expr *last = stmt_variable(t, rows, "last", end);
    offload_rows(t, rows, n->grid.body, n->grid.loops[loop]->var, expr_var(t, i), last);
}

/* x is outermost: its test stands around all rows. */
static void write_nest_of_rows(struct offload *o, struct tree_stmt *out, struct tree_stmt *all, struct device_nest *n)
{
    uint32_t loops = n->grid.num_loops;
    struct tree_stmt *inside = open_loop(o, out, all, n, 0, loops - 1);
    if (n->grid.count == DIMENSIONS)
        inside = loops > DIMENSIONS ? open_loops(o, out, inside, n, 2, loops - 2)
                                    : open_loop(o, out, inside, n, 2, loops - DIMENSIONS);
    write_rows(o, out, inside, n);
}

/* ---- few threads ---- */

static bool see_loop(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= stmt_is_loop(s);
    return !*found;
}

/* Iterations that take long, and are not enough for whole blocks on all multiprocessors, come in blocks of a warp. */
static void find_few(struct offload *o, struct tree_stmt *out, struct device_nest *n)
{
    enum { WARP = 32, WHOLE = 256, ENOUGH = 1 << 15 };
    struct tree *t = o->tree;
    bool loops = false;
    stmt_visit(n->grid.body, see_loop, &loops);
    if (!loops || n->grid.count > 1 || n->all.count)
        return;
    struct offload_range r = range_of(o, &n->grid, out, 0);
    struct tree_expr *many = expr_binary(t, EXPR_GE, offload_trips(o, &r), expr_i64(t, ENOUGH));
    struct tree_expr *threads = expr_select(t, many, expr_i64(t, WHOLE), expr_i64(t, WARP));
    n->few = expr_is_int(threads, WHOLE) ? NULL : kept(o, out, threads);
}

static void write_nest(struct offload *o, struct tree_stmt *out, struct tree_stmt *all, struct device_nest *n)
{
    struct tree_stmt *inside = all, *rows = all;
    uint32_t dimensions = n->grid.count, loops = n->grid.num_loops;
    offload_group_begin(o, &n->all, all);
    for (uint32_t d = dimensions; d-- > 0;) {
        if (d == 0) {
            rows = inside;
            offload_group_begin(o, &n->row, rows);
        }
        uint32_t first = loops - 1 - d;
        inside = d == DIMENSIONS - 1 && first > 0 ? open_loops(o, out, inside, n, d, first + 1)
                                                  : open_loop(o, out, inside, n, d, first);
    }
    stmt_append(o->tree, inside, n->grid.body);
    offload_group_end(o, &n->row, rows);
    offload_group_end(o, &n->all, all);
}

/* No results that all threads combine, and a rectangular iteration space. */
static bool is_regular(struct offload *o, const struct device_nest *n)
{
    for (uint32_t i = 0; i < n->grid.num_loops; i++)
        if (!is_rectangular(o, &n->grid, n->grid.loops[i]))
            return false;
    return !n->all.count && !n->row.count;
}

void offload_nest(struct offload *o, struct tree_stmt *out, struct tree_stmt *loop)
{
    struct tree *t = o->tree;
    struct device_nest n = { .breaks = false };
    find_grid(o, loop, &n.grid);
    uint32_t count = n.grid.count;
    if (count == 1 && offload_team(o, out, n.grid.loops, 1))
        return;
    offload_group_find(o, loop, loop, TREE_BLOCK, &n.all);
    n.all.keeps = true;
    if (count > 1)
        offload_group_find(o, loop, n.grid.loops[n.grid.num_loops - 1], TREE_WARP, &n.row);
    bool alone = !n.all.count && !n.row.count; /* no results that threads combine */
    struct tree_stmt *few = count > 1 && alone ? offload_tile(o, out, n.grid.loops, n.grid.num_loops) : NULL;
    out = few ? few : out;
    if (count > 1 && is_regular(o, &n) && offload_team(o, out, n.grid.loops, n.grid.num_loops))
        return;
    struct tree_scan scan = { .arena = t->scratch }, body = { .arena = t->scratch };
    struct tree_stmt *all = stmt_block(t);
    tree_scan_add(&scan, loop);
    tree_scan_add(&body, n.grid.body);
    n.breaks = body.breaks;
    offload_load_cells(o, all, &scan, NULL);
    if (count > 1 && !n.breaks && is_regular(o, &n))
        choose_x(&n.grid);
    n.most_x = values_of_x(o, &n.grid);
    find_rows(o, out, &n);
    find_few(o, out, &n);
    (n.rows ? write_nest_of_rows : write_nest)(o, out, all, &n);
    offload_group_take(o, &n.all, out, n.blocks, count);
    struct tree_stmt *k = offload_kernel(o, out, "nest", all, loop->place, false);
    for (uint32_t d = 0; d < count; d++) {
        k->args[KERNEL_GRID + d] = n.blocks[d];
        k->args[KERNEL_BLOCK + d] = threads_of(o, &n, d);
    }
    if (n.few && n.few->op != EXPR_INT) {
        struct tree_kernel *kernel = NEW(t->arena, struct tree_kernel);
        kernel->most_threads = (uint32_t)block_size(&n, 0);
        k->kernel = kernel;
    }
    offload_group_combine(o, &n.all, out, n.blocks, count);
}
