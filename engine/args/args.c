#include "engine/args/args.h"

#include "base/sized.h"
#include "engine/args/stream.h"
#include "engine/call/device.h"
#include "engine/call/recent.h"
#include "engine/program/workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Giving values to names. What is given is checked by the call (engine/args/layout.c). */

sdfg_error *sdfg_args_new(sdfg_args **out, sdfg_program *p)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(p);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct arena *scratch = arena_new();
    sdfg_args *a = calloc(1, sizeof *a);
    struct symbol_value *values = calloc(p->num_variables + 1, sizeof *values);
    struct argument_entry **given = calloc(p->num_arguments + 1, sizeof *given);
    struct sdfg_rt_block *blocks = calloc(p->workspaces.count + 1, sizeof *blocks);
    struct recent *recent = calloc(1, sizeof *recent);
    if (!a || !values || !given || !blocks || !recent) {
        free(a);
        free(values);
        free(given);
        free(blocks);
        free(recent);
        arena_free(scratch);
        return error_memory(SDFG_STAGE_BIND);
    }
    program_hold(p);
    a->program = p;
    a->scratch = scratch;
    a->values = values;
    a->given = given;
    a->blocks = blocks;
    a->recent = recent;
    workspace_reset(a);
    *out = a;
    return NULL;
}

void sdfg_args_clear(sdfg_args *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->num_entries; i++) {
        free(a->entries[i]->name);
        free(a->entries[i]->text);
        free(a->entries[i]);
    }
    a->num_entries = 0;
    a->num_threads = 0;
    a->num_after = 0;
    a->settled = a->disjoint = a->has_communicator = false;
    memset(a->given, 0, a->program->num_arguments * sizeof *a->given);
    memset(a->values, 0, a->program->num_variables * sizeof *a->values);
    workspace_reset(a);
}

void sdfg_args_free(sdfg_args *a)
{
    if (!a)
        return;
    sdfg_args_clear(a);
    recent_release(a->recent);
    free(a->recent);
    arena_free(a->scratch);
    free(a->entries);
    free(a->after);
    free(a->values);
    free(a->given);
    free(a->blocks);
    program_let_go(a->program);
    free(a);
}

struct report args_report(struct sdfg_args *a)
{
    arena_reset(a->scratch);
    return report_in(a->scratch);
}

/* The entry behind the one found before, most often. */
static struct argument_entry *find_given(struct sdfg_args *a, const char *name)
{
    for (size_t n = 0; n < a->num_entries; n++) {
        size_t i = (a->expected < a->num_entries ? a->expected : 0) + n;
        i -= i < a->num_entries ? 0 : a->num_entries;
        if (strcmp(a->entries[i]->name, name))
            continue;
        a->expected = i + 1;
        return a->entries[i];
    }
    return NULL;
}

const struct argument_entry *args_find_name(const struct sdfg_args *a, const char *name)
{
    for (size_t i = 0; i < a->num_entries; i++)
        if (!strcmp(a->entries[i]->name, name))
            return a->entries[i];
    return NULL;
}

static bool grow(struct sdfg_args *a)
{
    if (a->num_entries < a->capacity)
        return true;
    size_t capacity = a->capacity ? 2 * a->capacity : 16;
    struct argument_entry **entries = realloc(a->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    a->entries = entries;
    a->capacity = capacity;
    return true;
}

static uint32_t argument_of(const struct sdfg_program *p, const char *name)
{
    size_t length = strcspn(name, ".[");
    uint32_t i = 0;
    while (strncmp(p->arguments[i].name, name, length) || p->arguments[i].name[length])
        i++; /* it is there: a leaf was found */
    return i;
}

/* The entry of a name, new (of kind ENTRY_ARRAY, with no element type) or as it was; NULL with the reason recorded. */
static struct argument_entry *entry_for(struct sdfg_args *a, const char *name, struct diags *d)
{
    struct argument_entry *e = find_given(a, name);
    if (!e) {
        const struct leaf *l = program_find(a->program, name, d);
        if (!l)
            return NULL;
        e = grow(a) ? calloc(1, sizeof *e) : NULL;
        if (!e || !(e->name = strdup(name))) {
            free(e);
            fatal_memory();
        }
        e->leaf = l;
        e->argument = argument_of(a->program, name);
        if (l == &a->program->arguments[e->argument])
            a->given[e->argument] = e;
        a->entries[a->num_entries++] = e;
    }
    return e;
}

/* What is wrong with it, or NULL. */
static const char *array_fault(const sdfg_array *array)
{
    if (array->rank < 0 || array->rank > SDFG_MAX_RANK)
        return "the rank is not within 0 and 32";
    if (array->dtype <= SDFG_NONE || array->dtype > SDFG_RECORD)
        return "the element type is not one of sdfg_dtype";
    int64_t item = (int64_t)(array->dtype == SDFG_RECORD ? array->item_bytes : sdfg_dtype_size(array->dtype));
    int64_t bytes = item, below = 0, behind = 0; /* to the elements farthest from the first one, in both directions */
    for (int i = 0; i < array->rank; i++) {
        int64_t size = array->shape[i], reach = 0;
        if (size < 0)
            return "a dimension is negative";
        if (size && __builtin_mul_overflow(bytes, size, &bytes))
            return "the number of bytes does not fit into 64 bits";
        if (array->strides && size > 1 &&
            (__builtin_mul_overflow(array->strides[i], item, &reach) ||
             __builtin_mul_overflow(reach, size - 1, &reach) ||
             __builtin_add_overflow(reach < 0 ? below : behind, reach, reach < 0 ? &below : &behind)))
            return "the strides lead farther than 64 bits can count";
    }
    return NULL;
}

/* An entry is about to get another value. */
static void begin_entry(struct sdfg_args *a, struct argument_entry *e)
{
    if (e->text)
        free(e->text);
    e->text = NULL;
    a->settled = false;
}

/* Does the array only lie at another address than the one given before? */
static bool lies_alike(const struct argument_entry *e, const sdfg_array *array)
{
    const sdfg_array *old = &e->array;
    bool alike = e->kind == ENTRY_ARRAY && !leaf_is_value(e->leaf) && old->dtype == array->dtype &&
                 old->rank == array->rank && old->item_bytes == array->item_bytes && !old->strides == !array->strides;
    for (int i = 0; i < array->rank && alike; i++)
        alike = old->shape[i] == array->shape[i] && (!array->strides || e->strides[i] == array->strides[i]);
    return alike;
}

static void give_array(struct sdfg_args *a, struct argument_entry *e, const sdfg_array *array)
{
    bool settled = a->settled && lies_alike(e, array);
    begin_entry(a, e);
    a->settled = settled;
    e->kind = ENTRY_ARRAY;
    e->array.data = array->data;
    e->array.dtype = array->dtype;
    e->array.rank = array->rank;
    e->array.item_bytes = array->item_bytes;
    e->array.device = array->device;
    e->array.strides = array->strides ? e->strides : NULL;
    for (int i = 0; i < array->rank; i++) { /* most of the room is not used */
        e->array.shape[i] = array->shape[i];
        e->strides[i] = array->strides ? array->strides[i] : 0;
        if (!array->data && !array->shape[i])
            e->array.data = e; /* nothing is read or written, but it is not the null of an optional array */
    }
}

/* Memory that the host can use is good everywhere, that of CUDA devices for whole arrays of programs that run there. */
static sdfg_error *misplaced(const sdfg_args *a, const char *name, const sdfg_device *d)
{
    char text[80];
    bool on_gpu = a->program->engine->cuda_device >= 0;
    if (d->kind == SDFG_DEVICE_CUDA_HOST || d->kind == SDFG_DEVICE_CUDA_MANAGED)
        return NULL;
    if (d->kind == SDFG_DEVICE_CUDA && on_gpu) {
        const struct leaf *l = program_lookup(a->program, name);
        return l && leaf_is_value(l) ? error_of(SDFG_STAGE_BIND, DIAG_ARGUMENT_DEVICE_PART, name) : NULL;
    }
    device_print(d, text, sizeof text);
    return error_of(SDFG_STAGE_BIND, DIAG_ARGUMENT_DEVICE, name, text, on_gpu ? "a GPU" : "the CPU");
}

/* The array for a name that had none before, unless there is a fault. */
static sdfg_error *first_array(sdfg_args *a, const char *name, const sdfg_array *array, const char *fault)
{
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct argument_entry *e = NULL;
    if (fault)
        diag_error(r.diags, NULL, DIAG_ARGUMENT_SHAPE, name, fault);
    else
        e = entry_for(a, name, r.diags);
    if (e)
        give_array(a, e, array);
    return report_end(&r, SDFG_STAGE_BIND);
}

struct argument_entry *args_give_again(sdfg_args *a, const char *name, const sdfg_array *array)
{
    bool plain = array->device.kind <= SDFG_DEVICE_CPU && !array_fault(array);
    struct argument_entry *given = plain ? find_given(a, name) : NULL;
    if (given)
        give_array(a, given, array);
    return given;
}

/* `array` is as long as this version of the library has it. */
static sdfg_error *take_array(sdfg_args *a, const char *name, const sdfg_array *array)
{
    sdfg_error *wrong = NULL;
    if (__builtin_expect(array->device.kind > SDFG_DEVICE_CPU, 0))
        wrong = misplaced(a, name, &array->device);
    if (wrong)
        return wrong;
    const char *fault = array_fault(array);
    struct argument_entry *given = fault ? NULL : find_given(a, name);
    if (!given)
        return first_array(a, name, array, fault);
    give_array(a, given, array); /* without the cost of a report */
    return NULL;
}

__attribute__((cold, noinline)) static sdfg_error *take_sized(sdfg_args *a, const char *name, const sdfg_array *array)
{
    sdfg_array own = SDFG_ARRAY_INIT;
    const char *wrong = sized_take(&own, sizeof own, array);
    return wrong ? error_of(SDFG_STAGE_BIND, DIAG_STRUCT_SIZE, "sdfg_array", wrong) : take_array(a, name, &own);
}

sdfg_error *sdfg_args_array(sdfg_args *a, const char *name, const sdfg_array *array)
{
    NEEDS(a);
    NEEDS(name);
    NEEDS(array);
    return array->struct_size == sizeof *array ? take_array(a, name, array) : take_sized(a, name, array);
}

sdfg_error *sdfg_args_pointer(sdfg_args *a, const char *name, void *data)
{
    NEEDS(a);
    NEEDS(name);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct argument_entry *e = entry_for(a, name, r.diags);
    if (e) {
        begin_entry(a, e);
        e->kind = data ? ENTRY_POINTER : ENTRY_NULL;
        e->array = (sdfg_array){ .data = data };
    }
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_null(sdfg_args *a, const char *name) { return sdfg_args_pointer(a, name, NULL); }

static void give_scalar(struct sdfg_args *a, struct argument_entry *e, struct scalar value)
{
    bool settled = a->settled;
    begin_entry(a, e);
    a->settled = settled && e->leaf->variable < 0 && e->kind == ENTRY_SCALAR;
    e->kind = ENTRY_SCALAR;
    e->scalar = value;
}

static sdfg_error *set_scalar(sdfg_args *a, const char *name, struct scalar value)
{
    NEEDS(a);
    NEEDS(name);
    struct argument_entry *given = find_given(a, name);
    if (given) { /* without the cost of a report */
        give_scalar(a, given, value);
        return NULL;
    }
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct argument_entry *e = entry_for(a, name, r.diags);
    if (e)
        give_scalar(a, e, value);
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_i64(sdfg_args *a, const char *name, int64_t value)
{
    return set_scalar(a, name, (struct scalar){ .dtype = SDFG_I64, .i = value });
}

sdfg_error *sdfg_args_f64(sdfg_args *a, const char *name, double value)
{
    return set_scalar(a, name, (struct scalar){ .dtype = SDFG_F64, .f = { value, 0 } });
}

sdfg_error *sdfg_args_complex(sdfg_args *a, const char *name, double re, double im)
{
    return set_scalar(a, name, (struct scalar){ .dtype = SDFG_C128, .f = { re, im } });
}

sdfg_error *sdfg_args_scalar(sdfg_args *a, const char *name, sdfg_dtype dtype, const void *value)
{
    NEEDS(a);
    NEEDS(name);
    NEEDS(value);
    if (sdfg_dtype_size(dtype))
        return set_scalar(a, name, scalar_load(dtype, value));
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    diag_error(r.diags, NULL, DIAG_ARGUMENT_SHAPE, name, "a single value needs a basic element type");
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_string(sdfg_args *a, const char *name, const char *text)
{
    NEEDS(a);
    NEEDS(name);
    NEEDS(text);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct argument_entry *e = entry_for(a, name, r.diags);
    char *copy = e ? strdup(text) : NULL;
    if (e && !copy)
        fatal_memory(); /* what was given before stays */
    if (e) {
        begin_entry(a, e);
        e->kind = ENTRY_STRING;
        e->text = copy;
    }
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_stream(sdfg_args *a, const char *name, sdfg_stream *s)
{
    NEEDS(a);
    NEEDS(name);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct argument_entry *e = entry_for(a, name, r.diags);
    if (e) {
        begin_entry(a, e);
        e->kind = s ? ENTRY_STREAM : ENTRY_NULL;
        e->stream = s;
        e->array = (sdfg_array){ .data = s ? s->queues : NULL, .rank = 1, .shape = { s ? (int64_t)s->num_queues : 0 } };
    }
    return report_end(&r, SDFG_STAGE_BIND);
}
