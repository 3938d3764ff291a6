/* Results larger than the largest cache are written by stores that go past it: a block of 1 KB is computed on the
 * stack and copied in whole lines, which are not read first.
 *
 *     for i independent {                 for i' = 0 to N step 128 {
 *         A[i] = f(i)           ->            block = stack float64[128]
 *     }                                       for i = i' to i' + 128 independent { block[i - i'] = f(i) }
 *                                             copy nontemporal float64[128] at &A[i'] from block
 *                                         }
 *
 * Legality: Nothing else in the nest accesses the array.
 * Profitability: The nest stores more of the array than the largest cache holds, each element once. Nests of
 * independent loops whose sizes only a call knows get two versions, of which that takes one.
 *
 * A plain store first reads the line that it writes to: without that there is a third less traffic for one array read
 * and one written, half for one that is only written. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    BLOCK = 1024, /* bytes */
    SMALL = 2 * 1024 * 1024,
    SHORTEST = 4, /* blocks in a row */
    MOST_STORES = 4,
    MOST_LOOPS = 8,
    MOST_STATEMENTS = 40, /* of a nest with two versions */
    MOST_VERSIONS = 4     /* nests of a function with two */
};

/* A store that goes past the caches. */
struct streamed_store {
    struct tree_stmt *store;
    struct linear at; /* without the variable of the innermost loop */
};

/* A nest that calls choose a version of. */
struct streamed_nest {
    struct tree_stmt *nest, *loop; /* NULL; the innermost loop, with the stores */
    struct streamed_store targets[MOST_STORES];
    uint32_t count;
    struct tree_expr *elements; /* that the nest stores */
};

struct nontemporal {
    struct tree *tree;
    struct tree_stmt *loops[MOST_LOOPS]; /* around the statement, each the parent of the next but for blocks */
    uint32_t count, versions;
    bool repeated;   /* the outermost of these may run again and again */
    struct map ends; /* loops that stores have to be complete behind */
    struct streamed_nest choice;
};

/* ---- which stores ---- */

static bool trips_of(const struct tree_stmt *loop, int64_t *trips)
{
    return loop->begin->op == EXPR_INT && loop->end->op == EXPR_INT && expr_is_int(loop->step, 1) &&
           !__builtin_sub_overflow(loop->end->i, loop->begin->i, trips) && *trips > 0 && *trips < INT32_MAX;
}

/* Do so many elements fill the largest cache? The tree keeps for which sizes of it the answers would be the same, other
 * than those of small arrays: so the code of many programs is the same for all machines. */
static bool exceeds_cache(struct tree *t, int64_t elements, int64_t size)
{
    int64_t bytes;
    if (__builtin_mul_overflow(elements, size, &bytes))
        bytes = INT64_MAX;
    bool exceeds = bytes >= t->machine->largest_cache;
    if (exceeds && bytes < t->same_cache.most)
        t->same_cache.most = bytes;
    if (!exceeds && bytes >= SMALL && bytes >= t->same_cache.least)
        t->same_cache.least = bytes + 1;
    return exceeds;
}

/* The loop around which the store has gone over more than the cache holds, no element twice; NULL if there is none. */
static struct tree_stmt *outermost(struct nontemporal *w, const struct linear *index, int64_t size)
{
    struct linear rest = { .known = true };
    int64_t trips, step, span = 1, elements = 1;
    linear_add(&rest, index, 1);
    for (uint32_t i = w->count; i-- > 0;) {
        struct tree_stmt *loop = w->loops[i];
        if (!trips_of(loop, &trips) || !linear_take(&rest, loop->var, &step) || step >= INT32_MAX || step < span)
            return NULL;
        span += (trips - 1) * step;
        elements *= trips;
        if (exceeds_cache(w->tree, elements, size))
            return loop;
        if (span >= INT32_MAX * (int64_t)w->tree->machine->line)
            return NULL;
    }
    return NULL;
}

/* The loop around everything, if calls tell how often the loops run, and iterations store elements of their own. */
static struct tree_stmt *whole_nest(struct nontemporal *w)
{
    struct tree_stmt *nest = w->loops[0];
    struct tree_scan scan = { .arena = w->tree->scratch };
    int64_t trips;
    bool known = true;
    if (stmt_count(nest) > MOST_STATEMENTS)
        return NULL;
    tree_scan_add(&scan, nest);
    for (uint32_t i = 0; i < w->count; i++) {
        const struct tree_stmt *loop = w->loops[i];
        if (!(loop->loop.independent || loop->loop.parallel) || !loop_counts_by_one(loop) ||
            !expr_is_pure(loop->begin) || !expr_is_pure(loop->end) || !tree_scan_invariant(&scan, loop->begin) ||
            !tree_scan_invariant(&scan, loop->end))
            return NULL;
        known = known && trips_of(loop, &trips);
    }
    return known ? NULL : nest;
}

/* Is the store all that the nest does with the array? */
static bool is_alone(const struct nontemporal *w, struct tree_stmt *nest, const struct tree_stmt *store)
{
    struct tree_piece piece = { 0 };
    uint32_t count = 0;
    piece_add(w->tree->scratch, &piece, nest, NULL);
    for (uint32_t i = 0; i < piece.accesses.count; i++) {
        const struct tree_access *a = piece.accesses.items[i];
        if (a->alias == 0)
            return false;
        count += a->alias == store->alias;
    }
    return count == 1 && !piece.control && !piece.effects && !piece.frees && !piece.jumps;
}

/* `asks`: calls tell the sizes. */
static bool is_target(struct nontemporal *w, struct tree_stmt *s, struct streamed_store *out, bool asks)
{
    const struct tree_stmt *inner = w->loops[w->count - 1];
    if (s->kind != STMT_STORE || !s->alias || s->pointer->op != EXPR_VAR || !type_is_basic(s->value->type))
        return false;
    int64_t size = s->value->type->size, trips, step;
    if (size <= 0 || w->tree->machine->line % size != 0 || inner->var->type->kind != TYPE_I64)
        return false;
    bool known = trips_of(inner, &trips);
    if (known ? trips < SHORTEST * BLOCK / size : !asks)
        return false;
    linear_of(&out->at, s->index);
    struct tree_stmt *nest = asks ? whole_nest(w) : outermost(w, &out->at, size);
    struct tree_scan scan = { .arena = w->tree->scratch };
    if (!nest)
        return false;
    tree_scan_add(&scan, nest);
    if (!tree_scan_invariant(&scan, s->pointer) || !is_alone(w, nest, s))
        return false;
    out->store = s;
    if (!asks)
        map_put(w->tree->scratch, &w->ends, nest, nest);
    return linear_take(&out->at, inner->var, &step) && step == 1;
}

/* ---- rewriting ---- */

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

static struct tree_expr *place(struct tree *t, const struct streamed_store *x, struct tree_expr *i)
{
    return expr_offset(t, x->store->pointer, plus(t, linear_expr(t, &x->at), i));
}

static struct tree_var *variable(struct tree *t, struct tree_stmt *b, const char *name, struct tree_expr *value)
{
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    stmt_assign(t, b, v, value);
    return v;
}

/* Elements between the first one and the border of a line in front of it. */
static struct tree_expr *past_border(struct tree *t, const struct streamed_store *x, struct tree_expr *begin)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_expr *address = expr_cast(t, i64, place(t, x, begin));
    struct tree_expr *bytes = expr_binary(t, EXPR_AND, address, expr_i64(t, t->machine->line - 1));
    return expr_binary(t, EXPR_DIV, bytes, expr_i64(t, (int64_t)x->store->value->type->size));
}

/* The store goes to a block, which `after` takes to where it belongs. */
static void redirect(struct tree *t, const struct streamed_store *x, struct tree_stmt *body, struct tree_stmt *after,
                     struct tree_expr *first, struct tree_expr *low, struct tree_expr *high, int64_t length)
{
    struct tree_stmt *s = x->store;
    const struct type *type = s->value->type;
    struct tree_var *block = tree_var(t, "block", type_pointer(t->ir, type));
    struct tree_stmt *alloc = stmt_alloc(t, body, block, type, expr_i64(t, length), TREE_STACK);
    alloc->alias = t->num_aliases++;
    alloc->place = s->place;
    struct tree_expr *from = expr_offset(t, expr_var(t, block), expr_binary(t, EXPR_SUB, low, first));
    struct tree_expr *count = expr_binary(t, EXPR_SUB, high, low);
    struct tree_stmt *copy = stmt_copy(t, after, type, place(t, x, low), s->alias, from, alloc->alias, count);
    copy->nontemporal = true;
    copy->place = s->place;
    s->pointer = expr_var(t, block);
    s->alias = alloc->alias;
}

static void put_blocks(struct tree *t, struct tree_stmt *loop, struct streamed_store *targets, uint32_t count)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_stmt *out = stmt_block(t), *body, *after = stmt_block(t);
    struct tree_stmt *inner = NEW(t->arena, struct tree_stmt);
    int64_t size = 1;
    for (uint32_t i = 0; i < count; i++)
        size =
            (int64_t)targets[i].store->value->type->size > size ? (int64_t)targets[i].store->value->type->size : size;
    struct tree_var *past = variable(t, out, "past", past_border(t, &targets[0], loop->begin));
    struct tree_var *first = tree_var(t, loop->var->name, i64);
    struct tree_stmt *blocks = stmt_for(t, out, first, expr_binary(t, EXPR_SUB, loop->begin, expr_var(t, past)),
                                        loop->end, expr_i64(t, BLOCK / size));
    blocks->place = loop->place;
    blocks->loop = loop->loop;
    blocks->loop.unroll = false;
    body = blocks->body;
    struct tree_expr *end = plus(t, expr_var(t, first), blocks->step);
    struct tree_expr *low = expr_binary(t, EXPR_MAX, expr_var(t, first), loop->begin);
    struct tree_expr *high = expr_binary(t, EXPR_MIN, end, loop->end);
    low = expr_var(t, variable(t, body, "low", low));
    high = expr_var(t, variable(t, body, "high", high));
    for (uint32_t i = 0; i < count; i++) {
        redirect(t, &targets[i], body, after, expr_var(t, first), low, high, BLOCK / size);
        targets[i].store->index = expr_binary(t, EXPR_SUB, expr_var(t, loop->var), expr_var(t, first));
    }
    *inner = *loop;
    inner->begin = low;
    inner->end = high;
    inner->loop.parallel = false;
    inner->loop.heavy = false;
    stmt_append(t, body, inner);
    for (uint32_t i = 0; i < after->items.count; i++)
        stmt_append(t, body, after->items.items[i]);
    *loop = *out;
}

/* ---- versions ---- */

/* Of the innermost loop at hand, which stores elements of so many bytes. */
static void want_choice(struct nontemporal *w)
{
    struct tree *t = w->tree;
    struct streamed_nest *c = &w->choice;
    c->nest = w->loops[0];
    c->loop = w->loops[w->count - 1];
    c->elements = expr_i64(t, 1);
    for (uint32_t i = 0; i < w->count; i++) {
        struct tree_expr *trips = expr_binary(t, EXPR_SUB, w->loops[i]->end, w->loops[i]->begin);
        c->elements = expr_binary(t, EXPR_MUL, c->elements, trips);
    }
    w->versions++;
}

/* The code is for one size of the largest cache. */
static void compare_with_cache(struct tree *t)
{
    int64_t size = t->machine->largest_cache;
    t->same_cache.least = t->same_cache.least > size ? t->same_cache.least : size;
    t->same_cache.most = t->same_cache.most < size ? t->same_cache.most : size;
}

static void put_choice(struct nontemporal *w, struct tree_stmt *nest)
{
    struct tree *t = w->tree;
    struct streamed_nest *c = &w->choice;
    struct tree_stmt *block = stmt_block(t), *other = stmt_clone_apart(t, nest),
                     *whole = NEW(t->arena, struct tree_stmt);
    int64_t size = c->targets[0].store->value->type->size, most = t->machine->largest_cache;
    for (uint32_t i = 1; i < c->count; i++)
        size = size < c->targets[i].store->value->type->size ? size : c->targets[i].store->value->type->size;
    struct tree_expr *row = expr_binary(t, EXPR_SUB, c->loop->end, c->loop->begin);
    struct tree_expr *is_long = expr_binary(t, EXPR_GE, row, expr_i64(t, SHORTEST * BLOCK / size));
    struct tree_expr *exceeds = expr_binary(t, EXPR_GE, c->elements, expr_i64(t, (most + size - 1) / size));
    struct tree_stmt *choice = stmt_if(t, block, expr_binary(t, EXPR_LOGICAL_AND, is_long, exceeds));
    put_blocks(t, c->loop, c->targets, c->count);
    *whole = *nest;
    stmt_append(t, choice->body, whole);
    stmt_call(t, choice->body, NULL, "sdfg_rt_nontemporal_end", NULL, 0)->place = whole->place;
    stmt_append(t, choice->otherwise, other);
    *nest = *block;
    compare_with_cache(t);
    c->nest = NULL;
}

/* ---- the walk ---- */

static bool has_loop(const struct tree_stmt *s)
{
    if (!s)
        return false;
    if (stmt_is_loop(s) || s->kind == STMT_PARALLEL)
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (has_loop(s->items.items[i]))
            return true;
    return has_loop(s->body) || has_loop(s->otherwise);
}

static uint32_t find_targets(struct nontemporal *w, const struct tree_stmt *loop, struct streamed_store *targets,
                             bool asks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loop->body->items.count && count < MOST_STORES; i++)
        count += is_target(w, loop->body->items.items[i], &targets[count], asks);
    for (uint32_t i = 0; i < count; i++) {
        const struct tree_stmt *s = targets[i].store;
        remark(w->tree->ir->remarks, s->place, remark_place(w->tree, s->pointer, s->index),
               asks ? REMARK_NONTEMPORAL_CALLS : REMARK_NONTEMPORAL, (long long)w->tree->machine->largest_cache);
    }
    return count;
}

static void try_loop(struct nontemporal *w, struct tree_stmt *loop)
{
    struct streamed_store targets[MOST_STORES];
    uint32_t count = find_targets(w, loop, targets, false);
    if (count) {
        put_blocks(w->tree, loop, targets, count);
        return;
    }
    if (w->repeated || w->choice.nest || w->versions == MOST_VERSIONS)
        return;
    w->choice.count = find_targets(w, loop, w->choice.targets, true);
    if (w->choice.count)
        want_choice(w);
}

static void look(struct nontemporal *w, struct tree_stmt *s);

static void look_at_loop(struct nontemporal *w, struct tree_stmt *s)
{
    struct tree *t = w->tree;
    uint32_t count = w->count;
    if (count == MOST_LOOPS)
        return;
    w->loops[w->count++] = s;
    if (has_loop(s->body))
        look(w, s->body);
    else
        try_loop(w, s);
    w->count = count;
    if (w->choice.nest == s)
        put_choice(w, s);
    if (!map_has(&w->ends, s))
        return;
    struct tree_stmt *block = stmt_block(t), *whole = NEW(t->arena, struct tree_stmt);
    *whole = *s;
    stmt_append(t, block, whole);
    stmt_call(t, block, NULL, "sdfg_rt_nontemporal_end", NULL, 0)->place = whole->place;
    *s = *block;
}

static void look(struct nontemporal *w, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR) {
        look_at_loop(w, s);
        return;
    }
    if (s->kind == STMT_ZERO && w->count == 0 && s->count->op == EXPR_INT && s->type->size > 0 &&
        exceeds_cache(w->tree, s->count->i, (int64_t)s->type->size)) {
        s->nontemporal = true;
        remark(w->tree->ir->remarks, s->place, remark_subject(w->tree, s), REMARK_NONTEMPORAL,
               (long long)w->tree->machine->largest_cache);
    }
    uint32_t count = w->count;
    bool repeated = w->repeated;
    if (s->kind != STMT_BLOCK) {
        w->repeated |= count > 0 || stmt_is_loop(s);
        w->count = 0;
    }
    if (s->body)
        look(w, s->body);
    if (s->otherwise)
        look(w, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(w, s->items.items[i]);
    w->count = count;
    w->repeated = repeated;
}

bool opt_nontemporal(struct tree *t, const struct tree_options *o)
{
    (void)o;
    bool known = t->machine->nontemporal && t->machine->largest_cache > 0;
    for (uint32_t i = 0; known && i < t->functions.count; i++) {
        struct nontemporal w = { .tree = t };
        look(&w, t->functions.items[i]->body);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
