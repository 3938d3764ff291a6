/* What products, solvers and transforms of a library of the device have in common: loops over nothing but such calls
 * become one call for all of them. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

/* Of the host's stack, where lists and factors are kept. */
static bool is_of_stack(const struct tree_stmt *loop, const struct tree_stmt *s)
{
    const struct tree_var *v = s->kind == STMT_STORE ? expr_root_var(s->pointer) : s->var;
    for (uint32_t i = 0; v && i < loop->body->items.count; i++) {
        const struct tree_stmt *alloc = loop->body->items.items[i];
        if (alloc->kind == STMT_ALLOC && alloc->var == v)
            return alloc->where == TREE_STACK && (s->kind == STMT_STORE || s->kind == STMT_ALLOC);
    }
    return false;
}

struct tree_stmt *offload_only_call(const struct tree_stmt *loop, bool (*is_call)(const struct tree_stmt *s))
{
    struct tree_stmt *found = NULL;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct tree_stmt *s = loop->body->items.items[i];
        bool call = is_call(s);
        if (call ? found != NULL : !is_of_stack(loop, s))
            return NULL;
        found = call ? s : found;
    }
    return found;
}

struct tree_expr *offload_step(struct tree *t, const struct tree_expr *address, const struct type *type,
                               const struct tree_var *v)
{
    struct tree_expr *sum = expr_i64(t, 0);
    for (; address->op == EXPR_OFFSET; address = address->args[0]) {
        struct linear index, first, second, value;
        linear_of(&index, address->args[1]);
        for (uint32_t i = 0; index.known && i < index.count; i++) {
            int found = 0;
            for (uint32_t k = 0; k < index.terms[i].count; k++) {
                const struct tree_expr *f = index.terms[i].factors[k];
                bool is_v = f->op == EXPR_VAR && f->var == v;
                found += is_v;
                index.known &= is_v || !expr_mentions(f, v);
            }
            index.known &= found <= 1;
        }
        if (!index.known || address->type->elem != type)
            return NULL;
        linear_constant(&value, 0);
        linear_replace(&first, &index, v, &value);
        linear_constant(&value, 1);
        linear_replace(&second, &index, v, &value);
        linear_add(&second, &first, -1);
        if (!second.known)
            return NULL;
        sum = expr_binary(t, EXPR_ADD, sum, linear_expr(t, &second));
    }
    return expr_mentions(address, v) ? NULL : sum;
}

static struct tree_expr *begin_for_counter(void *user, struct tree_expr *e)
{
    const struct tree_stmt *loop = user;
    return e->op == EXPR_VAR && e->var == loop->var ? loop->begin : e;
}

struct tree_expr *offload_in_first(struct tree *t, struct tree_expr *address, const struct tree_stmt *loop)
{
    return expr_rewrite(t, address, begin_for_counter, (void *)(uintptr_t)loop);
}

struct search {
    struct offload *offload;
    bool found;
};

static bool see_call(void *user, struct tree_stmt *s)
{
    struct search *p = user;
    p->found = p->found || offload_is_product(p->offload, s) || offload_is_solver(p->offload, s) ||
               offload_is_fft(p->offload, s);
    return !p->found;
}

bool offload_has_library_calls(struct offload *o, struct tree_stmt *s)
{
    struct search p = { o, false };
    stmt_visit(s, see_call, &p);
    return p.found;
}
