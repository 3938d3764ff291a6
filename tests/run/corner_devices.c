/* Programs for GPUs, which the CPU runs with the same results: kernels, blocks of threads, memory of the device. */
#include "tests/run/corner.h"

#include <stdio.h>

static const char sum[] = "lambda x, y: x + y";

static void give_schedule(struct corner *c, struct map_entry *m, enum enum_row row)
{
    m->schedule = enum_builtin(c->ir, row);
}

static void give_memory(struct corner *c, const char *declared, const char *shape, enum enum_row row)
{
    char type[16], name[16];
    sscanf(declared, "%15s %15s", type, name);
    build_transient(c->s, name, type, shape)->storage = enum_builtin(c->ir, row);
}

static void give_cpp(struct corner *c, struct tasklet *t, const char *text)
{
    t->code = (struct code_text){ .text = text, .language = enum_builtin(c->ir, LANGUAGE_CPP) };
}

/* A kernel with a thread-block map in it, both over one dimension. */
struct kernel {
    struct map_entry *grid, *block;
};

static struct kernel kernel(struct corner *c, struct state *st, const char *grid, const char *block)
{
    struct kernel k = { build_map(st, "grid", grid), build_map(st, "block", block) };
    give_schedule(c, k.grid, SCHEDULE_GPU_DEVICE);
    give_schedule(c, k.block, SCHEDULE_GPU_THREADBLOCK);
    return k;
}

/* A tasklet of the threads: from A, and to B. */
static void reads(const struct kernel *k, struct tasklet *t, struct state *st, const char *memlet)
{
    build_path(memlet, NULL, NULL, "x", &build_access(st, "A")->node, &k->grid->node, &k->block->node, &t->node, NULL);
}

static void writes(const struct kernel *k, struct tasklet *t, struct state *st, const char *memlet)
{
    build_path(memlet, NULL, "o", NULL, &t->node, k->block->exit, k->grid->exit, &build_access(st, "B")->node, NULL);
}

/* ---- kernels and memory ---- */

/* To the device, a kernel over two dimensions, and back. */
static void device_kernel(struct corner *c)
{
    corner_array(c, "int32 A[6, 5]", "0:30", NULL);
    corner_array(c, "int32 B[6, 5]", "30*-1", "1:31");
    give_memory(c, "int32 gA", "6, 5", STORAGE_GPU_GLOBAL);
    give_memory(c, "int32 gB", "6, 5", STORAGE_GPU_GLOBAL);
    give_memory(c, "int32 hB", "6, 5", STORAGE_CPU_PINNED);
    corner_copy(corner_state(c), "A", "gA", "A[0:6, 0:5]");
    struct corner_body b =
        corner_body(corner_state(c), "i = 0:6, j = 0:5", "o = x + 1", "x = gA[i, j]", "o = gB[i, j]", NULL);
    corner_schedule(&b, SCHEDULE_GPU_DEVICE);
    corner_copy(corner_state(c), "gB", "hB", "gB[0:6, 0:5]");
    corner_copy(corner_state(c), "hB", "B", "hB[0:6, 0:5]");
}

/* The last block is not full. */
static void device_block(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "0:50 14*-1");
    struct kernel k = kernel(c, st, "b = 0:50:16", "i = b:min(50, b + 16)");
    struct tasklet *t = build_tasklet(st, "copy", "x", "o", "o = x");
    reads(&k, t, st, "A[i]");
    writes(&k, t, st, "B[i]");
}

/* Kernels add to one place. */
static void device_sum(struct corner *c)
{
    corner_array(c, "int64 A[1]", "5", "499505");
    struct corner_body b = corner_body(corner_state(c), "i = 0:1000", "o = i", NULL, "o = A[0]", sum);
    corner_schedule(&b, SCHEDULE_GPU_DEVICE);
}

/* Memory that the threads of a block share, in the kernel and for two kernels: each block has its own. */
static void shared_memory(struct corner *c, bool twice)
{
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "15:-1 31:15 47:31 63:47");
    give_memory(c, "int32 s", "16", STORAGE_GPU_SHARED);
    for (int i = 0; i <= twice; i++) {
        struct state *st = corner_state(c);
        struct kernel k = kernel(c, st, "b = 0:4", "i = 0:16");
        struct map_entry *again = build_map(st, "again", "i = 0:16");
        give_schedule(c, again, SCHEDULE_GPU_THREADBLOCK);
        struct tasklet *in = build_tasklet(st, "in", "x", "o", "o = x");
        struct tasklet *out = build_tasklet(st, "out", "x", "o", "o = x");
        struct access *s = build_access(st, "s");
        reads(&k, in, st, "A[16 * b + i]");
        build_path("s[i]", NULL, "o", NULL, &in->node, k.block->exit, &s->node, NULL);
        build_path("s[15 - i]", NULL, NULL, "x", &s->node, &again->node, &out->node, NULL);
        build_path("B[16 * b + i]", NULL, "o", NULL, &out->node, again->exit, k.grid->exit,
                   &build_access(st, "B")->node, NULL);
    }
}

static void device_shared(struct corner *c) { shared_memory(c, false); }
static void device_shared_twice(struct corner *c) { shared_memory(c, true); }

/* All states of the nested SDFG run on the device; the second kernel reads what other threads of the first wrote. */
static void device_persistent(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1000]", "0:1000", NULL);
    corner_array(c, "int32 B[1000]", "1000*-1", "999:-1");
    corner_array(c, "int32 D[1000]", "1000*-1", "1000*999");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "a", "int32", "1000");
    build_array(inner, "b", "int32", "1000");
    build_array(inner, "d", "int32", "1000");
    struct state *turn = build_state(&inner->region, "turn"), *add = build_state(&inner->region, "add");
    build_transition(&turn->block, &add->block, NULL, NULL);
    struct corner_body first = corner_body(turn, "i = 0:1000", "y = x", "x = a[i]", "y = b[999 - i]", NULL);
    struct corner_body second = corner_body(add, "i = 0:1000", "z = x + y", "x = a[i], y = b[i]", "z = d[i]", NULL);
    corner_schedule(&first, SCHEDULE_GPU_DEVICE);
    corner_schedule(&second, SCHEDULE_GPU_DEVICE);
    struct map_entry *stays = build_map(st, "stays", "t = 0:1");
    give_schedule(c, stays, SCHEDULE_GPU_PERSISTENT);
    struct nested *n = build_nested(st, "loops", inner, "a", "b, d", NULL);
    build_path("A[0:1000]", NULL, NULL, "a", &build_access(st, "A")->node, &stays->node, &n->node, NULL);
    build_path("B[0:1000]", NULL, "b", NULL, &n->node, stays->exit, &build_access(st, "B")->node, NULL);
    build_path("D[0:1000]", NULL, "d", NULL, &n->node, stays->exit, &build_access(st, "D")->node, NULL);
}

/* Rows of different lengths: the range of the inner map is read in the kernel. */
static void device_dynamic(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 R[5]", "0 3 3 7 8", NULL);
    corner_array(c, "int32 A[8]", "1 2 3 4 5 6 7 8", NULL);
    corner_array(c, "int32 B[4]", "4*100", "106 100 122 108");
    struct kernel k = kernel(c, st, "i = 0:4", "j = first:last");
    give_schedule(c, k.block, SCHEDULE_GPU_THREADBLOCK_DYNAMIC);
    struct tasklet *t = build_tasklet(st, "add", "x", "o", "o = x");
    struct access *rows = build_access(st, "R");
    build_path("R[i]", NULL, NULL, "first", &rows->node, &k.grid->node, &k.block->node, NULL);
    build_path("R[i + 1]", NULL, NULL, "last", &rows->node, &k.grid->node, &k.block->node, NULL);
    reads(&k, t, st, "A[j]");
    build_path("B[i]", sum, "o", NULL, &t->node, k.block->exit, k.grid->exit, &build_access(st, "B")->node, NULL);
}

/* Threads of a warp, below those of a block. */
static void device_warp(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*0", "1:65");
    struct kernel k = kernel(c, st, "b = 0:1", "w = 0:2");
    struct map_entry *warp = build_map(st, "warp", "i = 0:32");
    give_schedule(c, warp, SCHEDULE_GPU_WARP);
    struct tasklet *t = build_tasklet(st, "add", "x", "o", "o = x + 1");
    build_path("A[32 * w + i]", NULL, NULL, "x", &build_access(st, "A")->node, &k.grid->node, &k.block->node,
               &warp->node, &t->node, NULL);
    build_path("B[32 * w + i]", NULL, "o", NULL, &t->node, warp->exit, k.block->exit, k.grid->exit,
               &build_access(st, "B")->node, NULL);
}

/* ---- code that knows its thread ---- */

/* Where a thread is, in three dimensions and with ranges that do not begin at 0. */
static void device_index(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 B[24]", "24*-1",
                 "0 1 10 11 100 101 110 111 1000 1001 1010 1011 1100 1101 1110 1111 "
                 "2000 2001 2010 2011 2100 2101 2110 2111");
    struct kernel k = kernel(c, st, "g = 6:12:2", "k = 1:3, j = 0:2, i = 3:7:2");
    struct tasklet *t =
        build_tasklet(st, "where", NULL, "o",
                      "o = 1000 * blockIdx.x + 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x + (gridDim.x - 3) + "
                      "(blockDim.x - 2) + (blockDim.y - 2) + (blockDim.z - 2)");
    build_edge(&k.grid->node, NULL, &k.block->node, NULL, NULL, NULL);
    build_edge(&k.block->node, NULL, &t->node, NULL, NULL, NULL);
    writes(&k, t, st, "B[8 * (g / 2 - 3) + 4 * (k - 1) + 2 * j + (i - 3) / 2]");
}

/* All threads of a warp get the sum of their values; a block has two warps. */
static void device_warp_sum(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "32*496 32*1520");
    struct kernel k = kernel(c, st, "b = 0:1", "i = 0:64");
    struct tasklet *t = build_tasklet(st, "add", "x", "o", "");
    give_cpp(c, t, "o = dace::warpReduce<dace::ReductionType::Sum, int>::reduce(x);");
    reads(&k, t, st, "A[i]");
    writes(&k, t, st, "B[i]");
}

/* What a thread had before the reduction it has behind it, too: a variable, an array, and a number of iterations. */
static void device_kept(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "186:218 410:442");
    struct kernel k = kernel(c, st, "b = 0:2", "i = 0:32");
    struct tasklet *t = build_tasklet(st, "add", "x", "o", "");
    give_cpp(
        c, t,
        "int mine[4] = {x, 2 * x, 3 * x, 4 * x}; int twice = 2 * x;\n"
        "for (int k = 0; k < 3; ++k) mine[k] += dace::warpReduce<dace::ReductionType::Max, int>::reduce(mine[k]);\n"
        "o = mine[0] + mine[1] + mine[2] + mine[3] + twice - 11 * x;");
    reads(&k, t, st, "A[32 * b + i]");
    writes(&k, t, st, "B[32 * b + i]");
}

/* Threads meet in a loop that halves a range, through memory that they share. */
static void device_tree(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "496 31*-1 1520 31*-1");
    give_memory(c, "int32 s", "32", STORAGE_GPU_SHARED);
    struct kernel k = kernel(c, st, "b = 0:2", "i = 0:32");
    struct tasklet *t = build_tasklet(st, "add", "x", "o, r", "");
    give_cpp(c, t,
             "int t = threadIdx.x; o[t] = x; __syncthreads();\n"
             "for (int n = blockDim.x / 2; n > 0; n /= 2) { if (t < n) o[t] += o[t + n]; __syncthreads(); }\n"
             "if (t == 0) r[32 * blockIdx.x] = o[0];");
    reads(&k, t, st, "A[32 * b + i]");
    build_path("s[0:32]", NULL, "o", NULL, &t->node, k.block->exit, &build_access(st, "s")->node, NULL);
    build_path("B[0:64]", NULL, "r", NULL, &t->node, k.block->exit, k.grid->exit, &build_access(st, "B")->node, NULL);
}

/* A register of the kernel is one of each thread; a tasklet beside the map that asks who it is runs for each. */
static void device_register(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[4]", "4*-1", "0 220 390 560");
    give_memory(c, "int32 mine", "1", STORAGE_REGISTER);
    struct kernel k = kernel(c, st, "b = 0:4", "i = 0:16");
    struct tasklet *t = build_tasklet(st, "ten", "x", "o", "o = 10 * x");
    struct tasklet *one = build_tasklet(st, "one", "x", "o", "if threadIdx.x == 5 * (b > 0):\n    o = x + 10 * b");
    struct access *mine = build_access(st, "mine");
    reads(&k, t, st, "A[16 * b + i]");
    build_path("mine[0]", NULL, "o", NULL, &t->node, k.block->exit, &mine->node, NULL);
    build_path("mine[0]", NULL, NULL, "x", &mine->node, &one->node, NULL);
    build_path("B[b]", NULL, "o", NULL, &one->node, k.grid->exit, &build_access(st, "B")->node, NULL)->memlet.dynamic =
        true;
}

/* All threads of a block get the largest value; cub works in memory of the block. */
static void device_cub(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*-1", "63 2016 62*-1");
    struct kernel k = kernel(c, st, "b = 0:1", "i = 0:64");
    struct tasklet *t = build_tasklet(st, "reduce", "x", "o", "");
    give_cpp(c, t,
             "typedef cub::BlockReduce<int, 64> Block; __shared__ typename Block::TempStorage memory;\n"
             "int most = Block(memory).Reduce(x, dace::_wcr_fixed<dace::ReductionType::Max, int>());\n"
             "int all = Block(memory).Sum(x);\n"
             "if (threadIdx.x == 0) { o[0] = most; o[1] = all; }");
    reads(&k, t, st, "A[i]");
    writes(&k, t, st, "B[0:64]");
}

/* There are no threads to wait for. */
static void device_alone(struct corner *c)
{
    struct state *st = corner_state(c);
    struct tasklet *t = build_tasklet(st, "wait", NULL, NULL, "");
    give_cpp(c, t, "__syncthreads();");
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[unsupported]: threadIdx and the like outside of kernels with a GPU_ThreadBlock map\n"
                   "  at corner/state[0] \"s0\"/tasklet[0] \"wait\"\n"
                   "[5]\n");
}

/* Threads that wait for each other have to be as many in each row. */
static void device_sizes(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[64]", "0:64", NULL);
    corner_array(c, "int32 B[64]", "64*0", NULL);
    struct kernel k = kernel(c, st, "b = 0:1", "i = 0:4, j = 0:i + 1");
    struct tasklet *t = build_tasklet(st, "wait", "x", "o", "");
    give_cpp(c, t, "__syncthreads(); o = x;");
    reads(&k, t, st, "A[i]");
    writes(&k, t, st, "B[4 * i + j]");
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[unsupported]: threads of a block that wait for each other in rows of different lengths\n"
                   "  at corner/state[0] \"s0\"/map[2] \"block\"\n"
                   "[5]\n");
}

/* The host's side: memory, streams and events of CUDA's own functions. */
static void device_runtime(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[12]", "0:12", NULL);
    corner_array(c, "int32 B[12]", "12*-1", "0:3 0 4:7 0 8:11 0");
    struct tasklet *t = build_tasklet(st, "copy", "x", "o", "");
    give_cpp(c, t,
             "cudaStream_t s; cudaEvent_t e; int *p;\n"
             "cudaStreamCreate(&s); cudaEventCreateWithFlags(&e, cudaEventDisableTiming);\n"
             "DACE_GPU_CHECK(cudaMalloc(&p, 12 * sizeof(int)));\n"
             "cudaMemcpyAsync(p, x, 12 * sizeof(int), cudaMemcpyHostToDevice, s);\n"
             "cudaMemsetAsync(o, 0, 12 * sizeof(int), __dace_current_stream);\n"
             "cudaEventRecord(e, s); cudaStreamWaitEvent(__dace_current_stream, e, 0);\n"
             "cudaMemcpy2DAsync(o, 16, p, 16, 12, 3, cudaMemcpyDeviceToHost, s);\n"
             "cudaStreamSynchronize(s); cudaFree(p); cudaEventDestroy(e); cudaStreamDestroy(s);");
    build_path("A[0:12]", NULL, NULL, "x", &build_access(st, "A")->node, &t->node, NULL);
    build_path("B[0:12]", NULL, "o", NULL, &t->node, &build_access(st, "B")->node, NULL);
}

const struct corner_row corner_devices[] = {
    { "device_kernel", device_kernel, false },
    { "device_block", device_block, false },
    { "device_sum", device_sum, false },
    { "device_shared", device_shared, false },
    { "device_shared_twice", device_shared_twice, false },
    { "device_persistent", device_persistent, false },
    { "device_dynamic", device_dynamic, false },
    { "device_warp", device_warp, false },
    { "device_index", device_index, false },
    { "device_warp_sum", device_warp_sum, false },
    { "device_kept", device_kept, false },
    { "device_tree", device_tree, false },
    { "device_register", device_register, false },
    { "device_cub", device_cub, false },
    { "device_alone", device_alone, true },
    { "device_sizes", device_sizes, true },
    { "device_runtime", device_runtime, false },
    { 0 },
};
