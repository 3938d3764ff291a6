/* The stand-in for libcuda: what its files share. The declarations are those of the driver API, made from its
 * documentation and not from runtime/device_internal.h, which is tested with it. */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include "tests/gpu/standin/standin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define API __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
    CUDA_ERROR_UNKNOWN = 999,
};

/* ---- calls (driver_calls.c) ---- */

/* Every function of the API begins so: it counts the call, fails if it is the one that is to fail, and holds the lock
 * of the driver until the function returns. `needs_context`: one must be current, and not be lost. */
CUresult standin_enter(const char *function, bool needs_context);
void standin_leave(int *held);
#define ENTER(needs_context)                                                                                           \
    __attribute__((cleanup(standin_leave))) int held = 1;                                                              \
    do {                                                                                                               \
        CUresult refused = standin_enter(__func__, needs_context);                                                     \
        if (refused)                                                                                                   \
            return refused;                                                                                            \
    } while (0)

extern int standin_lost;                                /* CUresult of a fault; the context is of no use any more */
void standin_count_bytes(int direction, size_t bytes);  /* 0 to the device, 1 to the host, 2 within it */
long standin_setting(const char *name, long otherwise); /* of the environment */

/* For tests; found by dlsym. */
API long standin_calls(const char *function); /* so far; NULL: all together */
API long standin_bytes(int direction);
API long standin_objects(void);                 /* that were made and not released */
API void standin_fail(long number, int result); /* the call that comes as number `number` from now on gives `result` */
API void standin_change_objects(long by);

/* ---- the device process (driver_process.c) ---- */

extern char *standin_memory; /* the device's memory, as the driver sees it */
CUresult standin_start(void);
CUresult standin_request(struct standin_request *q, const void *payload, struct standin_reply *r);

/* ---- memory (driver_memory.c) ---- */

/* The piece of the device's memory, as the driver sees it; NULL if it is not within one allocation. */
void *standin_at(CUdeviceptr address, size_t bytes);
bool standin_is_pinned(const void *memory);
int standin_device(void); /* of the current context (driver_api.c) */

/* ---- queues (driver_queue.c) ---- */

/* Work that was given to a stream is done when somebody waits for it, and not before: a wait that is missing is seen.
 */
struct work {
    enum { COPY_IN, COPY_OUT, COPY_WITHIN, FILL, LAUNCH, AFTER, STAMP } kind;
    CUdeviceptr to, from;
    void *host;   /* to copy from or to */
    void *staged; /* what ordinary memory of the host held when the copy was asked for */
    size_t bytes;
    int value;
    struct standin_request launch;
    void *params;
    CUstream other; /* AFTER: until this much is done in it */
    unsigned long until;
    double *when; /* STAMP: gets the time */
    struct work *next;
};
CUresult standin_queue(CUstream stream, struct work *w); /* a copy of it */
/* A launch as work, with memory for its parameters (driver_api.c). */
CUresult standin_launch(CUfunction f, const int64_t *shape, bool cooperative, void **params, void **extra,
                        struct work *out);
/* An attribute of a launch of that shape, for blocks that are there at once. */
CUresult standin_blocks(int attribute, const void *value, const int64_t *shape);
CUresult standin_flush(CUstream stream);
CUresult standin_flush_all(void);

#endif
