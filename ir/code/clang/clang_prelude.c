/* What a tasklet sees of the C++ world. A function without a body is an operation of lower/graph/code/code_call.c with
 * that name, or, if it is extern "C", one of the C library, of CBLAS or of LAPACKE; the others are inlined like those
 * of the tasklet's author. */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

static const char basics[] =
    "typedef __INT8_TYPE__ int8_t; typedef __INT16_TYPE__ int16_t; typedef __INT32_TYPE__ int32_t;\n"
    "typedef __INT64_TYPE__ int64_t; typedef __UINT8_TYPE__ uint8_t; typedef __UINT16_TYPE__ uint16_t;\n"
    "typedef __UINT32_TYPE__ uint32_t; typedef __UINT64_TYPE__ uint64_t; typedef __SIZE_TYPE__ size_t;\n"
    "typedef __PTRDIFF_TYPE__ ptrdiff_t; typedef __INTPTR_TYPE__ intptr_t; typedef __UINTPTR_TYPE__ uintptr_t;\n"
    "typedef unsigned int uint; typedef unsigned char uchar;\n"
    "#define NULL __null\n"
    "#define M_PI 3.14159265358979323846\n"
    "#define M_E 2.71828182845904523536\n"
    "#define INFINITY (__builtin_inff())\n"
    "#define NAN (__builtin_nanf(\"\"))\n"
    "#define FLT_MAX __FLT_MAX__\n"
    "#define FLT_MIN __FLT_MIN__\n"
    "#define FLT_EPSILON __FLT_EPSILON__\n"
    "#define DBL_MAX __DBL_MAX__\n"
    "#define DBL_MIN __DBL_MIN__\n"
    "#define DBL_EPSILON __DBL_EPSILON__\n"
    "#define INT_MAX __INT_MAX__\n"
    "#define INT_MIN (-__INT_MAX__ - 1)\n"
    "#define LONG_MAX __LONG_MAX__\n"
    "#define INT32_MAX __INT_MAX__\n"
    "#define INT64_MAX __LONG_MAX__\n"
    "#define UINT32_MAX 0xffffffffu\n"
    "#define DACE_HDFI inline\n"
    "#define DACE_HFI inline\n"
    "#define DACE_DFI inline\n"
    "#define __host__\n"
    "#define __forceinline__ inline\n"
    "#define __restrict__\n"
    "template <class T, bool = __is_integral(T)> struct __number_of { typedef T type; };\n"
    "template <class T> struct __number_of<T, true> { typedef double type; };\n"
    "template <class A, class B> struct __both {\n"
    "  typedef decltype(typename __number_of<A>::type() + typename __number_of<B>::type()) type; };\n"
    "template <class A, class B> struct __common { typedef decltype(true ? A() : B()) type; };\n"
    "extern \"C\" {\n"
    "int printf(const char *, ...);\n"
    "void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);\n"
    "void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);\n"
    "float sqrtf(float); float cbrtf(float); float expf(float); float exp2f(float); float expm1f(float); float "
    "logf(float);\n"
    "float log2f(float); float log10f(float); float log1pf(float); float sinf(float); float cosf(float); float "
    "tanf(float);\n"
    "float asinf(float); float acosf(float); float atanf(float); float sinhf(float); float coshf(float); float "
    "tanhf(float);\n"
    "float asinhf(float); float acoshf(float); float atanhf(float); float atan2f(float, float); float powf(float, "
    "float);\n"
    "float fabsf(float); float floorf(float); float ceilf(float); float truncf(float); float roundf(float);\n"
    "float fmodf(float, float); float fminf(float, float); float fmaxf(float, float); float copysignf(float, float);\n"
    "float erff(float); float hypotf(float, float); float fmaf(float, float, float); float rintf(float);\n"
    "}\n"
    "#define F(f) template <class T> typename __number_of<T>::type f(T);\n"
    "#define G(f) template <class A, class B> typename __both<A, B>::type f(A, B);\n"
    "F(sqrt) F(cbrt) F(exp) F(exp2) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan) F(asin) F(acos) "
    "F(atan)\n"
    "F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(fabs) F(floor) F(ceil) F(trunc) F(round) F(nearbyint) "
    "F(rint)\n"
    "F(erf) F(erfc) F(tgamma) F(lgamma) F(logb) G(atan2) G(pow) G(hypot) G(fmod) G(copysign) G(fmin) G(fmax) "
    "G(nextafter)\n"
    "G(remainder) G(fdim)\n"
    "#undef F\n"
    "#undef G\n"
    "template <class A, class B, class C> typename __both<A, typename __both<B, C>::type>::type fma(A, B, C);\n"
    "template <class T> typename __number_of<T>::type ldexp(T, int); template <class T> typename __number_of<T>::type "
    "scalbn(T, int);\n"
    "template <class T> bool isnan(T); template <class T> bool isinf(T); template <class T> bool isfinite(T);\n"
    "template <class T> bool signbit(T); template <class T> decltype(+T()) abs(T);\n"
    "int pow(int, int); unsigned pow(unsigned, unsigned);\n"
    "template <class T> long lround(T x) { return (long)round(x); }\n"
    "template <class T> long lrint(T x) { return (long)rint(x); }\n"
    "template <class A, class B> typename __common<A, B>::type min(A, B);\n"
    "template <class A, class B> typename __common<A, B>::type max(A, B);\n"
    "template <class A, class B, class... R> auto min(A a, B b, R... r) { return min(a, min(b, r...)); }\n"
    "template <class A, class B, class... R> auto max(A a, B b, R... r) { return max(a, max(b, r...)); }\n"
    "template <class A, class B> A Min(A, B); template <class A, class B> A Max(A, B);\n"
    "template <class A, class B> A int_ceil(A, B); template <class A, class B> A int_floor(A, B);\n"
    "template <class A, class B> A int_floor_ni(A, B); template <class A, class B> A py_floor(A, B);\n"
    "template <class A, class B> A py_mod(A, B); template <class A, class B> A cpp_mod(A, B);\n"
    "template <class A, class B> A c_mod(A, B); template <class A, class B> A ftn_mod(A, B);\n"
    "template <class A, class B> A ftn_modulo(A, B);\n"
    "template <class A, class B> A Mod(A a, B b) { return a % b; }\n"
    "template <class T> T Abs(T x) { return abs(x); }\n"
    "template <class T> T ROUND(T); template <class T> int iround(T); template <class T> int sgn(T);\n"
    "template <class T> T sign(T); template <class T> T reciprocal(T); template <class T> T heaviside(T);\n"
    "template <class A, class B> A heaviside(A, B); template <class A, class B> A gcd(A, B);\n"
    "template <class A, class B> A lcm(A, B); template <class T> T ifloor(T);\n"
    "template <class T> T __sdfg_reduce(int kind, bool atomic, T *, T);\n";

static const char complex_numbers[] =
    "namespace std {\n"
    "template <class T> struct complex { typedef T value_type; T re, im; constexpr complex(T re = T(), T im = T());\n"
    "  template <class U> constexpr complex(const complex<U> &); T real() const; T imag() const;\n"
    "  template <class U> complex &operator=(const U &); template <class U> complex &operator+=(const U &);\n"
    "  template <class U> complex &operator-=(const U &); template <class U> complex &operator*=(const U &);\n"
    "  template <class U> complex &operator/=(const U &); };\n"
    "template <class T> struct complex<complex<T>>;\n"
    "template <class U, class R, bool = __is_arithmetic(U)> struct __number {};\n"
    "template <class U, class R> struct __number<U, R, true> { typedef R type; };\n"
    "#define O(op, R) template <class T> R operator op(const complex<T> &, const complex<T> &);\\\n"
    "  template <class T, class U> typename __number<U, R>::type operator op(const complex<T> &, const U &);\\\n"
    "  template <class T, class U> typename __number<U, R>::type operator op(const U &, const complex<T> &);\n"
    "O(+, complex<T>) O(-, complex<T>) O(*, complex<T>) O(/, complex<T>) O(==, bool) O(!=, bool)\n"
    "#undef O\n"
    "template <class T> complex<T> operator-(const complex<T> &); template <class T> complex<T> operator+(const "
    "complex<T> &);\n"
    "template <class T> complex<T> conj(const complex<T> &); template <class T> T real(const complex<T> &);\n"
    "template <class T> T imag(const complex<T> &);\n"
    "template <class T> T norm(const complex<T> &z) { return z.real() * z.real() + z.imag() * z.imag(); }\n"
    "template <class T> T arg(const complex<T> &z) { return atan2(z.imag(), z.real()); }\n"
    "}\n"
    "template <class T> T abs(const std::complex<T> &);\n"
    "using std::conj; using std::real; using std::imag;\n"
    "template <class T> T conj(T); template <class T> T real(T); template <class T> T imag(T);\n";

static const char standard[] =
    "namespace std {\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t;\n"
    "using ::uint32_t; using ::uint64_t; using ::size_t; using ::ptrdiff_t; using ::memcpy; using ::memset; using "
    "::printf;\n"
    "using ::memmove; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1; using ::log; using "
    "::log2;\n"
    "using ::log10; using ::log1p; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan;\n"
    "using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh; using ::fabs; using "
    "::floor;\n"
    "using ::ceil; using ::trunc; using ::round; using ::nearbyint; using ::rint; using ::erf; using ::erfc; using "
    "::tgamma;\n"
    "using ::lgamma; using ::atan2; using ::hypot; using ::fmod; using ::copysign; using ::fmin; using "
    "::fmax;\n"
    "using ::fma; using ::isnan; using ::isinf; using ::isfinite; using ::signbit; using ::abs; using ::nextafter;\n"
    "using ::remainder; using ::fdim; using ::ldexp; using ::scalbn; using ::lround; using ::lrint;\n"
    "template <class A, class B> typename __both<A, B>::type pow(A, B);\n"
    "template <class T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }\n"
    "template <class T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }\n"
    "template <class T> constexpr T clamp(const T &x, const T &a, const T &b) { return x < a ? a : b < x ? b : x; }\n"
    "template <class T> void swap(T &a, T &b) { T old = a; a = b; b = old; }\n"
    "template <class T> T &move(T &);\n"
    "template <class T, class N, class V> void fill_n(T *p, N n, const V &v) { for (N i = 0; i < n; ++i) p[i] = v; }\n"
    "template <class T, class V> void fill(T *p, T *end, const V &v) { for (; p != end; ++p) *p = v; }\n"
    "template <class T, class U> void copy(const T *p, const T *end, U *to) { for (; p != end; ++p, ++to) *to = *p; }\n"
    "template <class T, class N, class U> void copy_n(const T *p, N n, U *to) { for (N i = 0; i < n; ++i) to[i] = "
    "p[i]; }\n"
    "template <class T> struct numeric_limits;\n"
    "#define L(T, LOW, SMALL, HIGH, EPS, INF, NOT) template <> struct numeric_limits<T> {\\\n"
    "  static constexpr T max() { return HIGH; } static constexpr T min() { return SMALL; }\\\n"
    "  static constexpr T lowest() { return LOW; } static constexpr T epsilon() { return EPS; }\\\n"
    "  static constexpr T infinity() { return INF; } static constexpr T quiet_NaN() { return NOT; } };\n"
    "#define I(T, LOW, HIGH) L(T, LOW, LOW, HIGH, 0, 0, 0)\n"
    "L(float, -__FLT_MAX__, __FLT_MIN__, __FLT_MAX__, __FLT_EPSILON__, INFINITY, NAN)\n"
    "L(double, -__DBL_MAX__, __DBL_MIN__, __DBL_MAX__, __DBL_EPSILON__, INFINITY, NAN)\n"
    "I(bool, false, true) I(char, -128, 127) I(signed char, -128, 127) I(unsigned char, 0, 255) I(short, -32768, "
    "32767)\n"
    "I(unsigned short, 0, 65535) I(int, -__INT_MAX__ - 1, __INT_MAX__) I(unsigned, 0, 0xffffffffu)\n"
    "I(long, -__LONG_MAX__ - 1, __LONG_MAX__) I(unsigned long, 0, 2ul * __LONG_MAX__ + 1)\n"
    "I(long long, -__LONG_MAX__ - 1, __LONG_MAX__) I(unsigned long long, 0, 2ul * __LONG_MAX__ + 1)\n"
    "#undef L\n"
    "#undef I\n"
    "}\n";

static const char dace[] =
    "namespace dace {\n"
    "#define S(name, BITS) struct name { BITS bits; name(); name(float); operator float() const;\\\n"
    "  name &operator+=(float); name &operator-=(float); name &operator*=(float); name &operator/=(float); };\n"
    "S(half, uint16_t) S(bfloat16, uint16_t) S(float8_e4m3, uint8_t) S(float8_e5m2, uint8_t)\n"
    "#undef S\n"
    "typedef half float16; typedef float float32; typedef double float64; typedef bool bool_; typedef int8_t int8;\n"
    "typedef int16_t int16; typedef int32_t int32; typedef int64_t int64; typedef uint8_t uint8; typedef uint16_t "
    "uint16;\n"
    "typedef uint32_t uint32; typedef uint64_t uint64; typedef uint8_t byte; typedef std::complex<float> complex64;\n"
    "typedef std::complex<double> complex128;\n"
    "template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));\n"
    "enum class ReductionType { Sum = 1, Product, Min, Max, Logical_And, Logical_Or, Logical_Xor, Bitwise_And, "
    "Bitwise_Or,\n"
    "  Bitwise_Xor, Exchange };\n"
    "template <ReductionType K, class T> struct wcr_fixed {\n"
    "  static T reduce(T *p, const T &v) { return __sdfg_reduce((int)K, false, p, v); }\n"
    "  static T reduce_atomic(T *p, const T &v) { return __sdfg_reduce((int)K, true, p, v); } };\n"
    "namespace math {\n"
    "#define F(f) template <class T> T f(T);\n"
    "F(exp) F(exp2) F(expm1) F(ifloor) F(sin) F(asin) F(sinh) F(asinh) F(cos) F(acos) F(cosh) F(acosh) F(tan) F(atan) "
    "F(tanh)\n"
    "F(atanh) F(sqrt) F(cbrt) F(log) F(log10) F(log1p) F(log2) F(lgamma) F(tgamma) F(ceil) F(trunc) F(erf) F(erfc)\n"
    "F(nearbyint) F(round)\n"
    "#undef F\n"
    "template <class A, class B> typename __both<A, B>::type pow(A, B); template <class A, class B> A atan2(A, B);\n"
    "template <class A, class B> A fmod(A, B); template <class A, class B> A hypot(A, B); template <class T> T ipow(T, "
    "unsigned);\n"
    "}\n"
    "namespace cmath { template <class T> T exp(T); template <class T> T conj(T); }\n"
    "}\n"
    "using dace::math::ipow;\n";

static const char blas[] =
    "typedef int MKL_INT; typedef int blasint;\n"
    "enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor }; typedef CBLAS_LAYOUT CBLAS_ORDER;\n"
    "enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans, CblasConjTrans, CblasConjNoTrans };\n"
    "enum CBLAS_UPLO { CblasUpper = 121, CblasLower }; enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit };\n"
    "enum CBLAS_SIDE { CblasLeft = 141, CblasRight };\n"
    "#define R(p, T)\\\n"
    "  void cblas_##p##gemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, T, const T *, int, const T "
    "*, int, T,\\\n"
    "    T *, int);\\\n"
    "  void cblas_##p##gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, int, int, T, const T *, int, const T *, int, T, T *, "
    "int);\\\n"
    "  void cblas_##p##ger(CBLAS_LAYOUT, int, int, T, const T *, int, const T *, int, T *, int);\\\n"
    "  T cblas_##p##dot(int, const T *, int, const T *, int); void cblas_##p##axpy(int, T, const T *, int, T *, "
    "int);\\\n"
    "  void cblas_##p##scal(int, T, T *, int); void cblas_##p##copy(int, const T *, int, T *, int);\\\n"
    "  T cblas_##p##nrm2(int, const T *, int); T cblas_##p##asum(int, const T *, int);\\\n"
    "  void cblas_##p##trsm(CBLAS_LAYOUT, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int, int, T, const T *, "
    "int, T *,\\\n"
    "    int);\\\n"
    "  void cblas_##p##syrk(CBLAS_LAYOUT, CBLAS_UPLO, CBLAS_TRANSPOSE, int, int, T, const T *, int, T, T *, int);\n"
    "#define C(p)\\\n"
    "  void cblas_##p##gemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, const void *, const void *, "
    "int,\\\n"
    "    const void *, int, const void *, void *, int);\\\n"
    "  void cblas_##p##gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, int, int, const void *, const void *, int, const void *, "
    "int,\\\n"
    "    const void *, void *, int);\\\n"
    "  void cblas_##p##dotu_sub(int, const void *, int, const void *, int, void *);\\\n"
    "  void cblas_##p##dotc_sub(int, const void *, int, const void *, int, void *);\\\n"
    "  void cblas_##p##axpy(int, const void *, const void *, int, void *, int); void cblas_##p##scal(int, const void "
    "*, void *,\\\n"
    "    int); void cblas_##p##copy(int, const void *, int, void *, int);\n"
    "extern \"C\" { R(s, float) R(d, double) C(c) C(z) }\n"
    "#undef R\n"
    "#undef C\n";

/* MKL's lists of products, in Fortran's order: each is one of BLAS. (Loops do not stand in macros: libclang would not
 * tell their parts.) */
static const char batches[] =
    "inline CBLAS_TRANSPOSE __transpose(char c) { return c == 'T' || c == 't' ? CblasTrans : c == 'C' || c == 'c' ? "
    "CblasConjTrans\n"
    "  : CblasNoTrans; }\n"
    "#define M int m, int n, int k\n"
    "inline void __gemm(char s, char t, M, float x, const float *a, int i, const float *b, int j, float y, float *c, "
    "int "
    "l) {\n"
    "  cblas_sgemm(CblasColMajor, __transpose(s), __transpose(t), m, n, k, x, a, i, b, j, y, c, l); }\n"
    "inline void __gemm(char s, char t, M, double x, const double *a, int i, const double *b, int j, double y, double "
    "*c, "
    "int l) {\n"
    "  cblas_dgemm(CblasColMajor, __transpose(s), __transpose(t), m, n, k, x, a, i, b, j, y, c, l); }\n"
    "#undef M\n"
    "#define P(T) const char *ta, const char *tb, const int *m, const int *n, const int *k, const T *alpha, const T "
    "**a,\\\n"
    "  const int *lda, const T **b, const int *ldb, const T *beta, T **c, const int *ldc, const int *groups, const int "
    "*sizes\n"
    "template <class T> void __gemm_batch(P(T)) {\n"
    "  int at = 0;\n"
    "  for (int g = 0; g < *groups; ++g)\n"
    "    for (int i = 0; i < sizes[g]; ++i, ++at)\n"
    "      __gemm(ta[g], tb[g], m[g], n[g], k[g], alpha[g], a[at], lda[g], b[at], ldb[g], beta[g], c[at], ldc[g]); }\n"
    "inline void sgemm_batch(P(float)) { __gemm_batch(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, "
    "sizes); "
    "}\n"
    "inline void dgemm_batch(P(double)) { __gemm_batch(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, "
    "sizes); "
    "}\n"
    "#undef P\n";

static const char lapack[] =
    "typedef int lapack_int; typedef std::complex<float> lapack_complex_float; typedef std::complex<double> "
    "lapack_complex_double;\n"
    "enum { LAPACK_ROW_MAJOR = 101, LAPACK_COL_MAJOR };\n"
    "#define R(p, T)\\\n"
    "  int LAPACKE_##p##getrf(int, int, int, T *, int, int *); int LAPACKE_##p##getri(int, int, T *, int, const int "
    "*);\\\n"
    "  int LAPACKE_##p##getrs(int, char, int, int, const T *, int, const int *, T *, int);\\\n"
    "  int LAPACKE_##p##potrf(int, char, int, T *, int);\n"
    "extern \"C\" { R(s, float) R(d, double) R(c, lapack_complex_float) R(z, lapack_complex_double) }\n"
    "#undef R\n";

static const char openmp[] = "int omp_get_thread_num(); int omp_get_num_threads(); int omp_get_max_threads();\n";

static const char threads[] =
    "extern \"C\" { int pthread_mutex_lock(void *); int pthread_mutex_trylock(void *); int pthread_mutex_unlock(void "
    "*); "
    "}\n"
    "namespace std {\n"
    "struct mutex { unsigned long __words[8];\n" /* zeros are a mutex that nobody holds */
    "  void lock() { pthread_mutex_lock(__words); } void unlock() { pthread_mutex_unlock(__words); }\n"
    "  bool try_lock() { return pthread_mutex_trylock(__words) == 0; } };\n"
    "template <class M> struct lock_guard { explicit lock_guard(M &); };\n"
    "template <class M> struct scoped_lock { explicit scoped_lock(M &); };\n"
    "template <class M> struct unique_lock { explicit unique_lock(M &); };\n"
    "#define L(name) template <> struct name<mutex> { mutex *__held; explicit name(mutex &m) : __held(&m) { m.lock(); "
    "}\\\n"
    "  name(const name &) = delete; name &operator=(const name &) = delete; ~name() { __held->unlock(); } };\n"
    "L(lock_guard) L(scoped_lock)\n"
    "#undef L\n"
    "template <> struct unique_lock<mutex> { mutex *__m; bool __owns;\n"
    "  explicit unique_lock(mutex &m) : __m(&m), __owns(true) { m.lock(); }\n"
    "  unique_lock(const unique_lock &) = delete; unique_lock &operator=(const unique_lock &) = delete;\n"
    "  void lock() { __m->lock(); __owns = true; } void unlock() { __m->unlock(); __owns = false; }\n"
    "  bool owns_lock() const { return __owns; } ~unique_lock() { if (__owns) __m->unlock(); } };\n"
    "}\n";

static const char files[] =
    "extern \"C\" { void *fopen(const char *, const char *); int fclose(void *); int fflush(void *);\n"
    "  int fprintf(void *, const char *, ...); }\n"
    "namespace std {\n"
    "enum __manipulator { endl, flush };\n"
    "#define M static constexpr int app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32; typedef int openmode;\n"
    "struct ios_base { M }; struct ios { M };\n"
    "struct ofstream { M void *__file;\n"
    "  explicit ofstream(const char *path, int mode = out) { __file = fopen(path, mode & app ? \"a\" : \"w\"); }\n"
    "  ofstream(const ofstream &) = delete; ofstream &operator=(const ofstream &) = delete;\n"
    "  ~ofstream() { if (__file) fclose(__file); }\n"
    "  void close() { if (__file) fclose(__file); __file = nullptr; }\n"
    "  bool is_open() const { return __file != nullptr; } bool good() const { return __file != nullptr; }\n"
    "#define O(T, format, S) ofstream &operator<<(T x) { if (__file) fprintf(__file, format, (S)x); return *this; }\n"
    "  O(const char *, \"%s\", const char *) O(char, \"%c\", int) O(signed char, \"%c\", int) O(unsigned char, \"%c\", "
    "int)\n"
    "  O(bool, \"%d\", int) O(short, \"%d\", int) O(int, \"%d\", int) O(long, \"%ld\", long) O(long long, \"%lld\", "
    "long "
    "long)\n"
    "  O(unsigned short, \"%u\", unsigned) O(unsigned, \"%u\", unsigned) O(unsigned long, \"%lu\", unsigned long)\n"
    "  O(unsigned long long, \"%llu\", unsigned long long) O(float, \"%g\", double) O(double, \"%g\", double)\n"
    "  ofstream &operator<<(__manipulator m) { if (__file && m == endl) fprintf(__file, \"\\n\"); if (__file) "
    "fflush(__file);\n"
    "    return *this; } };\n"
    "#undef O\n"
    "#undef M\n"
    "}\n";

static bool mentions(const char *text, const struct clang_part *part)
{
    for (size_t i = 0; i < sizeof part->needs / sizeof *part->needs && part->needs[i]; i++)
        if (strstr(text, part->needs[i]))
            return true;
    return !part->needs[0];
}

void clang_add_parts(struct text *out, const char *text, const struct clang_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mentions(text, &parts[i]))
            text_add(out, parts[i].text);
}

void clang_prelude(struct text *out, const char *text)
{
    static const struct clang_part parts[] = {
        { basics, { NULL } },
        { complex_numbers,
          { "complex", "dace::", "LAPACK", "lapack", "cublas", "cusolver", "cutensor", "cuComplex", "cub::" } },
        { standard, { "std", "cub::" } },
        { dace, { "dace::", "cub::" } },
        { blas, { "blas", "MKL_INT", "gemm_batch", "cusolver" } },
        { batches, { "gemm_batch" } },
        { lapack, { "LAPACK", "lapack", "cusolver" } },
        { openmp, { "omp_" } },
        { threads, { "mutex" } },
        { files, { "ofstream" } },
    };
    clang_add_parts(out, text, parts, sizeof parts / sizeof *parts);
    clang_prelude_cuda(out, text);
    clang_prelude_mpi(out, text);
    clang_prelude_sparse(out, text);
    clang_prelude_time(out, text);
}
