#include "base/fatal.h"
#include "cache/folder.h"
#include "cache/hash.h"
#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* One file for all locks: each key locks one byte of it, which need not exist. The locks belong to the open file, so
 * they also keep threads apart, end with the process, and leave nothing to clean up. */
#define LOCK_FILE "locks"

enum { LEAST_WAIT = 500, MOST_WAIT = 20000 }; /* microseconds between two looks */
static const double patience = 30;            /* seconds; a process may have been stopped */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_locks(struct cache_store *s)
{
    const char *why;
    int folder = cache_open_folder(s, true, &why);
    if (folder < 0)
        return -1;
    int file = openat(folder, LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    close(folder);
    if (file != 0)
        return file;
    file = fcntl(0, F_DUPFD_CLOEXEC, 1); /* 0 says that nothing is locked */
    close(0);
    return file;
}

bool cache_lock(struct cache_store *s, const void *key, size_t key_size, struct cache_lock *out)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(cache_hash(key, key_size).low >> 2), .l_len = 1
    };
    out->file = 0;
    int file = open_locks(s);
    if (file < 0)
        return false;
    struct cleanup opened;
    cleanup_push_file(&opened, file); /* looking for the entry needs memory */
    double end = now() + patience;
    for (useconds_t wait = LEAST_WAIT; fcntl(file, F_OFD_SETLK, &byte);
         wait = wait < MOST_WAIT ? 2 * wait : MOST_WAIT) {
        bool busy = errno == EAGAIN || errno == EACCES, there = busy && cache_has(s, key, key_size);
        if (!busy || there || now() > end) {
            cleanup_pop(&opened);
            close(file);
            return there;
        }
        usleep(wait);
    }
    bool made = cache_has(s, key, key_size);
    cleanup_pop(&opened);
    out->file = file;
    return made; /* made between the miss and the lock */
}

void cache_unlock(struct cache_lock *lock)
{
    if (lock->file)
        close(lock->file);
    lock->file = 0;
}
