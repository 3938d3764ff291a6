#include "engine/cli/npy_header.h"

#include <ctype.h>
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
    struct npy_header is;
    const char *at, *end;
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
    if (*end || !bytes || bytes > 1 << 20)
        return false;
    *swap = *code == '>' && bytes > 1 && code[1] != 'V';
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
    h->is.dtype = SDFG_RECORD;
    h->is.item_bytes = 0;
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
        h->is.item_bytes += size;
        if (!take(h, ')') || h->is.item_bytes > 1 << 24)
            return false;
        take(h, ',');
    }
    return h->is.item_bytes > 0;
}

static bool take_descr(struct header *h)
{
    char code[64];
    h->has_descr = true;
    if (take(h, '['))
        return take_record(h);
    return take_string(h, code, sizeof code) && type_code(code, &h->is.dtype, &h->is.item_bytes, &h->is.swap);
}

static bool take_order(struct header *h)
{
    h->has_order = true;
    h->is.fortran = take_word(h, "True");
    return h->is.fortran || take_word(h, "False");
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
            ok = h->has_shape = take_tuple(h, &h->is.rank, h->is.shape);
        if (!ok)
            return false;
        take(h, ',');
    }
    return h->has_descr && h->has_order && h->has_shape;
}

static bool fail(char *why, size_t size, const char *reason)
{
    snprintf(why, size, "%s", reason);
    return false;
}

bool npy_header(const void *bytes, size_t size, struct npy_header *out, char *why, size_t why_size)
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
    struct header h = { .at = (const char *)p + prefix, .end = (const char *)p + prefix + length };
    h.is.data = prefix + length;
    if (parse_header(&h)) {
        *out = h.is;
        return true;
    }
    return fail(why, why_size, "the header is not one of an array of numbers or records");
}

/* ---- writing ---- */

size_t npy_header_text(sdfg_dtype dtype, int rank, const int64_t *shape, unsigned char *out)
{
    char *header = (char *)out + PREFIX_SIZE;
    const int room = NPY_HEADER_BYTES - PREFIX_SIZE;
    int n = -1;
    for (int i = 0; i < NUM_CODES; i++)
        if (codes[i].dtype == dtype)
            n = snprintf(header, (size_t)room, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                         codes[i].size > 1 ? '<' : '|', codes[i].letter, codes[i].size);
    if (n < 0)
        return 0;
    for (int i = 0; i < rank; i++)
        n += snprintf(header + n, (size_t)(room - n), "%s%lld%s", i ? ", " : "", (long long)shape[i],
                      rank == 1 ? "," : "");
    n += snprintf(header + n, (size_t)(room - n), "), }");
    size_t padded = ((size_t)(PREFIX_SIZE + n + 1) + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN - PREFIX_SIZE;
    memset(header + n, ' ', padded - (size_t)n);
    header[padded - 1] = '\n';
    const unsigned char prefix[] = { 1, 0, (unsigned char)padded, (unsigned char)(padded >> 8) };
    memcpy(out, magic, MAGIC_SIZE);
    memcpy(out + MAGIC_SIZE, prefix, sizeof prefix);
    return PREFIX_SIZE + padded;
}
