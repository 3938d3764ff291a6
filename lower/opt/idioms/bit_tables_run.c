/* Runs pieces of programs on bits that are sums modulo 2 of inputs: shifts, masks, exclusive ors, and choices by one
 * bit between values that differ in constant bits keep them such sums. */
#include "lower/opt/idioms/bit_tables.h"
#include "lower/tree/tree_fold.h"

#include <string.h>

/* ---- one bit ---- */

static const struct bits_sum zero = { { 0 } }, one = { { 0, UINT64_C(1) << (BITS_INPUTS % 64) } };

static bool same(struct bits_sum a, struct bits_sum b) { return memcmp(&a, &b, sizeof a) == 0; }
static bool is_zero(struct bits_sum a) { return same(a, zero); }
static bool is_constant(struct bits_sum a) { return is_zero(a) || same(a, one); }

static struct bits_sum sum(struct bits_sum a, struct bits_sum b)
{
    for (int i = 0; i < BITS_WORDS; i++)
        a.of[i] ^= b.of[i];
    return a;
}

/* False: not a sum. */
static bool product(struct bits_sum a, struct bits_sum b, struct bits_sum *out)
{
    if (is_constant(a)) {
        *out = is_zero(a) ? zero : b;
        return true;
    }
    *out = is_zero(b) ? zero : a;
    return is_constant(b) || same(a, b);
}

/* c ? a : b */
static bool choice(struct bits_sum c, struct bits_sum a, struct bits_sum b, struct bits_sum *out)
{
    bool good = product(c, sum(a, b), out);
    *out = sum(*out, b);
    return good;
}

/* ---- all bits of a value ---- */

uint32_t bits_width(const struct type *type)
{
    return type->kind == TYPE_BOOL ? 1 : type_is_integer(type) ? type->size * 8 : 0;
}

static struct bits *bits_new(struct bits_run *r, uint32_t width)
{
    struct bits *b = arena_alloc(r->arena, sizeof *b + width * sizeof b->at[0]);
    b->width = width;
    memset(b->at, 0, width * sizeof b->at[0]);
    return b;
}

const struct bits *bits_new_input(struct bits_run *r, struct tree_var *v)
{
    uint32_t width = bits_width(v->type);
    if (!width || r->num_inputs + width > BITS_INPUTS)
        return NULL;
    vec_push(r->arena, &r->inputs, ((struct bits_input){ v, r->num_inputs, width }));
    struct bits *b = bits_new(r, width);
    for (uint32_t i = 0; i < width; i++, r->num_inputs++)
        b->at[i].of[r->num_inputs / 64] = UINT64_C(1) << r->num_inputs % 64;
    return b;
}

static struct bits *constant(struct bits_run *r, const struct type *type, int64_t value)
{
    struct bits *b = bits_new(r, bits_width(type));
    for (uint32_t i = 0; i < b->width; i++)
        b->at[i] = value >> i & 1 ? one : zero;
    return b;
}

static bool is_known(const struct bits *b, const struct type *type, int64_t *value)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < b->width; i++) {
        if (!is_constant(b->at[i]))
            return false;
        all |= (uint64_t)!is_zero(b->at[i]) << i;
    }
    *value = fold_wrap(type, (int64_t)all);
    return true;
}

/* b != 0, if that is a sum: no more than one bit may be set. */
static bool truth(const struct bits *b, struct bits_sum *out)
{
    uint32_t found = 0;
    *out = zero;
    for (uint32_t i = 0; i < b->width; i++) {
        if (same(b->at[i], one)) {
            *out = one;
            return true;
        }
        if (!is_zero(b->at[i])) {
            *out = b->at[i];
            found++;
        }
    }
    return found <= 1;
}

static const struct bits *one_bit(struct bits_run *r, bool good, struct bits_sum value, bool negated)
{
    if (!good)
        return NULL;
    struct bits *b = bits_new(r, 1);
    b->at[0] = negated ? sum(value, one) : value;
    return b;
}

/* ---- operations ---- */

static const struct bits *shifted(struct bits_run *r, const struct bits *a, int64_t by, struct bits_sum above)
{
    struct bits *b = bits_new(r, a->width);
    for (int64_t i = 0; i < a->width; i++)
        b->at[i] = i + by < 0 ? zero : i + by < a->width ? a->at[i + by] : above;
    return b;
}

static const struct bits *shift(struct bits_run *r, const struct tree_expr *e, const struct bits *a,
                                const struct bits *b)
{
    int64_t by;
    if (!is_known(b, e->type, &by) || by < 0 || by >= a->width)
        return NULL;
    if (e->op == EXPR_SHL)
        return shifted(r, a, -by, zero);
    return shifted(r, a, by, type_is_signed(e->type) ? a->at[a->width - 1] : zero);
}

/* The sum of numbers that have no set bits in common: nothing is carried. */
static bool add_apart(struct bits *to, const struct bits *b)
{
    for (uint32_t i = 0; i < to->width; i++) {
        if (!is_zero(to->at[i]) && !is_zero(b->at[i]))
            return false;
        to->at[i] = sum(to->at[i], b->at[i]);
    }
    return true;
}

/* a * factor */
static const struct bits *multiple(struct bits_run *r, const struct bits *a, int64_t factor)
{
    struct bits *b = bits_new(r, a->width);
    for (uint32_t i = 0; i < a->width; i++)
        if (factor >> i & 1 && !add_apart(b, shifted(r, a, -(int64_t)i, zero)))
            return NULL;
    return b;
}

static const struct bits *bitwise(struct bits_run *r, enum expr_op op, const struct bits *a, const struct bits *b)
{
    struct bits *c = bits_new(r, a->width);
    for (uint32_t i = 0; i < a->width; i++) {
        struct bits_sum both = zero;
        if (op != EXPR_XOR && !product(a->at[i], b->at[i], &both))
            return NULL;
        c->at[i] = op == EXPR_AND ? both : sum(sum(a->at[i], b->at[i]), both);
    }
    return c;
}

/* Comparisons of what is not all constant. */
static const struct bits *compare(struct bits_run *r, const struct tree_expr *e, const struct bits *a,
                                  const struct bits *b)
{
    int64_t with;
    struct bits_sum value;
    if (e->op == EXPR_EQ || e->op == EXPR_NE)
        return one_bit(r, truth(bitwise(r, EXPR_XOR, a, b), &value), value, e->op == EXPR_EQ);
    bool sign = type_is_signed(e->args[0]->type) && is_known(b, e->args[0]->type, &with) && with == 0;
    return one_bit(r, sign && (e->op == EXPR_LT || e->op == EXPR_GE), a->at[a->width - 1], e->op == EXPR_GE);
}

static const struct bits *binary(struct bits_run *r, const struct tree_expr *e)
{
    const struct type *type = e->args[0]->type;
    const struct bits *a = bits_of(r, e->args[0]), *b = a ? bits_of(r, e->args[1]) : NULL;
    int64_t x, y, folded;
    if (!a || !b)
        return NULL;
    bool x_known = is_known(a, type, &x), y_known = is_known(b, type, &y), is_compare = e->op >= EXPR_EQ;
    if (x_known && y_known && is_compare && e->op <= EXPR_GE)
        return constant(r, e->type, fold_compare_int(e->op, type, x, y));
    if (x_known && y_known && !is_compare)
        return fold_int(e->op, type, x, y, &folded) ? constant(r, e->type, folded) : NULL;
    switch (e->op) {
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_XOR:
        return bitwise(r, e->op, a, b);
    case EXPR_LOGICAL_AND:
    case EXPR_LOGICAL_OR:
        return bitwise(r, e->op == EXPR_LOGICAL_AND ? EXPR_AND : EXPR_OR, a, b);
    default:
        break;
    }
    if (is_compare)
        return compare(r, e, a, b);
    if (!type_is_integer(type))
        return NULL;
    switch (e->op) {
    case EXPR_SHL:
    case EXPR_SHR:
        return shift(r, e, a, b);
    case EXPR_ADD: {
        struct bits *c = bits_new(r, a->width);
        return add_apart(c, a) && add_apart(c, b) ? c : NULL;
    }
    case EXPR_MUL:
        return x_known ? multiple(r, b, x) : y_known ? multiple(r, a, y) : NULL;
    default:
        return NULL;
    }
}

static const struct bits *unary(struct bits_run *r, const struct tree_expr *e)
{
    const struct bits *a = bits_of(r, e->args[0]);
    struct bits_sum value;
    if (!a)
        return NULL;
    if (e->op == EXPR_NOT)
        return one_bit(r, truth(a, &value), value, true);
    return e->op == EXPR_NEG ? multiple(r, a, -1) : bitwise(r, EXPR_XOR, a, constant(r, e->type, -1));
}

static const struct bits *chosen(struct bits_run *r, struct bits_sum c, const struct bits *a, const struct bits *b)
{
    if (!a || !b)
        return is_constant(c) ? is_zero(c) ? b : a : NULL;
    struct bits *out = bits_new(r, a->width);
    for (uint32_t i = 0; i < a->width; i++)
        if (!choice(c, a->at[i], b->at[i], &out->at[i]))
            return NULL;
    return out;
}

static const struct bits *cast(struct bits_run *r, const struct tree_expr *e)
{
    const struct bits *a = bits_of(r, e->args[0]);
    struct bits_sum value;
    if (!a)
        return NULL;
    if (e->type->kind == TYPE_BOOL)
        return one_bit(r, truth(a, &value), value, false);
    struct bits *b = bits_new(r, bits_width(e->type));
    for (uint32_t i = 0; i < b->width; i++)
        b->at[i] = i < a->width ? a->at[i] : type_is_signed(e->args[0]->type) ? a->at[a->width - 1] : zero;
    return b;
}

/* ---- variables ---- */

static struct bits_value *find(const struct bits_values *s, const struct tree_var *v)
{
    for (uint32_t i = 0; i < s->all.count; i++)
        if (s->all.items[i].var == v)
            return &s->all.items[i];
    return NULL;
}

static const struct bits *value_in(const struct bits_run *r, const struct bits_values *s, const struct tree_var *v)
{
    const struct bits_value *known = find(s, v);
    known = known ? known : find(&r->begin, v);
    return known ? known->bits : NULL;
}

const struct bits *bits_now(const struct bits_run *r, const struct tree_var *v) { return value_in(r, &r->state, v); }

static void set(struct bits_run *r, struct tree_var *v, const struct bits *value)
{
    struct bits_value *known = find(&r->state, v);
    if (known)
        known->bits = value;
    else
        vec_push(r->arena, &r->state.all, ((struct bits_value){ v, value }));
}

static const struct bits *value_of(struct bits_run *r, struct tree_var *v)
{
    if (!find(&r->state, v) && !find(&r->begin, v)) {
        struct bits_values now = r->state;
        r->state = (struct bits_values){ 0 };
        const struct bits *value = r->ask(r, v);
        r->state = now;
        vec_push(r->arena, &r->begin.all, ((struct bits_value){ v, value }));
    }
    return bits_now(r, v);
}

const struct bits *bits_of(struct bits_run *r, const struct tree_expr *e)
{
    if (!bits_width(e->type))
        return NULL;
    switch (e->op) {
    case EXPR_INT:
        return constant(r, e->type, e->i);
    case EXPR_VAR:
        return value_of(r, e->var);
    case EXPR_NEG:
    case EXPR_BITNOT:
        return type_is_integer(e->type) ? unary(r, e) : NULL;
    case EXPR_NOT:
        return unary(r, e);
    case EXPR_CAST:
        return bits_width(e->args[0]->type) ? cast(r, e) : NULL;
    case EXPR_SELECT: {
        struct bits_sum c;
        const struct bits *condition = bits_of(r, e->args[0]);
        return condition && truth(condition, &c) ? chosen(r, c, bits_of(r, e->args[1]), bits_of(r, e->args[2])) : NULL;
    }
    default:
        return e->op >= EXPR_ADD && e->op <= EXPR_LOGICAL_OR && bits_width(e->args[0]->type) ? binary(r, e) : NULL;
    }
}

/* ---- statements ---- */

static struct bits_values state_copy(const struct bits_run *r)
{
    struct bits_values copy = r->state;
    copy.all.items = arena_copy(r->arena, copy.all.items, copy.all.count * sizeof copy.all.items[0]);
    copy.all.capacity = copy.all.count;
    return copy;
}

static void merge(struct bits_run *r, struct bits_sum c, struct tree_var *v, const struct bits_values *then,
                  const struct bits_values *otherwise)
{
    set(r, v, chosen(r, c, value_in(r, then, v), value_in(r, otherwise, v)));
}

static bool run_if(struct bits_run *r, const struct tree_stmt *s)
{
    struct bits_sum c;
    const struct bits *condition = bits_of(r, s->value);
    if (!condition || !truth(condition, &c))
        return false;
    if (is_constant(c)) {
        const struct tree_stmt *taken = is_zero(c) ? s->otherwise : s->body;
        return !taken || bits_run(r, taken);
    }
    struct bits_values before = state_copy(r);
    if (!bits_run(r, s->body))
        return false;
    struct bits_values then = r->state;
    r->state = before;
    if (s->otherwise && !bits_run(r, s->otherwise))
        return false;
    struct bits_values otherwise = state_copy(r);
    for (uint32_t i = 0; i < then.all.count; i++)
        merge(r, c, then.all.items[i].var, &then, &otherwise);
    for (uint32_t i = 0; i < otherwise.all.count; i++)
        merge(r, c, otherwise.all.items[i].var, &then, &otherwise);
    return true;
}

static bool run_for(struct bits_run *r, const struct tree_stmt *s)
{
    const struct type *type = s->var->type;
    const struct bits *bounds[3] = { bits_of(r, s->begin), bits_of(r, s->end), bits_of(r, s->step) };
    int64_t begin, end, step;
    if (!bounds[0] || !bounds[1] || !bounds[2] || !is_known(bounds[0], type, &begin) ||
        !is_known(bounds[1], type, &end) || !is_known(bounds[2], type, &step) || step <= 0)
        return false;
    while (fold_compare_int(EXPR_LT, type, begin, end)) {
        set(r, s->var, constant(r, type, begin));
        if (!bits_run(r, s->body) || __builtin_add_overflow(begin, step, &begin))
            return false;
    }
    set(r, s->var, constant(r, type, begin));
    return true;
}

bool bits_run(struct bits_run *r, const struct tree_stmt *s)
{
    if (r->budget-- == 0) {
        r->budget = 0;
        return false;
    }
    switch (s->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++)
            if (!bits_run(r, s->items.items[i]))
                return false;
        return true;
    case STMT_ASSIGN:
        set(r, s->var, bits_of(r, s->value));
        return expr_is_pure(s->value);
    case STMT_IF:
        return expr_is_pure(s->value) && run_if(r, s);
    case STMT_FOR:
        return !s->loop.parallel && run_for(r, s);
    default:
        return false;
    }
}
