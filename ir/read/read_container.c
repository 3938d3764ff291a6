#include "ir/read/read.h"

#include <string.h>

static const struct {
    const char *name;
    enum container_kind kind;
} kinds[] = {
#define CONTAINER(K, json) { json, CONTAINER_##K },
#include "ir/containers.def"
#undef CONTAINER
    /* older names (format.md 8.2), and an array whose extra attribute matters to differentiation only */
    { "View", CONTAINER_VIEW },
    { "Reference", CONTAINER_REFERENCE },
    { "StructArray", CONTAINER_CONTAINER_ARRAY },
    { "ParameterArray", CONTAINER_ARRAY },
};

static enum container_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    return CONTAINER_UNKNOWN;
}

static bool holds_containers(enum container_kind kind)
{
    return kind == CONTAINER_CONTAINER_ARRAY || kind == CONTAINER_CONTAINER_VIEW ||
           kind == CONTAINER_CONTAINER_REFERENCE;
}

static bool is_distributed(enum container_kind kind)
{
    return kind == CONTAINER_PROCESS_GRID || kind == CONTAINER_SUB_ARRAY || kind == CONTAINER_REDISTR_ARRAY;
}

/* ---- shapes ---- */

static void check_literal(struct reader *r, const struct container *c, const char *key, const struct sym *s)
{
    if (s->op == SYM_INT && s->i < 0)
        diag_error(r->ir->diags, &c->place, DIAG_READ_NEGATIVE, key, (long long)s->i);
}

/* The entries of a list of symbolic texts; a list that is empty or missing gives NULL and 0. */
static const struct sym **read_list(struct reader *r, const struct container *c, const struct json *attributes,
                                    const char *key, uint32_t *count)
{
    const struct json *list = json_get(attributes, key);
    *count = 0;
    if (!list || list->kind == JSON_NULL)
        return NULL;
    if (list->kind != JSON_ARRAY) {
        diag_error(r->ir->diags, &c->place, DIAG_READ_KIND, key, "an array");
        return NULL;
    }
    const struct sym **items = NEW_ARRAY(r->ir->arena, const struct sym *, list->count);
    for (const struct json *v = list->first; v; v = v->next) {
        const struct sym *s = read_symbolic(r, &c->place, v);
        items[(*count)++] = s ? s : sym_int(r->ir, 0);
    }
    return items;
}

static const struct sym **fill(struct reader *r, uint32_t count, int64_t value)
{
    const struct sym **items = NEW_ARRAY(r->ir->arena, const struct sym *, count);
    for (uint32_t i = 0; i < count; i++)
        items[i] = sym_int(r->ir, value);
    return items;
}

static const struct sym **packed_strides(struct reader *r, const struct container *c)
{
    const struct sym **strides = fill(r, c->rank, 1);
    for (uint32_t i = c->rank; i-- > 1;)
        strides[i - 1] = sym_mul(r->ir, strides[i], c->shape[i]);
    return strides;
}

static bool all_zero(const struct sym *const *items, uint32_t count)
{
    while (count && sym_is_int(items[count - 1], 0))
        count--;
    return !count;
}

/* A list with one entry per dimension, or NULL if it is missing. Zeros may be too many or too few: DaCe's own
 * expansions of reductions write offsets of the rank before. */
static const struct sym **read_dimensions(struct reader *r, const struct container *c, const struct json *attributes,
                                          const char *key)
{
    uint32_t count;
    const struct sym **items = read_list(r, c, attributes, key, &count);
    if (count && count != c->rank) {
        if (all_zero(items, count))
            return NULL;
        diag_error(r->ir->diags, &c->place, DIAG_READ_RANK, key, count, c->rank);
        return NULL;
    }
    return count ? items : NULL;
}

static void read_shape(struct reader *r, struct container *c, const struct json *attributes)
{
    bool single = c->kind == CONTAINER_SCALAR || container_is_structure(c);
    c->start_offset = c->buffer_size = sym_int(r->ir, 0);
    if (single) {
        c->rank = 1;
        c->shape = c->strides = fill(r, 1, 1);
        c->offset = fill(r, 1, 0);
        c->total_size = sym_int(r->ir, 1);
        return;
    }
    c->shape = read_list(r, c, attributes, "shape", &c->rank);
    const struct sym *product = sym_int(r->ir, 1);
    for (uint32_t i = 0; i < c->rank; i++) {
        check_literal(r, c, "shape", c->shape[i]);
        product = sym_mul(r->ir, product, c->shape[i]);
    }
    bool strided = c->kind != CONTAINER_STREAM && !is_distributed(c->kind);
    c->strides = strided ? read_dimensions(r, c, attributes, "strides") : NULL;
    for (uint32_t i = 0; c->strides && i < c->rank; i++)
        check_literal(r, c, "strides", c->strides[i]);
    if (!c->strides)
        c->strides = packed_strides(r, c);
    c->offset = read_dimensions(r, c, attributes, "offset");
    if (!c->offset)
        c->offset = fill(r, c->rank, 0);
    c->total_size = strided ? read_symbolic_at(r, &c->place, attributes, "total_size", 0) : product;
    check_literal(r, c, "total_size", c->total_size);
    if (sym_is_int(c->total_size, 0))
        c->total_size = product;
    if (strided)
        c->start_offset = read_symbolic_at(r, &c->place, attributes, "start_offset", 0);
    if (c->kind == CONTAINER_STREAM)
        c->buffer_size = read_symbolic_at(r, &c->place, attributes, "buffer_size", 0);
}

/* ---- structures ---- */

static void set_transient(struct container *c)
{
    c->transient = true;
    for (uint32_t i = 0; i < c->members.count; i++)
        set_transient(c->members.items[i]);
}

/* A member that is symbolic text is a constant size field (format.md 2.20.8); it becomes an integer scalar. */
static struct container *read_size_field(struct reader *r, struct container *parent, const char *name,
                                         const struct json *text)
{
    struct container *c = NEW(r->ir->arena, struct container);
    c->place = (struct place){ .parent = &parent->place, .noun = "container", .label = name, .id = PLACE_NO_ID };
    c->json = text;
    c->name = name;
    c->kind = CONTAINER_SCALAR;
    c->type = type_basic(r->ir, TYPE_I64);
    c->storage = enum_builtin(r->ir, STORAGE_DEFAULT);
    c->lifetime = enum_builtin(r->ir, LIFETIME_SCOPE);
    c->optional = -1;
    read_symbolic(r, &c->place, text);
    read_shape(r, c, NULL);
    return c;
}

static void read_members(struct reader *r, struct container *c, const struct json *attributes)
{
    c->struct_name = intern(r->ir->names, read_string(r, &c->place, attributes, "name", ""));
    const struct json *list = json_get(attributes, "members");
    if (list && list->kind != JSON_ARRAY) {
        diag_error(r->ir->diags, &c->place, DIAG_READ_KIND, "members", "an array of pairs");
        return;
    }
    for (const struct json *pair = list ? list->first : NULL; pair; pair = pair->next) {
        const char *text = json_string(json_at(pair, 0));
        const struct json *record = json_at(pair, 1);
        if (!text || !record) {
            diag_error(r->ir->diags, &c->place, DIAG_READ_KIND, "members", "an array of pairs");
            continue;
        }
        const char *name = intern(r->ir->names, text);
        for (uint32_t i = 0; i < c->members.count; i++)
            if (c->members.items[i]->name == name)
                diag_error(r->ir->diags, &c->place, DIAG_READ_TWICE, name);
        if (c->kind == CONTAINER_STRUCTURE_REFERENCE && !strcmp(name, "set"))
            diag_error(r->ir->diags, &c->place, DIAG_READ_MEMBER_SET);
        struct container *m = record->kind == JSON_OBJECT ? read_container(r, &c->place, name, record)
                                                          : read_size_field(r, c, name, record);
        if (!m)
            continue;
        m->parent = c;
        m->index = c->members.count;
        vec_push(r->ir->arena, &c->members, m);
    }
}

/* The C view of a member: scalars by value, everything else as pointer (format.md 2.20.8). */
static const struct type *member_type(struct reader *r, const struct container *m)
{
    if (!m->type || m->kind == CONTAINER_SCALAR ||
        container_is_structure(m)) /* the type of a structure is a pointer already */
        return m->type;
    return type_pointer(r->ir, m->type);
}

static const struct type *structure_type(struct reader *r, const struct container *c)
{
    struct type_field *fields = NEW_ARRAY(r->ir->arena, struct type_field, c->members.count);
    for (uint32_t i = 0; i < c->members.count; i++) {
        fields[i].name = c->members.items[i]->name;
        fields[i].type = member_type(r, c->members.items[i]);
        if (!fields[i].type)
            return NULL;
    }
    return type_pointer(r->ir, type_struct(r->ir, c->struct_name, fields, c->members.count));
}

static void read_element_container(struct reader *r, struct container *c, const struct json *attributes)
{
    const struct json *stype = json_get(attributes, "stype");
    if (!stype || stype->kind == JSON_NULL)
        return;
    struct container *element = read_container(r, &c->place, c->name, stype);
    if (!element)
        return;
    element->parent = c;
    vec_push(r->ir->arena, &c->members, element);
}

/* Each field of the type that the file gives is a member: nothing would say what the others hold. */
static void check_fields(struct reader *r, const struct container *c)
{
    const struct type *s = c->type && c->type->kind == TYPE_POINTER ? c->type->elem : c->type;
    for (uint32_t i = 0; s && s->kind == TYPE_STRUCT && i < s->num_fields; i++) {
        bool found = false;
        for (uint32_t m = 0; m < c->members.count; m++)
            found |= !strcmp(c->members.items[m]->name, s->fields[i].name);
        if (!found)
            diag_error(r->ir->diags, &c->place, DIAG_READ_MEMBER_LACKS, s->name, s->fields[i].name);
    }
}

/* What the kind of the container says (format.md 2.20). */
static const struct type *derived_type(struct reader *r, const struct container *c)
{
    if (holds_containers(c->kind) && c->members.count)
        return member_type(r, c->members.items[0]);
    if (holds_containers(c->kind))
        return type_pointer(r->ir, type_basic(r->ir, TYPE_VOID));
    if (c->kind == CONTAINER_PROCESS_GRID)
        return type_opaque(r->ir, "MPI_Comm");
    if (c->kind == CONTAINER_REDISTR_ARRAY)
        return type_opaque(r->ir, "dace::comm::RedistrArray");
    return c->kind != CONTAINER_UNKNOWN ? type_basic(r->ir, TYPE_I32) : c->type;
}

static void read_element_type(struct reader *r, struct container *c, const struct json *attributes)
{
    const struct json *dtype = json_get(attributes, "dtype");
    if (dtype)
        c->type = read_type(r, dtype);
    if (!dtype || (holds_containers(c->kind) && c->type && c->type->kind != TYPE_POINTER))
        c->type = derived_type(r, c);
    bool complete = c->type && c->type->kind == TYPE_POINTER && c->type->elem->kind == TYPE_STRUCT &&
                    c->type->elem->num_fields == c->members.count;
    if (container_is_structure(c))
        check_fields(r, c);
    if (container_is_structure(c) && !complete) /* the members say it all */
        c->type = structure_type(r, c);
}

/* ---- rules of single kinds ---- */

/* A list of integers or truth values, as a descriptor of distributed data has it. */
static void read_numbers(struct reader *r, struct container *c, const struct json *list, struct distributed *out)
{
    uint32_t count = json_is(list, JSON_ARRAY) ? (uint32_t)list->count : 0;
    int64_t *items = NEW_ARRAY(r->ir->arena, int64_t, count);
    for (const struct json *v = count ? list->first : NULL; v; v = v->next) {
        int64_t *item = &items[out->num_dimensions++];
        bool truth = v->kind == JSON_TRUE || v->kind == JSON_FALSE;
        *item = v->kind == JSON_TRUE;
        bool good = truth || (json_int(v, item) && *item >= 0 && (c->kind == CONTAINER_SUB_ARRAY || *item <= 1));
        if (!good)
            diag_error(r->ir->diags, &c->place, DIAG_READ_GRID_COLOR);
    }
    out->dimensions = items;
}

static void read_grid(struct reader *r, struct container *c, const struct json *attributes, struct distributed *out)
{
    const struct json *exact = json_get(attributes, "exact_grid");
    out->is_subgrid = read_flag(r, &c->place, attributes, "is_subgrid", false);
    out->parent = read_string(r, &c->place, attributes, "parent_grid", NULL);
    if (out->is_subgrid && !out->parent)
        diag_error(r->ir->diags, &c->place, DIAG_READ_GRID_PARENT);
    read_numbers(r, c, json_get(attributes, "color"), out);
    if (out->is_subgrid && exact && exact->kind != JSON_NULL)
        out->exact = read_symbolic(r, &c->place, exact);
}

static void read_subarray(struct reader *r, struct container *c, const struct json *attributes, struct distributed *out)
{
    static const char *const keys[] = { "subshape", "correspondence" };
    bool fits = true;
    for (int i = 0; i < 2; i++) {
        const struct json *list = json_get(attributes, keys[i]);
        if (json_is(list, JSON_ARRAY) && list->count != c->rank)
            fits = diag_error(r->ir->diags, &c->place, DIAG_READ_SUBARRAY, keys[i], list->count, c->rank);
    }
    out->parent = read_string(r, &c->place, attributes, "pgrid", NULL);
    out->subshape = fits ? read_dimensions(r, c, attributes, "subshape") : NULL;
    read_numbers(r, c, json_get(attributes, "correspondence"), out);
}

static void read_distributed(struct reader *r, struct container *c, const struct json *attributes)
{
    struct distributed *out = NEW(r->ir->arena, struct distributed);
    *out = (struct distributed){ .parent = NULL };
    if (c->kind == CONTAINER_PROCESS_GRID)
        read_grid(r, c, attributes, out);
    else if (c->kind == CONTAINER_SUB_ARRAY)
        read_subarray(r, c, attributes, out);
    out->from = read_string(r, &c->place, attributes, "array_a", NULL);
    out->to = read_string(r, &c->place, attributes, "array_b", NULL);
    c->distributed = out;
}

static void read_common(struct reader *r, struct container *c, const struct json *attributes)
{
    bool owns_nothing = container_is_view(c) || container_is_reference(c);
    c->transient |= read_flag(r, &c->place, attributes, "transient", false) || owns_nothing || is_distributed(c->kind);
    c->storage = read_enum(r, &c->place, attributes, "storage", STORAGE_DEFAULT);
    bool program_long =
        !json_get(attributes, "lifetime") && read_flag(r, &c->place, attributes, "toplevel", false); /* 0.9 */
    c->lifetime = read_enum(r, &c->place, attributes, "lifetime",
                            program_long              ? LIFETIME_SDFG
                            : is_distributed(c->kind) ? LIFETIME_PERSISTENT
                                                      : LIFETIME_SCOPE);
    if (owns_nothing && c->lifetime->row != LIFETIME_SCOPE)
        diag_error(r->ir->diags, &c->place, DIAG_READ_LIFETIME, c->lifetime->name);
    c->may_alias = read_flag(r, &c->place, attributes, "may_alias", false);
    c->allow_conflicts = read_flag(r, &c->place, attributes, "allow_conflicts", false);
    c->pool = read_flag(r, &c->place, attributes, "pool", false);
    const struct json *optional = json_get(attributes, "optional");
    c->optional = optional && optional->kind != JSON_NULL ? read_flag(r, &c->place, attributes, "optional", false) : -1;
    c->alignment = read_int(r, &c->place, attributes, "alignment", 0);
}

struct container *read_container(struct reader *r, const struct place *parent, const char *name,
                                 const struct json *record)
{
    struct container *c = NEW(r->ir->arena, struct container);
    c->place = (struct place){ .parent = parent, .noun = "container", .label = name, .id = PLACE_NO_ID };
    c->json = record;
    c->name = name;
    const struct json *type = read_required(r, &c->place, record, "type", JSON_STRING);
    const struct json *attributes = type ? read_attributes(r, &c->place, record) : NULL;
    if (!attributes)
        return NULL;
    read_debug_info(r, &c->place, attributes);
    c->kind = kind_of(type->text);
    if (c->kind == CONTAINER_UNKNOWN) { /* kept as it is; an error only when it is used */
        c->unknown_type = type->text;
        c->transient = json_bool(json_get(attributes, "transient"), false);
        attributes = NULL;
    }
    if (container_is_structure(c))
        read_members(r, c, attributes);
    if (holds_containers(c->kind))
        read_element_container(r, c, attributes);
    read_element_type(r, c, attributes);
    read_shape(r, c, attributes);
    read_common(r, c, attributes);
    if (c->transient && container_is_structure(c))
        set_transient(c);
    if (is_distributed(c->kind))
        read_distributed(r, c, attributes);
    return c;
}
