/* Arrays the tools own: C order, packed, aligned to 64 bytes. */
#ifndef ENGINE_CLI_TENSOR_H
#define ENGINE_CLI_TENSOR_H

#include "engine/include/sdfg.h"

struct tensor {
    sdfg_dtype dtype;
    size_t item_bytes;
    int rank;
    int64_t shape[SDFG_MAX_RANK];
    void *data; /* tensor_free */
};

/* One value of a basic type. Integers are exact in `i` (`u` if is_unsigned); re and im are always there. */
struct element {
    bool is_integer, is_unsigned;
    union {
        int64_t i;
        uint64_t u;
    };
    double re, im;
};

int64_t tensor_count(const struct tensor *t);
/* Aligned to 64 bytes, at least one byte; free() it. From 4 MB on in huge pages where the system gives them on request,
 * as NumPy's arrays are. NULL if there is no memory. */
void *memory_untouched(size_t bytes);
void *memory_aligned(size_t bytes); /* the same, zeroed */
/* False if there is no memory. */
bool tensor_alloc(struct tensor *t, sdfg_dtype dtype, size_t item_bytes, int rank, const int64_t *shape);
void tensor_free(struct tensor *t);

struct element element_get(sdfg_dtype dtype, const void *memory);
/* Rounded or wrapped to the type. */
void element_set(sdfg_dtype dtype, void *memory, double re, double im);
void element_set_integer(sdfg_dtype dtype, void *memory, int64_t value);
/* "1.5", "-3", "(1.0, 2.0)" */
const char *element_text(sdfg_dtype dtype, const void *memory, char *buffer, size_t size);
bool dtype_is_integer(sdfg_dtype t); /* bool counts */
bool dtype_is_complex(sdfg_dtype t);

#endif
