/* Where elements lie, dimension by dimension: a sum that is to be 0 falls apart into sums that are to be 0, one for
 * each stride, if what is left of a stride is shown to be smaller. */
#include "lower/tree/tree_depend_problem.h"

/* Is there no solution with sum * sign >= 1? */
bool depend_none_beyond(struct depend_problem *p, const struct system_row *sum, int64_t sign)
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

enum {
    MOST_SPLITS = 4 /* one in another */,
    MOST_STRIDES = 2 * LINEAR_TERMS,
    ROWS_LEFT = 16 /* of a system, for questions */
};

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
    if (term->times % stride->times != 0)
        return false;
    out->times /= stride->times;
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

/* Where sizes that are multiples of the stride stand: one stride may be in the rest where a row is gone through
 * backwards, from its end. */
enum split_sizes { SIZES_IN_QUOTIENT, SIZES_IN_REST, SIZES_BUT_ONE, SPLITS };

/* l = quotient * stride + rest */
static bool split(const struct depend_problem *p, struct linear *quotient, struct linear *rest, const struct linear *l,
                  const struct linear_term *stride, enum split_sizes sizes)
{
    linear_constant(quotient, 0);
    linear_constant(rest, l->constant);
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear one;
        linear_constant(&one, 0);
        bool divided =
            divide(&one.terms[0], &l->terms[i], stride) && !(sizes == SIZES_IN_REST && is_fixed(p, &l->terms[i]));
        if (!divided)
            one.terms[0] = l->terms[i];
        if (one.terms[0].count == 0)
            one.constant = one.terms[0].times;
        else
            one.count = 1;
        linear_add(divided ? quotient : rest, &one, 1);
    }
    if (sizes == SIZES_BUT_ONE && quotient->constant != 0) {
        struct linear one;
        int64_t sign = quotient->constant > 0 ? 1 : -1;
        linear_constant(&one, 0);
        one.terms[one.count++] = *stride;
        linear_add(rest, &one, sign);
        quotient->constant -= sign;
    }
    return quotient->known && rest->known;
}

static bool is_smaller(const struct linear_term *a, const struct linear_term *b)
{
    return a->count != b->count ? a->count < b->count : a->times < b->times;
}

/* Adds a stride, unless it is there or there are too many. */
static uint32_t add_stride(struct linear_term *strides, uint32_t count, const struct linear_term *one)
{
    uint32_t k = count;
    for (uint32_t i = 0; i < count; i++)
        if (strides[i].times == one->times && linear_same_factors(&strides[i], one))
            return count;
    if (count == MOST_STRIDES)
        return count;
    for (; k > 0 && is_smaller(one, &strides[k - 1]); k--)
        strides[k] = strides[k - 1];
    strides[k] = *one;
    return count + 1;
}

/* Where sizes are multiplied with nothing else (the last row of a matrix), each of them may be the stride. */
static uint32_t add_sizes(struct linear_term *strides, uint32_t count, const struct linear_term *product)
{
    for (uint32_t k = 0; product->count > 1 && k < product->count; k++)
        count = add_stride(strides, count,
                           &(struct linear_term){ .times = 1, .count = 1, .factors = { product->factors[k] } });
    return count;
}

/* All strides, those with the fewest factors first: products of sizes, and those as many times as the term has them,
 * where rows have elements of several places. None: there are only constants, or nothing that is multiplied. */
static uint32_t find_strides(const struct depend_problem *p, const struct linear *l, struct linear_term *strides)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear_term one;
        if (!stride_of(p, &l->terms[i], &one))
            continue;
        count = add_stride(strides, count, &one);
        if (l->terms[i].times == INT64_MIN)
            continue;
        one.times = l->terms[i].times < 0 ? -l->terms[i].times : l->terms[i].times;
        count = add_stride(strides, count, &one);
    }
    for (uint32_t i = 0, others = count; others == 0 && i < l->count; i++)
        count = add_sizes(strides, count, &l->terms[i]);
    return count;
}

/* Is sum * sign < stride - more, for all iterations? */
static bool is_below(struct depend_problem *p, const struct linear *sum, int64_t sign, const struct linear_term *stride,
                     int64_t more)
{
    struct linear excess;
    struct system_row row;
    linear_constant(&excess, more);
    excess.terms[excess.count++] = *stride;
    excess.terms[0].times = -stride->times;
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

/* Is the size at least 1 in all iterations? */
static bool is_positive(struct depend_problem *p, const struct tree_expr *size)
{
    struct linear none;
    struct system_row row;
    linear_constant(&none, 1);
    none.terms[none.count++] = (struct linear_term){ .times = -1, .count = 1, .factors = { size } };
    return depend_row(p, &row, &none) && depend_none_beyond(p, &row, 1);
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
    for (enum split_sizes sizes = SIZES_IN_QUOTIENT; sizes < SPLITS; sizes++)
        if (split(p, quotient, rest, l, stride, sizes) && is_below(p, rest, 1, stride, -low) &&
            is_below(p, rest, -1, stride, high))
            return true;
    return false;
}

/* ---- products of sizes ---- */

/* The row as many times as the product of sizes says. */
static void add_scaled(struct depend_problem *p, const struct system_row *row, uint32_t vars,
                       const struct linear_term *sizes)
{
    struct linear sum, one;
    struct system_row scaled;
    linear_constant(&sum, 0);
    for (uint32_t i = 0; i <= vars; i++) {
        linear_constant(&one, 0);
        one.terms[0] = *sizes;
        one.terms[0].times = i < vars ? row->times[i] : row->constant;
        one.count = one.terms[0].times != 0;
        for (uint32_t k = 0; i < vars && one.count && k < p->names[i].count; k++) {
            if (one.terms[0].count == LINEAR_FACTORS)
                return;
            one.terms[0].factors[one.terms[0].count++] = p->names[i].factors[k];
        }
        linear_add(&sum, &one, 1);
    }
    if (depend_row(p, &scaled, &sum) && p->system.count < SYSTEM_ROWS - ROWS_LEFT) {
        scaled.equal = row->equal;
        system_add(&p->system, &scaled);
    }
}

/* What bounds the variable by sizes bounds its product with others. */
static void add_scaled_bounds(struct depend_problem *p, const struct tree_expr *variable,
                              const struct linear_term *sizes)
{
    uint32_t rows = p->system.count, vars = p->system.vars;
    for (uint32_t i = 0; i < rows; i++) {
        const struct system_row row = p->system.rows[i];
        bool bounds = false, others = false;
        for (uint32_t k = 0; k < vars; k++) {
            bool is_variable = p->names[k].count == 1 && expr_equal(p->names[k].factors[0], variable);
            bounds |= row.times[k] != 0 && is_variable;
            others |= row.times[k] != 0 && !is_variable && !is_fixed(p, &p->names[k]);
        }
        if (bounds && !others)
            add_scaled(p, &row, vars, sizes);
    }
}

/* A product of positive sizes is no less than some of them. */
static void add_parts(struct depend_problem *p, const struct linear_term *product)
{
    for (uint32_t i = 0; i < p->system.vars; i++) {
        struct linear_term others;
        struct linear more;
        linear_constant(&more, 0);
        if (!divide(&others, product, &p->names[i]) || others.count == 0)
            continue;
        more.terms[more.count++] = *product;
        more.terms[more.count] = p->names[i];
        more.terms[more.count++].times = -1;
        if (p->system.count < SYSTEM_ROWS - ROWS_LEFT)
            add_natural(p, &more);
    }
}

/* What bounds of loops say of their variables times strides. */
static void add_products(struct depend_problem *p, const struct linear *l)
{
    struct linear_term stride;
    for (int parts = 0; parts < 2; parts++)
        for (uint32_t i = 0; i < l->count; i++) {
            bool positive = stride_of(p, &l->terms[i], &stride) && l->terms[i].count == stride.count + 1;
            for (uint32_t k = 0; k < stride.count && positive; k++)
                positive = is_positive(p, stride.factors[k]);
            for (uint32_t k = 0; k < l->terms[i].count && positive && !parts; k++)
                if (!depend_is_fixed(p, l->terms[i].factors[k]))
                    add_scaled_bounds(p, l->terms[i].factors[k], &stride);
            if (positive && parts)
                add_parts(p, &stride);
        }
}

/* ---- places ---- */

static bool falls_apart(struct depend_problem *p, const struct linear *l, struct linear *quotient, struct linear *rest,
                        int64_t low, int64_t high)
{
    struct linear_term strides[MOST_STRIDES];
    if (depend_falls_apart_by(p, l, quotient, rest, low, high))
        return true;
    uint32_t count = find_strides(p, l, strides);
    for (int more = 0; count > 0 && more < 3; more++) {
        if (more == 1 && (p->filled || !add_size(p)))
            continue;
        if (more == 2)
            add_products(p, l);
        for (uint32_t i = 0; i < count; i++)
            if (is_apart(p, l, &strides[i], quotient, rest, low, high))
                return true;
    }
    p->system.loose |= count > 0;
    return false;
}

static void add_place(struct depend_problem *p, const struct linear *l, int64_t low, int64_t high, int depth)
{
    struct linear quotient, rest;
    if (depth < MOST_SPLITS && falls_apart(p, l, &quotient, &rest, low, high)) {
        add_place(p, &rest, low, high, depth + 1);
        add_place(p, &quotient, 0, 0, depth + 1);
        return;
    }
    add_window(p, l, low, high);
}

void depend_place(struct depend_problem *p, const struct linear *l, int64_t low, int64_t high)
{
    add_place(p, l, low, high, 0);
}
