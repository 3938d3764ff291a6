/* Neighbouring loops over the same iterations become one loop.
 *
 *     for i = 0 to N  { T[i] = A[i] * 2 }             for i = 0 to N {
 *     for j = 0 to N  { B[j] = T[j] + T[j] }    ->        T[i] = A[i] * 2
 *                                                         B[i] = T[i] + T[i]
 *                                                     }
 *
 * A loop takes in those that follow in the same block, past statements in between that neither need the first nor are
 * needed by the second: what the first does not order goes in front of it. Then the same is done inside. Copies, fills
 * and loops over all elements are brought into the shape of the nest that they would go into. */
#include "lower/pass/pass_fuse.h"
#include "lower/pass/pass_remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

enum {
    LOOK_AHEAD = 256,     /* statements behind a loop that are considered */
    MOST_ACCESSES = 1500, /* of a loop that takes in others */
    MOST_MOVED = 64       /* accesses of a loop that goes into others while they are looked at from the last one on */
};

struct item {
    struct tree_stmt *stmt; /* NULL: taken into another loop */
    struct tree_piece piece;
    uint32_t number; /* grows from item to item of a block */
    bool before;     /* goes in front of the loop being looked at */
};

/* The last item of a block that touches an alias class. */
struct last_use {
    uint32_t block, number;
};

struct fuse {
    struct tree *tree;
    struct arena *arena;
    const struct tree_options *options;
    struct map *uses;  /* of variables in the whole function */
    uint32_t num_vars; /* of the variables that are counted there */
    struct piece_set first, skipped;
    bool distant;      /* loops have been skipped */
    uint32_t hopeless; /* classes of `first`, from the beginning, through which nothing further on can be taken in */
    struct last_use *last; /* by alias class */
    uint32_t block;        /* number of the block being looked at */
    struct {
        const struct tree_stmt *body;
        bool loops, wide;
    } kind;           /* of the loop that takes in others */
    bool whole_nests; /* loops are fused together with all that they contain, not the outer ones alone */
    bool nests_only;  /* nothing else is wanted */
    bool backwards;   /* from the last one on */
    bool left;        /* something was too large for that */
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
    return loop->var->id >= f->num_vars || (uintptr_t)map_get(f->uses, loop->var) == count_uses(piece, loop->var);
}

static bool has_loops(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->kind == STMT_FOR || s->items.items[i]->kind == STMT_WHILE ||
            s->items.items[i]->kind == STMT_DO || has_loops(s->items.items[i]))
            return true;
    return (s->body && has_loops(s->body)) || (s->otherwise && has_loops(s->otherwise));
}

/* Can the statements of an innermost loop be done for several iterations at once, as far as one can see? */
static bool is_wide(const struct fuse *f, const struct tree_stmt *s)
{
    if (s->kind == STMT_CALL || s->kind == STMT_ALLOC || s->kind == STMT_UPDATE ||
        (s->kind == STMT_REDUCE && f->options->strict_fp) || (s->value && !expr_is_pure(s->value)))
        return false;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!is_wide(f, s->items.items[i]))
            return false;
    return (!s->body || is_wide(f, s->body)) && (!s->otherwise || is_wide(f, s->otherwise));
}

/* What is taken in is of the same kind, so it is found out once. */
static void note_kind(struct fuse *f, const struct tree_stmt *body)
{
    if (f->kind.body == body)
        return;
    f->kind.body = body;
    f->kind.loops = has_loops(body);
    f->kind.wide = !f->kind.loops && is_wide(f, body);
}

static bool same_schedule(const struct tree_loop *a, const struct tree_loop *b)
{
    return a->parallel == b->parallel &&
           (!a->parallel || (a->omp == b->omp && a->chunk == b->chunk && a->num_threads == b->num_threads));
}

static bool worthwhile(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    if (a->piece->accesses.count + b->piece->accesses.count > MOST_ACCESSES)
        return false;
    const struct tree_stmt *x = a->loops[a->depth - 1]->body, *y = b->loops[b->depth - 1]->body;
    note_kind(f, x);
    if (f->kind.loops || has_loops(y))
        return !f->whole_nests;
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

/* Everything but the order with statements in between. */
static bool can_fuse(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    return a->depth > 0 && a->depth == b->depth && loops_match(f, a, b) &&
           !piece_set_orders_control(&f->first, b->piece) && worthwhile(f, a, b) &&
           fuse_is_legal(f->tree, &f->first, a, b);
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

/* ---- taking in ---- */

static struct fuse_nest nest_of(const struct fuse *f, struct tree_stmt *s, const struct tree_piece *piece)
{
    struct fuse_nest n = fuse_nest_of(s, piece);
    if (!f->whole_nests && n.depth)
        n.depth = 1;
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
static void take_in(struct fuse *f, struct item *item, const struct fuse_nest *b, const struct tree_frame *outer)
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
        uintptr_t uses = (uintptr_t)map_get(f->uses, x->var);
        map_put(f->arena, f->uses, x->var, (void *)(uses + count_uses(b->piece, y->var) - 1));
    }
    struct tree_stmt *to = a.loops[a.depth - 1]->body, *from = b->loops[a.depth - 1]->body;
    struct tree_piece added = { 0 };
    piece_add(f->arena, &added, from, frame_of(f, &a, outer));
    piece_set_add(&f->first, &added);
    extend(f, &item->piece, &added);
    for (uint32_t i = 0; i < from->items.count; i++)
        stmt_append(t, to, from->items.items[i]);
}

static bool is_loop_like(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR || s->kind == STMT_COPY || s->kind == STMT_ZERO;
}

static void start_with(struct fuse *f, const struct tree_piece *piece)
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
    struct tree_stmt *shaped = like->depth ? fuse_shape(f->tree, like, s) : NULL;
    *piece = (struct tree_piece){ 0 };
    if (shaped)
        piece_add(f->arena, piece, shaped, outer);
    return shaped;
}

/* The second one takes the shape of the first. */
static bool fit_second(struct fuse *f, struct item *a, struct item *b, const struct tree_frame *outer)
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
static bool fit_first(struct fuse *f, struct item *a, struct item *b, const struct tree_frame *outer)
{
    struct fuse_nest y = nest_of(f, b->stmt, &b->piece), x;
    struct tree_piece piece;
    struct tree_stmt *shaped = reshaped(f, &y, a->stmt, &piece, outer);
    if (!shaped)
        return false;
    start_with(f, &piece);
    x = nest_of(f, shaped, &piece);
    if (!can_fuse(f, &x, &y)) {
        start_with(f, &a->piece);
        return false;
    }
    a->stmt = shaped;
    a->piece = piece;
    take_in(f, a, &y, outer);
    return true;
}

/* Why the second loop, which uses what the first one makes, stays on its own. */
static void say_apart(struct fuse *f, const struct item *first, const struct item *second)
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
    else if (!worthwhile(f, &a, &b))
        remark(r, place, subject, REMARK_FUSE_VECTORS, other, path);
    else if (!fuse_find_obstacle(t, &f->first, &a, &b, &o))
        remark(r, place, subject, REMARK_FUSE_DEPENDENCE, other, path, remark_dependence(t, o.a, o.b));
}

static bool try_pair(struct fuse *f, struct item *a, struct item *b, const struct tree_frame *outer)
{
    if (!is_loop_like(b->stmt) || b->piece.control || piece_set_orders(&f->skipped, &b->piece))
        return false;
    bool connected = related(&f->first, &b->piece);
    if (!connected && f->distant)
        return false;
    struct fuse_nest x = nest_of(f, a->stmt, &a->piece), y = nest_of(f, b->stmt, &b->piece);
    bool small = a->piece.accesses.count + b->piece.accesses.count <= MOST_ACCESSES;
    if (can_fuse(f, &x, &y)) {
        take_in(f, a, &y, outer);
    } else if (!connected || !small || (!fit_second(f, a, b, outer) && !fit_first(f, a, b, outer))) {
        if (connected)
            say_apart(f, a, b);
        return false;
    }
    b->stmt = NULL;
    return true;
}

/* ---- blocks ---- */

/* The statement stays behind the loop. Work is not moved past others for nothing: what it makes may be used there. */
static void skip(struct fuse *f, struct item *b)
{
    piece_set_add(&f->skipped, &b->piece);
    f->distant |= b->stmt->body != NULL;
}

static void note_classes(struct fuse *f, const struct item *b)
{
    for (uint32_t i = 0; i < b->piece.accesses.count; i++) {
        struct last_use *u = &f->last[b->piece.accesses.items[i]->alias];
        if (u->block != f->block || u->number < b->number)
            *u = (struct last_use){ f->block, b->number };
    }
}

/* Work has been skipped, so only what is related to the loop may still be taken in. Behind item b nothing is, or what
 * is must stay behind what was skipped. */
static bool is_hopeless(struct fuse *f, const struct item *b)
{
    if (!f->distant)
        return false;
    if (f->skipped.control || piece_set_class(&f->skipped, 0)->write)
        return true;
    for (; f->hopeless < f->first.touched.count; f->hopeless++) {
        uint32_t alias = f->first.touched.items[f->hopeless];
        bool later = f->last[alias].block == f->block && f->last[alias].number > b->number;
        if (alias && later && !piece_set_class(&f->skipped, alias)->write)
            return false;
    }
    return true;
}

/* Puts the items between loop `at` and item `last` that go in front of the loop there. What is left of them and the
 * loop ends with place `last`: nothing behind that moves. *behind is the place behind the loop. Gives the number of
 * items that are gone. */
static uint32_t reorder(struct fuse *f, struct item *items, uint32_t at, uint32_t last, uint32_t *behind)
{
    struct item *order = NEW_ARRAY(f->arena, struct item, last + 1 - at);
    uint32_t next = 0;
    for (uint32_t i = at + 1; i <= last; i++)
        if (items[i].stmt && items[i].before)
            order[next++] = items[i];
    order[next++] = items[at];
    uint32_t up_to_loop = next;
    for (uint32_t i = at + 1; i <= last; i++)
        if (items[i].stmt && !items[i].before)
            order[next++] = items[i];
    uint32_t gone = last + 1 - at - next;
    for (uint32_t i = 0; i < next; i++) { /* numbers stay in order */
        bool later = order[i].number < items[at + i].number;
        order[i].number = items[at + i].number;
        if (later)
            note_classes(f, &order[i]);
    }
    for (uint32_t i = 0; i < next; i++)
        items[at + gone + i] = order[i];
    *behind = at + gone + up_to_loop;
    return gone;
}

/* Loop `at` takes in what it can. Gives the number of items that it took: so many places from `at` on are empty then.
 * *behind is the place behind it, if it took any. */
static uint32_t look_at_loop(struct fuse *f, struct item *items, uint32_t count, uint32_t at,
                             const struct tree_frame *outer, uint32_t *behind)
{
    uint32_t last = at;
    start_with(f, &items[at].piece);
    piece_set_clear(&f->skipped);
    f->distant = false;
    for (uint32_t i = at + 1; i < count && i - at <= LOOK_AHEAD; i++) {
        struct item *b = &items[i];
        if (f->backwards && b->piece.accesses.count > MOST_MOVED) {
            f->left = true;
            break;
        }
        b->before = false;
        if (try_pair(f, &items[at], b, outer)) {
            last = i;
            continue;
        }
        if (!b->piece.control && !b->piece.frees && !piece_set_orders(&f->first, &b->piece) &&
            !piece_set_orders(&f->skipped, &b->piece))
            b->before = true;
        else
            skip(f, b);
        if (b->piece.control || is_hopeless(f, b))
            break;
    }
    return last > at ? reorder(f, items, at, last, behind) : 0;
}

static void look(struct fuse *f, struct tree_stmt *s, const struct tree_frame *frame);

static bool is_candidate(const struct item *item) { return is_loop_like(item->stmt) && !item->piece.control; }

/* Nests take in those behind them, the last ones first: one that makes a temporary joins those that use it rather than
 * those whose results it starts from, and the temporary goes. */
static uint32_t fuse_last_first(struct fuse *f, struct item *items, uint32_t count, const struct tree_frame *frame)
{
    uint32_t done = count; /* items from there on have been looked at; places between them and item i are empty */
    f->backwards = true;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t behind = 0;
        items[--done] = items[i];
        uint32_t gone = is_candidate(&items[done]) ? look_at_loop(f, items, count, done, frame, &behind) : 0;
        done += gone;
        while (gone && done < behind) /* once more, and what went in front of it */
            items[i++] = items[done++];
    }
    f->backwards = false;
    for (uint32_t i = 0; done + i < count; i++)
        items[i] = items[done + i];
    return count - done;
}

static uint32_t fuse_first_first(struct fuse *f, struct item *items, uint32_t count, const struct tree_frame *frame)
{
    uint32_t kept = 0, behind;
    for (uint32_t i = 0; i < count;) {
        uint32_t gone = is_candidate(&items[i]) ? look_at_loop(f, items, count, i, frame, &behind) : 0;
        i += gone;
        if (!gone)
            items[kept++] = items[i++];
    }
    return kept;
}

/* Whole nests first: an outer loop that goes into another alone would keep them apart. */
static uint32_t fuse_items(struct fuse *f, struct item *items, uint32_t count, const struct tree_frame *frame)
{
    f->whole_nests = true;
    f->left = false;
    count = fuse_last_first(f, items, count, frame);
    if (f->left)
        count = fuse_first_first(f, items, count, frame);
    f->whole_nests = false;
    return f->nests_only ? count : fuse_first_first(f, items, count, frame);
}

static void look_at_block(struct fuse *f, struct tree_stmt *block, const struct tree_frame *frame)
{
    struct item *items = NEW_ARRAY(f->arena, struct item, block->items.count + 1);
    f->block++;
    for (uint32_t i = 0; i < block->items.count; i++) {
        items[i].stmt = block->items.items[i];
        items[i].number = i;
        piece_add(f->arena, &items[i].piece, items[i].stmt, frame);
        note_classes(f, &items[i]);
    }
    block->items.count = fuse_items(f, items, block->items.count, frame);
    for (uint32_t i = 0; i < block->items.count; i++)
        block->items.items[i] = items[i].stmt;
    for (uint32_t i = 0; i < block->items.count; i++)
        look(f, block->items.items[i], frame);
}

static void look(struct fuse *f, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_PARALLEL) /* its threads meet at barriers that its loops imply */
        return;
    if (s->kind == STMT_BLOCK) {
        if (s->items.count)
            look_at_block(f, s, frame);
        return;
    }
    struct tree_frame inner;
    if (s->kind == STMT_FOR) {
        inner = tree_frame_of(frame, s);
        frame = &inner;
    }
    if (s->body)
        look(f, s->body, frame);
    if (s->otherwise)
        look(f, s->otherwise, frame);
}

static struct fuse fuse_of(struct tree *t, const struct tree_options *o, struct tree_scan *whole, uint32_t num_vars)
{
    struct fuse f = { .tree = t, .arena = t->scratch, .options = o, .uses = &whole->uses, .num_vars = num_vars };
    f.last = NEW_ARRAY(f.arena, struct last_use, t->num_aliases);
    piece_set_init(&f.first, f.arena, t);
    piece_set_init(&f.skipped, f.arena, t);
    return f;
}

void fuse_nests_in(struct tree *t, const struct tree_options *o, struct tree_scan *whole, uint32_t num_vars,
                   struct tree_stmt *block)
{
    struct fuse f = fuse_of(t, o, whole, num_vars);
    f.nests_only = true;
    look_at_block(&f, block, NULL);
}

static bool forget_parallel(void *user, struct tree_stmt *s)
{
    (void)user;
    s->loop.parallel = false;
    return true;
}

static bool fuse_functions(struct tree *t, const struct tree_options *o, bool nests_only)
{
    remarks_again(t->ir->remarks, REMARK_FUSE_DEPENDENCE);
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *func = t->functions.items[i];
        if (o->num_threads == 1)
            stmt_visit(func->body, forget_parallel, NULL);
        stmt_flatten(t, func->body);
        struct tree_scan whole = tree_scan_function(t, func);
        struct fuse f = fuse_of(t, o, &whole, t->num_vars);
        f.nests_only = nests_only;
        look(&f, func->body, NULL);
    }
    return true;
}

bool tree_fuse_nests(struct tree *t, const struct tree_options *o) { return fuse_functions(t, o, true); }

bool tree_fuse(struct tree *t, const struct tree_options *o) { return fuse_functions(t, o, false); }
