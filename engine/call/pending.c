/* Calls that return when their work is in the queues of a GPU. */
#include "base/sized.h"
#include "engine/call/call.h"
#include "engine/kernels/kernels.h"

#include <stdlib.h>

struct sdfg_pending {
    struct sdfg_rt_ticket ticket;
    struct sdfg_program *program;
    struct sdfg_kernel *kernel; /* which errors name parts of; NULL: there is nothing to wait for */
};

/* What a call needs to know of the stream, from whatever version of the struct. */
static sdfg_error *take_stream(bool on_device, const sdfg_cuda_stream *given, sdfg_cuda_stream *own)
{
    const char *wrong = given ? sized_take(own, sizeof *own, given) : NULL;
    if (wrong)
        return error_of(SDFG_STAGE_BIND, DIAG_STRUCT_SIZE, "sdfg_cuda_stream", wrong);
    return given && !on_device ? error_of(SDFG_STAGE_BIND, DIAG_DEVICE_STREAM) : NULL;
}

static sdfg_pending *pending_new(sdfg_program *p)
{
    sdfg_pending *c = calloc(1, sizeof *c);
    if (c) {
        program_hold(p);
        c->program = p;
    }
    return c;
}

/* A call that failed at once has nothing to wait for. */
static sdfg_error *hand_over(sdfg_pending *c, sdfg_error *error, sdfg_pending **out)
{
    if (error)
        sdfg_pending_free(c);
    else
        *out = c;
    return error;
}

sdfg_error *sdfg_call_async(sdfg_pending **out, sdfg_program *p, sdfg_args *a, const sdfg_cuda_stream *stream)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    NEEDS(a);
    sdfg_cuda_stream own = SDFG_CUDA_STREAM_INIT;
    sdfg_error *error = take_stream(p->engine->cuda_device >= 0, stream, &own);
    sdfg_pending *c = error ? NULL : pending_new(p);
    if (!c)
        return error ? error : error_memory(SDFG_STAGE_BIND);
    return hand_over(c, call_once(p, a, &(struct going_on){ stream ? &own : NULL, &c->ticket }, &c->kernel), out);
}

sdfg_error *sdfg_bound_call_async(sdfg_pending **out, sdfg_bound *b, const sdfg_cuda_stream *stream)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(b);
    sdfg_cuda_stream own = SDFG_CUDA_STREAM_INIT;
    struct sdfg_program *p = b->call.kernel->program;
    sdfg_error *error = take_stream(b->call.kernel->signature.device, stream, &own);
    sdfg_pending *c = error ? NULL : pending_new(p);
    if (!c)
        return error ? error : error_memory(SDFG_STAGE_BIND);
    kernels_pin(c->kernel = b->call.kernel);
    return hand_over(c, call_bound(b, &(struct going_on){ stream ? &own : NULL, &c->ticket }), out);
}

bool sdfg_pending_done(sdfg_pending *c) { return !c || sdfg_rt_device_finished(&c->ticket, false); }

sdfg_error *sdfg_pending_wait(sdfg_pending *c)
{
    NEEDS(c);
    while (!sdfg_rt_device_finished(&c->ticket, true))
        continue;
    return c->ticket.error ? device_error_of(c->ticket.error, c->ticket.trouble) : NULL;
}

void sdfg_pending_free(sdfg_pending *c)
{
    if (!c)
        return;
    while (!sdfg_rt_device_finished(&c->ticket, true))
        continue;
    if (c->kernel)
        kernels_release(c->kernel);
    program_let_go(c->program);
    free(c);
}
