#include "engine/solve/solve.h"

#include "base/vec.h"

#include <limits.h>

/* ---- forms ---- */

struct collect {
    struct ir *ir;
    const struct variable *variables;
    uint32_t num_variables;
    VEC(struct form_name) names;
    bool opaque;
};

static void collect_name(void *user, const struct sym *name)
{
    struct collect *c = user;
    uint32_t v = 0;
    while (v < c->num_variables && (name->op != SYM_NAME || c->variables[v].name != name->name))
        v++;
    if (v == c->num_variables) {
        c->opaque = true;
        return;
    }
    for (uint32_t i = 0; i < c->names.count; i++)
        if (c->names.items[i].variable == v)
            return;
    vec_push(c->ir->arena, &c->names, ((struct form_name){ .variable = v }));
}

struct form form_make(struct ir *ir, const struct variable *variables, uint32_t num_variables,
                      const struct sym *expression)
{
    struct collect c = { .ir = ir, .variables = variables, .num_variables = num_variables };
    sym_visit_names(expression, collect_name, &c);
    c.opaque |= sym_has_undefined(expression);
    const struct sym *expanded = sym_expand(ir, expression);
    for (uint32_t i = 0; i < c.names.count && !c.opaque; i++) {
        struct form_name *n = &c.names.items[i];
        if (!sym_linear_in(ir, expanded, variables[n->variable].name, &n->coefficient, &n->rest))
            n->coefficient = n->rest = NULL;
    }
    struct form f = {
        .expression = expression,
        .text = sym_text(ir, expression),
        .num_names = c.names.count,
        .names = c.names.items,
        .opaque = c.opaque,
    };
    form_find_terms(ir, variables, expanded, &f);
    return f;
}

struct solve_scope {
    const struct form *form;
    const struct variable *variables;
    const struct symbol_value *values;
    bool unknown_is_zero;
};

static bool value_of(void *user, const char *name, int64_t *value)
{
    const struct solve_scope *s = user;
    for (uint32_t i = 0; i < s->form->num_names; i++) {
        uint32_t v = s->form->names[i].variable;
        if (s->variables[v].name != name || (s->values[v].origin == VALUE_UNKNOWN && !s->unknown_is_zero))
            continue;
        *value = s->values[v].origin == VALUE_UNKNOWN ? 0 : s->values[v].value;
        return true;
    }
    return false;
}

static bool evaluate(const struct sym *part, struct solve_scope scope, int64_t *out)
{
    const char *unknown;
    return sym_eval(part, value_of, &scope, out, &unknown) == SYM_EVAL_OK;
}

static bool part(const struct solver *s, const struct form *f, const struct sym *part, int64_t *out)
{
    return evaluate(part, (struct solve_scope){ f, s->variables, s->values, false }, out);
}

bool form_coefficient(const struct solver *s, const struct form *f, const struct form_name *n, int64_t *out)
{
    if (f->terms)
        return terms_coefficient(f, s->values, n, out);
    return n->coefficient && part(s, f, n->coefficient, out);
}

/* expression = coefficient * n + rest */
static bool split(const struct solver *s, const struct form *f, const struct form_name *n, int64_t *coefficient,
                  int64_t *rest)
{
    if (f->terms)
        return terms_value(f, s->values, n, false, coefficient, rest);
    return n->coefficient && part(s, f, n->coefficient, coefficient) && part(s, f, n->rest, rest);
}

bool form_at_zero(const struct solver *s, const struct form *f, int64_t *out)
{
    int64_t ignored;
    if (f->terms)
        return terms_value(f, s->values, NULL, true, &ignored, out);
    return evaluate(f->expression, (struct solve_scope){ f, s->variables, s->values, true }, out);
}

bool form_value(const struct form *f, const struct variable *variables, const struct symbol_value *values, int64_t *out)
{
    int64_t ignored;
    if (f->terms)
        return terms_value(f, values, NULL, false, &ignored, out);
    return !f->opaque && evaluate(f->expression, (struct solve_scope){ f, variables, values, false }, out);
}

/* ---- one equation ---- */

enum outcome { OUTCOME_NOTHING, OUTCOME_SOLVED, OUTCOME_INDIVISIBLE };

/* The value `n` must have for the equation to hold, all other names being known. */
static enum outcome solve_for(const struct solver *s, const struct equation *e, const struct form_name *n,
                              int64_t *value)
{
    int64_t coefficient, rest, difference;
    if (!split(s, e->form, n, &coefficient, &rest) || coefficient == 0 ||
        __builtin_sub_overflow(e->actual, rest, &difference) || (coefficient == -1 && difference == INT64_MIN))
        return OUTCOME_NOTHING;
    if (difference % coefficient)
        return OUTCOME_INDIVISIBLE;
    *value = difference / coefficient;
    return OUTCOME_SOLVED;
}

/* The only unknown name of a form, or NULL if there is none or more than one. */
static const struct form_name *single_unknown(const struct solver *s, const struct form *f)
{
    const struct form_name *found = NULL;
    for (uint32_t i = 0; i < f->num_names; i++) {
        if (s->values[f->names[i].variable].origin != VALUE_UNKNOWN)
            continue;
        if (found)
            return NULL;
        found = &f->names[i];
    }
    return found;
}

/* ---- messages ---- */

const char *equation_label(const struct solver *s, const struct equation *e)
{
    return arena_printf(s->arena, "%s.%s[%u]", e->owner, e->is_stride ? "strides" : "shape", e->dimension);
}

const char *solve_origin(const struct solver *s, uint32_t variable)
{
    const struct symbol_value *v = &s->values[variable];
    switch (v->origin) {
    case VALUE_UNKNOWN:
        break;
    case VALUE_CONSTANT:
        return "a constant of the program";
    case VALUE_GIVEN:
        return "the given value";
    case VALUE_SOLVED:
        return arena_printf(s->arena, "%s = %s", equation_label(s, &s->equations[v->equation]),
                            s->equations[v->equation].form->text);
    }
    return "nowhere";
}

/* " with N = 24 (from A.shape[0] = N), M = 3 (from the given value)" */
static const char *known_names(const struct solver *s, const struct form *f, const struct form_name *except)
{
    struct text t = text_new(s->arena);
    for (uint32_t i = 0; i < f->num_names; i++) {
        uint32_t v = f->names[i].variable;
        if (&f->names[i] == except || s->values[v].origin == VALUE_UNKNOWN)
            continue;
        text_printf(&t, "%s%s = %lld (from %s)", t.length ? ", " : " with ", s->variables[v].name,
                    (long long)s->values[v].value, solve_origin(s, v));
    }
    return text_get(&t);
}

static bool report_indivisible(const struct solver *s, const struct equation *e, const struct form_name *n,
                               struct diags *d)
{
    return diag_error(d, NULL, DIAG_SYMBOL_INDIVISIBLE, equation_label(s, e), (long long)e->actual,
                      s->variables[n->variable].name, e->form->text, (long long)e->actual, known_names(s, e->form, n));
}

/* An equation of known names that does not hold. With one name in it the message says what the name is here and there.
 */
static bool report_contradiction(const struct solver *s, const struct equation *e, int64_t expected, struct diags *d)
{
    const struct form *f = e->form;
    if (f->num_names == 0)
        return diag_error(d, NULL, DIAG_SYMBOL_EQUATION, equation_label(s, e), (long long)e->actual,
                          arena_printf(s->arena, "%lld", (long long)expected), "");
    if (f->num_names == 1) {
        uint32_t v = f->names[0].variable;
        int64_t here;
        enum outcome o = solve_for(s, e, &f->names[0], &here);
        if (o == OUTCOME_INDIVISIBLE)
            return report_indivisible(s, e, &f->names[0], d);
        if (o == OUTCOME_SOLVED)
            return diag_error(d, NULL, DIAG_SYMBOL_CONFLICT, s->variables[v].name, (long long)s->values[v].value,
                              solve_origin(s, v), (long long)here,
                              arena_printf(s->arena, "%s = %s", equation_label(s, e), f->text));
    }
    return diag_error(d, NULL, DIAG_SYMBOL_EQUATION, equation_label(s, e), (long long)e->actual,
                      arena_printf(s->arena, "%s = %lld", f->text, (long long)expected), known_names(s, f, NULL));
}

const char *solve_tried(const struct solver *s, uint32_t variable)
{
    struct text t = text_new(s->arena);
    for (uint32_t i = 0; i < s->num_equations; i++) {
        const struct equation *e = &s->equations[i];
        for (uint32_t k = 0; k < e->form->num_names; k++)
            if (e->form->names[k].variable == variable)
                text_printf(&t, "%s%s = %s = %lld", t.length ? ", " : "tried ", equation_label(s, e), e->form->text,
                            (long long)e->actual);
    }
    if (!t.length)
        text_add(&t, "no shape or stride that was given mentions it");
    return text_get(&t);
}

/* ---- all equations ---- */

bool variable_holds(const struct variable *v, int64_t value)
{
    const struct type *t = v->type;
    if (!t || !type_is_integer(t) || t->kind == TYPE_I64)
        return true;
    if (t->kind >= TYPE_U8)
        return value >= 0 && (t->size == 8 || value >> (8 * t->size) == 0);
    return value >= -(INT64_C(1) << (8 * t->size - 1)) && value < INT64_C(1) << (8 * t->size - 1);
}

static bool has_unknowns(const struct solver *s)
{
    for (uint32_t v = 0; v < s->num_variables; v++)
        if (s->values[v].origin == VALUE_UNKNOWN)
            return true;
    return false;
}

/* Goes through the equations once; false if nothing new became known. */
static bool solve_round(struct solver *s, bool strides)
{
    bool changed = false;
    for (uint32_t i = 0; i < s->num_equations; i++) {
        const struct equation *e = &s->equations[i];
        const struct form_name *n = e->is_stride && !strides ? NULL : single_unknown(s, e->form);
        int64_t value;
        if (e->form->opaque || !n || solve_for(s, e, n, &value) != OUTCOME_SOLVED ||
            !variable_holds(&s->variables[n->variable], value))
            continue;
        s->values[n->variable] = (struct symbol_value){ .origin = VALUE_SOLVED, .value = value, .equation = i };
        changed = true;
    }
    return changed;
}

static bool check_equation(const struct solver *s, const struct equation *e, struct diags *d)
{
    const struct form *f = e->form;
    int64_t value;
    if (f->opaque)
        return true;
    const struct form_name *n = single_unknown(s, f);
    if (n) {
        enum outcome o = solve_for(s, e, n, &value);
        if (o == OUTCOME_INDIVISIBLE)
            return report_indivisible(s, e, n, d);
        if (o == OUTCOME_SOLVED)
            return diag_error(d, NULL, DIAG_SYMBOL_RANGE, s->variables[n->variable].name, (long long)value,
                              arena_printf(s->arena, "%s = %s", equation_label(s, e), f->text),
                              s->variables[n->variable].type->name);
        return true;
    }
    if (!form_value(f, s->variables, s->values, &value) || value == e->actual)
        return true;
    return report_contradiction(s, e, value, d);
}

/* "A.shape[0] = M + N = 5, B.shape[0] = 2*M + 2*N = 11" */
static bool report_impossible(const struct solver *s, struct diags *d)
{
    struct text t = text_new(s->arena);
    for (uint32_t i = 0; i < s->num_equations && i < 64; i++)
        if (s->impossible >> i & 1)
            text_printf(&t, "%s%s = %s = %lld", t.length ? ", " : "", equation_label(s, &s->equations[i]),
                        s->equations[i].form->text, (long long)s->equations[i].actual);
    return diag_error(d, NULL, DIAG_SYMBOL_SYSTEM, text_get(&t));
}

bool solve(struct solver *s, struct diags *d)
{
    for (uint32_t v = 0; v < s->num_variables; v++)
        if (s->variables[v].is_constant)
            s->values[v] = (struct symbol_value){ .origin = VALUE_CONSTANT, .value = s->variables[v].constant };
    while (has_unknowns(s) && solve_round(s, false))
        ;
    do {
        while (has_unknowns(s) && solve_round(s, true))
            ;
    } while (has_unknowns(s) && solve_together(s));
    bool ok = !s->impossible || report_impossible(s, d);
    for (uint32_t i = 0; i < s->num_equations; i++)
        if (!s->equations[i].is_stride)
            ok &= check_equation(s, &s->equations[i], d);
    return ok;
}

bool solve_complete(const struct solver *s, struct diags *d)
{
    bool ok = true;
    for (uint32_t v = 0; v < s->num_variables; v++)
        if (s->variables[v].required && s->values[v].origin == VALUE_UNKNOWN)
            ok = diag_error(d, NULL, DIAG_SYMBOL_UNSOLVED, s->variables[v].name, solve_tried(s, v));
    return ok;
}
