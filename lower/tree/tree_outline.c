#include "lower/tree/tree_outline.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_outline_plan.h"
#include "lower/tree/tree_stop.h"
#include "runtime/abi.h"

/* ---- one function ---- */

static void add_cost(void *user, const struct tree_stmt *s) { *(uint32_t *)user += tree_outline_cost(s); }

uint32_t tree_outline_cost(const struct tree_stmt *s)
{
    uint32_t cost = s->kind != STMT_BLOCK;
    if (s->kind != STMT_PARALLEL)
        stmt_children(s, add_cost, &cost);
    return cost;
}

static void search_failure(void *user, const struct tree_stmt *s)
{
    bool *found = user;
    *found =
        *found || s->kind == STMT_WAIT || s->kind == STMT_MIRROR || (s->kind == STMT_ALLOC && s->where != TREE_STACK);
    if (!*found)
        stmt_children(s, search_failure, user);
}

struct keep {
    uint32_t loops; /* around the statement */
    bool found, foreign;
};

/* Products and solvers may be those of a library with threads; of what has no row nothing is known. */
static bool may_have_threads(const struct tree_callee *c)
{
    return callee_is_noticed(c) || (c->signature && !(c->flags & (RT_PURE | RT_NO_FLOPS)));
}

static void search_regions(void *user, const struct tree_stmt *s)
{
    struct keep *k = user;
    bool loop = stmt_is_loop(s);
    k->foreign |= s->kind == STMT_KERNEL || (s->kind == STMT_CALL && may_have_threads(stmt_callee(s)));
    k->found |= s->kind == STMT_PARALLEL && k->loops > 0;
    if (s->kind == STMT_PARALLEL || k->foreign)
        return;
    k->loops += loop;
    stmt_children(s, search_regions, user);
    k->loops -= loop;
}

bool tree_keeps_threads(const struct tree_func *f)
{
    struct keep k = { 0 };
    search_regions(&k, f->body);
    return k.found && !k.foreign;
}

static void add(struct tree_outline_plan *p, struct tree_outlined *f)
{
    f->cost = tree_outline_cost(f->body);
    if (p->budget && p->in_unit && p->in_unit + f->cost > p->budget) {
        p->out->num_units++;
        p->in_unit = 0;
    }
    p->in_unit += f->cost;
    f->unit = p->out->num_units - 1;
    vec_push(p->arena, &p->out->functions, f);
}

struct tree_outlined *tree_outline_add(struct tree_outline_plan *p, const struct tree_outlined *outer,
                                       enum tree_outlined_kind kind, const struct tree_stmt *body)
{
    struct tree_outlined *f = NEW(p->arena, struct tree_outlined);
    const char *noun = kind == OUTLINED_PART ? "part" : "parallel";
    f->kind = kind;
    f->function = outer->function;
    f->name = arena_printf(p->arena, "%s.%s%u", outer->function->name, noun, p->num_outlined++);
    f->body = body;
    f->stoppable = outer->stoppable && kind == OUTLINED_PART;
    search_failure(&f->may_fail, body);
    f->may_fail |= f->stoppable && tree_stops_in(body);
    add(p, f);
    return f;
}

static void add_entry(struct tree_outline_plan *p, const struct tree_func *function, bool stoppable)
{
    struct tree_outlined *f = NEW(p->arena, struct tree_outlined);
    f->kind = OUTLINED_ENTRY;
    f->function = function;
    f->name = arena_printf(p->arena, "sdfg_%s", function->name);
    f->body = function->body;
    f->stoppable = stoppable && tree_func_is_main(function);
    f->keeps_threads = tree_keeps_threads(function);
    add(p, f);
}

/* ---- what is in it ---- */

struct search {
    struct tree_outline_plan *plan;
    const struct tree_outlined *outer;
};

static void search_meeting(void *user, const struct tree_stmt *s)
{
    bool *found = user;
    *found |= s->kind == STMT_BARRIER || (s->kind == STMT_CALL && callee_orders(stmt_callee(s)));
    if (!*found)
        stmt_children(s, search_meeting, user);
}

static void make_parallel(struct tree_outline_plan *p, const struct tree_outlined *outer, const struct tree_stmt *s)
{
    struct tree_outlined *f = tree_outline_add(p, outer, OUTLINED_PARALLEL, s->body);
    bool meets = false;
    f->parallel = s;
    search_meeting(&meets, s->body);
    f->apart = !meets;
    tree_uses_scan(&p->uses, s->body);
    for (uint32_t i = 0; i < p->uses.touched.count; i++) {
        struct tree_var *v = p->uses.touched.items[i];
        if (!tree_use(&p->uses, v)->assignments && v != s->var && v != s->var2)
            vec_push(p->arena, &f->captured, v);
    }
    map_put(p->arena, &p->out->regions, s, f);
}

static void search_parallel(void *user, const struct tree_stmt *s)
{
    struct search *q = user;
    if (s->kind == STMT_PARALLEL) {
        make_parallel(q->plan, q->outer, s);
        return;
    }
    if (s->kind != STMT_BLOCK) {
        stmt_children(s, search_parallel, user);
        return;
    }
    for (uint32_t i = 0; i < s->items.count; i++) {
        const struct tree_outlined *part = tree_outline_part(q->plan->out, s->items.items[i], q->outer);
        if (part)
            i += part->num_items - 1;
        else
            search_parallel(q, s->items.items[i]);
    }
}

const struct tree_outline *tree_outline(const struct tree *t, uint32_t unit_budget, bool stoppable)
{
    struct tree_outline_plan p = { .tree = t, .arena = t->arena, .budget = unit_budget };
    p.uses = tree_uses_new(t, t->arena);
    p.out = NEW(t->arena, struct tree_outline);
    p.out->num_units = 1;
    for (uint32_t i = 0; i < t->functions.count; i++)
        add_entry(&p, t->functions.items[i], stoppable);
    for (uint32_t i = 0; i < p.out->functions.count; i++) {
        struct search q = { &p, p.out->functions.items[i] };
        tree_outline_split(&p, q.outer);
        search_parallel(&q, q.outer->body);
    }
    return p.out;
}

const struct tree_outlined *tree_outline_region(const struct tree_outline *o, const struct tree_stmt *parallel)
{
    return map_get(&o->regions, parallel);
}

const struct tree_outlined *tree_outline_part(const struct tree_outline *o, const struct tree_stmt *s,
                                              const struct tree_outlined *outer)
{
    const struct tree_outlined *part = map_get(&o->parts, s);
    return part == outer ? NULL : part;
}
