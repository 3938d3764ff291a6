/* A sequential loop around an independent nest is moved to its inside.
 *
 *     for k ... {                                for i ... parallel {
 *         for i ... parallel {                       for j ... {
 *             for j ... {               ->               for k ... {
 *                 A[i, j, k] = A[i, j, k - 1]                A[i, j, k] = A[i, j, k - 1]
 *
 * Legality: Iterations of the nest never access what other iterations of it change, for no two values of the outer
 * loop (the test of fusion, applied to the nest and itself). For devices, values that each iteration of the outer loop
 * computes for the nest are computed by those of the nest: nothing in it changes what they are made of.
 * Profitability: If memory is accessed with smaller strides afterwards, unless what has large strides is going to be
 * packed; else inside of all but the last loop of a parallel nest, so that threads are started once. Behind
 * the proofs of independence, for devices: always, since each iteration of the nest is going to be a thread. */
#include "lower/opt/iterations.h"
#include "lower/opt/locality/pack.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

struct interchange {
    struct iterations x;
    const struct tree_options *options;
    struct map packed; /* loops that are left as they are for the pack pass */
};

/* Bounds of the loop and those of the first `depth` ones inside do not depend on each other. */
static bool is_rectangular(struct iterations *x, const struct tree_stmt *loop, const struct fuse_nest *nest)
{
    struct tree_scan scan = { .arena = x->tree->scratch };
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < nest->depth; i++)
        if (!tree_scan_keeps_bounds(&scan, nest->loops[i]))
            return false;
    return tree_scan_keeps_bounds(&scan, loop);
}

/* ---- memory ---- */

/* Accesses whose address moves by at most one element per iteration of each loop. */
static void count_even(const struct tree_piece *piece, const struct tree_var *k, const struct tree_var *inner,
                       uint32_t *even_k, uint32_t *even_inner)
{
    *even_k = *even_inner = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct linear at = { .known = true };
        int64_t by_k, by_inner;
        linear_add(&at, piece->accesses.items[i]->at, 1);
        *even_k += linear_take(&at, k, &by_k) && by_k >= -1 && by_k <= 1;
        *even_inner += linear_take(&at, inner, &by_inner) && by_inner >= -1 && by_inner <= 1;
    }
}

static bool has_loops(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->kind == STMT_FOR || has_loops(s->items.items[i]))
            return true;
    return (s->body && has_loops(s->body)) || (s->otherwise && has_loops(s->otherwise));
}

/* How many loops of the nest it pays to go into. */
static uint32_t wanted_depth(const struct tree_stmt *loop, const struct fuse_nest *nest, bool device)
{
    if (device) { /* loops whose iterations can be threads */
        uint32_t depth = 0;
        while (depth < nest->depth && (nest->loops[depth]->loop.independent || nest->loops[depth]->loop.parallel))
            depth++;
        return depth;
    }
    const struct tree_stmt *last = nest->loops[nest->depth - 1];
    uint32_t even_k, even_inner;
    count_even(nest->piece, loop->var, last->var, &even_k, &even_inner);
    if (!has_loops(last->body) && even_k > even_inner)
        return nest->depth;
    return nest->loops[0]->loop.parallel ? nest->depth - 1 : 0;
}

/* ---- the walk ---- */

static bool may_go_inside(struct iterations *x, struct tree_stmt *loop, const struct fuse_nest *nest,
                          const struct tree_frame *frame)
{
    struct tree *t = x->tree;
    struct remarks *r = t->ir->remarks;
    const char *subject = remark_subject(t, loop), *last = remark_subject(t, nest->loops[nest->depth - 1]);
    if (!is_rectangular(x, loop, nest))
        remark(r, loop->place, subject, REMARK_INTERCHANGE_BOUNDS, last);
    else if (!iterations_keep_variables(x, loop))
        remark(r, loop->place, subject, REMARK_INTERCHANGE_VARIABLE, last);
    else if (!iterations_are_apart(x, loop, nest, frame))
        remark(r, loop->place, subject, REMARK_INTERCHANGE_DEPENDENCE, last,
               remark_dependence(t, x->obstacle.a, x->obstacle.b));
    else
        return true;
    return false;
}

/* The nest that the body of the loop consists of, or ends with: in front of it there are values for it alone. NULL:
 * there is none. */
static struct tree_stmt *nest_in(struct iterations *x, const struct tree_stmt *loop, bool device)
{
    const struct tree_stmt *body = loop->body;
    uint32_t last = body->items.count - 1;
    struct piece_set values;
    if (body->items.count == 0 || body->items.items[last]->kind != STMT_FOR || (last > 0 && !device))
        return NULL;
    piece_set_init(&values, x->tree->scratch, x->tree);
    piece_set_clear(&values);
    for (uint32_t i = 0; i < last; i++) {
        struct tree_piece value = { 0 };
        if (body->items.items[i]->kind != STMT_ASSIGN)
            return NULL;
        piece_add(x->tree->scratch, &value, body->items.items[i], NULL);
        if (value.effects)
            return NULL;
        piece_set_add(&values, &value);
    }
    struct tree_piece changes = { 0 };
    piece_add_changes(x->tree->scratch, &changes, body->items.items[last]);
    return last > 0 && piece_set_orders(&values, &changes) ? NULL : body->items.items[last];
}

/* Values in front of the nest go to the begin of its innermost body. */
static void move_values(struct tree *t, const struct tree_stmt *loop, struct tree_stmt *innermost)
{
    struct tree_stmt *body = stmt_block(t);
    for (uint32_t i = 0; i + 1 < loop->body->items.count; i++)
        stmt_append(t, body, loop->body->items.items[i]);
    for (uint32_t i = 0; i < innermost->body->items.count; i++)
        stmt_append(t, body, innermost->body->items.items[i]);
    innermost->body = body;
}

/* `frame`: the loops around, or NULL. */
static bool try_loop(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame, bool device)
{
    struct tree_stmt *inside = NULL;
    if (loop->kind == STMT_FOR && !loop->loop.parallel && !(device && loop->loop.independent))
        inside = nest_in(x, loop, device);
    if (!inside)
        return false;
    struct tree_piece piece = { 0 };
    piece_add(x->tree->scratch, &piece, loop, frame);
    struct fuse_nest nest = fuse_nest_of(inside, &piece);
    if (piece.control || piece.effects || piece.frees)
        return false;
    nest.depth = wanted_depth(loop, &nest, device);
    if (nest.depth == 0 || !may_go_inside(x, loop, &nest, frame))
        return false;
    struct tree_stmt *last = nest.loops[nest.depth - 1], *inner = NEW(x->tree->arena, struct tree_stmt);
    move_values(x->tree, loop, last);
    remark(x->tree->ir->remarks, loop->place, remark_subject(x->tree, loop), REMARK_INTERCHANGED,
           remark_subject(x->tree, last));
    *inner = *loop;
    inner->body = last->body;
    last->body = stmt_block(x->tree);
    stmt_append(x->tree, last->body, inner);
    *loop = *nest.loops[0];
    return true;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct interchange *w = user;
    if (s->kind == STMT_PARALLEL)
        return false;
    if (s->kind == STMT_FOR && !map_has(&w->packed, s))
        try_loop(&w->x, s, NULL, false);
    for (uint32_t i = 0; s->kind == STMT_FOR && i < s->body->items.count; i++)
        if (pack_wants(&w->x, w->options, s, i))
            map_put(w->x.tree->scratch, &w->packed, s->body->items.items[i], s);
    return true;
}

static bool is_light(const struct tree_expr *e)
{
    if (e->op == EXPR_CALL || e->op == EXPR_MATH || e->op == EXPR_DIV || e->op == EXPR_REM)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_light(e->args[i]))
            return false;
    return true;
}

/* Are there but loads and simple arithmetic in front of the nest? */
static bool has_light_values(const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i + 1 < loop->body->items.count; i++)
        if (!is_light(loop->body->items.items[i]->value))
            return false;
    return true;
}

/* Do the bounds of the inner loop not depend on the values? */
static bool keeps_values(const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    for (uint32_t i = 0; i + 1 < loop->body->items.count; i++) {
        const struct tree_var *v = loop->body->items.items[i]->var;
        if (expr_mentions(inner->begin, v) || expr_mentions(inner->end, v) || expr_mentions(inner->step, v))
            return false;
    }
    return true;
}

/* Light values between the loops of a nest go to its inside: all its iterations are threads then. */
static void join_nest(struct iterations *x, struct tree_stmt *loop)
{
    struct tree_stmt *inside = loop->loop.independent && loop->body->items.count > 1 ? nest_in(x, loop, true) : NULL;
    if (!inside || !inside->loop.independent || !has_light_values(loop))
        return;
    struct tree_piece piece = { 0 };
    struct fuse_nest nest = fuse_nest_of(inside, &piece);
    nest.depth = wanted_depth(loop, &nest, true);
    for (uint32_t i = 0; i < nest.depth; i++)
        if (!keeps_values(loop, nest.loops[i]))
            return;
    if (!iterations_keep_variables(x, loop))
        return;
    move_values(x->tree, loop, nest.loops[nest.depth - 1]);
    struct tree_stmt *body = stmt_block(x->tree);
    stmt_append(x->tree, body, inside);
    loop->body = body;
}

/* From the inside out, so that several loops go into the same nest. */
static void look_for_nests(struct iterations *x, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_frame inner;
    if (s->kind == STMT_PARALLEL)
        return;
    if (s->kind == STMT_FOR)
        inner = tree_frame_of(frame, s);
    for (uint32_t i = 0; i < s->items.count; i++)
        look_for_nests(x, s->items.items[i], frame);
    if (s->body)
        look_for_nests(x, s->body, s->kind == STMT_FOR ? &inner : frame);
    if (s->otherwise)
        look_for_nests(x, s->otherwise, frame);
    try_loop(x, s, frame, true);
}

static bool join(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR)
        join_nest(user, s);
    return s->kind != STMT_PARALLEL;
}

static bool interchange(struct tree *t, const struct tree_options *o, bool device)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct interchange w = { .x = iterations_of(t, f), .options = o };
        if (device)
            look_for_nests(&w.x, f->body, NULL);
        else
            stmt_visit(f->body, look, &w);
    }
    return true;
}

bool opt_interchange(struct tree *t, const struct tree_options *o) { return interchange(t, o, false); }

bool opt_interchange_nests(struct tree *t, const struct tree_options *o) { return interchange(t, o, true); }

bool opt_perfect_nests(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct iterations x = iterations_of(t, t->functions.items[i]);
        stmt_visit(t->functions.items[i]->body, join, &x);
    }
    return true;
}
