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
    const char *title;     /* "cuBLAS" */
    const char *neighbour; /* what the name of a library that it needs has more, or NULL */
    struct sdfg_rt_files files;
    const struct sdfg_rt_vendor_row *rows;
    size_t num_rows;
    void *functions;
    pthread_mutex_t lock;
    _Atomic bool opened; /* `functions` are those of a library, which stays open */
};

extern struct sdfg_rt_vendor sdfg_rt_cublas; /* device_blas.c */

/* Opens it for the driver of the run. False with an error that says what was tried. */
bool sdfg_rt_vendor_open(struct sdfg_rt_vendor *v, struct sdfg_rt_run *run, const char *path);

/* Memory on the device for libraries, which the run keeps until it ends; NULL with the error set. */
enum { SDFG_RT_LIBRARY_MEMORY = 32 << 20 }; /* bytes: what cuBLAS wants on the largest GPUs of today */
void *sdfg_rt_run_workspace(struct sdfg_rt_run *run);

/* The handle of cuBLAS; the context is current. */
void sdfg_rt_blas_free(struct sdfg_rt_gpu *gpu);

#endif
