#include "lower/tree/tree_address.h"

#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

struct tree_expr *address_step(struct tree *t, const struct tree_expr *address, const struct type *type,
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

struct tree_expr *address_in_first(struct tree *t, struct tree_expr *address, const struct tree_stmt *loop)
{
    return expr_rewrite(t, address, begin_for_counter, (void *)(uintptr_t)loop);
}
