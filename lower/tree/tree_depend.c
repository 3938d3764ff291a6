#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_depend_problem.h"

/* What is known without looking at elements: NEVER, OVERLAP or UNKNOWN, or MEET if that is to be seen. */
static enum depend_kind compare_memory(const struct tree_access *a, const struct tree_access *b)
{
    if (a->alias && b->alias && a->alias != b->alias)
        return DEPEND_NEVER;
    if (!a->pointer || !b->pointer || a->extent < 0 || b->extent < 0 || !a->at->known || !b->at->known)
        return DEPEND_UNKNOWN;
    if (!expr_equal(a->pointer, b->pointer))
        return DEPEND_OVERLAP;
    return a->type == b->type ? DEPEND_MEET : DEPEND_UNKNOWN;
}

/* Of a constant distance from a to b. */
static bool is_beyond(const struct tree_access *a, const struct tree_access *b, int64_t distance)
{
    return distance <= -b->extent || distance >= a->extent;
}

bool depend_differs(const struct tree_access *a, const struct tree_access *b)
{
    struct linear apart;
    enum depend_kind kind = compare_memory(a, b);
    if (kind != DEPEND_MEET)
        return kind == DEPEND_NEVER;
    linear_copy(&apart, b->at);
    linear_add(&apart, a->at, -1);
    return linear_is_constant(&apart) && is_beyond(a, b, apart.constant);
}

/* All of the problem; false: `kind` is the answer. */
static bool prepare(struct depend_problem *p, const struct depend_query *q, enum depend_kind *kind)
{
    const struct tree_access *a = q->a, *b = q->b;
    struct linear apart, other;
    *kind = compare_memory(a, b);
    if (*kind != DEPEND_MEET)
        return false;
    depend_begin(p, q);
    bool known = depend_name(p, &apart, b->at, true) && depend_name(p, &other, a->at, false);
    if (known)
        linear_add(&apart, &other, -1);
    if (!known || !apart.known || !depend_is_same(p, a->pointer))
        *kind = DEPEND_UNKNOWN;
    else if (apart.count == 0 && is_beyond(a, b, apart.constant))
        *kind = DEPEND_NEVER;
    if (*kind != DEPEND_MEET)
        return false;
    depend_place(p, &apart, 1 - b->extent, a->extent - 1);
    return true;
}

struct depend depend_between(const struct depend_query *q)
{
    struct depend_problem p;
    struct depend d = { .kind = DEPEND_UNKNOWN };
    for (uint32_t i = 0; i < DEPEND_LOOPS; i++)
        d.distance[i] = (struct system_range){ INT64_MIN, INT64_MAX };
    if (!prepare(&p, q, &d.kind))
        return d;
    enum system_answer answer = system_solve(&p.system);
    d.certain = answer == SYSTEM_SOME;
    if (answer == SYSTEM_NONE)
        d.kind = DEPEND_NEVER;
    for (uint32_t i = 0; d.kind == DEPEND_MEET && i < q->count && i < DEPEND_LOOPS; i++) {
        struct linear distance;
        struct system_row row;
        if (q->loops[i].in_step)
            d.distance[i] = (struct system_range){ 0, 0 };
        else if (depend_distance(&p, &q->loops[i], &distance) && depend_row(&p, &row, &distance))
            d.distance[i] = system_range(&p.system, &row);
    }
    return d;
}

bool depend_is_never(const struct depend_query *q)
{
    struct depend_problem p;
    enum depend_kind kind;
    return prepare(&p, q, &kind) ? system_solve(&p.system) == SYSTEM_NONE : kind == DEPEND_NEVER;
}

bool depend_is_in_step(const struct depend_query *q)
{
    struct depend_problem p;
    enum depend_kind kind;
    struct linear distance;
    struct system_row row;
    if (!prepare(&p, q, &kind))
        return kind == DEPEND_NEVER;
    if (!depend_distance(&p, &q->loops[q->count - 1], &distance) || !depend_row(&p, &row, &distance))
        return system_solve(&p.system) == SYSTEM_NONE;
    return depend_none_beyond(&p, &row, 1) && depend_none_beyond(&p, &row, -1);
}

bool depend_is_natural(struct arena *arena, const struct linear *l, const struct tree_frame *frame)
{
    struct tree_access place = { .frame = frame };
    struct depend_query q = { .arena = arena, .a = &place, .b = &place };
    struct depend_problem p;
    struct linear named;
    struct system_row row;
    if (linear_is_constant(l))
        return l->constant >= 0;
    depend_begin(&p, &q);
    return depend_name(&p, &named, l, false) && depend_row(&p, &row, &named) && depend_none_beyond(&p, &row, -1);
}
