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

/* Along each dimension `runs` runs of `run` neighbours, `apart` from one to the next; the first begins at `first`. In
 * the part they lie one behind the other. */
struct npy_part {
    int64_t first[SDFG_MAX_RANK], run[SDFG_MAX_RANK], runs[SDFG_MAX_RANK], apart[SDFG_MAX_RANK];
};
/* Where the elements of a part are in a file: rows without gaps, in the order of memory, where they lie one behind the
 * other. */
struct npy_rows {
    int rank; /* of what is in front of a row */
    int64_t count[2 * SDFG_MAX_RANK], stride[2 * SDFG_MAX_RANK];
    int64_t begin; /* of the first row */
    size_t bytes;  /* of a row */
};
/* A part that is being read: its bytes belong to `memory`. */
struct npy_reading {
    struct tensor *out;
    struct npy_rows rows;
    unsigned char *memory;
    bool turned, swapped; /* the file is in column-major order, of the other byte order */
};
/* Reads no more than the header; the part lies in the array. On success npy_end_reading follows. */
bool npy_begin_reading(struct npy_reading *r, struct tensor *out, const char *path, const struct npy_part *part,
                       char *why, size_t why_size);
bool npy_transfer(const char *path, const struct npy_rows *rows, void *memory, bool writes, char *why, size_t why_size);
void npy_end_reading(struct npy_reading *r, bool good); /* with what was transferred, or the tensor is freed */
/* An array of a file that is written in parts, maybe by several processes: one begins it with what it is like, then
 * each transfers its parts. */
bool npy_begin_parts(const struct tensor *whole, const char *path, char *why, size_t why_size); /* data: not used */
void npy_rows_to_write(struct npy_rows *out, const struct tensor *whole, const struct npy_part *part);

/* ---- elements as files have them ---- */

void npy_swap(unsigned char *data, size_t count, size_t size);
/* From column-major to row-major order. */
void npy_transpose(const struct tensor *t, const unsigned char *from);

#endif
