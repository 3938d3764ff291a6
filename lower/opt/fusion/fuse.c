/* Neighbouring loops over the same iterations are fused, whole nests first (`fuse-nests`), then single loops. Copies,
 * fills and linearized loops are reshaped to the nest that they are fused with.
 *
 *     for i = 0 to N  { T[i] = A[i] * 2 }             for i = 0 to N {
 *     for j = 0 to N  { B[j] = T[j] + T[j] }    ->        T[i] = A[i] * 2
 *                                                         B[i] = T[i] + T[i]
 *                                                     }
 *
 * Legality: No dependence between the loops is reversed: elements accessed by both, and changed by one, are accessed
 * by the same iteration of both. Statements in between that neither depend on the first loop nor are needed by the
 * second move in front of it.
 * Profitability: If it removes or shortens an array between the loops, or shares loads, and does not keep either from
 * being vectorized, or from being run by threads (fuse_threads.c); at most 1500 accesses a loop. Whole nests have no
 * loops in an iteration, but for sums where each iteration is a thread of a device. On a device the outer loops of
 * nests are fused as far as both have threads for them, and a nest that loses threads so has to get loops that several
 * threads share. */
#include "lower/opt/fusion/fuse.h"
#include "lower/opt/fusion/fuse_pair.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

enum {
    LOOK_AHEAD = 256, /* statements behind a loop that are considered */
    MOST_MOVED = 64   /* accesses of a loop that goes into others while they are looked at from the last one on */
};

/* ---- blocks ---- */

/* The statement stays behind the loop. Work is not moved past others for nothing: what it makes may be used there. */
static void skip(struct fuse *f, struct fuse_item *b)
{
    piece_set_add(&f->skipped, &b->piece);
    f->distant |= b->stmt->body != NULL;
}

static void note_classes(struct fuse *f, const struct fuse_item *b)
{
    for (uint32_t i = 0; i < b->piece.accesses.count; i++) {
        struct fuse_last_use *u = &f->last[b->piece.accesses.items[i]->alias];
        if (u->block != f->block || u->number < b->number)
            *u = (struct fuse_last_use){ f->block, b->number };
    }
}

/* Work has been skipped, so only what is related to the loop may still be taken in. Behind item b nothing is, or what
 * is must stay behind what was skipped. */
static bool is_hopeless(struct fuse *f, const struct fuse_item *b)
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
static uint32_t reorder(struct fuse *f, struct fuse_item *items, uint32_t at, uint32_t last, uint32_t *behind)
{
    struct fuse_item *order = NEW_ARRAY(f->arena, struct fuse_item, last + 1 - at);
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
static uint32_t look_at_loop(struct fuse *f, struct fuse_item *items, uint32_t count, uint32_t at,
                             const struct tree_frame *outer, uint32_t *behind)
{
    uint32_t last = at;
    fuse_start_with(f, &items[at].piece);
    piece_set_clear(&f->skipped);
    f->distant = false;
    for (uint32_t i = at + 1; i < count && i - at <= LOOK_AHEAD; i++) {
        struct fuse_item *b = &items[i];
        if (f->backwards && b->piece.accesses.count > MOST_MOVED) {
            f->left = true;
            break;
        }
        b->before = false;
        if (fuse_try_pair(f, &items[at], b, outer)) {
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

static bool is_candidate(const struct fuse_item *item) { return fuse_is_loop_like(item->stmt) && !item->piece.control; }

/* Nests take in those behind them, the last ones first: one that makes a temporary joins those that use it rather than
 * those whose results it starts from, and the temporary goes. */
static uint32_t fuse_last_first(struct fuse *f, struct fuse_item *items, uint32_t count, const struct tree_frame *frame)
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

static uint32_t fuse_first_first(struct fuse *f, struct fuse_item *items, uint32_t count,
                                 const struct tree_frame *frame)
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

static uint32_t fuse_all(struct fuse *f, struct fuse_item *items, uint32_t count, const struct tree_frame *frame)
{
    f->left = false;
    count = fuse_last_first(f, items, count, frame);
    return f->left ? fuse_first_first(f, items, count, frame) : count;
}

/* Whole nests first: an outer loop that goes into another alone would keep them apart. */
static uint32_t fuse_items(struct fuse *f, struct fuse_item *items, uint32_t count, const struct tree_frame *frame)
{
    f->whole_nests = true;
    count = fuse_all(f, items, count, frame);
    f->whole_nests = false;
    if (f->nests_only)
        return count;
    return f->options->device ? fuse_all(f, items, count, frame) : fuse_first_first(f, items, count, frame);
}

/* Are there two that may become one? */
static bool has_pair(const struct tree_stmt *block)
{
    uint32_t loops = 0;
    for (uint32_t i = 0; i < block->items.count && loops < 2; i++)
        loops += fuse_is_loop_like(block->items.items[i]);
    return loops == 2;
}

static void fuse_block(struct fuse *f, struct tree_stmt *block, const struct tree_frame *frame)
{
    struct fuse_item *items = NEW_ARRAY(f->arena, struct fuse_item, block->items.count + 1);
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
}

static void look_at_block(struct fuse *f, struct tree_stmt *block, const struct tree_frame *frame)
{
    if (has_pair(block))
        fuse_block(f, block, frame);
    for (uint32_t i = 0; i < block->items.count; i++)
        look(f, block->items.items[i], frame);
}

static void look(struct fuse *f, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_PARALLEL) /* its threads meet at barriers that its loops imply */
        return;
    if (s->kind == STMT_BLOCK) {
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

static struct fuse fuse_of(struct tree *t, const struct tree_options *o, struct tree_whole *whole, uint32_t num_vars)
{
    struct fuse f = { .tree = t, .arena = t->scratch, .options = o, .whole = whole, .num_vars = num_vars };
    f.last = NEW_ARRAY(f.arena, struct fuse_last_use, t->num_aliases);
    piece_set_init(&f.first, f.arena, t);
    piece_set_init(&f.skipped, f.arena, t);
    return f;
}

void fuse_nests_in(struct tree *t, const struct tree_options *o, struct tree_whole *whole, uint32_t num_vars,
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
        if (o->num_threads == 1 && !o->device)
            stmt_visit(func->body, forget_parallel, NULL);
        stmt_flatten(t, func->body);
        struct tree_whole whole = { .tree = t, .func = func, .changes = true };
        struct fuse f = fuse_of(t, o, &whole, t->num_vars);
        f.nests_only = nests_only;
        look(&f, func->body, NULL);
    }
    return true;
}

bool opt_fuse_nests(struct tree *t, const struct tree_options *o) { return fuse_functions(t, o, true); }

bool opt_fuse(struct tree *t, const struct tree_options *o) { return fuse_functions(t, o, false); }
