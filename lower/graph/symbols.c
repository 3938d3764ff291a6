/* Symbols: what a symbolic name stands for where code is being placed. */
#include "lower/graph/check.h"
#include "lower/graph/stream.h"
#include "runtime/abi.h"

#include <string.h>

const struct sym *lower_var_symbol(struct lower *lw, struct tree_var *v)
{
    const char *name = intern(lw->ir->names, arena_printf(lw->arena, "%s#%u", v->name, v->id));
    if (!map_has(&lw->vars, name))
        map_put(lw->arena, &lw->vars, name, v);
    return sym_name(lw->ir, name);
}

struct symval *lower_symbol_variable(struct activation *act, const char *name, const struct type *type)
{
    struct lower *lw = act->lw;
    struct symval *v = NEW(lw->arena, struct symval);
    v->var = tree_var(lw->tree, name, type);
    v->value = lower_var_symbol(lw, v->var);
    v->type = type;
    map_put(lw->arena, &act->symbols, name, v);
    return v;
}

const struct symval *lower_find_symbol(struct scope *sc, const char *name)
{
    for (const struct scope *s = sc; s; s = s->parent) {
        const struct symval *v = map_get(&s->symbols, name);
        if (v)
            return v;
    }
    return map_get(&sc->act->symbols, name);
}

/* ---- expressions of the file in terms of tree symbols ---- */

static const struct sym *undefined(struct scope *sc, const struct place *place, const char *name)
{
    diag_error(sc->act->lw->diags, place, DIAG_UNDEFINED_SYMBOL, name);
    return NULL;
}

/* Reads a value into a fresh variable at the scope's block. */
static const struct sym *read_into_variable(struct scope *sc, const char *name, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    if (!value)
        return NULL;
    if (value->op == EXPR_INT)
        return sym_int(lw->ir, value->i);
    struct tree_var *v = tree_var(lw->tree, name, value->type);
    stmt_assign(lw->tree, sc->block, v, value);
    return lower_var_symbol(lw, v);
}

static const struct sym *read_element(struct scope *sc, const struct place *place, const char *name,
                                      const struct sym *const *indices, uint32_t num_indices)
{
    struct lower *lw = sc->act->lw;
    struct operand o;
    if (!lower_lookup(sc, name, &o))
        return NULL;
    if (o.kind == OPERAND_NONE)
        return undefined(sc, place, name);
    if (o.kind == OPERAND_VALUE && num_indices == 0) {
        if (o.value->op == EXPR_FLOAT)
            return sym_float(lw->ir, o.value->f);
        return read_into_variable(sc, name, o.value);
    }
    if (o.kind != OPERAND_ARRAY || (num_indices != o.rank && !(num_indices == 0 && o.single))) {
        diag_error(lw->diags, place, DIAG_BAD_SUBSCRIPT, name, num_indices, o.rank);
        return NULL;
    }
    struct tree_expr **at = NEW_ARRAY(lw->arena, struct tree_expr *, num_indices + 1);
    for (uint32_t i = 0; i < num_indices; i++) {
        const struct sym *index = lower_symbolic(sc, place, indices[i]);
        at[i] = index ? lower_index(lw, place, index) : NULL;
        if (!at[i])
            return NULL;
    }
    const char *base = strrchr(name, '.');
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *value = code_load(&cs, sc->block, &o, at, num_indices);
    return value ? read_into_variable(sc, base ? base + 1 : name, value) : NULL;
}

/* "s.x" of nested SYM_ATTR; NULL if the base is not a plain name. */
static const char *dotted_name(struct lower *lw, const struct sym *s)
{
    if (s->op == SYM_NAME)
        return s->name;
    if (s->op != SYM_ATTR)
        return NULL;
    const char *base = dotted_name(lw, s->args[0]);
    return base ? intern(lw->ir->names, arena_printf(lw->arena, "%s.%s", base, s->name)) : NULL;
}

static bool is_fraction(const struct sym *s)
{
    return s->op == SYM_RATIONAL || (s->op == SYM_MUL && s->args[0]->op == SYM_RATIONAL);
}

/* Whether an operation whose operands are now `args` has to be computed as if the program did it. Symbolic arithmetic
 * rounds quotients down and adds fractions, the program truncates each of them (semantics.md 2.8): a symbol whose value
 * is known must not make a difference. */
static bool divides_numbers(const struct sym *s, const struct sym *const *args)
{
    bool all = true, some = false, fraction = false;
    for (uint32_t i = 0; i < s->num_args; i++) {
        bool number = args[i]->op == SYM_INT || args[i]->op == SYM_RATIONAL;
        all = all && number;
        some = some || (number && args[i] != s->args[i]);
        fraction = fraction || is_fraction(s->args[i]);
    }
    switch (s->op) {
    case SYM_FLOOR_DIV:
    case SYM_CEIL_DIV:
    case SYM_MOD:
        return all && !sym_is_int(args[1], 0);
    case SYM_FLOOR:
    case SYM_CEIL:
        return all;
    case SYM_ADD:
        return some && fraction;
    default:
        return false;
    }
}

const struct sym *lower_symbolic(struct scope *sc, const struct place *place, const struct sym *s)
{
    struct lower *lw = sc->act->lw;
    switch (s->op) {
    case SYM_NAME: {
        const struct symval *v = lower_find_symbol(sc, s->name);
        return v ? v->value : read_element(sc, place, s->name, NULL, 0);
    }
    case SYM_SUBSCRIPT:
        return read_element(sc, place, s->name, s->args, s->num_args);
    case SYM_ATTR: {
        const char *name = dotted_name(lw, s);
        if (!name)
            return undefined(sc, place, s->name);
        return read_element(sc, place, name, NULL, 0);
    }
    case SYM_CALL:
        if (sdfg_find_container(sc->act->sdfg, s->name)) /* old files write A[i] as A(i) */
            return read_element(sc, place, s->name, s->args, s->num_args);
        break;
    case SYM_UNDEFINED:
        return undefined(sc, place, "?");
    default:
        break;
    }
    if (!s->num_args)
        return s;
    const struct sym **args = NEW_ARRAY(lw->arena, const struct sym *, s->num_args);
    bool same = true;
    for (uint32_t i = 0; i < s->num_args; i++) {
        args[i] = lower_symbolic(sc, place, s->args[i]);
        if (!args[i])
            return NULL;
        same = same && args[i] == s->args[i];
    }
    if (!same && divides_numbers(s, args)) {
        struct sym *now = arena_alloc(lw->arena, sizeof *now + s->num_args * sizeof *now->args);
        *now = *s;
        memcpy(now->args, args, s->num_args * sizeof *args);
        return read_into_variable(sc, "quotient", lower_index(lw, place, now));
    }
    return same ? s : sym_make(lw->ir, s->op, s->type, s->op == SYM_CALL ? s->name : NULL, args, s->num_args);
}

/* ---- name resolution for code ---- */

static struct tree_expr *constant_value(struct lower *lw, const struct constant *k, const void *bytes)
{
    const struct type *t = k->desc->type;
    switch (t->kind) {
    case TYPE_F32: {
        float f;
        memcpy(&f, bytes, sizeof f);
        return expr_float(lw->tree, t, (double)f);
    }
    case TYPE_F64: {
        double d;
        memcpy(&d, bytes, sizeof d);
        return expr_float(lw->tree, t, d);
    }
    case TYPE_BOOL:
        return expr_bool(lw->tree, *(const char *)bytes != 0);
    default: {
        if (!type_is_integer(t))
            return expr_load(lw->tree, t, expr_data(lw->tree, t, bytes, t->size), expr_i64(lw->tree, 0), 0);
        int64_t v = 0;
        memcpy(&v, bytes, t->size);
        if (type_is_signed(t) && t->size < 8)
            v = (int64_t)((uint64_t)v << (64 - 8 * t->size)) >> (64 - 8 * t->size);
        return expr_int(lw->tree, t, v);
    }
    }
}

static bool constant_operand(struct scope *sc, const struct constant *k, struct operand *out)
{
    struct lower *lw = sc->act->lw;
    void *bytes;
    size_t size;
    if (!constant_bytes(lw->ir, k, &bytes, &size))
        return false;
    out->type = k->desc->type;
    if (k->desc->kind == CONTAINER_SCALAR) {
        out->kind = OPERAND_VALUE;
        out->value = constant_value(lw, k, bytes);
        return true;
    }
    out->kind = OPERAND_ARRAY;
    out->pointer = expr_data(lw->tree, out->type, bytes, size);
    out->rank = k->desc->rank;
    out->strides = NEW_ARRAY(lw->arena, struct tree_expr *, out->rank);
    const struct sym *stride =
        sym_int(lw->ir, 1); /* flattened in C order whatever the descriptor says (semantics.md 1.5) */
    for (uint32_t i = out->rank; i-- > 0;) {
        out->strides[i] = lower_index(lw, &k->desc->place, stride);
        stride = sym_mul(lw->ir, stride, k->desc->shape[i]);
    }
    return true;
}

static bool container_operand(struct scope *sc, const struct container *c, struct operand *out)
{
    struct lower *lw = sc->act->lw;
    struct binding *b = lower_binding(sc, &c->place, c);
    if (!b)
        return false;
    if (is_stream(c)) {
        struct area queues;
        return lower_stream_area(sc, &c->place, c, NULL, &queues) && lower_stream_operand(sc, &c->place, &queues, out);
    }
    out->kind = OPERAND_ARRAY;
    out->type = b->type;
    out->pointer = b->pointer;
    out->alias = b->alias;
    out->rank = b->rank;
    out->single = c->kind == CONTAINER_SCALAR || sym_is_int(c->total_size, 1) || container_is_view(c);
    if (c->kind == CONTAINER_SCALAR)
        out->rank = 0;
    out->strides = NEW_ARRAY(lw->arena, struct tree_expr *, b->rank);
    out->offsets = NEW_ARRAY(lw->arena, struct tree_expr *, b->rank);
    for (uint32_t i = 0; i < b->rank; i++) {
        out->strides[i] = lower_index(lw, &c->place, b->strides[i]);
        out->offsets[i] = lower_index(lw, &c->place, b->offset[i]);
        if (!out->strides[i] || !out->offsets[i])
            return false;
    }
    return lower_check_container(sc, &c->place, c, out);
}

bool lower_lookup(void *user, const char *name, struct operand *out)
{
    struct scope *sc = user;
    struct lower *lw = sc->act->lw;
    *out = (struct operand){ .kind = OPERAND_NONE };
    const struct symval *v = lower_find_symbol(sc, name);
    if (v) {
        out->type = v->type;
        if (v->var) {
            out->kind = OPERAND_VALUE;
            out->value = expr_var(lw->tree, v->var);
            out->var = v->var;
            return true;
        }
        out->kind = v->type->kind == TYPE_CALLBACK ? OPERAND_CALLBACK : OPERAND_VALUE;
        struct tree_expr *e = lower_value(lw, &sc->act->sdfg->region.block.place, v->value);
        out->value = e && type_is_basic(v->type) ? expr_cast(lw->tree, v->type, e) : e;
        return e != NULL;
    }
    const struct constant *k = sdfg_find_constant(sc->act->sdfg, name);
    if (k && k->desc->type)
        return constant_operand(sc, k, out);
    const struct container *c = sdfg_find_container(sc->act->sdfg, name);
    return c ? container_operand(sc, c, out) : true;
}

struct code_scope lower_code_scope(struct scope *sc, const struct place *place, const char *text)
{
    return (struct code_scope){
        .tree = sc->act->lw->tree,
        .diags = sc->act->lw->diags,
        .place = place,
        .text = text,
        .lookup = lower_lookup,
        .user = sc,
        .check_overflow = lower_checks(sc->act->lw, SDFG_RT_CHECK_OVERFLOW),
        .python = true,
    };
}
