#include "engine/tune/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Copies lie in their pages as the caller's arrays do, and large ones in huge pages, as NumPy wants its own. */
enum { PAGE = 4096, HUGE = 2 << 20, LARGE = 4 << 20 };

/* ---- what can be copied ---- */

static bool is_part_of_memory(const struct argument_entry *e)
{
    return e->kind == ENTRY_ARRAY || (e->kind == ENTRY_POINTER && e->has_extent && e->leaf->kind == SDFG_KIND_ARRAY);
}

const char *own_refuses(const struct sdfg_args *a, struct arena *arena)
{
    const struct sdfg_program *p = a->program;
    const sdfg_options *o = &p->engine->options;
    if (p->engine->cuda_device >= 0)
        return "it may run on a GPU";
    if (p->workspaces.count)
        return "it works in memory of the caller";
    if (o->check || o->timing || o->instrument || o->save_data || o->restore_data)
        return "its calls are checked or measured";
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        bool plain = e->kind == ENTRY_NULL || e->kind == ENTRY_SCALAR || e->kind == ENTRY_STRING;
        if (e->kind == ENTRY_STREAM)
            return arena_printf(arena, "'%s' is a stream", e->name);
        if (!plain && !is_part_of_memory(e))
            return arena_printf(arena, "'%s' is a pointer to something whose size is not known", e->name);
        if (!plain && !sdfg_dtype_size(e->kind == ENTRY_ARRAY ? e->array.dtype : e->leaf->dtype))
            return arena_printf(arena, "'%s' holds structures or pointers", e->name);
    }
    return NULL;
}

/* ---- blocks ---- */

/* The bytes of an entry: from the address on, or a part of them that lies before it. */
static void extent_of(const struct argument_entry *e, uintptr_t *begin, uintptr_t *end)
{
    uintptr_t data = (uintptr_t)e->array.data;
    *begin = *end = data;
    if (e->has_extent) {
        *begin = data + (uintptr_t)e->begin;
        *end = data + (uintptr_t)e->end;
    } else if (e->kind == ENTRY_ARRAY && data) {
        *end = data + sdfg_dtype_size(e->array.dtype); /* a value that is read from memory */
    }
}

static struct own_block *block_of(struct own *o, uintptr_t at)
{
    for (uint32_t i = 0; i < o->num_blocks; i++)
        if (o->blocks[i].begin <= at && at < o->blocks[i].end)
            return &o->blocks[i];
    return NULL;
}

static int by_begin(const void *a, const void *b)
{
    const struct own_block *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void find_blocks(struct own *o)
{
    const struct sdfg_args *a = o->source;
    uint32_t count = 0;
    o->blocks = NEW_ARRAY(o->arena, struct own_block, a->num_entries);
    for (size_t i = 0; i < a->num_entries; i++) {
        struct own_block b = { 0 };
        if (is_part_of_memory(a->entries[i]))
            extent_of(a->entries[i], &b.begin, &b.end);
        if (b.begin < b.end)
            o->blocks[count++] = b;
    }
    qsort(o->blocks, count, sizeof *o->blocks, by_begin);
    for (uint32_t i = 0; i < count; i++) {
        struct own_block *last = o->num_blocks ? &o->blocks[o->num_blocks - 1] : NULL;
        if (last && o->blocks[i].begin < last->end)
            last->end = o->blocks[i].end > last->end ? o->blocks[i].end : last->end;
        else
            o->blocks[o->num_blocks++] = o->blocks[i];
    }
}

static bool is_written(const struct sdfg_args *a, const struct own_block *b)
{
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        uintptr_t begin, end;
        if (!is_part_of_memory(e))
            continue;
        extent_of(e, &begin, &end);
        if (begin >= b->begin && begin < b->end && (e->leaf->written || a->program->arguments[e->argument].written))
            return true;
    }
    return false;
}

static bool allocate(struct own *o, struct own_block *b)
{
    size_t bytes = b->end - b->begin, page = bytes >= LARGE ? HUGE : PAGE;
    void *memory;
    if (posix_memalign(&memory, page, bytes + PAGE))
        return false;
    b->memory = memory;
    if (page == HUGE)
        madvise(memory, bytes + PAGE, MADV_HUGEPAGE);
    b->own = b->memory + b->begin % PAGE;
    memcpy(b->own, (const void *)b->begin, bytes);
    b->expected = is_written(o->source, b) ? malloc(bytes) : NULL;
    return b->expected || !is_written(o->source, b);
}

/* ---- arguments ---- */

static sdfg_error *copy_entry(struct own *o, const struct argument_entry *e)
{
    unsigned char value[16];
    sdfg_array array = e->array;
    uintptr_t begin, end;
    switch (e->kind) {
    case ENTRY_NULL:
        return sdfg_args_null(o->args, e->name);
    case ENTRY_STRING:
        return sdfg_args_string(o->args, e->name, e->text);
    case ENTRY_SCALAR:
        scalar_store(&e->scalar, e->scalar.dtype, value);
        return sdfg_args_scalar(o->args, e->name, e->scalar.dtype, value);
    default:
        extent_of(e, &begin, &end);
        if (begin < end) {
            const struct own_block *b = block_of(o, begin);
            array.data = b->own + ((uintptr_t)e->array.data - b->begin);
        } else if (array.data == (const void *)e) {
            array.data = NULL; /* no elements, and no address was given */
        }
        array.struct_size = sizeof array;
        return e->kind == ENTRY_ARRAY ? sdfg_args_array(o->args, e->name, &array)
                                      : sdfg_args_pointer(o->args, e->name, array.data);
    }
}

bool own_begin(struct own *o, struct sdfg_args *source, struct arena *arena, sdfg_error **error)
{
    *o = (struct own){ .arena = arena, .source = source };
    find_blocks(o);
    bool memory = true;
    for (uint32_t i = 0; i < o->num_blocks && memory; i++)
        memory = allocate(o, &o->blocks[i]);
    *error = memory ? sdfg_args_new(&o->args, source->program) : error_memory(SDFG_STAGE_BIND);
    for (size_t i = 0; i < source->num_entries && !*error; i++)
        *error = copy_entry(o, source->entries[i]);
    if (*error)
        return false;
    o->args->num_threads = source->num_threads;
    o->args->disjoint = source->disjoint;
    return true;
}

void own_end(struct own *o)
{
    sdfg_args_free(o->args);
    for (uint32_t i = 0; i < o->num_blocks; i++) {
        free(o->blocks[i].memory);
        free(o->blocks[i].expected);
    }
    *o = (struct own){ 0 };
}

void own_reset(struct own *o)
{
    for (uint32_t i = 0; i < o->num_blocks; i++)
        if (o->blocks[i].expected)
            memcpy(o->blocks[i].own, (const void *)o->blocks[i].begin, o->blocks[i].end - o->blocks[i].begin);
}

void own_expect(struct own *o)
{
    for (uint32_t i = 0; i < o->num_blocks; i++)
        if (o->blocks[i].expected)
            memcpy(o->blocks[i].expected, o->blocks[i].own, o->blocks[i].end - o->blocks[i].begin);
}

/* ---- results ---- */

static double relative(sdfg_dtype dtype)
{
    switch (dtype) {
    case SDFG_F64:
    case SDFG_C128:
        return 1e-9;
    case SDFG_F32:
    case SDFG_C64:
        return 2e-4;
    default:
        return 2e-2; /* of narrow floats */
    }
}

static bool is_float(sdfg_dtype dtype) { return dtype >= SDFG_F16; }

static double magnitude(const struct scalar *s) { return hypot(s->f[0], s->f[1]); }

static bool part_is_close(double x, double y, double allowed)
{
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= allowed;
}

/* Sums that end near zero are as exact as what was added. */
static bool elements_are_close(sdfg_dtype dtype, const unsigned char *is, const unsigned char *expected, size_t bytes)
{
    size_t item = sdfg_dtype_size(dtype);
    double largest = 0;
    if (!memcmp(is, expected, bytes))
        return true;
    if (!is_float(dtype))
        return false;
    for (size_t i = 0; i + item <= bytes; i += item) {
        struct scalar s = scalar_load(dtype, expected + i);
        double size = magnitude(&s);
        largest = isfinite(size) && size > largest ? size : largest;
    }
    double allowed = relative(dtype) * largest;
    for (size_t i = 0; i + item <= bytes; i += item) {
        struct scalar x = scalar_load(dtype, is + i), y = scalar_load(dtype, expected + i);
        if (!part_is_close(x.f[0], y.f[0], allowed) || !part_is_close(x.f[1], y.f[1], allowed))
            return false;
    }
    return true;
}

bool own_compare(const struct own *o)
{
    const struct sdfg_args *a = o->source;
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        uintptr_t begin, end;
        if (!is_part_of_memory(e))
            continue;
        extent_of(e, &begin, &end);
        const struct own_block *b = begin < end ? block_of((struct own *)(uintptr_t)o, begin) : NULL;
        sdfg_dtype dtype = e->kind == ENTRY_ARRAY ? e->array.dtype : e->leaf->dtype;
        if (b && b->expected &&
            !elements_are_close(dtype, b->own + (begin - b->begin), b->expected + (begin - b->begin), end - begin))
            return false;
    }
    return true;
}
