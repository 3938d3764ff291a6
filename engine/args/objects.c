/* Arrays of an interpreter as arguments, read from the memory of its objects: what a caller without compiled code of
 * its own would spend microseconds on. Where the fields lie is what the caller has found out. */
#include "engine/args/args.h"

#include <string.h>

static void *pointer_at(const void *object, size_t offset)
{
    void *p;
    memcpy(&p, (const char *)object + offset, sizeof p);
    return p;
}

/* False: it is none of the arrays that the layout describes. */
static bool read_array(const sdfg_object_layout *l, const void *object, sdfg_array *out, int64_t *strides)
{
    if (pointer_at(object, l->type) != l->array_type)
        return false;
    const void *dtype = pointer_at(object, l->dtype);
    size_t i = 0;
    while (i < l->num_dtypes && l->dtypes[i] != dtype)
        i++;
    if (i == l->num_dtypes)
        return false;
    int rank;
    memcpy(&rank, (const char *)object + l->rank, sizeof rank);
    if (rank < 0 || rank > SDFG_MAX_RANK)
        return false;
    int64_t size = (int64_t)sdfg_dtype_size((sdfg_dtype)i);
    *out = (sdfg_array){ .struct_size = sizeof *out,
                         .data = pointer_at(object, l->data),
                         .dtype = (sdfg_dtype)i,
                         .rank = rank,
                         .strides = strides };
    if (rank) {
        memcpy(out->shape, pointer_at(object, l->shape), (size_t)rank * sizeof *out->shape);
        memcpy(strides, pointer_at(object, l->strides), (size_t)rank * sizeof *strides);
    }
    for (int d = 0; d < rank; d++) {
        if (size == 0 || strides[d] % size)
            return false;
        strides[d] /= size;
    }
    return true;
}

sdfg_error *sdfg_args_objects(size_t *taken, sdfg_args *a, const sdfg_object_layout *l, const char *const *names,
                              size_t count, const void *tuple)
{
    NEEDS(taken);
    *taken = 0;
    NEEDS(a);
    NEEDS(l);
    NEEDS(names);
    NEEDS(tuple);
    for (size_t i = 0; i < count; i++) {
        sdfg_array array;
        int64_t strides[SDFG_MAX_RANK];
        const void *object = pointer_at(tuple, l->items + i * sizeof(void *));
        if (!read_array(l, object, &array, strides))
            return NULL;
        sdfg_error *error = sdfg_args_array(a, names[i], &array);
        if (error)
            return error;
        ++*taken;
    }
    return NULL;
}
