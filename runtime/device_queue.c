/* Runs and their queues. A run that has ended is kept, with its queues, for the next call. */
#include "runtime/device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- queues ---- */

static bool event_of(struct sdfg_rt_run *run, int queue)
{
    return run->events[queue] ||
           sdfg_rt_run_check(run, "cuEventCreate",
                             run->gpu->cuda->EventCreate(&run->events[queue], CUDA_EVENT_NO_TIMING), "");
}

static bool order(struct sdfg_rt_run *run, cuda_stream stream, cuda_stream behind, cuda_event event)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    return sdfg_rt_run_check(run, "cuEventRecord", cuda->EventRecord(event, behind), "") &&
           sdfg_rt_run_check(run, "cuStreamWaitEvent", cuda->StreamWaitEvent(stream, event, 0), "");
}

static bool order_behind(struct sdfg_rt_run *run, int queue, int behind)
{
    return event_of(run, behind) && order(run, run->queues[queue], run->queues[behind], run->events[behind]);
}

static bool make(struct sdfg_rt_run *run, int queue)
{
    unsigned bit = 1u << queue;
    if (run->made & bit)
        return true;
    if (!sdfg_rt_run_check(run, "cuStreamCreate",
                           run->gpu->cuda->StreamCreate(&run->queues[queue], CUDA_STREAM_NON_BLOCKING), ""))
        return false;
    run->made |= bit;
    return true;
}

/* A block that was freed and taken again has users in two queues, perhaps, and nothing in the program orders them. */
bool sdfg_rt_run_queue(struct sdfg_rt_run *run, int64_t queue, cuda_stream *out)
{
    if (queue < 0 || queue >= SDFG_RT_QUEUES)
        return sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "there is no queue %lld", (long long)queue);
    sdfg_rt_graph_flush(run);
    if (!sdfg_rt_run_good(run))
        return false;
    int q = (int)queue;
    unsigned others = run->busy & ~(1u << q);
    if (!(queue == 0 && run->call->has_stream) && !make(run, q))
        return false;
    if (run->seen[q] != run->reuses) {
        for (int i = 0; i < SDFG_RT_QUEUES; i++)
            if (others & 1u << i && !order_behind(run, q, i))
                return false;
        run->seen[q] = run->reuses;
    }
    run->busy |= 1u << q;
    *out = run->queues[q];
    return true;
}

void sdfg_rt_device_order(struct sdfg_rt_run *run, int64_t queue, int64_t behind)
{
    cuda_stream stream;
    if (sdfg_rt_run_good(run) && queue != behind && behind >= 0 && behind < SDFG_RT_QUEUES &&
        run->busy & 1u << behind && sdfg_rt_run_queue(run, queue, &stream))
        order_behind(run, (int)queue, (int)behind);
}

void sdfg_rt_run_settled(struct sdfg_rt_run *run)
{
    sdfg_rt_time_tell(run);
    run->num_launched = 0;
    run->reuses = 0;
    memset(run->seen, 0, sizeof run->seen);
    if (!run->freed)
        return;
    pthread_mutex_lock(&run->gpu->lock);
    while (run->freed) {
        struct sdfg_rt_device_block *b = run->freed;
        run->freed = b->next;
        b->next = run->gpu->kept;
        run->gpu->kept = b;
    }
    pthread_mutex_unlock(&run->gpu->lock);
}

void sdfg_rt_device_wait(struct sdfg_rt_run *run, int64_t queue)
{
    if (!sdfg_rt_run_good(run) || !run->busy)
        return;
    sdfg_rt_graph_flush(run);
    if (!sdfg_rt_run_good(run))
        return;
    for (int i = 0; i < SDFG_RT_QUEUES; i++) {
        unsigned bit = 1u << i;
        if (!(run->busy & bit) || (queue != SDFG_RT_ALL_QUEUES && queue != i))
            continue;
        int64_t since = sdfg_rt_time_wait_begin(run);
        if (!sdfg_rt_run_check(run, "cuStreamSynchronize", run->gpu->cuda->StreamSynchronize(run->queues[i]), ""))
            return;
        sdfg_rt_time_wait_end(run, since);
        run->busy &= ~bit;
    }
    if (!run->busy)
        sdfg_rt_run_settled(run);
}

/* ---- runs ---- */

static struct sdfg_rt_run *take_run(struct sdfg_rt_gpu *gpu)
{
    pthread_mutex_lock(&gpu->lock);
    if (gpu->working)
        sdfg_rt_run_collect(gpu, false);
    struct sdfg_rt_run *run = gpu->idle;
    if (run)
        gpu->idle = run->next;
    pthread_mutex_unlock(&gpu->lock);
    return run ? run : calloc(1, sizeof *run);
}

static void give_run(struct sdfg_rt_run *run)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    pthread_mutex_lock(&gpu->lock);
    run->next = gpu->idle;
    gpu->idle = run;
    pthread_mutex_unlock(&gpu->lock);
}

/* Work that the caller gave to streams of others comes first. */
static bool begin_behind(struct sdfg_rt_run *run)
{
    cuda_stream stream;
    for (size_t i = 0; i < run->call->num_after; i++) {
        cuda_stream other = run->call->after[i];
        bool ordered = sdfg_rt_run_queue(run, 0, &stream) &&
                       (other == stream || (event_of(run, 0) && order(run, stream, other, run->events[0])));
        if (!ordered)
            return false;
    }
    return true;
}

struct sdfg_rt_run *sdfg_rt_device_begin(struct sdfg_rt_context *context, const struct sdfg_rt_image *image)
{
    static const struct sdfg_rt_device first = { .index = 0 };
    const struct sdfg_rt_device *call = context->device ? context->device : &first;
    struct sdfg_rt_gpu *gpu = context->error == SDFG_RT_OK ? sdfg_rt_gpu_of(context, call) : NULL;
    if (!gpu)
        return NULL;
    struct sdfg_rt_run *run = take_run(gpu);
    if (!run) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    run->context = context;
    run->call = call;
    run->gpu = gpu;
    run->image = image;
    run->module = NULL;
    sdfg_rt_time_begin_run(run);
    if (!sdfg_rt_run_check(run, "cuCtxPushCurrent", gpu->cuda->CtxPushCurrent(gpu->handle), "")) {
        give_run(run);
        return NULL;
    }
    if (call->has_stream) {
        run->own = run->queues[0];
        run->queues[0] = call->stream;
    }
    if (begin_behind(run) && (!image || (run->module = sdfg_rt_module_of(run, image))))
        return run;
    sdfg_rt_device_end(run);
    return NULL;
}

/* The mirrors' blocks, of which the queues do not know any more. */
static void drop_mirrors(struct sdfg_rt_run *run)
{
    size_t count = run->num_mirrors;
    run->num_mirrors = 0;
    for (size_t i = 0; i < count; i++)
        if (run->mirrors[i].own)
            sdfg_rt_device_free(run, run->mirrors[i].device, SDFG_RT_ON_DEVICE);
}

/* All other queues end before queue 0 does, and then the event comes. */
static bool leave_working(struct sdfg_rt_run *run)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    cuda_stream stream;
    if (!run->busy)
        return false;
    if (!sdfg_rt_run_queue(run, 0, &stream))
        return false;
    for (int i = 1; i < SDFG_RT_QUEUES; i++)
        if (run->busy & 1u << i && !order_behind(run, 0, i))
            return false;
    return (run->done ||
            sdfg_rt_run_check(run, "cuEventCreate", cuda->EventCreate(&run->done, CUDA_EVENT_NO_TIMING), "")) &&
           sdfg_rt_run_check(run, "cuEventRecord", cuda->EventRecord(run->done, stream), "");
}

/* What failed leaves work in the queues that uses the blocks of this run. */
static void drain(struct sdfg_rt_run *run)
{
    for (int i = 0; i < SDFG_RT_QUEUES; i++)
        if (run->busy & 1u << i)
            run->gpu->cuda->StreamSynchronize(run->queues[i]);
    run->busy = 0;
}

static void restore_queue(struct sdfg_rt_run *run)
{
    if (run->call->has_stream)
        run->queues[0] = run->own;
}

void sdfg_rt_device_end(struct sdfg_rt_run *run)
{
    cuda_context popped;
    if (!run)
        return;
    struct sdfg_rt_gpu *gpu = run->gpu;
    sdfg_rt_status_look(run);
    bool working = run->call->async && sdfg_rt_run_good(run) && leave_working(run);
    if (!working)
        sdfg_rt_device_wait(run, SDFG_RT_ALL_QUEUES);
    if (!working && run->busy)
        drain(run);
    sdfg_rt_graph_flush(run);
    drop_mirrors(run);
    sdfg_rt_device_free(run, run->faults, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(run, run->workspace, SDFG_RT_ON_DEVICE);
    run->faults = run->workspace = NULL;
    sdfg_rt_status_end(run);
    sdfg_rt_device_disown(run, !sdfg_rt_run_good(run));
    restore_queue(run);
    if (working) {
        pthread_mutex_lock(&gpu->lock);
        run->ticket = run->call->ticket;
        if (run->ticket)
            *run->ticket = (struct sdfg_rt_ticket){ .gpu = gpu, .run = run };
        run->next = gpu->working;
        gpu->working = run;
        pthread_mutex_unlock(&gpu->lock);
    } else {
        sdfg_rt_run_settled(run);
        give_run(run);
    }
    gpu->cuda->CtxPopCurrent(&popped);
}

/* Who asked for the end of the run hears of it. */
static void punch(struct sdfg_rt_run *run, int result)
{
    struct sdfg_rt_ticket *t = run->ticket;
    run->ticket = NULL;
    if (!t)
        return;
    t->run = NULL;
    if (result == CUDA_GOOD)
        return;
    char text[256], launches[600] = "";
    sdfg_rt_cuda_text(run->gpu->cuda, "cuEventSynchronize", result, text, sizeof text);
    if (sdfg_rt_cuda_is_fault(result))
        sdfg_rt_log_text(run, launches, sizeof launches);
    t->error = sdfg_rt_cuda_is_fault(result) ? SDFG_RT_DEVICE_FAULT : SDFG_RT_DEVICE;
    snprintf(t->trouble, sizeof t->trouble, "%s%s", text, launches);
}

/* Runs that have ended know nothing of their call any more. */
void sdfg_rt_run_collect(struct sdfg_rt_gpu *gpu, bool wait)
{
    for (struct sdfg_rt_run **at = &gpu->working; *at;) {
        struct sdfg_rt_run *run = *at;
        int result = wait ? gpu->cuda->EventSynchronize(run->done) : gpu->cuda->EventQuery(run->done);
        if (result == CUDA_NOT_READY) {
            at = &run->next;
            continue;
        }
        if (sdfg_rt_cuda_is_fault(result))
            gpu->lost = result;
        punch(run, result);
        *at = run->next;
        while (run->freed) {
            struct sdfg_rt_device_block *b = run->freed;
            run->freed = b->next;
            b->next = gpu->kept;
            gpu->kept = b;
        }
        run->busy = 0;
        run->num_launched = run->reuses = 0;
        memset(run->seen, 0, sizeof run->seen);
        run->next = gpu->idle;
        gpu->idle = run;
    }
}

bool sdfg_rt_device_finished(struct sdfg_rt_ticket *t, bool wait)
{
    struct sdfg_rt_gpu *gpu = t->gpu;
    cuda_context popped;
    if (!gpu)
        return true;
    bool there = gpu->cuda->CtxPushCurrent(gpu->handle) == CUDA_GOOD;
    pthread_mutex_lock(&gpu->lock);
    cuda_event done = t->run ? t->run->done : NULL;
    pthread_mutex_unlock(&gpu->lock);
    if (done && wait) /* others go on meanwhile; what it says is said again */
        gpu->cuda->EventSynchronize(done);
    pthread_mutex_lock(&gpu->lock);
    if (done)
        sdfg_rt_run_collect(gpu, false);
    bool ended = !t->run;
    pthread_mutex_unlock(&gpu->lock);
    if (there)
        gpu->cuda->CtxPopCurrent(&popped);
    return ended;
}

void sdfg_rt_run_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_run *run)
{
    for (int i = 0; i < SDFG_RT_QUEUES; i++)
        if (run->events[i])
            gpu->cuda->EventDestroy(run->events[i]);
    if (run->done)
        gpu->cuda->EventDestroy(run->done);
    sdfg_rt_time_free(gpu, run);
    for (int i = 0; i < SDFG_RT_QUEUES; i++) /* behind the events that are recorded there */
        if (run->made & 1u << i)
            gpu->cuda->StreamDestroy(run->queues[i]);
    sdfg_rt_steps_free(&run->steps);
    free(run->mirrors);
    free(run);
}
