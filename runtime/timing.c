#include "runtime/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void sdfg_rt_timings_init(struct sdfg_rt_timings *t)
{
    *t = (struct sdfg_rt_timings){ .items = NULL };
    pthread_mutex_init(&t->lock, NULL);
}

void sdfg_rt_timings_release(struct sdfg_rt_timings *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t->items);
    while (t->names) {
        struct sdfg_rt_timed_name *n = t->names;
        t->names = n->next;
        free(n);
    }
}

int64_t sdfg_rt_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool has_room(struct sdfg_rt_timings *t)
{
    enum { FIRST = 256 };
    if (t->count < t->capacity)
        return true;
    size_t capacity = t->capacity ? 2 * t->capacity : FIRST;
    struct sdfg_rt_timing *items = realloc(t->items, capacity * sizeof *items);
    if (!items)
        return false;
    t->items = items;
    t->capacity = capacity;
    return true;
}

void sdfg_rt_timings_add(struct sdfg_rt_context *context, const struct sdfg_rt_timing *timing)
{
    struct sdfg_rt_timings *t = context->timings;
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    bool good = has_room(t);
    if (good)
        t->items[t->count++] = *timing;
    pthread_mutex_unlock(&t->lock);
    if (!good)
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
}

int64_t sdfg_rt_measure_begin(struct sdfg_rt_context *context, const struct sdfg_rt_element *element)
{
    const struct sdfg_rt_nodes *engine = context->user;
    return engine && engine->measure_begin ? engine->measure_begin(engine, element) : 0;
}

void sdfg_rt_measure_end(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, int64_t begun)
{
    const struct sdfg_rt_nodes *engine = context->user;
    if (engine && engine->measure_end)
        engine->measure_end(engine, context, element, begun);
}

void sdfg_rt_observe(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, const int64_t *layout,
                     void *elements)
{
    const struct sdfg_rt_nodes *engine = context->user;
    if (__atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK)
        return;
    if (!engine || !engine->observe || !engine->observe(engine, element, layout, elements))
        sdfg_rt_fail(context, SDFG_RT_PROVIDER);
}

static struct sdfg_rt_timed_name *name_new(const void *of, const char *kind, const char *name)
{
    static const char provider[] = "GPU_Events";
    size_t length = strlen(kind) + strlen(name) + 1, size = length + sizeof provider;
    struct sdfg_rt_timed_name *n = malloc(sizeof *n + size);
    if (!n)
        return NULL;
    *n = (struct sdfg_rt_timed_name){ .of = of, .element = { 0, -1, -1 } };
    snprintf(n->element.name, length, "%s%s", kind, name);
    memcpy(n->element.name + length, provider, sizeof provider);
    return n;
}

const struct sdfg_rt_element *sdfg_rt_timings_name(struct sdfg_rt_context *context, const void *of, const char *kind,
                                                   const char *name)
{
    struct sdfg_rt_timings *t = context->timings;
    pthread_mutex_lock(&t->lock);
    struct sdfg_rt_timed_name *n = t->names;
    while (n && n->of != of)
        n = n->next;
    if (!n && (n = name_new(of, kind, name))) {
        n->next = t->names;
        t->names = n;
    }
    pthread_mutex_unlock(&t->lock);
    if (!n)
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    return n ? &n->element : NULL;
}
