/* Streams and events. A stream is a list of work; waiting for it does the work. */
#include "tests/gpu/standin/driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

API CUresult cuStreamCreate(CUstream *out, unsigned flags);
API CUresult cuStreamDestroy_v2(CUstream s);
API CUresult cuStreamSynchronize(CUstream s);
API CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags);
API CUresult cuEventCreate(CUevent *out, unsigned flags);
API CUresult cuEventDestroy_v2(CUevent e);
API CUresult cuEventRecord(CUevent e, CUstream s);
API CUresult cuEventSynchronize(CUevent e);
API CUresult cuEventQuery(CUevent e);
API CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end);
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream s);
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s);
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s);
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s);
API CUresult cuMemcpy2DAsync_v2(const void *copy, CUstream s);

struct CUstream_st {
    struct work *first, **last;
    unsigned long given, done;
    struct CUstream_st *next;
};
struct CUevent_st {
    CUstream stream;
    unsigned long at;
    bool timed;
    double when; /* it was reached, in milliseconds */
};
static struct CUstream_st legacy = { .last = &legacy.first }; /* the stream NULL */
static CUstream streams = &legacy;
static CUstream destroyed; /* events may still name them */

static CUstream stream_of(CUstream s)
{
    if (!s || s == (CUstream)1 || s == (CUstream)2) /* also by the names of the legacy stream and of the thread's */
        return &legacy;
    for (CUstream at = streams; at; at = at->next)
        if (at == s)
            return s;
    return NULL;
}

static CUresult flush_until(CUstream s, unsigned long until);

static CUresult run(struct work *w)
{
    struct standin_reply r;
    void *to = w->to ? standin_at(w->to, w->bytes) : NULL, *from = w->from ? standin_at(w->from, w->bytes) : NULL;
    if ((w->to && !to) || (w->from && !from))
        return CUDA_ERROR_ILLEGAL_ADDRESS; /* freed since */
    switch (w->kind) {
    case COPY_IN:
        memcpy(to, w->staged ? w->staged : w->host, w->bytes);
        return CUDA_SUCCESS;
    case COPY_OUT:
        memcpy(w->host, from, w->bytes);
        return CUDA_SUCCESS;
    case COPY_WITHIN:
        memmove(to, from, w->bytes);
        return CUDA_SUCCESS;
    case FILL:
        memset(to, w->value, w->bytes);
        return CUDA_SUCCESS;
    case LAUNCH:
        return standin_request(&w->launch, w->params, &r);
    case STAMP: {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *w->when = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
        return CUDA_SUCCESS;
    }
    default:
        return flush_until(w->other, w->until);
    }
}

static CUresult flush_until(CUstream s, unsigned long until)
{
    while (s->first && s->done < until) {
        struct work *w = s->first;
        s->first = w->next;
        if (!s->first)
            s->last = &s->first;
        s->done++;
        CUresult result = standin_lost ? standin_lost : run(w);
        free(w->staged);
        free(w->params);
        free(w);
        if (result)
            return standin_lost = result;
    }
    return standin_lost;
}

CUresult standin_flush(CUstream s) { return flush_until(s, s->given); }

CUresult standin_flush_all(void)
{
    for (CUstream s = streams; s; s = s->next) {
        CUresult result = standin_flush(s);
        if (result)
            return result;
    }
    return standin_lost;
}

CUresult standin_queue(CUstream stream, struct work *w)
{
    CUstream s = stream_of(stream);
    struct work *own = malloc(sizeof *own);
    if (!s || !own) {
        free(own);
        return s ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_HANDLE;
    }
    *own = *w;
    own->next = NULL;
    *s->last = own;
    s->last = &own->next;
    s->given++;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    ENTER(true);
    (void)flags;
    CUstream s = calloc(1, sizeof *s);
    s->last = &s->first;
    s->next = streams;
    streams = s;
    *out = s;
    standin_change_objects(1);
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    ENTER(false);
    CUstream s = stream ? stream_of(stream) : NULL;
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    standin_flush(s);
    while (s->first)
        flush_until(s, s->given);
    for (CUstream *at = &streams; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    s->next = destroyed;
    destroyed = s;
    standin_change_objects(-1);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(true);
    CUstream s = stream_of(stream);
    return s ? standin_flush(s) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
    ENTER(true);
    (void)flags;
    struct work w = { .kind = AFTER, .other = e->stream, .until = e->at };
    return e->stream ? standin_queue(s, &w) : CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    ENTER(true);
    *out = calloc(1, sizeof **out);
    (*out)->timed = !(flags & 2);
    standin_change_objects(1);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent e)
{
    ENTER(false);
    if (e->timed && e->stream) /* work that is left would write to it */
        flush_until(e->stream, e->at);
    free(e);
    standin_change_objects(-1);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream stream)
{
    ENTER(true);
    CUstream s = stream_of(stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    struct work w = { .kind = STAMP, .when = &e->when };
    CUresult result = e->timed ? standin_queue(s, &w) : CUDA_SUCCESS;
    e->stream = s;
    e->at = s->given;
    return result;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end)
{
    ENTER(true);
    if (!begin->timed || !end->timed || !begin->stream || !end->stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (begin->stream->done < begin->at || end->stream->done < end->at)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(end->when - begin->when);
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent e)
{
    ENTER(true);
    return e->stream ? flush_until(e->stream, e->at) : CUDA_SUCCESS;
}

/* Each question brings the work further. */
CUresult cuEventQuery(CUevent e)
{
    ENTER(true);
    if (!e->stream || e->stream->done >= e->at)
        return CUDA_SUCCESS;
    CUresult result = flush_until(e->stream, e->stream->done + 1);
    return result ? result : CUDA_ERROR_NOT_READY;
}

/* ---- copies ---- */

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream s)
{
    ENTER(true);
    struct work w = { .kind = FILL, .to = to, .bytes = bytes, .value = value };
    return standin_at(to, bytes) ? standin_queue(s, &w) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_in(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    struct work w = { .kind = COPY_IN, .to = to, .host = (void *)(uintptr_t)from, .bytes = bytes };
    if (!standin_at(to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_is_pinned(from))
        w.staged = memcpy(malloc(bytes), from, bytes);
    standin_count_bytes(0, bytes);
    return standin_queue(s, &w);
}

static CUresult copy_out(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    struct work w = { .kind = COPY_OUT, .from = from, .host = to, .bytes = bytes };
    if (!standin_at(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    standin_count_bytes(1, bytes);
    CUresult result = standin_queue(stream, &w);
    return result || standin_is_pinned(to) ? result : standin_flush(stream_of(stream));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    ENTER(true);
    return copy_in(to, from, bytes, s);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    ENTER(true);
    return copy_out(to, from, bytes, s);
}

static CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    struct work w = { .kind = COPY_WITHIN, .to = to, .from = from, .bytes = bytes };
    if (!standin_at(to, bytes) || !standin_at(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    standin_count_bytes(2, bytes);
    return standin_queue(s, &w);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    ENTER(true);
    return copy_within(to, from, bytes, s);
}

typedef struct {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

CUresult cuMemcpy2DAsync_v2(const void *copy, CUstream s)
{
    ENTER(true);
    const CUDA_MEMCPY2D *c = copy;
    enum { HOST = 1, DEVICE = 2 };
    CUresult result = CUDA_SUCCESS;
    if (c->srcPitch < c->WidthInBytes || c->dstPitch < c->WidthInBytes)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t row = 0; row < c->Height && !result; row++) {
        size_t from = (row + c->srcY) * c->srcPitch + c->srcXInBytes,
               to = (row + c->dstY) * c->dstPitch + c->dstXInBytes;
        if (c->srcMemoryType == HOST)
            result = copy_in(c->dstDevice + to, (const char *)c->srcHost + from, c->WidthInBytes, s);
        else if (c->dstMemoryType == HOST)
            result = copy_out((char *)c->dstHost + to, c->srcDevice + from, c->WidthInBytes, s);
        else
            result = copy_within(c->dstDevice + to, c->srcDevice + from, c->WidthInBytes, s);
    }
    return result;
}
