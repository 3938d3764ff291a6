/* Info codes that nobody but the end of the call asks for: libraries leave them in memory of the device, and a code
 * that says that a matrix had no factors or inverse fails the call. */
#include "runtime/device_internal.h"

#include <stdlib.h>

enum { ROOM = 4096 };

/* The codes so far, with a wait. */
void sdfg_rt_status_look(struct sdfg_rt_run *run)
{
    struct sdfg_rt_statuses *s = &run->statuses;
    if (!s->used || !sdfg_rt_run_good(run))
        return;
    int64_t used = s->used, bytes = used * (int64_t)sizeof(int32_t);
    int32_t *codes = malloc((size_t)bytes);
    s->used = 0;
    if (!codes) {
        sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
        return;
    }
    sdfg_rt_device_copy(run, codes, s->codes, bytes, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_wait(run, 0);
    for (int64_t i = 0; sdfg_rt_run_good(run) && i < used; i++)
        if (codes[i] > 0)
            sdfg_rt_fail(run->context, SDFG_RT_SINGULAR);
    free(codes);
}

int32_t *sdfg_rt_status_take(struct sdfg_rt_run *run, int64_t count)
{
    struct sdfg_rt_statuses *s = &run->statuses;
    if (s->used + count > s->room) {
        sdfg_rt_status_look(run);
        if (count > s->room) {
            sdfg_rt_device_free(run, s->codes, SDFG_RT_ON_DEVICE);
            s->room = count > ROOM ? count : ROOM;
            s->codes = sdfg_rt_device_alloc(run, s->room * (int64_t)sizeof(int32_t), SDFG_RT_ON_DEVICE);
            if (!s->codes)
                s->room = 0;
        }
    }
    if (!s->codes || !sdfg_rt_run_good(run))
        return NULL;
    int32_t *taken = s->codes + s->used;
    s->used += count;
    return taken;
}

void sdfg_rt_device_demand(struct sdfg_rt_context *context, int64_t count, const int32_t *codes)
{
    int64_t bytes = count * (int64_t)sizeof(int32_t);
    int32_t *taken = count > 0 ? sdfg_rt_status_take(context->run, count) : NULL;
    if (taken)
        sdfg_rt_device_copy(context->run, taken, codes, bytes, 1, bytes, bytes, SDFG_RT_WITHIN_DEVICE, 0);
}

void sdfg_rt_status_end(struct sdfg_rt_run *run)
{
    sdfg_rt_device_free(run, run->statuses.codes, SDFG_RT_ON_DEVICE);
    run->statuses = (struct sdfg_rt_statuses){ .codes = NULL };
}
