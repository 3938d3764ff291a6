/* Atomic reductions in which threads would collide go into a copy per thread, combined behind the loop.
 *
 *     parallel thread of threads {                  parallel thread of threads {
 *         for i ... {                                   copy = heap int64[16]
 *             atomic H[B[i]] += 1                       for e = 0 to 16 { copy[e] = 0 }
 *         }                                  ->         for i ... { copy[B[i]] += 1 }
 *     }                                                 for e = 0 to 16 { atomic H[e] += copy[e] }
 *                                                       free copy
 *                                                   }
 *
 * Legality: Nothing else in the region accesses the container, and the reduction can be accumulated from an identity.
 * Profitability: Containers of at most 4096 elements with data-dependent places, larger ones that every iteration
 * sweeps over. */
#include "lower/opt/registers/reduction.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    MOST_ELEMENTS = 4096, /* of a copy: cheaper than the work that makes a region worth its threads */
    SWEPT_PART = 4,       /* an iteration touches at least this part of the container */
    DEPTH = 8             /* loops around a reduction that are looked at */
};

/* The container that one region reduces to. */
struct candidate {
    const struct tree_stmt *first; /* one of the reductions */
    struct tree_scan scan;         /* of the region */
    struct map data;               /* variables whose values depend on data */
    int64_t count;                 /* elements */
    const struct tree_stmt *loops[DEPTH];
    uint32_t depth;     /* loops around */
    uint32_t scattered; /* members in loops whose places depend on data */
    uint32_t swept;     /* members whose places are run through in every iteration */
    bool conflict;
    struct arena *arena;
};

struct copies {
    struct tree *tree;
    const struct tree_options *options;
    const struct tree_func *function;
    struct map counts; /* struct tree_var * -> elements of the memory it points to, as an integer in the pointer */
};

/* ---- how many elements ---- */

static bool note_count(void *user, struct tree_stmt *s)
{
    struct copies *c = user;
    if (s->kind == STMT_ALLOC)
        map_put(c->tree->scratch, &c->counts, s->var,
                (void *)(uintptr_t)(s->count->op == EXPR_INT && s->count->i > 0 ? s->count->i : 0));
    return true;
}

static int64_t count_of(const struct copies *c, const struct tree_expr *pointer)
{
    return pointer->op == EXPR_VAR ? (int64_t)(uintptr_t)map_get(&c->counts, pointer->var) : 0;
}

/* ---- what the region does to it ---- */

static bool is_member(const struct candidate *x, const struct tree_stmt *s)
{
    return s->kind == STMT_REDUCE && s->atomic && s->alias == x->first->alias && s->wcr == x->first->wcr &&
           s->value->type == x->first->value->type && expr_equal(s->pointer, x->first->pointer);
}

static void check_load(void *user, struct tree_expr *e)
{
    struct candidate *x = user;
    x->conflict |= e->op == EXPR_LOAD && (!e->alias || e->alias == x->first->alias);
}

static void check_operand(void *user, struct tree_expr **e) { expr_visit(*e, check_load, user); }

/* Places that follow the counters of loops are seldom those of other threads, whatever kinds of reductions they are. */
static bool depends_on_data(const struct candidate *x, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL || type_is_float(e->type) ||
        (e->op == EXPR_VAR && map_has(&x->data, e->var)))
        return true;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (depends_on_data(x, e->args[i]))
            return true;
    return false;
}

/* Iterations of the loop around that runs the variable through the same values for every thread; 0 if none does. */
static int64_t same_for_all(const struct candidate *x, const struct tree_var *v)
{
    for (uint32_t i = 0; i < x->depth && i < DEPTH; i++) {
        const struct tree_stmt *l = x->loops[i];
        if (l->kind == STMT_FOR && l->var == v && loop_has_constant_bounds(l) && expr_is_int(l->step, 1))
            return loop_span(l) > 0 ? loop_span(l) : 0;
    }
    return 0;
}

/* Do all threads touch a good part of the container in every iteration? */
static bool is_swept(const struct candidate *x, const struct tree_expr *index)
{
    struct linear at;
    double trips = 1;
    linear_of(&at, index);
    for (uint32_t i = 0; at.known && i < at.count; i++) {
        const struct tree_expr *factor = at.terms[i].factors[0];
        bool plain = at.terms[i].count == 1 && factor->op == EXPR_VAR;
        trips *= plain ? (double)same_for_all(x, factor->var) : 0;
    }
    return at.known && at.count > 0 && trips * SWEPT_PART >= (double)x->count;
}

static void check(struct candidate *x, struct tree_stmt *s)
{
    if (s->kind == STMT_ASSIGN && depends_on_data(x, s->value))
        map_put(x->arena, &x->data, s->var, s);
    bool member = is_member(x, s);
    bool writes = s->kind == STMT_STORE || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE || s->kind == STMT_COPY ||
                  s->kind == STMT_ZERO;
    bool reads = s->kind == STMT_COPY && (!s->alias2 || s->alias2 == x->first->alias);
    x->conflict |= s->kind == STMT_PARALLEL || s->kind == STMT_GOTO || s->kind == STMT_LABEL ||
                   s->kind == STMT_RETURN || reads || (writes && !member && (!s->alias || s->alias == x->first->alias));
    x->scattered += member && x->depth > 0 && depends_on_data(x, s->index) && !tree_scan_invariant(&x->scan, s->index);
    x->swept += member && is_swept(x, s->index);
    stmt_each_expr(s, check_operand, x);
    bool loop = stmt_is_loop(s);
    if (loop && x->depth < DEPTH)
        x->loops[x->depth] = s;
    x->depth += loop;
    if (s->body)
        check(x, s->body);
    if (s->otherwise)
        check(x, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        check(x, s->items.items[i]);
    x->depth -= loop;
}

static bool is_possible(const struct copies *c, struct candidate *x, const struct tree_stmt *region)
{
    const struct type *type = x->first->value->type;
    /* where one iteration sweeps over it: not much more than the second cache holds */
    int64_t count = count_of(c, x->first->pointer), most_swept = c->tree->machine->second_cache / 4;
    bool inexact = !type_is_integer(type) && type->kind != TYPE_BOOL;
    if (!x->first->alias || count <= 0 || count > most_swept || x->first->pointer->type->elem != type ||
        !reduce_can_accumulate(x->first->wcr, type) || (inexact && c->options->strict_fp))
        return false;
    x->arena = c->tree->scratch;
    x->count = count;
    x->scan = (struct tree_scan){ .arena = x->arena };
    tree_scan_add(&x->scan, region->body);
    if (x->scan.opaque || x->scan.barrier || !tree_scan_invariant(&x->scan, x->first->pointer))
        return false;
    check(x, region->body);
    return !x->conflict && (x->swept || (x->scattered && count <= MOST_ELEMENTS));
}

/* ---- the copy ---- */

static void redirect(const struct candidate *x, struct tree_stmt *s, struct tree_expr *to, uint32_t alias)
{
    if (is_member(x, s)) {
        s->pointer = to;
        s->alias = alias;
        s->atomic = false;
    }
    if (s->body)
        redirect(x, s->body, to, alias);
    if (s->otherwise)
        redirect(x, s->otherwise, to, alias);
    for (uint32_t i = 0; i < s->items.count; i++)
        redirect(x, s->items.items[i], to, alias);
}

static struct tree_stmt *each_element(struct tree *t, struct tree_stmt *block, int64_t count, struct tree_expr **index)
{
    struct tree_var *e = tree_var(t, "e", type_basic(t->ir, TYPE_I64));
    *index = expr_var(t, e);
    return stmt_for(t, block, e, expr_i64(t, 0), expr_i64(t, count), expr_i64(t, 1))->body;
}

static void make_copy(struct copies *c, struct candidate *x, struct tree_stmt *region)
{
    struct tree *t = c->tree;
    const struct tree_stmt place = *x->first;
    const struct type *type = place.value->type;
    const struct tree_stmt *around = t->region;
    int64_t count = count_of(c, place.pointer);
    t->region = region;
    remark(t->ir->remarks, place.place, arena_printf(t->arena, "'%s'", place.pointer->var->name),
           REMARK_REDUCTION_COPIES, (long long)count);
    uint32_t alias = t->num_aliases++;
    struct tree_var *copy = tree_var(t, "copy", type_pointer(t->ir, type));
    struct tree_expr *to = expr_var(t, copy), *index;
    struct candidate all = *x;
    all.first = &place;
    redirect(&all, region->body, to, alias);
    struct tree_stmt *block = stmt_block(t);
    stmt_alloc(t, block, copy, type, expr_i64(t, count), TREE_HEAP)->place = place.place;
    struct tree_stmt *inside = each_element(t, block, count, &index);
    stmt_store(t, inside, to, index, reduce_identity(t, place.wcr, type), alias);
    stmt_append(t, block, region->body);
    inside = each_element(t, block, count, &index);
    stmt_reduce(t, inside, place.wcr, true, place.pointer, index, expr_load(t, type, to, index, alias), place.alias)
        ->place = place.place;
    stmt_free(t, block, copy);
    region->body = block;
    t->region = around;
}

/* ---- regions ---- */

/* The reduction after those that were tried. */
static struct tree_stmt *next_atomic(struct tree_stmt *s, uint32_t *skip)
{
    if (!s || s->kind == STMT_CRITICAL)
        return NULL;
    if (s->kind == STMT_REDUCE && s->atomic)
        return *skip ? (--*skip, NULL) : s;
    struct tree_stmt *found = next_atomic(s->body, skip);
    if (!found)
        found = next_atomic(s->otherwise, skip);
    for (uint32_t i = 0; i < s->items.count && !found; i++)
        found = next_atomic(s->items.items[i], skip);
    return found;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct copies *c = user;
    if (s->kind != STMT_PARALLEL)
        return true;
    struct map done = { 0 }; /* containers: those that were given copies are still reduced to, behind the loops */
    for (uint32_t tried = 0;; tried++) {
        uint32_t skip = tried;
        struct candidate x = { .first = next_atomic(s->body, &skip) };
        if (!x.first)
            return false;
        if (x.first->pointer->op == EXPR_VAR && !map_has(&done, x.first->pointer->var) && is_possible(c, &x, s)) {
            map_put(c->tree->scratch, &done, x.first->pointer->var, s);
            make_copy(c, &x, s);
            tried = UINT32_MAX; /* from the start: others have moved */
        }
    }
}

bool opt_array_privatization(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct copies c = { .tree = t, .options = o, .function = t->functions.items[i] };
        for (uint32_t k = 0; k < c.function->params.count; k++) {
            const struct tree_param *p = &c.function->params.items[k];
            map_put(t->scratch, &c.counts, p->var, (void *)(uintptr_t)p->count);
        }
        stmt_visit(c.function->body, note_count, &c);
        stmt_visit(c.function->body, look, &c);
    }
    return true;
}
