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
 * Sums over several loops (convolutions) are tiled whether operands are gathered or not; what is packed for them is
 * packed in front of all loops that it does not depend on.
 *
 * Legality: Each sum keeps its terms and their order. A value is packed if it depends on neither the row nor the sums,
 * for the columns and terms that some row needs, so nothing is loaded that was not loaded before.
 * Profitability: From 16 iterations on; sums over several loops from 4 columns on, where 16 rows or more use what is
 * packed. Sums over one loop of operands side by side only if they are packed in front of a loop around the rows. */
#include "lower/opt/locality/pack.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 16, FEWEST = 4 /* of sums over several loops */, MOST_STATEMENTS = 32 };

/* What belongs around a loop when all are found. */
struct pack_around {
    struct tree_stmt *loop, *first, *last;
};

struct packs {
    struct iterations x;
    const struct tree_options *options;
    VEC(struct pack_around) around;
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
    for (uint32_t i = 0; i < p->num_sums; i++)
        if (v == p->sums[i]->var)
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

static bool is_short(const struct pack *p, const struct tree_stmt *loop)
{
    return loop_is_shorter(loop, p->num_sums > 1 ? FEWEST : SHORTEST);
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
    uint32_t count = p->column->body->items.count - 1;
    for (uint32_t i = 0; i < p->num_sums; i++)
        count += p->sums[i]->body->items.count - 1;
    return p->masks.count == count;
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
    for (uint32_t i = 0; i < p->num_sums; i++)
        if (!tree_scan_invariant(&p->scan, p->sums[i]->begin) || !tree_scan_invariant(&p->scan, p->sums[i]->end))
            return false;
    return tree_scan_invariant(&p->scan, p->row->begin) && tree_scan_invariant(&p->scan, p->row->end) &&
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

static struct tree_stmt *last_of(const struct tree_stmt *loop)
{
    return loop->body->items.count ? loop->body->items.items[loop->body->items.count - 1] : NULL;
}

/* Loops with values in front of the next one, the innermost of them independent, which has values in front of a store.
 */
static bool has_shape(struct pack *p, struct tree_stmt *sum)
{
    struct tree_stmt *last = sum;
    for (p->column = NULL; last && last->kind == STMT_FOR; last = last_of(last)) {
        if (!loop_counts_by_one(last) || p->num_sums == PACK_SUMS)
            return false;
        if (p->column)
            p->sums[p->num_sums++] = p->column;
        p->column = last;
    }
    if (p->num_sums == 0 || !last || !p->column->loop.independent)
        return false;
    p->store = last;
    p->type = p->store->value ? p->store->value->type : NULL;
    return (p->store->kind == STMT_STORE || (p->store->kind == STMT_REDUCE && p->store->wcr == WCR_SUM)) &&
           !is_short(p, p->row) && !is_short(p, p->column) && stmt_count(sum) <= MOST_STATEMENTS;
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

static bool has_values(struct pack *p)
{
    for (uint32_t i = 0; i < p->num_sums; i++)
        if (!take_values(p, p->sums[i]->body, PACK_COLUMN | PACK_PLACE))
            return false;
    return take_values(p, p->column->body, 0) && is_straight(p) && is_vector(p, p->store->value);
}

/* Everything but that rows are independent. */
static bool suits(struct iterations *x, struct pack *p, uint32_t at)
{
    struct tree_stmt *sum = p->row->body->items.items[at];
    if (!loop_counts_by_one(p->row) || sum->kind != STMT_FOR || !has_shape(p, sum) || !is_alone(x, p) || !has_place(p))
        return false;
    split_body(p, at);
    if (!keeps_to_itself(p, sum) || !keeps_to_itself(p, p->before) || !keeps_to_itself(p, p->after) || !has_bounds(p) ||
        !has_values(p))
        return false;
    p->gathers = gathers(p);
    return p->num_packed > 0;
}

/* Other sums stay, unless many rows share what is packed. */
static bool pays(const struct pack *p) { return p->num_sums > 1 || p->gathers; }

static struct pack pack_of(struct tree *t, const struct tree_options *o, struct tree_stmt *row)
{
    return (struct pack){
        .tree = t, .strict = o->strict_fp, .row = row, .homes = { row }, .num_homes = 1, .scan = { .arena = t->scratch }
    };
}

bool pack_wants(struct iterations *x, const struct tree_options *o, struct tree_stmt *row, uint32_t at)
{
    struct pack p = pack_of(x->tree, o, row);
    struct fuse_nest nest = { .loops = { row }, .depth = 1 };
    return suits(x, &p, at) && pays(&p) && (row->loop.independent || iterations_are_apart(x, row, &nest, NULL));
}

/* Are there many rows for one packing, as far as that is known? Gathered operands have been asked for as many. */
static bool has_many_rows(const struct pack *p)
{
    int64_t rows = 1;
    for (uint32_t i = 0; i < p->num_homes && rows < SHORTEST; i++) {
        const struct tree_stmt *loop = p->homes[i];
        bool known = loop_has_constant_bounds(loop) && loop->step->op == EXPR_INT;
        rows *= known && loop_is_shorter(loop, SHORTEST) ? loop_span(loop) / loop->step->i : SHORTEST;
    }
    return rows >= SHORTEST;
}

/* Iterations that threads share do not each pack for themselves. */
static bool is_packed_in_parallel(const struct pack *p, const struct tree_frame *frame)
{
    uint32_t at = 1;
    for (; frame; frame = frame->outer, at++)
        if (frame->loop->loop.parallel && at >= p->num_homes)
            return true;
    return false;
}

static bool try_sum(struct packs *all, struct tree_stmt *row, const struct tree_frame *frame, uint32_t at)
{
    struct tree *t = all->x.tree;
    struct pack p = pack_of(t, all->options, row);
    if (!suits(&all->x, &p, at))
        return false;
    pack_find_home(&p, frame);
    if (is_packed_in_parallel(&p, frame) || !has_many_rows(&p) || !(p.num_homes > 1 || pays(&p)))
        return false;
    struct pack_around around = { p.homes[p.num_homes - 1], stmt_block(t), stmt_block(t) };
    remark(t->ir->remarks, row->place, remark_subject(t, row), REMARK_PACKED, PACK_ROWS, remark_subject(t, p.column));
    pack_rewrite(&p, around.first, around.last);
    if (p.num_homes > 1)
        vec_push(t->scratch, &all->around, around);
    return true;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_PARALLEL)
        return false;
    if (s->kind != STMT_FOR || !s->loop.independent)
        return true;
    for (uint32_t i = 0; i < s->body->items.count; i++)
        if (try_sum(user, s, frame, i))
            return false;
    return true;
}

static void put_around(struct tree *t, const struct pack_around *a)
{
    struct tree_stmt *block = stmt_block(t), *loop = NEW(t->arena, struct tree_stmt);
    *loop = *a->loop;
    stmt_append(t, block, a->first);
    stmt_append(t, block, loop);
    stmt_append(t, block, a->last);
    *a->loop = *block;
}

bool opt_pack(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct packs all = { .x = iterations_of(t, t->functions.items[i]), .options = o };
        tree_visit_frames(t->functions.items[i]->body, NULL, look, &all);
        for (uint32_t k = 0; k < all.around.count; k++)
            put_around(t, &all.around.items[k]);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
