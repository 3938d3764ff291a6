/* A nest of three loops that computes a matrix product becomes a library call, whatever the order of the loops.
 *
 *     for i {                                            for i, k: F[i, k] = f * a[i, k]
 *         for k {                                        gemm(C += F b)
 *             for j { C[i, j] += f * a[i, k] * b[k, j] }     ->
 *         }
 *     }
 *
 * Legality: The statement is a sum reduction, whose terms may come in any order. A factor that is more than one
 * element is computed into a matrix first, so every term stays what it was.
 * Profitability: From 16 x 16 x 16 on; if the extents are not known, the loops stay for small ones and the choice is
 * made at run time. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

#include <string.h>

enum {
    MOST_OPERATIONS = 64, /* in the term */
    SHORTEST = 8,         /* extent */
    SMALLEST = 1 << 12    /* multiply-adds: 16 x 16 x 16 runs twice as fast in the library */
};

enum { ROW, COLUMN, SUM, LOOPS };
enum { OTHER = 1 << LOOPS }; /* in masks of 1 << ROW and so on: on more than the loops */

struct gemm_nest {
    struct tree *tree;
    struct tree_stmt *outer, *store;
    struct tree_stmt *loops[LOOPS];         /* from the outside in, and by role once that is known */
    const struct tree_frame *frames[LOOPS]; /* around each of them */
    struct tree_scan scan;                  /* of the nest */
    struct map values;                      /* variables of the body -> what they stand for, in terms of the loops */
    struct tree_expr *at;                   /* index of the place of the sum */
    struct tree_expr *factors[2];           /* of row and sum, of sum and column */
    struct tree_expr *extents[LOOPS];
    struct tree_matrix result;
};

/* ---- what values depend on ---- */

static struct tree_expr *insert_value(void *user, struct tree_expr *e)
{
    struct gemm_nest *c = user;
    return e->op == EXPR_VAR && map_has(&c->values, e->var) ? map_get(&c->values, e->var) : e;
}

struct dependence {
    const struct gemm_nest *c;
    uint32_t mask, operations;
};

static void see(void *user, struct tree_expr *e)
{
    struct dependence *d = user;
    const struct gemm_nest *c = d->c;
    d->operations++;
    if (e->op == EXPR_CALL || (e->op == EXPR_LOAD && (!e->alias || e->alias == c->store->alias)))
        d->mask |= OTHER;
    if (e->op != EXPR_VAR || !map_has(&c->scan.assigned, e->var))
        return;
    for (int l = 0; l < LOOPS; l++)
        if (c->loops[l]->var == e->var) {
            d->mask |= 1u << l;
            return;
        }
    d->mask |= OTHER;
}

static uint32_t mask_of(const struct gemm_nest *c, struct tree_expr *e)
{
    struct dependence d = { .c = c };
    expr_visit(e, see, &d);
    return d.operations > MOST_OPERATIONS ? OTHER : d.mask;
}

/* ---- the shape ---- */

static bool is_simple_loop(const struct tree_stmt *s) { return s->kind == STMT_FOR && s->var->type->kind == TYPE_I64; }

/* Three loops, each with nothing but the next one inside; values, and a sum. */
static bool has_shape(struct gemm_nest *c)
{
    struct tree_stmt *s = c->outer;
    for (int l = 0; l < LOOPS; l++) {
        if (!is_simple_loop(s) || !s->body->items.count || (l + 1 < LOOPS && s->body->items.count != 1))
            return false;
        c->loops[l] = s;
        s = s->body->items.items[s->body->items.count - 1];
    }
    c->store = s;
    const struct tree_stmt *body = c->loops[LOOPS - 1]->body;
    for (uint32_t i = 0; i + 1 < body->items.count; i++) {
        const struct tree_stmt *value = body->items.items[i];
        if (value->kind != STMT_ASSIGN || map_has(&c->values, value->var))
            return false;
        struct tree_expr *e = expr_rewrite(c->tree, value->value, insert_value, c);
        if (!expr_is_pure(e))
            return false;
        map_put(c->tree->scratch, &c->values, value->var, e);
    }
    return s->kind == STMT_REDUCE && s->wcr == WCR_SUM && s->alias && s->value->type == s->pointer->type->elem &&
           tree_product_type(s->value->type) >= 0;
}

/* Loops in another order: the roles. The place of the sum has a row and a column, the term has two factors. */
static bool has_roles(struct gemm_nest *c)
{
    c->at = expr_rewrite(c->tree, c->store->index, insert_value, c);
    struct tree_expr *term = expr_rewrite(c->tree, c->store->value, insert_value, c);
    uint32_t place = mask_of(c, c->at), all = (1u << LOOPS) - 1;
    uint32_t sum = all & ~place;
    if (term->op != EXPR_MUL || (place & OTHER) || !sum || (sum & (sum - 1)))
        return false;
    uint32_t first = mask_of(c, term->args[0]), second = mask_of(c, term->args[1]);
    uint32_t row = first & ~sum, column = second & ~sum;
    if ((row | column) != place || (row & column) || !row || !column || !(first & second & sum))
        return false;
    struct tree_stmt *loops[LOOPS];
    const struct tree_frame *frames[LOOPS];
    for (int l = 0; l < LOOPS; l++) {
        int role = row == 1u << l ? ROW : column == 1u << l ? COLUMN : SUM;
        loops[role] = c->loops[l];
        frames[role] = c->frames[l];
    }
    memcpy(c->loops, loops, sizeof loops);
    memcpy(c->frames, frames, sizeof frames);
    c->factors[0] = term->args[0];
    c->factors[1] = term->args[1];
    return true;
}

/* ---- matrices ---- */

static bool is_fixed(const struct gemm_nest *c, const struct linear *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (!tree_scan_invariant(&c->scan, l->terms[i].factors[k]))
                return false;
    return l->known;
}

/* By how much an index grows with each iteration of a loop; NULL if not evenly. */
static struct tree_expr *stride_of(const struct gemm_nest *c, const struct linear *at, const struct tree_stmt *loop)
{
    struct tree *t = c->tree;
    struct linear next, grown, step = { .known = true };
    linear_of(&next, expr_binary(t, EXPR_ADD, expr_var(t, loop->var), loop->step));
    linear_replace(&grown, at, loop->var, &next);
    linear_add(&step, &grown, 1);
    linear_add(&step, at, -1);
    return is_fixed(c, &step) ? linear_expr(t, &step) : NULL;
}

/* Elements of memory as a matrix with the iterations of two loops as its rows and columns. */
static bool matrix_of(const struct gemm_nest *c, struct tree_expr *pointer, struct tree_expr *index, uint32_t alias,
                      int rows, int columns, struct tree_matrix *out)
{
    struct linear at, moved, begin;
    linear_of(&at, index);
    if (!at.known || !tree_scan_invariant(&c->scan, pointer))
        return false;
    out->row = stride_of(c, &at, c->loops[rows]);
    out->column = stride_of(c, &at, c->loops[columns]);
    for (int l = 0; l < LOOPS; l++) {
        linear_of(&begin, c->loops[l]->begin);
        linear_replace(&moved, &at, c->loops[l]->var, &begin);
        linear_copy(&at, &moved);
    }
    if (!out->row || !out->column || !is_fixed(c, &at))
        return false;
    out->address = expr_offset(c->tree, pointer, linear_expr(c->tree, &at));
    out->alias = alias;
    return true;
}

static struct tree_stmt *count_to(struct gemm_nest *c, struct tree_stmt *b, int role)
{
    struct tree *t = c->tree;
    struct tree_var *v = tree_var(t, c->loops[role]->var->name, type_basic(t->ir, TYPE_I64));
    struct tree_stmt *l = stmt_for(t, b, v, expr_i64(t, 0), c->extents[role], expr_i64(t, 1));
    l->place = c->loops[role]->place;
    l->loop.independent = true;
    return l;
}

static void use_counter(struct gemm_nest *c, struct tree_stmt *s, int role, const struct tree_stmt *counter)
{
    struct tree *t = c->tree;
    struct tree_expr *far = expr_binary(t, EXPR_MUL, expr_var(t, counter->var), c->loops[role]->step);
    stmt_substitute(t, s, c->loops[role]->var, expr_binary(t, EXPR_ADD, c->loops[role]->begin, far));
}

/* Memory with the values of a factor; `*taken` is to be given back. */
static struct tree_matrix fill(struct gemm_nest *c, struct tree_stmt *b, struct tree_expr *value, int rows, int columns,
                               struct tree_var **taken)
{
    struct tree *t = c->tree;
    uint32_t alias = t->num_aliases++;
    struct tree_var *v = *taken = tree_var(t, "factor", type_pointer(t->ir, value->type));
    struct tree_expr *width = c->extents[columns];
    stmt_alloc(t, b, v, value->type, expr_binary(t, EXPR_MUL, c->extents[rows], width), TREE_HEAP)->place =
        c->outer->place;
    struct tree_stmt *row = count_to(c, b, rows), *column = count_to(c, row->body, columns);
    row->loop.parallel = true;
    struct tree_expr *at =
        expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, expr_var(t, row->var), width), expr_var(t, column->var));
    struct tree_stmt *s = stmt_store(t, column->body, expr_var(t, v), at, value, alias);
    s->place = c->store->place;
    use_counter(c, s, rows, row);
    use_counter(c, s, columns, column);
    return (struct tree_matrix){ expr_var(t, v), width, expr_i64(t, 1), alias };
}

static struct tree_matrix factor(struct gemm_nest *c, struct tree_stmt *b, int which, struct tree_var **taken)
{
    struct tree_expr *e = c->factors[which];
    int rows = which ? SUM : ROW, columns = which ? COLUMN : SUM;
    struct tree_matrix m;
    *taken = NULL;
    if (e->op == EXPR_LOAD && matrix_of(c, e->args[0], e->args[1], e->alias, rows, columns, &m))
        return m;
    return fill(c, b, e, rows, columns, taken);
}

/* ---- may it, and does it pay ---- */

/* A rectangle of iterations, whose bounds can be computed in front of it. */
static bool has_bounds(const struct gemm_nest *c)
{
    for (int l = 0; l < LOOPS; l++) {
        const struct tree_expr *const bounds[] = { c->loops[l]->begin, c->loops[l]->end, c->loops[l]->step };
        for (int k = 0; k < 3; k++)
            if (!expr_is_pure(bounds[k]) || !tree_scan_invariant(&c->scan, bounds[k]))
                return false;
    }
    return true;
}

/* Do threads around the nest add to the same places? */
static bool is_shared(const struct gemm_nest *c, const struct tree_frame *around)
{
    for (; around && c->store->atomic; around = around->outer)
        if (around->loop->loop.parallel)
            return true;
    return false;
}

/* Do the places of one row or column lie within one step to the next? */
static bool are_dense(const struct gemm_nest *c, struct tree_expr *far, struct tree_expr *near, int near_role)
{
    struct linear step, all = { .known = true };
    linear_of(&step, expr_binary(c->tree, EXPR_MUL, near, c->extents[near_role]));
    linear_add(&all, &step, -1);
    linear_of(&step, far);
    linear_add(&all, &step, 1);
    return near->op == EXPR_INT && near->i != 0 && linear_is_constant(&all) && all.constant == 0;
}

/* Each row and column of the sums has a place of its own. */
static bool has_places(struct iterations *x, const struct gemm_nest *c)
{
    if (are_dense(c, c->result.row, c->result.column, COLUMN) || are_dense(c, c->result.column, c->result.row, ROW))
        return true;
    for (int l = ROW; l <= COLUMN; l++) {
        struct fuse_nest nest = { .loops = { c->loops[l] }, .depth = 1 };
        if (!iterations_are_apart(x, c->loops[l], &nest, c->frames[l]))
            return false;
    }
    return true;
}

static bool is_large(struct gemm_nest *c, bool *known)
{
    int64_t work = 1;
    *known = true;
    for (int l = 0; l < LOOPS; l++) {
        c->extents[l] = tree_trip_count(c->tree, c->loops[l]);
        *known &= c->extents[l]->op == EXPR_INT;
        if (c->extents[l]->op != EXPR_INT)
            continue;
        if (c->extents[l]->i < SHORTEST)
            return false;
        work *= c->extents[l]->i < SMALLEST ? c->extents[l]->i : SMALLEST;
    }
    return !*known || work >= SMALLEST;
}

/* ---- rewriting ---- */

static void call(struct gemm_nest *c, struct tree_stmt *b)
{
    struct tree *t = c->tree;
    const struct type *type = c->store->value->type;
    struct tree_expr *one = expr_cast(t, type, expr_i64(t, 1));
    struct tree_product_of p = { .type = type, .alpha = one, .beta = one, .c = c->result };
    struct tree_var *taken[2];
    p.m = c->extents[ROW];
    p.n = c->extents[COLUMN];
    p.k = c->extents[SUM];
    p.a = factor(c, b, 0, &taken[0]);
    p.b = factor(c, b, 1, &taken[1]);
    stmt_product(t, b, &p)->place = c->outer->place;
    for (int i = 0; i < 2; i++)
        if (taken[i])
            stmt_free(t, b, taken[i]);
}

/* if extents are large { call } else { loops } */
static void choose(struct gemm_nest *c, struct tree_stmt *block)
{
    static const char *const names[] = { "rows", "columns", "terms" };
    struct tree *t = c->tree;
    struct tree_expr *large = NULL, *work = expr_i64(t, 1);
    for (int l = 0; l < LOOPS; l++) {
        if (c->extents[l]->op != EXPR_INT) {
            struct tree_var *v = tree_var(t, names[l], type_basic(t->ir, TYPE_I64));
            stmt_assign(t, block, v, c->extents[l]);
            c->extents[l] = expr_var(t, v);
            struct tree_expr *enough = expr_binary(t, EXPR_GE, c->extents[l], expr_i64(t, SHORTEST));
            large = large ? expr_binary(t, EXPR_LOGICAL_AND, large, enough) : enough;
        }
        work = expr_binary(t, EXPR_MUL, work, expr_binary(t, EXPR_MIN, c->extents[l], expr_i64(t, SMALLEST)));
    }
    large = expr_binary(t, EXPR_LOGICAL_AND, large, expr_binary(t, EXPR_GE, work, expr_i64(t, SMALLEST)));
    struct tree_stmt *either = stmt_if(t, block, large), *loops = NEW(t->arena, struct tree_stmt);
    call(c, either->body);
    *loops = *c->outer;
    stmt_append(t, either->otherwise, loops);
}

/* A function, which is looked at as a whole when the first nest is found. */
struct function {
    struct tree *tree;
    const struct tree_func *func;
    struct iterations iterations;
    bool changed;
};

static struct iterations *iterations_in(struct function *f)
{
    if (!f->iterations.tree)
        f->iterations = iterations_of(f->tree, f->func);
    return &f->iterations;
}

static bool try_nest(struct function *f, struct tree_stmt *outer, const struct tree_frame *around)
{
    struct tree *t = f->tree;
    struct gemm_nest c = { .tree = t, .outer = outer, .scan = { .arena = t->scratch } };
    bool known;
    if (!has_shape(&c))
        return false;
    struct tree_frame inner[] = { tree_frame_of(around, c.loops[0]), { 0 } };
    inner[1] = tree_frame_of(&inner[0], c.loops[1]);
    c.frames[0] = around;
    c.frames[1] = &inner[0];
    c.frames[2] = &inner[1];
    tree_scan_add(&c.scan, outer);
    if (!has_roles(&c) || !has_bounds(&c) || is_shared(&c, around) || !is_large(&c, &known) ||
        !matrix_of(&c, c.store->pointer, c.at, c.store->alias, ROW, COLUMN, &c.result) ||
        !iterations_keep_variables(iterations_in(f), outer) || !has_places(iterations_in(f), &c))
        return false;
    remark(t->ir->remarks, outer->place, remark_subject(t, outer), REMARK_LIBRARY_CALL,
           known ? "gemm" : "gemm where it is large enough, which is decided when it runs");
    struct tree_stmt *block = stmt_block(t);
    (known ? call : choose)(&c, block);
    *outer = *block;
    return f->changed = true;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    return s->kind != STMT_PARALLEL && !(s->kind == STMT_FOR && try_nest(user, s, frame));
}

bool opt_gemm(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->strict_fp && i < t->functions.count; i++) {
        struct function f = { .tree = t, .func = t->functions.items[i] };
        tree_visit_frames(f.func->body, NULL, look, &f);
        if (f.changed)
            stmt_flatten(t, f.func->body);
    }
    return true;
}
