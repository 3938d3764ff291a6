/* Values that some iterations append to an array: their lanes are moved to the front of a vector, which is stored
 * there.
 *
 *     batch[n] = a[i]                         some = active & a > 0
 *     n = n + int64(a[i] > 0)          ->     count = lanes_count(some)
 *                                             batch[n if active(0, count)] = compact(a, some)
 *                                             n = n + count
 *
 * Legality: n is nothing but the place of these stores, which stand in front of its step, and nothing else of the loop
 * touches the array. */
#include "lower/opt/vectors/vectorize.h"

#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

enum { NARROWEST = 4 /* bytes of lanes that instructions move */ };

/* The condition under which n = n + 1; NULL: always. */
static struct tree_expr *condition_of(const struct tree_stmt *step)
{
    struct tree_expr *more = step->value->args[1];
    return more->op == EXPR_CAST ? more->args[0] : NULL;
}

static bool is_step(const struct tree_stmt *s, const struct tree_var *n)
{
    const struct tree_expr *e = s->kind == STMT_ASSIGN && s->var == n ? s->value : NULL;
    if (!e || e->op != EXPR_ADD || e->args[0]->op != EXPR_VAR || e->args[0]->var != n)
        return false;
    const struct tree_expr *more = e->args[1];
    bool condition = more->op == EXPR_CAST && more->args[0]->type->kind == TYPE_BOOL && !expr_mentions(more, n);
    return condition || expr_is_int(more, 1);
}

static struct tree_stmt *find_step(struct tree_stmt *s, const struct tree_var *n, uint32_t *at)
{
    struct tree_stmt *found = NULL;
    for (uint32_t i = 0; i < s->items.count && !found; i++) {
        *at = i;
        found = is_step(s->items.items[i], n) ? s : find_step(s->items.items[i], n, at);
    }
    if (!found && s->body)
        found = find_step(s->body, n, at);
    return found || !s->otherwise ? found : find_step(s->otherwise, n, at);
}

struct class_uses {
    uint32_t alias, count;
};

static void count_load(void *user, struct tree_expr *e)
{
    struct class_uses *u = user;
    u->count += (e->op == EXPR_LOAD || e->op == EXPR_MASKED) && (e->alias == 0 || e->alias == u->alias);
}

static void count_operand(void *user, struct tree_expr **e) { expr_visit(*e, count_load, user); }

static bool count_access(void *user, struct tree_stmt *s)
{
    struct class_uses *u = user;
    stmt_each_expr(s, count_operand, u);
    u->count += stmt_rows[s->kind].flags & STMT_WRITES && (s->alias == 0 || s->alias == u->alias);
    return true;
}

/* batch[n] = e, the only access to that memory. */
static bool is_append(const struct vectorize *v, const struct tree_stmt *s, const struct tree_var *n)
{
    struct class_uses u = { .alias = s->alias };
    if (s->kind != STMT_STORE || s->index->op != EXPR_VAR || s->index->var != n || !s->alias ||
        !type_is_arithmetic(s->value->type) || s->pointer->type->elem != s->value->type ||
        !tree_scan_invariant(&v->scan, s->pointer) || expr_mentions(s->value, n))
        return false;
    stmt_visit(v->loop->body, count_access, &u);
    return u.count == 1;
}

bool lanes_take_place(struct vectorize *v, struct lane_variable *x)
{
    struct arena *a = v->tree->scratch;
    uint32_t at;
    struct tree_stmt *block = find_step(v->loop->body, x->var, &at);
    if (!block || x->var->type->kind != TYPE_I64)
        return false;
    uint32_t first = at;
    while (first && is_append(v, block->items.items[first - 1], x->var))
        first--;
    if (first == at || (uintptr_t)map_get(&v->scan.uses, x->var) != 2 + at - first)
        return false;
    x->step = block->items.items[at];
    for (uint32_t i = first; i < at; i++) {
        map_put(a, &v->appends, block->items.items[i], x);
        vec_push(a, &v->hidden, block->items.items[i]);
    }
    v->bytes = v->bytes < NARROWEST ? NARROWEST : v->bytes;
    return true;
}

/* The condition and the number of lanes that append, at the first store; false: see `why`. */
static bool begin(struct vectorize *v, struct lane_variable *x, struct tree_stmt *out, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    struct tree_expr *condition = condition_of(x->step);
    if (x->some)
        return true;
    if (condition && !(condition = lanes_of(v, condition, mask)))
        return false;
    x->some = condition ? stmt_variable(t, out, "some", expr_binary(t, EXPR_AND, mask, condition)) : mask;
    x->many = stmt_variable(t, out, "count", expr_lanes_count(t, x->some));
    return true;
}

bool lanes_append(struct vectorize *v, struct tree_stmt *s, struct tree_stmt *out, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    struct lane_variable *x = map_get(&v->appends, s);
    struct tree_expr *value = begin(v, x, out, mask) ? lanes_of(v, s->value, mask) : NULL;
    if (!value)
        return false;
    struct tree_expr *front = expr_active(t, x->some->type, expr_i64(t, 0), x->many);
    value = expr_compact(t, value, x->some);
    stmt_masked(t, out, s->pointer, s->index, front, value, s->alias)->place = s->place;
    return true;
}

void lanes_step(struct vectorize *v, const struct lane_variable *x, struct tree_stmt *out)
{
    struct tree *t = v->tree;
    stmt_assign(t, out, x->var, expr_binary(t, EXPR_ADD, expr_var(t, x->var), x->many))->place = x->step->place;
}
