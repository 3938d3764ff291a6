/* What kernels and transfers took, between events of the driver, and how long the host waited: timings of the call
 * beside those of the program's elements. The device's clock meets the host's at an event that the host waits for. */
#include "runtime/device_internal.h"
#include "runtime/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALL = 4096 /* kept before they are told, which waits for them */ };

struct sdfg_rt_marks {
    cuda_event meeting; /* of the clocks */
    int64_t met;        /* when that was, on the host's in nanoseconds; 0: not yet in this run */
    size_t count;       /* of this run so far */
    struct sdfg_rt_mark {
        const struct sdfg_rt_element *element;
        int64_t bytes;
        cuda_event begin, end;
    } all[ALL];
};

static const struct sdfg_rt_element transfer_in = { 0, -1, -1, "Transfer in\0GPU_Events" };
static const struct sdfg_rt_element transfer_out = { 0, -1, -1, "Transfer out\0GPU_Events" };
static const struct sdfg_rt_element transfer_within = { 0, -1, -1, "Transfer within\0GPU_Events" };
static const struct sdfg_rt_element clear = { 0, -1, -1, "Clear\0GPU_Events" };
static const struct sdfg_rt_element wait = { 0, -1, -1, "Wait\0GPU_Events" };

/* ---- events ---- */

static bool record(struct sdfg_rt_run *run, cuda_event *event, cuda_stream stream)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    return (*event || sdfg_rt_run_check(run, "cuEventCreate", cuda->EventCreate(event, 0), "")) &&
           sdfg_rt_run_check(run, "cuEventRecord", cuda->EventRecord(*event, stream), "");
}

static bool meet(struct sdfg_rt_run *run, cuda_stream stream)
{
    struct sdfg_rt_marks *m = run->marks;
    if (m->met)
        return true;
    bool good = record(run, &m->meeting, stream) &&
                sdfg_rt_run_check(run, "cuEventSynchronize", run->gpu->cuda->EventSynchronize(m->meeting), "");
    m->met = sdfg_rt_clock();
    return good;
}

static struct sdfg_rt_mark *begin(struct sdfg_rt_run *run, const struct sdfg_rt_element *element, int64_t bytes,
                                  cuda_stream stream)
{
    if (!element)
        return NULL;
    if (!run->marks && !(run->marks = calloc(1, sizeof *run->marks))) {
        sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    struct sdfg_rt_marks *m = run->marks;
    if (m->count == ALL) {
        unsigned busy = run->busy; /* with the queue that gets work now */
        sdfg_rt_device_wait(run, SDFG_RT_ALL_QUEUES);
        run->busy |= busy;
    }
    if (!sdfg_rt_run_good(run) || !meet(run, stream))
        return NULL;
    struct sdfg_rt_mark *mark = &m->all[m->count];
    mark->element = element;
    mark->bytes = bytes;
    return record(run, &mark->begin, stream) ? mark : NULL;
}

static bool is_timed(const struct sdfg_rt_run *run)
{
    return run->context->timings && run->gpu->cuda->EventElapsedTime;
}

struct sdfg_rt_mark *sdfg_rt_time_kernel(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_stream stream)
{
    return is_timed(run) ? begin(run, sdfg_rt_timings_name(run->context, k, "Kernel ", k->name), 0, stream) : NULL;
}

/* The path is of the program and stays where it is. */
struct sdfg_rt_mark *sdfg_rt_time_library(struct sdfg_rt_run *run, const char *function, const char *path,
                                          cuda_stream stream)
{
    char name[256];
    if (!is_timed(run))
        return NULL;
    snprintf(name, sizeof name, "%s of %s", function, path);
    return begin(run, sdfg_rt_timings_name(run->context, path, "Library ", name), 0, stream);
}

struct sdfg_rt_mark *sdfg_rt_time_copy(struct sdfg_rt_run *run, int64_t direction, int64_t bytes, cuda_stream stream)
{
    const struct sdfg_rt_element *e = direction == SDFG_RT_TO_DEVICE ? &transfer_in
                                      : direction == SDFG_RT_TO_HOST ? &transfer_out
                                                                     : &transfer_within;
    return is_timed(run) ? begin(run, e, bytes, stream) : NULL;
}

struct sdfg_rt_mark *sdfg_rt_time_clear(struct sdfg_rt_run *run, int64_t bytes, cuda_stream stream)
{
    return is_timed(run) ? begin(run, &clear, bytes, stream) : NULL;
}

void sdfg_rt_time_end(struct sdfg_rt_run *run, struct sdfg_rt_mark *mark, cuda_stream stream)
{
    if (mark && sdfg_rt_run_good(run) && record(run, &mark->end, stream))
        run->marks->count++;
}

/* ---- telling ---- */

int64_t sdfg_rt_time_wait_begin(struct sdfg_rt_run *run) { return is_timed(run) ? sdfg_rt_clock() : 0; }

void sdfg_rt_time_wait_end(struct sdfg_rt_run *run, int64_t since)
{
    if (since)
        sdfg_rt_timings_add(
            run->context,
            &(struct sdfg_rt_timing){ .element = &wait, .thread = gettid(), .begin = since, .end = sdfg_rt_clock() });
}

static int64_t since_meeting(struct sdfg_rt_run *run, cuda_event event)
{
    float milliseconds = 0;
    int result = run->gpu->cuda->EventElapsedTime(&milliseconds, run->marks->meeting, event);
    sdfg_rt_run_check(run, "cuEventElapsedTime", result, "");
    return run->marks->met + (int64_t)(1e6 * (double)milliseconds);
}

void sdfg_rt_time_tell(struct sdfg_rt_run *run)
{
    struct sdfg_rt_marks *m = run->marks;
    for (size_t i = 0; m && i < m->count && sdfg_rt_run_good(run); i++) {
        struct sdfg_rt_timing t = { .element = m->all[i].element, .bytes = m->all[i].bytes };
        t.begin = since_meeting(run, m->all[i].begin);
        t.end = since_meeting(run, m->all[i].end);
        sdfg_rt_timings_add(run->context, &t);
    }
    if (m)
        m->count = 0;
}

void sdfg_rt_time_begin_run(struct sdfg_rt_run *run)
{
    if (!run->marks)
        return;
    run->marks->count = 0;
    run->marks->met = 0;
}

void sdfg_rt_time_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_run *run)
{
    struct sdfg_rt_marks *m = run->marks;
    if (!m)
        return;
    if (m->meeting)
        gpu->cuda->EventDestroy(m->meeting);
    for (size_t i = 0; i < ALL; i++) {
        if (m->all[i].begin)
            gpu->cuda->EventDestroy(m->all[i].begin);
        if (m->all[i].end)
            gpu->cuda->EventDestroy(m->all[i].end);
    }
    free(m);
}
