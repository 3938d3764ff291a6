#include "lower/tree/tree_verify_space.h"

#include "base/map.h"
#include "lower/tree/tree_rows.h"

/* Where what a pointer variable points to lies; a variable that gets different ones is UNKNOWN. */
enum space { NONE, HOST, DEVICE, UNKNOWN };

struct spaces {
    struct arena *arena;
    struct map of; /* pointer variable -> enum space */
    bool in_kernel, changed;
    bool device; /* there is something of a device at all */
    struct space_fault *fault;
    const struct tree_stmt *stmt;
};

/* ---- variables ---- */

static enum space space_of(const struct spaces *s, const struct tree_expr *pointer)
{
    const struct tree_expr *root = expr_root(pointer);
    if (root->op == EXPR_NULL)
        return NONE;
    return root->op == EXPR_VAR ? (enum space)(uintptr_t)map_get(&s->of, root->var) : UNKNOWN;
}

static void note(struct spaces *s, const struct tree_var *v, enum space space)
{
    enum space before = (enum space)(uintptr_t)map_get(&s->of, v), after = before == NONE ? space : before;
    if (space != NONE && after != space)
        after = UNKNOWN;
    if (after == before)
        return;
    map_put(s->arena, &s->of, v, (void *)(uintptr_t)after);
    s->changed = true;
}

static enum space of_allocation(const struct spaces *s, enum tree_memory where)
{
    switch (where) {
    case TREE_DEVICE:
    case TREE_SHARED:
        return DEVICE;
    case TREE_HEAP:
        return HOST;
    case TREE_STACK:
        return s->in_kernel ? DEVICE : HOST;
    default:
        return UNKNOWN; /* kept from call to call, or for both */
    }
}

static void note_result(struct spaces *s, const struct tree_stmt *stmt)
{
    if (!stmt->var || stmt->var->type->kind != TYPE_POINTER)
        return;
    switch (stmt->kind) {
    case STMT_ALLOC:
        note(s, stmt->var, of_allocation(s, stmt->where));
        break;
    case STMT_ASSIGN:
        note(s, stmt->var, space_of(s, stmt->value));
        break;
    case STMT_FREE:
        break;
    default:
        note(s, stmt->var, stmt_rows[stmt->kind].flags & STMT_ON_DEVICE ? DEVICE : UNKNOWN);
        break;
    }
}

/* ---- accesses ---- */

static void fail(struct spaces *s, const struct tree_expr *pointer, const char *what)
{
    if (!s->fault->what)
        *s->fault = (struct space_fault){ s->stmt, pointer, what };
}

static void must_not_be(struct spaces *s, const struct tree_expr *pointer, enum space space)
{
    if (space_of(s, pointer) == space)
        fail(s, pointer,
             space == HOST ? "memory of the host, touched by the device" : "memory of the device, touched by the host");
}

static void see_access(struct spaces *s, const struct tree_expr *pointer)
{
    must_not_be(s, pointer, s->in_kernel ? HOST : DEVICE);
}

static void see_expr(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED)
        see_access(user, e->args[0]);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

static void check_transfer(struct spaces *s, const struct tree_stmt *stmt)
{
    must_not_be(s, stmt->pointer, stmt->direction == TREE_OUT ? DEVICE : HOST);
    must_not_be(s, stmt->pointer2, stmt->direction == TREE_IN ? DEVICE : HOST);
}

static void check(struct spaces *s, struct tree_stmt *stmt)
{
    uint32_t flags = stmt_rows[stmt->kind].flags;
    s->stmt = stmt;
    stmt_each_expr(stmt, see_operand, s);
    if (stmt->kind == STMT_TRANSFER)
        check_transfer(s, stmt);
    else if (flags & STMT_WRITES)
        must_not_be(s, stmt->pointer, s->in_kernel || (flags & STMT_ON_DEVICE) ? HOST : DEVICE);
    if (stmt->kind != STMT_TRANSFER && (flags & STMT_READS_SOURCE))
        see_access(s, stmt->pointer2);
}

/* ---- all of a function ---- */

static void walk(struct spaces *s, struct tree_stmt *stmt)
{
    bool outside = s->in_kernel;
    if (!stmt)
        return;
    if (s->fault)
        check(s, stmt);
    else
        note_result(s, stmt);
    s->in_kernel |= stmt->kind == STMT_KERNEL;
    s->device |=
        (stmt_rows[stmt->kind].flags & STMT_DEVICE_WORK) || (stmt->kind == STMT_ALLOC && stmt->where == TREE_DEVICE);
    for (uint32_t i = 0; i < stmt->items.count; i++)
        walk(s, stmt->items.items[i]);
    walk(s, stmt->body);
    walk(s, stmt->otherwise);
    s->in_kernel = outside;
}

bool tree_space_fault(const struct tree *t, struct space_fault *fault)
{
    *fault = (struct space_fault){ .what = NULL };
    for (uint32_t i = 0; i < t->functions.count && !fault->what; i++) {
        struct spaces s = { .arena = t->scratch };
        do {
            s.changed = false;
            walk(&s, t->functions.items[i]->body);
        } while (s.changed);
        s.fault = fault;
        if (s.device)
            walk(&s, t->functions.items[i]->body);
    }
    return fault->what != NULL;
}
