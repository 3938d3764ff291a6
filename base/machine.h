/* The machine that code is made for: what passes and the emitter ask instead of numbers of their own. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum machine_arch { MACHINE_OTHER, MACHINE_X86_64, MACHINE_AARCH64 };

struct machine {
    enum machine_arch arch;
    /* Bytes of data that a first and a second level cache of one core hold on the processors of this kind: loops are
     * tiled for them. The same for a whole architecture, so that code does not depend on the machine it was made on. */
    int64_t first_cache, second_cache;
    int64_t largest_cache; /* bytes of the last level of the machine that code runs on; 0: not known */
    int32_t line;          /* bytes of a cache line */
    int32_t vector;        /* bytes of the longest vectors with masks and 32 registers; 0: none */
    bool scalable;         /* has vectors whose length is known when code runs; `vector` does not count them */
    int32_t vscale;        /* the length of those in 128 bits, for code that runs on other machines; 0: known then */
    bool double_pumped;    /* two vectors of half of `vector` take as long as one, and a load of one as long as two */
    bool nontemporal;      /* has stores that go past the caches */
    bool fused;            /* multiplies and adds in one instruction with one rounding */
    /* Cycles from operands to result, roughly: of additions and products of floating-point numbers, divisions, math
     * functions; and such operations that begin in one cycle. */
    int32_t add_latency, divide_latency, function_latency, issue;
    int32_t divide; /* cycles from one division of a vector of four doubles to the next one */
    int32_t region; /* work below which a parallel region does not pay, in simple operations (tree_cost.h) */
};

/* What is known without a processor: x86-64 of any vintage. */
extern const struct machine machine_baseline;

/* What decides whether a program runs on the processor or on a GPU: seconds, and bytes or operations a second. Rough
 * numbers of a server's core and of a GPU for servers; bench/gpu measures those of the GPU. */
struct machine_costs {
    double launch, barrier, wait, transfer;        /* of a GPU: each one, beside its work */
    double bus, gpu_memory, gpu_flops, gpu_thread; /* between host and GPU; all of the GPU; one of its threads */
    double core_memory, memory, core_flops;        /* one core, all cores; one core */
    double region;                                 /* a parallel region of the processor */
    double library, gpu_product, core_product; /* a call of cuBLAS; products of matrices: all of the GPU; one core */
};
extern const struct machine_costs machine_costs;

/* The machine that LLVM calls by these names. `features` ("+sve,-avx512f") add to and take from what is known of `cpu`;
 * either may be "". largest_cache is 0: names do not tell. */
struct machine machine_of(const char *triple, const char *cpu, const char *features);

/* Of the last cache; where the system does not say how large it is, there is at least the second one. */
static inline double machine_last_cache(const struct machine *m)
{
    return (double)(m->largest_cache ? m->largest_cache : m->second_cache);
}

/* Registers for vectors. */
static inline uint32_t machine_vector_registers(const struct machine *m)
{
    return m->vector || m->arch == MACHINE_AARCH64 ? 32 : 16;
}

/* Bytes of the largest cache of the machine that this process runs on; 0: not known. Thread-safe. */
int64_t machine_cache_bytes(void);

/* The same from Linux's description of a processor's caches in a folder; 0 if it has none. */
int64_t machine_cache_bytes_in(const char *folder);

#endif
