#include "ir/write/write.h"

#include <string.h>

#define FORMAT_VERSION "2.0.0a6" /* whose format this is (format.md 1.3) */
#define BETA_VERSION   "2.0.0b1" /* the same, but for what flags of struct ir say */

/* ---- containers ---- */

static const char *container_type_name(const struct container *c)
{
    static const char *const names[] = {
#define CONTAINER(K, json) json,
#include "ir/containers.def"
#undef CONTAINER
    };
    const char *read = json_string(json_get(c->json, "type"));
    bool parameter = read && !strcmp(read, "ParameterArray"); /* an Array with one attribute more */
    return parameter && c->kind == CONTAINER_ARRAY ? read : names[c->kind];
}

static bool is_distributed(const struct container *c)
{
    return c->kind == CONTAINER_PROCESS_GRID || c->kind == CONTAINER_SUB_ARRAY || c->kind == CONTAINER_REDISTR_ARRAY;
}

static void write_layout(struct writer *w, const struct container *c)
{
    write_sym_list(w, "shape", c->shape, c->rank);
    if (c->kind == CONTAINER_SCALAR || container_is_structure(c) || is_distributed(c))
        return;
    if (c->kind != CONTAINER_STREAM) {
        write_sym_list(w, "strides", c->strides, c->rank);
        write_sym(w, "total_size", c->total_size);
    }
    write_sym_list(w, "offset", c->offset, c->rank);
    if (c->kind == CONTAINER_STREAM)
        write_sym(w, "buffer_size", c->buffer_size);
    else if (c->start_offset->op == SYM_INT && c->start_offset->i)
        json_write_int(&w->json, "start_offset", c->start_offset->i);
    else if (c->start_offset->op != SYM_INT)
        write_sym(w, "start_offset", c->start_offset);
}

static void write_members(struct writer *w, const struct container *c)
{
    json_begin(&w->json, "members", '[');
    for (uint32_t i = 0; i < c->members.count; i++) {
        const struct container *m = c->members.items[i];
        json_begin(&w->json, NULL, '[');
        json_write_string(&w->json, NULL, m->name);
        if (m->json && m->json->kind != JSON_OBJECT)
            write_symbolic_value(w, NULL, m->json); /* a constant size field */
        else
            write_container(w, NULL, m);
        json_end(&w->json, ']');
    }
    json_end(&w->json, ']');
    json_write_string(&w->json, "name", c->struct_name);
}

/* A list of integers; of a grid, of truth values. */
static void write_dimensions(struct writer *w, const char *key, const struct distributed *d)
{
    json_begin(&w->json, key, '[');
    for (uint32_t i = 0; i < d->num_dimensions; i++)
        json_write_int(&w->json, NULL, d->dimensions[i]);
    json_end(&w->json, ']');
}

static void write_name(struct writer *w, const char *key, const char *name)
{
    if (name)
        json_write_string(&w->json, key, name);
}

/* Of descriptors that were built; those from files keep what the file says. */
static void write_distributed(struct writer *w, const struct container *c)
{
    const struct distributed *d = c->distributed;
    bool grid = c->kind == CONTAINER_PROCESS_GRID;
    json_write_string(&w->json, "name", c->name);
    if (grid)
        json_write_bool(&w->json, "is_subgrid", d->is_subgrid);
    write_name(w, grid ? "parent_grid" : "pgrid", d->parent);
    if (d->num_dimensions)
        write_dimensions(w, grid ? "color" : "correspondence", d);
    if (d->exact)
        write_sym(w, "exact_grid", d->exact);
    if (d->subshape)
        write_sym_list(w, "subshape", d->subshape, c->rank);
    write_name(w, "array_a", d->from);
    write_name(w, "array_b", d->to);
}

static void write_container_attributes(struct writer *w, const struct container *c)
{
    static const char *const known[] = { "dtype", "shape", "strides", "total_size", "offset", "buffer_size",
                                         "start_offset", "transient", "storage", "lifetime", "may_alias",
                                         "allow_conflicts", "pool", "optional", "alignment", "debuginfo", "location",
                                         /* of older releases (format.md 8.2) */
                                         "toplevel", "materialize_func", "replication_shape", "repl_location", NULL };
    static const char *const structure[] = { "members", "name", NULL };
    static const char *const element[] = { "stype", NULL };
    const struct json *attributes = write_attributes_of(c->json);
    write_type(w, "dtype", c->type, json_get(attributes, "dtype"));
    write_layout(w, c);
    if (container_is_structure(c))
        write_members(w, c);
    bool holds = c->kind == CONTAINER_CONTAINER_ARRAY || c->kind == CONTAINER_CONTAINER_VIEW ||
                 c->kind == CONTAINER_CONTAINER_REFERENCE;
    if (holds && c->members.count)
        write_container(w, "stype", c->members.items[0]);
    if (is_distributed(c) && !c->json)
        write_distributed(w, c);
    write_flag(w, "transient", c->transient, false);
    write_enum(w, "storage", c->storage, STORAGE_DEFAULT);
    write_enum(w, "lifetime", c->lifetime, is_distributed(c) ? LIFETIME_PERSISTENT : LIFETIME_SCOPE);
    write_flag(w, "may_alias", c->may_alias, false);
    write_flag(w, "allow_conflicts", c->allow_conflicts, false);
    write_flag(w, "pool", c->pool, false);
    if (c->optional >= 0)
        json_write_bool(&w->json, "optional", c->optional);
    write_int(w, "alignment", c->alignment, 0);
    write_debug_info(w, &c->place, attributes);
    const struct json *location = json_get(attributes, "location"); /* 0.9: text */
    if (json_is(location, JSON_OBJECT) && location->count)
        json_write_value(&w->json, "location", location);
    write_rest(w, attributes, known, container_is_structure(c) ? structure : holds ? element : NULL);
}

void write_container(struct writer *w, const char *key, const struct container *c)
{
    static const char *const known[] = { "type", "attributes", NULL };
    if (c->kind == CONTAINER_UNKNOWN) {
        json_write_value(&w->json, key, c->json);
        return;
    }
    json_begin(&w->json, key, '{');
    json_write_string(&w->json, "type", container_type_name(c));
    json_begin(&w->json, "attributes", '{');
    write_container_attributes(w, c);
    json_end(&w->json, '}');
    write_rest(w, c->json, known, NULL);
    json_end(&w->json, '}');
}

/* ---- tables of an SDFG ---- */

static void write_tables(struct writer *w, const struct sdfg *s, const struct json *attributes)
{
    json_begin(&w->json, "arg_names", '[');
    for (uint32_t i = 0; i < s->arg_names.count; i++)
        json_write_string(&w->json, NULL, s->arg_names.items[i]);
    json_end(&w->json, ']');
    if (s->constants.count)
        json_begin(&w->json, "constants_prop", '{');
    for (uint32_t i = 0; i < s->constants.count; i++) {
        json_begin(&w->json, s->constants.items[i].name, '[');
        write_container(w, NULL, s->constants.items[i].desc);
        json_write_value(&w->json, NULL, s->constants.items[i].value);
        json_end(&w->json, ']');
    }
    if (s->constants.count)
        json_end(&w->json, '}');
    json_begin(&w->json, "_arrays", '{');
    for (uint32_t i = 0; i < s->containers.count; i++)
        write_container(w, s->containers.items[i]->name, s->containers.items[i]);
    json_end(&w->json, '}');
    json_begin(&w->json, "symbols", '{');
    const struct json *symbols = json_get(attributes, "symbols");
    for (uint32_t i = 0; i < s->symbols.count; i++)
        write_type(w, s->symbols.items[i].name, s->symbols.items[i].type, json_get(symbols, s->symbols.items[i].name));
    json_end(&w->json, '}');
}

/* Code of the whole program: as read, by code generator; or all of it for the main file. */
static void write_global_code(struct writer *w, const char *key, const struct json *read, const struct code_text *items,
                              uint32_t count)
{
    if (json_is(read, JSON_OBJECT) && !json_get(read, "string_data")) {
        json_write_value(&w->json, key, read);
        return;
    }
    if (!count)
        return;
    struct code_text all = items[0];
    for (uint32_t i = 1; i < count; i++)
        all.text = arena_printf(w->ir->arena, "%s\n%s", all.text, items[i].text);
    json_begin(&w->json, key, '{');
    write_code(w, "frame", &all);
    json_end(&w->json, '}');
}

static void write_requirements(struct writer *w, const struct sdfg *s)
{
    if (!s->requirements.count)
        return;
    json_begin(&w->json, "call_requirements", '[');
    for (uint32_t i = 0; i < s->requirements.count; i++) {
        const struct requirement *q = s->requirements.items[i];
        json_begin(&w->json, NULL, '{');
        write_sym_list(w, "negative", q->negative, q->count);
        json_write_string(&w->json, "message", q->message);
        write_debug_info(w, &q->place, NULL);
        json_end(&w->json, '}');
    }
    json_end(&w->json, ']');
}

static void write_sdfg_attributes(struct writer *w, const struct sdfg *s)
{
    static const char *const known[] = { "name", "arg_names", "constants_prop", "_arrays", "symbols", "global_code",
                                         "init_code", "exit_code", "instrument", "openmp_sections", "debuginfo",
                                         "call_requirements",
                                         /* history, and what older releases called otherwise */
                                         "orig_sdfg", "transformation_hist", "arg_types", "_pgrids", "_subarrays",
                                         "_rdistrarrays", "using_experimental_blocks", NULL };
    const struct json *attributes = write_attributes_of(s->json);
    json_write_string(&w->json, "name", s->name);
    write_tables(w, s, attributes);
    write_global_code(w, "global_code", json_get(attributes, "global_code"), s->global_code.items,
                      s->global_code.count);
    write_global_code(w, "init_code", json_get(attributes, "init_code"), s->init_code.items, s->init_code.count);
    write_global_code(w, "exit_code", json_get(attributes, "exit_code"), s->exit_code.items, s->exit_code.count);
    write_enum(w, "instrument", s->instrument, INSTRUMENT_NONE);
    write_flag(w, "openmp_sections", s->openmp_sections, false);
    write_debug_info(w, &s->region.block.place, attributes);
    write_requirements(w, s);
    write_rest(w, attributes, known, block_derived);
}

void write_sdfg(struct writer *w, const char *key, const struct sdfg *s)
{
    static const char *const known[] = { "type",
                                         "attributes",
                                         "label",
                                         "id",
                                         "collapsed",
                                         "cfg_list_id",
                                         "sdfg_list_id",
                                         "start_block",
                                         "start_state",
                                         "nodes",
                                         "edges",
                                         "source_files",
                                         "dace_version",
                                         "undefined_symbols",
                                         "scalar_parameters",
                                         NULL };
    const struct sdfg *outer = w->sdfg;
    w->sdfg = s;
    json_begin(&w->json, key, '{');
    json_write_string(&w->json, "type", "SDFG");
    json_write_string(&w->json, "label", "");
    json_write_null(&w->json, "id");
    json_write_bool(&w->json, "collapsed", false);
    if (s == w->root) {
        json_begin(&w->json, "source_files", '[');
        for (uint32_t i = 0; i < s->source_files.count; i++)
            json_write_string(&w->json, NULL, s->source_files.items[i]);
        json_end(&w->json, ']');
        json_write_string(&w->json, "dace_version", w->ir->floored_mod ? BETA_VERSION : FORMAT_VERSION);
    }
    json_begin(&w->json, "attributes", '{');
    write_sdfg_attributes(w, s);
    json_end(&w->json, '}');
    write_region_body(w, &s->region);
    write_rest(w, s->json, known, NULL);
    json_end(&w->json, '}');
    w->sdfg = outer;
}

void sdfg_write(const struct sdfg *s, struct text *out)
{
    struct writer w = { .json = { .out = out }, .ir = s->ir, .root = s, .scratch = text_new(s->ir->arena) };
    write_sdfg(&w, NULL, s);
}
