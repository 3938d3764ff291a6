/* A loop over the bits of a number, each result bit of which is a sum of input bits modulo 2, becomes shifts and table
 * lookups: check sums, shift registers, parities, permutations.
 *
 *     for i {                                          for i {
 *         b = data[i]                                      b = data[i]
 *         for k = 0 to 8 {                                 crc = T[(crc ^ b) & 255] ^ crc >> 8
 *             if (crc ^ b) & 1 { crc = crc >> 1 ^ C }  ->  }
 *             else { crc = crc >> 1 }
 *             b = b >> 1
 *         }
 *     }
 *
 * Legality: The loop is executed on symbolic bits that are linear over GF(2); the table is exact for every value.
 * Profitability: In loops whose iterations depend on each other; independent ones are vectorized.
 *
 * What eight bits contribute is a table of 256 numbers, or a shift (bit_tables_table.c). */
#include "lower/opt/idioms/bit_tables.h"
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    FEWEST_TRIPS = 4,
    MOST_TRIPS = 64,
    TRIPS_PER_TABLE = 4,   /* an iteration takes about three cycles, a load from the nearest cache five */
    MOST_STATEMENTS = 4096 /* that run in here, for one loop */
};

struct bits_pass {
    struct tree *tree;
    struct tree_whole whole;
};

/* A loop, and what stands in front of it in its block. */
struct bits_loop {
    struct tree_stmt *block;
    uint32_t at;
};

/* ---- what is known in front of the loop ---- */

struct change {
    const struct tree_var *var;
    bool found;
};

static bool find_change(void *user, struct tree_stmt *s)
{
    struct change *c = user;
    c->found |= s->kind == STMT_LABEL || s->var == c->var || s->var2 == c->var;
    return !c->found;
}

/* The last statement of the block, from `begin` to the loop, that may give the variable a value, or where control may
 * come from elsewhere; NULL: none. */
static struct tree_stmt *last_change(const struct bits_loop *l, uint32_t begin, const struct tree_var *v,
                                     uint32_t *where)
{
    for (uint32_t i = l->at; i-- > begin;) {
        struct change c = { v, false };
        stmt_visit(l->block->items.items[i], find_change, &c);
        if (c.found) {
            *where = i;
            return l->block->items.items[i];
        }
    }
    return NULL;
}

/* Do the variables of the expression hold in front of the loop what they do at the statement `from`? */
static bool lasts(const struct bits_loop *l, const struct tree_expr *e, uint32_t from)
{
    uint32_t where;
    if (e->op == EXPR_VAR && last_change(l, from, e->var, &where))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!lasts(l, e->args[i], from))
            return false;
    return true;
}

/* In sums of what it was computed from, else of its own bits. */
static const struct bits *in_front(struct bits_run *r, struct tree_var *v)
{
    const struct bits_loop *l = r->user;
    uint32_t where;
    const struct tree_stmt *s = r->budget ? last_change(l, 0, v, &where) : NULL;
    const struct bits *known = NULL;
    if (s && s->kind == STMT_ASSIGN && lasts(l, s->value, where)) {
        r->budget--;
        known = bits_of(r, s->value);
    }
    return known ? known : bits_new_input(r, v);
}

/* ---- the loop ---- */

static bool is_candidate(const struct tree_stmt *s)
{
    if (s->kind != STMT_FOR || s->loop.parallel || s->begin->op != EXPR_INT || s->end->op != EXPR_INT ||
        !expr_is_int(s->step, 1))
        return false;
    int64_t trips;
    return !__builtin_sub_overflow(s->end->i, s->begin->i, &trips) && trips >= FEWEST_TRIPS && trips <= MOST_TRIPS;
}

static bool is_input(const struct bits_run *r, const struct tree_var *v)
{
    bool found = false;
    for (uint32_t i = 0; i < r->inputs.count; i++)
        found |= r->inputs.items[i].var == v;
    return found;
}

/* Does anybody need what the loop leaves in the variable: behind it, or as an input of its next run? */
static bool is_needed(struct bits_pass *p, const struct bits_run *r, const struct tree_scan *scan,
                      const struct tree_var *v)
{
    uintptr_t outside = (uintptr_t)map_get(&tree_whole(&p->whole)->uses, v) - (uintptr_t)map_get(&scan->uses, v);
    uint32_t where;
    const struct tree_stmt *s = last_change(r->user, 0, v, &where);
    bool set_in_front = s && s->kind == STMT_ASSIGN && s->var == v;
    return set_in_front ? outside > 1 : outside > 0 || is_input(r, v);
}

static bool try_loop(struct bits_pass *p, struct tree_stmt *block, uint32_t at)
{
    struct tree_stmt *loop = block->items.items[at];
    struct bits_loop l = { block, at };
    struct bits_run r = { .arena = p->tree->scratch, .budget = MOST_STATEMENTS, .ask = in_front, .user = &l };
    struct tree_scan scan = { .arena = p->tree->scratch };
    struct bits_values outputs = { 0 };
    if (!bits_run(&r, loop))
        return false;
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        struct tree_var *v = scan.assigned.slots[i].value;
        if (!is_needed(p, &r, &scan, v))
            continue;
        if (!bits_now(&r, v))
            return false;
        vec_push(r.arena, &outputs.all, ((struct bits_value){ v, bits_now(&r, v) }));
    }
    uint32_t tables = bits_tables(&r, &outputs);
    if (tables * TRIPS_PER_TABLE > loop_span(loop))
        return false;
    remark(p->tree->ir->remarks, loop->place, remark_subject(p->tree, loop), REMARK_BITS, tables);
    block->items.items[at] = bits_emit(p->tree, &r, &outputs);
    block->items.items[at]->place = loop->place;
    return true;
}

/* `waits`: in a loop whose iterations wait for each other. */
static void look(struct bits_pass *p, struct tree_stmt *s, bool waits)
{
    struct tree_stmt *const region = (struct tree_stmt *)p->tree->region;
    if (s->kind == STMT_PARALLEL) {
        p->tree->region = s;
        waits = false;
    }
    if (stmt_is_loop(s))
        waits = !s->loop.independent && !s->loop.parallel;
    if (s->body)
        look(p, s->body, waits);
    if (s->otherwise)
        look(p, s->otherwise, waits);
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!waits || !is_candidate(s->items.items[i]) || !try_loop(p, s, i))
            look(p, s->items.items[i], waits);
    p->tree->region = region;
}

bool opt_bit_tables(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct bits_pass p = { .tree = t, .whole = { t, t->functions.items[i], { 0 } } };
        look(&p, t->functions.items[i]->body, false);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
