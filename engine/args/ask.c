/* What was given, and what follows from it: questions of callers about arguments. */
#include "engine/args/args.h"
#include "engine/program/bounds.h"

#include <stdlib.h>

sdfg_error *sdfg_args_solve(sdfg_args *a)
{
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct solver s;
    args_solve(a, r.arena, &s, r.diags);
    return report_end(&r, SDFG_STAGE_BIND);
}

bool sdfg_args_value(const sdfg_args *a, const char *name, int64_t *value)
{
    if (!a || !name || !value)
        return false;
    const struct leaf *l = program_lookup(a->program, name);
    int32_t v = l ? l->variable : program_variable(a->program, name);
    if (v < 0 || a->values[v].origin == VALUE_UNKNOWN)
        return false;
    *value = a->values[v].value;
    return true;
}

static bool layout_of(const sdfg_args *a, const char *name, int *rank, int64_t *shape, int64_t *strides,
                      int64_t *elements, struct report *r)
{
    const struct sdfg_program *p = a->program;
    const struct leaf *l = program_find(p, name, r->diags);
    if (!l)
        return false;
    bool known = l->rank <= SDFG_MAX_RANK;
    for (uint32_t i = 0; i < l->rank && known; i++)
        known = form_value(&l->shape[i], p->variables, a->values, &shape[i]) &&
                (!l->strides || form_value(&l->strides[i], p->variables, a->values, &strides[i]));
    int64_t total = 1;
    if ((l->rank || l->kind == SDFG_KIND_STREAM) && l->total_size.text) {
        if (!program_size_fits(p, l->place, name, &l->total_size, l->item_bytes, a->values, r->diags))
            return false;
        known = known && form_value(&l->total_size, p->variables, a->values, &total);
    }
    if (!known)
        return diag_error(r->diags, l->place, DIAG_SHAPE_UNKNOWN, name, leaf_shape_text(l, r->arena));
    *rank = (int)l->rank;
    *elements = total;
    return true;
}

sdfg_error *sdfg_args_layout(const sdfg_args *a, const char *name, int *rank, int64_t *shape, int64_t *strides,
                             int64_t *elements)
{
    NEEDS(a);
    NEEDS(name);
    NEEDS(rank);
    NEEDS(shape);
    NEEDS(strides);
    NEEDS(elements);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = report_begin();
    layout_of(a, name, rank, shape, strides, elements, &r);
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_explain(char **out, sdfg_args *a)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct solver s;
    args_solve(a, r.arena, &s, r.diags);
    struct text t = text_new(r.arena);
    for (uint32_t v = 0; v < s.num_variables; v++) {
        if (s.variables[v].is_constant)
            continue;
        if (s.values[v].origin == VALUE_UNKNOWN)
            text_printf(&t, "%s: no value; %s\n", s.variables[v].name, solve_tried(&s, v));
        else
            text_printf(&t, "%s = %lld, from %s\n", s.variables[v].name, (long long)s.values[v].value,
                        solve_origin(&s, v));
    }
    return give_text(out, &t, NULL, report_end(&r, SDFG_STAGE_BIND));
}

void sdfg_text_free(char *text) { free(text); }
