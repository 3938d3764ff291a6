#include "engine/providers.h"

#include "engine/engine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

bool provider_is_usable(void *engine, uint32_t index, const char **why)
{
    struct providers *all = &((struct sdfg_engine *)engine)->registry.providers;
    struct provider *p = all->items.items[index];
    pthread_mutex_lock(&all->lock);
    if (!p->probed) {
        p->usable = !p->own.probe || p->own.probe(p->own.user, reason_take, &p->why);
        if (!p->usable)
            reason_settle(&p->why);
        p->probed = true;
    }
    bool ok = p->usable;
    pthread_mutex_unlock(&all->lock);
    *why = ok ? NULL : p->why.text;
    return ok;
}

/* ---- while a program runs ---- */

static const char *after(const char *text) { return text + strlen(text) + 1; }

static const struct provider *find(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element)
{
    const char *at = (const char *)nodes;
    const struct sdfg_engine *e = (const struct sdfg_engine *)(const void *)(at - offsetof(struct sdfg_engine, nodes));
    const char *name = after(element->name);
    for (uint32_t i = 0; i < e->registry.providers.items.count; i++)
        if (!strcmp(e->registry.providers.items.items[i]->own.name, name))
            return e->registry.providers.items.items[i];
    return NULL;
}

static sdfg_probe site_of(const struct sdfg_rt_element *e)
{
    return (sdfg_probe){ sizeof(sdfg_probe), e->name, e->region, e->state, e->node };
}

/* Without a function it is the clock that is read. */
int64_t provider_begin(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element)
{
    const struct provider *p = find(nodes, element);
    sdfg_probe site = site_of(element);
    return p && p->own.begin ? p->own.begin(p->own.user, &site) : sdfg_rt_clock();
}

void provider_end(const struct sdfg_rt_nodes *nodes, struct sdfg_rt_context *context,
                  const struct sdfg_rt_element *element, int64_t begun)
{
    struct sdfg_rt_timing t = { .element = element, .thread = gettid(), .begin = begun, .end = sdfg_rt_clock() };
    const struct provider *p = find(nodes, element);
    if (!p)
        return;
    if (!p->own.begin) {
        sdfg_rt_timings_add(context, &t);
        return;
    }
    double values[PROVIDER_COUNTERS];
    sdfg_probe site = site_of(element);
    for (size_t i = 0; i < p->num_counters; i++)
        values[i] = NAN;
    p->own.end(p->own.user, &site, begun, values);
    t.begin = t.end;
    for (size_t i = 0; i < p->num_counters; i++) {
        t.counter = p->own.counters[i];
        t.value = values[i];
        if (!isnan(t.value))
            sdfg_rt_timings_add(context, &t);
    }
}

bool provider_observe(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element, const int64_t *layout,
                      void *elements)
{
    const struct provider *p = find(nodes, element);
    const char *container = after(after(element->name));
    sdfg_probe site = site_of(element);
    sdfg_operand data = {
        .connector = container,
        .dtype = sdfg_dtype_by_name(after(container)),
        .lanes = 1,
        .rank = (int)layout[2],
        .data = elements,
        .shape = layout + 3,
        .strides = layout + 3 + layout[2],
    };
    return p && p->own.data && p->own.data(p->own.user, &site, &data);
}
