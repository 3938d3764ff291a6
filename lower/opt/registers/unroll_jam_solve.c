/* Rows of a triangular computation go through the columns before all of them together; each needs only rows that are
 * complete.
 *
 *     for i {                                              for i = ... step 4 {
 *         for j = 0 to i {                                     for j = 0 to i {
 *             t[0] = 0                                             t[0] = u[0] = ... = 0
 *             for k = 0 to j { t[0] += A[i, k] * A[j, k] }  ->     for k = 0 to j { t[0] += A[i, k] * A[j, k]
 *             A[i, j] = (A[i, j] - t[0]) / A[j, j]                                  u[0] += A[i + 1, k] * A[j, k] ... }
 *         }                                                        A[i, j] = ...  A[i + 1, j] = ...
 *         A[i, i] = ...                                        }
 *     }                                                        for i' = i to i + 4 { for j = i to i' { ... }  A[i', i']
 * = ... }
 *                                                          }
 *                                                          for i, the rest { ... }
 *
 * Legality: The jammed iterations write rows of their own and read complete rows; every element keeps its terms and
 * their order.
 * Profitability: From eight rows on. */
#include "lower/opt/registers/unroll_jam.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum { ROWS = 4, SHORTEST = 32, MOST_STATEMENTS = 24 };

struct row_block {
    struct tree *tree;
    struct tree_stmt *loop, *inner; /* over rows; over what comes before a row */
    uint32_t at;                    /* of `inner` in the body */
    const struct tree_frame *frame;
    struct tree_scan scan; /* of the loop */
};

/* ---- which loops ---- */

/* Is the memory one that iterations of the inner loop take for themselves? */
static bool takes(const struct row_block *x, const struct tree_expr *pointer)
{
    for (uint32_t i = 0; i < x->inner->body->items.count; i++) {
        const struct tree_stmt *s = x->inner->body->items.items[i];
        if (s->kind == STMT_ALLOC && pointer->op == EXPR_VAR && pointer->var == s->var)
            return true;
    }
    return false;
}

/* Has the expression one value for all rows, in the same column? */
static bool is_same(const struct row_block *x, const struct tree_expr *e)
{
    if (e->op == EXPR_CALL || e->op == EXPR_LOAD ||
        (e->op == EXPR_VAR && e->var != x->inner->var && map_has(&x->scan.assigned, e->var)))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_same(x, e->args[i]))
            return false;
    return true;
}

/* A sum in such memory, of a loop that is the same for all rows. Threads are for more than one sum. */
static bool is_sum(const struct row_block *x, const struct tree_stmt *s)
{
    if (!loop_counts_by_one(s) || s->body->items.count != 1)
        return false;
    const struct tree_stmt *term = s->body->items.items[0];
    if (term->kind != STMT_REDUCE || term->wcr != WCR_SUM || !expr_is_const(term->index) || !takes(x, term->pointer))
        return false;
    return is_same(x, s->begin) && is_same(x, s->end);
}

/* One sum, and statements without control. */
static bool is_body(const struct row_block *x)
{
    uint32_t sums = 0;
    const struct tree_stmt *body = x->inner->body;
    if (body->items.count > MOST_STATEMENTS)
        return false;
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind == STMT_FOR && is_sum(x, s))
            sums++;
        else if (s->kind != STMT_ASSIGN && s->kind != STMT_STORE && s->kind != STMT_REDUCE &&
                 (s->kind != STMT_ALLOC || s->where != TREE_STACK))
            return false;
    }
    return sums == 1;
}

/* b to i + c, with a b that is at most what the first row gives. */
static bool is_triangle(const struct row_block *x)
{
    struct linear end, first, begin;
    int64_t slope;
    linear_of(&end, x->inner->end);
    linear_of(&first, x->loop->begin);
    linear_of(&begin, x->inner->begin);
    if (!linear_take(&end, x->loop->var, &slope) || slope != 1 || !linear_is_constant(&end))
        return false;
    linear_add(&first, &end, 1);
    linear_add(&first, &begin, -1);
    return linear_is_constant(&first) && first.constant >= 0;
}

static bool find_memory(void *user, struct tree_stmt *s)
{
    struct tree_scan *scan = user;
    if (s->kind == STMT_ALLOC)
        map_put(scan->arena, &scan->assigned, s->var, s);
    return true;
}

/* ---- do rows need complete rows only ---- */

/* A row that is one of those together with others. */
struct row {
    struct tree_stmt *loop; /* over the row's number */
    struct tree_frame frame;
    struct tree_scan scan, memory; /* the latter: that it takes for itself */
    struct tree_piece piece;
};

static struct tree_stmt *like(struct tree *t, const struct tree_stmt *loop, struct tree_expr *begin,
                              struct tree_expr *end)
{
    struct tree_var *v = tree_var(t, loop->var->name, loop->var->type);
    return stmt_for(t, stmt_block(t), v, begin, end, loop->step);
}

static void row_init(const struct row_block *x, struct row *r, const struct tree_frame *around, struct tree_expr *begin,
                     struct tree_expr *end)
{
    r->loop = like(x->tree, x->loop, begin, end);
    r->frame = tree_frame_of(around, r->loop);
}

/* What the row touches; `first`: up to the columns that are before all rows, in the block that begins there. */
static void row_fill(const struct row_block *x, struct row *r, const struct tree_stmt *first)
{
    struct tree *t = x->tree;
    struct tree_stmt *body = stmt_clone_apart(t, x->loop->body);
    r->scan = r->memory = (struct tree_scan){ .arena = t->scratch };
    r->piece = (struct tree_piece){ 0 };
    stmt_visit(body, find_memory, &r->memory);
    if (first) {
        struct tree_stmt holder = { .kind = STMT_ASSIGN, .value = x->inner->end };
        stmt_substitute(t, &holder, x->loop->var, expr_var(t, first->var));
        body->items.count = x->at + 1;
        body->items.items[x->at]->end = holder.value;
    }
    stmt_substitute(t, body, x->loop->var, expr_var(t, r->loop->var));
    tree_scan_add(&r->scan, body);
    piece_add(t->scratch, &r->piece, body, &r->frame);
}

static bool is_own(const struct row *r, const struct tree_access *a)
{
    return a->pointer && a->pointer->op == EXPR_VAR && map_has(&r->memory.assigned, a->pointer->var);
}

/* Both rows are of the same block. */
struct two_rows {
    const struct row *a, *b;
};

static bool changes(void *user, const struct tree_var *v)
{
    const struct two_rows *rows = user;
    return map_has(&rows->a->scan.assigned, v) || map_has(&rows->b->scan.assigned, v);
}

static bool writes_what_is_used(const struct row *writer, const struct row *user)
{
    struct two_rows rows = { writer, user };
    for (uint32_t i = 0; i < writer->piece.accesses.count; i++) {
        const struct tree_access *w = writer->piece.accesses.items[i];
        for (uint32_t k = 0; w->write && !is_own(writer, w) && k < user->piece.accesses.count; k++)
            if (!is_own(user, user->piece.accesses.items[k])) {
                struct depend_query q = { .arena = writer->scan.arena,
                                          .a = w,
                                          .b = user->piece.accesses.items[k],
                                          .changes = changes,
                                          .user = &rows };
                if (!depend_is_never(&q))
                    return true;
            }
    }
    return false;
}

/* Neither does a row write what another one, further on in the block, uses in the columns before all of them, nor does
 * that one write there what the row uses. */
static bool rows_are_apart(const struct row_block *x)
{
    struct tree *t = x->tree;
    struct tree_expr *rows = expr_i64(t, ROWS), *one = expr_i64(t, 1);
    struct tree_stmt *first =
        like(t, x->loop, x->loop->begin, expr_binary(t, EXPR_SUB, x->loop->end, expr_i64(t, ROWS - 1)));
    struct tree_expr *begin = expr_var(t, first->var), *end = expr_binary(t, EXPR_ADD, begin, rows);
    struct tree_frame blocks = tree_frame_of(x->frame, first);
    struct row near, far;
    row_init(x, &near, &blocks, begin, end);
    row_init(x, &far, &near.frame, expr_binary(t, EXPR_ADD, expr_var(t, near.loop->var), one), end);
    row_fill(x, &near, NULL);
    row_fill(x, &far, first);
    return !writes_what_is_used(&near, &far) && !writes_what_is_used(&far, &near);
}

/* ---- may they ---- */

static bool is_candidate(struct iterations *it, struct row_block *x)
{
    struct tree *t = x->tree;
    struct tree_piece piece = { 0 };
    if (!loop_counts_by_one(x->inner) || x->inner->loop.parallel || !is_triangle(x))
        return false;
    tree_scan_add(&x->scan, x->loop);
    if (!is_body(x) || !tree_scan_invariant(&x->scan, x->loop->begin) || !tree_scan_invariant(&x->scan, x->loop->end) ||
        !iterations_keep_variables(it, x->loop) || !iterations_keep_variables(it, x->inner))
        return false;
    piece_add(t->scratch, &piece, x->loop, x->frame);
    for (uint32_t i = 0; i < x->loop->body->items.count; i++) {
        const struct tree_stmt *s = x->loop->body->items.items[i];
        if (s->kind == STMT_ALLOC && s->where != TREE_STACK)
            return false;
    }
    return !piece.control && !piece.effects && !piece.frees && !piece.jumps && rows_are_apart(x);
}

/* ---- rewriting ---- */

/* Does what comes before the columns leave no values for the rest of the row? */
static bool is_loose(const struct row_block *x)
{
    struct tree_scan before = { .arena = x->tree->scratch };
    for (uint32_t i = 0; i < x->at; i++)
        tree_scan_add(&before, x->loop->body->items.items[i]);
    for (uint32_t i = 0; i < before.assigned.count; i++) {
        const void *v = before.assigned.slots[i].key;
        if (map_get(&before.uses, v) != map_get(&x->scan.uses, v))
            return false;
    }
    return true;
}

static void append_items(struct tree *t, struct tree_stmt *to, const struct tree_stmt *from, uint32_t begin,
                         uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        stmt_append(t, to, from->items.items[i]);
}

/* Statement by statement, the loops as one. */
static void put_together(struct tree *t, struct tree_stmt *out, struct tree_stmt *const *bodies)
{
    for (uint32_t i = 0; i < bodies[0]->items.count; i++) {
        struct tree_stmt *first = bodies[0]->items.items[i];
        for (int r = 0; r < ROWS; r++) {
            struct tree_stmt *s = bodies[r]->items.items[i];
            if (s->kind != STMT_FOR) {
                stmt_append(t, out, s);
                continue;
            }
            s->loop.parallel = s->body->items.items[0]->atomic = false;
            if (r == 0) {
                stmt_append(t, out, first);
            } else {
                stmt_substitute(t, s->body, s->var, expr_var(t, first->var));
                append_items(t, first->body, s->body, 0, s->body->items.count);
            }
        }
    }
}

/* The rest of a row: columns from `begin` on, and what comes behind them. */
static void put_rest(const struct row_block *x, struct tree_stmt *out, struct tree_stmt *row, struct tree_expr *begin)
{
    row->items.items[x->at]->begin = begin;
    append_items(x->tree, out, row, x->at, row->items.count);
}

/* A loop over the rows of the block that begins at `first`. */
static struct tree_stmt *over_rows(const struct row_block *x, struct tree_stmt *out, struct tree_expr *first)
{
    struct tree *t = x->tree;
    struct tree_stmt *s = stmt_for(t, out, tree_var(t, x->loop->var->name, x->loop->var->type), first,
                                   expr_binary(t, EXPR_ADD, first, expr_i64(t, ROWS)), x->loop->step);
    s->place = x->loop->place;
    return s;
}

static struct tree_stmt *row_of(const struct row_block *x, struct tree_expr *number)
{
    struct tree_stmt *row = stmt_clone_apart(x->tree, x->loop->body);
    stmt_substitute(x->tree, row, x->loop->var, number);
    return row;
}

static void put_block(const struct row_block *x, struct tree_stmt *out, struct tree_expr *first)
{
    struct tree *t = x->tree;
    struct tree_stmt *rows[ROWS], *bodies[ROWS], *loop;
    bool loose = is_loose(x);
    struct tree_stmt *common = stmt_clone_apart(t, x->inner);
    stmt_substitute(t, common, x->loop->var, first);
    common->body = stmt_block(t);
    if (loose && x->at > 0) {
        loop = over_rows(x, out, first);
        append_items(t, loop->body, row_of(x, expr_var(t, loop->var)), 0, x->at);
    }
    for (int r = 0; r < ROWS; r++) {
        rows[r] = row_of(x, expr_binary(t, EXPR_ADD, first, expr_i64(t, r)));
        const struct tree_stmt *inner = rows[r]->items.items[x->at];
        bodies[r] = stmt_clone_apart(t, inner->body);
        stmt_substitute(t, bodies[r], inner->var, expr_var(t, common->var));
        if (!loose)
            append_items(t, out, rows[r], 0, x->at);
    }
    put_together(t, common->body, bodies);
    stmt_append(t, out, common);
    if (loose) {
        loop = over_rows(x, out, first);
        put_rest(x, loop->body, row_of(x, expr_var(t, loop->var)), common->end);
        return;
    }
    for (int r = 0; r < ROWS; r++)
        put_rest(x, out, rows[r], common->end);
}

static void go_together(const struct row_block *x)
{
    struct jam_blocks b = jam_begin(x->tree, x->loop, ROWS);
    put_block(x, b.main->body, b.first);
    jam_end(x->tree, &b);
}

/* ---- the walk ---- */

static bool try_loop(struct iterations *it, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree *t = it->tree;
    if (!loop_counts_by_one(loop) || loop->loop.parallel || loop->loop.independent || loop_is_shorter(loop, SHORTEST))
        return false;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct row_block x = { .tree = t,
                               .loop = loop,
                               .inner = loop->body->items.items[i],
                               .at = i,
                               .frame = frame,
                               .scan = { .arena = t->scratch } };
        if (x.inner->kind != STMT_FOR)
            continue;
        if (!is_candidate(it, &x))
            return false;
        remark(t->ir->remarks, loop->place, remark_subject(t, loop), REMARK_ROWS, ROWS, remark_subject(t, x.inner));
        go_together(&x);
        return true;
    }
    return false;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    return s->kind != STMT_PARALLEL && !try_loop(user, s, frame);
}

bool opt_unroll_jam_solve(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct iterations it = iterations_of(t, t->functions.items[i]);
        tree_visit_frames(t->functions.items[i]->body, NULL, look, &it);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
