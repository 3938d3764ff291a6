#include "base/machine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CACHES = 8 };

static bool read_line(const char *folder, int index, const char *name, char *out, int size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(out, size, f);
    if (f)
        fclose(f);
    return ok;
}

/* "32768K", "2M" */
static int64_t bytes_of(const char *text)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return n > 0 && n <= INT64_MAX >> shift ? (int64_t)n << shift : 0;
}

int64_t machine_cache_bytes_in(const char *folder)
{
    int64_t largest = 0;
    char type[32], size[32];
    for (int i = 0; i < MOST_CACHES; i++) {
        bool is_data = read_line(folder, i, "type", type, sizeof type) && strncmp(type, "Instruction", 11) != 0;
        int64_t bytes = is_data && read_line(folder, i, "size", size, sizeof size) ? bytes_of(size) : 0;
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* Of virtual machines the C library may take the caches of all of the host's processors together. */
static int64_t find_cache(void)
{
    int64_t bytes = machine_cache_bytes_in("/sys/devices/system/cpu/cpu0/cache");
    for (int i = 0; bytes <= 0 && i < 2; i++)
        bytes = sysconf(i ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? bytes : 0;
}

int64_t machine_cache_bytes(void)
{
    static atomic_llong known = -1;
    long long bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes < 0)
        atomic_store_explicit(&known, bytes = find_cache(), memory_order_relaxed);
    return bytes;
}
