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
 * Any types, strides, transposed operands, factors and statements around the sum are allowed, and loops that both
 * operands depend on (several products at once). The last strip may be shorter; threads beyond M or N load nothing and
 * store nothing.
 *
 * Legality: The nest is one of independent iterations, which load what they sum up before they store anything. Terms of
 * a result keep their order. Profitability: Operands are loaded TILE times less often from memory. If the results do
 * not make enough blocks, or sums are short, a thread for each result does better: the host decides. */
#include "lower/opt/device/offload_tile.h"
#include "lower/opt/device/offload_region.h"
#include "lower/opt/device/offload_team.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

enum {
    TILE = 64,
    DEPTH = 16, /* of a strip */
    SIDE = 16,  /* threads of a block, in x and y */
    EACH = TILE / SIDE,
    THREADS = SIDE * SIDE,
    PITCH = TILE + 1, /* of a strip: neighbours in both directions lie in different banks */
    MOST_LOOPS = 8,
    MOST_BYTES = 16, /* of a value */
    LEAST = 32,      /* extents that are known to be smaller stay out */
    LEAST_DEPTH = 64,
    LEAST_TILES = 32
};

struct tile_operand {
    const struct tree_expr *load;
    uint32_t loop; /* that it depends on, and the other operand does not */
    bool deep;     /* neighbours along k lie next to each other */
    struct tree_var *strip, *element;
    uint32_t alias, element_alias;
};

struct tiling {
    struct offload *offload;
    struct tree *tree;
    struct tree_stmt *const *loops;
    uint32_t num_loops;
    const struct tree_stmt *body, *sum; /* of a result; the loop over k */
    const struct tree_stmt *step;       /* of the sum */
    enum wcr_kind wcr;
    struct tree_scan scan;           /* of the nest */
    struct tile_operand operands[2]; /* rows (y), columns (x) */
    uint32_t num_loads;

    /* while code is written */
    struct offload_range ranges[MOST_LOOPS], depth;
    struct tree_expr *first[2]; /* row and column of the tile */
    struct tree_expr *thread;   /* in its block */
    struct tree_var *results;
    uint32_t results_alias;
};

/* ---- which nests ---- */

static void see_load(void *user, struct tree_expr *e)
{
    struct tiling *w = user;
    if (e->op == EXPR_LOAD && w->num_loads++ < 2)
        w->operands[w->num_loads - 1].load = e;
}

/* Nothing in it changes in the nest, but the counters of the loops, and of the sum. */
static bool is_of_counters(const struct tiling *w, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR) {
        bool counter = e->var == w->sum->var;
        for (uint32_t i = 0; i < w->num_loops; i++)
            counter |= e->var == w->loops[i]->var;
        return counter || !map_has(&w->scan.assigned, e->var);
    }
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_of_counters(w, e->args[i]))
            return false;
    return true;
}

static bool is_operand(const struct tiling *w, struct tile_operand *x)
{
    struct linear at;
    int64_t by;
    linear_of(&at, x->load->args[1]);
    x->deep = at.known && linear_take(&at, w->sum->var, &by) && (by == 1 || by == -1);
    return x->load->type->size <= MOST_BYTES && is_of_counters(w, x->load->args[0]) &&
           is_of_counters(w, x->load->args[1]) && expr_mentions(x->load->args[1], w->sum->var);
}

/* Is the term made of the two loads and of what stays the same? */
static bool is_term(const struct tiling *w, const struct tree_expr *e)
{
    if (e == w->operands[0].load || e == w->operands[1].load)
        return true;
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL ||
        (e->op == EXPR_VAR && (e->var->type->kind == TYPE_POINTER || map_has(&w->scan.assigned, e->var))))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_term(w, e->args[i]))
            return false;
    return true;
}

/* One loop for each operand that the other one does not depend on; those left are the batch. */
static bool find_sides(struct tiling *w)
{
    uint32_t found[2] = { 0, 0 };
    for (uint32_t i = 0; i < w->num_loops; i++) {
        bool of[2];
        for (uint32_t k = 0; k < 2; k++)
            of[k] = expr_mentions(w->operands[k].load->args[1], w->loops[i]->var);
        for (uint32_t k = 0; k < 2; k++)
            if (of[k] && !of[1 - k]) {
                w->operands[k].loop = i;
                found[k]++;
            }
    }
    return found[0] == 1 && found[1] == 1;
}

struct unit {
    const struct tree_var *v;
    bool found;
};

static bool find_unit(void *user, struct tree_stmt *s)
{
    struct unit *u = user;
    struct linear at;
    int64_t by;
    if (s->kind == STMT_STORE || s->kind == STMT_REDUCE) {
        linear_of(&at, s->index);
        u->found |= at.known && linear_take(&at, u->v, &by) && (by == 1 || by == -1);
    }
    return true;
}

/* Columns are those whose results lie next to each other. */
static void choose_columns(struct tiling *w)
{
    struct unit rows = { w->loops[w->operands[0].loop]->var, false },
                columns = { w->loops[w->operands[1].loop]->var, false };
    stmt_visit((struct tree_stmt *)w->body, find_unit, &rows);
    stmt_visit((struct tree_stmt *)w->body, find_unit, &columns);
    if (rows.found && !columns.found) {
        struct tile_operand x = w->operands[0];
        w->operands[0] = w->operands[1];
        w->operands[1] = x;
    }
}

static bool is_step(struct tiling *w)
{
    static const struct {
        enum expr_op op;
        enum wcr_kind wcr;
    } kinds[] = { { EXPR_ADD, WCR_SUM }, { EXPR_MUL, WCR_PRODUCT }, { EXPR_MIN, WCR_MIN }, { EXPR_MAX, WCR_MAX } };
    const struct tree_stmt *s = w->sum->body->items.count == 1 ? w->sum->body->items.items[0] : NULL;
    if (!s || s->kind != STMT_ASSIGN || s->value->num_args != 2 || s->value->args[0]->op != EXPR_VAR ||
        s->value->args[0]->var != s->var || expr_mentions(s->value->args[1], s->var))
        return false;
    w->step = s;
    w->wcr = WCR_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        w->wcr = kinds[i].op == s->value->op ? kinds[i].wcr : w->wcr;
    bool exact = type_is_integer(s->var->type) || w->wcr == WCR_MIN || w->wcr == WCR_MAX;
    return w->wcr != WCR_NONE && (s->reassociate || exact) && reduce_can_accumulate(w->wcr, s->var->type) &&
           s->var->type->size <= MOST_BYTES;
}

/* Assignments in front of the sum, anything for one thread behind it. */
static bool is_body(struct tiling *w)
{
    w->sum = NULL;
    for (uint32_t i = 0; i < w->body->items.count; i++) {
        const struct tree_stmt *s = w->body->items.items[i];
        if (s->kind == STMT_FOR && w->sum)
            return false;
        if (s->kind == STMT_FOR)
            w->sum = s;
        else if (s->kind != STMT_ASSIGN && !(w->sum && (s->kind == STMT_STORE || s->kind == STMT_IF)))
            return false;
    }
    return w->sum && expr_is_int(w->sum->step, 1) && w->sum->var->type->kind == TYPE_I64;
}

/* Known to be too small for tiles? */
static bool is_small(struct tree *t, const struct tree_stmt *loop)
{
    const struct tree_expr *trips = tree_trip_count(t, loop);
    return trips->op == EXPR_INT && trips->i < LEAST;
}

static bool is_fixed(const struct tiling *w, const struct tree_stmt *s)
{
    return expr_is_int(s->step, 1) && s->var->type->kind == TYPE_I64 && tree_scan_invariant(&w->scan, s->begin) &&
           tree_scan_invariant(&w->scan, s->end) && !offload_on_device(w->offload, s->begin) &&
           !offload_on_device(w->offload, s->end);
}

static bool is_tiled(struct tiling *w)
{
    struct tree *t = w->tree;
    if (w->num_loops < 2 || w->num_loops > MOST_LOOPS || !is_body(w) || !is_step(w))
        return false;
    tree_scan_add(&w->scan, w->loops[0]);
    for (uint32_t i = 0; i < w->num_loops; i++)
        if (!is_fixed(w, w->loops[i]))
            return false;
    expr_visit(w->step->value->args[1], see_load, w);
    if (w->num_loads != 2 || !is_fixed(w, w->sum) || is_small(t, w->sum) || !is_operand(w, &w->operands[0]) ||
        !is_operand(w, &w->operands[1]) || !is_term(w, w->step->value->args[1]) || !find_sides(w))
        return false;
    choose_columns(w);
    return !is_small(t, w->loops[w->operands[0].loop]) && !is_small(t, w->loops[w->operands[1].loop]);
}

/* ---- code ---- */

static struct tree_expr *number(const struct tiling *w, int64_t n) { return expr_i64(w->tree, n); }

static struct tree_expr *op(const struct tiling *w, enum expr_op which, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(w->tree, which, a, b);
}

static struct tree_expr *id(const struct tiling *w, enum tree_thread which)
{
    return expr_cast(w->tree, type_basic(w->tree->ir, TYPE_I64), expr_thread(w->tree, which));
}

/* a + thread + SIDE * n */
static struct tree_expr *own(const struct tiling *w, struct tree_expr *a, enum tree_thread thread, struct tree_expr *n)
{
    struct tree_expr *place = op(w, EXPR_ADD, id(w, thread), op(w, EXPR_MUL, n, number(w, SIDE)));
    return a ? op(w, EXPR_ADD, a, place) : place;
}

/* for v = 0 to count, copied by the compiler: what is indexed by v is in registers */
static struct tree_stmt *copies(const struct tiling *w, struct tree_stmt *out, const char *name, int64_t count,
                                struct tree_expr **v)
{
    struct tree_var *var = tree_var(w->tree, name, type_basic(w->tree->ir, TYPE_I64));
    struct tree_stmt *s = stmt_for(w->tree, out, var, number(w, 0), number(w, count), number(w, 1));
    s->loop.unroll = true;
    *v = expr_var(w->tree, var);
    return s->body;
}

static struct tree_var *take(struct tiling *w, struct tree_stmt *out, const char *name, const struct type *type,
                             int64_t count, enum tree_memory where, uint32_t *alias)
{
    struct tree_var *v = tree_var(w->tree, name, type_pointer(w->tree->ir, type));
    struct tree_stmt *s = stmt_alloc(w->tree, out, v, type, number(w, count), where);
    s->alias = *alias = w->tree->num_aliases++;
    return v;
}

/* The strip of an operand from k on, with at most so many elements along k. */
static void load_strip(struct tiling *w, struct tree_stmt *out, uint32_t side, struct tree_expr *k,
                       struct tree_expr *most)
{
    struct tree *t = w->tree;
    const struct tile_operand *x = &w->operands[side];
    const struct type *type = x->load->type;
    int64_t fast = x->deep ? DEPTH : TILE; /* both are powers of two */
    struct tree_expr *n;
    struct tree_stmt *b = copies(w, out, "n", TILE * DEPTH / THREADS, &n);
    n = stmt_variable(t, b, "n", op(w, EXPR_ADD, w->thread, op(w, EXPR_MUL, n, number(w, THREADS))));
    struct tree_expr *low = stmt_variable(t, b, "low", op(w, EXPR_AND, n, number(w, fast - 1)));
    struct tree_expr *high =
        stmt_variable(t, b, "high", op(w, EXPR_SHR, n, number(w, __builtin_ctzll((uint64_t)fast))));
    struct tree_expr *along = x->deep ? low : high, *across = x->deep ? high : low;
    struct tree_expr *place = op(w, EXPR_ADD, w->first[side], across);
    struct tree_expr *there = op(w, EXPR_LT, place, w->ranges[x->loop].end);
    there = op(w, EXPR_LOGICAL_AND, there, op(w, EXPR_LT, along, most));
    struct tree_var *value = tree_var(t, "value", type);
    stmt_assign(t, b, value, expr_zero(t, type));
    struct tree_stmt *in = stmt_if(t, b, there);
    stmt_assign(t, in->body, value, (struct tree_expr *)x->load)->place = w->step->place;
    stmt_substitute(t, in->body, w->loops[x->loop]->var, place);
    stmt_substitute(t, in->body, w->sum->var, op(w, EXPR_ADD, k, along));
    struct tree_expr *at = op(w, EXPR_ADD, op(w, EXPR_MUL, along, number(w, PITCH)), across);
    stmt_store(t, b, expr_var(t, x->strip), at, expr_var(t, value), x->alias);
}

struct terms {
    struct tiling *tiling;
    struct tree_expr *at[2];
};

static struct tree_expr *term(const struct terms *x, const struct tree_expr *e)
{
    struct tree *t = x->tiling->tree;
    for (uint32_t side = 0; side < 2; side++) {
        const struct tile_operand *o = &x->tiling->operands[side];
        if (e == o->load)
            return expr_load(t, e->type, expr_var(t, o->element), x->at[side], o->element_alias);
    }
    if (!e->num_args)
        return (struct tree_expr *)e;
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = term(x, e->args[i]);
    return copy;
}

/* The terms of element `k` of the strips. */
static void add_terms(struct tiling *w, struct tree_stmt *out, struct tree_expr *k)
{
    struct tree *t = w->tree;
    const struct type *type = w->step->var->type;
    struct tree_expr *n, *r, *c;
    struct tree_expr *row = op(w, EXPR_MUL, k, number(w, PITCH));
    for (uint32_t side = 0; side < 2; side++) {
        const struct tile_operand *x = &w->operands[side];
        struct tree_stmt *b = copies(w, out, side ? "c" : "r", EACH, &n);
        struct tree_expr *at = op(w, EXPR_ADD, row, own(w, NULL, side ? THREAD_INDEX : THREAD_INDEX + 1, n));
        stmt_store(t, b, expr_var(t, x->element), n, expr_load(t, x->load->type, expr_var(t, x->strip), at, x->alias),
                   x->element_alias);
    }
    struct tree_stmt *b = copies(w, copies(w, out, "r", EACH, &r), "c", EACH, &c);
    const struct terms x = { w, { r, c } };
    struct tree_expr *at = op(w, EXPR_ADD, op(w, EXPR_MUL, r, number(w, EACH)), c);
    struct tree_expr *results = expr_var(t, w->results), *old = expr_load(t, type, results, at, w->results_alias);
    stmt_store(t, b, results, at, op(w, w->step->value->op, old, term(&x, w->step->value->args[1])), w->results_alias)
        ->place = w->step->place;
}

static void barrier(const struct tiling *w, struct tree_stmt *out)
{
    stmt_new(w->tree, out, STMT_BARRIER)->loop.level = TREE_BLOCK;
}

static void write_sums(struct tiling *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    const struct type *type = w->step->var->type;
    struct tree_expr *n;
    struct tree_stmt *b = copies(w, out, "n", EACH * EACH, &n);
    stmt_store(t, b, expr_var(t, w->results), n, reduce_identity(t, w->wcr, type), w->results_alias);
    struct tree_var *first = tree_var(t, w->sum->var->name, type_basic(t->ir, TYPE_I64)),
                    *k = tree_var(t, "k", first->type);
    struct tree_stmt *strips = stmt_for(t, out, first, w->depth.begin, w->depth.end, number(w, DEPTH));
    struct tree_expr *begin = expr_var(t, first), *rest = op(w, EXPR_SUB, w->depth.end, begin);
    struct tree_expr *most = stmt_variable(t, strips->body, "depth", op(w, EXPR_MIN, rest, number(w, DEPTH)));
    for (uint32_t side = 0; side < 2; side++)
        load_strip(w, strips->body, side, begin, most);
    barrier(w, strips->body);
    struct tree_stmt *strip = stmt_for(t, strips->body, k, number(w, 0), most, number(w, 1));
    strip->loop.rolled = true; /* copies of that much take a compiler long */
    add_terms(w, strip->body, expr_var(t, k));
    barrier(w, strips->body);
}

/* What each result is for, with the sum as it was computed. */
static void write_results(struct tiling *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_expr *r, *c;
    struct tree_stmt *b = copies(w, out, "r", EACH, &r);
    const struct tree_stmt *rows = w->loops[w->operands[0].loop], *columns = w->loops[w->operands[1].loop];
    stmt_assign(t, b, rows->var, own(w, w->first[0], THREAD_INDEX + 1, r));
    b = stmt_if(t, b, op(w, EXPR_LT, expr_var(t, rows->var), w->ranges[w->operands[0].loop].end))->body;
    b = copies(w, b, "c", EACH, &c);
    stmt_assign(t, b, columns->var, own(w, w->first[1], THREAD_INDEX, c));
    b = stmt_if(t, b, op(w, EXPR_LT, expr_var(t, columns->var), w->ranges[w->operands[1].loop].end))->body;
    struct tree_expr *at = op(w, EXPR_ADD, op(w, EXPR_MUL, r, number(w, EACH)), c);
    struct tree_expr *sum = expr_load(t, w->step->var->type, expr_var(t, w->results), at, w->results_alias);
    for (uint32_t i = 0; i < w->body->items.count; i++) {
        const struct tree_stmt *s = w->body->items.items[i];
        if (s == w->sum)
            stmt_assign(t, b, w->step->var, op(w, w->step->value->op, expr_var(t, w->step->var), sum))->place =
                w->step->place;
        else
            stmt_append(t, b, stmt_clone(t, s));
    }
}

/* Loops that are neither rows nor columns, as one number. */
static struct tree_stmt *open_batch(struct tiling *w, struct tree_stmt *out, struct tree_stmt *b,
                                    struct tree_expr **count)
{
    struct tree *t = w->tree;
    struct tree_expr *counts[MOST_LOOPS];
    *count = number(w, 1);
    for (uint32_t i = 0; i < w->num_loops; i++)
        if (i != w->operands[0].loop && i != w->operands[1].loop) {
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
        if (i != w->operands[0].loop && i != w->operands[1].loop) {
            stmt_assign(t, b, w->loops[i]->var, op(w, EXPR_ADD, w->ranges[i].begin, op(w, EXPR_REM, rest, counts[i])));
            rest = stmt_variable(t, b, "z", op(w, EXPR_DIV, rest, counts[i]));
        }
    return b;
}

static struct tree_expr *tiles_of(struct tiling *w, struct tree_stmt *out, uint32_t loop)
{
    struct tree_expr *trips = offload_trips(w->offload, &w->ranges[loop]);
    return stmt_variable(w->tree, out, "tiles",
                         op(w, EXPR_DIV, op(w, EXPR_ADD, trips, number(w, TILE - 1)), number(w, TILE)));
}

/* Memory of the block, and of the thread. */
static void take_memory(struct tiling *w, struct tree_stmt *all)
{
    for (uint32_t side = 0; side < 2; side++) {
        struct tile_operand *x = &w->operands[side];
        x->strip = take(w, all, side ? "columns" : "rows", x->load->type, DEPTH * PITCH, TREE_SHARED, &x->alias);
        x->element = take(w, all, side ? "column" : "row", x->load->type, EACH, TREE_STACK, &x->element_alias);
    }
    w->results = take(w, all, "results", w->step->var->type, (int64_t)EACH * EACH, TREE_STACK, &w->results_alias);
    w->thread =
        stmt_variable(w->tree, all, "thread",
                      op(w, EXPR_ADD, id(w, THREAD_INDEX), op(w, EXPR_MUL, id(w, THREAD_INDEX + 1), number(w, SIDE))));
}

static void write_kernel(struct tiling *w, struct tree_stmt *out, struct tree_expr *const *tiles)
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
        w->first[side] = stmt_variable(
            t, b, side ? "column" : "row",
            op(w, EXPR_ADD, w->ranges[w->operands[side].loop].begin, op(w, EXPR_MUL, at[side], number(w, TILE))));
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

struct tree_stmt *offload_tile(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops,
                               uint32_t num_loops)
{
    struct tree *t = o->tree;
    struct tiling w = { .offload = o,
                        .tree = t,
                        .loops = loops,
                        .num_loops = num_loops,
                        .body = loops[num_loops - 1]->body,
                        .scan = { .arena = t->scratch } };
    if (!is_tiled(&w))
        return NULL;
    for (uint32_t i = 0; i < num_loops; i++)
        w.ranges[i] = offload_range(o, out, loops[i]->begin, loops[i]->end, loops[i]->step, loops[i]->place);
    w.depth = offload_range(o, out, w.sum->begin, w.sum->end, w.sum->step, w.sum->place);
    struct tree_expr *tiles[2], *all = number(&w, 1);
    for (uint32_t side = 0; side < 2; side++)
        tiles[side] = tiles_of(&w, out, w.operands[side].loop);
    for (uint32_t i = 0; i < num_loops; i++)
        all = op(&w, EXPR_MUL, all,
                 i == w.operands[0].loop   ? tiles[0]
                 : i == w.operands[1].loop ? tiles[1]
                                           : offload_trips(o, &w.ranges[i]));
    struct tree_expr *enough = op(&w, EXPR_GE, all, number(&w, LEAST_TILES));
    struct tree_expr *deep = op(&w, EXPR_GE, offload_trips(o, &w.depth), number(&w, LEAST_DEPTH));
    struct tree_stmt *branch = stmt_if(t, out, op(&w, EXPR_LOGICAL_AND, enough, deep));
    branch->place = loops[0]->place;
    write_kernel(&w, branch->body, tiles);
    branch->otherwise = stmt_block(t);
    return branch->otherwise;
}
