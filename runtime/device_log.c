/* Faults of code on the device are seen at the next wait: then the launches since the last wait are named. */
#include "runtime/device_internal.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 4 }; /* launches in a text */

void sdfg_rt_log_add(struct sdfg_rt_run *run, int64_t kernel, const int64_t *shape)
{
    struct sdfg_rt_launched *l = &run->log[run->num_launched++ % SDFG_RT_LOGGED];
    l->library = NULL;
    l->kernel = kernel;
    memcpy(l->shape, shape, sizeof l->shape);
}

void sdfg_rt_log_library(struct sdfg_rt_run *run, const char *path)
{
    run->log[run->num_launched++ % SDFG_RT_LOGGED] = (struct sdfg_rt_launched){ .library = path };
}

static size_t written(int length, size_t size)
{
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static size_t add(const struct sdfg_rt_run *run, const struct sdfg_rt_launched *l, char *out, size_t size)
{
    if (l->library)
        return written(snprintf(out, size, "a library for %s", l->library), size);
    const struct sdfg_rt_kernel *k = &run->image->kernels[l->kernel];
    const int64_t *s = l->shape;
    char line[32] = "";
    if (k->line)
        snprintf(line, sizeof line, ", line %d", k->line);
    int length = snprintf(out, size, "%s%s%s%s with %lld x %lld x %lld blocks of %lld x %lld x %lld threads", k->name,
                          *k->path ? " of " : "", k->path, line, (long long)s[0], (long long)s[1], (long long)s[2],
                          (long long)s[3], (long long)s[4], (long long)s[5]);
    return written(length, size);
}

static bool is_same(const struct sdfg_rt_launched *a, const struct sdfg_rt_launched *b)
{
    return a->library == b->library && a->kernel == b->kernel;
}

void sdfg_rt_log_text(const struct sdfg_rt_run *run, char *out, size_t size)
{
    uint64_t count = run->num_launched, listed = 0;
    size_t used = 0;
    *out = 0;
    if (!count)
        return;
    used += (size_t)snprintf(out, size,
                             count > 1             ? ": one of the last %llu kernels, "
                             : run->log[0].library ? ": "
                                                   : ": kernel ",
                             (unsigned long long)count);
    for (uint64_t i = count; i > 0 && listed < NAMED && count - i < SDFG_RT_LOGGED && used + 1 < size; i--) {
        const struct sdfg_rt_launched *l = &run->log[(i - 1) % SDFG_RT_LOGGED];
        bool again = i < count && is_same(&run->log[i % SDFG_RT_LOGGED], l);
        if (again)
            continue;
        if (listed++)
            used += (size_t)snprintf(out + used, size - used, "; ");
        if (used + 1 < size)
            used += add(run, l, out + used, size - used);
    }
}
