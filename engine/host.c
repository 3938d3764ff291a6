#include "engine/host.h"

#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define LIBRARY_KNOWS
#endif
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* ---- builds: the linker hashes what it wrote and puts the hash into a note (--build-id) ---- */

/* The build id among some notes, as hexadecimal digits; false if there is none. */
static bool build_id(const unsigned char *notes, size_t size, struct text *out)
{
    ElfW(Nhdr) n;
    for (size_t at = 0; size - at >= sizeof n;) {
        memcpy(&n, notes + at, sizeof n);
        uint64_t name = at + sizeof n, text = name + (((uint64_t)n.n_namesz + 3) & ~(uint64_t)3),
                 end = text + (((uint64_t)n.n_descsz + 3) & ~(uint64_t)3);
        if (end > size)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) && n.n_descsz) {
            for (uint32_t i = 0; i < n.n_descsz; i++)
                text_printf(out, "%02x", notes[text + i]);
            return true;
        }
        at = (size_t)end;
    }
    return false;
}

struct search {
    struct text *out;
    bool found;
};

/* The object that this function is part of. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *search)
{
    struct search *s = search;
    uintptr_t here = (uintptr_t)&host_builds;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        ours |= p->p_type == PT_LOAD && here - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
    }
    for (int i = 0; ours && !s->found && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            s->found = build_id((const unsigned char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr), p->p_memsz, s->out);
    }
    return ours;
}

/* The head of the file holds the program headers and the notes. */
static bool file_build_id(const char *path, struct text *out)
{
    enum { HEAD = 4096 };
    unsigned char head[HEAD];
    ElfW(Ehdr) h;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : pread(file, head, sizeof head, 0);
    bool found = false;
    if (size >= (ssize_t)sizeof h) {
        memcpy(&h, head, sizeof h);
        for (uint32_t i = 0; !found && i < h.e_phnum; i++) {
            ElfW(Phdr) p;
            if (h.e_phoff > HEAD || h.e_phoff + (i + 1) * sizeof p > (size_t)size)
                break;
            memcpy(&p, head + h.e_phoff + i * sizeof p, sizeof p);
            if (p.p_type == PT_NOTE && p.p_offset <= (size_t)size && p.p_filesz <= (size_t)size - p.p_offset)
                found = build_id(head + p.p_offset, p.p_filesz, out);
        }
    }
    if (file >= 0)
        close(file);
    return found;
}

bool host_builds(struct text *out, const char *codegen, const char **why)
{
    struct search s = { .out = out };
    text_add(out, "engine ");
    dl_iterate_phdr(visit_object, &s);
    text_add(out, "\ncode generator ");
    *why = "the library was built without a build id";
    if (!s.found)
        return false;
    *why = "the code generator is not there, or was built without a build id";
    if (!codegen || !file_build_id(codegen, out))
        return false;
    text_printf(out, "\nlibc %s\n", gnu_get_libc_version());
    return true;
}

/* ---- processor ---- */

#if defined(__x86_64__)
struct registers {
    unsigned r[4]; /* eax, ebx, ecx, edx */
};

/* What the processor says. In a virtual machine an answer takes microseconds, and the C library has asked before. */
static struct registers cpuid(unsigned leaf, unsigned subleaf)
{
    struct registers x = { { 0 } };
#ifdef LIBRARY_KNOWS
    static const struct {
        unsigned leaf, subleaf, index;
    } known[] = { { 1, 0, CPUID_INDEX_1 },
                  { 7, 0, CPUID_INDEX_7 },
                  { 7, 1, CPUID_INDEX_7_ECX_1 },
                  { 0x80000001u, 0, CPUID_INDEX_80000001 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].leaf == leaf && known[i].subleaf == subleaf) {
            const struct cpuid_feature *f = __x86_get_cpuid_feature_leaf(known[i].index);
            memcpy(x.r, f->cpuid_array, sizeof x.r);
            return x;
        }
#endif
    if (leaf) /* asks which leaves there are, then for the leaf */
        __get_cpuid_count(leaf, subleaf, &x.r[0], &x.r[1], &x.r[2], &x.r[3]);
    else
        __cpuid(0, x.r[0], x.r[1], x.r[2], x.r[3]);
    return x;
}

void host_processor(struct text *out)
{
    /* Family and model, by which LLVM chooses tuning, and the features that change what is generated for arithmetic,
     * vectors and memory; not those of the system, of security or of identification, which differ between machines and
     * updates that run the same code alike. */
    static const struct {
        unsigned leaf, subleaf, masks[4];
    } leaves[] = {
        { 0, 0, { 0, ~0u, ~0u, ~0u } },                /* vendor */
        { 1, 0, { ~0xfu, 0, 0x38d83203, 0x7808100 } }, /* model without stepping; sse3 .. f16c; cx8 .. sse2 */
        { 7, 0, { 0, 0xd02b0128, 0x5f42, 0x800100 } }, /* bmi, avx2, bmi2, avx512*, adx; vbmi .. vpopcntdq; fp16 */
        { 7, 1, { 0x800031, 0, 0, 0x280430 } },        /* sha512, avx-vnni, bf16, avx-ifma; vnni-int*, avx10, apx */
        { 0x24, 0, { 0, 0x700ff, 0, 0 } },             /* avx10: version and vector lengths */
        { 0x80000001u, 0, { 0, 0, 0x210961, 0 } },     /* lahf, lzcnt, sse4a, prefetchw, xop, fma4, tbm */
    };
    enum { VECTOR_STATE = 0xe6, AVX10 = 0x80000 }; /* sse, avx, avx512; of leaf 7.1, edx */
    bool avx10 = false;
    text_add(out, "processor x86-64");
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        struct registers x = { { 0 } };
        if (leaves[i].leaf != 0x24 || avx10)
            x = cpuid(leaves[i].leaf, leaves[i].subleaf);
        avx10 |= leaves[i].leaf == 7 && leaves[i].subleaf && (x.r[3] & AVX10);
        for (unsigned k = 0; k < 4; k++)
            if (leaves[i].masks[k])
                text_printf(out, " %x", x.r[k] & leaves[i].masks[k]);
    }
    unsigned low = 0, high = 0;
    if (cpuid(1, 0).r[2] & bit_OSXSAVE)
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0)); /* registers the system saves */
    text_printf(out, " %x\n", low & VECTOR_STATE);
}
#elif defined(__aarch64__)
void host_processor(struct text *out)
{
    uint64_t part = 0;
    unsigned long features = getauxval(AT_HWCAP);
    if (features & HWCAP_CPUID)
        __asm__("mrs %0, midr_el1" : "=r"(part)); /* the kernel answers in place of the processor */
    text_printf(out, "processor aarch64 %llx %lx %lx\n", (unsigned long long)(part & ~0xfull), features,
                getauxval(AT_HWCAP2));
}
#else
void host_processor(struct text *out) { text_add(out, "processor unknown\n"); }
#endif

void host_nvrtc(struct text *out)
{
    const char *file = secure_getenv("SDFG_NVRTC");
    struct stat s;
    if (file && *file && !stat(file, &s))
        text_printf(out, "nvrtc %s %lld %lld.%09ld\n", file, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec);
}

int host_threads(void)
{
    cpu_set_t set;
    const char *wanted = getenv("OMP_NUM_THREADS");
    if (wanted && atoi(wanted) > 0)
        return atoi(wanted);
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}
