/* What the processor can, as far as both it and the system bear it. */
#ifndef RUNTIME_CPU_H
#define RUNTIME_CPU_H

/* Bytes: a cache line, and what a first and a second level cache of one core hold at least on the processors of today,
 * as in base/machine.c, which this folder does not see. */
enum { CPU_LINE = 64, CPU_FIRST_CACHE = 32 << 10, CPU_SECOND_CACHE = 1 << 20 };

/* The C library has asked already: the instruction that asks takes microseconds in a virtual machine, and the support
 * library of the compiler (__builtin_cpu_supports) would ask a dozen times whenever a process starts. */
#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

/* As x86_cpu_active(), which shifts a signed 1 into the sign. */
static inline bool cpu_can(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}

#define CPU_CAN(NAME, name) cpu_can(x86_cpu_##NAME)
#endif
#endif
#ifndef CPU_CAN
#define CPU_CAN(NAME, name) __builtin_cpu_supports(name)
#endif

#if defined(__x86_64__)
#include <cpuid.h>

/* Units of half of its longest vectors, 32 bytes, so that two of those take no longer than one of 64 (AMD64
 * Architecture Programmer's Manual, volume 3, CPUID Fn8000_001A); other makers do not have what is asked for. */
static inline bool cpu_has_halves(void)
{
    enum { UNITS = 0x8000001a, FP256 = 1 << 2, FP512 = 1 << 3 };
    unsigned units, b, c, d;
    return __get_cpuid(UNITS, &units, &b, &c, &d) && (units & FP256) && !(units & FP512);
}
#endif

#endif
