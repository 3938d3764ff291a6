/* standard.Reduce (library-nodes.md 4.1). The loop order follows the memory: if the input's last dimension is kept, the sweep runs over
 * rows and updates a row of results; otherwise every result is summed up in one go (the privatize pass keeps it in a register). */
#include "lower/library/library.h"

#include "ir/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the operation ---- */

struct dims {
    uint32_t order[2 * LOWER_MAX_RANK + 1]; /* dimensions of `in`, outermost first */
    uint32_t count;
    uint32_t num_leading;                   /* kept dimensions in front */
};

static struct dims loop_order(const struct area *in, const bool *reduced)
{
    struct dims d = { .count = 0 };
    bool row = in->rank && !reduced[in->rank - 1]; /* the last dimension is kept and innermost */
    uint32_t last = row ? in->rank - 1 : in->rank;
    for (uint32_t i = 0; i < last; i++)
        if (!reduced[i])
            d.order[d.count++] = i;
    d.num_leading = d.count;
    for (uint32_t i = 0; i < last; i++)
        if (reduced[i])
            d.order[d.count++] = i;
    if (row)
        d.order[d.count++] = last;
    return d;
}

/* Strides of the output per dimension of the input: 0 where it is reduced. */
static bool output_strides(struct scope *sc, const struct place *place, const struct area *in, const bool *reduced,
                           const struct area *out, const struct sym **strides)
{
    struct lower *lw = sc->act->lw;
    struct area o = *out;
    uint32_t kept = 0, kept_wide = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        kept += !reduced[i];
        kept_wide += !reduced[i] && !sym_is_int(in->sizes[i], 1);
    }
    bool squeezed = o.rank != kept;
    if (squeezed)
        area_squeeze(&o);
    if (squeezed && o.rank != kept_wide && o.rank != kept)
        return diag_error(lw->diags, place, DIAG_COPY_SHAPE, out->desc->name);
    bool skip_ones = squeezed && o.rank == kept_wide;
    uint32_t k = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        bool own = !reduced[i] && !(skip_ones && sym_is_int(in->sizes[i], 1));
        strides[i] = own ? o.strides[k++] : sym_int(lw->ir, 0);
    }
    return true;
}

bool library_fill(struct scope *sc, const struct place *place, const struct area *out, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    struct area a = *out;
    area_squeeze(&a);
    bool zero = (value->op == EXPR_INT && value->i == 0) ||
                (value->op == EXPR_FLOAT && value->f == 0 && !signbit(value->f));
    if (zero && area_is_contiguous(lw, &a)) {
        struct tree_expr *count = lower_index(lw, place, area_volume(lw, &a));
        if (!count)
            return false;
        stmt_zero(lw->tree, sc->block, a.type, a.pointer, a.alias, count)->place = place;
        return true;
    }
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    struct tree_stmt *body = lower_loops(sc, place, a.rank, a.sizes, true, index);
    struct tree_expr *at = body ? area_offset(lw, place, &a, index) : NULL;
    if (!at)
        return false;
    stmt_store(lw->tree, body, a.pointer, at, value, a.alias)->place = place;
    return true;
}

bool library_reduce(struct scope *sc, const struct place *place, const struct area *in, const bool *reduced,
                    const struct area *out, const struct memlet *wcr, struct tree_expr *identity)
{
    struct lower *lw = sc->act->lw;
    const struct sym *out_strides[2 * LOWER_MAX_RANK + 1], *sizes[2 * LOWER_MAX_RANK + 1], *index[2 * LOWER_MAX_RANK + 1];
    if (!output_strides(sc, place, in, reduced, out, out_strides))
        return false;
    if (identity && !library_fill(sc, place, out, identity))
        return false;
    struct dims d = loop_order(in, reduced);
    for (uint32_t i = 0; i < d.count; i++)
        sizes[i] = in->sizes[d.order[i]];
    /* Threads share the results only if nothing but reduced dimensions is left to split. */
    bool all = true;
    for (uint32_t i = 0; i < in->rank; i++)
        all = all && (reduced[i] || sym_is_int(in->sizes[i], 1));
    bool parallel = d.num_leading > 0 || all;
    struct scope body = *sc;
    uint32_t loops_before = sc->block->items.count;
    body.block = lower_loops(sc, place, d.count, sizes, parallel, index);
    if (!body.block)
        return false;
    if (sc->block->items.count > loops_before) /* iterations meet in the results */
        for (struct tree_stmt *l = vec_last(&sc->block->items); l && l->kind == STMT_FOR;
             l = l->body->items.count ? l->body->items.items[0] : NULL)
            l->loop.independent = false;
    const struct sym *from = sym_int(lw->ir, 0), *to = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < d.count; i++) {
        from = sym_add(lw->ir, from, sym_mul(lw->ir, index[i], in->strides[d.order[i]]));
        to = sym_add(lw->ir, to, sym_mul(lw->ir, index[i], out_strides[d.order[i]]));
    }
    struct tree_expr *from_index = lower_index(lw, place, from), *to_index = lower_index(lw, place, to);
    if (!from_index || !to_index)
        return false;
    struct area at = *out;
    at.pointer = expr_offset(lw->tree, out->pointer, to_index);
    bool atomic = parallel && all && !sc->parallel && !lw->options->no_threads;
    return lower_write(&body, place, &at, wcr, atomic, expr_load(lw->tree, in->type, in->pointer, from_index, in->alias));
}

/* ---- the node ---- */

static bool read_axes(struct scope *sc, struct library *n, const struct area *in, bool *reduced)
{
    const struct json *axes = json_get(n->attributes, "axes");
    bool all = !axes || json_is(axes, JSON_NULL);
    for (uint32_t i = 0; i < in->rank; i++)
        reduced[i] = all;
    if (all)
        return true;
    for (const struct json *a = axes->first; a; a = a->next) {
        int64_t k;
        if (!json_int(a, &k))
            return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
        if (k < 0)
            k += in->rank;
        if (k < 0 || k >= in->rank)
            return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
        reduced[k] = true;
    }
    return true;
}

/* Text of an identity: Python number, True/False, inf, or an expression. */
static bool identity_value(struct scope *sc, struct library *n, const struct type *type, struct tree_expr **out)
{
    struct lower *lw = sc->act->lw;
    const struct json *v = json_get(n->attributes, "identity");
    *out = NULL;
    if (!v || json_is(v, JSON_NULL))
        return true;
    const char *s = json_string(v);
    if (s && !strcmp(s, "None"))
        return true;
    char *end = NULL;
    if (s && type_is_integer(type)) {
        long long i = strtoll(s, &end, 10);
        if (end != s && !*end) {
            if (type->kind == TYPE_U64 && *s != '-')
                i = (long long)strtoull(s, NULL, 10);
            *out = expr_int(lw->tree, type, i);
            return true;
        }
    }
    double d = s ? strtod(s, &end) : 0;
    if (s && end != s && !*end) {
        struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
        *out = code_convert(&cs, type, expr_float(lw->tree, type_basic(lw->ir, TYPE_F64), d));
        return *out != NULL;
    }
    *out = library_scalar(sc, n, "identity", 0, type);
    return *out != NULL;
}

static bool read_wcr(struct scope *sc, struct library *n, struct memlet *m)
{
    struct lower *lw = sc->act->lw;
    const char *text = json_string(json_get(n->attributes, "wcr"));
    m->wcr = python_parse_expression(lw->ir, &n->node.place, text ? text : "lambda a, b: a");
    if (!m->wcr)
        return false;
    m->wcr_kind = wcr_detect(m->wcr);
    return m->wcr_kind != WCR_NONE || diag_error(lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "wcr");
}

bool lower_reduce(struct scope *sc, struct library *n)
{
    const struct place *place = &n->node.place;
    struct area in, out;
    if (!library_input(sc, n, NULL, &in) || !library_output(sc, n, NULL, &out))
        return false;
    bool reduced[2 * LOWER_MAX_RANK + 1];
    if (!read_axes(sc, n, &in, reduced))
        return false;
    bool any = false;
    for (uint32_t i = 0; i < in.rank; i++) {
        if (sym_is_int(in.sizes[i], 1))
            reduced[i] = false; /* reduced dimensions of extent 1 are dropped from the list */
        any = any || reduced[i];
    }
    if (!any)
        return lower_copy(sc, place, &in, &out, NULL, false);
    struct memlet wcr = { .name = "" };
    struct tree_expr *identity;
    if (!read_wcr(sc, n, &wcr) || !identity_value(sc, n, out.type, &identity))
        return false;
    /* A dimension of extent 1 that is not reduced may have been reduced on paper: it takes no part in the result's shape. */
    return library_reduce(sc, place, &in, reduced, &out, &wcr, identity);
}
