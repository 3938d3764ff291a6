#include "ir/read/read.h"

#include <ctype.h>
#include <string.h>

/* ---- tables ---- */

static void add_container(struct reader *r, struct sdfg *s, const char *text, const struct json *record)
{
    const char *name = intern(r->ir->names, text);
    if (map_has(&s->container_by_name, name))
        return; /* also listed in the tables of older releases */
    struct container *c = read_container(r, &s->region.block.place, name, record);
    if (!c)
        return;
    read_name(r, &c->place, name);
    c->index = s->containers.count;
    vec_push(r->ir->arena, &s->containers, c);
    map_put(r->ir->arena, &s->container_by_name, name, c);
}

static const struct json *members_of(struct reader *r, const struct sdfg *s, const struct json *attributes,
                                     const char *key)
{
    const struct json *v = json_get(attributes, key);
    if (!v || v->kind == JSON_NULL)
        return NULL;
    if (v->kind == JSON_OBJECT)
        return v->first;
    diag_error(r->ir->diags, &s->region.block.place, DIAG_READ_KIND, key, "an object");
    return NULL;
}

static void read_containers(struct reader *r, struct sdfg *s, const struct json *attributes)
{
    static const char *const tables[] = { "_arrays", "_pgrids", "_subarrays", "_rdistrarrays" };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct json *m = members_of(r, s, attributes, tables[i]); m; m = m->next)
            add_container(r, s, m->key, m);
    /* 0.9: pairs; a scalar parameter that is also an undefined symbol stays one */
    const struct json *undefined = json_get(s->json, "undefined_symbols"),
                      *scalars = json_get(s->json, "scalar_parameters");
    for (const struct json *pair = json_is(scalars, JSON_ARRAY) ? scalars->first : NULL; pair; pair = pair->next) {
        const char *name = json_string(json_at(pair, 0));
        bool symbol = false;
        for (const struct json *u = json_is(undefined, JSON_ARRAY) ? undefined->first : NULL; name && u; u = u->next)
            symbol |= json_string(json_at(u, 0)) && !strcmp(json_string(json_at(u, 0)), name);
        if (name && !symbol && json_at(pair, 1))
            add_container(r, s, name, json_at(pair, 1));
    }
}

static void add_symbol(struct reader *r, struct sdfg *s, const char *text, const struct type *type)
{
    struct symbol_decl decl = { intern(r->ir->names, text), type };
    if (map_has(&s->symbol_by_name, decl.name))
        return;
    vec_push(r->ir->arena, &s->symbols, decl);
    map_put(r->ir->arena, &s->symbol_by_name, decl.name,
            (void *)(uintptr_t)(type ? type : type_basic(r->ir, TYPE_VOID)));
}

static void read_symbols(struct reader *r, struct sdfg *s, const struct json *attributes)
{
    for (const struct json *m = members_of(r, s, attributes, "symbols"); m; m = m->next)
        add_symbol(r, s, m->key, read_type(r, m));
    const struct json *undefined = json_get(s->json, "undefined_symbols");
    for (const struct json *pair = json_is(undefined, JSON_ARRAY) ? undefined->first : NULL; pair; pair = pair->next) {
        const char *name = json_string(json_at(pair, 0));
        const struct json *dtype = json_get(json_get(json_at(pair, 1), "attributes"), "dtype");
        if (name)
            add_symbol(r, s, name, dtype ? read_type(r, dtype) : type_basic(r->ir, TYPE_I32));
    }
}

static void read_constants(struct reader *r, struct sdfg *s, const struct json *attributes)
{
    for (const struct json *m = members_of(r, s, attributes, "constants_prop"); m; m = m->next) {
        if (m->kind != JSON_ARRAY || m->count != 2) {
            diag_error(r->ir->diags, &s->region.block.place, DIAG_READ_CONSTANT);
            continue;
        }
        struct constant c = { .name = intern(r->ir->names, m->key), .value = json_at(m, 1) };
        c.desc = read_container(r, &s->region.block.place, c.name, json_at(m, 0));
        if (c.desc)
            vec_push(r->ir->arena, &s->constants, c);
    }
}

/* `arg_names`, or the keys of `arg_types`: a list of names, of single-key objects, or a map. */
static void read_arguments(struct reader *r, struct sdfg *s, const struct json *attributes)
{
    const struct json *list = json_get(attributes, "arg_names");
    if (!list)
        list = json_get(attributes, "arg_types");
    for (const struct json *v = list && (list->kind == JSON_ARRAY || list->kind == JSON_OBJECT) ? list->first : NULL; v;
         v = v->next) {
        const char *name = v->key ? v->key : v->kind == JSON_OBJECT && v->first ? v->first->key : json_string(v);
        if (!name) {
            diag_error(r->ir->diags, &s->region.block.place, DIAG_READ_KIND, "arg_names", "an array of names");
            continue;
        }
        name = intern(r->ir->names, name);
        vec_push(r->ir->arena, &s->arg_names, name);
    }
}

static void read_requirements(struct reader *r, struct sdfg *s, const struct json *attributes)
{
    const struct json *list = json_get(attributes, "call_requirements");
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next) {
        struct requirement *q = NEW(r->ir->arena, struct requirement);
        const struct json *exprs = json_get(v, "negative");
        q->message = json_string(json_get(v, "message"));
        if (!q->message || !json_is(exprs, JSON_ARRAY) || !exprs->count) {
            diag_error(r->ir->diags, &s->region.block.place, DIAG_READ_KIND, "call_requirements",
                       "an array of expressions and messages");
            return;
        }
        q->place =
            (struct place){ .parent = &s->region.block.place, .noun = "requirement", .id = s->requirements.count };
        read_debug_info(r, &q->place, v);
        q->negative = NEW_ARRAY(r->ir->arena, const struct sym *, exprs->count);
        for (const struct json *e = exprs->first; e; e = e->next)
            if (!(q->negative[q->count++] = read_symbolic(r, &s->region.block.place, e)))
                return;
        vec_push(r->ir->arena, &s->requirements, q);
    }
}

static void add_code(struct reader *r, const struct sdfg *s, const struct json *record, code_pieces *out)
{
    struct code_text code = read_code(r, &s->region.block.place, record, LANGUAGE_CPP);
    const char *c = code.text;
    while (isspace((unsigned char)*c))
        c++;
    if (*c)
        vec_push(r->ir->arena, out, code);
}

static void read_global_code(struct reader *r, const struct sdfg *s, const struct json *attributes, const char *key,
                             code_pieces *out)
{
    const struct json *v = json_get(attributes, key);
    if (json_get(v, "string_data")) { /* 0.9: one record */
        add_code(r, s, v, out);
        return;
    }
    for (const struct json *m = members_of(r, s, attributes, key); m; m = m->next)
        add_code(r, s, m, out);
}

/* Of the main file and of every file; other code generators run theirs (format.md 7.5). */
static void read_run_code(struct reader *r, const struct sdfg *s, const struct json *attributes, const char *key,
                          code_pieces *out)
{
    const struct json *v = json_get(attributes, key);
    static const char *const files[] = { "null", "frame" };
    if (json_get(v, "string_data"))
        add_code(r, s, v, out);
    for (size_t i = 0; i < sizeof files / sizeof *files && members_of(r, s, attributes, key); i++)
        if (json_get(v, files[i]))
            add_code(r, s, json_get(v, files[i]), out);
}

/* ---- the record ---- */

static void read_root_keys(struct reader *r, struct sdfg *s)
{
    s->dace_version = json_string(json_get(s->json, "dace_version"));
    const struct json *files = json_get(s->json, "source_files");
    for (const struct json *v = json_is(files, JSON_ARRAY) ? files->first : NULL; v; v = v->next) {
        const char *name = json_string(v) ? v->text : "?";
        vec_push(r->ir->arena, &s->source_files, name);
    }
}

struct sdfg *read_sdfg(struct reader *r, struct nested *parent, const struct json *record)
{
    struct sdfg *s = NEW(r->ir->arena, struct sdfg), *outer = r->sdfg;
    struct place *place = &s->region.block.place;
    *place = (struct place){ .parent = parent ? &parent->node.place : NULL, .noun = "sdfg", .id = PLACE_NO_ID };
    s->region.block.kind = BLOCK_REGION;
    s->region.block.json = s->json = record;
    s->region.type_name = "SDFG";
    s->region.sdfg = s;
    s->ir = r->ir;
    s->parent = parent;
    s->syntax = r->syntax;
    const char *type = json_string(json_get(record, "type"));
    if (!type || strcmp(type, "SDFG"))
        return diag_error(r->ir->diags, place, DIAG_READ_ROOT, type ? type : ""), NULL;
    const struct json *attributes = read_attributes(r, place, record);
    if (!attributes)
        return NULL;
    s->name = place->label = s->region.block.label =
        intern(r->ir->names, read_string(r, place, attributes, "name", ""));
    if (!*s->name)
        diag_error(r->ir->diags, place, DIAG_READ_MISSING, "name");
    else
        read_name(r, place, s->name);
    if (!r->root) {
        r->root = s;
        read_root_keys(r, s);
    }
    r->sdfg = s;
    read_debug_info(r, place, attributes);
    read_containers(r, s, attributes);
    read_symbols(r, s, attributes);
    read_constants(r, s, attributes);
    read_arguments(r, s, attributes);
    read_requirements(r, s, attributes);
    code_pieces code[3] = { 0 };
    read_global_code(r, s, attributes, "global_code", &code[0]);
    read_run_code(r, s, attributes, "init_code", &code[1]);
    read_run_code(r, s, attributes, "exit_code", &code[2]);
    memcpy(&s->global_code, &code[0], sizeof s->global_code);
    memcpy(&s->init_code, &code[1], sizeof s->init_code);
    memcpy(&s->exit_code, &code[2], sizeof s->exit_code);
    s->instrument = read_enum(r, place, attributes, "instrument", INSTRUMENT_NONE);
    s->openmp_sections = read_flag(r, place, attributes, "openmp_sections", false);
    read_region(r, &s->region, record);
    read_drop_descriptor_code(r, s);
    read_symbol_code(r, s);
    r->sdfg = outer;
    return s;
}
