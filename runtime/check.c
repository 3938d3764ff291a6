#include "runtime/check.h"

#include <pthread.h>
#include <string.h>

/* Faults are rare: one lock for all calls does. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sdfg_rt_fault(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const int64_t *values)
{
    struct sdfg_rt_faults *f = context->faults;
    int64_t thread = sdfg_rt_thread_num(context);
    pthread_mutex_lock(&lock);
    if (f && !f->count++) {
        f->access = access;
        f->thread = thread;
        memcpy(f->values, values, (size_t)access->rank * 3 * sizeof *values);
    }
    pthread_mutex_unlock(&lock);
    sdfg_rt_fail(context, SDFG_RT_FAULT);
}

int64_t sdfg_rt_stopped(struct sdfg_rt_context *context)
{
    return __atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK;
}
