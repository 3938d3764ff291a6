/* Arguments on a device that code of the host works on. A run gets copies of them in memory of the host, and what it
 * wrote there goes back. */
#include "engine/call/call.h"
#include "engine/call/device.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 /* code may rely on what the lower bits of addresses are, so copies have the same */ };

static char *first_of(const struct argument_entry *e) { return (char *)e->array.data + e->begin; }
static size_t bytes_of(const struct argument_entry *e) { return (size_t)(e->end - e->begin); }

static bool meet(const struct argument_entry *x, const struct argument_entry *y)
{
    return first_of(x) < first_of(y) + bytes_of(y) && first_of(y) < first_of(x) + bytes_of(x);
}

/* Nobody would know which of two places holds what was written last. */
static bool is_alone(const struct sdfg_args *a, const struct argument_entry *e, struct diags *d)
{
    const struct leaf *arguments = a->program->arguments;
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *other = a->entries[i];
        bool written = arguments[e->argument].written || arguments[other->argument].written;
        if (other != e && other->on_device && written && meet(e, other))
            return diag_error(d, e->leaf->place, DIAG_ARGUMENT_DEVICE_SHARED, e->name, other->name);
    }
    return true;
}

bool shadow_add(struct call *c, uint32_t param, const struct argument_entry *e, struct diags *d)
{
    struct shadow s = { .param = param,
                        .device = first_of(e),
                        .before = -e->begin,
                        .bytes = bytes_of(e),
                        .written = c->source->program->arguments[e->argument].written };
    if (!is_alone(c->source, e, d))
        return false;
    vec_push(c->arena, &c->places->shadows, s);
    return true;
}

/* One or the other way; the copies of a run are behind its addresses. */
static sdfg_error *copy_all(const struct call *c, void **args, const struct run *r, bool back)
{
    struct sdfg_rt_context context = { .error = SDFG_RT_OK };
    struct sdfg_rt_device device;
    device_enter(c->kernel, &device, &context);
    device_take(&device, r, false);
    struct sdfg_rt_run *run = sdfg_rt_device_begin(&context, NULL);
    for (uint32_t i = 0; i < c->places->shadows.count; i++) {
        const struct shadow *s = &c->places->shadows.items[i];
        char *host = (char *)args[s->param] - s->before;
        if (!back)
            sdfg_rt_device_copy(run, host, s->device, (int64_t)s->bytes, 1, 0, 0, SDFG_RT_TO_HOST, 0);
        else if (s->written)
            sdfg_rt_device_copy(run, s->device, host, (int64_t)s->bytes, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    }
    sdfg_rt_device_end(run);
    if (context.error == SDFG_RT_OK)
        return NULL;
    return device_explains(&context) ? device_error(&context) : run_error(context.error);
}

static void drop(const struct call *c, void **args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free((void *)(((uintptr_t)args[c->places->shadows.items[i].param] -
                       (uintptr_t)c->places->shadows.items[i].before) /
                      ALIGNMENT * ALIGNMENT));
    free(args);
}

void **shadows_begin(const struct call *c, void *const *args, const struct run *r, sdfg_error **error)
{
    uint32_t n = c->kernel->code.num_params;
    void **own = malloc(n * sizeof *own);
    *error = own ? NULL : run_error(SDFG_RT_OUT_OF_MEMORY);
    if (!own)
        return NULL;
    memcpy(own, args, n * sizeof *own);
    for (uint32_t i = 0; i < c->places->shadows.count; i++) {
        const struct shadow *s = &c->places->shadows.items[i];
        size_t lead = (uintptr_t)s->device % ALIGNMENT;
        char *memory = aligned_alloc(ALIGNMENT, (lead + s->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        if (!memory) {
            drop(c, own, i);
            *error = run_error(SDFG_RT_OUT_OF_MEMORY);
            return NULL;
        }
        own[s->param] = memory + lead + s->before;
    }
    *error = copy_all(c, own, r, false);
    if (!*error)
        return own;
    drop(c, own, c->places->shadows.count);
    return NULL;
}

sdfg_error *shadows_end(const struct call *c, void **args, const struct run *r, sdfg_error *error)
{
    if (!error)
        error = copy_all(c, args, r, true);
    drop(c, args, c->places->shadows.count);
    return error;
}
