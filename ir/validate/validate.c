#include "ir/validate/validate.h"

#include "ir/bounds/bounds.h"

#include <ctype.h>
#include <string.h>

static void count_reports(struct validator *v)
{
    for (uint32_t total = diags_count(v->ir->diags); v->seen < total; v->seen++) {
        if (diags_get(v->ir->diags, v->seen)->warning)
            v->warnings++;
        else
            v->errors++;
    }
}

bool validate_full(struct validator *v)
{
    count_reports(v);
    return v->errors >= VALIDATE_MAX_ERRORS;
}

bool validate_may_warn(struct validator *v)
{
    count_reports(v);
    return v->warnings < VALIDATE_MAX_WARNINGS;
}

bool validate_name(const char *name)
{
    static const char *const words[] = { "True", "False", "None" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return false;
    bool begin = true;
    for (const char *c = name; *c; c++) {
        if (*c == '.' ? begin : !(isalpha((unsigned char)*c) || *c == '_' || (!begin && isdigit((unsigned char)*c))))
            return false;
        begin = *c == '.';
    }
    return !begin;
}

bool validate_literal(struct validator *v, const struct sym *s, int64_t *value)
{
    if (!sym_is_constant(s))
        s = sym_expand(v->ir, s);
    if (s->op == SYM_INT)
        *value = s->i;
    else if (s->op == SYM_RATIONAL)
        *value = s->i / s->den - (s->i % s->den < 0);
    else
        return false;
    return true;
}

const struct container *validate_root_container(const struct container *c)
{
    while (c->parent)
        c = c->parent;
    return c;
}

bool validate_on_gpu(const struct container *c)
{
    c = validate_root_container(c);
    return c->storage && (c->storage->row == STORAGE_GPU_GLOBAL || c->storage->row == STORAGE_GPU_SHARED);
}

static bool row_is(const struct enum_value *value, enum enum_row row) { return value && value->row == row; }

/* Does any state write the container? */
static bool is_written(const struct region *r, const char *name)
{
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        const struct state *state = as_state(r->blocks.items[i]);
        const struct region *inner = as_region(r->blocks.items[i]);
        for (uint32_t k = 0; state && k < state->nodes.count; k++) {
            const struct access *a = as_access(state->nodes.items[k]);
            if (a && a->data && a->data->name == name && (a->setzero || a->node.in.count))
                return true;
        }
        if (inner && is_written(inner, name))
            return true;
    }
    return false;
}

/* 14: a scalar argument may also be listed as a symbol of the same type, as files saved after DaCe generated code and
 * those from before there was a version (0.12) have it: they are one argument as long as neither gets another value (in
 * old files: whatever they do, with a warning). */
static void check_symbol_name(struct sdfg_scan *s, const struct container *c)
{
    if (!map_has(&s->sdfg->symbol_by_name, c->name))
        return;
    struct diags *d = s->v->ir->diags;
    const struct type *type = map_get(&s->sdfg->symbol_by_name, c->name);
    const char *why = NULL;
    if (s->v->old && c->kind == CONTAINER_SCALAR && !c->transient)
        ; /* they always were one argument there */
    else if (c->kind != CONTAINER_SCALAR)
        why = "the container is no scalar";
    else if (c->transient || s->sdfg->parent)
        why = "the container is no argument of the program";
    else if (c->type && type && type->kind != TYPE_VOID && type != c->type)
        why = "their types differ";
    else if (map_has(&s->assigned, c->name))
        why = "the symbol is assigned";
    else if (is_written(&s->sdfg->region, c->name))
        why = "the container is written";
    if (why)
        diag_error(d, &c->place, DIAG_RULE_CONTAINER_AND_SYMBOL, c->name, c->name, why);
    else if (s->v->old && validate_may_warn(s->v))
        diag_warning(d, &c->place, DIAG_RULE_CONTAINER_IS_SYMBOL, c->name);
}

/* Shapes, storage and names: 17 to 20, 60, 61. */
static void check_container(struct sdfg_scan *s, struct container *c)
{
    struct diags *d = s->v->ir->diags;
    bool root = !s->sdfg->parent;
    if (!validate_name(c->name))
        diag_error(d, &c->place, DIAG_READ_NAME, c->name);
    check_symbol_name(s, c);
    if (root && !c->transient && c->kind == CONTAINER_SCALAR && strncmp(c->name, "__return", 8) == 0)
        diag_error(d, &c->place, DIAG_RULE_RETURN_SCALAR, c->name);
    bool undefined = c->total_size && sym_has_undefined(c->total_size);
    for (uint32_t i = 0; i < c->rank && !undefined; i++)
        undefined = (c->shape && c->shape[i] && sym_has_undefined(c->shape[i])) ||
                    (c->strides && c->strides[i] && sym_has_undefined(c->strides[i]));
    if (undefined && c->transient)
        diag_error(d, &c->place, DIAG_RULE_SHAPE_UNDEFINED, c->name);
    else if (undefined && root && validate_may_warn(s->v)) /* the extent is needed only where it is used */
        diag_warning(d, &c->place, DIAG_RULE_SHAPE_UNDEFINED, c->name);
    bool persistent = row_is(c->lifetime, LIFETIME_PERSISTENT) || row_is(c->lifetime, LIFETIME_EXTERNAL);
    if (persistent && row_is(c->storage, STORAGE_REGISTER))
        diag_error(d, &c->place, DIAG_RULE_LIFETIME_REGISTER, c->name);
    if (row_is(c->storage, STORAGE_REGISTER) && c->kind == CONTAINER_ARRAY && c->start_offset &&
        !sym_is_int(c->start_offset, 0))
        diag_error(d, &c->place, DIAG_RULE_REGISTER_START_OFFSET, c->name);
}

/* What is read of a constant has to be there. */
static void check_constant_size(struct sdfg_scan *s, const struct constant *c, const struct container *user)
{
    struct ir *ir = s->v->ir;
    const struct type *t = c->desc->type;
    if (!type_is_basic(t) && t->kind != TYPE_VECTOR)
        return; /* a text or a null pointer */
    const struct sym *volume = sym_int(ir, 1);
    for (uint32_t i = 0; i < c->desc->rank; i++)
        volume = sym_mul(ir, volume, c->desc->shape[i]);
    int64_t elements = (int64_t)constant_elements(c), wanted;
    if (validate_literal(s->v, volume, &wanted) && elements != wanted)
        diag_error(ir->diags, &c->desc->place, DIAG_RULE_CONSTANT_SIZE, c->name, (long long)elements, "shape",
                   (long long)wanted);
    else if (user && user->transient && user->kind != CONTAINER_STREAM && user->total_size &&
             validate_literal(s->v, user->total_size, &wanted) && elements < wanted)
        diag_error(ir->diags, &user->place, DIAG_RULE_CONSTANT_SIZE, c->name, (long long)elements, "container",
                   (long long)wanted);
}

/* 15 */
static void check_constant(struct sdfg_scan *s, const struct constant *c)
{
    if (!c->desc || !c->desc->type)
        return;
    check_constant_size(s, c, map_get(&s->sdfg->container_by_name, c->name));
    if (!validate_may_warn(s->v))
        return;
    const struct container *container = map_get(&s->sdfg->container_by_name, c->name);
    const struct type *type = container ? container->type : map_get(&s->sdfg->symbol_by_name, c->name);
    if (type && type->kind != TYPE_VOID && type != c->desc->type)
        diag_warning(s->v->ir->diags, &s->sdfg->region.block.place, DIAG_RULE_CONSTANT_TYPE, c->name,
                     type_text(s->v->ir, c->desc->type), type_text(s->v->ir, type));
}

static void note_descriptor_names(void *user, const struct sym *name)
{
    struct sdfg_scan *s = user;
    map_put(s->v->scratch, &s->defined, name->name, s);
}

static void note_container(struct sdfg_scan *s, struct container *c)
{
    for (uint32_t i = 0; i < c->rank; i++) {
        if (c->shape && c->shape[i])
            sym_visit_names(c->shape[i], note_descriptor_names, s);
        if (c->strides && c->strides[i])
            sym_visit_names(c->strides[i], note_descriptor_names, s);
    }
    if (c->total_size)
        sym_visit_names(c->total_size, note_descriptor_names, s);
    for (uint32_t i = 0; i < c->members.count; i++)
        note_container(s, c->members.items[i]);
}

static void note(struct sdfg_scan *s, const char *name)
{
    map_put(s->v->scratch, &s->names, name, s);
    map_put(s->v->scratch, &s->defined, name, s);
}

/* The names of an SDFG, and those that conditions may use before anything was assigned (23). */
static void collect_names(struct sdfg_scan *s)
{
    struct sdfg *sdfg = s->sdfg;
    for (uint32_t i = 0; i < sdfg->containers.count; i++) {
        note(s, sdfg->containers.items[i]->name);
        note_container(s, sdfg->containers.items[i]);
    }
    for (uint32_t i = 0; i < sdfg->symbols.count; i++)
        note(s, sdfg->symbols.items[i].name);
    for (uint32_t i = 0; i < sdfg->constants.count; i++)
        note(s, sdfg->constants.items[i].name);
    for (struct sdfg *outer = sdfg; outer; outer = outer->parent ? outer->parent->node.state->sdfg : NULL)
        for (uint32_t i = 0; i < outer->constants.count; i++)
            map_put(s->v->scratch, &s->defined, outer->constants.items[i].name, s);
    if (sdfg->parent)
        for (uint32_t i = 0; i < sdfg->parent->mapping.count; i++)
            map_put(s->v->scratch, &s->defined, sdfg->parent->mapping.items[i].name, s);
    sdfg_assigned_symbols(sdfg, &s->assigned);
}

/* 65: types of symbols that the file forgot are taken from their use or assumed to be int32 (7.2). */
static void check_free_symbols(struct sdfg_scan *s)
{
    const char **names;
    uint32_t count = sdfg_free_symbols(s->sdfg, true, &names);
    for (uint32_t i = 0; i < count; i++)
        if (!map_has(&s->sdfg->symbol_by_name, names[i]) && validate_may_warn(s->v))
            diag_warning(s->v->ir->diags, &s->sdfg->region.block.place, DIAG_RULE_SYMBOL_UNLISTED, names[i]);
}

void validate_sdfg(struct validator *v, struct sdfg *sdfg, enum code_placement placement)
{
    struct sdfg_scan s = { .v = v, .sdfg = sdfg, .placement = placement };
    struct place *place = &sdfg->region.block.place;
    collect_names(&s);
    if (!validate_name(sdfg->name))
        diag_error(v->ir->diags, place, DIAG_READ_NAME, sdfg->name);
    for (uint32_t i = 0; i < sdfg->containers.count && !validate_full(v); i++)
        check_container(&s, sdfg->containers.items[i]);
    validate_sizes(&s);
    for (uint32_t i = 0; i < sdfg->constants.count; i++)
        check_constant(&s, &sdfg->constants.items[i]);
    if (sdfg->region.blocks.count == 0) {
        diag_error(v->ir->diags, place, DIAG_RULE_SDFG_EMPTY); /* 21 */
        return;
    }
    validate_region(&s, &sdfg->region, false);
    if (!sdfg->parent && !validate_full(v) && !v->errors)
        check_free_symbols(&s);
}

bool sdfg_validate(struct sdfg *s)
{
    struct validator v = { .ir = s->ir, .scratch = arena_new(), .seen = diags_count(s->ir->diags) };
    v.old = !s->dace_version;
    validate_sdfg(&v, s, PLACED_HOST);
    count_reports(&v);
    if (!v.errors)
        sdfg_check_bounds(s);
    count_reports(&v);
    arena_free(v.scratch);
    return v.errors == 0;
}
