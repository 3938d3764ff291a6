/* Index arithmetic that leaves 64 bits would pass a test by wrapping around. Where that is not excluded by the ranges
 * of what an index is made of, the test computes the index in floating point, too. Symbols and extents are taken for
 * less than 2^40; a program that is called with a larger one (`large`) makes the tests of all numbers. */
#include "lower/opt/check/check.h"

#include <math.h>

static const double SYMBOL = 0x1p40, LIMIT = 0x1p62;

struct value_range {
    double low, high;
    bool by_symbols; /* holds only if no symbol is large */
};

static struct value_range around(double most, bool by_symbols)
{
    return (struct value_range){ -most, most, by_symbols };
}

static struct value_range hull(struct value_range a, struct value_range b)
{
    return (struct value_range){ fmin(a.low, b.low), fmax(a.high, b.high), a.by_symbols || b.by_symbols };
}

static struct value_range product(struct value_range a, struct value_range b)
{
    double p[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
    return (struct value_range){ fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])),
                                 a.by_symbols || b.by_symbols };
}

static struct value_range range_of(struct checking *k, const struct tree_expr *e, int depth);

static struct value_range range_of_var(struct checking *k, const struct tree_expr *e, int depth)
{
    enum { DEEPEST = 8 };
    for (uint32_t i = 0; i < k->func->params.count; i++)
        if (k->func->params.items[i].var == e->var)
            return around(SYMBOL, true);
    const struct tree_stmt *s = map_get(&k->defined, e->var);
    if (!s || depth > DEEPEST)
        return around(0x1p63, false);
    if (s->kind == STMT_FOR)
        return hull(range_of(k, s->begin, depth + 1), range_of(k, s->end, depth + 1));
    return range_of(k, s->value, depth + 1);
}

/* The values of an integer expression, before it wraps around. */
static struct value_range range_of(struct checking *k, const struct tree_expr *e, int depth)
{
    struct value_range a, b,
        of_type = around(ldexp(1, 8 * (int)e->type->size - (type_is_signed(e->type) ? 1 : 0)), false);
    if (e->op == EXPR_INT)
        return (struct value_range){ (double)e->i, (double)e->i, false };
    if (e->type->kind != TYPE_I64)
        return of_type;
    if (e->op == EXPR_VAR)
        return range_of_var(k, e, depth);
    if (e->op == EXPR_CAST)
        return type_is_integer(e->args[0]->type) ? range_of(k, e->args[0], depth) : of_type;
    if (e->num_args == 0 || e->num_args > 3)
        return of_type;
    a = e->op == EXPR_SELECT ? range_of(k, e->args[2], depth) : range_of(k, e->args[0], depth);
    b = e->num_args > 1 ? range_of(k, e->args[1], depth) : a;
    bool either = a.by_symbols || b.by_symbols;
    switch (e->op) {
    case EXPR_ADD:
        return (struct value_range){ a.low + b.low, a.high + b.high, either };
    case EXPR_SUB:
        return (struct value_range){ a.low - b.high, a.high - b.low, either };
    case EXPR_MUL:
        return product(a, b);
    case EXPR_NEG:
        return (struct value_range){ -a.high, -a.low, a.by_symbols };
    case EXPR_DIV:
    case EXPR_REM:
        return hull(a, around(0, false));
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_SELECT:
        return hull(a, b);
    default:
        return of_type;
    }
}

/* ---- tests ---- */

struct wrap {
    struct checking *k;
    bool by_symbols; /* what was found holds only if no symbol is large */
};

static bool is_arithmetic(const struct tree_expr *e)
{
    return e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL || e->op == EXPR_NEG || e->op == EXPR_MIN ||
           e->op == EXPR_MAX;
}

/* May the arithmetic, or some of it, leave 64 bits? */
static bool may_wrap(struct wrap *w, const struct tree_expr *e)
{
    if (e->type->kind != TYPE_I64 || e->num_args == 0)
        return false;
    struct value_range r = range_of(w->k, e, 0);
    w->by_symbols |= r.by_symbols;
    if (is_arithmetic(e) && (r.low <= -LIMIT || r.high >= LIMIT))
        return true;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (may_wrap(w, e->args[i]))
            return true;
    return false;
}

static struct tree_expr *as_float(struct tree *t, struct tree_expr *e)
{
    const struct type *f64 = type_basic(t->ir, TYPE_F64);
    if (e->type->kind != TYPE_I64 || !is_arithmetic(e))
        return expr_cast(t, f64, e);
    if (e->op == EXPR_NEG)
        return expr_unary(t, EXPR_NEG, as_float(t, e->args[0]));
    return expr_binary(t, e->op, as_float(t, e->args[0]), as_float(t, e->args[1]));
}

/* Is the outermost arithmetic, or some below it, out of range? */
static struct tree_expr *leaves(struct tree *t, struct tree_expr *e, bool inside)
{
    struct tree_expr *bad = expr_bool(t, false);
    bool here = e->type->kind == TYPE_I64 && is_arithmetic(e);
    if (here && !inside) {
        struct tree_expr *f = as_float(t, e);
        const struct type *f64 = f->type;
        struct tree_expr *good =
            expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_GT, f, expr_float(t, f64, -LIMIT)),
                        expr_binary(t, EXPR_LT, f, expr_float(t, f64, LIMIT)));
        bad = expr_unary(t, EXPR_NOT, good);
    }
    for (uint32_t i = 0; i < e->num_args && e->op != EXPR_LOAD; i++)
        bad = expr_binary(t, EXPR_LOGICAL_OR, bad, leaves(t, e->args[i], here));
    return bad;
}

struct tree_expr *check_wraps(struct checking *k, struct tree_expr *e)
{
    struct wrap w = { .k = k };
    struct tree *t = k->tree;
    if (may_wrap(&w, e))
        return leaves(t, e, false);
    if (!w.by_symbols || expr_is_const(e))
        return expr_bool(t, false);
    if (!k->large)
        k->large = tree_var(t, "large", type_basic(t->ir, TYPE_BOOL));
    k->large->owner = NULL;
    return expr_binary(t, EXPR_LOGICAL_AND, expr_var(t, k->large), leaves(t, e, false));
}

/* large = some symbol that indices are made of is not less than 2^40 */
void check_large(struct checking *k)
{
    struct tree *t = k->tree;
    if (!k->large)
        return;
    struct tree_expr *large = expr_bool(t, false);
    for (uint32_t i = 0; i < k->func->params.count; i++) {
        const struct tree_param *p = &k->func->params.items[i];
        if (!p->by_value || p->var->type->kind != TYPE_I64)
            continue;
        struct tree_expr *v = expr_var(t, p->var), *most = expr_i64(t, (int64_t)SYMBOL);
        struct tree_expr *outside = expr_binary(t, EXPR_LOGICAL_OR, expr_binary(t, EXPR_GE, v, most),
                                                expr_binary(t, EXPR_LE, v, expr_unary(t, EXPR_NEG, most)));
        large = expr_binary(t, EXPR_LOGICAL_OR, large, outside);
    }
    struct tree_stmt *first = stmt_block(t);
    stmt_assign(t, first, k->large, large);
    for (uint32_t i = 0; i < k->func->body->items.count; i++)
        stmt_append(t, first, k->func->body->items.items[i]);
    k->func->body = first;
}

/* ---- what variables stand for ---- */

static bool note(void *user, struct tree_stmt *s)
{
    struct checking *k = user;
    const struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++) {
        if (!vars[i] || s->kind == STMT_FREE)
            continue;
        bool known = !map_has(&k->defined, vars[i]) && (s->kind == STMT_FOR || s->kind == STMT_ASSIGN);
        map_put(k->tree->scratch, &k->defined, vars[i], known ? s : NULL);
    }
    return true;
}

void check_definitions(struct checking *k) { stmt_visit(k->func->body, note, k); }
