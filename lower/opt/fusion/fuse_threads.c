/* Sequential loops of which one would be proved independent and the other one would not: as one they keep all of their
 * work in one thread. */
#include "lower/opt/filled_first.h"
#include "lower/opt/fusion/fuse_pair.h"
#include "lower/opt/iterations.h"
#include "lower/opt/threads/region.h"
#include "lower/tree/tree_cost.h"

struct fuse_threads {
    struct iterations x;
    struct map allocations; /* variable -> its allocation; NULL: it has several */
    struct map around;      /* loops around others -> (void *)2 if they would be independent, 1 if not */
};

static bool find_allocation(void *user, struct tree_stmt *s)
{
    struct fuse *f = user;
    if (s->kind == STMT_ALLOC)
        map_put(f->arena, &f->threads->allocations, s->var, map_has(&f->threads->allocations, s->var) ? NULL : s);
    return true;
}

static struct fuse_threads *threads_of(struct fuse *f)
{
    if (f->threads)
        return f->threads;
    f->threads = NEW(f->arena, struct fuse_threads);
    f->threads->x = iterations_of(f->tree, f->whole->func);
    stmt_visit(f->whole->func->body, find_allocation, f);
    return f->threads;
}

/* Is the memory small, of this loop alone, and one that its iterations fill before they read it? It is going to be
 * contracted. */
static bool is_own(struct fuse *f, const struct tree_scan *scan, struct tree_stmt *loop, const struct tree_var *v)
{
    enum { MOST_ELEMENTS = 64, ALLOCATION_AND_RELEASE = 2 };
    const struct tree_stmt *alloc = map_get(&f->threads->allocations, v);
    static const struct linear none = { .known = true };
    if (!alloc || map_has(&scan->assigned, v) || alloc->where == TREE_STATE || alloc->count->op != EXPR_INT ||
        alloc->count->i > MOST_ELEMENTS ||
        (uintptr_t)map_get(&tree_whole(f->whole)->uses, v) >
            (uintptr_t)map_get(&scan->uses, v) + ALLOCATION_AND_RELEASE)
        return false;
    struct filled_part all = { v, alloc->type, &none, 0, alloc->count->i };
    return filled_first(&all, loop);
}

static bool is_independent(struct fuse *f, struct tree_stmt *loop, const struct tree_frame *outer)
{
    struct fuse_threads *w = threads_of(f);
    struct map own = { 0 };
    if (loop->loop.independent || loop->loop.parallel)
        return true;
    struct tree_scan scan = { .arena = f->arena };
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < scan.uses.count; i++)
        if (is_own(f, &scan, loop, scan.uses.slots[i].key))
            map_put(f->arena, &own, scan.uses.slots[i].key, loop);
    w->x.whole = *f->whole;
    return iterations_are_apart_but(&w->x, loop, outer, &own);
}

/* Is one of the loops around a thread's, or going to be? */
static bool is_in_threads(struct fuse *f)
{
    if (f->in_threads)
        return true;
    for (const struct tree_frame *in = f->outer; in; in = in->outer) {
        const void *known = map_get(&threads_of(f)->around, in->loop);
        if (!known) {
            bool yes = is_independent(f, (struct tree_stmt *)(uintptr_t)in->loop, in->outer);
            known = (void *)(uintptr_t)(yes ? 2 : 1);
            map_put(f->arena, &f->threads->around, in->loop, (void *)(uintptr_t)known);
        }
        if ((uintptr_t)known == 2)
            return true;
    }
    return false;
}

/* Is there something for threads to do, if the loop can be run by them? Fills alone are best in front of what comes
 * next. */
static bool has_work(struct fuse *f, const struct fuse_nest *n)
{
    struct tree *t = f->tree;
    struct tree_scan scan = { .arena = f->arena };
    bool reads = false;
    for (uint32_t i = 0; i < n->piece->accesses.count && !reads; i++)
        reads = n->piece->accesses.items[i]->read;
    if (!reads)
        return false;
    tree_scan_add(&scan, n->loops[0]->body);
    struct tree_expr *all =
        tree_cost_repeat(t, tree_trip_count(t, n->loops[0]), tree_cost(t, &scan, n->loops[0]->body));
    return region_is_less(all, f->outer, region_limit(t->machine, f->outer != NULL)) != 1;
}

/* Is the first loop one for threads, of which more is left than what the second one needs, which is none? */
static bool loses(struct fuse *f, const struct fuse_nest *n, const struct fuse_nest *other)
{
    if (!has_work(f, n) || is_in_threads(f) || !is_independent(f, n->loops[0], f->outer) ||
        is_independent(f, other->loops[0], f->outer))
        return false;
    for (uint32_t i = 0; i < n->piece->accesses.count; i++)
        if (n->piece->accesses.items[i]->write && !fuse_is_between(f, n->piece->accesses.items[i], n, other))
            return true;
    return false;
}

bool fuse_keeps_threads(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b)
{
    if (f->options->device || f->options->num_threads == 1 || f->whole_nests || !f->kind.loops ||
        !stmt_has_loops(b->loops[b->depth - 1]->body))
        return true;
    return !loses(f, a, b) && !loses(f, b, a);
}
