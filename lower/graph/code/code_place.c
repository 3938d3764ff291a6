/* Names, elements and members as things that are read and assigned. */
#include "lower/graph/code/code_gen.h"
#include "lower/tree/tree_check.h"

#include <string.h>

bool code_has_place(const struct code *c)
{
    return c->kind == CODE_NAME || c->kind == CODE_MEMBER || c->kind == CODE_INDEX || c->kind == CODE_DEREF;
}

bool code_lookup(struct code_gen *g, const char *name, struct operand *out)
{
    *out = (struct operand){ 0 };
    return g->s->lookup(g->s->user, name, out);
}

static struct lvalue value_place(struct tree_expr *e)
{
    return (struct lvalue){ .kind = LVALUE_VALUE, .type = e->type, .value = e };
}

static struct lvalue memory_place(struct tree_expr *pointer, struct tree_expr *index, uint32_t alias)
{
    return (struct lvalue){
        .kind = LVALUE_MEMORY, .type = pointer->type->elem, .pointer = pointer, .index = index, .alias = alias
    };
}

/* ---- elements of operands ---- */

bool code_element(struct code_gen *g, const struct code *c, const struct operand *o, struct tree_expr *const *index,
                  uint32_t count, struct lvalue *out)
{
    bool linear = o->kind == OPERAND_POINTER || o->rank == 0;
    if (linear ? count > 1 : count != o->rank)
        return code_invalid(g, c, "%u indices given, but %u needed", count, linear ? 1 : o->rank);
    struct tree_expr *sum = expr_i64(g->t, 0);
    struct tree_expr **indices = o->check ? NEW_ARRAY(g->arena, struct tree_expr *, count + 1) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct tree_expr *at = code_to_index(g, c, index[i]);
        if (!at)
            return false;
        if (indices)
            indices[i] = at = code_index_once(g, at);
        if (!linear && o->offsets && o->offsets[i])
            at = expr_binary(g->t, EXPR_ADD, at, o->offsets[i]);
        if (!linear)
            at = expr_binary(g->t, EXPR_MUL, at, o->strides[i]);
        sum = expr_binary(g->t, EXPR_ADD, sum, at);
    }
    *out = memory_place(o->pointer, sum, o->alias);
    if (o->kind == OPERAND_STREAM)
        out->kind = LVALUE_STREAM;
    out->type = o->type;
    out->wcr = o->wcr;
    out->wcr_lambda = o->wcr_lambda;
    out->atomic = o->atomic;
    out->check = o->check;
    out->check_index = indices;
    return true;
}

/* The one element of an array that is named without subscript. */
static bool only_element(struct code_gen *g, const struct code *c, const struct operand *o, struct lvalue *out)
{
    struct tree_expr **zeros = NEW_ARRAY(g->arena, struct tree_expr *, o->rank + 1);
    for (uint32_t i = 0; i < o->rank; i++)
        zeros[i] = expr_i64(g->t, 0);
    return code_element(g, c, o, zeros, o->rank, out);
}

/* A symbol is a variable of the generated C++, which a tasklet may assign; not that of another thread, though. */
static bool is_assignable(const struct code_gen *g, const struct operand *o)
{
    return o->var && o->var->owner == g->t->region;
}

bool code_operand_place(struct code_gen *g, const struct code *c, const struct operand *o, struct lvalue *out)
{
    switch (o->kind) {
    case OPERAND_VALUE:
        if (is_assignable(g, o)) {
            *out = (struct lvalue){ .kind = LVALUE_VAR, .type = o->var->type, .var = o->var };
            return true;
        }
        *out = value_place(o->value);
        return true;
    case OPERAND_CALLBACK:
        *out = value_place(o->value);
        return true;
    case OPERAND_VARIABLE:
        if (o->var->type->kind == TYPE_STRUCT)
            return code_unsupported(g, c, "a structure in a register");
        *out = (struct lvalue){ .kind = LVALUE_VAR, .type = o->var->type, .var = o->var };
        return true;
    case OPERAND_STREAM:
        if (o->rank)
            return code_invalid(g, c, "one of several queues is named by %u indices", o->rank);
        return only_element(g, c, o, out);
    case OPERAND_ARRAY:
        if (o->rank == 0 || o->single)
            return only_element(g, c, o, out);
        *out = (struct lvalue){ .kind = LVALUE_ARRAY, .type = o->type, .pointer = o->pointer, .alias = o->alias };
        return true;
    case OPERAND_POINTER:
        *out = value_place(o->pointer);
        out->alias = o->alias;
        return true;
    case OPERAND_NONE:
        break;
    }
    return code_invalid(g, c, "name without meaning");
}

/* ---- names ---- */

static bool name_place(struct code_gen *g, const struct code *c, struct lvalue *out)
{
    const struct code_local *l = code_find_local(g, c->name);
    if (l && l->lambda)
        return code_unsupported(g, c, "a lambda as a value");
    if (l) {
        *out = l->place;
        return true;
    }
    struct operand o;
    if (!code_lookup(g, c->name, &o) || (o.kind != OPERAND_NONE && !code_operand_place(g, c, &o, out)))
        return false;
    if (o.kind != OPERAND_NONE && out->kind == LVALUE_MEMORY && o.wcr != WCR_NONE)
        out->old = code_old_variable(g, c->name, out->type);
    if (o.kind != OPERAND_NONE)
        return true;
    /* Names of DaCe's runtime: float constants, and the imaginary unit as symbolic expressions print it. */
    if (g->s->python && strcmp(c->name, "inf") == 0) {
        *out = value_place(code_constant(g, code_basic(g, TYPE_F32), __builtin_inf()));
    } else if (g->s->python && strcmp(c->name, "nan") == 0) {
        *out = value_place(code_constant(g, code_basic(g, TYPE_F32), __builtin_nan("")));
    } else if (g->s->python && strcmp(c->name, "I") == 0) {
        const struct type *f64 = code_basic(g, TYPE_F64);
        *out = value_place(expr_complex(g->t, expr_zero(g->t, f64), expr_float(g->t, f64, 1)));
    } else {
        for (uint32_t i = 0; i < g->ended.count; i++)
            if (strcmp(g->ended.items[i], c->name) == 0)
                return code_invalid(g, c, "'%s' was assigned in a block that has ended", c->name);
        return code_invalid(g, c, "'%s' is not defined", c->name);
    }
    return true;
}

/* ---- subscripts ---- */

/* Sums and products, which may be evaluated once more. */
static bool is_arithmetic(const struct code *c)
{
    for (; c->kind == CODE_BINARY; c = c->items[0]) /* a chain */
        if (!is_arithmetic(c->items[1]))
            return false;
    return c->kind == CODE_UNARY ? is_arithmetic(c->items[0]) : c->kind == CODE_NAME || c->kind == CODE_INT;
}

/* An index that is computed in few bits, in checked mode: is it what it would be in 64? */
static bool check_index(struct code_gen *g, const struct code *c, const struct code *index, const struct tree_expr *e)
{
    if (index->kind == CODE_NAME || index->kind == CODE_INT || !is_arithmetic(index) || e->type->size >= 8)
        return true;
    const char *name = code_dotted(g->ir, c->items[0]);
    g->s->wide = true;
    struct tree_expr *all = code_eval(g, index);
    g->s->wide = false;
    if (all)
        stmt_check_overflow(g->t, g->out, g->s->place, name ? name : "?", e->type, all);
    return all;
}

static bool index_values(struct code_gen *g, const struct code *c, struct tree_expr **out)
{
    for (uint32_t i = 1; i < c->count; i++)
        if (c->items[i]->kind == CODE_SLICE)
            return code_unsupported(g, c->items[i], "a slice");
    if (!code_eval_list(g, c->items + 1, c->count - 1, out))
        return false;
    for (uint32_t i = 1; i < c->count && g->s->check_overflow && !g->s->wide; i++)
        if (!check_index(g, c, c->items[i], out[i - 1]))
            return false;
    return true;
}

/* An index into what is no array: a lane of a vector, an element behind a pointer. A number is its own element 0. */
static bool index_into(struct code_gen *g, const struct code *c, const struct lvalue *base, struct tree_expr *index,
                       struct lvalue *out)
{
    if (base->type->kind == TYPE_VECTOR) {
        struct lvalue *copy = NEW(g->arena, struct lvalue);
        *copy = *base;
        *out = (struct lvalue){ .kind = LVALUE_LANE, .type = base->type->elem, .base = copy, .index = index };
        return true;
    }
    if ((base->type->kind == TYPE_POINTER && base->type->elem->size) || base->type->kind == TYPE_STRING) {
        struct tree_expr *pointer = code_characters(g, code_read(g, c, base));
        *out = pointer ? memory_place(pointer, index, base->kind == LVALUE_VALUE ? base->alias : 0) : *base;
        return pointer;
    }
    if (type_is_basic(base->type) && expr_is_int(index, 0)) {
        *out = *base;
        return true;
    }
    return code_invalid(g, c, "a value of type %s cannot be subscripted", code_type_text(g, base->type));
}

static bool index_place(struct code_gen *g, const struct code *c, struct lvalue *out)
{
    uint32_t count = c->count - 1;
    struct tree_expr **index = NEW_ARRAY(g->arena, struct tree_expr *, count + 1);
    const struct code *base_code = c->items[0];
    const char *name = code_dotted(g->ir, base_code);
    struct operand o = { 0 };
    if (name && !code_find_local(g, name) && !code_lookup(g, name, &o))
        return false;
    if (!index_values(g, c, index))
        return false;
    if (o.kind == OPERAND_STREAM && o.rank)
        return code_element(g, c, &o, index, count, out);
    if (o.kind == OPERAND_ARRAY && o.type->kind != TYPE_VECTOR && o.type->kind != TYPE_POINTER)
        return code_element(g, c, &o, index, count, out);
    if ((o.kind == OPERAND_ARRAY && o.rank > 0) || o.kind == OPERAND_POINTER)
        return code_element(g, c, &o, index, count, out);
    if (count != 1)
        return code_invalid(g, c, "%u indices given, but 1 needed", count);
    struct tree_expr *at = code_to_index(g, c->items[1], index[0]);
    struct lvalue base;
    if (!at)
        return false;
    if (code_has_place(base_code)) {
        if (!code_place(g, base_code, &base))
            return false;
    } else {
        struct tree_expr *e = code_eval(g, base_code);
        if (!e)
            return false;
        base = value_place(e);
    }
    if (base.kind == LVALUE_ARRAY) { /* a local array */
        *out = memory_place(base.pointer, at, base.alias);
        return true;
    }
    return index_into(g, c, &base, at, out);
}

/* ---- members ---- */

static bool member_place(struct code_gen *g, const struct code *c, struct lvalue *out)
{
    const char *dotted = code_dotted(g->ir, c);
    struct operand o = { 0 };
    double constant;
    if (dotted && !code_lookup(g, dotted, &o))
        return false;
    if (o.kind != OPERAND_NONE)
        return code_operand_place(g, c, &o, out);
    if (dotted && code_module_constant(dotted, &constant)) {
        *out = value_place(expr_float(g->t, code_basic(g, TYPE_F64), constant));
        return true;
    }
    struct lvalue base = { 0 };
    struct tree_expr *e;
    if (code_stream_member(g, c, &e)) {
        if (e)
            *out = value_place(e);
        return e;
    }
    if (code_has_place(c->items[0])) {
        if (!code_place(g, c->items[0], &base))
            return false;
        e = code_read(g, c->items[0], &base);
    } else {
        e = code_eval(g, c->items[0]);
    }
    if (!e)
        return false;
    if (type_is_complex(e->type) && (strcmp(c->name, "real") == 0 || strcmp(c->name, "imag") == 0)) {
        *out = value_place(expr_unary(g->t, c->name[0] == 'r' ? EXPR_REAL : EXPR_IMAG, e));
        return true;
    }
    return code_field(g, c, e, base.alias, out);
}

bool code_place(struct code_gen *g, const struct code *c, struct lvalue *out)
{
    if (c->kind == CODE_NAME)
        return name_place(g, c, out);
    if (c->kind == CODE_INDEX)
        return index_place(g, c, out);
    if (c->kind == CODE_MEMBER)
        return member_place(g, c, out);
    struct tree_expr *pointer = code_characters(g, code_eval(g, c->items[0])); /* CODE_DEREF */
    if (!pointer)
        return false;
    if (pointer->type->kind != TYPE_POINTER || !pointer->type->elem->size)
        return code_invalid(g, c, "a value of type %s cannot be dereferenced", code_type_text(g, pointer->type));
    *out = memory_place(pointer, expr_i64(g->t, 0), 0);
    return true;
}

/* ---- reading and writing ---- */

struct tree_expr *code_read(struct code_gen *g, const struct code *c, const struct lvalue *p)
{
    struct lvalue good;
    if (p->check && !p->old) {
        good = code_checked(g, p, true, false);
        p = &good;
    }
    switch (p->kind) {
    case LVALUE_VALUE:
        return p->value;
    case LVALUE_VAR:
        return expr_var(g->t, p->var);
    case LVALUE_MEMORY:
        if (p->old)
            return expr_var(g->t, p->old);
        if (p->type->kind == TYPE_STRUCT)
            return expr_offset(g->t, p->pointer, p->index);
        return expr_load(g->t, p->type, p->pointer, p->index, p->alias);
    case LVALUE_ARRAY:
        return p->pointer;
    case LVALUE_STREAM:
        return code_pop(g, p);
    case LVALUE_LANE: {
        struct tree_expr *vector = code_read(g, c, p->base);
        return vector ? expr_lane(g->t, vector, p->index) : NULL;
    }
    }
    return NULL;
}

static bool write_lane(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    struct tree_expr *vector = code_read(g, c, p->base);
    return vector && code_write(g, c, p->base, expr_insert(g->t, vector, p->index, value));
}

bool code_write(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    if (p->kind == LVALUE_VALUE)
        return code_invalid(g, c, "what is read-only cannot be assigned");
    if (p->kind == LVALUE_ARRAY)
        return code_invalid(g, c, "an array must be assigned by element");
    if (p->kind == LVALUE_STREAM)
        return code_push(g, c, p, value);
    struct lvalue good;
    if (p->check) {
        good = code_checked(g, p, p->wcr != WCR_NONE, true);
        p = &good;
    }
    if (p->type->kind == TYPE_STRUCT && p->wcr == WCR_NONE)
        return code_copy_struct(g, c, p, value);
    if (p->kind == LVALUE_MEMORY && p->wcr != WCR_NONE && (p->wcr != WCR_EXCHANGE || p->old))
        return code_combine(g, c, p, value);
    value = code_to(g, c, p->type, value);
    if (!value)
        return false;
    if (p->kind == LVALUE_LANE)
        return write_lane(g, c, p, value);
    if (p->kind == LVALUE_VAR)
        stmt_assign(g->t, g->out, p->var, value)->place = g->s->place;
    else
        stmt_store(g->t, g->out, p->pointer, p->index, value, p->alias)->place = g->s->place;
    return true;
}

/* ---- assignment to a target of the text ---- */

bool code_target_place(struct code_gen *g, const struct code *target, struct tree_expr **value, struct lvalue *out)
{
    if (!code_has_place(target))
        return code_unsupported(g, target, "this target of an assignment");
    struct tree_stmt *before = code_begin(g);
    bool good = code_place(g, target, out);
    struct tree_stmt *made = code_end(g, before);
    if (made->items.count) {
        *value = expr_is_const(*value) ? *value : code_temp(g, "value", *value);
        stmt_append(g->t, g->out, made);
    }
    return good;
}

bool code_declare(struct code_gen *g, const struct code *at, const char *name, struct tree_expr *value)
{
    const struct type *type = value->type;
    if (type->kind == TYPE_POINTER && type->elem->kind == TYPE_STRUCT && g->s->python) {
        struct tree_expr *copy = code_new_struct(g, type->elem);
        struct lvalue p = memory_place(copy, expr_i64(g->t, 0), 0);
        code_add_local(g, name, p);
        return code_copy_struct(g, at, &p, value);
    }
    struct tree_var *v = tree_var(g->t, name, type);
    code_add_local(g, name, (struct lvalue){ .kind = LVALUE_VAR, .type = type, .var = v });
    stmt_assign(g->t, g->out, v, value)->place = g->s->place;
    return true;
}

/* Is the target a name that the assignment declares? */
static bool declares(struct code_gen *g, const struct code *target, const struct tree_expr *value, bool *good)
{
    struct operand o;
    if (target->kind != CODE_NAME || code_find_local(g, target->name))
        return false;
    *good = code_lookup(g, target->name, &o);
    if (*good && o.kind == OPERAND_VALUE && !is_assignable(g, &o))
        *good = code_unsupported(g, target,
                                 arena_printf(g->arena, "an assignment to the symbol or constant '%s'", target->name));
    /* A whole array assigned to one moves a pointer in C++; no element changes. */
    bool moves = o.kind == OPERAND_ARRAY && o.rank > 0 && !o.single && value->type == o.pointer->type;
    return *good && (o.kind == OPERAND_NONE || moves);
}

bool code_assign_to(struct code_gen *g, const struct code *target, struct tree_expr *value)
{
    bool good = true;
    struct lvalue p;
    if (declares(g, target, value, &good))
        return code_declare(g, target, target->name, value);
    return good && code_target_place(g, target, &value, &p) && code_write(g, target, &p, value);
}

struct tree_expr *code_assign_value(struct code_gen *g, const struct code *target, struct tree_expr *value)
{
    bool good = true;
    struct lvalue p;
    value = code_once(g, value);
    if (declares(g, target, value, &good))
        return code_declare(g, target, target->name, value) ? value : NULL;
    if (!good || !code_target_place(g, target, &value, &p))
        return NULL;
    if (p.kind == LVALUE_MEMORY && p.wcr != WCR_NONE)
        return code_combine_old(g, target, &p, value);
    if (p.kind == LVALUE_VAR || p.kind == LVALUE_LANE || (p.kind == LVALUE_MEMORY && p.type->kind != TYPE_STRUCT))
        value = code_to(g, target, p.type, value);
    value = value ? code_once(g, value) : NULL;
    return value && code_write(g, target, &p, value) ? value : NULL;
}
