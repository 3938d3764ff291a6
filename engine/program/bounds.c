#include "engine/program/bounds.h"

#include "engine/program/program.h"

#include <string.h>

/* ---- when a program is loaded ---- */

static bool make(struct sdfg_program *p, struct form *out, const struct sym *s)
{
    *out = form_make(p->ir, p->variables, p->num_variables, s);
    return !out->opaque;
}

static bool make_limit(struct sdfg_program *p, const struct bound *b, struct limit *out)
{
    *out = (struct limit){ .kind = b->kind,
                           .place = b->place,
                           .name = b->name,
                           .inner = b->inner ? b->inner : "",
                           .dim = b->dim,
                           .num_guards = b->num_guards };
    if ((b->excess && !make(p, &out->excess, b->excess)) || !make(p, &out->is, b->is) ||
        !make(p, &out->limit, b->limit))
        return false;
    out->guards = NEW_ARRAY(p->ir->arena, struct form, b->num_guards);
    for (uint32_t i = 0; i < b->num_guards; i++)
        if (!make(p, &out->guards[i], b->guards[i]))
            return false;
    return true;
}

void program_limits(struct sdfg_program *p)
{
    p->limits = NEW_ARRAY(p->ir->arena, struct limit, p->root->num_bounds);
    for (uint32_t i = 0; i < p->root->num_bounds; i++)
        p->num_limits += make_limit(p, &p->root->bounds[i], &p->limits[p->num_limits]);
}

/* ---- when values are known ---- */

static bool is_known(const struct form *f, const struct symbol_value *values)
{
    for (uint32_t i = 0; i < f->num_names; i++)
        if (values[f->names[i].variable].origin == VALUE_UNKNOWN)
            return false;
    return true;
}

static bool size_fits(const struct sdfg_program *p, const struct form *size, int64_t item,
                      const struct symbol_value *values)
{
    int64_t elements, bytes;
    if (size->opaque || !is_known(size, values))
        return true;
    return form_value(size, p->variables, values, &elements) && !__builtin_mul_overflow(elements, item, &bytes);
}

/* Is the expression negative? One that cannot be computed counts as negative, but for one that leaves 64 bits: it is
 * behind the end. */
static bool is_negative(const struct sdfg_program *p, const struct form *f, enum bound_kind kind,
                        const struct symbol_value *values)
{
    int64_t value;
    if (form_value(f, p->variables, values, &value))
        return value < 0;
    return kind == BOUND_BELOW || !f->terms || !is_known(f, values);
}

static bool is_within(const struct sdfg_program *p, const struct limit *l, const struct symbol_value *values)
{
    int64_t value;
    bool within = l->kind == BOUND_SIZE ? size_fits(p, &l->is, l->limit.number, values)
                                        : is_negative(p, &l->excess, l->kind, values);
    for (uint32_t i = 0; i < l->num_guards && !within; i++)
        within = !form_value(&l->guards[i], p->variables, values, &value) || value < 0;
    return within;
}

/* "2*N = 10", "N**2 (N = 4294967296)": the value, or those of the names if there is none. */
static const char *with_value(const struct sdfg_program *p, struct arena *a, const struct form *f,
                              const struct symbol_value *values)
{
    struct text t = text_new(a);
    int64_t value;
    bool known = form_value(f, p->variables, values, &value);
    text_add(&t, f->text);
    if (f->num_names && known)
        text_printf(&t, " = %lld", (long long)value);
    for (uint32_t i = 0; i < f->num_names && !known; i++)
        text_printf(&t, "%s%s = %lld", i ? ", " : " (", p->variables[f->names[i].variable].name,
                    (long long)values[f->names[i].variable].value);
    if (f->num_names && !known)
        text_add(&t, ")");
    return text_get(&t);
}

static void add_values(const struct sdfg_program *p, struct text *t, const struct form *f,
                       const struct symbol_value *values)
{
    for (uint32_t i = 0; i < f->num_names; i++) {
        const char *name = p->variables[f->names[i].variable].name;
        const char *one = arena_printf(t->arena, "%s = %lld", name, (long long)values[f->names[i].variable].value);
        if (!t->length || !strstr(text_get(t), one))
            text_printf(t, "%s%s", t->length ? ", " : "", one);
    }
}

/* "N = 2, M = 3": of all names of a requirement. */
static const char *values_of(const struct sdfg_program *p, struct arena *a, const struct limit *l,
                             const struct symbol_value *values)
{
    struct text t = text_new(a);
    add_values(p, &t, &l->excess, values);
    for (uint32_t i = 0; i < l->num_guards; i++)
        add_values(p, &t, &l->guards[i], values);
    return text_get(&t);
}

static bool report(const struct sdfg_program *p, const struct limit *l, const struct symbol_value *values,
                   struct diags *d)
{
    static const enum diag_code codes[] = {
        [BOUND_BELOW] = DIAG_RULE_SUBSET_BELOW,      [BOUND_ABOVE] = DIAG_RULE_SUBSET_ABOVE,
        [BOUND_OUTSIDE] = DIAG_RULE_ELEMENT_OUTSIDE, [BOUND_COPY] = DIAG_RULE_COPY_LARGER,
        [BOUND_NESTED] = DIAG_RULE_NESTED_LARGER,    [BOUND_VIEW] = DIAG_RULE_VIEW_LARGER,
        [BOUND_SIZE] = DIAG_SIZE_OVERFLOW,           [BOUND_REQUIRED] = DIAG_CALL_REQUIREMENT,
    };
    struct arena *a = arena_new();
    const char *is = with_value(p, a, &l->is, values), *limit = with_value(p, a, &l->limit, values);
    if (l->kind == BOUND_BELOW || l->kind == BOUND_ABOVE)
        diag_error(d, l->place, codes[l->kind], is, l->dim, l->name, limit);
    else if (l->kind == BOUND_SIZE)
        diag_error(d, l->place, codes[l->kind], l->name, is, limit);
    else if (l->kind == BOUND_REQUIRED)
        diag_error(d, l->place, codes[l->kind], l->name, values_of(p, a, l, values));
    else
        diag_error(d, l->place, codes[l->kind], l->inner, is, l->name, limit);
    arena_free(a);
    return false;
}

bool program_within_limits(const struct sdfg_program *p, const struct symbol_value *values, struct diags *d)
{
    bool ok = true;
    /* where the graph says itself what is required, nothing else is to say about such a call */
    uint32_t i = 0;
    for (; i < p->num_limits && p->limits[i].kind == BOUND_REQUIRED; i++)
        if (!is_within(p, &p->limits[i], values))
            ok = report(p, &p->limits[i], values, d);
    for (bool required = ok; i < p->num_limits && required; i++)
        if (!is_within(p, &p->limits[i], values))
            ok = report(p, &p->limits[i], values, d);
    return ok;
}

bool program_size_fits(const struct sdfg_program *p, const struct place *place, const char *name,
                       const struct form *size, size_t item_bytes, const struct symbol_value *values, struct diags *d)
{
    if (size_fits(p, size, (int64_t)item_bytes, values))
        return true;
    struct arena *a = arena_new();
    const char *bytes = arena_printf(a, "%zu", item_bytes);
    diag_error(d, place, DIAG_SIZE_OVERFLOW, name, with_value(p, a, size, values), bytes);
    arena_free(a);
    return false;
}
