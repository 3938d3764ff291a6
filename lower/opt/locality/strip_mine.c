/* Independent loops with unit stride around loops without it are strip-mined, and the strips are interchanged to the
 * inside. Where all iterations read the same data, more than the cache holds, the inner loop is blocked instead.
 *
 *     for j ... independent {                      for j' = 0 to N step W {
 *         sum = 0                                      for j = j' to j' + W { sums[j - j'] = 0 }
 *         for i { sum = sum + A[i, j] }      ->        for i {
 *         B[j] = sum                                       for j = j' to j' + W { sums[j - j'] += A[i, j] }
 *     }                                                }
 *                                                      for j = j' to j' + W { B[j] = sums[j - j'] }
 *                                                  }
 *
 * Legality: The outer iterations are independent; scalars that live from one inner loop to the next become arrays of
 * the strip (scalar expansion).
 * Profitability: If accesses become unit-stride, or data is reused in blocks of the first-level cache, or inner
 * iterations hand values on and strips need not gather, or gather for divisions and functions. A strip has at most an
 * eighth of the second-level cache. */
#include "lower/opt/locality/strip_mine.h"
#include "lower/opt/fusion/interchange_to_contract.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_shape.h"

struct strips {
    struct iterations x;
    bool threads;
};

/* ---- what may be taken apart ---- */

static void see(void *user, struct tree_expr *e)
{
    struct strip *w = user;
    if (e->op == EXPR_CALL)
        w->ok = false;
    if (e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && map_has(&w->memory, e->args[0]->var))
        w->direct++;
    if (e->op != EXPR_VAR || !map_has(&w->scan.assigned, e->var) || map_has(&w->memory, e->var) ||
        map_has(&w->uniform, e->var))
        return;
    uintptr_t run = (uintptr_t)map_get(&w->runs, e->var);
    if (run && run != w->run + 1)
        map_put(w->tree->scratch, &w->arrays, e->var, e->var);
    map_put(w->tree->scratch, &w->runs, e->var, (void *)(w->run + 1));
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see, user); }

struct changing {
    const struct strip *w;
    bool found;
};

static void see_changing(void *user, struct tree_expr *e)
{
    struct changing *c = user;
    if (e->op == EXPR_VAR &&
        (e->var == c->w->loop->var || (map_has(&c->w->scan.assigned, e->var) && !map_has(&c->w->uniform, e->var))))
        c->found = true;
    if (e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && map_has(&c->w->memory, e->args[0]->var))
        return; /* nobody else has it */
    for (uint32_t i = 0; e->op == EXPR_LOAD && i < c->w->piece.accesses.count; i++) {
        const struct tree_access *a = c->w->piece.accesses.items[i];
        if (a->write && (a->alias == e->alias || a->alias == 0 || e->alias == 0))
            c->found = true;
    }
}

/* The same value for all iterations of the strip? */
static bool is_uniform(const struct strip *w, struct tree_expr *e)
{
    struct changing c = { .w = w };
    expr_visit(e, see_changing, &c);
    return !c.found && expr_is_pure(e);
}

static void inspect(struct strip *w, struct tree_stmt *s, bool guarded);

static void inspect_items(struct strip *w, struct tree_stmt *block, bool guarded)
{
    for (uint32_t i = 0; i < block->items.count && w->ok; i++)
        inspect(w, block->items.items[i], guarded);
}

static void inspect_loop(struct strip *w, struct tree_stmt *s, bool guarded)
{
    w->ok &= !guarded && is_uniform(w, s->begin) && is_uniform(w, s->end) && is_uniform(w, s->step);
    map_put(w->tree->scratch, &w->uniform, s->var, s);
    w->run++;
    inspect_items(w, s->body, guarded);
    w->run++;
}

static bool is_assigned_once(const struct strip *w, const struct tree_var *v)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->piece.writes.count; i++)
        count += w->piece.writes.items[i] == v;
    return count == 1;
}

static void inspect_assign(struct strip *w, struct tree_stmt *s, bool guarded)
{
    stmt_each_expr(s, see_operand, w);
    bool once = !map_has(&w->runs, s->var) && !guarded;
    if (once && is_uniform(w, s->value) && is_assigned_once(w, s->var)) {
        map_put(w->tree->scratch, &w->uniform, s->var, s);
        return;
    }
    struct tree_expr *itself = expr_var(w->tree, s->var);
    w->ok &= type_is_basic(s->var->type) && !map_has(&w->uniform, s->var);
    see(w, itself);
}

/* Memory is taken for uniform until something else is stored there. That of the heap has as many elements as sizes say.
 */
static void inspect_alloc(struct strip *w, const struct tree_stmt *s, bool guarded)
{
    bool sized = s->where == TREE_HEAP && s->count->op != EXPR_INT && is_uniform(w, s->count);
    int64_t count = s->count->op == EXPR_INT ? s->count->i : INT32_MAX;
    w->ok &= (sized || (s->where == TREE_STACK && count < INT32_MAX)) && !s->zero && !guarded &&
             !map_has(&w->memory, s->var) && type_is_basic(s->type);
    map_put(w->tree->scratch, &w->memory, s->var, (void *)(uintptr_t)s);
    if (count > STRIP_FEW && !map_has(&w->varied, s->var))
        map_put(w->tree->scratch, &w->uniform, s->var, (void *)(uintptr_t)s);
    else if (w->ok && !sized)
        w->bytes += count * (int64_t)s->type->size;
    else
        w->sized = true;
}

bool strip_stores_uniform(const struct strip *w, const struct tree_stmt *s)
{
    return (s->kind == STMT_STORE || s->kind == STMT_REDUCE) && s->pointer->op == EXPR_VAR &&
           map_has(&w->memory, s->pointer->var) && map_has(&w->uniform, s->pointer->var);
}

static void inspect_store(struct strip *w, struct tree_stmt *s, bool guarded)
{
    stmt_each_expr(s, see_operand, w);
    w->direct += s->pointer->op == EXPR_VAR && map_has(&w->memory, s->pointer->var);
    if (!strip_stores_uniform(w, s))
        return;
    w->run++;
    if (guarded || s->kind != STMT_STORE || !is_uniform(w, s->value) || !is_uniform(w, s->index)) {
        map_put(w->tree->scratch, &w->varied, s->pointer->var, s);
        w->again = true;
    }
}

static void inspect(struct strip *w, struct tree_stmt *s, bool guarded)
{
    switch (s->kind) {
    case STMT_BLOCK:
        inspect_items(w, s, guarded);
        break;
    case STMT_FOR:
        inspect_loop(w, s, guarded);
        break;
    case STMT_ASSIGN:
        inspect_assign(w, s, guarded);
        break;
    case STMT_ALLOC:
        inspect_alloc(w, s, guarded);
        break;
    case STMT_FREE:
        w->ok &= !guarded && map_has(&w->memory, s->var);
        w->direct++;
        break;
    case STMT_STORE:
    case STMT_REDUCE:
        inspect_store(w, s, guarded);
        break;
    case STMT_IF:
        stmt_each_expr(s, see_operand, w);
        w->ok &= !strip_has_loop(s);
        inspect_items(w, s->body, true);
        if (s->otherwise)
            inspect_items(w, s->otherwise, true);
        break;
    default:
        w->ok = false;
    }
}

/* All of the loop, until nothing is taken for uniform that is not. */
static void inspect_all(struct strip *w, const struct tree_stmt *loop)
{
    do {
        w->runs = w->uniform = w->arrays = w->memory = (struct map){ 0 };
        w->run = w->direct = 0;
        w->bytes = 0;
        w->again = w->sized = false;
        inspect_items(w, loop->body, false);
    } while (w->again && w->ok);
}

/* Memory of an iteration is only used as such. */
static bool memory_is_plain(const struct strip *w)
{
    uintptr_t uses = 0;
    for (uint32_t i = 0; i < w->memory.count; i++)
        uses += (uintptr_t)map_get(&w->scan.uses, w->memory.slots[i].key) - 1; /* the allocation names it */
    return uses == w->direct;
}

/* Is there a loop that reads the same data in all iterations? */
static bool reads_again(const struct tree *t, const struct tree_stmt *loop, const struct tree_piece *piece)
{
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_FOR && strip_block(t, piece, loop, loop->body->items.items[i]))
            return true;
    return false;
}

/* ---- the walk ---- */

static bool is_long(const struct tree_stmt *loop)
{
    return !loop_has_constant_bounds(loop) || loop_span(loop) >= STRIP_NARROWEST;
}

/* What stands against taking the loop apart; NULL: nothing. */
static const char *obstacle(struct strips *all, struct strip *w, struct tree_stmt *loop)
{
    if (w->piece.control || w->piece.effects || w->piece.jumps)
        return "it has jumps or calls";
    if (!iterations_keep_variables(&all->x, loop))
        return "a variable carries values from iteration to iteration";
    tree_scan_add(&w->scan, loop->body);
    inspect_all(w, loop);
    if (w->ok && memory_is_plain(w) && w->bytes <= strip_memory(w) / STRIP_NARROWEST &&
        tree_scan_invariant(&w->scan, loop->end))
        return NULL;
    return "conditions, calls or bounds in it differ from iteration to iteration";
}

static bool try_strips(struct strips *all, struct tree_stmt *loop, const struct tree_frame *frame, bool turned)
{
    struct tree *t = all->x.tree;
    if (loop->kind != STMT_FOR || !loop->loop.independent || !expr_is_int(loop->step, 1) || !is_long(loop) ||
        !strip_has_loop(loop->body))
        return false;
    struct strip w = { .tree = t, .loop = loop, .scan = { .arena = t->scratch }, .ok = true };
    piece_add(t->scratch, &w.piece, loop, frame);
    bool again = reads_again(t, loop, &w.piece);
    if (!turned && !again && !strip_pays(t->scratch, loop, &w.piece))
        return false;
    const char *why = obstacle(all, &w, loop), *subject = remark_subject(t, loop);
    if (why) {
        remark(t->ir->remarks, loop->place, subject, REMARK_STRIPS_MISSED, why);
        return false;
    }
    strip_make(&w, loop, all->threads);
    remark(t->ir->remarks, loop->place, subject, again ? REMARK_STRIPS_BLOCKS : REMARK_STRIPS,
           (long long)loop->step->i);
    return true;
}

/* Does the inner loop walk memory with gaps where the outer one does not? With loops inside it is the strips that pay.
 */
static bool has_gaps(struct arena *arena, const struct tree_piece *piece, const struct tree_stmt *outer,
                     const struct tree_stmt *inner)
{
    if (strip_has_loop(inner->body))
        return strip_pays(arena, inner, piece);
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (a->at && a->at->known && strip_stride(a, inner->var) > 1 && strip_stride(a, outer->var) <= 1)
            return true;
    }
    return false;
}

/* The loop around: for k { values; for j { body } } as for j { for k { values; body } }, if that is the same. */
static bool try_turn(struct strips *all, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree_stmt *inner = turn_inner(loop);
    struct tree_piece piece = { 0 };
    if (!inner || !is_long(inner))
        return false;
    piece_add(all->x.tree->scratch, &piece, loop, frame);
    struct tree_stmt *turned =
        has_gaps(all->x.tree->scratch, &piece, loop, inner) ? turn_nest(&all->x, loop, frame) : NULL;
    if (!turned || !try_strips(all, turned, frame, true))
        return false;
    *loop = *turned;
    return true;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct strips *all = user;
    return s->kind != STMT_PARALLEL && !try_strips(all, s, frame, false) && !try_turn(all, s, frame);
}

bool opt_strip_mine(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct strips all = { .x = iterations_of(t, f), .threads = o->num_threads != 1 };
        tree_visit_frames(f->body, NULL, look, &all);
    }
    return true;
}
