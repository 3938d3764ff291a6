/* Tiles: sums of products of two operands, one of which does not depend on one of two loops and the other not on the
 * other, as in products of matrices. A block of threads computes TILE x TILE results, each thread several of them in
 * registers, from strips of both operands that the block keeps in shared memory.
 *
 *     for i = 0 to M parallel {                 kernel tile grid((N + 63) / 64, (M + 63) / 64, 1) block(16, 16, 1) {
 *         for j = 0 to N {                          a = shared T[16 * 65], b = shared T[16 * 65], acc = stack T[16]
 *             sum = 0                               for k' = 0 to K step 16 {
 *             for k = 0 to K {                          a, b = strips of A and B, all threads
 *                 sum = sum + A[i, k] * B[k, j] ->      barrier block
 *             }                                         for k = k' to k' + 16 { acc[r, c] += a[r, k] * b[k, c] }
 *             C[i, j] = sum + D[i, j]                   barrier block
 *         }                                         }
 *     }                                             C[i, j] = acc + D[i, j], for the results of the thread
 *                                               }
 *
 * Any types, strides, transposed operands, factors and statements around the sum are allowed, terms of up to four
 * operands, and loops that all operands depend on (several products at once). The last strip may be shorter; threads
 * beyond M or N load nothing and store nothing. One bound of rows or columns may depend on the other ones (triangles):
 * tiles without results are left out, and nothing is loaded for rows without columns.
 *
 * Legality: The nest is one of independent iterations, which load what they sum up before they store anything. Terms of
 * a result keep their order, and floating-point ones begin with what is in front of them. Profitability: Operands are
 * loaded TILE times less often from memory. If the results do not make enough blocks, or sums are short, a thread for
 * each result does better: the host decides. */
#include "lower/opt/device/offload_tile.h"
#include "lower/opt/device/offload_region.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"

enum {
    SIDE = 16, /* threads of a block, in x and y */
    EACH = TILE / SIDE,
    THREADS = SIDE * SIDE,
    LEAST_DEPTH = 64,
    LEAST_TILES = 32
};

static struct tree_expr *number(const struct tile_nest *w, int64_t n) { return expr_i64(w->tree, n); }

static struct tree_expr *op(const struct tile_nest *w, enum expr_op which, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(w->tree, which, a, b);
}

static struct tree_expr *id(const struct tile_nest *w, enum tree_thread which)
{
    return expr_cast(w->tree, type_basic(w->tree->ir, TYPE_I64), expr_thread(w->tree, which));
}

/* a + thread + SIDE * n */
static struct tree_expr *own(const struct tile_nest *w, struct tree_expr *a, enum tree_thread thread,
                             struct tree_expr *n)
{
    struct tree_expr *place = op(w, EXPR_ADD, id(w, thread), op(w, EXPR_MUL, n, number(w, SIDE)));
    return a ? op(w, EXPR_ADD, a, place) : place;
}

/* for v = 0 to count, copied by the compiler: what is indexed by v is in registers */
static struct tree_stmt *copies(const struct tile_nest *w, struct tree_stmt *out, const char *name, int64_t count,
                                struct tree_expr **v)
{
    struct tree_var *var = tree_var(w->tree, name, type_basic(w->tree->ir, TYPE_I64));
    struct tree_stmt *s = stmt_for(w->tree, out, var, number(w, 0), number(w, count), number(w, 1));
    s->loop.unroll = true;
    *v = expr_var(w->tree, var);
    return s->body;
}

static struct tree_var *take(struct tile_nest *w, struct tree_stmt *out, const char *name, const struct type *type,
                             int64_t count, enum tree_memory where, uint32_t *alias)
{
    struct tree_var *v = tree_var(w->tree, name, type_pointer(w->tree->ir, type));
    struct tree_stmt *s = stmt_alloc(w->tree, out, v, type, number(w, count), where);
    s->alias = *alias = w->tree->num_aliases++;
    return v;
}

/* Has the row or column something to do in the tile? */
static struct tree_expr *is_inside(struct tile_nest *w, uint32_t side, struct tree_expr *place)
{
    struct tree_expr *there = op(w, EXPR_LT, place, w->ranges[w->sides[side]].end);
    if (w->bounded == side) {
        there = op(w, EXPR_LT, place, w->to);
        if (!w->high)
            there = op(w, EXPR_LOGICAL_AND, op(w, EXPR_GE, place, w->from), there);
    } else if (w->bounded != 2) {
        struct tree_expr *other = offload_tile_bound(w, w->bounded, w->high, place);
        const struct offload_range *r = &w->ranges[w->sides[w->bounded]];
        there =
            op(w, EXPR_LOGICAL_AND, there, w->high ? op(w, EXPR_LT, r->begin, other) : op(w, EXPR_LT, other, r->end));
    }
    return there;
}

/* Does the sum of the row or column, whose bound depends on it, have term k? */
static struct tree_expr *is_term_of(const struct tile_nest *w, struct tree_expr *place, struct tree_expr *k)
{
    return op(w, w->deep_high ? EXPR_LT : EXPR_GE, k, offload_tile_depth(w, place));
}

/* The strip of an operand from k on, with at most so many elements along k. */
static void load_strip(struct tile_nest *w, struct tree_stmt *out, const struct tile_operand *x, struct tree_expr *k,
                       struct tree_expr *most)
{
    struct tree *t = w->tree;
    const struct type *type = x->load->type;
    int64_t fast = x->deep ? TILE_DEPTH : TILE; /* both are powers of two */
    struct tree_expr *n;
    struct tree_stmt *b = copies(w, out, "n", TILE * TILE_DEPTH / THREADS, &n);
    n = stmt_variable(t, b, "n", op(w, EXPR_ADD, w->thread, op(w, EXPR_MUL, n, number(w, THREADS))));
    struct tree_expr *low = stmt_variable(t, b, "low", op(w, EXPR_AND, n, number(w, fast - 1)));
    struct tree_expr *high =
        stmt_variable(t, b, "high", op(w, EXPR_SHR, n, number(w, __builtin_ctzll((uint64_t)fast))));
    struct tree_expr *along = x->deep ? low : high, *across = x->deep ? high : low;
    struct tree_expr *place = op(w, EXPR_ADD, w->first[x->side], across);
    struct tree_expr *there = op(w, EXPR_LOGICAL_AND, is_inside(w, x->side, place), op(w, EXPR_LT, along, most));
    struct tree_var *value = tree_var(t, "value", type);
    stmt_assign(t, b, value, expr_zero(t, type));
    if (w->deep == x->side)
        there = op(w, EXPR_LOGICAL_AND, there, is_term_of(w, place, op(w, EXPR_ADD, k, along)));
    struct tree_stmt *in = stmt_if(t, b, there);
    stmt_assign(t, in->body, value, (struct tree_expr *)x->load)->place = w->place;
    stmt_substitute(t, in->body, w->loops[w->sides[x->side]]->var, place);
    stmt_substitute(t, in->body, w->sum->var, op(w, EXPR_ADD, k, along));
    struct tree_expr *at = op(w, EXPR_ADD, op(w, EXPR_MUL, along, number(w, TILE_PITCH)), across);
    stmt_store(t, b, expr_var(t, x->strip), at, expr_var(t, value), x->alias);
}

struct terms {
    struct tile_nest *nest;
    struct tree_expr *at[2];
};

static struct tree_expr *term(const struct terms *x, const struct tree_expr *e)
{
    struct tree *t = x->nest->tree;
    for (uint32_t i = 0; e->op == EXPR_LOAD && i < x->nest->num_operands; i++) {
        const struct tile_operand *o = &x->nest->operands[i];
        if (expr_equal(e, o->load))
            return expr_load(t, e->type, expr_var(t, o->element), x->at[o->side], o->element_alias);
    }
    if (!e->num_args)
        return (struct tree_expr *)e;
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = term(x, e->args[i]);
    return copy;
}

/* The terms of element `k` of the strips, which begin with `begin`. */
static void add_terms(struct tile_nest *w, struct tree_stmt *out, struct tree_expr *begin, struct tree_expr *k)
{
    struct tree *t = w->tree;
    const struct type *type = w->acc->type;
    struct tree_expr *n, *r, *c;
    struct tree_expr *row = op(w, EXPR_MUL, k, number(w, TILE_PITCH));
    for (uint32_t i = 0; i < w->num_operands; i++) {
        const struct tile_operand *x = &w->operands[i];
        struct tree_stmt *b = copies(w, out, x->side ? "c" : "r", EACH, &n);
        struct tree_expr *at = op(w, EXPR_ADD, row, own(w, NULL, x->side ? THREAD_INDEX : THREAD_INDEX + 1, n));
        stmt_store(t, b, expr_var(t, x->element), n, expr_load(t, x->load->type, expr_var(t, x->strip), at, x->alias),
                   x->element_alias);
    }
    struct tree_stmt *b = copies(w, out, "r", EACH, &r);
    if (w->deep == 0)
        b = stmt_if(t, b, is_term_of(w, own(w, w->first[0], THREAD_INDEX + 1, r), op(w, EXPR_ADD, begin, k)))->body;
    b = copies(w, b, "c", EACH, &c);
    if (w->deep == 1)
        b = stmt_if(t, b, is_term_of(w, own(w, w->first[1], THREAD_INDEX, c), op(w, EXPR_ADD, begin, k)))->body;
    const struct terms x = { w, { r, c } };
    struct tree_expr *at = op(w, EXPR_ADD, op(w, EXPR_MUL, r, number(w, EACH)), c);
    struct tree_expr *results = expr_var(t, w->results), *old = expr_load(t, type, results, at, w->results_alias);
    stmt_store(t, b, results, at, op(w, w->op, old, term(&x, w->term)), w->results_alias)->place = w->place;
}

static void barrier(const struct tile_nest *w, struct tree_stmt *out)
{
    stmt_new(w->tree, out, STMT_BARRIER)->loop.level = TREE_BLOCK;
}

/* Code for each result of the thread, at `*at` of its results. */
static struct tree_stmt *open_results(struct tile_nest *w, struct tree_stmt *out, struct tree_expr **at)
{
    struct tree *t = w->tree;
    struct tree_expr *r, *c;
    struct tree_stmt *b = copies(w, out, "r", EACH, &r);
    const struct tree_stmt *rows = w->loops[w->sides[0]], *columns = w->loops[w->sides[1]];
    stmt_assign(t, b, rows->var, own(w, w->first[0], THREAD_INDEX + 1, r));
    b = stmt_if(t, b, op(w, EXPR_LT, expr_var(t, rows->var), w->ranges[w->sides[0]].end))->body;
    b = copies(w, b, "c", EACH, &c);
    stmt_assign(t, b, columns->var, own(w, w->first[1], THREAD_INDEX, c));
    b = stmt_if(t, b, op(w, EXPR_LT, expr_var(t, columns->var), w->ranges[w->sides[1]].end))->body;
    if (w->bounded != 2) {
        const struct tree_stmt *s = w->loops[w->sides[w->bounded]];
        b = stmt_if(t, b, op(w, w->high ? EXPR_LT : EXPR_GE, expr_var(t, s->var), w->high ? s->end : s->begin))->body;
    }
    *at = op(w, EXPR_ADD, op(w, EXPR_MUL, r, number(w, EACH)), c);
    return b;
}

/* What sums begin with. */
static void write_begin(struct tile_nest *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_expr *n, *at;
    struct tree_stmt *b = copies(w, out, "n", EACH * EACH, &n);
    stmt_store(t, b, expr_var(t, w->results), n, reduce_identity(t, w->wcr, w->acc->type), w->results_alias);
    if (!w->ordered)
        return;
    b = open_results(w, out, &at);
    for (uint32_t i = 0; w->body->items.items[i] != w->sum; i++)
        stmt_append(t, b, stmt_clone(t, w->body->items.items[i]));
    stmt_store(t, b, expr_var(t, w->results), at, expr_var(t, w->acc), w->results_alias);
}

static void write_sums(struct tile_nest *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_var *first = tree_var(t, w->sum->var->name, type_basic(t->ir, TYPE_I64)),
                    *k = tree_var(t, "k", first->type);
    struct tree_expr *low = w->depth.begin, *high = w->depth.end;
    if (w->deep != 2) { /* of all rows, or columns, of the tile */
        const struct offload_range *r = &w->ranges[w->sides[w->deep]];
        struct tree_expr *last = op(w, EXPR_MIN, op(w, EXPR_ADD, w->first[w->deep], number(w, TILE)), r->end);
        struct tree_expr *at = w->deep_rising == w->deep_high ? op(w, EXPR_SUB, last, number(w, 1)) : w->first[w->deep];
        struct tree_expr *bound = stmt_variable(t, out, w->deep_high ? "to" : "from", offload_tile_depth(w, at));
        low = w->deep_high ? low : bound;
        high = w->deep_high ? bound : high;
    }
    struct tree_stmt *strips = stmt_for(t, out, first, low, high, number(w, TILE_DEPTH));
    struct tree_expr *begin = expr_var(t, first), *rest = op(w, EXPR_SUB, high, begin);
    struct tree_expr *most = stmt_variable(t, strips->body, "depth", op(w, EXPR_MIN, rest, number(w, TILE_DEPTH)));
    for (uint32_t i = 0; i < w->num_operands; i++)
        load_strip(w, strips->body, &w->operands[i], begin, most);
    barrier(w, strips->body);
    struct tree_stmt *strip = stmt_for(t, strips->body, k, number(w, 0), most, number(w, 1));
    strip->loop.rolled = true; /* copies of that much take a compiler long */
    add_terms(w, strip->body, begin, expr_var(t, k));
    barrier(w, strips->body);
}

/* What each result is for, with the sum as it was computed. */
static void write_results(struct tile_nest *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_expr *at;
    struct tree_stmt *b = open_results(w, out, &at);
    struct tree_expr *sum = expr_load(t, w->acc->type, expr_var(t, w->results), at, w->results_alias);
    for (uint32_t i = 0; i < w->body->items.count; i++) {
        const struct tree_stmt *s = w->body->items.items[i];
        if (s == w->sum)
            stmt_assign(t, b, w->acc, w->ordered ? sum : op(w, w->op, expr_var(t, w->acc), sum))->place = w->place;
        else
            stmt_append(t, b, stmt_clone(t, s));
    }
}

/* Loops that are neither rows nor columns, as one number. */
static struct tree_stmt *open_batch(struct tile_nest *w, struct tree_stmt *out, struct tree_stmt *b,
                                    struct tree_expr **count)
{
    struct tree *t = w->tree;
    struct tree_expr *counts[TILE_LOOPS];
    *count = number(w, 1);
    for (uint32_t i = 0; i < w->num_loops; i++)
        if (i != w->sides[0] && i != w->sides[1]) {
            counts[i] = stmt_variable(t, out, "count", offload_trips(w->offload, &w->ranges[i]));
            *count = op(w, EXPR_MUL, *count, counts[i]);
        }
    if (w->num_loops == 2)
        return b;
    *count = stmt_variable(t, out, "count", *count);
    struct tree_var *z = tree_var(t, "z", type_basic(t->ir, TYPE_I64));
    b = stmt_for(t, b, z, id(w, THREAD_BLOCK + 2), *count, id(w, THREAD_GRID_SIZE + 2))->body;
    struct tree_expr *rest = expr_var(t, z);
    for (uint32_t i = w->num_loops; i-- > 0;)
        if (i != w->sides[0] && i != w->sides[1]) {
            stmt_assign(t, b, w->loops[i]->var, op(w, EXPR_ADD, w->ranges[i].begin, op(w, EXPR_REM, rest, counts[i])));
            rest = stmt_variable(t, b, "z", op(w, EXPR_DIV, rest, counts[i]));
        }
    return b;
}

static struct tree_expr *tiles_of(struct tile_nest *w, struct tree_stmt *out, uint32_t loop)
{
    struct tree_expr *trips = offload_trips(w->offload, &w->ranges[loop]);
    return stmt_variable(w->tree, out, "tiles",
                         op(w, EXPR_DIV, op(w, EXPR_ADD, trips, number(w, TILE - 1)), number(w, TILE)));
}

/* Memory of the block, and of the thread. */
static void take_memory(struct tile_nest *w, struct tree_stmt *all)
{
    for (uint32_t i = 0; i < w->num_operands; i++) {
        struct tile_operand *x = &w->operands[i];
        x->strip =
            take(w, all, x->side ? "columns" : "rows", x->load->type, TILE_DEPTH * TILE_PITCH, TREE_SHARED, &x->alias);
        x->element = take(w, all, x->side ? "column" : "row", x->load->type, EACH, TREE_STACK, &x->element_alias);
    }
    w->results = take(w, all, "results", w->acc->type, (int64_t)EACH * EACH, TREE_STACK, &w->results_alias);
    w->thread =
        stmt_variable(w->tree, all, "thread",
                      op(w, EXPR_ADD, id(w, THREAD_INDEX), op(w, EXPR_MUL, id(w, THREAD_INDEX + 1), number(w, SIDE))));
}

/* Where a bound of one side depends on the other one: what it is, at most, in the tile, and a branch for tiles with
 * results. */
static struct tree_stmt *enter_bounded(struct tile_nest *w, struct tree_stmt *b)
{
    uint32_t side = w->bounded;
    if (side == 2)
        return b;
    const struct offload_range *r = &w->ranges[w->sides[side]], *other = &w->ranges[w->sides[1 - side]];
    struct tree_expr *last = op(w, EXPR_MIN, op(w, EXPR_ADD, w->first[1 - side], number(w, TILE)), other->end);
    struct tree_expr *at = w->rising == w->high ? op(w, EXPR_SUB, last, number(w, 1)) : w->first[1 - side];
    struct tree_expr *bound = offload_tile_bound(w, side, w->high, at);
    w->from = w->high ? r->begin : stmt_variable(w->tree, b, "from", op(w, EXPR_MAX, bound, r->begin));
    w->to = w->high ? stmt_variable(w->tree, b, "to", op(w, EXPR_MIN, bound, r->end)) : r->end;
    struct tree_expr *some = w->high ? op(w, EXPR_LT, w->first[side], w->to)
                                     : op(w, EXPR_GT, op(w, EXPR_ADD, w->first[side], number(w, TILE)), w->from);
    return stmt_if(w->tree, b, some)->body;
}

static void write_kernel(struct tile_nest *w, struct tree_stmt *out, struct tree_expr *const *tiles)
{
    enum { MOST_BLOCKS = 65535 };
    struct tree *t = w->tree;
    struct offload *o = w->offload;
    struct tree_stmt *all = stmt_block(t);
    struct tree_expr *count;
    offload_load_cells(o, all, &w->scan, NULL);
    take_memory(w, all);
    struct tree_stmt *b = open_batch(w, out, all, &count);
    struct tree_var *row = tree_var(t, "tile", type_basic(t->ir, TYPE_I64));
    b = stmt_for(t, b, row, id(w, THREAD_BLOCK + 1), tiles[0], id(w, THREAD_GRID_SIZE + 1))->body;
    struct tree_expr *at[] = { expr_var(t, row), id(w, THREAD_BLOCK) };
    for (uint32_t side = 0; side < 2; side++)
        w->first[side] =
            stmt_variable(t, b, side ? "column" : "row",
                          op(w, EXPR_ADD, w->ranges[w->sides[side]].begin, op(w, EXPR_MUL, at[side], number(w, TILE))));
    b = enter_bounded(w, b);
    write_begin(w, b);
    write_sums(w, b);
    write_results(w, b);
    struct tree_stmt *k = offload_kernel(o, out, "tile", all, w->loops[0]->place, false);
    struct tree_expr *grid[] = { tiles[1], op(w, EXPR_MIN, tiles[0], number(w, MOST_BLOCKS)),
                                 op(w, EXPR_MIN, count, number(w, MOST_BLOCKS)) };
    for (uint32_t d = 0; d < 3; d++) {
        k->args[KERNEL_GRID + d] = grid[d];
        k->args[KERNEL_BLOCK + d] = number(w, d < 2 ? SIDE : 1);
    }
}

/* Values of the host that bound those of the loops, and of the sum behind them; false: there are none. */
static bool find_ranges(struct tile_nest *w, struct tree_expr **begin, struct tree_expr **end)
{
    for (uint32_t i = 0; i <= w->num_loops; i++) {
        const struct tree_stmt *s = i < w->num_loops ? w->loops[i] : w->sum;
        struct region_limits l = { .tree = w->tree, .region = &w->scan, .frame = i ? &w->frames[i - 1] : NULL };
        begin[i] = offload_region_limit(&l, s->begin, false);
        end[i] = offload_region_limit(&l, s->end, true);
        if (!begin[i] || !end[i] || offload_on_device(w->offload, begin[i]) || offload_on_device(w->offload, end[i]))
            return false;
    }
    return true;
}

static bool can_tile(struct tile_nest *w, struct tree_stmt *const *loops, struct tree_expr **begin,
                     struct tree_expr **end)
{
    *w = (struct tile_nest){ .offload = w->offload,
                             .tree = w->tree,
                             .loops = loops,
                             .num_loops = w->num_loops,
                             .body = loops[w->num_loops - 1]->body,
                             .scan = { .arena = w->tree->scratch } };
    return offload_is_tiled(w) && find_ranges(w, begin, end);
}

struct tree_stmt *offload_tile(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops,
                               uint32_t num_loops)
{
    struct tree *t = o->tree;
    struct tile_nest w = { .offload = o, .tree = t, .num_loops = num_loops };
    struct tree_expr *begin[TILE_LOOPS + 1], *end[TILE_LOOPS + 1];
    if (num_loops < 2 || num_loops > TILE_LOOPS)
        return NULL;
    loops = offload_tile_variables(t, loops, num_loops, o->strict);
    bool found = can_tile(&w, loops, begin, end), mixed = w.mixed;
    for (uint32_t i = 0; i < TILE_SHIFTS && !found && mixed; i++) {
        struct tree_stmt *const *shifted = offload_tile_shifted(t, loops, num_loops, i);
        found = shifted && can_tile(&w, shifted, begin, end);
    }
    if (!found)
        return NULL;
    for (uint32_t i = 0; i < num_loops; i++)
        w.ranges[i] = offload_range(o, out, begin[i], end[i], w.loops[i]->step, w.loops[i]->place);
    w.depth = offload_range(o, out, begin[num_loops], end[num_loops], w.sum->step, w.sum->place);
    struct tree_expr *tiles[2], *all = number(&w, 1);
    for (uint32_t side = 0; side < 2; side++)
        tiles[side] = tiles_of(&w, out, w.sides[side]);
    for (uint32_t i = 0; i < num_loops; i++)
        all = op(&w, EXPR_MUL, all,
                 i == w.sides[0]   ? tiles[0]
                 : i == w.sides[1] ? tiles[1]
                                   : offload_trips(o, &w.ranges[i]));
    struct tree_expr *enough = op(&w, EXPR_GE, all, number(&w, LEAST_TILES));
    struct tree_expr *deep = op(&w, EXPR_GE, offload_trips(o, &w.depth), number(&w, LEAST_DEPTH));
    struct tree_stmt *branch = stmt_if(t, out, op(&w, EXPR_LOGICAL_AND, enough, deep));
    branch->place = loops[0]->place;
    write_kernel(&w, branch->body, tiles);
    branch->otherwise = stmt_block(t);
    return branch->otherwise;
}
