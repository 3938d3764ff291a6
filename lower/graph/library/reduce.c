/* standard.Reduce (library-nodes.md 4.1). The loops follow the memory of the input: if its dimension of stride 1 is
 * kept, the sweep runs over rows and updates a row of results; otherwise every result is summed up in one go (the
 * privatize pass keeps it in a register). Threads never meet in a result: they split the results, or they have partial
 * results of their own. */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a row of results that one thread updates, and partial rows of results of which there are more rows. */
enum { ROW_BLOCK = 256, PARTIAL_ROWS = 32, PARTIAL_FROM = 1 << 15 };

struct dim {
    const struct sym *size, *in, *out; /* elements per step; out is 0 where the dimension is reduced */
    bool reduced;
};

/* A reduction, outermost dimension first: kept ones, reduced ones, and the innermost of either kind. */
struct sweep {
    const struct place *place;
    const struct area *in, *out;
    const struct memlet *wcr;
    struct dim dims[2 * LOWER_MAX_RANK + 1];
    uint32_t count, num_kept; /* num_kept: in front */
    bool row;                 /* the innermost dimension is kept */
};

/* ---- the dimensions ---- */

/* Strides of the output per dimension of the input. */
static bool list_dimensions(struct scope *sc, struct sweep *s, const bool *reduced)
{
    struct lower *lw = sc->act->lw;
    struct area o = area_copy(lw, s->out);
    uint32_t kept = 0, kept_wide = 0;
    for (uint32_t i = 0; i < s->in->rank; i++) {
        kept += !reduced[i];
        kept_wide += !reduced[i] && !sym_is_int(s->in->sizes[i], 1);
    }
    bool squeezed = o.rank != kept;
    if (squeezed)
        area_squeeze(&o);
    if (o.rank != kept && o.rank != kept_wide)
        return diag_error(lw->diags, s->place, DIAG_COPY_SHAPE, s->out->desc->name);
    bool skip_ones = squeezed && o.rank == kept_wide;
    uint32_t k = 0;
    for (uint32_t i = 0; i < s->in->rank; i++) {
        bool one = sym_is_int(s->in->sizes[i], 1), own = !reduced[i] && !(skip_ones && one);
        if (own && library_differ(lw, s->in->sizes[i], o.sizes[k]))
            return diag_error(lw->diags, s->place, DIAG_COPY_SHAPE, s->out->desc->name);
        const struct sym *stride = own ? o.strides[k++] : sym_int(lw->ir, 0);
        if (!one)
            s->dims[s->count++] = (struct dim){ s->in->sizes[i], s->in->strides[i], stride, reduced[i] };
    }
    return true;
}

/* Neighbours of one kind that lie without gaps on both sides become one. On devices the reduced ones around rows stay
 * apart: nests that compute the terms have these loops, and are fused with the sums. */
static void merge_dimensions(struct lower *lw, struct sweep *s)
{
    bool rows = s->count && !s->dims[s->count - 1].reduced;
    for (uint32_t i = s->count; i-- > 1;) {
        struct dim *outer = &s->dims[i - 1];
        const struct dim *inner = &s->dims[i];
        bool apart = lw->options->device && rows && inner->reduced;
        if (apart || outer->reduced != inner->reduced || outer->in != sym_mul(lw->ir, inner->size, inner->in) ||
            outer->out != sym_mul(lw->ir, inner->size, inner->out))
            continue;
        outer->size = sym_mul(lw->ir, outer->size, inner->size);
        outer->in = inner->in;
        outer->out = inner->out;
        memmove(&s->dims[i], &s->dims[i + 1], (s->count - i - 1) * sizeof *s->dims);
        s->count--;
    }
}

static void order_dimensions(struct sweep *s)
{
    struct dim dims[2 * LOWER_MAX_RANK + 1];
    uint32_t fast = s->count - 1, count = 0;
    for (uint32_t i = 0; i < s->count && s->wcr->wcr_kind != WCR_CUSTOM; i++) /* functions may depend on the order */
        if (sym_is_int(s->dims[i].in, 1))
            fast = i;
    s->row = s->count && !s->dims[fast].reduced && s->wcr->wcr_kind != WCR_CUSTOM;
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->dims[i].reduced && !(s->row && i == fast))
            dims[count++] = s->dims[i];
    s->num_kept = count;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->dims[i].reduced && i != fast)
            dims[count++] = s->dims[i];
    if (s->count && (s->row || s->dims[fast].reduced))
        dims[count++] = s->dims[fast];
    memcpy(s->dims, dims, count * sizeof *dims);
}

/* ---- code ---- */

/* One step: `out` at to + ... combined with `in` at the index. */
static bool combine(struct scope *body, const struct sweep *s, const struct sym *const *index, bool atomic)
{
    struct lower *lw = body->act->lw;
    const struct sym *from = sym_int(lw->ir, 0), *to = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < s->count; i++) {
        from = sym_add(lw->ir, from, sym_mul(lw->ir, index[i], s->dims[i].in));
        to = sym_add(lw->ir, to, sym_mul(lw->ir, index[i], s->dims[i].out));
    }
    struct tree_expr *from_index = lower_index(lw, s->place, from), *to_index = lower_index(lw, s->place, to);
    if (!from_index || !to_index)
        return false;
    struct area at = *s->out;
    at.pointer = expr_offset(lw->tree, at.pointer, to_index);
    struct tree_expr *value = expr_load(lw->tree, s->in->type, s->in->pointer, from_index, s->in->alias);
    return lower_write(body, s->place, &at, s->wcr, atomic, value);
}

/* Loops over dimensions first .. last - 1; iterations of reduced ones meet in the results. Returns the innermost block.
 */
static struct tree_stmt *loops(struct scope *sc, const struct sweep *s, uint32_t first, uint32_t last, bool parallel,
                               const struct sym **index)
{
    const struct sym *sizes[2 * LOWER_MAX_RANK + 1];
    for (uint32_t i = first; i < last; i++)
        sizes[i] = s->dims[i].size;
    uint32_t before = sc->block->items.count;
    struct tree_stmt *body = lower_loops(sc, s->place, last - first, sizes + first, parallel, index + first);
    struct tree_stmt *l = body && last > first ? sc->block->items.items[before] : NULL;
    for (uint32_t i = first; i < last && l; i++) {
        l->loop.independent = !s->dims[i].reduced;
        l = i + 1 < last ? l->body->items.items[0] : NULL;
    }
    return body;
}

static bool plain(struct scope *sc, const struct sweep *s)
{
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    bool all = !s->num_kept && !s->row; /* into one element: threads sum up on their own */
    bool parallel = s->num_kept > 0 || (all && s->wcr->wcr_kind != WCR_CUSTOM);
    struct scope body = *sc;
    body.block = loops(sc, s, 0, s->count, parallel, index);
    bool atomic = all && parallel && !sc->parallel && !sc->act->lw->options->no_threads;
    return body.block && combine(&body, s, index, atomic);
}

/* Long rows: every thread sweeps over all rows of some blocks of columns. */
static bool in_blocks(struct scope *sc, const struct sweep *s)
{
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    uint32_t last = s->count - 1;
    struct tree_var *first;
    struct tree_stmt *blocks = library_blocks(sc, s->place, s->dims[last].size, ROW_BLOCK, true, &first);
    if (!blocks)
        return false;
    struct scope block = *sc, row = *sc, body = *sc;
    block.block = blocks;
    block.parallel = row.parallel = body.parallel = true;
    row.block = loops(&block, s, 0, last, false, index);
    body.block = row.block ? library_block(&row, s->place, first, ROW_BLOCK, s->dims[last].size, &index[last]) : NULL;
    return body.block && combine(&body, s, index, false);
}

/* Many short rows: parts of them are reduced to partial rows, which start as their first row. */
static bool by_partial_rows(struct scope *sc, const struct sweep *s)
{
    struct lower *lw = sc->act->lw;
    struct ir *ir = lw->ir;
    struct tree *t = lw->tree;
    const struct sym *sizes[] = { sym_int(ir, PARTIAL_ROWS), s->dims[1].size }, *zero = sym_int(ir, 0);
    struct area shape = { .desc = s->out->desc, .rank = 2, .sizes = sizes, .strides = sizes }, partial;
    if (!library_temporary(sc, s->place, &shape, s->out->type, &partial))
        return false;
    struct tree_expr *rows = lower_index(lw, s->place, s->dims[0].size);
    if (!rows)
        return false;
    struct tree_var *parts = tree_var(t, "parts", type_basic(ir, TYPE_I64));
    stmt_assign(t, sc->block, parts, expr_binary(t, EXPR_MIN, rows, expr_i64(t, PARTIAL_ROWS)));
    const struct sym *count = lower_var_symbol(lw, parts), *part[2];
    struct scope own = *sc;
    own.block = lower_loops(sc, s->place, 1, &count, true, part);
    own.parallel = true;
    struct tree_expr *number = own.block ? lower_index(lw, s->place, part[0]) : NULL;
    if (!number)
        return false;
    struct tree_var *bounds[2] = { tree_var(t, "first", parts->type), tree_var(t, "last", parts->type) };
    for (int i = 0; i < 2; i++) {
        struct tree_expr *n = expr_binary(t, EXPR_MUL, expr_binary(t, EXPR_ADD, number, expr_i64(t, i)), rows);
        stmt_assign(t, own.block, bounds[i], expr_binary(t, EXPR_DIV, n, expr_var(t, parts)));
    }
    /* from rows of the part into its row of partial results */
    struct area from = *s->in, to = partial;
    const struct sym *first = lower_var_symbol(lw, bounds[0]);
    struct tree_expr *start = lower_index(lw, s->place, sym_mul(ir, first, s->dims[0].in));
    struct tree_expr *line = lower_index(lw, s->place, sym_mul(ir, part[0], partial.strides[0]));
    if (!start || !line)
        return false;
    from.pointer = expr_offset(t, from.pointer, start);
    to.pointer = expr_offset(t, to.pointer, line);
    const struct sym *index[2] = { zero, zero }, *after = sym_sub(ir, lower_var_symbol(lw, bounds[1]), first);
    struct sweep into = *s;
    into.in = &from;
    into.out = &to;
    into.dims[1].out = partial.strides[1];
    struct scope body = own;
    struct memlet copy = { .name = "" };
    struct sweep begin = into;
    begin.wcr = &copy;
    body.block = lower_loops(&own, s->place, 1, &s->dims[1].size, false, &index[1]);
    if (!body.block || !combine(&body, &begin, index, false))
        return false;
    const struct sym *rest = sym_sub(ir, after, sym_int(ir, 1));
    body.block = lower_loops(&own, s->place, 1, &rest, false, &index[0]);
    if (!body.block)
        return false;
    struct tree_stmt *sweep_rows = vec_last(&own.block->items);
    sweep_rows->loop.independent = false;
    index[0] = sym_add(ir, index[0], sym_int(ir, 1));
    struct scope inner = body;
    inner.block = lower_loops(&body, s->place, 1, &s->dims[1].size, false, &index[1]);
    if (!inner.block || !combine(&inner, &into, index, false))
        return false;
    /* the partial rows into the results */
    struct sweep join = *s;
    join.in = &partial;
    join.dims[0].size = count;
    join.dims[0].in = partial.strides[0];
    join.dims[1].in = partial.strides[1];
    body = *sc;
    body.block = loops(sc, &join, 0, 2, false, index);
    return body.block && combine(&body, &join, index, false);
}

/* Not worth threads, for all that is known. */
static bool is_small(struct lower *lw, const struct sweep *s)
{
    const struct sym *work = sym_int(lw->ir, 1);
    for (uint32_t i = 0; i < s->count; i++)
        work = sym_mul(lw->ir, work, s->dims[i].size);
    return work->op == SYM_INT && work->i < PARTIAL_FROM;
}

bool library_reduce(struct scope *sc, const struct place *place, const struct area *in, const bool *reduced,
                    const struct area *out, const struct memlet *wcr, struct tree_expr *identity)
{
    struct lower *lw = sc->act->lw;
    struct sweep s = { .place = place, .in = in, .out = out, .wcr = wcr };
    if (!list_dimensions(sc, &s, reduced) || (identity && !library_fill(sc, place, out, identity)))
        return false;
    merge_dimensions(lw, &s);
    order_dimensions(&s);
    bool threads = !sc->parallel && !lw->options->no_threads && !lw->options->device;
    if (!s.row || s.num_kept || s.count < 2 || !threads || is_small(lw, &s))
        return plain(sc, &s);
    const struct sym *row = s.dims[s.count - 1].size;
    if (row->op != SYM_INT || row->i >= 4 * ROW_BLOCK)
        return in_blocks(sc, &s);
    return s.count == 2 ? by_partial_rows(sc, &s) : plain(sc, &s);
}

bool library_fill(struct scope *sc, const struct place *place, const struct area *out, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    struct area a = area_copy(lw, out);
    area_squeeze(&a);
    bool zero =
        (value->op == EXPR_INT && value->i == 0) || (value->op == EXPR_FLOAT && value->f == 0 && !signbit(value->f));
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

/* Without identity the node accumulates: an edge that resolves conflicts with the same function asks for nothing else.
 */
static bool result(struct scope *sc, struct library *n, const struct memlet *wcr, bool accumulates, struct area *out)
{
    const struct edge *e = library_output_edge(n, NULL);
    if (!accumulates || !e || e->memlet.wcr_kind == WCR_NONE)
        return (accumulates ? library_update : library_output)(sc, n, NULL, out);
    if (e->memlet.wcr_kind != wcr->wcr_kind || wcr->wcr_kind == WCR_CUSTOM ||
        lower_is_conflicting(sc, library_output_edge(n, NULL)))
        return lower_unsupported(sc, &n->node.place, "a reduction without identity into a conflict resolution");
    return library_target(sc, n, NULL, out);
}

/* Sums and products of narrow floats are taken in float32. */
static bool reduce_wide(struct scope *sc, struct library *n, const struct area *in, const bool *reduced,
                        const struct area *out, const struct memlet *wcr, struct tree_expr *identity)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    const struct type *wide = type_promote(lw->ir, out->type);
    bool rounds = type_is_float(out->type) && wide != out->type && wcr->wcr_kind != WCR_MIN && wcr->wcr_kind != WCR_MAX;
    if (!rounds)
        return library_reduce(sc, place, in, reduced, out, wcr, identity);
    struct area sums;
    return library_temporary(sc, place, out, wide, &sums) &&
           (identity || lower_copy(sc, place, out, &sums, NULL, false)) &&
           library_reduce(sc, place, in, reduced, &sums, wcr, identity ? expr_cast(lw->tree, wide, identity) : NULL) &&
           lower_copy(sc, place, &sums, out, NULL, false);
}

bool lower_reduce(struct scope *sc, struct library *n)
{
    const struct place *place = &n->node.place;
    struct area in, out;
    if (!library_input(sc, n, NULL, &in))
        return false;
    bool reduced[2 * LOWER_MAX_RANK + 1], any = false;
    if (!read_axes(sc, n, &in, reduced))
        return false;
    for (uint32_t i = 0; i < in.rank; i++) {
        if (sym_is_int(in.sizes[i], 1))
            reduced[i] = false; /* reduced dimensions of extent 1 are dropped from the list */
        any = any || reduced[i];
    }
    if (!any)
        return library_output(sc, n, NULL, &out) && lower_copy(sc, place, &in, &out, NULL, false);
    struct memlet wcr = { .name = "" };
    struct tree_expr *identity;
    const struct edge *e = library_output_edge(n, NULL);
    if (!e)
        return diag_error(sc->act->lw->diags, place, DIAG_LIBRARY_OPERAND, "output");
    if (!read_wcr(sc, n, &wcr))
        return false;
    if (!code_wcr_applies(wcr.wcr_kind, e->memlet.data->type))
        return diag_error(sc->act->lw->diags, place, DIAG_WCR_TYPE, type_text(sc->act->lw->ir, e->memlet.data->type));
    return identity_value(sc, n, e->memlet.data->type, &identity) && result(sc, n, &wcr, !identity, &out) &&
           reduce_wide(sc, n, &in, reduced, &out, &wcr, identity);
}
