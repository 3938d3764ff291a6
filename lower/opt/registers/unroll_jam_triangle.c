/* Reductions whose length grows with the outer iteration are started for four iterations together, up to where the
 * first of them ends.
 *
 *     for i {                                       for i = ... step 4 {
 *         t[0] = 0                                      a = b = c = d = 0
 *         for k = 0 to i { t[0] += L[i, k] * x[k] }     for k = 0 to i { a += L[i, k] * x[k]  (the same for b to d) }
 *         x[i] = (B[i] - t[0]) / L[i, i]       ->       t[0] = a; x[i] = ...
 *     }                                                 t[0] = b; t[0] += L[i + 1, i] * x[i]; x[i + 1] = ...
 *                                                       ... }
 *                                                   for i, the rest { ... }
 *
 * Legality: What the common terms load is not written by the jammed iterations; each sum keeps the order of its terms.
 * Profitability: From eight iterations on. As many sums as registers of the machine hold four iterations of, and any
 * number where they load neighbours: four iterations are the lanes of a vector then.
 *
 * If terms load x as vectors and the loop stores it element by element, the last four terms get a loop of their own,
 * which loads elements: a vector load of what was just stored in parts would wait until all parts are in the cache. */
#include "lower/opt/registers/unroll_jam.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    ROWS = 4,
    SHORTEST = 16,
    LONGEST_WAIT = 128,
    MOST_STATEMENTS = 96,
    MOST_TERMS = 4,
    LANES_TERMS = 4 /* sums of vectors that are enough to do while one addition waits for another */
};

struct triangles {
    struct iterations x;
};

struct triangle {
    struct tree *tree;
    struct tree_stmt *loop, *sum;               /* the loop around, and the one with the terms */
    struct tree_stmt *terms[MOST_TERMS];        /* t[0] += ..., each with a t of its own */
    const struct tree_stmt *starts[MOST_TERMS]; /* t[0] = a constant, which the sum begins with; NULL: there is none */
    uint32_t num_terms;
    const struct tree_frame *frame;
    struct tree_scan scan; /* of the loop */
    struct tree_piece piece;
    bool ok;
};

/* ---- may the terms come first ---- */

/* `frame`: of the load. */
static bool may_meet(const struct triangle *x, const struct tree_access *write, const struct tree_expr *load,
                     const struct tree_frame *frame)
{
    struct linear at;
    linear_of(&at, load->args[1]);
    struct tree_access read = { .alias = load->alias,
                                .read = true,
                                .pointer = load->args[0],
                                .type = load->type,
                                .at = &at,
                                .extent = 1,
                                .frame = frame };
    struct depend_query q = { .arena = x->tree->scratch,
                              .a = write,
                              .b = &read,
                              .changes = tree_scan_assigns,
                              .user = (void *)(uintptr_t)&x->scan };
    return !depend_is_never(&q);
}

static void see_term(void *user, struct tree_expr *e)
{
    struct triangle *x = user;
    bool own = e->op == EXPR_VAR && (e->var == x->loop->var || e->var == x->sum->var);
    if (e->op == EXPR_CALL || (e->op == EXPR_VAR && !own && map_has(&x->scan.assigned, e->var)))
        x->ok = false;
}

struct loads {
    const struct triangle *x;
    const struct tree_frame *frame;
    uint32_t count;
    bool ok;
};

static void see_load(void *user, struct tree_expr *e)
{
    struct loads *l = user;
    l->count += e->op == EXPR_LOAD;
    for (uint32_t i = 0; e->op == EXPR_LOAD && i < l->x->piece.accesses.count; i++) {
        const struct tree_access *w = l->x->piece.accesses.items[i];
        l->ok &= !w->write || !may_meet(l->x, w, e, l->frame);
    }
}

static struct tree_stmt *like(struct tree *t, const struct tree_stmt *loop, struct tree_expr *end)
{
    struct tree_var *v = tree_var(t, loop->var->name, loop->var->type);
    return stmt_for(t, stmt_block(t), v, loop->begin, end, loop->step);
}

/* Do terms of any iteration, as far as iteration i goes, load nothing that iteration i writes? Iterations that are
 * together begin with one whose sum is the shortest. */
static bool term_is_apart(const struct triangle *x, const struct tree_stmt *s)
{
    struct tree *t = x->tree;
    struct tree_frame around = tree_frame_of(x->frame, x->loop);
    struct tree_stmt *any = like(t, x->loop, x->loop->end), *term = like(t, x->sum, x->sum->end);
    struct tree_frame any_row = tree_frame_of(&around, any), terms = tree_frame_of(&any_row, term);
    struct tree_stmt *copy = stmt_clone(t, s);
    stmt_substitute(t, copy, x->loop->var, expr_var(t, any->var));
    stmt_substitute(t, copy, x->sum->var, expr_var(t, term->var));
    struct loads l = { .x = x, .frame = &terms, .ok = true };
    expr_visit(copy->value, see_load, &l);
    return l.ok && l.count > 0;
}

/* ---- which loops ---- */

/* i + c, where the loop from b on begins with an i that gives at least b. */
static bool is_triangle(const struct triangle *x)
{
    struct linear end, first;
    int64_t slope;
    linear_of(&end, x->sum->end);
    linear_of(&first, x->loop->begin);
    if (!end.known || !linear_take(&end, x->loop->var, &slope) || slope != 1)
        return false;
    for (uint32_t i = 0; i < end.count; i++)
        for (uint32_t k = 0; k < end.terms[i].count; k++)
            if (!tree_scan_invariant(&x->scan, end.terms[i].factors[k]))
                return false;
    struct linear begin;
    linear_of(&begin, x->sum->begin);
    linear_add(&first, &end, 1);
    linear_add(&first, &begin, -1);
    return linear_is_constant(&first) && first.constant >= 0 && tree_scan_invariant(&x->scan, x->sum->begin);
}

static bool is_term(const struct tree_stmt *s)
{
    return s->kind == STMT_REDUCE && s->wcr == WCR_SUM && !s->atomic && s->alias != 0 && expr_is_const(s->index) &&
           s->pointer->op == EXPR_VAR && (s->value->type->kind == TYPE_F32 || s->value->type->kind == TYPE_F64) &&
           s->pointer->type->elem == s->value->type;
}

/* Is the sum in memory that every iteration takes for itself? */
static bool is_own(const struct triangle *x, const struct tree_stmt *term)
{
    for (uint32_t i = 0; i < x->loop->body->items.count; i++) {
        const struct tree_stmt *s = x->loop->body->items.items[i];
        if (s == x->sum)
            return false;
        if (s->kind == STMT_ALLOC && s->where == TREE_STACK && s->var == term->pointer->var)
            return true;
    }
    return false;
}

/* The store in front of the sum that only the sum builds on. */
static const struct tree_stmt *find_start(const struct triangle *x, const struct tree_stmt *term)
{
    const struct tree_stmt *start = NULL;
    for (uint32_t i = 0; x->loop->body->items.items[i] != x->sum; i++) {
        const struct tree_stmt *s = x->loop->body->items.items[i];
        struct tree_scan scan = { .arena = x->tree->scratch };
        tree_scan_add(&scan, s);
        if (s->kind == STMT_STORE && expr_equal(s->pointer, term->pointer) && expr_equal(s->index, term->index) &&
            expr_is_const(s->value))
            start = s;
        else if (map_has(&scan.uses, term->pointer->var))
            start = NULL;
    }
    return start;
}

/* Nothing but sums, each in memory of its own. */
static bool find_terms(struct triangle *x)
{
    const struct tree_stmt *body = x->sum->body;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        if (x->num_terms == MOST_TERMS || !is_term(s) || !is_own(x, s))
            return false;
        for (uint32_t k = 0; k < x->num_terms; k++)
            if (x->terms[k]->pointer->var == s->pointer->var)
                return false;
        x->starts[x->num_terms] = find_start(x, s);
        x->terms[x->num_terms++] = s;
    }
    return x->num_terms > 0;
}

static struct tree_expr *lanes_of(const struct triangle *x, uint32_t m)
{
    struct tree *t = x->tree;
    struct tree_expr *value = x->terms[m]->value;
    return jam_lanes(t, value, x->loop->var, type_vector(t->ir, value->type, ROWS, NULL));
}

/* Does every sum load neighbours, so that a vector holds what it is in four iterations? */
static bool has_lanes(const struct triangle *x)
{
    bool lanes = x->num_terms >= LANES_TERMS;
    for (uint32_t m = 0; m < x->num_terms && lanes; m++)
        lanes = lanes_of(x, m) != NULL;
    return lanes;
}

static bool has_registers(const struct triangle *x)
{
    return x->num_terms * ROWS < machine_vector_registers(x->tree->machine);
}

static bool may_start_together(struct triangles *all, struct triangle *x)
{
    struct tree *t = x->tree;
    if (!loop_counts_by_one(x->sum) || x->sum->loop.parallel || !find_terms(x) || !(has_lanes(x) || has_registers(x)) ||
        !iterations_keep_variables(&all->x, x->loop))
        return false;
    tree_scan_add(&x->scan, x->loop);
    if (!tree_scan_invariant(&x->scan, x->loop->begin) || !tree_scan_invariant(&x->scan, x->loop->end))
        return false;
    piece_add(t->scratch, &x->piece, x->loop, x->frame);
    x->ok = !x->piece.control && !x->piece.effects && !x->piece.frees && !x->piece.jumps && is_triangle(x);
    for (uint32_t i = 0; i < x->num_terms && x->ok; i++) {
        expr_visit(x->terms[i]->value, see_term, x);
        x->ok = x->ok && term_is_apart(x, x->terms[i]);
    }
    return x->ok;
}

static void see_stored(void *user, struct tree_expr *e)
{
    struct loads *l = user;
    struct linear at;
    int64_t step;
    if (e->op != EXPR_LOAD)
        return;
    linear_of(&at, e->args[1]);
    if (!at.known || !linear_take(&at, l->x->sum->var, &step) || step != 1)
        return;
    for (uint32_t i = 0; i < l->x->piece.accesses.count; i++) {
        const struct tree_access *w = l->x->piece.accesses.items[i];
        l->count += w->store && w->alias == e->alias;
    }
}

/* Do terms load elements one behind the other from what the loop stores? Several sums, and long ones, are enough
 * to do while vectors wait. */
static bool loads_stored(const struct triangle *x)
{
    struct loads l = { .x = x };
    for (uint32_t i = 0; i < x->num_terms; i++)
        expr_visit(x->terms[i]->value, see_stored, &l);
    return l.count > 0 && x->num_terms == 1 && loop_has_constant_bounds(x->loop) && loop_span(x->loop) <= LONGEST_WAIT;
}

/* ---- rewriting ---- */

static bool is_start(const struct triangle *x, const struct tree_stmt *s)
{
    bool found = false;
    for (uint32_t m = 0; m < x->num_terms; m++)
        found |= s == x->starts[m];
    return found;
}

/* t[0] += value; instead of a start: t[0] = value. */
static void put_begun(const struct triangle *x, struct tree_stmt *block, uint32_t number, struct tree_expr *value)
{
    const struct tree_stmt *term = x->terms[number];
    if (x->starts[number])
        stmt_store(x->tree, block, term->pointer, term->index, value, term->alias)->place = term->place;
    else
        stmt_reduce(x->tree, block, WCR_SUM, false, term->pointer, term->index, value, term->alias)->place =
            term->place;
}

/* The iteration `row` behind `first`, whose sum has `begun`. */
static void put_row(const struct triangle *x, struct tree_stmt *block, struct tree_expr *first, int row,
                    struct tree_var *const *begun)
{
    struct tree *t = x->tree;
    struct tree_stmt *body = stmt_block(t);
    struct tree_expr *shortest = expr_binary(t, EXPR_ADD, x->sum->end, expr_i64(t, -row));
    for (uint32_t i = 0; i < x->loop->body->items.count; i++) {
        struct tree_stmt *s = x->loop->body->items.items[i];
        if (s != x->sum) {
            if (!is_start(x, s))
                stmt_append(t, body, stmt_clone(t, s));
            continue;
        }
        for (uint32_t m = 0; m < x->num_terms; m++)
            put_begun(x, body, m, expr_var(t, begun[m]));
        for (int k = 0; k < row; k++)
            for (uint32_t m = 0; m < x->num_terms; m++) {
                struct tree_stmt *term = stmt_clone(t, x->terms[m]);
                stmt_substitute(t, term, x->sum->var, expr_binary(t, EXPR_ADD, shortest, expr_i64(t, k)));
                stmt_append(t, body, term);
            }
    }
    body = stmt_clone_apart(t, body);
    stmt_substitute(t, body, x->loop->var, expr_binary(t, EXPR_ADD, first, expr_i64(t, row)));
    stmt_append(t, block, body);
}

/* The term of iteration `number`, in the loop over those of all. */
static void begin_term(const struct triangle *x, struct tree_stmt *terms, const struct tree_stmt *term,
                       struct tree_var *begun, struct tree_expr *number, bool reassociate)
{
    struct tree *t = x->tree;
    struct tree_stmt *copy = stmt_clone(t, term);
    stmt_substitute(t, copy, x->sum->var, expr_var(t, terms->var));
    stmt_substitute(t, copy, x->loop->var, number);
    struct tree_stmt *sum =
        stmt_assign(t, terms->body, begun, expr_binary(t, EXPR_ADD, expr_var(t, begun), copy->value));
    sum->place = term->place;
    sum->reassociate = reassociate;
}

/* `terms` goes as far as the iterations before have stored long ago. */
static struct tree_expr *far_end(const struct triangle *x)
{
    struct tree *t = x->tree;
    struct tree_expr *end = expr_binary(t, EXPR_SUB, x->sum->end, expr_int(t, x->sum->var->type, ROWS));
    return expr_binary(t, EXPR_MAX, x->sum->begin, end);
}

/* For each of the iterations, what terms `begin` .. `end` - 1 add to the sums begun. */
static void put_terms(const struct triangle *x, struct tree_stmt *block, struct tree_expr *first,
                      struct tree_expr *begin, struct tree_expr *end, struct tree_var *(*begun)[MOST_TERMS],
                      bool reassociate)
{
    struct tree *t = x->tree;
    struct tree_var *v = tree_var(t, x->sum->var->name, x->sum->var->type);
    struct tree_stmt *terms = stmt_for(t, block, v, begin, end, x->sum->step);
    terms->place = x->sum->place;
    for (int r = 0; r < ROWS; r++)
        for (uint32_t m = 0; m < x->num_terms; m++)
            begin_term(x, terms, x->terms[m], begun[r][m], expr_binary(t, EXPR_ADD, first, expr_int(t, first->type, r)),
                       reassociate);
    stmt_substitute(t, terms, x->loop->var, first);
}

static void put_scalars(const struct triangle *x, struct tree_stmt *block, struct tree_expr *first,
                        struct tree_var *(*begun)[MOST_TERMS])
{
    struct tree *t = x->tree;
    for (int r = 0; r < ROWS; r++)
        for (uint32_t m = 0; m < x->num_terms; m++)
            stmt_assign(t, block, begun[r][m], x->starts[m] ? x->starts[m]->value : expr_zero(t, begun[r][m]->type))
                ->place = x->terms[m]->place;
    struct tree_expr *far = loads_stored(x) ? far_end(x) : x->sum->end;
    put_terms(x, block, first, x->sum->begin, far, begun, true);
    if (far != x->sum->end)
        put_terms(x, block, first, far, x->sum->end, begun, false);
}

/* The same where vectors have what all iterations load and add: terms of one sum in all of them. */
static void put_lanes(const struct triangle *x, struct tree_stmt *block, struct tree_expr *first,
                      struct tree_var *(*begun)[MOST_TERMS])
{
    struct tree *t = x->tree;
    struct tree_var *v = tree_var(t, x->sum->var->name, x->sum->var->type);
    struct tree_stmt *outer = stmt_block(t), *terms = stmt_for(t, outer, v, x->sum->begin, x->sum->end, x->sum->step);
    terms->place = x->sum->place;
    for (uint32_t m = 0; m < x->num_terms; m++) {
        struct tree_expr *value = lanes_of(x, m);
        struct tree_expr *start = x->starts[m] ? x->starts[m]->value : expr_zero(t, value->type->elem);
        struct tree_var *sums = tree_var(t, "sums", value->type);
        stmt_assign(t, block, sums, expr_splat(t, value->type, start))->place = x->terms[m]->place;
        stmt_assign(t, terms->body, sums, expr_binary(t, EXPR_ADD, expr_var(t, sums), value))->place =
            x->terms[m]->place;
        for (int r = 0; r < ROWS; r++)
            stmt_assign(t, outer, begun[r][m], expr_lane(t, expr_var(t, sums), expr_i64(t, r)));
    }
    stmt_substitute(t, terms, x->sum->var, expr_var(t, v));
    stmt_substitute(t, terms, x->loop->var, first);
    stmt_append(t, block, outer);
}

static void start_together(const struct triangle *x)
{
    struct tree *t = x->tree;
    struct tree_var *begun[ROWS][MOST_TERMS];
    struct jam_blocks b = jam_begin(t, x->loop, ROWS);
    struct tree_stmt *body = b.main->body;
    for (int r = 0; r < ROWS; r++)
        for (uint32_t m = 0; m < x->num_terms; m++)
            begun[r][m] = tree_var(t, "begun", x->terms[m]->value->type);
    if (has_lanes(x))
        put_lanes(x, body, b.first, begun);
    else
        put_scalars(x, body, b.first, begun);
    for (int r = 0; r < ROWS; r++)
        put_row(x, body, b.first, r, begun[r]);
    jam_end(t, &b);
}

/* ---- the walk ---- */

static bool try_loop(struct triangles *all, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree *t = all->x.tree;
    if (!loop_counts_by_one(loop) || loop->loop.parallel || loop_is_shorter(loop, SHORTEST) ||
        stmt_count(loop->body) > MOST_STATEMENTS)
        return false;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct triangle x = {
            .tree = t, .loop = loop, .sum = loop->body->items.items[i], .frame = frame, .scan = { .arena = t->scratch }
        };
        if (!may_start_together(all, &x))
            continue;
        remark(t->ir->remarks, loop->place, remark_subject(t, loop), REMARK_TRIANGLE, remark_subject(t, x.sum), ROWS);
        start_together(&x);
        return true;
    }
    return false;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame) { return !try_loop(user, s, frame); }

bool opt_unroll_jam_triangle(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->strict_fp && i < t->functions.count; i++) {
        struct triangles all = { .x = iterations_of(t, t->functions.items[i]) };
        tree_visit_frames(t->functions.items[i]->body, NULL, look, &all);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
