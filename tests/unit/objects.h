/* Arrays as an interpreter has them, for sdfg_args_objects and sdfg_objects_ready. */
#ifndef TESTS_UNIT_OBJECTS_H
#define TESTS_UNIT_OBJECTS_H

#include "engine/include/sdfg.h"

#include <stddef.h>

enum { OBJECT_WRITABLE = 4 };

struct object {
    const void *type;
    void *data;
    const int64_t *shape, *strides;
    const void *dtype;
    int rank, flags;
};

static const int array_type = 0; /* the class of arrays */

/* `types` has an object for each element type; `dtypes` is filled, and must live as long as the layout. */
static inline sdfg_object_layout layout_of(const void *dtypes[SDFG_RECORD], const int types[SDFG_RECORD])
{
    sdfg_object_layout l = SDFG_OBJECT_LAYOUT_INIT;
    for (int i = 0; i < SDFG_RECORD; i++)
        dtypes[i] = &types[i];
    l.array_type = &array_type;
    l.data = offsetof(struct object, data);
    l.rank = offsetof(struct object, rank);
    l.shape = offsetof(struct object, shape);
    l.strides = offsetof(struct object, strides);
    l.dtype = offsetof(struct object, dtype);
    l.dtypes = dtypes;
    l.num_dtypes = SDFG_RECORD;
    l.flags = offsetof(struct object, flags);
    l.writable = OBJECT_WRITABLE;
    return l;
}

#endif
