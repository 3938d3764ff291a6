/* CBLAS called as a C program would: row-major, one call per matrix. */
#include "bench/products/products.h"

#include <complex.h>
#include <dlfcn.h>
#include <string.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* of CBLAS */

enum { SINGLE, DOUBLE, SINGLE_COMPLEX, DOUBLE_COMPLEX };

static int direct_type(sdfg_dtype dtype)
{
    return dtype == SDFG_F32   ? SINGLE
           : dtype == SDFG_F64 ? DOUBLE
           : dtype == SDFG_C64 ? SINGLE_COMPLEX
                               : DOUBLE_COMPLEX;
}

bool direct_open(struct direct *d, const char *name)
{
    static const char *const gemm[] = { "cblas_sgemm", "cblas_dgemm", "cblas_cgemm", "cblas_zgemm" };
    static const char *const gemv[] = { "cblas_sgemv", "cblas_dgemv", "cblas_cgemv", "cblas_zgemv" };
    static const char *const dot[] = { "cblas_sdot", "cblas_ddot", "cblas_cdotu_sub", "cblas_zdotu_sub" };
    bool complete = true;
    *d = (struct direct){ .library = dlopen(name, RTLD_NOW) };
    for (int i = 0; d->library && i < 4; i++) {
        d->gemm[i] = dlsym(d->library, gemm[i]);
        d->gemv[i] = dlsym(d->library, gemv[i]);
        d->dot[i] = dlsym(d->library, dot[i]);
        complete &= d->gemm[i] && d->gemv[i] && d->dot[i];
    }
    if (d->library)
        d->set_threads = (void (*)(int))dlsym(d->library, "openblas_set_num_threads");
    return d->library && complete;
}

typedef void sgemm(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void dgemm(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void zgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                   void *, int);
typedef void sgemv(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void dgemv(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void zgemv(int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
typedef float sdot(int, const void *, int, const void *, int);
typedef double ddot(int, const void *, int, const void *, int);
typedef void zdotu(int, const void *, int, const void *, int, void *);

static void run_gemm(const struct direct *d, const struct product *p, const void *a, const void *b, void *c)
{
    int type = direct_type(p->dtype), m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = p->trans_a ? m : k, ldb = p->trans_b ? k : n;
    int ta = p->trans_a ? TRANS : NO_TRANS, tb = p->trans_b ? TRANS : NO_TRANS;
    const float complex alpha_single = (float)p->alpha, beta_single = (float)p->beta;
    const double complex alpha = p->alpha, beta = p->beta;
    void *f = d->gemm[type];
    if (type == SINGLE)
        ((sgemm *)f)(ROW_MAJOR, ta, tb, m, n, k, (float)p->alpha, a, lda, b, ldb, (float)p->beta, c, n);
    else if (type == DOUBLE)
        ((dgemm *)f)(ROW_MAJOR, ta, tb, m, n, k, p->alpha, a, lda, b, ldb, p->beta, c, n);
    else if (type == SINGLE_COMPLEX)
        ((zgemm *)f)(ROW_MAJOR, ta, tb, m, n, k, &alpha_single, a, lda, b, ldb, &beta_single, c, n);
    else
        ((zgemm *)f)(ROW_MAJOR, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, n);
}

/* y = A x for rows x cols, or y = A^T x. */
static void run_gemv(const struct direct *d, const struct product *p, bool trans, int64_t rows, int64_t cols,
                     const void *a, const void *x, void *y)
{
    int type = direct_type(p->dtype), m = (int)rows, n = (int)cols, t = trans ? TRANS : NO_TRANS;
    const float complex alpha_single = (float)p->alpha, beta_single = (float)p->beta;
    const double complex alpha = p->alpha, beta = p->beta;
    void *f = d->gemv[type];
    if (type == SINGLE)
        ((sgemv *)f)(ROW_MAJOR, t, m, n, (float)p->alpha, a, n, x, 1, (float)p->beta, y, 1);
    else if (type == DOUBLE)
        ((dgemv *)f)(ROW_MAJOR, t, m, n, p->alpha, a, n, x, 1, p->beta, y, 1);
    else if (type == SINGLE_COMPLEX)
        ((zgemv *)f)(ROW_MAJOR, t, m, n, &alpha_single, a, n, x, 1, &beta_single, y, 1);
    else
        ((zgemv *)f)(ROW_MAJOR, t, m, n, &alpha, a, n, x, 1, &beta, y, 1);
}

static void run_dot(const struct direct *d, const struct product *p, const void *x, const void *y, void *c)
{
    int type = direct_type(p->dtype), n = (int)p->k;
    void *f = d->dot[type];
    if (type == SINGLE)
        *(float *)c = ((sdot *)f)(n, x, 1, y, 1);
    else if (type == DOUBLE)
        *(double *)c = ((ddot *)f)(n, x, 1, y, 1);
    else
        ((zdotu *)f)(n, x, 1, y, 1, c);
}

void direct_run(const struct direct *d, const struct product *p, const void *a, const void *b, void *c)
{
    size_t bytes = product_element_bytes(p->dtype);
    if (!p->batch && p->m == 1 && p->n == 1) {
        run_dot(d, p, a, b, c);
    } else if (!p->batch && p->n == 1) {
        run_gemv(d, p, p->trans_a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, a, b, c);
    } else if (!p->batch && p->m == 1) { /* y = B^T x */
        run_gemv(d, p, !p->trans_b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, b, a, c);
    } else {
        for (int64_t i = 0; i < (p->batch ? p->batch : 1); i++)
            run_gemm(d, p, (const char *)a + bytes * (size_t)(i * p->m * p->k),
                     (const char *)b + bytes * (size_t)(i * p->k * p->n),
                     (char *)c + bytes * (size_t)(i * p->m * p->n));
    }
}
