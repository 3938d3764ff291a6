/* Stores past the caches: a line is written to memory as a whole, so it is not read before. Only for data that nobody
 * reads before the caches have forgotten it. */
#include "runtime/cpu.h"
#include "runtime/runtime.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* A line at a time where the processor can: one that is put together from parts holds a fill buffer for longer, which
 * loses most of what was gained. */
#define LINES(suffix, attributes, vector, load, store, zero)                                                           \
    attributes static void copy_lines_##suffix(char *to, const char *from, size_t lines)                               \
    {                                                                                                                  \
        for (size_t i = 0; i < lines * CPU_LINE; i += sizeof(vector))                                                  \
            store((void *)(to + i), load((const void *)(from + i)));                                                   \
    }                                                                                                                  \
    attributes static void zero_lines_##suffix(char *to, size_t lines)                                                 \
    {                                                                                                                  \
        for (size_t i = 0; i < lines * CPU_LINE; i += sizeof(vector))                                                  \
            store((void *)(to + i), zero());                                                                           \
    }

LINES(avx512, __attribute__((target("avx512f"))), __m512i, _mm512_loadu_si512, _mm512_stream_si512,
      _mm512_setzero_si512)
LINES(avx, __attribute__((target("avx"))), __m256i, _mm256_loadu_si256, _mm256_stream_si256, _mm256_setzero_si256)
LINES(sse, , __m128i, _mm_loadu_si128, _mm_stream_si128, _mm_setzero_si128)

static void copy_lines(char *to, const char *from, size_t lines)
{
    if (CPU_CAN(AVX512F, "avx512f"))
        copy_lines_avx512(to, from, lines);
    else if (CPU_CAN(AVX, "avx"))
        copy_lines_avx(to, from, lines);
    else
        copy_lines_sse(to, from, lines);
}

static void zero_lines(char *to, size_t lines)
{
    if (CPU_CAN(AVX512F, "avx512f"))
        zero_lines_avx512(to, lines);
    else if (CPU_CAN(AVX, "avx"))
        zero_lines_avx(to, lines);
    else
        zero_lines_sse(to, lines);
}

void sdfg_rt_nontemporal_end(void) { _mm_sfence(); }
#else
static void copy_lines(char *to, const char *from, size_t lines) { memcpy(to, from, lines * CPU_LINE); }

static void zero_lines(char *to, size_t lines) { memset(to, 0, lines * CPU_LINE); }

void sdfg_rt_nontemporal_end(void) {}
#endif

/* Bytes up to the first whole line. */
static size_t head_of(const char *to, size_t size)
{
    size_t head = -(uintptr_t)to % CPU_LINE;
    return head < size ? head : size;
}

void sdfg_rt_nontemporal_copy(void *to, const void *from, int64_t bytes)
{
    if (bytes <= 0)
        return;
    size_t size = (size_t)bytes, head = head_of(to, size), lines = (size - head) / CPU_LINE,
           done = head + lines * CPU_LINE;
    char *out = to;
    const char *in = from;
    memcpy(out, in, head);
    copy_lines(out + head, in + head, lines);
    memcpy(out + done, in + done, size - done);
}

void sdfg_rt_nontemporal_zero(void *to, int64_t bytes)
{
    if (bytes <= 0)
        return;
    size_t size = (size_t)bytes, head = head_of(to, size), lines = (size - head) / CPU_LINE,
           done = head + lines * CPU_LINE;
    char *out = to;
    memset(out, 0, head);
    zero_lines(out + head, lines);
    memset(out + done, 0, size - done);
    sdfg_rt_nontemporal_end();
}
