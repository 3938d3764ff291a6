/* One loop into another: whether it may and whether that pays, and how. */
#include "lower/opt/fusion/fuse_pair.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_ACCESSES = 1500, /* of a loop that takes in others */
    FEWEST_TEAMS = 256    /* iterations that teams of a device's threads should have */
};

/* ---- may they ---- */

static bool loads(const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return true;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (loads(e->args[i]))
            return true;
    return false;
}

static bool writes(const struct tree_piece *piece, const struct tree_var *v)
{
    for (uint32_t i = 0; i < piece->writes.count; i++)
        if (piece->writes.items[i] == v)
            return true;
    return false;
}

static uintptr_t count_uses(const struct tree_piece *piece, const struct tree_var *v)
{
    uintptr_t count = 0;
    for (uint32_t i = 0; i < piece->reads.count; i++)
        count += piece->reads.items[i] == v;
    for (uint32_t i = 0; i < piece->writes.count; i++)
        count += piece->writes.items[i] == v;
    return count;
}

/* Is the loop's variable of no interest behind it? */
static bool is_private(const struct fuse *f, const struct tree_stmt *loop, const struct tree_piece *piece)
{
    return loop->var->id >= f->num_vars ||
           (uintptr_t)map_get(&tree_whole(f->whole)->uses, loop->var) == count_uses(piece, loop->var);
}

/* Does data decide about the place? Iterations at once may meet there. */
static bool scatters(const struct fuse *f, const struct tree_stmt *body, const struct tree_expr *index)
{
    struct tree_scan scan = { .arena = f->tree->scratch };
    if (index->op == EXPR_INT)
        return false;
    tree_scan_add(&scan, body);
    return !tree_scan_invariant(&scan, index);
}

static bool is_wide_in(const struct fuse *f, const struct tree_stmt *body, const struct tree_stmt *s)
{
    if (s->kind == STMT_CALL || s->kind == STMT_ALLOC || s->kind == STMT_UPDATE ||
        (s->kind == STMT_REDUCE && (f->options->strict_fp || scatters(f, body, s->index))) ||
        (s->value && !expr_is_pure(s->value)))
        return false;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!is_wide_in(f, body, s->items.items[i]))
            return false;
    return (!s->body || is_wide_in(f, body, s->body)) && (!s->otherwise || is_wide_in(f, body, s->otherwise));
}

/* Can the statements of an innermost loop be done for several iterations at once, as far as one can see? */
static bool is_wide(const struct fuse *f, const struct tree_stmt *body) { return is_wide_in(f, body, body); }

/* What is taken in is of the same kind, so it is found out once. */
static void note_kind(struct fuse *f, const struct tree_stmt *body)
{
    if (f->kind.body == body)
        return;
    f->kind.body = body;
    f->kind.loops = stmt_has_loops(body);
    f->kind.wide = !f->kind.loops && is_wide(f, body);
}

static bool same_schedule(const struct tree_loop *a, const struct tree_loop *b)
{
    return a->parallel == b->parallel &&
           (!a->parallel || (a->omp == b->omp && a->chunk == b->chunk && a->num_threads == b->num_threads));
}

/* Does one use what the other makes? */
static bool related(const struct piece_set *set, const struct tree_piece *piece)
{
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        const struct piece_class *c = piece_set_class(set, a->alias);
        if (a->alias && (c->write || (c->read && a->write)))
            return true;
    }
    return false;
}

/* Rows of a few elements have more overhead than vectors: a linearized loop stays as it is beside them. */
static bool has_short_rows(const struct fuse *f, const struct fuse_item *item)
{
    enum { SHORT = 64 };
    struct fuse_nest n = fuse_nest_of(item->stmt, NULL);
    const struct tree_expr *trips = n.depth > 1 ? tree_trip_count(f->tree, n.loops[n.depth - 1]) : NULL;
    return trips && trips->op == EXPR_INT && trips->i < SHORT;
}

/* Do both load from the same memory? */
static bool shares_loads(const struct piece_set *set, const struct tree_piece *piece)
{
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (a->alias && !a->write && piece_set_class(set, a->alias)->read)
            return true;
    }
    return false;
}

/* A sequential loop around a nest may still go inside of that: it takes in what stands in no nest only if both have to
 * do with the same elements. */
static bool keeps_nests(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    bool mixed = f->kind.loops != stmt_has_loops(b->loops[b->depth - 1]->body);
    return !mixed || a->loops[0]->loop.independent || !related(&f->first, b->piece) ||
           fuse_share_elements(f->tree, &f->first, a, b);
}

static bool find_work(void *user, struct tree_stmt *s)
{
    bool *sums = user;
    bool plain = s->kind == STMT_BLOCK || s->kind == STMT_IF || s->kind == STMT_ASSIGN || s->kind == STMT_FOR;
    *sums &= plain && !(s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent));
    return *sums;
}

static bool look_for_loops(void *user, struct tree_stmt *s)
{
    bool *sums = user;
    if (s->kind == STMT_FOR)
        stmt_visit(s, find_work, sums);
    return s->kind != STMT_FOR;
}

/* Do the loops inside of the body write nothing but variables? Threads of a device have nothing to share there. */
static bool only_sums(struct tree_stmt *body)
{
    bool sums = true;
    stmt_visit(body, look_for_loops, &sums);
    return sums;
}

/* Nests with loops inside of one iteration: fused, each thread of a device keeps what it computes. */
static bool keeps_threads(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    return f->options->device && only_sums(a->loops[a->depth - 1]->body) && only_sums(b->loops[b->depth - 1]->body) &&
           related(&f->first, b->piece) && fuse_share_elements(f->tree, &f->first, a, b);
}

static bool is_threaded(const struct tree_stmt *loop) { return loop->loop.independent || loop->loop.parallel; }

/* Loops that are independent, from the outside in: what a device has threads for. */
static uint32_t num_threaded(const struct fuse_nest *n)
{
    uint32_t count = 0;
    while (count < n->depth && is_threaded(n->loops[count]))
        count++;
    return count;
}

static double trips_of(const struct fuse *f, const struct tree_stmt *loop)
{
    const struct tree_expr *trips = tree_trip_count(f->tree, loop);
    return trips->op == EXPR_INT ? (double)trips->i : FEWEST_TEAMS;
}

/* Has the nest iterations enough for a team of threads each? Those of sequential loops around it count: without the
 * memory between the nests they are often independent, and else each of them saves a launch. */
static bool has_rows(const struct fuse *f, const struct fuse_nest *n, const struct tree_frame *outer)
{
    double iterations = 1;
    for (uint32_t i = 0; i < n->depth; i++)
        iterations *= trips_of(f, n->loops[i]);
    for (; outer; outer = outer->outer)
        iterations *= trips_of(f, outer->loop);
    return iterations >= FEWEST_TEAMS;
}

/* Would fewer loops of the nest become threads if it was fused? */
static bool loses_threads(const struct fuse *f, const struct fuse_nest *n)
{
    struct fuse_nest whole = fuse_nest_of(n->loops[0], NULL);
    return num_threaded(&whole) > f->depth;
}

/* Profitability of fusing the outer loops of two nests for a device. A nest that has fewer threads than before must
 * have loops inside whose iterations a team of threads can share. */
static bool keeps_outer_threads(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    bool loops = stmt_has_loops(b->loops[b->depth - 1]->body);
    return related(&f->first, b->piece) && has_rows(f, a, f->outer) && (loops || !loses_threads(f, a)) &&
           (f->kind.loops || !loses_threads(f, b)) && fuse_share_elements(f->tree, &f->first, a, b);
}

bool fuse_is_between(struct fuse *f, const struct tree_access *access, const struct fuse_nest *a,
                     const struct fuse_nest *b)
{
    const struct tree_var *v = access->pointer ? expr_root_var(access->pointer) : NULL;
    const struct tree_scan *whole = tree_whole(f->whole);
    enum { ALLOCATION_AND_RELEASE = 2 };
    return v && map_has(&whole->assigned, v) &&
           (uintptr_t)map_get(&whole->uses, v) <=
               count_uses(a->piece, v) + count_uses(b->piece, v) + ALLOCATION_AND_RELEASE;
}

/* A loop that makes elements is no longer independent when it sums them up, too: its threads would be lost for nothing
 * if the elements stay. */
static bool keeps_independence(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    for (uint32_t i = 0; i < a->depth; i++) {
        const struct fuse_nest *makes = is_threaded(a->loops[i]) ? a : b;
        if (is_threaded(a->loops[i]) == is_threaded(b->loops[i]))
            continue;
        for (uint32_t k = 0; k < makes->piece->accesses.count; k++)
            if (makes->piece->accesses.items[k]->write && !fuse_is_between(f, makes->piece->accesses.items[k], a, b))
                return false;
    }
    return true;
}

static bool worthwhile(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    if (a->piece->accesses.count + b->piece->accesses.count > MOST_ACCESSES)
        return false;
    const struct tree_stmt *x = a->loops[a->depth - 1]->body, *y = b->loops[b->depth - 1]->body;
    note_kind(f, x);
    if (f->options->device && !keeps_independence(f, a, b))
        return false;
    if (f->kind.loops || stmt_has_loops(y))
        return f->whole_nests                         ? keeps_threads(f, a, b)
               : f->options->device && !f->in_threads ? keeps_outer_threads(f, a, b)
                                                      : keeps_nests(f, a, b);
    return f->kind.wide == is_wide(f, y);
}

/* Does the expression, computed when the loops begin, have the same value inside of them? */
static bool stays(const struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b, const struct tree_expr *e)
{
    for (uint32_t i = 0; e->op == EXPR_VAR && i < a->depth; i++)
        if (e->var == a->loops[i]->var || e->var == b->loops[i]->var)
            return true;
    if (e->op == EXPR_LOAD ||
        (e->op == EXPR_VAR && (piece_set_writes_var(&f->first, e->var) || writes(b->piece, e->var))))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!stays(f, a, b, e->args[i]))
            return false;
    return true;
}

/* Can the distance between their variables be computed inside? */
static bool distance_stays(const struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b, uint32_t depth)
{
    const struct tree_expr *x = a->loops[depth]->begin, *y = b->loops[depth]->begin;
    return expr_equal(x, y) || (stays(f, a, b, x) && stays(f, a, b, y));
}

static bool loops_match(const struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    for (uint32_t i = 0; i < b->depth; i++) {
        const struct tree_stmt *y = b->loops[i];
        if (!same_schedule(&a->loops[i]->loop, &y->loop) || loads(y->begin) || loads(y->end) || loads(y->step) ||
            !is_private(f, y, b->piece) || !distance_stays(f, a, b, i))
            return false;
    }
    return fuse_same_space(f->tree, a, b);
}

static bool keeps_thread(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    f->splits = !fuse_keeps_threads(f, a, b);
    return !f->splits;
}

/* Everything but the order with statements in between. */
static bool can_fuse(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    return a->depth > 0 && a->depth == b->depth && loops_match(f, a, b) &&
           !piece_set_orders_control(&f->first, b->piece) && worthwhile(f, a, b) &&
           fuse_is_legal(f->tree, &f->first, a, b) && keeps_thread(f, a, b);
}

/* ---- taking in ---- */

static struct fuse_nest nest_of(const struct fuse *f, struct tree_stmt *s, const struct tree_piece *piece)
{
    struct fuse_nest n = fuse_nest_of(s, piece);
    if (!f->whole_nests && n.depth > f->depth)
        n.depth = f->depth;
    return n;
}

/* The frame of the innermost loop of the nest. */
static const struct tree_frame *frame_of(struct fuse *f, const struct fuse_nest *n, const struct tree_frame *outer)
{
    for (uint32_t i = 0; i < n->depth; i++) {
        struct tree_frame *frame = NEW(f->arena, struct tree_frame);
        *frame = tree_frame_of(outer, n->loops[i]);
        outer = frame;
    }
    return outer;
}

static void extend(struct fuse *f, struct tree_piece *piece, const struct tree_piece *more)
{
    for (uint32_t i = 0; i < more->accesses.count; i++)
        vec_push(f->arena, &piece->accesses, more->accesses.items[i]);
    for (uint32_t i = 0; i < more->reads.count; i++)
        vec_push(f->arena, &piece->reads, more->reads.items[i]);
    for (uint32_t i = 0; i < more->writes.count; i++)
        vec_push(f->arena, &piece->writes, more->writes.items[i]);
    piece->effects |= more->effects;
    piece->jumps |= more->jumps;
    piece->frees |= more->frees;
}

/* The innermost body of b behind that of a. */
static void take_in(struct fuse *f, struct fuse_item *item, const struct fuse_nest *b, const struct tree_frame *outer)
{
    struct tree *t = f->tree;
    struct fuse_nest a = nest_of(f, item->stmt, NULL);
    remark(t->ir->remarks, item->stmt->place, remark_subject(t, item->stmt), REMARK_FUSED,
           remark_subject(t, b->loops[0]), remark_path(t, b->loops[0]));
    for (uint32_t i = 0; i < a.depth; i++) {
        struct tree_stmt *x = a.loops[i], *y = b->loops[i];
        struct tree_expr *shift = expr_binary(t, EXPR_SUB, y->begin, x->begin);
        stmt_substitute(t, y->body, y->var, expr_binary(t, EXPR_ADD, expr_var(t, x->var), shift));
        x->loop.independent &= y->loop.independent;
        x->loop.unroll |= y->loop.unroll;
        /* all uses but the loop itself are now uses of the other variable */
        uintptr_t uses = (uintptr_t)map_get(&f->whole->scan.uses, x->var);
        map_put(f->arena, &f->whole->scan.uses, x->var, (void *)(uses + count_uses(b->piece, y->var) - 1));
    }
    struct tree_stmt *to = a.loops[a.depth - 1]->body, *from = b->loops[a.depth - 1]->body;
    struct tree_piece added = { 0 };
    piece_add(f->arena, &added, from, frame_of(f, &a, outer));
    piece_set_add(&f->first, &added);
    extend(f, &item->piece, &added);
    for (uint32_t i = 0; i < from->items.count; i++)
        stmt_append(t, to, from->items.items[i]);
}

bool fuse_is_loop_like(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR || s->kind == STMT_COPY || s->kind == STMT_ZERO;
}

void fuse_start_with(struct fuse *f, const struct tree_piece *piece)
{
    piece_set_clear(&f->first);
    piece_set_add(&f->first, piece);
    f->hopeless = 0;
    f->kind.body = NULL;
}

/* `s` with its piece in the shape of a nest, or NULL. */
static struct tree_stmt *reshaped(struct fuse *f, const struct fuse_nest *like, struct tree_stmt *s,
                                  struct tree_piece *piece, const struct tree_frame *outer)
{
    struct tree_stmt as = *s;
    as.loop.parallel |= f->options->device && s->loop.independent; /* one is as good as the other */
    struct tree_stmt *shaped = like->depth ? fuse_shape(f->tree, like, &as, f->whole_nests) : NULL;
    *piece = (struct tree_piece){ 0 };
    if (shaped)
        piece_add(f->arena, piece, shaped, outer);
    return shaped;
}

/* The second one takes the shape of the first. */
static bool fit_second(struct fuse *f, struct fuse_item *a, struct fuse_item *b, const struct tree_frame *outer)
{
    struct fuse_nest x = nest_of(f, a->stmt, &a->piece), y;
    struct tree_piece piece;
    struct tree_stmt *shaped = reshaped(f, &x, b->stmt, &piece, outer);
    if (!shaped)
        return false;
    y = nest_of(f, shaped, &piece);
    if (!can_fuse(f, &x, &y))
        return false;
    take_in(f, a, &y, outer);
    return true;
}

/* The first one takes the shape of the second. */
static bool fit_first(struct fuse *f, struct fuse_item *a, struct fuse_item *b, const struct tree_frame *outer)
{
    struct fuse_nest y = nest_of(f, b->stmt, &b->piece), x;
    struct tree_piece piece;
    struct tree_stmt *shaped = reshaped(f, &y, a->stmt, &piece, outer);
    if (!shaped)
        return false;
    fuse_start_with(f, &piece);
    x = nest_of(f, shaped, &piece);
    if (!can_fuse(f, &x, &y)) {
        fuse_start_with(f, &a->piece);
        return false;
    }
    a->stmt = shaped;
    a->piece = piece;
    take_in(f, a, &y, outer);
    return true;
}

/* Why the second loop, which uses what the first one makes, stays on its own. */
static void say_apart(struct fuse *f, const struct fuse_item *first, const struct fuse_item *second)
{
    struct tree *t = f->tree;
    struct remarks *r = t->ir->remarks;
    struct fuse_nest a = nest_of(f, first->stmt, &first->piece), b = nest_of(f, second->stmt, &second->piece);
    struct fuse_obstacle o;
    if (!r || f->whole_nests || a.depth == 0 || b.depth == 0)
        return;
    const struct tree_stmt *x = a.loops[0], *y = b.loops[0];
    const struct place *place = x->place;
    const char *subject = remark_subject(t, x), *other = remark_subject(t, y), *path = remark_path(t, y);
    uint32_t places = a.piece->accesses.count + b.piece->accesses.count;
    if (!same_schedule(&x->loop, &y->loop))
        remark(r, place, subject, REMARK_FUSE_SCHEDULE, other, path);
    else if (!fuse_same_space(t, &a, &b))
        remark(r, place, subject, REMARK_FUSE_ITERATIONS, other, path);
    else if (!loops_match(f, &a, &b) || piece_set_orders_control(&f->first, b.piece))
        remark(r, place, subject, REMARK_FUSE_VARIABLE, other, path);
    else if (places > MOST_ACCESSES)
        remark(r, place, subject, REMARK_FUSE_SIZE, other, path, places, (unsigned)MOST_ACCESSES);
    else if (f->splits || !worthwhile(f, &a, &b))
        remark(r, place, subject, f->splits || f->options->device ? REMARK_FUSE_THREADS : REMARK_FUSE_VECTORS, other,
               path);
    else if (!fuse_find_obstacle(t, &f->first, &a, &b, NULL, &o))
        remark(r, place, subject, REMARK_FUSE_DEPENDENCE, other, path, remark_dependence(t, o.a, o.b));
}

/* Fuses the two nests as they are. */
static bool fit_both(struct fuse *f, struct fuse_item *a, struct fuse_item *b, const struct tree_frame *outer)
{
    struct fuse_nest x = nest_of(f, a->stmt, &a->piece), y = nest_of(f, b->stmt, &b->piece);
    if (!can_fuse(f, &x, &y))
        return false;
    take_in(f, a, &y, outer);
    return true;
}

static bool has_threads(const struct tree_frame *frame)
{
    for (; frame; frame = frame->outer)
        if (is_threaded(frame->loop))
            return true;
    return false;
}

/* The most outer loops of a nest that are fused: on a device those that become threads; on the host, and inside of a
 * thread, one. */
static uint32_t depth_of(const struct fuse *f, const struct tree_stmt *s)
{
    if (!f->options->device || f->in_threads)
        return 1;
    struct fuse_nest n = fuse_nest_of((struct tree_stmt *)(uintptr_t)s, NULL);
    return num_threaded(&n);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

bool fuse_try_pair(struct fuse *f, struct fuse_item *a, struct fuse_item *b, const struct tree_frame *outer)
{
    if (!fuse_is_loop_like(b->stmt) || b->piece.control || piece_set_orders(&f->skipped, &b->piece))
        return false;
    bool connected = related(&f->first, &b->piece);
    if (!connected && f->distant)
        return false;
    f->in_threads = has_threads(outer);
    f->outer = outer;
    uint32_t x = depth_of(f, a->stmt), y = depth_of(f, b->stmt);
    bool small = a->piece.accesses.count + b->piece.accesses.count <= MOST_ACCESSES;
    f->depth = least(x, y);
    f->splits = false;
    bool fused = fit_both(f, a, b, outer);
    bool shared = shares_loads(&f->first, &b->piece) && !has_short_rows(f, a) && !has_short_rows(f, b);
    bool near = small && !fused && (connected || shared);
    if (near && !f->splits) {
        f->depth = x;
        fused = fit_second(f, a, b, outer);
    }
    if (near && !fused && !f->splits) {
        f->depth = y;
        fused = fit_first(f, a, b, outer);
    }
    if (fused)
        b->stmt = NULL;
    else if (connected)
        say_apart(f, a, b);
    return fused;
}
