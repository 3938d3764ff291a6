/* NVRTC, NVIDIA's compiler for CUDA C as a library. It is found and opened when something must be compiled, so that
 * neither the build nor a program without GPU code depends on it. */
#ifndef GPU_NVRTC_H
#define GPU_NVRTC_H

#include "base/arena.h"
#include "base/diag.h"

#include <stddef.h>

struct nvrtc; /* an opened library; any thread */

enum { NVRTC_MOST_ARCHS = 64 };

/* Opens `file` or, if it is NULL, the first NVRTC of nvrtc_find. It stays open until the process ends: opening 100 MB
 * again costs tens of milliseconds. NULL with an ENVIRONMENT diagnostic that names what was tried. */
struct nvrtc *nvrtc_open(struct arena *a, struct diags *d, const char *file);
const char *nvrtc_file(const struct nvrtc *n);
void nvrtc_version(const struct nvrtc *n, int *major, int *minor);
/* Compute capabilities that it compiles for, such as 90, in rising order. */
const int *nvrtc_archs(const struct nvrtc *n, uint32_t *count);

/* Files and names to open, in this order: $SDFG_NVRTC alone if it is set; else the folders of $CUDA_HOME and
 * $CUDA_PATH, the names that the dynamic linker knows, /usr/local/cuda*, and the Python wheels nvidia-cuda-nvrtc* of
 * the virtual environment, of Conda, of the user and of the system. Newer majors come first. (nvrtc_find.c) */
const char *const *nvrtc_find(struct arena *a, uint32_t *count);
/* A line that names the NVRTC which will probably be opened, without opening it: another one may compile other code. ""
 * if only the dynamic linker knows. (nvrtc_find.c) */
const char *nvrtc_identity(struct arena *a);

enum nvrtc_form { NVRTC_CUBIN /* machine code */, NVRTC_PTX /* for the driver's compiler, ends with a zero byte */ };

/* What is to be compiled. All of it is read until nvrtc_end. */
struct nvrtc_source {
    const char *name; /* in messages */
    const char *text; /* includes nothing: headers are not looked for */
    int arch;         /* compute capability: 90 */
    enum nvrtc_form form;
    const char *const *options; /* beyond the architecture, or NULL */
    uint32_t num_options;
};

struct nvrtc_code {
    const void *bytes;
    size_t size;
    const char *log; /* warnings and what options asked for; "" if there is none */
};

struct nvrtc_job;

/* Compiles on a thread of its own; several at a time may. NULL with a diagnostic. */
struct nvrtc_job *nvrtc_begin(const struct nvrtc *n, struct diags *d, const struct nvrtc_source *s);
/* Waits, and releases the job. The code lives in the arena. False with a diagnostic. */
bool nvrtc_end(struct nvrtc_job *job, struct arena *a, struct diags *d, struct nvrtc_code *out);
void nvrtc_drop(struct nvrtc_job *job); /* waits, and releases the job with what it made */

#endif
