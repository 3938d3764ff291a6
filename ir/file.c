#include "base/fatal.h"
#include "ir/graph.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(struct arena *a, int file, size_t *size, uint64_t most)
{
    struct stat info;
    if (fstat(file, &info))
        return NULL;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    if (info.st_size > 0 && (uint64_t)info.st_size > most) {
        errno = EFBIG;
        return NULL;
    }
    size_t capacity = (size_t)info.st_size + 1; /* one more byte, so that the end is seen at once */
    char *data = arena_alloc(a, capacity);
    *size = 0;
    for (;;) {
        ssize_t n = read(file, data + *size, capacity - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return NULL;
        if (!n)
            return data;
        *size += (size_t)n;
        if (*size > most) {
            errno = EFBIG;
            return NULL;
        }
        if (*size == capacity) { /* a pipe, or the file grows */
            char *larger = arena_alloc(a, capacity = capacity * 2 + 65536);
            memcpy(larger, data, *size);
            data = larger;
        }
    }
}

static char *read_open(struct arena *a, struct diags *d, const char *path, int file, size_t *size, uint64_t most)
{
    struct cleanup open_file;
    cleanup_push_file(&open_file, file);
    char *data = read_all(a, file, size, most);
    if (!data && errno == EFBIG)
        diag_error(d, NULL, DIAG_FILE_SIZE, path, (unsigned long long)most);
    else if (!data)
        diag_error(d, NULL, DIAG_FILE_READ, path, strerror(errno));
    cleanup_pop(&open_file);
    close(file);
    return data;
}

char *file_read_most(struct arena *a, struct diags *d, const char *path, size_t *size, uint64_t most)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return diag_error(d, NULL, DIAG_FILE_OPEN, path, strerror(errno)), NULL;
    return read_open(a, d, path, file, size, most);
}

char *file_read(struct arena *a, struct diags *d, const char *path, size_t *size)
{
    return file_read_most(a, d, path, size, READ_BYTES);
}

static bool is_regular(const char *path)
{
    struct stat info;
    return !lstat(path, &info) && S_ISREG(info.st_mode);
}

static bool is_below(const char *path, const char *folder)
{
    char real[PATH_MAX];
    if (!realpath(folder, real))
        return false;
    size_t length = strlen(real);
    return !strcmp(real, "/") || (!strncmp(path, real, length) && path[length] == '/');
}

char *file_read_named(struct arena *a, struct diags *d, const char *path, const char *folder, size_t *size,
                      uint64_t most, const char **why)
{
    char real[PATH_MAX];
    *why = NULL;
    if (!realpath(path, real))
        *why = strerror(errno);
    else if (folder && !is_below(real, folder))
        *why = "it does not lie in the folder of the program (option external_files)";
    else if (!is_regular(real))
        *why = "it is no regular file";
    if (*why)
        return NULL;
    /* What was exchanged since is not followed, and not waited for. */
    int file = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    if (file >= 0 && !fstat(file, &info) && S_ISREG(info.st_mode))
        return read_open(a, d, path, file, size, most);
    *why = file < 0 ? strerror(errno) : "it is no regular file";
    if (file >= 0)
        close(file);
    return NULL;
}
