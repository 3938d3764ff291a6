/* How the threads of a region, or of a team, share iterations:
 *
 *     for i = 0 to N parallel {                 k = M
 *         for j = 0 to M parallel {             for n = thread to N * k step threads {
 *             A[i, j] = ...              ->         i = n / k
 *         }                                         j = n % k
 *     }                                             A[i, j] = ...
 *                                               }
 *
 * The loops of a perfect nest whose bounds do not depend on each other are counted together; others leave what is in
 * them to one thread. */
#include "lower/opt/device/offload_group.h"
#include "lower/opt/device/offload_region.h"
#include "lower/opt/device/offload_rows.h"
#include "lower/opt/device/offload_team.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LOOPS = 4 };

static struct tree_expr *wide(struct tree *t, struct tree_expr *e)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), e);
}

static struct tree_expr *larger(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return a && !expr_equal(a, b) ? expr_binary(t, EXPR_MAX, a, b) : b;
}

/* ---- how many there are at most, for the host ---- */

static struct tree_expr *limit_of_count(struct tree *t, const struct region_limits *l, const struct tree_expr *begin,
                                        const struct tree_expr *end)
{
    struct tree_expr *high = offload_region_limit(l, end, true),
                     *low = high ? offload_region_limit(l, begin, false) : NULL;
    return low ? expr_binary(t, EXPR_SUB, wide(t, high), wide(t, low)) : NULL;
}

static void count_iterations(struct device_region *r, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = r->offload->tree;
    struct region_limits l = { t, r->scan, r->frame };
    struct tree_expr *count = limit_of_count(t, &l, begin, end);
    count = count ? count : expr_i64(t, REGION_MOST_STEP);
    r->most = larger(t, r->most, r->each ? expr_binary(t, EXPR_MUL, count, expr_i64(t, r->each)) : count);
}

/* ---- nests of several loops ---- */

/* Its bounds can be computed in front of the nest. */
static bool is_fixed(const struct tree_scan *nest, const struct tree_stmt *loop)
{
    return tree_scan_invariant(nest, loop->begin) && tree_scan_invariant(nest, loop->end) && expr_is_int(loop->step, 1);
}

/* `divide`: by any number of iterations; else by constants alone. */
static uint32_t find_loops(struct offload *o, struct tree_stmt *nest, bool divide, struct tree_stmt **loops)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    uint32_t count = 1;
    loops[0] = nest;
    tree_scan_add(&scan, nest);
    if (!is_fixed(&scan, nest))
        return count;
    while (count < MOST_LOOPS && loops[count - 1]->body->items.count == 1) {
        struct tree_stmt *inner = loops[count - 1]->body->items.items[0];
        bool alike =
            inner->kind == STMT_FOR && (inner->loop.independent || (inner->loop.parallel && !nest->loop.independent));
        if (!alike || !is_fixed(&scan, inner) || !(divide || tree_trip_count(o->tree, inner)->op == EXPR_INT))
            break;
        loops[count++] = inner;
    }
    return count;
}

static struct tree_expr *count_of(struct tree *t, const struct region_limits *l, struct tree_stmt *const *loops,
                                  uint32_t num_loops)
{
    struct tree_expr *all = NULL;
    for (uint32_t i = 0; i < num_loops; i++) {
        struct tree_expr *own = limit_of_count(t, l, loops[i]->begin, loops[i]->end);
        if (!own)
            return NULL;
        own = expr_binary(t, EXPR_MAX, own, expr_i64(t, 0));
        all = all ? expr_binary(t, EXPR_MUL, all, own) : own;
    }
    return all;
}

struct tree_expr *offload_region_count(struct offload *o, const struct region_limits *l, struct tree_stmt *nest)
{
    struct tree_stmt *loops[MOST_LOOPS];
    uint32_t count = find_loops(o, nest, true, loops);
    return count > 1 ? count_of(o->tree, l, loops, count) : NULL;
}

static bool is_short(const struct tree_expr *count)
{
    if (count->op == EXPR_LOAD || count->op == EXPR_MATH || count->op == EXPR_CALL ||
        (count->op == EXPR_MUL && count->args[1]->op != EXPR_INT))
        return false;
    for (uint32_t i = 0; i < count->num_args; i++)
        if (!is_short(count->args[i]))
            return false;
    return true;
}

static bool has_more(void *user, struct tree_stmt *s)
{
    *(bool *)user |= stmt_is_loop(s) || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE;
    return true;
}

bool offload_region_is_line(struct offload *o, struct tree_stmt *s)
{
    bool more = false;
    if (s->kind != STMT_FOR)
        return is_short(s->count) && s->count->op != EXPR_INT;
    stmt_visit(s->body, has_more, &more);
    return !more && is_short(s->begin) && is_short(s->end) && tree_trip_count(o->tree, s)->op != EXPR_INT;
}

/* Divisions of 64 bits are slow: where all numbers are small, those of 32 bits do. */
static struct tree_expr *divide(struct device_region *r, struct tree_stmt *out, struct tree_expr *n,
                                struct tree_expr *by)
{
    struct tree *t = r->offload->tree;
    const struct type *type = type_basic(t->ir, TYPE_U32);
    if (!r->small)
        return stmt_variable(t, out, "n", expr_binary(t, EXPR_DIV, n, by));
    return stmt_variable(t, out, "n", wide(t, expr_binary(t, EXPR_DIV, expr_cast(t, type, n), expr_cast(t, type, by))));
}

/* for n = thread to count step threads, with the counters of the loops in it. */
static struct tree_stmt *write_loops(struct device_region *r, struct tree_stmt *out, struct tree_stmt *const *loops,
                                     uint32_t num_loops)
{
    struct tree *t = r->offload->tree;
    struct region_limits l = { t, r->scan, r->frame };
    struct tree_expr *counts[MOST_LOOPS], *all = NULL, *most = count_of(t, &l, loops, num_loops);
    for (uint32_t i = 0; i < num_loops; i++) {
        struct tree_expr *count = expr_binary(t, EXPR_SUB, wide(t, loops[i]->end), wide(t, loops[i]->begin));
        count = expr_binary(t, EXPR_MAX, count, expr_i64(t, 0));
        counts[i] = count->op == EXPR_INT ? count : stmt_variable(t, out, "count", count);
        all = all ? expr_binary(t, EXPR_MUL, all, counts[i]) : counts[i];
    }
    r->most = larger(t, r->most, most ? most : expr_i64(t, REGION_MOST_STEP));
    r->planes = larger(t, r->planes, most ? most : expr_i64(t, REGION_MOST_STEP));
    struct tree_var *n = tree_var(t, "n", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, out, n, r->thread, stmt_variable(t, out, "count", all), r->threads);
    struct tree_expr *rest = expr_var(t, n), *number[MOST_LOOPS];
    for (uint32_t i = num_loops; i-- > 1;) {
        struct tree_expr *next = divide(r, loop->body, rest, counts[i]);
        number[i] = expr_binary(t, EXPR_SUB, rest, expr_binary(t, EXPR_MUL, next, counts[i]));
        rest = next;
    }
    number[0] = rest;
    for (uint32_t i = 0; i < num_loops; i++) {
        struct tree_expr *value = expr_binary(t, EXPR_ADD, wide(t, loops[i]->begin), number[i]);
        stmt_assign(t, loop->body, loops[i]->var, expr_cast(t, loops[i]->var->type, value))->place = loops[i]->place;
    }
    stmt_append(t, loop->body, loops[num_loops - 1]->body);
    return loop;
}

/* ---- loops ---- */

struct tree_stmt *offload_region_loop(struct device_region *r, struct tree_stmt *out, struct tree_var *v,
                                      struct tree_expr *begin, struct tree_expr *end, struct tree_expr *step)
{
    struct tree *t = r->offload->tree;
    const struct type *type = type_basic(t->ir, TYPE_I64);
    struct tree_var *i = v && v->type == type ? v : tree_var(t, v ? v->name : "k", type);
    count_iterations(r, begin, end);
    begin = wide(t, begin);
    step = wide(t, step);
    struct tree_expr *first = expr_binary(t, EXPR_ADD, begin, expr_binary(t, EXPR_MUL, r->thread, step));
    struct tree_stmt *loop = stmt_for(t, out, i, first, wide(t, end), expr_binary(t, EXPR_MUL, r->threads, step));
    if (v && v != i)
        stmt_assign(t, loop->body, v, expr_cast(t, v->type, expr_var(t, i)));
    return loop;
}

struct write_guard {
    struct tree *tree;
    struct tree_expr *within;
};

/* Threads beyond the last column do what that one does, but write nothing. */
static bool guard_write(void *user, struct tree_stmt *s)
{
    struct write_guard *g = user;
    if (s->kind != STMT_STORE && s->kind != STMT_REDUCE && s->kind != STMT_UPDATE)
        return true;
    struct tree_stmt *write = arena_copy(g->tree->arena, s, sizeof *s), *block = stmt_block(g->tree);
    stmt_append(g->tree, stmt_if(g->tree, block, g->within)->body, write);
    *s = *block;
    return false;
}

enum { TOGETHER = 4 /* iterations that a thread of a team does at once */ };

/* Several iterations of each thread at once, as long as there are so many. Returns where the rest begins; NULL: with
 * the first one. */
static struct tree_expr *write_together(struct device_region *r, struct tree_stmt *out, const struct tree_stmt *s)
{
    struct tree *t = r->offload->tree;
    if (r->level == TREE_GRID || !offload_rows_fit(s->body, true))
        return NULL;
    struct tree_expr *step = wide(t, s->step), *stride = expr_binary(t, EXPR_MUL, r->threads, step);
    struct tree_expr *first = expr_binary(t, EXPR_ADD, wide(t, s->begin), expr_binary(t, EXPR_MUL, r->thread, step));
    struct tree_expr *last = expr_binary(t, EXPR_MUL, stride, expr_i64(t, TOGETHER - 1));
    struct tree_expr *end = expr_binary(t, EXPR_SUB, wide(t, s->end), last);
    struct tree_var *i = tree_var(t, s->var->name, type_basic(t->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, out, i, first, end, expr_binary(t, EXPR_MUL, stride, expr_i64(t, TOGETHER)));
    struct offload_row rows = offload_rows_begin(t);
    loop->place = s->place;
    for (int64_t k = 0; k < TOGETHER; k++)
        offload_rows_write(t, &rows, s->body, s->var,
                           expr_binary(t, EXPR_ADD, expr_var(t, i), expr_binary(t, EXPR_MUL, stride, expr_i64(t, k))));
    offload_rows_end(t, loop->body, &rows);
    return expr_var(t, i);
}

static void write_nest(struct device_region *r, struct tree_stmt *out, struct tree_stmt *const *loops, uint32_t count)
{
    struct offload *o = r->offload;
    struct tree_stmt *s = loops[0];
    struct offload_group g;
    offload_group_find(o, s, s, r->level == TREE_GRID ? TREE_BLOCK : r->level, &g);
    g.own = r->own;
    bool ordered = false;
    for (uint32_t i = 0; i < g.count; i++)
        ordered |= g.places[i].ordered;
    struct tree_expr *threads = r->threads;
    if (ordered && r->level == TREE_GRID) { /* the first block alone */
        out = stmt_if(o->tree, out, region_in_first_block(o->tree))->body;
        r->threads = expr_i64(o->tree, OFFLOAD_REGION_THREADS);
    }
    if (r->within && !g.count)
        out = stmt_if(o->tree, out, r->within)->body;
    if (r->within && g.count)
        stmt_visit(s->body, guard_write, &(struct write_guard){ o->tree, r->within });
    offload_group_begin(o, &g, out);
    if (count > 1) {
        write_loops(r, out, loops, count)->place = s->place;
    } else {
        struct tree_expr *rest = g.count ? NULL : write_together(r, out, s);
        struct tree_stmt *loop = offload_region_loop(r, out, s->var, s->begin, s->end, s->step);
        loop->begin = rest ? rest : loop->begin;
        loop->loop.rolled = rest != NULL;
        loop->place = s->place;
        stmt_append(o->tree, loop->body, s->body);
    }
    r->threads = threads;
    offload_group_end(o, &g, out);
}

void offload_region_nest(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree_stmt *loops[MOST_LOOPS];
    uint32_t count = r->level == TREE_GRID ? find_loops(r->offload, s, r->small, loops) : 1;
    loops[0] = s;
    if (count > 1 || r->level != TREE_GRID || !offload_team_in_region(r, out, s))
        write_nest(r, out, loops, count);
}

/* Element by element; zero bytes are the number zero in all basic types. */
void offload_region_elements(struct device_region *r, struct tree_stmt *out, const struct tree_stmt *s,
                             struct tree_expr *from)
{
    struct tree *t = r->offload->tree;
    struct tree_expr *zero = expr_i64(t, 0), *target = s->kind == STMT_ALLOC ? expr_var(t, s->var) : s->pointer;
    struct tree_stmt *loop = offload_region_loop(r, out, NULL, zero, s->count, expr_i64(t, 1));
    struct tree_expr *k = expr_var(t, loop->var);
    const struct type *pointer = type_pointer(t->ir, s->type);
    struct tree_expr *value =
        from ? expr_load(t, s->type, expr_cast(t, pointer, from), k, s->alias2) : expr_cast(t, s->type, zero);
    loop->place = s->place;
    stmt_store(t, loop->body, expr_cast(t, pointer, target), k, value, s->alias);
}
