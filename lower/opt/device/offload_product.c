/* Products of matrices that a library of the device computes.
 *
 *     for b = 0 to B parallel {
 *         call sdfg_rt_gemm(A + b * M * K, ...)    ->    call sdfg_rt_device_gemm(A', ..., B products, M * K further)
 *     }
 *
 * Nothing is transferred and nobody waits: the call stands between launches. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_address.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

static const enum tree_product_arg matrices[] = { PRODUCT_A, PRODUCT_B, PRODUCT_C };
static const enum tree_product_arg factors[] = { PRODUCT_ALPHA, PRODUCT_BETA };

enum { MATRICES = 3, FACTORS = 2 };

static const struct tree_expr *known_factor(const struct tree_stmt *call, int i)
{
    return i ? call->product->beta : call->product->alpha;
}

/* ---- many products ---- */

static bool are_even(struct offload *o, const struct tree_stmt *loop, const struct tree_stmt *call)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, loop);
    for (int i = 0; i < MATRICES; i++) {
        struct tree_expr *const *m = call->args + matrices[i];
        if (!address_step(o->tree, m[0], call->product->type, loop->var) || !tree_scan_invariant(&scan, m[1]) ||
            !tree_scan_invariant(&scan, m[2]))
            return false;
    }
    for (int i = 0; i < FACTORS; i++)
        if (!known_factor(call, i) && call->args[factors[i]]->op != EXPR_NULL)
            return false;
    return tree_scan_invariant(&scan, call->args[PRODUCT_M]) && tree_scan_invariant(&scan, call->args[PRODUCT_N]) &&
           tree_scan_invariant(&scan, call->args[PRODUCT_K]);
}

/* The call of a product, or of all those in a loop; NULL: it is something else. */
static struct tree_stmt *call_of(struct offload *o, struct tree_stmt *s)
{
    if (stmt_is_product(s))
        return s;
    bool many = s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) && expr_is_int(s->step, 1);
    struct tree_stmt *call = many ? offload_only_call(s, stmt_is_product) : NULL;
    return call && are_even(o, s, call) ? call : NULL;
}

/* ---- where ---- */

bool offload_is_product(struct offload *o, struct tree_stmt *s)
{
    struct tree_stmt *call = call_of(o, s);
    for (int i = 0; call && i < MATRICES; i++) {
        const struct memory *m = offload_memory(o, call->args[matrices[i]]);
        if (!m || m->foreign)
            return false;
    }
    return call != NULL;
}

void offload_product_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user)
{
    const struct tree_stmt *call = call_of(o, s);
    for (int i = 0; i < MATRICES; i++)
        see(user, offload_memory(o, call->args[matrices[i]]), matrices[i] == PRODUCT_C);
}

/* ---- writing ---- */

struct writing {
    struct offload *offload;
    struct tree_stmt *out;
    const struct tree_stmt *call, *loop; /* loop: NULL for one product */
};

static struct tree_expr *value(struct writing *w, struct tree_expr *e)
{
    return offload_value(w->offload, w->out, e, w->call->place);
}

static struct tree_matrix matrix(struct writing *w, int i)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *const *m = w->call->args + matrices[i], *address = m[0];
    if (w->loop)
        address = address_in_first(t, address, w->loop);
    return (struct tree_matrix){ offload_twins(w->offload, value(w, address)), value(w, m[1]), value(w, m[2]), 0 };
}

/* A value of the host, computed once. */
static struct tree_expr *factor(struct writing *w, int i)
{
    struct tree *t = w->offload->tree;
    const struct type *type = w->call->product->type;
    const struct tree_expr *known = known_factor(w->call, i);
    struct tree_expr *address = w->call->args[factors[i]];
    if (known)
        return (struct tree_expr *)(uintptr_t)known;
    if (address->op == EXPR_NULL)
        return expr_cast(t, type, expr_float(t, type_basic(t->ir, TYPE_F64), i ? 0 : 1));
    address = expr_cast(t, type_pointer(t->ir, type), address);
    struct tree_expr *loaded = expr_load(t, type, address, expr_i64(t, 0), 0);
    return stmt_variable(t, w->out, "factor", value(w, loaded));
}

static struct tree_expr *step(struct writing *w, int i)
{
    struct tree *t = w->offload->tree;
    return w->loop ? address_step(t, w->call->args[matrices[i]], w->call->product->type, w->loop->var) : expr_i64(t, 0);
}

void offload_product(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    struct tree_stmt *call = call_of(o, s);
    struct writing w = { o, out, call, call == s ? NULL : s };
    if (w.loop) {
        s->begin = value(&w, s->begin);
        s->end = value(&w, s->end);
    }
    struct tree_products p = { .first = { .type = call->product->type,
                                          .m = value(&w, call->args[PRODUCT_M]),
                                          .n = value(&w, call->args[PRODUCT_N]),
                                          .k = value(&w, call->args[PRODUCT_K]),
                                          .a = matrix(&w, 0),
                                          .b = matrix(&w, 1),
                                          .c = matrix(&w, 2),
                                          .alpha = factor(&w, 0),
                                          .beta = factor(&w, 1) },
                               .count = w.loop ? tree_trip_count(t, s) : expr_i64(t, 1),
                               .strict = o->strict,
                               .fast = o->fast };
    for (int i = 0; i < MATRICES; i++)
        p.steps[i] = value(&w, step(&w, i));
    stmt_device_products(t, out, &p, call->place);
}
