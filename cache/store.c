#include "cache/store.h"

#include "base/fatal.h"
#include "cache/entry.h"
#include "cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    USE_SECONDS = 24 * 3600, /* an entry is marked as used at most once in this time */
    PRUNE_SECONDS = 3600,    /* the folder is pruned once in this time, by whoever stores */
    PRUNE_PART = 8,          /* and by one process that stores this part of the limit */
    SMALL_FILE_BYTES = 512,  /* other files of the folder are smaller */
};

#define PRUNED_FILE "pruned"

struct cache_store {
    struct arena *arena;
    const char *folder;
    struct cache_limits limits;
    struct folder_known known;
    atomic_uint serial; /* of temporary files */
    /* Counted without a lock, which a fork could leave locked. */
    atomic_ullong hits, misses, stored, removed, troubles;
    atomic_ullong unpruned; /* bytes stored since this process pruned */
    pthread_mutex_t lock;   /* guards what follows */
    char trouble[512];
};

struct cache_store *cache_store_new(const char *folder, struct cache_limits limits)
{
    struct arena *a = arena_new();
    struct cache_store *s = NEW(a, struct cache_store);
    s->arena = a;
    s->folder = arena_strdup(a, folder);
    s->limits = limits;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void cache_store_free(struct cache_store *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    arena_free(s->arena);
}

const char *cache_folder(const struct cache_store *s) { return s->folder; }

int cache_open_folder(struct cache_store *s, bool make, const char **why)
{
    return folder_open(s->folder, make, &s->known, why);
}

/* ---- counting ---- */

static void trouble(struct cache_store *s, const char *what, const char *name, const char *why)
{
    atomic_fetch_add(&s->troubles, 1);
    pthread_mutex_lock(&s->lock);
    snprintf(s->trouble, sizeof s->trouble, "%s '%s%s%s': %s", what, s->folder, *name ? "/" : "", name, why);
    pthread_mutex_unlock(&s->lock);
}

struct cache_counts cache_counts(struct cache_store *s)
{
    return (struct cache_counts){
        .hits = atomic_load(&s->hits),
        .misses = atomic_load(&s->misses),
        .stored = atomic_load(&s->stored),
        .removed = atomic_load(&s->removed),
        .troubles = atomic_load(&s->troubles),
    };
}

bool cache_trouble(struct cache_store *s, char *out, size_t size)
{
    pthread_mutex_lock(&s->lock);
    snprintf(out, size, "%s", s->trouble);
    pthread_mutex_unlock(&s->lock);
    return *out;
}

/* ---- names ---- */

struct entry_name {
    char text[CACHE_HASH_TEXT + sizeof ENTRY_ENDING];
};

static struct entry_name name_of(const void *key, size_t size)
{
    struct entry_name n;
    cache_hash_text(cache_hash(key, size), n.text);
    strcat(n.text, ENTRY_ENDING);
    return n;
}

const char *cache_path(const struct cache_store *s, const void *key, size_t key_size, struct arena *a)
{
    struct entry_name n = name_of(key, key_size);
    return arena_printf(a, "%s/%s", s->folder, n.text);
}

bool cache_has(const struct cache_store *s, const void *key, size_t key_size)
{
    struct arena *a = arena_new();
    bool there = access(cache_path(s, key, key_size, a), R_OK) == 0;
    arena_free(a);
    return there;
}

/* ---- reading ---- */

/* The whole file; NULL with *why. */
static unsigned char *read_file(int file, struct arena *a, size_t *size, const char **why)
{
    struct stat st;
    *why = "it belongs to another user, or others may write it";
    if (fstat(file, &st) || !S_ISREG(st.st_mode) || !folder_trusts(&st))
        return NULL;
    *why = "it is too large";
    if (st.st_size > ENTRY_MOST_BYTES)
        return NULL;
    size_t wanted = (size_t)st.st_size, got = 0;
    unsigned char *bytes = arena_alloc(a, wanted + 1);
    while (got < wanted) {
        ssize_t n = read(file, bytes + got, wanted - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    *size = got; /* less than wanted: the checksum tells */
    /* Pruning goes by the time of modification; not every use needs a write. */
    if (time(NULL) - st.st_mtime > USE_SECONDS)
        futimens(file, NULL);
    return bytes;
}

/* 1: found, 0: not there, -1: trouble, with *why. */
static int find(int folder, const char *name, const void *key, size_t key_size, struct arena *a, struct entry *e,
                const char **why)
{
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        *why = strerror(errno);
        return errno == ENOENT ? 0 : -1;
    }
    size_t size;
    struct cleanup opened;
    cleanup_push_file(&opened, file);
    unsigned char *bytes = read_file(file, a, &size, why);
    cleanup_pop(&opened);
    close(file);
    if (!bytes || !entry_parse(bytes, size, e, why))
        return -1;
    return e->key_bytes == key_size && !memcmp(e->key, key, key_size); /* else another key with the same hash */
}

const void *cache_look(struct cache_store *s, const void *key, size_t key_size, struct arena *a, size_t *size)
{
    struct entry_name name = name_of(key, key_size);
    struct entry e;
    const char *why;
    int folder = cache_open_folder(s, false, &why), found = 0;
    if (folder < 0 && errno != ENOENT)
        trouble(s, "cannot use", "", why);
    if (folder >= 0) {
        struct cleanup opened;
        cleanup_push_file(&opened, folder);
        found = find(folder, name.text, key, key_size, a, &e, &why);
        cleanup_pop(&opened);
        if (found < 0) {
            trouble(s, "cannot use", name.text, why);
            unlinkat(folder, name.text, 0); /* it would fail again */
        }
        close(folder);
    }
    *size = found > 0 ? e.payload_bytes : 0;
    return found > 0 ? e.payload : NULL;
}

const void *cache_get(struct cache_store *s, const void *key, size_t key_size, struct arena *a, size_t *size)
{
    const void *payload = cache_look(s, key, key_size, a, size);
    atomic_fetch_add(payload ? &s->hits : &s->misses, 1);
    return payload;
}

void cache_reject(struct cache_store *s, const void *key, size_t key_size, const char *why)
{
    struct entry_name name = name_of(key, key_size);
    const char *ignored;
    trouble(s, "cannot use", name.text, why);
    int folder = cache_open_folder(s, false, &ignored);
    if (folder < 0)
        return;
    unlinkat(folder, name.text, 0);
    close(folder);
}

/* ---- writing ---- */

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_entry(struct cache_store *s, int folder, const char *name, const unsigned char *bytes, size_t size)
{
    char aside[64];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(aside, sizeof aside, TEMPORARY_BEGIN "%d-%u-%lx", (int)getpid(), atomic_fetch_add(&s->serial, 1),
             (unsigned long)t.tv_nsec);
    int file = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        trouble(s, "cannot write", aside, strerror(errno));
        return false;
    }
    bool ok = write_all(file, bytes, size) && fdatasync(file) == 0;
    int error = errno;
    if (close(file) && ok) {
        ok = false;
        error = errno;
    }
    if (ok && renameat(folder, aside, folder, name)) {
        ok = false;
        error = errno;
    }
    if (!ok) {
        trouble(s, "cannot write", name, strerror(error));
        unlinkat(folder, aside, 0);
    }
    return ok;
}

/* The file says when the folder was last pruned. Two processes that prune at the same time do no harm. */
static void prune_sometimes(struct cache_store *s, int folder, size_t stored)
{
    bool much = atomic_fetch_add(&s->unpruned, stored) + stored > s->limits.bytes / PRUNE_PART;
    struct stat st;
    int file = openat(folder, PRUNED_FILE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0)
        return;
    bool due = fstat(file, &st) == 0 && (much || !st.st_size || time(NULL) - st.st_mtime >= PRUNE_SECONDS);
    if (due)
        due = pwrite(file, "\n", 1, 0) == 1 && futimens(file, NULL) == 0;
    close(file);
    if (!due)
        return;
    atomic_store(&s->unpruned, 0);
    atomic_fetch_add(&s->removed, folder_prune(folder, s->limits));
}

/* Writing beyond the limit of the process for files would raise a signal. */
static bool may_write(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static bool put(struct cache_store *s, const char *name, const struct entry *e, struct arena *a)
{
    size_t size;
    const char *why;
    const unsigned char *file = entry_build(a, e, &size);
    if (!may_write(size < SMALL_FILE_BYTES ? SMALL_FILE_BYTES : size)) {
        trouble(s, "cannot write", name, strerror(EFBIG));
        return false;
    }
    int folder = cache_open_folder(s, true, &why);
    if (folder < 0) {
        trouble(s, "cannot use", "", why);
        return false;
    }
    bool ok = write_entry(s, folder, name, file, size);
    struct cleanup opened;
    cleanup_push_file(&opened, folder);
    if (ok)
        prune_sometimes(s, folder, size);
    cleanup_pop(&opened);
    close(folder);
    return ok;
}

bool cache_leave(struct cache_store *s, const void *key, size_t key_size, const void *payload, size_t size)
{
    struct arena *a = arena_new();
    struct entry e = { key, payload, key_size, size };
    struct entry_name name = name_of(key, key_size);
    bool ok = key_size + size <= ENTRY_MOST_BYTES - sizeof(struct entry_header) && put(s, name.text, &e, a);
    arena_free(a);
    return ok;
}

bool cache_put(struct cache_store *s, const void *key, size_t key_size, const void *payload, size_t size)
{
    bool ok = cache_leave(s, key, key_size, payload, size);
    if (ok)
        atomic_fetch_add(&s->stored, 1);
    return ok;
}
