#include "engine/kernels/disk.h"

#include "base/text.h"
#include "cache/hash.h"
#include "engine/host.h"
#include "engine/kernels/device_code.h"
#include "engine/kernels/disk_entry.h"
#include "engine/program/interface.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { LAYOUT_OF_KEYS = 2 };

struct disk {
    struct sdfg_engine *engine;
    struct arena *arena;
    struct cache_store *store;
    pthread_mutex_t lock;    /* guards what follows, and the arena */
    const char *host;        /* part of all keys; NULL until it is needed */
    const char *why;         /* there is none */
    struct writing *writing; /* not waited for yet; one at a time */
};

static const char *ruled_out(const sdfg_options *o)
{
    if (!o->cache_dir)
        return "no folder is set";
#define CODE(field, name, type)
#define WATCH(field, name, type, why)                                                                                  \
    if (o->field)                                                                                                      \
        return why;
#define OTHER(field)
#include "engine/options.def"
    return NULL;
}

struct disk *disk_new(struct sdfg_engine *e, const char **why)
{
    const sdfg_options *o = &e->options;
    *why = ruled_out(o);
    if (*why)
        return NULL;
    struct arena *a = arena_new();
    struct disk *d = NEW(a, struct disk);
    d->engine = e;
    d->arena = a;
    d->store = cache_store_new(o->cache_dir, (struct cache_limits){ o->cache_bytes, o->cache_days * 24 * 3600 });
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

struct cache_store *disk_store_of(struct disk *d) { return d->store; }

/* ---- keys ---- */

static const char *host_now(struct disk *d, struct arena *a, const char **why)
{
    struct text t = text_new(a);
    if (!host_builds(&t, engine_codegen_file(d->engine, a), why))
        return NULL;
    host_processor(&t);
    return text_get(&t);
}

const char *disk_host(struct disk *d, const char **why)
{
    struct cleanup locked;
    guard_lock(&locked, &d->lock);
    if (!d->host && !d->why)
        d->host = host_now(d, d->arena, &d->why);
    *why = d->why;
    guard_unlock(&locked);
    return d->host;
}

static const char *content_of(const struct sdfg_program *p, struct arena *a)
{
    return arena_printf(a, "program %s %llu\n", p->content, (unsigned long long)p->json_size);
}

/* What code is made of: places in sources only if it has them. */
static const char *meaning_of(const struct sdfg_program *p, struct arena *a)
{
    const sdfg_options *o = &p->engine->options;
    bool places = o->profiler || o->timing || o->check || o->instrument || o->save_data || o->restore_data;
    return *p->meaning && !places ? arena_printf(a, "meaning %s\n", p->meaning) : content_of(p, a);
}

static const char *interface_key(struct disk *d, const struct sdfg_program *p, struct arena *a)
{
    const char *why, *of_host = disk_host(d, &why);
    return of_host ? arena_printf(a, "interface %d\n%s%s", LAYOUT_OF_KEYS, of_host, content_of(p, a)) : NULL;
}

const char *disk_key(struct disk *d, const struct sdfg_program *p, const struct signature *s, bool quick,
                     struct arena *a, const char **why)
{
    const sdfg_options *o = &p->engine->options;
    *why = "the program consists of several files";
    const char *of_host = p->external ? NULL : disk_host(d, why);
    if (!of_host)
        return NULL;
    struct text t = text_new(a);
    text_printf(&t, "kernel %d\n%s%s", LAYOUT_OF_KEYS, of_host, meaning_of(p, a));
    text_printf(&t, "name %.*s\n", (int)strcspn(p->name, "\n"), p->name); /* for people: it is part of the content */
    text_add(&t, "options");
#define CODE(field, name, type) text_printf(&t, " " #field "=%d", (int)(type)o->field);
#define WATCH(field, name, type, why)
#define OTHER(field)
#include "engine/options.def"
    text_printf(&t, " tier=%s", quick ? "quick" : "full");
    text_printf(&t, "\nalignment %u\n", s->alignment);
    if (signature_passes(p, s))
        text_printf(&t, "passes %s\n", signature_passes(p, s));
    *why = "there is no device to compile for";
    if (s->device && !device_key(p->engine, &t))
        return NULL;
    for (uint32_t i = 0; i < s->num_bound; i++)
        text_printf(&t, "bound %s %lld\n", s->bound[i].name, (long long)s->bound[i].value);
    for (uint32_t i = 0; i < s->num_may_alias; i++)
        text_printf(&t, "alias %s\n", s->may_alias[i]);
    for (size_t i = 0; i < p->engine->nodes.classes.count; i++)
        text_printf(&t, "node %s\n", p->engine->nodes.classes.items[i]);
    registry_key(p->engine, &t);
    return text_get(&t);
}

/* ---- reading ---- */

bool disk_load(struct disk *d, const char *key, struct sdfg_kernel *k)
{
    struct arena *a = arena_new();
    size_t size;
    const char *why;
    const void *payload = cache_get(d->store, key, strlen(key), a, &size);
    bool ok = payload && kernel_read(payload, size, d->engine->options.profiler, k, a, &why);
    if (payload && !ok) {
        if (why)
            cache_reject(d->store, key, strlen(key), why);
        place_free(k->placed);
        k->placed = NULL;
        k->code = (struct codegen_result){ 0 };
    }
    arena_free(a);
    return ok;
}

bool disk_load_interface(struct disk *d, struct sdfg_program *p)
{
    struct arena *a = arena_new();
    size_t size;
    const char *key = interface_key(d, p, a);
    const void *payload = key ? cache_look(d->store, key, strlen(key), p->ir->arena, &size) : NULL;
    const struct sdfg_program as_it_was = *p;
    bool ok = payload && interface_read(p, payload, size);
    if (payload && !ok)
        *p = as_it_was;
    if (payload && !ok)
        cache_reject(d->store, key, strlen(key), "it is not laid out as this version writes interfaces");
    atomic_store(&p->on_disk, ok);
    arena_free(a);
    return ok;
}

/* ---- writing: waiting for the disk can take longer than compiling, so a thread does it ---- */

struct entry_text {
    const char *key; /* NULL: nothing to write */
    struct text payload;
};

struct writing {
    struct disk *disk;
    struct arena *arena;
    struct entry_text kernel, interface;
    struct cache_lock lock;
    pthread_t thread;
    pid_t process; /* a fork has no such thread */
};

static void unlock(void *lock) { cache_unlock(lock); }

static void *write_now(void *writing)
{
    struct writing *w = writing;
    const struct entry_text *k = &w->kernel, *i = &w->interface;
    struct cleanup locked;
    GUARDED(NULL); /* without memory nothing is kept */
    cleanup_push(&locked, unlock, &w->lock);
    if (k->key)
        cache_put(w->disk->store, k->key, strlen(k->key), k->payload.data, k->payload.length);
    cleanup_pop(&locked);
    cache_unlock(&w->lock);
    if (i->key)
        cache_leave(w->disk->store, i->key, strlen(i->key), i->payload.data, i->payload.length);
    return NULL;
}

static void finish(struct writing *w)
{
    if (!w)
        return;
    if (w->process == getpid())
        pthread_join(w->thread, NULL);
    arena_free(w->arena);
}

static struct writing *writing_new(struct disk *d)
{
    struct arena *a = arena_new();
    struct writing *w = NEW(a, struct writing);
    *w = (struct writing){ .disk = d, .arena = a, .process = getpid() };
    return w;
}

/* One at a time; more would only fill memory. */
static void begin(struct disk *d, struct writing *w)
{
    disk_wait(d);
    arena_keep(w->arena); /* the thread's, and then of who waits for it */
    if (pthread_create(&w->thread, NULL, write_now, w)) {
        write_now(w);
        arena_free(w->arena);
        return;
    }
    pthread_mutex_lock(&d->lock);
    struct writing *before = d->writing; /* another thread may have come between */
    d->writing = w;
    pthread_mutex_unlock(&d->lock);
    finish(before);
}

/* Once for each program; false if there is nothing to write. */
static bool take_interface(struct writing *w, struct sdfg_program *p)
{
    if (atomic_load(&p->on_disk) || atomic_exchange(&p->on_disk, true))
        return false;
    if (!p->record.length)
        return false;
    w->interface.payload = text_new(w->arena);
    text_addn(&w->interface.payload, text_get(&p->record), p->record.length);
    w->interface.key = interface_key(w->disk, p, w->arena);
    return w->interface.key != NULL;
}

void disk_store_interface(struct disk *d, struct sdfg_program *p)
{
    if (atomic_load(&p->on_disk))
        return;
    struct writing *w = writing_new(d);
    if (take_interface(w, p))
        begin(d, w);
    else
        arena_free(w->arena);
}

void disk_store(struct disk *d, const char *key, const struct sdfg_kernel *k, struct cache_lock lock)
{
    struct cleanup locked;
    cleanup_push(&locked, unlock, &lock);
    struct writing *w = writing_new(d);
    const char *why, *was = disk_host(d, &why), *is = host_now(d, w->arena, &why);
    if (!was || !is || strcmp(was, is)) {
        cleanup_pop(&locked);
        cache_unlock(&lock);
        arena_free(w->arena);
        return; /* the code generator was replaced since the key was made */
    }
    w->kernel = (struct entry_text){ arena_strdup(w->arena, key), text_new(w->arena) };
    kernel_write(&k->code, &w->kernel.payload);
    take_interface(w, k->program);
    cleanup_pop(&locked);
    w->lock = lock;
    begin(d, w);
}

void disk_wait(struct disk *d)
{
    pthread_mutex_lock(&d->lock);
    struct writing *w = d->writing;
    d->writing = NULL;
    pthread_mutex_unlock(&d->lock);
    finish(w);
}

void disk_free(struct disk *d)
{
    if (!d)
        return;
    disk_wait(d);
    cache_store_free(d->store);
    pthread_mutex_destroy(&d->lock);
    arena_free(d->arena);
}
