/* A chain of nests that communicate through temporaries is tiled as a whole: the nests run row by row, each as far
 * ahead of the last as the dependences need, and a few rows of the temporaries are kept. If those do not fit the
 * cache, the space is cut into tiles, and the overlap of neighbouring tiles is recomputed.
 *
 *     T = heap float64[4096 * 100]                  for tile = 0 to 4094 step 4094 {
 *     for i = 0 to 4096                                 T = heap float64[3 * 100]
 *         for k { T[i * 100 + k] = ... }      ->        for step = tile - 2 to 4094
 *     for i = 0 to 4094                                     for i = step + 2 to step + 3
 *         for k { B[i, k] = T[i * 100 + k]                      for k { T[i % 3 * 100 + k] = ... }
 *                  + T[(i + 2) * 100 + k] }                 for i = max(step, tile) to step + 1
 *                                                               for k { B[i, k] = ... }
 *                                                       free T
 *                                                   }
 *
 * Legality: Each element of a temporary belongs to one point of the space, and nests read it at constant distances.
 * Memory that outlives the chain is written once only.
 * Profitability: If the temporaries exceed the second-level cache, with the tile that recomputes least, at most 30 %.
 * Where extents are sizes that the call gives, they are taken for that large, and rows of one dimension for short
 * enough to be kept: only the first dimension is cut. */
#include "lower/opt/locality/overlapped_tiling.h"
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include <math.h>

struct overlap {
    struct iterations x;
    struct arena *arena;
    const struct tree_scan *whole;
    struct overlap_memory *memories; /* by variable */
    uint32_t *writers;               /* by alias class: 1 + the nest that writes it, memory that lives on */
};

/* ---- memory ---- */

static void find(struct overlap *o, struct tree_stmt *s, struct tree_stmt *block, double *bytes)
{
    if (s->kind == STMT_ALLOC) {
        struct overlap_memory *m = &o->memories[s->var->id];
        m->fixed |= m->alloc || s->zero || s->where != TREE_HEAP || !tree_is_size(o->x.tree, s->count);
        m->alloc = s;
        m->block = block;
        if (!m->fixed)
            *bytes += s->count->op == EXPR_INT ? (double)s->count->i * s->type->size : INFINITY;
    } else if (s->kind == STMT_FREE) {
        struct overlap_memory *m = &o->memories[s->var->id];
        m->fixed |= m->release || m->block != block;
        m->release = s;
    } else if (s->var) {
        o->memories[s->var->id].fixed = true;
    }
    if (s->body)
        find(o, s->body, s->body, bytes);
    if (s->otherwise)
        find(o, s->otherwise, s->otherwise, bytes);
    for (uint32_t i = 0; i < s->items.count; i++)
        find(o, s->items.items[i], s, bytes);
}

static struct overlap_memory *memory_of(struct overlap *o, const struct tree_access *a)
{
    return a->pointer && a->pointer->op == EXPR_VAR ? &o->memories[a->pointer->var->id] : NULL;
}

/* Temporaries are those that all uses of are accesses in the chain, but for allocation and release beside it. */
static void find_temporaries(struct overlap *o, struct overlap_group *g, const struct tree_stmt *block)
{
    struct overlap_memory *m;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < g->count; k++)
            for (uint32_t i = 0; i < g->stages[k].piece.accesses.count; i++) {
                const struct tree_access *a = g->stages[k].piece.accesses.items[i];
                if (!(m = memory_of(o, a)))
                    continue;
                if (pass == 0)
                    *m = (struct overlap_memory){
                        .alloc = m->alloc, .release = m->release, .block = m->block, .fixed = m->fixed
                    };
                else
                    m->accesses++;
                if (pass == 1 && !m->fixed && m->alloc && m->release && m->block == block)
                    m->temporary = (uintptr_t)map_get(&o->whole->uses, a->pointer->var) == m->accesses + 2;
                g->sized |= m->temporary && m->alloc->count->op != EXPR_INT;
            }
}

/* Memory that lives on is touched by one nest only if that changes it. */
static bool check_lasting(struct overlap *o, struct overlap_group *g)
{
    bool ok = true;
    for (int pass = 0; pass < 3; pass++) /* clear, writers, all */
        for (uint32_t k = 0; k < g->count; k++)
            for (uint32_t i = 0; i < g->stages[k].piece.accesses.count; i++) {
                const struct tree_access *a = g->stages[k].piece.accesses.items[i];
                if (overlap_temporary(g, a->pointer))
                    continue;
                uint32_t *writer = &o->writers[a->alias];
                if (pass == 0)
                    *writer = 0;
                ok = ok && a->alias != 0 && (pass == 0 || *writer == 0 || *writer == k + 1);
                if (pass == 1 && a->write) {
                    *writer = k + 1;
                    g->stages[k].lasting = true;
                }
            }
    return ok;
}

/* ---- nests ---- */

static bool has_loops(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->kind == STMT_FOR)
            return true;
    return false;
}

static bool can_cut(const struct tree *t, const struct tree_stmt *s)
{
    return tiling_has_bounds(t, s) && s->loop.independent && has_loops(s->body);
}

static bool make_stage(struct overlap *o, struct overlap_stage *stage, struct tree_stmt *s,
                       const struct tree_frame *frame)
{
    *stage = (struct overlap_stage){ 0 };
    for (struct tree_stmt *l = s; stage->depth < OVERLAP_DEPTH && can_cut(o->x.tree, l); l = l->body->items.items[0]) {
        stage->loops[stage->depth++] = l;
        if (l->body->items.count != 1)
            break;
    }
    if (stage->depth == 0)
        return false;
    if (!tiling_is_plain(s, false) || !iterations_keep_variables(&o->x, s))
        return false;
    piece_add(o->arena, &stage->piece, s, frame);
    return !stage->piece.effects;
}

/* ---- chains ---- */

static bool same_schedule(const struct tree_loop *a, const struct tree_loop *b)
{
    return a->parallel == b->parallel && a->omp == b->omp && a->chunk == b->chunk && a->num_threads == b->num_threads;
}

static void say_tiles(const struct overlap *o, const struct overlap_group *g)
{
    struct tree *t = o->x.tree;
    const struct tree_stmt *last = g->stages[g->count - 1].loops[0];
    struct text sizes = text_new(t->arena), names = text_new(t->arena);
    int64_t bytes = 0, before = 0, rows = 0;
    for (uint32_t i = 0; i < g->depth; i++)
        text_printf(&sizes, "%s%lld", i ? " x " : "", (long long)g->size[i]);
    for (uint32_t i = 0; i < g->num_temporaries; i++) {
        const struct overlap_memory *m = g->temporaries[i];
        text_printf(&names, "%s'%s'", i ? ", " : "", m->alloc->var->name);
        bytes += overlap_elements(g, m) * m->alloc->type->size;
        before += g->sized ? 0 : m->alloc->count->i * m->alloc->type->size;
        rows += overlap_rows(m);
    }
    if (g->sized)
        remark(t->ir->remarks, last->place, remark_subject(t, last), REMARK_TILED_ROWS, g->count, (long long)rows,
               text_get(&names));
    else
        remark(t->ir->remarks, last->place, remark_subject(t, last), REMARK_TILED, g->count, text_get(&sizes),
               (long long)bytes, text_get(&names), (long long)before, g->more_work);
}

static bool try_group(struct overlap *o, struct overlap_stage *stages, uint32_t count, uint32_t depth,
                      struct tree_stmt *block, const struct tree_frame *frame, enum overlap_step *reached)
{
    struct overlap_group g = {
        .tree = o->x.tree, .memories = o->memories, .stages = stages, .count = count, .depth = depth
    };
    g.parallel = stages[0].loops[0]->loop.parallel;
    for (uint32_t k = 0; k < count; k++) {
        stages[k].lasting = stages[k].wanted = false;
        if (stages[k].depth < depth || !same_schedule(&stages[0].loops[0]->loop, &stages[k].loops[0]->loop))
            return false;
    }
    find_temporaries(o, &g, block);
    bool planned = check_lasting(o, &g) && overlap_plan(&g);
    *reached = g.reached > *reached ? g.reached : *reached;
    if (!planned)
        return false;
    if (o->x.tree->ir->remarks)
        say_tiles(o, &g);
    overlap_make(o->x.tree, &g, block, frame);
    return true;
}

/* The longest chain that starts at the first nest, cut in as few dimensions as will do. Gives its length or 0. */
static uint32_t try_chain(struct overlap *o, struct overlap_stage *stages, uint32_t count, struct tree_stmt *block,
                          const struct tree_frame *frame)
{
    enum overlap_step reached = OVERLAP_UNFIT;
    uint32_t all = count;
    for (; count > 1; count--)
        for (uint32_t depth = 1; depth <= OVERLAP_DEPTH; depth++)
            if (try_group(o, stages, count, depth, block, frame, &reached))
                return count;
    const struct tree_stmt *first = all ? stages[0].loops[0] : NULL;
    if (reached != OVERLAP_UNFIT)
        remark(o->x.tree->ir->remarks, first->place, remark_subject(o->x.tree, first),
               reached == OVERLAP_LARGE    ? REMARK_TILE_LASTING
               : reached == OVERLAP_PLANES ? REMARK_TILE_PLANES
                                           : REMARK_TILE_SIZE,
               all);
    return 0;
}

static void look_at_block(struct overlap *o, struct tree_stmt *block, const struct tree_frame *frame)
{
    struct overlap_stage *all = NEW_ARRAY(o->arena, struct overlap_stage, block->items.count + 1);
    for (uint32_t i = 0; i < block->items.count; i++)
        if (!make_stage(o, &all[i], block->items.items[i], frame))
            all[i].depth = 0;
    for (uint32_t first = 0; first < block->items.count; first++) {
        struct overlap_stage stages[OVERLAP_STAGES];
        uint32_t count = 0;
        for (uint32_t i = first; i < block->items.count && count < OVERLAP_STAGES; i++) {
            if (count > 0 && block->items.items[i]->kind == STMT_ALLOC)
                continue;
            if (all[i].depth == 0)
                break;
            stages[count] = all[i];
            stages[count++].item = i;
        }
        count = try_chain(o, stages, count, block, frame);
        for (uint32_t i = 0; i < count; i++)
            all[stages[i].item].depth = 0;
    }
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_BLOCK)
        look_at_block(user, s, frame);
    return s->kind != STMT_PARALLEL;
}

bool opt_overlapped_tiling(struct tree *t, const struct tree_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct overlap o = { .x = iterations_of(t, f), .arena = t->scratch };
        double bytes = 0;
        o.memories = NEW_ARRAY(o.arena, struct overlap_memory, t->num_vars + 1);
        find(&o, f->body, NULL, &bytes);
        if (bytes <= (double)t->machine->second_cache)
            continue;
        o.whole = tree_whole(&o.x.whole);
        if (o.whole->labels.count) /* jumps back repeat what no loop shows */
            continue;
        o.writers = NEW_ARRAY(o.arena, uint32_t, t->num_aliases);
        tree_visit_frames(f->body, NULL, look, &o);
        stmt_flatten(t, f->body);
    }
    return true;
}
