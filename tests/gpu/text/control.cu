typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
template <class T, class F> __device__ inline T sd_bits(F x)
{
    T r;
    static_assert(sizeof r == sizeof x, "the same bytes");
    memcpy(&r, &x, sizeof r);
    return r;
}
template <int bytes> struct sd_word { typedef u32 type; };
template <> struct sd_word<1> { typedef u8 type; };
template <> struct sd_word<2> { typedef u16 type; };
template <> struct sd_word<8> { typedef u64 type; };
template <class T, class F> __device__ inline void sd_update(T *at, F f)
{
    typedef typename sd_word<sizeof(T)>::type W;
    if constexpr (sizeof(T) >= 4) {
        W *word = (W *)at, seen = *(volatile W *)word, old;
        do {
            old = seen;
            seen = atomicCAS(word, old, sd_bits<W>(f(sd_bits<T>(old))));
        } while (seen != old);
    } else {
        u32 *word = (u32 *)((u64)at & ~3ull), shift = (u32)((u64)at & 3ull) * 8;
        u32 seen = *(volatile u32 *)word, old, mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
        do {
            old = seen;
            W element = sd_bits<W>(f(sd_bits<T>((W)(old >> shift))));
            seen = atomicCAS(word, old, (old & ~mask) | (u32)element << shift);
        } while (seen != old);
    }
}
__device__ u32 sd_locks[64];
template <class T, class F> __device__ inline void sd_locked(T *at, F f)
{
    u32 *lock = &sd_locks[(u64)at / 16 % 64];
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            __threadfence();
            T old;
            for (int i = 0; i < (int)sizeof(T); i++)
                ((u8 *)&old)[i] = ((volatile u8 *)at)[i];
            *at = f(old);
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
template <class C> __device__ inline void sd_atomic_sum(C *at, C z)
{
    atomicAdd(&at->re, z.re);
    atomicAdd(&at->im, z.im);
}

extern "C" __global__ void __launch_bounds__(1) k0_jumps(double *__restrict__ p0_A)
{
    i64 v0_i;
    double v1_x;
    v0_i = 0ll;
    l1:;
    v1_x = p0_A[v0_i] * 2.0 + p0_A[(i64)((u64)v0_i + 1ull)];
    if (v1_x > 3.0) {
        v0_i = (i64)((u64)v0_i + 1ull);
        goto l1;
    }
    p0_A[v0_i] = v1_x * v1_x;
}

extern "C" __global__ void __launch_bounds__(128) k1_carried(i64 p0_N, double *__restrict__ p1_A, i32 *__restrict__ p2_B)
{
    double v1_last;
    for (i64 v0_k = 0ll; v0_k < p0_N; v0_k += 2ll) {
        if (v0_k > 0ll) {
            p1_A[v0_k] = v1_last;
        }
        v1_last = p1_A[(i64)((u64)v0_k + 1ull)];
        if (v1_last < 0.0) {
            break;
        }
    }
    do {
        p2_B[0] = (i32)((u32)p2_B[0] - 1u);
    } while (p2_B[0] > 0);
    i32 v2_old;
    i32 v3_new;
    sd_update<i32>(&p2_B[1], [&](i32 x) -> i32 {
        v2_old = x;
        v3_new = (i32)((u32)v2_old * 3u);
        return v3_new;
    });
    double v4_q = (i32)blockIdx.y == 0 ? p1_A[p0_N] / p1_A[(i64)((u64)p0_N + 1ull)] : fmod(p1_A[(i64)((u64)p0_N - 1ull)], 2.0);
}
