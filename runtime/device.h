/* GPUs: what generated code, the engine and the emitter of device code agree on. Behind it is the driver API of CUDA
 * (libcuda), opened when the first call asks for a device and never before; no header or library of CUDA is needed to
 * build this.
 *
 * A program's host function brackets everything that concerns the device with sdfg_rt_device_begin and
 * sdfg_rt_device_end. The *run* between them belongs to one thread at a time. All work of a run is ordered in queues,
 * small numbers from 0 to SDFG_RT_QUEUES - 1: work in one queue happens in the order of the calls, work in different
 * queues in any order unless sdfg_rt_device_order says otherwise. Every function takes a run that is NULL, or one that
 * has failed, and then does nothing (a result is NULL or 0): the first failure is in the context's `error`, and code
 * that decides by values from the device asks sdfg_rt_stopped first. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include "runtime/abi.h"

/* ---- device code, as the constant sdfg_device_image of a program describes it ---- */

enum { SDFG_RT_IMAGE_ABI = 2 };
enum sdfg_rt_image_kind { SDFG_RT_CUBIN /* machine code */, SDFG_RT_PTX /* text, ends with a zero byte */ };
enum sdfg_rt_kernel_flags {
    SDFG_RT_COOPERATIVE = 1, /* blocks may wait for each other: launched with as many as can run at once */
    SDFG_RT_CHECKED = 2      /* its last parameter is the address of a struct sdfg_rt_device_fault */
};

struct sdfg_rt_kernel {
    const char *name; /* of the function in the image */
    const char *path; /* of the element of the program, for messages; may be empty */
    int32_t line;     /* of the user's source; 0: unknown */
    uint32_t flags;   /* enum sdfg_rt_kernel_flags */
    uint32_t shared;  /* bytes of dynamic shared memory of a block */
    uint32_t params;  /* bytes of the parameter buffer */
};

struct sdfg_rt_image {
    uint32_t abi;  /* SDFG_RT_IMAGE_ABI */
    uint32_t arch; /* compute capability: 90 */
    uint32_t kind; /* enum sdfg_rt_image_kind */
    uint32_t num_kernels;
    uint32_t num_accesses;
    uint64_t hash[2]; /* of the bytes: two images with the same hash have the same code, which is loaded once */
    uint64_t size;
    const void *bytes;
    const struct sdfg_rt_kernel *kernels;
    const struct sdfg_rt_access *const *accesses; /* that checked mode looks at, by the numbers that kernels know */
};

/* What checked kernels leave in memory of the device (PIECE_FAULT in gpu/pieces.def). All zero: no fault. */
struct sdfg_rt_device_fault {
    uint64_t count;
    int64_t access; /* of the first one: the number */
    uint32_t block[3], thread[3];
    int64_t values[3 * SDFG_RT_MAX_RANK]; /* of each dimension: first and last index, extent */
};

/* ---- generated code (rows of runtime/abi.def) ---- */

struct sdfg_rt_run;

enum { SDFG_RT_QUEUES = 4, SDFG_RT_ALL_QUEUES = -1 };
enum sdfg_rt_place { SDFG_RT_ON_DEVICE, SDFG_RT_PINNED /* memory of the host that the device reads and writes fast */ };
enum sdfg_rt_direction { SDFG_RT_TO_DEVICE, SDFG_RT_TO_HOST, SDFG_RT_WITHIN_DEVICE };

/* The device that the context's `device` names, with the kernels of the image; opens and loads what is not there yet.
 * The image may be NULL. NULL, with the error set, if that fails. */
struct sdfg_rt_run *sdfg_rt_device_begin(struct sdfg_rt_context *context, const struct sdfg_rt_image *image);
/* Waits for everything, unless the call is asynchronous, and gives up the mirrors and the run. */
void sdfg_rt_device_end(struct sdfg_rt_run *run);

/* Memory with an alignment of 256 bytes and undefined contents; it may outlive the run if it is freed in a later one. A
 * run that fails gives up what it has not freed. Empty memory has an address, too. */
void *sdfg_rt_device_alloc(struct sdfg_rt_run *run, int64_t bytes, int64_t place);
/* For later work of the run: what is in the queues may still use it. NULL is allowed. */
void sdfg_rt_device_free(struct sdfg_rt_run *run, void *memory, int64_t place);
/* Where the `bytes` from `address` on, memory of the host, lie on the device: a new block without contents, or a piece
 * of the mirror of the same memory made before; the address itself if the device can use it, which is how device
 * pointers of the caller pass through. NULL is its own mirror. Goes away with the run; sdfg_rt_device_free may be
 * called before and does nothing. The host's memory is not read or written. */
void *sdfg_rt_device_mirror(struct sdfg_rt_run *run, void *address, int64_t bytes);
/* `rows` pieces of `bytes` each; the distances between the beginnings of rows are in bytes (any if there is one row).
 * Nothing is done if both addresses are equal, as they are for arguments on the device. From the call on the host may
 * write to memory that was copied to the device, but what is copied to it is there only after a wait. */
void sdfg_rt_device_copy(struct sdfg_rt_run *run, void *to, const void *from, int64_t bytes, int64_t rows,
                         int64_t to_pitch, int64_t from_pitch, int64_t direction, int64_t queue);
void sdfg_rt_device_zero(struct sdfg_rt_run *run, void *to, int64_t bytes, int64_t queue);
/* Kernel number `kernel` of the image. shape: blocks in x, y, z, then threads of a block in x, y, z; if one of them is
 * not positive, nothing happens. A cooperative kernel gets fewer blocks in x if not all can run at once, and a single
 * block where the device or the driver has no such launches. params: the kernel's parameters in the layout that C gives
 * them. The driver may get it later, in front of what the run does next. */
void sdfg_rt_device_launch(struct sdfg_rt_run *run, int64_t kernel, const int64_t *shape, const void *params,
                           int64_t bytes, int64_t queue);
/* How many blocks of so many threads can be resident at once: the most that a cooperative kernel gets. At least 1. */
int64_t sdfg_rt_device_resident(struct sdfg_rt_run *run, int64_t kernel, int64_t threads);
/* Where kernels of this run record their faults: a struct sdfg_rt_device_fault on the device. The host waits behind the
 * launch of a checked kernel and looks: a fault ends the run with SDFG_RT_FAULT. */
void *sdfg_rt_device_faults(struct sdfg_rt_run *run);
/* The host waits for all work of a queue, or of all (SDFG_RT_ALL_QUEUES). */
void sdfg_rt_device_wait(struct sdfg_rt_run *run, int64_t queue);
/* Later work in `queue` waits for all that is in the queue `behind` now. */
void sdfg_rt_device_order(struct sdfg_rt_run *run, int64_t queue, int64_t behind);

/* `count` products, C[m, n] = alpha A[m, k] B[k, n] + beta C, of matrices on the device, by cuBLAS
 * in queue 0: what the run did before is done before. `type` is an enum sdfg_rt_type. Element (i, j) of A lies
 * `i * a_row + j * a_column` elements behind its address, and the one of the next product `a_step` further; C shares no
 * memory with the others. Where beta is 0, what C held is not read. `path` is that of the element in the program, for
 * messages; it stays where it is. Opens the library, and makes its handle, when the first call comes. An extent beyond
 * INT_MAX is a SDFG_RT_BAD_VALUE; a library that is not there, or fails, is SDFG_RT_DEVICE. */
void sdfg_rt_device_gemm(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t mode, int64_t m,
                         int64_t n, int64_t k, void *a, int64_t a_row, int64_t a_column, void *b, int64_t b_row,
                         int64_t b_column, void *c, int64_t c_row, int64_t c_column, double alpha_real,
                         double alpha_imag, double beta_real, double beta_imag, int64_t count, int64_t a_step,
                         int64_t b_step, int64_t c_step);

/* Problems of cuSOLVER in queue 0, `count` of one kind. Their matrices lie on the device, by columns and without gaps,
 * those of the next problem behind them; so do pivots (int32, LAPACK's: 1-based) and `info`, LAPACK's code for each.
 * Where `info` is NULL and the result is `needed`, a code that says that there is none fails the call when it ends.
 * Errors as of products. Many small problems are one call of a library. potrf: Cholesky factors of n x n matrices in
 * their lower or upper triangles; the other triangle is left in any state. getrf: P L U of m x n matrices. getrs:
 * solutions of A X = B, or A^T X = B, from what getrf gave, in place of the n x nrhs matrices B. */
/* As sdfg_rt_demand; the codes are on the device, and looked at when the call ends. */
void sdfg_rt_device_demand(struct sdfg_rt_context *context, int64_t count, const int32_t *codes);
void sdfg_rt_device_potrf(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t lower, int64_t n,
                          int64_t count, void *a, int32_t *info, int32_t needed);
void sdfg_rt_device_getrf(struct sdfg_rt_context *context, const char *path, int32_t type, int64_t m, int64_t n,
                          int64_t count, void *a, int32_t *pivots, int32_t *info, int32_t needed);
void sdfg_rt_device_getrs(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t transposed,
                          int64_t n, int64_t nrhs, int64_t count, void *a, int32_t *pivots, void *b, int32_t *info);

/* Discrete Fourier transforms of complex elements in place, by cuFFT in queue 0: `count` of `rank` (1 to 3) dimensions,
 * row-major, one behind the other, with exp(sign 2 pi i ...) and divided by nothing. Sizes beyond the rank are 1.
 * Errors as of products. */
void sdfg_rt_device_fft(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t sign, int64_t rank,
                        int64_t first, int64_t second, int64_t third, int64_t count, void *data);

/* ---- the embedding engine ---- */

enum { SDFG_RT_DEVICE_TROUBLE = 1024, SDFG_RT_DEVICE_NAME = 128 };

/* What a call says about its device, in the context's `device`. NULL there: device 0 as below, all else zero. */
struct sdfg_rt_device {
    int32_t index;      /* among the visible devices */
    bool check;         /* wait behind each launch, so that an error names its kernel */
    bool async;         /* sdfg_rt_device_end does not wait */
    bool has_stream;    /* `stream` takes the place of queue 0 */
    bool host_only;     /* all arguments are ordinary memory of the host: mirrors need not ask the driver */
    void *cuda_context; /* CUcontext of the caller; NULL: the primary one of the device */
    void *stream;       /* CUstream; NULL is the default stream of the context */
    void *const *after; /* CUstreams whose work so far comes before that of the call */
    size_t num_after;
    struct sdfg_rt_ticket *ticket; /* of an asynchronous run, if somebody asks for its end; all zero before */
    /* What went wrong first: the function of the driver with its error, kernel, element path, sizes; "" for nothing.
     * The caller sets it to "". */
    char trouble[SDFG_RT_DEVICE_TROUBLE];
};

struct sdfg_rt_device_info {
    char name[SDFG_RT_DEVICE_NAME];
    int32_t arch;          /* compute capability: 90 */
    int32_t processors;    /* streaming multiprocessors */
    int32_t driver;        /* version of CUDA that the driver knows: 12040 for 12.4 */
    int64_t memory;        /* bytes */
    int32_t shared_memory; /* most bytes of static shared memory of a block */
    int32_t num_devices;   /* that are visible */
};

/* A run that goes on behind sdfg_rt_device_end. Belongs to one thread at a time and has to stay where it is until
 * sdfg_rt_device_finished says that the run has ended. */
struct sdfg_rt_ticket {
    struct sdfg_rt_gpu *gpu;
    struct sdfg_rt_run *run; /* NULL: it has ended, or there was none */
    int32_t error;           /* behind its end: enum sdfg_rt_error, and the text as above */
    char trouble[SDFG_RT_DEVICE_TROUBLE];
};
/* Has the run ended? With `wait`, when it has. */
bool sdfg_rt_device_finished(struct sdfg_rt_ticket *t, bool wait);

/* Opens the driver if that is not done and asks. False with the reason (what was tried) in `trouble`, which has
 * SDFG_RT_DEVICE_TROUBLE bytes. Any thread. */
bool sdfg_rt_device_describe(int32_t index, struct sdfg_rt_device_info *out, char *trouble);

/* Libraries that device code may call. */
enum sdfg_rt_library { SDFG_RT_CUBLAS, SDFG_RT_CUSOLVER, SDFG_RT_CUFFT };
enum { SDFG_RT_DEVICE_PATH = 1024 };
struct sdfg_rt_device_file {
    char path[SDFG_RT_DEVICE_PATH];
    int64_t size, seconds, nanoseconds; /* bytes; when it was changed */
};
/* The file that calls of the library will probably open, with a driver of that version of CUDA (12040 for 12.4; 0: not
 * known). Nothing is opened. False if there is none, or it is not wanted (SDFG_CUBLAS=none and so on). Any thread. */
bool sdfg_rt_device_library(enum sdfg_rt_library which, int32_t driver, struct sdfg_rt_device_file *out);

/* Engines that may run programs on devices are counted; when the last one goes, loaded images, blocks that are kept for
 * later calls and queues go, too. Any thread; no run may be under way in that engine. */
void sdfg_rt_device_hold(void);
void sdfg_rt_device_let_go(void);

/* Where memory is: *place is SDFG_RT_ON_DEVICE, with the number of the device (*index stays as it is for managed
 * memory, which is on each), SDFG_RT_PINNED, or -1 for ordinary memory of the host, also if there is no driver (why:
 * `trouble`). Opens the driver. False with the reason in `trouble`, of SDFG_RT_DEVICE_TROUBLE bytes, if the driver does
 * not say. */
bool sdfg_rt_device_place(const void *address, int32_t *place, int32_t *index, char *trouble);

#endif
