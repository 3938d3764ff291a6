/* Factorizations, solutions and inverses become loop nests where the device has no library for them: LU with partial
 * pivoting, Cholesky's factorization and triangular solves, column by column. A column is a few nests of independent
 * iterations, and all columns are often one kernel (offload_region.c).
 *
 *     sdfg_rt_solve(n, m, A, B, X)    ->    factors = A; X = B
 *                                           for k { largest = max |factors[i, k]|; row = the first i that has it
 *                                                   rows k and `row` are exchanged
 *                                                   factors[i, k] /= factors[k, k]
 *                                                   factors[i, j] -= factors[i, k] * factors[k, j] }
 *                                           for k { rows of X are exchanged, too }
 *                                           for k { X[i, :] -= factors[i, k] * X[k, :] }         i > k
 *                                           for k = n - 1 to 0 { X[k, :] /= factors[k, k]
 *                                                   X[i, :] -= factors[i, k] * X[k, :] }         i < k
 *
 * Legality: Operands and results do not overlap, as the library demands.
 * Profitability: Always: the operands would have to go to the host and the results back. What is in a loop for threads
 * beside other things stays with it. */
#include "lower/opt/device/solver_loops.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

struct walk {
    struct tree *tree;
    struct tree_stmt *loop;   /* for threads, around the call; NULL: none is */
    struct solver_list codes; /* one for each of its iterations */
    /* of a loop that is looked into */
    uint32_t calls, others;
    struct tree_stmt *needed; /* the call, if it fails the program where there is no result */
};

static const struct solver_form *operation_of(const struct tree_stmt *s)
{
    const struct solver_form *f = solver_form_of(s);
    return f && f->what != DEMAND ? f : NULL;
}

static struct solver_expansion begin(struct tree *t, struct tree_stmt *s, const struct solver_form *f)
{
    struct solver_expansion x = { .tree = t, .form = f, .out = stmt_block(t), .i32 = type_basic(t->ir, TYPE_I32) };
    struct tree_stmt *call = arena_copy(t->arena, s, sizeof *s);
    x.call = call;
    x.type = solver_elements(f, call);
    x.real = !type_is_complex(x.type) ? x.type : type_basic(t->ir, x.type->size == 8 ? TYPE_F32 : TYPE_F64);
    x.rows = stmt_variable(t, x.out, "rows", call->args[f->rows]);
    x.columns = stmt_variable(t, x.out, "columns", call->args[f->columns]);
    return x;
}

/* The call fails if one of the codes says that there is no result. */
static void demand(struct solver_expansion *x, struct tree_stmt *out, const struct solver_list *codes,
                   struct tree_expr *count)
{
    struct tree *t = x->tree;
    struct tree_expr *args[] = { expr_context(t), count, codes->address };
    stmt_call(t, out, NULL, "sdfg_rt_demand", args, 3)->place = x->call->place;
    struct tree_stmt *free = stmt_free(t, out, (struct tree_var *)(uintptr_t)codes->address->var);
    free->where = TREE_HEAP;
}

/* Of so many iterations. */
static struct solver_list take_codes(struct solver_expansion *x, struct tree_stmt *out, struct tree_expr *count)
{
    return solver_take(x, out, "codes", x->i32, count, TREE_HEAP);
}

static bool is_needed(const struct tree_stmt *call, const struct solver_form *f)
{
    return call->args[f->codes[1]]->op == EXPR_NULL && f->what != GETRF && f->what != GETRS;
}

static bool expand_call(struct walk *w, struct tree_stmt *s, const struct solver_form *f)
{
    struct tree *t = w->tree;
    struct solver_expansion x = begin(t, s, f);
    bool needed = is_needed(x.call, f), own = needed && !w->loop;
    x.code = (struct solver_list){ x.call->args[f->codes[1]], 0 };
    x.code_at = expr_i64(t, 0);
    if (own) {
        x.code = take_codes(&x, x.out, expr_i64(t, 1));
    } else if (needed) {
        x.code = w->codes;
        x.code_at = expr_binary(t, EXPR_SUB, expr_var(t, w->loop->var), w->loop->begin);
    }
    solver_loops(&x);
    if (own)
        demand(&x, x.out, &x.code, expr_i64(t, 1));
    *s = *x.out;
    return false;
}

static bool count_calls(void *user, struct tree_stmt *s)
{
    struct walk *w = user;
    const struct solver_form *f = operation_of(s);
    bool other = s->kind == STMT_CALL || s->kind == STMT_WHILE || s->kind == STMT_DO ||
                 (s->kind == STMT_FOR && s->loop.parallel);
    w->calls += f && solver_is_known(f, s);
    w->others += other && !f;
    w->needed = f && is_needed(s, f) ? s : w->needed;
    return true;
}

static bool visit(void *user, struct tree_stmt *s);

/* A loop for threads with one call, which is expanded in each iteration. */
static bool expand_in_loop(struct walk *w, struct tree_stmt *s)
{
    struct tree *t = w->tree;
    struct walk inside = { .tree = t };
    stmt_visit(s->body, count_calls, &inside);
    if (inside.calls != 1 || inside.others || !expr_is_int(s->step, 1))
        return false;
    struct tree_stmt *loop = arena_copy(t->arena, s, sizeof *s), *out = stmt_block(t);
    inside.loop = loop;
    struct solver_expansion x = { .tree = t, .call = s, .out = out, .i32 = type_basic(t->ir, TYPE_I32) };
    struct tree_expr *count = NULL;
    if (inside.needed) {
        x.call = inside.needed;
        loop->begin = stmt_variable(t, out, "begin", loop->begin);
        loop->end = stmt_variable(t, out, "end", loop->end);
        count = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_SUB, loop->end, loop->begin), expr_i64(t, 0));
        count = stmt_variable(t, out, "count", count);
        inside.codes = take_codes(&x, out, count);
        x.call = arena_copy(t->arena, inside.needed, sizeof *s);
    }
    stmt_append(t, out, loop);
    stmt_visit(loop->body, visit, &inside);
    if (inside.needed)
        demand(&x, out, &inside.codes, count);
    *s = *out;
    return false;
}

static bool visit(void *user, struct tree_stmt *s)
{
    struct walk *w = user;
    const struct solver_form *f = operation_of(s);
    if (f)
        return solver_is_known(f, s) ? expand_call(w, s, f) : false;
    return s->kind == STMT_FOR && s->loop.parallel ? expand_in_loop(w, s) : true;
}

bool opt_expand_solvers(struct tree *t, const struct tree_options *o)
{
    struct walk w = { .tree = t };
    struct tree_func *main = t->functions.items[0];
    if (!o->cusolver)
        stmt_visit(main->body, visit, &w);
    stmt_flatten(t, main->body);
    return true;
}
