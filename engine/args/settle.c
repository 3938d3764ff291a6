#include "engine/args/args.h"

/* The quick way through args_solve and args_check: each argument is looked at twice, nothing is allocated. It takes
 * single values, arrays and addresses that were given for whole arguments, where dimensions that are nothing but a
 * symbol say what all symbols are. Whatever else a call has, or has wrong, is left to the other way.
 *
 * Both ways find the same values: such a dimension leaves a symbol no choice, and every equation is checked here. */

/* ---- symbols ---- */

static void forget_values(const struct sdfg_args *a)
{
    const struct sdfg_program *p = a->program;
    for (uint32_t v = 0; v < p->num_variables; v++)
        a->values[v] = p->variables[v].is_constant
                           ? (struct symbol_value){ .origin = VALUE_CONSTANT, .value = p->variables[v].constant }
                           : (struct symbol_value){ .origin = VALUE_UNKNOWN };
}

static bool take_value(const struct sdfg_args *a, const struct argument_entry *e)
{
    const struct leaf *l = e->leaf;
    uint64_t memory[2];
    int64_t i;
    if (!leaf_is_value(l) || l->dtype == SDFG_NONE || l->dtype == SDFG_RECORD)
        return false;
    if (e->scalar.dtype != l->dtype && !scalar_store(&e->scalar, l->dtype, memory))
        return false;
    if (l->variable < 0 || !scalar_integer(&e->scalar, &i))
        return true;
    if (a->values[l->variable].origin == VALUE_GIVEN && a->values[l->variable].value != i)
        return false;
    a->values[l->variable] = (struct symbol_value){ .origin = VALUE_GIVEN, .value = i };
    return true;
}

static bool fits_leaf(const struct sdfg_args *a, const struct argument_entry *e)
{
    const struct leaf *l = e->leaf;
    if (l != &a->program->arguments[e->argument] || l->kind != SDFG_KIND_ARRAY)
        return false;
    if (e->kind == ENTRY_ARRAY)
        return e->array.dtype == l->dtype && (uint32_t)e->array.rank == l->rank && l->lanes == 1 &&
               l->dtype != SDFG_NONE && l->dtype != SDFG_RECORD;
    return e->kind == ENTRY_POINTER || (e->kind == ENTRY_NULL && l->optional);
}

/* Dimensions that are a symbol: it is what the first one says, and the others agree. */
static bool take_shape(const struct sdfg_args *a, const struct argument_entry *e)
{
    const struct leaf *l = e->leaf;
    for (uint32_t i = 0; i < l->rank; i++) {
        const struct form *f = &l->shape[i];
        struct symbol_value *v = &a->values[f->name];
        int64_t size = e->array.shape[i];
        if (f->kind != FORM_NAME)
            continue;
        if (v->origin == VALUE_UNKNOWN && variable_holds(&a->program->variables[f->name], size))
            *v = (struct symbol_value){ .origin = VALUE_SOLVED, .value = size };
        if (v->origin == VALUE_UNKNOWN || v->value != size)
            return false;
    }
    return true;
}

/* Single values first: nothing overrides what was given. */
static bool take_all(const struct sdfg_args *a)
{
    bool ok = true;
    forget_values(a);
    for (size_t i = 0; i < a->num_entries && ok; i++)
        if (a->entries[i]->kind == ENTRY_SCALAR)
            ok = take_value(a, a->entries[i]);
    for (size_t i = 0; i < a->num_entries && ok; i++)
        if (a->entries[i]->kind != ENTRY_SCALAR)
            ok = fits_leaf(a, a->entries[i]) && (a->entries[i]->kind != ENTRY_ARRAY || take_shape(a, a->entries[i]));
    return ok;
}

/* ---- checks ---- */

static inline bool form_is(const struct sdfg_args *a, const struct form *f, int64_t value)
{
    int64_t is;
    if (f->kind == FORM_NUMBER)
        return f->number == value;
    if (f->kind == FORM_NAME)
        return a->values[f->name].origin != VALUE_UNKNOWN && a->values[f->name].value == value;
    return !f->opaque && form_value(f, a->program->variables, a->values, &is) && is == value;
}

/* What take_shape did not look at. */
static bool is_laid_out(const struct sdfg_args *a, const struct argument_entry *e)
{
    const struct leaf *l = e->leaf;
    const sdfg_array *y = &e->array;
    bool stepped = l->strides && e->begin < e->end;
    int64_t packed = 1;
    for (uint32_t i = l->rank; i--;) {
        if (l->shape[i].kind != FORM_NAME && !form_is(a, &l->shape[i], y->shape[i]))
            return false;
        /* The stride of a dimension that is never stepped through says nothing. */
        if (stepped && y->shape[i] > 1 && !form_is(a, &l->strides[i], y->strides ? y->strides[i] : packed))
            return false;
        packed *= y->shape[i];
    }
    return true;
}

/* Is there everything that the program needs? */
static bool is_complete(const struct sdfg_args *a)
{
    const struct sdfg_program *p = a->program;
    for (uint32_t v = 0; v < p->num_variables; v++)
        if (p->variables[v].required && a->values[v].origin == VALUE_UNKNOWN)
            return false;
    for (uint32_t i = 0; i < p->num_arguments; i++) {
        const struct leaf *l = &p->arguments[i];
        bool known = l->variable >= 0 && a->values[l->variable].origin != VALUE_UNKNOWN;
        if (!a->given[i] && !known && !(l->kind == SDFG_KIND_SYMBOL && (l->variable >= 0 || l->optional)))
            return false;
    }
    return true;
}

bool args_settle(struct sdfg_args *a)
{
    bool ok = take_all(a) && is_complete(a);
    for (size_t i = 0; i < a->num_entries && ok; i++) {
        struct argument_entry *e = a->entries[i];
        entry_measure(e, a->program, a->values);
        ok = e->kind != ENTRY_ARRAY || (is_laid_out(a, e) && entry_has_data(e));
    }
    return ok;
}
