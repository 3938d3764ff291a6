/* Neighbouring sequential statements without dependences between them run in parallel; sequential loops around other
 * loops are distributed if that separates them.
 *
 *     for i ... { A[i] = A[i - 1] + ... }            counter[0] = 0
 *     for j ... { B[j] = B[j - 1] + ... }    ->      parallel thread of threads = small ? 1 : default {
 *                                                        part = next(counter)
 *                                                        while part < 2 {
 *                                                            if part == 0 { for i ... } else { for j ... }
 *                                                            part = next(counter)
 *                                                        }
 *                                                    }
 *
 * Legality: Statements that access the same variable or container, one of them to change it, stay in one section.
 * Profitability: If the second largest section exceeds the cost of a region. */
#include "lower/opt/threads/sections.h"
#include "lower/opt/remark.h"
#include "lower/opt/threads/region.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_rewrite.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 4 }; /* of finding variables that are used elsewhere */

static int by_cost(const void *a, const void *b)
{
    const struct section_part *x = a, *y = b;
    if (x->cost->i != y->cost->i)
        return x->cost->i > y->cost->i ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool costs_are_known(const struct section_run *r)
{
    for (uint32_t i = 0; i < r->parts.count; i++)
        if (r->parts.items[i].cost->op != EXPR_INT)
            return false;
    return true;
}

/* Have fewer than two parts so much work? */
static struct tree_expr *is_less(const struct sections *x, const struct section_run *r, int64_t limit)
{
    struct tree *t = x->tree;
    struct tree_expr *large = expr_i64(t, 0), *perhaps = expr_i64(t, 0);
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->parts.count; i++) {
        struct tree_expr *cost = r->parts.items[i].cost;
        int less = region_is_less(cost, x->frame, limit);
        most += less != 1;
        struct tree_expr *enough = expr_binary(t, EXPR_GE, cost, expr_i64(t, limit));
        if (less == 0)
            large = expr_i64(t, large->i + 1);
        else if (less < 0)
            perhaps = expr_binary(t, EXPR_ADD, perhaps, expr_cast(t, large->type, enough));
    }
    if (large->i >= 2 || most < 2)
        return expr_bool(t, most < 2);
    return expr_binary(t, EXPR_LT, expr_binary(t, EXPR_ADD, large, perhaps), expr_i64(t, 2));
}

static struct tree_expr *is_small(const struct sections *x, const struct section_run *r)
{
    return is_less(x, r, region_limit(x->tree->machine, x->loops > 0));
}

/* ---- making the region ---- */

/* Calls sdfg_rt_next until there is no part left. */
static void hand_out(struct tree *t, struct tree_stmt *b, const struct section_run *r, struct tree_var *counter)
{
    struct tree_expr *count = expr_i64(t, r->parts.count);
    struct tree_expr *args[] = { expr_var(t, counter), expr_i64(t, 1), count, expr_i64(t, 0) };
    struct tree_var *part = tree_var(t, "part", type_basic(t->ir, TYPE_I64));
    stmt_call(t, b, part, "sdfg_rt_next", args, 4);
    struct tree_stmt *more = stmt_while(t, b, expr_binary(t, EXPR_LT, expr_var(t, part), count)), *at = more->body;
    for (uint32_t i = 0; i + 1 < r->parts.count; i++) {
        struct tree_stmt *choice = stmt_if(t, at, expr_binary(t, EXPR_EQ, expr_var(t, part), expr_i64(t, i)));
        choice->body = r->parts.items[i].body;
        at = choice->otherwise;
    }
    stmt_append(t, at, r->parts.items[r->parts.count - 1].body);
    stmt_call(t, more->body, part, "sdfg_rt_next", args, 4);
}

static struct tree_stmt *make_region(struct sections *x, struct section_run *r, struct tree_expr *small)
{
    struct tree *t = x->tree;
    struct tree_stmt *block = stmt_block(t);
    struct tree_expr *asleep = is_less(x, r, region_limit_asleep(x->tree->machine, x->loops > 0, REGION_CHAINS));
    small = region_or_asleep(t, block, small, asleep);
    sections_fill_parts(x, r);
    if (costs_are_known(r))
        qsort(r->parts.items, r->parts.count, sizeof *r->parts.items, by_cost);
    struct tree_expr *count = expr_select(t, small, expr_i64(t, 1), expr_i64(t, 0));
    struct tree_var *counter = region_counter(t, block);
    struct tree_stmt *region = tree_parallel_begin(t, block, expr_is_int(count, 0) ? NULL : count);
    region->place = x->items.items[r->first].stmt->place;
    for (uint32_t i = 0; i < r->parts.count; i++)
        region_own(region, r->parts.items[i].body);
    hand_out(t, region->body, r, counter);
    tree_parallel_end(t, region);
    return block;
}

/* The second largest of some costs. */
struct ranking {
    struct tree_expr *largest, *second;
};

static void rank(struct tree *t, struct ranking *k, struct tree_expr *cost)
{
    k->second = expr_binary(t, EXPR_MAX, k->second, expr_binary(t, EXPR_MIN, k->largest, cost));
    k->largest = expr_binary(t, EXPR_MAX, k->largest, cost);
}

static void say(struct sections *x, const struct section_run *r, const struct tree_expr *small)
{
    struct tree *t = x->tree;
    const struct tree_stmt *first = x->items.items[r->first].stmt;
    struct ranking k = { expr_i64(t, 0), expr_i64(t, 0) };
    const char *subject = remark_subject(t, first), *loops = x->loops ? " where loops are around them" : "";
    int limit = (int)region_limit(x->tree->machine, x->loops > 0);
    if (expr_is_int(small, 1)) {
        for (uint32_t i = 0; i < r->groups.count; i++)
            rank(t, &k, r->groups.items[i]);
        if (r->groups.count > 1)
            remark(t->ir->remarks, first->place, subject, REMARK_SECTIONS_WORK, r->groups.count,
                   remark_value(t, k.second), limit, loops);
        return;
    }
    for (uint32_t i = 0; i < r->parts.count; i++)
        rank(t, &k, r->parts.items[i].cost);
    if (small->op == EXPR_INT)
        remark(t->ir->remarks, first->place, subject, REMARK_SECTIONS, r->parts.count, remark_value(t, k.second), limit,
               (int)region_limit_asleep(x->tree->machine, x->loops > 0, REGION_CHAINS));
    else
        remark(t->ir->remarks, first->place, subject, REMARK_SECTIONS_RUNTIME, r->parts.count);
}

/* ---- runs ---- */

/* Variables that get values here and are used elsewhere: the items that give them stay where they are. Gives their
 * number. */
static uint32_t fix_variables(struct sections *x, const struct section_run *r)
{
    const struct tree_scan *whole = tree_whole(&x->iterations.whole);
    uint32_t count = 0;
    for (uint32_t i = r->first; i < r->end; i++) {
        struct item *item = &x->items.items[i];
        struct tree_scan own = { .arena = x->arena };
        tree_scan_add(&own, item->stmt);
        for (uint32_t k = 0; k < own.assigned.count && !item->fixed; k++) {
            const void *v = own.assigned.slots[k].key;
            item->fixed = map_get(&r->scan.uses, v) != map_get(&whole->uses, v);
        }
        count += item->fixed;
    }
    return count;
}

static bool keeps_variables(struct sections *x, const struct section_run *r)
{
    struct tree_stmt *all = stmt_block(x->tree);
    for (uint32_t i = r->first; i < r->end; i++)
        stmt_append(x->tree, all, x->items.items[i].stmt);
    return iterations_keep_variables(&x->iterations, all);
}

/* What is only needed where there is something to take apart. */
static void prepare(struct sections *x)
{
    struct tree *t = x->tree;
    if (x->vars)
        return;
    x->iterations = iterations_of(t, x->function);
    x->classes = NEW_ARRAY(x->arena, struct owner, t->num_aliases);
    x->vars = NEW_ARRAY(x->arena, struct owner, t->num_vars + 1);
}

/* Is all of it together less work than two parts must have? */
static bool is_little(const struct sections *x, const struct section_run *r)
{
    struct tree *t = x->tree;
    struct tree_expr *all = expr_i64(t, 0);
    for (uint32_t i = r->first; i < r->end; i++)
        all = expr_binary(t, EXPR_ADD, all, tree_cost(t, &r->scan, x->items.items[i].stmt));
    return region_is_less(all, x->frame, 2 * region_limit(x->tree->machine, x->loops > 0)) == 1;
}

static void look_at_items(struct sections *x, uint32_t first, uint32_t end, uint32_t round);

/* Turns the items of the run into a region, if that pays: the first item becomes it, the others empty blocks. */
static void look_at_run(struct sections *x, uint32_t first, uint32_t end, uint32_t round)
{
    struct section_run r = { .first = first, .end = end, .scan = { .arena = x->arena } };
    while (r.first < r.end && !x->items.items[r.first].work)
        r.first++;
    while (r.first < r.end && !x->items.items[r.end - 1].work)
        r.end--;
    if (r.first == r.end || x->items.items[r.end - 1].end - x->items.items[r.first].first < 2)
        return;
    for (uint32_t i = r.first; i < r.end; i++)
        tree_scan_add(&r.scan, x->items.items[i].stmt);
    if (!x->tree->ir->remarks && is_little(x, &r)) /* with remarks, how little is said */
        return;
    prepare(x);
    if (fix_variables(x, &r)) {
        look_at_items(x, r.first, r.end, round + 1);
        return;
    }
    sections_find_parts(x, &r);
    struct tree_expr *small = is_small(x, &r);
    bool never = expr_is_int(small, 1);
    if (!never && !keeps_variables(x, &r)) /* asked last: it takes longest */
        return;
    say(x, &r, small);
    if (never)
        return;
    struct tree_stmt *region = make_region(x, &r, small);
    for (uint32_t i = r.first; i < r.end; i++) /* what they were lives on in the parts */
        x->items.items[i].stmt = i == r.first ? region : stmt_block(x->tree);
}

static void look_at_items(struct sections *x, uint32_t first, uint32_t end, uint32_t round)
{
    for (uint32_t i = first; i < end && round < MOST_ROUNDS; i++) {
        uint32_t last = i;
        while (last < end && !x->items.items[last].fixed)
            last++;
        if (last > i)
            look_at_run(x, i, last, round);
        i = last;
    }
}

static void look(struct sections *x, struct tree_stmt *s);

static void look_at_block(struct sections *x, struct tree_stmt *block)
{
    VEC(struct tree_stmt *) rest = { 0 };
    if (!sections_has_loop(block))
        return;
    sections_take_apart(x, block);
    look_at_items(x, 0, x->items.count, 0);
    for (uint32_t i = 0; i < x->items.count; i++) {
        if (x->items.items[i].stmt == block->items.items[i])
            vec_push(x->arena, &rest, block->items.items[i]);
        block->items.items[i] = x->items.items[i].stmt;
    }
    for (uint32_t i = 0; i < rest.count; i++)
        look(x, rest.items[i]);
}

static void look(struct sections *x, struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL || s->kind == STMT_CRITICAL || s->kind == STMT_UPDATE)
        return;
    bool repeats = stmt_is_loop(s);
    const struct tree_frame *outer = x->frame;
    struct tree_frame frame;
    if (s->kind == STMT_FOR) {
        frame = tree_frame_of(outer, s);
        x->frame = &frame;
    }
    x->loops += repeats;
    if (s->kind == STMT_BLOCK)
        look_at_block(x, s);
    if (s->body)
        look(x, s->body);
    if (s->otherwise)
        look(x, s->otherwise);
    x->loops -= repeats;
    x->frame = outer;
}

bool opt_sections(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count && o->num_threads != 1; i++) {
        struct tree_func *f = t->functions.items[i];
        struct sections x = { .tree = t, .arena = t->scratch, .function = f };
        look(&x, f->body);
        if (x.vars)
            stmt_flatten(t, f->body);
    }
    return true;
}
