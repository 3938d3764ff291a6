#include "engine/args/args.h"

#include "base/vec.h"
#include "engine/args/stream.h"

#include <string.h>

/* Does what was given fit the descriptors: kinds, element types, ranks, and once the symbols are known, strides and the
 * rest. */

const char *leaf_shape_text(const struct leaf *l, struct arena *a)
{
    struct text t = text_new(a);
    for (uint32_t i = 0; i < l->rank; i++)
        text_printf(&t, "%s%s", i ? ", " : "", l->shape[i].text);
    return text_get(&t);
}

static const char *what_is(const struct leaf *l)
{
    static const char *const names[] = { "an array",    "a scalar",          "a symbol",
                                         "a structure", "a container array", "something that cannot be passed",
                                         "a stream" };
    if (l->type && l->type->kind == TYPE_CALLBACK)
        return "a function";
    return l->type && l->type->kind == TYPE_STRING ? "a text" : names[l->kind];
}

static const char *what_was_given(const struct argument_entry *e)
{
    static const char *const names[] = { "an array", "a pointer", "null", "a single value", "a text", "a stream" };
    return names[e->kind];
}

/* ---- arrays ---- */

/* Element type and size; single values are converted, so any basic type will do for them. */
static bool check_dtype(const struct argument_entry *e, struct diags *d)
{
    const struct leaf *l = e->leaf;
    const sdfg_array *a = &e->array;
    if (leaf_is_value(l) && l->dtype != SDFG_NONE && l->dtype != SDFG_RECORD && a->dtype != SDFG_RECORD)
        return true;
    if (l->dtype == SDFG_RECORD && a->dtype == SDFG_RECORD && a->item_bytes == l->item_bytes)
        return true;
    if (l->dtype == a->dtype && l->dtype != SDFG_RECORD && l->dtype != SDFG_NONE)
        return true;
    return diag_error(d, l->place, DIAG_ARGUMENT_DTYPE, e->name, l->type_text, sdfg_dtype_name(a->dtype));
}

/* An array of the base type of a vector container: the lanes are the last dimension, or the fastest part of it. */
static bool fold_lanes(const struct leaf *l, struct layout *out)
{
    int64_t lanes = l->lanes;
    if (lanes <= 1 && out->rank == l->rank)
        return true;
    if (!out->rank || out->strides[out->rank - 1] != 1)
        return false;
    uint32_t last = out->rank - 1;
    if (out->rank == l->rank + 1 && out->shape[last] == lanes)
        out->rank--;
    else if (out->rank == l->rank && out->shape[last] % lanes == 0)
        out->shape[last] /= lanes;
    else
        return false;
    for (uint32_t i = 0; i < last; i++) {
        if (out->strides[i] % lanes)
            return false;
        out->strides[i] /= lanes;
    }
    return true;
}

/* The layout of an array in elements of its container; false (recorded) if type or rank do not fit. */
static bool lay_out(const struct argument_entry *e, struct layout *out, struct diags *d)
{
    const struct leaf *l = e->leaf;
    const sdfg_array *a = &e->array;
    if (!check_dtype(e, d))
        return false;
    out->rank = (uint32_t)a->rank;
    int64_t packed = 1;
    for (int i = a->rank - 1; i >= 0; i--) {
        out->shape[i] = a->shape[i];
        out->strides[i] = a->strides ? a->strides[i] : packed;
        packed *= a->shape[i];
    }
    if (a->rank == 0 && l->lanes <= 1) { /* one element, whatever the rank */
        for (uint32_t i = 0; i < l->rank; i++)
            out->shape[i] = out->strides[i] = 1;
        out->rank = l->rank;
    }
    if (leaf_is_value(l) || (fold_lanes(l, out) && out->rank == l->rank))
        return true;
    if (l->lanes > 1 && (out->rank == l->rank || out->rank == l->rank + 1))
        return diag_error(d, l->place, DIAG_ARGUMENT_SHAPE, e->name,
                          "its last dimension must hold whole vectors, packed");
    struct arena *texts = arena_new();
    diag_error(d, l->place, DIAG_ARGUMENT_RANK, e->name, a->rank, l->rank, leaf_shape_text(l, texts));
    arena_free(texts);
    return false;
}

static void measure_array(struct argument_entry *e)
{
    const sdfg_array *a = &e->array;
    size_t size = a->dtype == SDFG_RECORD ? a->item_bytes : sdfg_dtype_size(a->dtype);
    int64_t item = (int64_t)size, packed = 1, low = 0, high = 0;
    for (int i = a->rank - 1; i >= 0; i--) {
        if (!a->shape[i])
            return;
        int64_t span = (a->shape[i] - 1) * (a->strides ? a->strides[i] : packed);
        *(span < 0 ? &low : &high) += span;
        packed *= a->shape[i];
    }
    e->begin = low * item;
    e->end = (high + 1) * item;
    const struct type *t = e->leaf->type;
    if (t && t->kind == TYPE_VECTOR)
        t = t->elem; /* numpy arrays of the base type are good enough */
    if (t && t->align)
        e->alignment = t->align;
}

void entry_measure(struct argument_entry *e, const struct sdfg_program *p, const struct symbol_value *values)
{
    e->has_extent = (e->kind == ENTRY_ARRAY || e->kind == ENTRY_POINTER) && !leaf_is_value(e->leaf);
    e->begin = e->end = 0;
    e->alignment = 1;
    if (!e->has_extent)
        return;
    if (e->kind == ENTRY_ARRAY) {
        measure_array(e);
        return;
    }
    int64_t elements = 1;
    if (e->leaf->total_size.text)
        form_value(&e->leaf->total_size, p->variables, values, &elements);
    if (__builtin_mul_overflow(elements, (int64_t)e->leaf->item_bytes, &e->end))
        e->end = INT64_MAX; /* refused when the symbols are checked */
}

/* ---- solving ---- */

struct equations {
    struct arena *arena;
    VEC(struct equation) list;
};

static void add_equations(struct equations *q, const struct argument_entry *e, const struct layout *y)
{
    bool empty = false;
    for (uint32_t i = 0; i < y->rank; i++) {
        struct equation shape = { e->name, i, &e->leaf->shape[i], y->shape[i], false };
        vec_push(q->arena, &q->list, shape);
        empty |= y->shape[i] == 0;
    }
    /* The stride of a dimension that is never stepped through says nothing. */
    for (uint32_t i = 0; e->leaf->strides && !empty && i < y->rank; i++)
        if (y->shape[i] > 1) {
            struct equation stride = { e->name, i, &e->leaf->strides[i], y->strides[i], true };
            vec_push(q->arena, &q->list, stride);
        }
}

static bool value_fits(const struct argument_entry *e, const struct scalar *value, struct diags *d)
{
    char text[80];
    uint64_t memory[2];
    if (e->leaf->dtype != SDFG_NONE && e->leaf->dtype != SDFG_RECORD && scalar_store(value, e->leaf->dtype, memory))
        return true;
    scalar_print(value, text, sizeof text);
    return diag_error(d, e->leaf->place, DIAG_ARGUMENT_VALUE, text, e->name, e->leaf->type_text);
}

/* What a value called `name` is to expressions, if it is an integer. A symbol may be given by its own name and as a
 * member of structures. */
static bool take_symbol(const struct sdfg_args *a, const struct leaf *l, const char *name, const struct scalar *value,
                        struct diags *d)
{
    int64_t i;
    if (l->variable < 0 || !scalar_integer(value, &i))
        return true;
    struct symbol_value *v = &a->values[l->variable];
    if (v->origin == VALUE_GIVEN && v->value != i)
        return diag_error(d, l->place, DIAG_SYMBOL_CONFLICT, a->program->variables[l->variable].name,
                          (long long)v->value, "another given value", (long long)i, name);
    *v = (struct symbol_value){ .origin = VALUE_GIVEN, .value = i };
    return true;
}

static bool take_value(const struct sdfg_args *a, const struct argument_entry *e, const struct scalar *value,
                       struct diags *d)
{
    return value_fits(e, value, d) && take_symbol(a, e->leaf, e->name, value, d);
}

/* Members of a structure in memory that are symbols. Nested structures are pointers. */
static bool take_members(const struct sdfg_args *a, const struct leaf *l, const unsigned char *memory, struct diags *d)
{
    bool ok = true;
    for (uint32_t i = 0; memory && i < l->num_members; i++) {
        const struct leaf *m = &l->members[i];
        const unsigned char *inner;
        if (!m->placed)
            continue;
        if (m->kind == SDFG_KIND_STRUCTURE) {
            memcpy(&inner, memory + m->offset, sizeof inner);
            ok &= take_members(a, m, inner, d);
        } else if (m->kind == SDFG_KIND_SCALAR && m->variable >= 0) {
            struct scalar value = scalar_load(m->dtype, memory + m->offset);
            ok &= take_symbol(a, m, m->name, &value, d);
        }
    }
    return ok;
}

static bool take_entry(const struct sdfg_args *a, struct equations *q, struct argument_entry *e, struct diags *d)
{
    const struct leaf *l = e->leaf;
    e->laid_out = false;
    bool value = leaf_is_value(l);
    bool is_text = value && l->dtype == SDFG_NONE;
    bool fits = e->kind == ENTRY_ARRAY    ? l->kind == SDFG_KIND_ARRAY || (value && e->array.rank <= 1)
                : e->kind == ENTRY_SCALAR ? value && !is_text
                : e->kind == ENTRY_STRING ? is_text
                : e->kind == ENTRY_STREAM ? l->kind == SDFG_KIND_STREAM
                : e->kind == ENTRY_NULL
                    ? !value || is_text
                    : l->kind != SDFG_KIND_OTHER && l->kind != SDFG_KIND_STREAM && (!value || is_text);
    if (!fits)
        return diag_error(d, l->place, DIAG_ARGUMENT_KIND, e->name, what_is(l), what_was_given(e));
    if (e->kind == ENTRY_SCALAR)
        return take_value(a, e, &e->scalar, d);
    if (e->kind == ENTRY_POINTER && l->kind == SDFG_KIND_STRUCTURE)
        return take_members(a, l, e->array.data, d);
    if (e->kind != ENTRY_ARRAY)
        return true;
    e->laid_out = lay_out(e, &e->layout, d);
    if (!e->laid_out)
        return false;
    if (!value) {
        add_equations(q, e, &e->layout);
        return true;
    }
    if (e->array.rank == 1 && e->array.shape[0] != 1)
        return diag_error(d, l->place, DIAG_ARGUMENT_KIND, e->name, what_is(l), what_was_given(e));
    if (!e->array.data)
        return diag_error(d, l->place, DIAG_ARGUMENT_NULL, e->name);
    struct scalar s = scalar_load(e->array.dtype, e->array.data);
    return take_value(a, e, &s, d);
}

bool args_solve(struct sdfg_args *a, struct arena *arena, struct solver *s, struct diags *d)
{
    const struct sdfg_program *p = a->program;
    struct equations q = { .arena = arena };
    bool ok = true;
    for (size_t i = 0; i < a->num_entries; i++)
        q.list.capacity += a->entries[i]->kind == ENTRY_ARRAY ? 2 * a->entries[i]->leaf->rank : 0;
    q.list.items = NEW_ARRAY(arena, struct equation, q.list.capacity);
    memset(a->values, 0, p->num_variables * sizeof *a->values);
    for (size_t i = 0; i < a->num_entries; i++)
        ok &= take_entry(a, &q, a->entries[i], d);
    *s = (struct solver){
        .arena = arena,
        .variables = p->variables,
        .num_variables = p->num_variables,
        .values = a->values,
        .equations = q.list.items,
        .num_equations = q.list.count,
    };
    ok &= solve(s, d);
    for (size_t i = 0; i < a->num_entries; i++)
        entry_measure(a->entries[i], p, a->values);
    return ok;
}

/* ---- checks with all symbols known ---- */

static bool report_strides(const struct argument_entry *e, const struct solver *s, const struct layout *y,
                           struct diags *d)
{
    const struct leaf *l = e->leaf;
    struct text actual = text_new(s->arena), expected = text_new(s->arena);
    for (uint32_t i = 0; i < y->rank; i++) {
        int64_t stride;
        bool known = form_value(&l->strides[i], s->variables, s->values, &stride);
        const char *comma = i ? ", " : "";
        text_printf(&actual, "%s%lld", comma, (long long)y->strides[i]);
        if (!known || !l->strides[i].num_names)
            text_printf(&expected, "%s%s", comma, l->strides[i].text);
        else
            text_printf(&expected, "%s%s = %lld", comma, l->strides[i].text, (long long)stride);
    }
    return diag_error(d, l->place, DIAG_ARGUMENT_STRIDES, e->name, text_get(&actual), text_get(&expected));
}

static bool check_strides(const struct argument_entry *e, const struct solver *s, struct diags *d)
{
    const struct leaf *l = e->leaf;
    const struct layout *y = &e->layout;
    if (!l->strides || !l->rank || !e->laid_out)
        return true;
    bool same = true;
    for (uint32_t i = 0; i < y->rank; i++) {
        int64_t stride;
        bool known = form_value(&l->strides[i], s->variables, s->values, &stride);
        if (y->shape[i] == 0)
            return true;
        same &= !known || y->shape[i] == 1 || stride == y->strides[i];
    }
    return same || report_strides(e, s, y, d);
}

static bool check_data(const struct argument_entry *e, struct diags *d)
{
    if (e->kind != ENTRY_ARRAY || !e->has_extent || entry_has_data(e))
        return true;
    if (!e->array.data)
        return diag_error(d, e->leaf->place, DIAG_ARGUMENT_NULL, e->name);
    return diag_error(d, e->leaf->place, DIAG_ARGUMENT_ALIGNMENT, e->name, (unsigned)e->alignment);
}

/* As many queues as the program has, for elements of its size. */
static bool check_stream(const struct argument_entry *e, const struct solver *s, struct diags *d)
{
    const struct leaf *l = e->leaf;
    int64_t queues;
    if (e->stream->item_bytes != l->item_bytes)
        return diag_error(d, l->place, DIAG_ARGUMENT_STREAM_ITEM, e->name, l->type_text, (unsigned)l->item_bytes,
                          (unsigned)e->stream->item_bytes);
    if (!l->total_size.text || !form_value(&l->total_size, s->variables, s->values, &queues))
        return true; /* what is missing is said elsewhere */
    return (uint64_t)queues == e->stream->num_queues ||
           diag_error(d, l->place, DIAG_ARGUMENT_STREAM_QUEUES, e->name, (long long)queues, l->total_size.text,
                      (unsigned)e->stream->num_queues);
}

/* `name` may be given as a whole (pointer, null) or through its members. */
static bool check_given(const struct sdfg_args *a, const struct leaf *l, struct arena *arena, const char *name,
                        struct diags *d)
{
    if (args_find(a, l, name))
        return true;
    bool ok = true;
    if (l->kind == SDFG_KIND_STRUCTURE) {
        for (uint32_t i = 0; i < l->num_members; i++)
            ok &= check_given(a, &l->members[i], arena, arena_printf(arena, "%s.%s", name, l->members[i].name), d);
        return ok;
    }
    if (l->kind == SDFG_KIND_CONTAINER_ARRAY || (l->kind == SDFG_KIND_SYMBOL && (l->variable >= 0 || l->optional)) ||
        (l->variable >= 0 && a->values[l->variable].origin != VALUE_UNKNOWN))
        return true;
    return diag_error(d, l->place, DIAG_ARGUMENT_MISSING, name, l->type_text);
}

bool args_check_data(const struct sdfg_args *a, struct diags *d)
{
    bool ok = true;
    for (size_t i = 0; i < a->num_entries; i++)
        ok &= check_data(a->entries[i], d);
    return ok;
}

bool args_check(const struct sdfg_args *a, const struct solver *s, struct diags *d)
{
    const struct sdfg_program *p = a->program;
    bool ok = true;
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        if (e->kind == ENTRY_ARRAY)
            ok &= check_strides(e, s, d) & check_data(e, d);
        if (e->kind == ENTRY_STREAM)
            ok &= check_stream(e, s, d);
        if (e->kind == ENTRY_NULL && !leaf_is_value(e->leaf) && !e->leaf->optional)
            ok = diag_error(d, e->leaf->place, DIAG_ARGUMENT_NULL, e->name);
    }
    for (uint32_t i = 0; i < p->num_arguments; i++)
        ok &= check_given(a, &p->arguments[i], s->arena, p->arguments[i].name, d);
    return solve_complete(s, d) && ok;
}
