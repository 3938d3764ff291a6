#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_depend_problem.h"

enum { MOST_DIMENSIONS = 6 };

/* ---- dimensions ---- */

/* The sizes in a stride: a term without what differs from iteration to iteration. */
static bool stride_of(const struct depend_problem *p, const struct linear_term *term, struct linear_term *stride)
{
    *stride = (struct linear_term){ .times = 1 };
    for (uint32_t k = 0; k < term->count; k++)
        if (depend_is_fixed(p, term->factors[k]))
            stride->factors[stride->count++] = term->factors[k];
    return stride->count > 0 && stride->count < term->count;
}

/* Without the factors of the stride; false if it has not all of them. */
static bool divide(struct linear_term *out, const struct linear_term *term, const struct linear_term *stride)
{
    *out = *term;
    for (uint32_t k = 0; k < stride->count; k++) {
        uint32_t i = 0;
        while (i < out->count && !expr_equal(out->factors[i], stride->factors[k]))
            i++;
        if (i == out->count)
            return false;
        out->factors[i] = out->factors[--out->count];
    }
    return true;
}

static bool is_fixed(const struct depend_problem *p, const struct linear_term *term)
{
    for (uint32_t k = 0; k < term->count; k++)
        if (!depend_is_fixed(p, term->factors[k]))
            return false;
    return true;
}

/* l = quotient * stride + rest; sizes that are multiples of the stride stand in the quotient, or all in the rest. */
static bool split(const struct depend_problem *p, struct linear *quotient, struct linear *rest, const struct linear *l,
                  const struct linear_term *stride, bool sizes_rest)
{
    linear_constant(quotient, 0);
    linear_constant(rest, l->constant);
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear one;
        linear_constant(&one, 0);
        bool divided = divide(&one.terms[0], &l->terms[i], stride) && !(sizes_rest && is_fixed(p, &l->terms[i]));
        if (!divided)
            one.terms[0] = l->terms[i];
        if (one.terms[0].count == 0)
            one.constant = one.terms[0].times;
        else
            one.count = 1;
        linear_add(divided ? quotient : rest, &one, 1);
    }
    return quotient->known && rest->known;
}

/* The stride with the fewest factors; false: there are only constants, or nothing that is multiplied. */
static bool least_stride(const struct depend_problem *p, const struct linear *l, struct linear_term *stride)
{
    bool found = false;
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear_term one;
        if (!stride_of(p, &l->terms[i], &one) || (found && one.count >= stride->count))
            continue;
        *stride = one;
        found = true;
    }
    return found;
}

/* Is sum * sign < stride - more, for all iterations? */
static bool is_below(struct depend_problem *p, const struct linear *sum, int64_t sign, const struct linear_term *stride,
                     int64_t more)
{
    struct linear excess;
    struct system_row row;
    linear_constant(&excess, more);
    excess.terms[excess.count++] = *stride;
    excess.terms[0].times = -1;
    linear_add(&excess, sum, sign);
    if (!depend_row(p, &row, &excess) || p->system.count == SYSTEM_ROWS)
        return false;
    system_add(&p->system, &row);
    bool below = system_solve(&p->system) == SYSTEM_NONE;
    p->system.count--;
    return below;
}

static void add_window(struct depend_problem *p, const struct linear *l, int64_t low, int64_t high)
{
    struct system_row row;
    if (!depend_row(p, &row, l)) {
        p->system.loose = true;
        return;
    }
    row.equal = low == high;
    row.constant -= low;
    system_add(&p->system, &row);
    if (low == high)
        return;
    for (uint32_t i = 0; i < p->system.vars; i++)
        row.times[i] = -row.times[i];
    row.constant = high - low - row.constant;
    system_add(&p->system, &row);
}

/* Is there no solution with sum * sign >= 1? */
static bool none_beyond(struct depend_problem *p, const struct system_row *sum, int64_t sign)
{
    struct system_row row = *sum;
    if (p->system.count == SYSTEM_ROWS)
        return false;
    for (uint32_t i = 0; i < p->system.vars; i++)
        row.times[i] *= sign;
    row.constant = row.constant * sign - 1;
    system_add(&p->system, &row);
    bool none = system_solve(&p->system) == SYSTEM_NONE;
    p->system.count--;
    return none;
}

/* Is the size at least 1 in all iterations? */
static bool is_positive(struct depend_problem *p, const struct tree_expr *size)
{
    struct linear none;
    struct system_row row;
    linear_constant(&none, 1);
    none.terms[none.count++] = (struct linear_term){ .times = -1, .count = 1, .factors = { size } };
    return depend_row(p, &row, &none) && none_beyond(p, &row, 1);
}

static bool add_natural(struct depend_problem *p, const struct linear *l)
{
    struct system_row row;
    if (p->system.count == SYSTEM_ROWS || !depend_row(p, &row, l))
        return false;
    system_add(&p->system, &row);
    return true;
}

/* Memory with elements to access has at least one: if all sizes in their number but one are positive, that one is, too.
 */
static bool add_size(struct depend_problem *p)
{
    const struct tree_expr *pointer = p->query->a->pointer;
    const struct tree_expr *elements = pointer->op == EXPR_VAR ? pointer->var->elements : NULL;
    struct linear size;
    const struct tree_expr *last = NULL;
    p->filled = true;
    if (!elements)
        return false;
    linear_of(&size, elements);
    if (!size.known || size.constant != 0 || size.count != 1 || size.terms[0].times < 0)
        return false;
    for (uint32_t k = 0; k < size.terms[0].count; k++) {
        const struct tree_expr *factor = size.terms[0].factors[k];
        if (factor->op != EXPR_VAR || !depend_is_same(p, factor))
            return false;
        if (is_positive(p, factor))
            continue;
        if (last)
            return false;
        last = factor;
    }
    struct linear_term *one = &size.terms[0];
    *one = (struct linear_term){ .times = 1, .count = 1, .factors = { last } };
    size.constant = -1;
    return last && add_natural(p, &size);
}

/* Is the rest, of l = quotient * stride + rest, with which the window is looked at, less than a stride? */
static bool is_apart(struct depend_problem *p, const struct linear *l, const struct linear_term *stride,
                     struct linear *quotient, struct linear *rest, int64_t low, int64_t high)
{
    for (int sizes_rest = 0; sizes_rest < 2; sizes_rest++)
        if (split(p, quotient, rest, l, stride, sizes_rest) && is_below(p, rest, 1, stride, -low) &&
            is_below(p, rest, -1, stride, high))
            return true;
    return false;
}

/* low <= l <= high, dimension by dimension where strides are products. */
static void add_place(struct depend_problem *p, const struct linear *l, int64_t low, int64_t high)
{
    struct linear left, quotient, rest;
    struct linear_term stride;
    linear_copy(&left, l);
    for (int i = 0; i < MOST_DIMENSIONS && least_stride(p, &left, &stride); i++) {
        if (!is_apart(p, &left, &stride, &quotient, &rest, low, high) &&
            (p->filled || !add_size(p) || !is_apart(p, &left, &stride, &quotient, &rest, low, high))) {
            p->system.loose = true;
            break;
        }
        add_window(p, &rest, low, high);
        linear_copy(&left, &quotient);
        low = high = 0;
    }
    add_window(p, &left, low, high);
}

/* ---- questions ---- */

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
    add_place(p, &apart, 1 - b->extent, a->extent - 1);
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
    return none_beyond(&p, &row, 1) && none_beyond(&p, &row, -1);
}

bool depend_is_natural(struct arena *arena, const struct linear *l, const struct tree_frame *frame)
{
    struct tree_access place = { .frame = frame };
    struct depend_query q = { .arena = arena, .a = &place, .b = &place };
    struct depend_problem p;
    struct linear named;
    struct system_row row;
    depend_begin(&p, &q);
    return depend_name(&p, &named, l, false) && depend_row(&p, &row, &named) && none_beyond(&p, &row, -1);
}
