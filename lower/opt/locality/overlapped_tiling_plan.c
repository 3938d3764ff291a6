/* What each nest of a chain has to do for a tile, and how large tiles are.
 *
 * Temporaries are addressed by points of the space: element x * stride + r, where nothing but r and x (the iteration
 * plus a constant, the shift) occurs. Ranges of loops prove that each element belongs to one point only. So the point x
 * is written by iteration x - w of its writer, and a nest that reads x at its iteration i needs iteration i + d - w. */
#include "lower/opt/locality/overlapped_tiling.h"

enum {
    MOST_WORK = 130,     /* percent of the iterations without tiles: beyond, waiting for memory costs less */
    LONGEST_TILE = 1024, /* in the second dimension */
    FEWEST_TILES = 32    /* of a parallel loop, for equal shares of many threads */
};

struct overlap_memory *overlap_temporary(const struct overlap_group *g, const struct tree_expr *pointer)
{
    if (!pointer || pointer->op != EXPR_VAR || !g->memories[pointer->var->id].temporary)
        return NULL;
    return &g->memories[pointer->var->id];
}

/* ---- points ---- */

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool set_strides(struct overlap_memory *m, const int64_t *strides, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (strides[i] <= 0 || strides[i] > OVERLAP_LIMIT || (m->reach && strides[i] != m->strides[i]))
            return false;
        m->strides[i] = strides[i];
    }
    return true;
}

bool overlap_shift(struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                   const struct linear *at, const struct tree_frame *frame, int64_t *shift)
{
    struct linear rest = { .known = true };
    int64_t strides[OVERLAP_DEPTH];
    linear_add(&rest, at, 1);
    for (uint32_t i = 0; i < g->depth; i++)
        if (!linear_take(&rest, s->loops[i]->var, &strides[i]))
            return false;
    struct interval inside[OVERLAP_DEPTH + 1]; /* what is added to x * stride of each dimension */
    inside[g->depth] = linear_interval(&rest, frame, NULL);
    if (!rest.known || !set_strides(m, strides, g->depth))
        return false;
    for (uint32_t i = g->depth; i-- > 0;) {
        struct interval range = { true, s->loops[i]->begin->i, s->loops[i]->end->i - 1 };
        inside[i] = interval_add(inside[i + 1], interval_scale(range, strides[i]));
    }
    if (!inside[0].known || inside[0].low < 0 || inside[0].high >= m->alloc->count->i)
        return false;
    int64_t taken = 0, high = 0;
    for (uint32_t i = 0; i < g->depth; i++) {
        int64_t low = inside[i + 1].low - taken;
        shift[i] = floor_divide(low, strides[i]);
        taken += shift[i] * strides[i];
        high = inside[i + 1].high - taken;
        if (high >= strides[i])
            return false;
    }
    m->reach = high >= m->reach ? high + 1 : m->reach;
    return true;
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
    int64_t shift[OVERLAP_DEPTH];
    if (a->extent != 1 || a->type != m->alloc->type || !overlap_shift(m, g, s, a->at, a->frame, shift))
        return false;
    if (a->write && !m->writer) {
        if (g->num_temporaries == OVERLAP_STAGES)
            return false;
        g->temporaries[g->num_temporaries++] = m;
        m->writer = s;
        for (uint32_t i = 0; i < g->depth; i++)
            m->written[i] = shift[i];
    }
    if (a->write)
        return a->store && !a->guarded && m->writer == s && same_point(g, m->written, shift);
    return m->writer && (m->writer != s || same_point(g, m->written, shift));
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
    int64_t shift[OVERLAP_DEPTH];
    if (!m || !overlap_shift(m, g, s, a->at, a->frame, shift))
        return;
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
                widen(&g->begin[i], &g->end[i], s->loops[i]->begin->i, s->loops[i]->end->i);
            }
        }
        for (uint32_t i = 0; i < s->piece.accesses.count; i++)
            need(g, s, s->piece.accesses.items[i]);
    }
    return true;
}

/* ---- how large ---- */

int64_t overlap_rows(const struct overlap_memory *m) { return m->high[0] - m->oldest + 1; }

int64_t overlap_elements(const struct overlap_group *g, const struct overlap_memory *m)
{
    int64_t count = overlap_rows(m) * m->reach;
    for (uint32_t i = 1; i < g->depth; i++)
        count *= g->size[i] + m->high[i] - m->low[i];
    return count;
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
    g->size[0] = g->parallel ? divide_up(rows, divide_up(FEWEST_TILES, g->tiles[1])) : rows;
    g->tiles[0] = divide_up(rows, g->size[0]);
}

/* The least work of what fits. */
static bool choose_size(const struct machine *m, struct overlap_group *g)
{
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
    return best > 0;
}

static bool is_far(const struct machine *m, const struct overlap_group *g)
{
    double bytes = 0;
    for (uint32_t i = 0; i < g->num_temporaries; i++)
        bytes += (double)g->temporaries[i]->alloc->count->i * g->temporaries[i]->alloc->type->size;
    return bytes > (double)m->second_cache;
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

bool overlap_plan(const struct machine *m, struct overlap_group *g)
{
    reset(g);
    g->reached = OVERLAP_UNFIT;
    if (!see_accesses(g) || !is_far(m, g))
        return false;
    for (uint32_t k = 0; k < g->num_temporaries; k++) {
        struct overlap_memory *t = g->temporaries[k];
        t->oldest = INT64_MAX;
        for (uint32_t i = 0; i < OVERLAP_DEPTH; i++) {
            t->low[i] = INT64_MAX;
            t->high[i] = INT64_MIN;
        }
    }
    g->reached = !find_needs(g) ? OVERLAP_LARGE : !choose_size(m, g) ? OVERLAP_NEEDS : OVERLAP_PLANNED;
    return g->reached == OVERLAP_PLANNED;
}
