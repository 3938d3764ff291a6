#include "cache/folder.h"

#include "base/fatal.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMPORARY_SECONDS = 3600 }; /* older ones belong to processes that died while they wrote */

bool folder_trusts(const struct stat *s) { return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH)); }

/* Who may write a folder above may put another one in place of what is in it; sticky ones (/tmp) do not let others do
 * that. */
static bool trusts_parent(const struct stat *s, uid_t user)
{
    bool sticky = s->st_mode & S_ISVTX, shared = s->st_mode & (S_IWGRP | S_IWOTH);
    return (s->st_uid == user || s->st_uid == 0) && (!shared || sticky);
}

/* All folders above the open one, up to the root, which is its own parent. The kernel follows "..": symbolic links that
 * led to the folder play no part. */
static bool trusts_parents(int folder, const struct stat *s)
{
    char up[PATH_MAX] = "..";
    struct stat below = *s, parent;
    uid_t user = geteuid();
    for (size_t length = 2; length + 3 < sizeof up; length += 3) {
        if (fstatat(folder, up, &parent, 0) || !trusts_parent(&parent, user))
            return false;
        if (parent.st_dev == below.st_dev && parent.st_ino == below.st_ino)
            return true;
        below = parent;
        memcpy(up + length, "/..", 4);
    }
    return false;
}

enum { UNKNOWN, WRITING, KNOWN };

static bool is_known(struct folder_known *k, const struct stat *s)
{
    return k && atomic_load(&k->state) == KNOWN && k->device == s->st_dev && k->inode == s->st_ino;
}

static void make_known(struct folder_known *k, const struct stat *s)
{
    int unknown = UNKNOWN;
    if (!k || !atomic_compare_exchange_strong(&k->state, &unknown, WRITING))
        return;
    k->device = s->st_dev;
    k->inode = s->st_ino;
    atomic_store(&k->state, KNOWN);
}

/* mkdir -p; the parents get the usual rights, the folder itself is private. */
static bool make_folders(const char *path)
{
    struct arena *a = arena_new();
    char *copy = arena_strdup(a, path);
    for (char *at = copy + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = 0;
        mkdir(copy, 0755); /* the last one shows whether it worked */
    }
    bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
    int error = errno;
    arena_free(a);
    errno = error;
    return ok;
}

/* Backup programs leave out what lies beside this file (the Cache Directory Tagging specification). */
static void tag(int folder)
{
    static const char text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                               "# This file is a cache directory tag created by libsdfg.\n"
                               "# For information about cache directory tags, see https://bford.info/cachedir/\n";
    int file = openat(folder, "CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, text, sizeof text - 1) != (ssize_t)(sizeof text - 1))
        unlinkat(folder, "CACHEDIR.TAG", 0); /* whoever comes next tries again */
    close(file);
}

int folder_open(const char *path, bool make, struct folder_known *known, const char **why)
{
    struct stat s;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == ENOENT && make && make_folders(path))
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        *why = strerror(errno);
        return -1;
    }
    if (fstat(folder, &s) || !folder_trusts(&s)) {
        close(folder);
        errno = EPERM;
        *why = "it belongs to another user, or others may write it";
        return -1;
    }
    if (!is_known(known, &s) && !trusts_parents(folder, &s)) {
        close(folder);
        errno = EPERM;
        *why = "a folder above it belongs to another user, or others may write it";
        return -1;
    }
    make_known(known, &s);
    if (make)
        tag(folder);
    return folder;
}

/* ---- listing ---- */

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && !strcmp(name + n - m, ending);
}

static int by_use(const void *a, const void *b)
{
    const struct folder_file *x = a, *y = b;
    return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->name, y->name);
}

static void close_folder(void *folder) { closedir(folder); }

bool folder_list(int folder, struct arena *a, struct folder_file **out, uint32_t *count)
{
    VEC(struct folder_file) files = { 0 };
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closedir closes it */
    DIR *d = again < 0 ? NULL : fdopendir(again);
    if (!d) {
        if (again >= 0)
            close(again);
        return false;
    }
    struct cleanup opened;
    cleanup_push(&opened, close_folder, d);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat s;
        bool temporary = !strncmp(e->d_name, TEMPORARY_BEGIN, strlen(TEMPORARY_BEGIN));
        if ((!temporary && !ends_with(e->d_name, ENTRY_ENDING)) ||
            fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode))
            continue;
        struct folder_file f = { arena_strdup(a, e->d_name), (uint64_t)s.st_size, s.st_mtime, temporary };
        vec_push(a, &files, f);
    }
    cleanup_pop(&opened);
    closedir(d);
    if (files.count)
        qsort(files.items, files.count, sizeof *files.items, by_use);
    *out = files.items;
    *count = files.count;
    return true;
}

/* ---- pruning ---- */

uint64_t folder_prune(int folder, struct cache_limits limits)
{
    struct arena *a = arena_new();
    struct folder_file *files;
    uint32_t count = 0;
    uint64_t bytes = 0, removed = 0;
    time_t now = time(NULL);
    if (!folder_list(folder, a, &files, &count))
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += files[i].temporary ? 0 : files[i].bytes;
    for (uint32_t i = 0; i < count; i++) {
        const struct folder_file *f = &files[i];
        uint64_t age = now > f->used ? (uint64_t)(now - f->used) : 0;
        if (f->temporary ? age < TEMPORARY_SECONDS : age < limits.seconds && bytes <= limits.bytes)
            continue;
        /* Who has it open goes on reading; who else wants to remove it may be faster. */
        if (unlinkat(folder, f->name, 0) == 0)
            removed++;
        bytes -= f->temporary ? 0 : f->bytes;
    }
    arena_free(a);
    return removed;
}
