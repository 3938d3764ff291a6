/* Sequential loops in each other become waves: iterations that do not need each other.
 *
 *     for i = 1 to N {                          for wave = ... {
 *         for j = 1 to M {                          for i = ... parallel independent {
 *             A[i, j] = f(A[i - 1, j + 1],              k = wave - 2 * i
 *                         A[i, j - 1])    ->            if k >= 0 && k < M - 1 {
 *         }                                                 A[i, k + 1] = f(A[i - 1, k + 2], A[i, k])
 *     }                                                 }
 *                                                   }
 *                                               }
 *
 * The innermost loop may be several, one behind the other, with the same number of iterations. A memory of which an
 * iteration of these uses one element, which it stores first, becomes memory of the iteration.
 *
 * Legality: Two iterations of the innermost loops that have an element in common, of which one changes it, are at most
 * so far apart that the slopes of the waves keep their order, however far apart those of the outermost loop are; and
 * within an iteration of the loops around, no loop has to do with what one in front of it does in later iterations.
 * Values of variables stay in one iteration. Profitability: If one of the innermost loops is sequential, as are those
 * around: one thread would go through all of them. For devices: the loop of the waves is one kernel, whose threads
 * share a wave. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_PAIRS = 4000, MOST_SLOPE = 64, MOST_AROUND = 2, MOST_ROWS = 8 };

struct waves {
    struct iterations x;
    struct map allocated;                                    /* variable -> its only ALLOC, or NULL */
    struct map freed;                                        /* the same for FREE */
    struct tree_stmt *around[MOST_AROUND], *rows[MOST_ROWS]; /* rows: the innermost loops */
    uint32_t num_around, num_rows;
    struct tree_scan scan;         /* of the outermost loop */
    struct map own;                /* memory of an iteration: variable -> ALLOC */
    int64_t most[MOST_AROUND + 1]; /* distances; those of the outermost loop do not count */
    uint32_t pairs;
};

/* ---- is it such a nest? ---- */

static bool is_counting(const struct tree_stmt *s) { return s->kind == STMT_FOR && expr_is_int(s->step, 1); }

static bool is_sequential(const struct tree_stmt *s) { return !s->loop.parallel && !s->loop.independent; }

static bool is_alone(struct waves *w, const struct tree_var *v)
{
    return map_get(&tree_whole(&w->x.whole)->uses, v) == map_get(&w->scan.uses, v);
}

static void count_of(struct linear *out, const struct tree_stmt *s)
{
    struct linear begin;
    linear_of(out, s->end);
    linear_of(&begin, s->begin);
    linear_add(out, &begin, -1);
}

/* Bounds that nothing in the nest changes. */
static bool is_fixed(struct waves *w, const struct tree_stmt *s)
{
    return s->var->type->kind == TYPE_I64 && tree_scan_invariant(&w->scan, s->begin) &&
           tree_scan_invariant(&w->scan, s->end) && is_alone(w, s->var);
}

static struct tree_stmt *only_loop(const struct tree_stmt *s)
{
    struct tree_stmt *inner = s->body->items.count == 1 ? s->body->items.items[0] : NULL;
    return inner && inner->kind == STMT_FOR ? inner : NULL;
}

static bool find_parallel(void *user, struct tree_stmt *s)
{
    *(bool *)user |= s->kind == STMT_FOR && !is_sequential(s);
    return true;
}

/* Loops with the same number of iterations. One that is sequential is one thread's if all around are, unless there are
 * others for threads inside. */
static bool has_rows(struct waves *w)
{
    struct linear count, other;
    bool sequential = false;
    for (uint32_t i = 0; i < w->num_rows; i++) {
        struct tree_stmt *s = w->rows[i];
        bool parallel = false;
        count_of(i == 0 ? &count : &other, s);
        if (!is_counting(s) || !is_fixed(w, s) || !count.known || (i > 0 && !linear_equal(&count, &other)))
            return false;
        if (is_sequential(s))
            stmt_visit(s->body, find_parallel, &parallel);
        if (parallel)
            return false;
        sequential |= is_sequential(s);
    }
    return sequential;
}

static bool take_rows(struct waves *w, const struct tree_stmt *block)
{
    w->num_rows = 0;
    for (uint32_t i = 0; i < block->items.count; i++) {
        if (block->items.items[i]->kind != STMT_FOR || w->num_rows == MOST_ROWS)
            return false;
        w->rows[w->num_rows++] = block->items.items[i];
    }
    return w->num_rows > 0;
}

static bool is_nest(struct waves *w, struct tree_stmt *s)
{
    struct tree_stmt *loops[MOST_AROUND + 1];
    uint32_t count = 0;
    for (struct tree_stmt *i = s; i; i = only_loop(i)) {
        if (count > MOST_AROUND)
            return false;
        loops[count++] = i;
    }
    w->scan = (struct tree_scan){ .arena = w->x.tree->scratch };
    tree_scan_add(&w->scan, s);
    if (!take_rows(w, loops[count - 1]->body)) {
        w->rows[0] = loops[--count];
        w->num_rows = 1;
    }
    if (count == 0 || count > MOST_AROUND || !has_rows(w))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        w->around[i] = loops[i];
        if (!is_counting(loops[i]) || !is_sequential(loops[i]) || !is_fixed(w, loops[i]) ||
            loops[i]->begin->op != EXPR_INT || loops[i]->begin->i < 0)
            return false;
    }
    w->num_around = count;
    return true;
}

/* ---- memory of an iteration ---- */

static const struct tree_stmt *row_of(const struct waves *w, const struct tree_frame *f)
{
    for (; f; f = f->outer)
        for (uint32_t i = 0; i < w->num_rows; i++)
            if (f->loop == w->rows[i])
                return f->loop;
    return NULL;
}

/* The element, with the iteration of the first of the loops in place of that of the loop where it is accessed. */
static bool place_of(const struct waves *w, struct linear *out, const struct tree_access *a)
{
    const struct tree_stmt *row = row_of(w, a->frame);
    struct linear at, begin;
    if (!row || a->extent != 1 || !a->at->known)
        return false;
    linear_of(&at, expr_var(w->x.tree, w->rows[0]->var));
    linear_of(&begin, w->rows[0]->begin);
    linear_add(&at, &begin, -1);
    linear_of(&begin, row->begin);
    linear_add(&at, &begin, 1);
    linear_replace(out, a->at, row->var, &at);
    return out->known;
}

static bool is_of_iteration(struct waves *w, const struct tree_piece *piece, const struct tree_stmt *alloc)
{
    struct linear first, here;
    uint32_t uses = 1 + map_has(&w->freed, alloc->var), found = 0;
    const struct tree_scan *whole = tree_whole(&w->x.whole);
    if ((uintptr_t)map_get(&whole->uses, alloc->var) != (uintptr_t)map_get(&w->scan.uses, alloc->var) + uses ||
        map_has(&w->scan.assigned, alloc->var))
        return false;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (!a->pointer || expr_root_var(a->pointer) != alloc->var)
            continue;
        if (a->pointer->op != EXPR_VAR || a->type != alloc->type || !place_of(w, found ? &here : &first, a) ||
            (found == 0 && (!a->store || a->guarded || a->frame->loop != row_of(w, a->frame))) ||
            (found > 0 && !linear_equal(&first, &here)))
            return false;
        found++;
    }
    return found == (uintptr_t)map_get(&w->scan.uses, alloc->var);
}

static void find_own(struct waves *w, const struct tree_piece *piece)
{
    w->own = (struct map){ 0 };
    for (uint32_t i = 0; i < w->allocated.count; i++) {
        struct tree_stmt *alloc = w->allocated.slots[i].value;
        if (alloc && map_has(&w->scan.uses, alloc->var) && is_of_iteration(w, piece, alloc))
            map_put(w->x.tree->scratch, &w->own, alloc->var, alloc);
    }
}

/* ---- dependences ---- */

static bool changes(void *user, const struct tree_var *v)
{
    const struct waves *w = user;
    return map_has(&w->scan.assigned, v);
}

static int64_t further(int64_t a, int64_t b) { return a > b ? a : b; }

/* Notes how far apart the two are. `a` is in front of `b` in the text. */
static bool pair_fits(struct waves *w, const struct tree_access *a, const struct tree_access *b)
{
    const struct tree_stmt *row_a = row_of(w, a->frame), *row_b = row_of(w, b->frame);
    struct depend_loop loops[MOST_AROUND + 1];
    uint32_t count = w->num_around;
    if (!row_a || !row_b || ++w->pairs > MOST_PAIRS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        loops[i] = (struct depend_loop){ w->around[i], w->around[i], false };
    loops[count] = (struct depend_loop){ row_a, row_b, false };
    struct depend_query q = { w->x.tree->scratch, a, b, loops, count + 1, changes, w };
    struct depend d = depend_between(&q);
    if (d.kind == DEPEND_NEVER)
        return true;
    for (uint32_t i = 1; i <= count; i++) {
        const struct system_range *r = &d.distance[i];
        if (d.kind != DEPEND_MEET || r->least < -MOST_SLOPE || r->most > MOST_SLOPE)
            return false;
        w->most[i] = further(w->most[i], further(-r->least, r->most));
    }
    if (row_a == row_b)
        return true;
    q.loops = loops + count;
    q.count = 1;
    d = depend_between(&q);
    return d.kind == DEPEND_NEVER || (d.kind == DEPEND_MEET && d.distance[0].least >= 0);
}

static bool is_own(const struct waves *w, const struct tree_access *a)
{
    const struct tree_var *v = a->pointer && a->pointer->op == EXPR_VAR ? a->pointer->var : NULL;
    bool inside = v && map_has(&w->scan.assigned, v) && map_get(&w->allocated, v);
    return v && (inside || map_has(&w->own, v));
}

static bool may_skew(struct waves *w)
{
    struct tree_piece piece = { 0 };
    piece_add(w->x.tree->scratch, &piece, w->around[0], NULL);
    if (piece.control || piece.effects || piece.frees || piece.jumps || !iterations_keep_variables(&w->x, w->around[0]))
        return false;
    find_own(w, &piece);
    for (uint32_t i = 0; i <= w->num_around; i++)
        w->most[i] = 0;
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const struct tree_access *a = piece.accesses.items[k], *b = piece.accesses.items[i];
            if ((a->write || b->write) && !is_own(w, a) && !is_own(w, b) && !pair_fits(w, a, b))
                return false;
        }
    return true;
}

/* ---- the waves ---- */

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

static struct tree_expr *minus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_SUB, a, b);
}

static struct tree_expr *times(struct tree *t, struct tree_expr *a, int64_t n)
{
    return expr_binary(t, EXPR_MUL, a, expr_int(t, a->type, n));
}

struct slopes {
    int64_t of[MOST_AROUND];
};

/* An iteration further in a loop is a later wave, whatever the loops inside of it do. */
static struct slopes slopes_of(const struct waves *w)
{
    struct slopes s;
    int64_t reach = w->most[w->num_around];
    for (uint32_t i = w->num_around; i-- > 0;) {
        s.of[i] = reach + 1;
        reach += s.of[i] * w->most[i];
    }
    return s;
}

struct own_place {
    struct waves *waves;
    const struct map *moved; /* variable -> that of the memory of the iteration */
};

static struct tree_expr *move_load(void *user, struct tree_expr *e)
{
    const struct own_place *p = user;
    if (e->op != EXPR_LOAD || e->args[0]->op != EXPR_VAR || !map_has(p->moved, e->args[0]->var))
        return e;
    struct tree *t = p->waves->x.tree;
    struct tree_var *v = map_get(p->moved, e->args[0]->var);
    return expr_load(t, e->type, expr_var(t, v), expr_i64(t, 0), e->alias);
}

static bool move_accesses(void *user, struct tree_stmt *s)
{
    const struct own_place *p = user;
    struct tree *t = p->waves->x.tree;
    stmt_rewrite(t, s, move_load, user);
    if (s->pointer && s->pointer->op == EXPR_VAR && map_has(p->moved, s->pointer->var)) {
        s->pointer = expr_var(t, map_get(p->moved, s->pointer->var));
        s->index = expr_i64(t, 0);
        s->atomic = false;
    }
    return true;
}

/* Memory of an iteration is taken in it. */
static void take_own(struct waves *w, struct tree_stmt *body)
{
    struct tree *t = w->x.tree;
    struct map moved = { 0 };
    struct own_place p = { w, &moved };
    for (uint32_t i = 0; i < w->own.count; i++) {
        struct tree_stmt *alloc = w->own.slots[i].value, *release = map_get(&w->freed, alloc->var);
        struct tree_var *v = tree_var(t, alloc->var->name, alloc->var->type);
        struct tree_stmt *s = stmt_alloc(t, body, v, alloc->type, expr_i64(t, 1), TREE_STACK);
        s->place = alloc->place;
        s->alias = alloc->alias;
        map_put(t->scratch, &moved, alloc->var, v);
        *alloc = *stmt_block(t);
        if (release)
            *release = *stmt_block(t);
    }
    for (uint32_t i = 0; i < w->num_rows && moved.count; i++)
        stmt_visit(w->rows[i]->body, move_accesses, &p);
}

/* The part of a loop that a wave may have iterations in, whatever those of the others are. Divisions round down: the
 * wave is not in front of the first one, and where the other sum is negative the begin is not. */
static void bound(struct waves *w, struct tree_stmt *loop, uint32_t which, const struct slopes *s,
                  struct tree_expr *wave, struct tree_expr *trips)
{
    struct tree *t = w->x.tree;
    struct tree_expr *one = expr_int(t, wave->type, 1), *most = minus(t, trips, one),
                     *least = expr_int(t, wave->type, 0);
    for (uint32_t i = 0; i < w->num_around; i++)
        if (i != which) {
            most = plus(t, most, times(t, minus(t, w->around[i]->end, one), s->of[i]));
            least = plus(t, least, times(t, w->around[i]->begin, s->of[i]));
        }
    struct tree_expr *slope = expr_int(t, wave->type, s->of[which]);
    struct tree_expr *first = expr_binary(t, EXPR_DIV, minus(t, plus(t, wave, minus(t, slope, one)), most), slope);
    struct tree_expr *last = expr_binary(t, EXPR_DIV, minus(t, wave, least), slope);
    loop->begin = expr_binary(t, EXPR_MAX, loop->begin, first);
    loop->end = expr_binary(t, EXPR_MIN, loop->end, plus(t, last, one));
}

static void skew(struct waves *w)
{
    struct tree *t = w->x.tree;
    const struct slopes s = slopes_of(w);
    struct tree_stmt *outer = w->around[0], *all = stmt_block(t), *body = all, *copies[MOST_AROUND];
    const struct type *type = outer->var->type;
    struct tree_var *wave = tree_var(t, "wave", type), *k = tree_var(t, w->rows[0]->var->name, type);
    struct tree_expr *one = expr_int(t, type, 1), *zero = expr_int(t, type, 0), *place = expr_var(t, wave);
    struct tree_expr *trips = stmt_variable(t, all, "trips", minus(t, w->rows[0]->end, w->rows[0]->begin));
    struct tree_expr *begin = zero, *end = trips;
    remark(t->ir->remarks, outer->place, remark_subject(t, outer), REMARK_WAVES, w->num_around + w->num_rows);
    for (uint32_t i = 0; i < w->num_around; i++) {
        begin = plus(t, begin, times(t, w->around[i]->begin, s.of[i]));
        end = plus(t, end, times(t, minus(t, w->around[i]->end, one), s.of[i]));
    }
    struct tree_stmt *waves = stmt_for(t, all, wave, begin, end, one);
    waves->place = outer->place;
    body = waves->body;
    for (uint32_t i = 0; i < w->num_around; i++) {
        const struct tree_stmt *loop = w->around[i];
        copies[i] = stmt_for(t, body, loop->var, loop->begin, loop->end, one);
        copies[i]->place = loop->place;
        copies[i]->loop.parallel = copies[i]->loop.independent = true;
        place = minus(t, place, times(t, expr_var(t, loop->var), s.of[i]));
        body = copies[i]->body;
    }
    for (uint32_t i = 0; i < w->num_around; i++)
        bound(w, copies[i], i, &s, expr_var(t, wave), trips);
    stmt_assign(t, body, k, place)->place = w->rows[0]->place;
    struct tree_expr *number = expr_var(t, k);
    body = stmt_if(t, body,
                   expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_GE, number, zero),
                               expr_binary(t, EXPR_LT, number, trips)))
               ->body;
    take_own(w, body);
    for (uint32_t i = 0; i < w->num_rows; i++) {
        struct tree_stmt *row = w->rows[i];
        stmt_substitute(t, row->body, row->var, plus(t, row->begin, number));
        stmt_append(t, body, row->body);
    }
    *outer = *all;
}

/* ---- the walk ---- */

static bool look(void *user, struct tree_stmt *s)
{
    struct waves *w = user;
    if (s->kind == STMT_PARALLEL)
        return false;
    w->pairs = 0;
    if (s->kind == STMT_FOR && is_nest(w, s) && may_skew(w)) {
        skew(w);
        w->x = iterations_of(w->x.tree, w->x.whole.func);
        return false;
    }
    return s->kind != STMT_FOR || is_sequential(s);
}

static bool find_memory(void *user, struct tree_stmt *s)
{
    struct waves *w = user;
    struct map *m = s->kind == STMT_FREE ? &w->freed : &w->allocated;
    bool heap = s->kind == STMT_FREE || (s->kind == STMT_ALLOC && s->where != TREE_STATE && !s->zero);
    if (s->var && (s->kind == STMT_FREE || s->kind == STMT_ALLOC))
        map_put(w->x.tree->scratch, m, s->var, heap && !map_has(m, s->var) ? s : NULL);
    return true;
}

bool opt_wavefront(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct waves w = { .x = iterations_of(t, f) };
        stmt_visit(f->body, find_memory, &w);
        stmt_visit(f->body, look, &w);
        stmt_flatten(t, f->body);
    }
    return true;
}
