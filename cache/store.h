/* A folder of entries on disk: bytes by key, one file each, named by the hash of the key. Many processes may use it at
 * once, and any of them may die at any moment.
 *
 * An entry is written aside and renamed, and carries its whole key and a checksum: what is read is either exactly what
 * was stored under that key, or nothing. Entries are read, never mapped, so that a file that shrinks (on a network file
 * system) is a short read and not a signal. Entries contain code that will run: folder and files must belong to this
 * user and be writable by nobody else.
 *
 * Trouble is never an error: it is counted, and the last one kept as text. A store may be used from any thread. */
#ifndef CACHE_STORE_H
#define CACHE_STORE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_limits {
    uint64_t bytes;   /* of all entries */
    uint64_t seconds; /* since an entry was last used */
};

struct cache_counts {
    uint64_t hits, misses, stored, removed, troubles;
};

struct cache_store;

/* `folder` is made when something is stored, with its parents. Never fails. */
struct cache_store *cache_store_new(const char *folder, struct cache_limits limits);
void cache_store_free(struct cache_store *s);

/* The payload stored under the key, in `a`; NULL if there is none. */
const void *cache_get(struct cache_store *s, const void *key, size_t key_size, struct arena *a, size_t *size);
/* The same without counting hits, misses and what is stored: for what only helps those that count. */
const void *cache_look(struct cache_store *s, const void *key, size_t key_size, struct arena *a, size_t *size);
bool cache_leave(struct cache_store *s, const void *key, size_t key_size, const void *payload, size_t size);
/* Whether there is a file for the key; it may still turn out to be damaged. */
bool cache_has(const struct cache_store *s, const void *key, size_t key_size);
/* False if it could not be stored. Prunes the folder now and then. */
bool cache_put(struct cache_store *s, const void *key, size_t key_size, const void *payload, size_t size);

/* Who misses an entry takes the lock of its key before making one, so that one process makes it and the others wait.
 * True if it is worth looking for the entry again. The lock is taken unless that took too long or cannot be done, which
 * is no trouble: then the entry is made twice. It ends with the process that holds it. */
struct cache_lock {
    int file; /* 0: not locked */
};
bool cache_lock(struct cache_store *s, const void *key, size_t key_size, struct cache_lock *out);
void cache_unlock(struct cache_lock *lock);

struct cache_counts cache_counts(struct cache_store *s);
/* What went wrong last, "" if nothing did; false then. */
bool cache_trouble(struct cache_store *s, char *out, size_t size);
/* Counts trouble that whoever used an entry had with it, and removes the entry. */
void cache_reject(struct cache_store *s, const void *key, size_t key_size, const char *why);
const char *cache_folder(const struct cache_store *s);
/* The folder as folder_open gives it; its parents are looked at once for a store. */
int cache_open_folder(struct cache_store *s, bool make, const char **why);
/* The file of a key, in `a`. */
const char *cache_path(const struct cache_store *s, const void *key, size_t key_size, struct arena *a);

#endif
