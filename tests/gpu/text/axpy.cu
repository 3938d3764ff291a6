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
template <class T> __device__ inline T sd_div(T a, T b)
{
    if (b == 0)
        return 0;
    if ((T)-1 < 0 && b == (T)-1)
        return (T)(0ull - (u64)a);
    return (T)(a / b);
}
template <class T> __device__ inline T sd_rem(T a, T b)
{
    return b == 0 || ((T)-1 < 0 && b == (T)-1) ? (T)0 : (T)(a % b);
}
template <class T> __device__ inline T sd_min(T a, T b) { return a < b ? a : b; }
template <class T> __device__ inline T sd_max(T a, T b) { return a > b ? a : b; }
template <class T> __device__ inline T sd_magnitude(T a) { return a < 0 ? (T)(0ull - (u64)a) : a; }
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
__device__ inline i32 sd_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ inline i32 sd_lane() { return sd_thread() & 31; }
__device__ inline i32 sd_warp() { return sd_thread() >> 5; }
template <class T> __device__ inline T sd_from_lane(u32 mask, T x, int lane)
{
    u32 words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &x, sizeof x);
    for (u32 &w : words)
        w = __shfl_sync(mask, w, lane);
    memcpy(&x, words, sizeof x);
    return x;
}
template <i32 threads, class T, class F> __device__ inline T sd_warp_group(T x, F f)
{
    if constexpr (threads > 0) {
        for (i32 distance = 16; distance > 0; distance /= 2)
            x = f(x, sd_from_lane(0xffffffffu, x, sd_lane() + distance));
        return sd_from_lane(0xffffffffu, x, 0);
    }
    i32 all = blockDim.x * blockDim.y * blockDim.z, lane = sd_lane(), left = all - (sd_thread() - lane);
    i32 count = left < 32 ? left : 32;
    u32 mask = count == 32 ? 0xffffffffu : (1u << count) - 1u;
    for (i32 distance = 16; distance > 0; distance /= 2) {
        T other = sd_from_lane(mask, x, lane + distance < count ? lane + distance : lane);
        if (lane + distance < count)
            x = f(x, other);
    }
    return sd_from_lane(mask, x, 0);
}
__device__ static inline void *sd_group_memory()
{
    alignas(16) __shared__ u8 memory[32 * 16];
    return memory;
}
template <i32 threads, class T, class F> __device__ inline T sd_block_group(T x, F f)
{
    T *parts = (T *)sd_group_memory();
    i32 warps = threads > 0 ? threads / 32 : (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    x = sd_warp_group<threads>(x, f);
    __syncthreads();
    if (sd_lane() == 0)
        parts[sd_warp()] = x;
    __syncthreads();
    x = parts[0];
    for (i32 i = 1; i < warps; i++)
        x = f(x, parts[i]);
    return x;
}
__device__ static inline void *sd_column_memory()
{
    alignas(16) __shared__ u8 memory[512 * 16];
    return memory;
}
template <class T, class F> __device__ inline T sd_column_group(T x, F f)
{
    i32 y = blockDim.y > 1 ? threadIdx.y : threadIdx.x >> 5, rows = blockDim.y > 1 ? blockDim.y : blockDim.x >> 5;
    i32 width = blockDim.y > 1 ? blockDim.x : 32;
    T *column = (T *)sd_column_memory() + (blockDim.y > 1 ? threadIdx.x : threadIdx.x & 31);
    __syncthreads();
    column[y * width] = x;
    __syncthreads();
    x = column[0];
    for (i32 i = 1; i < rows; i++)
        x = f(x, column[i * width]);
    return x;
}
__device__ inline u32 sd_arrive(u32 *blocks, u32 step)
{
    u32 old;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(blocks), "r"(step) : "memory");
#else
    __threadfence();
    old = atomicAdd(blocks, step);
#endif
    return old;
}
__device__ inline u32 sd_arrived(u32 *blocks)
{
    u32 now;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(blocks) : "memory");
#else
    now = *(volatile u32 *)blocks;
    __threadfence();
#endif
#if !defined(__CUDA_ARCH__)
    __nanosleep(0);
#endif
    return now;
}
__device__ inline void sd_grid_barrier(u32 *blocks)
{
    u32 count = gridDim.x * gridDim.y * gridDim.z;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    u32 cluster;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(cluster));
    if (count > 1 && cluster == count) {
        asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
        return;
    }
#endif
    __syncthreads();
    if (count == 1)
        return;
    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
        bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
        u32 old = sd_arrive(blocks, first ? 0x80000000u - (count - 1u) : 1u);
        while (((old ^ sd_arrived(blocks)) & 0x80000000u) == 0)
            ;
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(256) k0_axpy(i64 p0_N, double *__restrict__ p1_B, double p2_a, const double *__restrict__ p3_A)
{
    i64 v0_i = (i64)(i32)(blockIdx.x * blockDim.x + threadIdx.x);
    if (v0_i < p0_N) {
        p1_B[v0_i] = p2_a * p3_A[v0_i] + p1_B[v0_i];
    }
}

__device__ u32 k1_norm_blocks;
extern "C" __global__ void __launch_bounds__(256, 2) k1_norm(i64 p0_N, const double *__restrict__ p1_A, double *p2_B)
{
    alignas(16) __shared__ double v0_S[32];
    alignas(16) i32 v1_T[8];
    for (i64 i = 0; i < 8; i++)
        v1_T[i] = {};
    i64 v2_j = (i64)(i32)(blockIdx.x * blockDim.x + threadIdx.x);
    double v3_acc = 0.0;
    const i64 t0 = (i64)(256ull * (u64)(i64)(i32)gridDim.x);
    for (i64 v4_m = v2_j; v4_m < p0_N; v4_m += t0) {
        double v5_x = p1_A[v4_m];
        v3_acc = v3_acc + v5_x * v5_x;
        while (v5_x > 1.0) {
            v5_x = v5_x / 2.0;
            v1_T[0] = (i32)((u32)v1_T[0] + 1u);
        }
    }
    double v6_sum = sd_block_group<256, double>(v3_acc, [](double x, double y) -> double { return x + y; });
    double v7_s2 = sd_warp_group<256, double>(v3_acc, [](double x, double y) -> double { return y == sd_bits<double>(0xfff0000000000000ull) ? x : sd_max<double>(x, y); });
    v7_s2 = sd_column_group<double>(v7_s2, [](double x, double y) -> double { return x + y; });
    if ((i32)threadIdx.x == 0) {
        atomicAdd(&p2_B[0], v6_sum);
        sd_update<double>(&p2_B[1], [&](double x) -> double { return sd_max<double>(x, v7_s2); });
        sd_update<double>(&p2_B[sd_rem<i64>(p0_N, v2_j)], [&](double x) -> double { return x * v7_s2; });
        v0_S[1] = sin(v6_sum) + (double)v1_T[0];
    }
    __syncthreads();
    sd_grid_barrier(&k1_norm_blocks);
    p2_B[2] = p0_N > 3ll && p1_A[p0_N] > 0.5 ? v0_S[1] : nextafter(v0_S[0], 2.0);
}
