#include "engine/cli/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *file_bytes(const char *path, size_t *size, char *why, size_t why_size)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        snprintf(why, why_size, "%s", strerror(errno));
        return NULL;
    }
    size_t capacity = 1 << 16, got;
    char *bytes = malloc(capacity);
    *size = 0;
    while (bytes && (got = fread(bytes + *size, 1, capacity - *size - 1, f)) > 0) {
        *size += got;
        if (*size + 1 < capacity)
            continue;
        char *larger = realloc(bytes, capacity *= 2);
        if (!larger)
            free(bytes);
        bytes = larger;
    }
    if (!bytes || ferror(f)) {
        snprintf(why, why_size, "%s", bytes ? strerror(errno) : "out of memory");
        free(bytes);
        bytes = NULL;
    }
    fclose(f);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

bool file_write(const char *path, const char *bytes, size_t size, char *why, size_t why_size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, size, f) == size;
    if (f)
        ok = !fclose(f) && ok;
    if (!ok)
        snprintf(why, why_size, "%s", strerror(errno));
    return ok;
}

bool file_exists(const char *path) { return access(path, R_OK) == 0; }
