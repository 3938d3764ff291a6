/* What products, solvers and transforms of a library of the device have in common: loops over nothing but such calls
 * become one call for all of them. */
#include "lower/opt/device/offload.h"
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
