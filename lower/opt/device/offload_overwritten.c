/* Arguments that the program overwrites as a whole before it reads them: nothing has to be copied to the device. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"

enum { DEEPEST = 8 }; /* loops of a nest that are looked at */

struct mention {
    struct offload *offload;
    const struct memory *memory;
    bool read, write, moved; /* moved: a pointer to it gets a value */
};

static void see_touch(void *user, struct memory *m, bool write)
{
    struct mention *w = user;
    if (m != w->memory)
        return;
    w->read |= !write;
    w->write |= write;
}

static bool see(void *user, struct tree_stmt *s)
{
    struct mention *w = user;
    offload_each_touch(w->offload, s, see_touch, w);
    if (s->kind == STMT_REDUCE || s->kind == STMT_UPDATE)
        w->read |= w->write; /* it may have been this one */
    if (s->var && s->var->type->kind == TYPE_POINTER)
        w->moved |= offload_same(&w->offload->by_var[s->var->id]) == w->memory;
    return true;
}

static bool equal(const struct tree_expr *a, const struct tree_expr *b)
{
    struct linear x, y;
    linear_of(&x, a);
    linear_of(&y, b);
    return x.known && y.known && linear_equal(&x, &y);
}

/* Loops from 0 by 1, one in the other, with a store to element ((i * n1) + j) * n2 + k of n0 * n1 * n2. */
static bool covers(struct offload *o, const struct tree_stmt *s, const struct origin *x)
{
    struct tree *t = o->tree;
    struct tree_expr *at = NULL, *count = NULL;
    for (int depth = 0; s->kind == STMT_FOR && depth < DEEPEST; depth++) {
        if (!(s->loop.parallel || s->loop.independent) || !expr_is_int(s->begin, 0) || !expr_is_int(s->step, 1) ||
            s->var->type->kind != TYPE_I64)
            return false;
        struct tree_expr *i = expr_var(t, s->var);
        at = at ? expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, at, s->end), i) : i;
        count = count ? expr_binary(t, EXPR_MUL, count, s->end) : s->end;
        for (uint32_t k = 0; k < s->body->items.count; k++) {
            const struct tree_stmt *inner = s->body->items.items[k];
            if (inner->kind == STMT_STORE && expr_equal(inner->pointer, x->address) && inner->value->type == x->type &&
                equal(inner->index, at) && equal(count, x->count))
                return true;
            if (inner->kind == STMT_CONTINUE || inner->kind == STMT_BREAK || inner->kind == STMT_IF)
                return false;
        }
        if (s->body->items.count != 1)
            return false;
        s = s->body->items.items[0];
    }
    return false;
}

static bool fills(struct offload *o, const struct tree_stmt *s, const struct origin *x)
{
    if (s->kind == STMT_COPY || s->kind == STMT_ZERO)
        return expr_equal(s->pointer, x->address) && s->type == x->type && equal(s->count, x->count);
    return covers(o, s, x);
}

bool offload_is_overwritten(struct offload *o, const struct memory *m)
{
    const struct origin *x = m->origins;
    if (!x || x->next || !tree_scan_invariant(tree_whole(&o->whole), x->count))
        return false;
    for (uint32_t i = 0; i < o->main->body->items.count; i++) {
        struct tree_stmt *s = o->main->body->items.items[i];
        struct mention w = { .offload = o, .memory = m };
        stmt_visit(s, see, &w);
        if (w.moved || w.read || s->kind == STMT_LABEL || s->kind == STMT_GOTO)
            return false;
        if (w.write)
            return fills(o, s, x);
        if (s->kind == STMT_RETURN || (s->body && !stmt_is_loop(s) && s->kind != STMT_IF))
            return false;
    }
    return false;
}
