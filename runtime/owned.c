#include "runtime/owned.h"

#include "runtime/runtime.h"

#include <sched.h>

/* Outside of parallel regions there is one thread, and what the others did before is visible to it. */
static bool lock(struct sdfg_rt_context *context)
{
    if (!sdfg_rt_team())
        return false;
    while (__atomic_exchange_n(&context->owned_lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    return true;
}

static void unlock(struct sdfg_rt_context *context, bool locked)
{
    if (locked)
        __atomic_store_n(&context->owned_lock, 0, __ATOMIC_RELEASE);
}

static struct sdfg_rt_owned **first_of(struct sdfg_rt_context *context)
{
    return (struct sdfg_rt_owned **)&context->owned;
}

void sdfg_rt_own(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned)
{
    bool locked = lock(context);
    struct sdfg_rt_owned **first = first_of(context);
    owned->link = first;
    owned->next = *first;
    if (owned->next)
        owned->next->link = &owned->next;
    *first = owned;
    unlock(context, locked);
}

void sdfg_rt_give_up(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned)
{
    bool locked = lock(context); /* the neighbours, which other threads own, write the link */
    if (owned->link) {
        *owned->link = owned->next;
        if (owned->next)
            owned->next->link = owned->link;
        owned->link = NULL;
    }
    unlock(context, locked);
}

void sdfg_rt_release(struct sdfg_rt_context *context)
{
    for (struct sdfg_rt_owned *o = *first_of(context); o; o = *first_of(context))
        o->release(context, o);
}

void sdfg_rt_hand_over(struct sdfg_rt_context *context)
{
    for (struct sdfg_rt_owned *o = *first_of(context); o; o = o->next)
        o->link = NULL;
    context->owned = NULL;
}
