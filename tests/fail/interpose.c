/* A library for LD_PRELOAD that makes one allocation of a process fail, or all from one on, and counts what is not
 * freed. Programs control it by the functions below; those that do not know it by the environment: FAIL_AT=N     the
 * N-th allocation fails, counted from 1 (of memory, by malloc and its like or an anonymous mmap) FAIL_ON=1     ... and
 * all after it FAIL_OWN=1     only those that the program itself asks for, not its libraries, are counted and fail
 * FAIL_THREADS=1  no thread can be created FAIL_COUNT=FILE  the number of allocations is written there when the process
 * ends by exit */
#include "tests/fail/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static atomic_long asked, failing, live;
static atomic_bool from_there_on, no_threads;
static atomic_int failed;

void fail_at(long n, bool on)
{
    atomic_store(&failing, 0);
    atomic_store(&asked, 0);
    atomic_store(&failed, 0);
    atomic_store(&from_there_on, on);
    atomic_store(&failing, n);
}

long fail_count(void) { return atomic_load(&asked); }

int fail_failed(void) { return atomic_load(&failed); }

long fail_live(void) { return atomic_load(&live); }

void fail_threads(bool fail) { atomic_store(&no_threads, fail); }

/* The code of the program, if only its own allocations count. */
static struct {
    uintptr_t begin, end;
} own;

/* The first object is the program. */
static int find_own(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
            continue;
        own.begin = info->dlpi_addr + h->p_vaddr;
        own.end = own.begin + h->p_memsz;
    }
    return 1;
}

#define FAILS() fails((uintptr_t)__builtin_return_address(0))

static bool fails(uintptr_t caller)
{
    if (own.end && (caller < own.begin || caller >= own.end))
        return false;
    long n = atomic_fetch_add(&asked, 1) + 1, first = atomic_load(&failing);
    bool now = first && (n == first || (n > first && atomic_load(&from_there_on)));
    if (now) {
        atomic_fetch_add(&failed, 1);
        errno = ENOMEM;
    }
    return now;
}

static void *counted(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

EXPORTED void *malloc(size_t size) { return FAILS() ? NULL : counted(__libc_malloc(size)); }

EXPORTED void *calloc(size_t count, size_t size) { return FAILS() ? NULL : counted(__libc_calloc(count, size)); }

EXPORTED void *realloc(void *p, size_t size)
{
    if (FAILS())
        return NULL;
    void *q = __libc_realloc(p, size);
    if (!p)
        counted(q);
    else if (!q && !size)
        atomic_fetch_sub(&live, 1);
    return q;
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
    return FAILS() ? NULL : counted(__libc_memalign(alignment, size));
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS() ? NULL : counted(__libc_memalign(alignment, size));
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = FAILS() ? NULL : counted(__libc_memalign(alignment, size));
    if (p)
        *out = p;
    return p ? 0 : ENOMEM;
}

/* What asks for memory in the C library on behalf of its caller. */

EXPORTED char *strndup(const char *s, size_t most)
{
    size_t length = strnlen(s, most);
    char *p = FAILS() ? NULL : counted(__libc_malloc(length + 1));
    if (p)
        ((char *)memcpy(p, s, length))[length] = 0;
    return p;
}

EXPORTED char *strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *p = FAILS() ? NULL : counted(__libc_malloc(size));
    return p ? memcpy(p, s, size) : NULL;
}

EXPORTED int asprintf(char **out, const char *format, ...)
{
    va_list args;
    if (FAILS())
        return -1;
    va_start(args, format);
    int length = vasprintf(out, format, args);
    va_end(args);
    return length;
}

EXPORTED void free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __libc_free(p);
}

EXPORTED void *mmap(void *at, size_t size, int rights, int flags, int file, off_t offset)
{
    bool memory = flags & MAP_ANONYMOUS;
    if (memory && FAILS())
        return MAP_FAILED;
    void *p = (void *)syscall(SYS_mmap, at, size, rights, flags, file, offset);
    if (memory && p != MAP_FAILED)
        counted(p);
    return p;
}

EXPORTED void *mmap64(void *at, size_t size, int rights, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));

EXPORTED int munmap(void *at, size_t size)
{
    int result = (int)syscall(SYS_munmap, at, size);
    if (!result)
        atomic_fetch_sub(&live, 1);
    return result;
}

typedef int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument);

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument)
{
    if (atomic_load(&no_threads))
        return EAGAIN;
    create *next;
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, attributes, f, argument);
}

static const char *count_file;

static void write_count(void)
{
    FILE *f = fopen(count_file, "w");
    if (f)
        fprintf(f, "%ld\n", fail_count());
    if (f)
        fclose(f);
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    count_file = getenv("FAIL_COUNT");
    if (count_file)
        atexit(write_count);
    atomic_store(&no_threads, getenv("FAIL_THREADS") != NULL);
    if (getenv("FAIL_OWN"))
        dl_iterate_phdr(find_own, NULL);
    fail_at(at ? strtol(at, NULL, 10) : 0, getenv("FAIL_ON") != NULL);
}
