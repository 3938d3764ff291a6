/* Rows of stencils are peeled so that full vectors begin at cache lines; the rest in front and behind is one masked
 * vector each. On double-pumped units, where a wide load takes two cycles, neighbouring elements are carried in
 * registers.
 *
 *                                                 first = 1 + (elements from &B[1] to the next line)
 *                                                 last = first + (a multiple of 8)
 *     for i = 1 to 199 independent {              for i = 1 to first independent masked { ... }
 *         B[i] = A[i - 1] + A[i] + A[i + 1]  ->   for i = first to last independent whole { ... }
 *     }                                           for i = last to 199 independent masked { ... }
 *
 * Legality: The same iterations run in the same order.
 * Profitability: Elements are loaded several times, so that loads wait for the first-level cache; machines whose
 * vectors are as long as a line.
 *
 * A vector as long as a line straddles two lines wherever it does not begin with one, and its load takes two cycles
 * then. Loads next to the store are mostly aligned with it, since rows are often whole lines apart. */
#include "lower/opt/registers/alignment_peeling.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    FEWEST_VECTORS = 4,  /* in a row */
    FEWEST = 16384,      /* iterations in all */
    UNKNOWN_TRIPS = 16,  /* of a loop around */
    FEWEST_LOADS = 3,    /* of elements side by side; two of an array is what reuse needs */
    DRAINED = 64,        /* vectors behind which what was stored is in the cache: as many as wait for that */
    CARRYING = 6,        /* vectors in a row from which on what is in front of it pays */
    MOST_ACCESSES = 256, /* to memory in the loop around */
    MOST_OTHERS = 3      /* loads to one that is in step with the store */
};

struct lines {
    struct tree *tree;
    struct map around; /* loops around rows -> struct tree_piece of what they repeat */
};

struct row {
    struct tree *tree;
    const struct tree_stmt *loop;
    struct tree_scan scan;
    const struct type *type;       /* of the elements and all values */
    const struct tree_stmt *store; /* the first one */
    const struct tree_expr *loads[LINES_LOADS];
    uint32_t count;
    int64_t fewest; /* iterations for which parts pay */
    bool reuses;    /* several loads go through the same array */
    bool other;     /* there is something in the loop that does not fit */
};

/* Do elements follow each other from iteration to iteration (1), is it the same one in all (0), or neither (-1)? */
static int64_t step_of(const struct row *r, const struct tree_expr *pointer, const struct tree_expr *index)
{
    struct linear at;
    int64_t step;
    linear_of(&at, index);
    if (!tree_scan_invariant(&r->scan, pointer) || !at.known || !linear_take(&at, r->loop->var, &step))
        return -1;
    for (uint32_t i = 0; i < at.count; i++)
        for (uint32_t k = 0; k < at.terms[i].count; k++)
            if (!tree_scan_invariant(&r->scan, at.terms[i].factors[k]))
                return -1;
    return step == 0 || step == 1 ? step : -1;
}

static void see_load(struct row *r, const struct tree_expr *e)
{
    int64_t step = step_of(r, e->args[0], e->args[1]);
    bool reused = false;
    r->other |= step < 0 || e->type != r->type || r->count == LINES_LOADS;
    if (r->other || step == 0)
        return;
    for (uint32_t i = 0; i < r->count; i++) {
        if (expr_equal(r->loads[i], e))
            return;
        reused |= expr_equal(r->loads[i]->args[0], e->args[0]);
    }
    r->reuses |= reused;
    r->loads[r->count++] = e;
}

/* Indices are looked at as such. */
static void see_value(struct row *r, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD) {
        see_load(r, e);
        return;
    }
    r->other |= e->op == EXPR_CALL || e->op == EXPR_MATH || (e->type != r->type && e->type->kind != TYPE_BOOL);
    for (uint32_t i = 0; i < e->num_args && !r->other; i++)
        see_value(r, e->args[i]);
}

static void see_stmt(struct row *r, const struct tree_stmt *s)
{
    if (s->kind == STMT_STORE) {
        r->store = r->store ? r->store : s;
        r->other |= step_of(r, s->pointer, s->index) != 1;
    }
    r->other |= s->kind != STMT_BLOCK && s->kind != STMT_ASSIGN && s->kind != STMT_STORE;
    if (s->kind == STMT_ASSIGN || s->kind == STMT_STORE)
        see_value(r, s->value);
    for (uint32_t i = 0; i < s->items.count && !r->other; i++)
        see_stmt(r, s->items.items[i]);
}

static const struct tree_stmt *first_store(const struct tree_stmt *block)
{
    for (uint32_t i = 0; i < block->items.count; i++)
        if (block->items.items[i]->kind == STMT_STORE)
            return block->items.items[i];
    return NULL;
}

static int64_t lanes_of(const struct row *r) { return r->tree->machine->line / (int64_t)r->type->size; }

/* How often the body of the loop is repeated. */
static double repeats(const struct tree_stmt *loop, const struct tree_frame *frame)
{
    double n = loop_has_constant_bounds(loop) ? (double)loop_span(loop) : UNKNOWN_TRIPS;
    for (; frame; frame = frame->outer) {
        double low = (double)frame->range.low, high = (double)frame->range.high;
        bool known = frame->range.known && frame->loop->step->op == EXPR_INT;
        n *= !known ? UNKNOWN_TRIPS : high > low ? (high - low) / (double)frame->loop->step->i + 1 : 1;
    }
    return n;
}

static bool meet(const struct tree_access *a, const struct tree_access *b)
{
    return (a->write || b->write) && (a->alias == b->alias || !a->alias || !b->alias);
}

/* Of the body of a loop as it was when its first row was looked at. */
static const struct tree_piece *piece_around(struct lines *w, const struct tree_stmt *loop)
{
    struct tree_piece *piece = map_get(&w->around, loop);
    if (!piece) {
        piece = NEW(w->tree->scratch, struct tree_piece);
        piece_add(w->tree->scratch, piece, loop->body, NULL);
        map_put(w->tree->scratch, &w->around, loop, piece);
    }
    return piece;
}

/* From the element that is stored to the one that is loaded. */
static void apart_of(const struct row *r, const struct tree_expr *load, struct linear *apart)
{
    struct linear at;
    linear_of(apart, load->args[1]);
    linear_of(&at, r->store->index);
    linear_add(apart, &at, -1);
}

/* Does an element lie as far from the line it is in as the one that is stored, if the arrays begin alike? `asks`: and
 * if products of sizes are whole lines, which a run tells. */
static bool is_in_step(const struct row *r, const struct tree_expr *load, bool asks)
{
    int64_t lanes = lanes_of(r);
    struct linear apart;
    apart_of(r, load, &apart);
    bool multiple = apart.known && apart.constant % lanes == 0;
    for (uint32_t i = 0; i < apart.count; i++)
        multiple = multiple && (asks || apart.terms[i].times % lanes == 0);
    return multiple;
}

static uint32_t loads_in_step(const struct row *r, bool asks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++)
        count += is_in_step(r, r->loads[i], asks);
    return count;
}

/* Where the others lie otherwise, most vectors straddle lines in any case. */
static bool gains_by_lines(const struct row *r, bool asks) { return loads_in_step(r, asks) * MOST_OTHERS >= r->count; }

/* Does the loop around it have nothing to do with what the row stores, and store nothing that the row loads? What was
 * stored just before is loaded quickly from where one store put all of it; vectors that begin elsewhere wait. */
static bool is_apart(struct lines *w, const struct row *r, const struct tree_frame *frame)
{
    struct tree_piece row = { 0 };
    const struct tree_piece *around = frame ? piece_around(w, frame->loop) : NULL;
    int64_t others = 0;
    if (!around || around->accesses.count > MOST_ACCESSES)
        return false;
    piece_add(r->tree->scratch, &row, (struct tree_stmt *)r->loop, NULL);
    for (uint32_t i = 0; i < row.accesses.count; i++) {
        const struct tree_access *a = row.accesses.items[i];
        for (uint32_t k = 0; k < around->accesses.count; k++)
            others += meet(a, around->accesses.items[k]);
        for (uint32_t k = 0; k < row.accesses.count; k++)
            others -= meet(a, row.accesses.items[k]);
    }
    return others == 0;
}

/* Not those of a strip or a triangle, which may be short again and again. */
static bool has_sizes_as_bounds(const struct tree *t, const struct tree_stmt *loop)
{
    return tree_is_size(t, loop->begin) && tree_is_size(t, loop->end);
}

/* Iterations from which on parts of a row pay; 0: never. Rows of unknown length are asked for theirs when they run. */
static int64_t fewest_iterations(struct lines *w, const struct row *r, const struct tree_frame *frame)
{
    const struct tree_stmt *l = r->loop;
    int64_t fewest = FEWEST_VECTORS * lanes_of(r), drained = DRAINED * lanes_of(r), trips = INT64_MAX;
    bool known = loop_has_constant_bounds(l), gains = w->tree->machine->double_pumped && gains_by_lines(r, false);
    if (known)
        trips = loop_span(l);
    if (trips < fewest || (!known && !(expr_is_pure(l->begin) && expr_is_pure(l->end))))
        return 0;
    if (known && gains && trips >= drained)
        return drained;
    if ((known || has_sizes_as_bounds(w->tree, l)) && (loads_in_step(r, false) == r->count || is_apart(w, r, frame)))
        return fewest;
    return gains && !known ? drained : 0;
}

static bool is_row(struct lines *w, struct row *r, const struct tree_frame *frame)
{
    const struct tree_stmt *l = r->loop, *store;
    if (!l->loop.independent || l->loop.parallel || l->loop.unroll || !expr_is_int(l->step, 1) ||
        l->var->type->kind != TYPE_I64)
        return false;
    store = first_store(l->body);
    if (!store || (store->value->type->kind != TYPE_F32 && store->value->type->kind != TYPE_F64))
        return false;
    r->type = store->value->type;
    tree_scan_add(&r->scan, l);
    see_stmt(r, l->body);
    if (r->other || !r->reuses || r->count < FEWEST_LOADS || repeats(l, frame) < FEWEST)
        return false;
    r->fewest = fewest_iterations(w, r, frame);
    return r->fewest > 0;
}

/* ---- rewriting ---- */

/* Elements from the one that iteration `begin` stores to the next line. */
static struct tree_expr *to_next_line(const struct row *r, struct tree_expr *begin)
{
    struct tree *t = r->tree;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct linear at, moved, value;
    linear_of(&at, r->store->index);
    linear_of(&value, begin);
    linear_replace(&moved, &at, r->loop->var, &value);
    struct tree_expr *address = expr_cast(t, i64, expr_offset(t, r->store->pointer, linear_expr(t, &moved)));
    int64_t line = t->machine->line;
    struct tree_expr *past = expr_binary(t, EXPR_AND, address, expr_i64(t, line - 1));
    struct tree_expr *bytes =
        expr_binary(t, EXPR_AND, expr_binary(t, EXPR_SUB, expr_i64(t, line), past), expr_i64(t, line - 1));
    return expr_binary(t, EXPR_DIV, bytes, expr_i64(t, (int64_t)r->type->size));
}

/* Are the loads in step that are if all products of sizes between them and the store are whole lines? */
static struct tree_expr *are_in_step(const struct row *r)
{
    struct tree *t = r->tree;
    struct tree_expr *all = NULL, *past = expr_i64(t, lanes_of(r) - 1);
    VEC(struct tree_expr *) sizes = { 0 };
    for (uint32_t i = 0; i < r->count; i++) {
        struct linear apart;
        apart_of(r, r->loads[i], &apart);
        for (uint32_t k = 0; is_in_step(r, r->loads[i], true) && k < apart.count; k++) {
            struct linear one = { .known = true, .count = 1, .terms = { apart.terms[k] } };
            one.terms[0].times = one.terms[0].times < 0 ? -one.terms[0].times : one.terms[0].times;
            struct tree_expr *size = linear_expr(t, &one);
            uint32_t known = 0;
            while (known < sizes.count && !expr_equal(sizes.items[known], size))
                known++;
            if (known < sizes.count || one.terms[0].times % lanes_of(r) == 0)
                continue;
            vec_push(t->scratch, &sizes, size);
            struct tree_expr *lines = expr_binary(t, EXPR_EQ, expr_binary(t, EXPR_AND, size, past), expr_i64(t, 0));
            all = all ? expr_binary(t, EXPR_LOGICAL_AND, all, lines) : lines;
        }
    }
    return all ? all : expr_i64(t, 1);
}

/* `part`: begin and end are set already. */
static void put_part(const struct row *r, struct tree_stmt *block, struct tree_stmt *part, enum tree_vectors vectors)
{
    part->loop.wide = (uint8_t)r->type->size;
    part->loop.vectors = vectors;
    stmt_append(r->tree, block, part);
}

static void carry_neighbours(const struct row *r, struct tree_stmt *block, struct tree_stmt *middle)
{
    struct tree *t = r->tree;
    uint32_t count = lines_carry(t, block, middle, r->loads, r->count);
    if (count)
        remark(t->ir->remarks, middle->place, remark_subject(t, middle), REMARK_CARRIED, count);
}

/* In place of the loop, which has enough iterations for them. */
static void put_parts(const struct row *r, struct tree_stmt *loop, bool carries)
{
    struct tree *t = r->tree;
    struct tree_stmt *block = stmt_block(t), *head = stmt_clone(t, loop), *middle = stmt_clone(t, loop),
                     *tail = stmt_clone(t, loop);
    bool gains = gains_by_lines(r, false);
    if (gains || gains_by_lines(r, true)) {
        struct tree_expr *past = to_next_line(r, loop->begin);
        past = gains ? past : expr_select(t, are_in_step(r), past, expr_i64(t, 0));
        struct tree_expr *first = expr_binary(t, EXPR_ADD, loop->begin, past);
        head->end = middle->begin = stmt_variable(t, block, "first", first);
        put_part(r, block, head, TREE_VECTORS_MASKED);
    }
    struct tree_expr *rest = expr_binary(t, EXPR_SUB, loop->end, middle->begin);
    struct tree_expr *last =
        expr_binary(t, EXPR_ADD, middle->begin, expr_binary(t, EXPR_AND, rest, expr_i64(t, -lanes_of(r))));
    middle->end = tail->begin = stmt_variable(t, block, "last", last);
    if (carries)
        carry_neighbours(r, block, middle);
    put_part(r, block, middle, TREE_VECTORS_WHOLE);
    if (!expr_equal(tail->begin, tail->end))
        put_part(r, block, tail, TREE_VECTORS_MASKED);
    *loop = *block;
}

/* ... if it has that many when it runs; few iterations are a vector with a mask, as those at the ends are. */
static void put_choice(const struct row *r, struct tree_stmt *loop)
{
    struct tree *t = r->tree;
    struct tree_stmt *block = stmt_block(t);
    loop->begin = stmt_variable(t, block, "begin", loop->begin);
    loop->end = stmt_variable(t, block, "end", loop->end);
    struct tree_expr *trips = expr_binary(t, EXPR_SUB, loop->end, loop->begin);
    struct tree_expr *is_long = expr_binary(t, EXPR_GE, trips, expr_i64(t, r->fewest));
    struct tree_stmt *choice = stmt_if(t, block, is_long), *rows = stmt_clone(t, loop);
    put_parts(r, rows, t->machine->double_pumped);
    stmt_append(t, choice->body, rows);
    put_part(r, choice->otherwise, stmt_clone(t, loop), TREE_VECTORS_MASKED);
    *loop = *block;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct lines *w = user;
    struct tree *t = w->tree;
    if (s->kind != STMT_FOR)
        return true;
    struct row *r = NEW(t->scratch, struct row);
    *r = (struct row){ .tree = t, .loop = s, .scan = { .arena = t->scratch } };
    if (!is_row(w, r, frame))
        return true;
    const struct tree_stmt *around = t->region;
    t->region = s->var->owner; /* of the new variables */
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_LINES, (int)t->machine->line);
    if (loop_has_constant_bounds(s))
        put_parts(r, s, w->tree->machine->double_pumped && loop_span(s) >= CARRYING * lanes_of(r));
    else
        put_choice(r, s);
    t->region = around;
    return false;
}

bool opt_alignment_peeling(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; t->machine->vector == t->machine->line && i < t->functions.count; i++) {
        struct lines w = { .tree = t };
        tree_visit_frames(t->functions.items[i]->body, NULL, look, &w);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
