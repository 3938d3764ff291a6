/* Memory of one element becomes a variable.
 *
 *     test = stack bool[1]                  test = false
 *     test[0] = x[i] != x[i]                test = x[i] != x[i]
 *     if !test[0] {                  ->     if !test {
 *         test[0] = x[i] < 0                    test = x[i] < 0
 *     }                                     }
 *
 * Legality: the memory is taken here, its address is used for nothing but loads, stores and reductions of that element,
 * by the thread that takes it; in front of kernels, each iteration of a nest counts as one. Fresh memory has any value:
 * the variable begins with zero. Profitability: always. */
#include "lower/opt/passes.h"
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_scan.h"

enum { NEAR = 16 /* statements that are looked at behind the taking of memory */ };

/* Memory of one element. */
struct cell {
    const struct type *type;
    const struct tree_stmt *region; /* that takes it, or nest of loops */
    const struct tree_var *address;
    struct tree_var *var; /* in its place */
    uint32_t uses;        /* that are accesses */
};

struct promotion {
    struct tree *tree;
    const struct tree_options *options;
    struct map cells;  /* struct tree_var * of the address -> struct cell * */
    struct map begins; /* STMT_ASSIGN that stands for the memory being taken -> itself */
    const struct tree_stmt *region;
};

/* ---- which memory ---- */

static bool is_cell(const struct tree_stmt *s)
{
    return s->kind == STMT_ALLOC && (s->where == TREE_STACK || s->where == TREE_HEAP) && expr_is_int(s->count, 1) &&
           type_is_arithmetic(s->type);
}

/* `index` NULL: the whole of it. */
static struct cell *cell_of(const struct promotion *p, const struct tree_expr *pointer, const struct tree_expr *index,
                            const struct type *type)
{
    struct cell *c = pointer->op == EXPR_VAR ? map_get(&p->cells, pointer->var) : NULL;
    return c && c->type == type && (!index || expr_is_int(index, 0)) ? c : NULL;
}

static struct cell *target_of(const struct promotion *p, const struct tree_stmt *s)
{
    struct cell *c = NULL;
    if (s->kind == STMT_STORE ||
        (s->kind == STMT_REDUCE && !s->atomic && reduce_can_accumulate(s->wcr, s->value->type)))
        c = cell_of(p, s->pointer, s->index, s->value->type);
    else if (s->kind == STMT_ZERO && expr_is_int(s->count, 1))
        c = cell_of(p, s->pointer, NULL, s->type);
    else if (s->kind == STMT_FREE || is_cell(s))
        c = map_get(&p->cells, s->var);
    return c;
}

/* Accesses by other threads do not count: then some use is left over. */
static void count_cell(const struct promotion *p, struct cell *c)
{
    if (c && c->region == p->region)
        c->uses++;
}

static void count_load(void *user, struct tree_expr *e)
{
    struct promotion *p = user;
    if (e->op == EXPR_LOAD)
        count_cell(p, cell_of(p, e->args[0], e->args[1], e->type));
}

static void count_operand(void *user, struct tree_expr **e) { expr_visit(*e, count_load, user); }

static bool is_nest(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent);
}

/* Statements in order: memory is taken before it is used. */
static void count_uses(struct promotion *p, struct tree_stmt *s)
{
    const struct tree_stmt *region = p->region;
    if (is_cell(s)) {
        struct cell *c = NEW(p->tree->scratch, struct cell);
        *c = (struct cell){ .type = s->type, .region = p->region, .address = s->var };
        map_put(p->tree->scratch, &p->cells, s->var, c);
    }
    stmt_each_expr(s, count_operand, p);
    count_cell(p, target_of(p, s));
    if (stmt_rows[s->kind].flags & STMT_REGION || (p->options->device && is_nest(s)))
        p->region = s;
    if (s->body)
        count_uses(p, s->body);
    if (s->otherwise)
        count_uses(p, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        count_uses(p, s->items.items[i]);
    p->region = region;
}

/* ---- rewriting ---- */

static struct tree_expr *replace_load(void *user, struct tree_expr *e)
{
    struct promotion *p = user;
    struct cell *c = e->op == EXPR_LOAD ? cell_of(p, e->args[0], e->args[1], e->type) : NULL;
    return c ? expr_var(p->tree, c->var) : e;
}

static bool replace(void *user, struct tree_stmt *s)
{
    struct promotion *p = user;
    struct tree *t = p->tree;
    stmt_rewrite(t, s, replace_load, p);
    const struct cell *c = target_of(p, s);
    if (!c)
        return true;
    struct tree_stmt *block = stmt_block(t), *made = block;
    if (s->kind == STMT_REDUCE) {
        made = stmt_assign(t, block, c->var, reduce_combine(t, s->wcr, expr_var(t, c->var), s->value));
        made->reassociate = !p->options->strict_fp;
    } else if (s->kind != STMT_FREE) {
        made = stmt_assign(t, block, c->var, s->kind == STMT_STORE ? s->value : expr_zero(t, c->type));
    }
    if (s->kind == STMT_ALLOC)
        map_put(t->scratch, &p->begins, s, s);
    made->place = s->place;
    *s = *made;
    return true;
}

/* Is the variable given another value by one of the next statements, before any of them uses it? */
static bool is_unused(const struct promotion *p, const struct tree_stmt *block, uint32_t at)
{
    const struct tree_var *v = block->items.items[at]->var;
    for (uint32_t i = at + 1; i < block->items.count && i < at + NEAR; i++) {
        const struct tree_stmt *s = block->items.items[i];
        struct tree_scan scan = { .arena = p->tree->scratch };
        if (s->kind == STMT_ASSIGN && s->var == v)
            return !expr_mentions(s->value, v);
        tree_scan_add(&scan, s);
        if (map_has(&scan.uses, v) || scan.gotos.count || scan.labels.count)
            return false;
    }
    return false;
}

static bool drop_unused(void *user, struct tree_stmt *s)
{
    const struct promotion *p = user;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!map_has(&p->begins, s->items.items[i]) || !is_unused(p, s, i))
            s->items.items[kept++] = s->items.items[i];
    s->items.count = kept;
    return true;
}

/* Leaves cells that are accessed in no other way, and gives them variables. */
static void choose(struct promotion *p, const struct tree_scan *whole)
{
    struct tree *t = p->tree;
    struct map all = p->cells;
    p->cells = (struct map){ 0 };
    for (uint32_t i = 0; i < all.count; i++) {
        struct cell *c = all.slots[i].value;
        if ((uintptr_t)map_get(&whole->uses, c->address) != c->uses)
            continue;
        const struct tree_stmt *region = t->region;
        t->region = c->region && is_nest(c->region) ? NULL : c->region;
        c->var = tree_var(t, c->address->name, c->type);
        t->region = region;
        map_put(t->scratch, &p->cells, c->address, c);
    }
}

bool opt_scalar_promotion(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct promotion p = { .tree = t, .options = o };
        struct tree_whole whole = { t, f, { 0 }, false };
        count_uses(&p, f->body);
        if (!p.cells.count)
            continue;
        choose(&p, tree_whole(&whole));
        stmt_visit(f->body, replace, &p);
        stmt_flatten(t, f->body);
        stmt_visit(f->body, drop_unused, &p);
    }
    return true;
}
