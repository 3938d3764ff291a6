/* Recurrences over all earlier results (triangular solves) in a region: 32 iterations at a time.
 *
 *     for i = 0 to N {                         for first = 0 to N step 32 {
 *         sum = 0                                  for each row of 32, a warp of each block {
 *         for j = 0 to i parallel {                    sums[row] += L[i, j] * x[j], j < first
 *             sum += L[i, j] * x[j]                }
 *         }                                        barrier grid
 *         x[i] = (b[i] - sum) / L[i, i]   ->       a warp of the first block, where each lane has a row {
 *     }                                                for k = 0 to 32 {
 *                                                          lane k: x[first + k] = (b[first + k] - sum) / L[.., ..]
 *                                                          barrier warp
 *                                                          lanes behind it: sum += L[i, first + k] * x[first + k]
 *                                                      }
 *                                                  }
 *                                                  barrier grid
 *                                              }
 *
 * There are two barriers of all threads for 32 iterations instead of some for each. Results of the 32 rows are in
 * shared memory, and so is what else the terms among them are made of, which all lanes load in front of the barrier.
 *
 * Legality: The only result that others see is one element for each iteration, which the terms of later ones load: the
 * index of the load, for the counter of the sum, is that of the store, for the counter of the loop; or that holds for
 * the sum from its end on. Nothing else that is loaded is written by the loop. The terms may be added in any order.
 * Profitability: always, since barriers are what such loops wait for. */
#include "lower/opt/device/offload_region.h"
#include "lower/opt/iterations.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"

enum {
    ROWS = 32,        /* as many as a warp has lanes */
    PITCH = ROWS + 1, /* of terms in shared memory */
    MOST_VALUES = 8,  /* statements of a term */
    MOST_TERMS = 3,   /* loads of a term that are kept there */
    WARPS = OFFLOAD_REGION_THREADS / ROWS,
    EACH = ROWS / WARPS,    /* rows of a warp */
    MOST_BYTES = 8,         /* of a value */
    MOST_SHARED = 40 << 10, /* bytes, of all recurrences of a kernel */
};

struct recurrence_term {
    const struct tree_expr *load;
    struct tree_var *kept;
    uint32_t alias;
};

struct recurrence {
    struct device_region *region;
    struct tree *tree;
    struct tree_stmt *loop, *sum;
    const struct tree_stmt *reduce, *store;
    const struct type *type;                  /* of the sum */
    struct tree_expr *summand;                /* as it is there */
    struct tree_var *place;                   /* the memory that it is in */
    struct tree_expr *value;                  /* of a term, whose counter `j` counts on with the loop's */
    struct tree_var *j, *acc, *sums, *result; /* result: in shared memory */
    uint32_t sums_alias, result_alias;
    struct tree_scan scan; /* of the loop */
    struct recurrence_term terms[MOST_TERMS];
    uint32_t num_terms;
    bool good;
};

/* ---- which loops ---- */

static bool is_place(const struct recurrence *w, const struct tree_expr *pointer, const struct tree_expr *index)
{
    return pointer->op == EXPR_VAR && pointer->var == w->place && expr_is_int(index, 0);
}

struct term_inlining {
    struct tree *tree;
    struct map values; /* struct tree_var * -> the expression that it has as its value */
};

static struct tree_expr *inline_value(void *user, struct tree_expr *e)
{
    const struct term_inlining *w = user;
    struct tree_expr *value = e->op == EXPR_VAR ? map_get(&w->values, e->var) : NULL;
    return value ? value : e;
}

/* The term of the sum, with the values that it is made of; NULL: there is more. */
static struct tree_expr *whole_term(struct recurrence *w)
{
    struct term_inlining in = { .tree = w->tree };
    const struct tree_stmt *body = w->sum->body;
    if (body->items.count == 0 || body->items.count > MOST_VALUES)
        return NULL;
    w->reduce = vec_last(&body->items);
    for (uint32_t i = 0; i + 1 < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind != STMT_ASSIGN || map_has(&in.values, s->var))
            return NULL;
        map_put(w->tree->scratch, &in.values, s->var, expr_rewrite(w->tree, s->value, inline_value, &in));
    }
    return w->reduce->kind == STMT_REDUCE ? expr_rewrite(w->tree, w->reduce->value, inline_value, &in) : NULL;
}

/* Straight code around one sum, with one store to memory that is not the sum's. */
static bool find_parts(struct recurrence *w)
{
    const struct tree_stmt *body = w->loop->body, *memory = NULL;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        if (s->kind == STMT_FOR && !w->sum)
            w->sum = s;
        else if (s->kind == STMT_ALLOC && !memory && s->where == TREE_STACK && expr_is_int(s->count, 1))
            memory = s;
        else if (s->kind == STMT_STORE && memory && s->pointer->op == EXPR_VAR && s->pointer->var == memory->var)
            continue;
        else if (s->kind == STMT_STORE && w->sum && !w->store)
            w->store = s;
        else if (s->kind != STMT_ASSIGN || s->var->type->kind == TYPE_POINTER)
            return false;
    }
    w->summand = w->sum && w->store && memory ? whole_term(w) : NULL;
    if (!w->summand)
        return false;
    w->place = memory->var;
    w->type = memory->type;
    return is_place(w, w->reduce->pointer, w->reduce->index) && w->reduce->value->type == w->type &&
           w->type->size <= MOST_BYTES && reduce_can_accumulate(w->reduce->wcr, w->type) &&
           !expr_mentions(w->summand, w->place);
}

/* From 0 to the counter of the loop, which begins with no less. */
static bool has_bounds(const struct recurrence *w)
{
    const struct tree_stmt *s = w->loop, *sum = w->sum;
    struct linear end;
    int64_t by;
    linear_of(&end, sum->end);
    return expr_is_int(s->step, 1) && expr_is_int(sum->step, 1) && expr_is_int(sum->begin, 0) &&
           s->var->type->kind == TYPE_I64 && sum->var->type->kind == TYPE_I64 && s->begin->op == EXPR_INT &&
           s->begin->i >= 0 && end.known && linear_take(&end, s->var, &by) && by == 1 && linear_is_constant(&end) &&
           end.constant == 0;
}

static struct tree_expr *with(struct tree *t, struct tree_expr *e, const struct tree_var *v, struct tree_expr *value)
{
    struct tree_stmt *s = stmt_assign(t, stmt_block(t), tree_var(t, "v", e->type), e);
    stmt_substitute(t, s, v, value);
    return s->value;
}

static bool is_equal(const struct tree_expr *a, const struct tree_expr *b)
{
    struct linear x, y;
    linear_of(&x, a);
    linear_of(&y, b);
    return x.known && y.known && linear_equal(&x, &y);
}

/* The result of an earlier iteration? */
static bool is_result(const struct recurrence *w, const struct tree_expr *e)
{
    const struct tree_stmt *s = w->store;
    return e->op == EXPR_LOAD && e->alias == s->alias && expr_equal(e->args[0], s->pointer) &&
           e->type == s->value->type &&
           is_equal(with(w->tree, e->args[1], w->j, expr_var(w->tree, w->loop->var)), s->index);
}

/* Does the index, as a sum, depend on the variable? */
static bool depends_on(const struct tree_expr *index, const struct tree_var *v)
{
    struct linear at;
    linear_of(&at, index);
    return !at.known || linear_has(&at, v);
}

static void see_term(void *user, struct tree_expr *e)
{
    struct recurrence *w = user;
    bool changes = e->op == EXPR_VAR && e->var != w->j && e->var != w->loop->var && map_has(&w->scan.assigned, e->var);
    w->good &= !changes && e->op != EXPR_CALL;
    if (e->op != EXPR_LOAD)
        return;
    if (is_result(w, e)) {
        w->good &= !depends_on(e->args[1], w->loop->var);
        return;
    }
    w->good &= e->alias && e->alias != w->store->alias && w->num_terms < MOST_TERMS && e->type->size <= MOST_BYTES;
    if (w->good)
        w->terms[w->num_terms++].load = e;
}

/* The counter of the sum, from its begin or from its end on. */
static bool find_terms(struct recurrence *w, bool reversed)
{
    struct tree *t = w->tree;
    struct tree_expr *j = expr_var(t, w->j), *i = expr_var(t, w->loop->var);
    struct tree_expr *last = expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_SUB, i, expr_i64(t, 1)), j);
    w->value = with(t, w->summand, w->sum->var, reversed ? last : j);
    w->num_terms = 0;
    w->good = true;
    expr_visit(w->value, see_term, w);
    return w->good;
}

static void see_load(void *user, struct tree_expr *e)
{
    struct recurrence *w = user;
    bool own = e->op == EXPR_LOAD && is_place(w, e->args[0], e->args[1]);
    if (e->op == EXPR_LOAD && !own)
        w->good &= e->alias && (e->alias != w->store->alias ||
                                (expr_equal(e->args[0], w->store->pointer) && is_equal(e->args[1], w->store->index)));
    w->good &= e->op != EXPR_CALL && (e->op != EXPR_VAR || own || e->var != w->place || e->type->kind == TYPE_POINTER);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

/* What is around the sum loads, of what the loop writes, only what it is about to overwrite. */
static bool is_around(struct recurrence *w)
{
    struct tree *t = w->tree;
    struct linear at;
    int64_t by;
    struct map none = { 0 };
    struct tree_scan sum = { .arena = t->scratch };
    w->good = true;
    for (uint32_t i = 0; i < w->loop->body->items.count; i++)
        if (w->loop->body->items.items[i] != w->sum)
            stmt_each_expr(w->loop->body->items.items[i], see_operand, w);
    linear_of(&at, w->store->index);
    tree_scan_add(&sum, w->sum);
    for (uint32_t i = 0; i < w->scan.assigned.count; i++) {
        const struct tree_var *v = w->scan.assigned.slots[i].key;
        const struct tree_scan *home = map_has(&sum.assigned, v) ? &sum : &w->scan;
        w->good &= !offload_used_outside(w->region->offload, home, v);
    }
    return w->good && w->store->alias && at.known && linear_take(&at, w->loop->var, &by) && by != 0 &&
           tree_scan_invariant(&w->scan, w->store->pointer) && iterations_define_variables(t, w->loop, &none);
}

/* ---- code ---- */

static struct tree_expr *number(const struct recurrence *w, int64_t n) { return expr_i64(w->tree, n); }

static struct tree_expr *op(const struct recurrence *w, enum expr_op which, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(w->tree, which, a, b);
}

static struct tree_expr *id(const struct recurrence *w, enum tree_thread which)
{
    return expr_cast(w->tree, type_basic(w->tree->ir, TYPE_I64), expr_thread(w->tree, which));
}

static struct tree_stmt *when(const struct recurrence *w, struct tree_stmt *out, struct tree_expr *condition)
{
    return stmt_if(w->tree, out, condition)->body;
}

static struct tree_expr *both(const struct recurrence *w, struct tree_expr *a, struct tree_expr *b)
{
    return op(w, EXPR_LOGICAL_AND, a, b);
}

static struct tree_expr *identity(const struct recurrence *w)
{
    return reduce_identity(w->tree, w->reduce->wcr, w->type);
}

static struct tree_stmt *count_to(const struct recurrence *w, struct tree_stmt *out, const char *name,
                                  struct tree_expr *begin, struct tree_expr *end, struct tree_expr *step,
                                  struct tree_expr **v)
{
    struct tree_var *var = tree_var(w->tree, name, type_basic(w->tree->ir, TYPE_I64));
    *v = expr_var(w->tree, var);
    return stmt_for(w->tree, out, var, begin, end, step);
}

static struct tree_var *take(struct recurrence *w, struct tree_stmt *out, const char *name, const struct type *type,
                             int64_t count, enum tree_memory where, uint32_t *alias)
{
    struct tree_var *v = tree_var(w->tree, name, type_pointer(w->tree->ir, type));
    struct tree_stmt *s = stmt_alloc(w->tree, out, v, type, number(w, count), where);
    s->alias = *alias = w->tree->num_aliases++;
    s->place = w->loop->place;
    return v;
}

/* acc = acc op term */
static void add_term(const struct recurrence *w, struct tree_stmt *out, struct tree_var *acc, struct tree_expr *value)
{
    stmt_assign(w->tree, out, acc, reduce_combine(w->tree, w->reduce->wcr, expr_var(w->tree, acc), value))->place =
        w->reduce->place;
}

static struct tree_expr *at(const struct recurrence *w, const struct tree_expr *e, struct tree_expr *i,
                            struct tree_expr *j)
{
    return with(w->tree, with(w->tree, (struct tree_expr *)e, w->j, j), w->loop->var, i);
}

/* What the terms among the 32 rows are made of. */
static void keep_terms(struct recurrence *w, struct tree_stmt *out, struct tree_expr *first, struct tree_expr *row,
                       struct tree_expr *i)
{
    struct tree *t = w->tree;
    struct tree_expr *lane = id(w, THREAD_LANE), *before = op(w, EXPR_LT, op(w, EXPR_ADD, first, lane), i);
    struct tree_expr *place = op(w, EXPR_ADD, op(w, EXPR_MUL, lane, number(w, PITCH)), row);
    struct tree_stmt *load = when(w, out, both(w, op(w, EXPR_EQ, id(w, THREAD_BLOCK), number(w, 0)), before));
    for (uint32_t n = 0; n < w->num_terms; n++)
        stmt_store(t, load, expr_var(t, w->terms[n].kept), place,
                   at(w, w->terms[n].load, i, op(w, EXPR_ADD, first, lane)), w->terms[n].alias);
}

/* The terms of earlier rows: each warp of all blocks has some rows, its lanes columns. */
static void write_earlier(struct recurrence *w, struct tree_stmt *out, struct tree_expr *first)
{
    struct tree *t = w->tree;
    struct tree_expr *row[EACH], *i[EACH], *j, *lane = id(w, THREAD_LANE);
    struct tree_var *acc[EACH];
    for (uint32_t n = 0; n < EACH; n++) {
        row[n] = op(w, EXPR_ADD, id(w, THREAD_WARP), number(w, (int64_t)n * WARPS));
        struct tree_expr *last = op(w, EXPR_SUB, w->loop->end, number(w, 1));
        i[n] = stmt_variable(t, out, w->loop->var->name, op(w, EXPR_MIN, op(w, EXPR_ADD, first, row[n]), last));
        keep_terms(w, out, first, row[n], i[n]);
        acc[n] = tree_var(t, "acc", w->type);
        stmt_assign(t, out, acc[n], identity(w));
    }
    struct tree_expr *begin = op(w, EXPR_ADD, op(w, EXPR_MUL, id(w, THREAD_BLOCK), number(w, ROWS)), lane);
    struct tree_stmt *sum = count_to(w, out, w->sum->var->name, begin, first,
                                     op(w, EXPR_MUL, id(w, THREAD_GRID_SIZE), number(w, ROWS)), &j);
    sum->place = w->sum->place;
    for (uint32_t n = 0; n < EACH; n++)
        add_term(w, sum->body, acc[n], at(w, w->value, i[n], j));
    for (uint32_t n = 0; n < EACH; n++) {
        struct tree_stmt *group = stmt_new(t, out, STMT_GROUP);
        group->var = acc[n];
        group->value = expr_var(t, acc[n]);
        group->wcr = w->reduce->wcr;
        group->loop.level = TREE_WARP;
        group->place = w->sum->place;
        stmt_reduce(t, when(w, out, op(w, EXPR_EQ, lane, number(w, 0))), w->reduce->wcr, true, expr_var(t, w->sums),
                    row[n], expr_var(t, acc[n]), w->sums_alias)
            ->place = w->reduce->place;
    }
}

struct kept_terms {
    const struct recurrence *recurrence;
    struct tree_expr *k, *lane;
};

/* What is in shared memory is loaded from there. */
static struct tree_expr *from_shared(void *user, struct tree_expr *e)
{
    const struct kept_terms *x = user;
    const struct recurrence *w = x->recurrence;
    struct tree *t = w->tree;
    if (e->op != EXPR_LOAD)
        return e;
    for (uint32_t n = 0; n < w->num_terms; n++)
        if (expr_equal(e, w->terms[n].load))
            return expr_load(t, e->type, expr_var(t, w->terms[n].kept),
                             op(w, EXPR_ADD, op(w, EXPR_MUL, x->k, number(w, PITCH)), x->lane), w->terms[n].alias);
    return expr_load(t, e->type, expr_var(t, w->result), x->k, w->result_alias);
}

struct recurrence_iteration {
    const struct recurrence *recurrence;
    struct tree_var *sum; /* in place of its memory */
    struct tree_stmt *front;
    struct tree_scan scan; /* of the iteration */
};

/* What an iteration loads, but for what it is about to overwrite, at a place that is known in front of it. */
static struct tree_expr *in_front(void *user, struct tree_expr *e)
{
    const struct recurrence_iteration *x = user;
    const struct recurrence *w = x->recurrence;
    struct tree *t = w->tree;
    if (e->op == EXPR_LOAD && is_place(w, e->args[0], e->args[1]))
        return expr_var(t, x->sum);
    if (e->op != EXPR_LOAD || e->alias == w->store->alias || !tree_scan_invariant(&x->scan, e->args[0]) ||
        !tree_scan_invariant(&x->scan, e->args[1]))
        return e;
    return stmt_variable(t, x->front, "value", e);
}

/* The iteration of the lane, with its sum as it was added up; what it loads goes to the block in front. */
static struct tree_stmt *iteration_of(struct recurrence *w, struct tree_stmt *front, struct tree_expr *i)
{
    struct tree *t = w->tree;
    struct recurrence_iteration x = {
        .recurrence = w, .sum = tree_var(t, w->place->name, w->type), .front = front, .scan = { .arena = t->scratch }
    };
    struct tree_stmt *body = stmt_block(t);
    for (uint32_t n = 0; n < w->loop->body->items.count; n++)
        tree_scan_add(&x.scan, w->loop->body->items.items[n]);
    for (uint32_t n = 0; n < w->loop->body->items.count; n++) {
        const struct tree_stmt *item = w->loop->body->items.items[n];
        if (item->kind == STMT_ALLOC)
            continue;
        if (item == w->sum) {
            struct tree_expr *all = reduce_combine(t, w->reduce->wcr, expr_var(t, x.sum), expr_var(t, w->acc));
            stmt_assign(t, body, x.sum, all)->place = item->place;
            continue;
        }
        struct tree_stmt *s = stmt_clone(t, item);
        stmt_rewrite(t, s, in_front, &x);
        if (item->kind == STMT_STORE && item != w->store)
            s = stmt_assign(t, stmt_block(t), x.sum, s->value);
        if (item == w->store) {
            s->value = stmt_variable(t, body, "result", s->value);
            stmt_store(t, body, expr_var(t, w->result), id(w, THREAD_LANE), s->value, w->result_alias);
        }
        s->place = item->place;
        stmt_append(t, body, s);
    }
    stmt_substitute(t, front, w->loop->var, i);
    stmt_substitute(t, body, w->loop->var, i);
    return body;
}

/* The 32 iterations, one lane for each. */
static void write_triangle(struct recurrence *w, struct tree_stmt *out, struct tree_expr *first)
{
    struct tree *t = w->tree;
    struct tree_expr *k, *lane = id(w, THREAD_LANE),
                         *i = stmt_variable(t, out, w->loop->var->name, op(w, EXPR_ADD, first, lane));
    struct tree_expr *mine =
        both(w, op(w, EXPR_EQ, id(w, THREAD_BLOCK), number(w, 0)), op(w, EXPR_EQ, id(w, THREAD_WARP), number(w, 0)));
    struct tree_expr *inside = op(w, EXPR_LT, i, w->loop->end), *sums = expr_var(t, w->sums);
    struct tree_stmt *iteration = iteration_of(w, when(w, out, both(w, mine, inside)), i);
    region_barrier(w->region, out);
    struct tree_stmt *b = when(w, out, mine);
    stmt_assign(t, b, w->acc, expr_load(t, w->type, sums, lane, w->sums_alias));
    stmt_store(t, b, sums, lane, identity(w), w->sums_alias);
    struct tree_expr *rest = op(w, EXPR_MIN, number(w, ROWS), op(w, EXPR_SUB, w->loop->end, first));
    struct tree_stmt *steps = count_to(w, b, "k", number(w, 0), stmt_variable(t, b, "rows", rest), number(w, 1), &k);
    steps->loop.rolled = true;
    stmt_append(t, when(w, steps->body, op(w, EXPR_EQ, lane, k)), iteration);
    stmt_new(t, steps->body, STMT_BARRIER)->loop.level = TREE_WARP;
    struct kept_terms x = { w, k, lane };
    struct tree_stmt *behind = when(w, steps->body, both(w, op(w, EXPR_GT, lane, k), inside));
    add_term(w, behind, w->acc, at(w, expr_rewrite(t, w->value, from_shared, &x), i, op(w, EXPR_ADD, first, k)));
}

/* Memory of the device for the sums, which the host takes. */
static void take_sums(struct recurrence *w)
{
    struct tree *t = w->tree;
    struct device_region *r = w->region;
    struct tree_stmt *out = r->trying ? stmt_block(t) : r->front;
    w->sums = take(w, out, "sums", w->type, ROWS, TREE_DEVICE, &w->sums_alias);
    if (!r->trying)
        stmt_free(t, r->behind, w->sums)->where = TREE_DEVICE;
}

bool offload_region_recurrence(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = r->offload->tree;
    struct recurrence w = { .region = r, .tree = t, .loop = s, .scan = { .arena = t->scratch } };
    struct region_limits l = { t, r->scan, r->frame };
    if (r->level != TREE_GRID || r->offload->strict || s->kind != STMT_FOR || !find_parts(&w) || !has_bounds(&w))
        return false;
    tree_scan_add(&w.scan, s);
    struct tree_expr *most = offload_region_limit(&l, s->end, true);
    w.j = tree_var(t, w.sum->var->name, w.sum->var->type);
    if (!most || offload_on_device(r->offload, most) || !is_around(&w) ||
        !(find_terms(&w, false) || find_terms(&w, true)))
        return false;
    uint32_t bytes = (uint32_t)w.store->value->type->size * ROWS;
    for (uint32_t i = 0; i < w.num_terms; i++)
        bytes += (uint32_t)w.terms[i].load->type->size * ROWS * PITCH;
    if (r->shared + bytes > MOST_SHARED)
        return false;
    r->shared += bytes;
    region_touched_list next = region_touched_by(r, s, true, BY_ALL);
    region_meet(r, out, &next);
    take_sums(&w);
    w.acc = tree_var(t, "acc", w.type);
    w.result = take(&w, out, "results", w.store->value->type, ROWS, TREE_SHARED, &w.result_alias);
    for (uint32_t i = 0; i < w.num_terms; i++)
        w.terms[i].kept = take(&w, out, "terms", w.terms[i].load->type, ROWS * PITCH, TREE_SHARED, &w.terms[i].alias);
    stmt_store(t, when(&w, out, op(&w, EXPR_LT, r->thread, number(&w, ROWS))), expr_var(t, w.sums), r->thread,
               identity(&w), w.sums_alias);
    region_barrier(r, out);
    struct tree_expr *first;
    struct tree_stmt *strips = count_to(&w, out, s->var->name, s->begin, s->end, number(&w, ROWS), &first);
    strips->place = s->place;
    strips->loop.rolled = true;
    write_earlier(&w, strips->body, first);
    write_triangle(&w, strips->body, first);
    region_barrier(r, strips->body);
    most = op(&w, EXPR_MUL, most, number(&w, ROWS));
    r->most = r->most ? op(&w, EXPR_MAX, r->most, most) : most;
    return true;
}
