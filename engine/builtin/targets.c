/* The targets of the library: what each of them claims. Their code is in lower/graph/. */
#include "engine/builtin/builtin.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

typedef const char *const names[];

/* CPU_Pinned is ordinary memory where no device is involved. */
static names host = { "Default", "Register", "CPU_Heap", "CPU_ThreadLocal", "CPU_Pinned", "SVE_Register", NULL };
static names local = { "CPU_ThreadLocal", NULL };
static names sequential = { "Sequential", NULL };
static names threads = { "Default", "CPU_Multicore", "CPU_Persistent", NULL };
static names processes = { "MPI", NULL };
static names vectors = { "SVE_Map", NULL };
static names kernels = {
    "GPU_Device", "GPU_ThreadBlock", "GPU_ThreadBlock_Dynamic", "GPU_Warp", "GPU_Persistent", NULL
};
static names global = { "GPU_Global", NULL };
static names shared = { "GPU_Shared", NULL };
static names device = { "GPU_Global", "GPU_Shared", NULL };
static names anywhere = { "GPU_Global",      "GPU_Shared", "Default",      "Register", "CPU_Heap",
                          "CPU_ThreadLocal", "CPU_Pinned", "SVE_Register", NULL };
static names registers = { "Register", NULL };
static names tasklets = { "Tasklet", NULL };

/* Every kind of node, unless another target claims it. */
static const sdfg_claim of_cpu[] = {
    { .kind = SDFG_CLAIM_SCHEDULE, .names = sequential },
    { .kind = SDFG_CLAIM_STORAGE, .names = local, .parts = true },
    { .kind = SDFG_CLAIM_STORAGE, .names = host },
    { .kind = SDFG_CLAIM_COPY, .names = host, .to = host },
    { .kind = SDFG_CLAIM_NODE },
};

static const sdfg_claim of_openmp[] = { { .kind = SDFG_CLAIM_SCHEDULE, .names = threads } };
static const sdfg_claim of_mpi[] = { { .kind = SDFG_CLAIM_SCHEDULE, .names = processes } };
static const sdfg_claim of_sve[] = { { .kind = SDFG_CLAIM_SCHEDULE, .names = vectors } };

/* A block of a grid runs on one thread: memory that its threads share is one for each thread of ours, unless it is
 * taken in the block. */
static const sdfg_claim of_gpu[] = {
    { .kind = SDFG_CLAIM_SCHEDULE, .names = kernels },
    { .kind = SDFG_CLAIM_STORAGE, .names = global },
    { .kind = SDFG_CLAIM_STORAGE, .names = shared, .parts = true },
    { .kind = SDFG_CLAIM_STORAGE, .names = registers, .rule = "per-thread" },
    { .kind = SDFG_CLAIM_COPY, .names = device, .to = anywhere },
    { .kind = SDFG_CLAIM_COPY, .names = anywhere, .to = device },
    { .kind = SDFG_CLAIM_NODE, .names = tasklets, .rule = "for-threads" },
};

bool builtin_targets(const sdfg_plugin_api *api)
{
    const sdfg_target rows[] = {
        { .name = "cpu",
          .text = "sequential loops, memory of the host and all nodes",
          .claims = of_cpu,
          .num_claims = COUNT(of_cpu) },
        { .name = "openmp",
          .text = "loops on the threads of the host",
          .extends = "cpu",
          .claims = of_openmp,
          .num_claims = COUNT(of_openmp) },
        { .name = "mpi",
          .text = "maps whose iterations run on different processes",
          .extends = "cpu",
          .claims = of_mpi,
          .num_claims = COUNT(of_mpi) },
        { .name = "sve",
          .text = "maps over scalable vectors, whose length the machine knows",
          .extends = "cpu",
          .claims = of_sve,
          .num_claims = COUNT(of_sve) },
        { .name = "gpu",
          .text = "the base of targets for GPUs",
          .extends = "cpu",
          .claims = of_gpu,
          .num_claims = COUNT(of_gpu),
          .base = true },
        { .name = "cuda",
          .text = "maps and memory of GPUs; in code for the CPU, loops and memory of the host",
          .extends = "gpu" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sdfg_target t = rows[i];
        t.struct_size = sizeof t;
        t.library = t.name;
        if (!api->target(api->plugin, &t))
            return false;
    }
    return true;
}
