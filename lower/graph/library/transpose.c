/* linalg.Transpose, linalg.TensorTranspose (library-nodes.md 5.1, 5.2). Where the dimensions of stride 1 of the two
 * sides differ, elements go in square tiles, so that the lines of both stay in the cache. */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"
#include "ir/library.h"

#include <string.h>

enum { TILE = 32 };

struct axis {
    const struct sym *size, *in, *out; /* elements per step */
};

/* out = alpha * in + beta * out over all axes; alpha and beta may be NULL. */
struct permutation {
    const struct place *place;
    const struct area *in, *out;
    struct tree_expr *alpha, *beta;
    struct axis axes[2 * LOWER_MAX_RANK + 1]; /* in the order of the result */
    uint32_t count;
};

/* Neighbours in the result that are neighbours in the input too become one; dimensions of extent 1 drop out. */
static void add_axis(struct lower *lw, struct permutation *p, struct axis a)
{
    if (sym_is_int(a.size, 1))
        return;
    struct axis *last = p->count ? &p->axes[p->count - 1] : NULL;
    if (last && last->in == sym_mul(lw->ir, a.size, a.in) && last->out == sym_mul(lw->ir, a.size, a.out)) {
        a.size = sym_mul(lw->ir, last->size, a.size);
        *last = a;
        return;
    }
    p->axes[p->count++] = a;
}

static bool store(struct scope *body, const struct permutation *p, const struct sym *const *index)
{
    struct lower *lw = body->act->lw;
    struct tree *t = lw->tree;
    const struct sym *from = sym_int(lw->ir, 0), *to = from;
    for (uint32_t i = 0; i < p->count; i++) {
        from = sym_add(lw->ir, from, sym_mul(lw->ir, index[i], p->axes[i].in));
        to = sym_add(lw->ir, to, sym_mul(lw->ir, index[i], p->axes[i].out));
    }
    struct tree_expr *from_index = lower_index(lw, p->place, from), *to_index = lower_index(lw, p->place, to);
    if (!from_index || !to_index)
        return false;
    struct tree_expr *value = expr_load(t, p->in->type, p->in->pointer, from_index, p->in->alias);
    const struct type *wide = type_arithmetic(lw->ir, p->in->type, p->out->type);
    if (p->alpha) {
        wide = type_arithmetic(lw->ir, wide, p->alpha->type);
        value = expr_binary(t, EXPR_MUL, expr_cast(t, wide, p->alpha), expr_cast(t, wide, value));
    }
    if (p->beta) {
        wide = type_arithmetic(lw->ir, wide, p->beta->type);
        struct tree_expr *old = expr_load(t, p->out->type, p->out->pointer, to_index, p->out->alias);
        struct tree_expr *kept = expr_binary(t, EXPR_MUL, expr_cast(t, wide, p->beta), expr_cast(t, wide, old));
        value = expr_binary(t, EXPR_ADD, expr_cast(t, wide, value), kept);
    }
    struct area at = *p->out;
    at.pointer = expr_offset(t, at.pointer, to_index);
    return lower_write(body, p->place, &at, NULL, false, value);
}

/* The axis of stride 1 of one side; -1 if there is none, or if it is too short for tiles. */
static int fast_axis(const struct permutation *p, bool in)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (sym_is_int(in ? p->axes[i].in : p->axes[i].out, 1))
            return p->axes[i].size->op == SYM_INT && p->axes[i].size->i < TILE ? -1 : (int)i;
    return -1;
}

static bool in_tiles(struct scope *sc, const struct permutation *p, uint32_t slow, uint32_t fast)
{
    const struct sym *index[2 * LOWER_MAX_RANK + 1], *sizes[2 * LOWER_MAX_RANK + 1], *outer[2 * LOWER_MAX_RANK + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (i != slow && i != fast)
            sizes[count++] = p->axes[i].size;
    struct tree_var *rows, *columns;
    struct scope body = *sc;
    body.block = lower_loops(sc, p->place, count, sizes, true, outer);
    body.parallel = sc->parallel || count > 0;
    body.block = body.block ? library_blocks(&body, p->place, p->axes[slow].size, TILE, true, &rows) : NULL;
    body.parallel = true;
    body.block = body.block ? library_blocks(&body, p->place, p->axes[fast].size, TILE, false, &columns) : NULL;
    body.block = body.block ? library_block(&body, p->place, rows, TILE, p->axes[slow].size, &index[slow]) : NULL;
    body.block = body.block ? library_block(&body, p->place, columns, TILE, p->axes[fast].size, &index[fast]) : NULL;
    if (!body.block)
        return false;
    for (uint32_t i = 0, k = 0; i < p->count; i++)
        if (i != slow && i != fast)
            index[i] = outer[k++];
    return store(&body, p, index);
}

/* perm[k]: the dimension of `in` that is dimension k of `out`. */
static bool permute(struct scope *sc, struct permutation *p, const uint32_t *perm)
{
    for (uint32_t k = 0; k < p->out->rank; k++)
        add_axis(sc->act->lw, p, (struct axis){ p->out->sizes[k], p->in->strides[perm[k]], p->out->strides[k] });
    int slow = fast_axis(p, true), fast = fast_axis(p, false);
    if (slow >= 0 && fast >= 0 && slow != fast)
        return in_tiles(sc, p, (uint32_t)slow, (uint32_t)fast);
    const struct sym *index[2 * LOWER_MAX_RANK + 1], *sizes[2 * LOWER_MAX_RANK + 1];
    for (uint32_t i = 0; i < p->count; i++)
        sizes[i] = p->axes[i].size;
    struct scope body = *sc;
    body.block = lower_loops(sc, p->place, p->count, sizes, true, index);
    return body.block && store(&body, p, index);
}

static bool extents_fit(struct lower *lw, const struct permutation *p, const uint32_t *perm)
{
    for (uint32_t k = 0; k < p->out->rank; k++)
        if (library_differ(lw, p->out->sizes[k], p->in->sizes[perm[k]]))
            return false;
    return true;
}

bool lower_transpose(struct scope *sc, struct library *n)
{
    struct area in, out;
    static const uint32_t swap[] = { 1, 0 };
    if (!library_input(sc, n, NULL, &in) || !library_output(sc, n, NULL, &out))
        return false;
    if (in.rank != 2 || out.rank != 2) {
        area_squeeze(&in);
        area_squeeze(&out);
    }
    struct permutation p = { .place = &n->node.place, .in = &in, .out = &out };
    if (in.rank != 2 || out.rank != 2) /* a vector stays what it is */
        return in.rank > 2 || out.rank > 2 ? library_wrong_shapes(sc, n, "matrices expected")
                                           : lower_copy(sc, &n->node.place, &in, &out, NULL, false);
    return extents_fit(sc->act->lw, &p, swap) ? permute(sc, &p, swap)
                                              : library_wrong_shapes(sc, n, "the result has other extents");
}

/* `out` NULL for a factor that changes nothing. */
static bool factor(struct scope *sc, struct library *n, const char *property, double neutral, const struct type *type,
                   struct tree_expr **out)
{
    *out = library_factor(sc, n, property, neutral, type);
    if (!*out)
        return false;
    if (library_is_constant(*out, neutral))
        *out = NULL;
    return true;
}

bool lower_tensor_transpose(struct scope *sc, struct library *n)
{
    struct area in, out;
    struct permutation p = { .place = &n->node.place, .in = &in, .out = &out };
    int64_t *axes;
    uint32_t count, perm[2 * LOWER_MAX_RANK + 1], seen = 0;
    if (!library_input(sc, n, NULL, &in) || !library_ints(n, "axes", &axes, &count))
        return false;
    const struct edge *e = library_output_edge(n, NULL);
    if (!e)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, "output");
    if (!factor(sc, n, "alpha", 1, e->memlet.data->type, &p.alpha) ||
        !factor(sc, n, "beta", 0, e->memlet.data->type, &p.beta) ||
        !(p.beta ? library_update : library_output)(sc, n, NULL, &out))
        return false;
    if (count != in.rank || count != out.rank || count > LOWER_MAX_RANK)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
    for (uint32_t k = 0; k < count; k++) {
        if (axes[k] < 0 || axes[k] >= count || (seen & 1u << axes[k]))
            return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, "axes");
        seen |= 1u << axes[k];
        perm[k] = (uint32_t)axes[k];
    }
    return extents_fit(sc->act->lw, &p, perm) ? permute(sc, &p, perm)
                                              : library_wrong_shapes(sc, n, "the result has other extents");
}
