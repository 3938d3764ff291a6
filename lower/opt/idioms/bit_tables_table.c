/* Sums of bits as expressions: what the bits of a variable contribute is a shift of many of them, and for the others,
 * eight at a time, a number from a table, which is shared by all that contribute the same. */
#include "lower/opt/idioms/bit_tables.h"

#include <string.h>

enum {
    PART = 8 /* bits */,
    MOST_BITS = 64 /* of a variable */,
    FEWEST_SHIFTED = 4 /* else tables have room for them */
};

/* What up to eight bits of a variable, from `first` on, contribute: number `columns[k]` if bit k is set. */
struct table_part {
    struct tree_var *var;
    uint32_t first, count;
    uint64_t columns[PART];
};

/* Bits of a variable that go to places `by` above their own (below, if negative). */
struct shift {
    struct tree_var *var;
    uint64_t through;
    int32_t by;
};

struct parts {
    uint32_t num_tables, num_shifts;
    struct table_part tables[BITS_INPUTS];
    struct shift shifts[BITS_INPUTS];
};

static uint64_t column_of(const struct bits *value, uint32_t input)
{
    uint64_t column = 0;
    for (uint32_t i = 0; i < value->width; i++)
        column |= (uint64_t)bits_sum_has(value->at[i], input) << i;
    return column;
}

/* The shift that takes the most of a variable's bits; they are taken out of the columns. */
static struct shift take_shift(struct tree_var *v, uint64_t *columns)
{
    uint64_t through[2 * MOST_BITS] = { 0 }, any = 0;
    struct shift best = { .var = v };
    for (uint32_t k = 0; k < MOST_BITS; k++) {
        any |= (uint64_t)(columns[k] != 0) << k;
        if (columns[k] && !(columns[k] & (columns[k] - 1)))
            through[__builtin_ctzll(columns[k]) + MOST_BITS - k] |= UINT64_C(1) << k;
    }
    for (int32_t i = 0; i < 2 * MOST_BITS; i++)
        if (__builtin_popcountll(through[i]) > __builtin_popcountll(best.through)) {
            best.through = through[i];
            best.by = i - MOST_BITS;
        }
    if (best.through != any && __builtin_popcountll(best.through) < FEWEST_SHIFTED)
        best.through = 0;
    for (uint32_t k = 0; k < MOST_BITS; k++)
        columns[k] = best.through >> k & 1 ? 0 : columns[k];
    return best;
}

/* What contributes anything. */
static void find_parts(const struct bits_run *r, const struct bits *value, struct parts *out)
{
    out->num_tables = out->num_shifts = 0;
    for (uint32_t i = 0; i < r->inputs.count; i++) {
        const struct bits_input *in = &r->inputs.items[i];
        uint64_t columns[MOST_BITS] = { 0 };
        for (uint32_t k = 0; k < in->width; k++)
            columns[k] = column_of(value, in->first + k);
        struct shift shift = take_shift(in->var, columns);
        if (shift.through)
            out->shifts[out->num_shifts++] = shift;
        for (uint32_t first = 0; first < MOST_BITS; first += PART) {
            struct table_part p = { .var = in->var, .first = first };
            for (uint32_t k = 0; k < PART; k++) {
                p.columns[k] = columns[first + k];
                p.count = p.columns[k] ? k + 1 : p.count;
            }
            if (p.count)
                out->tables[out->num_tables++] = p;
        }
    }
}

static bool contribute_same(const struct table_part *a, const struct table_part *b)
{
    return memcmp(a->columns, b->columns, sizeof a->columns) == 0;
}

/* Is it the first of those that share a table? */
static bool has_table(const struct parts *parts, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (contribute_same(&parts->tables[k], &parts->tables[i]))
            return false;
    return true;
}

uint32_t bits_tables(const struct bits_run *r, const struct bits_values *outputs)
{
    uint32_t tables = 0;
    for (uint32_t i = 0; i < outputs->all.count; i++) {
        struct parts parts;
        find_parts(r, outputs->all.items[i].bits, &parts);
        for (uint32_t k = 0; k < parts.num_tables; k++)
            tables += has_table(&parts, k);
    }
    return tables;
}

/* ---- expressions, of uint64 ---- */

static const struct type *u64(struct tree *t) { return type_basic(t->ir, TYPE_U64); }
static struct tree_expr *number(struct tree *t, uint64_t value) { return expr_int(t, u64(t), (int64_t)value); }

static struct tree_expr *shifted(struct tree *t, struct tree_expr *e, int32_t by)
{
    if (by == 0)
        return e;
    return expr_binary(t, by > 0 ? EXPR_SHL : EXPR_SHR, e, number(t, (uint64_t)(by > 0 ? by : -by)));
}

static struct tree_expr *masked(struct tree *t, struct tree_expr *e, uint64_t mask)
{
    return expr_binary(t, EXPR_AND, e, number(t, mask));
}

static struct tree_expr *shift_of(struct tree *t, const struct shift *s)
{
    const struct type *type = s->var->type;
    struct tree_expr *x = expr_cast(t, u64(t), expr_var(t, s->var));
    bool whole = type_is_unsigned(type) && s->through == UINT64_MAX >> (MOST_BITS - type->size * 8);
    return shifted(t, whole ? x : masked(t, x, s->through), s->by);
}

static struct tree_expr *table_of(struct tree *t, const struct parts *parts, uint32_t first, uint32_t width)
{
    static const enum type_kind kinds[] = { TYPE_U8, TYPE_U16, TYPE_U32, TYPE_U64 };
    const struct table_part *p = &parts->tables[first];
    uint32_t log = width <= 8 ? 0 : width <= 16 ? 1 : width <= 32 ? 2 : 3, entries = 1U << p->count;
    const struct type *type = type_basic(t->ir, kinds[log]);
    unsigned char *bytes = arena_alloc(t->arena, (size_t)entries << log);
    for (uint32_t i = 0; i < entries; i++) {
        uint64_t value = 0;
        for (uint32_t k = 0; k < p->count; k++)
            value ^= i >> k & 1 ? p->columns[k] : 0;
        for (uint32_t k = 0; k < 1U << log; k++) /* the lowest byte first, as everywhere */
            bytes[(i << log) + k] = (unsigned char)(value >> 8 * k);
    }
    struct tree_expr *index = NULL;
    for (uint32_t k = first; k < parts->num_tables; k++) {
        const struct table_part *q = &parts->tables[k];
        if (k != first && !contribute_same(p, q))
            continue;
        struct tree_expr *x = shifted(t, expr_cast(t, u64(t), expr_var(t, q->var)), -(int32_t)q->first);
        index = index ? expr_binary(t, EXPR_XOR, index, x) : x;
    }
    index = expr_cast(t, type_basic(t->ir, TYPE_I64), masked(t, index, entries - 1));
    struct tree_expr *data = expr_data(t, type, bytes, (size_t)entries << log);
    return expr_cast(t, u64(t), expr_load(t, type, data, index, 0));
}

static struct tree_expr *expression(struct tree *t, const struct bits_run *r, const struct bits *value)
{
    struct parts parts;
    find_parts(r, value, &parts);
    struct tree_expr *e = number(t, column_of(value, BITS_INPUTS));
    for (uint32_t i = 0; i < parts.num_tables; i++)
        if (has_table(&parts, i))
            e = expr_binary(t, EXPR_XOR, e, table_of(t, &parts, i, value->width));
    for (uint32_t i = 0; i < parts.num_shifts; i++)
        e = expr_binary(t, EXPR_XOR, e, shift_of(t, &parts.shifts[i]));
    return e;
}

struct tree_stmt *bits_emit(struct tree *t, const struct bits_run *r, const struct bits_values *outputs)
{
    struct tree_stmt *block = stmt_block(t);
    VEC(struct tree_var *) values = { 0 };
    for (uint32_t i = 0; i < outputs->all.count; i++) {
        const struct bits_value *o = &outputs->all.items[i];
        struct tree_var *v = outputs->all.count > 1 ? tree_var(t, "bits", o->var->type) : o->var;
        vec_push(t->scratch, &values, v);
        stmt_assign(t, block, v, expr_cast(t, v->type, expression(t, r, o->bits)));
    }
    for (uint32_t i = 0; i < outputs->all.count && outputs->all.count > 1; i++)
        stmt_assign(t, block, outputs->all.items[i].var, expr_var(t, values.items[i]));
    return block;
}
