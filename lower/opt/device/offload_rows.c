/* Rows that a thread of a nest does together: what they load is asked for before anything waits, what several of them
 * load is loaded once, and their addresses have most in common.
 *
 *     if i + 2 == last {
 *         v_0 = A[j + N * i]                       all loads
 *         v_1 = A[j + N * (i + 1)]
 *         B[j + N * i] = v_0                       all stores
 *         B[j + N * (i + 1)] = v_1
 *     } else {
 *         for k = i to last { B[j + N * k] = A[j + N * k] }
 *     }
 *
 * Legality: the iterations are independent, so that none loads what another one stores; within one nothing is loaded
 * behind its stores. Profitability: straight code with few loads and no functions, which waits for memory mostly. How
 * many rows there are the host decides when it knows the sizes: one where the device would not have threads enough.
 * Two: a five-point stencil goes from 2.7 to 2.98 of 3.02 TB/s on an H100 by blocks of 64 x 4; four rows give 2.9. */
#include "lower/opt/device/offload_rows.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LOADS = 16, MOST_STORES = 4, MOST_STATEMENTS = 64, ENOUGH = 1 << 20 /* iterations for several rows */ };

struct row {
    uint32_t loads, stores, statements;
    uint32_t loaded; /* statements up to the last one that loads */
    bool good;       /* straight code */
    bool slow;       /* functions, divisions of integers */
    bool behind;     /* something is loaded behind a store */
};

static bool is_slow(const struct tree_expr *e)
{
    return (e->op == EXPR_MATH && e->math != TREE_MATH_sqrt && e->math != TREE_MATH_fabs) || e->op == EXPR_CALL ||
           ((e->op == EXPR_DIV || e->op == EXPR_REM) && type_is_integer(e->type) && e->args[1]->op != EXPR_INT);
}

static void see(void *user, struct tree_expr *e)
{
    struct row *r = user;
    r->loads += e->op == EXPR_LOAD;
    r->slow |= is_slow(e);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see, user); }

static struct row row_of(const struct tree_stmt *body)
{
    struct row r = { .good = true };
    for (uint32_t i = 0; i < body->items.count && r.good; i++) {
        struct tree_stmt *s = body->items.items[i];
        uint32_t before = r.loads;
        r.good = s->kind == STMT_STORE || (s->kind == STMT_ASSIGN && s->var->type->kind != TYPE_POINTER);
        stmt_each_expr(s, see_operand, &r);
        r.loaded = r.loads > before ? i + 1 : r.loaded;
        r.behind |= r.stores > 0 && (r.loads > before || s->kind != STMT_STORE);
        r.stores += s->kind == STMT_STORE;
    }
    r.statements = body->items.count;
    return r;
}

bool offload_rows_fit(const struct tree_stmt *body, bool slow)
{
    struct row r = row_of(body);
    return r.good && (slow || !r.slow) && r.stores && r.stores <= MOST_STORES && r.loads && r.loads <= MOST_LOADS &&
           r.statements <= MOST_STATEMENTS && !r.behind;
}

struct tree_expr *offload_rows_count(struct tree *t, struct tree_expr *iterations)
{
    struct tree_expr *many = expr_binary(t, EXPR_GE, iterations, expr_i64(t, ENOUGH));
    return expr_select(t, many, expr_i64(t, OFFLOAD_ROWS), expr_i64(t, 1));
}

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_ADD, a, expr_i64(t, b));
}

void offload_rows_write(struct tree *t, struct offload_row *out, const struct tree_stmt *body, const struct tree_var *v,
                        struct tree_expr *at)
{
    uint32_t loaded = row_of(body).loaded;
    struct tree_stmt *row = stmt_clone_apart(t, body);
    struct tree_expr *own = stmt_variable(t, out->loads, v->name, expr_cast(t, v->type, at));
    stmt_substitute(t, row, v, own);
    for (uint32_t i = 0; i < row->items.count; i++) {
        struct tree_stmt *s = row->items.items[i], *front = i < loaded ? out->loads : out->values;
        if (s->kind == STMT_STORE && s->value->op != EXPR_VAR)
            s->value = stmt_variable(t, front, "value", s->value);
        stmt_append(t, s->kind == STMT_STORE ? out->stores : front, s);
    }
}

struct offload_row offload_rows_begin(struct tree *t)
{
    return (struct offload_row){ stmt_block(t), stmt_block(t), stmt_block(t) };
}

void offload_rows_end(struct tree *t, struct tree_stmt *out, const struct offload_row *row)
{
    stmt_append(t, out, row->loads);
    stmt_append(t, out, row->values);
    stmt_append(t, out, row->stores);
}

void offload_rows(struct tree *t, struct tree_stmt *out, struct tree_stmt *body, struct tree_var *v,
                  struct tree_expr *first, struct tree_expr *last)
{
    struct tree_expr *whole = expr_binary(t, EXPR_EQ, plus(t, first, OFFLOAD_ROWS), last);
    struct tree_stmt *all = stmt_if(t, out, whole);
    struct offload_row rows = offload_rows_begin(t);
    for (int64_t i = 0; i < OFFLOAD_ROWS; i++)
        offload_rows_write(t, &rows, body, v, plus(t, first, i));
    offload_rows_end(t, all->body, &rows);
    all->otherwise = stmt_block(t);
    struct tree_var *k = v->type == first->type ? v : tree_var(t, v->name, first->type);
    struct tree_stmt *loop = stmt_for(t, all->otherwise, k, first, last, expr_i64(t, 1));
    loop->loop.rolled = true;
    if (k != v)
        stmt_assign(t, loop->body, v, expr_cast(t, v->type, expr_var(t, k)));
    stmt_append(t, loop->body, body);
}
