/* An MPI library of the MPICH family that takes buffers in memory of a CUDA device, made of one that does not: elements
 * are copied to the host around its functions. It says how many buffers were on the device when it is finalized.
 *
 * Linked with that library, which has all other functions. $SDFG_CUDA names the driver, or its stand-in. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

/* ---- the driver ---- */

static void *function(void *library, const char *name)
{
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "%s\n", dlerror());
        _Exit(99);
    }
    return f;
}

static void *cuda(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(getenv("SDFG_CUDA"), RTLD_NOW);
    return function(library, name);
}

static int on_device(const void *address)
{
    enum { MEMORY_TYPE = 2, DEVICE = 2 };
    int type = 0, asked = MEMORY_TYPE;
    void *values[] = { &type };
    int (*ask)(unsigned, const int *, void **, unsigned long long) =
        (int (*)(unsigned, const int *, void **, unsigned long long))cuda("cuPointerGetAttributes");
    return ask(1, &asked, values, (uintptr_t)address) == 0 && type == DEVICE;
}

static void copy(void *to, const void *from, size_t bytes, int to_host)
{
    int (*move)(void *, const void *, size_t, void *) =
        (int (*)(void *, const void *, size_t, void *))cuda(to_host ? "cuMemcpyDtoHAsync_v2" : "cuMemcpyHtoDAsync_v2");
    int (*wait)(void *) = (int (*)(void *))cuda("cuStreamSynchronize");
    if (move(to, from, bytes, NULL) || wait(NULL)) {
        fprintf(stderr, "the driver does not copy\n");
        _Exit(99);
    }
}

/* ---- buffers ---- */

struct buffer {
    struct buffer *next;
    void *device, *host;
    size_t bytes;
    int request, written;
};
static struct buffer *pending;
static int taken;

/* Types without derivation have their size in the handle. */
static struct buffer reach(const void *address, int count, int type, int written)
{
    struct buffer b = { .host = (void *)(uintptr_t)address, .written = written };
    if (!on_device(address))
        return b;
    if (type >> 16 != 0x4c00) {
        fprintf(stderr, "a derived type of memory on a device\n");
        _Exit(99);
    }
    b.bytes = (size_t)count * (size_t)(type >> 8 & 0xff);
    b.device = b.host;
    b.host = malloc(b.bytes + 1);
    copy(b.host, b.device, b.bytes, 1);
    taken++;
    return b;
}

static void give_back(struct buffer *b)
{
    if (!b->device)
        return;
    if (b->written)
        copy(b->device, b->host, b->bytes, 0);
    free(b->host);
}

static void later(const struct buffer *b, int request)
{
    if (!b->device)
        return;
    struct buffer *kept = malloc(sizeof *kept);
    *kept = *b;
    kept->request = request;
    kept->next = pending;
    pending = kept;
}

static void is_done(int request)
{
    for (struct buffer **at = &pending; *at;) {
        struct buffer *b = *at;
        if (b->request != request) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        give_back(b);
        free(b);
    }
}

#define REAL(name, parameters) ((int(*) parameters)function(RTLD_NEXT, #name))

/* ---- MPI ---- */

API int MPIX_GPU_query_support(int kind, int *supported);
API int MPIX_GPU_query_support(int kind, int *supported)
{
    *supported = kind == 0;
    return 0;
}

API int MPI_Isend(const void *buffer, int count, int type, int to, int tag, int comm, int *request);
API int MPI_Isend(const void *buffer, int count, int type, int to, int tag, int comm, int *request)
{
    struct buffer b = reach(buffer, count, type, 0);
    int result =
        REAL(MPI_Isend, (const void *, int, int, int, int, int, int *))(b.host, count, type, to, tag, comm, request);
    later(&b, *request);
    return result;
}

API int MPI_Irecv(void *buffer, int count, int type, int from, int tag, int comm, int *request);
API int MPI_Irecv(void *buffer, int count, int type, int from, int tag, int comm, int *request)
{
    struct buffer b = reach(buffer, count, type, 1);
    int result =
        REAL(MPI_Irecv, (void *, int, int, int, int, int, int *))(b.host, count, type, from, tag, comm, request);
    later(&b, *request);
    return result;
}

API int MPI_Wait(int *request, void *status);
API int MPI_Wait(int *request, void *status)
{
    int which = *request, result = REAL(MPI_Wait, (int *, void *))(request, status);
    is_done(which);
    return result;
}

API int MPI_Test(int *request, int *done, void *status);
API int MPI_Test(int *request, int *done, void *status)
{
    int which = *request, result = REAL(MPI_Test, (int *, int *, void *))(request, done, status);
    if (!result && *done)
        is_done(which);
    return result;
}

API int MPI_Iallreduce(const void *in, void *out, int count, int type, int op, int comm, int *request);
API int MPI_Iallreduce(const void *in, void *out, int count, int type, int op, int comm, int *request)
{
    struct buffer a = reach(in, count, type, 0), b = reach(out, count, type, 1);
    int result = REAL(MPI_Iallreduce, (const void *, void *, int, int, int, int, int *))(a.host, b.host, count, type,
                                                                                         op, comm, request);
    later(&a, *request);
    later(&b, *request);
    return result;
}

API int MPI_Allreduce(const void *in, void *out, int count, int type, int op, int comm);
API int MPI_Allreduce(const void *in, void *out, int count, int type, int op, int comm)
{
    struct buffer a = reach(in, count, type, 0), b = reach(out, count, type, 1);
    int result = REAL(MPI_Allreduce, (const void *, void *, int, int, int, int))(a.host, b.host, count, type, op, comm);
    give_back(&a);
    give_back(&b);
    return result;
}

API int MPI_Ibcast(void *buffer, int count, int type, int root, int comm, int *request);
API int MPI_Ibcast(void *buffer, int count, int type, int root, int comm, int *request)
{
    struct buffer b = reach(buffer, count, type, 1);
    int result = REAL(MPI_Ibcast, (void *, int, int, int, int, int *))(b.host, count, type, root, comm, request);
    later(&b, *request);
    return result;
}

API int MPI_Bcast(void *buffer, int count, int type, int root, int comm);
API int MPI_Bcast(void *buffer, int count, int type, int root, int comm)
{
    struct buffer b = reach(buffer, count, type, 1);
    int result = REAL(MPI_Bcast, (void *, int, int, int, int))(b.host, count, type, root, comm);
    give_back(&b);
    return result;
}

API int MPI_Finalize(void);
API int MPI_Finalize(void)
{
    if (taken)
        fprintf(stderr, "%d buffers on the device\n", taken);
    return REAL(MPI_Finalize, (void))();
}
