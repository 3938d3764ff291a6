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

/* The element type, which is most often that of the array before, `guess`. l->num_dtypes if it is none of the layout.
 */
static size_t dtype_of(const sdfg_object_layout *l, const void *object, size_t guess)
{
    const void *dtype = pointer_at(object, l->dtype);
    if (guess < l->num_dtypes && l->dtypes[guess] == dtype)
        return guess;
    size_t i = 0;
    while (i < l->num_dtypes && l->dtypes[i] != dtype)
        i++;
    return i;
}

/* Sizes and strides; false if these are no multiples of the elements, whose size is a power of two. */
static bool read_shape(const sdfg_object_layout *l, const void *object, sdfg_array *out, int64_t *strides)
{
    const char *sizes = pointer_at(object, l->shape), *steps = pointer_at(object, l->strides);
    int64_t size = (int64_t)sdfg_dtype_size(out->dtype);
    if (!size)
        return out->rank == 0;
    int shift = __builtin_ctzll((uint64_t)size);
    for (int d = 0; d < out->rank; d++) {
        int64_t step;
        memcpy(&out->shape[d], sizes + (size_t)d * sizeof(int64_t), sizeof(int64_t));
        memcpy(&step, steps + (size_t)d * sizeof(int64_t), sizeof step);
        if (step & (size - 1))
            return false;
        strides[d] = step >> shift;
    }
    return true;
}

/* False: it is none of the arrays that the layout describes. `out` has the element type of the array before. Fields are
 * set one by one: most of the room for a shape is not used. */
static bool read_array(const sdfg_object_layout *l, const void *object, sdfg_array *out, int64_t *strides)
{
    if (pointer_at(object, l->type) != l->array_type)
        return false;
    size_t dtype = dtype_of(l, object, (size_t)out->dtype);
    if (dtype == l->num_dtypes)
        return false;
    memcpy(&out->rank, (const char *)object + l->rank, sizeof out->rank);
    if (out->rank < 0 || out->rank > SDFG_MAX_RANK)
        return false;
    out->data = pointer_at(object, l->data);
    out->dtype = (sdfg_dtype)dtype;
    return read_shape(l, object, out, strides);
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
    int64_t strides[SDFG_MAX_RANK];
    sdfg_array array = { .struct_size = sizeof array, .strides = strides };
    for (size_t i = 0; i < count; i++) {
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

static bool may_be_written(const sdfg_object_layout *l, const void *object)
{
    int flags;
    memcpy(&flags, (const char *)object + l->flags, sizeof flags);
    return flags & l->writable;
}

bool sdfg_objects_ready(const sdfg_objects *o, const void *tuple)
{
    const sdfg_object_layout *l = o ? o->layout : NULL;
    if (!l || l->struct_size < sizeof *l || o->struct_size < sizeof *o || !o->args || !o->names || !tuple)
        return false;
    int64_t strides[SDFG_MAX_RANK];
    sdfg_array array = { .struct_size = sizeof array, .strides = strides };
    for (size_t i = 0; i < o->count; i++) {
        const void *object = pointer_at(tuple, l->items + i * sizeof(void *));
        const struct argument_entry *e =
            read_array(l, object, &array, strides) ? args_give_again(o->args, o->names[i], &array) : NULL;
        if (!e || (e->leaf->written && !may_be_written(l, object)))
            return false;
    }
    return sdfg_args_ready(o->args);
}
