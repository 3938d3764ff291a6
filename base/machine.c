#include "base/machine.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CACHES = 8, WIDE = 64 };

/* ---- kinds of machines ---- */

/* A region costs 0.5 us with two idle processors, some with many or busy ones, and the first one of a process 300 us to
 * open the OpenMP runtime and to start the threads. An operation takes 0.05 to 0.5 ns, with and without vectors. */
#define COMMON                                                                                                         \
    .first_cache = 32 << 10, .second_cache = 1 << 20, .line = 64, .region = 131072, .add_latency = 4,                  \
    .divide_latency = 13, .function_latency = 20, .issue = 2, .divide = 8

const struct machine_costs machine_costs = {
    .launch = 2.5e-6,
    .barrier = 1.5e-6,
    .wait = 10e-6,
    .transfer = 8e-6,
    .bus = 25e9,
    .gpu_memory = 2.5e12,
    .gpu_flops = 2e13,
    .gpu_thread = 2e8,
    .core_memory = 10e9,
    .memory = 60e9,
    .core_flops = 4e9,
    .region = 5e-6,
    .library = 5e-6,
    .gpu_product = 3e13,
    .core_product = 3e10,
};

const struct machine machine_baseline = { .arch = MACHINE_X86_64, .nontemporal = true, COMMON };
static const struct machine aarch64 = { .arch = MACHINE_AARCH64, COMMON };
static const struct machine other = { .arch = MACHINE_OTHER, COMMON };

/* Processors by LLVM's names, where more is known than the architecture says. On x86 those with AVX-512 VBMI2: LLVM
 * uses half of the registers of the ones before, since they ran slower with all. */
static const struct row {
    const char *cpu;
    int32_t vector;
    bool double_pumped, scalable;
    int32_t divide; /* 0: as most */
} rows[] = {
    { "icelake-client", WIDE, false, false, 0 },
    { "icelake-server", WIDE, false, false, 0 },
    { "tigerlake", WIDE, false, false, 0 },
    { "rocketlake", WIDE, false, false, 0 },
    { "sapphirerapids", WIDE, false, false, 0 },
    { "emeraldrapids", WIDE, false, false, 0 },
    { "graniterapids", WIDE, false, false, 0 },
    { "graniterapids-d", WIDE, false, false, 0 },
    { "diamondrapids", WIDE, false, false, 0 },
    { "znver2", 0, false, false, 5 },
    { "znver3", 0, false, false, 5 },
    { "znver4", WIDE, true, false, 5 },
    { "znver5", WIDE, false, false, 5 },
    { "a64fx", 0, false, true, 0 },
    { "neoverse-v1", 0, false, true, 0 },
    { "neoverse-v2", 0, false, true, 0 },
    { "neoverse-v3", 0, false, true, 0 },
    { "neoverse-n2", 0, false, true, 0 },
    { "neoverse-n3", 0, false, true, 0 },
    { "grace", 0, false, true, 0 },
};

/* 1 if `features` hold "+name", -1 for "-name", 0 for neither; the last one counts. */
static int feature(const char *features, const char *name)
{
    size_t size = strlen(name);
    int found = 0;
    for (const char *at = features; *at; at += strcspn(at, ","), at += *at == ',')
        if ((*at == '+' || *at == '-') && !strncmp(at + 1, name, size) && (at[size + 1] == ',' || !at[size + 1]))
            found = *at == '+' ? 1 : -1;
    return found;
}

struct machine machine_of(const char *triple, const char *cpu, const char *features)
{
    struct machine m = !strncmp(triple, "x86_64", 6)    ? machine_baseline
                       : !strncmp(triple, "aarch64", 7) ? aarch64
                                                        : other;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].cpu, cpu)) {
            m.vector = rows[i].vector;
            m.double_pumped = rows[i].double_pumped;
            m.scalable = rows[i].scalable;
            m.divide = rows[i].divide ? rows[i].divide : m.divide;
        }
    int wide = m.arch == MACHINE_X86_64 ? feature(features, "avx512vbmi2") : 0;
    int scalable = m.arch == MACHINE_AARCH64 ? feature(features, "sve") : 0;
    m.vector = wide > 0 ? WIDE : wide < 0 ? 0 : m.vector;
    m.scalable = scalable > 0 || (scalable == 0 && m.scalable);
    m.double_pumped = m.double_pumped && m.vector > 0;
    m.fused = m.arch == MACHINE_AARCH64 || m.vector > 0 || (m.arch == MACHINE_X86_64 && feature(features, "fma") > 0);
    return m;
}

/* ---- caches ---- */

/* A program in the cache of kernels is loaded in 100 us: buffered files would take a third of that. */
static bool read_line(const char *folder, int index, const char *name, char *out, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, out, size - 1);
    if (file >= 0)
        close(file);
    if (length > 0)
        out[length] = 0;
    return length > 0;
}

/* "32768K", "2M" */
static int64_t bytes_of(const char *text)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return n > 0 && n <= INT64_MAX >> shift ? (int64_t)n << shift : 0;
}

/* Levels are in order; the last one for data is the largest. */
int64_t machine_cache_bytes_in(const char *folder)
{
    int64_t bytes = 0;
    char type[32], size[32];
    for (int i = MOST_CACHES; i-- > 0 && !bytes;) {
        bool is_data = read_line(folder, i, "type", type, sizeof type) && strncmp(type, "Instruction", 11) != 0;
        bytes = is_data && read_line(folder, i, "size", size, sizeof size) ? bytes_of(size) : 0;
    }
    return bytes;
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
