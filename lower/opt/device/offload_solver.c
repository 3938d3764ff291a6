/* Factorizations, solutions and inverses that a library of the device computes. It wants matrices by columns, works in
 * place and needs pivots: kernels copy to memory of the device that lives for the operation, and back.
 *
 *     sdfg_rt_solve(n, m, A, B, X)    ->    a = device T[n * n]; x = device T[n * m]; pivots = device int32[n]
 *                                           kernel { a[i * n + j] = A'[i, j] }    kernel { x[i + j * n] = B'[i, j] }
 *                                           call sdfg_rt_device_getrf(n, n, a, pivots)
 *                                           call sdfg_rt_device_getrs(n, m, a, pivots, x)
 *                                           kernel { X'[i, j] = x[i + j * n] }
 *
 * Nothing is transferred and nobody waits: the calls stand between launches. A loop over nothing but an operation whose
 * matrices lie evenly is one for many matrices: the kernels have a loop more. */
#include "lower/opt/device/offload.h"
#include "lower/opt/device/solver_form.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_address.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

static bool is_null(const struct tree_expr *e) { return e->op == EXPR_NULL; }

/* ---- many ---- */

static bool are_even(struct offload *o, const struct tree_stmt *loop, const struct solver_form *f)
{
    const struct tree_stmt *call = loop->body->items.items[0];
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, loop);
    for (int i = 0; i < SOLVER_MATRICES && f->matrices[i]; i++) {
        struct tree_expr *const *m = call->args + f->matrices[i];
        if (!address_step(o->tree, m[0], solver_elements(f, call), loop->var) || !tree_scan_invariant(&scan, m[1]) ||
            !tree_scan_invariant(&scan, m[2]))
            return false;
    }
    for (int i = 0; i < SOLVER_CODES; i++)
        if (f->codes[i] && !is_null(call->args[f->codes[i]]))
            return false;
    return tree_scan_invariant(&scan, call->args[f->rows]) && tree_scan_invariant(&scan, call->args[f->columns]) &&
           (!f->lower || tree_scan_invariant(&scan, call->args[f->lower]));
}

static const struct tree_stmt *call_of(struct offload *o, const struct tree_stmt *s)
{
    if (solver_form_of(s))
        return s;
    bool many = o->batches && s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) &&
                expr_is_int(s->step, 1) && s->body->items.count == 1;
    const struct tree_stmt *call = many ? s->body->items.items[0] : NULL;
    const struct solver_form *f = call ? solver_form_of(call) : NULL;
    return f && are_even(o, s, f) ? call : NULL;
}

/* ---- where ---- */

/* Why the library of the device cannot do it; NULL: it can. */
static const char *obstacle(struct offload *o, const struct tree_stmt *call, const struct solver_form *f)
{
    if (f->what != DEMAND && !o->solvers)
        return "cuSOLVER is not there, or the code is for other machines";
    if (f->what != DEMAND && !solver_is_known(f, call))
        return "the type of its elements is not known";
    for (int i = 0; i < SOLVER_MATRICES + SOLVER_CODES; i++) {
        int at = i < SOLVER_MATRICES ? f->matrices[i] : f->codes[i - SOLVER_MATRICES];
        const struct tree_expr *address = call->args[at];
        if (!at || is_null(address))
            continue;
        const struct memory *m = offload_memory(o, address);
        if (!m || m->foreign)
            return "it accesses memory of unknown size";
    }
    return NULL;
}

bool offload_is_solver(struct offload *o, struct tree_stmt *s)
{
    const struct tree_stmt *call = call_of(o, s);
    return call && !obstacle(o, call, solver_form_of(call));
}

const char *offload_solver_on_host(struct offload *o, const struct tree_stmt *s)
{
    const struct solver_form *f = solver_form_of(s);
    return f ? obstacle(o, s, f) : NULL;
}

void offload_solver_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user)
{
    offload_each_touch(o, (struct tree_stmt *)(uintptr_t)call_of(o, s), see, user);
}

/* ---- writing ---- */

struct writing {
    struct offload *offload;
    struct tree_stmt *out;
    const struct tree_stmt *call, *loop; /* loop: NULL for one matrix */
    const struct solver_form *form;
    const struct type *type;
    struct tree_expr *count, *rows, *columns; /* of matrices; extents */
    struct tree_stmt *after;                  /* gives memory back */
};

/* Matrices at equal distances: element (i, j) of number b lies `b * step + i * row + j * column` behind the address. */
struct lying {
    struct tree_expr *address, *row, *column, *step;
    uint32_t alias;
};

static struct tree_expr *value(struct writing *w, struct tree_expr *e)
{
    return offload_value(w->offload, w->out, e, w->call->place);
}

static struct lying operand(struct writing *w, int i)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *const *m = w->call->args + w->form->matrices[i], *address = m[0], *step = expr_i64(t, 0);
    if (w->loop) {
        step = value(w, address_step(t, address, w->type, w->loop->var));
        address = address_in_first(t, address, w->loop);
    }
    return (struct lying){ offload_twins(w->offload, value(w, address)), value(w, m[1]), value(w, m[2]), step, 0 };
}

/* The address of pivots or info on the device. */
static struct tree_expr *code(struct writing *w, int i)
{
    struct tree_expr *address = w->call->args[w->form->codes[i]];
    return is_null(address) ? address : offload_twins(w->offload, value(w, address));
}

static struct tree_expr *times(struct writing *w, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(w->offload->tree, EXPR_MUL, a, b);
}

/* So many elements for each matrix, given back behind the operation. */
static struct tree_var *scratch(struct writing *w, const char *name, const struct type *type, struct tree_expr *size)
{
    struct tree *t = w->offload->tree;
    struct tree_var *v = tree_var(t, name, type_pointer(t->ir, type));
    struct tree_stmt *s = stmt_alloc(t, w->out, v, type, times(w, w->count, size), TREE_DEVICE);
    s->alias = t->num_aliases++;
    s->place = w->call->place;
    stmt_free(t, w->after, v)->where = TREE_DEVICE;
    return v;
}

/* As the library has them, or as their transposes, which lie by rows then. */
static struct lying packed(struct writing *w, const char *name, struct tree_expr *rows, struct tree_expr *columns,
                           bool turned)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *size = stmt_variable(t, w->out, "size", times(w, rows, columns)), *one = expr_i64(t, 1);
    struct tree_expr *address = expr_var(t, scratch(w, name, w->type, size));
    return (struct lying){ address, turned ? columns : one, turned ? one : rows, size, t->num_aliases - 1 };
}

/* ---- kernels that copy ---- */

enum part { WHOLE, LOWER, UPPER, LOWER_ZERO, UPPER_ZERO, IDENTITY }; /* zero: what is not of that triangle becomes so */

struct element_of {
    struct tree_var *b, *i, *j;
};

static struct tree_expr *index_of(struct writing *w, const struct lying *x, const struct element_of *c)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *i = times(w, expr_var(t, c->i), x->row), *j = times(w, expr_var(t, c->j), x->column);
    struct tree_expr *at = expr_binary(t, EXPR_ADD, i, j);
    return c->b ? expr_binary(t, EXPR_ADD, times(w, expr_var(t, c->b), x->step), at) : at;
}

static struct tree_stmt *loop_over(struct writing *w, struct tree_stmt *block, struct tree_var *i,
                                   struct tree_expr *end)
{
    struct tree *t = w->offload->tree;
    struct tree_stmt *loop = stmt_for(t, block, i, expr_i64(t, 0), end, expr_i64(t, 1));
    loop->loop.independent = true;
    loop->place = w->call->place;
    return loop;
}

/* Of each element of the result, which is stored; NULL: it stays as it is. */
static struct tree_expr *element(struct writing *w, const struct lying *from, const struct element_of *c,
                                 enum part part)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *zero = expr_zero(t, w->type), *i = expr_var(t, c->i), *j = expr_var(t, c->j);
    if (part == IDENTITY) {
        struct tree_expr *one = expr_cast(t, w->type, expr_float(t, type_basic(t->ir, TYPE_F64), 1));
        return expr_select(t, expr_binary(t, EXPR_EQ, i, j), one, zero);
    }
    struct tree_expr *loaded = expr_load(t, w->type, from->address, index_of(w, from, c), from->alias);
    if (part == LOWER_ZERO || part == UPPER_ZERO)
        return expr_select(t, expr_binary(t, part == LOWER_ZERO ? EXPR_GE : EXPR_LE, i, j), loaded, zero);
    return loaded;
}

/* The loop whose iterations are neighbours in memory is the innermost one. */
static void copy(struct writing *w, const struct lying *to, const struct lying *from, struct tree_expr *rows,
                 struct tree_expr *columns, enum part part)
{
    struct tree *t = w->offload->tree;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_stmt *block = stmt_block(t), *inner = block;
    bool many = !expr_is_int(w->count, 1), by_rows = expr_is_int((from ? from : to)->column, 1);
    struct element_of c = { many ? tree_var(t, "b", i64) : NULL, tree_var(t, "i", i64), tree_var(t, "j", i64) };
    if (many)
        inner = loop_over(w, inner, c.b, w->count)->body;
    inner = loop_over(w, inner, by_rows ? c.i : c.j, by_rows ? rows : columns)->body;
    inner = loop_over(w, inner, by_rows ? c.j : c.i, by_rows ? columns : rows)->body;
    if (part == LOWER || part == UPPER)
        inner = stmt_if(t, inner, expr_binary(t, part == LOWER ? EXPR_GE : EXPR_LE, expr_var(t, c.i), expr_var(t, c.j)))
                    ->body;
    stmt_store(t, inner, to->address, index_of(w, to, &c), element(w, from, &c, part), to->alias);
    offload_nest(w->offload, w->out, block->items.items[0]);
}

/* ---- calls ---- */

enum { MOST = 12 };

struct device_call {
    struct tree_expr *args[MOST];
    uint32_t count;
};

static void add(struct device_call *c, struct tree_expr *e) { c->args[c->count++] = e; }

static void add_flag(struct writing *w, struct device_call *c, bool flag)
{
    add(c, expr_int(w->offload->tree, type_basic(w->offload->tree->ir, TYPE_I32), flag));
}

/* With what all of them have in front. */
static struct device_call begin(struct writing *w)
{
    struct tree *t = w->offload->tree;
    struct device_call c = { .count = 0 };
    add(&c, expr_context(t));
    add(&c, tree_path_of(t, w->call->place));
    add(&c, expr_int(t, type_basic(t->ir, TYPE_I32), tree_product_type(w->type)));
    return c;
}

static void finish(struct writing *w, struct device_call *c, const char *function)
{
    stmt_call(w->offload->tree, w->out, NULL, function, c->args, c->count)->place = w->call->place;
}

static void call_potrf(struct writing *w, bool lower, const struct lying *a, struct tree_expr *info, bool needed)
{
    struct device_call c = begin(w);
    add_flag(w, &c, lower);
    add(&c, w->rows);
    add(&c, w->count);
    add(&c, a->address);
    add(&c, info);
    add_flag(w, &c, needed);
    finish(w, &c, "sdfg_rt_device_potrf");
}

static void call_getrf(struct writing *w, struct tree_expr *columns, const struct lying *a, struct tree_expr *pivots,
                       struct tree_expr *info, bool needed)
{
    struct device_call c = begin(w);
    add(&c, w->rows);
    add(&c, columns);
    add(&c, w->count);
    add(&c, a->address);
    add(&c, pivots);
    add(&c, info);
    add_flag(w, &c, needed);
    finish(w, &c, "sdfg_rt_device_getrf");
}

static void call_getrs(struct writing *w, bool transposed, struct tree_expr *sides, const struct lying *a,
                       struct tree_expr *pivots, const struct lying *b, struct tree_expr *info)
{
    struct device_call c = begin(w);
    add_flag(w, &c, transposed);
    add(&c, w->rows);
    add(&c, sides);
    add(&c, w->count);
    add(&c, a->address);
    add(&c, pivots);
    add(&c, b->address);
    add(&c, info);
    finish(w, &c, "sdfg_rt_device_getrs");
}

/* ---- operations ---- */

static bool is_by_rows(const struct lying *x) { return expr_is_int(x->column, 1); }

/* A lower triangle by rows is an upper one by columns, and the other way round. */
static void factor_cholesky(struct writing *w)
{
    bool lower = w->call->args[w->form->lower]->i, in_place = w->form->what == POTRF;
    struct lying from = operand(w, 0), to = in_place ? from : operand(w, 1);
    struct lying a = packed(w, "factors", w->rows, w->rows, is_by_rows(&from));
    copy(w, &a, &from, w->rows, w->rows, WHOLE);
    call_potrf(w, lower != is_by_rows(&from), &a, code(w, 1), !in_place);
    if (in_place)
        copy(w, &to, &a, w->rows, w->rows, lower ? LOWER : UPPER);
    else
        copy(w, &to, &a, w->rows, w->rows, lower ? LOWER_ZERO : UPPER_ZERO);
}

static void factor(struct writing *w)
{
    struct lying from = operand(w, 0), a = packed(w, "factors", w->rows, w->columns, false);
    copy(w, &a, &from, w->rows, w->columns, WHOLE);
    call_getrf(w, w->columns, &a, code(w, 0), code(w, 1), false);
    copy(w, &from, &a, w->rows, w->columns, WHOLE);
}

static void solve_factors(struct writing *w)
{
    struct lying from = operand(w, 0), b = operand(w, 1);
    struct lying a = packed(w, "factors", w->rows, w->rows, false);
    struct lying x = packed(w, "solution", w->rows, w->columns, false);
    copy(w, &a, &from, w->rows, w->rows, WHOLE);
    copy(w, &x, &b, w->rows, w->columns, WHOLE);
    call_getrs(w, false, w->columns, &a, code(w, 0), &x, code(w, 1));
    copy(w, &b, &x, w->rows, w->columns, WHOLE);
}

/* The factors of the transpose do as well. */
static void solve(struct writing *w)
{
    struct tree *t = w->offload->tree;
    bool inverse = w->form->what == INVERSE;
    struct lying from = operand(w, 0), to = operand(w, inverse ? 1 : 2);
    bool turned = is_by_rows(&from);
    struct tree_expr *sides = inverse ? w->rows : w->columns;
    struct lying a = packed(w, "factors", w->rows, w->rows, turned);
    struct lying x = packed(w, inverse ? "inverse" : "solution", w->rows, sides, inverse && turned);
    struct tree_expr *pivots = expr_var(t, scratch(w, "pivots", type_basic(t->ir, TYPE_I32), w->rows));
    copy(w, &a, &from, w->rows, w->rows, WHOLE);
    if (inverse) {
        copy(w, &x, NULL, w->rows, w->rows, IDENTITY);
    } else {
        struct lying b = operand(w, 1);
        copy(w, &x, &b, w->rows, sides, WHOLE);
    }
    call_getrf(w, w->rows, &a, pivots, code(w, 1), true);
    call_getrs(w, turned && !inverse, sides, &a, pivots, &x, expr_null(t, pivots->type));
    copy(w, &to, &x, w->rows, sides, WHOLE);
}

static void demand(struct writing *w)
{
    struct tree_expr *args[] = { expr_context(w->offload->tree), value(w, w->call->args[1]), code(w, 1) };
    stmt_call(w->offload->tree, w->out, NULL, "sdfg_rt_device_demand", args, 3)->place = w->call->place;
}

void offload_solver(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    const struct tree_stmt *call = call_of(o, s);
    const struct solver_form *f = solver_form_of(call);
    struct writing w = { .offload = o, .out = out, .call = call, .loop = call == s ? NULL : s, .form = f };
    if (f->what == DEMAND) {
        demand(&w);
        return;
    }
    w.type = solver_elements(f, call);
    w.after = stmt_block(t);
    if (w.loop) {
        s->begin = value(&w, s->begin);
        s->end = value(&w, s->end);
    }
    w.count = w.loop ? stmt_variable(t, out, "matrices", tree_trip_count(t, s)) : expr_i64(t, 1);
    w.rows = stmt_variable(t, out, "rows", value(&w, call->args[f->rows]));
    w.columns = stmt_variable(t, out, "columns", value(&w, call->args[f->columns]));
    if (f->what == CHOLESKY || f->what == POTRF)
        factor_cholesky(&w);
    else if (f->what == GETRF)
        factor(&w);
    else if (f->what == GETRS)
        solve_factors(&w);
    else
        solve(&w);
    for (uint32_t i = 0; i < w.after->items.count; i++)
        stmt_append(t, out, w.after->items.items[i]);
}
