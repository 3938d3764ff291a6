/* standard.Gearbox: packs elements of one stream into wider vectors of another, or takes them apart again
 * (library-nodes.md 4.5). The first narrow element has the lowest lanes. */
#include "lower/graph/check.h"
#include "lower/graph/library/library.h"
#include "lower/graph/stream.h"

struct gears {
    struct tree_expr *from, *to; /* handles */
    const struct type *narrow, *wide;
    uint32_t factor; /* narrow elements in a wide one */
};

static uint32_t lanes(const struct type *t) { return t->kind == TYPE_VECTOR ? t->lanes : 1; }

static struct tree_expr *lane_number(struct tree *t, const struct gears *g, uint32_t element, uint32_t lane)
{
    return expr_i64(t, element * lanes(g->narrow) + lane);
}

/* wide = { pop(from), pop(from), ... }; push(to, wide) */
static void pack(struct lower *lw, const struct gears *g, struct tree_stmt *block)
{
    struct tree *t = lw->tree;
    struct tree_var *wide = tree_var(t, "wide", g->wide);
    stmt_assign(t, block, wide, expr_zero(t, g->wide));
    for (uint32_t i = 0; i < g->factor; i++) {
        struct tree_var *narrow = tree_var(t, "narrow", g->narrow);
        stmt_assign(t, block, narrow, stream_pop(t, block, g->narrow, g->from));
        struct tree_expr *v = expr_var(t, wide);
        for (uint32_t k = 0; k < lanes(g->narrow); k++) {
            struct tree_expr *lane = expr_var(t, narrow);
            if (g->narrow->kind == TYPE_VECTOR)
                lane = expr_lane(t, lane, expr_i64(t, k));
            v = expr_insert(t, v, lane_number(t, g, i, k), lane);
        }
        stmt_assign(t, block, wide, v);
    }
    stream_push(t, block, g->wide, g->to, expr_var(t, wide));
}

static void unpack(struct lower *lw, const struct gears *g, struct tree_stmt *block)
{
    struct tree *t = lw->tree;
    struct tree_var *wide = tree_var(t, "wide", g->wide);
    stmt_assign(t, block, wide, stream_pop(t, block, g->wide, g->from));
    for (uint32_t i = 0; i < g->factor; i++) {
        struct tree_expr *narrow = expr_lane(t, expr_var(t, wide), lane_number(t, g, i, 0));
        if (g->narrow->kind == TYPE_VECTOR) {
            narrow = expr_zero(t, g->narrow);
            for (uint32_t k = 0; k < lanes(g->narrow); k++)
                narrow =
                    expr_insert(t, narrow, expr_i64(t, k), expr_lane(t, expr_var(t, wide), lane_number(t, g, i, k)));
        }
        stream_push(t, block, g->narrow, g->to, narrow);
    }
}

/* The queue behind the one edge that carries data on a side. */
static struct tree_expr *queue(struct scope *sc, struct library *n, const struct edge *e)
{
    struct area a;
    if (!e || !is_stream(e->memlet.data)) {
        diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, "stream");
        return NULL;
    }
    if (!lower_stream_area(sc, &e->place, e->memlet.data, e->memlet.subset, &a) ||
        !lower_check_area(sc, &e->place, &a, false, false))
        return NULL;
    return stream_handle(sc->act->lw->tree, a.pointer, expr_i64(sc->act->lw->tree, 0), a.alias);
}

bool lower_gearbox(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct edge *in = library_input_edge(n, NULL), *out = library_output_edge(n, NULL);
    struct gears g = { .from = queue(sc, n, in), .to = queue(sc, n, out) };
    if (!g.from || !g.to)
        return false;
    const struct type *a = in->memlet.data->type, *b = out->memlet.data->type;
    bool packs = lanes(b) > lanes(a);
    g.narrow = packs ? a : b;
    g.wide = packs ? b : a;
    if (type_scalar(a) != type_scalar(b) || !type_is_basic(type_scalar(a)))
        return library_wrong_shapes(sc, n, "the streams have elements of different types");
    if (lanes(a) == lanes(b) || !lanes(g.narrow) || lanes(g.wide) % lanes(g.narrow))
        return library_wrong_shapes(sc, n, "the wider vectors must be a multiple of the narrower ones");
    g.factor = lanes(g.wide) / lanes(g.narrow);
    struct tree_expr *size = library_scalar(sc, n, "size", 0, type_basic(lw->ir, TYPE_I64));
    if (!size)
        return false;
    struct tree_var *i = tree_var(t, "i", type_basic(lw->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, sc->block, i, expr_i64(t, 0), size, expr_i64(t, 1));
    loop->place = &n->node.place;
    (packs ? pack : unpack)(lw, &g, loop->body);
    return true;
}
