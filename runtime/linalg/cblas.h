/* CBLAS and LAPACKE as C++ tasklets call them, with the context in front: on top of the strided functions of blas.h, so
 * the same library, the same threads, and loops where there is no library. Operands that are to be conjugated are
 * copied. Solving with the transposed matrix fails the call with SDFG_RT_BAD_VALUE. */
#ifndef RUNTIME_CBLAS_H
#define RUNTIME_CBLAS_H

#include "runtime/runtime.h"

#define SDFG_RT_CBLAS_REAL(p, T)                                                                                       \
    void sdfg_rt_cblas_##p##gemm(struct sdfg_rt_context *context, int layout, int ta, int tb, int m, int n, int k,     \
                                 T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);            \
    void sdfg_rt_cblas_##p##gemv(struct sdfg_rt_context *context, int layout, int trans, int m, int n, T alpha,        \
                                 const T *a, int lda, const T *x, int incx, T beta, T *y, int incy);                   \
    T sdfg_rt_cblas_##p##dot(struct sdfg_rt_context *context, int n, const T *x, int incx, const T *y, int incy);

#define SDFG_RT_CBLAS_COMPLEX(p, T)                                                                                    \
    void sdfg_rt_cblas_##p##gemm(struct sdfg_rt_context *context, int layout, int ta, int tb, int m, int n, int k,     \
                                 const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,        \
                                 int ldc);                                                                             \
    void sdfg_rt_cblas_##p##gemv(struct sdfg_rt_context *context, int layout, int trans, int m, int n, const T *alpha, \
                                 const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy);            \
    void sdfg_rt_cblas_##p##dotu_sub(struct sdfg_rt_context *context, int n, const T *x, int incx, const T *y,         \
                                     int incy, T *result);

#define SDFG_RT_LAPACKE(p, T)                                                                                          \
    int sdfg_rt_LAPACKE_##p##getrf(struct sdfg_rt_context *context, int layout, int m, int n, T *a, int lda,           \
                                   int *ipiv);                                                                         \
    int sdfg_rt_LAPACKE_##p##getri(struct sdfg_rt_context *context, int layout, int n, T *a, int lda,                  \
                                   const int *ipiv);                                                                   \
    int sdfg_rt_LAPACKE_##p##getrs(struct sdfg_rt_context *context, int layout, int8_t trans, int n, int nrhs,         \
                                   const T *a, int lda, const int *ipiv, T *b, int ldb);                               \
    int sdfg_rt_LAPACKE_##p##potrf(struct sdfg_rt_context *context, int layout, int8_t uplo, int n, T *a, int lda);

SDFG_RT_CBLAS_REAL(s, float)
SDFG_RT_CBLAS_REAL(d, double)
SDFG_RT_CBLAS_COMPLEX(c, float _Complex)
SDFG_RT_CBLAS_COMPLEX(z, double _Complex)
SDFG_RT_LAPACKE(s, float)
SDFG_RT_LAPACKE(d, double)
SDFG_RT_LAPACKE(c, float _Complex)
SDFG_RT_LAPACKE(z, double _Complex)

#undef SDFG_RT_CBLAS_REAL
#undef SDFG_RT_CBLAS_COMPLEX
#undef SDFG_RT_LAPACKE

#endif
