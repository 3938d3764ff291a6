/* Loops that count, and use the count as a place: how much an iteration finds counted is computed by prefix sums.
 *
 *     for j = 0 to n {                          for j parallel { some[j] = I[j] }
 *         if I[j] {                             for s parallel { seg[s] = sum of some[128 * s ...] }
 *             T[c] = f(T[j])                    for b parallel { blk[b] = sum of seg[128 * b ...] }
 *             c = c + 1                 ->      for s parallel { first[s] = sum of all blk and seg before }
 *         }                                     for s, r parallel {
 *     }                                             if some[j] {
 *                                                       c' = first[s] + sum of some[128 * s ... j]
 *                                                       packed[c'] = f(T[j])
 *                                                   }
 *                                               }
 *                                               c = first[n / 128]
 *                                               for p = 0 to c parallel { T[p] = packed[p] }
 *
 * What the loop does not read needs no packed copy.
 *
 * Legality: The counter is changed by one step alone, outside of loops inside. Places that the counter names are
 * stored in front of it, in the same block, once in each memory; so they are different ones. The loop may load from
 * such memory only what no earlier iteration has stored: counting begins at a constant, and elements are no nearer to
 * the begin than the counter can be. All else of iterations is apart, and the loop does not change what decides
 * whether it counts. Profitability: Code for devices, where one thread would go through the loop. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/opt/threads/loop_slice.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 256 /* iterations, if they are known */, SEGMENT = 128, LEVELS = 2 };

struct counted_store {
    struct tree_stmt *store;
    bool packed; /* the loop loads from that memory */
    struct tree_var *copy;
    uint32_t alias; /* of the copy */
};

struct compaction {
    struct tree *tree;
    struct tree_func *func;
    struct iterations x;
    struct loop_memory memory;
    /* the loop at hand */
    struct tree_stmt *loop;
    const struct tree_expr *start; /* constant that the counter has in front; NULL: not known */
    struct tree_scan scan;
    struct tree_piece piece;
    struct tree_var *counter;
    struct tree_stmt *block, *step;
    VEC(struct counted_store) stores;
    struct map classes; /* of the stores, + 1 */
    /* while code is written */
    struct tree_expr *begin, *trips;
    struct {
        struct tree_var *var;
        struct tree_expr *count;
        uint32_t alias;
    } marks, sums[LEVELS], first;
};

static const struct type *int64_type(struct compaction *w) { return type_basic(w->tree->ir, TYPE_I64); }

/* ---- the counter ---- */

static bool is_step(const struct tree_stmt *s)
{
    return s->kind == STMT_ASSIGN && s->var->type->kind == TYPE_I64 && s->value->op == EXPR_ADD &&
           s->value->args[0]->op == EXPR_VAR && s->value->args[0]->var == s->var && expr_is_int(s->value->args[1], 1);
}

struct assigned {
    const struct tree_var *var;
    uint32_t count;
};

static bool see_assigned(void *user, struct tree_stmt *s)
{
    struct assigned *a = user;
    a->count += s->var == a->var || s->var2 == a->var;
    return true;
}

static bool is_only_assignment(struct compaction *w, const struct tree_var *v)
{
    struct assigned a = { .var = v };
    stmt_visit(w->loop, see_assigned, &a);
    return a.count == 1;
}

/* The first one. */
static void find_step(struct compaction *w, struct tree_stmt *s)
{
    if (w->step || (stmt_is_loop(s) && s != w->loop))
        return;
    for (uint32_t i = 0; i < s->items.count && !w->step; i++) {
        struct tree_stmt *item = s->items.items[i];
        if (is_step(item) && is_only_assignment(w, item->var)) {
            w->block = s;
            w->step = item;
            w->counter = item->var;
        } else {
            find_step(w, item);
        }
    }
    if (s->body)
        find_step(w, s->body);
    if (s->otherwise)
        find_step(w, s->otherwise);
}

/* ---- stores to where the counter is ---- */

static const void *class_key(uint32_t alias) { return (const void *)(uintptr_t)(alias + 1); }

static uint32_t writes_to(const struct compaction *w, uint32_t alias)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->piece.accesses.count; i++) {
        const struct tree_access *a = w->piece.accesses.items[i];
        count += a->write && (!a->alias || a->alias == alias);
    }
    return count;
}

static bool is_placed(const struct compaction *w, const struct tree_stmt *s)
{
    return s->kind == STMT_STORE && s->alias && s->pointer->op == EXPR_VAR && s->index->op == EXPR_VAR &&
           s->index->var == w->counter && s->pointer->type->elem == s->value->type &&
           tree_scan_invariant(&w->scan, s->pointer) && writes_to(w, s->alias) == 1;
}

static void find_placed(struct compaction *w)
{
    for (uint32_t i = 0; w->block->items.items[i] != w->step; i++)
        if (is_placed(w, w->block->items.items[i])) {
            vec_push(w->tree->scratch, &w->stores, ((struct counted_store){ .store = w->block->items.items[i] }));
            map_put(w->tree->scratch, &w->classes, class_key(w->block->items.items[i]->alias), w);
        }
}

/* ---- loads from where it stores ---- */

struct loading {
    struct compaction *w;
    struct counted_store *placed;
    bool stored; /* by the same iteration */
    bool ok;
};

/* Is it `begin + n` and further, where the counter begins at n or below, in the first iteration and so in all? */
static bool is_ahead(const struct loading *l, const struct tree_expr *index)
{
    const struct tree_stmt *loop = l->w->loop;
    struct linear at;
    int64_t by, first;
    linear_of(&at, index);
    return l->w->start && loop->begin->op == EXPR_INT && at.known && linear_take(&at, loop->var, &by) && by == 1 &&
           linear_is_constant(&at) && !__builtin_add_overflow(at.constant, loop->begin->i, &first) &&
           first >= l->w->start->i + l->stored;
}

static void see_load(void *user, struct tree_expr *e)
{
    struct loading *l = user;
    const struct tree_stmt *s = l->placed->store;
    if (!expr_loads_memory(e) || (e->alias && e->alias != s->alias))
        return;
    l->placed->packed = true;
    l->ok &= e->op == EXPR_LOAD && e->alias && expr_equal(e->args[0], s->pointer) && e->type == s->value->type &&
             is_ahead(l, e->args[1]);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

static bool see_loads(void *user, struct tree_stmt *s)
{
    struct loading *l = user;
    stmt_each_expr(s, see_operand, l);
    if (stmt_rows[s->kind].flags & STMT_READS_SOURCE)
        l->ok &= s->alias2 && s->alias2 != l->placed->store->alias;
    l->stored |= s == l->placed->store;
    return true;
}

static bool load_ahead(struct compaction *w)
{
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct loading l = { .w = w, .placed = &w->stores.items[i], .ok = true };
        stmt_visit(w->loop->body, see_loads, &l);
        if (!l.ok)
            return false;
    }
    return true;
}

/* ---- the rest ---- */

static bool keeps_variables(struct compaction *w)
{
    const struct tree_scan *whole = tree_whole(&w->x.whole);
    struct map but = { 0 };
    for (uint32_t i = 0; i < w->scan.assigned.count; i++) {
        const struct tree_var *v = w->scan.assigned.slots[i].key;
        if (v != w->counter && map_get(&w->scan.uses, v) != map_get(&whole->uses, v))
            return false;
    }
    map_put(w->tree->scratch, &but, w->counter, w);
    return iterations_define_variables(w->tree, w->loop, &but);
}

/* Are iterations apart if each has a place of its own, in memory of its own? */
static bool are_apart(struct compaction *w, const struct tree_frame *frame)
{
    struct tree *t = w->tree;
    struct fuse_nest nest = { .loops = { w->loop }, .depth = 1 };
    struct tree_expr *index = expr_var(t, w->counter);
    for (uint32_t i = 0; i < w->stores.count; i++) {
        w->stores.items[i].alias = w->stores.items[i].store->alias;
        w->stores.items[i].store->index = expr_var(t, w->loop->var);
        w->stores.items[i].store->alias = t->num_aliases++;
    }
    piece_set_init(&w->x.set, t->scratch, t); /* it has a place for each class */
    bool apart = iterations_are_apart(&w->x, w->loop, &nest, frame);
    for (uint32_t i = 0; i < w->stores.count; i++) {
        w->stores.items[i].store->index = index;
        w->stores.items[i].store->alias = w->stores.items[i].alias;
    }
    return apart;
}

/* A copy of the loop that does `instead` where it would count. */
static struct tree_stmt *slice(struct compaction *w, struct tree_stmt *instead)
{
    struct map kept = { 0 };
    map_put(w->tree->scratch, &kept, w->step, instead);
    return loop_slice(w->tree, w->loop, &kept);
}

static bool counts_by_data_alone(struct compaction *w)
{
    struct tree_stmt *probe = slice(w, stmt_new(w->tree, NULL, STMT_BREAK));
    struct tree_scan scan = { .arena = w->tree->scratch };
    tree_scan_add(&scan, probe->body);
    return !map_has(&scan.uses, w->counter) && !loop_slice_reads(w->tree, probe, w->loop, &w->classes);
}

static bool is_candidate(struct compaction *w, const struct tree_frame *frame)
{
    find_step(w, w->loop);
    if (!w->step || w->piece.control || w->piece.effects || w->piece.jumps || w->piece.frees ||
        !tree_scan_invariant(&w->scan, w->loop->begin) || !keeps_variables(w))
        return false;
    find_placed(w);
    return w->stores.count && load_ahead(w) && are_apart(w, frame) && counts_by_data_alone(w);
}

/* ---- sums ---- */

static struct tree_expr *ints(struct compaction *w, enum expr_op op, struct tree_expr *a, int64_t b)
{
    return expr_binary(w->tree, op, a, expr_i64(w->tree, b));
}

static struct tree_stmt *parallel(struct compaction *w, struct tree_stmt *out, const char *name, struct tree_expr *end)
{
    struct tree_var *v = tree_var(w->tree, name, int64_type(w));
    struct tree_stmt *loop = stmt_for(w->tree, out, v, expr_i64(w->tree, 0), end, expr_i64(w->tree, 1));
    loop->loop.parallel = loop->loop.independent = true;
    loop->place = w->loop->place;
    return loop;
}

/* sum = sum + values[first ... end) */
static void add_up(struct compaction *w, struct tree_stmt *out, struct tree_var *sum, struct tree_var *values,
                   uint32_t alias, struct tree_expr *first, struct tree_expr *end)
{
    struct tree *t = w->tree;
    struct tree_var *k = tree_var(t, "k", int64_type(w));
    struct tree_stmt *loop = stmt_for(t, out, k, first, end, expr_i64(t, 1));
    struct tree_expr *value = expr_load(t, values->type->elem, expr_var(t, values), expr_var(t, k), alias);
    stmt_assign(t, loop->body, sum, expr_binary(t, EXPR_ADD, expr_var(t, sum), expr_cast(t, sum->type, value)))
        ->reassociate = true;
}

static struct tree_var *begin_sum(struct compaction *w, struct tree_stmt *out)
{
    struct tree_var *sum = tree_var(w->tree, "before", int64_type(w));
    stmt_assign(w->tree, out, sum, expr_i64(w->tree, 0));
    return sum;
}

static void take_memory(struct compaction *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    const struct type *flag = type_basic(t->ir, TYPE_BOOL);
    w->begin = stmt_variable(t, out, "begin", w->loop->begin);
    w->trips = stmt_variable(
        t, out, "trips", expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_SUB, w->loop->end, w->begin), expr_i64(t, 0)));
    w->marks.count = w->trips;
    w->marks.var = loop_memory_take(&w->memory, out, "some", flag, w->trips, &w->marks.alias);
    struct tree_expr *count = w->trips;
    for (int i = 0; i < LEVELS; i++) {
        count = stmt_variable(t, out, "sums", ints(w, EXPR_DIV, ints(w, EXPR_ADD, count, SEGMENT - 1), SEGMENT));
        w->sums[i].count = count;
        w->sums[i].var = loop_memory_take(&w->memory, out, "sum", int64_type(w), count, &w->sums[i].alias);
    }
    w->first.count = ints(w, EXPR_ADD, w->sums[0].count, 1);
    w->first.var = loop_memory_take(&w->memory, out, "first", int64_type(w), w->first.count, &w->first.alias);
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct counted_store *p = &w->stores.items[i];
        if (p->packed)
            p->copy = loop_memory_take(&w->memory, out, "packed", p->store->value->type, w->trips, &p->alias);
    }
}

/* Which iterations count. */
static void mark(struct compaction *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_stmt *block = stmt_block(t);
    struct tree_expr *at = expr_binary(t, EXPR_SUB, expr_var(t, w->loop->var), w->begin);
    stmt_store(t, block, expr_var(t, w->marks.var), at, expr_bool(t, true), w->marks.alias);
    struct tree_stmt *loop = slice(w, block->items.items[0]), *body = stmt_block(t);
    at = expr_binary(t, EXPR_SUB, expr_var(t, loop->var), w->begin);
    stmt_store(t, body, expr_var(t, w->marks.var), at, expr_bool(t, false), w->marks.alias);
    stmt_append(t, body, loop->body);
    loop->body = body;
    loop->loop.parallel = loop->loop.independent = true;
    stmt_append(t, out, loop);
}

/* How many of the segment count, and of the segments of segments. */
static void sum_segments(struct compaction *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    for (int i = 0; i < LEVELS; i++) {
        struct tree_stmt *loop = parallel(w, out, "s", w->sums[i].count);
        struct tree_expr *s = expr_var(t, loop->var), *from = ints(w, EXPR_MUL, s, SEGMENT);
        struct tree_var *values = i ? w->sums[i - 1].var : w->marks.var, *sum = begin_sum(w, loop->body);
        struct tree_expr *end =
            expr_binary(t, EXPR_MIN, ints(w, EXPR_ADD, from, SEGMENT), i ? w->sums[i - 1].count : w->marks.count);
        add_up(w, loop->body, sum, values, i ? w->sums[i - 1].alias : w->marks.alias, from, end);
        stmt_store(t, loop->body, expr_var(t, w->sums[i].var), s, expr_var(t, sum), w->sums[i].alias);
    }
}

/* How many count in front of each segment, and in all. */
static void sum_before(struct compaction *w, struct tree_stmt *out)
{
    struct tree *t = w->tree;
    struct tree_stmt *loop = parallel(w, out, "s", w->first.count);
    struct tree_expr *s = expr_var(t, loop->var);
    struct tree_expr *group = stmt_variable(t, loop->body, "group", ints(w, EXPR_DIV, s, SEGMENT));
    struct tree_var *sum = begin_sum(w, loop->body);
    add_up(w, loop->body, sum, w->sums[1].var, w->sums[1].alias, expr_i64(t, 0), group);
    add_up(w, loop->body, sum, w->sums[0].var, w->sums[0].alias, ints(w, EXPR_MUL, group, SEGMENT), s);
    stmt_store(t, loop->body, expr_var(t, w->first.var), s, expr_var(t, sum), w->first.alias);
}

/* ---- places ---- */

/* The counter of this iteration, in front of what names it. */
static void put_counter(struct compaction *w, struct tree_expr *segment, struct tree_expr *at, struct tree_expr *start)
{
    struct tree *t = w->tree;
    struct tree_scan inside = { .arena = t->scratch }, whole = { .arena = t->scratch };
    tree_scan_add(&inside, w->block);
    tree_scan_add(&whole, w->loop->body);
    bool all = map_get(&inside.uses, w->counter) == map_get(&whole.uses, w->counter);
    struct tree_stmt *to = all ? w->block : w->loop->body, *block = stmt_block(t);
    struct tree_var *sum = tree_var(t, "before", int64_type(w));
    stmt_assign(t, block, sum, expr_load(t, int64_type(w), expr_var(t, w->first.var), segment, w->first.alias));
    add_up(w, block, sum, w->marks.var, w->marks.alias, ints(w, EXPR_MUL, segment, SEGMENT), at);
    stmt_assign(t, block, w->counter, expr_binary(t, EXPR_ADD, start, expr_var(t, sum)));
    for (uint32_t i = 0; i < to->items.count; i++)
        stmt_append(t, block, to->items.items[i]);
    to->items = block->items;
}

/* The loop itself, by segments. */
static void place_all(struct compaction *w, struct tree_stmt *out, struct tree_expr *start)
{
    struct tree *t = w->tree;
    struct tree_stmt *all = stmt_block(t);
    struct tree_stmt *outer = parallel(w, all, "s", w->sums[0].count);
    struct tree_stmt *inner = parallel(w, outer->body, "r", expr_i64(t, SEGMENT));
    struct tree_expr *s = expr_var(t, outer->var);
    struct tree_expr *at = expr_binary(t, EXPR_ADD, ints(w, EXPR_MUL, s, SEGMENT), expr_var(t, inner->var));
    struct tree_stmt *within = stmt_if(t, inner->body, expr_binary(t, EXPR_LT, at, w->trips));
    within->otherwise = NULL;
    put_counter(w, s, at, start);
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct counted_store *p = &w->stores.items[i];
        if (!p->packed)
            continue;
        struct tree_stmt *copy = arena_copy(t->arena, p->store, sizeof *p->store);
        p->store->pointer = expr_var(t, p->copy);
        p->store->index = expr_binary(t, EXPR_SUB, p->store->index, start);
        p->store->alias = p->alias;
        p->store = copy; /* as it was */
    }
    stmt_substitute(t, w->loop->body, w->loop->var, expr_binary(t, EXPR_ADD, w->begin, at));
    stmt_append(t, within->body, w->loop->body);
    stmt_append(t, out, stmt_clone_apart(t, outer));
}

static void unpack(struct compaction *w, struct tree_stmt *out, struct tree_expr *start, struct tree_expr *found)
{
    struct tree *t = w->tree;
    struct tree_stmt *loop = NULL;
    for (uint32_t i = 0; i < w->stores.count; i++) {
        const struct counted_store *p = &w->stores.items[i];
        if (!p->packed)
            continue;
        loop = loop ? loop : parallel(w, out, "p", found);
        struct tree_expr *k = expr_var(t, loop->var);
        struct tree_expr *value = expr_load(t, p->store->value->type, expr_var(t, p->copy), k, p->alias);
        stmt_store(t, loop->body, p->store->pointer, expr_binary(t, EXPR_ADD, start, k), value, p->store->alias);
    }
}

static void rewrite(struct compaction *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *loop = w->loop;
    struct tree_expr *start =
        w->start ? (struct tree_expr *)(uintptr_t)w->start : stmt_variable(t, out, "start", expr_var(t, w->counter));
    take_memory(w, out);
    mark(w, out);
    sum_segments(w, out);
    sum_before(w, out);
    place_all(w, out, start);
    struct tree_expr *found = expr_load(t, int64_type(w), expr_var(t, w->first.var), w->sums[0].count, w->first.alias);
    stmt_assign(t, out, w->counter, expr_binary(t, EXPR_ADD, start, found));
    unpack(w, out, start, expr_binary(t, EXPR_SUB, expr_var(t, w->counter), start));
    remark(t->ir->remarks, loop->place, remark_subject(t, loop), REMARK_COMPACTION);
    *loop = *out;
}

/* ---- which loops ---- */

/* The constant that a variable has in front of item `at`; NULL: not known. */
static const struct tree_expr *constant_before(struct compaction *w, const struct tree_stmt *block, uint32_t at,
                                               const struct tree_var *v)
{
    while (at-- > 0) {
        const struct tree_stmt *s = block->items.items[at];
        if (s->kind == STMT_ASSIGN && s->var == v)
            return s->value->op == EXPR_INT ? s->value : NULL;
        struct tree_scan scan = { .arena = w->tree->scratch };
        tree_scan_add(&scan, s);
        if (map_has(&scan.assigned, v) || stmt_is_control(s) || scan.labels.count)
            return NULL;
    }
    return NULL;
}

static void look_at(struct compaction *w, const struct tree_stmt *block, uint32_t at, const struct tree_frame *frame)
{
    struct tree_stmt *s = block->items.items[at];
    if (!loop_counts_by_one(s) || s->loop.parallel || s->loop.independent || loop_is_shorter(s, SHORTEST))
        return;
    w->loop = s;
    w->step = NULL;
    w->stores.count = 0;
    w->classes = (struct map){ 0 };
    w->piece = (struct tree_piece){ 0 };
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    piece_add(w->tree->scratch, &w->piece, s, frame);
    tree_scan_add(&w->scan, s);
    find_step(w, s);
    w->start = w->step ? constant_before(w, block, at, w->counter) : NULL;
    if (is_candidate(w, frame))
        rewrite(w);
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent)))
        return false;
    for (uint32_t i = 0; s->kind == STMT_BLOCK && i < s->items.count; i++)
        look_at(user, s, i, frame);
    return true;
}

bool opt_stream_compaction(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct compaction w = { .tree = t, .func = f, .x = iterations_of(t, f), .memory = loop_memory_begin(t, f) };
    if (o->plain || o->counting || stmt_contains(f->body, STMT_RETURN))
        return true;
    stmt_flatten(t, f->body);
    tree_visit_frames(f->body, NULL, look, &w);
    loop_memory_end(&w.memory);
    stmt_flatten(t, f->body);
    return true;
}
