/* Stream arguments of sdfg-run: empty queues, or one with the elements of a file; what the program leaves in them are
 * arrays afterwards. */
#ifndef ENGINE_CLI_STREAMS_H
#define ENGINE_CLI_STREAMS_H

#include "engine/cli/tensor.h"

#include <stdbool.h>

struct stream_input {
    char *name;
    sdfg_stream *stream;
    sdfg_dtype dtype;
    int lanes;
    size_t num_queues;
};

struct streams {
    struct stream_input *items;
    size_t count;
};

/* Makes the queues of the argument `name`, which `a` describes, and gives them to the arguments. *made: whether there
 * are any; their elements may be of a type that has no size. *memory: whether there was enough, without an error. */
sdfg_error *streams_make(struct streams *s, sdfg_args *args, const char *name, const sdfg_argument *a, bool *made,
                         bool *memory);
/* Fills the one queue of the stream that was made last. False with the reason in `why`. */
bool streams_fill(const struct streams *s, const struct tensor *t, char *why, size_t size);
/* Is it a stream with one queue ("S"), or one of several queues ("S[2]")? */
bool streams_have(const struct streams *s, const char *name);
/* Takes everything out of queue `queue` as an array of one dimension (two for vectors); false if there is no memory. */
bool streams_take(const struct stream_input *s, size_t queue, struct tensor *out);
void streams_release(struct streams *s);

#endif
