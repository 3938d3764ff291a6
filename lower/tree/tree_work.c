#include "lower/tree/tree_work.h"

#include "ir/json/json.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_linear.h"
#include "runtime/abi.h"

#include <string.h>

enum { MOST_STEPS = 2000000 }; /* statements looked at; what takes more is not known */

/* A container in a nest: the elements between `range`, or as many as there are accesses if those are fewer. */
struct touched {
    const struct tree_var *base;
    bool written, known;
    struct interval range;
    double accesses, size;
};

struct counter {
    struct tree *tree;
    uint32_t steps;
    VEC(struct touched) touched;     /* of the nest at hand */
    struct map taken;                /* pointers to memory taken inside of a nest -> elements, as integers */
    double cache;                    /* bytes that stay near from one nest to the next */
    struct tree_amount flops, bytes; /* of the program */
    struct json_writer *out;
};

static struct tree_amount amount(double value) { return (struct tree_amount){ value, true }; }

static struct tree_amount add(struct tree_amount a, struct tree_amount b)
{
    return (struct tree_amount){ a.value + b.value, a.known && b.known };
}

static struct tree_amount times(struct tree_amount a, struct tree_amount n)
{
    bool nothing = a.known && a.value <= 0;
    return (struct tree_amount){ nothing ? 0 : a.value * n.value, nothing || (a.known && n.known) };
}

/* ---- operations ---- */

static const struct type *element_of(const struct type *t) { return t->kind == TYPE_VECTOR ? t->elem : t; }

static double operation_flops(const struct tree_expr *e)
{
    const struct type *element = element_of(e->type);
    double lanes = e->type->kind == TYPE_VECTOR ? e->type->lanes : 1;
    bool complex = type_is_complex(element);
    if (!complex && !type_is_float(element))
        return 0;
    switch (e->op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
        return lanes * (complex ? 2 : 1);
    case EXPR_MUL:
        return lanes * (complex ? 6 : 1);
    case EXPR_DIV:
        return lanes * (complex ? 11 : 1);
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_REM:
        return lanes;
    case EXPR_MATH:
        return e->math == TREE_MATH_fabs || e->math == TREE_MATH_copysign ? 0
               : e->math == TREE_MATH_fma                                 ? 2 * lanes
                                                                          : lanes;
    default:
        return 0;
    }
}

/* Both sides of a select count: vector code evaluates them. */
static struct tree_amount expr_flops(const struct tree_expr *e)
{
    struct tree_amount sum = amount(operation_flops(e));
    if (e->op == EXPR_CALL)
        sum.known = false;
    if (e->op == EXPR_LOAD || e->op == EXPR_OFFSET)
        return sum;
    for (uint32_t i = 0; i < e->num_args; i++)
        sum = add(sum, expr_flops(e->args[i]));
    return sum;
}

/* ---- control ---- */

static struct tree_amount point(struct interval i)
{
    return (struct tree_amount){ (double)i.low, i.known && i.low == i.high };
}

struct tree_amount tree_work_trips(const struct tree_stmt *loop, const struct tree_frame *outer)
{
    struct tree_amount begin = point(interval_of(loop->begin, outer, NULL));
    struct tree_amount end = point(interval_of(loop->end, outer, NULL));
    struct tree_amount step = point(interval_of(loop->step, outer, NULL));
    bool known = begin.known && end.known && step.known && step.value > 0;
    if (!known || end.value <= begin.value)
        return (struct tree_amount){ 0, known };
    return amount((double)(int64_t)((end.value - begin.value + step.value - 1) / step.value));
}

int tree_work_truth(const struct tree_expr *e, const struct tree_frame *frame)
{
    if (e->op == EXPR_INT)
        return e->i != 0;
    if (e->num_args != 2 || e->op < EXPR_EQ || e->op > EXPR_GE)
        return -1;
    struct interval a = interval_of(e->args[0], frame, NULL), b = interval_of(e->args[1], frame, NULL);
    if (!a.known || !b.known)
        return -1;
    bool points = a.low == a.high && b.low == b.high;
    switch (e->op) {
    case EXPR_EQ:
        return points ? a.low == b.low : a.high < b.low || b.high < a.low ? 0 : -1;
    case EXPR_NE:
        return points ? a.low != b.low : a.high < b.low || b.high < a.low ? 1 : -1;
    case EXPR_LT:
        return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
    case EXPR_LE:
        return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
    case EXPR_GT:
        return a.low > b.high ? 1 : a.high <= b.low ? 0 : -1;
    default:
        return a.low >= b.high ? 1 : a.high < b.low ? 0 : -1;
    }
}

static struct tree_amount stmt_flops(struct counter *c, const struct tree_stmt *s, const struct tree_frame *frame);

/* At once if nothing inside depends on the variable, else iteration by iteration. */
static struct tree_amount loop_flops(struct counter *c, const struct tree_stmt *s, const struct tree_frame *outer)
{
    struct tree_amount trips = tree_work_trips(s, outer);
    struct tree_frame frame = tree_frame_of(outer, s);
    struct tree_amount body = stmt_flops(c, s->body, &frame), sum = amount(0);
    if (body.known && s->loop.tiles) /* what tiles compute again is not the program's work */
        return times(body, amount((double)s->loop.different / (double)s->loop.tiles));
    if (body.known || !trips.known)
        return times(body, trips);
    int64_t step = s->step->op == EXPR_INT ? s->step->i : 1;
    struct tree_amount begin = point(interval_of(s->begin, outer, NULL));
    for (int64_t i = 0; i < (int64_t)trips.value; i++) {
        frame.range = interval_point((int64_t)begin.value + i * step);
        sum = add(sum, stmt_flops(c, s->body, &frame));
        if (!sum.known)
            break;
    }
    return sum;
}

static struct tree_amount branch_flops(struct counter *c, const struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->loop.tiles)
        return stmt_flops(c, s->otherwise, frame);
    int taken = tree_work_truth(s->value, frame);
    struct tree_amount test = expr_flops(s->value);
    struct tree_amount yes = taken ? stmt_flops(c, s->body, frame) : amount(0);
    struct tree_amount no = taken != 1 && s->otherwise ? stmt_flops(c, s->otherwise, frame) : amount(0);
    bool known = taken >= 0 || (yes.value == no.value && yes.known && no.known);
    struct tree_amount sum = add(test, taken == 0 ? no : yes);
    sum.known = sum.known && known;
    return sum;
}

static struct tree_amount call_flops(const struct tree_stmt *s, const struct tree_frame *frame)
{
    const struct tree_callee *callee = stmt_callee(s);
    struct tree_amount product = amount(2);
    bool found = false;
    for (uint32_t i = 0; i < s->num_args; i++)
        if (callee_role(callee, i) == 'n') {
            product = times(product, point(interval_of(s->args[i], frame, NULL)));
            found = true;
        }
    return found ? product : (struct tree_amount){ 0, callee->flags & RT_NO_FLOPS };
}

static struct tree_amount stmt_flops(struct counter *c, const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_amount sum = amount(0);
    if (++c->steps > MOST_STEPS)
        return (struct tree_amount){ 0, false };
    switch (s->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++)
            sum = add(sum, stmt_flops(c, s->items.items[i], frame));
        return sum;
    case STMT_ASSIGN:
    case STMT_STORE:
        return expr_flops(s->value);
    case STMT_REDUCE:
        return add(expr_flops(s->value), amount(type_is_float(element_of(s->value->type)) ? 1 : 0));
    case STMT_UPDATE:
        return stmt_flops(c, s->body, frame);
    case STMT_FOR:
        return loop_flops(c, s, frame);
    case STMT_IF:
        return branch_flops(c, s, frame);
    case STMT_CALL:
        return call_flops(s, frame);
    case STMT_ALLOC:
    case STMT_FREE:
    case STMT_COPY:
    case STMT_ZERO:
        return sum;
    default: /* loops with conditions, jumps, code of others */
        return (struct tree_amount){ 0, false };
    }
}

/* ---- memory ---- */

static const struct tree_var *base_of(const struct tree_expr *pointer)
{
    while (pointer->op == EXPR_OFFSET)
        pointer = pointer->args[0];
    return pointer->op == EXPR_VAR ? pointer->var : NULL;
}

static void touch(struct counter *c, const struct tree_expr *pointer, const struct tree_expr *index,
                  const struct type *type, double accesses, const struct tree_frame *frame, bool written)
{
    struct interval range = index ? interval_of(index, frame, NULL) : interval_point(0);
    for (const struct tree_expr *p = pointer; p->op == EXPR_OFFSET; p = p->args[0])
        range = interval_add(range, interval_of(p->args[1], frame, NULL));
    const struct tree_var *base = base_of(pointer);
    bool known = range.known && base;
    for (uint32_t i = 0; i < c->touched.count; i++) {
        struct touched *t = &c->touched.items[i];
        if (t->base != base || t->written != written || !base)
            continue;
        t->accesses += accesses;
        t->known = t->known && known;
        t->range.low = range.low < t->range.low ? range.low : t->range.low;
        t->range.high = range.high > t->range.high ? range.high : t->range.high;
        return;
    }
    vec_push(c->tree->scratch, &c->touched,
             ((struct touched){ base, written, known, range, accesses, (double)type->size }));
}

static void expr_touches(struct counter *c, const struct tree_expr *e, double times_run, const struct tree_frame *f)
{
    if (e->op == EXPR_LOAD)
        touch(c, e->args[0], e->args[1], e->type, times_run, f, false);
    for (uint32_t i = 0; i < e->num_args; i++)
        expr_touches(c, e->args[i], times_run, f);
}

/* One side of a copy. */
static void range_touches(struct counter *c, const struct tree_stmt *s, double runs, const struct tree_frame *frame,
                          bool written)
{
    struct tree_amount count = point(interval_of(s->count, frame, NULL));
    struct touched t = { .base = NULL,
                         .written = written,
                         .known = count.known,
                         .accesses = runs * count.value,
                         .size = (double)s->type->size };
    t.range = (struct interval){ true, 0, count.known ? (int64_t)count.value - 1 : 0 };
    vec_push(c->tree->scratch, &c->touched, t);
}

static void stmt_touches(struct counter *c, const struct tree_stmt *s, double runs, const struct tree_frame *frame)
{
    struct tree_frame inner;
    if (s->value)
        expr_touches(c, s->value, runs, frame);
    switch (s->kind) {
    case STMT_FOR: {
        inner = tree_frame_of(frame, s);
        /* at most: bounds that depend on outer loops are as wide as they get */
        double trips = inner.range.known ? (double)(inner.range.high - inner.range.low + 1) : 0;
        trips /= s->step->op == EXPR_INT && s->step->i > 0 ? (double)s->step->i : 1;
        stmt_touches(c, s->body, runs * (trips > 0 ? trips : inner.range.known ? 0 : 1), &inner);
        return;
    }
    case STMT_WHILE:
    case STMT_DO:
    case STMT_GOTO: /* who knows how often */
        vec_push(c->tree->scratch, &c->touched, ((struct touched){ .known = false }));
        break;
    case STMT_REDUCE:
    case STMT_UPDATE:
        touch(c, s->pointer, s->index, s->type ? s->type : s->value->type, runs, frame, false);
        touch(c, s->pointer, s->index, s->type ? s->type : s->value->type, runs, frame, true);
        break;
    case STMT_STORE:
        touch(c, s->pointer, s->index, s->value->type, runs, frame, true);
        break;
    case STMT_COPY:
        range_touches(c, s, runs, frame, false);
        range_touches(c, s, runs, frame, true);
        break;
    case STMT_ZERO:
        range_touches(c, s, runs, frame, true);
        break;
    case STMT_ALLOC:
        if (s->count->op == EXPR_INT && s->count->i > 0)
            map_put(c->tree->scratch, &c->taken, s->var, (void *)(uintptr_t)s->count->i);
        break;
    default:
        break;
    }
    if (s->body)
        stmt_touches(c, s->body, runs, frame);
    if (s->otherwise)
        stmt_touches(c, s->otherwise, runs, frame);
    for (uint32_t i = 0; i < s->items.count; i++)
        stmt_touches(c, s->items.items[i], runs, frame);
}

static struct tree_amount touched_bytes(const struct counter *c)
{
    struct tree_amount sum = amount(0);
    for (uint32_t i = 0; i < c->touched.count; i++) {
        const struct touched *t = &c->touched.items[i];
        double elements = (double)(t->range.high - t->range.low + 1);
        double taken = (double)(uintptr_t)map_get(&c->taken, t->base);
        if (taken > 0 && (elements > taken || !t->known))
            elements = taken;
        if (elements > t->accesses)
            elements = t->accesses;
        sum = add(sum, (struct tree_amount){ elements * t->size, t->known || taken > 0 });
    }
    return sum;
}

/* ---- nests ---- */

static bool has_parallel_loop(const struct tree_stmt *s)
{
    if (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent))
        return true;
    bool found = (s->body && has_parallel_loop(s->body)) || (s->otherwise && has_parallel_loop(s->otherwise));
    for (uint32_t i = 0; i < s->items.count && !found; i++)
        found = has_parallel_loop(s->items.items[i]);
    return found;
}

static void write_amount(struct json_writer *out, const char *key, struct tree_amount a)
{
    if (a.known)
        json_write_real(out, key, a.value);
    else
        json_write_null(out, key);
}

static void add_nest(struct counter *c, const struct tree_stmt *s, struct tree_amount runs,
                     const struct tree_frame *frame)
{
    c->steps = 0;
    c->touched.count = 0;
    struct tree_amount flops = stmt_flops(c, s, frame), bytes;
    stmt_touches(c, s, 1, frame);
    bytes = touched_bytes(c);
    if (s->kind == STMT_CALL)
        bytes.known = false;
    if (flops.known && bytes.known && flops.value <= 0 && bytes.value <= 0)
        return;
    c->flops = add(c->flops, times(flops, runs));
    c->bytes = add(c->bytes, times(bytes, runs));
    bool nest = stmt_is_loop(s) || s->kind == STMT_CALL || s->kind == STMT_COPY || s->kind == STMT_ZERO;
    if (!nest) /* a few scalars */
        return;
    struct text path = text_new(c->tree->arena);
    if (s->place)
        place_print(s->place, &path);
    json_begin(c->out, NULL, '{');
    json_write_string(c->out, "path", text_get(&path));
    write_amount(c->out, "runs", runs);
    write_amount(c->out, "flops", flops);
    write_amount(c->out, "bytes", bytes);
    json_end(c->out, '}');
}

/* Does what the iterations of a sequential loop touch stay in the cache, so that it counts once? */
static bool stays(struct counter *c, const struct tree_stmt *loop, const struct tree_frame *frame)
{
    c->touched.count = 0;
    stmt_touches(c, loop, 1, frame);
    struct tree_amount bytes = touched_bytes(c);
    return bytes.known && bytes.value <= c->cache;
}

static void find_nests(struct counter *c, const struct tree_stmt *s, struct tree_amount runs,
                       const struct tree_frame *frame)
{
    bool sequential = s->kind == STMT_FOR && !s->loop.parallel && !s->loop.independent && !s->loop.tiles &&
                      !s->loop.near && has_parallel_loop(s->body) && !stays(c, s, frame);
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++)
            find_nests(c, s->items.items[i], runs, frame);
    } else if (sequential) {
        struct tree_frame inner = tree_frame_of(frame, s);
        find_nests(c, s->body, times(tree_work_trips(s, frame), runs), &inner);
    } else if (s->kind == STMT_IF && tree_work_truth(s->value, frame) >= 0) {
        const struct tree_stmt *taken = tree_work_truth(s->value, frame) ? s->body : s->otherwise;
        if (taken)
            find_nests(c, taken, runs, frame);
    } else {
        add_nest(c, s, runs, frame);
    }
}

struct tree_amounts tree_work_stmt(struct tree *t, const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct counter c = { .tree = t };
    struct tree_amounts sum = { .flops = stmt_flops(&c, s, frame) };
    stmt_touches(&c, s, 1, frame);
    sum.bytes = touched_bytes(&c);
    return sum;
}

void tree_work(struct tree *t, double cache, struct text *out)
{
    struct json_writer w = { .out = out };
    struct counter c = { .tree = t, .flops = amount(0), .bytes = amount(0), .cache = cache, .out = &w };
    json_begin(&w, NULL, '{');
    json_begin(&w, "nests", '[');
    for (uint32_t i = 0; i < t->functions.count; i++)
        if (tree_func_is_main(t->functions.items[i]))
            find_nests(&c, t->functions.items[i]->body, amount(1), NULL);
    json_end(&w, ']');
    write_amount(&w, "flops", c.flops);
    write_amount(&w, "bytes", c.bytes);
    json_end(&w, '}');
    text_addc(out, '\n');
}
