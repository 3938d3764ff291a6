/* Files of NumPy's .npy format, versions 1 to 3: arrays of the basic types, little-endian or big-endian, in C or
 * Fortran order, and of records (read as opaque bytes). */
#ifndef ENGINE_CLI_NPY_H
#define ENGINE_CLI_NPY_H

#include "engine/cli/tensor.h"

/* False with the reason in `why`. On success the caller frees the tensor. */
bool npy_read(struct tensor *out, const char *path, char *why, size_t why_size);
/* The same from memory. */
bool npy_parse(struct tensor *out, const void *bytes, size_t size, char *why, size_t why_size);
/* Type and shape alone. False: it cannot be read, or holds records. */
bool npy_shape(const char *path, sdfg_dtype *dtype, int *rank, int64_t *shape);
bool npy_write(const struct tensor *t, const char *path, char *why, size_t why_size);

/* ---- parts of arrays (npy_part.c) ---- */

/* As many elements as `count` says in each dimension, from `first` on. */
struct npy_part {
    int64_t first[SDFG_MAX_RANK], count[SDFG_MAX_RANK];
};
/* Reads no more than the part, which lies in the array. */
bool npy_read_part(struct tensor *out, const char *path, const struct npy_part *part, char *why, size_t why_size);
/* An array of a file that is written in parts, maybe by several processes: one begins it with what it is like, then
 * each writes its parts. */
bool npy_begin_parts(const struct tensor *whole, const char *path, char *why, size_t why_size); /* data: not used */
bool npy_write_part(const struct tensor *t, const char *path, const struct tensor *whole, const int64_t *first,
                    char *why, size_t why_size);

/* ---- elements as files have them ---- */

void npy_swap(unsigned char *data, size_t count, size_t size);
/* From column-major to row-major order. */
void npy_transpose(const struct tensor *t, const unsigned char *from);

#endif
