#include "base/fatal.h"
#include "ir/graph.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(struct arena *a, int file, size_t *size)
{
    struct stat info;
    if (fstat(file, &info))
        return NULL;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
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
        if (*size == capacity) { /* a pipe, or the file grows */
            char *larger = arena_alloc(a, capacity = capacity * 2 + 65536);
            memcpy(larger, data, *size);
            data = larger;
        }
    }
}

char *file_read(struct arena *a, struct diags *d, const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return diag_error(d, NULL, DIAG_FILE_OPEN, path, strerror(errno)), NULL;
    struct cleanup opened;
    cleanup_push_file(&opened, file);
    char *data = read_all(a, file, size);
    cleanup_pop(&opened);
    if (!data)
        diag_error(d, NULL, DIAG_FILE_READ, path, strerror(errno));
    close(file);
    return data;
}
