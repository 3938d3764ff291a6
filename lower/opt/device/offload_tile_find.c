/* Which nests are for tiles: sums whose terms are made of loads that depend on rows and k, or on columns and k.
 *
 *     for i ... parallel {
 *         for j = 0 to i + 1 {             begins or ends depending on the loop of the other side, or not
 *             sum = C[i, j] * beta         what is in front of the sum
 *             for k ... {                  values that make up the term
 *                 v = A[i, k] * alpha
 *                 sum = sum + v * A[j, k]
 *             }
 *             C[i, j] = sum                what is behind it
 */
#include "lower/opt/device/offload_region.h"
#include "lower/opt/device/offload_tile.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_BYTES = 16,  /* of a value */
    MOST_STRIPS = 46, /* bytes of one element of each strip: all are in 48 KiB of shared memory */
    MOST_TERM = 64,   /* operations */
    LEAST = 32        /* extents that are known to be smaller stay out */
};

/* ---- the sum ---- */

struct inlining {
    struct tile_nest *nest;
    struct map values; /* struct tree_var * -> the expression that it has as its value */
};

static struct tree_expr *inline_value(void *user, struct tree_expr *e)
{
    struct inlining *w = user;
    struct tree_expr *value = e->op == EXPR_VAR ? map_get(&w->values, e->var) : NULL;
    return value ? value : e;
}

static void count_operation(void *user, struct tree_expr *e)
{
    uint32_t *count = user;
    (void)e;
    ++*count;
}

static bool is_short(struct tree_expr *e)
{
    uint32_t count = 0;
    expr_visit(e, count_operation, &count);
    return count <= MOST_TERM;
}

/* The value of the last statement with those of the others in it; NULL: there is more than values. */
static struct tree_expr *whole_value(struct tile_nest *w, const struct tree_stmt *body)
{
    struct tree *t = w->tree;
    struct inlining in = { .nest = w };
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_expr *value = NULL;
    tree_scan_add(&scan, body);
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        bool last = i + 1 == body->items.count;
        if (s->kind != STMT_ASSIGN || map_has(&in.values, s->var) ||
            (!last && offload_used_outside(w->offload, &scan, s->var)))
            return NULL;
        value = expr_rewrite(t, s->value, inline_value, &in);
        if (!is_short(value))
            return NULL;
        map_put(t->scratch, &in.values, s->var, value);
    }
    return value;
}

static bool is_step(struct tile_nest *w)
{
    static const struct {
        enum expr_op op;
        enum wcr_kind wcr;
        bool commutes; /* to the last bit */
    } kinds[] = { { EXPR_ADD, WCR_SUM, true },
                  { EXPR_MUL, WCR_PRODUCT, true },
                  { EXPR_MIN, WCR_MIN, false },
                  { EXPR_MAX, WCR_MAX, false } };
    const struct tree_stmt *body = w->sum->body;
    struct tree_expr *value = whole_value(w, body);
    if (!value || value->num_args != 2)
        return false;
    const struct tree_stmt *s = body->items.items[body->items.count - 1];
    w->acc = s->var;
    w->op = value->op;
    w->place = s->place;
    w->wcr = WCR_NONE;
    bool commutes = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].op == value->op) {
            w->wcr = kinds[i].wcr;
            commutes = kinds[i].commutes;
        }
    bool second = commutes && value->args[1]->op == EXPR_VAR && value->args[1]->var == w->acc;
    const struct tree_expr *acc = value->args[second];
    w->term = value->args[!second];
    if (acc->op != EXPR_VAR || acc->var != w->acc || expr_mentions(w->term, w->acc))
        return false;
    w->ordered = !s->reassociate && !type_is_integer(w->acc->type) && w->wcr != WCR_MIN && w->wcr != WCR_MAX;
    return w->wcr != WCR_NONE && reduce_can_accumulate(w->wcr, w->acc->type) && w->acc->type->size <= MOST_BYTES;
}

/* Assignments in front of the sum, anything for one thread behind it. */
static bool is_body(struct tile_nest *w)
{
    w->sum = NULL;
    for (uint32_t i = 0; i < w->body->items.count; i++) {
        const struct tree_stmt *s = w->body->items.items[i];
        if (s->kind == STMT_FOR && w->sum)
            return false;
        if (s->kind == STMT_FOR)
            w->sum = s;
        else if (s->kind != STMT_ASSIGN && !(w->sum && (s->kind == STMT_STORE || s->kind == STMT_IF)))
            return false;
    }
    return w->sum && expr_is_int(w->sum->step, 1) && w->sum->var->type->kind == TYPE_I64;
}

/* What runs only if the sum has terms: tiles are for sums that have. */
static void enter_branch(struct tile_nest *w)
{
    const struct tree_stmt *s = w->body->items.count == 1 ? w->body->items.items[0] : NULL;
    if (!s || s->kind != STMT_IF || (s->otherwise && s->otherwise->items.count) || s->value->op != EXPR_LT)
        return;
    for (uint32_t i = 0; i < s->body->items.count; i++) {
        const struct tree_stmt *loop = s->body->items.items[i];
        if (loop->kind == STMT_FOR && expr_equal(loop->begin, s->value->args[0]) &&
            expr_equal(loop->end, s->value->args[1]))
            w->body = s->body;
    }
}

/* ---- its operands ---- */

static void see_load(void *user, struct tree_expr *e)
{
    struct tile_nest *w = user;
    if (e->op != EXPR_LOAD)
        return;
    for (uint32_t i = 0; i < w->num_operands && i < TILE_OPERANDS; i++)
        if (expr_equal(w->operands[i].load, e))
            return;
    if (w->num_operands++ < TILE_OPERANDS)
        w->operands[w->num_operands - 1].load = e;
}

/* Nothing in it changes in the nest, but the counters of the loops, and of the sum. */
static bool is_of_counters(const struct tile_nest *w, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR) {
        bool counter = e->var == w->sum->var;
        for (uint32_t i = 0; i < w->num_loops; i++)
            counter |= e->var == w->loops[i]->var;
        return counter || !map_has(&w->scan.assigned, e->var);
    }
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_of_counters(w, e->args[i]))
            return false;
    return true;
}

static bool is_operand(const struct tile_nest *w, struct tile_operand *x)
{
    struct linear at;
    int64_t by;
    linear_of(&at, x->load->args[1]);
    x->deep = at.known && linear_take(&at, w->sum->var, &by) && (by == 1 || by == -1);
    return x->load->type->size <= MOST_BYTES && is_of_counters(w, x->load->args[0]) &&
           is_of_counters(w, x->load->args[1]) && expr_mentions(x->load->args[1], w->sum->var);
}

static bool is_load(const struct tile_nest *w, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < w->num_operands; i++)
        if (e->op == EXPR_LOAD && expr_equal(e, w->operands[i].load))
            return true;
    return false;
}

/* Is the term made of the loads and of what stays the same? */
static bool is_term(const struct tile_nest *w, const struct tree_expr *e)
{
    if (is_load(w, e))
        return true;
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL ||
        (e->op == EXPR_VAR && (e->var->type->kind == TYPE_POINTER || map_has(&w->scan.assigned, e->var))))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_term(w, e->args[i]))
            return false;
    return true;
}

static bool depends_on(const struct tile_nest *w, uint32_t operand, uint32_t loop)
{
    return expr_mentions(w->operands[operand].load->args[1], w->loops[loop]->var);
}

/* Two loops that some operands depend on and others do not, none on both; those left are the batch. */
static bool find_sides(struct tile_nest *w)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < w->num_loops; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < w->num_operands; k++)
            count += depends_on(w, k, i);
        if (count == 0 || count == w->num_operands)
            continue;
        if (found == 2)
            return false;
        w->sides[found++] = i;
    }
    for (uint32_t k = 0; k < w->num_operands && found == 2; k++) {
        w->operands[k].side = depends_on(w, k, w->sides[1]);
        if (depends_on(w, k, w->sides[0]) && depends_on(w, k, w->sides[1]))
            return false;
    }
    return found == 2;
}

struct unit {
    const struct tree_var *v;
    bool found;
};

static bool find_unit(void *user, struct tree_stmt *s)
{
    struct unit *u = user;
    struct linear at;
    int64_t by;
    if (s->kind == STMT_STORE || s->kind == STMT_REDUCE) {
        linear_of(&at, s->index);
        u->found |= at.known && linear_take(&at, u->v, &by) && (by == 1 || by == -1);
    }
    return true;
}

/* Columns are those whose results lie next to each other. */
static void choose_columns(struct tile_nest *w)
{
    struct unit rows = { w->loops[w->sides[0]]->var, false }, columns = { w->loops[w->sides[1]]->var, false };
    stmt_visit((struct tree_stmt *)w->body, find_unit, &rows);
    stmt_visit((struct tree_stmt *)w->body, find_unit, &columns);
    if (!rows.found || columns.found)
        return;
    uint32_t side = w->sides[0];
    w->sides[0] = w->sides[1];
    w->sides[1] = side;
    for (uint32_t i = 0; i < w->num_operands; i++)
        w->operands[i].side = 1 - w->operands[i].side;
}

static bool fit_memory(const struct tile_nest *w)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < w->num_operands; i++)
        bytes += (uint32_t)w->operands[i].load->type->size;
    return bytes <= MOST_STRIPS;
}

/* ---- the loops ---- */

/* Known to be too small for tiles? */
static bool is_small(struct tree *t, const struct tree_stmt *loop)
{
    const struct tree_expr *trips = tree_trip_count(t, loop);
    return trips->op == EXPR_INT && trips->i < LEAST;
}

static bool is_fixed(const struct tile_nest *w, const struct tree_expr *e)
{
    return tree_scan_invariant(&w->scan, e) && !offload_on_device(w->offload, e);
}

static bool has_unit_step(const struct tree_stmt *s)
{
    return expr_is_int(s->step, 1) && s->var->type->kind == TYPE_I64;
}

/* The counter of a side, so many times, and what is fixed. */
static bool is_dependent(struct tile_nest *w, uint32_t on, const struct tree_expr *bound, bool *rising)
{
    struct linear at;
    int64_t by;
    linear_of(&at, bound);
    if (!at.known || !linear_take(&at, w->loops[w->sides[on]]->var, &by) || by == 0 ||
        !is_fixed(w, linear_expr(w->tree, &at)))
        return false;
    *rising = by > 0;
    return true;
}

/* All bounds of the sum are fixed, but one. */
static bool has_depth(struct tile_nest *w)
{
    bool begin = is_fixed(w, w->sum->begin), end = is_fixed(w, w->sum->end);
    w->deep = 2;
    w->deep_high = begin;
    for (uint32_t side = 0; side < 2 && w->deep == 2 && begin != end; side++)
        if (is_dependent(w, side, begin ? w->sum->end : w->sum->begin, &w->deep_rising))
            w->deep = side;
    return (begin && end) || (w->deep != 2 && w->bounded == 2);
}

/* All bounds are fixed, but one of one side. */
static bool has_bounds(struct tile_nest *w)
{
    w->bounded = 2;
    for (uint32_t i = 0; i < w->num_loops; i++) {
        const struct tree_stmt *s = w->loops[i];
        uint32_t side = i == w->sides[1];
        bool begin = is_fixed(w, s->begin), end = is_fixed(w, s->end);
        w->frames[i] = tree_frame_of(i ? &w->frames[i - 1] : NULL, s);
        if (!has_unit_step(s))
            return false;
        if (begin && end)
            continue;
        if (w->bounded != 2 || (i != w->sides[0] && i != w->sides[1]) || (!begin && !end) ||
            !is_dependent(w, 1 - side, begin ? s->end : s->begin, &w->rising))
            return false;
        w->bounded = side;
        w->high = begin;
    }
    return true;
}

struct tree_expr *offload_tile_bound(const struct tile_nest *w, uint32_t side, bool high, struct tree_expr *other)
{
    const struct tree_stmt *s = w->loops[w->sides[side]];
    struct tree_stmt *value = stmt_assign(w->tree, stmt_block(w->tree), s->var, high ? s->end : s->begin);
    stmt_substitute(w->tree, value, w->loops[w->sides[1 - side]]->var, other);
    return value->value;
}

struct tree_expr *offload_tile_depth(const struct tile_nest *w, struct tree_expr *at)
{
    struct tree_stmt *value =
        stmt_assign(w->tree, stmt_block(w->tree), w->sum->var, w->deep_high ? w->sum->end : w->sum->begin);
    stmt_substitute(w->tree, value, w->loops[w->sides[w->deep]]->var, at);
    return value->value;
}

bool offload_is_tiled(struct tile_nest *w)
{
    struct tree *t = w->tree;
    enter_branch(w);
    if (!is_body(w) || !is_step(w))
        return false;
    tree_scan_add(&w->scan, w->loops[0]);
    expr_visit(w->term, see_load, w);
    if (w->num_operands < 2 || w->num_operands > TILE_OPERANDS || !fit_memory(w) || !has_unit_step(w->sum) ||
        is_small(t, w->sum))
        return false;
    for (uint32_t i = 0; i < w->num_operands; i++) {
        if (!is_operand(w, &w->operands[i]))
            return false;
        w->mixed |= depends_on(w, i, w->num_loops - 1) && depends_on(w, i, w->num_loops - 2);
    }
    if (!is_term(w, w->term) || !find_sides(w))
        return false;
    choose_columns(w);
    return has_bounds(w) && has_depth(w) && !is_small(t, w->loops[w->sides[0]]) && !is_small(t, w->loops[w->sides[1]]);
}
