#include "engine/cli/npy.h"

#include "engine/cli/file.h"
#include "engine/cli/npy_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void npy_swap(unsigned char *data, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, data += size)
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char c = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = c;
        }
}

void npy_transpose(const struct tensor *t, const unsigned char *from)
{
    int64_t index[SDFG_MAX_RANK] = { 0 }, strides[SDFG_MAX_RANK], stride = 1, count = tensor_count(t), at = 0;
    for (int i = 0; i < t->rank; i++) {
        strides[i] = stride;
        stride *= t->shape[i];
    }
    for (int64_t n = 0; n < count; n++) {
        memcpy((unsigned char *)t->data + (size_t)n * t->item_bytes, from + (size_t)at * t->item_bytes, t->item_bytes);
        for (int i = t->rank - 1; i >= 0; i--) {
            at += strides[i];
            if (++index[i] < t->shape[i])
                break;
            at -= strides[i] * t->shape[i];
            index[i] = 0;
        }
    }
}

static bool fail(char *why, size_t size, const char *reason)
{
    snprintf(why, size, "%s", reason);
    return false;
}

bool npy_shape(const char *path, sdfg_dtype *dtype, int *rank, int64_t *shape)
{
    unsigned char bytes[4096];
    char why[128];
    struct npy_header h;
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    if (!npy_header(bytes, size, &h, why, sizeof why) || sdfg_dtype_size(h.dtype) != h.item_bytes)
        return false;
    *dtype = h.dtype;
    *rank = h.rank;
    memcpy(shape, h.shape, (size_t)h.rank * sizeof *shape);
    return true;
}

bool npy_parse(struct tensor *out, const void *bytes, size_t size, char *why, size_t why_size)
{
    struct npy_header h;
    *out = (struct tensor){ 0 };
    if (!npy_header(bytes, size, &h, why, why_size))
        return false;
    const unsigned char *data = (const unsigned char *)bytes + h.data;
    size_t have = size - h.data, need = h.item_bytes;
    for (int i = 0; i < h.rank; i++)
        if (__builtin_mul_overflow(need, (size_t)h.shape[i], &need))
            return fail(why, why_size, "the array is too large");
    if (need > have)
        return fail(why, why_size, "the data are cut off");
    if (!tensor_alloc(out, h.dtype, h.item_bytes, h.rank, h.shape))
        return fail(why, why_size, "out of memory");
    if (h.fortran && h.rank > 1)
        npy_transpose(out, data);
    else
        memcpy(out->data, data, need);
    size_t part = dtype_is_complex(h.dtype) ? h.item_bytes / 2 : h.item_bytes;
    if (h.swap)
        npy_swap(out->data, need / part, part);
    return true;
}

bool npy_read(struct tensor *out, const char *path, char *why, size_t why_size)
{
    size_t size;
    char *bytes = file_bytes(path, FILE_ARRAY_BYTES, &size, why, why_size);
    bool ok = bytes && npy_parse(out, bytes, size, why, why_size);
    free(bytes);
    return ok;
}

bool npy_write(const struct tensor *t, const char *path, char *why, size_t why_size)
{
    unsigned char header[NPY_HEADER_BYTES];
    size_t length = npy_header_text(t->dtype, t->rank, t->shape, header);
    if (!length)
        return fail(why, why_size, "the .npy format has no such element type");
    struct file_out o;
    FILE *f = file_begin(&o, path);
    if (!f)
        return fail(why, why_size, strerror(errno));
    size_t bytes = (size_t)tensor_count(t) * t->item_bytes;
    bool ok = fwrite(header, 1, length, f) == length && fwrite(t->data, 1, bytes, f) == bytes;
    return file_end(&o, ok) || fail(why, why_size, strerror(errno));
}
