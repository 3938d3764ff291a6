#include "engine/kernels/kernels.h"

#include "base/fatal.h"
#include "base/intern.h"
#include "base/text.h"
#include "cache/memory.h"
#include "engine/kernels/table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- signatures: their names are those of the program, so pointers tell them apart ---- */

uint64_t signature_hash(const struct signature *s)
{
    uint64_t h = hash_bytes(s->bound, s->num_bound * sizeof *s->bound, s->alignment);
    return hash_bytes(s->may_alias, s->num_may_alias * sizeof *s->may_alias, h + s->device);
}

bool signature_same(const struct signature *x, const struct signature *y)
{
    if (x->device != y->device || x->alignment != y->alignment || x->num_bound != y->num_bound ||
        x->num_may_alias != y->num_may_alias)
        return false;
    for (uint32_t i = 0; i < x->num_bound; i++)
        if (x->bound[i].name != y->bound[i].name || x->bound[i].value != y->bound[i].value)
            return false;
    for (uint32_t i = 0; i < x->num_may_alias; i++)
        if (x->may_alias[i] != y->may_alias[i])
            return false;
    return x->passes == y->passes || (x->passes && y->passes && !strcmp(x->passes, y->passes));
}

/* ---- the table; all with the lock held ---- */

struct sdfg_kernel *table_find(const struct kernel_table *t, const struct signature *s, uint64_t hash)
{
    struct sdfg_kernel *k = t->buckets[hash % NUM_BUCKETS];
    while (k && (k->hash != hash || !signature_same(&k->signature, s)))
        k = k->next;
    return k;
}

static void add(struct kernel_table *t, struct sdfg_kernel *k)
{
    struct sdfg_kernel **bucket = &t->buckets[k->hash % NUM_BUCKETS];
    k->next = *bucket;
    *bucket = k;
    memory_add(&store_of(t)->memory, &k->item, kernel_bytes(k));
    t->stats.kernels++;
    t->stats.kernel_bytes += k->item.bytes;
    if (k->from_disk)
        t->stats.read++;
    else
        t->stats.compiled++;
    t->stats.compile_seconds += k->from_disk ? 0 : k->compile_seconds;
}

static void unlink_kernel(struct sdfg_kernel *k)
{
    struct kernel_table *t = k->program->kernels;
    struct sdfg_kernel **at = k->replaced ? &t->replaced : &t->buckets[k->hash % NUM_BUCKETS];
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
}

/* For good. */
static void take_out(struct sdfg_kernel *k)
{
    struct kernel_table *t = k->program->kernels;
    struct sdfg_kernel *better = atomic_load_explicit(&k->better, memory_order_relaxed);
    unlink_kernel(k);
    t->stats.kernels--;
    t->stats.kernel_bytes -= k->item.bytes;
    if (better)
        better->item.pins--;
}

/* What is over the limit, as a list to be freed without the lock. */
static struct sdfg_kernel *drop_some(struct kernel_store *s)
{
    struct sdfg_kernel *list = NULL;
    for (struct memory_item *item; (item = memory_drop(&s->memory));) {
        struct sdfg_kernel *k = (struct sdfg_kernel *)(void *)((char *)item - offsetof(struct sdfg_kernel, item));
        struct kernel_table *t = k->program->kernels;
        take_out(k);
        t->stats.dropped++;
        t->dropped[t->num_dropped++ % DROPPED] = k->hash;
        k->next = list;
        list = k;
    }
    if (s->memory.bytes > s->memory.limit)
        atomic_fetch_add_explicit(&s->crowded, 1, memory_order_relaxed);
    return list;
}

uint32_t kernels_crowded(const struct kernel_table *t)
{
    return atomic_load_explicit(&store_of(t)->crowded, memory_order_relaxed);
}

/* ---- tables ---- */

struct kernel_table *kernels_new(struct sdfg_program *p)
{
    struct kernel_table *t = table_memory(sizeof *t);
    t->program = p;
    struct kernel_store *s = store_of(t);
    pthread_mutex_lock(&s->lock);
    t->next = s->tables;
    s->tables = t;
    pthread_mutex_unlock(&s->lock);
    return t;
}

static void free_list(struct sdfg_kernel *list)
{
    for (struct sdfg_kernel *next; list; list = next) {
        next = list->next;
        kernel_free(list);
    }
}

static void free_dropped(struct sdfg_kernel *list)
{
    for (const struct sdfg_kernel *k = list; k; k = k->next)
        kernel_event(k->program, SDFG_EVENT_DROPPED, &k->signature, NULL, 0);
    free_list(list);
}

void kernels_free(struct kernel_table *t)
{
    if (!t)
        return;
    struct kernel_store *s = store_of(t);
    struct sdfg_kernel *list = NULL;
    pthread_mutex_lock(&s->lock);
    struct kernel_table **at = &s->tables;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    for (uint32_t b = 0; b <= NUM_BUCKETS; b++)
        for (struct sdfg_kernel *k; (k = b < NUM_BUCKETS ? t->buckets[b] : t->replaced);) {
            memory_remove(&s->memory, &k->item);
            take_out(k);
            k->next = list;
            list = k;
        }
    table_add_stats(&s->gone, t);
    pthread_mutex_unlock(&s->lock);
    free_list(list);
    free(t);
}

/* ---- getting a kernel ---- */

static struct flight *find_flight(const struct kernel_table *t, const struct signature *s, uint64_t hash)
{
    struct flight *f = t->flights;
    while (f && (f->hash != hash || !signature_same(f->signature, s)))
        f = f->next;
    return f;
}

static struct sdfg_kernel *wait_for(struct kernel_table *t, struct flight *f, sdfg_error **error)
{
    struct kernel_store *s = store_of(t);
    t->stats.waited++;
    f->waiting++;
    while (!f->landed)
        pthread_cond_wait(&s->landed, &s->lock);
    struct sdfg_kernel *k = f->kernel;
    if (!k)
        *error = error_copy(f->error);
    if (!--f->waiting)
        pthread_cond_broadcast(&s->landed);
    return k;
}

static void land(struct kernel_table *t, struct flight *f, struct sdfg_kernel *k, const sdfg_error *error)
{
    struct kernel_store *s = store_of(t);
    struct flight **at = &t->flights;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->kernel = k;
    f->error = error;
    f->landed = true;
    if (k) {
        k->hash = f->hash;
        add(t, k);
        k->item.pins = f->waiting + 1;
    } else {
        t->stats.failed++;
    }
    pthread_cond_broadcast(&s->landed);
    while (f->waiting)
        pthread_cond_wait(&s->landed, &s->lock);
}

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

/* Called and left with the lock held, which is given up in between. From the moment that the flight is known it must
 * land, so kernel_new returns in any case. */
static struct sdfg_kernel *make(struct kernel_table *t, const struct signature *s, uint64_t hash, sdfg_error **error)
{
    struct kernel_store *store = store_of(t);
    struct cleanup locked;
    cleanup_push(&locked, unlock, &store->lock);
    struct arena *a = arena_new();
    struct text reason = text_new(a);
    struct flight f = { .signature = s, .hash = hash, .next = t->flights };
    table_reason(t, s, hash, &reason);
    text_get(&reason);
    t->flights = &f;
    guard_unlock(&locked);
    enum sdfg_tier tier = s->passes ? SDFG_TIER_FULL : t->program->engine->options.tier;
    struct sdfg_kernel *k = kernel_new(t->program, s, text_get(&reason), tier, error);
    arena_free(a);
    pthread_mutex_lock(&store->lock);
    land(t, &f, k, *error);
    return k;
}

/* Gives a pin back. Who is to be freed without the lock comes back: a kernel that was replaced and now is not needed,
 * or NULL. */
static struct sdfg_kernel *unpin(struct kernel_store *s, struct sdfg_kernel *k)
{
    memory_use(&s->memory, &k->item);
    if (--k->item.pins || !k->replaced)
        return NULL;
    memory_remove(&s->memory, &k->item);
    take_out(k);
    k->next = NULL;
    return k;
}

void kernels_discard(struct sdfg_kernel *k)
{
    struct kernel_table *t = k->program->kernels;
    struct kernel_store *s = store_of(t);
    struct cleanup locked;
    guard_lock(&locked, &s->lock);
    if (!k->replaced) {
        unlink_kernel(k);
        k->replaced = true;
        k->next = t->replaced;
        t->replaced = k;
    }
    struct sdfg_kernel *gone = unpin(s, k);
    guard_unlock(&locked);
    free_list(gone);
}

struct sdfg_kernel *kernels_get(struct kernel_table *t, const struct signature *s, struct sdfg_kernel *instead_of,
                                sdfg_error **error)
{
    struct kernel_store *store = store_of(t);
    uint64_t hash = signature_hash(s);
    struct sdfg_kernel *dropped = NULL, *replaced = NULL;
    *error = NULL;
    pthread_mutex_lock(&store->lock);
    struct sdfg_kernel *k = table_find(t, s, hash);
    struct flight *f = k ? NULL : find_flight(t, s, hash);
    bool made = !k && !f;
    if (k) {
        t->stats.found++;
        k->item.pins++;
        memory_use(&store->memory, &k->item);
    } else if (f) {
        k = wait_for(t, f, error);
    } else {
        k = make(t, s, hash, error);
    }
    if (k && instead_of)
        replaced = unpin(store, instead_of);
    if (made || (k && instead_of && !instead_of->item.pins))
        dropped = drop_some(store);
    pthread_mutex_unlock(&store->lock);
    free_list(replaced);
    free_dropped(dropped);
    return k;
}

/* Adds a kernel that nobody has asked for yet, unless another thread was faster. */
static void add_found(struct kernel_table *t, struct sdfg_kernel *k, uint64_t hash)
{
    struct kernel_store *store = store_of(t);
    struct sdfg_kernel *dropped = NULL;
    k->hash = hash;
    k->next = NULL;
    pthread_mutex_lock(&store->lock);
    bool known = table_find(t, &k->signature, hash);
    if (!known) {
        add(t, k);
        dropped = drop_some(store);
    }
    pthread_mutex_unlock(&store->lock);
    free_list(known ? k : NULL);
    free_dropped(dropped);
}

/* Nobody waits for this one, who would make it. Code for devices takes long to load. */
static bool find_on_disk(struct kernel_table *t, const struct signature *s, uint64_t hash)
{
    sdfg_error *error = NULL;
    enum sdfg_tier tier = s->passes ? SDFG_TIER_FULL : t->program->engine->options.tier;
    struct sdfg_kernel *k = s->device ? NULL : kernel_new(t->program, s, NULL, tier, &error);
    sdfg_error_free(error); /* the call finds it, too */
    if (k)
        add_found(t, k, hash);
    return k;
}

bool kernels_have(struct kernel_table *t, const struct signature *s)
{
    struct kernel_store *store = store_of(t);
    uint64_t hash = signature_hash(s);
    pthread_mutex_lock(&store->lock);
    bool there = table_find(t, s, hash), coming = find_flight(t, s, hash);
    pthread_mutex_unlock(&store->lock);
    return there || (!coming && find_on_disk(t, s, hash));
}

void kernels_pin(struct sdfg_kernel *k)
{
    struct kernel_store *s = k->program->engine->kernels;
    pthread_mutex_lock(&s->lock);
    k->item.pins++;
    pthread_mutex_unlock(&s->lock);
}

void kernels_release(struct sdfg_kernel *k)
{
    struct kernel_store *s = k->program->engine->kernels;
    pthread_mutex_lock(&s->lock);
    struct sdfg_kernel *replaced = unpin(s, k), *dropped = k->item.pins ? NULL : drop_some(s);
    pthread_mutex_unlock(&s->lock);
    free_list(replaced);
    free_dropped(dropped);
}

/* ---- tiers ---- */

/* What was prepared for one kernel can be passed to the other. */
static bool takes_the_same(const struct sdfg_kernel *x, const struct sdfg_kernel *y)
{
    const struct codegen_result *a = &x->code, *b = &y->code;
    bool same = a->num_params == b->num_params && a->num_slots == b->num_slots && !a->init == !b->init &&
                !a->exit == !b->exit && !a->workspace == !b->workspace;
    for (uint32_t i = 0; same && i < a->num_params; i++)
        same = x->params[i].by_value == y->params[i].by_value && !strcmp(x->params[i].name, y->params[i].name) &&
               !strcmp(x->params[i].type, y->params[i].type);
    return same;
}

static void replace(struct kernel_table *t, struct sdfg_kernel *quick, struct sdfg_kernel *full)
{
    unlink_kernel(quick);
    quick->replaced = true;
    quick->next = t->replaced;
    t->replaced = quick;
    full->hash = quick->hash;
    add(t, full);
    full->item.pins = 1; /* of the one it replaces */
    t->stats.improved++;
    atomic_store_explicit(&quick->better, full, memory_order_release);
}

void kernels_replace(struct sdfg_kernel *quick, struct sdfg_kernel *full, const sdfg_error *error)
{
    struct kernel_table *t = quick->program->kernels;
    struct kernel_store *s = store_of(t);
    bool fits = full && takes_the_same(quick, full);
    struct cleanup locked;
    guard_lock(&locked, &s->lock);
    if (fits) {
        replace(t, quick, full);
    } else {
        const char *why = full ? "it takes other arguments" : sdfg_error_message(error);
        quick->not_improved = arena_strdup(quick->arena, why);
        t->stats.failed++;
    }
    struct sdfg_kernel *dropped = drop_some(s);
    guard_unlock(&locked);
    if (full && !fits)
        kernel_free(full);
    free_dropped(dropped);
}
