/* Allocations that are stored to but never loaded, unused variables, and the loops and branches that are empty without
 * them are removed.
 * Legality: A statement is live if it has an effect outside (jump, call, store to memory of the caller), or defines a
 * variable or memory that a live statement uses.
 * Profitability: Always.
 *
 * Memory counts as a variable: its allocation, stores and release define it, everything else that mentions it uses it.
 */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"

struct dead_node {
    struct tree_stmt *stmt;
    uint32_t parent;   /* 1 + its number */
    uint32_t next_def; /* 1 + the next statement that gives the same variable a value */
    bool needed;
};

struct dead {
    struct tree *tree;
    VEC(struct dead_node) nodes;
    VEC(uint32_t) work;
    uint32_t *defs;  /* by variable: 1 + the first statement that gives it a value */
    bool *allocated; /* by variable: memory taken here */
    bool *foreign;   /* by variable: a pointer that is more than an allocation */
    bool *needed;    /* by variable */
    uint32_t next;   /* while sweeping */
};

/* ---- who gives what a value ---- */

static bool find_memory(void *user, struct tree_stmt *s)
{
    struct dead *d = user;
    bool own = s->kind == STMT_ALLOC && s->where != TREE_STATE;
    if (own)
        d->allocated[s->var->id] = true;
    bool null = s->kind == STMT_ASSIGN && s->value->op == EXPR_NULL;
    if (s->var && !own && !null && s->kind != STMT_FREE)
        d->foreign[s->var->id] = true;
    return true;
}

static bool pure(const struct tree_expr *e) { return !e || expr_is_pure(e); }

/* The variable (or memory) that the statement gives a value, if that is all it does. */
static const struct tree_var *defined(const struct dead *d, const struct tree_stmt *s)
{
    const struct tree_var *v = NULL;
    switch (s->kind) {
    case STMT_ASSIGN:
    case STMT_FOR:
        return pure(s->value) && pure(s->begin) && pure(s->end) && pure(s->step) ? s->var : NULL;
    case STMT_STORE:
    case STMT_REDUCE:
    case STMT_COPY:
    case STMT_ZERO:
        if (pure(s->pointer) && pure(s->index) && pure(s->value) && pure(s->pointer2) && pure(s->count))
            v = expr_root_var(s->pointer);
        break;
    case STMT_ALLOC:
    case STMT_FREE:
        v = s->var;
        break;
    default:
        break;
    }
    return v && d->allocated[v->id] && !d->foreign[v->id] ? v : NULL;
}

static void collect(struct dead *d, struct tree_stmt *s, uint32_t parent)
{
    uint32_t number = d->nodes.count;
    vec_push(d->tree->scratch, &d->nodes, ((struct dead_node){ .stmt = s, .parent = parent }));
    const struct tree_var *v = defined(d, s);
    if (v) {
        d->nodes.items[number].next_def = d->defs[v->id];
        d->defs[v->id] = number + 1;
    }
    bool silent = v || s->kind == STMT_BLOCK || (s->kind == STMT_IF && pure(s->value));
    if (!silent)
        vec_push(d->tree->scratch, &d->work, number);
    if (s->body)
        collect(d, s->body, number + 1);
    if (s->otherwise)
        collect(d, s->otherwise, number + 1);
    for (uint32_t i = 0; i < s->items.count; i++)
        collect(d, s->items.items[i], number + 1);
}

/* ---- what is needed ---- */

static void need_variable(struct dead *d, const struct tree_var *v)
{
    if (d->needed[v->id])
        return;
    d->needed[v->id] = true;
    for (uint32_t i = d->defs[v->id]; i; i = d->nodes.items[i - 1].next_def)
        vec_push(d->tree->scratch, &d->work, i - 1);
}

static void need_expr(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        need_variable(user, e->var);
}

static void need_operand(void *user, struct tree_expr **e) { expr_visit(*e, need_expr, user); }

static void mark(struct dead *d)
{
    while (d->work.count) {
        struct dead_node *n = &d->nodes.items[d->work.items[--d->work.count]];
        if (n->needed)
            continue;
        n->needed = true;
        if (n->parent)
            vec_push(d->tree->scratch, &d->work, n->parent - 1);
        stmt_each_expr(n->stmt, need_operand, d);
        if (n->stmt->kind == STMT_FREE) /* of memory that was taken elsewhere: the address matters */
            need_variable(d, n->stmt->var);
    }
}

/* ---- removing: in the order in which nodes were numbered ---- */

static void sweep(struct dead *d, struct tree_stmt *s)
{
    d->next++;
    if (s->body)
        sweep(d, s->body);
    if (s->otherwise)
        sweep(d, s->otherwise);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->items.count; i++) {
        bool needed = d->nodes.items[d->next].needed;
        sweep(d, s->items.items[i]);
        struct tree_stmt *item = s->items.items[i];
        if (needed)
            s->items.items[kept++] = item;
        else if (item->kind == STMT_ALLOC && item->where == TREE_HEAP)
            remark(d->tree->ir->remarks, item->place, remark_memory(d->tree, item), REMARK_REMOVED,
                   remark_bytes(d->tree, item));
    }
    s->items.count = kept;
}

bool opt_dead_code(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct dead d = { .tree = t };
        d.defs = NEW_ARRAY(t->scratch, uint32_t, t->num_vars);
        d.allocated = NEW_ARRAY(t->scratch, bool, t->num_vars);
        d.foreign = NEW_ARRAY(t->scratch, bool, t->num_vars);
        d.needed = NEW_ARRAY(t->scratch, bool, t->num_vars);
        stmt_visit(f->body, find_memory, &d);
        collect(&d, f->body, 0);
        mark(&d);
        sweep(&d, f->body);
    }
    return true;
}
