#include "engine/solve/solve.h"

#include "base/vec.h"

/* Almost every shape and stride is a sum of products of symbols. As a list of terms it is computed in nanoseconds. */

struct terms {
    struct ir *ir;
    const struct form *form;
    const struct variable *variables;
    VEC(struct form_term) list;
};

static bool add_factor(const struct terms *w, struct form_term *t, const struct sym *name)
{
    for (uint32_t i = 0; i < w->form->num_names && t->num_factors < FORM_FACTORS; i++)
        if (w->variables[w->form->names[i].variable].name == name->name) {
            t->factors[t->num_factors++] = i;
            return true;
        }
    return false;
}

static bool multiply(const struct terms *w, struct form_term *t, const struct sym *factor)
{
    bool ok = false;
    if (factor->raw)
        return false;
    if (factor->op == SYM_INT)
        return !__builtin_mul_overflow(t->coefficient, factor->i, &t->coefficient);
    if (factor->op == SYM_NAME)
        return add_factor(w, t, factor);
    if (factor->op == SYM_POW && factor->args[0]->op == SYM_NAME && factor->args[1]->op == SYM_INT) {
        ok = factor->args[1]->i > 0;
        for (int64_t i = 0; ok && i < factor->args[1]->i; i++)
            ok = add_factor(w, t, factor->args[0]);
    }
    return ok;
}

static bool add_term(struct terms *w, const struct sym *s)
{
    struct form_term t = { .coefficient = 1 };
    bool product = s->op == SYM_MUL && !s->raw, ok = true;
    for (uint32_t i = 0; ok && product && i < s->num_args; i++)
        ok = multiply(w, &t, s->args[i]);
    if (!product)
        ok = multiply(w, &t, s);
    if (ok)
        vec_push(w->ir->arena, &w->list, t);
    return ok;
}

void form_find_terms(struct ir *ir, const struct variable *variables, const struct sym *expanded, struct form *f)
{
    struct terms w = { .ir = ir, .form = f, .variables = variables };
    bool sum = expanded->op == SYM_ADD && !expanded->raw, ok = !f->opaque;
    for (uint32_t i = 0; ok && sum && i < expanded->num_args; i++)
        ok = add_term(&w, expanded->args[i]);
    if (!sum)
        ok = ok && add_term(&w, expanded);
    if (!ok)
        return;
    f->terms = w.list.items;
    f->num_terms = w.list.count;
    form_find_kind(f);
}

void form_find_kind(struct form *f)
{
    const struct form_term *t = f->terms;
    if (f->num_terms != 1 || t->num_factors > 1 || (t->num_factors && t->coefficient != 1))
        return;
    f->kind = t->num_factors ? FORM_NAME : FORM_NUMBER;
    f->name = t->num_factors ? f->names[t->factors[0]].variable : 0;
    f->number = t->num_factors ? 0 : t->coefficient;
}

/* What `n` is multiplied with; other names may have no value where it does not stand. */
bool terms_coefficient(const struct form *f, const struct symbol_value *values, const struct form_name *n, int64_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < f->num_terms; i++) {
        const struct form_term *t = &f->terms[i];
        int64_t product = t->coefficient;
        uint32_t times = 0;
        bool known = true;
        for (uint32_t k = 0; k < t->num_factors; k++) {
            const struct form_name *name = &f->names[t->factors[k]];
            const struct symbol_value *v = &values[name->variable];
            if (name == n)
                times++;
            else
                known = known && v->origin != VALUE_UNKNOWN && !__builtin_mul_overflow(product, v->value, &product);
        }
        if (times && (times > 1 || !known || __builtin_add_overflow(*out, product, out)))
            return false;
    }
    return true;
}

bool terms_value(const struct form *f, const struct symbol_value *values, const struct form_name *n,
                 bool unknown_is_zero, int64_t *coefficient, int64_t *rest)
{
    *coefficient = *rest = 0;
    for (uint32_t i = 0; i < f->num_terms; i++) {
        const struct form_term *t = &f->terms[i];
        int64_t product = t->coefficient;
        int64_t *to = rest;
        for (uint32_t k = 0; k < t->num_factors; k++) {
            const struct form_name *name = &f->names[t->factors[k]];
            const struct symbol_value *v = &values[name->variable];
            if (name == n) {
                if (to == coefficient)
                    return false;
                to = coefficient;
            } else if (v->origin == VALUE_UNKNOWN && !unknown_is_zero) {
                return false;
            } else if (__builtin_mul_overflow(product, v->origin == VALUE_UNKNOWN ? 0 : v->value, &product)) {
                return false;
            }
        }
        if (__builtin_add_overflow(*to, product, to))
            return false;
    }
    return true;
}
