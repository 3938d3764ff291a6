#include "engine/cli/npy.h"

#include "engine/cli/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, PREFIX_SIZE = 10, HEADER_ALIGN = 64 };

/* letter and bytes as in NumPy's type codes */
static const struct {
    char letter;
    uint8_t size;
    sdfg_dtype dtype;
} codes[] = {
    { 'b', 1, SDFG_BOOL }, { 'i', 1, SDFG_I8 },  { 'i', 2, SDFG_I16 }, { 'i', 4, SDFG_I32 },   { 'i', 8, SDFG_I64 },
    { 'u', 1, SDFG_U8 },   { 'u', 2, SDFG_U16 }, { 'u', 4, SDFG_U32 }, { 'u', 8, SDFG_U64 },   { 'f', 2, SDFG_F16 },
    { 'f', 4, SDFG_F32 },  { 'f', 8, SDFG_F64 }, { 'c', 8, SDFG_C64 }, { 'c', 16, SDFG_C128 },
};

enum { NUM_CODES = sizeof codes / sizeof *codes };

/* ---- the header: a Python dictionary with the keys descr, fortran_order and shape ---- */

struct header {
    const char *at, *end;
    sdfg_dtype dtype;
    size_t item_bytes;
    bool swap, fortran;
    int rank;
    int64_t shape[SDFG_MAX_RANK];
    bool has_descr, has_order, has_shape;
};

static void skip_space(struct header *h)
{
    while (h->at < h->end && isspace((unsigned char)*h->at))
        h->at++;
}

static bool take(struct header *h, char c)
{
    skip_space(h);
    if (h->at >= h->end || *h->at != c)
        return false;
    h->at++;
    return true;
}

static bool take_word(struct header *h, const char *word)
{
    size_t n = strlen(word);
    skip_space(h);
    if ((size_t)(h->end - h->at) < n || strncmp(h->at, word, n))
        return false;
    h->at += n;
    return true;
}

static bool take_string(struct header *h, char *out, size_t size)
{
    skip_space(h);
    if (h->at >= h->end || (*h->at != '\'' && *h->at != '"'))
        return false;
    char quote = *h->at++;
    size_t n = 0;
    while (h->at < h->end && *h->at != quote) {
        if (n + 1 == size)
            return false;
        out[n++] = *h->at++;
    }
    out[n] = 0;
    return take(h, quote);
}

static bool take_number(struct header *h, int64_t *out)
{
    skip_space(h);
    if (h->at >= h->end || !isdigit((unsigned char)*h->at))
        return false;
    int64_t value = 0;
    for (; h->at < h->end && isdigit((unsigned char)*h->at); h->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *h->at - '0', &value))
            return false;
    take(h, 'L'); /* written by Python 2 */
    *out = value;
    return true;
}

/* (3, 4), (5,) or () */
static bool take_tuple(struct header *h, int *rank, int64_t *items)
{
    *rank = 0;
    if (!take(h, '('))
        return false;
    while (!take(h, ')')) {
        if (*rank == SDFG_MAX_RANK || !take_number(h, &items[(*rank)++]))
            return false;
        if (!take(h, ','))
            return take(h, ')');
    }
    return true;
}

/* "<f8": byte order, letter, bytes. */
static bool type_code(const char *code, sdfg_dtype *dtype, size_t *size, bool *swap)
{
    char *end;
    if (!*code || !strchr("<>|=", *code) || !code[1])
        return false;
    unsigned long bytes = strtoul(code + 2, &end, 10);
    if (*end || end == code + 2 || bytes > 1 << 20)
        return false;
    *swap = *code == '>' && bytes > 1;
    *size = bytes;
    *dtype = SDFG_NONE;
    for (int i = 0; i < NUM_CODES; i++)
        if (codes[i].letter == code[1] && codes[i].size == bytes)
            *dtype = codes[i].dtype;
    if (code[1] == 'V')
        *dtype = SDFG_RECORD;
    return *dtype != SDFG_NONE;
}

/* [('x', '<f4'), ('', '|V4'), ('v', '<f8', (3,))]: only the size matters. */
static bool take_record(struct header *h)
{
    char text[256];
    h->dtype = SDFG_RECORD;
    h->item_bytes = 0;
    while (!take(h, ']')) {
        sdfg_dtype dtype;
        size_t size;
        bool swap;
        int rank = 0;
        int64_t shape[SDFG_MAX_RANK];
        if (!take(h, '(') || !take_string(h, text, sizeof text) || !take(h, ',') ||
            !take_string(h, text, sizeof text) || !type_code(text, &dtype, &size, &swap) || swap)
            return false;
        if (take(h, ',') && !take_tuple(h, &rank, shape))
            return false;
        for (int i = 0; i < rank; i++)
            if (shape[i] > 1 << 20 || (size *= (size_t)shape[i]) > 1 << 20)
                return false;
        h->item_bytes += size;
        if (!take(h, ')') || h->item_bytes > 1 << 24)
            return false;
        take(h, ',');
    }
    return h->item_bytes > 0;
}

static bool take_descr(struct header *h)
{
    char code[64];
    h->has_descr = true;
    if (take(h, '['))
        return take_record(h);
    return take_string(h, code, sizeof code) && type_code(code, &h->dtype, &h->item_bytes, &h->swap);
}

static bool take_order(struct header *h)
{
    h->has_order = true;
    h->fortran = take_word(h, "True");
    return h->fortran || take_word(h, "False");
}

static bool parse_header(struct header *h)
{
    char key[32];
    if (!take(h, '{'))
        return false;
    while (!take(h, '}')) {
        if (!take_string(h, key, sizeof key) || !take(h, ':'))
            return false;
        bool ok = !strcmp(key, "descr") ? take_descr(h) : !strcmp(key, "fortran_order") ? take_order(h) : false;
        if (!strcmp(key, "shape"))
            ok = h->has_shape = take_tuple(h, &h->rank, h->shape);
        if (!ok)
            return false;
        take(h, ',');
    }
    return h->has_descr && h->has_order && h->has_shape;
}

/* ---- the data ---- */

static void swap_bytes(unsigned char *data, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, data += size)
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char c = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = c;
        }
}

/* From column-major to row-major order. */
static void transpose(const struct tensor *t, const unsigned char *from)
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

/* What the file says before its data, which begin at *data. */
static bool find_header(const void *bytes, size_t size, struct header *h, const unsigned char **data, char *why,
                        size_t why_size)
{
    const unsigned char *p = bytes;
    if (size < PREFIX_SIZE || memcmp(p, magic, MAGIC_SIZE))
        return fail(why, why_size, "not a .npy file");
    bool wide = p[6] >= 2;
    size_t prefix = wide ? PREFIX_SIZE + 2 : PREFIX_SIZE;
    if (p[6] < 1 || p[6] > 3 || size < prefix)
        return fail(why, why_size, "unknown version of the .npy format");
    size_t length = (size_t)p[8] | (size_t)p[9] << 8;
    if (wide)
        length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (length > size - prefix)
        return fail(why, why_size, "the header is cut off");
    *h = (struct header){ .at = (const char *)p + prefix, .end = (const char *)p + prefix + length };
    *data = p + prefix + length;
    return parse_header(h) || fail(why, why_size, "the header is not one of an array of numbers or records");
}

bool npy_shape(const char *path, sdfg_dtype *dtype, int *rank, int64_t *shape)
{
    unsigned char bytes[4096];
    const unsigned char *data;
    char why[128];
    struct header h;
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    if (!find_header(bytes, size, &h, &data, why, sizeof why) || sdfg_dtype_size(h.dtype) != h.item_bytes)
        return false;
    *dtype = h.dtype;
    *rank = h.rank;
    memcpy(shape, h.shape, (size_t)h.rank * sizeof *shape);
    return true;
}

bool npy_parse(struct tensor *out, const void *bytes, size_t size, char *why, size_t why_size)
{
    const unsigned char *data;
    struct header h;
    *out = (struct tensor){ 0 };
    if (!find_header(bytes, size, &h, &data, why, why_size))
        return false;
    size_t have = size - (size_t)(data - (const unsigned char *)bytes), need = h.item_bytes;
    for (int i = 0; i < h.rank; i++)
        if (__builtin_mul_overflow(need, (size_t)h.shape[i], &need))
            return fail(why, why_size, "the array is too large");
    if (need > have)
        return fail(why, why_size, "the data are cut off");
    if (!tensor_alloc(out, h.dtype, h.item_bytes, h.rank, h.shape))
        return fail(why, why_size, "out of memory");
    if (h.fortran && h.rank > 1)
        transpose(out, data);
    else
        memcpy(out->data, data, need);
    size_t part = dtype_is_complex(h.dtype) ? h.item_bytes / 2 : h.item_bytes;
    if (h.swap)
        swap_bytes(out->data, need / part, part);
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
    char header[1024];
    int n = -1;
    for (int i = 0; i < NUM_CODES; i++)
        if (codes[i].dtype == t->dtype)
            n = snprintf(header, sizeof header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                         codes[i].size > 1 ? '<' : '|', codes[i].letter, codes[i].size);
    if (n < 0)
        return fail(why, why_size, "the .npy format has no such element type");
    for (int i = 0; i < t->rank; i++)
        n += snprintf(header + n, sizeof header - (size_t)n, "%s%lld%s", i ? ", " : "", (long long)t->shape[i],
                      t->rank == 1 ? "," : "");
    n += snprintf(header + n, sizeof header - (size_t)n, "), }");
    size_t padded = ((size_t)(PREFIX_SIZE + n + 1) + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN - PREFIX_SIZE;
    memset(header + n, ' ', padded - (size_t)n);
    header[padded - 1] = '\n';
    unsigned char prefix[PREFIX_SIZE] = { 0, 0, 0, 0, 0, 0, 1, 0, (unsigned char)padded, (unsigned char)(padded >> 8) };
    memcpy(prefix, magic, MAGIC_SIZE);
    struct file_out o;
    FILE *f = file_begin(&o, path);
    if (!f)
        return fail(why, why_size, strerror(errno));
    size_t bytes = (size_t)tensor_count(t) * t->item_bytes;
    bool ok = fwrite(prefix, 1, PREFIX_SIZE, f) == PREFIX_SIZE && fwrite(header, 1, padded, f) == padded &&
              fwrite(t->data, 1, bytes, f) == bytes;
    return file_end(&o, ok) || fail(why, why_size, strerror(errno));
}
