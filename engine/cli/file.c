#include "engine/cli/file.h"

#include "engine/cli/command.h"
#include "engine/cli/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t limit;

void file_set_limit(uint64_t bytes) { limit = bytes; }

uint64_t file_limit(void) { return limit; }

char *file_bytes(const char *path, uint64_t most, size_t *size, char *why, size_t why_size)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        snprintf(why, why_size, "%s", strerror(errno));
        return NULL;
    }
    size_t capacity = 1 << 16, got;
    char *bytes = malloc(capacity);
    *size = 0;
    most = limit ? limit : most;
    while (bytes && (got = fread(bytes + *size, 1, capacity - *size - 1, f)) > 0) {
        *size += got;
        if (*size > most)
            break;
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
    if (bytes && *size > most) {
        snprintf(why, why_size, "it is larger than the limit of %llu bytes (--input-limit)", (unsigned long long)most);
        free(bytes);
        bytes = NULL;
    }
    fclose(f);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

/* ---- writing ---- */

/* Only regular files are replaced; names below /dev and /proc stand for what is open. */
static bool is_replaced(const char *path)
{
    struct stat info;
    if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
        return false;
    return stat(path, &info) ? errno == ENOENT : S_ISREG(info.st_mode);
}

/* Where symbolic links lead; the path itself if nothing is there yet. */
static char *target_of(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : errno == ENOENT ? strdup(path) : NULL;
}

static void keep_mode(const char *target, int file)
{
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(file, stat(target, &info) ? 0666 & ~mask : info.st_mode & 07777);
}

static FILE *open_temporary(struct file_out *o)
{
    if (asprintf(&o->temporary, "%s.XXXXXX", o->target) < 0) {
        o->temporary = NULL;
        return NULL;
    }
    int file = mkstemp(o->temporary);
    if (file < 0) {
        free(o->temporary);
        o->temporary = NULL;
        return NULL;
    }
    keep_mode(o->target, file);
    return fdopen(file, "wb");
}

FILE *file_begin(struct file_out *o, const char *path)
{
    *o = (struct file_out){ .path = path };
    interrupt_hold();
    struct stat link;
    bool dangling = lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && access(path, F_OK);
    if (is_replaced(path) && !dangling && (o->target = target_of(path)))
        o->file = open_temporary(o);
    if (!o->file && !o->temporary) /* a file may be writable where no other can be made */
        o->file = fopen(path, "wb");
    if (!o->file)
        file_end(o, false);
    return o->file;
}

bool file_end(struct file_out *o, bool good)
{
    int error = errno;
    if (o->file && fflush(o->file)) {
        good = false;
        error = errno;
    }
    if (o->file && fclose(o->file) && good) {
        good = false;
        error = errno;
    }
    good = good && o->file;
    if (o->temporary && good && rename(o->temporary, o->target)) {
        good = false;
        error = errno;
    }
    if (o->temporary && !good)
        unlink(o->temporary);
    free(o->temporary);
    free(o->target);
    *o = (struct file_out){ .path = o->path };
    interrupt_release();
    errno = error;
    return good;
}

bool file_write(const char *path, const char *bytes, size_t size, char *why, size_t why_size)
{
    struct file_out o;
    FILE *f = file_begin(&o, path);
    bool ok = f && file_end(&o, fwrite(bytes, 1, size, f) == size);
    if (!ok)
        snprintf(why, why_size, "%s", strerror(errno));
    return ok;
}

int file_end_output(const char *tool, int code)
{
    bool bad = ferror(stdout);
    errno = bad ? EIO : 0;
    if (!fflush(stdout) && !bad)
        return code;
    if (code != EXIT_FILE) /* else who wrote has said so */
        fprintf(stderr, "%s: cannot write standard output: %s\n", tool, strerror(errno));
    return code ? code : EXIT_FILE;
}

bool file_exists(const char *path) { return access(path, R_OK) == 0; }
