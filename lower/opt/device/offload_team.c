/* Teams: several threads of a block work on the same iteration of a nest.
 *
 *     for i = 0 to N parallel {               kernel nest grid((N + 7) / 8, 1, 1) block(32, 8, 1) {
 *         sum = 0                                 for i = blockIdx.x * 8 + threadIdx.y to N step gridDim.x * 8 {
 *         for k = 0 to M {                            sum = threadIdx.x == 0 ? 0 : 0
 *             sum = sum + A[i * M + k]    ->          for k = threadIdx.x to M step 32 { sum = sum + A[i * M + k] }
 *         }                                           sum = group warp sum
 *         B[i] = sum                                  if threadIdx.x == 0 { B[i] = sum }
 *     }                                           }
 *
 * All threads of the team execute the control and the assignments of variables, on the same values, as those of a
 * region do (offload_region_code.c); nests inside and loops that accumulate are distributed over them, and what else
 * writes memory that others see is done by the first thread. Memory that an iteration allocates is each thread's own.
 *
 * Profitability: In a nest of one loop a block if there are nests inside, which would be loops of one thread else.
 * Where there are sums alone, a warp if they go along rows, so that neighbouring threads read neighbouring elements,
 * and otherwise, along columns, the threads of a block with the same x. Nests of several loops have threads enough: a
 * warp, if it goes along rows. In regions of the grid, whose blocks are given, warps and the threads with the same lane
 * are teams, for loops that may be long. */
#include "lower/opt/device/offload_team.h"
#include "lower/opt/device/offload_group.h"
#include "lower/opt/device/offload_region.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"

enum { WARP = 32, WARPS = 8 /* of a block */, TEAM_THREADS = 256, COLUMN = 16, FEW = 64 /* iterations */ };

/* ---- which nests ---- */

struct survey {
    struct offload *offload;
    const struct tree_stmt *nest; /* the innermost loop of iterations; NULL: statements that run once */
    bool rows_only;               /* there are several of them: threads enough, unless rows are read along */
    struct map own;               /* memory of an iteration: variable -> ALLOC */
    uint32_t nests, sums;
    bool long_nests, long_sums; /* some may have many iterations, or terms */
    int32_t rows;               /* accesses of sums along rows, less those along columns */
    bool fits;
    bool alike;            /* control is the same in all iterations, so that their threads can meet */
    struct tree_scan scan; /* of the nest */
};

static bool find_own(void *user, struct tree_stmt *s)
{
    struct survey *w = user;
    if (s->kind == STMT_ALLOC)
        map_put(w->offload->tree->scratch, &w->own, s->var, s);
    return s->kind != STMT_FOR || !offload_is_nest(w->offload, s);
}

struct writing {
    const struct survey *survey;
    uint32_t own, others; /* writes of memory of these kinds */
};

static bool count_writes(void *user, struct tree_stmt *s)
{
    struct writing *w = user;
    bool writes = s->kind == STMT_STORE || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE || s->kind == STMT_COPY ||
                  s->kind == STMT_ZERO || s->kind == STMT_CALL;
    const struct tree_var *root = writes && s->pointer ? expr_root_var(s->pointer) : NULL;
    bool own = root && map_has(&w->survey->own, root);
    w->own += own;
    w->others += writes && !own;
    return true;
}

static struct writing writing_of(const struct survey *w, struct tree_stmt *s)
{
    struct writing found = { .survey = w };
    stmt_visit(s, count_writes, &found);
    return found;
}

/* What one thread of several writes to memory of its own others would not see; sums that they combine all get. */
static struct writing shared_writing(const struct survey *w, struct tree_stmt *nest)
{
    struct offload_group g;
    struct tree_stmt *copy = stmt_clone(w->offload->tree, nest);
    offload_group_find(w->offload, copy, copy, TREE_WARP, &g);
    return writing_of(w, copy);
}

static bool is_long(const struct survey *w, struct tree_stmt *loop, int64_t few)
{
    const struct tree_expr *trips = tree_trip_count(w->offload->tree, loop);
    return trips->op != EXPR_INT || trips->i >= few;
}

static int64_t stride(const struct tree_expr *index, const struct tree_var *v)
{
    struct linear at;
    int64_t by;
    linear_of(&at, index);
    return linear_take(&at, v, &by) ? by : INT64_MAX;
}

struct strides {
    struct survey *survey;
    const struct tree_var *k;
};

static void see_load(void *user, struct tree_expr *e)
{
    struct strides *w = user;
    if (e->op != EXPR_LOAD)
        return;
    int64_t by_i = w->survey->nest ? stride(e->args[1], w->survey->nest->var) : 0, by_k = stride(e->args[1], w->k);
    bool near_i = by_i >= -1 && by_i <= 1, near_k = by_k >= -1 && by_k <= 1;
    w->survey->rows += (near_k && !near_i) - (near_i && !near_k);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

static bool see_loads(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, user);
    return true;
}

static void see_control(void *user, struct tree_expr **e)
{
    struct survey *w = user;
    w->alike &= tree_scan_invariant(&w->scan, *e);
}

static void look(struct survey *w, struct tree_stmt *s);

static void look_inside(struct survey *w, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count && w->fits; i++)
        look(w, s->items.items[i]);
    if (s->body && w->fits)
        look(w, s->body);
    if (s->otherwise && w->fits)
        look(w, s->otherwise);
}

static void look(struct survey *w, struct tree_stmt *s)
{
    if (s->kind == STMT_BLOCK) {
        look_inside(w, s);
        return;
    }
    struct strides strides = { w, s->var };
    struct writing writing;
    switch (offload_region_item(w->offload, s, &w->own)) {
    case ITEM_THREADS:
        writing = shared_writing(w, s);
        w->fits &= !writing.own;
        w->nests += writing.others > 0;
        w->sums += !writing.others;
        w->long_nests |= is_long(w, s, WARP);
        stmt_visit(s, see_loads, &strides);
        break;
    case ITEM_SUMS:
        w->long_sums |= is_long(w, s, FEW);
        w->sums++;
        stmt_visit(s, see_loads, &strides);
        break;
    case ITEM_COPY:
        w->fits &= !writing_of(w, s).own;
        break;
    case ITEM_CONTROL:
        stmt_each_expr(s, see_control, w);
        look_inside(w, s);
        break;
    case ITEM_ONE: /* a loop of one thread is what there was before, with the others waiting */
        w->fits &= s->kind != STMT_FOR && s->kind != STMT_WHILE && s->kind != STMT_DO;
        break;
    case ITEM_NONE:
    case ITEM_JUMP:
        w->fits = false;
        break;
    default:
        break;
    }
}

static enum tree_level team_of(struct survey *w)
{
    stmt_visit(w->nest->body, find_own, w);
    look(w, w->nest->body);
    if (!w->fits || !(w->nests + w->sums) || (w->nests && !w->long_nests && !w->long_sums))
        return TREE_HOST;
    if (w->rows_only)
        return w->rows > 0 && (w->long_nests || w->long_sums) ? TREE_WARP : TREE_HOST;
    return w->nests ? TREE_BLOCK : w->rows >= 0 ? TREE_WARP : w->alike ? TREE_COLUMN : TREE_HOST;
}

/* ---- code ---- */

static struct tree_expr *wide(struct tree *t, int which)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), expr_thread(t, (enum tree_thread)which));
}

static struct tree_expr *times(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_MUL, a, expr_i64(t, b));
}

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

enum { MOST_LOOPS = 8 };

struct team {
    struct device_region region;
    struct tree_stmt *const *loops; /* from the outside in */
    uint32_t num_loops;
    struct offload_range ranges[MOST_LOOPS];
    struct tree_expr *counts[MOST_LOOPS]; /* of iterations; NULL: of the outermost loop */
    struct tree_expr *trips;              /* of all loops */
};

static void count_trips(struct team *w, struct tree_stmt *out)
{
    struct tree *t = w->region.offload->tree;
    w->trips = NULL;
    for (uint32_t i = 0; i < w->num_loops; i++) {
        const struct tree_stmt *s = w->loops[i];
        w->ranges[i] = offload_range(w->region.offload, out, s->begin, s->end, s->step, s->place);
        struct tree_expr *count = offload_trips(w->region.offload, &w->ranges[i]);
        w->counts[i] = i ? stmt_variable(t, out, "bound", count) : NULL;
        w->trips = i ? expr_binary(t, EXPR_MUL, w->trips, w->counts[i]) : count;
    }
    w->trips = stmt_variable(t, out, "trips", w->trips);
}

static void assign_counters(struct team *w, struct tree_stmt *block, struct tree_expr *number)
{
    struct tree *t = w->region.offload->tree;
    for (uint32_t i = w->num_loops; i-- > 0;) {
        struct tree_var *v = w->loops[i]->var;
        struct tree_expr *k = i ? expr_binary(t, EXPR_REM, number, w->counts[i]) : number;
        struct tree_expr *value = plus(t, w->ranges[i].begin, expr_binary(t, EXPR_MUL, k, w->ranges[i].step));
        stmt_assign(t, block, v, expr_cast(t, v->type, value))->place = w->loops[i]->place;
        if (i)
            number = stmt_variable(t, block, "n", expr_binary(t, EXPR_DIV, number, w->counts[i]));
    }
}

/* for n = team to trips step teams */
static struct tree_stmt *loop_of_teams(struct team *w, struct tree_stmt *out)
{
    struct tree *t = w->region.offload->tree;
    struct tree_expr *team = wide(t, THREAD_BLOCK), *teams = wide(t, THREAD_GRID_SIZE);
    if (w->region.level == TREE_WARP) {
        team = plus(t, times(t, team, WARPS), wide(t, THREAD_INDEX + 1));
        teams = times(t, teams, WARPS);
    }
    struct tree_var *n = tree_var(t, "n", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, out, n, team, w->trips, teams);
    loop->place = w->loops[0]->place;
    assign_counters(w, loop->body, expr_var(t, n));
    return loop->body;
}

/* All threads of a block meet: those beyond the last column do what that one does, but write nothing. */
static struct tree_stmt *column(struct team *w, struct tree_stmt *out)
{
    struct tree *t = w->region.offload->tree;
    struct tree_expr *n =
        stmt_variable(t, out, "n", plus(t, times(t, wide(t, THREAD_BLOCK), WARP), wide(t, THREAD_INDEX)));
    struct tree_expr *last = expr_binary(t, EXPR_SUB, w->trips, expr_i64(t, 1));
    w->region.first = expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_EQ, w->region.thread, expr_i64(t, 0)),
                                  expr_binary(t, EXPR_LT, n, w->trips));
    assign_counters(w, out, expr_binary(t, EXPR_MIN, n, last));
    return out;
}

static void set_grid(struct team *w, struct tree_stmt *k)
{
    struct tree *t = w->region.offload->tree;
    enum tree_level level = w->region.level;
    int64_t together = level == TREE_BLOCK ? 1 : level == TREE_WARP ? WARPS : WARP; /* iterations of a block */
    struct tree_expr *blocks =
        expr_binary(t, EXPR_DIV, plus(t, w->trips, expr_i64(t, together - 1)), expr_i64(t, together));
    k->args[KERNEL_GRID] = expr_binary(t, EXPR_MIN, blocks, expr_i64(t, INT32_MAX));
    k->args[KERNEL_BLOCK] = expr_i64(t, level == TREE_BLOCK ? TEAM_THREADS : WARP);
    k->args[KERNEL_BLOCK + 1] = expr_i64(t, level == TREE_BLOCK ? 1 : level == TREE_WARP ? WARPS : COLUMN);
}

bool offload_team(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops, uint32_t num_loops)
{
    struct tree *t = o->tree;
    const struct tree_stmt *nest = loops[num_loops - 1];
    struct survey s = { .offload = o, .nest = nest, .rows_only = num_loops > 1, .fits = true, .alike = true };
    s.scan.arena = t->scratch;
    tree_scan_add(&s.scan, loops[0]);
    enum tree_level level = team_of(&s);
    if (level == TREE_HOST)
        return false;
    struct team w = { .loops = loops, .num_loops = num_loops };
    w.region = (struct device_region){ .offload = o, .level = level, .scan = &s.scan, .own = &s.own };
    count_trips(&w, out);
    w.region.thread = wide(t, level == TREE_COLUMN ? THREAD_INDEX + 1 : THREAD_INDEX);
    w.region.threads = expr_i64(t, level == TREE_COLUMN ? COLUMN : level == TREE_WARP ? WARP : TEAM_THREADS);
    struct tree_stmt *all = stmt_block(t);
    offload_load_cells(o, all, &s.scan, NULL);
    struct tree_stmt *inside = level == TREE_COLUMN ? column(&w, all) : loop_of_teams(&w, all);
    offload_region_items(&w.region, inside, nest->body);
    set_grid(&w, offload_kernel(o, out, "nest", all, loops[0]->place, false));
    return true;
}

/* ---- in regions ---- */

enum { REGION_WARPS = OFFLOAD_REGION_THREADS / WARP };

/* Each warp of the region does iterations of its own. */
static void warps(struct device_region *r, struct device_region *team, struct tree_stmt *out, struct tree_stmt *nest)
{
    struct tree *t = r->offload->tree;
    struct device_region shared = *r;
    shared.thread = plus(t, times(t, wide(t, THREAD_BLOCK), REGION_WARPS), wide(t, THREAD_WARP));
    shared.threads = times(t, wide(t, THREAD_GRID_SIZE), REGION_WARPS);
    shared.each = WARP;
    struct tree_stmt *loop = offload_region_loop(&shared, out, nest->var, nest->begin, nest->end, nest->step);
    r->most = shared.most;
    loop->place = nest->place;
    team->thread = wide(t, THREAD_LANE);
    team->threads = expr_i64(t, WARP);
    offload_region_items(team, loop->body, nest->body);
}

/* A block does neighbouring iterations, its warps share each of them. All its threads meet: those beyond the last
 * iteration do what that one does, but write nothing. */
static void columns(struct device_region *r, struct device_region *team, struct tree_stmt *out, struct tree_stmt *nest)
{
    struct tree *t = r->offload->tree;
    struct device_region shared = *r;
    struct tree_expr *begin = expr_cast(t, type_basic(t->ir, TYPE_I64), nest->begin);
    struct tree_expr *end = expr_cast(t, type_basic(t->ir, TYPE_I64), nest->end);
    shared.thread = times(t, wide(t, THREAD_BLOCK), WARP);
    shared.threads = times(t, wide(t, THREAD_GRID_SIZE), WARP);
    shared.each = REGION_WARPS;
    struct tree_stmt *loop = offload_region_loop(&shared, out, NULL, begin, end, nest->step);
    r->most = shared.most;
    loop->place = nest->place;
    struct tree_expr *mine = stmt_variable(t, loop->body, "n", plus(t, expr_var(t, loop->var), wide(t, THREAD_LANE)));
    struct tree_expr *last = expr_binary(t, EXPR_MIN, mine, expr_binary(t, EXPR_SUB, end, expr_i64(t, 1)));
    stmt_assign(t, loop->body, nest->var, expr_cast(t, nest->var->type, last))->place = nest->place;
    team->thread = wide(t, THREAD_WARP);
    team->threads = expr_i64(t, REGION_WARPS);
    team->within = expr_binary(t, EXPR_LT, mine, end);
    team->first = expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_EQ, team->thread, expr_i64(t, 0)), team->within);
    offload_region_items(team, loop->body, nest->body);
}

static bool find_shared_sum(void *user, struct tree_stmt *s)
{
    struct survey *w = user;
    const struct tree_var *root = s->kind == STMT_REDUCE ? expr_root_var(s->pointer) : NULL;
    w->alike &= s->kind != STMT_REDUCE || (root && map_has(&w->own, root));
    return w->alike;
}

/* Rows are a warp's; columns with nests in them are shared in the same way, if no thread adds up for several. */
static enum tree_level team_in_region(struct survey *s)
{
    enum tree_level level = team_of(s);
    if (level == TREE_HOST || (!s->long_nests && !s->long_sums))
        return TREE_HOST;
    if (s->rows >= 0)
        return TREE_WARP;
    stmt_visit(s->nest->body, find_shared_sum, s);
    return s->alike && expr_is_int(s->nest->step, 1) ? TREE_COLUMN : TREE_HOST;
}

bool offload_team_in_region(struct device_region *r, struct tree_stmt *out, struct tree_stmt *nest)
{
    struct offload *o = r->offload;
    struct offload_group g;
    struct tree_stmt *copy = stmt_clone(o->tree, nest);
    struct survey s = {
        .offload = o, .nest = nest, .fits = true, .alike = true, .scan = { .arena = o->tree->scratch }
    };
    tree_scan_add(&s.scan, nest);
    offload_group_find(o, copy, copy, TREE_BLOCK, &g);
    enum tree_level level = g.count ? TREE_HOST : team_in_region(&s); /* results of all iterations are the grid's */
    if (level == TREE_HOST)
        return false;
    struct device_region team = { .offload = o, .level = level, .scan = &s.scan, .own = &s.own, .trying = r->trying };
    if (level == TREE_WARP)
        warps(r, &team, out, nest);
    else
        columns(r, &team, out, nest);
    return true;
}

bool offload_team_alone(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree *t = o->tree;
    struct survey s = { .offload = o, .fits = true, .scan = { .arena = t->scratch } };
    tree_scan_add(&s.scan, block);
    stmt_visit(block, find_own, &s);
    look(&s, block);
    if (!s.fits || !s.long_sums)
        return false;
    struct device_region r = { .offload = o, .level = TREE_BLOCK, .scan = &s.scan, .own = &s.own };
    r.thread = wide(t, THREAD_INDEX);
    r.threads = expr_i64(t, TEAM_THREADS);
    struct tree_stmt *all = stmt_block(t), *store = stmt_block(t);
    offload_load_cells(o, all, &s.scan, NULL);
    offload_store_cells(o, store, &s.scan, NULL);
    offload_region_items(&r, all, block);
    if (store->items.count) { /* when all threads have loaded what was there */
        stmt_new(t, all, STMT_BARRIER)->loop.level = TREE_BLOCK;
        stmt_append(t, stmt_if(t, all, expr_binary(t, EXPR_EQ, r.thread, expr_i64(t, 0)))->body, store);
    }
    struct tree_stmt *k = offload_kernel(o, out, "serial", all, block->items.items[0]->place, false);
    k->args[KERNEL_BLOCK] = expr_i64(t, TEAM_THREADS);
    return true;
}
