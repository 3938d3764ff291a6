/* Properties of elements by name. */
#include "engine/graph/graph.h"

#include "ir/json/json.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* CHOICE: a boolean in an int, which has a third value. */
enum property_type {
    PROPERTY_ENUM,
    PROPERTY_BOOL,
    PROPERTY_CHOICE,
    PROPERTY_INT,
    PROPERTY_SYM,
    PROPERTY_CODE,
    PROPERTY_TEXT,
    PROPERTY_STRIDES,
    PROPERTY_OFFSET,
    PROPERTY_PIECES, /* a list of code, which grows */
    PROPERTY_NAMES,  /* a list of texts, which grows */
    PROPERTY_TYPES,  /* of connectors */
    PROPERTY_REGION  /* the type of a region */
};

struct property {
    const char *name;
    enum property_type type;
    size_t offset; /* in the struct of the element */
    enum enum_kind enumeration;
};

#define ENUMERATION(name, s, field, kind)                                                                              \
    {                                                                                                                  \
        name, PROPERTY_ENUM, offsetof(struct s, field), ENUM_##kind                                                    \
    }
#define FIELD(s, field, type)                                                                                          \
    {                                                                                                                  \
#field, PROPERTY_##type, offsetof(struct s, field), 0                                                          \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, 0, 0, 0                                                                                                  \
    }

static const struct property of_container[] = {
    ENUMERATION("storage", container, storage, STORAGE),
    ENUMERATION("lifetime", container, lifetime, LIFETIME),
    FIELD(container, transient, BOOL),
    FIELD(container, may_alias, BOOL),
    FIELD(container, pool, BOOL),
    FIELD(container, allow_conflicts, BOOL),
    FIELD(container, optional, CHOICE),
    FIELD(container, alignment, INT),
    { "strides", PROPERTY_STRIDES, 0, 0 },
    { "offset", PROPERTY_OFFSET, 0, 0 },
    FIELD(container, total_size, SYM),
    FIELD(container, start_offset, SYM),
    FIELD(container, buffer_size, SYM),
    END,
};
static const struct property of_map[] = {
    ENUMERATION("schedule", map_entry, schedule, SCHEDULE),
    ENUMERATION("omp_schedule", map_entry, omp_schedule, OMP_SCHEDULE),
    ENUMERATION("instrument", map_entry, instrument, INSTRUMENT),
    FIELD(map_entry, unroll, BOOL),
    FIELD(map_entry, unroll_factor, INT),
    FIELD(map_entry, collapse, INT),
    FIELD(map_entry, omp_num_threads, INT),
    FIELD(map_entry, omp_chunk_size, INT),
    END,
};
static const struct property of_consume[] = {
    ENUMERATION("schedule", consume_entry, schedule, SCHEDULE),
    ENUMERATION("instrument", consume_entry, instrument, INSTRUMENT),
    FIELD(consume_entry, chunksize, INT),
    END,
};
static const struct property of_tasklet[] = {
    ENUMERATION("language", tasklet, code.language, LANGUAGE),
    ENUMERATION("instrument", tasklet, instrument, INSTRUMENT),
    FIELD(tasklet, side_effects, CHOICE),
    FIELD(tasklet, code_global, CODE),
    FIELD(tasklet, code_init, CODE),
    FIELD(tasklet, code_exit, CODE),
    FIELD(tasklet, state_fields, NAMES),
    END,
};
static const struct property of_access[] = {
    ENUMERATION("instrument", access, instrument, DATA_INSTRUMENT),
    FIELD(access, instrument_condition, CODE),
    FIELD(access, setzero, BOOL),
    END,
};
static const struct property of_nested[] = {
    ENUMERATION("instrument", nested, instrument, INSTRUMENT),
    FIELD(nested, no_inline, BOOL),
    END,
};
static const struct property of_library[] = {
    ENUMERATION("schedule", library, schedule, SCHEDULE),
    ENUMERATION("instrument", library, instrument, INSTRUMENT),
    FIELD(library, implementation, TEXT),
    END,
};
static const struct property of_state[] = {
    ENUMERATION("instrument", state, instrument, INSTRUMENT),
    ENUMERATION("symbol_instrument", state, symbol_instrument, DATA_INSTRUMENT),
    FIELD(state, symbol_instrument_condition, CODE),
    END,
};
static const struct property of_loop[] = {
    FIELD(loop, inverted, BOOL),
    FIELD(loop, update_before_condition, BOOL),
    FIELD(loop, unroll, BOOL),
    FIELD(loop, unroll_factor, INT),
    END,
};
static const struct property of_region[] = {
    { "type", PROPERTY_REGION, offsetof(struct region, type_name), 0 },
    END,
};
static const struct property of_body[] = {
    FIELD(sdfg, openmp_sections, BOOL), ENUMERATION("instrument", sdfg, instrument, INSTRUMENT),
    FIELD(sdfg, global_code, PIECES),   FIELD(sdfg, init_code, PIECES),
    FIELD(sdfg, exit_code, PIECES),     END,
};
static const struct property of_edge[] = {
    { "dynamic", PROPERTY_BOOL, offsetof(struct edge, memlet.dynamic), 0 },
    { "wcr_nonatomic", PROPERTY_BOOL, offsetof(struct edge, memlet.wcr_nonatomic), 0 },
    { "allow_oob", PROPERTY_BOOL, offsetof(struct edge, memlet.allow_oob), 0 },
    { "volume", PROPERTY_SYM, offsetof(struct edge, memlet.volume), 0 },
    END,
};
static const struct property of_nothing[] = { END };
/* Behind those of its kind, of a node. */
static const struct property of_node[] = {
    { "in_connectors", PROPERTY_TYPES, offsetof(struct node, in_conns), 0 },
    { "out_connectors", PROPERTY_TYPES, offsetof(struct node, out_conns), 0 },
    END,
};

static const struct property *properties_of(const struct sdfg_element *e)
{
    static const struct property *const of_nodes[NODE_COUNT] = {
        [NODE_MAP_ENTRY] = of_map, [NODE_CONSUME_ENTRY] = of_consume, [NODE_TASKLET] = of_tasklet,
        [NODE_ACCESS] = of_access, [NODE_NESTED] = of_nested,         [NODE_LIBRARY] = of_library,
    };
    switch (e->kind) {
    case ELEMENT_CONTAINER:
        return of_container;
    case ELEMENT_EDGE:
        return of_edge;
    case ELEMENT_BODY: /* the region is the first member of the SDFG */
        return of_body;
    case ELEMENT_NODE:
        return of_nodes[e->node->kind] ? of_nodes[e->node->kind] : of_nothing;
    case ELEMENT_BLOCK:
        return e->block->kind == BLOCK_STATE    ? of_state
               : e->block->kind == BLOCK_LOOP   ? of_loop
               : e->block->kind == BLOCK_REGION ? of_region
                                                : of_nothing;
    default:
        return of_nothing;
    }
}

/* ---- values ---- */

static const struct enum_value *enum_value_of(struct ir *ir, const struct place *at, const struct property *p,
                                              const char *text)
{
    const char *own = arena_strdup(ir->arena, text);
    bool object = *own == '{';
    const struct json *json = object ? json_parse(ir->arena, ir->diags, own, strlen(own)) : NULL;
    if (object && !json)
        return NULL;
    const struct enum_value *v =
        object ? enum_from_json(ir, p->enumeration, json) : enum_by_name(ir, p->enumeration, own);
    if (!v || (!enum_is_builtin(p->enumeration, v->name) && !enum_member_of(ir, v)))
        return diag_error(ir->diags, at, DIAG_BUILD_VALUE, text, p->name), NULL;
    const char *wrong = enum_attributes_wrong(ir, v);
    if (wrong)
        return diag_error(ir->diags, at, DIAG_READ_ATTRIBUTES, v->name, p->name, wrong), NULL;
    return v;
}

/* "true", "false" or a number; false after a mistake. */
static bool number_of(struct ir *ir, const struct place *at, const struct property *p, const char *text, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    bool word = !strcmp(text, "true") || !strcmp(text, "false");
    bool number = *text && !*end && value == (int)value;
    if (p->type == PROPERTY_INT ? !number : !word)
        return diag_error(ir->diags, at, DIAG_BUILD_VALUE, text, p->name);
    *out = p->type == PROPERTY_INT ? (int)value : *text == 't';
    return true;
}

static void add_piece(struct ir *ir, code_pieces *pieces, const char *text)
{
    struct code_text code = { .text = arena_strdup(ir->arena, text), .language = enum_builtin(ir, LANGUAGE_CPP) };
    vec_push(ir->arena, pieces, code);
}

/* A number from 1 behind the last colon of `text`, which ends before it then; 0: there is none. */
static uint32_t take_number(char *text)
{
    char *colon = strrchr(text, ':');
    size_t length = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!length || colon[1 + length] || length > 9)
        return 0;
    *colon = '\0';
    return (uint32_t)strtoul(colon + 1, NULL, 10);
}

/* `json`: {"connector": type}. */
static void set_types(const struct sdfg_element *e, connector_list *connectors, const char *text)
{
    struct ir *ir = e->graph->ir;
    const char *own = arena_strdup(ir->arena, text);
    const struct json *types = json_parse(ir->arena, ir->diags, own, strlen(own));
    if (types && types->kind != JSON_OBJECT)
        diag_error(ir->diags, graph_place(e), DIAG_BUILD_VALUE, text, "connectors");
    for (const struct json *m = json_is(types, JSON_OBJECT) ? types->first : NULL; m; m = m->next) {
        struct connector *c = NULL;
        for (uint32_t i = 0; i < connectors->count && !c; i++)
            if (!strcmp(connectors->items[i].name, m->key))
                c = &connectors->items[i];
        const struct type *type = sdfg_read_type(e->graph->sdfg, m);
        if (!c)
            diag_error(ir->diags, graph_place(e), DIAG_BUILD_VALUE, m->key, "connectors");
        else if (!type)
            diag_error(ir->diags, graph_place(e), DIAG_READ_CONNECTOR, m->key);
        else
            *c = (struct connector){ .name = c->name, .type = type };
    }
}

static void set_region(const struct sdfg_element *e, const char *text)
{
    static const char *const types[] = { "ControlFlowRegion", "NamedRegion", "FunctionCallRegion",
                                         "UnstructuredControlFlow" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i], text)) {
            as_region(e->block)->type_name = types[i];
            return;
        }
    diag_error(e->graph->ir->diags, graph_place(e), DIAG_BUILD_VALUE, text, "type");
}

/* "FILE:LINE" or "FILE:LINE:COLUMN". Both ends of a scope stand there. */
static void set_source(const struct sdfg_element *e, const char *text)
{
    struct ir *ir = e->graph->ir;
    char *file = arena_strdup(ir->arena, text);
    uint32_t last = take_number(file), before = last ? take_number(file) : 0;
    struct place *at = (struct place *)(uintptr_t)graph_place(e), *other = at;
    if (!last || !*file) {
        diag_error(ir->diags, at, DIAG_BUILD_VALUE, text, "debuginfo");
        return;
    }
    if (e->kind == ELEMENT_NODE && node_is_entry(e->node))
        other = &scope_exit(e->node)->place;
    at->file = other->file = intern(ir->names, file);
    at->line = other->line = before ? before : last;
    at->column = other->column = before ? last : 0;
}

static void set(const struct sdfg_element *e, const struct property *p, const char *text)
{
    struct ir *ir = e->graph->ir;
    const struct place *at = graph_place(e);
    char *field = (char *)e->any + p->offset;
    const struct enum_value *member;
    int number;
    switch (p->type) {
    case PROPERTY_ENUM:
        member = enum_value_of(ir, at, p, text);
        if (member)
            *(const struct enum_value **)field = member;
        break;
    case PROPERTY_BOOL:
        if (number_of(ir, at, p, text, &number))
            *(bool *)field = number;
        break;
    case PROPERTY_CHOICE:
    case PROPERTY_INT:
        if (number_of(ir, at, p, text, &number))
            *(int *)field = number;
        break;
    case PROPERTY_SYM:
        *(const struct sym **)field = build_sym(ir, at, text);
        break;
    case PROPERTY_CODE:
        ((struct code_text *)field)->text = arena_strdup(ir->arena, text);
        break;
    case PROPERTY_TEXT:
        *(const char **)field = arena_strdup(ir->arena, text);
        break;
    case PROPERTY_STRIDES:
        build_strides(e->graph->sdfg, e->container, text);
        break;
    case PROPERTY_OFFSET:
        build_offset(e->graph->sdfg, e->container, text);
        break;
    case PROPERTY_PIECES:
        add_piece(ir, (code_pieces *)field, text);
        break;
    case PROPERTY_NAMES:
        vec_push(ir->arena, (name_list *)field, arena_strdup(ir->arena, text));
        break;
    case PROPERTY_TYPES:
        set_types(e, (connector_list *)field, text);
        break;
    case PROPERTY_REGION:
        set_region(e, text);
        break;
    }
}

static const struct property *find(const struct property *p, const char *name)
{
    for (; p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

void sdfg_graph_set(sdfg_element *e, const char *property, const char *value)
{
    if (!e)
        return;
    GUARDED((void)graph_no_memory(e->graph));
    if (!graph_has(e->graph, property, __func__, "property") || !graph_has(e->graph, value, __func__, "value"))
        return;
    if (!strcmp(property, "debuginfo") && e->kind != ELEMENT_TRANSITION) {
        set_source(e, value);
        return;
    }
    const struct property *p = find(properties_of(e), property);
    if (!p && e->kind == ELEMENT_NODE)
        p = find(of_node, property);
    if (p)
        set(e, p, value);
    else if (!graph_keep(e, property, value))
        diag_error(e->graph->ir->diags, graph_place(e), DIAG_BUILD_PROPERTY, property);
}
