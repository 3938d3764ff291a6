#include "engine/kernels/device_code.h"

#include "base/text.h"
#include "cache/hash.h"
#include "cache/memory.h"
#include "engine/host.h"
#include "engine/kernels/disk.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_SHARE = 8 }; /* of the memory that compiled programs may take */

struct device_code {
    struct memory_item item;
    struct cache_hash hash;
    struct device_code *next;
    size_t size;
    char bytes[];
};

struct device_codes {
    pthread_mutex_t lock; /* guards the rest */
    struct memory_list memory;
    struct device_code *first;
    int arch;   /* of the device; 0: not known yet */
    int driver; /* version of CUDA that its driver knows; 0: not known */
};

struct device_codes *device_codes_new(struct sdfg_engine *e)
{
    struct device_codes *c = NEW(e->arena, struct device_codes);
    pthread_mutex_init(&c->lock, NULL);
    c->memory.limit = e->options.memory_bytes / MEMORY_SHARE;
    return c;
}

static struct device_code *take(struct device_codes *c, const struct device_code *code)
{
    for (struct device_code **at = &c->first; *at; at = &(*at)->next)
        if (*at == code) {
            struct device_code *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

void device_codes_free(struct device_codes *c)
{
    if (!c)
        return;
    while (c->first)
        free(take(c, c->first));
    pthread_mutex_destroy(&c->lock);
}

/* ---- memory ---- */

static bool same(struct cache_hash a, struct cache_hash b) { return a.high == b.high && a.low == b.low; }

static const void *find(struct device_codes *c, struct cache_hash hash, struct arena *a, size_t *size)
{
    struct cleanup locked;
    const void *found = NULL;
    guard_lock(&locked, &c->lock);
    for (struct device_code *d = c->first; d && !found; d = d->next)
        if (same(d->hash, hash)) {
            memory_use(&c->memory, &d->item);
            *size = d->size;
            found = arena_copy(a, d->bytes, d->size);
        }
    guard_unlock(&locked);
    return found;
}

static void keep(struct device_codes *c, struct cache_hash hash, const void *bytes, size_t size)
{
    struct device_code *d = malloc(sizeof *d + size);
    if (!d)
        return;
    *d = (struct device_code){ .hash = hash, .size = size };
    memcpy(d->bytes, bytes, size);
    pthread_mutex_lock(&c->lock);
    d->next = c->first;
    c->first = d;
    memory_add(&c->memory, &d->item, sizeof *d + size);
    struct memory_item *dropped;
    while ((dropped = memory_drop(&c->memory)))
        free(take(c, (struct device_code *)((char *)dropped - offsetof(struct device_code, item))));
    pthread_mutex_unlock(&c->lock);
}

/* ---- memory and disk ---- */

const void *device_code_load(void *engine, const char *key, size_t key_size, struct arena *a, size_t *size)
{
    struct sdfg_engine *e = engine;
    struct cache_hash hash = cache_hash(key, key_size);
    const void *code = find(e->device_codes, hash, a, size);
    if (code || !e->disk)
        return code;
    code = cache_look(disk_store_of(e->disk), key, key_size, a, size);
    if (code)
        keep(e->device_codes, hash, code, *size);
    return code;
}

void device_code_store(void *engine, const char *key, size_t key_size, const void *code, size_t size)
{
    struct sdfg_engine *e = engine;
    keep(e->device_codes, cache_hash(key, key_size), code, size);
    if (e->disk)
        cache_leave(disk_store_of(e->disk), key, key_size, code, size);
}

/* ---- for which device ---- */

bool device_arch(struct sdfg_engine *e, int *arch, char *trouble)
{
    struct device_codes *c = e->device_codes;
    struct sdfg_rt_device_info info = { 0 };
    *arch = e->options.arch;
    if (*arch)
        return true;
    pthread_mutex_lock(&c->lock);
    *arch = c->arch;
    pthread_mutex_unlock(&c->lock);
    if (*arch)
        return true;
    if (!sdfg_rt_device_describe(e->cuda_device < 0 ? 0 : e->cuda_device, &info, trouble))
        return false;
    *arch = info.arch;
    pthread_mutex_lock(&c->lock);
    c->arch = info.arch;
    c->driver = info.driver;
    pthread_mutex_unlock(&c->lock);
    return true;
}

bool device_library(struct sdfg_engine *e, enum sdfg_rt_library which, struct sdfg_rt_device_file *out)
{
    struct device_codes *c = e->device_codes;
    pthread_mutex_lock(&c->lock);
    int driver = c->driver;
    pthread_mutex_unlock(&c->lock);
    return sdfg_rt_device_library(which, driver, out);
}

bool device_key(struct sdfg_engine *e, struct text *out)
{
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    static const char *const libraries[] = {
        [SDFG_RT_CUBLAS] = "cublas", [SDFG_RT_CUSOLVER] = "cusolver", [SDFG_RT_CUFFT] = "cufft"
    };
    struct sdfg_rt_device_file file;
    int arch;
    if (!device_arch(e, &arch, trouble))
        return false;
    text_printf(out, "device sm_%d\n", arch);
    host_nvrtc(out);
    for (int i = 0; i < (int)(sizeof libraries / sizeof *libraries); i++)
        if (device_library(e, (enum sdfg_rt_library)i, &file))
            text_printf(out, "%s %s %lld %lld.%09lld\n", libraries[i], file.path, (long long)file.size,
                        (long long)file.seconds, (long long)file.nanoseconds);
    return true;
}
