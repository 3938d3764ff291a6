/* What the files runtime/device_*.c share: the driver's types, as its interface fixes them, and our state. */
#ifndef RUNTIME_DEVICE_INTERNAL_H
#define RUNTIME_DEVICE_INTERNAL_H

#include "runtime/device.h"
#include "runtime/runtime.h"

#include <pthread.h>

/* ---- the driver (device_library.c) ---- */

typedef struct cuda_context_of *cuda_context;
typedef struct cuda_module_of *cuda_module;
typedef struct cuda_function_of *cuda_function;
typedef struct cuda_stream_of *cuda_stream;
typedef struct cuda_event_of *cuda_event;
typedef struct cuda_graph_of *cuda_graph;
typedef struct cuda_node_of *cuda_node;
typedef struct cuda_graph_exec_of *cuda_graph_exec;
typedef unsigned long long cuda_address;

enum { /* CUresult */
       CUDA_GOOD = 0,
       CUDA_INVALID_VALUE = 1,
       CUDA_OUT_OF_MEMORY = 2,
       CUDA_STUB = 34,
       CUDA_NO_DEVICE = 100,
       CUDA_INVALID_DEVICE = 101,
       CUDA_INVALID_CONTEXT = 201,
       CUDA_NO_BINARY = 209,
       CUDA_NOT_READY = 600,
       CUDA_ILLEGAL_ADDRESS = 700,
       CUDA_TIMEOUT = 702,
       CUDA_ASSERT = 710,
       CUDA_FIRST_FAULT = 714, /* to 719: what code on the device may do wrong */
       CUDA_LAST_FAULT = 719,
       CUDA_DRIVER_MISMATCH = 803,
       CUDA_COMPATIBILITY = 804,
};

enum { /* CUdevice_attribute */
       CUDA_MAX_THREADS = 1,
       CUDA_MAX_BLOCK_X = 2, /* then y, z */
       CUDA_MAX_GRID_X = 5,  /* then y, z */
       CUDA_MAX_SHARED = 8,
       CUDA_PROCESSORS = 16,
       CUDA_MAJOR = 75,
       CUDA_MINOR = 76,
       CUDA_COOPERATIVE = 95,
       CUDA_MAX_SHARED_OPTIN = 97,
};

enum {
    CUDA_FUNCTION_THREADS = 0,        /* CUfunction_attribute: most threads in a block */
    CUDA_FUNCTION_DYNAMIC_SHARED = 8, /* most bytes of dynamic shared memory */
    CUDA_POINTER_MEMORY_TYPE = 2,     /* CUpointer_attribute */
    CUDA_POINTER_IS_MANAGED = 8,
    CUDA_POINTER_DEVICE = 9,
    CUDA_MEMORY_HOST = 1, /* CUmemorytype */
    CUDA_MEMORY_DEVICE = 2,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_NO_TIMING = 2,
    CUDA_HOST_PORTABLE = 1,      /* pinned for all contexts */
    CUDA_LAUNCH_COOPERATIVE = 2, /* CUlaunchAttributeID */
    CUDA_LAUNCH_CLUSTER = 4,
};

struct cuda_copy_2d { /* CUDA_MEMCPY2D */
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    cuda_address from_device;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_type;
    void *to_host;
    cuda_address to_device;
    void *to_array;
    size_t to_pitch;
    size_t bytes, rows;
};

struct cuda_launch_attribute { /* CUlaunchAttribute */
    int id, padding;
    union {
        int cooperative;
        unsigned cluster[3];
        char bytes[64];
    } value;
};

struct cuda_launch { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    cuda_stream stream;
    struct cuda_launch_attribute *attributes;
    unsigned num_attributes;
};

struct cuda_node_launch { /* CUDA_KERNEL_NODE_PARAMS; the last two came with CUDA 12 */
    cuda_function function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel, *context;
};

enum { CUDA_LAUNCH_END = 0, CUDA_LAUNCH_BUFFER = 1, CUDA_LAUNCH_BYTES = 2 }; /* CU_LAUNCH_PARAM_...: words of `extra` */

struct sdfg_rt_cuda {
#define CUDA(need, name, suffix, version, parameters) int(*name) parameters;
#include "runtime/device.def"
};

/* The driver, opened and initialized. NULL with the reason in `trouble`; a later call tries again. */
const struct sdfg_rt_cuda *sdfg_rt_cuda_open(char *trouble);
/* "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory" */
void sdfg_rt_cuda_text(const struct sdfg_rt_cuda *cuda, const char *function, int result, char *out, size_t size);

/* ---- devices (device_open.c) ---- */

/* A piece of memory of the device, or pinned memory of the host, in use or kept for later. */
struct sdfg_rt_device_block {
    char *address;
    size_t size;
    int place;                     /* enum sdfg_rt_place */
    const struct sdfg_rt_run *run; /* that asked for it; NULL for one that has ended well */
    struct sdfg_rt_device_block *next;
};

struct sdfg_rt_module {
    uint64_t hash[2];
    cuda_module handle;
    uint32_t num_functions;
    struct sdfg_rt_graph *graphs; /* of its kernels, last used first */
    struct sdfg_rt_module *next;
    struct sdfg_rt_function {
        _Atomic(cuda_function) handle; /* looked up when it is first launched */
        int threads;                   /* most in a block */
        int64_t resident;              /* blocks at once, of the number of threads in the upper half; 0: not asked */
    } functions[];
};

/* A library's handle in a context (device_vendor.h), and what it was told last. */
struct sdfg_rt_handle {
    void *handle; /* NULL: none yet */
    cuda_stream stream;
    void *workspace;
    int mode;
    bool told; /* the stream */
};

/* Pinned memory that transfers of ordinary memory go through (device_stage.c). */
struct sdfg_rt_stage {
    char *memory; /* two buffers; NULL: none yet */
    bool refused; /* the driver had none */
    size_t bytes; /* of transfers that might have used it, so far */
    bool busy[2]; /* what was moved last may not be done; then `moved` says when it is */
    cuda_event moved[2];
};

/* One context on one device, once per process. */
struct sdfg_rt_gpu {
    const struct sdfg_rt_cuda *cuda;
    int index, device;
    cuda_context handle;
    bool callers; /* the context is the caller's */
    int arch, processors, max_threads, max_block[3], max_grid[3], max_shared, max_shared_optin;
    bool cooperative;
    _Atomic int lost;     /* CUresult of the fault that ended the context, or 0 */
    pthread_mutex_t lock; /* of all below */
    struct sdfg_rt_device_block *used, *kept;
    struct sdfg_rt_module *modules;
    cuda_event met; /* the last launch whose blocks wait for each other, which was in the queue `met_in` */
    cuda_stream met_in;
    struct sdfg_rt_run *idle;    /* runs for later calls, with their queues */
    struct sdfg_rt_run *working; /* asynchronous ones whose work may not be done */
    pthread_mutex_t stage_lock;  /* of the stage, while a transfer uses it */
    struct sdfg_rt_stage stage;
    pthread_mutex_t library_lock; /* of the handles, while they are used */
    struct sdfg_rt_handle blas, solver;
    struct sdfg_rt_plan *plans; /* of transforms (device_fft.c), last used first */
    struct sdfg_rt_gpu *next;
};

/* NULL with the error set. */
struct sdfg_rt_gpu *sdfg_rt_gpu_of(struct sdfg_rt_context *context, const struct sdfg_rt_device *call);

/* ---- runs (device_queue.c) ---- */

struct sdfg_rt_mirror {
    char *host, *device;
    size_t size;
    bool own; /* the block is the mirror's */
    bool pinned;
};

enum { SDFG_RT_LOGGED = 64 };

struct sdfg_rt_launched { /* what an error may name */
    const char *library;  /* path of an element that a library did; NULL: a kernel */
    int64_t kernel;
    int64_t shape[6];
};

/* Launches that are not given to the driver yet (device_graph.c). */
struct sdfg_rt_steps {
    struct sdfg_rt_step *items;
    char *params; /* of all of them, one behind the other */
    size_t count, max, used, room;
};

struct sdfg_rt_run {
    struct sdfg_rt_context *context;
    const struct sdfg_rt_device *call; /* what the context says */
    struct sdfg_rt_gpu *gpu;
    const struct sdfg_rt_image *image;
    struct sdfg_rt_module *module;
    cuda_stream queues[SDFG_RT_QUEUES]; /* made when they are first used */
    cuda_stream own;                    /* queue 0 while the caller's takes its place */
    cuda_event events[SDFG_RT_QUEUES];
    unsigned made, busy;                /* bits of queues: there is one of ours; there may be work in it */
    uint64_t reuses;                    /* of blocks that were freed while work was in the queues */
    uint64_t seen[SDFG_RT_QUEUES];      /* the number of them when the queue was last put behind all others */
    size_t owned;                       /* blocks that it asked for and has not freed */
    struct sdfg_rt_device_block *freed; /* work in the queues may still use them */
    struct sdfg_rt_mirror *mirrors;
    size_t num_mirrors, max_mirrors;
    struct sdfg_rt_launched log[SDFG_RT_LOGGED]; /* launches since the last good wait */
    uint64_t num_launched;
    cuda_event done; /* of an asynchronous run */
    struct sdfg_rt_ticket *ticket;
    struct sdfg_rt_marks *marks; /* NULL: nothing was timed */
    void *faults;                /* on the device; NULL: no checked kernel was launched */
    void *workspace;             /* of libraries, on the device; NULL: none was called */
    struct sdfg_rt_statuses {
        int32_t *codes; /* on the device */
        int64_t room, used;
    } statuses; /* (device_status.c) */
    struct sdfg_rt_steps steps;
    struct sdfg_rt_run *next;
};

/* A run that can go on, with a queue that is there; counts it as busy. All launches are given to the driver before. */
bool sdfg_rt_run_queue(struct sdfg_rt_run *run, int64_t queue, cuda_stream *out);
static inline bool sdfg_rt_run_good(const struct sdfg_rt_run *run)
{
    return run && __atomic_load_n(&run->context->error, __ATOMIC_RELAXED) == SDFG_RT_OK;
}
/* Nothing is in the queues any more: freed blocks are for everybody. */
void sdfg_rt_run_settled(struct sdfg_rt_run *run);
/* Asynchronous runs that are through become idle; with `wait`, all do. The lock is held, the context current. */
void sdfg_rt_run_collect(struct sdfg_rt_gpu *gpu, bool wait);
void sdfg_rt_run_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_run *run);

/* ---- images (device_image.c) ---- */

/* NULL with the error set. */
struct sdfg_rt_module *sdfg_rt_module_of(struct sdfg_rt_run *run, const struct sdfg_rt_image *image);
/* The same for kernel number `kernel` of the run's image. */
struct sdfg_rt_function *sdfg_rt_function_of(struct sdfg_rt_run *run, int64_t kernel);
void sdfg_rt_module_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_module *module);

/* ---- memory (device_memory.c) ---- */

void sdfg_rt_device_trim(struct sdfg_rt_gpu *gpu,
                         bool all); /* gives kept blocks back; `all`: used ones, too. Locked. */
/* What the run has not freed stays for later runs or, if it failed and so did not come to freeing it, is kept. */
void sdfg_rt_device_disown(struct sdfg_rt_run *run, bool failed);
const struct sdfg_rt_mirror *sdfg_rt_mirror_find(const struct sdfg_rt_run *run, const void *host);
bool sdfg_rt_device_is_pinned(struct sdfg_rt_gpu *gpu, const void *memory); /* a block of ours */

/* ---- errors (device_error.c) ---- */

/* Records that something failed, with a text if the context has room for one. Always false. */
__attribute__((format(printf, 3, 4))) bool sdfg_rt_device_fail(struct sdfg_rt_context *context,
                                                               enum sdfg_rt_error error, const char *format, ...);
/* What a function of the driver gave, if it was not good: the error is recorded with `what` (may be ""), the class by
 * the result, and for faults with the launches that may be meant. True if it was good. */
bool sdfg_rt_run_check(struct sdfg_rt_run *run, const char *function, int result, const char *what);
bool sdfg_rt_cuda_is_fault(int result); /* after which the context is lost */

/* ---- timings, where the call wants them (device_time.c) ---- */

/* In front of and behind what a queue does; the mark is NULL if it is not timed, or the run failed. */
struct sdfg_rt_mark *sdfg_rt_time_kernel(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_stream stream);
struct sdfg_rt_mark *sdfg_rt_time_library(struct sdfg_rt_run *run, const char *function, const char *path,
                                          cuda_stream stream);
struct sdfg_rt_mark *sdfg_rt_time_copy(struct sdfg_rt_run *run, int64_t direction, int64_t bytes, cuda_stream stream);
struct sdfg_rt_mark *sdfg_rt_time_clear(struct sdfg_rt_run *run, int64_t bytes, cuda_stream stream);
void sdfg_rt_time_end(struct sdfg_rt_run *run, struct sdfg_rt_mark *mark, cuda_stream stream);
/* Around a wait of the host. */
int64_t sdfg_rt_time_wait_begin(struct sdfg_rt_run *run);
void sdfg_rt_time_wait_end(struct sdfg_rt_run *run, int64_t since);
void sdfg_rt_time_begin_run(struct sdfg_rt_run *run);
void sdfg_rt_time_tell(struct sdfg_rt_run *run); /* the call, when the host has waited for all */
void sdfg_rt_time_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_run *run);

/* ---- transfers of ordinary memory (device_stage.c) ---- */

enum sdfg_rt_staged {
    SDFG_RT_NOT_STAGED /* nothing was done */,
    SDFG_RT_STAGED,
    SDFG_RT_STAGE_FAILED /* the error is set */
};
/* A large transfer between the device and ordinary memory of the host, without gaps. To the host: its bytes are there
 * when this returns; to the device: the memory of the host may change then. */
enum sdfg_rt_staged sdfg_rt_stage_copy(struct sdfg_rt_run *run, void *to, const void *from, size_t bytes,
                                       int64_t direction, cuda_stream stream);
void sdfg_rt_stage_free(struct sdfg_rt_gpu *gpu);

/* ---- launches that are put off, and graphs of them (device_graph.c) ---- */

/* How the blocks of a launch come to the device. */
enum sdfg_rt_blocks {
    SDFG_RT_APART,    /* in any order */
    SDFG_RT_CLUSTER,  /* as one cluster, which has a barrier of its own; if there is no room for it, together */
    SDFG_RT_TOGETHER, /* all at once; no two such launches of a device overlap */
};
enum sdfg_rt_blocks sdfg_rt_blocks_of(const struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k,
                                      const int64_t *shape);
/* A launch at once; gives a CUresult, and in *name the function that gave it. */
int sdfg_rt_launch(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                   const int64_t *shape, void **extra, cuda_stream stream, const char **name);
/* What launches whose blocks are together are given to a stream between: each comes behind the last one of any other
 * run. `enter` takes the lock of the context, `leave` gives it back; both give a CUresult and a name. */
int sdfg_rt_together_enter(struct sdfg_rt_run *run, cuda_stream stream, const char **name);
int sdfg_rt_together_leave(struct sdfg_rt_run *run, int result, cuda_stream stream, const char **name);

/* Puts a launch in queue 0 off, if that can be done: what comes next in the run gives it to the driver. */
bool sdfg_rt_graph_defer(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                         const int64_t *shape, const void *params, size_t bytes);
/* Gives all of them to the driver; forgets them if the run has failed. */
void sdfg_rt_graph_flush(struct sdfg_rt_run *run);
void sdfg_rt_graph_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_module *module);
void sdfg_rt_steps_free(struct sdfg_rt_steps *steps);

/* ---- faults that checked kernels find (device_fault.c) ---- */

/* The host has waited for the launch. */
void sdfg_rt_fault_look(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k);

/* ---- info codes that are looked at when the call ends (device_status.c) ---- */

/* Room for so many on the device, which the work that comes next in queue 0 has to write; NULL with the error set. */
int32_t *sdfg_rt_status_take(struct sdfg_rt_run *run, int64_t count);
/* Waits for them if there are any: a positive one fails the call. */
void sdfg_rt_status_look(struct sdfg_rt_run *run);
void sdfg_rt_status_end(struct sdfg_rt_run *run);

/* ---- launches that an error may name (device_log.c) ---- */

void sdfg_rt_log_add(struct sdfg_rt_run *run, int64_t kernel, const int64_t *shape);
void sdfg_rt_log_library(struct sdfg_rt_run *run, const char *path);
void sdfg_rt_log_text(const struct sdfg_rt_run *run, char *out, size_t size);

#endif
