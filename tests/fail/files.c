/* The part of the library for LD_PRELOAD that makes calls on files fail: those that libsdfg.so makes, of which the n-th
 * fails once, or all from it on. */
#include "tests/fail/interpose.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long asked, failing;
static atomic_int failed, error_number;
static atomic_bool from_there_on;

void fail_file_at(long n, bool on, int error)
{
    atomic_store(&failing, 0);
    atomic_store(&asked, 0);
    atomic_store(&failed, 0);
    atomic_store(&from_there_on, on);
    atomic_store(&error_number, error);
    atomic_store(&failing, n);
}

int fail_file_failed(void) { return atomic_load(&failed); }

static bool fails(const void *caller)
{
    Dl_info from;
    long first = atomic_load(&failing);
    if (!first || !dladdr(caller, &from) || !from.dli_fname || !strstr(from.dli_fname, "libsdfg.so"))
        return false;
    long n = atomic_fetch_add(&asked, 1) + 1;
    if (n != first && !(n > first && atomic_load(&from_there_on)))
        return false;
    atomic_fetch_add(&failed, 1);
    errno = atomic_load(&error_number);
    return true;
}

/* A function with the same parameters that calls the next one of its name. */
#define WRAPPED(result, name, parameters, arguments, failure)                                                          \
    EXPORTED result name parameters                                                                                    \
    {                                                                                                                  \
        if (fails(__builtin_return_address(0)))                                                                        \
            return failure;                                                                                            \
        result(*next) parameters;                                                                                      \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                     \
        return next arguments;                                                                                         \
    }

WRAPPED(ssize_t, read, (int file, void *to, size_t size), (file, to, size), -1)
WRAPPED(ssize_t, write, (int file, const void *from, size_t size), (file, from, size), -1)
WRAPPED(ssize_t, pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at), -1)
WRAPPED(int, fstat, (int file, struct stat *s), (file, s), -1)
WRAPPED(int, stat, (const char *path, struct stat *s), (path, s), -1)
WRAPPED(int, fstatat, (int folder, const char *name, struct stat *s, int flags), (folder, name, s, flags), -1)
WRAPPED(int, fdatasync, (int file), (file), -1)
WRAPPED(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAPPED(int, unlinkat, (int folder, const char *name, int flags), (folder, name, flags), -1)
WRAPPED(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1)
WRAPPED(int, futimens, (int file, const struct timespec times[2]), (file, times), -1)
WRAPPED(DIR *, fdopendir, (int file), (file), NULL)
WRAPPED(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAPPED(size_t, fread, (void *to, size_t size, size_t count, FILE *f), (to, size, count, f), 0)
WRAPPED(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *f), (from, size, count, f), 0)
WRAPPED(char *, realpath, (const char *path, char *to), (path, to), NULL)

EXPORTED int openat(int folder, const char *name, int flags, ...)
{
    if (fails(__builtin_return_address(0)))
        return -1;
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    int (*next)(int, const char *, int, ...);
    *(void **)&next = dlsym(RTLD_NEXT, "openat");
    return next(folder, name, flags, mode);
}

/* Closes it in any case. */
EXPORTED int close(int file)
{
    bool fail = fails(__builtin_return_address(0));
    int (*next)(int), error = errno;
    *(void **)&next = dlsym(RTLD_NEXT, "close");
    int result = next(file);
    if (fail)
        errno = error;
    return fail ? -1 : result;
}
