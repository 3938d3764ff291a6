/* CUDA C for the host's compiler, as far as generated kernels use it. Each thread of a block is a fiber of the device
 * process (device.c). Nothing of the C++ library is included: that would take longer than the kernels. */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include "standin.h"

#define __CUDA_ON_HOST__ 1
#define __global__       __attribute__((noinline))
#define __device__
#define __host__
#define __constant__    static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
/* One copy: the device process fills it with NaN for each block, and exchanges it if several blocks are under way. */
#define __shared__ static __attribute__((section("standin_shared"), aligned(16)))

#define threadIdx (standin_self->thread)
#define blockIdx  (standin_self->block)
#define blockDim  (standin_self->threads)
#define gridDim   (standin_self->blocks)
#define warpSize  32

static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "as on the device");

/* ---- vectors ---- */

#define VECTORS(T, name)                                                                                               \
    struct __attribute__((aligned(2 * sizeof(T)))) name##2 { T x, y; };                                                \
    struct name##3 { T x, y, z; };                                                                                     \
    struct __attribute__((aligned(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)))) name##4 { T x, y, z, w; };                \
    static inline name##2 make_##name##2(T x, T y) { return { x, y }; }                                                \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return { x, y, z, w }; }
VECTORS(char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
VECTORS(int, int)
VECTORS(unsigned, uint)
VECTORS(long long, longlong)
VECTORS(unsigned long long, ulonglong)
VECTORS(float, float)
VECTORS(double, double)
#undef VECTORS

/* ---- mathematics ---- */

extern "C" {
#define ONE(name)                                                                                                      \
    double name(double);                                                                                               \
    float name##f(float);
#define TWO(name)                                                                                                      \
    double name(double, double);                                                                                       \
    float name##f(float, float);
/* clang-format off */
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh)
ONE(atanh) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(logb) ONE(sqrt)
ONE(cbrt) ONE(erf) ONE(erfc) ONE(tgamma) ONE(lgamma) ONE(floor) ONE(ceil) ONE(trunc) ONE(round) ONE(rint)
ONE(nearbyint) ONE(fabs) ONE(j0) ONE(j1) ONE(y0) ONE(y1) TWO(pow) TWO(atan2) TWO(fmod) TWO(remainder) TWO(fmax)
TWO(fmin) TWO(fdim) TWO(hypot) TWO(copysign) TWO(nextafter)
#undef ONE
#undef TWO
double fma(double, double, double);
/* clang-format on */
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
int ilogb(double);
int ilogbf(float);
long lrint(double);
long lrintf(float);
long lround(double);
long lroundf(float);
long long llrint(double);
long long llrintf(float);
long long llround(double);
long long llroundf(float);
int abs(int);
long labs(long);
long long llabs(long long);
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
}
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double sinpi(double x) { return sin(3.14159265358979323846 * x); }
static inline double cospi(double x) { return cos(3.14159265358979323846 * x); }

#define EXACT(op, name)                                                                                                \
    static inline float __f##name##_rn(float a, float b) { return a op b; }                                            \
    static inline double __d##name##_rn(double a, double b) { return a op b; }
EXACT(+, add)
EXACT(-, sub)
EXACT(*, mul)
EXACT(/, div)
#undef EXACT
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline float __frcp_rn(float a) { return 1 / a; }

template <typename To, typename From> static inline To standin_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline int __float_as_int(float v) { return standin_bits<int>(v); }
static inline unsigned __float_as_uint(float v) { return standin_bits<unsigned>(v); }
static inline float __int_as_float(int v) { return standin_bits<float>(v); }
static inline float __uint_as_float(unsigned v) { return standin_bits<float>(v); }
static inline long long __double_as_longlong(double v) { return standin_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return standin_bits<double>(v); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

/* ---- memory ---- */

template <typename T> static inline T __ldg(const T *p) { return *p; }
template <typename T> static inline T __ldcg(const T *p) { return *p; }
template <typename T> static inline void __stcs(T *p, T v) { *p = v; }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned) { standin_yield(); }
#define __trap() standin_trap()

/* Fibers change at barriers only: an operation of one is atomic for the others. */
#define ATOMIC(name, T, value)                                                                                         \
    static inline T atomic##name(T *p, T v)                                                                            \
    {                                                                                                                  \
        T old = *p;                                                                                                    \
        *p = (value);                                                                                                  \
        return old;                                                                                                    \
    }
#define INTEGERS(T)                                                                                                    \
    ATOMIC(Add, T, (T)((unsigned long long)old + (unsigned long long)v))                                               \
    ATOMIC(Min, T, v < old ? v : old)                                                                                  \
    ATOMIC(Max, T, v > old ? v : old)                                                                                  \
    ATOMIC(And, T, (old & v))                                                                                          \
    ATOMIC(Or, T, (old | v))                                                                                           \
    ATOMIC(Xor, T, (old ^ v)) ATOMIC(Exch, T, v) static inline T atomicCAS(T *p, T compare, T v)                       \
    {                                                                                                                  \
        T old = *p;                                                                                                    \
        if (old == compare)                                                                                            \
            *p = v;                                                                                                    \
        return old;                                                                                                    \
    }
INTEGERS(int)
INTEGERS(unsigned)
INTEGERS(unsigned long long)
INTEGERS(long long)
ATOMIC(Sub, int, (int)((unsigned)old - (unsigned)v))
ATOMIC(Sub, unsigned, old - v)
ATOMIC(Add, float, old + v)
ATOMIC(Add, double, old + v)
ATOMIC(Exch, float, v)
static inline unsigned atomicInc(unsigned *p, unsigned most)
{
    unsigned old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}
static inline unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old = *p;
    if (old == compare)
        *p = v;
    return old;
}
#undef ATOMIC
#undef INTEGERS

/* ---- threads ---- */

#define __syncthreads() standin_block_barrier()
static inline void __syncwarp(unsigned mask = 0xffffffff) { standin_warp_barrier(mask); }
static inline unsigned __activemask() { return 1u << standin_self->number % STANDIN_WARP; }
static inline unsigned standin_lane() { return standin_self->number % STANDIN_WARP; }
static inline unsigned standin_block_size()
{
    return standin_self->threads.x * standin_self->threads.y * standin_self->threads.z;
}

/* What lane `from` shows; a lane that is not there or not among those of the mask shows undefined bits. */
template <typename T> static inline T standin_exchange(unsigned mask, T v, unsigned from)
{
    static_assert(sizeof(T) <= STANDIN_SLOT, "shuffled values are small");
    struct standin_thread *self = standin_self, *first = self - standin_lane();
    T out;
    memcpy(self->slot, &v, sizeof v);
    standin_warp_barrier(mask);
    if (from < STANDIN_WARP && mask >> from & 1 && self->number - standin_lane() + from < standin_block_size())
        memcpy(&out, first[from].slot, sizeof out);
    else
        memset(&out, 0xff, sizeof out);
    standin_warp_barrier(mask);
    return out;
}
template <typename T> static inline T __shfl_sync(unsigned mask, T v, int from, int width = 32)
{
    unsigned lane = standin_lane();
    return standin_exchange(mask, v, lane / width * width + (unsigned)from % width);
}
template <typename T> static inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32)
{
    unsigned lane = standin_lane();
    return standin_exchange(mask, v, lane % width + by < (unsigned)width ? lane + by : lane);
}
template <typename T> static inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32)
{
    unsigned lane = standin_lane();
    return standin_exchange(mask, v, lane % width >= by ? lane - by : lane);
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32)
{
    unsigned lane = standin_lane(), from = lane ^ (unsigned)with;
    return standin_exchange(mask, v, from / width == lane / width ? from : lane);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned all = 0, mine = predicate != 0;
    for (unsigned lane = 0; lane < STANDIN_WARP; lane++)
        if (mask >> lane & 1)
            all |= (standin_exchange(mask, mine, lane) == 1) << lane;
    return all;
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }
static inline int __syncthreads_or(int predicate)
{
    static int any;
    standin_block_barrier();
    any = 0;
    standin_block_barrier();
    any |= predicate != 0;
    standin_block_barrier();
    return any;
}

/* ---- the table of kernels, which the stand-in for NVRTC adds behind the text ---- */

template <typename... A> struct standin_parameters {
    template <typename T> static const T &at(const char *params, unsigned long &offset)
    {
        offset = (offset + alignof(T) - 1) / alignof(T) * alignof(T);
        const T *value = (const T *)(params + offset);
        offset += sizeof(T);
        return *value;
    }
    static constexpr unsigned bytes()
    {
        unsigned long offset = 0;
        ((offset = (offset + alignof(A) - 1) / alignof(A) * alignof(A) + sizeof(A)), ...);
        return (unsigned)offset;
    }
    /* Arguments in braces are evaluated from the left. */
    template <void (*f)(A...)> static void run(const char *params)
    {
        unsigned long offset = 0;
        (void)offset;
        struct caller {
            caller(const A &...a) { f(a...); }
        };
        caller{ at<A>(params, offset)... };
    }
};
template <typename... A> static constexpr standin_parameters<A...> standin_of(void (*)(A...));

#define STANDIN_KERNEL(name, threads)                                                                                  \
    { #name, decltype(standin_of(name))::template run<name>, decltype(standin_of(name))::bytes(), threads },

#endif
