#include "engine/tune/known.h"

#include "base/text.h"
#include "engine/kernels/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYOUT = 1 };

struct known_table {
    struct arena *arena;
    pthread_mutex_t lock, measuring; /* `lock` guards the list and the arena */
    const struct known *first;
};

struct known_table *known_new(void)
{
    struct arena *a = arena_new();
    struct known_table *t = NEW(a, struct known_table);
    t->arena = a;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->measuring, NULL);
    return t;
}

void known_free(struct known_table *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->measuring);
    arena_free(t->arena);
}

void known_lock(struct cleanup *locked, struct sdfg_program *p) { guard_lock(locked, &p->known->measuring); }
void known_unlock(struct cleanup *locked) { guard_unlock(locked); }

/* ---- on disk: the list of passes on a line, then the numbers ---- */

static const char *key_of(const struct known *k, struct sdfg_program *p, struct arena *a)
{
    const char *why;
    struct signature plain = k->signature; /* the code that the choice is about: that of the default */
    plain.passes = NULL;
    const char *key = p->engine->disk ? disk_key(p->engine->disk, p, &plain, false, a, &why) : NULL;
    return key ? arena_printf(a, "choice %d, threads %d\n%s", LAYOUT, k->threads, key) : NULL;
}

static const char *text_of(const struct known *k, struct arena *a)
{
    const char *end = k->complete ? "" : "; time was up before all was tried";
    if (!k->passes)
        return arena_printf(a, "the default is best%s", end);
    return arena_printf(a, "%s: %.3f of the time of the default, %.3f .. %.3f%s", k->passes, k->ratio, k->low, k->high,
                        end);
}

static bool parse(struct known *k, char *text)
{
    int complete;
    char *end = strchr(text, '\n');
    if (!end || sscanf(end + 1, "%lf %lf %lf %d", &k->ratio, &k->low, &k->high, &complete) != 4)
        return false;
    *end = 0;
    k->passes = *text ? text : NULL;
    k->complete = complete;
    k->measured = true;
    return true;
}

static bool load(struct sdfg_program *p, struct known *k, struct arena *a)
{
    size_t size;
    const char *key = key_of(k, p, a);
    struct cache_store *s = key ? disk_store_of(p->engine->disk) : NULL;
    const char *found = s ? cache_look(s, key, strlen(key), a, &size) : NULL;
    bool good = found && parse(k, arena_strndup(a, found, size));
    if (found && !good)
        cache_reject(s, key, strlen(key), "it is not laid out as this version writes choices");
    return good;
}

bool known_lock_disk(struct sdfg_program *p, const struct known *k, struct cache_lock *out)
{
    struct arena *a = arena_new();
    const char *key = key_of(k, p, a);
    bool again = key && cache_lock(disk_store_of(p->engine->disk), key, strlen(key), out);
    arena_free(a);
    return again;
}

static void store(struct sdfg_program *p, const struct known *k)
{
    struct arena *a = arena_new();
    const char *key = key_of(k, p, a);
    struct text t = text_new(a);
    text_printf(&t, "%s\n%.9g %.9g %.9g %d\n", k->passes ? k->passes : "", k->ratio, k->low, k->high, k->complete);
    if (key)
        cache_leave(disk_store_of(p->engine->disk), key, strlen(key), text_get(&t), t.length);
    arena_free(a);
}

/* ---- in memory ---- */

static const struct known *find(const struct known_table *t, const struct signature *s, int threads)
{
    const struct known *k = t->first;
    while (k && (k->threads != threads || !signature_same(&k->signature, s)))
        k = k->next;
    return k;
}

/* In front of what was known before, which others may be reading. */
static const struct known *remember(struct known_table *t, const struct known *k)
{
    struct known *own = NEW(t->arena, struct known);
    *own = *k;
    own->signature = signature_copy(&k->signature, t->arena);
    own->passes = k->passes ? arena_strdup(t->arena, k->passes) : NULL;
    own->text = k->text ? arena_strdup(t->arena, k->text) : text_of(k, t->arena);
    own->next = t->first;
    t->first = own;
    return own;
}

const struct known *known_find(struct sdfg_program *p, const struct signature *s, int threads)
{
    struct cleanup locked;
    guard_lock(&locked, &p->known->lock);
    const struct known *k = find(p->known, s, threads);
    guard_unlock(&locked);
    if (k)
        return k;
    struct known read = { .signature = *s, .threads = threads };
    struct arena *a = arena_new();
    if (load(p, &read, a)) {
        guard_lock(&locked, &p->known->lock);
        k = remember(p->known, &read);
        guard_unlock(&locked);
    }
    arena_free(a);
    return k;
}

const struct known *known_add(struct sdfg_program *p, const struct known *k)
{
    struct cleanup locked;
    guard_lock(&locked, &p->known->lock);
    const struct known *own = remember(p->known, k);
    guard_unlock(&locked);
    if (own->measured)
        store(p, own);
    return own;
}
