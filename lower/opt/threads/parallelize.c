/* Parallel loops become regions of threads, with one piece per thread (static) or chunks from a shared counter. A loop
 * with few iterations is collapsed with the one inside.
 *
 *     for i = b to e step s parallel      ->      parallel thread of threads = work < limit ? 1 : default {
 *         body                                        for i = b + first(thread) * s to b + last(thread) * s step s
 *                                                         body
 *                                                 }
 *
 * Legality: The loop assigns no variable that is used outside and is not left by a jump. Inside of a region loops stay
 * sequential, except directly in an explicit one (CPU_Persistent).
 * Profitability: If the work exceeds the cost of a region, more so in loops that copy arrays, and if threads sleep
 * between regions, which is measured; decided at run time if it depends on symbols.
 *
 * Chunks are taken from a counter in the frame of the caller. Variables that only the loop uses become variables of
 * the region. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/opt/threads/region.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"

struct parallelize {
    struct tree *tree;
    const struct tree_options *options;
    struct iterations iterations; /* of the function; with a set when that is needed */
    struct tree_stmt *region;     /* around the statement being looked at */
    bool shared;                  /* directly in the region: all its threads come by */
    uint32_t loops;               /* sequential ones around the statement */
    bool copies;                  /* the innermost of them copies arrays, which one thread does */
    const struct tree_frame *frame;
    struct map own; /* memory that a thread of a region takes for itself */
};

/* Variables given a value in the loop must be of no interest outside. */
static bool is_private(struct parallelize *p, const struct tree_scan *body, const struct tree_stmt *loop)
{
    const struct tree_scan *whole = tree_whole(&p->iterations.whole);
    for (uint32_t i = 0; i < body->assigned.count; i++) {
        const struct tree_var *v = body->assigned.slots[i].key;
        if (!v->owner && map_get(&body->uses, v) != map_get(&whole->uses, v))
            return false;
    }
    uintptr_t inside = (uintptr_t)map_get(&body->uses, loop->var);
    return (uintptr_t)map_get(&whole->uses, loop->var) == inside + 1; /* the loop itself names it once */
}

static bool can_split(struct parallelize *p, const struct tree_stmt *loop, struct tree_scan *body)
{
    tree_scan_add(body, loop->body);
    if (!tree_scan_is_closed(body, tree_whole(&p->iterations.whole)) || !is_private(p, body, loop))
        return false;
    map_put(body->arena, &body->assigned, loop->var, loop->var);
    return loop->var->type->kind == TYPE_I64 || loop->var->type->kind == TYPE_I32;
}

struct mention {
    const struct tree_var *var;
    bool found;
};

static void see_mention(void *user, struct tree_expr *e)
{
    struct mention *m = user;
    m->found |= e->op == EXPR_VAR && e->var == m->var;
}

static bool find_mention(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR) {
        expr_visit(s->begin, see_mention, user);
        expr_visit(s->end, see_mention, user);
    }
    return true;
}

enum { UNEVEN_CHUNK = 4 };

/* Where the program has no schedule: what was asked for, or iterations of different length (a triangle) are dealt out
 * in turn, so that all threads get long and short ones. */
static void choose_schedule(const struct parallelize *p, struct tree_stmt *loop)
{
    const int32_t *settings = p->options->settings;
    struct mention m = { .var = loop->var };
    if (!expr_is_int(loop->step, 1) || loop->loop.omp != TREE_OMP_STATIC || loop->loop.chunk != 0)
        return;
    stmt_visit(loop->body, find_mention, &m);
    if (settings[SETTING_dynamic])
        loop->loop.omp = TREE_OMP_DYNAMIC;
    if (settings[SETTING_dynamic] || settings[SETTING_chunk])
        loop->loop.chunk = settings[SETTING_dynamic] ? settings[SETTING_dynamic] : settings[SETTING_chunk];
    else if (m.found)
        loop->loop.chunk = UNEVEN_CHUNK;
}

/* ---- collapsing ---- */

/* What one thread copies in each iteration of the loop around is in its cache, from which the others fetch a line in
 * ten nanoseconds: that takes longer than vectors with some operations for each number. */
enum { COPIED = 4, FEW_BYTES = 16 << 10 };

static bool copies_arrays(const struct machine *m, const struct tree_stmt *s)
{
    int64_t bytes = s->kind == STMT_COPY && s->count->op == EXPR_INT ? s->count->i * (int64_t)s->type->size : 0;
    bool found = bytes > FEW_BYTES && bytes <= m->second_cache;
    for (uint32_t i = 0; s->kind == STMT_BLOCK && i < s->items.count; i++)
        found |= copies_arrays(m, s->items.items[i]);
    return found;
}

static int64_t limit_of(const struct parallelize *p)
{
    return region_limit(p->tree->machine, p->loops > 0) * (p->copies ? COPIED : 1);
}

enum { MANY = 64 }; /* iterations that keep the threads of most machines busy */

/* The loop inside whose iterations are shared out with those of `s`, because `s` has too few of its own; or NULL. */
static struct tree_stmt *few_with(struct parallelize *p, struct tree_stmt *s, const struct tree_scan *body)
{
    struct tree_expr *trips = tree_trip_count(p->tree, s);
    struct tree_stmt *inner = s->body->items.count == 1 ? s->body->items.items[0] : NULL;
    if (trips->op != EXPR_INT || trips->i < 2 || trips->i >= MANY || s->loop.omp != TREE_OMP_STATIC ||
        s->loop.chunk > 0 || !inner || inner->kind != STMT_FOR || !inner->loop.independent ||
        !tree_scan_invariant(body, inner->begin) || !tree_scan_invariant(body, inner->end) ||
        !tree_scan_invariant(body, inner->step))
        return NULL;
    if (!p->iterations.set.classes)
        piece_set_init(&p->iterations.set, p->tree->scratch, p->tree);
    struct tree_frame frame = tree_frame_of(p->frame, s);
    struct fuse_nest nest = { .loops = { inner }, .depth = 1 };
    return iterations_keep_variables(&p->iterations, inner) &&
                   iterations_are_apart(&p->iterations, inner, &nest, &frame)
               ? inner
               : NULL;
}

/* What threads share out: the iterations of a loop, or of two together. */
struct work {
    struct tree_stmt *inner;       /* the other loop, or NULL */
    struct region_space rows, row; /* of the loop; of the inner one */
    struct region_space all;       /* of all iterations together */
};

static struct work work_of(struct parallelize *p, struct tree_stmt *block, struct tree_stmt *s,
                           const struct tree_scan *body)
{
    struct tree *t = p->tree;
    struct work w = { .rows = region_space_of(t, block, s) };
    w.all = w.rows;
    struct tree_expr *all = tree_cost_repeat(t, w.rows.trips, tree_cost(t, body, s->body));
    if (region_is_less(all, p->frame, limit_of(p)) != 1)
        w.inner = few_with(p, s, body);
    if (!w.inner)
        return w;
    w.row = region_space_of(t, block, w.inner);
    w.all.trips = expr_binary(t, EXPR_MUL, w.rows.trips, w.row.trips);
    w.all.count = expr_binary(t, EXPR_MUL, w.rows.count, w.row.count);
    if (w.all.count->op != EXPR_INT) {
        struct tree_var *count = tree_var(t, "count", w.all.count->type);
        stmt_assign(t, block, count, w.all.count);
        w.all.count = expr_var(t, count);
    }
    return w;
}

/* ---- does it pay ---- */

static struct tree_expr *less(const struct parallelize *p, struct tree_expr *work, struct tree_expr *bound,
                              int64_t limit)
{
    int known = region_is_less(bound, p->frame, limit);
    return known >= 0 ? expr_bool(p->tree, known) : expr_binary(p->tree, EXPR_LT, work, expr_i64(p->tree, limit));
}

static int64_t asleep_limit(const struct parallelize *p, struct tree_stmt *loop)
{
    return region_limit_asleep(p->tree->machine, p->loops > 0,
                               tree_cost_has_vectors(loop) ? REGION_VECTORS : REGION_SCALARS);
}

/* Of one iteration, where waking threads up is weighed against it. */
static struct tree_expr *middle_work(const struct parallelize *p, struct tree_stmt *loop, const struct work *w,
                                     const struct tree_scan *body)
{
    struct tree_frame frame = tree_frame_of(p->frame, loop);
    return w->inner ? tree_cost_middle(p->tree, body, w->inner, &frame)
                    : tree_cost_middle(p->tree, body, loop, p->frame);
}

/* Is it too little work for threads? `block`: in front of the loop. */
static struct tree_expr *is_small(const struct parallelize *p, struct tree_stmt *block, struct tree_stmt *loop,
                                  const struct work *w, const struct tree_scan *body)
{
    struct tree *t = p->tree;
    const struct region_space *sp = &w->all;
    if (loop->loop.heavy)
        return less(p, sp->count, sp->trips, 2);
    struct tree_expr *once = tree_cost_iteration(t, body, w->inner ? w->inner : loop);
    struct tree_expr *work = tree_cost_repeat(t, sp->count, once), *bound = tree_cost_repeat(t, sp->trips, once);
    struct tree_expr *few = less(p, sp->count, sp->trips, 2);
    struct tree_expr *small = expr_binary(t, EXPR_LOGICAL_OR, few, less(p, work, bound, limit_of(p)));
    int64_t limit = asleep_limit(p, loop);
    struct tree_expr *middle = middle_work(p, loop, w, body);
    work = tree_cost_repeat(t, sp->count, middle);
    return region_or_asleep(t, block, small, less(p, work, tree_cost_repeat(t, sp->trips, middle), limit));
}

static const char *schedule_name(struct tree *t, const struct tree_stmt *loop, const struct work *w)
{
    if (w->inner)
        return arena_printf(t->arena, "one piece each of its iterations and those of %s together",
                            remark_subject(t, w->inner));
    if (loop->loop.omp != TREE_OMP_STATIC)
        return loop->loop.omp == TREE_OMP_GUIDED ? "guided" : "dynamic";
    return loop->loop.chunk > 0 ? "in turn" : "one piece each";
}

static void say_threads(const struct parallelize *p, struct tree_stmt *loop, const struct tree_expr *small,
                        const struct work *w, const struct tree_scan *body)
{
    struct tree *t = p->tree;
    const struct region_space *sp = &w->all;
    struct remarks *r = t->ir->remarks;
    const char *subject = remark_subject(t, loop);
    int limit = (int)limit_of(p);
    if (!r)
        return;
    struct tree_expr *once = tree_cost_iteration(t, body, w->inner ? w->inner : loop);
    const char *work = remark_value(t, tree_cost_repeat(t, sp->count, once)), *schedule = schedule_name(t, loop, w);
    if (small->op != EXPR_INT && region_is_less(tree_cost_repeat(t, sp->trips, once), p->frame, limit) == 0)
        remark(r, loop->place, subject, REMARK_THREADS_AWAKE, schedule, work, limit,
               remark_value(t, tree_cost_repeat(t, sp->count, middle_work(p, loop, w, body))),
               (int)asleep_limit(p, loop));
    else if (small->op != EXPR_INT)
        remark(r, loop->place, subject, REMARK_THREADS_RUNTIME, schedule);
    else if (small->i && region_is_less(sp->trips, p->frame, 2) == 1)
        remark(r, loop->place, subject, REMARK_THREADS_FEW);
    else if (small->i)
        remark(r, loop->place, subject, REMARK_THREADS_WORK, work, limit, p->loops ? " where loops are around it" : "");
    else
        remark(r, loop->place, subject, REMARK_THREADS, schedule, work, limit);
}

static bool make_sequential(void *user, struct tree_stmt *s)
{
    s->atomic = s->loop.parallel = false;
    (void)user;
    return true;
}

static bool find_loop(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found |= stmt_is_loop(s) || s->kind == STMT_LABEL;
    return !*found;
}

/* Where a little loop is run again and again, the function that a region becomes would cost more than the loop: it gets
 * a second version in place. Gives the block for the region. */
static struct tree_stmt *split_little(const struct parallelize *p, struct tree_stmt *block,
                                      const struct tree_stmt *loop, struct tree_expr **small)
{
    struct tree *t = p->tree;
    bool nest = false;
    stmt_visit(loop->body, find_loop, &nest);
    if (!p->loops || nest || expr_is_const(*small))
        return block;
    struct tree_stmt *choice = stmt_if(t, block, *small), *alone = stmt_clone_apart(t, loop);
    choice->place = loop->place;
    stmt_visit(alone, make_sequential, NULL);
    stmt_append(t, choice->body, alone);
    *small = expr_bool(t, false);
    return choice->otherwise;
}

/* Turns `s` into a block with the region, which is returned. NULL: the loop stays as it is. */
static struct tree_stmt *make_region(struct parallelize *p, struct tree_stmt *s)
{
    struct tree *t = p->tree;
    struct tree_scan body = { .arena = t->scratch };
    if (!can_split(p, s, &body)) {
        remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_THREADS_VARIABLE);
        return NULL;
    }
    choose_schedule(p, s);
    struct tree_stmt *block = stmt_block(t);
    struct work w = work_of(p, block, s, &body);
    struct tree_expr *small = is_small(p, block, s, &w, &body);
    say_threads(p, s, small, &w, &body);
    if (expr_is_int(small, 1))
        return NULL;
    struct tree_stmt *inside = split_little(p, block, s, &small);
    struct tree_expr *count = expr_select(t, small, expr_i64(t, 1), expr_i64(t, s->loop.num_threads));
    struct tree_var *counter = s->loop.omp != TREE_OMP_STATIC ? region_counter(t, inside) : NULL;
    struct tree_stmt *region = tree_parallel_begin(t, inside, expr_is_int(count, 0) ? NULL : count);
    region->place = s->place;
    region_own(region, s->body);
    s->var->owner = region;
    if (w.inner)
        region_split_pair(t, region->body, s, &w.rows, &w.row, w.all.count, region);
    else
        region_split(t, region->body, s, &w.rows, region, counter);
    tree_parallel_end(t, region);
    *s = *block;
    return region;
}

/* The threads of the region around share the loop. */
static void share_loop(struct parallelize *p, struct tree_stmt *s)
{
    struct tree *t = p->tree;
    struct tree_stmt *block = stmt_block(t);
    t->region = p->region;
    struct region_space sp = region_space_of(t, block, s);
    region_split_static(t, block, s, &sp, p->region);
    stmt_new(t, block, STMT_BARRIER)->place = s->place;
    t->region = NULL;
    *s = *block;
}

static void look(struct parallelize *p, struct tree_stmt *s);

static void look_inside(struct parallelize *p, struct tree_stmt *s)
{
    bool repeats = stmt_is_loop(s);
    const struct tree_frame *outer = p->frame;
    struct tree_frame frame;
    if (s->kind == STMT_FOR) {
        frame = tree_frame_of(outer, s);
        p->frame = &frame;
    }
    const bool copies = p->copies;
    p->loops += repeats;
    p->copies = repeats ? copies_arrays(p->tree->machine, s->body) : copies;
    if (s->body)
        look(p, s->body);
    p->copies = copies;
    p->loops -= repeats;
    p->frame = outer;
    if (s->otherwise)
        look(p, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(p, s->items.items[i]);
}

/* `shared`: parallel loops of the region are divided among its threads; else each thread runs those it meets alone. */
static void look_at_region(struct parallelize *p, struct tree_stmt *s, bool shared)
{
    struct parallelize outer = *p;
    p->region = s;
    p->shared = shared;
    look_inside(p, s);
    *p = outer;
}

static void look_at_loop(struct parallelize *p, struct tree_stmt *s)
{
    bool shared = p->shared;
    struct tree_stmt *region = NULL;
    if (!p->region && p->options->num_threads != 1)
        region = make_region(p, s);
    if (region) {
        look_at_region(p, region, false);
        return;
    }
    s->loop.parallel = false;
    p->shared = false;
    look_inside(p, s);
    p->shared = shared;
    if (p->region && shared) {
        remark(p->tree->ir->remarks, s->place, remark_subject(p->tree, s), REMARK_THREADS_SHARED);
        share_loop(p, s);
    }
}

static void look(struct parallelize *p, struct tree_stmt *s)
{
    if (p->region && s->kind == STMT_ALLOC)
        map_put(p->tree->scratch, &p->own, s->var, s);
    const struct tree_var *to = s->kind == STMT_REDUCE || s->kind == STMT_UPDATE ? expr_root_var(s->pointer) : NULL;
    if (!p->region || (to && map_has(&p->own, to)))
        s->atomic = false; /* one thread, nobody to collide with */
    if (s->kind == STMT_FOR && s->loop.parallel) {
        look_at_loop(p, s);
        return;
    }
    if (s->kind == STMT_PARALLEL) {
        if (p->options->num_threads == 1)
            s->count = expr_i64(p->tree, 1);
        look_at_region(p, s, true);
        return;
    }
    bool shared = p->shared;
    if (s->kind == STMT_CRITICAL || s->kind == STMT_UPDATE)
        p->shared = false;
    look_inside(p, s);
    p->shared = shared;
}

bool opt_parallelize(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct parallelize p = { .tree = t,
                                 .options = o,
                                 .iterations = { .tree = t, .whole = { .tree = t, .func = f } } };
        look(&p, f->body);
    }
    return true;
}
