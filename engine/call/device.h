/* The GPU that a program's calls run on: where arguments are, what the engine says about a call to the runtime, and
 * what the runtime says when it fails (runtime/device.h). */
#ifndef ENGINE_CALL_DEVICE_H
#define ENGINE_CALL_DEVICE_H

#include "engine/args/args.h"
#include "engine/engine.h"
#include "engine/kernels/kernel.h"
#include "runtime/device.h"

/* Puts `d` into the context of a call, unless the kernel runs on the CPU. */
static inline void device_enter(const struct sdfg_kernel *k, struct sdfg_rt_device *d, struct sdfg_rt_context *context)
{
    const struct sdfg_engine *e = k->program->engine;
    if (__builtin_expect(!k->signature.device, 1))
        return;
    __builtin_memset(d, 0, offsetof(struct sdfg_rt_device, trouble) + 1);
    d->index = e->cuda_device;
    d->check = e->options.check != 0;
    context->device = d;
}

/* What a run says to the runtime. */
void device_take(struct sdfg_rt_device *d, const struct run *r, bool async);

/* Whether a call failed for what the runtime has a text about. */
bool device_explains(const struct sdfg_rt_context *context);
sdfg_error *device_error(const struct sdfg_rt_context *context);
/* The same, of what a run said that has ended later. */
sdfg_error *device_error_of(int32_t error, const char *trouble);

/* "CUDA device 1" */
void device_print(const sdfg_device *d, char *out, size_t size);

/* An argument on the device that code of the host works on: runs get a copy on the host. */
struct shadow {
    uint32_t param;
    char *device;   /* the lowest address */
    int64_t before; /* bytes from there to the first element */
    size_t bytes;
    bool written;
};

/* Where the arguments of a call are, and what comes before it. */
struct places {
    bool host_only; /* no argument is memory of a device, or pinned */
    void **after;   /* streams of the device whose work comes first */
    size_t num_after;
    VEC(struct shadow) shadows;
};
/* For engines whose programs run on a GPU; finds out which arguments are memory of the device (entry->on_device). NULL:
 * one of them is somewhere else than was said, or on another device. */
struct places *device_place_arguments(const struct sdfg_args *a, struct arena *arena, struct diags *d);

struct call;
/* Notes that parameter number `param` needs one. */
bool shadow_add(struct call *c, uint32_t param, const struct argument_entry *e, struct diags *d);
/* For one run: the addresses that the kernel gets, which `shadows_end` frees. NULL with *error set. */
void **shadows_begin(const struct call *c, void *const *args, const struct run *r, sdfg_error **error);
/* What the run wrote goes to the device, unless it failed. Gives the error of the run, or another one. */
sdfg_error *shadows_end(const struct call *c, void **args, const struct run *r, sdfg_error *error);

#endif
