#include "engine/program/program.h"

#include "base/vec.h"
#include "engine/program/bounds.h"

#include <stdlib.h>
#include <string.h>

/* What a program takes: one leaf per argument in the order of semantics.md 1.2, with expressions ready for solving. */

_Static_assert((int)SDFG_BOOL == (int)TYPE_BOOL && (int)SDFG_I64 == (int)TYPE_I64 && (int)SDFG_U64 == (int)TYPE_U64 &&
                   (int)SDFG_F8E5M2 == (int)TYPE_F8E5M2 && (int)SDFG_C128 == (int)TYPE_C128,
               "element types of the interface are those of ir/types.def");

struct argument_walk {
    struct sdfg_program *program;
    struct map written; /* sdfg_uses */
    struct map null_tests;
    VEC(struct variable) variables;
    struct map forms; /* symbolic expression -> its form, once all variables are there */
};

static void leaf_type(struct leaf *l, struct ir *ir, const struct type *t)
{
    l->type = t;
    l->lanes = 1;
    l->type_text = t ? type_text(ir, t) : "unknown";
    if (!t)
        return;
    l->item_bytes = t->size;
    if (t->kind == TYPE_VECTOR) {
        l->lanes = t->lanes;
        t = t->elem;
    }
    if (type_is_basic(t))
        l->dtype = (sdfg_dtype)t->kind;
    else if (t->kind == TYPE_STRUCT)
        l->dtype = SDFG_RECORD;
}

static enum sdfg_argument_kind kind_of(const struct container *c)
{
    switch (c->kind) {
    case CONTAINER_SCALAR:
        return SDFG_KIND_SCALAR;
    case CONTAINER_ARRAY:
    case CONTAINER_VIEW:
    case CONTAINER_REFERENCE:
        return SDFG_KIND_ARRAY;
    case CONTAINER_TENSOR:
    case CONTAINER_STRUCTURE:
    case CONTAINER_STRUCTURE_VIEW:
    case CONTAINER_STRUCTURE_REFERENCE:
        return SDFG_KIND_STRUCTURE;
    case CONTAINER_CONTAINER_ARRAY:
    case CONTAINER_CONTAINER_VIEW:
    case CONTAINER_CONTAINER_REFERENCE:
        return SDFG_KIND_CONTAINER_ARRAY;
    case CONTAINER_STREAM:
        return SDFG_KIND_STREAM;
    default:
        return SDFG_KIND_OTHER;
    }
}

/* Containers have few sizes, and expressions are shared: each is taken apart once. */
static const struct form *form_of(struct argument_walk *w, const struct sym *expression)
{
    struct ir *ir = w->program->ir;
    struct form *f = map_get(&w->forms, expression);
    if (!f) {
        f = NEW(ir->arena, struct form);
        *f = form_make(ir, w->variables.items, w->variables.count, expression);
        map_put(ir->arena, &w->forms, expression, f);
    }
    return f;
}

static struct form *forms(struct argument_walk *w, const struct sym *const *expressions, uint32_t count)
{
    struct form *f = NEW_ARRAY(w->program->ir->arena, struct form, count);
    for (uint32_t i = 0; i < count; i++)
        f[i] = *form_of(w, expressions[i]);
    return f;
}

static const char *const *form_texts(struct argument_walk *w, const struct form *f, uint32_t count)
{
    const char **texts = NEW_ARRAY(w->program->ir->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = f[i].text;
    return texts;
}

static int32_t find_variable(const struct argument_walk *w, const char *name)
{
    for (uint32_t i = 0; i < w->variables.count; i++)
        if (w->variables.items[i].name == name)
            return (int32_t)i;
    return -1;
}

/* Where the members lie: as the struct type of the file says, whose fields may be more than the members with a
 * descriptor. */
static void layout_structure(struct leaf *l, struct ir *ir, const struct type *t)
{
    while (t && t->kind == TYPE_POINTER)
        t = t->elem;
    if (!t || t->kind != TYPE_STRUCT)
        return;
    l->memory_size = t->size;
    for (uint32_t i = 0; i < l->num_members; i++)
        for (uint32_t k = 0; k < t->num_fields; k++) {
            struct leaf *m = &l->members[i];
            const struct type_field *f = &t->fields[k];
            if (strcmp(f->name, m->name) || !f->type)
                continue;
            if (m->kind == SDFG_KIND_SCALAR && type_is_basic(f->type))
                leaf_type(m, ir, f->type); /* members that are symbols have no type of their own */
            m->offset = f->offset;
            m->placed = f->type->size == (m->kind == SDFG_KIND_SCALAR ? m->item_bytes : sizeof(void *));
        }
}

static void leaf_container(struct argument_walk *w, struct leaf *l, const struct container *c)
{
    struct ir *ir = w->program->ir;
    l->name = c->name;
    l->kind = kind_of(c);
    l->place = &c->place;
    l->transient = c->transient;
    l->optional = (c->optional > 0 || (c->optional < 0 && map_has(&w->null_tests, c))) && l->kind != SDFG_KIND_STREAM;
    l->returned = !strncmp(c->name, "__return", 8);
    l->storage = c->storage ? c->storage->name : "";
    l->lifetime = c->lifetime ? c->lifetime->name : "";
    l->variable = c->parent || l->kind != SDFG_KIND_SCALAR ? -1 : find_variable(w, c->name);
    leaf_type(l, ir, c->type);
    if (l->kind == SDFG_KIND_STREAM && c->total_size) /* its shape determines no symbol */
        l->total_size = *forms(w, &c->total_size, 1);
    if (l->kind == SDFG_KIND_ARRAY || l->kind == SDFG_KIND_CONTAINER_ARRAY) {
        l->rank = c->rank;
        l->shape = forms(w, c->shape, c->rank);
        l->shape_texts = form_texts(w, l->shape, c->rank);
        if (c->strides) {
            l->strides = forms(w, c->strides, c->rank);
            l->strides_texts = form_texts(w, l->strides, c->rank);
        }
        if (c->total_size)
            l->total_size = *forms(w, &c->total_size, 1);
    }
    if (l->kind != SDFG_KIND_STRUCTURE && l->kind != SDFG_KIND_CONTAINER_ARRAY)
        return;
    l->type_text = l->kind == SDFG_KIND_STRUCTURE && c->struct_name
                       ? arena_printf(ir->arena, "struct %s", c->struct_name)
                       : l->type_text;
    l->num_members = c->members.count;
    l->members = NEW_ARRAY(ir->arena, struct leaf, c->members.count);
    for (uint32_t i = 0; i < c->members.count; i++) {
        leaf_container(w, &l->members[i], c->members.items[i]);
        l->members[i].optional = true; /* the program may use only some of them */
    }
    if (l->kind == SDFG_KIND_STRUCTURE)
        layout_structure(l, ir, c->type);
}

static void leaf_symbol(struct argument_walk *w, struct leaf *l, const char *name, bool required)
{
    struct ir *ir = w->program->ir;
    const struct type *t = sdfg_symbol_type(w->program->root, name);
    l->name = name;
    l->kind = SDFG_KIND_SYMBOL;
    l->place = &w->program->root->region.block.place;
    l->optional = !required;
    l->storage = l->lifetime = "";
    l->variable = find_variable(w, name);
    leaf_type(l, ir, t ? t : type_basic(ir, TYPE_I32));
}

/* ---- variables ---- */

static bool in_list(const char *name, const char **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == name)
            return true;
    return false;
}

/* Interior symbols of code generation, such as the lane count of vectors, are not asked from callers. */
static bool is_internal(const char *name) { return !strncmp(name, "__dace", 6); }

static bool occurs_in_layout(const struct sdfg *s, const char *name)
{
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        for (uint32_t k = 0; k < c->rank; k++)
            if ((c->shape && sym_mentions(c->shape[k], name)) || (c->strides && sym_mentions(c->strides[k], name)))
                return true;
    }
    return false;
}

static void collect_symbols(struct argument_walk *w, const char **all, uint32_t num_all, const char **needed,
                            uint32_t num_needed)
{
    struct sdfg_program *p = w->program;
    struct map assigned = { 0 };
    sdfg_assigned_symbols(p->root, &assigned);
    for (uint32_t i = 0; i < num_all; i++) {
        const struct type *t = sdfg_symbol_type(p->root, all[i]);
        if (is_internal(all[i]) || (t && !type_is_integer(t)))
            continue;
        struct variable v = {
            .name = all[i],
            .type = t ? t : type_basic(p->ir, TYPE_I32),
            .required = in_list(all[i], needed, num_needed),
            .bindable = !map_has(&assigned, all[i]),
        };
        vec_push(p->ir->arena, &w->variables, v);
    }
}

static void collect_scalars(struct argument_walk *w)
{
    struct sdfg_program *p = w->program;
    for (uint32_t i = 0; i < p->root->containers.count; i++) {
        const struct container *c = p->root->containers.items[i];
        if (c->transient || c->kind != CONTAINER_SCALAR || !c->type || !type_is_integer(c->type))
            continue;
        struct variable v = {
            .name = c->name,
            .type = c->type,
            .is_scalar = true,
            .bindable = !map_has(&w->written, c->name) && occurs_in_layout(p->root, c->name),
        };
        vec_push(p->ir->arena, &w->variables, v);
    }
}

static void collect_constants(struct argument_walk *w)
{
    struct sdfg_program *p = w->program;
    for (uint32_t i = 0; i < p->root->constants.count; i++) {
        const struct constant *c = &p->root->constants.items[i];
        void *bytes;
        size_t size;
        if (!c->desc || c->desc->kind != CONTAINER_SCALAR || !c->desc->type || !type_is_integer(c->desc->type) ||
            find_variable(w, c->name) >= 0 || !constant_bytes(p->ir, c, &bytes, &size) || size > sizeof(int64_t))
            continue;
        struct variable v = { .name = c->name, .type = c->desc->type, .is_constant = true };
        memcpy(&v.constant, bytes, size); /* little-endian */
        if (c->desc->type->kind < TYPE_U8 && size < sizeof v.constant) {
            unsigned shift = (unsigned)(8 * (sizeof v.constant - size));
            v.constant = (int64_t)((uint64_t)v.constant << shift) >> shift;
        }
        vec_push(p->ir->arena, &w->variables, v);
    }
}

/* ---- the lists ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct leaf *)a)->name, ((const struct leaf *)b)->name);
}

static void collect_arguments(struct argument_walk *w, const char **all, uint32_t num_all, const char **needed,
                              uint32_t num_needed)
{
    struct sdfg_program *p = w->program;
    uint32_t most = p->root->containers.count + num_all, num_containers = 0;
    p->arguments = NEW_ARRAY(p->ir->arena, struct leaf, most);
    p->transients = NEW_ARRAY(p->ir->arena, struct leaf, p->root->containers.count);
    struct leaf *values = NEW_ARRAY(p->ir->arena, struct leaf, most);
    uint32_t num_values = 0;
    for (uint32_t i = 0; i < p->root->containers.count; i++) {
        const struct container *c = p->root->containers.items[i];
        struct leaf *l = c->transient                  ? &p->transients[p->num_transients++]
                         : c->kind == CONTAINER_SCALAR ? &values[num_values++]
                                                       : &p->arguments[num_containers++];
        leaf_container(w, l, c);
        l->written = map_has(&w->written, c->name);
        l->may_alias = c->may_alias;
    }
    for (uint32_t i = 0; i < num_all; i++)
        if (!is_internal(all[i]))
            leaf_symbol(w, &values[num_values++], all[i], in_list(all[i], needed, num_needed));
    qsort(p->arguments, num_containers, sizeof *p->arguments, by_name);
    qsort(values, num_values, sizeof *values, by_name);
    memcpy(p->arguments + num_containers, values, num_values * sizeof *values);
    p->num_arguments = num_containers + num_values;
}

static void add_constraints(struct sdfg_program *p, const struct leaf *l, const char *prefix)
{
    struct arena *a = p->ir->arena;
    const char *name = arena_printf(a, "%s%s", prefix, l->name);
    for (uint32_t i = 0; i < l->rank; i++)
        vec_push(a, &p->constraints, arena_printf(a, "%s.shape[%u] = %s", name, i, l->shape[i].text));
    for (uint32_t i = 0; l->strides && i < l->rank; i++)
        vec_push(a, &p->constraints, arena_printf(a, "%s.strides[%u] = %s", name, i, l->strides[i].text));
    if (*prefix && l->variable >= 0)
        vec_push(a, &p->constraints, arena_printf(a, "%s = %s", name, p->variables[l->variable].name));
    bool indexed = l->kind == SDFG_KIND_CONTAINER_ARRAY;
    if (indexed && l->num_members && l->members[0].kind == SDFG_KIND_STRUCTURE)
        for (uint32_t i = 0; i < l->members[0].num_members; i++)
            add_constraints(p, &l->members[0].members[i], arena_printf(a, "%s[i].", name));
    for (uint32_t i = 0; !indexed && i < l->num_members; i++)
        add_constraints(p, &l->members[i], arena_printf(a, "%s.", name));
}

void program_constraints(struct sdfg_program *p)
{
    for (uint32_t i = 0; i < p->num_arguments; i++)
        add_constraints(p, &p->arguments[i], "");
}

static bool linear_in(const struct form *f, uint32_t count, int32_t variable)
{
    for (uint32_t i = 0; f && i < count; i++)
        for (uint32_t k = 0; k < f[i].num_names && !f[i].opaque; k++)
            if ((int32_t)f[i].names[k].variable == variable && f[i].names[k].coefficient)
                return true;
    return false;
}

static bool solvable_from(const struct leaf *list, uint32_t count, int32_t variable)
{
    for (uint32_t i = 0; i < count; i++)
        if (linear_in(list[i].shape, list[i].rank, variable) || linear_in(list[i].strides, list[i].rank, variable) ||
            solvable_from(list[i].members, list[i].num_members, variable))
            return true;
    return false;
}

/* Members that say what symbols are (ir/read/read_symbol_code.c): giving one gives the symbol. */
static void take_sources(struct argument_walk *w)
{
    struct sdfg_program *p = w->program;
    for (uint32_t i = 0; i < p->root->sources.count; i++) {
        const struct symbol_source *s = &p->root->sources.items[i];
        struct leaf *member = (struct leaf *)program_lookup(p, s->path);
        int32_t v = find_variable(w, s->symbol);
        if (!member || v < 0)
            continue; /* nothing depends on it */
        member->variable = v;
        for (uint32_t k = 0; k < p->num_arguments; k++)
            p->arguments[k].solvable |= p->arguments[k].variable == v;
    }
}

bool program_describe(struct sdfg_program *p)
{
    struct argument_walk w = { .program = p };
    const char **all, **needed;
    uint32_t num_all = sdfg_free_symbols(p->root, true, &all), num_needed = sdfg_free_symbols(p->root, false, &needed);
    w.written = sdfg_uses(p->root).written;
    program_null_tests(p, &w.null_tests);
    collect_symbols(&w, all, num_all, needed, num_needed);
    collect_scalars(&w);
    collect_constants(&w);
    collect_arguments(&w, all, num_all, needed, num_needed);
    p->variables = w.variables.items;
    p->num_variables = w.variables.count;
    take_sources(&w);
    program_constraints(p);
    program_limits(p);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (p->arguments[i].variable >= 0)
            p->arguments[i].solvable |= solvable_from(p->arguments, p->num_arguments, p->arguments[i].variable);
    return diags_errors(p->ir->diags) == 0;
}
