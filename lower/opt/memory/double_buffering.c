/* A loop that copies an array in each iteration, and changes it by what the copy holds, needs no copy: even and odd
 * iterations read one of the two arrays and write the other one.
 *
 *                                            copy T[n] at old from now
 *     for q = b to e {                       for pair = 0 to (trips + odd) / 2 {
 *         copy T[n] at old from now              if 2 * pair >= odd {
 *         now[i] = f(old[i - 1], old[i + 1])         old[i] = f(now[i - 1], now[i + 1])
 *         now[0] = now[1]                            old[0] = old[1]
 *     }                                          }
 *                                                now[i] = f(old[i - 1], old[i + 1])
 *                                                now[0] = now[1]
 *                                            }
 *
 * trips: of the loop; odd: trips % 2. The last iteration changes `now`, as in the loop before.
 *
 * Legality: Only this loop reads `old`. All iterations change the same elements of `now`: stores are under no
 * condition, and their places depend on the loops around them alone, whose bounds do not change. So elements that no
 * iteration changes are equal in both arrays, and the others are stored before they are read: a load of `now` in front
 * of all stores becomes a load of `old`. Rows and columns that are loaded before later statements of the iteration
 * store to them (tree_depend.h) are still copied, at the beginning of the iteration. All accesses lie within the
 * elements that are copied.
 * Profitability: The body goes through the arrays once, without loops that repeat a nest, and is short, as its code is
 * doubled; iterations of other loops choose (double_buffering_choice.c). */
#include "lower/opt/memory/double_buffering.h"

#include "lower/opt/iterations.h"
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

/* ---- the two iterations ---- */

struct rename {
    struct tree *tree;
    const struct buffer_pair *pair;
    bool back; /* `old` becomes `now`, too */
};

static uint32_t other_alias(const struct rename *r, uint32_t alias)
{
    const struct tree_stmt *copy = r->pair->copy;
    return alias == copy->alias2 ? copy->alias : alias == copy->alias && r->back ? copy->alias2 : alias;
}

static struct tree_expr *rename_expr(void *user, struct tree_expr *e)
{
    const struct rename *r = user;
    if (e->op == EXPR_VAR && e->var == r->pair->now)
        return expr_var(r->tree, r->pair->old);
    if (e->op == EXPR_VAR && e->var == r->pair->old && r->back)
        return expr_var(r->tree, r->pair->now);
    if (e->op == EXPR_LOAD && other_alias(r, e->alias) != e->alias)
        return expr_load(r->tree, e->type, e->args[0], e->args[1], other_alias(r, e->alias));
    return e;
}

static bool rename_stmt(void *user, struct tree_stmt *s)
{
    struct rename *r = user;
    stmt_rewrite(r->tree, s, rename_expr, r);
    s->alias = other_alias(r, s->alias);
    s->alias2 = other_alias(r, s->alias2);
    return true;
}

/* The loops around a load, without statements in them; gives the innermost body. */
static struct tree_stmt *loops_of(const struct buffers *w, struct tree_stmt *b, const struct tree_frame *f)
{
    if (f == &w->frame)
        return b;
    const struct tree_stmt *l = f->loop;
    struct tree_stmt *around = loops_of(w, b, f->outer);
    struct tree_stmt *loop = stmt_for(w->tree, around, l->var, l->begin, l->end, l->step);
    loop->loop.independent = true;
    loop->place = w->loop->place;
    return loop->body;
}

/* What the load reads comes from `old` into `now`. */
static void copy_row(const struct buffers *w, struct tree_stmt *b, const struct buffer_pair *p,
                     const struct tree_access *load)
{
    struct tree *t = w->tree;
    struct tree_expr *old = expr_var(t, p->old), *now = expr_var(t, p->now), *at = linear_expr(t, load->at);
    uint32_t old_alias = p->copy->alias, now_alias = p->copy->alias2;
    struct tree_stmt *body = loops_of(w, b, load->frame);
    if (load->extent > 1)
        stmt_copy(t, body, load->type, expr_offset(t, now, at), now_alias, expr_offset(t, old, at), old_alias,
                  expr_i64(t, load->extent));
    else
        stmt_store(t, body, now, at, expr_load(t, load->type, old, at, old_alias), now_alias);
}

/* Is it a copy that goes, or does it take or give back the memory of one? */
static bool is_gone(const struct buffers *w, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < w->pairs.count; i++) {
        const struct buffer_pair *p = &w->pairs.items[i];
        if (s == p->copy || ((s->kind == STMT_ALLOC || s->kind == STMT_FREE) && s->var == p->old))
            return true;
    }
    return false;
}

/* Loads in front of the stores read `old`, too. */
struct tree_stmt *buffers_body(const struct buffers *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *body = stmt_block(t), *from = w->loop->body;
    for (uint32_t i = 0; i < w->pairs.count; i++)
        for (uint32_t k = 0; k < w->pairs.items[i].rows.count; k++)
            copy_row(w, body, &w->pairs.items[i], w->pairs.items[i].rows.items[k]);
    for (uint32_t n = 0; n < from->items.count; n++) {
        if (is_gone(w, from->items.items[n]))
            continue;
        struct tree_stmt *s = stmt_clone(t, from->items.items[n]);
        for (uint32_t i = 0; i < w->pairs.count; i++) {
            struct rename r = { t, &w->pairs.items[i], false };
            if (n < r.pair->first_store)
                stmt_visit(s, rename_stmt, &r);
        }
        stmt_append(t, body, s);
    }
    return body;
}

void buffers_swap(const struct buffers *w, struct tree_stmt *body)
{
    for (uint32_t i = 0; i < w->pairs.count; i++) {
        struct rename r = { w->tree, &w->pairs.items[i], true };
        stmt_visit(body, rename_stmt, &r);
    }
}

/* ---- the loop anew ---- */

static struct tree_expr *add(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

/* Two iterations in one; of an odd number of them the first one is the second half. */
static void make_iterations(const struct buffers *w, struct tree_stmt *half, struct tree_expr *begin,
                            struct tree_expr *odd)
{
    struct tree *t = w->tree;
    const struct tree_stmt *loop = w->loop;
    struct tree_expr *twice = expr_binary(t, EXPR_MUL, expr_var(t, half->var), expr_i64(t, 2));
    struct tree_expr *run = expr_binary(t, EXPR_GE, twice, odd);
    struct tree_expr *at = expr_binary(t, EXPR_SUB, add(t, begin, twice), odd);
    struct tree_stmt *body = buffers_body(w), *first = half->body;
    if (!expr_is_int(odd, 0))
        first = stmt_if(t, half->body, run)->body;
    stmt_assign(t, first, loop->var, at);
    bool apart = iterations_define_variables(t, w->loop, &(struct map){ 0 });
    struct tree_stmt *swapped = apart ? stmt_clone_apart(t, body) : stmt_clone(t, body);
    buffers_swap(w, swapped);
    stmt_append(t, first, swapped);
    stmt_assign(t, half->body, loop->var, add(t, at, expr_i64(t, 1)));
    stmt_append(t, half->body, body);
}

void buffers_begin(const struct buffers *w, struct tree_stmt *items, struct tree_expr *any)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i < w->pairs.count; i++) {
        const struct tree_stmt *alloc = buffers_allocation(w, w->pairs.items[i].old);
        if (alloc)
            stmt_append(t, items, stmt_clone(t, alloc));
    }
    if (any)
        items = stmt_if(t, items, any)->body;
    for (uint32_t i = 0; i < w->pairs.count; i++)
        stmt_append(t, items, stmt_clone(t, w->pairs.items[i].copy));
}

void buffers_end(const struct buffers *w, struct tree_stmt *items)
{
    const struct tree_stmt *body = w->loop->body;
    for (uint32_t n = 0; n < body->items.count; n++)
        if (body->items.items[n]->kind == STMT_FREE && is_gone(w, body->items.items[n]))
            stmt_append(w->tree, items, body->items.items[n]);
}

static struct tree_stmt *make_loop(const struct buffers *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *items = stmt_block(t), *loop = w->loop;
    struct tree_expr *zero = expr_i64(t, 0), *two = expr_i64(t, 2);
    struct tree_expr *trips = expr_binary(t, EXPR_MAX, tree_trip_count(t, loop), zero);
    trips = stmt_variable(t, items, "trips", trips);
    struct tree_expr *odd = stmt_variable(t, items, "odd", expr_binary(t, EXPR_REM, trips, two));
    struct tree_expr *begin = stmt_variable(t, items, "begin", loop->begin);
    bool runs = trips->op == EXPR_INT && trips->i > 0; /* else there may be no array */
    buffers_begin(w, items, runs ? NULL : expr_binary(t, EXPR_GT, trips, zero));
    struct tree_stmt *half = stmt_for(t, items, tree_var(t, "pair", loop->var->type), zero,
                                      expr_binary(t, EXPR_DIV, add(t, trips, odd), two), expr_i64(t, 1));
    half->loop = loop->loop;
    half->place = loop->place;
    make_iterations(w, half, begin, odd);
    buffers_end(w, items);
    stmt_assign(t, items, loop->var, add(t, begin, trips));
    return items;
}

static void report(const struct buffers *w)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; t->ir->remarks && i < w->pairs.count; i++) {
        const struct buffer_pair *p = &w->pairs.items[i];
        remark(t->ir->remarks, w->loop->place, remark_subject(t, w->loop), REMARK_DOUBLE_BUFFERED, p->now->name,
               p->old->name);
    }
}

/* May the expression read an array of a pair? */
static bool reads_pair(const struct buffers *w, const struct tree_expr *e)
{
    bool found = e->op == EXPR_LOAD && (!e->alias || buffers_has(w, e->alias));
    for (uint32_t i = 0; i < e->num_args && !found; i++)
        found = reads_pair(w, e->args[i]);
    return found;
}

/* A loop that goes on while a condition holds is looked at as one that counts. */
static void look_at_while(struct buffers *w, struct tree_stmt *s)
{
    struct tree *t = w->tree;
    struct tree_stmt before = *s, like = *s;
    s->kind = STMT_FOR;
    s->value = NULL;
    s->var = tree_var(t, "again", type_basic(t->ir, TYPE_I64));
    s->begin = expr_i64(t, 0);
    s->end = expr_i64(t, INT64_MAX);
    s->step = expr_i64(t, 1);
    w->chooses = true;
    bool found = buffers_find(w) && !reads_pair(w, like.value);
    like.body = s->body;
    *s = before;
    if (!found)
        return;
    report(w);
    s->body = like.body;
    *s = *buffers_choose(w, &like);
}

/* Loops inside come first: statements that are needed twice would make them two loops with one array. */
static bool look(void *user, struct tree_stmt *s)
{
    struct buffers *w = user;
    if (s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL)
        return false;
    if (s->kind != STMT_WHILE && s->kind != STMT_FOR)
        return true;
    stmt_visit(s->body, look, w);
    *w = (struct buffers){ .tree = w->tree, .func = w->func, .whole = w->whole, .loop = s };
    if (s->kind == STMT_WHILE) {
        look_at_while(w, s);
    } else if (!s->loop.parallel && !s->loop.independent && loop_counts_by_one(s) && buffers_find(w)) {
        report(w);
        *s = w->chooses ? *buffers_choose(w, s) : *make_loop(w);
    }
    return false;
}

bool opt_double_buffering(struct tree *t, const struct tree_options *o)
{
    if (o->plain || o->counting)
        return true;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct buffers w = { .tree = t, .func = f, .whole = { .tree = t, .func = f } };
        stmt_flatten(t, f->body);
        stmt_visit(f->body, look, &w);
        stmt_flatten(t, f->body);
    }
    return true;
}
