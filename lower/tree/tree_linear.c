#include "lower/tree/tree_linear.h"

#include <string.h>

/* ---- sums of products ---- */

bool linear_same_factors(const struct linear_term *a, const struct linear_term *b)
{
    if (a->count != b->count)
        return false;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t k = 0;
        while (k < b->count && ((taken >> k & 1) || !expr_equal(a->factors[i], b->factors[k])))
            k++;
        if (k == b->count)
            return false;
        taken |= 1u << k;
    }
    return true;
}

static void add_term(struct linear *to, const struct linear_term *term, int64_t times)
{
    if (__builtin_mul_overflow(times, term->times, &times))
        to->known = false;
    uint32_t i = 0;
    while (i < to->count && !linear_same_factors(&to->terms[i], term))
        i++;
    if (i == to->count) {
        if (i == LINEAR_TERMS) {
            to->known = false;
            return;
        }
        to->terms[i] = *term;
        to->terms[i].times = 0;
        to->count++;
    }
    if (__builtin_add_overflow(to->terms[i].times, times, &to->terms[i].times))
        to->known = false;
    if (to->terms[i].times == 0)
        to->terms[i] = to->terms[--to->count];
}

void linear_add(struct linear *to, const struct linear *from, int64_t times)
{
    to->known = to->known && from->known;
    int64_t more;
    if (__builtin_mul_overflow(from->constant, times, &more) ||
        __builtin_add_overflow(to->constant, more, &to->constant))
        to->known = false;
    for (uint32_t i = 0; i < from->count && to->known; i++)
        add_term(to, &from->terms[i], times);
}

void linear_constant(struct linear *out, int64_t value)
{
    out->known = true;
    out->count = 0;
    out->constant = value;
}

static size_t used_bytes(const struct linear *l)
{
    return offsetof(struct linear, terms) + l->count * sizeof l->terms[0];
}

void linear_copy(struct linear *out, const struct linear *in) { memcpy(out, in, used_bytes(in)); }

const struct linear *linear_keep(struct arena *a, const struct linear *l) { return arena_copy(a, l, used_bytes(l)); }

static bool multiply_terms(struct linear_term *out, const struct linear_term *a, const struct linear_term *b)
{
    *out = *a;
    if (a->count + b->count > LINEAR_FACTORS || __builtin_mul_overflow(a->times, b->times, &out->times))
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        out->factors[out->count++] = b->factors[i];
    return true;
}

static void multiply(struct linear *out, const struct linear *a, const struct linear *b)
{
    linear_constant(out, 0);
    linear_add(out, a, b->constant);
    struct linear rest;
    linear_constant(&rest, 0);
    rest.known = b->known;
    for (uint32_t i = 0; i < b->count; i++)
        add_term(&rest, &b->terms[i], 1);
    linear_add(out, &rest, a->constant);
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count && out->known; k++) {
            struct linear_term term;
            if (multiply_terms(&term, &a->terms[i], &b->terms[k]))
                add_term(out, &term, 1);
            else
                out->known = false;
        }
}

static void factor(struct linear *out, const struct tree_expr *e)
{
    linear_constant(out, 0);
    out->known = expr_is_pure(e);
    out->terms[0] = (struct linear_term){ .times = 1, .count = 1, .factors = { e } };
    out->count = 1;
}

void linear_of(struct linear *out, const struct tree_expr *e)
{
    struct linear a, b;
    bool sum = e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL;
    if (e->op == EXPR_INT) {
        linear_constant(out, e->i);
        return;
    }
    if (e->type->kind == TYPE_I64 && e->op == EXPR_NEG) {
        linear_of(&a, e->args[0]);
        linear_constant(out, 0);
        linear_add(out, &a, -1);
        return;
    }
    if (e->type->kind != TYPE_I64 || !sum) {
        factor(out, e);
        return;
    }
    linear_of(&b, e->args[1]);
    if (e->op == EXPR_MUL) {
        linear_of(&a, e->args[0]);
        multiply(out, &a, &b);
    } else {
        linear_of(out, e->args[0]);
        linear_add(out, &b, e->op == EXPR_ADD ? 1 : -1);
    }
}

bool linear_term_has(const struct linear_term *term, const struct tree_var *v)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (term->factors[i]->op == EXPR_VAR && term->factors[i]->var == v)
            return true;
    return false;
}

bool linear_has(const struct linear *l, const struct tree_var *v)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (linear_term_has(&l->terms[i], v))
            return true;
    return false;
}

static bool term_mentions(const struct linear_term *term, const struct tree_var *v)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (expr_mentions(term->factors[i], v))
            return true;
    return false;
}

void linear_replace(struct linear *out, const struct linear *in, const struct tree_var *v, const struct linear *value)
{
    linear_constant(out, in->constant);
    out->known = in->known;
    for (uint32_t i = 0; i < in->count && out->known; i++) {
        struct linear_term rest = in->terms[i];
        if (!term_mentions(&rest, v)) {
            add_term(out, &rest, 1);
            continue;
        }
        for (uint32_t k = 0; k < rest.count; k++)
            if (rest.factors[k]->op == EXPR_VAR && rest.factors[k]->var == v) {
                rest.factors[k] = rest.factors[--rest.count];
                break;
            }
        out->known = !term_mentions(&rest, v);
        struct linear one, product;
        linear_constant(&one, rest.count ? 0 : rest.times);
        one.terms[0] = rest;
        one.count = rest.count > 0;
        multiply(&product, &one, value);
        linear_add(out, &product, 1);
    }
}

bool linear_is_constant(const struct linear *l) { return l->known && l->count == 0; }

bool linear_equal(const struct linear *a, const struct linear *b)
{
    struct linear difference;
    linear_constant(&difference, 0);
    linear_add(&difference, a, 1);
    linear_add(&difference, b, -1);
    return linear_is_constant(&difference) && difference.constant == 0;
}

bool linear_take(struct linear *l, const struct tree_var *v, int64_t *times)
{
    *times = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->terms[i].count == 1 && linear_term_has(&l->terms[i], v)) {
            *times = l->terms[i].times;
            l->terms[i--] = l->terms[--l->count];
        } else if (term_mentions(&l->terms[i], v)) {
            return false;
        }
    }
    return true;
}

bool linear_grows_by(struct tree *t, const struct linear *l, struct tree_var *v, struct tree_expr *stride)
{
    struct linear next, moved, step = { .known = true }, wanted;
    linear_of(&next, expr_binary(t, EXPR_ADD, expr_var(t, v), expr_i64(t, 1)));
    linear_replace(&moved, l, v, &next);
    linear_add(&step, &moved, 1);
    linear_add(&step, l, -1);
    linear_of(&wanted, stride);
    return linear_equal(&step, &wanted);
}

struct tree_expr *linear_expr(struct tree *t, const struct linear *l)
{
    struct tree_expr *sum = expr_i64(t, 0);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct linear_term *term = &l->terms[i];
        struct tree_expr *product = expr_i64(t, term->times);
        for (uint32_t k = 0; k < term->count; k++) {
            struct tree_expr *factor_k = (struct tree_expr *)(uintptr_t)term->factors[k];
            product = expr_binary(t, EXPR_MUL, product, expr_cast(t, type_basic(t->ir, TYPE_I64), factor_k));
        }
        sum = expr_binary(t, EXPR_ADD, sum, product);
    }
    return expr_binary(t, EXPR_ADD, sum, expr_i64(t, l->constant));
}

/* ---- intervals ---- */

struct interval interval_point(int64_t value) { return (struct interval){ true, value, value }; }

struct interval interval_add(struct interval a, struct interval b)
{
    struct interval sum = { .known = a.known && b.known };
    if (sum.known &&
        (__builtin_add_overflow(a.low, b.low, &sum.low) || __builtin_add_overflow(a.high, b.high, &sum.high)))
        sum.known = false;
    return sum;
}

static struct interval interval_multiply(struct interval a, struct interval b)
{
    int64_t p[4];
    if (!a.known || !b.known || __builtin_mul_overflow(a.low, b.low, &p[0]) ||
        __builtin_mul_overflow(a.low, b.high, &p[1]) || __builtin_mul_overflow(a.high, b.low, &p[2]) ||
        __builtin_mul_overflow(a.high, b.high, &p[3]))
        return (struct interval){ 0 };
    struct interval product = interval_point(p[0]);
    for (int i = 1; i < 4; i++) {
        product.low = p[i] < product.low ? p[i] : product.low;
        product.high = p[i] > product.high ? p[i] : product.high;
    }
    return product;
}

struct interval interval_scale(struct interval a, int64_t times) { return interval_multiply(a, interval_point(times)); }

static const struct tree_frame *find(const struct tree_frame *frame, const struct tree_var *v)
{
    while (frame && frame->loop->var != v)
        frame = frame->outer;
    return frame;
}

static struct interval operation(enum expr_op op, struct interval a, struct interval b)
{
    switch (op) {
    case EXPR_ADD:
        return interval_add(a, b);
    case EXPR_SUB:
        return interval_add(a, interval_scale(b, -1));
    case EXPR_MUL:
        return interval_multiply(a, b);
    case EXPR_MIN:
        return (struct interval){ true, a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
    case EXPR_MAX:
        return (struct interval){ true, a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
    case EXPR_DIV:
        return b.low == b.high && b.low > 0 ? (struct interval){ true, a.low / b.low, a.high / b.low }
                                            : (struct interval){ 0 };
    default:
        return (struct interval){ 0 };
    }
}

/* Without wrapping around in its type? */
static bool fits(struct interval i, const struct type *type)
{
    int64_t limit = type->size >= 8 ? INT64_MAX : ((int64_t)1 << (type->size * 8 - 1)) - 1;
    return i.known && i.low >= -limit - 1 && i.high <= limit;
}

struct interval interval_of(const struct tree_expr *e, const struct tree_frame *frame, const struct tree_frame *other)
{
    struct interval unknown = { 0 };
    if (e->op == EXPR_INT)
        return interval_point(e->i);
    if (e->op == EXPR_VAR) {
        const struct tree_frame *f = find(frame, e->var);
        f = f ? f : find(other, e->var);
        return f ? f->range : unknown;
    }
    if (!type_is_signed(e->type) || e->num_args == 0)
        return unknown;
    if (e->op == EXPR_CAST) /* of a value that fits */
        return type_is_signed(e->args[0]->type) && e->args[0]->type->size <= e->type->size
                   ? interval_of(e->args[0], frame, other)
                   : unknown;
    if (e->num_args != 2)
        return unknown;
    struct interval a = interval_of(e->args[0], frame, other), b = interval_of(e->args[1], frame, other);
    if (!a.known || !b.known)
        return unknown;
    struct interval result = operation(e->op, a, b);
    return fits(result, e->type) ? result : unknown;
}

struct interval linear_interval(const struct linear *l, const struct tree_frame *frame, const struct tree_frame *other)
{
    struct interval sum = { l->known, l->constant, l->constant };
    for (uint32_t i = 0; i < l->count && sum.known; i++) {
        struct interval product = interval_point(l->terms[i].times);
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            product = interval_multiply(product, interval_of(l->terms[i].factors[k], frame, other));
        sum = interval_add(sum, product);
    }
    return sum;
}

/* ---- limits ---- */

static bool is_sum_of_loops(const struct linear *l, const struct tree_frame *frame)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->terms[i].count != 1 || l->terms[i].factors[0]->op != EXPR_VAR ||
            !find(frame, l->terms[i].factors[0]->var))
            return false;
    return l->known;
}

/* The sum at the end of the loop's range where it is least, or largest. */
static bool eliminate(struct linear *l, const struct tree_frame *f, bool least)
{
    struct linear bound;
    int64_t times;
    if (!linear_take(l, f->loop->var, &times))
        return false;
    if (times == 0)
        return true;
    bool begin = (times > 0) == least;
    linear_of(&bound, begin ? f->loop->begin : f->loop->end);
    struct linear last;
    linear_constant(&last, begin ? 0 : -1);
    linear_add(&bound, &last, 1);
    if (!is_sum_of_loops(&bound, f->outer)) {
        if (!f->range.known)
            return false;
        linear_constant(&bound, begin ? f->range.low : f->range.high);
    }
    linear_add(l, &bound, times);
    return l->known;
}

static bool is_around(const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    return frame != NULL;
}

/* Loops of both places last: they are around the others. */
static bool limit(const struct linear *in, const struct tree_frame *frame, const struct tree_frame *other, bool least,
                  int64_t *value)
{
    struct linear l;
    linear_copy(&l, in);
    for (const struct tree_frame *f = frame; f; f = f->outer)
        if (!is_around(other, f->loop) && !eliminate(&l, f, least))
            return false;
    for (const struct tree_frame *f = other; f; f = f->outer)
        if (!is_around(frame, f->loop) && !eliminate(&l, f, least))
            return false;
    for (const struct tree_frame *f = frame; f; f = f->outer)
        if (is_around(other, f->loop) && !eliminate(&l, f, least))
            return false;
    *value = l.constant;
    return linear_is_constant(&l);
}

struct interval linear_limits(const struct linear *l, const struct tree_frame *frame, const struct tree_frame *other)
{
    struct interval i = linear_interval(l, frame, other);
    int64_t low, high;
    if (i.known && limit(l, frame, other, true, &low) && limit(l, frame, other, false, &high))
        return (struct interval){ true, low > i.low ? low : i.low, high < i.high ? high : i.high };
    return i;
}

struct tree_frame tree_frame_of(const struct tree_frame *outer, const struct tree_stmt *loop)
{
    struct tree_frame f = { .outer = outer, .loop = loop };
    struct interval begin = interval_of(loop->begin, outer, NULL), end = interval_of(loop->end, outer, NULL);
    if (begin.known && end.known && end.high > INT64_MIN)
        f.range = (struct interval){ true, begin.low, end.high - 1 };
    return f;
}

void tree_visit_frames(struct tree_stmt *s, const struct tree_frame *frame, tree_frame_visit *visit, void *user)
{
    struct tree_frame inside;
    if (!visit(user, s, frame))
        return;
    if (s->kind == STMT_FOR) {
        inside = tree_frame_of(frame, s);
        frame = &inside;
    }
    if (s->body)
        tree_visit_frames(s->body, frame, visit, user);
    if (s->otherwise)
        tree_visit_frames(s->otherwise, frame, visit, user);
    for (uint32_t i = 0; i < s->items.count; i++)
        tree_visit_frames(s->items.items[i], frame, visit, user);
}
