/* Sums of products whose operands are gathered are tiled for registers, and the operands are packed into the order of
 * the tiles.
 *
 *     for i ... independent {                         for j, k: packed[j / 16, k, j % 16] = A[j, k] * alpha
 *         for k {                                     for i, 4 at a time {
 *             b = B[i, k]                                 for j up to the last row's end, 16 at a time {
 *             for j = 0 to i + 1 independent {    ->          sums = C[i .. i + 3, j .. j + 15]
 *                 C[i, j] += A[j, k] * alpha * b              for k { sums += packed[j .. j + 15, k] * b, vectors }
 *             }                                               C[i .. i + 3, j .. j + 15] = sums
 *         }                                               }
 *     }                                               }
 *
 * Legality: Each sum keeps its terms and their order. A value is packed if it depends on neither the row nor the sums,
 * for the columns and terms that some row needs, so nothing is loaded that was not loaded before.
 * Profitability: From 16 iterations on. */
#include "lower/opt/locality/pack.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 16, MOST_STATEMENTS = 32 };

struct packs {
    struct iterations x;
    const struct tree_options *options;
};

/* ---- what values depend on ---- */

static bool is_written(const struct pack *p, uint32_t alias)
{
    for (uint32_t i = 0; i < p->piece.accesses.count; i++) {
        const struct tree_access *a = p->piece.accesses.items[i];
        if (a->write && (a->alias == alias || a->alias == 0 || alias == 0))
            return true;
    }
    return false;
}

static uint32_t mask_of_variable(const struct pack *p, const struct tree_var *v)
{
    if (v == p->row->var)
        return PACK_ROW;
    if (v == p->sum->var)
        return PACK_SUM;
    if (v == p->column->var)
        return PACK_COLUMN;
    if (map_has(&p->masks, v))
        return (uint32_t)(uintptr_t)map_get(&p->masks, v);
    return map_has(&p->scan.assigned, v) ? PACK_UNKNOWN : 0;
}

static uint32_t mask_of_load(const struct pack *p, const struct tree_expr *e)
{
    if (p->store && e->alias == p->store->alias)
        return e->type == p->type && expr_equal(e->args[0], p->store->pointer) &&
                       expr_equal(e->args[1], p->store->index)
                   ? PACK_PLACE | PACK_COLUMN | PACK_ROW
                   : PACK_UNKNOWN;
    return is_written(p, e->alias) ? PACK_UNKNOWN : 0;
}

uint32_t pack_mask_of(const struct pack *p, const struct tree_expr *e)
{
    uint32_t mask = e->op == EXPR_VAR    ? mask_of_variable(p, e->var)
                    : e->op == EXPR_LOAD ? mask_of_load(p, e)
                    : e->op == EXPR_CALL ? PACK_UNKNOWN
                                         : 0;
    for (uint32_t i = 0; i < e->num_args; i++)
        mask |= pack_mask_of(p, e->args[i]);
    return mask;
}

int pack_find(const struct pack *p, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < p->num_packed; i++)
        if (expr_equal(p->packed[i], e))
            return (int)i;
    return -1;
}

/* ---- may the value be one of vectors ---- */

static bool is_vector(struct pack *p, struct tree_expr *e)
{
    uint32_t mask = pack_mask_of(p, e);
    if ((mask & PACK_UNKNOWN) || e->type != p->type)
        return false;
    if (!(mask & PACK_COLUMN) || (e->op == EXPR_LOAD && (mask & PACK_PLACE)))
        return true;
    if (pack_is_packed(mask)) {
        if (pack_find(p, e) >= 0)
            return true;
        if (p->num_packed == PACK_ARRAYS)
            return false;
        p->packed[p->num_packed++] = e;
        return true;
    }
    if (e->op == EXPR_VAR)
        return true; /* was one when it was assigned */
    bool arithmetic =
        (e->op >= EXPR_ADD && e->op <= EXPR_DIV) || e->op == EXPR_NEG || e->op == EXPR_MIN || e->op == EXPR_MAX;
    for (uint32_t i = 0; i < e->num_args && arithmetic; i++)
        arithmetic = is_vector(p, e->args[i]);
    return arithmetic;
}

/* ---- the loops ---- */

/* Are all uses of what the piece assigns inside it? */
static bool keeps_to_itself(const struct pack *p, const struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = p->tree->scratch };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const void *v = scan.assigned.slots[i].key;
        if (map_get(&scan.uses, v) != map_get(&p->scan.uses, v))
            return false;
    }
    return true;
}

/* The assignments in front of the last statement of a block, each variable once. */
static bool take_values(struct pack *p, const struct tree_stmt *block, uint32_t forbidden)
{
    for (uint32_t i = 0; i + 1 < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind != STMT_ASSIGN || !type_is_basic(s->var->type) || map_has(&p->masks, s->var))
            return false;
        uint32_t mask = pack_mask_of(p, s->value);
        bool varies = (mask & PACK_COLUMN) && !pack_is_packed(mask);
        if ((mask & (forbidden | PACK_UNKNOWN)) || (varies && !is_vector(p, s->value)))
            return false;
        map_put(p->tree->scratch, &p->masks, s->var, (void *)(uintptr_t)mask);
        map_put(p->tree->scratch, &p->defined, s->var, s);
    }
    return true;
}

/* Uses of variables in front of their assignment would be values of the iteration before. */
static bool is_straight(const struct pack *p)
{
    return p->masks.count == p->sum->body->items.count + p->column->body->items.count - 2;
}

/* The place of the sums: its own for each row and column, the same for all terms. */
static bool has_place(const struct pack *p)
{
    struct linear at;
    int64_t by_column;
    linear_of(&at, p->store->index);
    uint32_t mask = pack_mask_of(p, p->store->index);
    return p->store->alias && !p->store->atomic && p->store->value->type == p->store->pointer->type->elem &&
           (p->type->kind == TYPE_F32 || p->type->kind == TYPE_F64) && at.known &&
           linear_take(&at, p->column->var, &by_column) && by_column != 0 && !(mask & ~(PACK_ROW | PACK_COLUMN)) &&
           pack_mask_of(p, p->store->pointer) == 0;
}

/* Bounds of the columns: the same for all rows but for one that may be 1 later with each row. */
static bool slope_of(const struct pack *p, const struct tree_expr *bound, int64_t *slope)
{
    struct linear rest;
    linear_of(&rest, bound);
    if (!rest.known || !linear_take(&rest, p->row->var, slope) || *slope < 0 || *slope > 1)
        return false;
    for (uint32_t i = 0; i < rest.count; i++)
        for (uint32_t k = 0; k < rest.terms[i].count; k++)
            if (!tree_scan_invariant(&p->scan, rest.terms[i].factors[k]))
                return false;
    return true;
}

static bool has_bounds(struct pack *p)
{
    return tree_scan_invariant(&p->scan, p->sum->begin) && tree_scan_invariant(&p->scan, p->sum->end) &&
           tree_scan_invariant(&p->scan, p->row->begin) && tree_scan_invariant(&p->scan, p->row->end) &&
           slope_of(p, p->column->begin, &p->begin_slope) && slope_of(p, p->column->end, &p->end_slope) &&
           p->begin_slope + p->end_slope <= 1;
}

/* ---- does it pay ---- */

struct gathers {
    const struct pack *p;
    uint32_t count;
};

static void see_gather(void *user, struct tree_expr *e)
{
    struct gathers *g = user;
    struct linear at;
    int64_t by_column;
    if (e->op == EXPR_VAR && map_has(&g->p->defined, e->var)) {
        expr_visit(((struct tree_stmt *)map_get(&g->p->defined, e->var))->value, see_gather, g);
        return;
    }
    if (e->op != EXPR_LOAD)
        return;
    linear_of(&at, e->args[1]);
    g->count += !at.known || !linear_take(&at, g->p->column->var, &by_column) || by_column > 1 || by_column < -1;
}

static bool gathers(const struct pack *p)
{
    struct gathers g = { .p = p };
    for (uint32_t i = 0; i < p->num_packed; i++)
        expr_visit(p->packed[i], see_gather, &g);
    return g.count > 0;
}

/* ---- the walk ---- */

/* A loop with values in front of an independent one, which has values in front of a store. */
static bool has_shape(struct pack *p)
{
    const struct tree_stmt *outer = p->sum->body;
    if (!loop_counts_by_one(p->sum) || outer->items.count == 0)
        return false;
    p->column = outer->items.items[outer->items.count - 1];
    if (!loop_counts_by_one(p->column) || !p->column->loop.independent || p->column->body->items.count == 0)
        return false;
    p->store = p->column->body->items.items[p->column->body->items.count - 1];
    bool sum = p->store->kind == STMT_REDUCE && p->store->wcr == WCR_SUM;
    p->type = p->store->value ? p->store->value->type : NULL;
    return (p->store->kind == STMT_STORE || sum) && !loop_is_shorter(p->row, SHORTEST) &&
           !loop_is_shorter(p->column, SHORTEST) && stmt_count(p->sum) <= MOST_STATEMENTS;
}

static bool is_alone(struct iterations *x, struct pack *p)
{
    tree_scan_add(&p->scan, p->row->body);
    if (!p->row->body->items.count || !iterations_keep_variables(x, p->row))
        return false;
    map_put(p->tree->scratch, &p->scan.assigned, p->row->var, p->row->var);
    piece_add(p->tree->scratch, &p->piece, p->row, NULL);
    return !p->piece.control && !p->piece.effects && !p->piece.frees && !p->piece.jumps;
}

static void split_body(struct pack *p, uint32_t at)
{
    p->before = stmt_block(p->tree);
    p->after = stmt_block(p->tree);
    for (uint32_t i = 0; i < p->row->body->items.count; i++)
        if (i != at)
            stmt_append(p->tree, i < at ? p->before : p->after, p->row->body->items.items[i]);
}

/* Everything but that rows are independent. */
static bool suits(struct iterations *x, struct pack *p, uint32_t at)
{
    if (!loop_counts_by_one(p->row) || p->sum->kind != STMT_FOR || !has_shape(p) || !is_alone(x, p) || !has_place(p))
        return false;
    split_body(p, at);
    uint32_t varying = PACK_COLUMN | PACK_PLACE;
    return keeps_to_itself(p, p->sum) && keeps_to_itself(p, p->before) && keeps_to_itself(p, p->after) &&
           has_bounds(p) && take_values(p, p->sum->body, varying) && take_values(p, p->column->body, 0) &&
           is_straight(p) && is_vector(p, p->store->value) && gathers(p);
}

static struct pack pack_of(struct tree *t, const struct tree_options *o, struct tree_stmt *row, uint32_t at)
{
    return (struct pack){ .tree = t,
                          .strict = o->strict_fp,
                          .row = row,
                          .sum = row->body->items.items[at],
                          .scan = { .arena = t->scratch } };
}

bool pack_wants(struct iterations *x, const struct tree_options *o, struct tree_stmt *row, uint32_t at)
{
    struct pack p = pack_of(x->tree, o, row, at);
    struct fuse_nest nest = { .loops = { row }, .depth = 1 };
    return suits(x, &p, at) && (row->loop.independent || iterations_are_apart(x, row, &nest, NULL));
}

static bool try_sum(struct packs *all, struct tree_stmt *row, uint32_t at)
{
    struct tree *t = all->x.tree;
    struct pack p = pack_of(t, all->options, row, at);
    if (!suits(&all->x, &p, at))
        return false;
    remark(t->ir->remarks, row->place, remark_subject(t, row), REMARK_PACKED, PACK_ROWS, remark_subject(t, p.column));
    pack_rewrite(&p);
    return true;
}

static bool look(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL)
        return false;
    if (s->kind != STMT_FOR || !s->loop.independent)
        return true;
    for (uint32_t i = 0; i < s->body->items.count; i++)
        if (try_sum(user, s, i))
            return false;
    return !s->loop.parallel; /* what is packed is memory for all threads */
}

bool opt_pack(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct packs all = { .x = iterations_of(t, t->functions.items[i]), .options = o };
        stmt_visit(t->functions.items[i]->body, look, &all);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
