/* Iterations with a recurrence inside are interleaved to hide the latency of its operations: two if they are
 * independent, else four, each behind the one before as far as it needs that (interleave_lag.c). Loops of such a row
 * become one first (interleave_join.c).
 *
 *     for i independent {                          for i = ... step 2 {
 *         for k {                                      for k {
 *             y[i, k] = f(y[i, k - 1])     ->              y[i, k] = f(y[i, k - 1])
 *         }                                                y[i + 1, k] = f(y[i + 1, k - 1])
 *     }                                                }
 *                                                  }
 *                                                  for i, the rest { ... }  unless there is known to be none
 *
 * Legality: The iterations are independent, or lag behind.
 * Profitability: The inner loop has a recurrence and cannot be vectorized. Four independent ones at a time are slower:
 * LLVM gathers them into vectors. */
#include "lower/opt/registers/interleave.h"
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum {
    ROWS = 2,
    LAGGING_INTEGERS = 3,  /* addresses are in the same registers, of which there are fewer */
    MOST_LAGGING = 40,     /* statements of one of these: their values should stay in registers */
    SHORTEST = 8,          /* iterations of both loops that are worth it */
    FARTHEST = 2,          /* iterations back that a step reads what was stored */
    MOST_STATEMENTS = 128, /* of an iteration */
    MOST_STACK = 4096      /* bytes of memory on the stack of an iteration */
};

/* ---- steps that wait ---- */

struct chain {
    struct tree_stmt *loop;
    const struct tree_stmt *store;
    bool found;
};

/* Does it load what the store stored a step or two before? */
static void see_load(void *user, struct tree_expr *e)
{
    struct chain *c = user;
    struct linear at, apart;
    int64_t times;
    if (e->op != EXPR_LOAD || e->alias != c->store->alias || !expr_equal(e->args[0], c->store->pointer))
        return;
    linear_of(&at, c->store->index);
    linear_of(&apart, e->args[1]);
    linear_add(&apart, &at, -1);
    if (!apart.known || apart.count || !linear_take(&at, c->loop->var, &times) || times == 0)
        return;
    int64_t back = -apart.constant / times;
    c->found |= apart.constant % times == 0 && back > 0 && back <= FARTHEST;
}

static bool see_loads(void *user, struct tree_stmt *s)
{
    if (s->value)
        expr_visit(s->value, see_load, user);
    return true;
}

bool interleave_is_chain(struct tree_stmt *loop)
{
    struct chain c = { .loop = loop };
    for (uint32_t i = 0; i < loop->body->items.count && !c.found; i++) {
        c.store = loop->body->items.items[i];
        if (c.store->kind == STMT_STORE)
            stmt_visit(loop->body, see_loads, &c);
    }
    return c.found && !loop->loop.independent && expr_is_int(loop->step, 1);
}

/* ---- which loops ---- */

/* On the stack, or of a size that only a run knows. */
static bool is_small(const struct tree_stmt *alloc)
{
    if (alloc->zero || alloc->where == TREE_STATE)
        return false;
    return alloc->count->op == EXPR_INT
               ? alloc->where == TREE_STACK && alloc->count->i <= MOST_STACK / (int64_t)alloc->type->size
               : alloc->where == TREE_HEAP && expr_is_pure(alloc->count);
}

/* Does an iteration consist of assignments, stores, its own memory, and loops with nothing but the first two? */
static bool is_simple(const struct tree_stmt *s, bool inside, uint32_t *count)
{
    *count += s->kind != STMT_ASSIGN || s->value->op != EXPR_VAR;
    switch (s->kind) {
    case STMT_ASSIGN:
        return type_is_basic(s->var->type) && expr_is_pure(s->value);
    case STMT_STORE:
        return expr_is_pure(s->value) && s->alias != 0;
    case STMT_ALLOC:
        return !inside && is_small(s);
    case STMT_FREE:
        return !inside;
    case STMT_FOR:
        for (uint32_t i = 0; i < s->body->items.count; i++)
            if (!is_simple(s->body->items.items[i], true, count))
                return false;
        return !inside && !s->loop.parallel;
    default:
        return false;
    }
}

static bool has_chain(struct tree_stmt *loop)
{
    struct tree_stmt *const *items = loop->body->items.items;
    uint32_t count = 0, chains = 0;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        if (!is_simple(items[i], false, &count) || count > MOST_STATEMENTS)
            return false;
        chains += items[i]->kind == STMT_FOR && !loop_is_shorter(items[i], SHORTEST) && interleave_is_chain(items[i]);
    }
    return chains > 0;
}

static bool may_go_together(struct iterations *x, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = x->tree->scratch };
    if (!loop->loop.independent || loop_is_shorter(loop, SHORTEST))
        return false;
    tree_scan_add(&scan, loop);
    return jam_is_possible(x, loop, &scan);
}

/* Sequential rows of one chain each. */
static bool may_lag(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame, struct lagging *l)
{
    uint32_t count = 0;
    if (loop->loop.independent || loop->body->items.count != 1 || loop_is_shorter(loop, SHORTEST))
        return false;
    struct tree_stmt *inner = loop->body->items.items[0];
    return is_simple(inner, false, &count) && count <= MOST_LAGGING && inner->kind == STMT_FOR &&
           !loop_is_shorter(inner, SHORTEST) && interleave_is_chain(inner) && lag_is_possible(x, loop, frame, l);
}

/* The same if all loops of a row were one. They are then. */
static bool may_lag_joined(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame,
                           struct lagging *l)
{
    struct tree_stmt *apart = loop->body;
    if (loop->loop.independent || loop_is_shorter(loop, SHORTEST))
        return false;
    struct tree_stmt *joined = interleave_join(x->tree, loop, frame);
    if (!joined)
        return false;
    loop->body = joined;
    struct iterations now = iterations_of(x->tree, x->whole.func);
    if (may_lag(&now, loop, frame, l))
        return true;
    loop->body = apart;
    return false;
}

static bool stores_integers(const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_STORE && !type_is_float(loop->body->items.items[i]->value->type))
            return true;
    return false;
}

/* ---- the walk ---- */

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct iterations *x = user;
    struct lagging l;
    if (s->kind != STMT_FOR)
        return true;
    if (has_chain(s) && may_go_together(x, s)) {
        remark(x->tree->ir->remarks, s->place, remark_subject(x->tree, s), REMARK_CHAINS, ROWS);
        jam_iterations(x->tree, s, ROWS);
        return false;
    }
    if (!may_lag(x, s, frame, &l) && !may_lag_joined(x, s, frame, &l))
        return true;
    uint32_t rows = stores_integers(l.inner) ? LAGGING_INTEGERS : INTERLEAVE_ROWS;
    remark(x->tree->ir->remarks, s->place, remark_subject(x->tree, s), REMARK_CHAINS_LAG, (int)rows, (int)l.lag);
    lag_iterations(x->tree, &l, rows);
    return false;
}

bool opt_interleave(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct iterations x = iterations_of(t, t->functions.items[i]);
        tree_visit_frames(t->functions.items[i]->body, NULL, look, &x);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
