#include "engine/cli/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sdfg_error *streams_make(struct streams *s, sdfg_args *args, const char *name, const sdfg_argument *a, bool *made,
                         bool *memory)
{
    int rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK], queues;
    sdfg_error *e = sdfg_args_layout(args, name, &rank, shape, strides, &queues);
    size_t bytes = sdfg_dtype_size(a->dtype) * (size_t)a->lanes;
    sdfg_stream *stream = NULL;
    *made = false;
    *memory = true;
    if (!e && !bytes)
        return NULL; /* the call says that it is missing */
    if (!e)
        e = sdfg_stream_new(&stream, bytes, queues > 0 ? (size_t)queues : 0);
    if (e)
        return e;
    struct stream_input *items = realloc(s->items, (s->count + 1) * sizeof *items);
    char *copy = strdup(name);
    if (items)
        s->items = items;
    if (!items || !copy) {
        free(copy);
        sdfg_stream_free(stream);
        *memory = false;
        return NULL;
    }
    *made = true;
    s->items[s->count++] = (struct stream_input){ copy, stream, a->dtype, a->lanes, (size_t)queues };
    return sdfg_args_stream(args, name, stream);
}

bool streams_fill(const struct streams *s, const struct tensor *t, char *why, size_t size)
{
    const struct stream_input *i = &s->items[s->count - 1];
    int64_t count = tensor_count(t);
    why[0] = 0;
    if (i->num_queues != 1)
        snprintf(why, size, "it has %zu queues, and a file fills one", i->num_queues);
    else if (t->dtype != i->dtype || count % i->lanes)
        snprintf(why, size, "its elements are of type %s, those of the file of type %s", sdfg_dtype_name(i->dtype),
                 sdfg_dtype_name(t->dtype));
    if (*why)
        return false;
    sdfg_error *e = sdfg_stream_push(i->stream, 0, t->data, (size_t)(count / i->lanes));
    snprintf(why, size, "%s", e ? "out of memory" : "");
    sdfg_error_free(e);
    return !*why;
}

bool streams_have(const struct streams *s, const char *name)
{
    size_t length = strcspn(name, "[");
    for (size_t i = 0; i < s->count; i++) {
        const struct stream_input *in = &s->items[i];
        char *end = NULL;
        if (strncmp(in->name, name, length) || in->name[length])
            continue;
        if (in->num_queues == 1)
            return !name[length];
        size_t queue = name[length] ? strtoul(name + length + 1, &end, 10) : 0;
        return end && !strcmp(end, "]") && queue < in->num_queues;
    }
    return false;
}

bool streams_take(const struct stream_input *s, size_t queue, struct tensor *out)
{
    size_t count = sdfg_stream_size(s->stream, queue), bytes = sdfg_dtype_size(s->dtype);
    if (!tensor_alloc(out, s->dtype, bytes, s->lanes > 1 ? 2 : 1, (int64_t[]){ (int64_t)count, s->lanes }))
        return false;
    out->shape[0] = (int64_t)sdfg_stream_pop(s->stream, queue, out->data, count);
    return true;
}

void streams_release(struct streams *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].name);
        sdfg_stream_free(s->items[i].stream);
    }
    free(s->items);
}
