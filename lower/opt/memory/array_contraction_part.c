/* The part of a memory that an iteration needs: whether all accesses stay in it, whether parts of two iterations are
 * apart, and whether an iteration stores its part before it loads from it. */
#include "lower/opt/memory/array_contraction.h"

#include "lower/opt/filled_first.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_scan.h"

enum { MOST_ACCESSES = 64 /* of a memory, where pairs of them are compared */ };

/* ---- loops around all accesses ---- */

static bool is_around(const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    return frame != NULL;
}

uint32_t shrink_common_loops(const struct contracted *m, struct tree_frame *out)
{
    const struct tree_frame *inner = m->accesses.items[0]->frame;
    uint32_t count = 0;
    for (uint32_t i = 1; i < m->accesses.count; i++)
        while (inner && !is_around(m->accesses.items[i]->frame, inner->loop))
            inner = inner->outer;
    for (const struct tree_frame *f = inner; f && !is_around(m->frame, f->loop); f = f->outer) {
        if (count == SHRINK_LOOPS)
            return 0;
        count++;
    }
    uint32_t left = count;
    for (const struct tree_frame *f = inner; left > 0; f = f->outer)
        out[--left] = *f;
    return count;
}

/* ---- addresses ---- */

static bool is_inside(const struct tree_frame *frame, const struct tree_stmt *loop, const struct tree_var *v)
{
    for (; frame && frame->loop != loop; frame = frame->outer)
        if (frame->loop->var == v)
            return true;
    return false;
}

/* Is the term made of variables of loops inside `loop` alone? */
static bool varies_inside(const struct linear_term *term, const struct tree_access *a, const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (term->factors[i]->op != EXPR_VAR || !is_inside(a->frame, loop, term->factors[i]->var))
            return false;
    return true;
}

static void base_of(struct linear *out, const struct tree_access *a, const struct tree_stmt *loop)
{
    *out = (struct linear){ .known = a->at->known };
    for (uint32_t i = 0; i < a->at->count; i++)
        if (!varies_inside(&a->at->terms[i], a, loop))
            out->terms[out->count++] = a->at->terms[i];
}

bool shrink_stays(const struct shrink *w, const struct linear *l, const struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = w->arena };
    if (l->count)
        tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (!tree_scan_invariant(&scan, l->terms[i].factors[k]))
                return false;
    return true;
}

/* Is it made of the variables of the loop and those around it alone? */
static bool is_of_loops(const struct linear *l, const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (l->terms[i].factors[k]->op != EXPR_VAR || !is_inside(frame, NULL, l->terms[i].factors[k]->var))
                return false;
    return true;
}

bool shrink_find_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                      struct contracted_part *part)
{
    struct interval all = { 0 };
    base_of(&part->base, m->accesses.items[0], loop);
    if (!is_of_loops(&part->base, m->accesses.items[0]->frame, loop) && !shrink_stays(w, &part->base, loop->body))
        return false;
    for (uint32_t i = 0; i < m->accesses.count; i++) {
        const struct tree_access *a = m->accesses.items[i];
        struct linear rest = { .known = true };
        linear_add(&rest, a->at, 1);
        linear_add(&rest, &part->base, -1);
        struct interval here = { 0 };
        if (a->extent > 0 && a->extent <= SHRINK_LARGEST && a->type == m->alloc->type)
            here = interval_add(linear_interval(&rest, a->frame, NULL), (struct interval){ true, 0, a->extent - 1 });
        for (uint32_t k = 0; k < rest.count; k++)
            here.known = here.known && varies_inside(&rest.terms[k], a, loop);
        if (!here.known)
            return false;
        all = i == 0 ? here
                     : (struct interval){ true, all.low < here.low ? all.low : here.low,
                                          all.high > here.high ? all.high : here.high };
    }
    part->low = all.low;
    part->elements = NULL;
    return !__builtin_sub_overflow(all.high, all.low, &part->count) && part->count < SHRINK_LARGEST &&
           ++part->count * (int64_t)m->alloc->type->size <= SHRINK_LARGEST;
}

bool shrink_find_end(const struct shrink *w, struct linear *l, const struct tree_access *a,
                     const struct tree_stmt *loop, bool least)
{
    for (const struct tree_frame *f = a->frame; f && f->loop != loop; f = f->outer) {
        struct linear bound;
        int64_t times;
        if (!linear_take(l, f->loop->var, &times))
            return false;
        if (times == 0)
            continue;
        bool begin = (times > 0) == least;
        linear_of(&bound, begin ? f->loop->begin : depend_end(f->loop));
        bound.constant -= !begin;
        linear_add(l, &bound, times);
    }
    return l->known && shrink_stays(w, l, loop->body);
}

enum { MOST_ENDS = 4 };

/* Ends that are not known to be in front of each other. */
struct part_ends {
    struct linear items[MOST_ENDS];
    uint32_t count;
};

/* An end in front of another one (`least`), or behind it, stands for both. */
static bool add_end(const struct shrink *w, struct part_ends *ends, const struct linear *end, bool least,
                    const struct tree_frame *frame)
{
    for (uint32_t i = 0; i < ends->count; i++) {
        struct linear further, back;
        linear_copy(&further, end);
        linear_add(&further, &ends->items[i], -1);
        linear_constant(&back, 0);
        linear_add(&back, &further, -1);
        if (depend_is_natural(w->arena, least ? &further : &back, frame))
            return true;
        if (!depend_is_natural(w->arena, least ? &back : &further, frame))
            continue;
        linear_copy(&ends->items[i], end);
        return true;
    }
    if (ends->count == MOST_ENDS)
        return false;
    linear_copy(&ends->items[ends->count++], end);
    return true;
}

static bool find_ends(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                      const struct linear *base, struct part_ends *low, struct part_ends *high)
{
    const struct tree_frame *frame = m->accesses.items[0]->frame;
    while (frame && frame->loop != loop)
        frame = frame->outer;
    for (uint32_t i = 0; i < m->accesses.count; i++) {
        const struct tree_access *a = m->accesses.items[i];
        for (int least = 0; least < 2; least++) {
            struct linear rest;
            linear_copy(&rest, a->at);
            linear_add(&rest, base, -1);
            if (a->extent != 1 || a->type != m->alloc->type || !shrink_find_end(w, &rest, a, loop, least) ||
                !add_end(w, least ? low : high, &rest, least, frame))
                return false;
        }
    }
    return true;
}

bool shrink_find_sized_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                            struct contracted_part *part)
{
    struct tree *t = w->tree;
    struct part_ends *ends = NEW_ARRAY(w->arena, struct part_ends, 2), *low = &ends[0], *high = &ends[1];
    base_of(&part->base, m->accesses.items[0], loop);
    if ((!is_of_loops(&part->base, m->accesses.items[0]->frame, loop) && !shrink_stays(w, &part->base, loop->body)) ||
        !find_ends(w, m, loop, &part->base, low, high) || low->count > 1)
        return false;
    part->low = part->count = 0;
    part->elements = expr_i64(t, 1);
    for (uint32_t i = 0; i < high->count; i++) {
        struct linear *end = &high->items[i];
        linear_add(end, &low->items[0], -1);
        end->constant++;
        if (!end->known)
            return false;
        part->elements = expr_binary(t, EXPR_MAX, part->elements, linear_expr(t, end));
    }
    linear_add(&part->base, &low->items[0], 1);
    return part->base.known && part->elements->op != EXPR_INT;
}

/* Do iterations of the loop number `count` - 1, in one of those around it, touch different elements? */
static bool elements_differ(const struct shrink *w, const struct contracted *m, const struct tree_frame *loops,
                            uint32_t count)
{
    struct depend_loop both[SHRINK_LOOPS];
    struct tree_scan scan = { .arena = w->arena };
    if (m->accesses.count > MOST_ACCESSES || count > DEPEND_LOOPS)
        return false;
    tree_scan_add(&scan, loops[0].loop);
    for (uint32_t i = 0; i < count; i++)
        both[i] = (struct depend_loop){ loops[i].loop, loops[i].loop, i + 1 < count };
    for (uint32_t i = 0; i < m->accesses.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            struct depend_query q = {
                w->arena, m->accesses.items[i], m->accesses.items[k], both, count, tree_scan_assigns, &scan
            };
            if (!depend_is_in_step(&q))
                return false;
        }
    return true;
}

/* The smallest steps first: each must go further than everything before it. */
static bool bases_differ(const struct shrink *w, const struct contracted_part *part, const struct tree_frame *loops,
                         uint32_t count)
{
    struct linear rest = { .known = true };
    int64_t steps[SHRINK_LOOPS], reach = part->count;
    linear_add(&rest, &part->base, 1);
    for (uint32_t i = 0; i < count; i++) {
        if (!linear_take(&rest, loops[i].loop->var, &steps[i]) || !loops[i].range.known || steps[i] == 0 ||
            steps[i] <= -INT32_MAX || steps[i] >= INT32_MAX)
            return false;
        steps[i] = steps[i] < 0 ? -steps[i] : steps[i];
    }
    if (!shrink_stays(w, &rest, loops[0].loop))
        return false;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < count; i++)
            if (steps[i] > 0 && (steps[least] == 0 || steps[i] < steps[least]))
                least = i;
        struct interval span = interval_scale(loops[least].range, steps[least]);
        if (steps[least] < reach || !span.known || span.high - span.low > INT32_MAX)
            return false;
        reach += span.high - span.low;
        steps[least] = 0;
    }
    return true;
}

bool shrink_bases_differ(const struct shrink *w, const struct contracted *m, const struct contracted_part *part,
                         const struct tree_frame *loops, uint32_t count)
{
    if (!part->elements && bases_differ(w, part, loops, count))
        return true;
    for (uint32_t i = 1; i <= count; i++)
        if (!elements_differ(w, m, loops, i))
            return false;
    return true;
}

bool shrink_is_filled_first(const struct contracted *m, struct tree_stmt *loop, const struct contracted_part *part)
{
    struct filled_part all = { m->alloc->var, m->alloc->type, &part->base, part->low, part->count };
    return filled_first(&all, loop);
}
