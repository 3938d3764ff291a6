/* Kernels: nests with a thread for each iteration, and pieces for one thread. */
#include "lower/opt/device/offload_group.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_BLOCKS = 65535 /* in y and z */, DIMENSIONS = 3 };

/* ---- addresses ---- */

static struct tree_var *twin_of(struct offload *o, struct tree_var **twin, const char *name, const struct type *type)
{
    if (!*twin) {
        const struct tree_stmt *region = o->tree->region;
        o->tree->region = NULL;
        *twin = tree_var(o->tree, name, type);
        o->tree->region = region;
    }
    return *twin;
}

static struct tree_expr *replace_address(void *user, struct tree_expr *e)
{
    struct offload *o = user;
    if (e->op == EXPR_SLOT) {
        struct memory *m = offload_same(&o->by_slot[e->i]);
        return m->device ? expr_var(o->tree, twin_of(o, &o->slot_twins[e->i], "slot", e->type)) : e;
    }
    if (e->op != EXPR_VAR || e->type->kind != TYPE_POINTER || e->var->id >= o->num_vars)
        return e;
    struct memory *m = offload_same(&o->by_var[e->var->id]);
    return m->device ? expr_var(o->tree, twin_of(o, &o->twins[e->var->id], e->var->name, e->type)) : e;
}

struct tree_expr *offload_twins(struct offload *o, struct tree_expr *e)
{
    return expr_rewrite(o->tree, e, replace_address, o);
}

/* ---- bodies ---- */

struct body {
    struct offload *offload;
    struct map own; /* memory of the thread */
    bool alone;     /* one thread: nothing has to be atomic */
};

static bool find_own(void *user, struct tree_stmt *s)
{
    struct body *b = user;
    if (s->kind == STMT_ALLOC) {
        s->where = TREE_STACK;
        map_put(b->offload->tree->scratch, &b->own, s->var, s->var);
    }
    return true;
}

static bool finish(void *user, struct tree_stmt *s)
{
    struct body *b = user;
    stmt_rewrite(b->offload->tree, s, replace_address, b->offload);
    if (s->kind == STMT_REDUCE || s->kind == STMT_UPDATE) {
        const struct tree_var *root = expr_root_var(s->pointer);
        s->atomic &= !b->alone && !(root && map_has(&b->own, root));
    }
    if (s->kind == STMT_FREE)
        *s = *stmt_block(b->offload->tree);
    if (s->kind == STMT_FOR)
        s->loop.parallel = false;
    s->nontemporal = false;
    return true;
}

/* ---- what all threads would compute alike ---- */

struct alike {
    struct offload *offload;
    struct tree_stmt *out;
    const struct tree_scan *scan; /* of the kernel */
    VEC(struct tree_expr *) values;
    VEC(struct tree_expr *) kept;
};

/* Computed from variables of the host alone. */
static bool is_alike(const struct alike *w, const struct tree_expr *e)
{
    if (!type_is_basic(e->type) || e->op == EXPR_LOAD || e->op == EXPR_CALL || e->op == EXPR_THREAD)
        return false;
    if (e->op == EXPR_VAR &&
        (map_has(&w->scan->assigned, e->var) || (e->var->id < w->offload->num_vars && w->offload->in_cell[e->var->id])))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_alike(w, e->args[i]))
            return false;
    return true;
}

static bool is_costly(const struct tree_expr *e)
{
    bool costly = e->op == EXPR_MATH || ((e->op == EXPR_DIV || e->op == EXPR_REM) && !expr_is_const(e->args[1]));
    for (uint32_t i = 0; i < e->num_args && !costly; i++)
        costly = is_costly(e->args[i]);
    return costly;
}

static struct tree_expr *keep(struct alike *w, struct tree_expr *e)
{
    struct tree *t = w->offload->tree;
    for (uint32_t i = 0; i < w->values.count; i++)
        if (expr_equal(w->values.items[i], e))
            return w->kept.items[i];
    struct tree_expr *kept = stmt_variable(t, w->out, "alike", e);
    vec_push(t->scratch, &w->values, e);
    vec_push(t->scratch, &w->kept, kept);
    return kept;
}

static struct tree_expr *hoist(struct alike *w, struct tree_expr *e)
{
    struct tree *t = w->offload->tree;
    if (!e->num_args || !is_costly(e))
        return e;
    if (is_alike(w, e))
        return keep(w, e);
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = hoist(w, e->args[i]);
    return copy;
}

static void hoist_operand(void *user, struct tree_expr **e) { *e = hoist(user, *e); }

static bool hoist_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, hoist_operand, user);
    return true;
}

/* The host computes them once, and as it computes the sizes of memory. */
static void hoist_alike(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, block);
    struct alike w = { .offload = o, .out = out, .scan = &scan };
    stmt_visit(block, hoist_stmt, &w);
}

struct tree_stmt *offload_kernel(struct offload *o, struct tree_stmt *out, const char *kind, struct tree_stmt *block,
                                 const struct place *place, bool alone)
{
    struct tree *t = o->tree;
    hoist_alike(o, out, block);
    struct tree_stmt *k = tree_kernel_begin(t, NULL, arena_printf(t->arena, "%s_%u", kind, o->num_kernels++));
    struct body b = { .offload = o, .alone = alone };
    k->place = place;
    k->body = stmt_clone_apart(t, block);
    stmt_visit(k->body, find_own, &b);
    stmt_visit(k->body, finish, &b);
    stmt_flatten(t, k->body);
    tree_kernel_end(t, k);
    stmt_append(t, out, k);
    return k;
}

static const struct type *int64_type(struct offload *o) { return type_basic(o->tree->ir, TYPE_I64); }

/* ---- cells ---- */

void offload_load_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                        const struct map *local)
{
    for (uint32_t i = 0; i < piece->uses.count; i++) {
        struct tree_var *v = (struct tree_var *)piece->uses.slots[i].key;
        if (v->id < o->num_vars && o->in_cell[v->id] && !(local && map_has(local, v))) {
            uint32_t cell = offload_cell_of(o, v);
            stmt_assign(o->tree, block, v,
                        expr_load(o->tree, v->type, offload_cell(o, cell, v->type, false), expr_i64(o->tree, 0),
                                  o->cell_class));
        }
    }
}

void offload_store_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                         const struct map *local)
{
    for (uint32_t i = 0; i < piece->assigned.count; i++) {
        struct tree_var *v = (struct tree_var *)piece->assigned.slots[i].key;
        if (v->id < o->num_vars && o->in_cell[v->id] && !(local && map_has(local, v)))
            stmt_store(o->tree, block, offload_cell(o, offload_cell_of(o, v), v->type, false), expr_i64(o->tree, 0),
                       expr_var(o->tree, v), o->cell_class);
    }
}

/* Variables that nothing else mentions, and that get a value before they are used: they need no cell here. */
static void find_local(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece, struct map *local)
{
    struct map seen = { 0 };
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        struct tree_scan scan = { .arena = o->tree->scratch };
        tree_scan_add(&scan, s);
        bool assigns = (s->kind == STMT_ASSIGN && !expr_mentions(s->value, s->var)) || s->kind == STMT_FOR;
        if (assigns && !map_has(&seen, s->var) && !offload_used_outside(o, piece, s->var))
            map_put(o->tree->scratch, local, s->var, s->var);
        for (uint32_t k = 0; k < scan.uses.count; k++)
            map_put(o->tree->scratch, &seen, scan.uses.slots[k].key, o);
    }
}

void offload_serial(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree *t = o->tree;
    struct tree_scan scan = { .arena = t->scratch };
    struct map local = { 0 };
    tree_scan_add(&scan, block);
    find_local(o, block, &scan, &local);
    struct tree_stmt *all = stmt_block(t);
    offload_load_cells(o, all, &scan, &local);
    stmt_append(t, all, block);
    offload_store_cells(o, all, &scan, &local);
    offload_kernel(o, out, "serial", all, block->items.items[0]->place, true);
}

void offload_fetch(struct offload *o, struct tree_stmt *out, struct tree_expr *value, uint32_t cell,
                   const struct place *place)
{
    struct tree *t = o->tree;
    struct tree_stmt *store =
        stmt_store(t, stmt_block(t), offload_cell(o, cell, value->type, false), expr_i64(t, 0), value, o->cell_class);
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, store);
    struct tree_stmt *all = stmt_block(t);
    offload_load_cells(o, all, &scan, NULL);
    stmt_append(t, all, store);
    offload_kernel(o, out, "fetch", all, place, true);
}

/* ---- grids ---- */

/* The loops of a nest that become dimensions of the grid, from the outside in. */
struct grid {
    VEC(struct tree_stmt *) loops;
    struct tree_stmt *body;
};

static void see_variable(void *user, struct tree_expr *e)
{
    struct tree_scan *scan = user;
    if (e->op == EXPR_VAR)
        map_put(scan->arena, &scan->uses, e->var, e->var);
}

/* Bounds that are the same in all iterations of the loops around. */
static bool is_rectangular(struct offload *o, const struct grid *g, const struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    struct tree_expr *const bounds[] = { loop->begin, loop->end, loop->step };
    for (int i = 0; i < 3; i++) {
        if (offload_on_device(o, bounds[i]) || !tree_scan_invariant(&scan, bounds[i]))
            return false;
        expr_visit(bounds[i], see_variable, &scan);
    }
    for (uint32_t i = 0; i < g->loops.count; i++)
        if (map_has(&scan.uses, g->loops.items[i]->var))
            return false;
    return true;
}

static void find_grid(struct offload *o, struct tree_stmt *nest, struct grid *g)
{
    struct tree_stmt *s = nest;
    vec_push(o->tree->scratch, &g->loops, s);
    while (g->loops.count < DIMENSIONS && s->body->items.count == 1) {
        struct tree_stmt *inner = s->body->items.items[0];
        bool alike =
            inner->kind == STMT_FOR && (inner->loop.independent || (inner->loop.parallel && !nest->loop.independent));
        if (!alike || !is_rectangular(o, g, inner))
            break;
        s = inner;
        vec_push(o->tree->scratch, &g->loops, s);
    }
    g->body = s->body;
}

/* A value for kernels: cheap to compute again, or kept by the host. */
static struct tree_expr *kept(struct offload *o, struct tree_stmt *out, struct tree_expr *e)
{
    struct tree_expr *wide = expr_cast(o->tree, int64_type(o), e);
    return wide->op == EXPR_VAR ? wide : stmt_variable(o->tree, out, "bound", wide);
}

static struct tree_expr *thread(struct offload *o, int which, int dimension)
{
    return expr_cast(o->tree, int64_type(o), expr_thread(o->tree, (enum tree_thread)(which + dimension)));
}

static struct tree_expr *ints(struct offload *o, enum expr_op op, struct tree_expr *a, int64_t b)
{
    return expr_binary(o->tree, op, a, expr_i64(o->tree, b));
}

/* max(0, end - begin) / step, rounded up */
static struct tree_expr *trips(struct offload *o, struct tree_expr *begin, struct tree_expr *end,
                               struct tree_expr *step)
{
    struct tree *t = o->tree;
    struct tree_expr *count = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_SUB, end, begin), expr_i64(t, 0));
    if (!expr_is_int(step, 1))
        count = expr_binary(t, EXPR_DIV, ints(o, EXPR_SUB, expr_binary(t, EXPR_ADD, count, step), 1), step);
    return count;
}

static const int64_t block_sizes[DIMENSIONS][DIMENSIONS] = { { 256, 1, 1 }, { 32, 8, 1 }, { 32, 4, 2 } };

/* Opens the code for one dimension: what is in the block it gives runs for the counter's values. `most`: blocks; 0: as
 * many as there are values, so that each thread has one. */
static struct tree_stmt *open_dimension(struct offload *o, struct tree_stmt *out, struct tree_stmt *block,
                                        struct tree_stmt *loop, int dimension, int64_t size, int64_t most,
                                        struct tree_expr **blocks)
{
    struct tree *t = o->tree;
    struct tree_expr *begin = kept(o, out, offload_value(o, out, loop->begin, loop->place));
    struct tree_expr *end = kept(o, out, offload_value(o, out, loop->end, loop->place));
    struct tree_expr *step = kept(o, out, offload_value(o, out, loop->step, loop->place));
    *blocks = ints(o, EXPR_DIV, ints(o, EXPR_ADD, trips(o, begin, end, step), size - 1), size);
    struct tree_expr *number = expr_binary(t, EXPR_ADD, ints(o, EXPR_MUL, thread(o, THREAD_BLOCK, dimension), size),
                                           thread(o, THREAD_INDEX, dimension));
    struct tree_expr *first = expr_binary(t, EXPR_ADD, begin, expr_binary(t, EXPR_MUL, number, step));
    bool same = loop->var->type == int64_type(o);
    struct tree_var *i = same ? loop->var : tree_var(t, loop->var->name, int64_type(o));
    struct tree_stmt *inside;
    if (!most) {
        stmt_assign(t, block, i, first);
        inside = stmt_if(t, block, expr_binary(t, EXPR_LT, expr_var(t, i), end))->body;
    } else {
        struct tree_expr *stride =
            expr_binary(t, EXPR_MUL, ints(o, EXPR_MUL, thread(o, THREAD_GRID_SIZE, dimension), size), step);
        inside = stmt_for(t, block, i, first, end, stride)->body;
        *blocks = ints(o, EXPR_MIN, *blocks, most);
    }
    if (!same)
        stmt_assign(t, inside, loop->var, expr_cast(t, loop->var->type, expr_var(t, i)));
    return inside;
}

/* Threads that combine what they have do more than one iteration each, if there are many. */
static const int64_t group_blocks[DIMENSIONS][DIMENSIONS] = { { 1024 }, { 16, 64 }, { 8, 16, 8 } };

struct device_nest {
    struct grid grid;
    struct offload_group all; /* reductions of all iterations */
    struct offload_group row; /* of those of the innermost loop: the threads of a warp */
    struct tree_expr *blocks[DIMENSIONS];
};

static int64_t most_blocks(const struct device_nest *n, uint32_t d, bool breaks)
{
    if (n->all.count || (n->row.count && d == 0))
        return group_blocks[n->grid.loops.count - 1][d];
    return d == 0 && !breaks ? 0 : d == 0 ? INT32_MAX : MOST_BLOCKS;
}

static void write_nest(struct offload *o, struct tree_stmt *out, struct tree_stmt *all, struct device_nest *n)
{
    struct tree_scan inner = { .arena = o->tree->scratch };
    struct tree_stmt *inside = all, *rows = all;
    uint32_t count = n->grid.loops.count;
    tree_scan_add(&inner, n->grid.body);
    offload_group_begin(o, &n->all, all);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t d = count - 1 - i;
        if (d == 0) {
            rows = inside;
            offload_group_begin(o, &n->row, rows);
        }
        inside = open_dimension(o, out, inside, n->grid.loops.items[i], (int)d, block_sizes[count - 1][d],
                                most_blocks(n, d, inner.breaks), &n->blocks[d]);
    }
    stmt_append(o->tree, inside, n->grid.body);
    offload_group_end(o, &n->row, rows);
    offload_group_end(o, &n->all, all);
}

/* The innermost loop, whose iterations mostly touch neighbouring elements, becomes x. */
void offload_nest(struct offload *o, struct tree_stmt *out, struct tree_stmt *loop)
{
    struct tree *t = o->tree;
    struct device_nest n = { .grid = { .loops = { 0 } } };
    find_grid(o, loop, &n.grid);
    uint32_t count = n.grid.loops.count;
    offload_group_find(o, loop, loop, TREE_BLOCK, &n.all);
    n.all.keeps = true;
    if (count > 1)
        offload_group_find(o, loop, n.grid.loops.items[count - 1], TREE_WARP, &n.row);
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_stmt *all = stmt_block(t);
    tree_scan_add(&scan, loop);
    offload_load_cells(o, all, &scan, NULL);
    write_nest(o, out, all, &n);
    offload_group_take(o, &n.all, out, n.blocks, count);
    struct tree_stmt *k = offload_kernel(o, out, "nest", all, loop->place, false);
    for (uint32_t d = 0; d < count; d++) {
        k->args[KERNEL_GRID + d] = n.blocks[d];
        k->args[KERNEL_BLOCK + d] = expr_i64(t, block_sizes[count - 1][d]);
    }
    offload_group_combine(o, &n.all, out, n.blocks, count);
}
