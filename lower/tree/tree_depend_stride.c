/* Where elements lie if the strides are constants: what is left of a stride is compared with it by the least and the
 * largest values of variables, which costs less than a system, and leaves rows that are easy to solve. */
#include "lower/tree/tree_depend_problem.h"
#include "lower/tree/tree_system_rows.h"

static const int64_t LARGEST = INT64_MAX / 8;

/* Values that rows with no other variable leave to it. */
static struct system_range values_of(const struct depend_problem *p, const struct linear_term *term)
{
    const struct system *s = &p->system;
    struct system_range v = { INT64_MIN, INT64_MAX };
    uint32_t at = 0;
    while (at < s->vars && !linear_same_factors(&p->names[at], term))
        at++;
    for (uint32_t i = 0; at < s->vars && i < s->count; i++) {
        const struct system_row *r = &s->rows[i];
        bool alone = r->times[at] == 1 || r->times[at] == -1;
        for (uint32_t k = 0; alone && k < s->vars; k++)
            alone = k == at || r->times[k] == 0;
        int64_t bound = alone ? -r->constant * r->times[at] : 0;
        if (alone && (r->times[at] > 0 || r->equal) && bound > v.least)
            v.least = bound;
        if (alone && (r->times[at] < 0 || r->equal) && bound < v.most)
            v.most = bound;
    }
    return v;
}

/* Adds the term's values; false: there are too many. */
static bool add_values(const struct depend_problem *p, const struct linear_term *term, struct system_range *sum)
{
    struct system_range v = values_of(p, term);
    int64_t ends[2];
    if (v.least == INT64_MIN || v.most == INT64_MAX || __builtin_mul_overflow(v.least, term->times, &ends[0]) ||
        __builtin_mul_overflow(v.most, term->times, &ends[1]))
        return false;
    int64_t least = ends[0] < ends[1] ? ends[0] : ends[1], most = ends[0] < ends[1] ? ends[1] : ends[0];
    return !__builtin_add_overflow(sum->least, least, &sum->least) &&
           !__builtin_add_overflow(sum->most, most, &sum->most) && sum->least > -LARGEST && sum->most < LARGEST;
}

/* l = quotient * stride + rest, where the rest has less than a stride of values around the window. */
static bool is_apart_by(const struct depend_problem *p, const struct linear *l, int64_t stride, struct linear *quotient,
                        struct linear *rest, int64_t low, int64_t high)
{
    struct system_range values = { 0, 0 };
    linear_constant(quotient, 0);
    linear_constant(rest, 0);
    for (uint32_t i = 0; i < l->count; i++) {
        bool divided = l->terms[i].times % stride == 0;
        struct linear *to = divided ? quotient : rest;
        if (!divided && !add_values(p, &l->terms[i], &values))
            return false;
        to->terms[to->count] = l->terms[i];
        to->terms[to->count++].times /= divided ? stride : 1;
    }
    for (int up = 0; up < 2; up++) { /* the constant, rounded down or up */
        quotient->constant = system_floor(l->constant, stride) + up;
        rest->constant = l->constant - quotient->constant * stride;
        if (rest->count > 0 && values.most + rest->constant - low < stride &&
            values.least + rest->constant - high > -stride)
            return true;
    }
    return false;
}

/* Sums of these do not overflow. */
static bool is_moderate(const struct linear *l)
{
    bool moderate = l->constant > -LARGEST && l->constant < LARGEST;
    for (uint32_t i = 0; i < l->count; i++)
        moderate &= l->terms[i].times > -INT32_MAX && l->terms[i].times < INT32_MAX;
    return moderate;
}

bool depend_falls_apart_by(const struct depend_problem *p, const struct linear *l, struct linear *quotient,
                           struct linear *rest, int64_t low, int64_t high)
{
    int64_t before = INT32_MAX;
    if (!is_moderate(l) || low < -LARGEST || high > LARGEST)
        return false;
    for (uint32_t n = 0; n < l->count; n++) {
        int64_t stride = 1;
        for (uint32_t i = 0; i < l->count; i++) {
            int64_t times = system_magnitude(l->terms[i].times);
            if (times < before && times > stride)
                stride = times;
        }
        if (stride == 1)
            return false;
        if (is_apart_by(p, l, stride, quotient, rest, low, high))
            return true;
        before = stride;
    }
    return false;
}
