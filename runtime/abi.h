/* The interface between generated code and the runtime (rows in runtime/abi.def). */
#ifndef RUNTIME_ABI_H
#define RUNTIME_ABI_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdfg_rt_error {
    SDFG_RT_OK,
    SDFG_RT_OUT_OF_MEMORY,
    SDFG_RT_BAD_VALUE,
    SDFG_RT_WORKSPACE,     /* memory that the caller has to supply is missing or too small */
    SDFG_RT_STREAM_EMPTY,  /* a thread waits for an element that nobody can push any more */
    SDFG_RT_SINGULAR,      /* a matrix to be inverted or factored */
    SDFG_RT_NODE_FAILED,   /* an implementation of a library node said so, or there is none */
    SDFG_RT_OTHER_SYMBOL,  /* exported code was made, or its handle initialised, for another value of a symbol */
    SDFG_RT_DATA,          /* of an access node or state cannot be saved or restored */
    SDFG_RT_FAULT,         /* checked mode found a fault: struct sdfg_rt_faults */
    SDFG_RT_DEVICE,        /* there is no device, or it failed: struct sdfg_rt_device */
    SDFG_RT_DEVICE_FAULT,  /* code on the device did what it may not: struct sdfg_rt_device */
    SDFG_RT_MPI,           /* there is no MPI library, or it failed: struct sdfg_rt_mpi */
    SDFG_RT_CANCELLED,     /* the caller stopped the call */
    SDFG_RT_TARGET_FAILED, /* a function of a target said so, or cannot be called */
    SDFG_RT_PROVIDER       /* of instrumentation said so, or is not there */
};

/* What checked mode looks for; the numbers are those of enum sdfg_check. */
enum sdfg_rt_check_kind {
    SDFG_RT_CHECK_BOUNDS = 1,
    SDFG_RT_CHECK_UNINIT = 2,
    SDFG_RT_CHECK_ALIAS = 4,
    SDFG_RT_CHECK_OVERFLOW = 8,
    SDFG_RT_CHECK_SCOPE = 16,
    SDFG_RT_CHECK_NAN = 32,
    SDFG_RT_CHECK_RACE = 64,
    SDFG_RT_CHECK_RACE_SAMPLE = 128
};

/* Flags of RT_FUNCTION, see abi.def. */
enum sdfg_rt_effects {
    RT_PURE = 1 << 0,
    RT_STEADY = 1 << 1,
    RT_FRESH = 1 << 2,
    RT_ORDERS = 1 << 3,
    RT_NO_FLOPS = 1 << 4,
    RT_LIBRARY = 1 << 5,
    RT_DEVICE = 1 << 6,
    RT_PLACE = 1 << 7,
    RT_ONLY_WITHIN = 1 << 8,
    RT_WITHIN = RT_ORDERS | RT_ONLY_WITHIN
};

/* Element types of the linear algebra rows. */
enum sdfg_rt_type { SDFG_RT_F32, SDFG_RT_F64, SDFG_RT_C64, SDFG_RT_C128, SDFG_RT_TYPE_COUNT };
/* Multiply-adds up to which products in registers are as quick as a library, and need none to be opened. */
enum { SDFG_RT_SMALL_PRODUCT = 1 << 16 };

/* How exact products of matrices on a device have to be. */
enum sdfg_rt_product_mode {
    SDFG_RT_PRODUCT_DEFAULT, /* sums in the type of the elements, in any order */
    SDFG_RT_PRODUCT_STRICT,  /* each operation as the type says */
    SDFG_RT_PRODUCT_FAST     /* float32 may be rounded to TF32 first */
};

#define SDFG_RT_LETTER_i int32_t
#define SDFG_RT_LETTER_l int64_t
#define SDFG_RT_LETTER_p void *
#define SDFG_RT_LETTER_d double
#define SDFG_RT_LETTER_f float

/* One call of a program. Made by the engine, passed to every generated function, shared by the threads of the call. */
struct sdfg_rt_context {
#define RT_FIELD(name, letter) SDFG_RT_LETTER_##letter name;
#include "runtime/abi.def"
};

/* Releases what a call that failed has left behind. No thread of the call runs any more. */
void sdfg_rt_release(struct sdfg_rt_context *context);
/* What the call has made stays, for later calls with other contexts to give back. */
void sdfg_rt_hand_over(struct sdfg_rt_context *context);

/* Freed memory of a program, kept for its next calls; any thread. NULL if there is no memory for it. */
struct sdfg_rt_pool *sdfg_rt_pool_new(void);
/* Blocks come from a caller's functions and go back there at once; nothing is kept. Before the first use of the pool.
 */
struct sdfg_rt_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment); /* NULL if there is no memory */
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
};
void sdfg_rt_pool_allocator(struct sdfg_rt_pool *pool, const struct sdfg_rt_allocator *a);
/* Bytes that were taken from it at one time at most, but for small blocks (runtime/memory.c). Any thread. */
size_t sdfg_rt_pool_peak(struct sdfg_rt_pool *pool);
void sdfg_rt_pool_free(struct sdfg_rt_pool *pool); /* NULL is allowed */

/* Memory of the caller for containers of lifetime External, one block for each kind of storage. Containers lie one
 * behind the other, in the order in which they ask. */
struct sdfg_rt_block {
    int64_t storage;
    char *memory;
    int64_t bytes, used;
};
struct sdfg_rt_workspace {
    struct sdfg_rt_block *blocks;
    int64_t num_blocks;
    bool measure; /* only count what is used */
};

/* An element of the program that is measured. */
struct sdfg_rt_element {
    int64_t region, state, node; /* their numbers; -1: none */
    char name[]; /* then its provider; of an access node then container and type of the elements; zero-terminated */
};

/* What generated code finds by name in the engine: library nodes with an implementation, functions of targets,
 * providers of instrumentation. What generated code knows of a node is two lists, so that nothing here depends on how
 * implementations are kept:
 *
 *   text    class path, label, properties (JSON), then connector and element type of every operand; all zero-terminated
 *   layout  number of operands, then of each: output?, lanes, rank, address, extents, strides (elements)
 *
 * Kept in the context's `user`; NULL there: no implementations. */
struct sdfg_rt_nodes {
    bool (*call)(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *layout); /* false: it failed */
    /* A function of a target: its name behind that of the target; how many arguments, and these. False: it failed. */
    bool (*call_target)(const struct sdfg_rt_nodes *nodes, const char *text, const int64_t *arguments, int64_t *result);
    /* Around an element: what the first one gives goes to the second one, in the same thread. */
    int64_t (*measure_begin)(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element);
    void (*measure_end)(const struct sdfg_rt_nodes *nodes, struct sdfg_rt_context *context,
                        const struct sdfg_rt_element *element, int64_t begun);
    /* A container of an access node; `layout` as in runtime/data.h. False: it failed. */
    bool (*observe)(const struct sdfg_rt_nodes *nodes, const struct sdfg_rt_element *element, const int64_t *layout,
                    void *elements);
};

struct sdfg_rt_timing {
    const struct sdfg_rt_element *element; /* in the memory of the code */
    int64_t thread;                        /* as the system numbers them; 0: a GPU */
    int64_t begin, end;                    /* nanoseconds of a clock that never goes back */
    int64_t bytes;                         /* of a transfer; else 0 */
    const char *counter;                   /* of the provider; NULL: a duration */
    double value;                          /* of the counter */
};

/* The name of something that is no element, for as long as the timings. */
struct sdfg_rt_timed_name {
    struct sdfg_rt_timed_name *next;
    const void *of;
    struct sdfg_rt_element element;
};

/* The timings of one call, in the order in which they end; any thread of the call. */
struct sdfg_rt_timings {
    pthread_mutex_t lock;
    struct sdfg_rt_timing *items;
    size_t count, capacity;
    struct sdfg_rt_timed_name *names;
};

int64_t sdfg_rt_clock(void); /* nanoseconds of a clock that never goes back */
/* One more of a call; nothing happens if nobody wants them. */
void sdfg_rt_timings_add(struct sdfg_rt_context *context, const struct sdfg_rt_timing *timing);
void sdfg_rt_timings_init(struct sdfg_rt_timings *t);
void sdfg_rt_timings_release(struct sdfg_rt_timings *t);

/* Where a program saves containers and symbols, and restores them from (runtime/data.h); any thread. NULL for a folder:
 * not done. NULL if there is no memory. The texts stay the caller's. */
struct sdfg_rt_data *sdfg_rt_data_new(const char *save, const char *restore);
void sdfg_rt_data_free(struct sdfg_rt_data *d); /* NULL is allowed */
/* What went wrong first, with the name of the file; "" for nothing. It is forgotten then. */
void sdfg_rt_data_trouble(struct sdfg_rt_data *d, char *text, size_t size);

/* An access that checked mode looks at, as its code describes it. */
struct sdfg_rt_access {
    int64_t kind, rank; /* kind: one bit of enum sdfg_rt_check_kind */
    int64_t flat;       /* 1: the last dimension is that of the elements of the allocation, 2: of its bytes */
    char text[];        /* container, element path, source line; each zero-terminated */
};

enum { SDFG_RT_MAX_RANK = 33 }; /* of such an access: the dimensions of a container, and all elements in a row */

/* The faults of one call; any thread of the call. */
struct sdfg_rt_faults {
    int64_t count;                       /* so far */
    const struct sdfg_rt_access *access; /* of the first one, in the memory of the code; NULL: none yet */
    int64_t thread;
    const char *kernel; /* that found the first one, in the memory of the code; NULL: code of the host did */
    uint32_t block[3], thread_of_block[3];
    struct sdfg_rt_races *races;          /* what was accessed in maps, if races are looked for; else NULL */
    int64_t values[3 * SDFG_RT_MAX_RANK]; /* of each dimension: first and last index, extent */
};

void sdfg_rt_races_free(struct sdfg_rt_races *r); /* NULL is allowed */

/* A program that was compiled ahead of time, as its object describes it. init, exit and workspace may be null. */
typedef void sdfg_rt_entry(struct sdfg_rt_context *context, void *const *args);
struct sdfg_rt_program {
    const char *name;
    int64_t num_slots, num_threads;
    sdfg_rt_entry *main, *init, *exit, *workspace;
    int64_t num_storages;
    const int64_t *storages; /* with containers of lifetime External */
    int64_t num_keys;        /* what init depends on: pairs of position among the arguments and bytes, at most 8 */
    const int64_t *keys;
};

/* Address of a runtime function by name, for the linker; NULL if there is no such row. */
void *sdfg_rt_symbol(const char *name);

#endif
