/* What each nest of a chain has to do for a tile, and how large tiles are.
 *
 * Temporaries are addressed by points of the space: element x * stride + r, where nothing but r and x (the iteration
 * plus a constant, the shift) occurs. Ranges of loops prove that each element belongs to one point only. So the point x
 * is written by iteration x - w of its writer, and a nest that reads x at its iteration i needs iteration i + d - w. */
#include "lower/opt/locality/overlapped_tiling.h"

enum {
    MOST_WORK = 130,    /* percent of the iterations without tiles: beyond, waiting for memory costs less */
    LONGEST_TILE = 1024 /* in the second dimension */
};

struct overlap_memory *overlap_temporary(const struct overlap_group *g, const struct tree_expr *pointer)
{
    if (!pointer || pointer->op != EXPR_VAR || !g->memories[pointer->var->id].temporary)
        return NULL;
    return &g->memories[pointer->var->id];
}

/* ---- points ---- */

static bool set_stride(struct overlap_memory *m, const struct linear_term *stride, uint32_t dimension)
{
    if (stride->times <= 0 || stride->times > TILING_LIMIT ||
        (m->reach.times && !tiling_same_stride(stride, &m->strides[dimension])))
        return false;
    m->strides[dimension] = *stride;
    return true;
}

/* Sizes as strides: whole points are terms of their own, and a point is as large as the stride. */
static bool place_of_sizes(struct overlap_memory *m, const struct overlap_group *g, const struct tree_frame *frame,
                           struct overlap_place *place)
{
    place->shift[0] = tiling_take_points(&place->rest, &m->strides[0]);
    m->reach = m->strides[0];
    return place->shift[0] > -TILING_LIMIT && place->shift[0] < TILING_LIMIT &&
           tiling_is_within(g->tree->scratch, &place->rest, &m->strides[0], frame);
}

/* Do all of these addresses lie in the memory? Not asked where sizes are not known. */
static bool is_inside(const struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                      struct interval rest)
{
    for (uint32_t i = 0; i < g->depth && !g->sized; i++) {
        struct interval range = { true, s->begin[i], s->end[i] - 1 };
        rest = interval_add(rest, interval_scale(range, m->strides[i].times));
    }
    return rest.known && (g->sized || (rest.low >= 0 && rest.high < m->alloc->count->i));
}

/* Constants: what is added to x * stride of a dimension tells how many of its points are added. */
static bool place_of_constants(struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                               const struct tree_frame *frame, struct overlap_place *place)
{
    struct interval rest = linear_interval(&place->rest, frame, NULL), inside[OVERLAP_DEPTH + 1] = { 0 };
    if (!is_inside(m, g, s, rest))
        return false;
    inside[g->depth] = rest;
    for (uint32_t i = g->depth; i-- > 1;) {
        struct interval range = { true, s->begin[i], s->end[i] - 1 };
        inside[i] = interval_add(inside[i + 1], interval_scale(range, m->strides[i].times));
    }
    int64_t taken = 0, high = 0;
    for (uint32_t i = 0; i < g->depth; i++) {
        int64_t stride = m->strides[i].times;
        place->shift[i] = tiling_divide(inside[i + 1].low - taken, stride);
        taken += place->shift[i] * stride;
        high = inside[i + 1].high - taken;
        if (high >= stride)
            return false;
    }
    place->rest.constant -= taken;
    m->reach.times = high >= m->reach.times ? high + 1 : m->reach.times;
    return true;
}

bool overlap_place(struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                   const struct linear *at, const struct tree_frame *frame, struct overlap_place *place)
{
    bool constants = true;
    linear_copy(&place->rest, at);
    for (uint32_t i = 0; i < g->depth; i++) {
        struct linear_term stride;
        if (!tiling_stride(g->tree, s->loops[i], &place->rest, &stride, &place->rest) || !set_stride(m, &stride, i))
            return false;
        constants = constants && stride.count == 0;
    }
    if (constants)
        return place_of_constants(m, g, s, frame, place);
    return g->sized && place_of_sizes(m, g, frame, place);
}

/* ---- who writes what ---- */

static bool same_point(const struct overlap_group *g, const int64_t *a, const int64_t *b)
{
    for (uint32_t i = 0; i < g->depth; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Each point has one writer, which writes it in one iteration. A nest sees what earlier ones wrote, or what the same
 * iteration did. */
static bool see_temporary(struct overlap_group *g, const struct overlap_stage *s, struct overlap_memory *m,
                          const struct tree_access *a)
{
    struct overlap_place place;
    if (a->extent != 1 || a->type != m->alloc->type || !overlap_place(m, g, s, a->at, a->frame, &place))
        return false;
    if (a->write && !m->writer) {
        if (g->num_temporaries == OVERLAP_STAGES)
            return false;
        g->temporaries[g->num_temporaries++] = m;
        m->writer = s;
        for (uint32_t i = 0; i < g->depth; i++)
            m->written[i] = place.shift[i];
    }
    if (a->write)
        return a->store && !a->guarded && m->writer == s && same_point(g, m->written, place.shift);
    return m->writer && (m->writer != s || same_point(g, m->written, place.shift));
}

/* An access of one statement comes before the store in it, so stores are looked at first. */
static bool see_accesses(struct overlap_group *g)
{
    for (uint32_t k = 0; k < g->count; k++)
        for (int write = 1; write >= 0; write--)
            for (uint32_t i = 0; i < g->stages[k].piece.accesses.count; i++) {
                const struct tree_access *a = g->stages[k].piece.accesses.items[i];
                struct overlap_memory *m = overlap_temporary(g, a->pointer);
                if (m && a->write == write && !see_temporary(g, &g->stages[k], m, a))
                    return false;
            }
    return true;
}

/* ---- what a tile needs ---- */

static void widen(int64_t *low, int64_t *high, int64_t to_low, int64_t to_high)
{
    *low = to_low < *low ? to_low : *low;
    *high = to_high > *high ? to_high : *high;
}

static void need(struct overlap_group *g, const struct overlap_stage *s, const struct tree_access *a)
{
    struct overlap_memory *m = overlap_temporary(g, a->pointer);
    struct overlap_place place;
    if (!m || !overlap_place(m, g, s, a->at, a->frame, &place))
        return;
    const int64_t *shift = place.shift;
    struct overlap_stage *writer = &g->stages[m->writer - g->stages];
    m->oldest = s->high[0] + shift[0] < m->oldest ? s->high[0] + shift[0] : m->oldest;
    for (uint32_t i = 0; i < g->depth; i++) {
        widen(&m->low[i], &m->high[i], s->low[i] + shift[i], s->high[i] + shift[i]);
        if (writer != s)
            widen(&writer->low[i], &writer->high[i], s->low[i] + shift[i] - m->written[i],
                  s->high[i] + shift[i] - m->written[i]);
    }
    writer->wanted |= writer != s;
}

/* From the last nest to the first. What writes memory that lives on does each iteration once, without overlap. */
static bool find_needs(struct overlap_group *g)
{
    for (uint32_t k = g->count; k-- > 0;) {
        struct overlap_stage *s = &g->stages[k];
        bool last = s->lasting || !s->wanted;
        for (uint32_t i = 0; i < g->depth; i++) {
            if (s->lasting && s->wanted && (s->low[i] != 0 || s->high[i] != 0))
                return false;
            if (last) {
                s->low[i] = s->high[i] = 0;
                widen(&g->begin[i], &g->end[i], s->begin[i], s->end[i]);
            }
        }
        for (uint32_t i = 0; i < s->piece.accesses.count; i++)
            need(g, s, s->piece.accesses.items[i]);
    }
    return true;
}

/* ---- how large ---- */

int64_t overlap_rows(const struct overlap_memory *m) { return m->high[0] - m->oldest + 1; }

int64_t overlap_points(const struct overlap_group *g, const struct overlap_memory *m)
{
    int64_t count = 1;
    for (uint32_t i = 1; i < g->depth; i++)
        count *= g->size[i] + m->high[i] - m->low[i];
    return count;
}

int64_t overlap_elements(const struct overlap_group *g, const struct overlap_memory *m)
{
    return overlap_rows(m) * overlap_points(g, m) * m->reach.times;
}

static int64_t bytes_of(const struct overlap_group *g)
{
    int64_t bytes = 0;
    for (uint32_t k = 0; k < g->num_temporaries; k++)
        bytes += overlap_elements(g, g->temporaries[k]) * g->temporaries[k]->alloc->type->size;
    return bytes;
}

/* Iterations of a nest in all tiles, those at the border taken as whole. */
static double iterations(const struct overlap_group *g, const struct overlap_stage *s)
{
    double result = 1;
    for (uint32_t i = 0; i < g->depth; i++)
        result *= (double)(g->end[i] - g->begin[i] + g->tiles[i] * (s->high[i] - s->low[i]));
    return result;
}

/* In percent of the same without overlap. Accesses stand for the work of an iteration. */
static double work_of(const struct overlap_group *g)
{
    double work = 0, accesses = 0, points = 1;
    for (uint32_t k = 0; k < g->count; k++) {
        work += iterations(g, &g->stages[k]) * g->stages[k].piece.accesses.count;
        accesses += g->stages[k].piece.accesses.count;
    }
    for (uint32_t i = 0; i < g->depth; i++)
        points *= (double)(g->end[i] - g->begin[i]);
    return work / (points * accesses) * 100;
}

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Rows keep no more memory if there are more of them, so as few tiles as will do. */
static void set_size(struct overlap_group *g, int64_t width)
{
    int64_t rows = g->end[0] - g->begin[0], columns = g->depth > 1 ? g->end[1] - g->begin[1] : 1;
    g->size[1] = width;
    g->tiles[1] = divide_up(columns, width);
    g->size[0] = g->parallel ? divide_up(rows, divide_up(OVERLAP_TILES, g->tiles[1])) : rows;
    g->tiles[0] = divide_up(rows, g->size[0]);
}

/* The least work of what fits. */
static enum overlap_step choose_size(struct overlap_group *g)
{
    const struct machine *m = g->tree->machine;
    int64_t columns = g->depth > 1 ? g->end[1] - g->begin[1] : 1, best = 0;
    double least = MOST_WORK, near = 0.375 * (double)m->second_cache; /* the rest is for what goes by */
    for (int64_t width = 1; width <= columns && width <= LONGEST_TILE; width++) {
        set_size(g, width);
        double work = work_of(g);
        if (work >= least || bytes_of(g) > near)
            continue;
        least = work;
        best = width;
    }
    if (best)
        set_size(g, best);
    g->more_work = (int)(least - 99.5);
    return best ? OVERLAP_PLANNED : OVERLAP_NEEDS;
}

/* Sizes that only a run knows: the least rows of a tile with that little work, for threads to share; one thread has one
 * tile. Rows of one dimension are taken for short enough to be kept. */
static enum overlap_step choose_least(struct overlap_group *g)
{
    int64_t more = 0, accesses = 0;
    for (uint32_t k = 0; k < g->num_temporaries; k++)
        if (g->temporaries[k]->reach.count > 1)
            return OVERLAP_PLANES;
    for (uint32_t k = 0; k < g->count; k++) {
        more += (g->stages[k].high[0] - g->stages[k].low[0]) * g->stages[k].piece.accesses.count;
        accesses += g->stages[k].piece.accesses.count;
    }
    g->size[0] = divide_up(more * 100 + 1, accesses * (MOST_WORK - 100));
    return OVERLAP_PLANNED;
}

static bool is_far(const struct overlap_group *g)
{
    double bytes = 0;
    for (uint32_t i = 0; i < g->num_temporaries && !g->sized; i++)
        bytes += (double)g->temporaries[i]->alloc->count->i * g->temporaries[i]->alloc->type->size;
    return g->num_temporaries > 0 && (g->sized || bytes > (double)g->tree->machine->second_cache);
}

/* ---- bounds ---- */

static bool count_from(const struct tree_expr *bound, const struct tree_expr *from, int64_t *offset)
{
    struct linear apart, base;
    linear_of(&apart, bound);
    linear_of(&base, from);
    linear_add(&apart, &base, -1);
    *offset = apart.constant;
    return linear_is_constant(&apart) && *offset > -TILING_LIMIT && *offset < TILING_LIMIT;
}

/* Begins are counted from that of the last nest if it is a size, ends likewise. */
static bool find_bounds(struct overlap_group *g)
{
    const struct overlap_stage *last = &g->stages[g->count - 1];
    for (uint32_t i = 0; i < g->depth; i++) {
        struct tree_expr *begin = last->loops[i]->begin, *end = last->loops[i]->end, *zero = expr_i64(g->tree, 0);
        g->from[i] = begin->op == EXPR_INT ? zero : begin;
        g->to[i] = end->op == EXPR_INT ? zero : end;
        g->sized |= begin->op != EXPR_INT || end->op != EXPR_INT;
        for (uint32_t k = 0; k < g->count; k++) {
            struct overlap_stage *s = &g->stages[k];
            if (!count_from(s->loops[i]->begin, g->from[i], &s->begin[i]) ||
                !count_from(s->loops[i]->end, g->to[i], &s->end[i]))
                return false;
        }
    }
    return true;
}

static void reset(struct overlap_group *g)
{
    for (uint32_t i = 0; i < OVERLAP_DEPTH; i++) {
        g->begin[i] = INT64_MAX;
        g->end[i] = INT64_MIN;
    }
    for (uint32_t k = 0; k < g->count; k++)
        for (uint32_t i = 0; i < OVERLAP_DEPTH; i++) {
            g->stages[k].low[i] = INT64_MAX;
            g->stages[k].high[i] = INT64_MIN;
        }
}

bool overlap_plan(struct overlap_group *g)
{
    reset(g);
    g->reached = OVERLAP_UNFIT;
    if (!find_bounds(g) || (g->sized && g->depth > 1) || !see_accesses(g) || !is_far(g))
        return false;
    for (uint32_t k = 0; k < g->num_temporaries; k++) {
        struct overlap_memory *t = g->temporaries[k];
        t->oldest = INT64_MAX;
        for (uint32_t i = 0; i < OVERLAP_DEPTH; i++) {
            t->low[i] = INT64_MAX;
            t->high[i] = INT64_MIN;
        }
    }
    if (!find_needs(g))
        g->reached = OVERLAP_LARGE;
    else
        g->reached = g->sized ? choose_least(g) : choose_size(g);
    return g->reached == OVERLAP_PLANNED;
}
