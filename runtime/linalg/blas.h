/* Dense linear algebra for generated code: matrices are described by element strides, so any layout can be given. A
 * CBLAS and LAPACK library is opened at run time when the first call is worth it; without one, and for tiny sizes,
 * loops do the work, so nothing fails because a library is missing. */
#ifndef RUNTIME_BLAS_H
#define RUNTIME_BLAS_H

#include "runtime/runtime.h"

#include <stddef.h>

/* Element (i, j) lies at data[i * row_stride + j * col_stride]. */
struct sdfg_rt_matrix {
    void *data;
    int64_t rows, cols, row_stride, col_stride;
};

/* Opens this library (soname or path) instead of the default ones; its name must outlive the process. False if it
 * cannot be opened or lacks the functions, or if a library is in use already. */
bool sdfg_rt_blas_use(const char *library);
void *sdfg_rt_blas_function(const char *name); /* one of the library by its name; NULL if there is none */
const char *sdfg_rt_blas_name(void);           /* library in use, NULL: loops */

/* C = alpha A B + beta C, A is m x k. alpha and beta point to elements; NULL means 1 and 0. beta 0: C is not read. */
void sdfg_rt_gemm(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, int64_t k, const void *a,
                  int64_t sam, int64_t sak, const void *b, int64_t sbk, int64_t sbn, void *c, int64_t scm, int64_t scn,
                  const void *alpha, const void *beta);
/* y = alpha A x + beta y, A is m x n. */
void sdfg_rt_gemv(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, const void *a, int64_t sam,
                  int64_t san, const void *x, int64_t sx, void *y, int64_t sy, const void *alpha, const void *beta);
/* *result = sum of x[i] * y[i], without conjugation. */
void sdfg_rt_dot(struct sdfg_rt_context *context, int32_t type, int64_t n, const void *x, int64_t sx, const void *y,
                 int64_t sy, void *result);

/* LAPACK's getrf, getri, getrs (no transposition) and potrf in place. ipiv: int32, 1-based rows; info (may be NULL):
 * int32, as LAPACK. */
void sdfg_rt_getrf(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, void *a, int64_t sam,
                   int64_t san, int32_t *ipiv, int32_t *info);
void sdfg_rt_getri(struct sdfg_rt_context *context, int32_t type, int64_t n, void *a, int64_t sam, int64_t san,
                   const int32_t *ipiv, int32_t *info);
void sdfg_rt_getrs(struct sdfg_rt_context *context, int32_t type, int64_t n, int64_t nrhs, const void *a, int64_t sam,
                   int64_t san, const int32_t *ipiv, void *b, int64_t sbm, int64_t sbn, int32_t *info);
/* Info codes of operations without result where a code is above 0: the call fails if there is one. */
void sdfg_rt_demand(struct sdfg_rt_context *context, int64_t count, const int32_t *codes);
void sdfg_rt_potrf(struct sdfg_rt_context *context, int32_t type, int32_t lower, int64_t n, void *a, int64_t sam,
                   int64_t san, int32_t *info);
/* X = A^-1 B; out = A^-1; out = the Cholesky factor with the other triangle 0. Inputs are kept, also if out is the
 * input. A singular (not positive definite) matrix fails the call unless info is given. */
void sdfg_rt_solve(struct sdfg_rt_context *context, int32_t type, int64_t n, int64_t nrhs, const void *a, int64_t sam,
                   int64_t san, const void *b, int64_t sbm, int64_t sbn, void *x, int64_t sxm, int64_t sxn,
                   int32_t *info);
void sdfg_rt_inverse(struct sdfg_rt_context *context, int32_t type, int64_t n, const void *a, int64_t sam, int64_t san,
                     void *out, int64_t som, int64_t son, int32_t *info);
void sdfg_rt_cholesky(struct sdfg_rt_context *context, int32_t type, int32_t lower, int64_t n, const void *a,
                      int64_t sam, int64_t san, void *out, int64_t som, int64_t son, int32_t *info);

/* ---- within this folder ---- */

/* The library, opened on first use; NULL if there is none (blas_library.c). Functions may be NULL if the library lacks
 * them; gemm, gemv and dot exist for every type. */
struct sdfg_rt_blas {
    const char *name;
    void *library;
    void *gemm[SDFG_RT_TYPE_COUNT], *gemv[SDFG_RT_TYPE_COUNT], *dot[SDFG_RT_TYPE_COUNT];
    void *getrf[SDFG_RT_TYPE_COUNT], *getri[SDFG_RT_TYPE_COUNT], *getrs[SDFG_RT_TYPE_COUNT], *potrf[SDFG_RT_TYPE_COUNT];
    bool slow;   /* products: their kernels are for processors older than this one, or for none */
    bool single; /* calls can run on one thread: large products are split into our own region */
    /* Its own threads, in the whole process; NULL: leave them alone. */
    void (*set_num_threads)(int n);
    int (*get_num_threads)(void);
};
const struct sdfg_rt_blas *sdfg_rt_blas_get(void);
const struct sdfg_rt_blas *sdfg_rt_blas_quick(void); /* NULL, too, if products are slow in it */
bool sdfg_rt_blas_is_slow(void *library);            /* by what dlopen gave */
/* Around calls of the library: its own threads for them. What was set before comes back with the end of the last of
 * those that overlap; the first of them chooses. NULL: nothing happens. */
void sdfg_rt_blas_begin(const struct sdfg_rt_blas *b, int64_t threads);
void sdfg_rt_blas_end(const struct sdfg_rt_blas *b);

size_t sdfg_rt_type_size(int32_t type);
int64_t sdfg_rt_threads(const struct sdfg_rt_context *context); /* for work of this call outside of regions; 1 inside */
/* For m * n * k multiply-adds; 1 if it does not pay to share them out. */
int64_t sdfg_rt_threads_for(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, int64_t k);
/* Copies the elements of one matrix to another of the same extents. */
void sdfg_rt_copy_matrix(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to);
/* A square matrix becomes its transpose, in place. */
void sdfg_rt_turn_matrix(int32_t type, const struct sdfg_rt_matrix *m);

/* The operations by loops (blas_loops.c). */
void sdfg_rt_gemm_loops(int32_t type, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b,
                        const struct sdfg_rt_matrix *c, const void *alpha, const void *beta);
void sdfg_rt_dot_loops(int32_t type, int64_t n, const void *x, int64_t sx, const void *y, int64_t sy, void *result);

#endif
