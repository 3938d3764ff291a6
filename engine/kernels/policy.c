#include "engine/kernels/policy.h"

#include <string.h>

struct policy {
    const struct sdfg_program *program;
    struct arena *arena;
    pthread_mutex_t lock;                       /* guards what follows */
    int64_t *combinations[POLICY_COMBINATIONS]; /* one value per variable; those that cannot be bound are 0 */
    uint32_t num_combinations;
    bool *varies; /* per variable */
    uint64_t classes[POLICY_CLASSES];
    uint32_t num_classes;
};

struct policy *policy_new(const struct sdfg_program *p)
{
    struct arena *a = arena_new();
    struct policy *y = NEW(a, struct policy);
    y->program = p;
    y->arena = a;
    y->varies = NEW_ARRAY(a, bool, p->num_variables);
    pthread_mutex_init(&y->lock, NULL);
    return y;
}

void policy_free(struct policy *y)
{
    pthread_mutex_destroy(&y->lock);
    arena_free(y->arena);
}

static bool can_bind(const struct sdfg_program *p, const struct value *values, uint32_t i)
{
    return p->variables[i].bindable && values[i].origin != VALUE_UNKNOWN;
}

static int64_t value_or_zero(const struct sdfg_program *p, const struct value *values, uint32_t i)
{
    return can_bind(p, values, i) ? values[i].value : 0;
}

static bool same(const struct policy *y, const int64_t *combination, const struct value *values)
{
    for (uint32_t i = 0; i < y->program->num_variables; i++)
        if (combination[i] != value_or_zero(y->program, values, i))
            return false;
    return true;
}

/* True if the call is one of the combinations that get code of their own. Others show what varies. */
static bool has_own_code(struct policy *y, const struct value *values, bool remember)
{
    uint32_t n = y->program->num_variables;
    for (uint32_t k = 0; k < y->num_combinations; k++)
        if (same(y, y->combinations[k], values))
            return true;
    if (!remember)
        return y->num_combinations < POLICY_COMBINATIONS;
    for (uint32_t i = 0; i < n && y->num_combinations; i++)
        y->varies[i] |= y->combinations[0][i] != value_or_zero(y->program, values, i);
    if (y->num_combinations == POLICY_COMBINATIONS)
        return false;
    int64_t *combination = NEW_ARRAY(y->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        combination[i] = value_or_zero(y->program, values, i);
    y->combinations[y->num_combinations++] = combination;
    return true;
}

static bool in_list(const struct sdfg_engine *e, const char *name)
{
    for (uint32_t i = 0; i < e->num_bound_names; i++)
        if (!strcmp(e->bound_names[i], name))
            return true;
    return false;
}

/* True if the class is one of many that do not get code of their own. */
static bool is_coarse(struct policy *y, uint64_t class, bool remember)
{
    for (uint32_t i = 0; i < y->num_classes; i++)
        if (y->classes[i] == class)
            return false;
    if (y->num_classes == POLICY_CLASSES)
        return true;
    if (remember)
        y->classes[y->num_classes++] = class;
    return false;
}

struct choice policy_choose(struct policy *y, const struct value *values, uint64_t class, bool remember,
                            struct arena *a)
{
    const struct sdfg_program *p = y->program;
    enum specialize_policy policy = p->engine->policy;
    struct codegen_symbol *bound = NEW_ARRAY(a, struct codegen_symbol, p->num_variables);
    struct choice choice = { .bound = bound };
    bool counts = policy == SPECIALIZE_AUTO;
    if (counts)
        pthread_mutex_lock(&y->lock);
    bool all = policy == SPECIALIZE_ALL || (counts && has_own_code(y, values, remember));
    for (uint32_t i = 0; i < p->num_variables; i++) {
        bool wanted = all || (policy == SPECIALIZE_AUTO && !y->varies[i]) ||
                      (policy == SPECIALIZE_LIST && in_list(p->engine, p->variables[i].name));
        if (wanted && can_bind(p, values, i))
            bound[choice.num_bound++] = (struct codegen_symbol){ p->variables[i].name, values[i].value };
    }
    choice.coarse = counts && is_coarse(y, class, remember);
    if (counts)
        pthread_mutex_unlock(&y->lock);
    return choice;
}

void policy_explain(struct policy *y, struct text *out)
{
    static const char *const words[] = { "auto", "none", "all", "list" };
    const struct sdfg_program *p = y->program;
    text_printf(out, "policy: %s", words[p->engine->policy]);
    if (p->engine->policy == SPECIALIZE_AUTO) {
        pthread_mutex_lock(&y->lock);
        text_printf(out, ", %u of %d combinations of values have code of their own", y->num_combinations,
                    POLICY_COMBINATIONS);
        const char *before = "; others do not fix ";
        for (uint32_t i = 0; i < p->num_variables && y->num_combinations == POLICY_COMBINATIONS; i++)
            if (y->varies[i]) {
                text_printf(out, "%s%s", before, p->variables[i].name);
                before = ", ";
            }
        pthread_mutex_unlock(&y->lock);
    }
    text_addc(out, '\n');
}
