/* What a call has made and not given back: memory, streams. Code that stops in the middle of a call (exhausted memory,
 * a fault, sdfg_call_cancel) leaves it behind; whoever ran the call releases it then. */
#ifndef RUNTIME_OWNED_H
#define RUNTIME_OWNED_H

#include "runtime/abi.h"

/* Part of each such object. */
struct sdfg_rt_owned {
    struct sdfg_rt_owned *next, **link; /* link: what points here; NULL: it belongs to no call */
    void (*release)(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned);
};

/* Any thread of the call. */
void sdfg_rt_own(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned);
/* Before the object goes. */
void sdfg_rt_give_up(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned);

#endif
