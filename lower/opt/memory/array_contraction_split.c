/* Memory in which loops leave nothing for each other is several memories:
 *
 *     T = heap float64[N * 40]                      for i {
 *     for i { T[i * 40] = ...                           T' = stack float64[40]
 *             for k { T[i * 40 + k + 1] = ... }         T'[0] = ...
 *     }                                         ->      ...
 *     for i { T[i * 40] = ...                       for i {
 *             ...                                       T" = stack float64[40]
 *
 * Whether every iteration stores an element before it loads it is found out by going through its accesses in order: a
 * loop that goes up or down one by one may load what its iterations before have stored. */
#include "lower/opt/memory/array_contraction.h"
#include "lower/tree/tree_depend.h"

#include <stdlib.h>

enum { MOST_NESTS = 8, MOST_RUNS = 8 };

/* ---- what has been stored ---- */

/* Offsets from `low` to `high`, inclusive; none, if that is less. */
struct stored_run {
    struct linear low, high;
};

/* What an iteration of the loop has stored. Offsets are sums of what keeps its value in the iteration. */
struct stored {
    const struct shrink *shrink;
    const struct tree_stmt *loop;
    const struct tree_frame *frame; /* of the loop */
    const struct contracted_part *part;
    struct stored_run runs[MOST_RUNS];
    uint32_t count;
};

static struct linear plus(const struct linear *a, int64_t times, const struct linear *b, int64_t constant)
{
    struct linear sum, more;
    linear_constant(&sum, 0);
    linear_constant(&more, constant);
    linear_add(&sum, a, 1);
    linear_add(&sum, b, times);
    linear_add(&sum, &more, 1);
    return sum;
}

/* Is a + more >= b known? */
static bool reaches(const struct stored *s, const struct linear *a, int64_t more, const struct linear *b)
{
    struct linear over = plus(a, -1, b, more);
    if (linear_is_constant(&over))
        return over.constant >= 0;
    return over.known && depend_is_natural(s->shrink->arena, &over, s->frame);
}

static bool has_stored(const struct stored *s, const struct linear *low, const struct linear *high)
{
    bool found = reaches(s, low, -1, high);
    for (uint32_t i = 0; i < s->count && !found; i++)
        found = reaches(s, low, 0, &s->runs[i].low) && reaches(s, &s->runs[i].high, 0, high);
    return found;
}

/* Two runs that touch are one, if it is known which begins and which ends first. A run of no offsets adds none: it ends
 * in front of its begin, where the other one is. */
static bool join(const struct stored *s, struct stored_run *to, const struct stored_run *r)
{
    bool later = reaches(s, &r->low, 0, &to->low), further = reaches(s, &r->high, 0, &to->high);
    if (later && reaches(s, &to->high, 0, &r->high))
        return true;
    if (later && further && reaches(s, &to->high, 1, &r->low)) {
        linear_copy(&to->high, &r->high);
        return true;
    }
    if (!reaches(s, &to->low, 0, &r->low))
        return false;
    if (!further && !(reaches(s, &to->high, 0, &r->high) && reaches(s, &r->high, 1, &to->low)))
        return false;
    linear_copy(&to->low, &r->low);
    if (further)
        linear_copy(&to->high, &r->high);
    return true;
}

/* What does not fit is forgotten. */
static void add_stored(struct stored *s, struct stored_run run)
{
    for (uint32_t i = 0; i < s->count;) {
        if (!join(s, &run, &s->runs[i])) {
            i++;
            continue;
        }
        s->runs[i] = s->runs[--s->count];
        i = 0;
    }
    if (s->count < MOST_RUNS && run.low.known && run.high.known)
        s->runs[s->count++] = run;
}

/* ---- one access ---- */

/* constant + times * variable of the loop `inner`, which runs from `begin` to `last` one by one, if it runs. */
struct place_in {
    const struct tree_stmt *inner; /* NULL: none */
    struct linear constant, begin, last;
    int64_t times;
};

/* The loop directly in `loop` that the access stands in. */
static const struct tree_stmt *nest_in(const struct tree_access *a, const struct tree_stmt *loop)
{
    const struct tree_frame *f = a->frame;
    while (f && f->loop != loop && f->outer && f->outer->loop != loop)
        f = f->outer;
    return f && f->loop != loop ? f->loop : NULL;
}

static bool is_small(const struct linear *l) { return l->known && llabs(l->constant) <= INT32_MAX; }

/* Is the place known to be of that form, and met in every iteration of the inner loop? */
static bool find_place(const struct stored *s, const struct tree_access *a, struct place_in *out)
{
    const struct tree_stmt *inner = out->inner = a->frame->loop == s->loop ? NULL : a->frame->loop;
    out->constant = plus(a->at, -1, &s->part->base, 0);
    out->times = 0;
    linear_constant(&out->begin, 0);
    linear_constant(&out->last, 0);
    if (inner) {
        if (a->frame->outer->loop != s->loop || !expr_is_int(inner->step, 1) ||
            !linear_take(&out->constant, inner->var, &out->times))
            return false;
        linear_of(&out->begin, inner->begin);
        linear_of(&out->last, depend_end(inner));
        out->last.constant--;
        if (!is_small(&out->begin) || !is_small(&out->last) || !shrink_stays(s->shrink, &out->begin, s->loop->body) ||
            !shrink_stays(s->shrink, &out->last, s->loop->body))
            return false;
    }
    return a->extent == 1 && is_small(&out->constant) && out->times >= -1 && out->times <= 1 &&
           shrink_stays(s->shrink, &out->constant, s->loop->body);
}

static void note_store(struct stored *s, const struct tree_access *a)
{
    struct place_in p;
    if (!access_fills(a) || a->guarded || !find_place(s, a, &p))
        return;
    if (p.times == 0 && p.inner && !reaches(s, &p.last, 0, &p.begin))
        return;
    add_stored(s, (struct stored_run){ plus(&p.constant, p.times, p.times < 0 ? &p.last : &p.begin, 0),
                                       plus(&p.constant, p.times, p.times < 0 ? &p.begin : &p.last, 0) });
}

/* Does an iteration of the inner loop find there what it or one before has stored by `store`, or what `s` has? */
static bool follows(const struct stored *s, const struct place_in *load, const struct place_in *store, bool behind)
{
    if (!load->inner || store->inner != load->inner || store->times != load->times || load->times == 0)
        return false;
    struct linear apart = plus(&store->constant, -1, &load->constant, 0);
    int64_t distance = load->times * apart.constant;
    if (!linear_is_constant(&apart) || distance < 0 || (distance == 0 && !behind))
        return false;
    struct linear from = plus(&load->constant, load->times, &load->begin, 0);
    struct linear to = plus(&store->constant, load->times, &load->begin, -load->times);
    return load->times > 0 ? has_stored(s, &from, &to) : has_stored(s, &to, &from);
}

/* All that the load may read? */
static bool is_all_stored(const struct stored *s, const struct tree_access *a)
{
    struct linear rest = plus(a->at, -1, &s->part->base, 0), low, high;
    struct interval all = linear_interval(&rest, a->frame, NULL);
    linear_constant(&low, all.low);
    linear_constant(&high, all.high);
    if (a->extent != 1)
        return false;
    if (all.known && has_stored(s, &low, &high))
        return true;
    linear_copy(&low, &rest);
    linear_copy(&high, &rest);
    return shrink_find_end(s->shrink, &low, a, s->loop, true) && shrink_find_end(s->shrink, &high, a, s->loop, false) &&
           has_stored(s, &low, &high);
}

/* `at`: the number of the access; accesses `first` to `end` stand in the same inner loop. */
static bool is_stored(const struct stored *s, const struct contracted *m, uint32_t at, uint32_t first, uint32_t end)
{
    struct place_in load, store;
    if (is_all_stored(s, m->accesses.items[at]))
        return true;
    if (!find_place(s, m->accesses.items[at], &load))
        return false;
    for (uint32_t i = first; i < end; i++) {
        const struct tree_access *b = m->accesses.items[i];
        if (access_fills(b) && !b->guarded && find_place(s, b, &store) && follows(s, &load, &store, i < at))
            return true;
    }
    return false;
}

/* Does every iteration of the loop store elements before it loads them? */
static bool stores_first(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                         const struct contracted_part *part)
{
    struct stored *s = NEW(w->arena, struct stored);
    *s = (struct stored){ .shrink = w, .loop = loop, .frame = m->accesses.items[0]->frame, .part = part };
    while (s->frame->loop != loop)
        s->frame = s->frame->outer;
    for (uint32_t first = 0, end; first < m->accesses.count; first = end) {
        const struct tree_stmt *nest = nest_in(m->accesses.items[first], loop);
        end = first + 1;
        while (nest && end < m->accesses.count && nest_in(m->accesses.items[end], loop) == nest)
            end++;
        for (uint32_t i = first; i < end; i++)
            if (m->accesses.items[i]->read && !is_stored(s, m, i, first, end))
                return false;
        for (uint32_t i = first; i < end; i++)
            note_store(s, m->accesses.items[i]);
    }
    return true;
}

/* ---- loops ---- */

struct users {
    const struct tree_stmt *loops[MOST_NESTS];
    struct contracted parts[MOST_NESTS]; /* the memory, with the accesses of the loop alone */
    struct contracted_part part[MOST_NESTS];
    uint32_t count;
};

/* The outermost loop around the access that is inside of `inner` (NULL: inside of nothing). */
static const struct tree_stmt *user_of(const struct tree_access *a, const struct tree_stmt *inner)
{
    const struct tree_frame *f = a->frame;
    while (f && f->outer && f->outer->loop != inner)
        f = f->outer;
    return f && f->loop != inner && (f->outer ? f->outer->loop : NULL) == inner ? f->loop : NULL;
}

static bool find_users(struct shrink *w, const struct contracted *m, struct users *u)
{
    struct tree_frame common[SHRINK_LOOPS];
    uint32_t count = shrink_common_loops(m, common);
    const struct tree_stmt *inner = count ? common[count - 1].loop : m->frame ? m->frame->loop : NULL;
    for (uint32_t i = 0; i < m->accesses.count; i++) {
        const struct tree_stmt *loop = user_of(m->accesses.items[i], inner);
        uint32_t k = 0;
        while (k < u->count && u->loops[k] != loop)
            k++;
        if (!loop || k == MOST_NESTS)
            return false;
        if (k == u->count)
            u->parts[u->count++] = (struct contracted){ .alloc = m->alloc };
        u->loops[k] = loop;
        vec_push(w->arena, &u->parts[k].accesses, m->accesses.items[i]);
    }
    return u->count > 1;
}

/* Memory of the iterations of each loop, on the stack if its size is known. */
static bool find_parts(struct shrink *w, const struct contracted *m, struct users *u)
{
    int64_t bytes = 0;
    for (uint32_t k = 0; k < u->count; k++) {
        struct contracted_part *part = &u->part[k];
        if (!(shrink_find_part(w, &u->parts[k], u->loops[k], part) && part->count <= shrink_elements(m)) &&
            !shrink_find_heap_part(w, &u->parts[k], u->loops[k], part))
            return false;
        if (!stores_first(w, &u->parts[k], u->loops[k], part))
            return false;
        bytes += part->count * (int64_t)m->alloc->type->size;
    }
    if (w->taken + bytes > SHRINK_FRAME)
        return false;
    w->taken += bytes;
    return true;
}

bool shrink_split(struct shrink *w, struct contracted *m)
{
    struct users *u = NEW(w->arena, struct users);
    if (w->jumps || !find_users(w, m, u) || !find_parts(w, m, u))
        return false;
    for (uint32_t k = 0; k < u->count; k++) {
        struct tree_stmt *loop = (struct tree_stmt *)(uintptr_t)u->loops[k];
        struct tree_var *to = tree_var(w->tree, m->alloc->var->name, m->alloc->var->type);
        shrink_say(w, m, loop, &u->part[k]);
        shrink_put_into(w, m, to, loop, &u->part[k]);
    }
    return true;
}
