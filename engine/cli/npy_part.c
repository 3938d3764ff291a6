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

static void add_level(struct npy_rows *r, int64_t count, int64_t stride)
{
    if (count == 1)
        return;
    r->count[r->rank] = count;
    r->stride[r->rank++] = stride;
}

/* Of a part of an array in C order. A dimension that is whole leaves no gap in the one in front of it. */
static void find_rows(struct npy_rows *r, int rank, const int64_t *shape, const struct npy_part *part,
                      size_t item_bytes, size_t data)
{
    int64_t stride = (int64_t)item_bytes;
    bool whole = true;
    *r = (struct npy_rows){ .bytes = item_bytes, .begin = (int64_t)data };
    for (int i = rank - 1; i >= 0; i--) { /* the innermost level first */
        if (whole)
            r->bytes *= (size_t)part->run[i];
        else
            add_level(r, part->run[i], stride);
        add_level(r, part->runs[i], part->apart[i] * stride);
        whole = whole && part->run[i] == shape[i];
        r->begin += part->first[i] * stride;
        stride *= shape[i];
    }
    for (int i = 0, k = r->rank - 1; i < k; i++, k--) {
        int64_t count = r->count[i], apart = r->stride[i];
        r->count[i] = r->count[k], r->stride[i] = r->stride[k];
        r->count[k] = count, r->stride[k] = apart;
    }
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
static bool transfer_rows(int fd, const struct npy_rows *r, unsigned char *memory, bool writes)
{
    int64_t index[2 * SDFG_MAX_RANK] = { 0 }, at = r->begin;
    for (int i = 0; i < r->rank; i++)
        if (!r->count[i])
            return true;
    if (!r->bytes)
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
static void turn(int64_t *dims, int rank)
{
    for (int i = 0, k = rank - 1; i < k; i++, k--) {
        int64_t d = dims[i];
        dims[i] = dims[k];
        dims[k] = d;
    }
}

static bool begin_reading(int fd, struct npy_reading *r, const struct npy_part *part, char *why, size_t why_size)
{
    struct npy_header h;
    struct npy_part p = *part;
    int64_t count[SDFG_MAX_RANK];
    uint64_t limit = file_limit() ? file_limit() : FILE_ARRAY_BYTES;
    if (!read_header(fd, &h, why, why_size))
        return false;
    size_t bytes = h.item_bytes;
    for (int i = 0; i < h.rank; i++) {
        count[i] = p.run[i] * p.runs[i];
        if (__builtin_mul_overflow(bytes, (size_t)count[i], &bytes) || bytes > limit)
            return fail(why, why_size, "the part is larger than --input-limit");
    }
    if (h.fortran) {
        int64_t *const all[] = { h.shape, p.first, p.run, p.runs, p.apart };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            turn(all[i], h.rank);
    }
    find_rows(&r->rows, h.rank, h.shape, &p, h.item_bytes, h.data);
    if (!tensor_alloc(r->out, h.dtype, h.item_bytes, h.rank, count))
        return fail(why, why_size, "out of memory");
    r->turned = h.fortran && h.rank > 1;
    r->swapped = h.swap;
    r->memory = r->turned ? malloc(bytes + 1) : r->out->data;
    if (r->memory)
        return true;
    tensor_free(r->out);
    return fail(why, why_size, "out of memory");
}

bool npy_begin_reading(struct npy_reading *r, struct tensor *out, const char *path, const struct npy_part *part,
                       char *why, size_t why_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (struct tensor){ 0 };
    *r = (struct npy_reading){ .out = out };
    bool good = fd >= 0 ? begin_reading(fd, r, part, why, why_size) : fail(why, why_size, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

bool npy_transfer(const char *path, const struct npy_rows *rows, void *memory, bool writes, char *why, size_t why_size)
{
    int fd = open(path, (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    bool good = fd >= 0 && transfer_rows(fd, rows, memory, writes);
    if (!good)
        fail(why, why_size, strerror(errno));
    if (fd >= 0 && close(fd) && good)
        good = fail(why, why_size, strerror(errno));
    return good;
}

void npy_end_reading(struct npy_reading *r, bool good)
{
    struct tensor *t = r->out;
    size_t piece = dtype_is_complex(t->dtype) ? t->item_bytes / 2 : t->item_bytes;
    if (good && r->turned)
        npy_transpose(t, r->memory);
    if (good && r->swapped)
        npy_swap(t->data, (size_t)tensor_count(t) * t->item_bytes / piece, piece);
    if (r->turned)
        free(r->memory);
    if (!good)
        tensor_free(t);
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

void npy_rows_to_write(struct npy_rows *out, const struct tensor *whole, const struct npy_part *part)
{
    unsigned char header[NPY_HEADER_BYTES];
    size_t length = npy_header_text(whole->dtype, whole->rank, whole->shape, header);
    find_rows(out, whole->rank, whole->shape, part, whole->item_bytes, length);
}
