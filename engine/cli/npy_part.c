/* Parts of the arrays of .npy files, row by row. */
#include "engine/cli/npy.h"

#include "engine/cli/file.h"
#include "engine/cli/npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char *why, size_t size, const char *reason)
{
    snprintf(why, size, "%s", reason);
    return false;
}

/* A part of an array in C order: rows without gaps in the file, in the order of memory. */
struct rows {
    int rank; /* of what is in front of a row */
    int64_t count[SDFG_MAX_RANK], stride[SDFG_MAX_RANK];
    int64_t begin; /* of the first row, in the file */
    size_t bytes;  /* of a row */
};

static struct rows rows_of(int rank, const int64_t *shape, const int64_t *first, const int64_t *count,
                           size_t item_bytes, size_t data)
{
    struct rows r = { .bytes = item_bytes, .begin = (int64_t)data };
    int64_t stride = (int64_t)item_bytes, strides[SDFG_MAX_RANK];
    int outer = rank;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        r.begin += first[i] * stride;
        stride *= shape[i];
    }
    while (outer > 0) { /* a dimension that is whole leaves no gap in the one in front of it */
        outer--;
        r.bytes *= (size_t)count[outer];
        if (count[outer] != shape[outer])
            break;
    }
    r.rank = outer;
    memcpy(r.count, count, (size_t)outer * sizeof *count);
    memcpy(r.stride, strides, (size_t)outer * sizeof *strides);
    return r;
}

static bool transfer(int fd, unsigned char *memory, size_t bytes, int64_t at, bool writes)
{
    while (bytes) {
        ssize_t n = writes ? pwrite(fd, memory, bytes, at) : pread(fd, memory, bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : EIO;
            return false;
        }
        memory += n;
        bytes -= (size_t)n;
        at += n;
    }
    return true;
}

/* All rows between memory, where they lie one behind the other, and the file. */
static bool transfer_rows(int fd, const struct rows *r, unsigned char *memory, bool writes)
{
    int64_t index[SDFG_MAX_RANK] = { 0 }, at = r->begin;
    for (int i = 0; i < r->rank; i++)
        if (!r->count[i])
            return true;
    for (int d = 0; d >= 0;) {
        if (!transfer(fd, memory, r->bytes, at, writes))
            return false;
        memory += r->bytes;
        for (d = r->rank - 1; d >= 0; d--) {
            at += r->stride[d];
            if (++index[d] < r->count[d])
                break;
            at -= r->stride[d] * r->count[d];
            index[d] = 0;
        }
    }
    return true;
}

/* ---- reading ---- */

static bool read_header(int fd, struct npy_header *h, char *why, size_t why_size)
{
    unsigned char bytes[65536 + 16]; /* version 1 has no longer ones; others seldom */
    ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    struct stat s;
    if (size < 0 || fstat(fd, &s))
        return fail(why, why_size, strerror(errno));
    if (!npy_header(bytes, (size_t)size, h, why, why_size))
        return false;
    size_t need = h->item_bytes;
    for (int i = 0; i < h->rank; i++)
        if (__builtin_mul_overflow(need, (size_t)h->shape[i], &need))
            return fail(why, why_size, "the array is too large");
    return need <= (size_t)s.st_size - h->data || fail(why, why_size, "the data are cut off");
}

/* Dimensions in the order in which the file has them. */
static void turn(const int64_t *from, int rank, bool turns, int64_t *to)
{
    for (int i = 0; i < rank; i++)
        to[i] = from[turns ? rank - 1 - i : i];
}

static bool read_part(int fd, struct tensor *out, const struct npy_part *part, char *why, size_t why_size)
{
    struct npy_header h;
    int64_t shape[SDFG_MAX_RANK], first[SDFG_MAX_RANK], count[SDFG_MAX_RANK];
    uint64_t limit = file_limit() ? file_limit() : FILE_ARRAY_BYTES;
    size_t bytes;
    if (!read_header(fd, &h, why, why_size))
        return false;
    bytes = h.item_bytes;
    for (int i = 0; i < h.rank; i++)
        if (__builtin_mul_overflow(bytes, (size_t)part->count[i], &bytes) || bytes > limit)
            return fail(why, why_size, "the part is larger than --input-limit");
    turn(h.shape, h.rank, h.fortran, shape);
    turn(part->first, h.rank, h.fortran, first);
    turn(part->count, h.rank, h.fortran, count);
    if (!tensor_alloc(out, h.dtype, h.item_bytes, h.rank, part->count))
        return fail(why, why_size, "out of memory");
    bool turned = h.fortran && h.rank > 1;
    unsigned char *memory = turned ? malloc(bytes + 1) : out->data;
    struct rows r = rows_of(h.rank, shape, first, count, h.item_bytes, h.data);
    bool good = memory && (!bytes || transfer_rows(fd, &r, memory, false));
    if (!good)
        fail(why, why_size, memory ? strerror(errno) : "out of memory");
    else if (turned)
        npy_transpose(out, memory);
    size_t piece = dtype_is_complex(h.dtype) ? h.item_bytes / 2 : h.item_bytes;
    if (good && h.swap)
        npy_swap(out->data, bytes / piece, piece);
    if (turned)
        free(memory);
    if (!good)
        tensor_free(out);
    return good;
}

bool npy_read_part(struct tensor *out, const char *path, const struct npy_part *part, char *why, size_t why_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (struct tensor){ 0 };
    bool good = fd >= 0 ? read_part(fd, out, part, why, why_size) : fail(why, why_size, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

/* ---- writing ---- */

bool npy_begin_parts(const struct tensor *whole, const char *path, char *why, size_t why_size)
{
    unsigned char header[NPY_HEADER_BYTES];
    size_t length = npy_header_text(whole->dtype, whole->rank, whole->shape, header);
    if (!length)
        return fail(why, why_size, "the .npy format has no such element type");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    off_t size = (off_t)(length + (size_t)tensor_count(whole) * whole->item_bytes);
    bool good = fd >= 0 && transfer(fd, header, length, 0, true) && !ftruncate(fd, size);
    if (!good)
        fail(why, why_size, strerror(errno));
    if (fd >= 0 && close(fd) && good)
        good = fail(why, why_size, strerror(errno));
    return good;
}

bool npy_write_part(const struct tensor *t, const char *path, const struct tensor *whole, const int64_t *first,
                    char *why, size_t why_size)
{
    unsigned char header[NPY_HEADER_BYTES];
    size_t length = npy_header_text(whole->dtype, whole->rank, whole->shape, header);
    struct rows r = rows_of(t->rank, whole->shape, first, t->shape, t->item_bytes, length);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && (!tensor_count(t) || transfer_rows(fd, &r, t->data, true));
    if (!good)
        fail(why, why_size, strerror(errno));
    if (fd >= 0 && close(fd) && good)
        good = fail(why, why_size, strerror(errno));
    return good;
}
