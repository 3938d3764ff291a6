/* Libraries of CUDA beside the driver, opened when the first call of one comes (device_vendor.c), and the
 * memory that they work in. */
#ifndef RUNTIME_DEVICE_VENDOR_H
#define RUNTIME_DEVICE_VENDOR_H

#include "runtime/device_find.h"
#include "runtime/device_internal.h"

#include <stdatomic.h>

struct sdfg_rt_vendor_row {
    const char *symbol;
    bool required;
    size_t offset; /* of the pointer in the library's struct of functions */
};

struct sdfg_rt_vendor {
    const char *title; /* "cuBLAS" */
    int behind;        /* by how much the number in its file's name is less than the version of CUDA */
    /* Libraries that it needs, the last one NULL; NULL: none. Each is lib/NAME beside it or in its own wheel. */
    const struct sdfg_rt_vendor_need {
        const char *name, *wheel;
    } * needs;
    struct sdfg_rt_files files;
    const struct sdfg_rt_vendor_row *rows;
    size_t num_rows;
    void *functions;
    pthread_mutex_t lock;
    _Atomic bool opened; /* `functions` are those of a library, which stays open */
};

extern struct sdfg_rt_vendor sdfg_rt_cublas;   /* device_blas.c */
extern struct sdfg_rt_vendor sdfg_rt_cusolver; /* device_solver.c */
extern struct sdfg_rt_vendor sdfg_rt_cufft;    /* device_fft.c */

/* Opens it for the driver of the run. False with an error that says what was tried. */
bool sdfg_rt_vendor_open(struct sdfg_rt_vendor *v, struct sdfg_rt_run *run, const char *path);

/* Memory on the device for libraries, which the run keeps until it ends; NULL with the error set. */
enum { SDFG_RT_LIBRARY_MEMORY = 32 << 20 }; /* bytes: what cuBLAS wants on the largest GPUs of today */
void *sdfg_rt_run_workspace(struct sdfg_rt_run *run);

/* What a function of a library gave, if it was not good (`name`: of the status): the error is recorded, with what the
 * element of that path is doing there. True if it was good. */
struct sdfg_rt_vendor_status {
    const char *function, *name, *doing, *path;
    int number;
    bool memory; /* there was not enough of it */
};
bool sdfg_rt_vendor_check(struct sdfg_rt_run *run, const struct sdfg_rt_vendor_status *s);

/* The handles; the context is current. */
void sdfg_rt_blas_free(struct sdfg_rt_gpu *gpu);
void sdfg_rt_solver_free(struct sdfg_rt_gpu *gpu);
void sdfg_rt_fft_free(struct sdfg_rt_gpu *gpu);

#endif
