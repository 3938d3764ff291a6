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
#include "lower/opt/remark.h"

#include <stdlib.h>

enum { MOST_NESTS = 8, MOST_RUNS = 8 };

/* ---- what has been stored ---- */

struct stored_run {
    int64_t low, high; /* offsets, inclusive */
};

struct stored {
    struct stored_run runs[MOST_RUNS];
    uint32_t count;
};

static bool has_stored(const struct stored *s, int64_t low, int64_t high)
{
    bool found = low > high;
    for (uint32_t i = 0; i < s->count; i++)
        found |= s->runs[i].low <= low && high <= s->runs[i].high;
    return found;
}

/* What does not fit is forgotten. */
static void add_stored(struct stored *s, int64_t low, int64_t high)
{
    for (uint32_t i = 0; i < s->count;) {
        struct stored_run *r = &s->runs[i];
        if (high < r->low - 1 || low > r->high + 1) {
            i++;
            continue;
        }
        low = low < r->low ? low : r->low;
        high = high > r->high ? high : r->high;
        *r = s->runs[--s->count];
        i = 0;
    }
    if (s->count < MOST_RUNS)
        s->runs[s->count++] = (struct stored_run){ low, high };
}

/* ---- one access ---- */

/* constant + times * variable of the loop `inner`, which runs from `begin` to `last` one by one. */
struct place_in {
    const struct tree_stmt *inner; /* NULL: none */
    int64_t constant, times, begin, last;
};

/* The loop directly in `loop` that the access stands in. */
static const struct tree_stmt *nest_in(const struct tree_access *a, const struct tree_stmt *loop)
{
    const struct tree_frame *f = a->frame;
    while (f && f->loop != loop && f->outer && f->outer->loop != loop)
        f = f->outer;
    return f && f->loop != loop ? f->loop : NULL;
}

/* Is the place known to be of that form, and met in every iteration of the inner loop? */
static bool find_place(const struct tree_access *a, const struct tree_stmt *loop, const struct contracted_part *part,
                       struct place_in *out)
{
    struct linear rest = { .known = true };
    linear_add(&rest, a->at, 1);
    linear_add(&rest, &part->base, -1);
    *out = (struct place_in){ .inner = a->frame->loop == loop ? NULL : a->frame->loop };
    const struct tree_stmt *inner = out->inner;
    if (inner) {
        if (a->frame->outer->loop != loop || inner->begin->op != EXPR_INT || inner->end->op != EXPR_INT ||
            !expr_is_int(inner->step, 1) || inner->begin->i >= inner->end->i || llabs(inner->begin->i) > INT32_MAX ||
            llabs(inner->end->i) > INT32_MAX || !linear_take(&rest, inner->var, &out->times))
            return false;
        out->begin = inner->begin->i;
        out->last = inner->end->i - 1;
    }
    out->constant = rest.constant;
    return linear_is_constant(&rest) && out->times >= -1 && out->times <= 1;
}

static void note_store(struct stored *s, const struct tree_access *a, const struct tree_stmt *loop,
                       const struct contracted_part *part)
{
    struct place_in p;
    if (!a->store || a->guarded || !find_place(a, loop, part, &p))
        return;
    int64_t first = p.constant + p.times * p.begin, last = p.constant + p.times * p.last;
    add_stored(s, first < last ? first : last, first < last ? last : first);
}

/* Does an iteration of the inner loop find there what it or one before has stored by `store`, or what `s` has? */
static bool follows(const struct stored *s, const struct place_in *load, const struct place_in *store, bool behind)
{
    if (!load->inner || store->inner != load->inner || store->times != load->times || load->times == 0)
        return false;
    int64_t up = load->times * load->begin, distance = load->times * (store->constant - load->constant);
    if (distance < 0 || (distance == 0 && !behind))
        return false;
    return load->times > 0 ? has_stored(s, load->constant + up, store->constant + up - 1)
                           : has_stored(s, store->constant + up + 1, load->constant + up);
}

/* `at`: the number of the access; accesses `first` to `end` stand in the same inner loop. */
static bool is_stored(const struct contracted *m, uint32_t at, uint32_t first, uint32_t end, const struct stored *s,
                      const struct tree_stmt *loop, const struct contracted_part *part)
{
    const struct tree_access *a = m->accesses.items[at];
    struct linear rest = { .known = true };
    struct place_in load, store;
    linear_add(&rest, a->at, 1);
    linear_add(&rest, &part->base, -1);
    struct interval all = linear_interval(&rest, a->frame, NULL);
    if (all.known && has_stored(s, all.low, all.high))
        return true;
    if (!find_place(a, loop, part, &load))
        return false;
    for (uint32_t i = first; i < end; i++) {
        const struct tree_access *b = m->accesses.items[i];
        if (b->store && !b->guarded && find_place(b, loop, part, &store) && follows(s, &load, &store, i < at))
            return true;
    }
    return false;
}

/* Does every iteration of the loop store elements before it loads them? */
static bool stores_first(const struct contracted *m, const struct tree_stmt *loop, const struct contracted_part *part)
{
    struct stored s = { .count = 0 };
    for (uint32_t first = 0, end; first < m->accesses.count; first = end) {
        const struct tree_stmt *nest = nest_in(m->accesses.items[first], loop);
        end = first + 1;
        while (nest && end < m->accesses.count && nest_in(m->accesses.items[end], loop) == nest)
            end++;
        for (uint32_t i = first; i < end; i++)
            if (m->accesses.items[i]->read && !is_stored(m, i, first, end, &s, loop, part))
                return false;
        for (uint32_t i = first; i < end; i++)
            note_store(&s, m->accesses.items[i], loop, part);
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

bool shrink_split(struct shrink *w, struct contracted *m)
{
    struct users u = { .count = 0 };
    int64_t bytes = 0;
    if (w->jumps || !find_users(w, m, &u))
        return false;
    for (uint32_t k = 0; k < u.count; k++) {
        if (!shrink_find_part(w, &u.parts[k], u.loops[k], &u.part[k]) || u.part[k].count > shrink_elements(m) ||
            !stores_first(&u.parts[k], u.loops[k], &u.part[k]))
            return false;
        bytes += u.part[k].count * (int64_t)m->alloc->type->size;
    }
    if (w->taken + bytes > SHRINK_FRAME)
        return false;
    w->taken += bytes;
    for (uint32_t k = 0; k < u.count; k++) {
        struct tree_stmt *loop = (struct tree_stmt *)(uintptr_t)u.loops[k];
        struct tree_var *to = tree_var(w->tree, m->alloc->var->name, m->alloc->var->type);
        remark(w->tree->ir->remarks, m->alloc->place, remark_memory(w->tree, m->alloc), REMARK_SHRUNK,
               (long long)(u.part[k].count * (int64_t)m->alloc->type->size), remark_subject(w->tree, loop),
               remark_bytes(w->tree, m->alloc));
        shrink_put_into(w, m, to, loop, &u.part[k]);
    }
    return true;
}
