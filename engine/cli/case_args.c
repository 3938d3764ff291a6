#include "engine/cli/case_args.h"

#include "base/number.h"
#include "engine/cli/command.h"
#include "engine/cli/npy.h"

#include <stdlib.h>
#include <string.h>

static bool fail(struct case_args *a, const char *name, const char *what)
{
    snprintf(a->text, a->text_size, "case: %s: %s", name, what);
    return false;
}

static bool checked(sdfg_error *e, sdfg_error **error)
{
    *error = e;
    return !e;
}

/* ---- reading entries ---- */

static int numbers(const struct json *list, int64_t *out)
{
    int n = 0;
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v && n < SDFG_MAX_RANK; v = v->next)
        if (!json_int(v, &out[n++]))
            return -1;
    return json_is(list, JSON_ARRAY) ? n : -1;
}

static bool number(const struct json *v, double *out)
{
    return json_is(v, JSON_STRING) ? number_parse(v->text, out) : json_real(v, out);
}

/* "vector(float32,4)": 4; anything else: 1. */
static int lanes_of(const char *dtype)
{
    const char *comma = dtype && !strncmp(dtype, "vector(", 7) ? strchr(dtype, ',') : NULL;
    int lanes = comma ? atoi(comma + 1) : 1;
    return lanes > 0 ? lanes : 1;
}

/* Element type of an array that no file gives. */
static bool element_type(const struct json *spec, sdfg_dtype *dtype, size_t *item_bytes)
{
    const struct json *npdtype = json_get(spec, "npdtype");
    const char *name = json_string(json_is(npdtype, JSON_STRING) ? npdtype : json_get(spec, "dtype"));
    int64_t size;
    *dtype = name ? sdfg_dtype_by_name(name) : SDFG_NONE;
    *item_bytes = sdfg_dtype_size(*dtype);
    if (json_is(npdtype, JSON_OBJECT) && json_int(json_get(npdtype, "itemsize"), &size) && size > 0) {
        *dtype = SDFG_RECORD;
        *item_bytes = (size_t)size;
    }
    return *item_bytes > 0;
}

/* ---- arrays ---- */

static struct case_array *new_array(struct case_args *a, const char *name, const struct json *spec)
{
    if (a->count == a->capacity) {
        a->capacity = a->capacity ? 2 * a->capacity : 16;
        struct case_array *arrays = NEW_ARRAY(a->arena, struct case_array, a->capacity);
        if (a->count)
            memcpy(arrays, a->arrays, a->count * sizeof *arrays);
        a->arrays = arrays;
    }
    struct case_array *x = &a->arrays[a->count++];
    *x = (struct case_array){ .name = name, .spec = spec };
    return x;
}

/* The array as the program's descriptor sees it: the recorded one unless the entry says otherwise. */
static bool descriptor_view(struct case_args *a, const struct case_array *x, struct view *v)
{
    const struct json *shape = json_get(x->spec, "desc_shape"), *strides = json_get(x->spec, "desc_strides");
    *v = x->view;
    if (shape && (v->rank = numbers(shape, v->shape)) < 0)
        return fail(a, x->name, "desc_shape is no list of numbers");
    if (strides && numbers(strides, v->strides) != v->rank)
        return fail(a, x->name, "desc_strides do not fit the shape");
    if (!strides && v->rank != x->view.rank)
        return fail(a, x->name, "the descriptor has another rank and no strides");
    return true;
}

/* Elements before and after `data` that the recorded array, the descriptor and its total size reach. */
static void needed(const struct case_array *x, const struct view *descriptor, int64_t *before, int64_t *after)
{
    int64_t begin, end, total, start;
    int64_t lanes = lanes_of(json_string(json_get(x->spec, "dtype")));
    view_extent(&x->view, before, after);
    view_extent(descriptor, &begin, &end);
    *before = begin < *before ? begin : *before;
    *after = end > *after ? end : *after;
    if (!json_int(json_get(x->spec, "desc_start_offset"), &start))
        start = 0;
    if (json_int(json_get(x->spec, "desc_total_size"), &total) && (total + start) * lanes > *after)
        *after = (total + start) * lanes;
}

static const struct case_array *aliased(const struct case_args *a, const struct case_array *x)
{
    const char *other = json_string(json_at(json_get(x->spec, "aliases"), 0));
    for (size_t i = 0; other && i < a->count; i++)
        if (a->arrays[i].memory && !strcmp(a->arrays[i].name, other) && a->arrays[i].bytes == x->bytes)
            return &a->arrays[i];
    return NULL;
}

/* The recorded contents, or zeros for what the caller allocates. */
static bool read_contents(struct case_args *a, struct case_array *x)
{
    const struct json *in = json_get(x->spec, "in");
    char why[200];
    struct view *v = &x->view;
    if (json_is(in, JSON_STRING)) {
        if (!npy_read(&x->original, arena_printf(a->arena, "%s/%s", a->folder, in->text), why, sizeof why))
            return fail(a, x->name, why);
    } else {
        sdfg_dtype dtype;
        size_t item_bytes;
        if (!element_type(x->spec, &dtype, &item_bytes))
            return fail(a, x->name, "its element type is not known");
        if (!tensor_alloc(&x->original, dtype, item_bytes, v->rank, v->shape))
            return fail(a, x->name, "out of memory");
    }
    v->dtype = x->original.dtype;
    v->item_bytes = x->original.item_bytes;
    return tensor_count(&x->original) == view_count(v) || fail(a, x->name, "the file has another number of elements");
}

static bool recorded_layout(struct case_args *a, struct case_array *x)
{
    struct view *v = &x->view;
    v->rank = numbers(json_get(x->spec, "shape"), v->shape);
    if (v->rank < 0)
        return fail(a, x->name, "it has no shape");
    int64_t packed = 1;
    for (int i = v->rank - 1; i >= 0; i--) {
        v->strides[i] = packed;
        if (__builtin_mul_overflow(packed, v->shape[i], &packed))
            return fail(a, x->name, "out of memory");
    }
    const struct json *strides = json_get(x->spec, "strides");
    return !json_is(strides, JSON_ARRAY) || numbers(strides, v->strides) == v->rank ||
           fail(a, x->name, "its strides do not fit its shape");
}

static bool give_array(struct case_args *a, const char *name, const struct json *spec, sdfg_error **error)
{
    if (json_bool(json_get(spec, "null"), false))
        return checked(sdfg_args_null(a->args, name), error);
    struct case_array *x = new_array(a, name, spec);
    struct view descriptor;
    int64_t before, after;
    if (!recorded_layout(a, x) || !read_contents(a, x) || !descriptor_view(a, x, &descriptor))
        return false;
    needed(x, &descriptor, &before, &after);
    if (__builtin_mul_overflow((size_t)after - (size_t)before, x->view.item_bytes, &x->bytes))
        return fail(a, name, "out of memory");
    const struct case_array *other = aliased(a, x);
    x->shared = other != NULL;
    x->memory = other ? other->memory : memory_aligned(x->bytes);
    if (!x->memory)
        return fail(a, name, "out of memory");
    x->view.data = x->memory - before * (int64_t)x->view.item_bytes;
    if (tensor_count(&x->original) && !x->shared)
        view_scatter(&x->view, &x->original);
    sdfg_array array = {
        .struct_size = sizeof array,
        .data = x->view.data,
        .dtype = x->view.dtype,
        .rank = descriptor.rank,
        .strides = descriptor.strides,
        .item_bytes = x->view.item_bytes,
    };
    memcpy(array.shape, descriptor.shape, sizeof array.shape);
    return checked(sdfg_args_array(a->args, name, &array), error);
}

/* ---- single values ---- */

static bool give_value(struct case_args *a, const char *name, const struct json *spec, sdfg_error **error)
{
    const struct json *in = json_get(spec, "in");
    int64_t i;
    double re, im;
    if (json_is(in, JSON_TRUE) || json_is(in, JSON_FALSE))
        return checked(sdfg_args_i64(a->args, name, in->kind == JSON_TRUE), error);
    if (json_is(in, JSON_INT) && json_int(in, &i))
        return checked(sdfg_args_i64(a->args, name, i), error);
    if (json_is(in, JSON_INT)) {
        uint64_t u = strtoull(in->text, NULL, 10);
        return checked(sdfg_args_scalar(a->args, name, SDFG_U64, &u), error);
    }
    if (json_is(in, JSON_ARRAY) && number(json_at(in, 0), &re) && number(json_at(in, 1), &im))
        return checked(sdfg_args_complex(a->args, name, re, im), error);
    if (number(in, &re))
        return checked(sdfg_args_f64(a->args, name, re), error);
    return fail(a, name, "its value cannot be read");
}

static bool set_element(const struct json *v, sdfg_dtype dtype, void *memory)
{
    double re, im = 0;
    int64_t i;
    if (json_is(v, JSON_TRUE) || json_is(v, JSON_FALSE))
        element_set_integer(dtype, memory, v->kind == JSON_TRUE);
    else if (json_is(v, JSON_INT) && json_int(v, &i))
        element_set_integer(dtype, memory, i);
    else if (json_is(v, JSON_ARRAY) ? number(json_at(v, 0), &re) && number(json_at(v, 1), &im) : number(v, &re))
        element_set(dtype, memory, re, im);
    else
        return false;
    return true;
}

/* A scalar of a structure lies in memory that the call changes. */
static bool give_member(struct case_args *a, const char *name, const struct json *spec, sdfg_error **error)
{
    struct case_array *x = new_array(a, name, spec);
    const struct json *in = json_get(spec, "in");
    size_t item_bytes;
    sdfg_dtype dtype;
    if (!element_type(spec, &dtype, &item_bytes) || dtype == SDFG_RECORD ||
        !tensor_alloc(&x->original, dtype, item_bytes, 0, NULL) || !(x->memory = memory_aligned(item_bytes)))
        return fail(a, name, "its value cannot be read");
    if (!set_element(in, dtype, x->memory))
        return fail(a, name, "its value cannot be read");
    memcpy(x->original.data, x->memory, item_bytes);
    x->view = view_of_tensor(&x->original);
    x->view.data = x->memory;
    sdfg_array array = { .struct_size = sizeof array, .data = x->memory, .dtype = dtype };
    return checked(sdfg_args_array(a->args, name, &array), error);
}

/* ---- entries ---- */

static bool give_entry(struct case_args *a, const struct json *spec, bool infer, sdfg_error **error);

static bool give_list(struct case_args *a, const struct json *list, bool infer, sdfg_error **error)
{
    for (const struct json *e = json_is(list, JSON_ARRAY) ? list->first : NULL; e; e = e->next)
        if (!give_entry(a, e, infer, error))
            return false;
    return true;
}

static bool give_entry(struct case_args *a, const struct json *spec, bool infer, sdfg_error **error)
{
    const char *name = json_string(json_get(spec, "name")), *kind = json_string(json_get(spec, "kind"));
    if (!name || !kind)
        return fail(a, "case.json", "an entry has no name or kind");
    bool member = strpbrk(name, ".[") != NULL;
    /* What the program does not take is ignored, as DaCe ignores extra arguments. */
    if (!sdfg_program_lookup(a->program, name, &(sdfg_argument){ .struct_size = sizeof(sdfg_argument) }))
        return !json_get(spec, "out") ||
               fail(a, name, "the program has no such argument, but the case has a result for it");
    if (infer && json_bool(json_get(spec, "inferred"), false))
        return true;
    if (!strcmp(kind, "array"))
        return give_array(a, name, spec, error);
    if (!strcmp(kind, "string"))
        return checked(sdfg_args_string(a->args, name, json_string(json_get(spec, "in"))), error);
    if (!strcmp(kind, "null"))
        return checked(sdfg_args_null(a->args, name), error);
    if (!strcmp(kind, "struct"))
        return give_list(a, json_get(spec, "members"), infer, error);
    if (!strcmp(kind, "container_array"))
        return give_list(a, json_get(spec, "elements"), infer, error);
    if (!strcmp(kind, "scalar") || !strcmp(kind, "symbol"))
        return member ? give_member(a, name, spec, error) : give_value(a, name, spec, error);
    return fail(a, name, "is of an unknown kind");
}

bool case_give(struct case_args *a, const struct json *list, bool infer, sdfg_error **error)
{
    *error = NULL;
    return give_list(a, list, infer, error);
}

/* ---- comparing ---- */

/* What the array must hold: the recorded result, or for a scalar its new value, or what it held before. */
static bool read_reference(struct case_args *a, const struct case_array *x, struct tensor *out, bool *changes)
{
    const struct json *result = json_get(x->spec, "out");
    char why[200];
    *changes = result != NULL;
    if (json_is(result, JSON_STRING) && strstr(result->text, ".npy"))
        return npy_read(out, arena_printf(a->arena, "%s/%s", a->folder, result->text), why, sizeof why) ||
               fail(a, x->name, why);
    struct view before = view_of_tensor(&x->original);
    if (!view_gather(&before, out))
        return fail(a, x->name, "out of memory");
    if (result && !set_element(result, out->dtype, out->data)) {
        tensor_free(out);
        return fail(a, x->name, "its result cannot be read");
    }
    return true;
}

static bool is_uninitialised(const struct json *root, const char *name)
{
    const struct json *list = json_get(root, "uninit_suspect");
    for (const struct json *n = json_is(list, JSON_ARRAY) ? list->first : NULL; n; n = n->next)
        if (json_is(n, JSON_STRING) && !strcmp(n->text, name))
            return true;
    return false;
}

static int compare_array(struct case_args *a, const struct json *root, const struct case_array *x)
{
    struct tensor reference = { 0 };
    bool changes;
    char text[600];
    if (!read_reference(a, x, &reference, &changes))
        return EXIT_FILE;
    struct tolerance t = { .rtol = -1, .atol = -1, .skip_uninitialised = true };
    if (!json_real(json_get(root, "rtol"), &t.rtol))
        t.rtol = -1;
    if (!json_real(json_get(root, "atol"), &t.atol))
        t.atol = -1;
    bool same = view_compare(&x->view, &reference, t, text, sizeof text);
    if (!same)
        snprintf(a->text, a->text_size, changes ? "differs: %s%s" : "differs: %s%s (it should be unchanged)", x->name,
                 text);
    tensor_free(&reference);
    return same ? EXIT_GOOD : EXIT_DIFFERS;
}

int case_compare(struct case_args *a, const struct json *root)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < a->count && !code; i++) {
        const struct case_array *x = &a->arrays[i];
        /* An array that shares memory changes when the other does; the other says what is right. */
        bool skipped = is_uninitialised(root, x->name) || (x->shared && !json_get(x->spec, "out"));
        if (!skipped)
            code = compare_array(a, root, x);
    }
    return code;
}

void case_args_release(struct case_args *a)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!a->arrays[i].shared)
            free(a->arrays[i].memory);
        tensor_free(&a->arrays[i].original);
    }
    sdfg_args_free(a->args);
    a->args = NULL;
    a->count = 0;
}
