#include "engine/cli/tensor.h"

#include "base/number.h"
#include "base/smallfloat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, LARGE = 4 << 20 };

int64_t tensor_count(const struct tensor *t)
{
    int64_t count = 1;
    for (int i = 0; i < t->rank; i++)
        count *= t->shape[i];
    return count;
}

void *memory_untouched(size_t bytes)
{
    size_t size = (bytes / LINE + 1) * LINE, page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = size > bytes ? aligned_alloc(LINE, size) : NULL;
    if (p && size >= LARGE) {
        size_t first = (page - (uintptr_t)p % page) % page;
        madvise(p + first, (size - first) / page * page, MADV_HUGEPAGE);
    }
    return p;
}

void *memory_aligned(size_t bytes)
{
    void *p = memory_untouched(bytes);
    if (p)
        memset(p, 0, bytes + 1);
    return p;
}

bool tensor_alloc(struct tensor *t, sdfg_dtype dtype, size_t item_bytes, int rank, const int64_t *shape)
{
    size_t bytes = item_bytes;
    *t = (struct tensor){ .dtype = dtype, .item_bytes = item_bytes, .rank = rank };
    for (int i = 0; i < rank; i++) {
        t->shape[i] = shape[i];
        if (shape[i] < 0 || __builtin_mul_overflow(bytes, (size_t)shape[i], &bytes))
            return false;
    }
    t->data = memory_aligned(bytes);
    return t->data != NULL;
}

void tensor_free(struct tensor *t)
{
    free(t->data);
    t->data = NULL;
}

bool dtype_is_integer(sdfg_dtype t) { return t >= SDFG_BOOL && t <= SDFG_U64; }

bool dtype_is_complex(sdfg_dtype t) { return t == SDFG_C64 || t == SDFG_C128; }

static bool is_unsigned(sdfg_dtype t) { return t >= SDFG_U8 && t <= SDFG_U64; }

static bool is_small(sdfg_dtype t) { return t >= SDFG_F16 && t <= SDFG_F8E5M2; }

static enum smallfloat small_format(sdfg_dtype t) { return (enum smallfloat)(SMALLFLOAT_F16 + (t - SDFG_F16)); }

struct element element_get(sdfg_dtype dtype, const void *memory)
{
    struct element e = { .is_integer = dtype_is_integer(dtype), .is_unsigned = is_unsigned(dtype) };
    size_t size = sdfg_dtype_size(dtype);
    if (e.is_integer) {
        memcpy(&e.u, memory, size); /* little-endian */
        if (!e.is_unsigned && size < 8)
            e.i = (int64_t)(e.u << (64 - 8 * size)) >> (64 - 8 * size);
        e.re = e.is_unsigned ? (double)e.u : (double)e.i;
    } else if (is_small(dtype)) {
        uint32_t bits = 0;
        memcpy(&bits, memory, size);
        e.re = smallfloat_decode(small_format(dtype), bits);
    } else if (dtype == SDFG_F32 || dtype == SDFG_C64) {
        float parts[2] = { 0 };
        memcpy(parts, memory, size);
        e.re = (double)parts[0];
        e.im = (double)parts[1];
    } else {
        double parts[2] = { 0 };
        memcpy(parts, memory, size);
        e.re = parts[0];
        e.im = parts[1];
    }
    return e;
}

void element_set_integer(sdfg_dtype dtype, void *memory, int64_t value)
{
    if (!dtype_is_integer(dtype)) {
        element_set(dtype, memory, (double)value, 0);
        return;
    }
    if (dtype == SDFG_BOOL)
        value = value != 0;
    memcpy(memory, &value, sdfg_dtype_size(dtype));
}

void element_set(sdfg_dtype dtype, void *memory, double re, double im)
{
    size_t size = sdfg_dtype_size(dtype);
    if (dtype_is_integer(dtype)) {
        double low = -0x1p63, high = 0x1p63;
        element_set_integer(dtype, memory, re >= low && re < high ? (int64_t)re : 0);
    } else if (is_small(dtype)) {
        uint32_t bits = smallfloat_encode(small_format(dtype), re);
        memcpy(memory, &bits, size);
    } else if (dtype == SDFG_F32 || dtype == SDFG_C64) {
        float parts[2] = { (float)re, (float)im };
        memcpy(memory, parts, size);
    } else {
        double parts[2] = { re, im };
        memcpy(memory, parts, size);
    }
}

const char *element_text(sdfg_dtype dtype, const void *memory, char *buffer, size_t size)
{
    char re[NUMBER_TEXT_SIZE], im[NUMBER_TEXT_SIZE];
    struct element e = element_get(dtype, memory);
    if (dtype == SDFG_BOOL)
        snprintf(buffer, size, "%s", e.i ? "true" : "false");
    else if (e.is_unsigned)
        snprintf(buffer, size, "%llu", (unsigned long long)e.u);
    else if (e.is_integer)
        snprintf(buffer, size, "%lld", (long long)e.i);
    else if (dtype_is_complex(dtype))
        snprintf(buffer, size, "(%s, %s)", number_print(e.re, re), number_print(e.im, im));
    else
        snprintf(buffer, size, "%s", number_print(e.re, re));
    return buffer;
}
