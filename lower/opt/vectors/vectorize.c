/* Innermost loops become vectors as long as the machine's, on machines that have them.
 *
 *     for i = 0 to N step 1 independent {          active = active(i, N)
 *         y[i] = a * x[i] + y[i]             ->    while lane(active, 0) {
 *     }                                                y[i if active] = a * x[i if active] + y[i if active]
 *                                                      i = i + vscale * 2
 *                                                      active = active(i, N)
 *                                                  }
 *
 * Small bodies take two vectors in an iteration, sums four, each with its own mask and its own accumulator, so that the
 * loop itself costs less and sums wait for each other less.
 *
 * Lanes beyond the end are not active, so that nothing is left over for a scalar loop. Branches are masks, strides and
 * indices from memory gather and scatter, reductions have one accumulator for each lane.
 *
 * Legality: iterations do not depend on each other but through reductions whose terms may be combined in any order;
 * sums in order are added lane by lane.
 * Profitability: always, unless so few iterations are known to be left that they are better unrolled. */
#include "lower/opt/vectors/vectorize.h"

#include "lower/opt/registers/reduction.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    SHORTEST = 4, /* iterations, if they are known */
    SMALL = 10    /* operations of a body that takes two vectors */
};

/* ---- reductions ---- */

static enum wcr_kind kind_of(enum expr_op op)
{
    switch (op) {
    case EXPR_MUL:
        return WCR_PRODUCT;
    case EXPR_MIN:
        return WCR_MIN;
    case EXPR_MAX:
        return WCR_MAX;
    case EXPR_AND:
        return WCR_BIT_AND;
    case EXPR_OR:
        return WCR_BIT_OR;
    case EXPR_XOR:
        return WCR_BIT_XOR;
    default:
        return WCR_SUM;
    }
}

static enum expr_op all_lanes(enum expr_op op)
{
    switch (op) {
    case EXPR_MIN:
        return EXPR_LANES_MIN;
    case EXPR_MAX:
        return EXPR_LANES_MAX;
    case EXPR_AND:
        return EXPR_LANES_AND;
    case EXPR_OR:
        return EXPR_LANES_OR;
    case EXPR_XOR:
        return EXPR_LANES_XOR;
    default:
        return EXPR_LANES_SUM;
    }
}

static struct tree_expr *lane_count(struct vectorize *v, uint32_t vectors)
{
    return expr_binary(v->tree, EXPR_MUL, expr_vscale(v->tree), expr_i64(v->tree, VSCALE_BYTES / v->bytes * vectors));
}

static void begin_accumulators(struct vectorize *v, struct tree_stmt *out, uint32_t vectors)
{
    struct tree *t = v->tree;
    for (uint32_t i = 0; i < v->accumulators.count; i++) {
        struct lane_variable *x = v->accumulators.items[i];
        const struct type *type = x->var->type;
        if (x->ordered)
            continue;
        struct tree_expr *identity = reduce_identity(t, kind_of(x->accumulates), type);
        for (uint32_t k = 0; k < vectors; k++) {
            x->sums[k] = tree_var(t, x->var->name, lanes_type(v, type));
            stmt_assign(t, out, x->sums[k], expr_splat(t, x->sums[k]->type, identity));
        }
    }
}

static void combine(struct vectorize *v, const struct lane_variable *x, struct tree_expr *value, struct tree_stmt *out)
{
    struct tree_expr *all = expr_binary(v->tree, x->accumulates, expr_var(v->tree, x->var), value);
    stmt_assign(v->tree, out, x->var, all)->reassociate = true;
}

/* Machines combine lanes in every way but by products: those go one by one. */
static void end_accumulators(struct vectorize *v, struct tree_stmt *out, uint32_t vectors)
{
    struct tree *t = v->tree;
    for (uint32_t i = 0; i < v->accumulators.count; i++) {
        struct lane_variable *x = v->accumulators.items[i];
        if (x->ordered)
            continue;
        struct tree_expr *lanes = expr_var(t, x->sums[0]);
        for (uint32_t k = 1; k < vectors; k++)
            lanes = expr_binary(t, x->accumulates, lanes, expr_var(t, x->sums[k]));
        if (vectors > 1)
            lanes = stmt_variable(t, out, x->var->name, lanes);
        if (x->accumulates != EXPR_MUL) {
            combine(v, x, expr_lanes(t, all_lanes(x->accumulates), lanes), out);
            continue;
        }
        struct tree_var *lane = tree_var(t, "lane", type_basic(t->ir, TYPE_I64));
        struct tree_stmt *each = stmt_for(t, out, lane, expr_i64(t, 0), lane_count(v, 1), expr_i64(t, 1));
        combine(v, x, expr_lane(t, lanes, expr_var(t, lane)), each->body);
    }
}

/* ---- the loop ---- */

static struct tree_expr *iterations(struct vectorize *v, struct tree_stmt *out)
{
    struct tree *t = v->tree;
    const struct tree_stmt *loop = v->loop;
    struct tree_expr *one = expr_i64(t, 1), *n = expr_binary(t, EXPR_SUB, loop->end, loop->begin);
    if (!expr_is_int(loop->step, 1)) {
        n = expr_binary(t, EXPR_ADD, n, expr_binary(t, EXPR_SUB, loop->step, one));
        n = expr_binary(t, EXPR_DIV, n, loop->step);
    }
    return stmt_variable(t, out, "iterations", expr_binary(t, EXPR_MAX, n, expr_i64(t, 0)));
}

static void set_active(struct vectorize *v, struct tree_stmt *out, struct tree_var *mask, struct tree_expr *n)
{
    stmt_assign(v->tree, out, mask, expr_active(v->tree, mask->type, v->count, n));
}

static void count_operation(void *user, struct tree_expr *e)
{
    *(uint32_t *)user += e->num_args > 0 || e->op == EXPR_CALL ? 1 : 0;
    *(uint32_t *)user += e->op == EXPR_CALL || (e->op == EXPR_MATH && e->math != TREE_MATH_sqrt) ? SMALL : 0;
}

static void count_operand(void *user, struct tree_expr **e) { expr_visit(*e, count_operation, user); }

static bool count_operations(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, count_operand, user);
    *(uint32_t *)user += s->kind == STMT_STORE || s->kind == STMT_REDUCE;
    return true;
}

/* Vectors in an iteration. Sums wait for each other longest. What is appended goes one after the other. */
static uint32_t vectors_of(const struct vectorize *v)
{
    uint32_t operations = 0;
    stmt_visit(v->loop->body, count_operations, &operations);
    if (operations > SMALL || v->appends.count)
        return 1;
    return v->accumulators.count == 1 && !v->accumulators.items[0]->ordered ? LANES_MOST_VECTORS : 2;
}

/* The body for the lanes from `count` on. */
static bool make_body(struct vectorize *v, struct tree_stmt *out, uint32_t vector, struct tree_expr *mask)
{
    for (uint32_t i = 0; i < v->variables.count; i++) {
        struct lane_variable *x = v->variables.slots[i].value;
        x->vector = x->sums[vector];
    }
    v->active = mask;
    return lanes_body(v, v->loop->body, out, mask);
}

static struct tree_stmt *make(struct vectorize *v)
{
    struct tree *t = v->tree;
    struct tree_stmt *out = stmt_block(t), *loop = v->loop;
    const struct type *mask_type = lanes_type(v, type_basic(t->ir, TYPE_BOOL));
    struct tree_var *count[LANES_MOST_VECTORS], *mask[LANES_MOST_VECTORS];
    v->offset = !expr_is_int(loop->begin, 0);
    struct tree_expr *n = iterations(v, out);
    uint32_t vectors = vectors_of(v);
    begin_accumulators(v, out, vectors);
    for (uint32_t i = 0; i < vectors; i++) {
        count[i] = tree_var(t, loop->var->name, loop->var->type);
        mask[i] = tree_var(t, "active", mask_type);
        stmt_assign(t, out, count[i], lane_count(v, i));
        v->count = expr_var(t, count[i]);
        set_active(v, out, mask[i], n);
    }
    struct tree_stmt *made = stmt_while(t, out, expr_lane(t, expr_var(t, mask[0]), expr_i64(t, 0)));
    made->place = loop->place;
    for (uint32_t i = 0; i < vectors; i++) {
        v->count = expr_var(t, count[i]);
        if (!make_body(v, made->body, i, expr_var(t, mask[i])))
            return NULL;
    }
    for (uint32_t i = vectors; i-- > 0;) { /* the first mask last: its flags say whether the loop goes on */
        v->count = expr_var(t, count[i]);
        stmt_assign(t, made->body, count[i], expr_binary(t, EXPR_ADD, v->count, lane_count(v, vectors)));
        set_active(v, made->body, mask[i], n);
    }
    end_accumulators(v, out, vectors);
    if (v->outlives) /* it holds the first value that is not below the end */
        stmt_assign(t, out, loop->var, expr_binary(t, EXPR_ADD, loop->begin, expr_binary(t, EXPR_MUL, n, loop->step)));
    return out;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct vectorize *all = user, v = *all;
    if (s->kind != STMT_FOR || s->loop.unroll || s->loop.level != TREE_HOST || stmt_has_loops(s->body) ||
        !s->body->items.count || (s->step->op == EXPR_INT && loop_is_shorter(s, SHORTEST + 1)))
        return true;
    const char *subject = remark_subject(v.tree, s);
    v.loop = s;
    do {
        v.scan = (struct tree_scan){ .arena = v.tree->scratch };
        tree_scan_add(&v.scan, s);
    } while (lanes_sums(&v));
    const struct tree_stmt *region = v.tree->region;
    v.tree->region = s->var->owner;
    struct tree_stmt *made = lanes_check(&v, frame) ? make(&v) : NULL;
    v.tree->region = region;
    if (!made) {
        remark(v.tree->ir->remarks, s->place, subject, REMARK_LANES_MISSED, v.why);
        return true;
    }
    remark(v.tree->ir->remarks, s->place, subject, REMARK_LANES, VSCALE_BYTES / v.bytes);
    made->place = s->place;
    *s = *made;
    return false;
}

/* In memory such vectors have no place: masks cannot be loaded. */
bool opt_vectorize(struct tree *t, const struct tree_options *o)
{
    if (o->plain)
        return true;
    for (uint32_t i = 0; t->machine->scalable && i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct iterations of_function = iterations_of(t, f);
        struct vectorize v = { .tree = t, .options = o, .iterations = &of_function };
        tree_visit_frames(f->body, NULL, look, &v);
    }
    return true;
}
