#include "engine/kernels/choose.h"

#include "base/fatal.h"
#include "base/machine.h"
#include "engine/kernels/kernel.h"
#include "runtime/device.h"

#include <string.h>

enum { MOST = 64 /* combinations of values that are remembered */ };

struct choices {
    const struct sdfg_program *program;
    pthread_mutex_t lock; /* of who adds one; they are read without */
    struct arena *arena;
    atomic_uint count;
    struct choice_cost {
        const int64_t *values;
        struct codegen_cost cost;
    } items[MOST];
};

struct choices *choices_new(const struct sdfg_program *p)
{
    struct arena *a = arena_new();
    struct choices *c = NEW(a, struct choices);
    c->program = p;
    c->arena = a;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void choices_free(struct choices *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    arena_free(c->arena);
}

/* ---- costs ---- */

static bool same(const struct choices *c, const int64_t *values, const struct symbol_value *now)
{
    for (uint32_t i = 0; i < c->program->num_variables; i++)
        if (values[i] != now[i].value)
            return false;
    return true;
}

static const struct codegen_cost *find(const struct choices *c, const struct symbol_value *values)
{
    uint32_t count = atomic_load_explicit(&c->count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++)
        if (same(c, c->items[i].values, values))
            return &c->items[i].cost;
    return NULL;
}

static void keep(struct choices *c, const struct symbol_value *values, const struct codegen_cost *cost)
{
    struct cleanup locked;
    guard_lock(&locked, &c->lock);
    uint32_t n = atomic_load_explicit(&c->count, memory_order_relaxed);
    if (n < MOST && !find(c, values)) {
        int64_t *own = NEW_ARRAY(c->arena, int64_t, c->program->num_variables);
        for (uint32_t i = 0; i < c->program->num_variables; i++)
            own[i] = values[i].value;
        c->items[n] = (struct choice_cost){ own, *cost };
        atomic_store_explicit(&c->count, n + 1, memory_order_release);
    }
    guard_unlock(&locked);
}

/* The code generator counts; when many sizes were seen, the first one speaks for all others. Not known if it cannot
 * even count: the CPU's compilation says what is wrong. */
static struct codegen_cost cost_of(const struct sdfg_args *args, struct arena *a)
{
    struct sdfg_program *p = args->program;
    struct codegen_cost cost = { .known = false };
    const struct codegen_cost *known = find(p->choices, args->values);
    if (known)
        return *known;
    if (atomic_load_explicit(&p->choices->count, memory_order_acquire) == MOST)
        return p->choices->items[0].cost;
    struct signature s = { .device = true };
    signature_add_values(&s, p, args->values, a);
    sdfg_error_free(kernels_cost(p, &s, &cost));
    keep(p->choices, args->values, &cost);
    return cost;
}

/* ---- the choice ---- */

struct transfers {
    double count, bytes;
    bool on_device;
};

/* Of whole arrays; those that were not given count as memory of the host. */
static struct transfers transfers_of(const struct sdfg_args *args)
{
    const struct sdfg_program *p = args->program;
    struct transfers t = { 0 };
    for (uint32_t i = 0; i < p->num_arguments; i++) {
        const struct leaf *l = &p->arguments[i];
        int64_t elements = 0;
        bool on_device = args->given[i] && args->given[i]->on_device;
        t.on_device |= on_device;
        if (l->kind != SDFG_KIND_ARRAY || on_device)
            continue;
        if (l->total_size.text)
            form_value(&l->total_size, p->variables, args->values, &elements);
        t.count += l->written ? 2 : 1;
        t.bytes += (l->written ? 2 : 1) * (double)elements * (double)l->item_bytes;
    }
    return t;
}

static bool chosen(struct arena *a, const char **why, bool device, const char *text)
{
    if (why)
        *why = arena_printf(a, "%s: %s", device ? "the GPU" : "the CPU", text);
    return device;
}

/* A remark has one line: the files that were tried are left out. */
static void shorten(char *trouble)
{
    trouble[strcspn(trouble, "\n")] = 0;
    char *tried = strstr(trouble, " Tried:");
    if (tried)
        *tried = 0;
}

/* Asked once; `trouble` says why not, the first time. */
static bool device_is_there(struct sdfg_engine *e, char *trouble)
{
    struct sdfg_rt_device_info info;
    enum device_state state = atomic_load_explicit(&e->device_state, memory_order_relaxed);
    *trouble = 0;
    if (state == DEVICE_NOT_ASKED) {
        state = sdfg_rt_device_describe(e->cuda_device, &info, trouble) ? DEVICE_THERE : DEVICE_MISSING;
        atomic_store_explicit(&e->device_state, state, memory_order_relaxed);
    }
    shorten(trouble);
    return state == DEVICE_THERE;
}

bool choose_device(const struct sdfg_args *args, struct arena *a, const char **why)
{
    struct sdfg_engine *e = args->program->engine;
    const struct machine_costs *m = &machine_costs;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    if (why)
        *why = NULL;
    if (!e->device_auto)
        return e->cuda_device >= 0;
    struct transfers t = transfers_of(args);
    if (t.on_device || args->num_after || args->in_stream)
        return chosen(a, why, true, "arguments or the call belong to one");
    if (!device_is_there(e, trouble))
        return chosen(a, why, false, *trouble ? trouble : "there is no GPU");
    struct codegen_cost cost = cost_of(args, a);
    if (!cost.kernels)
        return chosen(a, why, false, "no part of the program becomes a kernel");
    if (!cost.known)
        return chosen(a, why, false, "what it costs depends on data");
    double moved = t.count * m->transfer + t.bytes / m->bus;
    return chosen(
        a, why, cost.gpu + moved < cost.cpu,
        arena_printf(a,
                     "about %.3g ms on the GPU (%.0f launches, %.3g ms for transfers of %.3g MB) and %.3g ms on "
                     "the CPU",
                     1e3 * (cost.gpu + moved), cost.launches, 1e3 * moved, 1e-6 * t.bytes, 1e3 * cost.cpu));
}
