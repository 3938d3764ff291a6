/* Independent loops that walk memory evenly, around loops that do not, go inside in strips:
 *
 *     for j ... independent {                      for j' = 0 to N step W {
 *         sum = 0                                      for j = j' to j' + W { sums[j - j'] = 0 }
 *         for i { sum = sum + A[i, j] }      ->        for i {
 *         B[j] = sum                                       for j = j' to j' + W { sums[j - j'] += A[i, j] }
 *     }                                                }
 *                                                      for j = j' to j' + W { B[j] = sums[j - j'] }
 *                                                  }
 *
 * so that the innermost loops are vectors of neighbours, and lines of memory are used while they are in the cache.
 * Every iteration of j does what it did, in the same order. Variables that live from one loop over j to the next become
 * arrays.
 *
 *     for k { a = ...  for j ... independent { C[j] += a * A[j, k] } }
 *
 * is first turned around where iterations of j are independent over all of k, too.
 *
 * Where all iterations of j read the same data, more than stays in cache, it goes by in blocks instead, each for all
 * of the strip:
 *
 *     for j ... independent {                      for j' = 0 to N step W {
 *         for i { sum = sum + f(A[i], j) }             for i' = 0 to M step B {
 *         B[j] = sum                         ->            for j = j' to j' + W {
 *     }                                                        for i = i' to i' + B { sums[j - j'] += f(A[i], j) }
 */
#include "lower/pass/pass_strip.h"
#include "lower/pass/pass_remark.h"
#include "lower/pass/pass_turn.h"
#include "lower/tree/tree_rewrite.h"

enum {
    WIDEST = 64,
    NARROWEST = 16,
    STRIPS = 8,              /* at least, for threads to share */
    FEW = 4,                 /* elements of memory that can be brought along one by one */
    MOST_MEMORY = 128 * 1024 /* bytes of a strip */
};

struct strips {
    struct iterations x;
    bool threads;
};

/* One loop that is being taken apart. */
struct strip {
    struct tree *tree;
    const struct tree_stmt *loop;
    struct tree_scan scan; /* of its body */
    struct tree_piece piece;
    struct map runs;       /* variable -> number of the run of statements that it is used in, plus one */
    struct map uniform;    /* variables that have one value for all of the strip, memory that has the same values */
    struct map varied;     /* variables of memory that has not */
    struct map arrays;     /* variable -> pointer variable of its values, or of its memory */
    struct map memory;     /* variables of stack memory -> the allocation */
    uintptr_t run, direct; /* direct: uses of such memory as the pointer of an access */
    int64_t bytes;         /* of memory of an iteration that differs from that of the others */
    int64_t width;         /* iterations of a full strip */
    struct tree_var *base; /* first value of the strip */
    struct tree_expr *stop;
    bool ok, again;
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

/* Memory is taken for uniform until something else is stored there. */
static void inspect_alloc(struct strip *w, const struct tree_stmt *s, bool guarded)
{
    int64_t count = s->count->op == EXPR_INT ? s->count->i : INT32_MAX;
    w->ok &= s->where == TREE_STACK && !s->zero && count < INT32_MAX && !guarded && !map_has(&w->memory, s->var) &&
             type_is_basic(s->type);
    map_put(w->tree->scratch, &w->memory, s->var, (void *)(uintptr_t)s);
    if (count > FEW && !map_has(&w->varied, s->var))
        map_put(w->tree->scratch, &w->uniform, s->var, (void *)(uintptr_t)s);
    else if (w->ok)
        w->bytes += count * (int64_t)s->type->size;
}

/* Is it to memory that is the same for all of the strip? */
static bool stores_uniform(const struct strip *w, const struct tree_stmt *s)
{
    return (s->kind == STMT_STORE || s->kind == STMT_REDUCE) && s->pointer->op == EXPR_VAR &&
           map_has(&w->memory, s->pointer->var) && map_has(&w->uniform, s->pointer->var);
}

static void inspect_store(struct strip *w, struct tree_stmt *s, bool guarded)
{
    stmt_each_expr(s, see_operand, w);
    w->direct += s->pointer->op == EXPR_VAR && map_has(&w->memory, s->pointer->var);
    if (!stores_uniform(w, s))
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
        w->again = false;
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
static bool reads_again(const struct tree_stmt *loop, const struct tree_piece *piece)
{
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_FOR && strip_block(piece, loop, loop->body->items.items[i]))
            return true;
    return false;
}

/* ---- rewriting ---- */

struct replace {
    struct strip *w;
    struct tree_expr *lane;
};

/* The allocation, if the variable is of memory of which every iteration has its own. */
static struct tree_stmt *own_memory(const struct strip *w, const struct tree_var *v)
{
    return map_has(&w->uniform, v) ? NULL : map_get(&w->memory, v);
}

/* Of the memory of all iterations of the strip. */
static struct tree_expr *element(const struct replace *r, struct tree_expr *index)
{
    struct tree *t = r->w->tree;
    return expr_binary(t, EXPR_ADD, r->lane, expr_binary(t, EXPR_MUL, index, expr_i64(t, r->w->width)));
}

static struct tree_expr *replace_expr(void *user, struct tree_expr *e)
{
    struct replace *r = user;
    struct tree *t = r->w->tree;
    struct tree_stmt *values;
    if (e->op == EXPR_VAR && !map_has(&r->w->memory, e->var) && (values = map_get(&r->w->arrays, e->var)))
        return expr_load(t, e->type, expr_var(t, values->var), r->lane, values->alias);
    if (e->op == EXPR_LOAD && e->args[0]->op == EXPR_VAR && (values = own_memory(r->w, e->args[0]->var)))
        return expr_load(t, e->type, e->args[0], element(r, e->args[1]), e->alias);
    return e;
}

static bool replace_stmt(void *user, struct tree_stmt *s)
{
    struct replace *r = user;
    struct tree *t = r->w->tree;
    stmt_rewrite(t, s, replace_expr, r);
    struct tree_stmt *values = NULL;
    if (s->kind == STMT_ASSIGN && (values = map_get(&r->w->arrays, s->var))) {
        s->kind = STMT_STORE;
        s->var = NULL;
        s->pointer = expr_var(t, values->var);
        s->index = r->lane;
        s->alias = values->alias;
        s->reassociate = false;
    } else if ((s->kind == STMT_STORE || s->kind == STMT_REDUCE) && s->pointer->op == EXPR_VAR &&
               (values = own_memory(r->w, s->pointer->var))) {
        s->index = element(r, s->index);
        s->atomic = false;
    }
    return true;
}

/* A loop over the strip; `lane`: the number of an iteration in it. */
static struct tree_stmt *over_strip(struct strip *w, struct tree_stmt *out, struct tree_expr **lane)
{
    struct tree *t = w->tree;
    struct tree_var *v = tree_var(t, w->loop->var->name, w->loop->var->type);
    struct tree_stmt *s = stmt_for(t, out, v, expr_var(t, w->base), w->stop, w->loop->step);
    s->place = w->loop->place;
    s->loop.independent = true;
    struct tree_expr *number = expr_binary(t, EXPR_SUB, expr_var(t, v), expr_var(t, w->base));
    *lane = expr_cast(t, type_basic(t->ir, TYPE_I64), number);
    return s;
}

/* The statements gathered become a loop over the strip. */
static void close_run(struct strip *w, struct tree_stmt *out, struct tree_stmt **run)
{
    if (!*run)
        return;
    struct replace r = { .w = w };
    struct tree_stmt *s = over_strip(w, out, &r.lane);
    s->body = *run;
    stmt_substitute(w->tree, s->body, w->loop->var, expr_var(w->tree, s->var));
    stmt_visit(s->body, replace_stmt, &r);
    *run = NULL;
}

/* Variables and memory that the iteration at hand has values of its own in, brought from and to those of the strip. */
static void bring_values(struct strip *w, struct tree_stmt *body, const struct tree_scan *scan, struct tree_expr *lane,
                         bool back)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->arrays.count; i++) {
        struct tree_var *v = (struct tree_var *)(uintptr_t)w->arrays.slots[i].key;
        const struct tree_stmt *values = w->arrays.slots[i].value;
        struct tree_expr *pointer = expr_var(t, values->var);
        if (!back && map_has(&scan->uses, v))
            stmt_assign(t, body, v, expr_load(t, v->type, pointer, lane, values->alias));
        else if (back && map_has(&scan->assigned, v))
            stmt_store(t, body, pointer, lane, expr_var(t, v), values->alias);
    }
}

static void bring_memory(struct strip *w, struct tree_stmt *body, const struct tree_stmt *alloc, struct tree_var *own,
                         const struct replace *r, bool back)
{
    struct tree *t = w->tree;
    for (int64_t i = 0; i < alloc->count->i / w->width; i++) {
        struct tree_expr *here = expr_i64(t, i), *there = element(r, here);
        struct tree_expr *from = expr_var(t, back ? own : alloc->var), *to = expr_var(t, back ? alloc->var : own);
        struct tree_expr *value = expr_load(t, alloc->type, from, back ? here : there, alloc->alias);
        stmt_store(t, body, to, back ? there : here, value, alloc->alias);
    }
}

/* An iteration of the strip: the loop `s`, on variables and memory of its own. */
static void put_iteration(struct strip *w, struct tree_stmt *body, struct tree_stmt *s, struct tree_expr *lane)
{
    struct tree *t = w->tree;
    struct tree_scan scan = { .arena = t->scratch };
    struct replace r = { w, lane };
    struct tree_var **own = NEW_ARRAY(t->scratch, struct tree_var *, w->memory.count + 1);
    tree_scan_add(&scan, s);
    bring_values(w, body, &scan, lane, false);
    for (uint32_t i = 0; i < w->memory.count; i++) {
        const struct tree_stmt *alloc = w->memory.slots[i].value;
        if (!map_has(&scan.uses, alloc->var) || !own_memory(w, alloc->var))
            continue;
        own[i] = tree_var(t, alloc->var->name, alloc->var->type);
        struct tree_expr *count = expr_i64(t, alloc->count->i / w->width);
        stmt_alloc(t, body, own[i], alloc->type, count, TREE_STACK)->alias = alloc->alias;
        bring_memory(w, body, alloc, own[i], &r, false);
        stmt_substitute(t, s, alloc->var, expr_var(t, own[i]));
    }
    stmt_append(t, body, s);
    bring_values(w, body, &scan, lane, true);
    for (uint32_t i = 0; i < w->memory.count; i++)
        if (own[i])
            bring_memory(w, body, w->memory.slots[i].value, own[i], &r, true);
}

/* It was taken in front of the strip. */
static bool take_out_memory(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_ALLOC)
        *s = *stmt_block(user);
    return true;
}

/* All iterations of the strip go through a block of the loop's iterations, then through the next one. */
static void put_blocks(struct strip *w, struct tree_stmt *out, struct tree_stmt *s, int64_t block)
{
    struct tree *t = w->tree;
    const struct type *type = s->var->type;
    struct tree_var *first = tree_var(t, s->var->name, type);
    struct tree_stmt *blocks = stmt_for(t, out, first, s->begin, s->end, expr_int(t, type, block));
    struct tree_expr *full = expr_binary(t, EXPR_ADD, expr_var(t, first), expr_int(t, type, block));
    blocks->place = s->place;
    s->loop.parallel = false;
    s->begin = expr_var(t, first);
    s->end = expr_binary(t, EXPR_MIN, full, s->end);
    struct tree_expr *lane;
    struct tree_stmt *over = over_strip(w, blocks->body, &lane);
    stmt_substitute(t, s, w->loop->var, expr_var(t, over->var));
    stmt_visit(s, take_out_memory, t);
    put_iteration(w, over->body, s, lane);
}

/* Is memory of an iteration so little that it can be brought along? */
static bool brings_memory(const struct strip *w)
{
    for (uint32_t i = 0; i < w->memory.count; i++) {
        const struct tree_stmt *alloc = w->memory.slots[i].value;
        if (map_has(&w->uniform, alloc->var) || alloc->count->i > FEW * w->width)
            return false;
    }
    return true;
}

static struct tree_stmt *take_apart(struct strip *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *run = NULL;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind == STMT_ALLOC)
            continue;
        if (s->kind == STMT_ASSIGN && map_has(&w->uniform, s->var)) {
            stmt_append(t, out, s); /* in front of the run: nothing in it changes what this needs */
        } else if (stores_uniform(w, s)) {
            close_run(w, out, &run);
            stmt_append(t, out, s);
        } else if (s->kind == STMT_FOR) {
            int64_t by = block == w->loop->body && brings_memory(w) ? strip_block(&w->piece, w->loop, s) : 0;
            close_run(w, out, &run);
            if (by) {
                put_blocks(w, out, s, by);
                continue;
            }
            s->body = take_apart(w, s->body);
            s->loop.parallel = false;
            stmt_append(t, out, s);
        } else {
            if (!run)
                run = stmt_block(t);
            stmt_append(t, run, s);
        }
    }
    close_run(w, out, &run);
    return out;
}

/* Arrays for the values of variables, and wider memory. */
static void allocate(struct strip *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->arrays.count; i++) {
        const struct tree_var *old = w->arrays.slots[i].key;
        struct tree_var *v = tree_var(t, old->name, type_pointer(t->ir, old->type));
        struct tree_stmt *alloc = stmt_alloc(t, block, v, old->type, expr_i64(t, w->width), TREE_STACK);
        alloc->place = w->loop->place;
        alloc->alias = t->num_aliases++;
        w->arrays.slots[i].value = alloc;
    }
    for (uint32_t i = 0; i < w->memory.count; i++) {
        struct tree_stmt *alloc = stmt_clone(t, w->memory.slots[i].value);
        w->memory.slots[i].value = alloc;
        if (own_memory(w, alloc->var))
            alloc->count = expr_i64(t, alloc->count->i * w->width);
        stmt_append(t, block, alloc);
    }
}

static int64_t width(const struct strips *all, const struct strip *w)
{
    const struct tree_stmt *loop = w->loop;
    int64_t widest = WIDEST;
    while (widest > NARROWEST && widest * w->bytes > MOST_MEMORY)
        widest /= 2;
    if (!all->threads || !loop->loop.parallel || loop->begin->op != EXPR_INT || loop->end->op != EXPR_INT)
        return widest;
    int64_t share = (loop->end->i - loop->begin->i + STRIPS - 1) / STRIPS;
    share = (share + NARROWEST - 1) / NARROWEST * NARROWEST;
    return share < NARROWEST ? NARROWEST : share > widest ? widest : share;
}

static void make_strips(struct strips *all, struct strip *w, struct tree_stmt *loop)
{
    struct tree *t = w->tree;
    const struct type *type = loop->var->type;
    struct tree_stmt *inside = stmt_block(t);
    w->base = tree_var(t, loop->var->name, type);
    struct tree_var *stop = tree_var(t, "stop", type);
    w->width = width(all, w);
    struct tree_expr *by = expr_int(t, type, w->width);
    struct tree_expr *full = expr_binary(t, EXPR_ADD, expr_var(t, w->base), by);
    stmt_assign(t, inside, stop, expr_binary(t, EXPR_MIN, full, loop->end))->place = loop->place;
    w->stop = expr_var(t, stop);
    allocate(w, inside);
    struct tree_stmt *body = take_apart(w, loop->body);
    for (uint32_t i = 0; i < body->items.count; i++)
        stmt_append(t, inside, body->items.items[i]);
    loop->var = w->base;
    loop->step = by;
    loop->body = inside;
}

/* ---- the walk ---- */

static bool is_long(const struct tree_stmt *loop)
{
    return loop->begin->op != EXPR_INT || loop->end->op != EXPR_INT || loop->end->i - loop->begin->i >= NARROWEST;
}

/* What stands against taking the loop apart; NULL: nothing. */
static const char *obstacle(struct strips *all, struct strip *w, struct tree_stmt *loop)
{
    if (w->piece.control || w->piece.effects || w->piece.frees || w->piece.jumps)
        return "it has jumps, calls or memory that is given back";
    if (!iterations_keep_variables(&all->x, loop))
        return "a variable carries values from iteration to iteration";
    tree_scan_add(&w->scan, loop->body);
    inspect_all(w, loop);
    if (w->ok && memory_is_plain(w) && w->bytes <= MOST_MEMORY / NARROWEST && tree_scan_invariant(&w->scan, loop->end))
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
    bool again = reads_again(loop, &w.piece);
    if (!turned && !again && !strip_pays(loop, &w.piece))
        return false;
    const char *why = obstacle(all, &w, loop), *subject = remark_subject(t, loop);
    if (why) {
        remark(t->ir->remarks, loop->place, subject, REMARK_STRIPS_MISSED, why);
        return false;
    }
    make_strips(all, &w, loop);
    remark(t->ir->remarks, loop->place, subject, again ? REMARK_STRIPS_BLOCKS : REMARK_STRIPS,
           (long long)loop->step->i);
    return true;
}

/* Does the inner loop walk memory with gaps where the outer one does not? With loops inside it is the strips that pay.
 */
static bool has_gaps(const struct tree_piece *piece, const struct tree_stmt *outer, const struct tree_stmt *inner)
{
    if (strip_has_loop(inner->body))
        return strip_pays(inner, piece);
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
    struct tree_stmt *turned = has_gaps(&piece, loop, inner) ? turn_nest(&all->x, loop, frame) : NULL;
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

bool tree_strip(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct strips all = { .x = iterations_of(t, f), .threads = o->num_threads != 1 };
        tree_visit_frames(f->body, NULL, look, &all);
    }
    return true;
}
