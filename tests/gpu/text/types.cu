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
template <class F> __device__ inline i32 sd_i32(F x)
{
    return x > -(F)2147483648.0 && x < (F)2147483648.0 ? (i32)x : (i32)0x80000000u;
}
template <class F> __device__ inline i64 sd_i64(F x)
{
    return x > -(F)9223372036854775808.0 && x < (F)9223372036854775808.0 ? (i64)x : (i64)0x8000000000000000ull;
}
template <class F> __device__ inline u64 sd_u64(F x)
{
    const F half = (F)9223372036854775808.0;
    return x >= half ? (u64)sd_i64(x - half) ^ 0x8000000000000000ull : (u64)sd_i64(x);
}
__device__ inline float sd_mul(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double sd_mul(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float sd_odd(double x)
{
    float near = (float)x;
    u32 bits = sd_bits<u32>(near);
    return (double)near == x || x != x ? near : sd_bits<float>((bits - (fabs((double)near) > fabs(x))) | 1u);
}
struct f16 { u16 bits; };
#ifdef __CUDA_ARCH__
__device__ inline float sd_wide(f16 x)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
    return r;
}
__device__ inline f16 sd_f16(float x)
{
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
    return r;
}
#else
inline float sd_wide(f16 x)
{
    u32 size = x.bits & 0x7fffu, sign = (u32)(x.bits & 0x8000u) << 16;
    u32 bits = size >= 0x7c00u ? size << 13 | 0x7f800000u : sd_bits<u32>(sd_bits<float>(size << 13) * 5192296858534827628530496329220096.0f);
    return sd_bits<float>(bits | sign);
}
inline f16 sd_f16(float x)
{
    u32 bits = sd_bits<u32>(x), size = bits & 0x7fffffffu, sign = (bits ^ size) >> 16, r;
    if (size >= 143u << 23)
        r = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    else if (size < 113u << 23)
        r = sd_bits<u32>(sd_bits<float>(size) + 0.5f) - 0x3f000000u;
    else
        r = (size + (size >> 13 & 1u) + (0xfffu - (112u << 23))) >> 13;
    return { (u16)(r | sign) };
}
#endif
struct bf16 { u16 bits; };
__device__ inline float sd_wide(bf16 x) { return sd_bits<float>((u32)x.bits << 16); }
__device__ inline bf16 sd_bf16(float x)
{
    u32 bits = sd_bits<u32>(x), high = bits >> 16;
    return { (u16)(x != x ? high | 0x40u : (bits + 0x7fffu + (high & 1u)) >> 16) };
}
struct e4m3 { u8 bits; };
struct e5m2 { u8 bits; };
__device__ inline u32 sd_shift_rounded(u32 x, int shift)
{
    return shift > 31 ? 0u : (x + ((1u << (shift - 1)) - 1u) + (x >> shift & 1u)) >> shift;
}
template <int fraction, int bias, u32 top, u32 overflow, u32 nan> __device__ inline u8 sd_encode8(float x)
{
    u32 bits = sd_bits<u32>(x), sign = bits >> 24 & 0x80u, size = bits & 0x7fffffffu, r;
    int exponent = (int)(size >> 23) - 127 + bias;
    if (size > 0x7f800000u)
        return (u8)(sign | nan);
    if (exponent <= 0)
        r = size >> 23 ? sd_shift_rounded((size & 0x7fffffu) | 0x800000u, 24 - fraction - exponent) : 0u;
    else
        r = ((u32)exponent << fraction) + sd_shift_rounded(size & 0x7fffffu, 23 - fraction);
    return (u8)(sign | (r > top ? overflow : r));
}
template <int fraction, int bias, u32 top, u32 overflow, u32 nan> __device__ inline float sd_decode8(u32 bits)
{
    u32 sign = (bits & 0x80u) << 24, size = bits & 0x7fu, rest = size & ((1u << fraction) - 1u);
    if (size > top)
        return sd_bits<float>(sign | (size == overflow && overflow != nan ? 0x7f800000u : 0x7fc00000u));
    if (size >> fraction == 0)
        return sd_bits<float>(sign | sd_bits<u32>((float)rest * sd_bits<float>((u32)(128 - bias - fraction) << 23)));
    return sd_bits<float>(sign | ((size >> fraction) + 127u - bias) << 23 | rest << (23 - fraction));
}
__device__ inline float sd_wide(e4m3 x) { return sd_decode8<3, 7, 0x7e, 0x7f, 0x7f>(x.bits); }
__device__ inline float sd_wide(e5m2 x) { return sd_decode8<2, 15, 0x7b, 0x7c, 0x7e>(x.bits); }
__device__ inline e4m3 sd_e4m3(float x) { return { sd_encode8<3, 7, 0x7e, 0x7f, 0x7f>(x) }; }
__device__ inline e5m2 sd_e5m2(float x) { return { sd_encode8<2, 15, 0x7b, 0x7c, 0x7e>(x) }; }
template <class R> struct alignas(2 * sizeof(R)) cx { R re, im; };
typedef cx<float> c64;
typedef cx<double> c128;
template <class R> __device__ inline cx<R> operator+(cx<R> a, cx<R> b) { return { a.re + b.re, a.im + b.im }; }
template <class R> __device__ inline cx<R> operator-(cx<R> a, cx<R> b) { return { a.re - b.re, a.im - b.im }; }
template <class R> __device__ inline cx<R> operator-(cx<R> a) { return { -a.re, -a.im }; }
template <class R> __device__ inline cx<R> operator*(cx<R> a, cx<R> b)
{
    return { sd_mul(a.re, b.re) - sd_mul(a.im, b.im), sd_mul(a.re, b.im) + sd_mul(a.im, b.re) };
}
template <class R> __device__ inline cx<R> operator/(cx<R> a, cx<R> b)
{
    bool real = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
    R large = real ? b.re : b.im, small = real ? b.im : b.re, x = real ? a.re : a.im, y = real ? a.im : a.re;
    R ratio = large == 0 ? (R)0 : small / large, scale = large + small * ratio;
    R im = y - x * ratio;
    return { (x + y * ratio) / scale, (real ? im : -im) / scale };
}
template <class R> __device__ inline bool operator==(cx<R> a, cx<R> b) { return a.re == b.re && a.im == b.im; }
template <class R> __device__ inline bool operator!=(cx<R> a, cx<R> b) { return a.re != b.re || a.im != b.im; }
__device__ inline u32 sd_size(float x) { return sd_bits<u32>(x) & 0x7fffffffu; }
__device__ inline u64 sd_size(double x) { return sd_bits<u64>(x) & 0x7fffffffffffffffull; }
__device__ inline bool sd_isnan(float x) { return sd_size(x) > 0x7f800000u; }
__device__ inline bool sd_isnan(double x) { return sd_size(x) > 0x7ff0000000000000ull; }
__device__ inline bool sd_isinf(float x) { return sd_size(x) == 0x7f800000u; }
__device__ inline bool sd_isinf(double x) { return sd_size(x) == 0x7ff0000000000000ull; }
__device__ inline bool sd_isfinite(float x) { return sd_size(x) < 0x7f800000u; }
__device__ inline bool sd_isfinite(double x) { return sd_size(x) < 0x7ff0000000000000ull; }
__device__ inline bool sd_signbit(float x) { return sd_bits<u32>(x) >> 31; }
__device__ inline bool sd_signbit(double x) { return sd_bits<u64>(x) >> 63; }
template <class R> __device__ inline bool sd_isnan(cx<R> z) { return sd_isnan(z.re) || sd_isnan(z.im); }
template <class R> __device__ inline bool sd_isinf(cx<R> z) { return sd_isinf(z.re) || sd_isinf(z.im); }
template <class R> __device__ inline bool sd_isfinite(cx<R> z) { return sd_isfinite(z.re) && sd_isfinite(z.im); }
template <class R> __device__ inline R sd_fabs(cx<R> z) { return hypot(z.re, z.im); }
template <class R> __device__ inline cx<R> sd_conj(cx<R> z) { return { z.re, -z.im }; }
template <class R> __device__ inline cx<R> sd_times(cx<R> z, R s) { return { z.re * s, z.im * s }; }
template <class R> __device__ inline cx<R> sd_exp(cx<R> z)
{
    R e = exp(z.re);
    if (z.im == 0)
        return { e, z.im };
    if (e == 0)
        return { 0, 0 };
    return { e * cos(z.im), e * sin(z.im) };
}
template <class R> __device__ inline cx<R> sd_log(cx<R> z)
{
    R size = hypot(z.re, z.im), x = fabs(z.re), y = fabs(z.im), angle = atan2(z.im, z.re);
    if (x < y) {
        R larger = y;
        y = x;
        x = larger;
    }
    if (size > (R)0.5 && size < (R)2)
        return { (R)0.5 * log1p((x - 1) * (x + 1) + y * y), angle };
    return { log(size), angle };
}
template <class R> __device__ inline cx<R> sd_sqrt(cx<R> z)
{
    R a = fabs(z.re), t = sqrt((R)0.5 * a + (R)0.5 * hypot(z.re, z.im));
    if (sd_isinf(z.im))
        return { fabs(z.im), z.im };
    if (t == 0)
        return { 0, z.im };
    if (z.re >= 0)
        return { t, z.im / (2 * t) };
    return { fabs(z.im) / (2 * t), copysign(t, z.im) };
}
template <class R> __device__ inline cx<R> sd_sin(cx<R> z) { return { sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im) }; }
template <class R> __device__ inline cx<R> sd_cos(cx<R> z) { return { cos(z.re) * cosh(z.im), -(sin(z.re) * sinh(z.im)) }; }
template <class R> __device__ inline cx<R> sd_sinh(cx<R> z) { return { sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im) }; }
template <class R> __device__ inline cx<R> sd_cosh(cx<R> z) { return { cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im) }; }
template <class R> __device__ inline cx<R> sd_tanh(cx<R> z)
{
    if (fabs(z.re) > 20)
        return { copysign((R)1, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re)) };
    R t = tan(z.im), s = sinh(z.re), b = 1 + t * t, d = 1 + b * s * s;
    return { b * sqrt(1 + s * s) * s / d, t / d };
}
template <class R> __device__ inline cx<R> sd_tan(cx<R> z)
{
    cx<R> w = sd_tanh(cx<R>{ -z.im, z.re });
    return { w.im, -w.re };
}
template <class R> __device__ inline cx<R> sd_asinh(cx<R> z)
{
    cx<R> p = sd_sqrt(cx<R>{ 1 + z.im, -z.re }), q = sd_sqrt(cx<R>{ 1 - z.im, z.re });
    return { asinh(p.re * q.im - q.re * p.im), atan2(z.im, p.re * q.re - p.im * q.im) };
}
template <class R> __device__ inline cx<R> sd_acosh(cx<R> z)
{
    cx<R> p = sd_sqrt(cx<R>{ z.re - 1, z.im }), q = sd_sqrt(cx<R>{ z.re + 1, z.im });
    return { asinh(p.re * q.re + p.im * q.im), 2 * atan2(p.im, q.re) };
}
template <class R> __device__ inline cx<R> sd_asin(cx<R> z)
{
    cx<R> w = sd_asinh(cx<R>{ -z.im, z.re });
    return { w.im, -w.re };
}
template <class R> __device__ inline cx<R> sd_acos(cx<R> z)
{
    cx<R> p = sd_sqrt(cx<R>{ 1 - z.re, -z.im }), q = sd_sqrt(cx<R>{ 1 + z.re, z.im });
    return { 2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re) };
}
template <class R> __device__ inline cx<R> sd_atanh(cx<R> z)
{
    R a = fabs(z.re), y2 = z.im * z.im;
    R re = log1p(4 * a / ((1 - a) * (1 - a) + y2)) / 4, im = atan2(2 * z.im, (1 - a) * (1 + a) - y2) / 2;
    return { copysign(re, z.re), im };
}
template <class R> __device__ inline cx<R> sd_atan(cx<R> z)
{
    cx<R> w = sd_atanh(cx<R>{ -z.im, z.re });
    return { w.im, -w.re };
}
template <class R> __device__ inline cx<R> sd_pow(cx<R> a, cx<R> b) { return sd_exp(b * sd_log(a)); }
template <class R> __device__ inline cx<R> sd_log2(cx<R> z) { return sd_times(sd_log(z), (R)1.4426950408889634); }
template <class R> __device__ inline cx<R> sd_log10(cx<R> z) { return sd_times(sd_log(z), (R)0.43429448190325183); }
template <class R> __device__ inline cx<R> sd_log1p(cx<R> z) { return sd_log(cx<R>{ 1 + z.re, z.im }); }
template <class R> __device__ inline cx<R> sd_exp2(cx<R> z) { return sd_exp(sd_times(z, (R)0.69314718055994531)); }
template <class R> __device__ inline cx<R> sd_expm1(cx<R> z) { return sd_exp(z) - cx<R>{ 1, 0 }; }
template <class T, int N> struct vec { T l[N]; };
template <class V, class T> __device__ inline V sd_splat(T x)
{
    V r;
    for (T &lane : r.l)
        lane = x;
    return r;
}
template <class R, class T, int N, class F> __device__ inline vec<R, N> sd_map(vec<T, N> a, F f)
{
    vec<R, N> r;
    for (int i = 0; i < N; i++)
        r.l[i] = f(a.l[i]);
    return r;
}
template <class R, class T, int N, class F> __device__ inline vec<R, N> sd_map(vec<T, N> a, vec<T, N> b, F f)
{
    vec<R, N> r;
    for (int i = 0; i < N; i++)
        r.l[i] = f(a.l[i], b.l[i]);
    return r;
}
template <class R, class T, int N, class F> __device__ inline vec<R, N> sd_map(vec<T, N> a, vec<T, N> b, vec<T, N> c, F f)
{
    vec<R, N> r;
    for (int i = 0; i < N; i++)
        r.l[i] = f(a.l[i], b.l[i], c.l[i]);
    return r;
}
template <class M, class T, int N> __device__ inline vec<T, N> sd_choose(vec<M, N> c, vec<T, N> a, vec<T, N> b)
{
    vec<T, N> r;
    for (int i = 0; i < N; i++)
        r.l[i] = c.l[i] ? a.l[i] : b.l[i];
    return r;
}
template <class T, int N> __device__ inline vec<T, N> sd_insert(vec<T, N> v, i64 lane, T x)
{
    for (int i = 0; i < N; i++)
        v.l[i] = i == lane ? x : v.l[i];
    return v;
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
__device__ inline i32 sd_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ inline i32 sd_lane() { return sd_thread() & 31; }
__device__ inline i32 sd_warp() { return sd_thread() >> 5; }
struct alignas(8) s1 { u8 bytes[32]; };

extern "C" __global__ void __launch_bounds__(32) k0_types(f16 *__restrict__ p0_H, bf16 *__restrict__ p1_B, e4m3 *__restrict__ p2_E, double *__restrict__ p3_V, c128 *__restrict__ p4_Z, double p5_z0_re, double p5_z0_im, c64 *__restrict__ p6_C, u8 *__restrict__ p7_T, bool p8_q, u8 *__restrict__ p9_U, i64 *__restrict__ p10_I, s1 *__restrict__ p11_R, i32 p12_N)
{
    const c128 p5_z0 = { p5_z0_re, p5_z0_im };
    i64 v0_i = (i64)sd_lane();
    float v1_h = sd_wide(p0_H[v0_i]) + sd_wide(p1_B[v0_i]) * sd_wide(p2_E[v0_i]);
    p0_H[v0_i] = sd_f16(v1_h);
    p1_B[v0_i] = sd_bf16(sd_odd(p3_V[v0_i]));
    p2_E[v0_i] = sd_e4m3(v1_h);
    c128 v2_z = p4_Z[v0_i] * p5_z0 + sd_exp(p4_Z[v0_i]) / c128{ p3_V[v0_i], 2.0 };
    p4_Z[v0_i] = v2_z;
    const c128 t0 = sd_sqrt(v2_z);
    p6_C[v0_i] = c64{ (float)t0.re, (float)t0.im };
    p3_V[(i64)((u64)v0_i + 1ull)] = sd_fabs(v2_z) + v2_z.re + (sd_isnan(p3_V[v0_i]) ? 1.0 : 0.0);
    p7_T[v0_i] = p8_q && p7_T[(i64)((u64)v0_i + 1ull)] != 0 || v2_z.re > 0.5;
    sd_atomic_sum(&p4_Z[0], v2_z);
    sd_locked<c128>(&p4_Z[1], [&](c128 x) -> c128 { return x * v2_z; });
    sd_update<u8>(&p7_T[0], [&](u8 x) -> u8 { return (bool)((x != 0) | p8_q); });
    const f16 t1 = sd_f16(v1_h);
    sd_update<f16>(&p0_H[0], [&](f16 x) -> f16 { return sd_f16(sd_wide(x) + sd_wide(t1)); });
    const u8 t2 = (u8)v0_i;
    sd_update<u8>(&p9_U[v0_i / 3ll], [&](u8 x) -> u8 { return sd_max<u8>(x, t2); });
    atomicAdd((u64 *)&p10_I[0], (u64)v0_i);
    atomicMin(&p10_I[1], v0_i);
    atomicAnd((u64 *)&p10_I[2], (u64)v0_i);
    *((double *)((char *)p11_R + 0)) = p3_V[0];
    vec<double, 2> v3_w = ((vec<double, 2> *)p3_V)[v0_i];
    const vec<double, 2> t3 = sd_map<double>(sd_map<double>(v3_w, v3_w, [](double x, double y) { return x * y; }), sd_splat<vec<double, 2>>(v1_h == 0.5f ? 1.0 : sd_bits<double>(0x7ff8000000000000ull)), [](double x, double y) { return x + y; });
    ((vec<double, 2> *)p3_V)[v0_i] = t3;
    i64 v4_d = (i64)((u64)sd_rem<i64>(sd_i64(p3_V[v0_i]), v0_i) + (u64)(i64)sd_div<i32>(sd_i32(p3_V[v0_i]), p12_N));
    p10_I[v4_d] = (i64)((u64)sd_bits<i64>(p3_V[v0_i]) << (v4_d & 63)) ^ (i64)(v4_d >> 3);
    p9_U[v4_d] = (u8)((u32)(u8)p10_I[v4_d] + 200u);
    double *const t4 = (double *)(p3_V + 8);
    const double *const t5 = (const double *)(p3_V + 16);
    for (i64 i = 0; i < 4ll; i++)
        t4[i] = t5[i];
    const i64 t6 = v4_d;
    i64 *const t7 = (i64 *)p10_I;
    for (i64 i = 0; i < t6; i++)
        t7[i] = {};
}
