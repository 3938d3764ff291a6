#include "runtime/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

int64_t sdfg_rt_clock(struct sdfg_rt_context *context)
{
    struct timespec now;
    (void)context;
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

void sdfg_rt_timed(struct sdfg_rt_context *context, const struct sdfg_rt_element *element, int64_t begin)
{
    int64_t end = sdfg_rt_clock(context);
    sdfg_rt_timings_add(context, &(struct sdfg_rt_timing){ element, gettid(), begin, end, 0 });
}

static struct sdfg_rt_timed_name *name_new(const void *of, const char *kind, const char *name)
{
    size_t size = strlen(kind) + strlen(name) + 1;
    struct sdfg_rt_timed_name *n = malloc(sizeof *n + size);
    if (!n)
        return NULL;
    *n = (struct sdfg_rt_timed_name){ .of = of, .element = { 0, -1, -1 } };
    snprintf(n->element.name, size, "%s%s", kind, name);
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
