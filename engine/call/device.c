#include "engine/call/device.h"

#include <stdio.h>

bool device_explains(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_device *d = context->device;
    return d && d->trouble[0];
}

sdfg_error *device_error_of(int32_t error, const char *trouble)
{
    switch (error) {
    case SDFG_RT_OUT_OF_MEMORY:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_MEMORY, trouble);
    case SDFG_RT_BAD_VALUE:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_VALUE, trouble);
    case SDFG_RT_DEVICE_FAULT:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_FAULT, trouble);
    default:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE, trouble);
    }
}

sdfg_error *device_error(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_device *d = context->device;
    return device_error_of(context->error, d->trouble);
}

void device_take(struct sdfg_rt_device *d, const struct run *r, bool async)
{
    if (!r->device)
        return;
    const struct going_on *on = r->device->on;
    d->host_only = r->device->host_only;
    d->after = r->device->after;
    d->num_after = r->device->num_after;
    if (!on)
        return;
    d->async = async;
    d->ticket = on->ticket;
    if (!on->stream)
        return;
    d->has_stream = true;
    d->stream = on->stream->stream;
    d->cuda_context = on->stream->context;
}

/* ---- where arguments are ---- */

enum { UNKNOWN = -1 /* no device's number: of managed memory, or what callers do not know */ };

void device_print(const sdfg_device *d, char *out, size_t size)
{
    const char *kind = d->kind == SDFG_DEVICE_CUDA           ? "CUDA device"
                       : d->kind == SDFG_DEVICE_CUDA_HOST    ? "the host, pinned for CUDA device"
                       : d->kind == SDFG_DEVICE_CUDA_MANAGED ? "CUDA, managed, device"
                                                             : "a device of another kind, number";
    if (d->index == UNKNOWN)
        snprintf(out, size, "%s%s", d->kind == SDFG_DEVICE_CUDA ? "a " : "", kind);
    else
        snprintf(out, size, "%s %d", kind, d->index);
}

/* What the driver says of an address, and what was said of it. */
static bool is_as_said(const sdfg_device *said, int32_t place, int32_t index)
{
    bool on_device = place == SDFG_RT_ON_DEVICE;
    switch (said->kind) {
    case SDFG_DEVICE_CUDA:
        return on_device && (said->index == UNKNOWN || index == UNKNOWN || said->index == index);
    case SDFG_DEVICE_CUDA_HOST:
        return place == SDFG_RT_PINNED;
    case SDFG_DEVICE_CUDA_MANAGED:
        return on_device && index == UNKNOWN;
    default:
        return true;
    }
}

static bool wrong(const struct argument_entry *e, int32_t place, int32_t index, struct diags *d)
{
    char said[80], is[80];
    device_print(&e->array.device, said, sizeof said);
    if (place < 0)
        snprintf(is, sizeof is, "ordinary memory of the host");
    else if (place == SDFG_RT_PINNED)
        snprintf(is, sizeof is, "pinned memory of the host");
    else
        device_print(&(sdfg_device){ index == UNKNOWN ? SDFG_DEVICE_CUDA_MANAGED : SDFG_DEVICE_CUDA, index }, is,
                     sizeof is);
    return diag_error(d, e->leaf->place, DIAG_ARGUMENT_DEVICE_WRONG, e->name, said, is);
}

static bool place_argument(const struct sdfg_engine *engine, struct argument_entry *e, bool *host_only, struct diags *d)
{
    int32_t index = UNKNOWN, place;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    trouble[0] = 0;
    e->on_device = false;
    if (!e->has_extent || !e->array.data || e->begin == e->end || e->array.device.kind == SDFG_DEVICE_CPU)
        return true;
    if (e->array.device.kind == SDFG_DEVICE_DEFAULT &&
        atomic_load_explicit(&engine->device_state, memory_order_relaxed) == DEVICE_MISSING)
        return true;
    bool known = sdfg_rt_device_place(e->array.data, &place, &index, trouble),
         said = e->array.device.kind != SDFG_DEVICE_DEFAULT;
    if (!known || (said && trouble[0]))
        return diag_error(d, e->leaf->place, DIAG_RUN_DEVICE, trouble);
    e->on_device = place == SDFG_RT_ON_DEVICE;
    *host_only &= place < 0;
    if (!is_as_said(&e->array.device, place, index))
        return wrong(e, place, index, d);
    return !e->on_device || index == UNKNOWN || index == engine->cuda_device ||
           diag_error(d, e->leaf->place, DIAG_ARGUMENT_DEVICE_OTHER, e->name, (int)index, engine->cuda_device);
}

struct places *device_place_arguments(const struct sdfg_args *a, struct arena *arena, struct diags *d)
{
    const struct sdfg_engine *engine = a->program->engine;
    struct places *p = NEW(arena, struct places);
    bool ok = true;
    p->host_only = true;
    for (size_t i = 0; i < a->num_entries; i++)
        ok &= place_argument(engine, a->entries[i], &p->host_only, d);
    p->num_after = a->num_after;
    p->after = NEW_ARRAY(arena, void *, a->num_after);
    for (size_t i = 0; i < a->num_after; i++)
        p->after[i] = a->after[i];
    return ok ? p : NULL;
}
