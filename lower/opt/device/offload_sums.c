/* Loops that only accumulate: the threads of a team share the iterations.
 *
 *     for k = 0 to N {                        sum = threadIdx.x == 0 ? sum : 0
 *         sum = sum + A[k]         ->         for k = threadIdx.x to N step threads { sum = sum + A[k] }
 *     }                                       sum = group sum
 *
 * Legality: Each variable that carries a value from iteration to iteration is an accumulator: all places of the loop
 * that name it are the same operation on it, whose terms may be combined in any order. The loop writes no memory. */
#include "lower/opt/device/offload_region.h"
#include "lower/opt/iterations.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_SUMS = 8 };

struct sum {
    struct tree_var *var;
    enum wcr_kind wcr;
};

struct sums {
    struct offload *offload;
    struct tree_scan scan; /* of the loop */
    struct sum sums[MOST_SUMS];
    uint32_t count;
};

/* ---- which loops ---- */

/* x = x op e, where x is not in e. */
static enum wcr_kind step_of(const struct tree_stmt *s)
{
    const struct tree_expr *e = s->value;
    if (e->num_args != 2 || e->args[0]->op != EXPR_VAR || e->args[0]->var != s->var ||
        expr_mentions(e->args[1], s->var))
        return WCR_NONE;
    switch (e->op) {
    case EXPR_ADD:
        return WCR_SUM;
    case EXPR_MUL:
        return WCR_PRODUCT;
    case EXPR_MIN:
        return WCR_MIN;
    case EXPR_MAX:
        return WCR_MAX;
    default:
        return WCR_NONE;
    }
}

struct steps {
    const struct tree_var *var;
    enum wcr_kind wcr; /* of the first */
    uint32_t count;
    bool same;
};

static bool is_exact(enum wcr_kind wcr, const struct type *type)
{
    return type_is_integer(type) || wcr == WCR_MIN || wcr == WCR_MAX;
}

static bool see_step(void *user, struct tree_stmt *s)
{
    struct steps *x = user;
    if (s->var != x->var)
        return true;
    enum wcr_kind wcr = s->kind == STMT_ASSIGN ? step_of(s) : WCR_NONE;
    x->wcr = x->count ? x->wcr : wcr;
    x->same &= wcr != WCR_NONE && wcr == x->wcr && (s->reassociate || is_exact(wcr, s->var->type));
    x->count++;
    return true;
}

/* Does the loop accumulate in the variable? */
static bool accumulates(struct sums *f, struct tree_stmt *loop, struct tree_var *v)
{
    struct steps steps = { .var = v, .same = true };
    stmt_visit(loop->body, see_step, &steps);
    if (!steps.count || !steps.same || f->count == MOST_SUMS ||
        (uintptr_t)map_get(&f->scan.uses, v) != 2 * (uintptr_t)steps.count ||
        !reduce_can_accumulate(steps.wcr, v->type))
        return false;
    f->sums[f->count++] = (struct sum){ v, steps.wcr };
    return true;
}

static bool only_computes(void *user, struct tree_stmt *s)
{
    bool *only = user;
    *only &= s->kind == STMT_BLOCK || s->kind == STMT_FOR || s->kind == STMT_IF || s->kind == STMT_ASSIGN;
    return *only;
}

static bool find(struct offload *o, struct tree_stmt *loop, struct sums *f)
{
    *f = (struct sums){ .offload = o, .scan = { .arena = o->tree->scratch } };
    bool only = loop->kind == STMT_FOR;
    stmt_visit(loop, only_computes, &only);
    if (!only || !offload_fits(o, loop))
        return false;
    tree_scan_add(&f->scan, loop);
    struct map accumulators = { 0 };
    for (uint32_t i = 0; i < f->scan.assigned.count; i++) {
        struct tree_var *v = (struct tree_var *)f->scan.assigned.slots[i].key;
        bool carries = v != loop->var && accumulates(f, loop, v);
        if (!carries && offload_used_outside(o, &f->scan, v))
            return false;
    }
    for (uint32_t i = 0; i < f->count; i++)
        map_put(o->tree->scratch, &accumulators, f->sums[i].var, loop);
    return f->count && iterations_define_variables(o->tree, loop, &accumulators);
}

bool offload_is_sums(struct offload *o, struct tree_stmt *s)
{
    struct sums f;
    return find(o, s, &f);
}

bool offload_has_sums(struct offload *o, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR && offload_is_sums(o, s))
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (offload_has_sums(o, s->items.items[i]))
            return true;
    return (s->body && offload_has_sums(o, s->body)) || (s->otherwise && offload_has_sums(o, s->otherwise));
}

/* ---- code ---- */

enum { TOGETHER = 4, MOST_TERMS = 24 /* statements of a body, for several iterations at once */ };

static bool accumulates_in(const struct sums *f, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->sums[i].var == s->var)
            return true;
    return false;
}

/* Assignments alone: what they load can be asked for before anything is added. */
static bool is_straight(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind != STMT_ASSIGN)
            return false;
    return body->items.count <= MOST_TERMS;
}

/* Values of one iteration in front, its steps behind those of all iterations. */
static void write_terms(struct tree *t, const struct sums *f, struct tree_stmt *front, struct tree_stmt *steps,
                        const struct tree_stmt *loop, struct tree_expr *at)
{
    struct tree_stmt *terms = stmt_block(t), *own = stmt_block(t);
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        const struct tree_stmt *s = loop->body->items.items[i];
        if (!accumulates_in(f, s)) {
            stmt_append(t, terms, stmt_clone(t, s));
            continue;
        }
        struct tree_var *v = tree_var(t, "term", s->value->type);
        stmt_assign(t, terms, v, s->value->args[1])->place = s->place;
        struct tree_stmt *step = stmt_clone(t, s);
        step->value = expr_binary(t, s->value->op, s->value->args[0], expr_var(t, v));
        stmt_append(t, own, step);
    }
    stmt_append(t, front, terms);
    stmt_substitute(t, terms, loop->var, expr_cast(t, loop->var->type, at));
    stmt_append(t, steps, own);
}

/* Several iterations of each thread at once, as long as there are so many. Returns where the rest begins; NULL: with
 * the first one. */
static struct tree_expr *write_together(struct device_region *r, struct tree_stmt *out, const struct sums *f,
                                        const struct tree_stmt *loop)
{
    struct tree *t = r->offload->tree;
    const struct type *wide = type_basic(t->ir, TYPE_I64);
    if (r->level == TREE_GRID || !is_straight(loop->body))
        return NULL;
    struct tree_expr *begin = expr_cast(t, wide, loop->begin), *step = expr_cast(t, wide, loop->step);
    struct tree_expr *first = expr_binary(t, EXPR_ADD, begin, expr_binary(t, EXPR_MUL, r->thread, step));
    struct tree_expr *stride = expr_binary(t, EXPR_MUL, r->threads, step);
    struct tree_expr *last = expr_binary(t, EXPR_MUL, stride, expr_i64(t, TOGETHER - 1));
    struct tree_var *i = tree_var(t, loop->var->name, wide);
    struct tree_stmt *all = stmt_for(t, out, i, first, expr_binary(t, EXPR_SUB, expr_cast(t, wide, loop->end), last),
                                     expr_binary(t, EXPR_MUL, stride, expr_i64(t, TOGETHER)));
    struct tree_stmt *steps = stmt_block(t);
    all->place = loop->place;
    for (int64_t k = 0; k < TOGETHER; k++) {
        struct tree_stmt *apart = stmt_block(t);
        struct tree_expr *at =
            expr_binary(t, EXPR_ADD, expr_var(t, i), expr_binary(t, EXPR_MUL, stride, expr_i64(t, k)));
        write_terms(t, f, apart, steps, loop, at);
        stmt_append(t, all->body, apart);
    }
    stmt_append(t, all->body, steps);
    return expr_var(t, i);
}

void offload_sums(struct device_region *r, struct tree_stmt *out, struct tree_stmt *loop)
{
    struct tree *t = r->offload->tree;
    struct sums f;
    find(r->offload, loop, &f);
    struct tree_expr *first = expr_binary(t, EXPR_EQ, r->thread, expr_i64(t, 0));
    for (uint32_t i = 0; i < f.count; i++) {
        struct tree_expr *identity = reduce_identity(t, f.sums[i].wcr, f.sums[i].var->type);
        stmt_assign(t, out, f.sums[i].var, expr_select(t, first, expr_var(t, f.sums[i].var), identity))->place =
            loop->place;
    }
    struct tree_expr *rest = write_together(r, out, &f, loop);
    struct tree_stmt *shared = offload_region_loop(r, out, loop->var, loop->begin, loop->end, loop->step);
    shared->begin = rest ? rest : shared->begin;
    shared->loop.rolled = rest != NULL;
    shared->place = loop->place;
    stmt_append(t, shared->body, loop->body);
    for (uint32_t i = 0; i < f.count; i++) {
        struct tree_stmt *all = stmt_new(t, out, STMT_GROUP);
        all->var = f.sums[i].var;
        all->value = expr_var(t, f.sums[i].var);
        all->wcr = f.sums[i].wcr;
        all->loop.level = r->level;
        all->place = loop->place;
    }
}
