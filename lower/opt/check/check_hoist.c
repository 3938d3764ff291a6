/* Marks in front of loops. */
#include "lower/opt/check/check.h"
#include "lower/tree/tree_rewrite.h"

#include <math.h>

/* ---- how an expression depends on a variable ---- */

enum direction { CONSTANT = 0, GROWS = 1, FALLS = 2, UNKNOWN = 3 };

static enum direction both(enum direction a, enum direction b) { return (enum direction)(a | b); }

static enum direction against(enum direction a) { return a == GROWS ? FALLS : a == FALLS ? GROWS : a; }

static enum direction times(enum direction a, int64_t by) { return by == 0 ? CONSTANT : by > 0 ? a : against(a); }

static enum direction direction_of(const struct tree_expr *e, const struct tree_var *v)
{
    if (!expr_mentions(e, v))
        return CONSTANT;
    if (e->op == EXPR_VAR)
        return GROWS;
    const struct tree_expr *a = e->num_args ? e->args[0] : NULL, *b = e->num_args == 2 ? e->args[1] : NULL;
    if (!type_is_signed(e->type))
        return UNKNOWN;
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_MIN:
    case EXPR_MAX:
        return both(direction_of(a, v), direction_of(b, v));
    case EXPR_SUB:
        return both(direction_of(a, v), against(direction_of(b, v)));
    case EXPR_NEG:
        return against(direction_of(a, v));
    case EXPR_MUL:
        return b->op == EXPR_INT   ? times(direction_of(a, v), b->i)
               : a->op == EXPR_INT ? times(direction_of(b, v), a->i)
                                   : UNKNOWN;
    case EXPR_DIV:
        return b->op == EXPR_INT && b->i > 0 ? direction_of(a, v) : UNKNOWN;
    case EXPR_CAST: /* to a type that holds all values */
        return type_is_signed(a->type) && a->type->size <= e->type->size ? direction_of(a, v) : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

/* A sum of products of which each has the variable once at most: the ends of its range are those of the sum. */
static bool is_linear_in(const struct tree_expr *e, const struct tree_var *v)
{
    if (!expr_mentions(e, v) || e->op == EXPR_VAR)
        return true;
    if (e->op == EXPR_ADD || e->op == EXPR_SUB)
        return is_linear_in(e->args[0], v) && is_linear_in(e->args[1], v);
    return e->op == EXPR_MUL && expr_mentions(e->args[0], v) != expr_mentions(e->args[1], v) &&
           is_linear_in(e->args[0], v) && is_linear_in(e->args[1], v);
}

/* ---- over all iterations of a loop ---- */

struct checked_iterations {
    struct checking *k;
    const struct tree_stmt *loop;
    struct tree_expr *first, *last;
};

struct replacement {
    const struct tree_var *var;
    struct tree_expr *value;
};

static struct tree_expr *replace_var(void *user, struct tree_expr *e)
{
    const struct replacement *r = user;
    return e->op == EXPR_VAR && e->var == r->var ? r->value : e;
}

static struct tree_expr *value_at(struct checked_iterations *it, struct tree_expr *e, struct tree_expr *value)
{
    struct replacement r = { it->loop->var, value };
    return expr_rewrite(it->k->tree, e, replace_var, &r);
}

/* The largest that a constant of the expression can become when the loop's variable is replaced by one of its ends. */
static double magnitude(const struct checked_iterations *it, const struct tree_expr *e)
{
    if (e->op == EXPR_INT)
        return fabs((double)e->i);
    if (e->op == EXPR_VAR && e->var == it->loop->var)
        return fmax(magnitude(it, it->first), magnitude(it, it->last));
    double all = e->num_args ? magnitude(it, e->args[0]) : 1;
    for (uint32_t i = 1; i < e->num_args; i++) {
        double next = magnitude(it, e->args[i]);
        all = e->op == EXPR_MUL ? all * next : all + next;
    }
    return fmax(all, 1);
}

/* The least, or largest, value in all iterations; NULL if that is not known exactly. */
static struct tree_expr *extreme(struct checked_iterations *it, struct tree_expr *e, bool least)
{
    struct tree *t = it->k->tree;
    enum direction d = direction_of(e, it->loop->var);
    if (d == UNKNOWN) { /* sums in which it cancels, or nearly */
        struct linear l;
        linear_of(&l, e);
        if (l.known && e->type->kind == TYPE_I64)
            e = linear_expr(t, &l);
        d = direction_of(e, it->loop->var);
    }
    if (d == CONSTANT)
        return e;
    if (magnitude(it, e) >= 0x1p62) /* it might wrap around */
        return NULL;
    if (d != UNKNOWN)
        return value_at(it, e, (d == GROWS) == least ? it->first : it->last);
    if (!is_linear_in(e, it->loop->var))
        return NULL;
    return expr_binary(t, least ? EXPR_MIN : EXPR_MAX, value_at(it, e, it->first), value_at(it, e, it->last));
}

static struct tree_expr *last_of(struct tree *t, const struct tree_stmt *loop)
{
    struct tree_expr *one = expr_int(t, loop->end->type, 1), *last = expr_binary(t, EXPR_SUB, loop->end, one);
    if (expr_is_int(loop->step, 1))
        return last;
    struct tree_expr *steps = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_SUB, last, loop->begin), loop->step);
    return expr_binary(t, EXPR_ADD, loop->begin, expr_binary(t, EXPR_MUL, steps, loop->step));
}

/* Has the loop an iteration? */
static struct tree_expr *runs(struct checking *k, const struct tree_stmt *loop)
{
    struct tree_expr *count = expr_binary(k->tree, EXPR_SUB, loop->end, loop->begin);
    if (check_is_at_least(count, 1, NULL, k))
        return expr_bool(k->tree, true);
    return expr_binary(k->tree, EXPR_LT, loop->begin, loop->end);
}

/* ---- moving ---- */

static bool same_marks(const struct tree_stmt *a, const struct tree_stmt *b)
{
    if (a->num_args != b->num_args || a->check->container != b->check->container || a->check->read != b->check->read ||
        a->check->write != b->check->write)
        return false;
    for (uint32_t i = CHECK_WHEN; i < a->num_args; i++)
        if (!expr_equal(a->args[i], b->args[i]))
            return false;
    return true;
}

struct moved {
    VEC(struct tree_stmt *) marks;
};

/* The mark for all iterations, or NULL. */
static struct tree_stmt *over_iterations(struct checked_iterations *it, const struct tree_stmt *mark)
{
    struct tree *t = it->k->tree;
    const struct tree_scan *scan = check_scan(it->k, it->loop);
    if (expr_mentions(mark->args[CHECK_WHEN], it->loop->var))
        return NULL;
    for (uint32_t i = CHECK_WHEN; i < mark->num_args; i++)
        if (!tree_scan_invariant(scan, mark->args[i]))
            return NULL;
    struct tree_stmt *out = stmt_new(t, NULL, STMT_CALL);
    *out = *mark;
    out->args = arena_copy(t->arena, mark->args, mark->num_args * sizeof *out->args);
    for (uint32_t d = 0; d < mark->check->rank; d++) {
        struct tree_expr **low = check_number(out, d, CHECK_LOW), **high = check_number(out, d, CHECK_HIGH);
        *low = extreme(it, *low, true);
        *high = *low ? extreme(it, *high, false) : NULL;
        if (!*high || expr_mentions(*check_number(out, d, CHECK_EXTENT), it->loop->var) ||
            expr_mentions(*check_number(out, d, CHECK_STRIDE), it->loop->var))
            return NULL;
    }
    out->args[CHECK_WHEN] = expr_binary(t, EXPR_LOGICAL_AND, runs(it->k, it->loop), out->args[CHECK_WHEN]);
    out->args[CHECK_POINTER] = expr_null(t, mark->args[CHECK_POINTER]->type);
    return out;
}

/* Takes marks out of a block that every iteration goes through; false where control may leave it. */
static bool collect(struct checked_iterations *it, struct tree_stmt *block, struct moved *out)
{
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (stmt_is_check(s)) {
            struct tree_stmt *moved = over_iterations(it, s);
            bool known = false;
            for (uint32_t n = 0; moved && n < out->marks.count; n++)
                known |= same_marks(out->marks.items[n], moved);
            if (!moved)
                continue;
            it->k->hoisted++;
            check_drop(it->k, s);
            if (!known)
                vec_push(it->k->tree->scratch, &out->marks, moved);
        } else if (check_is_guard(it->k, s)) {
            if (!collect(it, s->body, out))
                return false;
        } else if (check_jumps(s)) {
            return false;
        }
    }
    return true;
}

/* The loop behind the marks that have left it. */
static void place_before(struct checking *k, struct tree_stmt *block, struct tree_stmt *loop, struct moved *m)
{
    struct tree *t = k->tree;
    struct tree_var *guard = NULL;
    for (uint32_t i = 0; i < m->marks.count; i++) {
        struct tree_stmt *s = m->marks.items[i];
        if (!guard) {
            guard = tree_var(t, "ok", type_basic(t->ir, TYPE_BOOL));
            guard->owner = s->var->owner;
        }
        s->var = guard;
        check_count(k, guard, 1);
        stmt_append(t, block, s);
    }
    if (guard)
        block = stmt_if(t, block, expr_var(t, guard))->body;
    stmt_append(t, block, loop);
}

static void hoist(struct checking *k, struct tree_stmt *s);

static void hoist_block(struct checking *k, struct tree_stmt *s)
{
    struct tree_stmt *out = stmt_block(k->tree);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        hoist(k, item);
        struct moved m = { { 0 } };
        if (item->kind == STMT_FOR && expr_is_pure(item->begin) && expr_is_pure(item->end)) {
            struct checked_iterations it = { k, item, item->begin, last_of(k->tree, item) };
            collect(&it, item->body, &m);
        }
        place_before(k, out, item, &m);
    }
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

static void hoist(struct checking *k, struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK) {
        hoist_block(k, s);
        return;
    }
    if (s->body)
        hoist(k, s->body);
    if (s->otherwise)
        hoist(k, s->otherwise);
}

void check_hoist(struct checking *k) { hoist(k, k->func->body); }

/* ---- to the beginning of the function ---- */

struct function_begin {
    struct checking *k;
    struct tree_scan whole;
    struct map params;
    struct tree_stmt *block; /* what comes first */
    struct tree_var *guard;
};

static bool known_at_entry(const struct function_begin *e, const struct tree_expr *x)
{
    if (x->op == EXPR_CALL || x->op == EXPR_LOAD ||
        (x->op == EXPR_VAR && (!map_has(&e->params, x->var) || map_has(&e->whole.assigned, x->var))))
        return false;
    for (uint32_t i = 0; i < x->num_args; i++)
        if (!known_at_entry(e, x->args[i]))
            return false;
    return true;
}

static bool collect_entry(struct function_begin *e, struct tree_stmt *block)
{
    struct tree *t = e->k->tree;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (stmt_is_check(s)) {
            bool known = true;
            for (uint32_t n = CHECK_WHEN; n < s->num_args; n++)
                known &= known_at_entry(e, s->args[n]);
            if (!known)
                continue;
            struct tree_stmt *moved = stmt_new(t, NULL, STMT_CALL);
            *moved = *s;
            moved->args = arena_copy(t->arena, s->args, s->num_args * sizeof *s->args);
            moved->args[CHECK_POINTER] = expr_null(t, s->args[CHECK_POINTER]->type);
            check_drop(e->k, s);
            e->k->entry++;
            bool again = false;
            for (uint32_t n = 0; n < e->block->items.count; n++)
                again |= same_marks(e->block->items.items[n], moved);
            if (again)
                continue;
            if (!e->guard)
                e->guard = tree_var(t, "ok", type_basic(t->ir, TYPE_BOOL));
            moved->var = e->guard;
            check_count(e->k, e->guard, 1);
            stmt_append(t, e->block, moved);
        } else if (check_is_guard(e->k, s)) {
            if (!collect_entry(e, s->body))
                return false;
        } else if (check_jumps(s)) {
            return false;
        }
    }
    return true;
}

void check_to_entry(struct checking *k)
{
    struct tree *t = k->tree;
    struct function_begin e = { .k = k, .whole = { .arena = t->scratch }, .block = stmt_block(t) };
    tree_scan_add(&e.whole, k->func->body);
    for (uint32_t i = 0; i < k->func->params.count; i++)
        map_put(t->scratch, &e.params, k->func->params.items[i].var, k);
    collect_entry(&e, k->func->body);
    if (!e.guard)
        return;
    struct tree_stmt *failed = stmt_if(t, e.block, expr_unary(t, EXPR_NOT, expr_var(t, e.guard)));
    stmt_new(t, failed->body, STMT_RETURN);
    for (uint32_t i = 0; i < k->func->body->items.count; i++)
        stmt_append(t, e.block, k->func->body->items.items[i]);
    k->func->body = e.block;
}
