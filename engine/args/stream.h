/* Streams that callers make. */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include "engine/include/sdfg.h"

struct sdfg_rt_stream;

struct sdfg_stream {
    size_t item_bytes, num_queues;
    struct sdfg_rt_stream **queues; /* what programs take */
};

#endif
