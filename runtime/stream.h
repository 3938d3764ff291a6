/* Streams: queues of elements that programs push to and pop from, any number of threads on both ends (semantics.md
 * 5.5). A queue is unbounded, so that pushing never waits; elements of one thread keep their order. Elements are
 * copied as bytes.
 *
 * A stream in memory is an array of handles, one for each queue of its shape. A queue that could not be made is a null
 * handle, after the error has been recorded; every function accepts it and finds it empty. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include "runtime/runtime.h"

struct sdfg_rt_stream;

/* Makes `count` empty queues for elements of `bytes` bytes. */
void sdfg_rt_stream_open(struct sdfg_rt_context *context, struct sdfg_rt_stream **handles, int64_t count,
                         int64_t bytes);
void sdfg_rt_stream_close(struct sdfg_rt_context *context, struct sdfg_rt_stream **handles, int64_t count);

void sdfg_rt_stream_push(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, const void *elements,
                         int64_t count);
/* Takes up to `count` elements and gives their number; waits for the first one. Where no other thread can push any more
 * it records the error and gives 0; memory for one element is then cleared. */
int64_t sdfg_rt_stream_pop(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements, int64_t count);
int64_t sdfg_rt_stream_try_pop(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements,
                               int64_t count);
/* Appends everything in `from` to `to`. */
void sdfg_rt_stream_move(struct sdfg_rt_context *context, struct sdfg_rt_stream *from, struct sdfg_rt_stream *to);
int64_t sdfg_rt_stream_size(struct sdfg_rt_context *context, struct sdfg_rt_stream *s);

/* ---- consume scopes (semantics.md 5.4): elements that were taken are being worked on until they are done ---- */

/* As try_pop, but waits while the queue is empty and elements are being worked on, because that may push more. 0 means
 * that all work is done. */
int64_t sdfg_rt_stream_take(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements, int64_t count);
/* The same without waiting. */
int64_t sdfg_rt_stream_try_take(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, void *elements,
                                int64_t count);
void sdfg_rt_stream_done(struct sdfg_rt_context *context, struct sdfg_rt_stream *s, int64_t count);
/* For workers that run until a condition holds: waits a moment for elements. 0 if no thread is left that could push any
 * or change the condition. */
int64_t sdfg_rt_stream_wait(struct sdfg_rt_context *context, struct sdfg_rt_stream *s);
/* Records that the program waits for ever. */
void sdfg_rt_stream_stuck(struct sdfg_rt_context *context);

#endif
