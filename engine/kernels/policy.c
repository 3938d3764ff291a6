#include "engine/kernels/policy.h"

#include "base/fatal.h"

#include <stdatomic.h>
#include <string.h>

/* What is remembered only grows: items are written before the number of them, and read without the lock. */
struct policy {
    const struct sdfg_program *program;
    int64_t *combinations[POLICY_COMBINATIONS]; /* one value per variable; those that cannot be bound are 0 */
    atomic_uint num_combinations;
    atomic_bool *varies; /* per variable */
    uint64_t classes[POLICY_CLASSES];
    atomic_uint num_classes;
    pthread_mutex_t lock; /* of who remembers something */
    struct arena *arena;
};

struct policy *policy_new(const struct sdfg_program *p)
{
    struct arena *a = arena_new();
    struct policy *y = NEW(a, struct policy);
    y->program = p;
    y->arena = a;
    y->varies = NEW_ARRAY(a, atomic_bool, p->num_variables);
    pthread_mutex_init(&y->lock, NULL);
    return y;
}

void policy_free(struct policy *y)
{
    if (!y)
        return;
    pthread_mutex_destroy(&y->lock);
    arena_free(y->arena);
}

static bool can_bind(const struct sdfg_program *p, const struct symbol_value *values, uint32_t i)
{
    return p->variables[i].bindable && values[i].origin != VALUE_UNKNOWN;
}

static int64_t value_or_zero(const struct sdfg_program *p, const struct symbol_value *values, uint32_t i)
{
    return can_bind(p, values, i) ? values[i].value : 0;
}

static bool same(const struct policy *y, const int64_t *combination, const struct symbol_value *values)
{
    for (uint32_t i = 0; i < y->program->num_variables; i++)
        if (combination[i] != value_or_zero(y->program, values, i))
            return false;
    return true;
}

static uint32_t count(const atomic_uint *n) { return atomic_load_explicit(n, memory_order_acquire); }

static bool varies(const struct policy *y, uint32_t i)
{
    return atomic_load_explicit(&y->varies[i], memory_order_relaxed);
}

enum standing { OWN_CODE, COMMON_CODE, CODE_UNKNOWN };

/* What is known of a combination of values: it has code of its own, it is one of the others and shows nothing new, or
 * neither yet. */
static enum standing code_of(const struct policy *y, const struct symbol_value *values)
{
    uint32_t n = count(&y->num_combinations);
    for (uint32_t k = 0; k < n; k++)
        if (same(y, y->combinations[k], values))
            return OWN_CODE;
    if (n < POLICY_COMBINATIONS)
        return CODE_UNKNOWN;
    for (uint32_t i = 0; i < y->program->num_variables; i++)
        if (!varies(y, i) && y->combinations[0][i] != value_or_zero(y->program, values, i))
            return CODE_UNKNOWN;
    return COMMON_CODE;
}

/* With the lock held: the call is one of the combinations that get code of their own, or shows what varies. */
static void remember_values(struct policy *y, const struct symbol_value *values)
{
    uint32_t n = y->program->num_variables, k = count(&y->num_combinations);
    if (code_of(y, values) != CODE_UNKNOWN) /* to another thread by now */
        return;
    for (uint32_t i = 0; i < n && k; i++)
        if (y->combinations[0][i] != value_or_zero(y->program, values, i))
            atomic_store_explicit(&y->varies[i], true, memory_order_relaxed);
    if (k == POLICY_COMBINATIONS)
        return;
    y->combinations[k] = NEW_ARRAY(y->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        y->combinations[k][i] = value_or_zero(y->program, values, i);
    atomic_store_explicit(&y->num_combinations, k + 1, memory_order_release);
}

static bool has_own_code(struct policy *y, const struct symbol_value *values, bool remember)
{
    enum standing code = code_of(y, values);
    if (code == CODE_UNKNOWN && remember) {
        struct cleanup locked;
        guard_lock(&locked, &y->lock);
        remember_values(y, values);
        guard_unlock(&locked);
        code = code_of(y, values);
    }
    return code == OWN_CODE || (code == CODE_UNKNOWN && count(&y->num_combinations) < POLICY_COMBINATIONS);
}

static bool in_list(const struct sdfg_engine *e, const char *name)
{
    for (uint32_t i = 0; i < e->num_bound_names; i++)
        if (!strcmp(e->bound_names[i], name))
            return true;
    return false;
}

static bool class_is_known(const struct policy *y, uint64_t class)
{
    uint32_t n = count(&y->num_classes);
    for (uint32_t i = 0; i < n; i++)
        if (y->classes[i] == class)
            return true;
    return false;
}

/* True if the class is one of many that do not get code of their own. */
static bool is_coarse(struct policy *y, uint64_t class, bool remember)
{
    if (class_is_known(y, class))
        return false;
    if (count(&y->num_classes) == POLICY_CLASSES || !remember)
        return count(&y->num_classes) == POLICY_CLASSES;
    pthread_mutex_lock(&y->lock);
    bool known = class_is_known(y, class); /* to another thread by now */
    uint32_t n = count(&y->num_classes);
    if (!known && n < POLICY_CLASSES) {
        y->classes[n] = class;
        atomic_store_explicit(&y->num_classes, n + 1, memory_order_release);
        known = true;
    }
    pthread_mutex_unlock(&y->lock);
    return !known;
}

/* Kernels of a device take sizes as parameters, so that one text serves all; values that may shape code are constants
 * there, too. */
static bool is_worth(bool device, const struct symbol_value *v)
{
    enum { SHAPES = 32 };
    return !device || (v->value >= -SHAPES && v->value <= SHAPES);
}

struct choice policy_choose(struct policy *y, const struct symbol_value *values, uint64_t class, bool device,
                            bool remember, struct arena *a)
{
    const struct sdfg_program *p = y->program;
    enum specialize_policy policy = p->engine->policy;
    sdfg_symbol *bound = NEW_ARRAY(a, sdfg_symbol, p->num_variables);
    struct choice choice = { .bound = bound };
    bool counts = policy == SPECIALIZE_AUTO;
    bool all = policy == SPECIALIZE_ALL || (counts && has_own_code(y, values, remember));
    for (uint32_t i = 0; i < p->num_variables; i++) {
        bool wanted = all || (policy == SPECIALIZE_AUTO && !varies(y, i)) ||
                      (policy == SPECIALIZE_LIST && in_list(p->engine, p->variables[i].name));
        if (wanted && can_bind(p, values, i) && (policy != SPECIALIZE_AUTO || is_worth(device, &values[i])))
            bound[choice.num_bound++] = (sdfg_symbol){ p->variables[i].name, values[i].value };
    }
    choice.coarse = counts && is_coarse(y, class, remember);
    return choice;
}

void policy_explain(struct policy *y, struct text *out)
{
    static const char *const words[] = { "auto", "none", "all", "list" };
    const struct sdfg_program *p = y->program;
    text_printf(out, "policy: %s", words[p->engine->policy]);
    if (p->engine->policy == SPECIALIZE_AUTO) {
        uint32_t n = count(&y->num_combinations);
        text_printf(out, ", %u of %d combinations of values have code of their own", n, POLICY_COMBINATIONS);
        const char *before = "; others do not fix ";
        for (uint32_t i = 0; i < p->num_variables && n == POLICY_COMBINATIONS; i++)
            if (varies(y, i)) {
                text_printf(out, "%s%s", before, p->variables[i].name);
                before = ", ";
            }
    }
    text_addc(out, '\n');
}
