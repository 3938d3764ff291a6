/* Fourier transforms that a library of the device computes. It works in place, on memory without gaps: kernels copy to
 * memory of the device that lives for the operation, and back with the factor.
 *
 *     sdfg_rt_fft(sign, A, B, factor)    ->    w = device T[n0 * n1]
 *                                              kernel { w[i * n1 + j] = A'[i, j] }
 *                                              call sdfg_rt_device_fft(sign, n0, n1, w)
 *                                              kernel { B'[i, j] = factor * w[i * n1 + j] }
 *
 * Sizes and strides are in lists on the stack of the host; what is stored there stands for them. A loop over nothing
 * but a transform whose arrays lie evenly is one call for many. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_address.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

enum { TYPE = 1, SIGN, RANK, SIZES, IN, IN_STRIDES, OUT, OUT_STRIDES, FACTOR }; /* arguments of sdfg_rt_fft */
enum { MOST_RANK = 3 };

static bool is_fft(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && !s->pointer && !s->check && stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_fft];
}

/* ---- lists ---- */

struct list {
    const struct tree_var *var;
    struct tree_expr *items[MOST_RANK];
    uintptr_t stores, allocs;
    bool odd; /* stored elsewhere, or twice */
};

static bool see_store(void *user, struct tree_stmt *s)
{
    struct list *l = user;
    l->allocs += s->kind == STMT_ALLOC && s->var == l->var && s->where == TREE_STACK;
    if (s->kind != STMT_STORE || s->pointer->op != EXPR_VAR || s->pointer->var != l->var)
        return true;
    bool plain = s->index->op == EXPR_INT && s->index->i >= 0 && s->index->i < MOST_RANK;
    l->stores++;
    l->odd |= !plain || l->items[plain ? s->index->i : 0];
    if (plain)
        l->items[s->index->i] = s->value;
    return true;
}

/* What a list has, if that is the same in the whole program and nothing else names the list. */
static bool list_of(struct offload *o, const struct tree_stmt *call, int argument, struct list *out)
{
    const struct tree_expr *e = call->args[argument];
    const struct tree_scan *whole = tree_whole(&o->whole);
    uintptr_t named = 0;
    *out = (struct list){ .var = e->op == EXPR_VAR ? e->var : NULL };
    if (!out->var)
        return false;
    stmt_visit(o->main->body, see_store, out);
    for (uint32_t i = 0; i < call->num_args; i++)
        named += call->args[i]->op == EXPR_VAR && call->args[i]->var == out->var;
    bool known = !out->odd && out->allocs == 1 && out->stores == (uintptr_t)call->args[RANK]->i &&
                 (uintptr_t)map_get(&whole->uses, out->var) == out->allocs + out->stores + named;
    for (int64_t i = 0; known && i < call->args[RANK]->i; i++)
        known = out->items[i] && tree_scan_invariant(whole, out->items[i]);
    return known;
}

/* ---- many ---- */

static const struct type *elements(const struct tree_stmt *call) { return call->args[OUT]->type->elem; }

/* The value in the memory of the factor, if one store there says it, and the same one for all iterations. */
static bool has_even_factor(struct offload *o, const struct tree_stmt *loop, const struct tree_stmt *call)
{
    struct list l = { .var = call->args[FACTOR]->op == EXPR_VAR ? call->args[FACTOR]->var : NULL };
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, loop);
    stmt_visit(o->main->body, see_store, &l);
    return l.var && !l.odd && l.stores == 1 && l.items[0] && tree_scan_invariant(&scan, l.items[0]);
}

static const struct tree_stmt *call_of(struct offload *o, const struct tree_stmt *s)
{
    if (is_fft(s))
        return s;
    bool many = s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) && expr_is_int(s->step, 1);
    const struct tree_stmt *call = many ? offload_only_call(s, is_fft) : NULL;
    return call && address_step(o->tree, call->args[IN], elements(call), s->var) &&
                   address_step(o->tree, call->args[OUT], elements(call), s->var) && has_even_factor(o, s, call)
               ? call
               : NULL;
}

/* ---- where ---- */

static bool is_known(const struct tree_stmt *call)
{
    const struct tree_expr *type = call->args[TYPE], *rank = call->args[RANK];
    return type->op == EXPR_INT && type->i == tree_product_type(elements(call)) && type_is_complex(elements(call)) &&
           call->args[IN]->type->elem == elements(call) && call->args[SIGN]->op == EXPR_INT && rank->op == EXPR_INT &&
           rank->i >= 1;
}

/* Why the library of the device cannot do it; NULL: it can. */
static const char *obstacle(struct offload *o, const struct tree_stmt *call)
{
    static const int lists[] = { SIZES, IN_STRIDES, OUT_STRIDES }, arrays[] = { IN, OUT };
    struct list l;
    if (!o->transforms)
        return "cuFFT is not there, or the code is for other machines";
    if (!is_known(call))
        return "the type of its elements is not known";
    if (call->args[RANK]->i > MOST_RANK)
        return "it has more than three dimensions";
    for (int i = 0; i < 3; i++)
        if (!list_of(o, call, lists[i], &l))
            return "its sizes or strides change";
    for (int i = 0; i < 2; i++) {
        const struct memory *m = offload_memory(o, call->args[arrays[i]]);
        if (!m || m->foreign)
            return "it accesses memory of unknown size";
    }
    return NULL;
}

bool offload_is_fft(struct offload *o, struct tree_stmt *s)
{
    const struct tree_stmt *call = call_of(o, s);
    return call && !obstacle(o, call);
}

const char *offload_fft_on_host(struct offload *o, const struct tree_stmt *s)
{
    return is_fft(s) ? obstacle(o, s) : NULL;
}

void offload_fft_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user)
{
    const struct tree_stmt *call = call_of(o, s);
    see(user, offload_memory(o, call->args[IN]), false);
    see(user, offload_memory(o, call->args[OUT]), true);
}

/* ---- writing ---- */

struct writing {
    struct offload *offload;
    struct tree_stmt *out;
    const struct tree_stmt *call, *loop; /* loop: NULL for one transform */
    const struct type *type;
    uint32_t rank;
    struct tree_expr *count, *sizes[MOST_RANK]; /* of transforms; extents */
};

/* Element (i, j, ...) of number b lies `b * step + i * strides[0] + j * strides[1] + ...` behind the address. */
struct array {
    struct tree_expr *address, *strides[MOST_RANK], *step;
    uint32_t alias;
};

static struct tree_expr *value(struct writing *w, struct tree_expr *e)
{
    return offload_value(w->offload, w->out, e, w->call->place);
}

static void take_list(struct writing *w, int argument, struct tree_expr **out)
{
    struct list l;
    list_of(w->offload, w->call, argument, &l);
    for (uint32_t i = 0; i < w->rank; i++)
        out[i] = stmt_variable(w->offload->tree, w->out, "extent", value(w, l.items[i]));
}

static struct array operand(struct writing *w, int argument)
{
    struct tree *t = w->offload->tree;
    struct tree_expr *address = w->call->args[argument];
    struct array a = { .step = expr_i64(t, 0) };
    if (w->loop) {
        a.step = value(w, address_step(t, address, w->type, w->loop->var));
        address = address_in_first(t, address, w->loop);
    }
    a.address = offload_twins(w->offload, value(w, address));
    take_list(w, argument == IN ? IN_STRIDES : OUT_STRIDES, a.strides);
    return a;
}

/* Row-major, one transform behind the other. */
static struct array packed(struct writing *w, struct tree_var **var)
{
    struct tree *t = w->offload->tree;
    struct array a = { .step = expr_i64(t, 1) };
    for (uint32_t d = w->rank; d-- > 0;) {
        a.strides[d] = a.step;
        a.step = stmt_variable(t, w->out, "size", expr_binary(t, EXPR_MUL, a.step, w->sizes[d]));
    }
    *var = tree_var(t, "transform", type_pointer(t->ir, w->type));
    struct tree_stmt *s = stmt_alloc(t, w->out, *var, w->type, expr_binary(t, EXPR_MUL, w->count, a.step), TREE_DEVICE);
    s->alias = a.alias = t->num_aliases++;
    s->place = w->call->place;
    a.address = expr_var(t, *var);
    return a;
}

/* to[...] = from[...], times the factor unless that is NULL. */
static void copy(struct writing *w, const struct array *to, const struct array *from, struct tree_expr *factor)
{
    struct tree *t = w->offload->tree;
    struct tree_stmt *block = stmt_block(t), *inner = block;
    struct tree_expr *at[2] = { expr_i64(t, 0), expr_i64(t, 0) };
    const struct array *const sides[] = { to, from };
    uint32_t first = expr_is_int(w->count, 1);
    for (uint32_t d = first; d <= w->rank; d++) {
        struct tree_var *i = tree_var(t, "i", type_basic(t->ir, TYPE_I64));
        struct tree_stmt *loop = stmt_for(t, inner, i, expr_i64(t, 0), d ? w->sizes[d - 1] : w->count, expr_i64(t, 1));
        loop->loop.independent = true;
        loop->place = w->call->place;
        inner = loop->body;
        for (int k = 0; k < 2; k++) {
            struct tree_expr *stride = d ? sides[k]->strides[d - 1] : sides[k]->step;
            at[k] = expr_binary(t, EXPR_ADD, at[k], expr_binary(t, EXPR_MUL, expr_var(t, i), stride));
        }
    }
    struct tree_expr *element = expr_load(t, w->type, from->address, at[1], from->alias);
    if (factor)
        element = expr_binary(t, EXPR_MUL, factor, element);
    stmt_store(t, inner, to->address, at[0], element, to->alias);
    offload_nest(w->offload, w->out, block->items.items[0]);
}

/* A value of the host, computed once; of many transforms the one that is stored for each. */
static struct tree_expr *factor(struct writing *w)
{
    struct tree *t = w->offload->tree;
    struct list l = { .var = w->call->args[FACTOR]->op == EXPR_VAR ? w->call->args[FACTOR]->var : NULL };
    stmt_visit(w->offload->main->body, see_store, &l);
    struct tree_expr *stored = l.var && !l.odd && l.stores == 1 ? l.items[0] : NULL;
    if (stored && expr_is_const(stored))
        return stored->op == EXPR_COMPLEX && stored->args[0]->f == 1 && stored->args[1]->f == 0 ? NULL : stored;
    struct tree_expr *e = w->loop ? stored : expr_load(t, w->type, w->call->args[FACTOR], expr_i64(t, 0), 0);
    return stmt_variable(t, w->out, "factor", value(w, e));
}

static void call_library(struct writing *w, const struct array *data)
{
    struct tree *t = w->offload->tree;
    const struct type *i32 = type_basic(t->ir, TYPE_I32);
    struct tree_expr *one = expr_i64(t, 1);
    struct tree_expr *args[] = { expr_context(t),
                                 tree_path_of(t, w->call->place),
                                 expr_int(t, i32, tree_product_type(w->type)),
                                 w->call->args[SIGN],
                                 expr_i64(t, w->rank),
                                 w->sizes[0],
                                 w->rank > 1 ? w->sizes[1] : one,
                                 w->rank > 2 ? w->sizes[2] : one,
                                 w->count,
                                 data->address };
    stmt_call(t, w->out, NULL, "sdfg_rt_device_fft", args, sizeof args / sizeof *args)->place = w->call->place;
}

void offload_fft(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = o->tree;
    const struct tree_stmt *call = call_of(o, s);
    struct writing w = {
        o, out, call, call == s ? NULL : s, elements(call), (uint32_t)call->args[RANK]->i, NULL, { 0 }
    };
    struct tree_var *var;
    if (w.loop) {
        s->begin = value(&w, s->begin);
        s->end = value(&w, s->end);
    }
    w.count = w.loop ? stmt_variable(t, out, "transforms", tree_trip_count(t, s)) : expr_i64(t, 1);
    take_list(&w, SIZES, w.sizes);
    struct array in = operand(&w, IN), to = operand(&w, OUT), data = packed(&w, &var);
    copy(&w, &data, &in, NULL);
    call_library(&w, &data);
    copy(&w, &to, &data, factor(&w));
    stmt_free(t, out, var)->where = TREE_DEVICE;
}
