/* Streams that callers make: the queues of the runtime with their size. */
#include "engine/args/stream.h"

#include "engine/call/call.h"
#include "runtime/abi.h"
#include "runtime/stream.h"

#include <stdlib.h>

sdfg_error *sdfg_stream_new(sdfg_stream **out, size_t item_bytes, size_t num_queues)
{
    enum { MOST = 1 << 24 };
    struct sdfg_rt_context context = { 0 };
    NEEDS(out);
    *out = NULL;
    if (!item_bytes || item_bytes > MOST || !num_queues || num_queues > MOST)
        return run_error(SDFG_RT_BAD_VALUE);
    sdfg_stream *s = calloc(1, sizeof *s);
    struct sdfg_rt_stream **queues = calloc(num_queues, sizeof(struct sdfg_rt_stream *));
    if (s && queues) {
        *s = (sdfg_stream){ .item_bytes = item_bytes, .num_queues = num_queues, .queues = queues };
        sdfg_rt_stream_open(&context, queues, (int64_t)num_queues, (int64_t)item_bytes);
        if (!context.error) {
            sdfg_rt_hand_over(&context);
            *out = s;
            return NULL;
        }
        sdfg_rt_stream_close(&context, queues, (int64_t)num_queues);
    }
    free(queues);
    free(s);
    return run_error(SDFG_RT_OUT_OF_MEMORY);
}

void sdfg_stream_free(sdfg_stream *s)
{
    if (!s)
        return;
    struct sdfg_rt_context context = { 0 };
    sdfg_rt_stream_close(&context, s->queues, (int64_t)s->num_queues);
    free(s->queues);
    free(s);
}

sdfg_error *sdfg_stream_push(sdfg_stream *s, size_t queue, const void *items, size_t count)
{
    NEEDS(s);
    NEEDS_FOR(items, count);
    struct sdfg_rt_context context = { 0 };
    if (queue >= s->num_queues || count > INT64_MAX / s->item_bytes)
        return run_error(SDFG_RT_BAD_VALUE);
    sdfg_rt_stream_push(&context, s->queues[queue], items, (int64_t)count);
    return run_error(context.error);
}

size_t sdfg_stream_pop(sdfg_stream *s, size_t queue, void *items, size_t most)
{
    struct sdfg_rt_context context = { 0 };
    if (!s || !items || queue >= s->num_queues || !most)
        return 0;
    int64_t count = most < INT64_MAX ? (int64_t)most : INT64_MAX;
    return (size_t)sdfg_rt_stream_try_pop(&context, s->queues[queue], items, count);
}

size_t sdfg_stream_size(sdfg_stream *s, size_t queue)
{
    struct sdfg_rt_context context = { 0 };
    int64_t size = s && queue < s->num_queues ? sdfg_rt_stream_size(&context, s->queues[queue]) : 0;
    return size > 0 ? (size_t)size : 0;
}
