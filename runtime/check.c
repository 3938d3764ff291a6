#include "runtime/check.h"

#include "runtime/device.h"

#include <pthread.h>
#include <string.h>

/* Faults are rare: one lock for all calls does. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Is it the first one? Then it is kept, and who found it is to be told. The lock is held. */
static bool keep(struct sdfg_rt_faults *f, const struct sdfg_rt_access *access, const int64_t *values, int64_t count)
{
    int64_t before = f->count;
    f->count += count;
    if (before)
        return false;
    f->access = access;
    f->thread = 0;
    f->kernel = NULL;
    memcpy(f->values, values, (size_t)access->rank * 3 * sizeof *values);
    return true;
}

void sdfg_rt_fault(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const int64_t *values)
{
    struct sdfg_rt_faults *f = context->faults;
    int64_t thread = sdfg_rt_thread_num(context);
    pthread_mutex_lock(&lock);
    if (f && keep(f, access, values, 1))
        f->thread = thread;
    pthread_mutex_unlock(&lock);
    sdfg_rt_fail(context, SDFG_RT_FAULT);
}

void sdfg_rt_fault_in_kernel(struct sdfg_rt_context *context, const struct sdfg_rt_access *access, const char *kernel,
                             const struct sdfg_rt_device_fault *found)
{
    struct sdfg_rt_faults *f = context->faults;
    pthread_mutex_lock(&lock);
    if (f && keep(f, access, found->values, (int64_t)found->count)) {
        f->kernel = kernel;
        memcpy(f->block, found->block, sizeof f->block);
        memcpy(f->thread_of_block, found->thread, sizeof f->thread_of_block);
    }
    pthread_mutex_unlock(&lock);
    sdfg_rt_fail(context, SDFG_RT_FAULT);
}

int64_t sdfg_rt_stopped(struct sdfg_rt_context *context)
{
    return __atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK;
}
