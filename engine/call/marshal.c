#include "engine/call/call.h"

#include <string.h>

/* From names to the addresses a kernel takes. Structures are built here: scalars are values, everything else a pointer.
 */

static bool missing(const struct leaf *l, const char *name, struct diags *d)
{
    return diag_error(d, l->place, DIAG_ARGUMENT_MISSING, name, l->type_text);
}

static void *memory_of(struct call *c, const struct leaf *l, const char *name, bool *ok, struct diags *d);

/* ---- single values ---- */

/* The value of an entry or of a solved symbol, as `dtype`. */
static bool store_value(const struct call *c, const struct leaf *l, const char *name, sdfg_dtype dtype, void *to,
                        struct diags *d)
{
    const struct argument_entry *e = args_find(c->source, l, name);
    struct scalar value;
    if (e && e->kind == ENTRY_SCALAR)
        value = e->scalar;
    else if (e && e->kind == ENTRY_ARRAY)
        value = scalar_load(e->array.dtype, e->array.data);
    else if (l->variable >= 0 && c->values[l->variable].origin != VALUE_UNKNOWN)
        value = (struct scalar){ .dtype = SDFG_I64, .i = c->values[l->variable].value };
    else if (l->kind == SDFG_KIND_SYMBOL && l->optional)
        value = (struct scalar){ .dtype = SDFG_I64 }; /* nothing depends on it */
    else
        return missing(l, name, d);
    if (scalar_store(&value, dtype, to))
        return true;
    char text[80];
    scalar_print(&value, text, sizeof text);
    return diag_error(d, l->place, DIAG_ARGUMENT_VALUE, text, name, sdfg_dtype_name(dtype));
}

/* A text is no function: its characters would be called. */
static bool takes_text(const struct leaf *l) { return !l->type || l->type->kind != TYPE_CALLBACK; }

/* Texts and untyped pointers. */
static bool store_pointer(const struct call *c, const struct leaf *l, const char *name, void *to, struct diags *d)
{
    const struct argument_entry *e = args_find(c->source, l, name);
    void *p = NULL;
    if (!e)
        return missing(l, name, d);
    if (e->kind == ENTRY_STRING && !takes_text(l))
        return diag_error(d, l->place, DIAG_ARGUMENT_TEXT, name, l->type_text);
    if (e->kind == ENTRY_STRING)
        p = arena_strdup(c->arena, e->text);
    else if (e->kind == ENTRY_POINTER)
        p = e->array.data;
    else if (e->kind != ENTRY_NULL)
        return diag_error(d, l->place, DIAG_ARGUMENT_TYPE, l->type_text, name);
    if (!p && l->type && l->type->kind == TYPE_CALLBACK)
        return diag_error(d, l->place, DIAG_ARGUMENT_NULL, name);
    memcpy(to, &p, sizeof p);
    return true;
}

/* ---- structures ---- */

static bool store_member(struct call *c, const struct leaf *m, const char *name, void *to, struct diags *d)
{
    bool ok = true;
    if (m->kind != SDFG_KIND_SCALAR) {
        void *p = memory_of(c, m, name, &ok, d);
        memcpy(to, &p, sizeof p);
        return ok;
    }
    if (!sdfg_dtype_size(m->dtype) || m->lanes != 1)
        return store_pointer(c, m, name, to, d);
    if (!store_value(c, m, name, m->dtype, to, d))
        return false;
    const struct argument_entry *e = args_find(c->source, m, name);
    if (e && e->kind == ENTRY_ARRAY && e->array.dtype == m->dtype)
        vec_push(c->arena, &c->members, ((struct shared_member){ e->array.data, to, m->item_bytes }));
    return true;
}

static void *structure_of(struct call *c, const struct leaf *l, const char *name, bool *ok, struct diags *d)
{
    unsigned char *memory = arena_alloc(c->arena, l->memory_size);
    for (uint32_t i = 0; i < l->num_members; i++) {
        const struct leaf *m = &l->members[i];
        const char *member = arena_printf(c->arena, "%s.%s", name, m->name);
        *ok &= m->placed ? store_member(c, m, member, memory + m->offset, d)
                         : diag_error(d, m->place, DIAG_ARGUMENT_TYPE, m->type_text, member);
    }
    return memory;
}

static void *container_array_of(struct call *c, const struct leaf *l, const char *name, bool *ok, struct diags *d)
{
    enum { MOST = 1 << 20 };
    const struct sdfg_program *p = c->source->program;
    int64_t count = 1, size;
    for (uint32_t i = 0; i < l->rank; i++) {
        bool known = form_value(&l->shape[i], p->variables, c->values, &size);
        if (!known) {
            *ok = diag_error(d, l->place, DIAG_SHAPE_UNKNOWN, name, leaf_shape_text(l, c->arena));
            return NULL;
        }
        if (size < 0 || size > MOST || count * size > MOST) {
            *ok = diag_error(d, l->place, DIAG_ARGUMENT_SHAPE, name,
                             "a container array has up to 1048576 elements, each given by name");
            return NULL;
        }
        count *= size;
    }
    void **elements = NEW_ARRAY(c->arena, void *, count);
    for (int64_t i = 0; i < count; i++)
        elements[i] = memory_of(c, l->members, arena_printf(c->arena, "%s[%lld]", name, (long long)i), ok, d);
    return elements;
}

/* The address passed for anything that is not a single value; `e` is what was given for it, or NULL. */
static void *memory_given(struct call *c, const struct leaf *l, const char *name, const struct argument_entry *e,
                          bool *ok, struct diags *d)
{
    if (e && e->on_device && strpbrk(name, ".["))
        *ok = diag_error(d, l->place, DIAG_ARGUMENT_DEVICE_PART, name);
    if (e)
        return e->array.data;
    if (l->kind == SDFG_KIND_STRUCTURE)
        return structure_of(c, l, name, ok, d);
    if (l->kind == SDFG_KIND_CONTAINER_ARRAY && l->num_members == 1)
        return container_array_of(c, l, name, ok, d);
    *ok = missing(l, name, d);
    return NULL;
}

static void *memory_of(struct call *c, const struct leaf *l, const char *name, bool *ok, struct diags *d)
{
    return memory_given(c, l, name, args_find(c->source, l, name), ok, d);
}

/* ---- parameters ---- */

static bool marshal_param(struct call *c, uint32_t i, struct diags *d)
{
    const sdfg_param *param = &c->kernel->params[i];
    const struct leaf *l = c->kernel->takes[i].leaf;
    bool ok = true;
    if (!l)
        return program_find(c->source->program, param->name, d) != NULL;
    if (!leaf_is_value(l)) {
        const struct argument_entry *e = args_find(c->source, l, param->name);
        c->args[i] = memory_given(c, l, param->name, e, &ok, d);
        return ok && (!e || !e->on_device || !c->kernel->code.params[i].host_code || shadow_add(c, i, e, d));
    }
    c->by_slot[c->num_by_slot++] = i;
    c->args[i] = c->slots[i].bytes;
    sdfg_dtype dtype = c->kernel->takes[i].dtype;
    return dtype == SDFG_NONE ? store_pointer(c, l, param->name, c->slots[i].bytes, d)
                              : store_value(c, l, param->name, dtype, c->slots[i].bytes, d);
}

bool call_marshal(struct call *c, struct diags *d)
{
    uint32_t n = c->kernel->code.num_params;
    bool ok = true;
    c->args = NEW_ARRAY(c->arena, void *, n);
    c->by_slot = NEW_ARRAY(c->arena, uint32_t, n);
    c->num_by_slot = 0;
    c->slots = NEW_ARRAY(c->arena, struct slot, n);
    for (uint32_t i = 0; i < n; i++)
        ok &= marshal_param(c, i, d);
    return ok;
}
