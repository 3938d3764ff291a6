/* The beginning of a .npy file: what its array is like. */
#ifndef ENGINE_CLI_NPY_HEADER_H
#define ENGINE_CLI_NPY_HEADER_H

#include "engine/include/sdfg.h"

struct npy_header {
    sdfg_dtype dtype;
    size_t item_bytes;
    bool swap, fortran; /* bytes of the other order; column-major */
    int rank;
    int64_t shape[SDFG_MAX_RANK];
    size_t data; /* where the elements begin */
};

/* From the first bytes of a file; false with the reason in `why`. */
bool npy_header(const void *bytes, size_t size, struct npy_header *out, char *why, size_t why_size);
/* The header of an array in C order; its size, or 0: the format has no such elements. */
enum { NPY_HEADER_BYTES = 2048 }; /* enough for any rank */
size_t npy_header_text(sdfg_dtype dtype, int rank, const int64_t *shape, unsigned char *out);

#endif
