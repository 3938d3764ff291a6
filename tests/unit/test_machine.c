/* Machines by name, and sizes of caches as Linux describes them. */
#include "base/machine.h"

#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    fclose(f);
}

static void put_cache(const char *folder, int index, const char *type, const char *size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/index%d", folder, index);
    CHECK(mkdir(path, 0700) == 0);
    put(path, "type", type);
    put(path, "size", size);
}

TEST(the_largest_for_data)
{
    char folder[] = "/tmp/sdfg-machine-XXXXXX", command[64];
    CHECK(mkdtemp(folder));
    CHECK(machine_cache_bytes_in(folder) == 0);
    put_cache(folder, 0, "Data\n", "48K\n");
    put_cache(folder, 1, "Instruction\n", "64M\n");
    CHECK(machine_cache_bytes_in(folder) == 48 << 10);
    put_cache(folder, 2, "Unified\n", "1024K\n");
    put_cache(folder, 3, "Unified\n", "32M\n");
    CHECK(machine_cache_bytes_in(folder) == 32 << 20);
    put_cache(folder, 4, "Unified\n", "much\n");
    put_cache(folder, 5, "Unified\n", "-1K\n");
    put_cache(folder, 6, "Unified\n", "9223372036854775807G\n");
    CHECK(machine_cache_bytes_in(folder) == 32 << 20);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

TEST(the_same_whenever_asked)
{
    int64_t bytes = machine_cache_bytes();
    CHECK(bytes >= 0);
    CHECK(machine_cache_bytes() == bytes);
}

TEST(machines_by_name)
{
    struct machine m = machine_of("x86_64-pc-linux-gnu", "znver4", "");
    CHECK(m.arch == MACHINE_X86_64 && m.vector == 64 && m.double_pumped && m.nontemporal && !m.scalable);
    m = machine_of("x86_64-pc-linux-gnu", "znver4", "-avx512vbmi2");
    CHECK(m.vector == 0 && !m.double_pumped);
    m = machine_of("x86_64-pc-linux-gnu", "haswell", "+avx2,-avx512vbmi2,+avx512vbmi2");
    CHECK(m.vector == 64 && !m.double_pumped); /* the last one counts */
    m = machine_of("x86_64-pc-linux-gnu", "haswell", "+avx512vbmi2x");
    CHECK(m.vector == 0);
    m = machine_of("aarch64-linux-gnu", "neoverse-v2", "");
    CHECK(m.arch == MACHINE_AARCH64 && m.scalable && m.vector == 0 && !m.nontemporal);
    m = machine_of("aarch64-linux-gnu", "neoverse-v2", "-sve");
    CHECK(!m.scalable);
    m = machine_of("aarch64-linux-gnu", "generic", "+neon,+sve");
    CHECK(m.scalable);
    m = machine_of("riscv64-linux-gnu", "generic", "+sve,+avx512vbmi2");
    CHECK(m.arch == MACHINE_OTHER && !m.vector && !m.scalable && m.line > 0 && m.first_cache < m.second_cache);
}

CHECK_MAIN
