/* Cuts functions that are too large for one unit into parts: runs of statements of one block that become functions of
 * their own.
 *
 * A run has no jump out or in, and keeps its stack memory to itself. The variables it assigns travel back if they are
 * named elsewhere, or if the run is repeated and might read what it assigned the last time. Places in memory that are
 * found at the begin of the function, such as those of transients in an arena, are found again in each part: thousands
 * of them would travel to hundreds of parts, in code without branches that the compiler takes more than linear time
 * for. */
#include "lower/tree/tree_outline_plan.h"

struct splitter {
    struct tree_outline_plan *plan;
    struct arena *arena;
    const struct tree_outlined *outer;
    uint32_t *total, *inside;          /* how often each variable is named, in the function and in the run looked at */
    bool repeated;                     /* the block looked at may run several times */
    uint32_t num_first;                /* statements that stay at the begin of the function */
    bool *early;                       /* by variable: one of them assigns it */
    const struct tree_stmt **found_by; /* by variable: the one of them that gives the same value anywhere */
    const struct tree_outlined **taken_by; /* by variable: the last part that has it */
};

/* ---- names ---- */

static void count_expr(uint32_t *counts, const struct tree_expr *e)
{
    if (!e)
        return;
    if (e->op == EXPR_VAR)
        counts[e->var->id]++;
    for (uint32_t i = 0; i < e->num_args; i++)
        count_expr(counts, e->args[i]);
}

static void count_names(void *user, const struct tree_stmt *s)
{
    uint32_t *counts = user;
    const struct tree_expr *operands[] = { s->pointer, s->index, s->value, s->pointer2, s->mask,
                                           s->begin,   s->end,   s->step,  s->count };
    for (unsigned i = 0; i < sizeof operands / sizeof *operands; i++)
        count_expr(counts, operands[i]);
    for (uint32_t i = 0; i < s->num_args; i++)
        count_expr(counts, s->args[i]);
    if (s->var)
        counts[s->var->id]++;
    if (s->var2)
        counts[s->var2->id]++;
    if (s->kind == STMT_KERNEL) /* what it reads is passed to it */
        count_names(counts, s->body);
    stmt_children(s, count_names, counts);
}

/* ---- what may be moved ---- */

struct jump_search {
    uint32_t loops;
    bool found;
};

static void search_jumps(void *user, const struct tree_stmt *s)
{
    struct jump_search *q = user;
    bool loop = stmt_is_loop(s);
    if (s->kind == STMT_LABEL || s->kind == STMT_GOTO)
        q->found = true;
    if ((s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) && !q->loops)
        q->found = true;
    q->loops += loop;
    if (!q->found)
        stmt_children(s, search_jumps, q);
    q->loops -= loop;
}

static bool is_movable(const struct tree_stmt *s)
{
    struct jump_search q = { 0, false };
    search_jumps(&q, s);
    return !q.found && !(s->kind == STMT_ALLOC && s->where == TREE_STACK);
}

static void search_stack(void *user, const struct tree_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == STMT_ALLOC && s->where == TREE_STACK);
    if (!*found && s->kind != STMT_PARALLEL)
        stmt_children(s, search_stack, user);
}

/* Sorts the variables of the run. False if a pointer into its stack memory might leave it, or what has no size in
 * memory. */
static bool sort_variables(struct splitter *p, const struct tree_stmt *run, struct tree_outlined *part)
{
    struct tree_uses *u = &p->plan->uses;
    bool stack = false, good = true;
    search_stack(&stack, run);
    count_names(p->inside, run);
    tree_uses_scan(u, run);
    for (uint32_t i = 0; i < u->touched.count; i++) {
        struct tree_var *v = u->touched.items[i];
        const struct tree_use *x = tree_use(u, v);
        bool elsewhere = p->inside[v->id] < p->total[v->id];
        p->inside[v->id] = 0;
        if (x->assignments ? elsewhere || (p->repeated && x->in_memory) : x->freed && elsewhere) {
            good = good && !(stack && v->type->kind == TYPE_POINTER) && !v->type->scalable;
            vec_push(p->arena, &part->shared, v);
        } else if (!x->assignments) {
            vec_push(p->arena, &part->captured, v);
        }
    }
    return good;
}

/* ---- what each part finds for itself ---- */

/* Has the variable the same value in the whole function, which was scanned last? */
static bool is_settled(const struct splitter *p, const struct tree_var *v)
{
    uint32_t assignments = tree_use(&p->plan->uses, v)->assignments;
    return assignments == 0 || (assignments == 1 && p->early[v->id]);
}

static bool is_place(const struct splitter *p, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        return is_settled(p, e->var);
    if (e->op != EXPR_INT && e->op != EXPR_CAST && e->op != EXPR_OFFSET && e->op != EXPR_ADD && e->op != EXPR_MUL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_place(p, e->args[i]))
            return false;
    return true;
}

/* Goes through what allocates memory at the begin of the function. */
static void find_places(struct splitter *p)
{
    const struct tree_stmt *body = p->outer->body;
    tree_uses_scan(&p->plan->uses, body);
    for (; body->kind == STMT_BLOCK && p->num_first < body->items.count; p->num_first++) {
        const struct tree_stmt *s = body->items.items[p->num_first];
        bool pointer = s->kind == STMT_ASSIGN && s->var->type->kind == TYPE_POINTER && is_place(p, s->value);
        if (!pointer && s->kind != STMT_ALLOC)
            return;
        p->early[s->var->id] = true;
        if (pointer && is_settled(p, s->var))
            p->found_by[s->var->id] = s;
    }
}

static void take(struct splitter *p, struct tree_outlined *part, struct tree_stmt *run, struct tree_var *v);

static void take_named(struct splitter *p, struct tree_outlined *part, struct tree_stmt *run, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        take(p, part, run, e->var);
    for (uint32_t i = 0; i < e->num_args; i++)
        take_named(p, part, run, e->args[i]);
}

/* The part reads the variable: it finds its value, or gets it. */
static void take(struct splitter *p, struct tree_outlined *part, struct tree_stmt *run, struct tree_var *v)
{
    if (p->taken_by[v->id] == part)
        return;
    p->taken_by[v->id] = part;
    const struct tree_stmt *s = p->found_by[v->id];
    if (s) {
        take_named(p, part, run, s->value);
        vec_push(p->arena, &run->items, (struct tree_stmt *)s);
    } else {
        vec_push(p->arena, &part->captured, v);
    }
}

/* ---- cutting ---- */

static void cut(struct splitter *p, const struct tree_stmt *block, uint32_t first, uint32_t count, uint32_t cost)
{
    if (count == 0 || 2 * cost < p->plan->budget)
        return;
    struct tree_stmt *run = NEW(p->arena, struct tree_stmt);
    struct tree_outlined sorted = { .num_items = count };
    run->kind = STMT_BLOCK;
    run->items.items = block->items.items + first;
    run->items.count = run->items.capacity = count;
    if (!sort_variables(p, run, &sorted))
        return;
    struct tree_outlined *part = tree_outline_add(p->plan, p->outer, OUTLINED_PART, run);
    part->shared = sorted.shared;
    part->num_items = count;
    part->may_return = stmt_contains(run, STMT_RETURN);
    run->items.items = NULL;
    run->items.count = run->items.capacity = 0;
    for (uint32_t i = 0; i < sorted.shared.count; i++)
        p->taken_by[sorted.shared.items[i]->id] = part;
    for (uint32_t i = 0; i < sorted.captured.count; i++)
        take(p, part, run, sorted.captured.items[i]);
    for (uint32_t i = 0; i < count; i++)
        vec_push(p->arena, &run->items, block->items.items[first + i]);
    map_put(p->arena, &p->plan->out->parts, block->items.items[first], part);
}

static void split_block(struct splitter *p, const struct tree_stmt *block);

static void split_inside(struct splitter *p, const struct tree_stmt *s)
{
    bool outer = p->repeated;
    switch (s->kind) {
    case STMT_BLOCK:
        split_block(p, s);
        break;
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_DO:
        p->repeated = true;
        split_block(p, s->body);
        p->repeated = outer;
        break;
    case STMT_IF:
        split_block(p, s->body);
        if (s->otherwise)
            split_block(p, s->otherwise);
        break;
    default:
        break;
    }
}

static void split_block(struct splitter *p, const struct tree_stmt *block)
{
    uint32_t budget = p->plan->budget, run_cost = 0;
    uint32_t first = block == p->outer->body ? p->num_first : 0;
    for (uint32_t i = first; i < block->items.count; i++) {
        const struct tree_stmt *s = block->items.items[i];
        uint32_t cost = tree_outline_cost(s);
        bool joins = cost <= budget && is_movable(s);
        if (!joins || run_cost + cost > budget) {
            cut(p, block, first, i - first, run_cost);
            first = joins ? i : i + 1;
            run_cost = 0;
        }
        if (joins)
            run_cost += cost;
        else if (cost > budget)
            split_inside(p, s);
    }
    cut(p, block, first, block->items.count - first, run_cost);
}

void tree_outline_split(struct tree_outline_plan *plan, const struct tree_outlined *outer)
{
    uint32_t num_vars = plan->tree->num_vars;
    if (!plan->budget || outer->cost <= plan->budget)
        return;
    struct splitter p = {
        .plan = plan, .arena = plan->arena, .outer = outer, .repeated = stmt_contains(outer->body, STMT_LABEL)
    };
    p.total = NEW_ARRAY(p.arena, uint32_t, num_vars);
    p.inside = NEW_ARRAY(p.arena, uint32_t, num_vars);
    p.early = NEW_ARRAY(p.arena, bool, num_vars);
    p.found_by = NEW_ARRAY(p.arena, const struct tree_stmt *, num_vars);
    p.taken_by = NEW_ARRAY(p.arena, const struct tree_outlined *, num_vars);
    count_names(p.total, outer->body);
    find_places(&p);
    split_inside(&p, outer->body);
}
