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

#endif
