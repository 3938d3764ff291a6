/* What the parts of the stand-in for a GPU share: the driver (libcuda, in the process of the program), the device (a
 * process of its own, which runs the kernels) and the kernels, which the stand-in for NVRTC compiles. C and C++. */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- kernels and the device process ---- */

struct standin_dim {
    unsigned x, y, z;
};

enum { STANDIN_WARP = 32, STANDIN_SLOT = 16 };

/* A thread of a kernel. Those of a block lie one behind the other, in the order of their numbers. */
struct standin_thread {
    struct standin_dim thread, block, threads, blocks;
    unsigned number; /* in the block */
    unsigned mask;   /* of the lanes that it waits for */
    int state;
    void *sp, *stack;
    struct standin_block *owner;
    char slot[STANDIN_SLOT] __attribute__((aligned(16))); /* what it shows to the other lanes of its warp */
};

extern struct standin_thread *standin_self; /* that runs now */
void standin_block_barrier(void);
void standin_warp_barrier(unsigned mask);
void standin_yield(void); /* in loops that wait for another thread */
__attribute__((noreturn)) void standin_trap(void);

/* What a compiled image exports as `standin_kernels`; ends with a name that is null. */
struct standin_kernel {
    const char *name;
    void (*run)(const char *params);
    unsigned bytes, threads; /* of the parameters; most in a block */
};

/* ---- the driver and the device process ---- */

enum standin_request_kind {
    STANDIN_MAP,    /* address, size: becomes memory */
    STANDIN_UNMAP,  /* the same: accesses fault */
    STANDIN_LOAD,   /* payload: file; value: its number */
    STANDIN_UNLOAD, /* module */
    STANDIN_FIND,   /* module, payload: name; value: kernel, shape[0]: bytes of parameters, shape[1]: most threads */
    STANDIN_LAUNCH  /* module, kernel, shape, payload: parameters */
};

struct standin_request {
    int32_t kind, cooperative;
    int64_t address, size, module, kernel;
    int64_t shape[6];
    int64_t payload; /* bytes that follow */
};

struct standin_reply {
    int32_t result; /* CUresult */
    int64_t value;
    int64_t shape[2];
};

/* Where the device's memory lies in the device process; in the process of the program nothing can be accessed there. */
static const uint64_t STANDIN_BASE = 0x200000000000, STANDIN_SPACE = (uint64_t)1 << 36;
enum { STANDIN_SOCKET = 3, STANDIN_MEMORY = 4 }; /* file descriptors of the device process */

#ifdef __cplusplus
}
#endif

#endif
