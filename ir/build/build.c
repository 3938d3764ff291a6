#include "ir/build/build.h"

#include "ir/json/json.h"

#include <ctype.h>
#include <string.h>

/* ---- text ---- */

static const char *trimmed(struct ir *ir, const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (begin < end && isspace((unsigned char)end[-1]))
        end--;
    return intern_n(ir->names, begin, (size_t)(end - begin));
}

void build_split(struct ir *ir, const char *text, char separator, build_list *out)
{
    if (!text || !text[strspn(text, " \t\n")])
        return;
    static const signed char deeper[256] = { ['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1 };
    int depth = 0;
    const char *begin = text;
    for (const char *c = text;; c++) {
        depth += deeper[(unsigned char)*c];
        if (*c && (*c != separator || depth > 0))
            continue;
        const char *part = trimmed(ir, begin, c);
        vec_push(ir->arena, out, part);
        if (!*c)
            return;
        begin = c + 1;
    }
}

const struct sym *build_sym(struct ir *ir, const struct place *at, const char *text)
{
    const struct sym *s = sym_parse(ir, at, text, SYM_SYNTAX_PYTHON);
    return s ? s : sym_int(ir, 0);
}

const struct type *build_type(struct ir *ir, const struct place *at, const char *name)
{
    const struct type *t = type_by_name(ir, name);
    if (!t)
        diag_error(ir->diags, at, DIAG_BUILD_TYPE, name);
    return t;
}

/* ---- the SDFG ---- */

struct sdfg *build_sdfg(struct ir *ir, const char *name)
{
    struct sdfg *s = NEW(ir->arena, struct sdfg);
    struct block *b = &s->region.block;
    s->ir = ir;
    s->name = b->label = intern(ir->names, name);
    b->kind = BLOCK_REGION;
    b->place = (struct place){ .noun = "sdfg", .label = s->name, .id = PLACE_NO_ID };
    s->region.sdfg = s;
    s->region.type_name = "SDFG";
    s->syntax = SYM_SYNTAX_NEW;
    s->dace_version = "2.0.0a6";
    s->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    return s;
}

/* ---- containers ---- */

const struct sym **build_syms(struct sdfg *s, const struct container *c, const char *text, uint32_t *count)
{
    build_list parts = { 0 };
    build_split(s->ir, text, ',', &parts);
    const struct sym **items = NEW_ARRAY(s->ir->arena, const struct sym *, parts.count);
    for (uint32_t i = 0; i < parts.count; i++)
        items[i] = build_sym(s->ir, &c->place, parts.items[i]);
    *count = parts.count;
    return items;
}

static void set_shape(struct sdfg *s, struct container *c, const char *shape)
{
    struct ir *ir = s->ir;
    c->shape = build_syms(s, c, shape, &c->rank);
    c->strides = NEW_ARRAY(ir->arena, const struct sym *, c->rank);
    c->offset = NEW_ARRAY(ir->arena, const struct sym *, c->rank);
    c->total_size = sym_int(ir, 1);
    for (uint32_t i = c->rank; i-- > 0;) {
        c->strides[i] = i + 1 < c->rank ? sym_mul(ir, c->strides[i + 1], c->shape[i + 1]) : sym_int(ir, 1);
        c->offset[i] = sym_int(ir, 0);
    }
    for (uint32_t i = 0; i < c->rank; i++)
        c->total_size = sym_mul(ir, c->total_size, c->shape[i]);
}

static struct container *descriptor(struct sdfg *s, enum container_kind kind, const char *name, const char *type,
                                    const char *shape)
{
    struct ir *ir = s->ir;
    struct container *c = NEW(ir->arena, struct container);
    c->kind = kind;
    c->name = intern(ir->names, name);
    c->place =
        (struct place){ .parent = &s->region.block.place, .noun = "container", .label = c->name, .id = PLACE_NO_ID };
    c->type = build_type(ir, &c->place, type);
    c->start_offset = c->buffer_size = sym_int(ir, 0);
    c->storage = enum_builtin(ir, STORAGE_DEFAULT);
    c->lifetime = enum_builtin(ir, LIFETIME_SCOPE);
    c->optional = -1;
    set_shape(s, c, shape);
    return c;
}

static struct container *add_container(struct sdfg *s, struct container *c)
{
    if (map_has(&s->container_by_name, c->name))
        diag_error(s->ir->diags, &c->place, DIAG_READ_TWICE, c->name);
    c->index = s->containers.count;
    vec_push(s->ir->arena, &s->containers, c);
    map_put(s->ir->arena, &s->container_by_name, c->name, c);
    return c;
}

struct container *build_container(struct sdfg *s, enum container_kind kind, const char *name, const char *type,
                                  const char *shape)
{
    return add_container(s, descriptor(s, kind, name, type, shape));
}

struct container *build_descriptor(struct sdfg *s, const char *name, const char *json)
{
    const char *text = arena_strdup(s->ir->arena, json);
    const struct json *record = json_parse(s->ir->arena, s->ir->diags, text, strlen(text));
    struct container *c = record ? sdfg_read_container(s, name, record) : NULL;
    if (!c || c->kind != CONTAINER_UNKNOWN)
        return c ? add_container(s, c) : NULL;
    diag_error(s->ir->diags, &c->place, DIAG_BUILD_VALUE, c->unknown_type, "type");
    return NULL;
}

struct container *build_array(struct sdfg *s, const char *name, const char *type, const char *shape)
{
    return build_container(s, CONTAINER_ARRAY, name, type, shape);
}

struct container *build_transient(struct sdfg *s, const char *name, const char *type, const char *shape)
{
    struct container *c = build_container(s, CONTAINER_ARRAY, name, type, shape);
    c->transient = true;
    c->optional = 0;
    return c;
}

struct container *build_scalar(struct sdfg *s, const char *name, const char *type)
{
    return build_container(s, CONTAINER_SCALAR, name, type, "1");
}

struct container *build_streams(struct sdfg *s, const char *name, const char *type, const char *shape,
                                const char *buffer_size)
{
    struct container *c = build_container(s, CONTAINER_STREAM, name, type, shape);
    c->buffer_size = build_sym(s->ir, &c->place, buffer_size);
    c->transient = true;
    return c;
}

struct container *build_stream(struct sdfg *s, const char *name, const char *type, const char *buffer_size)
{
    return build_streams(s, name, type, "1", buffer_size);
}

struct container *build_view(struct sdfg *s, const char *name, const char *type, const char *shape)
{
    struct container *c = build_container(s, CONTAINER_VIEW, name, type, shape);
    c->transient = true;
    return c;
}

struct container *build_reference(struct sdfg *s, const char *name, const char *type, const char *shape)
{
    struct container *c = build_container(s, CONTAINER_REFERENCE, name, type, shape);
    c->transient = true;
    return c;
}

void build_strides(struct sdfg *s, struct container *c, const char *strides)
{
    uint32_t count;
    const struct sym **items = build_syms(s, c, strides, &count);
    if (count != c->rank) {
        diag_error(s->ir->diags, &c->place, DIAG_READ_RANK, "strides", count, c->rank);
        return;
    }
    c->strides = items;
    c->total_size = sym_int(s->ir, 1);
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct sym *last = sym_sub(s->ir, c->shape[i], sym_int(s->ir, 1));
        c->total_size = sym_add(s->ir, c->total_size, sym_mul(s->ir, last, items[i]));
    }
}

void build_offset(struct sdfg *s, struct container *c, const char *offset)
{
    uint32_t count;
    const struct sym **items = build_syms(s, c, offset, &count);
    if (count == c->rank)
        c->offset = items;
    else
        diag_error(s->ir->diags, &c->place, DIAG_READ_RANK, "offset", count, c->rank);
}

/* ---- symbols, constants, arguments ---- */

/* A name, or the record of a type in files. */
static const struct type *symbol_type(struct sdfg *s, const char *type)
{
    struct ir *ir = s->ir;
    if (*type != '{')
        return build_type(ir, &s->region.block.place, type);
    const char *text = arena_strdup(ir->arena, type);
    const struct json *record = json_parse(ir->arena, ir->diags, text, strlen(text));
    const struct type *t = record ? sdfg_read_type(s, record) : NULL;
    if (record && !t)
        diag_error(ir->diags, &s->region.block.place, DIAG_BUILD_TYPE, type);
    return t;
}

void build_symbol(struct sdfg *s, const char *name, const char *type) { build_callback(s, name, symbol_type(s, type)); }

void build_callback(struct sdfg *s, const char *name, const struct type *type)
{
    struct symbol_decl decl = { intern(s->ir->names, name), type };
    if (map_has(&s->symbol_by_name, decl.name))
        diag_error(s->ir->diags, &s->region.block.place, DIAG_READ_TWICE, decl.name);
    const struct type *known = decl.type ? decl.type : type_basic(s->ir, TYPE_VOID);
    vec_push(s->ir->arena, &s->symbols, decl);
    map_put(s->ir->arena, &s->symbol_by_name, decl.name, (void *)(uintptr_t)known);
}

void build_constant(struct sdfg *s, const char *name, const char *type, const char *shape, const char *value)
{
    const char *text = arena_strdup(s->ir->arena, value);
    struct constant c = { .name = intern(s->ir->names, name) };
    c.desc = descriptor(s, shape ? CONTAINER_ARRAY : CONTAINER_SCALAR, name, type, shape ? shape : "1");
    c.value = json_parse(s->ir->arena, s->ir->diags, text, strlen(text));
    vec_push(s->ir->arena, &s->constants, c);
}

void build_arguments(struct sdfg *s, const char *names)
{
    build_list parts = { 0 };
    build_split(s->ir, names, ',', &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        vec_push(s->ir->arena, &s->arg_names, parts.items[i]);
}

/* ---- the end ---- */

static void finish_sdfg(struct sdfg *s);

static void finish_state(struct state *st)
{
    state_resolve(st);
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct nested *n = as_nested(st->nodes.items[i]);
        if (n && n->sdfg)
            finish_sdfg(n->sdfg);
    }
}

static void finish_region(struct region *r)
{
    uint32_t sources = 0;
    r->start = r->blocks.count ? r->blocks.items[0] : NULL;
    for (uint32_t i = 0; i < r->blocks.count; i++)
        sources += !r->blocks.items[i]->in.count;
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        struct block *b = r->blocks.items[i];
        if (sources == 1 && !b->in.count)
            r->start = b;
        if (as_state(b))
            finish_state(as_state(b));
        else if (as_region(b))
            finish_region(as_region(b));
        for (uint32_t k = 0; as_conditional(b) && k < as_conditional(b)->branches.count; k++)
            finish_region(as_conditional(b)->branches.items[k].region);
    }
}

static void finish_sdfg(struct sdfg *s) { finish_region(&s->region); }

bool build_finish(struct sdfg *s)
{
    finish_sdfg(s);
    return diags_errors(s->ir->diags) == 0;
}

void build_global_code(struct sdfg *s, const char *text)
{
    for (uint32_t i = 0; i < s->global_code.count; i++)
        if (strcmp(s->global_code.items[i].text, text) == 0)
            return;
    struct code_text code = { .text = text, .language = enum_builtin(s->ir, LANGUAGE_CPP) };
    vec_push(s->ir->arena, &s->global_code, code);
}
