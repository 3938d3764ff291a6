/* The GPU that a program's calls run on: what the engine says about it to the runtime, and what the runtime says when
 * it fails (runtime/device.h). */
#ifndef ENGINE_CALL_DEVICE_H
#define ENGINE_CALL_DEVICE_H

#include "engine/engine.h"
#include "runtime/device.h"

/* Puts `d` into the context of a call, unless the programs of this engine run on the CPU. */
static inline void device_enter(const struct sdfg_engine *e, struct sdfg_rt_device *d, struct sdfg_rt_context *context)
{
    if (__builtin_expect(e->cuda_device < 0, 1))
        return;
    __builtin_memset(d, 0, offsetof(struct sdfg_rt_device, trouble) + 1);
    d->index = e->cuda_device;
    d->check = e->options.check != 0;
    context->device = d;
}

/* Whether a call failed for what the runtime has a text about. */
bool device_explains(const struct sdfg_rt_context *context);
sdfg_error *device_error(const struct sdfg_rt_context *context);

#endif
