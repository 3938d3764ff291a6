/* A small CBLAS that counts its calls, as a library that the runtime may meet: KIND says what is special about it. */
#include <complex.h>
#include <stdatomic.h>
#include <stddef.h>

#pragma GCC visibility push(default)

#define INCOMPLETE    1
#define OWN_THREADS   2
#define FIXED_THREADS 3
#define ON_OPENMP     4
#define OLD_CORE      5
#define NEW_CORE      6

enum { NO_TRANS = 111 };

atomic_int blas_products, blas_vectors, blas_dots;
atomic_int blas_threads_then; /* how many threads were set at the last call */

#if KIND == OWN_THREADS || KIND == FIXED_THREADS || KIND == ON_OPENMP
int openblas_get_parallel(void) { return KIND == ON_OPENMP ? 2 : 1; }
#endif

#if KIND == OLD_CORE || KIND == NEW_CORE
const char *openblas_get_corename(void) { return KIND == OLD_CORE ? "Prescott" : "SkylakeX"; }
#endif

static int num_threads = 8;
#if KIND == OWN_THREADS || KIND == ON_OPENMP
void openblas_set_num_threads(int n) { num_threads = n; }
int openblas_get_num_threads(void) { return num_threads; }
#endif

static void count(atomic_int *calls)
{
    atomic_fetch_add(calls, 1);
    atomic_store(&blas_threads_then, num_threads);
}

/* Rows lie one after the other; FACTOR is a number or a pointer to one, AT reads it. */
#define FUNCTIONS(letter, T, FACTOR, AT)                                                                               \
    void cblas_##letter##gemm(int order, int ta, int tb, int m, int n, int k, FACTOR alpha, const T *a, int lda,       \
                              const T *b, int ldb, FACTOR beta, T *c, int ldc)                                         \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        count(&blas_products);                                                                                         \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++) {                                                                              \
                T sum = 0;                                                                                             \
                for (int p = 0; p < k; p++)                                                                            \
                    sum +=                                                                                             \
                        a[ta == NO_TRANS ? (size_t)i * (size_t)lda + (size_t)p                                         \
                                         : (size_t)p * (size_t)lda + (size_t)i] *                                      \
                        b[tb == NO_TRANS ? (size_t)p * (size_t)ldb + (size_t)j : (size_t)j * (size_t)ldb + (size_t)p]; \
                T *to = c + (size_t)i * (size_t)ldc + j;                                                               \
                *to = AT(alpha) * sum + (AT(beta) != (T)0 ? AT(beta) * *to : (T)0);                                    \
            }                                                                                                          \
    }                                                                                                                  \
    void cblas_##letter##gemv(int order, int t, int m, int n, FACTOR alpha, const T *a, int lda, const T *x, int incx, \
                              FACTOR beta, T *y, int incy)                                                             \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        count(&blas_vectors);                                                                                          \
        int rows = t == NO_TRANS ? m : n, columns = t == NO_TRANS ? n : m;                                             \
        for (int i = 0; i < rows; i++) {                                                                               \
            T sum = 0;                                                                                                 \
            for (int p = 0; p < columns; p++)                                                                          \
                sum += a[t == NO_TRANS ? (size_t)i * (size_t)lda + (size_t)p : (size_t)p * (size_t)lda + (size_t)i] *  \
                       x[(size_t)p * (size_t)incx];                                                                    \
            T *to = y + (size_t)i * (size_t)incy;                                                                      \
            *to = AT(alpha) * sum + (AT(beta) != (T)0 ? AT(beta) * *to : (T)0);                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static T letter##_dot(int n, const T *x, int incx, const T *y, int incy)                                           \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        count(&blas_dots);                                                                                             \
        for (int i = 0; i < n; i++)                                                                                    \
            sum += x[(size_t)i * (size_t)incx] * y[(size_t)i * (size_t)incy];                                          \
        return sum;                                                                                                    \
    }

#define VALUE(x)   (x)
#define CONTENT(x) (*(x))
FUNCTIONS(s, float, float, VALUE)
FUNCTIONS(d, double, double, VALUE)
FUNCTIONS(c, float complex, const float complex *, CONTENT)
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy) { return s_dot(n, x, incx, y, incy); }
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) { return d_dot(n, x, incx, y, incy); }
void cblas_cdotu_sub(int n, const float complex *x, int incx, const float complex *y, int incy, float complex *result)
{
    *result = c_dot(n, x, incx, y, incy);
}
#if KIND != INCOMPLETE
FUNCTIONS(z, double complex, const double complex *, CONTENT)
void cblas_zdotu_sub(int n, const double complex *x, int incx, const double complex *y, int incy,
                     double complex *result)
{
    *result = z_dot(n, x, incx, y, incy);
}
#endif
